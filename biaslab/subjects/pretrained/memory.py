"""Memory that subjects and batches take, what a device has, and where it runs out."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np

from biaslab.errors import DeviceMemoryError, SubjectError

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
    sizes: dict[str, int] = {}
    for (device, _), size in dict(_blocks(subject, _DEEPEST, set())).items():
        sizes[device] = sizes.get(device, 0) + size
    return sizes


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


SHARE_VARIABLE: Final = "BIASLAB_MEMORY_SHARE"
"""Environment variable: share of a device's memory that open subjects may take."""
SHARE: Final = 0.5
"""Default of that share."""
_MEGABYTE = 1_000_000
#: Share of the free memory that a batch may take at most.
_OF_FREE = 0.5
#: Share of all main memory that a batch takes if it is free.
_OF_MAIN = 1 / 6
#: Larger batches are not faster on a processor.
_MOST_MB_ON_CPU = 2_048
_LEAST_MB = 64
_UNKNOWN = 4_000 * _MEGABYTE


def batch_memory_mb(device: str) -> float:
    """Return the memory that a batch may take on a device now, in megabytes.

    On a GPU it is half of the free memory. On a processor it is a sixth of all main memory up to
    2 GB, and less only where that is more than half of what is free. It is at least 64 MB, and
    rounded down to a power of two. The last digits of results depend on how texts share batches,
    so what other programs take changes a batch only where memory is short.

    - `device`: such as "cpu" or "cuda:0".
    """
    allowed = _OF_FREE * free_memory(device) / _MEGABYTE
    if not device.startswith("cuda"):
        planned = _OF_MAIN * total_memory("cpu") / _MEGABYTE
        allowed = min(allowed, planned, _MOST_MB_ON_CPU)
    return float(2 ** math.floor(math.log2(max(allowed, _LEAST_MB))))


def free_memory(device: str) -> int:
    """Return the bytes that a device can still give to this process."""
    if device.startswith("cuda"):
        import torch

        cuda: Any = torch.cuda
        free, _ = cuda.mem_get_info(device)
        # Torch keeps freed blocks for its next tensors.
        return int(free + cuda.memory_reserved(device) - cuda.memory_allocated(device))
    available = _of_meminfo("MemAvailable") or total_memory("cpu")
    return min(available, *_free_in_group(), sys.maxsize)


def total_memory(device: str) -> int:
    """Return the bytes of a device's memory; of main memory at most what the system allows."""
    if device.startswith("cuda"):
        import torch

        return int(torch.cuda.mem_get_info(device)[1])
    limit = _number(Path("/sys/fs/cgroup/memory.max"))
    return min(_physical(), limit or sys.maxsize)


def allowed_memory(device: str) -> int:
    """Return the bytes that open subjects may take on a device: half of it by default.

    ``BIASLAB_MEMORY_SHARE`` names another share, above 0 and at most 1.

    Raises `SubjectError` when the variable holds no such number.
    """
    return int(_share() * total_memory(device))


def _share() -> float:
    text = os.environ.get(SHARE_VARIABLE, "")
    if not text.strip():
        return SHARE
    try:
        share = float(text)
    except ValueError:
        share = math.nan
    if not 0 < share <= 1:
        raise SubjectError(
            f"{SHARE_VARIABLE}={text!r}: give the share of memory that open subjects may take,"
            " above 0 and at most 1, such as 0.5."
        )
    return share


def _physical() -> int:
    if total := _of_meminfo("MemTotal"):
        return total
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return _UNKNOWN


def _of_meminfo(name: str) -> int:
    """Return a line of Linux's table of memory, in bytes; 0 where there is none."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return 0
    for line in lines:
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    return 0


def _free_in_group() -> tuple[int, ...]:
    """Return what a container's limit leaves, if it has one."""
    group = Path("/sys/fs/cgroup")
    limit, used = _number(group / "memory.max"), _number(group / "memory.current")
    return () if limit is None or used is None else (max(0, limit - used),)


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


T = TypeVar("T")
R = TypeVar("R")
#: What torch says of main memory, for which it has no error of its own, on Windows and on Linux.
_WORDS: Final = ("not enough memory", "can't allocate memory", "cannot allocate memory")


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error says that memory does not suffice, on a GPU or in main memory."""
    if isinstance(error, MemoryError | DeviceMemoryError):
        return True
    if not isinstance(error, RuntimeError):
        return False
    import torch

    text = str(error).casefold()
    return isinstance(error, torch.OutOfMemoryError) or any(words in text for words in _WORDS)


def too_little_memory(device: str, name: str, one: str) -> DeviceMemoryError:
    """Return the error for a device that cannot hold a batch of one.

    - `device`, `name`: of the model.
    - `one`: what is read, with its article, such as "one text".
    """
    remedy = (
        "Close other programs, or open a smaller model."
        if device.startswith("cpu")
        else "Use device='cpu', a smaller model, or free memory on that device."
    )
    return DeviceMemoryError(
        f"{device} does not have enough memory for {name}, even with {one} at a time. {remedy}"
    )


@contextmanager
def refuses_without_memory(device: str, name: str, one: str) -> Iterator[None]:
    """Turn what torch says of memory that does not suffice into a `DeviceMemoryError`.

    - `device`, `name`, `one`: as of `too_little_memory`.
    """
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        raise too_little_memory(device, name, one) from error


def in_halves(
    items: Sequence[T], answer: Callable[[Sequence[T]], list[R]], device: str, name: str, one: str
) -> list[R]:
    """Answer a batch; halve it while a device has not enough memory for it.

    - `items`: the batch.
    - `answer`: returns the answers of some of the items, in their order.
    - `device`, `name`, `one`: as of `too_little_memory`.
    - Raises `DeviceMemoryError` when memory does not suffice for one item alone.
    """
    try:
        return answer(items)
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        if len(items) == 1:
            raise too_little_memory(device, name, one) from error
    # Outside the except clause, which would keep the failed tensors in memory.
    half = len(items) // 2
    return [
        each
        for part in (items[:half], items[half:])
        for each in in_halves(part, answer, device, name, one)
    ]
