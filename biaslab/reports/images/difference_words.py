"""Plain words for the difference of two models' scores on the same pictures."""

from __future__ import annotations

import math

from biaslab.probes.images.comparison import ImageScoreDifference
from biaslab.wording import percent


def summary(result: ImageScoreDifference) -> str:
    """The difference in plain words."""
    one, two = result.names
    ends = result.interval
    between = (
        f"{percent(ends.low, 1)} to {percent(ends.high, 1)}"
        if math.isfinite(ends.low)
        else "no interval"
    )
    found = f"{percent(result.difference, 1)} points ({between}) over {result.n_images:,} pictures"
    left = f" {result.left_out:,} pictures that not both saw are left out." * bool(result.left_out)
    told = "".join(f" {note}" for note in result.notes)
    if result.lean == 0:
        return f"No clear difference between {one} and {two}: {found}.{left}{told}"
    more, less = (one, two) if result.lean > 0 else (two, one)
    return f"{more} follows the stereotype more strongly than {less}: {found}.{left}{told}"
