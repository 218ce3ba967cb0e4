"""Memory that draws take, and how many draws a memory holds."""

from __future__ import annotations

from biaslab.stats.chains import FEWEST

_OF_A_NUMBER = 4
_BESIDE = 2
"""Numbers of a draw besides its dimensions: logit and |s|²."""


def bytes_of_draws(chains: int, draws: int, dim: int) -> int:
    """Return the bytes of the draws of one label."""
    return _OF_A_NUMBER * chains * draws * (dim + _BESIDE)


def largest_run(size: int, chains: int, dim: int) -> tuple[int, int]:
    """Return chains, and draws of each, that a memory holds: fewer draws first, then fewer chains.

    - `size`: bytes for the draws of one label.
    - `chains`: at most so many.
    """
    draws = size // bytes_of_draws(chains, 1, dim)
    if draws >= FEWEST:
        step = 10 ** max(len(str(draws)) - 2, 0)  # 1,873 is said as 1,800
        return chains, draws // step * step
    return max(size // bytes_of_draws(1, FEWEST, dim), 1), FEWEST


def too_many_draws(chains: int, draws: int, dim: int, free: int, times: float = 1.0) -> str:
    """Return why a run does not fit, and the largest that does.

    - `free`: bytes that it may take.
    - `times`: bytes that it takes, in draws of one label.
    """
    needed = times * bytes_of_draws(chains, draws, dim)
    most_chains, most_draws = largest_run(int(free / times), chains, dim)
    return (
        f"{chains:,} chains with {draws:,} draws each need {_shown(needed)} of memory, and"
        f" {_shown(free)} are left for them. At most {most_chains:,} chains with {most_draws:,}"
        " draws each fit."
    )


def _shown(size: float) -> str:
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{size / 1e6:,.0f} MB"
