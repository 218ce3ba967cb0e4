"""Options of a two-alternative task: the curve, its cue pairs, scoring, placement of trials."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar, Final, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from biaslab.arguments import check_choice, described
from biaslab.errors import ArgumentError
from biaslab.probes.psychometrics.curves import PairsAs
from biaslab.records.record import Record
from biaslab.stats.curves.jnd import Convention
from biaslab.stats.curves.replicates import Family
from biaslab.store import Store

Student = Literal["t3", "t4", "t5", "t7", "t10"]
"""Student's t with its degrees of freedom, for answers that are probabilities or trials."""
Shape = Family | Literal["auto", "empirical"] | Student
"""A family of curves, or the distribution of the switch points as it is.

``auto`` is normal unless the switch points are not.
"""
Scoring = Literal["eq8", "mixture"]
"""How word vectors compare a blend with the cues: by eq. 8 of Liang and Acuna, or as blended."""
STUDENT: tuple[str, ...] = get_args(Student)
SHAPES: tuple[str, ...] = ("auto", *get_args(Family), "empirical", *STUDENT)


def family_of(curve: Shape) -> Family:
    """Return the family of fitted curves: answers that are probabilities have no other."""
    return cast("Family", "normal" if curve in ("auto", "empirical") else curve)


Lapses = Literal["free", "equal", "none"]
"""Both fitted, fitted as one, or 0, as in Liang and Acuna (2020).

A fitted rate lies in [0, 0.45], with a flat prior there.
"""

_FIT_OPTIONS: Final[dict[Lapses, dict[str, Any]]] = {
    "free": {"guess": "free", "lapse": "free"},
    "equal": {"guess": "free", "lapse": "equal"},
    "none": {},
}
LAPSES: Final[tuple[str, ...]] = get_args(Lapses)
FEWEST_LEVELS: Final = 6
"""Rates are fitted from so many stimuli on; fewer cannot tell an asymptote from a flat curve."""


def fit_options(rates: Lapses, levels: int) -> dict[str, Any]:
    """Return options of `biaslab.stats.psychometric.fit` for a curve over so many stimuli."""
    return _FIT_OPTIONS[rates if levels >= FEWEST_LEVELS else "none"]


@dataclass(frozen=True)
class Fit(Record):
    """How answers are read: the curve that is fitted to them, and its numbers.

    Attributes
    ----------
    family : str
        Shape of the psychometric curve.
    lapses : str
        Guess and lapse rates, the curve's asymptotes, where answers are probabilities or shares.
    jnd : str
    pairs_as : str
    """

    family: Shape = "normal"
    lapses: Lapses = "free"
    jnd: Convention = "quartile"
    pairs_as: PairsAs = "resampled"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.family, SHAPES, "family")
        check_choice(self.lapses, LAPSES, "lapses")

    @property
    def is_empirical(self) -> bool:
        """Whether the curve is the distribution of the switch points, without any parameter."""
        return self.family == "empirical"

    @property
    def without_points(self) -> Fit:
        """The same for answers that have no switch points to choose the curve by."""
        return replace(self, family="normal") if self.family == "auto" else self


DEFAULT_FIT: Final = Fit()


@dataclass(frozen=True)
class CuePairs:
    """Cue pairs, and how they count when their curves are pooled.

    Attributes
    ----------
    pairs : sequence of (str, str), Spec, name of one, or None
        As `cues` of `biaslab.two_afc`; None for the default of the subject.
    pairs_as : str
        Whether they are ``resampled`` (a sample of such pairs: wider intervals, default) or
        ``fixed`` (the complete set).
    prior : array_like, shape (K,), optional
        Prior probability of each pair (eq. 4 of Liang and Acuna 2020); default equal.
    """

    pairs: Any = None
    pairs_as: PairsAs = "resampled"
    prior: Any = None

    def __post_init__(self) -> None:
        check_choice(self.pairs_as, get_args(PairsAs), "pairs_as")

    def weights(self, count: int) -> NDArray[np.float64]:
        """Return the prior of so many pairs; it sums to 1.

        Raises
        ------
        ValueError
            When it does not fit.
        """
        if self.prior is None:
            return np.full(count, 1 / count)
        prior = np.asarray(self.prior, dtype=float)
        if prior.shape != (count,) or not (np.isfinite(prior).all() and (prior > 0).all()):
            raise ValueError(f"prior needs one positive number for each of the {count} cue pairs.")
        return np.asarray(prior / prior.sum())


Orders = Literal["both", "given"]
"""Cues offered in both orders, half of the trials each, or only as given."""
Width = float | tuple[float, float]
MOST_TRIALS: Final = 400
"""Budget of a curve where only a width was wanted."""


@dataclass(frozen=True)
class Repeated:
    """Every question is put several times to a function that answers trial by trial.

    Attributes
    ----------
    times : int
    orders : str
        ``both`` (default): every other time the cues are swapped, as in
        ``respond(item, cue_2, cue_1, 1 - alpha, observer)``, and the answer is turned round.
        ``given``: never.
    """

    levels: ClassVar[int] = 21

    times: int
    orders: Orders = "both"

    def __post_init__(self) -> None:
        check_choice(self.orders, get_args(Orders), "orders")
        if self.times < 1:
            raise ValueError(
                f"trials is {self.times}; put each question at least once, such as 20 times."
            )

    @property
    def parameters(self) -> dict[str, Any]:
        """Settings that a result notes."""
        return {"trials": self.times, "orders": self.orders}


@dataclass(frozen=True)
class Adaptive:
    """Trials are placed where the answer is expected to say most about PSE and JND (psi-marginal).

    Each item, cue pair and observer is a curve with its own stimuli; of each two of its trials, one
    has each order, in random order.

    Attributes
    ----------
    trials : int, optional
        Of each curve at most; default 400 where a width is wanted. "Cannot say" counts as a trial.
    width : float or (float, float), optional
        Wanted width of the interval of each curve's PSE, in units of alpha, or of its PSE and its
        JND. A curve is asked until it is reached.
    orders : str
        ``both`` (default) or ``given``, as of `Repeated`.
    batch : int
        How many trials of a curve are chosen at a time, for a subject that answers many questions
        at once. They are chosen as a set: more take more trials in all.
    store : Store, optional
        Of the trials; by default the user's own. After a break, answers that are there are not
        asked again.
    keep : bool or str
        Whether trials are stored, under the ``identity`` or ``content_hash`` of the function; one
        that has neither is not stored unless it is named here: ``keep="some-chat 2026-11"``.
        Change the name when the subject changes, or to repeat a run.

    Raises
    ------
    ArgumentError
        If a width is no number.
    ValueError
        If a setting is out of range, or it could never stop.
    """

    levels: ClassVar[int] = 101

    trials: int | None = None
    width: Width | None = None
    orders: Orders = "both"
    batch: int = 1
    store: Store | None = None
    keep: bool | str = True

    def __post_init__(self) -> None:
        check_choice(self.orders, get_args(Orders), "orders")
        if self.trials is None and self.width is None:
            raise ValueError(
                "Adaptive placement does not know when to stop: give a number of trials for each"
                " curve, Adaptive(100), or the wanted width of the PSE's interval,"
                " Adaptive(width=0.1)."
            )
        if self.trials is not None and self.trials < 1:
            raise ValueError(f"trials is {self.trials}; allow at least 1 for each curve.")
        if self.batch < 1:
            raise ValueError(f"batch is {self.batch}; choose at least 1 trial at a time.")
        widths: Any = self.widths
        if len(widths) != 2 or not all(w is None or isinstance(w, Real) for w in widths):
            raise ArgumentError(
                f"width is {described(self.width)}. Pass the width of the PSE's interval, 0.1, or"
                " those of PSE and JND, (0.1, 0.05)."
            )
        if any(w is not None and not w > 0 for w in widths):
            raise ValueError(f"width is {self.width}; give widths above 0, in units of alpha.")

    @property
    def parameters(self) -> dict[str, Any]:
        """Settings that a result notes."""
        return {
            "trials": self.trials, "orders": self.orders, "method": "adaptive",
            "width": self.width, "batch": self.batch,
        }  # fmt: skip

    @property
    def budget(self) -> int:
        """Trials of a curve at most."""
        return MOST_TRIALS if self.trials is None else self.trials

    @property
    def widths(self) -> tuple[float | None, float | None]:
        """Widths wanted of the intervals of PSE and JND."""
        return self.width if isinstance(self.width, tuple) else (self.width, None)
