"""Statistics of concept probabilities: scores, intervals, effect size and p-value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from biaslab.images import ImageRecord
from biaslab.probes.images.aggregation import first_list
from biaslab.probes.images.design import ImageDesign
from biaslab.probes.images.resampled import ResampledScores
from biaslab.probes.images.splits import split_test
from biaslab.stats.reproducibility import levelled
from biaslab.stats.significance import check_level

RESAMPLES, PERMUTATIONS = 2000, 10_000


def image_statistics(
    images: Sequence[ImageRecord],
    group_of: ArrayLike,
    probabilities: ArrayLike,
    *,
    list_of: ArrayLike,
    groups: tuple[str, str],
    templates: Sequence[str],
    aggregate: str = "sum",
    level: float = 0.95,
    resamples: int = RESAMPLES,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> dict[str, Any]:
    """Compute the fields of `ImageAssociation` that follow from the model's answers.

    The resampling weights do not depend on the answers and are cached:
    so a concept can be edited with every number following at once.

    Parameters
    ----------
    images : sequence of ImageRecord, length n
        Their terms and hashes count.
    group_of : array_like of int, shape (n,)
        Group of each image: 0 or 1.
    probabilities : array_like, shape (n, K, C)
        Of C concepts in K templates.
    list_of : array_like of int, shape (C,)
        List of each concept: 0 for the one tied to the first group, 1 for the second's.
    groups : (str, str)
        Names of the groups.
    templates : sequence of str, length K
    aggregate, level, resamples, permutations, seed
        As of `image_association`.

    Returns
    -------
    dict
        ``overall``, ``balanced``, ``by_group``, ``terms``, ``by_template``, ``first``, ``effect``,
        ``effect_interval``, ``p`` and ``p_of``.

    Raises
    ------
    ValueError
        If an option is out of range, shapes do not fit, or a group or list is empty.
    """
    check_level(level)
    if resamples < 100:
        raise ValueError(f"resamples is {resamples}; use at least 100, such as {RESAMPLES}.")
    if permutations < 100:
        raise ValueError(
            f"permutations is {permutations}; use at least 100, such as {PERMUTATIONS:,}."
        )
    # Equal answers may differ by rounding, which is no difference.
    by_template = levelled(first_list(probabilities, list_of, aggregate))
    if by_template.shape != (len(images), len(templates)):
        raise ValueError(
            f"Probabilities of shape {np.shape(probabilities)} do not fit {len(images)} images and "
            f"{len(templates)} templates."
        )
    design = ImageDesign.of(images, group_of, groups)
    resampled = ResampledScores(
        design,
        by_template,
        counted=aggregate == "any",
        level=level,
        resamples=resamples,
        seed=seed,
    )
    effect, effect_interval = resampled.effect()
    p, p_of = split_test(resampled.first, design, permutations, seed)
    return {
        "overall": resampled.all_images(),
        "balanced": resampled.groups_alike(),
        "by_group": (resampled.group(0), resampled.group(1)),
        "terms": tuple(resampled.term(i) for i in range(len(design.terms))),
        "by_template": tuple(resampled.template(i, name) for i, name in enumerate(templates)),
        "first": resampled.first,
        "effect": effect,
        "effect_interval": effect_interval,
        "p": p,
        "p_of": p_of,
    }
