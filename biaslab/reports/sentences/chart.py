"""Charts of stereotype scores: models side by side, a coloured square per pair."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from biaslab.probes.sentences.stereotype_result import StereotypeScore
from biaslab.probes.sentences.stereotype_shares import StereotypeShare
from biaslab.records.wording import number
from biaslab.reports.chart import Chart, finding
from biaslab.reports.palette import AGAINST, INK_2, LINE, SURFACE, WITH
from biaslab.reports.scores import Score, Scored, Squares, panels

STEPS: Final = (0.6, 1.6)
"""Log-odds at which a square gets darker: 1.8 and 5 times as probable."""
TIE: Final = SURFACE
FAILED: Final = "none"


@dataclass(frozen=True)
class Row:
    """A row of a chart: one share, and its pairs by their numbers, the largest log-odds first."""

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


def chart(result: StereotypeScore) -> Chart:
    """The share over a bar per attribute (or kind of bias), beside a square per pair."""
    return side_by_side([result])


def side_by_side(results: Sequence[StereotypeScore]) -> Chart:
    """The same of several models, the first of them on top.

    - `results`: at least one.
    """
    drawn = panels(
        [_scored(one) for one in results],
        unit=" %",
        label="stereotyped version more probable, % of decided pairs",
        what="pair",
        key=(
            f"log-odds, steps at {STEPS[0]} and {STEPS[1]}: against the stereotype",
            "with it; open: a tie",
        ),
    )
    title = " ".join(finding(one) for one in results)
    return Chart(title=title, note=results[0].caveat(), panels=drawn)


def _scored(result: StereotypeScore) -> Scored:
    outcomes, odds = result.outcomes, [float(value) for value in result.log_odds]
    squares = Squares(
        colours=[colour(value, outcome) for value, outcome in zip(odds, outcomes, strict=True)],
        edges=[{"tie": INK_2, "failed": LINE}.get(outcome, "none") for outcome in outcomes],
        data={
            "stereotyped": [pair.stereotyped for pair in result.pairs],
            "against": [pair.against for pair in result.pairs],
            "odds": ["failed" if math.isnan(v) else _signed(v) for v in odds],
            "outcome": list(outcomes),
        },
        hover=(
            ("stereotyped", "@stereotyped"),
            ("against", "@against"),
            ("log-odds", "@odds"),
            ("", "@outcome"),
        ),
    )
    scores = []
    for row in rows(result):
        group = row.share.part_of
        if tied := group and tied_to(result, group):
            group = f"{group}, tied to {tied}"
        scores.append(_score(row.share, row.share.name, group, row.pairs))
    overall = _score(result.overall, result.provenance.subject, leaning=result.lean)
    return Scored(overall, tuple(scores), squares)


def _score(
    one: StereotypeShare,
    name: str,
    group: str = "",
    squares: tuple[int, ...] = (),
    *,
    leaning: int | None = None,
) -> Score:
    counts = f"{one.wins} with, {one.losses} against, {one.ties} ties, {one.failures} failures"
    leaning = one.lean if leaning is None else leaning
    return Score(name, group, one.share, one.interval, leaning, counts, squares)


def _signed(value: float) -> str:
    return f"+{number(value)}" if value >= 0 else number(value)
