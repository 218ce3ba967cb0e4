"""Memory that batches and open subjects may take, measured on the device that they use."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import Any, Final

from biaslab.errors import SubjectError

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

    Parameters
    ----------
    device : str
        Such as "cpu" or "cuda:0".
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

    Raises
    ------
    SubjectError
        When the variable holds no such number.
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
