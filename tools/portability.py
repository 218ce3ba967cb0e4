"""Run the numeric tests, and compare a result of each probe, under several kernels of this machine.

``python tools/portability.py`` prints tables and fails where a test does. A setting is a process of
its own whose environment asks numpy, OpenBLAS, MKL, oneDNN and torch for the kernels of an older
processor, for a number of threads, and for another order of sets. ``--numbers`` leaves out the
tests, and ``--setting NAME`` runs nothing but the tests of one setting.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
NUMBERS = ROOT / "tools" / "portability_numbers.py"
ENOUGH = 15.9
"""Digits beyond which double precision has no more."""


@dataclass(frozen=True)
class Setting:
    """A name, and what its processes find in their environment."""

    name: str
    environment: Mapping[str, str]


def settings() -> tuple[Setting, ...]:
    """The kernels to try, the newest that this machine has first."""
    return (
        Setting("as it is, 4 threads", {**_threads(4), "PYTHONHASHSEED": "0"}),
        Setting("as it is, 1 thread", {**_threads(1), "PYTHONHASHSEED": "1"}),
        Setting(
            "OpenBLAS Haswell, AVX2, 4 threads",
            {
                **_threads(4),
                "PYTHONHASHSEED": "1",
                "OPENBLAS_CORETYPE": "Haswell",
                "ATEN_CPU_CAPABILITY": "avx2",
                "ONEDNN_MAX_CPU_ISA": "AVX2",
                "MKL_ENABLE_INSTRUCTIONS": "AVX2",
            },
        ),
        Setting(
            "OpenBLAS Prescott, torch's default, 1 thread",
            {
                **_threads(1),
                "PYTHONHASHSEED": "0",
                "OPENBLAS_CORETYPE": "Prescott",
                "ATEN_CPU_CAPABILITY": "default",
                "ONEDNN_MAX_CPU_ISA": "SSE41",
                "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
                "NPY_DISABLE_CPU_FEATURES": " ".join(_numpy_features()),
            },
        ),
    )


def _threads(number: int) -> dict[str, str]:
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    return dict.fromkeys(names, str(number))


def _numpy_features() -> list[str]:
    """What numpy has found beyond what it needs, and can do without."""
    shown: Any = np.show_config(mode="dicts")
    return list(shown.get("SIMD Extensions", {}).get("found", []))


def numeric_files() -> list[str]:
    """Files with numeric tests: collecting only these saves most of the time."""
    found = sorted((ROOT / "tests").rglob("test_*.py"))
    marked = (path for path in found if "mark.numeric" in path.read_text(encoding="utf-8"))
    return [str(path.relative_to(ROOT)) for path in marked]


def run_tests(setting: Setting, files: Sequence[str]) -> tuple[bool, str, float]:
    """Run the numeric tests: whether all passed, pytest's last line, and seconds."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider"]
    begun = time.perf_counter()
    done = _run([*command, "-m", "numeric and not validate", *files], setting)
    lines = done.stdout.strip().splitlines()
    if done.returncode:
        print(done.stdout, done.stderr, sep="\n")
    return done.returncode == 0, lines[-1] if lines else "no output", time.perf_counter() - begun


def numbers(setting: Setting) -> tuple[str, dict[str, list[float]]]:
    """What `tools/portability_numbers.py` prints: the processor, and numbers by name.

    Raises `RuntimeError` if it fails.
    """
    done = _run([sys.executable, str(NUMBERS)], setting)
    if done.returncode:
        raise RuntimeError(f"{setting.name}: {done.stderr.strip()[-2000:]}")
    found = json.loads(done.stdout.splitlines()[-1])
    return found["processor"], found["numbers"]


def _run(command: Sequence[str], setting: Setting) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **setting.environment}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


def digits(one: Sequence[float], two: Sequence[float]) -> float:
    """Significant digits to which two lists agree, beside the largest; infinite where identical."""
    a, b = np.asarray(one), np.asarray(two)
    if a.shape != b.shape:
        return 0.0
    if np.array_equal(a, b, equal_nan=True):
        return math.inf
    if not np.array_equal(np.isfinite(a), np.isfinite(b)):
        return 0.0
    there = np.isfinite(a)
    if not np.array_equal(a[~there], b[~there], equal_nan=True):
        return 0.0
    apart = float(np.abs(a[there] - b[there]).max())
    size = max(float(np.abs(a[there]).max()), float(np.abs(b[there]).max()))
    return min(max(-math.log10(apart / size), 0.0), ENOUGH)


def agreement_table(found: Sequence[dict[str, list[float]]]) -> list[tuple[str, str]]:
    """Each name with the digits to which all settings agree with the first."""
    rows = []
    for name, first in found[0].items():
        least = min(digits(first, other.get(name, [])) for other in found[1:])
        rows.append((name, "bit for bit" if math.isinf(least) else f"{math.floor(least)} digits"))
    return rows


def _print_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print("|", " | ".join(heads), "|")
    print("|" + "---|" * len(heads))
    for row in rows:
        print("|", " | ".join(row), "|")
    print(flush=True)


def main() -> int:
    """Run all settings, print both tables, and say by the status whether tests passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--numbers", action="store_true", help="compare numbers only")
    parser.add_argument("--setting", help="run the tests of this setting only")
    options = parser.parse_args()
    passed = True
    every = settings()
    if options.setting:
        (setting,) = (one for one in every if one.name == options.setting)
        passed, said, _ = run_tests(setting, numeric_files())
        print(said)
        return 0 if passed else 1
    if not options.numbers:
        files, rows = numeric_files(), []
        for setting in every:
            good, said, seconds = run_tests(setting, files)
            passed &= good
            rows.append((setting.name, said, f"{seconds:.0f} s"))
        _print_table(("setting", "numeric tests", "time"), rows)
    found = [numbers(setting) for setting in every]
    _print_table(("setting", "processor"), [(s.name, f[0]) for s, f in zip(every, found)])  # noqa: B905
    _print_table(("result", "the same to"), agreement_table([f[1] for f in found]))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
