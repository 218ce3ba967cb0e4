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

NAMES = [
    "latency",
    "first_paint",
    "load",
    "faults",
    "occupations_view",
    "association_view",
    "posterior_view",
    "sentence_edit",
    "image_view",
    "rating_view",
    "decisions_view",
    "word_lists",
    "two_afc_speed",
    "layers",
    "training",
    "psychometric_fits",
    "adaptive",
    "decisions",
    "association",
    "posterior_words",
    "weat_coverage",
    "coverage",
    "occupations_coverage",
    "distance_coverage",
    "sentences_coverage",
    "morph_coverage",
    "posterior",
    "sentence_scoring",
    "image_throughput",
    "image_concept_edit",
    "rating_simulation",
    "image_coverage",
    "planting",
    "apy_throughput",
    "imports",
    "bundle_size",
]


def described(name: str) -> tuple[str, str]:
    """Title of a measurement and what it measures, from its docstring."""
    source = (Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8")
    title, _, about = (ast.get_docstring(ast.parse(source)) or name).partition("\n\n")
    return title.rstrip("."), about


def main() -> int:
    """Measure what was asked for; the sections of what failed stay as they were."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"default all: {', '.join(NAMES)}")
    chosen = parser.parse_args().names or NAMES
    if unknown := [name for name in chosen if name not in NAMES]:
        parser.error(f"no measurement {unknown[0]!r}; there are {', '.join(NAMES)}")
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
        report.update({name: text}, NAMES)
        print(text, flush=True)
    if failed:
        print(f"Not measured: {', '.join(failed)}.", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
