"""Change the product in many small places, and count the changes that a test notices.

``python tools/mutants.py`` takes 40 places of each area, the same ones at every commit that has
them, and runs the tests that execute the changed function, by ``tests/map.csv``, in a tree of its
own. What was tried at a commit is kept in build/mutants.jsonl and not tried again, so it may be
interrupted. ``--area`` and ``--minutes`` take a part. A change that no test notices is a survivor:
if it changes a number, it shows which test is missing.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import affected  # noqa: E402  (beside this file)
from harness.durations import seconds_by_file  # noqa: E402
from harness.executed import functions, slot  # noqa: E402

LEDGER = ROOT / "build" / "mutants.jsonl"
TREE = ROOT / "build" / "mutants"
BUNDLES = (
    "widgets/biaslab_widgets/static", "widgets/jupyter_labextension/static", "js/node_modules"
)  # fmt: skip
AREAS = {
    "stats": "biaslab/stats",
    "probes": "biaslab/probes",
    "deciders": "biaslab/deciders",
    "store": "biaslab/store",
    "controllers": "widgets/biaslab_widgets/benches",
}
TESTS_S = 120.0
"""Of the tests that execute a function, the most specific that take so long together are run."""
LIMIT_S = 600
"""A change that makes its tests run longer has been noticed."""
_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One small change.

    Attributes
    ----------
    path : str
        The file, below the root.
    function : str
        Its qualified name.
    line : int
    old, new : str
        The expression, and what takes its place.
    source : str
        The whole changed file.
    """

    path: str
    function: str
    line: int
    old: str
    new: str
    source: str

    @property
    def key(self) -> str:
        """What names it at every commit: neither the line nor the rest of the file counts."""
        text = "\0".join((self.path, self.function, self.old, self.new))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def mutants(area: str) -> list[Mutant]:
    """Return all changes of an area, in an order that hangs on their content alone."""
    found = {
        mutant.key: mutant
        for path in sorted((ROOT / AREAS[area]).rglob("*.py"))
        for mutant in of_file(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
    }
    return [found[key] for key in sorted(found)]


def of_file(path: str, source: str) -> Iterator[Mutant]:
    """Yield the changes of a file."""
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode()))
    content = source.encode()
    for name, function in functions(ast.parse(source)):
        for node in _expressions(function.body):
            for new in _changed(node):
                begin = starts[node.lineno - 1] + node.col_offset
                end = starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
                text = content[:begin] + f"({new})".encode() + content[end:]
                old = content[begin:end].decode()
                yield Mutant(path, name, node.lineno, old, new, text.decode())


def _expressions(body: Sequence[ast.AST]) -> Iterator[ast.expr]:
    """Yield expressions of a function that is not inside another, without texts and annotations."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.JoinedStr):
            continue
        if isinstance(node, ast.expr):
            yield node
        children = (
            child
            for name, value in ast.iter_fields(node)
            if name not in ("annotation", "slice")
            for child in (value if isinstance(value, list) else [value])
            if isinstance(child, ast.AST)
        )
        yield from _expressions(list(children))


def _changed(node: ast.expr) -> Iterator[str]:
    """Yield what an expression may become."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        swapped = _COMPARISONS[type(node.ops[0])]()
        yield ast.unparse(ast.Compare(node.left, [swapped], node.comparators))
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        yield ast.unparse(ast.BinOp(node.left, _OPERATORS[type(node.op)](), node.right))
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield ast.unparse(ast.BoolOp(other, node.values))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield ast.unparse(node.operand)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield str(not node.value)
        elif isinstance(node.value, int | float):
            yield repr(node.value + 1)
    elif isinstance(node, ast.IfExp):
        yield ast.unparse(ast.IfExp(node.test, node.orelse, node.body))


def tests_of(mutant: Mutant, known: affected.Map) -> list[str]:
    """Return the test files that execute the changed function, most specific first."""
    bit = 1 << slot(mutant.function)
    found = affected.affected({mutant.path: bit}, known)
    own = {name: share for name, share in found.items() if not name.startswith("tests/stage")}
    return affected.within(own, TESTS_S, seconds_by_file())[0]


def outcome(mutant: Mutant, known: affected.Map) -> str:
    """Run the tests of a change: ``killed``, ``survived``, or ``no test``."""
    tests = [name for name in tests_of(mutant, known) if (TREE / name).is_file()]
    if not tests:
        return "no test"
    path = TREE / mutant.path
    before = path.read_bytes()
    path.write_text(mutant.source, encoding="utf-8")
    places = [str(TREE / part) for part in ("", "widgets", "tests", "tools")]
    options = ["-n0", "-x", "-q", "-p", "no:cacheprovider", "-m", "not validate and not browser"]
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *options, *tests],
        cwd=TREE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(places), "OMP_NUM_THREADS": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        status = process.wait(LIMIT_S)
    except subprocess.TimeoutExpired:
        status = 1
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        path.write_bytes(before)
    return {0: "survived", 5: "no test"}.get(status, "killed")


def make_tree(commit: str) -> None:
    """Check the commit out beside the working tree, with what was built for it."""
    shutil.rmtree(TREE, ignore_errors=True)
    subprocess.run(["git", "worktree", "prune"], cwd=ROOT, check=True)
    add = ["git", "worktree", "add", "--quiet", "--detach", "--force", str(TREE), commit]
    subprocess.run(add, cwd=ROOT, check=True)
    for name in BUNDLES:
        (TREE / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).exists() and not (TREE / name).exists():
            (TREE / name).symlink_to(ROOT / name)


def kept(commit: str) -> dict[str, str]:
    """Return what was tried at a commit, by key."""
    if not LEDGER.is_file():
        return {}
    rows = [json.loads(line) for line in LEDGER.read_text(encoding="utf-8").splitlines()]
    return {row["key"]: row["outcome"] for row in rows if row["commit"] == commit}


def main(arguments: Sequence[str] | None = None) -> int:
    """Try what was not tried, and print the share that was noticed in each area."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--area", choices=AREAS, action="append")
    parser.add_argument("--places", type=int, default=40, help="of each area")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    options = parser.parse_args(arguments)
    commit = affected.git("rev-parse", "HEAD").strip()[:12]
    done, known = kept(commit), affected.read_map()
    end = time.monotonic() + 60 * options.minutes
    LEDGER.parent.mkdir(exist_ok=True)
    make_tree(commit)
    for area in options.area or AREAS:
        chosen = mutants(area)[: options.places]
        for mutant in chosen:
            if mutant.key in done or time.monotonic() > end:
                continue
            done[mutant.key] = outcome(mutant, known)
            row = {"commit": commit, "area": area, "key": mutant.key, "outcome": done[mutant.key]}
            place = {"at": f"{mutant.path}:{mutant.line}", "old": mutant.old, "new": mutant.new}
            with LEDGER.open("a", encoding="utf-8") as file:
                file.write(json.dumps({**row, **place}) + "\n")
            if done[mutant.key] != "killed":
                print(f"{done[mutant.key]}: {place['at']}  {mutant.old}  ->  {mutant.new}")
        tried = [done[mutant.key] for mutant in chosen if mutant.key in done]
        print(f"{area}: {tried.count('killed')} of {len(tried)} noticed", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
