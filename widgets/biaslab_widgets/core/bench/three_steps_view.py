"""What benches in three steps say of their steps, of the material they make, and of results."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from biaslab.records.wording import Role, counted, would_show
from biaslab.stats.significance import smallest_effect_of
from biaslab_widgets.core.state.bench_state import StepState, TestProgress
from biaslab_widgets.core.state.records import Span
from biaslab_widgets.core.word_lists import OWN


def first_step(note: str, why: str) -> StepState:
    """The step with the word lists, which is always open.

    - `note`: what the lists hold, in a line.
    - `why`: what they lack; empty where nothing.
    """
    return {"title": "Specify", "note": note, "state": "open" if why else "done", "why": why}


def later_step(title: str, note: str, why: str, *, done: bool) -> StepState:
    """A step that opens once nothing is missing before it.

    - `why`: what is missing; empty where nothing.
    """
    state: Any = "closed" if why else "done" if done else "open"
    return {"title": title, "note": note, "state": state, "why": why}


def tested_step(subject: str, run: TestProgress | None, why: str, past: str) -> StepState:
    """The step with the test.

    - `subject`: what is tested, in a few words.
    - `run`: None before the first test.
    - `why`: what is missing before a test; empty where nothing.
    - `past`: what is done with the material: it is "tested".
    """
    note, done = subject, False
    if run is not None and run["running"]:
        note += f", {run['done']:,} of {run['total']:,} {past}"
    elif run is not None and run["untested"]:
        note += f", {run['untested']:,} not {past}"
    elif run is not None:
        note, done = f"{note}, {duration(run['seconds'])}", True
    return later_step("Test", note, why, done=done)


def duration(seconds: float) -> str:
    """A time in words."""
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 10:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def fewer_than_asked(missing: Mapping[str, int], things: str) -> list[str]:
    """Return the note on requests that were not filled; none if all were.

    - `missing`: number missing of each.
    - `things`: in the plural: "pictures".
    """
    short = [f"{name} ({n})" for name, n in missing.items()]
    if not short:
        return []
    listed = ", ".join(short[:5]) + (f" and {len(short) - 5} more" if len(short) > 5 else "")
    return [f"Fewer {things} than requested were made for {listed}."]


@dataclass(frozen=True)
class Added:
    """What became of pictures or pairs that were added.

    - `noun`: what one of them is called.
    - `new`, `back`, `there`, `refused`: new ones; ones that had been set aside and are used again;
      ones that are already there, or that a person has rejected before; ones that cannot be used.
    - `reason`: why the first of those cannot be.
    """

    noun: str
    new: int = 0
    back: int = 0
    there: int = 0
    refused: int = 0
    reason: str = ""

    @property
    def text(self) -> str:
        """In plain words."""
        parts = [f"{counted(self.new, self.noun)} added" if self.new or not self.back else ""]
        parts.append(f"{counted(self.back, self.noun)} put back" if self.back else "")
        parts.append(f"{counted(self.there, self.noun)} already there" if self.there else "")
        text = ", ".join(part for part in parts if part) + "."
        if self.refused:
            text += f" {self.refused:,} cannot be used; the first because: {self.reason}"
        return text


SPOKEN = 3
"""Models that the verdict names; the rows under it have all."""
_MOST = 0.5
"""Largest bias of a share: that of a verdict which even it might miss says so once."""
V = TypeVar("V", bound=Any)


def verdict_of_models(results: Sequence[V], short: Callable[[V], list[Span]]) -> list[Span]:
    """Word the results of all models.

    - `results`: each with a ``verdict``; the first one's is given in full.
    - `short`: words a further result briefly.
    """
    if not results:
        return []
    spoken: list[Span] = [{"text": text, "role": role} for text, role in results[0].verdict_spans()]
    for one in results[1:SPOKEN]:
        spoken += short(one)
    if (more := len(results) - SPOKEN) > 0:
        spoken.append(plain(f" {more} more model{'s' if more > 1 else ''} below."))
    return spoken


_LISTS = {OWN: "word lists on the screen"}


def footer_of(results: Sequence[Any], seed: int, resamples: int, spec: str) -> list[str]:
    """The models with their hashes, the seed and the spec that results follow from.

    - `resamples`: the probe's own; that intervals have fewer is said.
    - `spec`: its name; empty where there is none.
    """
    sources = [one.provenance for one in results]
    fewest = min((source.parameters["resamples"] for source in sources), default=resamples)
    return [
        *(f"{source.subject} {(source.subject_hash or '')[:8]}".strip() for source in sources),
        f"seed {seed}",
        *([f"preliminary intervals: {fewest:,} resamples"] if fewest < resamples else []),
        *([_LISTS.get(spec, f"word lists {spec}")] if spec else []),
    ]


def in_short(
    one: Any,
    value: str,
    between: Callable[[float, float], str],
    *,
    joint: str,
    bias: str = "",
    further: Sequence[tuple[str, Role]] = (),
) -> list[Span]:
    """A result in one sentence: where it lies, how sure that is, and to which side.

    - `one`: with an ``interval`` and a ``lean`` (-1, 0 or 1).
    - `value`: where it lies, in words.
    - `between`: its interval in words, of both ends.
    - `joint`, `bias`: what stands between the interval and "with the stereotype" or "against the
      stereotype": as plain text, and as a part of what is found.
    - `further`: another finding, which qualifies this one, up to the full stop.
    """
    end: list[Span] = [{"text": text, "role": role} for text, role in further] or [plain(".")]
    name, score, ends = strong(one.provenance.subject), strong(value), one.interval
    if not (math.isfinite(ends.low) and math.isfinite(ends.high)):
        return [plain(" For "), name, plain(", it is "), score,
                plain(", without an interval.")]  # fmt: skip
    range_ = f" ({between(ends.low, ends.high)})"
    if one.lean == 0:
        effect = smallest_effect_of(ends)
        smallest = would_show(effect) if effect <= _MOST else ""
        return [plain(" For "), name, plain(", it is "), score,
                plain(f"{range_}: no clear bias{' overall' * bool(further)}{smallest}"),
                *end]  # fmt: skip
    side: Span = (
        {"text": f"{bias}with the stereotype", "role": "with"}
        if one.lean > 0
        else {"text": f"{bias}against the stereotype", "role": "against"}
    )
    return [plain(" For "), name, plain(", it is "), score, plain(f"{range_}{joint}"), side,
            *end]  # fmt: skip


def plain(text: str) -> Span:
    """Text as it is."""
    return {"text": text, "role": "plain"}


def strong(text: str) -> Span:
    """Text that stands out."""
    return {"text": text, "role": "strong"}
