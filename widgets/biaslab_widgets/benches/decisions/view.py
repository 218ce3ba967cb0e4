"""What the decision bench draws of a result."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from biaslab.cases import Form
from biaslab.deciders import OUTCOMES
from biaslab.probes.decisions import DecisionsResult
from biaslab.probes.decisions.result import more_questions
from biaslab.reports.decisions.words import named
from biaslab_widgets.benches.decisions.curves import curves_of, levels_of
from biaslab_widgets.benches.decisions.picture_fields import (
    Counts,
    Estimate,
    Gap,
    Picture,
    RunState,
)
from biaslab_widgets.benches.decisions.side_numbers import (
    SideNumbers,
    estimate,
    finite,
)
from biaslab_widgets.core.records import Span

_WAITING: Span = {"text": "The first answers are on their way.", "role": "quiet"}
_EARLY: Span = {"text": "There are too few answers for a gap yet.", "role": "quiet"}
NONE: Estimate = {"value": None, "low": None, "high": None}


def waiting_picture(form: Form, run: RunState) -> Picture:
    """Return the picture of a run that has no answers yet."""
    return {
        "run": run, "form": form, "verdict": [_WAITING], "caveat": "", "footer": [], "levels": [],
        "curves": [], "ratio_levels": [], "ratio": [], "ridge": [], "gap": None, "jnd": NONE,
        "indecision": NONE, "gauges": [], "points": [], "effects": [], "names": [],
        "decision": "none", "reason": "", "level": 0.95, "settled": True,
        "counts": {
            "yes": 0, "no": 0, "cannot_say": 0, "refused": 0, "unreadable": 0, "other_language": 0,
        },
    }  # fmt: skip


def picture_of(
    result: DecisionsResult, run: RunState, numbers: SideNumbers, *, settled: bool
) -> Picture:
    """Return the picture of a result.

    Parameters
    ----------
    result : DecisionsResult
    run : RunState
    numbers : SideNumbers
        What stands beside it.
    settled : bool
        Whether these numbers are of this result.
    """
    levels = levels_of(result)
    has_gap = not result.reason
    early = run["running"] and has_gap and _is_beyond_the_range(result)
    return {
        "run": {
            **run,
            "left": more_questions(result, run["wanted"] if run["running"] else None)
            if has_gap and not early
            else None,
            "width": None if early else run["width"],
        },
        "form": result.form,
        "verdict": [_EARLY]
        if early
        else [Span(text=text, role=role) for text, role in result.verdict_spans()],
        "caveat": " ".join([result.caveat(), *result.notes]),
        "footer": _footer(result),
        "levels": levels.tolist(),
        "curves": curves_of(result, levels),
        "ratio_levels": numbers.ratio_levels,
        "ratio": numbers.ratio,
        "ridge": _ridge(result, levels) if run["running"] else [],
        "gap": _gap(result) if has_gap and not early else None,
        "jnd": estimate(*result.jnd),
        "indecision": numbers.indecision,
        "gauges": numbers.gauges,
        "points": numbers.points,
        "effects": numbers.effects,
        "counts": _counts(result),
        "names": [named(result, place) for place in (0, 1)],
        "decision": result.decision,
        "reason": result.reason,
        "level": result.level,
        "settled": settled,
    }


def _is_beyond_the_range(result: DecisionsResult) -> bool:
    """Return whether the first few answers say nothing of a gap within the case's range."""
    quality, ends = result.case.quality, result.gap_interval()
    span = quality.high - quality.low
    return not (abs(result.gap) <= span and ends.high - ends.low <= 2 * span)


def _ridge(result: DecisionsResult, levels: NDArray[np.float64]) -> list[list[float]]:
    """Return where the next questions go."""
    asked = np.linspace(levels[0], levels[-1], result.next_levels.shape[1])
    return [np.round(np.interp(levels, asked, one), 4).tolist() for one in result.next_levels]


def _gap(result: DecisionsResult) -> Gap:
    wide, narrow = result.gap_interval(), result.gap_interval("these")
    return {
        "value": finite(result.gap),
        "low": finite(wide.low),
        "high": finite(wide.high),
        "these_low": finite(narrow.low),
        "these_high": finite(narrow.high),
        "margin": result.margin,
    }


def _counts(result: DecisionsResult) -> Counts:
    """Return what the marks add up to: those of the two groups that are compared."""
    trials = result.trials
    shown = np.isin(trials.group, result.places[:2])
    answered = trials.answered & shown
    yes = int((trials.yes[answered] >= 0.5).sum())

    def count(name: str) -> int:
        return int((shown & (trials.outcome == OUTCOMES.index(name))).sum())

    return {
        "yes": yes,
        "no": int(answered.sum()) - yes,
        "cannot_say": count("cannot say"),
        "refused": count("refused"),
        "unreadable": count("unreadable"),
        "other_language": count("other language"),
    }


def _footer(result: DecisionsResult) -> list[str]:
    seed = result.provenance.seed
    parts = [f"seed {seed}"] if seed is not None else []
    return [*parts, f"case {result.case.name}", f"{result.method} placement"]
