"""Measurement of a treatment: what a treatment changes, what it costs, and what a placebo does."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy import special

from biaslab.arguments import described
from biaslab.errors import QueryError, WrongSubjectError
from biaslab.jobs.context import current_context
from biaslab.jobs.showing import shows_progress
from biaslab.probes.comparison import compare
from biaslab.probes.decisions.placebo import cue_points
from biaslab.probes.decisions.probe import decisions
from biaslab.probes.decisions.result import DecisionsResult
from biaslab.probes.similarity import Judgements
from biaslab.probes.treatment.costs import costs_of
from biaslab.probes.treatment.result import Change, TreatmentResult
from biaslab.probes.treatment.treating import opened, treat
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.records.result import Interval, Result
from biaslab.stats.reproducibility import seed_number
from biaslab.subjects.language_model.treated import Treatment

_CUES: Final = "other cues and wordings like these"


@recorded
@shows_progress
def measure_treatment(
    subject: Any,
    treated: Any,
    probe: Callable[..., Result] = decisions,
    *,
    placebos: int = 1,
    held_out: Sequence[str] | None = None,
    similarity: Judgements | Path | str | Sequence[Judgements | Path | str] = (),
    tasks: int | None = None,
    rng: int | np.random.Generator = 0,
    progress: bool | None = None,  # noqa: ARG001  # of shows_progress
    **options: Any,
) -> TreatmentResult:
    """Measure a treatment by a probe, with its costs, beside random treatments.

    Parameters
    ----------
    subject : object
        Before, or a name for `biaslab.load`.
    treated : object
        After: what `biaslab.treat` returned.
    probe : callable
        Whose results `biaslab.compare` can compare; by default `biaslab.decisions`.
    **options
        Of the probe, such as ``case``. Use cues and wordings that the treatment has not seen, such
        as the second of `biaslab.probes.treatment.halves`.
    placebos : int
        Random treatments with the same settings, which are measured as well.
    held_out : sequence of str, optional
        Texts for the perplexity; by default that of replies to questions about other cases.
    similarity : Judgements or path, or sequence of them
        Of an embedding: word pairs with human judgements.
    tasks : int, optional
        Questions of other cases, for the accuracy: 240 by default, or 40 where each reply is a
        call; 0 for none.
    rng : int or numpy.random.Generator
        Of placebos and questions.

    Returns
    -------
    TreatmentResult

    Raises
    ------
    QueryError
        If the probe's results have no number to compare.
    WrongSubjectError
        If `treated` was not made by `biaslab.treat`.

    Notes
    -----
    The interval of a gap's change is for other cues and wordings, each paired with itself; of other
    probes it is that of `biaslab.compare`. Accuracy counts questions with a level near an end of
    the quality, where one answer is right, in cases without a cue of the treated one and of which
    the subject got two thirds right before. The perplexity of replies is that of the replies that
    the untreated subject would give.
    """
    how = _treatment_of(treated)
    subject = opened(subject, as_decider=how.method == "prompt")
    if how.is_placebo or placebos < 0:
        raise QueryError("Measure a treatment, with 0 placebos or more.")
    seed = seed_number(rng)
    context = current_context()
    with measured(
        probe="measure_treatment",
        subject=treated,
        parameters={
            "probe": probe.__name__, **options, "method": how.method,
            "settings": dict(how.settings), "placebos": placebos, "tasks": tasks,
        },
        seed=rng,
    ) as run:  # fmt: skip
        before = probe(subject, **options)
        case = before.case if isinstance(before, DecisionsResult) else None
        costs, dropped = costs_of(subject, case, held_out, similarity, tasks, seed)
        results, biases, prices = [], [], []
        for number in range(placebos + 1):
            context.report(number, placebos + 1, "treatment" if not number else "placebo")
            one = treated
            if number:
                settings = {**how.settings, "rng": seed + number}
                one = treat(subject, how.method, **settings, placebo=True)  # type: ignore[arg-type]
            results.append(probe(one, **options))
            biases.append(_bias(before, results[-1], number))
            prices += [cost(one, number) for cost in costs]
    return TreatmentResult(
        provenance=run.provenance,
        dropped=dropped,
        method=how.method,
        about=how.about,
        names=(subject.name, treated.name),
        changes=(*biases, *prices),
        before=before,
        after=results[0],
    )


def _treatment_of(treated: Any) -> Treatment:
    steps = getattr(treated, "steps", None)
    how = getattr(steps[0] if steps else treated, "treatment", None)
    if not isinstance(how, Treatment):
        raise WrongSubjectError(
            f"measure_treatment measures what bl.treat returned; this is {described(treated)}."
            " Compare others by bl.compare."
        )
    return how


def _bias(before: Result, after: Result, placebo: int) -> Change:
    """Return the change of a probe's number; a gap's with an interval over cues."""
    compared = compare(before, after)
    total = next((one for one in compared.totals if one.interval is not None), None)
    if total is None and len(compared.labels) != 1:
        raise QueryError(
            f"Results of the kind {compared.kind} have no number over all {compared.rows_are}."
            " Probe one of them."
        )
    if total is None:
        (a, b), (low, high) = compared.values[0].tolist(), compared.change_intervals[0].tolist()
        over = compared.over or "independent estimates"
        interval = Interval(low, high, compared.level, over)
        return Change("bias", compared.measure, placebo, a, b, b - a, interval)
    assert total.interval is not None  # noqa: S101  # it was chosen so
    interval = total.interval
    if isinstance(before, DecisionsResult) and isinstance(after, DecisionsResult):
        interval = _over_cues(before, after, total.difference) or interval
    return Change("bias", total.name, placebo, total.a, total.b, total.difference, interval)


def _over_cues(before: DecisionsResult, after: DecisionsResult, change: float) -> Interval | None:
    """Return the interval of a gap's change, over cues and wordings that are each paired.

    The variance of the mean over cues, Welch's, and that over wordings are added, with
    Satterthwaite's degrees of freedom. None of two candidates, or with one cue.
    """
    if before.form != "yes or no" or before.reason or after.reason:
        return None
    one, two = (
        cue_points(after, group, by_wording=True) - cue_points(before, group, by_wording=True)
        for group in (0, 1)
    )
    if min(len(one), len(two)) < 2 or one.shape[1] != two.shape[1]:
        return None
    means = [one.mean(1), two.mean(1)]
    if one.shape[1] > 1:
        means.append(two.mean(0) - one.mean(0))
    counts = np.array([len(own) for own in means])
    parts = np.array([own.var(ddof=1) for own in means]) / counts
    if not (total := parts.sum()) > 0:
        return Interval(change, change, before.level, _CUES)
    df = total**2 / (parts**2 / (counts - 1)).sum()
    half = special.stdtrit(df, (1 + before.level) / 2) * math.sqrt(total)
    return Interval(float(change - half), float(change + half), before.level, _CUES)
