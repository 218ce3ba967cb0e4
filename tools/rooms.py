"""Write the map of the rooms into CONTRIBUTING.md: ``python tools/rooms.py``.

Rooms stand in the order of the layers in pyproject.toml: each may import those below it. What a
room is says the first line of its ``__init__``. ``--check`` fails where the map is stale, a folder
is too full, or a module stands outside the rooms.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAP = ROOT / "CONTRIBUTING.md"
BETWEEN = re.compile(r"(?<=<!-- rooms -->\n).*?(?=<!-- /rooms -->)", re.DOTALL)
PACKAGES = {
    "biaslab_train": ROOT / "train" / "biaslab_train",
    "biaslab": ROOT / "biaslab",
    "biaslab_widgets": ROOT / "widgets" / "biaslab_widgets",
}
MOST_FILES = 25
"""Python files of a folder: more are not seen at a glance."""
OUTSIDE = {"__init__", "arguments", "errors"}
"""Modules of ``biaslab`` that every room may import."""


def layers(package: str) -> list[str]:
    """The rooms of a package by their layers, top first."""
    read = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = read["tool"]["importlinter"]["contracts"]
    layered = next(each for each in contracts if each.get("containers") == [package])
    return [name for layer in layered["layers"] for name in re.findall(r"\w+", layer)]


def meaning(folder: Path) -> str:
    """What the first line of a package says, without its full stop."""
    tree = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
    first = (ast.get_docstring(tree) or "").partition("\n")[0]
    return first.rstrip(".").replace("``", "`").replace("|", r"\|")


def rows() -> Iterator[str]:
    """Rows of the map: each room, and the rooms in it."""
    for package, folder in reversed(PACKAGES.items()):
        for room in layers(package):
            if (folder / room).is_dir():
                yield from _rows(folder / room)


def _rows(folder: Path) -> Iterator[str]:
    yield f"| `{folder.relative_to(ROOT).as_posix()}/` | {meaning(folder)} |\n"
    for inner in sorted(folder.iterdir()):
        if (inner / "__init__.py").is_file():
            yield from _rows(inner)


def written(text: str) -> str:
    """The page with today's map."""
    return BETWEEN.sub(lambda _: "| room | what |\n|---|---|\n" + "".join(rows()), text)


def faults() -> Iterator[str]:
    """What is wrong with the rooms, and what to do."""
    text = MAP.read_text(encoding="utf-8")
    if written(text) != text:
        yield "The map in CONTRIBUTING.md is stale. Run `python tools/rooms.py`."
    for folder in {path.parent for base in PACKAGES.values() for path in base.rglob("*.py")}:
        if (count := len(list(folder.glob("*.py")))) > MOST_FILES:
            where = folder.relative_to(ROOT)
            yield f"{where}: {count} files. Make a room in it, or chapters of cards."
    for loose in sorted({path.stem for path in PACKAGES["biaslab"].glob("*.py")} - OUTSIDE):
        yield f"biaslab/{loose}.py stands outside the rooms. Put it into one."


def main(arguments: list[str]) -> int:
    """Write the map, or say what is wrong."""
    if arguments == ["--check"]:
        found = list(faults())
        print("\n".join(found) or "every module is in a room, and the map is today's")
        return 1 if found else 0
    MAP.write_text(written(MAP.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
