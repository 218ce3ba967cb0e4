"""Plain words for the difference of two models' stereotype scores."""

from __future__ import annotations

from biaslab.probes.sentences.stereotype_comparison import ShareDifference
from biaslab.wording import percent


def summary(result: ShareDifference) -> str:
    """The difference in plain words."""
    one, two = result.names
    ends = result.interval
    between = f"{percent(ends.low)} to {percent(ends.high)}"
    found = f"{percent(result.difference)} points ({between}) over {result.n_pairs:,} pairs"
    left = f" {result.left_out:,} pairs that not both decide are left out." * bool(result.left_out)
    if result.lean == 0:
        return f"No clear difference between {one} and {two}: {found}.{left}"
    more, less = (one, two) if result.lean > 0 else (two, one)
    return f"{more} prefers the stereotyped version more often than {less}: {found}.{left}"
