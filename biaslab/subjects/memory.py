"""Memory that an open subject takes: its arrays and its parameters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

#: A subject holds its arrays at most this deep: a classifier, its words, their replicates.
_DEEPEST = 4


def memory_of(subject: object) -> int:
    """Return the bytes of a subject's arrays and parameters.

    Rows of a stored file that is mapped count as a whole, although the system may hold only those
    that were read. Arrays that two parts share count once.

    Examples
    --------
    >>> import biaslab as bl
    >>> memory_of(bl.load({"he": [1.0, 0.0], "she": [0.0, 1.0]}))
    16
    """
    return sum(memory_by_device(subject).values())


def memory_by_device(subject: object) -> dict[str, int]:
    """Return the bytes of a subject's arrays and parameters on each device.

    Examples
    --------
    >>> import biaslab as bl
    >>> memory_by_device(bl.load({"he": [1.0, 0.0], "she": [0.0, 1.0]}))
    {'cpu': 16}
    """
    found: dict[str, int] = {}
    for (device, _), size in dict(_blocks(subject, _DEEPEST, set())).items():
        found[device] = found.get(device, 0) + size
    return found


def _blocks(value: Any, deep: int, seen: set[int]) -> Iterator[tuple[tuple[str, int], int]]:
    """Yield device, address and bytes of each array."""
    if id(value) in seen or deep < 0:
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        yield ("cpu", value.__array_interface__["data"][0]), value.nbytes
    elif callable(getattr(value, "parameters", None)) and hasattr(value, "buffers"):
        for tensor in (*value.parameters(), *value.buffers()):
            if str(tensor.device) != "meta":  # of a split model, these wait on disk
                yield (str(tensor.device), int(tensor.data_ptr())), int(tensor.nbytes)
    elif isinstance(value, list | tuple):
        # Of a list of words no item is an array; the first one decides.
        if value and not isinstance(value[0], str | int | float):
            for item in value:
                yield from _blocks(item, deep - 1, seen)
    elif type(value).__module__.startswith("biaslab."):
        for part in list(vars(value).values()) if hasattr(value, "__dict__") else ():
            yield from _blocks(part, deep - 1, seen)
