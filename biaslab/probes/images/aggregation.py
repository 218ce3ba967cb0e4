"""From the probabilities of concepts to that of a list of them."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.reproducibility import snapped

Aggregate: TypeAlias = Literal["sum", "mean", "any"]
AGGREGATES: tuple[str, ...] = get_args(Aggregate)
RULES = {
    "sum": "the probabilities of a list's concepts are added",
    "mean": "a list counts with the mean probability of its concepts",
    "any": "the list of the most probable concept counts 1, the other 0",
}
"""Definition of a list's probability, for the screen."""


def first_list(probabilities: ArrayLike, list_of: ArrayLike, aggregate: str = "sum") -> Floats:
    """Return P(the first list) of each picture in each template.

    Parameters
    ----------
    probabilities : array_like, shape (n, K, C)
        Of concepts, which add up to 1 over the last axis.
    list_of : array_like of int, shape (C,)
        To which list each concept belongs: 0 for the first, 1 for the second.
    aggregate : {"sum", "mean", "any"}
        ``"sum"``: the probability that the concept is one of the list. ``"mean"``: the lists' mean
        probabilities, made to add up to 1, so that a longer list has no advantage. ``"any"``: 1
        if the most probable of all concepts is of the first list, 0 if it is of the second,
        and one half if concepts of both are equally probable, within single-precision rounding.

    Returns
    -------
    ndarray, shape (n, K)
        In [0, 1]. That of the second list is 1 less this.

    Raises
    ------
    ValueError
        If there is no such rule, or a list has no concept.
    """
    if aggregate not in AGGREGATES:
        raise ValueError(f"aggregate is {aggregate!r}: choose one of {', '.join(AGGREGATES)}.")
    p = np.asarray(probabilities, dtype=np.float64)
    first = np.asarray(list_of) == 0
    if first.all() or not first.any():
        raise ValueError("Each list needs at least one concept; one of them has none.")
    # Counted from both sides, so that swapping the lists gives exactly the rest to 1.
    list_1, list_2 = p[..., first], p[..., ~first]
    if aggregate == "any":
        best, other = list_1.max(axis=-1), list_2.max(axis=-1)
        return np.asarray((1.0 + np.sign(snapped(best - other))) / 2)
    if aggregate == "mean":
        a, b = list_1.mean(axis=-1), list_2.mean(axis=-1)
    else:
        a, b = list_1.sum(axis=-1), list_2.sum(axis=-1)
    return np.asarray(a / (a + b))
