"""What has changed between two JSON values, so that only that travels.

A delta is one of

- ``[value]``: the value is replaced,
- ``[]``: the member is taken away,
- an object of deltas, by the names of an object's members or by the places in a list of the same
  length; the other members stay,
- ``{"splice": [place, removed, added]}``: from a place in a list so many members are taken away,
  and those of a list put there.

`js/src/lib/delta.ts` puts values together again; both are held to the same cases.
"""

from __future__ import annotations

import marshal
from itertools import islice
from typing import Any, Final

REMOVED: Final[list[Any]] = []
SHORTEST_LIST: Final = 4
"""A list with fewer members than this travels whole."""
SPLICE: Final = "splice"


def delta_of(before: Any, after: Any) -> Any:
    """Return the delta that makes `before` into `after`; None where they are the same.

    - `before`, `after`: neither is changed later by anybody.
    """
    if before is after or _same(before, after):
        return None
    if type(before) is dict and type(after) is dict:
        return _of_members(before, after)
    if (
        type(before) is list
        and type(after) is list
        and min(len(before), len(after)) >= SHORTEST_LIST
        and isinstance(after[0], dict | list)
    ):
        return (_of_list if len(before) == len(after) else _of_longer)(before, after)
    return [after]


def patched(before: Any, delta: Any) -> Any:
    """Return the value that a delta makes of another; `before` stays as it is."""
    if isinstance(delta, list):
        return delta[0]
    if isinstance(before, list | tuple):
        members = list(before)
        if SPLICE in delta:
            place, removed, added = delta[SPLICE]
            members[place : place + removed] = added
            return members
        for place, change in delta.items():
            members[int(place)] = patched(members[int(place)], change)
        return members
    made = dict(before)
    for name, change in delta.items():
        if change == REMOVED:
            made.pop(name, None)
        else:
            made[name] = patched(made.get(name), change)
    return made


def _of_members(before: dict[str, Any], after: dict[str, Any]) -> Any:
    changed: dict[str, Any] = {}
    for name, value in after.items():
        if name not in before:
            changed[name] = [value]
        elif (change := delta_of(before[name], value)) is not None:
            changed[name] = change
    for name in before:
        if name not in after:
            changed[name] = REMOVED
    return changed or None


def _of_list(before: list[Any], after: list[Any]) -> Any:
    changes = {}
    for place, (old, new) in enumerate(zip(before, after, strict=True)):
        if (change := delta_of(old, new)) is not None:
            changes[str(place)] = change
    if 2 * len(changes) > len(after):
        return [after]
    return changes or None


def _of_longer(before: list[Any], after: list[Any]) -> Any:
    """Return the delta of two lists that differ in length: what stands between equal ends."""
    pairs = list(zip(before, after, strict=False))
    first = next((k for k, pair in enumerate(pairs) if not _same(*pair)), len(pairs))
    left = len(pairs) - first
    ends = zip(reversed(before), reversed(after), strict=False)
    last = next((k for k, pair in enumerate(islice(ends, left)) if not _same(*pair)), left)
    added = after[first : len(after) - last]
    if 2 * len(added) > len(after):
        return [after]
    return {SPLICE: [first, len(before) - first - last, added]}


def _same(before: Any, after: Any) -> bool:
    """Whether two values are written alike: to Python 1, 1.0 and True are equal."""
    if type(before) is not type(after) or before != after:
        return False
    if isinstance(after, str):
        return True
    try:  # version 2 writes no references, which depend on who else holds a value
        return marshal.dumps(before, 2) == marshal.dumps(after, 2)
    except ValueError:  # numbers of numpy
        return False
