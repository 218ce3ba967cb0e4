"""How log-odds and their parts are drawn: colours of the squares, and the rows they stand in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from biaslab.probes.sentences.stereotype_result import StereotypeScore
from biaslab.probes.sentences.stereotype_shares import StereotypeShare
from biaslab.reports.palette import AGAINST, SURFACE, WITH

STEPS: Final = (0.6, 1.6)
"""Log-odds at which a square gets darker: 1.8 and 5 times as probable."""
TIE: Final = SURFACE
FAILED: Final = "none"


@dataclass(frozen=True)
class Row:
    """A row of a picture: one share, and its pairs by their numbers, the largest log-odds first."""

    share: StereotypeShare
    pairs: tuple[int, ...]


def colour(log_odds: float, outcome: str) -> str:
    """Of a pair's square."""
    if outcome in ("tie", "failed"):
        return TIE if outcome == "tie" else FAILED
    step = sum(abs(log_odds) >= edge for edge in STEPS)
    return (WITH if log_odds > 0 else AGAINST)[step]


def rows(result: StereotypeScore) -> list[Row]:
    """A row per attribute; where pairs name none, per kind of bias; else one for all."""
    odds = [-math.inf if math.isnan(v) else float(v) for v in result.log_odds]

    def of(numbers: Sequence[int]) -> tuple[int, ...]:
        return tuple(sorted(numbers, key=lambda i: -odds[i]))

    every = range(len(result.pairs))
    if result.attributes:
        return [
            Row(
                one,
                of(
                    [
                        i
                        for i in every
                        if (result.pairs[i].attribute, result.pairs[i].attribute_list)
                        == (one.name, one.part_of)
                    ]
                ),
            )
            for one in result.attributes
        ]
    if result.bias_types:
        return [
            Row(one, of([i for i in every if result.pairs[i].bias_type == one.name]))
            for one in result.bias_types
        ]
    return [Row(result.overall, of(list(every)))]


def tied_to(result: StereotypeScore, attribute_list: str) -> str:
    """The group whose stereotype a list is; empty where it is not the same for all its pairs."""
    names = {p.groups[0] for p in result.pairs if p.attribute_list == attribute_list}
    return names.pop() if len(names) == 1 else ""
