"""Write docs/guide/benchmarks.md: one marked block per measurement, each replaceable alone."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.findings import Figure, Findings

REPORT = Path(__file__).resolve().parent.parent / "docs" / "guide" / "benchmarks.md"
HEAD = """# Benchmarks

`make bench` measures everything and writes this page; `.venv/bin/python -m benchmarks NAME ...`
measures some of it anew. Figures with a goal are side by side with a reference measured in the
same run where there is one. No test depends on them: a busy machine is slower, and each section
says how busy it was.
"""
MARKS = {True: "yes", False: "**no**", None: ""}


def section(name: str, title: str, about: str, made: str, findings: Findings) -> str:
    """The block of one measurement.

    - `name`, `title`: its name on the command line, and the heading.
    - `about`: what is measured and how.
    - `made`: when, by which command, on which machine.
    """
    parts = [f"## {title}", about.strip(), _table(findings.figures)]
    if findings.notes:
        parts.append("\n".join(f"- {note}" for note in findings.notes))
    parts.append(made)
    return _begin(name) + "\n" + "\n\n".join(parts) + "\n" + _end(name)


def written() -> list[str]:
    """Names of the measurements on the page, in its order."""
    text = REPORT.read_text(encoding="utf-8") if REPORT.exists() else ""
    return re.findall(r"<!-- (\w+): written by", text)


def update(sections: dict[str, str], order: list[str]) -> None:
    """Put new blocks in the place of old ones; the others stay, those of other tools at the end."""
    old = REPORT.read_text(encoding="utf-8") if REPORT.exists() else ""
    names = dict.fromkeys([*order, *written()])
    blocks = {name: sections.get(name) or _find(old, name) for name in names}
    REPORT.write_text("\n\n".join([HEAD.strip(), *filter(None, blocks.values())]) + "\n", "utf-8")


def _table(figures: tuple[Figure, ...]) -> str:
    rows = [
        f"| {f.what} | {f.measured} | {f.goal} | {MARKS[f.met]} | {f.reference} | {f.ratio} |"
        for f in figures
    ]
    head = ["| what | measured | goal | met | reference | ratio |", "|---|--:|--:|---|--:|--:|"]
    return "\n".join(head + rows)


def _begin(name: str) -> str:
    return f"<!-- {name}: written by `python -m benchmarks {name}` -->"


def _end(name: str) -> str:
    return f"<!-- end of {name} -->"


def _find(text: str, name: str) -> str:
    pattern = rf"<!-- {name}: written by.*?" + re.escape(_end(name))
    block = re.search(pattern, text, flags=re.DOTALL)
    return block[0] if block else ""
