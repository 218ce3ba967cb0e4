"""Change the product in many small places, and count the changes that a test notices.

``python tools/mutants.py`` takes 40 places of each area, the same ones at every commit that has
them. One process collects all tests; a fork of it runs the quick ones, and records which functions
each executes. Each change is made in memory, in a fork of its own, and the tests of the changed
function run there until one fails: quick ones that executed it, then slower ones of the test files
that do, by ``tests/map.csv``, up to ``--seconds`` of computing. A test counts if it passes without
the change. What is computed while modules are imported, or in a process that a test starts, stays
as it is. Results are appended to build/, so the tool may be interrupted. A change that no test
notices, but that changes a number, shows which test is missing.
"""

from __future__ import annotations

import argparse
import ast
import csv
import gc
import hashlib
import json
import os
import re
import resource
import select
import signal
import sys
import tempfile
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import affected  # noqa: E402  (beside this file)
from harness import executed, item_results  # noqa: E402
from harness.scheduling import group  # noqa: E402

LEDGER = ROOT / "build" / "mutants.jsonl"
AREAS = {
    "stats": "biaslab/stats",
    "probes": "biaslab/probes",
    "asking": "biaslab/asking",
    "store": "biaslab/store",
    "controllers": "widgets/biaslab_widgets/benches",
}
IMPORTED = "openai pandas panel psycopg pyro scipy.stats torch transformers.modeling_utils"
"""Imported once, since tests would do it in each fork."""
QUICK_S = 0.2
"""Tests that compute no longer than this are recorded one by one."""
LIMIT_S = 120.0  # a test that runs twice as long has noticed the change
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
    """A changed expression of a function, with the source of the whole changed file."""

    path: str
    function: str
    text: str
    key: str
    """What names it at every commit: neither the line nor the rest of the file counts."""
    source: str


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
    content = source.encode()
    starts = [0, *(match.end() for match in re.finditer(rb"\n", content))]
    for name, function in executed.functions(ast.parse(source)):
        for node in _expressions(function.body):
            for new in _changed(node):
                begin = starts[node.lineno - 1] + node.col_offset
                end = starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
                old = content[begin:end].decode()
                text = f"{path}:{node.lineno}  {old}  ->  {new}"
                key = hashlib.sha256("\0".join((path, name, old, new)).encode()).hexdigest()[:16]
                changed = content[:begin] + f"({new})".encode() + content[end:]
                yield Mutant(path, name, text, key, changed.decode())


def _expressions(body: Sequence[ast.AST]) -> Iterator[ast.expr]:
    """Yield expressions of a function that is not inside another, without texts and annotations."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.JoinedStr):
            continue
        if isinstance(node, ast.expr):
            yield node
        for name, value in ast.iter_fields(node):
            if name not in ("annotation", "slice"):
                inner = value if isinstance(value, list) else [value]
                yield from _expressions([each for each in inner if isinstance(each, ast.AST)])


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


class Tries:
    """A pytest plugin that tries changes in place of running the collected tests."""

    def __init__(self, options: argparse.Namespace, folder: str) -> None:
        self.options = options
        self.begun = Path(folder) / "begun"
        self.commit = affected.git("rev-parse", "HEAD").strip()[:12]
        self.map = affected.read_map()
        self.functions: defaultdict[str, list[FunctionType]] = defaultdict(list)
        with (ROOT / "tests" / "durations.csv").open(encoding="utf-8", newline="") as file:
            known = {row["test"]: float(row["cpu_seconds"]) for row in csv.DictReader(file)}
        self.seconds = defaultdict(lambda: QUICK_S, known)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Record the quick tests, try changes, and print the share noticed in each area."""
        self.items = {item.nodeid: item for item in session.items}
        of_areas = [mutants(area)[: self.options.places] for area in AREAS]
        self._import({mutant.path for of in of_areas for mutant in of})
        self.recorded = self._record()
        done = {row["key"]: row for row in rows_of(LEDGER) if row["commit"] == self.commit}
        for mutant in (mutant for row in zip(*of_areas, strict=False) for mutant in row):
            last = done.get(mutant.key, {"by": "", "seconds": 0})
            if not last["by"] and last["seconds"] < self.options.seconds:
                done[mutant.key] = self._try(mutant)
        for area, of in zip(AREAS, of_areas, strict=True):
            print(f"{area}: {sum(bool(done[m.key]['by']) for m in of)} of {len(of)} noticed")
        return True

    def _import(self, paths: Iterable[str]) -> None:
        """Import what forks would, and find the functions that may be changed."""
        modules = (path.removeprefix("widgets/")[:-3].replace("/", ".") for path in paths)
        for name in (*IMPORTED.split(), *modules):
            with suppress(ImportError):
                import_module(name.removesuffix(".__init__"))
        for each in gc.get_objects():
            if type(each) is FunctionType and each.__code__.co_filename.startswith(str(ROOT)):
                self.functions[each.__code__.co_filename].append(each)
        gc.freeze()  # The collector of a fork would copy what it looks at.

    def _record(self) -> dict[str, executed.Executed]:
        """Return what quick tests executed at this commit, after a run of those not recorded."""
        path = LEDGER.with_name(f"executed-{self.commit}.jsonl")
        begun = {row.get("began") for row in rows_of(path)}
        tests = [t for t in self.items if t not in begun and self.seconds[t] <= QUICK_S]
        if tests:
            plugin = item_results.ItemResults(path.open("ab", buffering=0).write)  # type: ignore[arg-type]
            manager = self.items[tests[0]].config.pluginmanager
            self._failing(tests, lambda: manager.register(plugin), limit_s=None)
        return {r["item"]: r["executed"] for r in rows_of(path) if r.get("outcome") == "passed"}

    def _tests_of(self, mutant: Mutant) -> list[str]:
        """Return tests that execute the changed function, those of a file in a row."""
        bit = 1 << executed.slot(mutant.function)
        share = affected.affected({mutant.path: bit}, self.map)
        quick = [test for test, masks in self.recorded.items() if masks.get(mutant.path, 0) & bit]
        of_file = Counter[str]()
        for test in quick:
            of_file[group(test)] += self.seconds[test] / share.get(group(test), 0.001)
        slower = [test for test in self.items if test not in self.recorded and group(test) in share]
        quick.sort(key=lambda test: (of_file[group(test)], group(test)))
        slower.sort(key=lambda test: (-share[group(test)], group(test), self.seconds[test]))
        chosen, left = list[str](), float(self.options.seconds)
        for test in quick + slower:
            if self.seconds[test] <= left:
                chosen.append(test)
                left -= self.seconds[test]
        return chosen

    def _try(self, mutant: Mutant) -> dict[str, Any]:
        """Try a change, and append what came of it."""
        tests, by = self._tests_of(mutant), ""
        while tests and (by := self._failing(tests, lambda: self._change(mutant))):
            if not self._failing([by], lambda: None):
                break
            tests.remove(by)
            by = ""
        row: dict[str, Any] = {"commit": self.commit, "key": mutant.key, "change": mutant.text}
        row |= {"seconds": self.options.seconds, "tests": len(tests), "by": by}
        with LEDGER.open("a", encoding="utf-8") as file:
            print(json.dumps(row), file=file)
        if not by:
            print(f"survives {len(tests)} tests: {mutant.text}", flush=True)
        return row

    def _change(self, mutant: Mutant) -> None:
        """Put the code of the changed file into its functions."""
        path = str(ROOT / mutant.path)
        codes = [compile(mutant.source, path, "exec", dont_inherit=True)]
        for code in codes:
            codes += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
        named = {(code.co_qualname, code.co_firstlineno): code for code in codes}
        for function in self.functions[path]:
            own = function.__code__
            function.__code__ = named.get((own.co_qualname, own.co_firstlineno), own)

    def _failing(
        self, tests: Sequence[str], begin: Callable[[], object], limit_s: float | None = LIMIT_S
    ) -> str:
        """Run tests in a fork; return the first that fails or does not end, or an empty text."""
        self.begun.unlink(missing_ok=True)
        if (child := os.fork()) == 0:
            try:
                os.setsid()
                resource.setrlimit(resource.RLIMIT_AS, (12 * 2**30,) * 2)
                os.dup2(os.open(os.devnull, os.O_RDWR), 1)
                begin()
                for test, after in zip(tests, [*tests[1:], ""], strict=True):
                    self.begun.write_text(test, encoding="utf-8")
                    item, following = self.items[test], self.items.get(after)
                    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                    if item.session.testsfailed and limit_s:
                        os._exit(1)
                self.begun.write_text("", encoding="utf-8")
            except BaseException:
                traceback.print_exc()
                raise
            finally:
                os._exit(0)
        ended = os.pidfd_open(child)
        last = ""
        while not select.select([ended], [], [], limit_s)[0]:
            if last == (last := self.begun.read_text(encoding="utf-8")):
                break
        os.close(ended)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return self.begun.read_text(encoding="utf-8")


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Read a file that has JSON in each line."""
    path.touch()
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def main(arguments: Sequence[str] | None = None) -> int:
    """Try what was not tried, and print the share that was noticed in each area."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--places", type=int, default=40, help="of each area")
    parser.add_argument("--seconds", type=float, default=15.0, help="of computing for a change")
    options = parser.parse_args(arguments)
    LEDGER.parent.mkdir(exist_ok=True)
    os.chdir(ROOT)
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        names = [str(path) for area in AREAS.values() for path in Path(area).rglob("*.py")]
        flags = Path(folder) / "flags"
        flags.write_bytes(bytes(executed.SLOTS * len(names)))
        flags.with_name("flags.files").write_text("\n".join(names), encoding="utf-8")
        executed.follow(str(flags))
        words = f"-n0 -qq -s -p no:cacheprovider --basetemp={folder}/tests -m".split()
        markers = "not validate and not browser"
        return int(pytest.main([*words, markers], plugins=[Tries(options, folder)]))


if __name__ == "__main__":
    sys.exit(main())
