"""Choices among candidates of several groups, from recorded rankings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

import numpy as np

from biaslab.answers.recorded import RecordedAnswers
from biaslab.errors import AnswersError
from biaslab.jobs.context import current_context
from biaslab.probes.opinion.cells import Cell, cells_of, clusters_of, splits_of
from biaslab.probes.opinion.result import ChoiceCell, Share, Split
from biaslab.records.result import Interval
from biaslab.stats.choices.choices import Choices, lowest_ratio, merged, p_value
from biaslab.stats.significance import holm, reaches

_BARS: Final = 40
_AGAIN: Final = 2_000
"""Most runs of a test that is only repeated."""
_FEWEST: Final = 20
"""Choices of a cell that is tested."""


def choice_fields(
    answers: RecordedAnswers,
    *,
    labels: Mapping[str, str],
    level: float,
    runs: int,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Return the fields of a `ChoicesResult`."""
    rankings = _rankings(answers, labels)
    cells, case_name = cells_of(answers)
    of = np.zeros(len(rankings.chosen), dtype=np.int64)
    found: list[ChoiceCell] = []
    over, fewest = "names", 0
    for at, (cell, some, groups) in enumerate(rankings.by_cell(cells)):
        of[cell.rows] = at
        if not some.has_names:
            over = "prompts"
        fewest = min(fewest, some.names_each) if at else some.names_each
        fair = some.fair_runs(runs, rng)
        splits = tuple(_split(some, fair, *split, level) for split in splits_of(groups))
        found.append(ChoiceCell(cell.model, cell.case, len(some), splits, some.by_place))
    return {
        "groups": rankings.shown,
        "case_name": case_name,
        "cells": _adjusted(found),
        "runs": runs,
        "over": over,
        "names_each": fewest,
        "cell": of,
        "row": np.array([n for n, done in zip(answers.numbers, answers.outcomes, strict=True)
                         if done == "answered"]),
        "place": rankings.chosen,
        "group": rankings.group[np.arange(len(of)), rankings.chosen],
    }  # fmt: skip


def changed_by_misspelt(
    answers: RecordedAnswers,
    cells: tuple[ChoiceCell, ...],
    *,
    labels: Mapping[str, str],
    level: float,
    runs: int,
    rng: np.random.Generator,
) -> int | None:
    """Return in how many cells the test comes out otherwise with misspelt names as meant.

    None where no name is misspelt.
    """
    if all(one.reason != "misspelt" for one in answers.set_aside):
        return None
    meant = answers.with_misspelt()
    differs = {(cell.model, cell.case): cell.groups.differs for cell in cells}
    # Further answers must not split the cases otherwise.
    most = len(answers) if any(case for _, case in differs) else 0
    again = [one for one in cells_of(meant, 0, most)[0] if (one.model, one.case) in differs]
    of_cells = _rankings(meant, labels).by_cell(again)
    p = [p_value(some, some.fair_runs(min(runs, _AGAIN), rng)) for _, some, _ in of_cells]
    pairs = zip(again, holm(p), strict=True)
    return sum(differs[one.model, one.case] != bool(reaches(p, level)) for one, p in pairs)


@dataclass(frozen=True, eq=False)
class _Rankings:
    """The used rankings as numbers: groups and names in the order of the prompt, and the place.

    `shown` are the groups' names, `cluster` what belongs together besides equal prompts.
    """

    shown: tuple[str, ...]
    group: np.ndarray
    names: np.ndarray
    chosen: np.ndarray
    cluster: list[Any] | None

    def by_cell(self, cells: Sequence[Cell]) -> Iterator[tuple[Cell, Choices, tuple[str, ...]]]:
        """Yield the choices of each cell, and the groups that its prompts list."""
        for at, cell in enumerate(cells):
            current_context().report(at, len(cells), f"{cell.model} {cell.case}".strip())
            rows = cell.rows
            if len(rows) < _FEWEST:
                raise AnswersError(
                    f"{cell.model} {cell.case} has {len(rows)} choices that can be used; at least"
                    f" {_FEWEST} are needed."
                )
            group, names = self.group[rows], self.names[rows]
            unit = _units(group, names, self.cluster and [self.cluster[i] for i in rows])
            present = np.flatnonzero(np.bincount(group[group >= 0]))
            if len(present) < 2:
                raise AnswersError(
                    f"{cell.model} {cell.case} lists candidates of one group only: "
                    f"{self.shown[present[0]]}. A comparison needs two."
                )
            number = np.full(present[-1] + 2, -1)  # the last one is of -1
            number[present] = np.arange(len(present))
            listed = tuple(self.shown[i] for i in present)
            yield cell, Choices(number[group], self.chosen[rows], names, unit), listed


def _rankings(answers: RecordedAnswers, labels: Mapping[str, str]) -> _Rankings:
    """Number the groups and candidates of the used rankings."""
    answers.require("group", "order")
    names = tuple(labels) if set(labels) == set(answers.groups()) else answers.groups()
    listed = answers.column("group")
    orders = answers.column("order")
    if not {tuple}.issuperset(map(type, listed)):
        raise AnswersError(
            f"The column {answers.roles['group']} of {answers.source} has one group a row. A"
            " ranking needs the group of each candidate, in the order of the prompt."
        )
    sizes, n_groups = list(map(len, orders)), list(map(len, listed))
    if sizes != n_groups:
        i = next(i for i, size in enumerate(sizes) if size != n_groups[i])
        raise AnswersError(
            f"Row {answers.numbers[i]} of {answers.source} lists {sizes[i]} candidates and"
            f" {n_groups[i]} groups: give each candidate one group."
        )
    return _Rankings(
        shown=tuple(labels.get(name, name) for name in names),
        group=_numbered(listed, {name: i for i, name in enumerate(names)}),
        names=_numbered(orders, {}),
        chosen=np.array(answers.answers, dtype=np.int64),
        cluster=clusters_of(answers, ("cluster",)),
    )


def _numbered(rows: Sequence[Sequence[Any]], known: Mapping[str, int]) -> np.ndarray:
    """Return the entries of lists as numbers, -1 behind the last: the known ones, else new ones."""
    sizes = np.fromiter(map(len, rows), int, len(rows))
    numbers = np.full((len(rows), int(sizes.max())), -1)
    different = dict.fromkeys(chain.from_iterable(rows))
    number = {one: known.get(str(one), i) for i, one in enumerate(different)}
    flat = map(number.__getitem__, chain.from_iterable(rows))
    numbers[np.arange(numbers.shape[1]) < sizes[:, None]] = np.fromiter(flat, int, sizes.sum())
    return numbers


def _units(group: np.ndarray, names: np.ndarray, cluster: list[Any] | None) -> np.ndarray:
    """Choices that belong together: of one cluster, or else of one and the same prompt."""
    if cluster is not None:
        number: dict[Any, int] = {}
        return np.array([number.setdefault(one, len(number)) for one in cluster])
    # A number for each row, in the rows' order: numpy's own sort of rows takes ten times as long.
    unit, size = np.zeros(len(group), dtype=np.int64), 1
    for column in (*group.T, *names.T):
        width = int(column.max()) + 2
        if size * width >= 2**62:
            unit = np.unique(unit, return_inverse=True)[1].ravel()
            size = len(unit)
        unit, size = unit * width + column + 1, size * width
    return np.asarray(np.unique(unit, return_inverse=True)[1].ravel())


def _split(
    choices: Choices,
    fair: np.ndarray,
    name: str,
    parts: tuple[str, ...],
    into: np.ndarray,
    level: float,
) -> Split:
    even = merged(choices.even, into)
    counts = merged(choices.counts.astype(float), into)
    kind = "names" if choices.has_names else "prompts"
    shares = []
    for at, part in enumerate(parts):
        share, low, high = choices.share(np.flatnonzero(into == at).tolist(), level)
        shares.append(
            Share(part, int(counts[at]), share, Interval(low, high, level, kind), float(even[at]))
        )
    ratios = lowest_ratio(fair, choices.listed, into)
    ends = np.nanquantile(ratios, [(1 - level) / 2, 0.5, (1 + level) / 2])
    heights, edges = np.histogram(ratios, bins=_BARS, range=(min(0.4, ratios.min()), 1))
    return Split(
        name=name,
        shares=tuple(shares),
        p=p_value(choices, fair, into),
        p_adjusted=np.nan,
        ratio=float(lowest_ratio(choices.counts, choices.listed, into)),
        fair_ratio=Interval(float(ends[0]), float(ends[2]), level, "ranker that ignores groups"),
        fair_median=float(ends[1]),
        below=float((ratios < 0.8).mean()),
        edges=edges,
        heights=heights / len(ratios),
    )


def _adjusted(cells: list[ChoiceCell]) -> tuple[ChoiceCell, ...]:
    """Adjust the p-values of each split for all cells."""
    adjusted: dict[tuple[int, str], float] = {}
    for name in {split.name for cell in cells for split in cell.splits}:
        of = [(i, s.p) for i, cell in enumerate(cells) for s in cell.splits if s.name == name]
        for (i, _), p in zip(of, holm([p for _, p in of]), strict=True):
            adjusted[i, name] = float(p)
    return tuple(
        replace(cell, splits=tuple(replace(s, p_adjusted=adjusted[i, s.name]) for s in cell.splits))
        for i, cell in enumerate(cells)
    )
