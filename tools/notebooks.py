"""Write the lessons' notebooks from their percent sources, without outputs and always the same.

``python tools/notebooks.py --check`` writes nothing and fails when a notebook is not up to date.

A lesson is one source in ``lessons/``, which students do not get: it holds the solutions. Students
get ``notebooks/``. What its cells are tagged with decides where they go:

========== ============================== ==================================================
tag        notebooks/lesson-N.ipynb       lessons/solutions/lesson-N-solutions.ipynb, if any
========== ============================== ==================================================
(none)     as it is                       as it is
solution   text is left out; of code      as it is
           the comments at its beginning
           stay
hidden     with its code folded           with its code folded
after:NAME as if it stood below the       the same
           prediction of that name
check      left out                       left out
========== ============================== ==================================================

A ``check`` holds the text around it to what comes out: tests run the source with all its cells, so
that a claim which the bundled subject no longer bears out fails.

What stands below a prediction, up to the next heading, waits for it: code runs under ``%%after``,
and text becomes a folded cell under ``%%text_after`` (see
``biaslab_widgets.classroom.prediction``). A right answer of a `SelfCheck` becomes its digest.
"""

from __future__ import annotations

import ast
import copy
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeGuard

ROOT = Path(__file__).resolve().parent.parent
LESSONS = ROOT / "lessons"
NOTEBOOKS = ROOT / "notebooks"
TAGS = frozenset({"solution", "hidden", "check"})
AFTER = "after:"
REVEAL = "# What came out, once you have committed your prediction."
SOLUTION = re.compile(r'^# %%.*tags=\[.*"solution"', re.MULTILINE)
PREDICTION = re.compile(r"^(\w+) = Prediction\(", re.MULTILINE)
HEADING = re.compile(r"^##+ .*$", re.MULTILINE)
EMPTY_EXERCISE = "# Your code here."


def sources(folder: Path = LESSONS) -> list[Path]:
    """List the percent sources of the lessons."""
    return sorted(folder.glob("*.py"))


def read(source: Path) -> Any:
    """Read a percent source with all its cells, as the tests run it.

    Raises `ValueError` when a cell has a tag that means nothing here, or a check is text.
    """
    import jupytext

    notebook = jupytext.read(source, fmt="py:percent")
    for cell in notebook.cells:
        first = cell.source.partition("\n")[0]
        if unknown := {tag for tag in tags(cell) - TAGS if not tag.startswith(AFTER)}:
            raise ValueError(
                f"{source.name}, cell {first!r}: unknown tag {', '.join(sorted(unknown))}; "
                f"use {', '.join(sorted(TAGS))} or {AFTER}NAME."
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
    """List the notebooks that a percent source gives: for students, and with solutions."""
    folder = source.parent.parent / "notebooks"
    given = [folder / f"{source.stem}.ipynb"]
    if has_solutions(source):
        given.append(source.parent / "solutions" / f"{source.stem}-solutions.ipynb")
    return given


def text_of(path: Path) -> str:
    """Make the text of a notebook from the percent source that gives it."""
    solutions = path.parent.name == "solutions"
    lessons = path.parent.parent if solutions else path.parent.parent / "lessons"
    lesson = path.stem.removesuffix("-solutions") if solutions else path.stem
    return generated(lessons / f"{lesson}.py", solutions=solutions)


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
    waiting = [piece for cell in _waiting(notebook.cells) for piece in _shown(*cell, solutions)]
    notebook.cells = waiting
    for number, cell in enumerate(notebook.cells, start=1):
        cell["id"] = f"cell-{number}"
    nbformat.validate(notebook)
    return str(nbformat.writes(notebook)) + "\n"


def _waiting(cells: Sequence[Any]) -> Iterator[tuple[Any, str]]:
    """Yield each cell with the prediction that it waits for, if any; text is cut at headings."""
    open_question = ""
    for cell in cells:
        named = next((t.removeprefix(AFTER) for t in tags(cell) if t.startswith(AFTER)), "")
        if cell.cell_type == "code":
            yield cell, named or open_question
            if "solution" not in tags(cell) and (asked := PREDICTION.findall(cell.source)):
                open_question = asked[-1]
            continue
        before, heading, below = _cut(cell.source)
        if before:
            yield _text(cell, before), named or open_question
        if heading:
            open_question = ""
            if named:
                yield _text(cell, heading), ""
                yield _text(cell, below), named
            else:
                yield _text(cell, f"{heading}\n\n{below}".strip()), ""


def _cut(text: str) -> tuple[str, str, str]:
    """Cut Markdown into what stands before its first heading, that heading, and the rest."""
    found = HEADING.search(text)
    if found is None:
        return text, "", ""
    return text[: found.start()].strip(), found[0], text[found.end() :].strip()


def _text(cell: Any, source: str) -> Any:
    part = copy.deepcopy(cell)
    part.source = source
    return part


def _shown(cell: Any, waits_for: str, solutions: bool) -> Iterator[Any]:
    """The cell as a notebook shows it, or nothing."""
    import nbformat

    marks = tags(cell)
    is_code = cell.cell_type == "code"
    if "check" in marks or ("solution" in marks and not solutions and not is_code):
        return
    shown = copy.deepcopy(cell)
    if "solution" in marks and not solutions:
        shown.source = _exercise(cell.source)
    if is_code:
        shown.source = without_right_answers(shown.source)
    elif solutions:
        # The other lessons lie where students get theirs.
        shown.source = shown.source.replace("](lesson-", "](../../notebooks/lesson-")
    folded = "hidden" in marks
    if waits_for and not is_code:
        shown = nbformat.v4.new_code_cell(f"%%text_after {waits_for}\n{shown.source}")
        folded = True
    elif waits_for and f"{waits_for}.reveal(" in cell.source:
        # A reveal waits by itself; a folded cell shows its first line.
        shown.source = f"{REVEAL}\n{shown.source}"
    elif waits_for:
        shown.source = f"%%after {waits_for}\n{shown.source}"
    # Folded in JupyterLab, and left out of an exported page.
    shown.metadata = nbformat.from_dict(
        {"jupyter": {"source_hidden": True}, "transient": {"remove_source": True}} if folded else {}
    )
    yield shown


def without_right_answers(source: str) -> str:
    """Put the digest in the place of each right answer of a `SelfCheck`."""
    if "SelfCheck(" not in source:
        return source
    # Late: every process that runs tests imports this module, and widgets take long to import.
    from biaslab_widgets.classroom.digest import digest_of

    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode()))
    raw = source.encode()
    for call in reversed([node for node in ast.walk(ast.parse(source)) if _is_check(node)]):
        given = {word.arg: word for word in call.keywords}
        right = given["right"]
        question = ast.literal_eval(call.args[0])
        digits = ast.literal_eval(given["digits"].value) if "digits" in given else 0
        typed = len(call.args) < 2
        digest = digest_of(question, str(ast.literal_eval(right.value)), digits if typed else None)
        begin = starts[right.lineno - 1] + right.col_offset
        value = right.value
        end = starts[(value.end_lineno or value.lineno) - 1] + (value.end_col_offset or 0)
        raw = raw[:begin] + f'digest="{digest}"'.encode() + raw[end:]
    return raw.decode()


def _is_check(node: ast.AST) -> TypeGuard[ast.Call]:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "SelfCheck"
        and any(word.arg == "right" for word in node.keywords)
    )


def _exercise(solution: str) -> str:
    """The comments at the beginning of a solution: they say what to do."""
    kept = []
    for line in solution.splitlines():
        if not line.startswith("#"):
            break
        kept.append(line)
    return "\n".join(kept) or EMPTY_EXERCISE


def notebooks(folder: Path = LESSONS) -> dict[Path, str]:
    """Every notebook that the sources of a folder give, with its text."""
    return {path: text_of(path) for source in sources(folder) for path in paths(source)}


def outdated(folder: Path = LESSONS) -> Iterator[Path]:
    """Yield the notebooks that differ from what their source gives, and those without a source."""
    wanted = notebooks(folder)
    for notebook, text in wanted.items():
        if not notebook.exists() or notebook.read_text(encoding="utf-8") != text:
            yield notebook
    for place in (folder.parent / "notebooks", folder / "solutions"):
        yield from sorted(set(place.glob("*.ipynb")) - set(wanted))


def main(arguments: Sequence[str]) -> int:
    """Write the notebooks, or check them."""
    if list(arguments) == ["--check"]:
        stale = [path.name for path in outdated()]
        if stale:
            print(f"Not up to date: {', '.join(stale)}. Run `make notebooks`.", file=sys.stderr)
        return 1 if stale else 0
    for path, text in notebooks().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT).as_posix())
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
