"""Words that a person reads: what a machine can hold of the rules of language."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
READS = ("biaslab", "widgets/biaslab_widgets", "train/biaslab_train", "js/src")
PRODUCT = ("biaslab", "widgets/biaslab_widgets", "train/biaslab_train")
SCREENS = ("biaslab/reports", "widgets/biaslab_widgets/benches")
"""Texts of results and benches. Field descriptions become comments, which are typed straight."""

_APOSTROPHE = re.compile(r"[A-Za-z]'[a-z]")
_COUNT = re.compile(r"len\(.*\)|(?:\w+\.)?(?:n|n_\w+|count|total|chains)|count\(.*\)")
_SEVERAL = re.compile(
    r" (?:cue |control )?(?:answers|attributes|chains|cues|draws|languages|models|names|occupations"
    r"|pairs|pictures|points|portraits|questions|replicates|sentences|terms|texts|words)\b"
)


def files(roots: tuple[str, ...], *endings: str) -> list[Path]:
    return sorted(p for r in roots for end in endings for p in (ROOT / r).rglob(f"*{end}"))


def texts(tree: ast.AST) -> Iterator[ast.Constant]:
    """Its strings but docstrings."""
    docs = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        for part in ast.walk(node.value)
        if isinstance(node.value, (ast.Constant, ast.JoinedStr))
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node


def place(path: Path, line: int) -> str:
    return f"{path.relative_to(ROOT)}:{line}"


@pytest.fixture(scope="module")
def trees() -> dict[Path, ast.AST]:
    return {path: ast.parse(path.read_text("utf-8")) for path in files(PRODUCT, ".py")}


def test_a_plural_is_chosen_by_the_count(trees: dict[Path, ast.AST]) -> None:
    """No "1 word(s)"; on screens a count and its noun go through `counted`."""
    wrong = [
        place(path, text.lineno)
        for path, tree in trees.items()
        for text in texts(tree)
        if re.search(r"[a-z]{2,}\(s\)", text.value)
    ]
    for path, tree in trees.items():
        if path.relative_to(ROOT).as_posix().startswith(SCREENS):
            wrong += [place(path, line) for line in uncounted(tree)]
    assert wrong == []


def uncounted(tree: ast.AST) -> Iterator[int]:
    """Lines of a count that is followed by a plural, whatever the count."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, after in zip(node.values, node.values[1:], strict=False):
            if (
                isinstance(value, ast.FormattedValue)
                and isinstance(after, ast.Constant)
                and _COUNT.fullmatch(ast.unparse(value.value))
                and _SEVERAL.match(str(after.value))
            ):
                yield node.lineno


def test_a_per_cent_sign_stands_apart_from_its_number(trees: dict[Path, ast.AST]) -> None:
    wrong = [
        place(path, node.lineno)
        for path, tree in trees.items()
        if "biaslab_train" not in path.parts  # its model cards are stored as they are
        for node in ast.walk(tree)
        if isinstance(node, ast.FormattedValue)
        and node.format_spec is not None
        and ast.unparse(node.format_spec).rstrip("'\"").endswith("%")
    ]
    assert wrong == []


def test_errors_are_shown_as_prose_and_times_by_one_function() -> None:
    """An error quotes as `repr` does, and a browser's own dates differ from page to page."""
    ways = [
        (files(("widgets/biaslab_widgets/benches", "widgets/biaslab_widgets/app/pages"), ".py"),
         re.compile(r"str\(error\)(?!\.replace)")),
        (files(("js/src/app",), ".ts", ".tsx"), re.compile(r"toLocale(Date|Time)?String\(")),
    ]  # fmt: skip
    wrong = [
        place(path, number)
        for paths, pattern in ways
        for path in paths
        if path.name not in ("times.ts", "days.ts")
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if pattern.search(line)
    ]
    assert wrong == []


def test_apostrophes_on_screens_are_curly(trees: dict[Path, ast.AST]) -> None:
    wrong = [
        place(path, text.lineno)
        for path, tree in trees.items()
        if path.relative_to(ROOT).as_posix().startswith(SCREENS) and path.name != "fields.py"
        for text in texts(tree)
        if _APOSTROPHE.search(text.value)
    ]
    for path in files(("js/src",), ".ts", ".tsx"):
        if "generated" in path.parts:
            continue
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            plain = re.sub(r"//.*|^\s*/?\*.*", "", line)
            if _APOSTROPHE.search(plain) and not plain.lstrip().startswith("{/*"):
                wrong.append(place(path, number))
    assert wrong == []
