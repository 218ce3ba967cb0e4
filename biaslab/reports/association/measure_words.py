"""Plain words for the measures of other tools."""

from __future__ import annotations

import math

from biaslab.probes.association.measure_result import MeasureResult
from biaslab.probes.unknown_words import lines
from biaslab.stats.reproducibility import order
from biaslab.wording import number

_SHOWN = 3


def summary(result: MeasureResult) -> str:
    """The numbers, their intervals, what they say, and the words at either end."""
    shown = ", ".join(f"{name} {number(v, 4)}" for name, v in result.by_list.items())
    told = [f"{result.measure}: {shown}. {result.reads}"]
    for name, found, why in zip(result.names, result.intervals, result.reasons, strict=True):
        if why:
            told.append(f"{name}: no number, as {why}.")
            continue
        ends = [
            f"{number(i.low, 4)} to {number(i.high, 4)} over {_spelled(i.kind, result.over)}"
            for i in found
            if math.isfinite(i.low)
        ]
        if not math.isfinite(found[0].low):
            ends.append(f"no interval over {result.over}, as there are too few")
        told.append(f"{name}: {'; '.join(ends)}.")
    mean = result.values.mean(axis=0)
    listed = {"Highest": order(mean, descending=True), "Lowest": order(mean)}
    for what, end in listed.items():
        words = ", ".join(f"{result.words[i]} {number(mean[i], 3)}" for i in end[:_SHOWN])
        told.append(f"{what}: {words}.")
    return "\n".join([*told, *lines(result.dropped)])


def _spelled(kind: str, over: str) -> str:
    return kind.replace("words", over)
