"""Charts of image associations: models side by side, a coloured square per picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from biaslab.probes.images.result import ImageAssociation
from biaslab.probes.images.scores import NEUTRAL, ImageScore
from biaslab.records.wording import counted
from biaslab.reports.chart import Chart, finding
from biaslab.reports.palette import AGAINST, INK_2, WITH
from biaslab.reports.scores import Score, Scored, Squares, panels
from biaslab.reports.sentences.chart import TIE
from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.reproducibility import SINGLE

STEPS: Final = (0.1, 0.25)
"""Distances from one half at which a square gets darker: scores of 60 and 75, 40 and 25."""
_COLOURS: Final = {"t": TIE} | dict(zip("ABCabc", (*WITH, *AGAINST), strict=True))


@dataclass(frozen=True)
class Row:
    """A term's score, and its pictures by their numbers, the largest score first."""

    score: ImageScore
    images: tuple[int, ...]


def tones(scores: Floats) -> str:
    """Return a letter per score: A to C above one half, a to c below, from weak to strong, t at it.

    As many letters are capitals as `ImageScore.stereotyped` counts.

    - `scores`, ndarray, shape (n,): P(the list tied to each picture's own group), in [0, 1].
    """
    lean = np.asarray(scores, dtype=float) - NEUTRAL
    # A little less than the steps: 0.6 - 0.5 is not quite 0.1.
    step = sum((np.abs(lean) >= edge - 1e-9).astype(int) for edge in STEPS)
    letters = np.where(lean > 0, np.array(list("ABC"))[step], np.array(list("abc"))[step])
    return "".join(np.where(np.abs(lean) <= SINGLE, "t", letters).tolist())


def colour(tone: str) -> str:
    """Of a picture's square."""
    return _COLOURS[tone]


def rows(result: ImageAssociation) -> list[Row]:
    """A row per term, in the order of groups and terms."""
    scores = result.scores
    of: dict[tuple[str, str], list[int]] = {}
    for i, (image, side) in enumerate(zip(result.images, result.group_of.tolist(), strict=True)):
        of.setdefault((result.groups[side], image.term), []).append(i)
    return [
        Row(one, tuple(sorted(of[one.part_of, one.name], key=lambda i: -scores[i])))
        for one in result.terms
    ]


def chart(result: ImageAssociation) -> Chart:
    """The score over that of each term, beside a square per picture."""
    return side_by_side([result])


def side_by_side(results: Sequence[ImageAssociation]) -> Chart:
    """The same of several models, the first of them on top.

    - `results`: at least one.
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
    counts = f"{one.stereotyped} of {counted(one.n_images, 'picture')} above 50"
    return Score(name, group, one.score, one.interval, one.lean, counts, squares)
