"""Comparison of image associations: the same pictures in both runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.comparison.compared import Compared, Estimated, Floats, Total
from biaslab.probes.images.comparison import image_score_difference
from biaslab.probes.images.result import ImageAssociation
from biaslab.stats.clustered_mean import cluster_bootstrap


def compared_images(a: ImageAssociation, b: ImageAssociation, seed: int) -> Compared:
    """Compare the scores of two image associations term by term, over shared pictures."""
    overall = image_score_difference(b, a, rng=seed)
    of_b = dict(zip(_keys(b), b.scores.tolist(), strict=True))
    both = [(i, key) for i, key in enumerate(_keys(a)) if key in of_b]
    terms = [key[1] for _, key in both]
    scores = np.array([[a.scores[i], of_b[key]] for i, key in both])
    labels = tuple(dict.fromkeys(terms))
    rows = [np.flatnonzero(np.array(terms) == label) for label in labels]
    one, two, change = (
        _means(values, rows, a.level, seed)
        for values in (scores[:, 0], scores[:, 1], scores[:, 1] - scores[:, 0])
    )
    whole = len(both) == len(a.images) == len(b.images)
    total = Total(
        "score with the stereotype",
        "points",
        overall.scores[1],
        overall.scores[0],
        a.interval if whole else None,
        b.interval if whole else None,
        overall.interval,
        paired=True,
    )
    return Compared(
        measure="score with the stereotype",
        unit="points",
        neutral=0.5,
        sides=("with the stereotype", "against it"),
        rows_are="terms",
        level=a.level,
        over=f"the same {len(both):,} pictures",
        a=Estimated(labels=labels, values=one[0], intervals=one[1]),
        b=Estimated(labels=labels, values=two[0], intervals=two[1]),
        paired=(labels, *change),
        totals=(total,),
    )


def _keys(result: ImageAssociation) -> list[tuple[int, str, str]]:
    sides = result.group_of.tolist()
    return [(s, image.term, image.hash) for s, image in zip(sides, result.images, strict=True)]


def _means(
    values: Floats, rows: Sequence[NDArray[np.intp]], level: float, seed: int
) -> tuple[Floats, Floats]:
    drawn = [
        cluster_bootstrap(values[row], [], rng=np.random.default_rng([seed, k]))
        for k, row in enumerate(rows)
    ]
    centre = np.array([one.estimate for one in drawn])
    ends = np.array([one.limits(level) for one in drawn]).reshape(len(rows), 2)
    # Two runs of one model change no picture at all.
    still = np.array([len(row) > 1 and not np.ptp(values[row]) for row in rows])
    return centre, np.where(still[:, None], centre[:, None], ends)
