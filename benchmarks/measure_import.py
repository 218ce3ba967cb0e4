"""How long `import biaslab` takes in a fresh interpreter, beyond the interpreter itself."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from benchmarks.figure import Figure

REPEATS = 15
TARGET_S = 0.3


def _seconds(code: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - start


def figures() -> list[Figure]:
    """Compare fresh interpreters with and without the import, in turns."""
    _seconds("import biaslab")  # writes the byte code
    pairs = [(_seconds("import biaslab"), _seconds("pass")) for _ in range(REPEATS)]
    took = statistics.median(with_it - without for with_it, without in pairs)
    return [
        Figure(
            "`import biaslab`",
            f"{took * 1000:.0f} ms",
            f"under {TARGET_S * 1000:.0f} ms",
            took < TARGET_S,
            f"median of {REPEATS} differences to an empty interpreter",
        )
    ]
