"""The verdict over several models: the first one's in full, others in short."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from biaslab_widgets.core.records import Span

SPOKEN = 3
"""Models that the verdict names; the rows under it have all."""
T = TypeVar("T", bound=Any)


def verdict_of(found: Sequence[T], short: Callable[[T], list[Span]]) -> list[Span]:
    """Word the results of all models.

    Parameters
    ----------
    found : sequence of results
        Each with a ``verdict``; the first one's is given in full.
    short : callable
        Words a further result briefly.
    """
    if not found:
        return []
    spoken: list[Span] = [{"text": text, "role": role} for text, role in found[0].verdict_spans()]
    for one in found[1:SPOKEN]:
        spoken += short(one)
    if (more := len(found) - SPOKEN) > 0:
        spoken.append(plain(f" {more} more model{'s' if more > 1 else ''} below."))
    return spoken


def preliminary(found: Sequence[Any], resamples: int) -> list[str]:
    """What a footer says of intervals with fewer resamples than the probe's own; else nothing."""
    fewest = min((one.provenance.parameters["resamples"] for one in found), default=resamples)
    return [f"preliminary intervals: {fewest:,} resamples"] if fewest < resamples else []


def in_short(
    one: Any,
    value: str,
    between: Callable[[float, float], str],
    *,
    joint: str,
    bias: str = "",
) -> list[Span]:
    """A result in one sentence: where it lies, how sure that is, and to which side.

    Parameters
    ----------
    one : result
        With an ``interval`` and a ``lean`` (-1, 0 or 1).
    value : str
        Where it lies, in words.
    between : callable
        Its interval in words, of both ends.
    joint, bias : str
        What stands between the interval and "with the stereotype" or "against the stereotype": as
        plain text, and as a part of what is found.
    """
    name, score, ends = strong(one.provenance.subject), strong(value), one.interval
    if not (math.isfinite(ends.low) and math.isfinite(ends.high)):
        return [plain(" For "), name, plain(", it is "), score,
                plain(", without an interval.")]  # fmt: skip
    range_ = f" ({between(ends.low, ends.high)})"
    if one.lean == 0:
        return [plain(" For "), name, plain(", it is "), score,
                plain(f"{range_}: no clear bias.")]  # fmt: skip
    found: Span = (
        {"text": f"{bias}with the stereotype", "role": "with"}
        if one.lean > 0
        else {"text": f"{bias}against the stereotype", "role": "against"}
    )
    return [plain(" For "), name, plain(", it is "), score, plain(f"{range_}{joint}"), found,
            plain(".")]  # fmt: skip


def plain(text: str) -> Span:
    """Text as it is."""
    return {"text": text, "role": "plain"}


def strong(text: str) -> Span:
    """Text that stands out."""
    return {"text": text, "role": "strong"}
