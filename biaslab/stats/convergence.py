"""How large R-hat may be where many quantities are compared.

Vehtari et al. (2021, doi:10.1214/20-BA1221) want R-hat below 1.01, and mean that of one quantity.
The largest of a hundred is larger, also where all chains have converged: in runs of which 3 % would
fail for one quantity, 90 % fail for at least one of a hundred. So the limit grows with their
number, just as much as keeps the share of failing runs where it is for one.
"""

from __future__ import annotations

import math
from typing import Final

from scipy import special

RHAT: Final = 1.01
"""The limit of one quantity (Vehtari et al. 2021)."""
CHAINS: Final = 4
"""Fewer chains may all have missed the same mode (the same)."""
_REFUSED: Final = 0.05
"""Share of runs of converged chains that the limits refuse alike, for one quantity and for many."""


def rhat_limit(quantities: int, chains: int) -> float:
    """R-hat from which chains count as disagreeing, for the largest of some quantities.

    In chains that have converged, the variance between the 2C halves of C chains, over what it is
    expected to be, has an F distribution with 2C - 1 degrees of freedom (the others are so many
    that it is chi-squared), and R-hat squared less 1 is proportional to it. So the limit of Q
    quantities lies above 1 as the quantile at (1 - p)^(1/Q) of that distribution to the one at
    1 - p, where 1.01 is that of one. It does not depend on effective sizes, which shrink where
    chains disagree.

    Parameters
    ----------
    quantities : int
        Q, from 1 up.
    chains : int
        C, from 1 up.

    Returns
    -------
    float
        To three digits; 1.01 for one quantity, 1.012 for 100 quantities of 64 chains, 1.018 for
        those of 4 chains.
    """
    free = 2 * chains - 1
    of_each = -math.expm1(math.log1p(-_REFUSED) / quantities)
    ratio = float(special.chdtri(free, of_each) / special.chdtri(free, _REFUSED))
    return round(math.sqrt(1 + (RHAT**2 - 1) * ratio), 3)
