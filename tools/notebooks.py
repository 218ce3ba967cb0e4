"""Write notebooks/*.ipynb from their percent sources, without outputs and always the same.

``python tools/notebooks.py --check`` writes nothing and fails when a notebook is not up to date.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import jupytext
import nbformat

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"


def sources(folder: Path = NOTEBOOKS) -> list[Path]:
    """List the percent sources of the lessons."""
    return sorted(folder.glob("*.py"))


def generated(source: Path) -> str:
    """Make the text of the notebook that belongs to a percent source.

    Cells are numbered rather than given random ids, so that the same source gives the same file.
    """
    notebook = jupytext.read(source, fmt="py:percent")
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for number, cell in enumerate(notebook.cells, start=1):
        cell["id"] = f"cell-{number}"
    nbformat.validate(notebook)
    return str(nbformat.writes(notebook)) + "\n"


def outdated(folder: Path = NOTEBOOKS) -> Iterator[Path]:
    """Yield the notebooks that differ from what their source gives, and those without a source."""
    wanted = {source.with_suffix(".ipynb"): source for source in sources(folder)}
    for notebook, source in wanted.items():
        if not notebook.exists() or notebook.read_text(encoding="utf-8") != generated(source):
            yield notebook
    yield from sorted(set(folder.glob("*.ipynb")) - set(wanted))


def main(arguments: Sequence[str]) -> int:
    """Write the notebooks, or check them."""
    if list(arguments) == ["--check"]:
        stale = [path.name for path in outdated()]
        if stale:
            print(f"Not up to date: {', '.join(stale)}. Run `make notebooks`.", file=sys.stderr)
        return 1 if stale else 0
    for source in sources():
        source.with_suffix(".ipynb").write_text(generated(source), encoding="utf-8")
        print(f"notebooks/{source.stem}.ipynb")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
