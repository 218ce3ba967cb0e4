"""Options of a two-alternative task: shapes and rates of curves, scoring, placement of stimuli."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Final, Literal, cast, get_args

import numpy as np

from biaslab.arguments import check_choice, described
from biaslab.errors import ArgumentError
from biaslab.probes.psychometrics.curves import PairsAs
from biaslab.records.record import Record
from biaslab.stats.curves.jnd import Convention
from biaslab.stats.curves.replicates import Family
from biaslab.stats.reproducibility import seed_number
from biaslab.store import Store

Student = Literal["t3", "t4", "t5", "t7", "t10"]
"""Student's t with its degrees of freedom, for answers that are probabilities or trials."""
Shape = Family | Literal["empirical"] | Student
"""A family of curves, or the distribution of the switch points as it is."""
Scoring = Literal["eq8", "mixture"]
"""How word vectors compare a blend with the cues: by eq. 8 of Liang and Acuna, or as blended."""
STUDENT: tuple[str, ...] = get_args(Student)
SHAPES: tuple[str, ...] = (*get_args(Family), "empirical", *STUDENT)


def family_of(curve: Shape) -> Family:
    """Return the family for answers that are probabilities, which have no switch points."""
    return cast("Family", "normal" if curve == "empirical" else curve)


Rates = Literal["free", "equal", "none"]
"""Both fitted, fitted as one, or 0, as in Liang and Acuna (2020).

A fitted rate lies in [0, 0.45], with a flat prior there.
"""

_FIT_OPTIONS: Final[dict[Rates, dict[str, Any]]] = {
    "free": {"guess": "free", "lapse": "free"},
    "equal": {"guess": "free", "lapse": "equal"},
    "none": {},
}
RATES: Final[tuple[str, ...]] = get_args(Rates)
FEWEST_LEVELS: Final = 6
"""Rates are fitted from so many stimuli on; fewer cannot tell an asymptote from a flat curve."""


def fit_options(rates: Rates, levels: int) -> dict[str, Any]:
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
    lapses: Rates = "free"
    jnd: Convention = "quartile"
    pairs_as: PairsAs = "resampled"

    @property
    def is_empirical(self) -> bool:
        """Whether the curve is the distribution of the switch points, without any parameter."""
        return self.family == "empirical"


Method = Literal["fixed", "adaptive"]
"""Every stimulus as often as any other, or those where an answer says most."""
METHODS: Final[tuple[str, ...]] = get_args(Method)
Width = float | tuple[float, float]
MOST_TRIALS: Final = 400
"""Budget of a curve where only a width was wanted."""
FIXED_LEVELS: Final = 21
ADAPTIVE_LEVELS: Final = 101


@dataclass(frozen=True)
class Placing:
    """How levels are placed, and where trials are kept.

    Attributes
    ----------
    budget : int
        Trials of a curve at most.
    width, jnd_width : float or None
        Widths wanted of the intervals of PSE and JND.
    batch : int
        Trials of a curve that are chosen together.
    seed : int
        Of the order in which cues are offered.
    jnd : str
        Convention of the JND.
    level : float
        Of the intervals.
    store : Store or None
        Where trials are kept; None keeps none.
    name : str
        Name of the subject in the store; empty: that of the subject itself, where it has one.
    """

    budget: int
    width: float | None
    jnd_width: float | None
    batch: int
    seed: int
    jnd: Convention
    level: float
    store: Store | None
    name: str


def placing_of(
    method: Method,
    trials: int | None,
    width: Width | None,
    batch: int,
    rng: int | np.random.Generator,
    jnd: Convention,
    level: float,
    store: Store | None,
    keep: bool | str,
) -> Placing | None:
    """Return the settings of ``method="adaptive"``, or None of ``"fixed"``.

    Raises
    ------
    ArgumentError
        If a width is no number.
    ValueError
        If a setting is out of range, or does not apply.
    """
    check_choice(method, METHODS, "method")
    if method == "fixed":
        if width is not None or batch != 1:
            raise ValueError(
                "width and batch belong to adaptive placement: add method='adaptive', or leave"
                " them out."
            )
        return None
    if trials is None and width is None:
        raise ValueError(
            "Adaptive placement does not know when to stop: give a number of trials for each"
            " curve, trials=100, or the wanted width of the PSE's interval, width=0.1."
        )
    if trials is not None and trials < 1:
        raise ValueError(f"trials is {trials}; allow at least 1 for each curve, such as 100.")
    if batch < 1:
        raise ValueError(f"batch is {batch}; choose at least 1 trial at a time.")
    widths: Sequence[object] = width if isinstance(width, tuple) else (width, None)
    if len(widths) != 2 or not all(w is None or isinstance(w, Real) for w in widths):
        raise ArgumentError(
            f"width is {described(width)}. Pass the width of the PSE's interval, 0.1, or those of"
            " PSE and JND, (0.1, 0.05)."
        )
    of_pse, of_jnd = (None if w is None else float(w) for w in widths)  # type: ignore[arg-type]
    if any(w is not None and not w > 0 for w in (of_pse, of_jnd)):
        raise ValueError(f"width is {width}; give widths above 0, in units of alpha.")
    return Placing(
        budget=MOST_TRIALS if trials is None else trials,
        width=of_pse,
        jnd_width=of_jnd,
        batch=batch,
        seed=seed_number(rng),
        jnd=jnd,
        level=level,
        store=None if keep is False else store or Store(),
        name=keep if isinstance(keep, str) else "",
    )
