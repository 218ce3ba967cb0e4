"""``bl.sensitivity``: whether a group is favoured, or only seen less well."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast, get_args

import numpy as np

from biaslab.answers import RecordedAnswers, replay
from biaslab.arguments import check_choice, described
from biaslab.errors import QueryError, WrongSubjectError
from biaslab.jobs.showing import shows_progress
from biaslab.probes.decisions.result import DecisionsResult
from biaslab.probes.psychometrics.trials import Trials
from biaslab.probes.sensitivity.answers import (
    is_mapping,
    of_classifier,
    of_decisions,
    of_record,
    of_table,
    of_trials,
)
from biaslab.probes.sensitivity.columns import Observed
from biaslab.probes.sensitivity.estimates import fields_of
from biaslab.probes.sensitivity.result import SensitivityResult
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.stats.reproducibility import seed_number
from biaslab.stats.sdt.model import Correction, Spreads
from biaslab.stats.significance import check_level
from biaslab.subjects.classifier.base import Classifier
from biaslab.subjects.opening.needs import CLASSIFIER, opened

if TYPE_CHECKING:
    import pandas as pd

    Answers = DecisionsResult | RecordedAnswers | Trials | Mapping[str, Any] | pd.DataFrame

MARGINS: Final = (0.5, 0.25)
"""Differences of d' and of c up to these count as alike."""


@recorded
@shows_progress
def sensitivity(
    subject: Answers | Classifier | str | os.PathLike[str],
    *,
    texts: Mapping[str, Any] | pd.DataFrame | None = None,
    truth: str | None = None,
    signal: str | float | None = None,
    qualified: float | None = None,
    cut: float | None = None,
    grades: Sequence[str] = (),
    groups: Sequence[str] | None = None,
    spreads: Spreads = "equal",
    correction: Correction = "weak prior",
    margins: tuple[float, float] = MARGINS,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    progress: bool | None = None,  # noqa: ARG001  # of shows_progress
) -> SensitivityResult:
    """Tell apart whether a group is asked more, or only seen less well.

    By signal detection theory: sensitivity d' is how far apart the model's evidence of those who
    qualify and of those who do not lies, in standard deviations; the criterion c is where it
    begins to say yes. Nothing is asked again.

    Parameters
    ----------
    subject : DecisionsResult, RecordedAnswers, Trials, mapping, DataFrame, path or Classifier
        Decisions of `biaslab.decisions`; answers of `biaslab.replay`, or their file; a table with
        the columns ``group``, ``answer`` and ``truth``, and perhaps ``cue`` and ``wording``; the
        `trials` of a result of `biaslab.two_afc`, whose items are the groups; or a text classifier
        or its name, with `texts`.
    texts : mapping or DataFrame, optional
        Labelled texts for a classifier: columns ``text``, ``group`` and ``truth``. Its answer is
        the probability of the label that `signal` names, by default its last.
    truth : str, optional
        Column of the truth; by default ``truth``, ``label`` or the like, else the levels.
    signal : str or float, optional
        Its value that counts as true, where it is no yes or no.
    qualified : float, optional
        Level from which on the truth is yes; by default the middle of the case's range. Of trials
        the share of cue 2, where by default stimuli of one cue alone are compared.
    cut : float, optional
        Grade or score from which on an answer is a yes. By default grades above the middle of the
        scale, probabilities from 0.5 on, and other scores from their median on.
    grades : sequence of str
        Grades in words, in order, the least favourable first.
    groups : sequence of str, optional
        Groups to compare, the reference first; by default all.
    spreads : {"equal", "unequal"}
        Whether evidence spreads equally with and without signal. Unequal spreads take grades or
        scores; sensitivity is then d_a, and the criterion c_a.
    correction : {"weak prior", "jeffreys", "log-linear", "1/(2N)"}
        How rates of 0 and 100 %, of which d' would be infinite, are treated: by a weak prior,
        Beta(3/4, 3/4), or Jeffreys', Beta(1/2, 1/2), of each rate; by adding half an answer to
        every cell (Hautus 1995); or by replacing these rates by half an answer. Grades take the
        weak prior.
    margins : (float, float)
        Differences of d' and of c up to these count as alike.
    level : float
        Of the intervals, in (0, 1); tests are of level 1 - `level`.
    rng : int or numpy.random.Generator
        Of the draws from the posterior.

    Returns
    -------
    SensitivityResult

    Raises
    ------
    QueryError
        If there is one group only, the levels lie on one side of the threshold, a group has no
        answers of a kind, or an option does not apply.
    AnswersError
        If there is no truth, it never varies, or answers have no order.

    Notes
    -----
    With hit rate H, false-alarm rate F and z the inverse of the normal distribution function,
    d' = z(H) - z(F) and c = -(z(H) + z(F)) / 2. Equal opportunity means equal H, equalised odds
    equal H and F. Of a normal psychometric curve with point of subjective equality PSE and JND
    from 50 to 75 %, two levels x1 < x2 have d' = 0.674 (x2 - x1) / JND and
    c = 0.674 (PSE - (x1 + x2) / 2) / JND.

    References
    ----------
    Liang and Acuna (2020), section 2.2. Macmillan and Creelman (2005), "Detection Theory: A User's
    Guide", chapters 1 to 3. Hautus (1995), "Corrections for extreme proportions and their biasing
    effects on estimated values of d'", Behavior Research Methods 27.
    """
    check_level(level)
    check_choice(spreads, get_args(Spreads), "spreads")
    check_choice(correction, get_args(Correction), "correction")
    if len(limits := list(margins)) != 2 or not all(0 < one < np.inf for one in limits):
        raise QueryError(f"margins is {margins}: give two numbers above 0, of d' and of c.")
    if texts is not None:
        subject = opened(cast("Classifier | str", subject), CLASSIFIER, "sensitivity with texts")
    elif isinstance(subject, str | os.PathLike):
        subject = replay(subject)
    seed = seed_number(rng)
    parameters = {
        "truth": truth, "signal": signal, "qualified": qualified, "cut": cut, "groups": groups,
        "spreads": spreads, "correction": correction, "margins": margins, "level": level,
    }  # fmt: skip
    name = "trials" if isinstance(subject, Trials) else "table"
    if isinstance(subject, DecisionsResult):
        name = subject.subject
    if isinstance(subject, RecordedAnswers | Classifier):
        name = subject.name
    with measured(
        probe="sensitivity",
        subject=subject if isinstance(subject, RecordedAnswers | Classifier) else name,
        parameters=parameters,
        seed=seed,
    ) as run:
        observed = _observed(
            subject, texts, truth=truth, signal=signal, qualified=qualified, cut=cut, grades=grades,
            groups=groups,
        )  # fmt: skip
        _check(observed, spreads, correction)
        fields = fields_of(
            observed, spreads=spreads, correction=correction, level=level,
            rng=np.random.default_rng(seed),
        )  # fmt: skip
    return SensitivityResult(
        provenance=run.provenance, subject=name, truth=observed.truth,
        outcome=observed.outcome, answering=observed.answering, margin_d_prime=float(margins[0]),
        margin_criterion=float(margins[1]), level=level, spreads=spreads, correction=correction,
        set_aside=observed.set_aside, notes=observed.notes, **fields,
    )  # fmt: skip


def _observed(
    subject: Any, texts: Any, *, qualified: float | None, groups: Any, **options: Any
) -> Observed:
    if texts is not None:
        return of_classifier(subject, texts, qualified=qualified, groups=groups, **options)
    if isinstance(subject, DecisionsResult | Trials):
        if given := [name for name, value in options.items() if value not in (None, ())]:
            raise QueryError(
                "Of decisions and trials the truth is a level, and answers are yes or no: leave out"
                f" {given[0]}=, and choose the level with qualified=."
            )
        if isinstance(subject, Trials):
            return of_trials(subject, qualified, groups)
        return of_decisions(subject, qualified, groups)
    if isinstance(subject, RecordedAnswers):
        return of_record(subject, qualified=qualified, groups=groups, **options)
    if is_mapping(subject):
        return of_table(subject, qualified=qualified, groups=groups, **options)
    raise WrongSubjectError(
        f"sensitivity needs answers; this is {described(subject)}. Pass what bl.decisions or"
        " bl.replay returns, a table with the columns group, answer and truth, or a classifier"
        " with texts=."
    )


def _check(observed: Observed, spreads: Spreads, correction: Correction) -> None:
    """Raise if a group lacks answers of a kind, or an option does not apply."""
    for place, name in enumerate(observed.names):
        own = observed.is_signal[observed.group == place]
        if own.all() or not own.any():
            lacking = "of whom the truth is no" if len(own) and own.all() else "of whom it is yes"
            raise QueryError(
                f"{name} has no answer about anybody {lacking} ({observed.truth}). Hits and false"
                " alarms take both; leave the group out with groups=."
            )
    if observed.answering == "yes or no":
        if spreads == "unequal":
            raise QueryError(
                "Yes or no has a single cut, which does not show whether spreads are equal. Use"
                " spreads='equal', or ask for grades."
            )
    elif correction != "weak prior":
        raise QueryError(
            f"The correction {correction!r} is of yes or no; these are {observed.answering}. Leave"
            " out correction=."
        )
