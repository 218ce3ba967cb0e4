r"""Switch points of a deterministic observer, :math:`\alpha^*`, in closed form.

The observer compares two scores (Liang and Acuna 2020, eqs. 3 and 8), each a similarity of the
stimulus to a cue plus a similarity of the word to that cue. It answers cue 2 from the
:math:`\alpha` on at which the second score overtakes the first, so one number holds its answers to
every stimulus.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from biaslab.stats.reproducibility import snapped

Floats = NDArray[np.floating]
Scoring = Literal["eq8", "mixture"]

SAME_CUES = 1e-6
"""Cue pairs with 1 - cos below this count as the same direction, without a switch point."""


def switch_points(
    difference: Floats, sim_cues: Floats, norms: Sequence[Floats], scoring: Scoring
) -> Floats:
    """Return switch points under a scoring rule, named as in `biaslab.two_afc`.

    A word equally near to both cues within single precision is at the middle: after hard debiasing
    many are, and rounding would lean them all.

    Parameters
    ----------
    difference, sim_cues : ndarray
        As for `mixed_cosines`.
    norms : (ndarray, ndarray)
        Lengths of the cue vectors, which only ``mixture`` uses.

    Raises
    ------
    ValueError
        When the rule is unknown.
    """
    difference = snapped(difference)
    if scoring == "eq8":
        return mixed_cosines(difference, sim_cues)
    if scoring == "mixture":
        return true_mixture(difference, sim_cues, *norms)
    raise ValueError(f"scoring is {scoring!r}; choose 'eq8' or 'mixture'.")


def mixed_cosines(difference: Floats, sim_cues: Floats) -> Floats:
    r"""Compute the switch point under eq. 8, which mixes the cues' cosines.

    Parameters
    ----------
    difference : ndarray
        cos(word, cue 2) - cos(word, cue 1).
    sim_cues : ndarray
        cos(cue 1, cue 2), below 1; broadcasts against `difference`.

    Returns
    -------
    ndarray
        :math:`\alpha^* = \frac12 - \frac{difference}{2 (1 - sim\_cues)}`, any real number: outside
        [0, 1] the observer gives one answer to every blend.
    """
    return 0.5 - difference / (2 * (1 - sim_cues))


def true_mixture(difference: Floats, sim_cues: Floats, norm_1: Floats, norm_2: Floats) -> Floats:
    r"""Compute the switch point for the blended vector itself (eqs. 1 and 3).

    The blend :math:`(1-\alpha) c_1 + \alpha c_2` sweeps the plane of the two cues. With
    :math:`\varphi` their angle and :math:`\theta` that of the blend from cue 1, the scores'
    difference is :math:`2 \sin(\varphi/2) \sin(\theta - \varphi/2)`, which is solved for
    :math:`\theta`.

    Parameters
    ----------
    difference, sim_cues : ndarray
        As for `mixed_cosines`.
    norm_1, norm_2 : ndarray
        Lengths of the cue vectors: a longer cue dominates the blend.

    Returns
    -------
    ndarray
        The switch point; infinite when no blend on the line through both cues balances the scores.
    """
    phi = np.arccos(np.clip(sim_cues, -1, 1))
    theta = phi / 2 + np.arcsin(np.clip(-difference / (2 * np.sin(phi / 2)), -1, 1))
    share_2 = norm_1 * np.sin(theta)
    total = share_2 + norm_2 * np.sin(phi - theta)
    never = np.where(theta > phi / 2, np.inf, -np.inf)
    return np.asarray(np.divide(share_2, total, out=never, where=total > 0))
