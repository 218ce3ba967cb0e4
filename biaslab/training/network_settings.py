"""What the settings of small networks share: checks of sizes, and the course of learning rates."""

from __future__ import annotations

from typing import Final

from biaslab.errors import TrainingError

_WARM_UP_SHARE: Final = 0.03


def check_sizes(settings: object, *names: str) -> None:
    """Check that settings of these names are 1 or more.

    Raises
    ------
    TrainingError
        If one is not.
    """
    for name in names:
        if getattr(settings, name) < 1:
            raise TrainingError(f"{name} is {getattr(settings, name)}. Use 1 or more.")


def check_rotary_heads(width: int, heads: int) -> None:
    """Check that heads share a width, each with an even part, as rotary positions need.

    Raises
    ------
    TrainingError
        If they cannot.
    """
    if width % (2 * heads):
        raise TrainingError(
            f"A width of {width} cannot be shared by {heads} heads. Use a width that is a multiple"
            " of twice the heads."
        )


def rate_factor_of_share(share: float, decay_share: float) -> float:
    """Return the factor of learning rates: rises, stays level, falls linearly to zero.

    Parameters
    ----------
    share : float
        Used share of the budget, in [0, 1].
    decay_share : float
        Last share of the budget, over which the factor falls.
    """
    return min(1.0, (share + 1e-3) / _WARM_UP_SHARE, max(0.0, 1 - share) / decay_share)
