"""Charts of image associations: models side by side, a square per picture."""

from __future__ import annotations

from collections.abc import Sequence

from biaslab.probes.images.result import ImageAssociation
from biaslab.probes.images.scores import ImageScore
from biaslab.reports.chart import Chart, finding
from biaslab.reports.images.marks import STEPS, colour, rows, tones
from biaslab.reports.palette import INK_2
from biaslab.reports.scores import Score, Scored, Squares, panels


def chart(result: ImageAssociation) -> Chart:
    """The score over that of each term, beside a square per picture."""
    return side_by_side([result])


def side_by_side(results: Sequence[ImageAssociation]) -> Chart:
    """The same of several models, the first of them on top.

    Parameters
    ----------
    results : sequence of ImageAssociation
        At least one.
    """
    near, far = (f"{100 * (0.5 + step):.0f}" for step in STEPS)
    drawn = panels(
        [_scored(one) for one in results],
        unit="",
        label="score",
        what="picture",
        key=(
            f"score of a picture, steps at {near} and {far} (40 and 25): against the stereotype",
            "with it; open: neither",
        ),
    )
    title = " ".join(finding(one) for one in results)
    return Chart(title=title, note=results[0].caveat(), panels=drawn)


def _scored(result: ImageAssociation) -> Scored:
    marks, (one, two) = tones(result.scores), result.concept_lists
    squares = Squares(
        colours=[colour(tone) for tone in marks],
        edges=[INK_2 if tone == "t" else "none" for tone in marks],
        data={
            "term": [image.term for image in result.images],
            "shows": [image.description for image in result.images],
            "score": [100 * float(score) for score in result.scores],
            "first": [f"{one} {share:.2f}" for share in result.first],
            "second": [f"{two} {1 - share:.2f}" for share in result.first],
        },
        hover=(
            ("", "@term"),
            ("score", "@score{0}"),
            ("", "@first"),
            ("", "@second"),
            ("", "@shows"),
        ),
    )
    lists = dict(zip(result.groups, result.concept_lists, strict=True))
    scores = []
    for row in rows(result):
        group = row.score.part_of
        if group in lists:
            group = f"{group}, tied to “{lists[group]}”"
        scores.append(_score(row.score, row.score.name, group, row.images))
    return Scored(_score(result.overall, result.provenance.subject), tuple(scores), squares)


def _score(one: ImageScore, name: str, group: str = "", squares: tuple[int, ...] = ()) -> Score:
    counts = f"{one.stereotyped} of {one.n_images} pictures above 50"
    return Score(name, group, one.score, one.interval, one.lean, counts, squares)
