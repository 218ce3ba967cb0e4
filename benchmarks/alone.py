"""Run one measurement in a process of its own: `python -m benchmarks.alone NAME`.

So none sees another's memory, imported libraries or threads. The findings are printed as JSON on
the last line.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict

from benchmarks import ROOT
from benchmarks.findings import Figure, Findings

LIMIT_S = 420
LIMITS_S = {
    "distance_coverage": 1800,
    "faults": 1800,
    "image_coverage": 5400,
    "language_model_speed": 900,
    "load": 900,
    "morph_coverage": 3600,
    "planting": 10_800,
    "sentence_scoring": 3600,
}
"""Of those that draw, or train, for a long time unless what they need is there already."""


class MeasurementError(Exception):
    """A measurement ended without findings."""


def run(name: str) -> Findings:
    """Run a measurement; raises MeasurementError with what it printed when it fails."""
    command = [sys.executable, "-m", "benchmarks.alone", name]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    limit = LIMITS_S.get(name, LIMIT_S)
    with subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True) as process:
        try:
            printed, _ = process.communicate(timeout=limit)
        except BaseException as error:
            _end(process)
            if isinstance(error, subprocess.TimeoutExpired):
                raise MeasurementError(f"{name} took more than {limit} s.") from error
            raise
    if process.returncode != 0:
        raise MeasurementError(f"{name} ended with status {process.returncode}.")
    findings = json.loads(printed.splitlines()[-1])
    return Findings(tuple(Figure(**f) for f in findings["figures"]), tuple(findings["notes"]))


def _end(process: subprocess.Popen[str]) -> None:
    """Interrupt, so that the measurement ends its servers and its browser; kill if it does not."""
    process.send_signal(signal.SIGINT)
    try:
        process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()


if __name__ == "__main__":
    findings = importlib.import_module(f"benchmarks.{sys.argv[1]}").measure()
    print(json.dumps(asdict(findings)))
