"""Bokeh figures of a stereotype score: shares with their intervals, and a square per pair."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from bokeh.layouts import column, row

from biaslab.probes.sentences.stereotype_result import StereotypeScore
from biaslab.probes.sentences.stereotype_shares import StereotypeShare
from biaslab.reports import rows_about_half
from biaslab.reports.palette import INK, LINE
from biaslab.reports.sentences.marks import STEPS, colour, rows


def figure(result: StereotypeScore) -> Any:
    """The share over a bar per attribute, beside a square per pair.

    Returns
    -------
    bokeh layout
        Of three figures.
    """
    return column(models([result]), row(attributes(result), squares(result)))


def models(results: Sequence[StereotypeScore]) -> Any:
    """The share of every model on one axis from 0 to 100, with its interval and the neutral 50.

    Parameters
    ----------
    results : sequence of StereotypeScore
        The first one stands on top.
    """
    names = [f"{i + 1}. {one.provenance.subject}" for i, one in enumerate(results)]
    plot = _shares(
        [one.overall for one in results],
        names,
        "stereotyped version more probable, % of decided pairs",
    )
    plot.title.text = "0: always against the stereotype, 100: always with it"
    return plot


def attributes(result: StereotypeScore) -> Any:
    """A bar from 50 per attribute (or kind of bias), with its interval over sentences."""
    shown = rows(result)
    return _shares([one.share for one in shown], _names(result), "% of decided pairs")


def squares(result: StereotypeScore) -> Any:
    """A square per pair, in the row of its attribute, coloured by its log-odds."""
    outcomes = result.outcomes
    odds = [float(value) for value in result.log_odds]
    return rows_about_half.squares(
        _names(result),
        [one.pairs for one in rows(result)],
        {
            "colour": [
                None if outcome == "failed" else colour(value, outcome)
                for value, outcome in zip(odds, outcomes, strict=True)
            ],
            "edge": [INK if outcome == "tie" else LINE for outcome in outcomes],
            "stereotyped": [pair.stereotyped for pair in result.pairs],
            "against": [pair.against for pair in result.pairs],
            "odds": [_told(value) for value in odds],
            "outcome": list(outcomes),
        },
        step=22,
        edge="edge",
        title=f"one square per pair, darker from log-odds of {STEPS[0]} and {STEPS[1]}",
        told=[
            ("stereotyped", "@stereotyped"),
            ("against", "@against"),
            ("log-odds", "@odds"),
            ("", "@outcome"),
        ],
    )


def _names(result: StereotypeScore) -> list[str]:
    """One per row, each only once: two lists may hold the same attribute."""
    shares = [one.share for one in rows(result)]
    twice = len({s.name for s in shares}) < len(shares)
    return [f"{s.name} ({s.part_of})" if twice else s.name for s in shares]


def _shares(shares: Sequence[StereotypeShare], names: Sequence[str], label: str) -> Any:
    return rows_about_half.bars(
        names,
        "share",
        [one.share for one in shares],
        [one.interval for one in shares],
        counts=[
            f"{one.wins} with, {one.losses} against, {one.ties} ties, {one.failures} failures"
            for one in shares
        ],
        label=label,
        told=("%", "@share{0} (@low{0} to @high{0})"),
    )


def _told(value: float) -> str:
    return "failed" if math.isnan(value) else f"{value:+.2f}".replace("-", "−")
