"""The regular expressions in the sources, read without importing them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_CALLS = {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
_WORDS = r"(?:a|a\s+b)"
"""What stands for words that are put into a pattern at run time, escaped: one, or two in a row."""


@dataclass(frozen=True)
class SourcePattern:
    """A regular expression in a source file.

    Attributes
    ----------
    place : str
        File and line.
    pattern : str or bytes or None
        None where it is not written out in the file.
    flags : int
        As for `re.compile`.
    searches, whole : bool
        As for `harness.backtracking.slow_text`, by how the file uses it.
    """

    place: str
    pattern: str | bytes | None
    flags: int
    searches: bool
    whole: bool


def source_patterns() -> list[SourcePattern]:
    """Every pattern given to `re` in the packages."""
    files = [
        f for package in ("biaslab", "widgets", "train") for f in (ROOT / package).rglob("*.py")
    ]
    return [pattern for file in sorted(files) for pattern in _patterns(file)]


def _patterns(file: Path) -> Iterator[SourcePattern]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    constants = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    uses = _uses(tree)
    names = _compiled_names(tree)
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and _function_of_re(node)):
            continue
        function = _function_of_re(node)
        how = {function}
        if function == "compile":
            how = uses.get(names.get(node, ""), {"search"})
        yield SourcePattern(
            f"{file.relative_to(ROOT)}:{node.lineno}",
            _text(node.args[0], constants), _flags(node),
            searches=not how <= {"match", "fullmatch"}, whole=how == {"fullmatch"},
        )  # fmt: skip


def _function_of_re(node: ast.Call) -> str:
    function = node.func
    if not (isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)):
        return ""
    return function.attr if function.value.id == "re" and function.attr in _CALLS else ""


def _compiled_names(tree: ast.Module) -> dict[ast.expr, str]:
    """Call of `re.compile` to the name that its result is given in the file."""
    names: dict[ast.expr, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Call):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    names[node.value] = target.id
    return names


def _uses(tree: ast.Module) -> dict[str, set[str]]:
    """Name to the methods that are called on it."""
    uses: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            uses.setdefault(node.value.id, set()).add(node.attr)
    return uses


def _text(node: ast.expr, constants: dict[str, ast.expr]) -> str | bytes | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
        return node.value
    if isinstance(node, ast.Name) and node.id in constants:
        return _text(constants[node.id], constants)
    if isinstance(node, ast.JoinedStr):
        return "".join(_part(part, constants) for part in node.values)
    return None


def _part(node: ast.expr, constants: dict[str, ast.expr]) -> str:
    if isinstance(node, ast.FormattedValue):
        known = _text(node.value, constants) if isinstance(node.value, ast.Name) else None
        return known if isinstance(known, str) else _WORDS
    assert isinstance(node, ast.Constant)
    return str(node.value)


def _flags(node: ast.Call) -> int:
    given = [*node.args[1:], *(keyword.value for keyword in node.keywords)]
    found = re.NOFLAG
    for part in (each for argument in given for each in ast.walk(argument)):
        if isinstance(part, ast.Attribute) and ast.unparse(part.value) == "re":
            found |= re.RegexFlag[part.attr]
    return int(found)
