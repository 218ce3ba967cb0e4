"""Find tests that fail by chance: they wait for one thing, and assert another.

``python tools/flaky_patterns.py`` lists, in the tests of benches,

- asserts on fields of a state that the wait before them does not name: ``until(...)`` returns the
  first state of which its condition holds, and other fields may come with a later message;
- plain asserts on a live page, which look once: ``expect(...)`` and ``eventually(...)`` look again.

A line that is meant so says why in a comment that begins with ``# once:``.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
ENDED = {"running", "reply", "generation"}
"""A state in which nothing runs, or that has a reply or an answer by its number, is whole."""
LIVE_READS = {
    "all_inner_texts", "all_text_contents", "bounding_box", "count", "evaluate", "get_attribute",
    "inner_html", "inner_text", "input_value", "is_checked", "is_disabled", "is_enabled",
    "is_visible", "shown", "text_content",
}  # fmt: skip
LIVE_FIXTURES = {"host", "app", "lab", "page", "watch"}
RETRIES = {"eventually", "wait_until"}


def findings(path: Path) -> Iterator[tuple[int, str]]:
    """Lines of a test file, and what is wrong there."""
    source = path.read_text(encoding="utf-8")
    tree, lines = ast.parse(source), source.splitlines()
    found = list(_looked_at_once(tree))
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            found += _half_awaited(function)
    for line, text in sorted(set(found)):
        if not any("# once: " in each for each in lines[line - 2 : line]):
            yield line, text


def _half_awaited(function: ast.FunctionDef) -> Iterator[tuple[int, str]]:
    """Asserts on fields that the wait before them does not name."""
    known: dict[str, set[str]] = {}
    local = {one.name: one for one in ast.walk(function) if isinstance(one, ast.FunctionDef)}
    for node in sorted(_statements(function), key=lambda one: one.lineno):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name, wait = node.targets[0].id, _wait(node.value)
            known.pop(name, None)
            if wait is None or (isinstance(wait.args[0], ast.Name) and wait.args[0].id in local):
                continue
            # The value of one field comes as a whole.
            if not isinstance(node.value, ast.Subscript):
                known[name] = _keys(wait) or ENDED
        elif isinstance(node, ast.Assert):
            for name, key in _reads(node):
                awaited = known.get(name, {key})
                if key not in awaited and not awaited & ENDED:
                    yield node.lineno, f"`{key}` is asserted, but not waited for"


def _statements(function: ast.FunctionDef) -> Iterator[ast.stmt]:
    return (node for node in ast.walk(function) if isinstance(node, ast.Assign | ast.Assert))


def _wait(value: ast.expr) -> ast.Call | None:
    """The call of ``until`` in an expression such as ``x.until(...)["answer"]``."""
    for node in ast.walk(value):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "until"
            and node.args
        ):
            return node
    return None


def _keys(node: ast.AST) -> set[str]:
    return {
        one.value
        for one in ast.walk(node)
        if isinstance(one, ast.Constant) and isinstance(one.value, str)
    }


def _reads(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Names in an expression, and the first field that is read of each."""
    for one in ast.walk(node):
        if (
            isinstance(one, ast.Subscript)
            and isinstance(one.value, ast.Name)
            and isinstance(one.slice, ast.Constant)
            and isinstance(one.slice.value, str)
        ):
            yield one.value.id, one.slice.value


def _looked_at_once(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Plain asserts on a live page outside of functions that are tried again."""
    retried = {
        name.id
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and _called(call) in RETRIES
        for name in ast.walk(call)
        if isinstance(name, ast.Name)
    }
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef):
            continue
        if LIVE_FIXTURES.isdisjoint(argument.arg for argument in function.args.args):
            continue
        for node in _outside_of(retried, function):
            if isinstance(node, ast.Assert):
                for read in ast.walk(node):
                    if isinstance(read, ast.Call) and _reads_page(read):
                        yield node.lineno, f"`{_called(read)}` looks at the page once"


def _outside_of(names: set[str], node: ast.AST) -> Iterator[ast.AST]:
    """Walk a tree without the functions of these names."""
    if isinstance(node, ast.FunctionDef) and node.name in names:
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _outside_of(names, child)


def _reads_page(call: ast.Call) -> bool:
    """Tell ``locator.count()`` from ``text.count("a")``."""
    name = _called(call)
    return name in LIVE_READS and not (name == "count" and call.args)


def _called(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def main(names: Sequence[str]) -> int:
    """List what the rules find in the named files, by default in the tests of benches."""
    paths = [Path(name) for name in names] or sorted((TESTS / "benches").rglob("test_*.py"))
    found = [(path, *each) for path in paths for each in findings(path)]
    for path, line, text in found:
        print(f"{path.resolve().relative_to(ROOT)}:{line}: {text}")
    return min(len(found), 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
