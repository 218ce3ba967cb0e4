"""Two runs compared, as the page of a comparison shows them."""

from __future__ import annotations

import math
from typing import Any

import biaslab as bl
from biaslab.errors import BiaslabError
from biaslab.store import Store


def why_not_comparable(store: Store, one: str, two: str) -> str:
    """Return why two runs cannot be compared; empty if they can."""
    try:
        bl.compare(store.open(one), store.open(two))
    except BiaslabError as error:
        return str(error)
    return ""


def comparison_to_json(found: Any) -> dict[str, Any]:
    """Return what the page draws of a comparison; numbers that do not exist are None."""
    rows = [
        {
            "label": label,
            "a": _finite(found.values[i, 0]),
            "b": _finite(found.values[i, 1]),
            "aEnds": _ends(found.intervals[i, 0]),
            "bEnds": _ends(found.intervals[i, 1]),
            "aLean": int(found.leans[i, 0]),
            "bLean": int(found.leans[i, 1]),
            "change": _finite(found.change[i]),
            "changeEnds": _ends(found.change_intervals[i]),
            "outside": _finite(found.outside[i]),
        }
        for i, label in enumerate(found.labels)
    ]
    return {
        "verdict": [{"text": text, "role": role} for text, role in found.verdict_spans()],
        "caveat": found.caveat(),
        "names": list(found.names),
        "measure": found.measure,
        "unit": found.unit,
        "scale": found.scale,
        "neutral": _finite(found.neutral),
        "sides": list(found.sides),
        "groups": bool(found.groups),
        "rowsAre": found.rows_are,
        "level": found.level,
        "paired": bool(found.paired),
        "outsideLabel": found.outside_label,
        "rows": rows,
        "totals": [_total(one) for one in found.totals],
        "only": [
            {
                "run": one.run,
                "label": one.label,
                "value": _finite(one.value),
                "ends": _ends((one.interval.low, one.interval.high)),
            }
            for one in found.only
        ],
        "differs": [_aspect(one) for one in found.differs],
        "equal": [_aspect(one) for one in found.equal],
    }


def _total(one: Any) -> dict[str, Any]:
    ends = one.interval
    return {
        "name": one.name,
        "unit": one.unit,
        "a": _finite(one.a),
        "b": _finite(one.b),
        "change": _finite(one.difference),
        "ends": None if ends is None else _ends((ends.low, ends.high)),
    }


def _aspect(one: Any) -> dict[str, str]:
    return {"name": one.name, "a": one.a, "b": one.b}


def _finite(value: Any) -> float | None:
    number = float(value)
    return number if math.isfinite(number) else None


def _ends(ends: Any) -> list[float] | None:
    low, high = (_finite(end) for end in ends)
    return None if low is None or high is None else [low, high]
