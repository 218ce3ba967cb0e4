"""What the figures were measured on, and how busy it was."""

from __future__ import annotations

import contextlib
import os
import platform
import re
import resource
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from pathlib import Path

LIBRARIES = (
    "numpy",
    "scipy",
    "torch",
    "pyro-ppl",
    "bokeh",
    "panel",
    "anywidget",
    "jupyterlab",
    "playwright",
)


def description(name: str, load: float) -> str:
    """Date, command, machine, load before the measurement and versions, in one line.

    - `name`: name of the measurement.
    - `load`: processes that ran or waited on average before it began; see `load`.
    """
    day = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    busy = "" if load < 0.5 else f", with about {load:.1f} other processes running"
    libraries = ", ".join(f"{name} {version}" for name in LIBRARIES if (version := _of(name)))
    return (
        f"*{day}, `python -m benchmarks {name}`, {_processor()}, {os.cpu_count()} cores, "
        f"{platform.system()}{busy}; Python {platform.python_version()}, {libraries}, "
        f"biaslab {_commit() or _of('biaslab')}.*"
    )


def load() -> float:
    """Average number of running or waiting processes over the last minute."""
    return os.getloadavg()[0]


def gpu() -> str:
    """Name of the GPU."""
    import torch

    return str(torch.cuda.get_device_name())


def peak_memory() -> float:
    """Largest resident memory of this process so far, in bytes."""
    with contextlib.suppress(OSError):
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(1024.0 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    unit = 1 if sys.platform == "darwin" else 1024
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * unit


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    text = info.read_text() if info.exists() else ""
    names = re.search(r"^model name\s*:\s*(.+)$", text, flags=re.MULTILINE)
    return names[1].strip() if names else platform.processor() or platform.machine()


def _of(library: str) -> str:
    try:
        return installed_version(library)
    except PackageNotFoundError:
        return ""


def _commit() -> str:
    """Short hash of the checked-out commit, with a plus when files differ from it."""
    root = Path(__file__).resolve().parent.parent
    command = ["git", "-C", str(root), "describe", "--always", "--dirty=+", "--exclude=*"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()
