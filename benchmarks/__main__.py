"""Run every measurement and write docs/benchmarks.md: ``make bench``.

A measurement is a module ``measure_<name>.py`` beside this one with a function
``figures() -> list[Figure]``. ``python -m benchmarks import drag`` runs the named ones and prints
them without writing.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import platform
import sys
from collections.abc import Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path

import benchmarks
from benchmarks.figure import Figure

REPORT = Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"
PREFIX = "measure_"
LIBRARIES = ("numpy", "scipy", "bokeh", "panel", "anywidget", "jupyterlab")


def names() -> list[str]:
    """List the measurements."""
    modules = (module.name for module in pkgutil.iter_modules(benchmarks.__path__))
    return sorted(name.removeprefix(PREFIX) for name in modules if name.startswith(PREFIX))


def measured(name: str) -> list[Figure]:
    """Run one measurement."""
    print(f"measuring: {name}", file=sys.stderr, flush=True)
    figures: list[Figure] = importlib.import_module(f"benchmarks.{PREFIX}{name}").figures()
    return figures


def table(figures: Sequence[Figure]) -> str:
    """Lay the figures out as a Markdown table."""
    marks = {True: "yes", False: "**no**", None: ""}
    rows = [
        "| what | measured | target | met | how |",
        "|---|---|---|---|---|",
        *(f"| {f.what} | {f.value} | {f.target} | {marks[f.met]} | {f.how} |" for f in figures),
    ]
    return "\n".join(rows) + "\n"


def machine() -> str:
    """Say on what the figures were measured."""
    versions = ", ".join(f"{library} {version(library)}" for library in LIBRARIES)
    return (
        f"{date.today().isoformat()}, {platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} cores, Python {platform.python_version()}, {versions}."
    )


def main(chosen: Sequence[str]) -> int:
    """Measure; write the report when everything was measured."""
    if unknown := set(chosen) - set(names()):
        print(f"No such measurement: {', '.join(unknown)}. There are: {', '.join(names())}.")
        return 1
    parts = {name: measured(name) for name in chosen or names()}
    text = "\n".join(
        f"## {name.replace('_', ' ').capitalize()}\n\n{table(figures)}"
        for name, figures in parts.items()
    )
    print(text)
    if not chosen:
        REPORT.write_text(f"# Benchmarks\n\nWritten by `make bench`: {machine()}\n\n{text}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
