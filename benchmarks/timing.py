"""Times of one thing, and of several in turns, so that a busy moment hits all of them."""

from __future__ import annotations

import gc
import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def in_turns(things: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Median seconds of each thing over the rounds.

    Each is done twice in a row and the second time counts: threads that a library started for the
    last thing still turn for a while, and would run against the next one.
    """
    times: dict[str, list[float]] = {name: [] for name in things}
    for _ in range(rounds):
        for name, thing in things.items():
            gc.collect()
            thing()
            start = time.perf_counter()
            result = thing()
            took = time.perf_counter() - start
            # What a result takes to be thrown away is not what it took to make.
            del result
            times[name].append(took)
    return {name: statistics.median(taken) for name, taken in times.items()}


def seconds_of(thing: Callable[..., Any], *arguments: Any, **options: Any) -> float:
    """Seconds of the clock that a thing takes."""
    start = time.perf_counter()
    thing(*arguments, **options)
    return time.perf_counter() - start


def median_seconds(thing: Callable[[], Any], rounds: int, before: int = 0) -> float:
    """Median seconds of a thing, after rounds that do not count."""
    return statistics.median([seconds_of(thing) for _ in range(before + rounds)][before:])


def take_one_core() -> None:
    """Tie this process to one of the cores that it may use."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def milliseconds(seconds: float) -> str:
    """A time for the report."""
    return f"{1000 * seconds:.1f} ms" if seconds < 0.1 else f"{1000 * seconds:.0f} ms"


def late(values: Sequence[float]) -> float:
    """The 95th percentile; of one value, the value."""
    return statistics.quantiles(values, n=20)[-1] if len(values) > 1 else values[0]
