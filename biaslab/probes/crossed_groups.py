"""Crossed groups, such as gender by origin: factors, main effects and interactions of a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from biaslab.arguments import instance, lists_by_name
from biaslab.errors import ArgumentError, QueryError
from biaslab.records.record import Record
from biaslab.records.wording import would_show
from biaslab.stats.crossed.effects import contrasts_by_unit, crossed_contrasts, effect_estimate
from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.significance import smallest_effect

if TYPE_CHECKING:
    import pandas as pd


Factors: TypeAlias = Mapping[str, Mapping[str, Sequence[str]]]
"""For each factor its levels, and the terms of each level."""
Levels: TypeAlias = Mapping[str, Mapping[str, frozenset[str]]]
_EXAMPLE: Final = (
    "{'gender': {'female': ['Anna', 'Elif'], 'male': ['Jonas', 'Emre']},"
    " 'origin': {'German': ['Anna', 'Jonas'], 'Turkish': ['Elif', 'Emre']}}"
)


def checked_levels(factors: Factors) -> dict[str, dict[str, frozenset[str]]]:
    """Return the levels of each factor with their terms.

    Raises `ArgumentError` when there are fewer than two factors, or a factor has fewer than two
    levels.
    """
    if len(instance(factors, (Mapping,), "factors", f"Pass {_EXAMPLE}.")) < 2:
        raise ArgumentError(f"factors needs two factors or more, such as {_EXAMPLE}.")
    by_factor = {}
    for name, levels in factors.items():
        lists = lists_by_name(levels, f"factors[{name!r}]")
        if len(lists) < 2:
            raise ArgumentError(f"The factor {name!r} needs two levels or more, as in {_EXAMPLE}.")
        by_factor[str(name)] = {level: frozenset(terms) for level, terms in lists.items()}
    return by_factor


def cell_of_term(term: str, levels: Levels, cells: Sequence[tuple[str, ...]]) -> int:
    """Return the number of the cell that a term belongs to.

    Raises `QueryError` when it has no level of a factor, or several.
    """
    cell = []
    for factor, lists in levels.items():
        matching = [level for level, terms in lists.items() if term in terms]
        if len(matching) != 1:
            often = "no level" if not matching else "several levels"
            raise QueryError(
                f"{term!r} has {often} of {factor!r}. Give it one: it is among the terms of"
                " exactly one level of each factor."
            )
        cell.append(matching[0])
    return cells.index(tuple(cell))


def contrast_names(
    about: Sequence[int], names: Sequence[str], levels: Levels, rows: int
) -> list[str]:
    """Name the contrasts about some factors."""
    parts = []
    for i in about:
        held = list(levels[names[i]])
        parts.append(
            [f"{held[0]} − {held[1]}"] if len(held) == 2 else [f"{one} − mean" for one in held]
        )
    title = " × ".join(names[i] for i in about)
    if len(parts) == 1:
        made = [f"{title}: {one}" for one in parts[0]]
    else:
        made = [f"{title}: ({one}) × ({other})" for one, other in product(*parts)]
    assert len(made) == rows  # noqa: S101  # one name for each contrast
    return made


@dataclass(frozen=True)
class CrossedEffect(Record):
    """One effect, over all items and for each.

    Attributes
    ----------
    name : str
        Such as ``"gender: female − male"``.
    factors : tuple of str
        One factor for a main effect, two for an interaction.
    estimate, low, high : float
        Over items, with the interval over other items and observers.
    sd, sd_low, sd_high : float
        How much items differ: SD of their population, median and interval.
    item_estimates : ndarray, shape (n,)
        Each item's effect, drawn toward that of all.
    item_intervals : ndarray, shape (n, 2)
    """

    name: str
    factors: tuple[str, ...]
    estimate: float
    low: float
    high: float
    sd: float
    sd_low: float
    sd_high: float
    item_estimates: Floats
    item_intervals: Floats

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval over items excludes 0."""
        return not self.low <= 0 <= self.high


@dataclass(frozen=True)
class CrossedGroups(Record):
    """Main effects and interactions of crossed groups.

    Attributes
    ----------
    effects : tuple of CrossedEffect
        Main effects first.
    items : tuple of str
    unit : str
        Of all effects.
    level : float
        Of all intervals.
    observers : str
        Name of the observers, in the plural.
    units : int
        Items by observers in which every effect could be estimated.
    incomplete : int
        Items by observers left out since the differences in them do not determine every effect.
    """

    effects: tuple[CrossedEffect, ...]
    items: tuple[str, ...]
    unit: str
    level: float
    observers: str
    units: int
    incomplete: int = 0

    def effect(self, *factors: str) -> CrossedEffect:
        """Return the first effect of one factor, or of the interaction of two.

        Raises `QueryError` when there is none.
        """
        for effect in self.effects:
            if set(effect.factors) == set(factors):
                return effect
        known = "; ".join(effect.name for effect in self.effects)
        raise QueryError(f"There is no effect of {' × '.join(factors)}. There are: {known}.")

    def __repr__(self) -> str:
        effects = ", ".join(f"{e.name} {e.estimate:+.3g}" for e in self.effects)
        return f"<CrossedGroups: {effects} {self.unit}>"

    def summary(self) -> str:
        """Return each effect with its interval, a line each."""
        kind = f"{100 * self.level:g} % interval over other items and {self.observers}"
        lines = [
            f"{e.name}: {e.estimate:+.3g} {self.unit} ({e.low:+.3g} to {e.high:+.3g}); SD between"
            f" items {e.sd:.2g}"
            + ("" if e.excludes_zero else f"; no clear effect{self._smallest(e)}")
            for e in self.effects
        ]
        left = f" {self.incomplete} incomplete ones are left out." if self.incomplete else ""
        return "\n".join([*lines, f"{kind}; {self.units} items by {self.observers}.{left}"])

    def _smallest(self, effect: CrossedEffect) -> str:
        smallest = float(smallest_effect(effect.low, effect.high, self.level))
        return would_show(smallest, "")

    def to_frame(self) -> pd.DataFrame:
        """Return one row per effect: name, estimate, low, high, sd, sd_low, sd_high, unit."""
        import pandas as pd

        columns = ("name", "estimate", "low", "high", "sd", "sd_low", "sd_high")
        rows = [{name: getattr(effect, name) for name in columns} for effect in self.effects]
        return pd.DataFrame(rows).assign(unit=self.unit)

    def items_frame(self) -> pd.DataFrame:
        """Return one row per effect and item: name, item, estimate, low, high."""
        import pandas as pd

        return pd.DataFrame(
            {
                "name": effect.name,
                "item": item,
                "estimate": float(effect.item_estimates[i]),
                "low": float(effect.item_intervals[i, 0]),
                "high": float(effect.item_intervals[i, 1]),
            }
            for effect in self.effects
            for i, item in enumerate(self.items)
        )


def crossed_groups(
    values: Floats,
    terms: Sequence[tuple[str, str]],
    item: NDArray[np.int64],
    observer: NDArray[np.int64],
    items: Sequence[str],
    factors: Factors,
    *,
    unit: str,
    observers: str,
    level: float,
    signs: Mapping[str, float] | None = None,
) -> CrossedGroups:
    """Estimate main effects and interactions from differences between two terms.

    - `values`, ndarray, shape (J,): how much an answer favours the first term over the second; NaN
      is left out.
    - `item`, `observer`: ndarray of int, shape (J,).
    - `items`: names of the items.
    - `factors`: for each factor its levels with their terms. Every term has one level of each
      factor.
    - `unit`, `observers`: for people.
    - `level`: of the intervals, in (0, 1).
    - `signs`: factor of each item's effects, such as -1 for items with a male stereotype; items
      that are not named are left out.
    - Raises `QueryError` when a term has no level or several, or the pairs of terms do not connect
      all groups; `ValueError` with too few items or observers.
    """
    levels = checked_levels(factors)
    names, sizes = list(levels), [len(each) for each in levels.values()]
    cells = list(product(*levels.values()))
    cell_of = {
        term: cell_of_term(term, levels, cells)
        for term in dict.fromkeys(t for pair in terms for t in pair)
    }
    design = np.zeros((len(terms), len(cells)))
    for j, (first, second) in enumerate(terms):
        design[j, cell_of[first]] += 1
        design[j, cell_of[second]] -= 1
    values, items, item, kept = _signed(values, items, item, signs)
    parts = crossed_contrasts(sizes)
    estimates, of_item, of_observer = contrasts_by_unit(
        values[kept], design[kept], item[kept], observer[kept],
        np.vstack([rows for _, rows in parts]),
    )  # fmt: skip
    complete = np.isfinite(estimates).all(axis=1)
    if not complete.any():
        raise QueryError(
            f"No item and one of the {observers} has pairs that connect all groups, so the effects"
            " are not determined. Ask about pairs across every factor, such as each female name"
            " with a male name of each origin."
        )
    effects = []
    labels = [
        (factor, name)
        for factor, rows in parts
        for name in contrast_names(factor, names, levels, len(rows))
    ]
    for e, (factor, name) in enumerate(labels):
        one = effect_estimate(
            estimates[complete, e], of_item[complete], of_observer[complete], len(items), level
        )
        effects.append(
            CrossedEffect(
                name, tuple(names[i] for i in factor), one.mean, one.low, one.high, one.sd,
                one.sd_low, one.sd_high, one.items, one.item_intervals,
            )
        )  # fmt: skip
    return CrossedGroups(
        tuple(effects), tuple(items), unit, level, observers, int(complete.sum()),
        int((~complete).sum()),
    )  # fmt: skip


def _signed(
    values: Floats, items: Sequence[str], item: NDArray[np.int64], signs: Mapping[str, float] | None
) -> tuple[Floats, list[str], NDArray[np.int64], NDArray[np.bool_]]:
    """Return values times their item's sign, the items that have one, and which values count."""
    if signs is None:
        return values, list(items), item, np.ones(len(values), dtype=bool)
    left = [name for name in items if name in signs]
    number = {name: i for i, name in enumerate(left)}
    new = np.array([number.get(name, -1) for name in items], dtype=np.int64)[item]
    sign = np.array([float(signs.get(name, 0)) for name in items])[item]
    return values * sign, left, new, new >= 0


def mean_leans(answers: Floats, stimuli: Floats) -> Floats:
    """Return how often answers are cue 1 over all stimuli, less 50 %, in points.

    - `answers`, ndarray, shape (..., L): P(cue 2).
    - `stimuli`, ndarray, shape (L,): from 0 to 1.
    """
    mean = ((answers[..., 1:] + answers[..., :-1]) / 2 * np.diff(stimuli)).sum(axis=-1)
    return np.asarray(100 * (0.5 - mean))


def crossed_cues(
    answers: Floats,
    stimuli: Floats,
    items: Sequence[str],
    pairs: Sequence[tuple[str, str]],
    factors: Factors,
    signs: Mapping[str, float] | None,
    *,
    observers: str,
    level: float,
) -> CrossedGroups:
    """Estimate effects of crossed groups: see `TwoAFCResult.crossed_groups`.

    - `answers`, ndarray, shape (B, n, K, L): P(cue 2) of B observers about n items and K pairs.
    - `stimuli`: ndarray, shape (L,).
    - `items`, `pairs`: the n items and K pairs.
    - `factors`, `signs`: as of that method.
    - `observers`: name of the observers, in the plural.
    - `level`: of the intervals.
    """
    if observers == "replicates":
        raise QueryError(
            "Replicates of an embedding are other corpora, not other ways of asking, so their mean"
            " has no interval of this kind. Use a language model with frames."
        )
    leans = mean_leans(answers, stimuli)
    b, n, k = np.indices(leans.shape)
    return crossed_groups(
        leans.ravel(),
        [pairs[pair] for pair in k.ravel().tolist()],
        n.ravel(),
        b.ravel(),
        items,
        factors,
        unit="points",
        observers=observers,
        level=level,
        signs=signs,
    )
