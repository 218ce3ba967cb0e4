"""Yes or no, ratings and scores by group, from recorded answers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from biaslab.answers.recorded import RecordedAnswers
from biaslab.errors import AnswersError
from biaslab.probes.opinion.cells import Cell, cells_of, clusters_of
from biaslab.probes.opinion.result import Difference, GroupMean, RateCell
from biaslab.records.result import Interval
from biaslab.records.wording import counted
from biaslab.stats.choices.differences import difference_of_means, separated_p, two_sided_p
from biaslab.stats.clustered_mean import ClusteredMean, clustered_mean
from biaslab.stats.significance import holm

MARGIN: Final = 0.05
"""Five points of a rate, or this share of a scale's range: smaller differences count as alike."""
_WIDEST: Final = 2.0
"""Ratios whose interval's ends differ by more than this factor are not printed."""


def rate_fields(
    answers: RecordedAnswers,
    *,
    labels: Mapping[str, str],
    level: float,
    margin: float | None,
    reference: str | None,
) -> dict[str, Any]:
    """Return the fields of a `RatesResult`."""
    names = answers.groups()
    shown = {name: labels.get(name, name) for name in names}
    raw = answers.column("group")
    if any(isinstance(one, tuple) for one in raw):
        raise AnswersError(
            f"Each row of {answers.source} lists several groups, but its answers are no ranking."
            " Name the column of the ranked names with answer=."
        )
    group = np.array([shown[str(one)] for one in raw])
    values = np.array(answers.answers, dtype=float)
    are_rates = answers.kind == "yes or no"
    least, most = float(values.min()), float(values.max())
    if least == most:
        lost = [one.reason for aside in answers.set_aside for one in aside.examples]
        n = len(answers) - len(values)
        why = f"{n:,} others are set aside, the first because: {lost[0]} " if lost else ""
        raise AnswersError(
            f"All {len(values):,} answers in {answers.source} are read as {least:g}: there is"
            f" nothing to compare. {why}Name another column with answer=."
        )
    first = next(iter(shown.values())) if reference is None else labels.get(reference, reference)
    if first not in shown.values():
        raise AnswersError(
            f"There is no group {first!r} to compare with; choose one of"
            f" {', '.join(shown.values())}."
        )
    cells, case_name = cells_of(answers)
    roles = ("cluster", "item") if case_name else ("cluster", "item", "case")
    cluster = clusters_of(answers, roles)
    over = next((r for r in roles if r in answers.roles), "") if cluster else ""
    item = clusters_of(answers, ("item",)) if over == "cluster" else None
    of = np.zeros(len(values), dtype=np.int64)
    found = []
    for at, cell in enumerate(cells):
        of[cell.rows] = at
        own = None if cluster is None else _numbers([cluster[i] for i in cell.rows])
        crossed = [] if item is None else [_numbers([item[i] for i in cell.rows])]
        found.append(
            _cell(cell, values[cell.rows], group[cell.rows], own, crossed, first, level, are_rates)
        )
    if not any(cell.differences for cell in found):
        raise AnswersError(
            f"No two groups in {answers.source} have answers that can be used and compared. The"
            " answers that are set aside say why; name another column with group= or answer=."
        )
    if all(math.isnan(one.p) for cell in found for one in cell.differences):
        fewest = min((one for cell in found for one in cell.groups), key=lambda one: one.n)
        raise AnswersError(
            f"{answers.source} has {counted(fewest.n, 'answer')} about {fewest.name}: too few to"
            " compare. Collect at least two for each group, better 20."
        )
    return {
        "case_name": case_name,
        "are_rates": are_rates,
        "margin": (MARGIN * (1 if are_rates else most - least)) if margin is None else margin,
        "over": answers.roles[over] if over else "answers",
        "cells": _adjusted(found),
        "cell": of,
        "row": np.array([n for n, done in zip(answers.numbers, answers.outcomes, strict=True)
                         if done == "answered"]),
        "group": tuple(group.tolist()),
        "value": values,
    }  # fmt: skip


def _numbers(values: list[Any]) -> np.ndarray:
    number: dict[Any, int] = {}
    return np.array([number.setdefault(one, len(number)) for one in values])


def _cell(
    cell: Cell,
    values: np.ndarray,
    group: np.ndarray,
    cluster: np.ndarray | None,
    crossed: list[np.ndarray],
    reference: str,
    level: float,
    are_rates: bool,
) -> RateCell:
    means, differences, of_group = [], [], []
    own = np.arange(len(values)) if cluster is None else cluster
    present = list(dict.fromkeys(group.tolist()))
    order = [reference, *(one for one in present if one != reference)]
    if reference not in present:
        raise AnswersError(
            f"{cell.model} {cell.case} has no answer about {reference}. Name a group that all have"
            f" with reference=, such as {present[0]}."
        )
    for name in order:
        inside = group == name
        mean = clustered_mean(
            values[inside], own[inside], weighting="items",
            crossed=[one[inside] for one in crossed], share=are_rates,
        )  # fmt: skip
        low, high = (mean.share_limits if are_rates else mean.limits)(level)
        means.append(
            GroupMean(name, int(inside.sum()), mean.estimate, Interval(low, high, level, "answers"))
        )
        of_group.append(mean)
        if name == reference:
            continue
        both = inside | (group == reference)
        parts = (values[both], inside[both], own[both], [one[both] for one in crossed])
        differences.append(
            _difference(name, reference, parts, (of_group[0], mean), level, are_rates)
        )
    return RateCell(cell.model, cell.case, len(values), tuple(means), tuple(differences))


def _difference(
    name: str,
    reference: str,
    parts: tuple[Any, ...],
    groups: tuple[ClusteredMean, ClusteredMean],
    level: float,
    are_rates: bool,
) -> Difference:
    mean = difference_of_means(*parts)
    p, limits = two_sided_p(mean), mean.limits
    if mean.variance == 0:
        # Each group is always answered alike: Student's t has no variance to go by.
        p = separated_p(*parts[1:3]) if mean.estimate else 1.0
        if are_rates:
            limits = partial(_limits_of_rates, groups)
    ratio = math.nan
    of_ratio = Interval(math.nan, math.nan, level, "clusters")
    if are_rates:
        logs: ClusteredMean = difference_of_means(*parts, log=True)
        ratio = math.exp(logs.estimate)
        low, high = (math.exp(end) for end in logs.limits(level))
        if high < _WIDEST * low:
            of_ratio = Interval(low, high, level, "clusters")
    return Difference(
        name=name,
        reference=reference,
        difference=mean.estimate,
        interval=Interval(*limits(level), level, "clusters"),
        p=p,
        p_adjusted=math.nan,
        ratio=ratio,
        ratio_interval=of_ratio,
        alike=Interval(*limits(2 * level - 1), 2 * level - 1, "clusters"),
    )


def _limits_of_rates(
    groups: tuple[ClusteredMean, ClusteredMean], level: float
) -> tuple[float, float]:
    """Ends of a difference of two rates from those of each (Newcombe 1998, method 10)."""
    one, two = groups
    (low_1, high_1), (low_2, high_2) = one.share_limits(level), two.share_limits(level)
    between = two.estimate - one.estimate
    return (
        between - math.hypot(two.estimate - low_2, high_1 - one.estimate),
        between + math.hypot(high_2 - two.estimate, one.estimate - low_1),
    )


def _adjusted(cells: list[RateCell]) -> tuple[RateCell, ...]:
    adjusted = iter(holm([one.p for cell in cells for one in cell.differences]))
    return tuple(
        replace(
            cell,
            differences=tuple(
                replace(one, p_adjusted=float(next(adjusted))) for one in cell.differences
            ),
        )
        for cell in cells
    )
