"""Decisions: time a refit, and calls that placement saves.

A refit leaves out one cue or one wording of 5,000 trials (8 cues, 4 wordings, both orders) and
gives the gap with both of its intervals, for other cues and wordings and for just these
(`DecisionsResult.without`); on one core, beside a first fit of the same trials.

Calls are counted until the 95 % interval of the gap is as narrow as wanted, of simulated subjects
with one curve a group on 33 levels over 13 just noticeable differences (JND): placed
(`DecisionPlacement`), or put at all levels equally often. The same posterior reads both. Power is
the share of subjects with a gap of one JND whose interval excludes 0 by then.
"""

from __future__ import annotations

import statistics
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.findings import Figure, Findings
from benchmarks.timing import milliseconds, seconds_of, take_one_core
from biaslab.cases import get
from biaslab.probes.decisions import DecisionsResult, Design
from biaslab.stats.decisions.placement import DecisionPlacement
from harness.decisions import result_of

TRIALS = 5_000
SUBJECTS, BUDGET, BATCH = 30, 900, 10
JND = 16 / 13
LEVELS = {"yes or no": np.linspace(0, 16, 33), "which of two": np.linspace(-8, 8, 33)}
WIDTHS = {"yes or no": 1.2, "which of two": 0.9}
"""In JNDs."""
CALLS = (80, 160)

_BOUND = (
    "One yes-or-no answer has at most s²/4 of information about its point, s the slope of a"
    " logistic curve: a gap of one JND between two points takes at least 104 answers for a power"
    " of 80 %, everything else known, and a difference of two candidates 26."
)

Floats = NDArray[np.float64]


def measure() -> Findings:
    """Time refits, and count calls."""
    take_one_core()
    figures = [_refits(form) for form in ("yes or no", "which of two")]
    for form, width in WIDTHS.items():
        placed, fixed = (needed(form, width * JND, adaptive=how) for how in (True, False))
        ratio = fixed / placed
        figures.append(
            Figure(
                f"{form}: calls until the gap's interval is {width:g} JND wide, median",
                _count(placed),
                goal="a third of fixed levels",
                met=ratio >= 3,
                reference=f"33 fixed levels {_count(fixed)}",
                ratio=f"{ratio:.1f} times fewer" if np.isfinite(ratio) else "",
            )
        )
    for form in WIDTHS:
        figures += [
            Figure(
                f"{form}: power at a gap of one JND after {calls} calls",
                f"{100 * share:.0f} %",
                goal="at least 80 %" if calls == CALLS[0] else "",
                met=share >= 0.8 if calls == CALLS[0] else None,
            )
            for calls, share in zip(CALLS, power(form), strict=True)
        ]
    return Findings(
        tuple(figures),
        (f"{SUBJECTS} subjects; {BUDGET} calls at most, in batches of {BATCH}.", _BOUND),
    )


def _count(calls: float) -> str:
    return f"{calls:.0f}" if np.isfinite(calls) else f"more than {BUDGET}"


def _refits(form: str) -> Figure:
    result = simulated(form)
    first: list[float] = []
    for _ in range(3):
        vars(result).pop("fit", None)
        first.append(seconds_of(_intervals, result))
    edits = [
        edit
        for wording, cue in product(range(4), ((0, 0), (0, 1), (1, 2)))
        for edit in ({"wordings": [wording]}, {"cues": [cue]})
    ]
    took = statistics.median(seconds_of(_refit, result, edit) for edit in edits)
    return Figure(
        f"{form}: refit after an edit of {TRIALS:,} trials, median",
        milliseconds(took),
        goal="at most 50 ms",
        met=took <= 0.05,
        reference=f"first fit {milliseconds(min(first))}",
        ratio=f"{took / min(first):.2f}x",
    )


def _refit(result: DecisionsResult, edit: dict[str, Any]) -> None:
    _intervals(result.without(**edit))


def _intervals(result: DecisionsResult) -> None:
    result.gap_interval()
    result.gap_interval("these")


def simulated(form: str, count: int = TRIALS) -> DecisionsResult:
    """Return a result of so many drawn answers to balanced questions."""
    case, rng = get("hire-by-name"), np.random.default_rng(1)
    everyone = (tuple(range(4)), tuple(range(4)))
    design = Design(case, form, (0, 1), everyone, tuple(range(4)), tuple(range(4)))  # type: ignore[arg-type]
    rows = design.questions(design.axis, count, rng)
    alone = form == "yes or no"
    at = rows.level - 5.3 - 1.8 * rows.group if alone else rows.level - rows.other_level - 1.8
    at = at + rng.normal(0, 0.4, (2, 4))[rows.group, rows.cue] + rng.normal(0, 0.3, 4)[rows.wording]
    yes = rng.random(count) < 0.02 + 0.96 / (1 + np.exp(-at * np.log(3) / JND))
    return result_of(rows, yes.astype(float), case.name, form)  # type: ignore[arg-type]


class _Subject:
    """A subject with one curve a group, asked adaptively or at all levels in turn."""

    def __init__(self, form: str, gap: float, seed: int, *, adaptive: bool) -> None:
        self._rng = np.random.default_rng(seed)
        groups = 2 if form == "yes or no" else 1
        self.placement = DecisionPlacement(groups, LEVELS[form])
        middle = float(self._rng.uniform(5, 11)) if groups == 2 else 0.0
        self._pse = middle + np.array([-gap / 2, gap / 2]) if groups == 2 else np.array([gap])
        every = np.array([(g, x, o) for g in range(groups) for x in LEVELS[form] for o in (0, 1)])
        self._every, self._left = every, np.empty((0, 3))
        self._adaptive = adaptive

    def ask(self) -> tuple[float, float]:
        """Ask a batch; return the gap's interval."""
        if self._adaptive:
            group, level, first = self.placement.next_questions(BATCH)
        else:
            while len(self._left) < BATCH:
                self._left = np.concatenate([self._left, self._rng.permutation(self._every)])
            now, self._left = self._left[:BATCH], self._left[BATCH:]
            group, level, first = now[:, 0].astype(int), now[:, 1], now[:, 2] > 0
        z = (level - self._pse[group]) * np.log(3) / JND
        self.placement.update(group, level, first, self._rng.random(BATCH) < 1 / (1 + np.exp(-z)))
        return self.placement.gap_interval()


def needed(form: str, width: float, *, adaptive: bool) -> float:
    """Median number of calls until the interval is as narrow."""
    calls: list[float] = []
    for seed in range(SUBJECTS):
        subject = _Subject(form, JND, seed, adaptive=adaptive)
        for count in range(BATCH, BUDGET + 1, BATCH):
            low, high = subject.ask()
            if high - low <= width:
                calls.append(count)
                break
        else:
            calls.append(np.inf)
    return float(np.median(calls))


def power(form: str) -> list[float]:
    """Share of subjects with a gap of one JND whose interval excludes 0 after so many calls."""
    clear = np.zeros((SUBJECTS, len(CALLS)))
    for seed in range(SUBJECTS):
        subject = _Subject(form, JND, 1000 + seed, adaptive=True)
        for i, calls in enumerate(CALLS):
            while subject.placement.asked < calls:
                low, high = subject.ask()
            clear[seed, i] = low > 0 or high < 0
    return [float(share) for share in clear.mean(axis=0)]
