"""Result of the sensitivity probe: d' and criterion of each group, and their differences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from biaslab.records.record import Record
from biaslab.records.result import Interval, Result
from biaslab.stats.sdt.model import Correction, Spreads
from biaslab.stats.significance import reaches

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
State = Literal["alike", "more", "less", "undecided"]
Answering = Literal["yes or no", "grades", "scores"]


@dataclass(frozen=True)
class DetectionEstimate(Record):
    """A number with its intervals.

    Attributes
    ----------
    value : float
    interval : Interval
        For other names, and wordings, like these; where none recur, for other answers.
    these : Interval
        For other answers about just these names and wordings.
    alike : Interval
        As `interval`, of level 2 `level` - 1: two one-sided tests of level 1 - `level`.
    """

    value: float
    interval: Interval
    these: Interval
    alike: Interval

    @property
    def excludes_null(self) -> bool:
        """Whether the interval excludes 0."""
        return self.interval.low > 0 or self.interval.high < 0

    def is_within(self, margin: float) -> bool:
        """Whether two one-sided tests reject a difference of the margin or more."""
        return self.alike.low > -margin and self.alike.high < margin

    def state(self, margin: float) -> State:
        """Alike within the margin; else above 0 or below it, or not known yet."""
        if self.is_within(margin):
            return "alike"
        if not self.excludes_null:
            return "undecided"
        return "more" if self.value > 0 else "less"


@dataclass(frozen=True)
class Cut(Record):
    """A cut between two categories of answers: what lies above it counts as a yes.

    Attributes
    ----------
    label : str
        Answers above it: ``invited``, ``4 or more``, ``0.5 or more``.
    hits, false_alarms : float
        Shares of the answers to signal, and to noise, above it.
    criterion : float
        Its place: of the evidence, in standard deviations of noise, 0 midway between the two.
    is_own : bool
        Whether it is the model's own criterion, of which `GroupSensitivity.criterion` is.
    """

    label: str
    hits: float
    false_alarms: float
    criterion: float
    is_own: bool


@dataclass(frozen=True)
class CueRates(Record):
    """Hits and false alarms of one name.

    Attributes
    ----------
    name : str
    n_signal, n_noise : int
    hits, false_alarms : float
        Shares; NaN without answers.
    """

    name: str
    n_signal: int
    n_noise: int
    hits: float
    false_alarms: float


@dataclass(frozen=True)
class GroupSensitivity(Record):
    """How well a group is seen, and how much it must bring.

    Attributes
    ----------
    name : str
    n_signal, n_noise : int
        Answers about those of whom the truth is yes, and no.
    n_hits, n_false_alarms : float
        Yes among either; sums of probabilities where answers are probabilities.
    hits, false_alarms : DetectionEstimate
        Rates.
    d_prime : DetectionEstimate
        Sensitivity d'; d_a where spreads are unequal.
    criterion : DetectionEstimate
        Criterion c; c_a where spreads are unequal. Above 0 it leans to no.
    area : DetectionEstimate
        Area A_z under the Gaussian ROC.
    slope : DetectionEstimate
        Of the zROC: standard deviation of noise over that of signal; 1 where spreads are equal.
    empirical_area : float
        Area under the points joined by lines: how often signal has the higher answer, ties half.
    cuts : tuple of Cut
        The strictest first.
    cues : tuple of CueRates
        Its names, where they are known.
    is_extreme : bool
        Whether all or none of its answers of a kind were a yes, so that the prior, or the
        correction, tells how far its rate is from 0 or 100 %.
    empirical_interval : Interval
        Of `empirical_area`, as if answers were independent (DeLong and others 1988); NaN with a
        single answer of a kind.
    """

    name: str
    n_signal: int
    n_noise: int
    n_hits: float
    n_false_alarms: float
    hits: DetectionEstimate
    false_alarms: DetectionEstimate
    d_prime: DetectionEstimate
    criterion: DetectionEstimate
    area: DetectionEstimate
    slope: DetectionEstimate
    empirical_area: float
    cuts: tuple[Cut, ...]
    cues: tuple[CueRates, ...]
    is_extreme: bool
    empirical_interval: Interval

    @property
    def log_bias(self) -> float:
        """Logarithm of the likelihood ratio at the criterion: ln beta = c d'."""
        return self.criterion.value * self.d_prime.value

    def roc(self, false_alarms: ArrayLike) -> Floats:
        """Return the hit rates of the Gaussian ROC at rates of false alarms."""
        slope = self.slope.value
        shift = self.d_prime.value * math.sqrt((1 + slope**2) / 2)
        return np.asarray(special.ndtr(shift + slope * special.ndtri(np.asarray(false_alarms))))


@dataclass(frozen=True)
class GroupDifference(Record):
    """A group less the reference group.

    Attributes
    ----------
    name, reference : str
    d_prime, criterion : DetectionEstimate
        Above 0 the group is seen better, and asked more.
    hits, false_alarms : DetectionEstimate
        Of the rates. Equal opportunity: the difference of hits is 0; equalised odds: both are.
    """

    name: str
    reference: str
    d_prime: DetectionEstimate
    criterion: DetectionEstimate
    hits: DetectionEstimate
    false_alarms: DetectionEstimate


@dataclass(frozen=True)
class FitCheck(Record):
    """A likelihood-ratio test of equal spreads, over all groups, as if answers were independent.

    Attributes
    ----------
    statistic : float
        NaN with a single cut, which equal spreads fit always.
    df : int
    p : float
    """

    statistic: float
    df: int
    p: float

    def rejects(self, level: float) -> bool:
        """Whether equal spreads do not describe the answers."""
        return bool(reaches(self.p, level))


@dataclass(frozen=True)
class SensitivityTrials(Record):
    """The answers behind the estimates, as columns of shape (n,).

    Attributes
    ----------
    row : ndarray of int
        Number of the trial, or of the row in the file, from 1.
    group : ndarray of int
        Place in `SensitivityResult.groups`.
    cue : ndarray of int
        Place among the group's cues; -1 where no names are known.
    wording : ndarray of int
        From 0; -1 where none are known.
    is_signal : ndarray of bool
        The truth.
    answer : ndarray of float
        The grade or score; 1 for a yes and 0 for a no, or the probability of a yes.
    yes : ndarray of float
        1 or 0 at the model's own criterion, or the probability of a yes.
    """

    row: Whole
    group: Whole
    cue: Whole
    wording: Whole
    is_signal: NDArray[np.bool_]
    answer: Floats
    yes: Floats

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True, kw_only=True)
class SensitivityResult(Result):
    """Sensitivity and criterion of each group, by signal detection theory.

    Attributes
    ----------
    subject : str
        Who answered.
    truth : str
        What is true of signal: ``6 years or more``, ``label is 1``.
    outcome : str
        What a yes does: ``invited``, ``answered 1``.
    answering : {"yes or no", "grades", "scores"}
    groups : tuple of GroupSensitivity
        The reference group first.
    differences : tuple of GroupDifference
        Of each further group from the first.
    margin_d_prime, margin_criterion : float
        Differences within plus and minus these count as alike.
    level : float
        Of the intervals.
    spreads : {"equal", "unequal"}
        Of the evidence of noise and of signal.
    correction : str
        How rates of 0 and 100 % are treated, of yes or no: see `biaslab.sensitivity`.
    unequal : FitCheck
        Of equal spreads against unequal ones.
    shares : FitCheck
        Of equal spreads against any shares of the answers.
    over : str
        What `DetectionEstimate.interval` is over: ``names``, ``observers``, ``wordings``,
        ``questions``, or ``answers``.
    set_aside : tuple of (str, int)
        Answers that are not used: the reason and their number.
    trials : SensitivityTrials
    notes : tuple of str
    """

    schema: ClassVar[str] = "sensitivity/1"

    subject: str
    truth: str
    outcome: str
    answering: Answering
    groups: tuple[GroupSensitivity, ...]
    differences: tuple[GroupDifference, ...]
    margin_d_prime: float
    margin_criterion: float
    level: float
    spreads: Spreads
    correction: Correction
    unequal: FitCheck
    shares: FitCheck
    over: str
    set_aside: tuple[tuple[str, int], ...]
    trials: SensitivityTrials
    notes: tuple[str, ...] = ()

    @property
    def too_few(self) -> tuple[str, ...]:
        """Groups with fewer than `FEWEST` answers to signal or to noise: no verdict about them."""
        return tuple(one.name for one in self.groups if min(one.n_signal, one.n_noise) < FEWEST)

    def sees(self, difference: int = 0) -> State:
        """Whether a group is seen better ("more") or worse ("less") than the first, or alike."""
        return self.differences[difference].d_prime.state(self.margin_d_prime)

    def asks(self, difference: int = 0) -> State:
        """Whether a group is asked "more" or "less" than the first, or alike."""
        return self.differences[difference].criterion.state(self.margin_criterion)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per group and per difference, with all numbers and intervals."""
        import pandas as pd

        rows: list[dict[str, object]] = [
            {"group": one.name, "reference": "", "n_signal": one.n_signal, "n_noise": one.n_noise,
             **_columns(one, (*_OF_BOTH, "area", "slope")), "log_bias": one.log_bias,
             "extreme": one.is_extreme}
            for one in self.groups
        ]  # fmt: skip
        rows += [
            {"group": one.name, "reference": one.reference, **_columns(one, _OF_BOTH),
             "alike_d_prime": one.d_prime.is_within(self.margin_d_prime),
             "alike_criterion": one.criterion.is_within(self.margin_criterion)}
            for one in self.differences
        ]  # fmt: skip
        return pd.DataFrame(rows)

    def raw_frame(self) -> pd.DataFrame:
        """Return one row per used answer: number, group, name, wording, truth, answer and yes."""
        import pandas as pd

        trials = self.trials
        names = [[one.name for one in group.cues] for group in self.groups]
        return pd.DataFrame(
            {
                "row": trials.row,
                "group": [self.groups[place].name for place in trials.group],
                "cue": [names[group][cue] if cue >= 0 else ""
                        for group, cue in zip(trials.group, trials.cue, strict=True)],
                "wording": np.where(trials.wording < 0, 0, trials.wording + 1),
                "truth": trials.is_signal,
                "answer": trials.answer,
                "yes": trials.yes,
            }
        )  # fmt: skip


FEWEST = 10
"""Answers to signal, and to noise, that a verdict about a group takes."""
_OF_BOTH = ("d_prime", "criterion", "hits", "false_alarms")


def _columns(record: Record, names: tuple[str, ...]) -> dict[str, float]:
    columns: dict[str, float] = {}
    for name in names:
        one: DetectionEstimate = getattr(record, name)
        columns |= {
            name: one.value, f"{name}_low": one.interval.low, f"{name}_high": one.interval.high,
            f"{name}_these_low": one.these.low, f"{name}_these_high": one.these.high,
        }  # fmt: skip
    return columns
