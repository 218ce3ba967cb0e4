"""Run the tests that a change can break: of one bench, or of what git says was changed.

``python tools/affected.py check rating`` runs what protects a bench without a server: controller,
front end, stage states, types and style; the front end's checks only where it changed since they
passed. ``run`` compares the working tree with a base and takes test files by ``tests/map.csv``,
which says which functions each of them executed, most specific first, up to ``--seconds``; ``list``
only names them. ``map`` runs all tests and writes the map.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import front_end  # noqa: E402  (beside this file)
import house  # noqa: E402
from harness.durations import seconds_by_file  # noqa: E402
from harness.executed import ALL, FOLLOWED, Executed, Recorder, joined, parts  # noqa: E402

MAP = ROOT / "tests" / "map.csv"
PASSED = ROOT / "build" / "check.json"
"""Of each bench, the contents of the front end with which `check` passed."""
JS = ROOT / "js"
CONTROLLER_S = 12.0
"""Of a bench's tests without a page, `check` runs so much, `test_bench.py` first."""
UNKNOWN_S = 5.0
"""Time of a test file that has no record."""

Map = dict[str, Executed]
"""Test file to what it executed."""


# The map.


def read_map(path: Path = MAP) -> Map:
    """Read the map; nothing where there is none."""
    tests: dict[str, str] = {}
    found: Map = {}
    if not path.is_file():
        return found
    with path.open(encoding="utf-8", newline="") as file:
        for name, value in csv.reader(file):
            if name.isdigit():
                tests[name] = value
                found[value] = {}
            else:
                for pair in value.split():
                    number, _, mask = pair.partition(":")
                    found[tests[number]][name] = int(mask, 16)
    return found


def write_map(found: Mapping[str, Executed], path: Path = MAP) -> None:
    """Write the numbers of the test files, then for each file who executed which functions."""
    numbers = {test: number for number, test in enumerate(sorted(found))}
    rows: defaultdict[str, list[str]] = defaultdict(list)
    for test, number in numbers.items():
        for name, mask in found[test].items():
            rows[name].append(f"{number}:{mask:x}")
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerows((number, test) for test, number in numbers.items())
        table.writerows((name, " ".join(rows[name])) for name in sorted(rows))


def executed_by_file(results: Iterable[Path]) -> Map:
    """Join what all items of a file executed, but for what was only loaded."""
    found: Map = {}
    for path in results:
        for line in path.read_text(encoding="utf-8").splitlines():
            said = json.loads(line)
            if "item" in said:
                test = said["item"].partition("::")[0]
                called = {
                    name: mask
                    for name, mask in said["executed"].items()
                    if mask > 1 or not name.endswith(".py")
                }
                found[test] = joined(found.get(test, {}), called)
    return found


def make_map(options: argparse.Namespace) -> int:
    """Run the tests and write the map; of some tests, replace their rows."""
    with tempfile.TemporaryDirectory(prefix="map-") as folder:
        recorder, place = Recorder(Path(folder) / "flags"), Path(folder) / "of"
        done = subprocess.run(
            _pytest(options.workers, "-p", "harness.item_results", *options.tests),
            cwd=ROOT,
            env={**os.environ, **recorder.environment(), "BIASLAB_RESULTS": str(place)},
        )
        found = executed_by_file(Path(folder).glob("of.*.jsonl"))
    if not found:
        return done.returncode
    if options.tests:
        found = {**read_map(), **found}
    write_map({test: executed for test, executed in found.items() if (ROOT / test).is_file()})
    return done.returncode


# What a change touches.


def git(*words: str) -> str:
    """Return what git prints, or an empty text where it fails."""
    return subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, encoding="utf-8", errors="replace"
    ).stdout


def changes(base: str, to: str | None = None) -> Executed:
    """Return the changed files with their changed functions; ``to`` is the working tree."""
    names = git("diff", "--name-only", "--no-renames", base, *([to] if to else [])).splitlines()
    if to is None:
        names += git("ls-files", "-o", "--exclude-standard").splitlines()

    def after(name: str) -> str:
        if to is not None:
            return git("show", f"{to}:{name}")
        path = ROOT / name
        return path.read_text(encoding="utf-8") if path.is_file() else ""

    return {
        name: changed_slots(git("show", f"{base}:{name}"), after(name))
        if name.endswith(".py") and name.startswith(FOLLOWED)
        else ALL
        for name in names
    }


def changed_slots(before: str, after: str) -> int:
    """Return the mask of the functions that differ; the first bit is the module level."""
    try:
        pairs = zip(parts(before), parts(after), strict=True)
    except SyntaxError:
        return ALL
    return sum(1 << slot for slot, (one, two) in enumerate(pairs) if one != two)


def affected(changed: Mapping[str, int], known: Mapping[str, Executed]) -> dict[str, float]:
    """Return test files, each with the share of what it executes that changed.

    A change at module level concerns whoever calls a function of that file; where the map does not
    know, whoever imports it. Test files that changed have a share of 1.
    """
    found: dict[str, float] = {}
    for test, executed in known.items():
        hits = 0
        for name, mask in changed.items():
            its = executed.get(name, 0)
            hits += (its if mask & 1 else its & mask).bit_count()
        if hits:
            found[test] = min(hits / sum(mask.bit_count() for mask in executed.values()), 0.99)
    for name, mask in changed.items():
        path = Path(name)
        if path.name == "conftest.py":
            below = [test for test in known if test.startswith(f"{path.parent}/")]
            found = {**dict.fromkeys(below, 0.0), **found}
        elif re.fullmatch(r"tests/.*/test_\w+\.py", name):
            found[name] = 1.0
        elif mask and name.startswith(FOLLOWED):
            mapped = any(name in each for each in known.values())
            new = [test for test in _naming(name) if not mapped or test not in known]
            found = {**dict.fromkeys(new, 0.5), **found}
    return {test: share for test, share in found.items() if (ROOT / test).is_file()}


def _naming(name: str) -> list[str]:
    """Return the test files that import a file, for what the map does not know."""
    module = name.removesuffix(".py").removesuffix("/__init__")
    module = re.sub("^(widgets|train|tests|tools)/", "", module)
    package, _, last = module.replace("/", ".").rpartition(".")
    whole = re.compile(rf"\b{re.escape(package)}(\.| import .*\b){re.escape(last)}\b")
    return [test for test, text in _texts().items() if whole.search(text)]


@cache
def _texts() -> dict[str, str]:
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in (ROOT / "tests").rglob("test_*.py")
    }


def front_end_tests(changed: Iterable[str], graph: Mapping[str, set[str]]) -> list[str]:
    """Return the tests of the front end that import what changed, or read its recording."""
    touched = {name.removeprefix("js/") for name in changed if name.startswith("js/")}
    recorded = {Path(name).stem for name in touched if name.startswith("dev/recorded/")}
    importers: defaultdict[str, set[str]] = defaultdict(set)
    for name, targets in graph.items():
        for target in targets:
            importers[target].add(name)
    todo, reached = list(touched), set(touched)
    while todo:
        new = importers[todo.pop()] - reached
        reached |= new
        todo += new
    return sorted(
        name
        for name in graph
        if re.fullmatch(r"tests/[\w-]+\.test\.tsx?", name)
        and (name in reached or any(Path(name).name.startswith(bench) for bench in recorded))
    )


def within(
    found: Mapping[str, float], limit_s: float, seconds: Mapping[str, float]
) -> tuple[list[str], list[str]]:
    """Split test files into those that fit the limit, most specific first, and the rest."""
    chosen, rest, total = list[str](), list[str](), 0.0
    for test in sorted(found, key=lambda test: (-found[test], seconds.get(test, UNKNOWN_S), test)):
        its = seconds.get(test, UNKNOWN_S)
        if found[test] == 1 or total + its <= limit_s:
            chosen.append(test)
            total += its
        else:
            rest.append(test)
    return chosen, rest


# Running.


def _pytest(workers: int, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "pytest", "-q", f"--numprocesses={workers}", *arguments]


def _side_by_side(commands: Sequence[tuple[str, Sequence[str], Path]]) -> set[str]:
    """Run commands at the same time, print what each says as it ends, and return which failed."""
    _, environment = front_end.npm_command()
    begun = time.monotonic()
    running = [
        (
            title,
            subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            ),
        )
        for title, command, folder in commands
    ]
    failed = set()
    for title, process in running:
        output, _ = process.communicate()
        if process.returncode:
            failed.add(title)
            print(output)
        state = f"failed with status {process.returncode}" if process.returncode else "passed"
        print(f"{title}: {state}, {time.monotonic() - begun:.1f} s", flush=True)
    return failed


def check(options: argparse.Namespace) -> int:
    """Run what protects one bench without a server."""
    bench = options.bench.replace("-", "_")
    dashed = bench.replace("_", "-")
    python = [f"widgets/biaslab_widgets/benches/{bench}", f"tests/benches/{bench}"]
    if not all((ROOT / folder).is_dir() for folder in python):
        names = sorted(path.name for path in (ROOT / "widgets/biaslab_widgets/benches").iterdir())
        sys.exit(f"No bench '{bench}'. There are {', '.join(n for n in names if n[0] != '_')}.")
    tests = {
        path.relative_to(ROOT).as_posix(): float(path.name == "test_bench.py")
        for path in (ROOT / python[1]).glob("test_*.py")
        if path.name != "test_story.py"
    }
    chosen, rest = within(tests, CONTROLLER_S, seconds_by_file())
    if rest:
        print(f"Not run: {' '.join(rest)}", flush=True)
    stage = ["tests/stage"] if (ROOT / "tests" / "stage").is_dir() else []
    files = [f"src/benches/{dashed}", *(f"tests/{p.name}" for p in _js_tests(dashed))]
    bin_folder = JS / "node_modules" / ".bin"
    ruff = [sys.executable, "-m", "ruff"]
    built = ROOT / "build" / "tsc.tsbuildinfo"
    types = [str(bin_folder / "tsc"), "--incremental", "--tsBuildInfoFile", str(built)]
    front = [
        ("biome", [str(bin_folder / "biome"), "check", *files], JS),
        ("front end", ["node", "tests/run.mjs", dashed], JS),
        ("types", types, JS),
    ]
    contents, passed = _front_end_contents(), _passed()
    if passed.get(bench) == contents:
        print("front end, types, biome: unchanged since they passed", flush=True)
        front = []
    python_tests = _pytest(0, *chosen, *stage, "-k", f"{bench} or {dashed}")
    failed = _side_by_side(
        [
            ("ruff check", [*ruff, "check", "-q", *python], ROOT),
            ("ruff format", [*ruff, "format", "-q", "--check", *python], ROOT),
            *front,
            ("controller and stage", python_tests, ROOT),
        ]
    )
    if front and failed.isdisjoint(title for title, _, _ in front):
        PASSED.parent.mkdir(exist_ok=True)
        PASSED.write_text(json.dumps({**passed, bench: contents}), encoding="utf-8")
    return int(bool(failed))


def _front_end_contents() -> str:
    """Return a digest of all that the checks of the front end read."""
    digest = hashlib.sha256()
    folders = [JS / name for name in ("src", "tests", "dev")]
    below = (path for folder in folders for path in folder.rglob("*"))
    for path in sorted([*JS.glob("*.*"), *below]):
        if path.is_file():
            digest.update(path.relative_to(JS).as_posix().encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _passed() -> dict[str, str]:
    """Return the front end's contents with which each bench last passed."""
    if not PASSED.is_file():
        return {}
    found: dict[str, str] = json.loads(PASSED.read_text(encoding="utf-8"))
    return found


def _js_tests(bench: str) -> list[Path]:
    return sorted((JS / "tests").glob(f"{bench}*.test.ts*"))


def run(options: argparse.Namespace) -> int:
    """Run or list the tests of a change."""
    base = options.base or _base()
    changed, known = changes(base), read_map()
    seconds = seconds_by_file()
    chosen, rest = within(affected(changed, known), options.seconds, seconds)
    front = front_end_tests(changed, js_graph())
    left = sum(seconds.get(test, UNKNOWN_S) for test in rest)
    print(f"{len(changed)} files changed since {base}: {len(chosen) + len(front)} test files.")
    if unknown := [test for test in _texts() if test not in known]:
        print(f"{len(unknown)} test files are not in the map, and known by imports: `make map`.")
    if rest:
        print(f"{len(rest)} more test files ({left:.0f} s) do not fit into {options.seconds:g} s.")
    if options.verb == "list":
        print(*chosen, *(f"js/{name}" for name in front), *(f"- {test}" for test in rest), sep="\n")
        return 0
    status = 0
    if front:
        names = [Path(name).name for name in front]
        _, environment = front_end.npm_command()
        status |= subprocess.run(
            ["node", "tests/run.mjs", *names], cwd=JS, env=environment
        ).returncode
    if chosen:
        workers = options.workers if len(chosen) > 1 else 0
        status |= subprocess.run(_pytest(workers, *chosen), cwd=ROOT).returncode
    return int(status != 0)


def _base() -> str:
    """Return the last commit of origin/main that is in this branch, or the commit before this."""
    head = git("rev-parse", "HEAD").strip()
    base = git("merge-base", "HEAD", "origin/main").strip()
    return base[:12] if base and base != head else "HEAD~1"


def js_graph() -> dict[str, set[str]]:
    """Return which file of the front end and its tests imports which."""
    return house.typescript_imports(JS, ("src", "tests"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Check, run, list or map."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    todo: dict[str, Callable[[argparse.Namespace], int]] = {
        "check": check, "run": run, "list": run, "map": make_map,
    }  # fmt: skip
    for verb in todo:
        of = verbs.add_parser(verb)
        of.add_argument("--workers", type=int, default=2)
        of.add_argument("--seconds", type=float, default=60.0, help="of one process")
        of.add_argument("--base", default="", help="a commit")
        if verb == "check":
            of.add_argument("bench")
        if verb == "map":
            of.add_argument("tests", nargs="*")
    options = parser.parse_args(arguments)
    return todo[options.verb](options)


if __name__ == "__main__":
    sys.exit(main())
