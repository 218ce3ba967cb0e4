"""Comparison of ratings: output shares of the same blocks through the same languages."""

from __future__ import annotations

import numpy as np

from biaslab.errors import QueryError
from biaslab.probes.comparison.compared import Compared, Estimated
from biaslab.probes.rating.result import RatingResult


def compared_ratings(a: RatingResult, b: RatingResult) -> Compared:
    """Compare the share of the first value in the output of each block and language."""
    values = [each.design.attribute.all_values for each in (a, b)]
    if values[0] != values[1]:
        raise QueryError(
            f"These ratings are of different values: {', '.join(values[0])}, and "
            f"{', '.join(values[1])}."
        )
    first = values[0][0]
    return Compared(
        measure=f"share of “{first.casefold()}” in the output",
        unit="points",
        neutral=float("nan"),
        sides=("more", "less"),
        rows_are="blocks",
        level=2 * a.rules.corrected.level - 1,  # of the intervals of shares
        over="",
        a=_estimated(a),
        b=_estimated(b),
    )


def _estimated(result: RatingResult) -> Estimated:
    rows = [
        (
            f"{block.block}, {rating.title if language else 'directly'}",
            block.shares[0],
            block.low[0],
            block.high[0],
        )
        for language, rating in zip(result.languages, result.ratings, strict=True)
        for block in result.block_findings(language, with_p=False)
        if block.shares
    ]
    return Estimated(
        labels=tuple(row[0] for row in rows),
        values=np.array([row[1] for row in rows], dtype=float),
        intervals=np.array([row[2:] for row in rows], dtype=float).reshape(-1, 2),
    )
