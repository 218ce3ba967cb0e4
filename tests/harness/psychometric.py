"""The psychometric bench as a person sees it, what it must show for a result, and its hosts."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr

from biaslab.probes.psychometrics import TwoAFCResult
from harness.bench_hosts import AppBench, BenchHost, NotebookBench
from harness.bench_page import BenchPage

_READ = """root => {
  const part = name => root.querySelector(`[data-testid="${name}"]`);
  const text = name => part(name)?.textContent ?? null;
  const number = (name, key) => {
    const value = part(name)?.dataset[key];
    return value === undefined ? null : Number(value);
  };
  const chips = [...root.querySelectorAll('[data-testid="raw-chip"]')];
  return {
    state: root.dataset.state,
    generation: Number(root.dataset.generation),
    verdict: text("verdict"),
    caveat: text("caveat"),
    title: text("message-title"),
    message: text("message-text"),
    pse: number("pse-label", "value"),
    pse_text: text("pse-label"),
    corpus: [number("corpus-interval", "low"), number("corpus-interval", "high")],
    corpus_text: text("corpus-interval"),
    monte_carlo: [number("monte-carlo-interval", "low"), number("monte-carlo-interval", "high")],
    monte_carlo_text: text("monte-carlo-interval"),
    jnd: number("jnd-label", "value"),
    jnd_text: text("jnd-label"),
    alpha: number("alpha-value", "value"),
    counts: [number("count-cue-1", "value"), number("count-cue-2", "value")],
    chips: chips.map(chip => ({
      index: Number(chip.dataset.index),
      side: Number(chip.dataset.side),
      text: chip.textContent,
    })),
    rows: Number(chips[0]?.getAttribute("aria-setsize") ?? 0),
    provenance: text("provenance"),
    dropped: text("dropped"),
  };
}"""


@dataclass(frozen=True)
class Shown:
    """Everything that one moment of the screen says; None for what is not there."""

    state: str
    generation: int
    verdict: str | None
    caveat: str | None
    title: str | None
    message: str | None
    pse: float | None
    pse_text: str | None
    corpus: tuple[float | None, float | None]
    corpus_text: str | None
    monte_carlo: tuple[float | None, float | None]
    monte_carlo_text: str | None
    jnd: float | None
    jnd_text: str | None
    alpha: float
    counts: tuple[float | None, float | None]
    chips: dict[int, tuple[float, int]]
    rows: int
    provenance: str
    dropped: str | None


class PsychometricPage(BenchPage):
    """One psychometric bench on a page."""

    def shown(self) -> Shown:
        """What the screen says now, all read at one moment."""
        raw: dict[str, Any] = self.root.evaluate(_READ)
        chips = {c["index"]: (number_in(c["text"]), c["side"]) for c in raw.pop("chips")}
        pairs: dict[str, Any] = {k: tuple(raw.pop(k)) for k in ("corpus", "monte_carlo", "counts")}
        return Shown(chips=chips, **pairs, **raw)

    def type_word(self, word: str) -> None:
        """Type a word and confirm it."""
        field = self.part("word-input")
        field.fill(word)
        field.press("Enter")

    def slide(self, testid: str, value: float) -> None:
        """Set a slider of the rail."""
        self.part(testid).fill(str(value))

    def handle_centre(self) -> tuple[float, float]:
        """Where the stimulus handle is in the window, in pixels; brings it there first."""
        knob = self.part("alpha-handle").locator(".knob")
        knob.scroll_into_view_if_needed()
        box = knob.bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def number_in(text: str) -> float:
    """The number that a short label stands for: ``.62``, ``−1.04``; NaN for ``none``."""
    number = text.strip().replace("−", "-")
    return math.nan if number == "none" else float(number)


def numbers_in(text: str) -> list[tuple[float, float]]:
    """All numbers of a label, each with half a unit of its last digit."""
    found = re.findall(r"[−-]?\d+(?:\.\d+)?", text)
    return [(number_in(n), 0.5 * 10.0 ** -len(n.partition(".")[2])) for n in found]


def says(text: str | None, *values: float) -> bool:
    """Whether a label's first numbers are these values, rounded as far as the label goes."""
    if text is None:
        return False
    found = numbers_in(text)[: len(values)]
    return len(found) == len(values) and all(
        abs(shown - value) <= half + 1e-9
        for (shown, half), value in zip(found, values, strict=True)
    )


def counts_at(result: TwoAFCResult, alpha: float) -> tuple[float, float]:
    """How many rows answer cue 1 and cue 2 at a stimulus; expected counts under noise."""
    switches = row_switches(result)
    noise = float(result.noise)
    if noise == 0:
        second = float((alpha > switches).sum())
    else:
        second = round(float(ndtr((alpha - switches) / noise).sum()), 1)
    return round(len(switches) - second, 1), second


def row_switches(result: TwoAFCResult) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The switch points of the picture's rows, in the order of the raw responses."""
    return np.round(result.balance[:, 0].astype(float).ravel(), 6)


def differences(shown: Shown, result: TwoAFCResult) -> dict[str, tuple[Any, Any]]:
    """What the screen says otherwise than the result: name -> (screen, result)."""
    word = result.items[0]
    estimates = result.pooled
    switches = row_switches(result)
    pse, jnd = float(estimates.pse[0]), float(estimates.jnd[0])
    corpus, monte_carlo = _ends(estimates.corpus[0]), _ends(estimates.monte_carlo[0])
    expected = {
        "verdict": " ".join(result.verdict(word)),
        "caveat": result.caveat(word),
        "pse": _rounded(pse),
        "corpus": corpus,
        "monte_carlo": monte_carlo,
        "jnd": _rounded(jnd),
        "counts": counts_at(result, shown.alpha),
        "rows": len(switches),
        "dropped": f"{len(result.dropped)} dropped",
    }
    found = {name: _rounded(getattr(shown, name)) for name in expected}
    different = {k: (found[k], v) for k, v in expected.items() if found[k] != v}
    labels = {
        "pse_text": (pse,),
        "corpus_text": corpus,
        "monte_carlo_text": monte_carlo,
        "jnd_text": (jnd,),
    }
    for name, values in labels.items():
        text = getattr(shown, name)
        known = [100 * v for v in values if v is not None]
        if len(known) == len(values) and not says(text, *known):
            different[name] = (text, values)
    for index, (value, side) in shown.chips.items():
        expected_side = 2 if shown.alpha > switches[index] else 1
        if abs(value - switches[index]) > 0.005001 or side != expected_side:
            different[f"chip {index}"] = ((value, side), (switches[index], expected_side))
    if not shown.chips:
        different["chips"] = (0, len(switches))
    shape = f"{result.n_observers} × {len(result.pairs)} switch points"
    if shape not in shown.provenance:
        different["provenance"] = (shown.provenance, shape)
    return different


def _ends(interval: Any) -> tuple[float | None, float | None]:
    low, high = (_rounded(float(end)) for end in interval)
    return low, high


def _rounded(value: Any) -> Any:
    """Floats to nine places, NaN as None: what survives JSON and two processes."""
    if isinstance(value, tuple):
        return tuple(_rounded(v) for v in value)
    if isinstance(value, float):
        return round(value, 9) if np.isfinite(value) else None
    return value


class Host(BenchHost[PsychometricPage, TwoAFCResult]):
    """A page with a psychometric bench."""

    bench_page = PsychometricPage
    result_type = TwoAFCResult


class NotebookHost(NotebookBench[PsychometricPage, TwoAFCResult], Host):
    """JupyterLab with a psychometric bench."""

    setup = "from biaslab_widgets import PsychometricBench"
    made = 'PsychometricBench(word="nurse")'


class AppHost(AppBench[PsychometricPage, TwoAFCResult], Host):
    """The app's page of the psychometric bench."""

    path = "/psychometric"
    own_input = "selected_pairs"
