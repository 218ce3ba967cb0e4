"""Charts of stereotype scores: models side by side, a square per pair."""

from __future__ import annotations

import math
from collections.abc import Sequence

from biaslab.probes.sentences.stereotype_result import StereotypeScore
from biaslab.probes.sentences.stereotype_shares import StereotypeShare
from biaslab.reports.chart import Chart, finding
from biaslab.reports.palette import INK_2, LINE
from biaslab.reports.scores import Score, Scored, Squares, panels
from biaslab.reports.sentences.marks import STEPS, colour, rows, tied_to
from biaslab.wording import number


def chart(result: StereotypeScore) -> Chart:
    """The share over a bar per attribute (or kind of bias), beside a square per pair."""
    return side_by_side([result])


def side_by_side(results: Sequence[StereotypeScore]) -> Chart:
    """The same of several models, the first of them on top.

    Parameters
    ----------
    results : sequence of StereotypeScore
        At least one.
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
    overall = _score(result.overall, result.provenance.subject)
    return Scored(overall, tuple(scores), squares)


def _score(
    one: StereotypeShare, name: str, group: str = "", squares: tuple[int, ...] = ()
) -> Score:
    counts = f"{one.wins} with, {one.losses} against, {one.ties} ties, {one.failures} failures"
    return Score(name, group, one.share, one.interval, one.lean, counts, squares)


def _signed(value: float) -> str:
    return f"+{number(value)}" if value >= 0 else number(value)
