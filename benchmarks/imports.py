"""How long `import biaslab` takes.

Fresh interpreters start in turns, 15 times each, with byte code written before; the median from
start to end of the process counts. What the import adds is the median of the differences to the
interpreter that imports nothing, from round to round.
"""

from __future__ import annotations

import statistics
import subprocess
import sys

from benchmarks.findings import Figure, Findings, judged, under
from benchmarks.timing import milliseconds, seconds_of

ROUNDS = 15
GOAL = under(0.3, "s")
CODES = {
    "nothing": "pass",
    "numpy": "import numpy",
    "biaslab": "import biaslab",
    "a probe": "import biaslab; biaslab.two_afc",
}


def seconds(code: str) -> float:
    """Wall time of an interpreter that runs the code."""
    command = [sys.executable, "-c", code]
    return seconds_of(subprocess.run, command, check=True, timeout=60)


def measure() -> Findings:
    """Start interpreters in turns."""
    for code in CODES.values():
        seconds(code)
    rounds = [{name: seconds(code) for name, code in CODES.items()} for _ in range(ROUNDS)]
    added = {name: statistics.median(r[name] - r["nothing"] for r in rounds) for name in CODES}
    nothing = statistics.median(r["nothing"] for r in rounds)
    whole = statistics.median(r["biaslab"] for r in rounds)
    return Findings(
        (
            _line("`import biaslab` adds", added["biaslab"], added["numpy"], goal=True),
            Figure(
                "`python -c 'import biaslab'`, whole process",
                milliseconds(whole),
                *judged(GOAL, whole),
                f"`python -c pass` {milliseconds(nothing)}",
                f"{whole / nothing:.1f}x",
            ),
            _line("`import biaslab` and first touch of `two_afc` add", added["a probe"],
                  added["numpy"]),
        )
    )  # fmt: skip


def _line(what: str, took: float, numpy: float, *, goal: bool = False) -> Figure:
    return Figure(
        what,
        milliseconds(took),
        *judged(GOAL if goal else None, took),
        f"`import numpy` adds {milliseconds(numpy)}",
        f"{took / numpy:.1f}x",
    )
