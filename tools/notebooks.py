"""Write notebooks/*.ipynb from their percent sources, without outputs and always the same.

``python tools/notebooks.py --check`` writes nothing and fails when a notebook is not up to date.

A lesson is one source. What its cells are tagged with decides where they go:

========== ========================= ==================================================
tag        lesson-N.ipynb            lesson-N-solutions.ipynb (if the lesson has any)
========== ========================= ==================================================
(none)     as it is                  as it is
solution   text is left out; of code as it is
           the comments at its
           beginning stay
hidden     with its code folded      with its code folded
check      left out                  left out
========== ========================= ==================================================

A ``check`` holds the text around it to what comes out: tests run the source with all its cells, so
that a claim which the bundled subject no longer bears out fails.
"""

from __future__ import annotations

import copy
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
TAGS = frozenset({"solution", "hidden", "check"})
SOLUTION = re.compile(r'^# %%.*tags=\[.*"solution"', re.MULTILINE)
EMPTY_EXERCISE = "# Your code here."


def sources(folder: Path = NOTEBOOKS) -> list[Path]:
    """List the percent sources of the lessons."""
    return sorted(folder.glob("*.py"))


def read(source: Path) -> Any:
    """Read a percent source with all its cells, as the tests run it.

    Raises
    ------
    ValueError
        When a cell has a tag that means nothing here, or a check is text.
    """
    import jupytext

    notebook = jupytext.read(source, fmt="py:percent")
    for cell in notebook.cells:
        first = cell.source.partition("\n")[0]
        if unknown := tags(cell) - TAGS:
            raise ValueError(
                f"{source.name}, cell {first!r}: unknown tag {', '.join(sorted(unknown))}; "
                f"use {', '.join(sorted(TAGS))}."
            )
        if cell.cell_type == "markdown" and tags(cell) & {"check", "hidden"}:
            raise ValueError(f"{source.name}, cell {first!r}: only code can be a check or hidden.")
    return notebook


def tags(cell: Any) -> set[str]:
    """Tags of a cell."""
    return set(cell.metadata.get("tags", []))


def has_solutions(source: Path) -> bool:
    """Whether a lesson has exercises with solutions; cells are not parsed, which takes longer."""
    return SOLUTION.search(source.read_text(encoding="utf-8")) is not None


def paths(source: Path) -> list[Path]:
    """List the notebooks that a percent source gives."""
    given = [source.with_suffix(".ipynb")]
    if has_solutions(source):
        given.append(source.with_name(f"{source.stem}-solutions.ipynb"))
    return given


def text_of(path: Path) -> str:
    """Make the text of a notebook from the percent source that gives it."""
    lesson = path.stem.removesuffix("-solutions")
    return generated(path.with_name(f"{lesson}.py"), solutions=path.stem != lesson)


def generated(source: Path, *, solutions: bool = False) -> str:
    """Make the text of a notebook that belongs to a percent source.

    Cells are numbered rather than given random ids, so that the same source gives the same file.
    """
    import nbformat

    notebook = read(source)
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.cells = [shown for cell in notebook.cells for shown in _shown(cell, solutions)]
    for number, cell in enumerate(notebook.cells, start=1):
        cell["id"] = f"cell-{number}"
    nbformat.validate(notebook)
    return str(nbformat.writes(notebook)) + "\n"


def _shown(cell: Any, solutions: bool) -> Iterator[Any]:
    """The cell as a notebook shows it, or nothing."""
    import nbformat

    marks = tags(cell)
    is_code = cell.cell_type == "code"
    if "check" in marks or ("solution" in marks and not solutions and not is_code):
        return
    shown = copy.deepcopy(cell)
    shown.metadata = nbformat.from_dict({})
    if "hidden" in marks:
        shown.metadata = nbformat.from_dict({"jupyter": {"source_hidden": True}})
    if "solution" in marks and not solutions:
        shown.source = _exercise(cell.source)
    yield shown


def _exercise(solution: str) -> str:
    """The comments at the beginning of a solution: they say what to do."""
    kept = []
    for line in solution.splitlines():
        if not line.startswith("#"):
            break
        kept.append(line)
    return "\n".join(kept) or EMPTY_EXERCISE


def notebooks(folder: Path = NOTEBOOKS) -> dict[Path, str]:
    """Every notebook that belongs into the folder, with its text."""
    return {path: text_of(path) for source in sources(folder) for path in paths(source)}


def outdated(folder: Path = NOTEBOOKS) -> Iterator[Path]:
    """Yield the notebooks that differ from what their source gives, and those without a source."""
    wanted = notebooks(folder)
    for notebook, text in wanted.items():
        if not notebook.exists() or notebook.read_text(encoding="utf-8") != text:
            yield notebook
    yield from sorted(set(folder.glob("*.ipynb")) - set(wanted))


def main(arguments: Sequence[str]) -> int:
    """Write the notebooks, or check them."""
    if list(arguments) == ["--check"]:
        stale = [path.name for path in outdated()]
        if stale:
            print(f"Not up to date: {', '.join(stale)}. Run `make notebooks`.", file=sys.stderr)
        return 1 if stale else 0
    for path, text in notebooks().items():
        path.write_text(text, encoding="utf-8")
        print(f"notebooks/{path.name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
