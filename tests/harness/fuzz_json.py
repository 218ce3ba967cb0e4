"""Damage a JSON value by its structure, from a seed: members, types, sizes and odd texts."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

from harness.fuzzing import damaged

ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 0.5, -0.0, 1e308, -1e308, 2**31, 2**63, 2**64, -(2**63), 10**400,
    float("nan"), float("inf"), "", " ", "\0", "a\0b", "\ud800", "\u202e", "é" * 300, "x" * 25_000,
    "<script>alert(1)</script>", "'; DROP TABLE biaslab_runs; --", "{env:HOME}", "../../etc/passwd",
    "/etc/passwd", "nan", "1e309", "=1+1", "%s%n", "{0.__class__}", [], {}, [[]], [None], [{}],
    {"": None}, [[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]],
)  # fmt: skip
_CHANGES = (1, 1, 1, 2, 3, 6)
_AS_BYTES = 5
"""One in so many is damaged as bytes, so that it may be no JSON."""


def damaged_json(valid: Sequence[bytes], seed: int) -> bytes:
    """Return one of the inputs, which are JSON, with one to six changes."""
    draw = random.Random(seed)  # a test
    if draw.randrange(_AS_BYTES) == 0:
        return damaged(valid, seed)
    whole = [json.loads(draw.choice(valid))]
    other = json.loads(draw.choice(valid))
    for _ in range(draw.choice(_CHANGES)):
        parent, key = draw.choice(list(_places(whole)))
        _change(parent, key, other, draw)
        if not whole:
            whole.append(None)
    return json.dumps(whole[0]).encode("utf-8", "surrogatepass")


def _places(part: Any) -> Iterator[tuple[Any, Any]]:
    """Every member within a value: what holds it, and its key."""
    members = part.items() if isinstance(part, dict) else enumerate(part)
    for key, value in list(members):
        yield part, key
        if isinstance(value, dict | list):
            yield from _places(value)


def _change(parent: Any, key: Any, other: Any, draw: random.Random) -> None:
    value = parent[key]
    match draw.randrange(8):
        case 0:
            del parent[key]
        case 1:
            parent[key] = [copy.deepcopy(value)]
        case 2 if isinstance(value, list) and value:
            parent[key] = copy.deepcopy(value) * draw.choice((0, 2, 50))
        case 3 if isinstance(value, dict) and value:
            value[draw.choice(("", "id", "name", "__class__", "x"))] = draw.choice(ODD)
        case 4:
            place, there = draw.choice(list(_places([other])))
            parent[key] = copy.deepcopy(place[there])
        case 5 if isinstance(value, str):
            parent[key] = value + draw.choice([odd for odd in ODD if isinstance(odd, str)])
        case _:
            parent[key] = copy.deepcopy(draw.choice(ODD))
