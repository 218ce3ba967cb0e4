"""Plain words for effect sizes of WEAT where the truth is known."""

from __future__ import annotations

import math

from biaslab.probes.association.simulation import WeatSimulation
from biaslab.wording import number


def summary(result: WeatSimulation) -> str:
    """The spread of effect sizes, the ceiling, and how often large ones come from nothing."""
    n_x, n_y, n_a, n_b = result.sizes
    truth = "no difference in means" if result.no_difference else "a difference in means"
    ends = result.interval
    told = [
        (
            f"With {truth} and σ = {result.sd:g}, {100 * result.level:.0f} % of the effect sizes "
            f"of {n_x} + {n_y} words lie between {number(ends.low)} and {number(ends.high)}; "
            f"the ceiling is {number(result.ceiling)}."
            if math.isfinite(ends.low)
            else "With σ = 0 and no difference in means all associations are alike: there is "
            "no spread to divide by and no effect size."
        ),
        (
            f"{100 * result.share_reaching(1):.0f} % of {len(result.effect_size):,} draws are 1 or "
            f"more from 0. Lists of {n_a} + {n_b} attributes, ddof {result.ddof}; cosines are "
            "drawn independently from normal distributions."
        ),
    ]
    if (beyond := 3 * result.sd + max(map(abs, result.means))) > 1:
        told.append(f"Such cosines reach {number(beyond, 1)}: true ones end at 1.")
    return "\n".join(told)
