"""Bokeh figures of an image association: scores with their intervals, and a square per picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.layouts import column, row

from biaslab.probes.images.result import ImageAssociation
from biaslab.probes.images.scores import ImageScore
from biaslab.reports import rows_about_half
from biaslab.reports.images.marks import STEPS, colour, rows, tones
from biaslab.reports.palette import LINE


def figure(result: ImageAssociation) -> Any:
    """The score over that of each term, beside a square per picture.

    Returns
    -------
    bokeh layout
        Of three figures.
    """
    return column(models([result]), row(terms(result), squares(result)))


def models(results: Sequence[ImageAssociation]) -> Any:
    """The score of every model on one axis from 0 to 100, with its interval and the neutral 50.

    Parameters
    ----------
    results : sequence of ImageAssociation
        The first one stands on top.
    """
    names = [f"{i + 1}. {one.provenance.subject}" for i, one in enumerate(results)]
    plot = _scores([one.overall for one in results], names, "score")
    plot.title.text = "0: always against the stereotype, 100: always with it"
    return plot


def terms(result: ImageAssociation) -> Any:
    """A bar from 50 per term, with its interval over images within terms."""
    return _scores(result.terms, _names(result), "score of each term’s pictures")


def squares(result: ImageAssociation) -> Any:
    """A square per picture, in the row of its term, coloured by its score."""
    scores, (one, two) = result.scores, result.concept_lists
    edges = ", ".join(f"{100 * (0.5 + step):.0f}" for step in STEPS)
    return rows_about_half.squares(
        _names(result),
        [own.images for own in rows(result)],
        {
            "colour": [colour(tone) for tone in tones(scores)],
            "term": [image.term for image in result.images],
            "shows": [image.description for image in result.images],
            "score": [100 * float(score) for score in scores],
            "first": [f"{one} {share:.2f}" for share in result.first],
            "second": [f"{two} {1 - share:.2f}" for share in result.first],
        },
        step=16,
        edge=LINE,
        title=f"one square per picture, darker from scores of {edges}",
        told=[
            ("", "@term"),
            ("score", "@score{0}"),
            ("", "@first"),
            ("", "@second"),
            ("", "@shows"),
        ],
    )


def _names(result: ImageAssociation) -> list[str]:
    """One per row, each only once."""
    return [f"{i + 1}. {one.name}" for i, one in enumerate(result.terms)]


def _scores(scores: Sequence[ImageScore], names: Sequence[str], label: str) -> Any:
    return rows_about_half.bars(
        names,
        "score",
        [one.score for one in scores],
        [one.interval for one in scores],
        counts=[f"{one.stereotyped} of {one.n_images} pictures above 50" for one in scores],
        label=label,
        told=("score", "@score{0.0} (@low{0.0} to @high{0.0})"),
    )
