"""Plain words for where a service's output turns balanced."""

from __future__ import annotations

from biaslab.probes.rating.balance import Balance


def summary(result: Balance) -> str:
    """One sentence."""
    one, other = (value.casefold() for value in result.values)
    if result.reason:
        return f"There is no input at which the output turns balanced: {result.reason}."
    told = f"The output is as often {one} as {other} where {100 * result.pse:.0f} % of the input"
    if result.pse_interval is not None:
        low, high = 100 * result.pse_interval.low, 100 * result.pse_interval.high
        told += f" ({low:.0f} to {high:.0f} %)"
    if not result.jnd:
        return f"{told} is {one}; there it switches abruptly from {other} to {one}."
    return f"{told} is {one}; JND {100 * result.jnd:.0f} points."
