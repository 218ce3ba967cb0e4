"""Choices among candidates of several groups, from recorded rankings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final

import numpy as np

from biaslab.answers.recorded import RecordedAnswers
from biaslab.errors import AnswersError
from biaslab.jobs.context import current_context
from biaslab.probes.opinion.cells import cells_of, clusters_of, splits_of
from biaslab.probes.opinion.result import ChoiceCell, Share, Split
from biaslab.records.result import Interval
from biaslab.stats.choices.choices import Choices, lowest_ratio, merged, p_value
from biaslab.stats.significance import holm

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
    answers.require("group", "order")
    names = tuple(labels) if set(labels) == set(answers.groups()) else answers.groups()
    listed = answers.column("group")
    orders = answers.column("order")
    if not all(isinstance(one, tuple) for one in listed):
        raise AnswersError(
            f"The column {answers.roles['group']} of {answers.source} has one group a row. A"
            " ranking needs the group of each candidate, in the order of the prompt."
        )
    for i, (some, order) in enumerate(zip(listed, orders, strict=True)):
        if len(some) != len(order):
            raise AnswersError(
                f"Row {answers.numbers[i]} of {answers.source} lists {len(order)} candidates and"
                f" {len(some)} groups: give each candidate one group."
            )
    group = _numbered(listed, {name: i for i, name in enumerate(names)})
    candidates = _numbered(orders, {})
    chosen = np.array(answers.answers, dtype=np.int64)
    cells, case_name = cells_of(answers)
    cluster = clusters_of(answers, ("cluster",))
    shown = tuple(labels.get(name, name) for name in names)
    of = np.zeros(len(chosen), dtype=np.int64)
    found: list[ChoiceCell] = []
    over, fewest = "names", 0
    for at, cell in enumerate(cells):
        current_context().report(at, len(cells), f"{cell.model} {cell.case}".strip())
        rows = cell.rows
        if len(rows) < _FEWEST:
            raise AnswersError(
                f"{cell.model} {cell.case} has {len(rows)} choices that can be used; at least"
                f" {_FEWEST} are needed."
            )
        of[rows] = at
        unit = _units(group[rows], candidates[rows], cluster and [cluster[i] for i in rows])
        present, own = np.unique(group[rows], return_inverse=True)
        own = own.reshape(group[rows].shape) - int(present[0] < 0)
        present = present[present >= 0]
        if len(present) < 2:
            raise AnswersError(
                f"{cell.model} {cell.case} lists candidates of one group only: "
                f"{shown[present[0]]}. A comparison needs two."
            )
        some = Choices(own, chosen[rows], candidates[rows], unit)
        if not some.has_names:
            over = "prompts"
        fewest = min(fewest, some.names_each) if at else some.names_each
        own_names = tuple(shown[i] for i in present)
        fair = some.fair_runs(runs, rng)
        splits = tuple(_split(some, fair, *split, level) for split in splits_of(own_names))
        found.append(ChoiceCell(cell.model, cell.case, len(some), splits, some.by_place))
    return {
        "groups": shown,
        "case_name": case_name,
        "cells": _adjusted(found),
        "runs": runs,
        "over": over,
        "names_each": fewest,
        "cell": of,
        "row": np.array([n for n, done in zip(answers.numbers, answers.outcomes, strict=True)
                         if done == "answered"]),
        "place": chosen,
        "group": group[np.arange(len(chosen)), chosen],
    }  # fmt: skip


def changed_by_misspelt(
    answers: RecordedAnswers, cells: tuple[ChoiceCell, ...], runs: int, **options: Any
) -> int | None:
    """Return in how many cells the test comes out otherwise with misspelt names as meant.

    None where no name is misspelt.
    """
    if all(one.reason != "misspelt" for one in answers.set_aside):
        return None
    again = choice_fields(answers.with_misspelt(), runs=min(runs, _AGAIN), **options)["cells"]
    differs = {(cell.model, cell.case): cell.groups.differs for cell in again}
    return len([cell for cell in cells if cell.groups.differs != differs[cell.model, cell.case]])


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
    prompts = np.concatenate([group, names], axis=1)
    return np.asarray(np.unique(prompts, axis=0, return_inverse=True)[1].ravel())


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
