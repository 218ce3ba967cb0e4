"""How scores of pictures are drawn: colours of the squares, and the rows they stand in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from biaslab.probes.images.result import ImageAssociation
from biaslab.probes.images.scores import NEUTRAL, ImageScore
from biaslab.reports.palette import AGAINST, WITH
from biaslab.reports.sentences.marks import TIE
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

    Parameters
    ----------
    scores : ndarray, shape (n,)
        P(the list tied to each picture's own group), in [0, 1].
    """
    apart = np.asarray(scores, dtype=float) - NEUTRAL
    # A little less than the steps: 0.6 - 0.5 is not quite 0.1.
    step = sum((np.abs(apart) >= edge - 1e-9).astype(int) for edge in STEPS)
    letters = np.where(apart > 0, np.array(list("ABC"))[step], np.array(list("abc"))[step])
    return "".join(np.where(np.abs(apart) <= SINGLE, "t", letters).tolist())


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
