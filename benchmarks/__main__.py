"""Measure the project's figures and write docs/guide/benchmarks.md: ``make bench``.

``python -m benchmarks NAME ...`` measures the named ones and rewrites their sections only.
"""

from __future__ import annotations

import argparse
import ast
import sys
from pathlib import Path

from benchmarks import machine, report
from benchmarks.alone import MeasurementError, run

FOLDER = Path(__file__).parent


def measurements() -> list[str]:
    """Modules that measure something, in the order of the page; new ones at its end."""
    all_modules = sorted(FOLDER.glob("*.py"))
    names = [one.stem for one in all_modules if "\ndef measure(" in one.read_text("utf-8")]
    page = report.written()
    return sorted(names, key=lambda name: page.index(name) if name in page else len(page))


def described(name: str) -> tuple[str, str]:
    """Title of a measurement and what it measures, from its docstring."""
    source = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    title, _, about = (ast.get_docstring(ast.parse(source)) or name).partition("\n\n")
    return title.rstrip("."), about


def main() -> int:
    """Measure what was asked for; the sections of what failed stay as they were."""
    names = measurements()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"default all: {', '.join(names)}")
    chosen = parser.parse_args().names or names
    if unknown := [name for name in chosen if name not in names]:
        parser.error(f"no measurement {unknown[0]!r}; there are {', '.join(names)}")
    failed = []
    for name in chosen:
        print(f"measuring: {name}", file=sys.stderr, flush=True)
        load = machine.load()
        try:
            findings = run(name)
        except MeasurementError as error:
            print(error, file=sys.stderr)
            failed.append(name)
            continue
        title, about = described(name)
        text = report.section(name, title, about, machine.description(name, load), findings)
        report.update({name: text}, names)
        print(text, flush=True)
    if failed:
        print(f"Not measured: {', '.join(failed)}.", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
