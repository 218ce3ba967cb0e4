"""Measure the house: lines by language, import circles, and the calls behind one edit.

``python tools/house.py`` prints the table; ``--circles`` lists every import circle and fails when
there is one. An import counts wherever it stands: at the top, inside a function, or under
``TYPE_CHECKING``. ``--budget`` fails when a room has more lines than ``tools/budget.toml`` allows,
or so few that it could grow unseen; ``--lower`` writes the lower numbers.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {"biaslab": ROOT, "biaslab_widgets": ROOT / "widgets", "biaslab_train": ROOT / "train"}
TYPESCRIPT = ROOT / "js" / "src"
COUNTED = {
    "Python": (
        "*.py",
        ("biaslab/", "widgets/", "train/", "tools/", "benchmarks/", "hatch_build.py"),
    ),
    "TypeScript and scripts": ("*.ts *.tsx *.mjs", ("js/",)),
    "CSS": ("*.css", ("js/",)),
}
"""Patterns and places of hand-written source."""
GENERATED = "js/src/generated/"
LEFT_OUT = ("js/tests/", GENERATED)
BUDGET = ROOT / "tools" / "budget.toml"
FREE = 50
"""A room stays by less below its budget, so that as many lines more are always noticed."""
SPARE = 40
"""What lowering leaves a room for small changes."""
_IMPORT = re.compile(r"""(?:^|\n)\s*(?:import|export)\b[^;"']*?["'](\.[^"']+)["']""")

Graph = dict[str, set[str]]


def python_imports() -> Graph:
    """Which module of the packages imports which."""
    files = {
        _module(path, base): path
        for package, base in PACKAGES.items()
        for path in sorted((base / package).rglob("*.py"))
    }
    return {name: set(_imported(path, name, files)) - {name} for name, path in files.items()}


def _module(path: Path, base: Path) -> str:
    parts = path.relative_to(base).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(path: Path, name: str, files: Mapping[str, Path]) -> Iterator[str]:
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in files)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                if whole in files:
                    yield whole
                elif base in files:
                    yield base


def typescript_imports(top: Path = TYPESCRIPT, folders: Sequence[str] = (".",)) -> Graph:
    """Which module of the front end imports which, types included."""
    found = (path for folder in folders for path in (top / folder).rglob("*.ts*"))
    files = {path.relative_to(top).as_posix(): path for path in sorted(found)}
    return {name: set(_resolved(name, path, files)) - {name} for name, path in files.items()}


def _resolved(name: str, path: Path, files: Mapping[str, Path]) -> Iterator[str]:
    for target in _IMPORT.findall(path.read_text(encoding="utf-8")):
        to = os.path.normpath(PurePosixPath(name).parent / target)
        for ending in ("", ".ts", ".tsx", "/index.ts"):
            if to + ending in files:
                yield to + ending
                break


def circles(graph: Graph) -> list[list[str]]:
    """Groups of modules that import each other, directly or around corners (Tarjan 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for to in sorted(graph[node]):
            if to not in index:
                visit(to)
                low[node] = min(low[node], low[to])
            elif to in stack:
                low[node] = min(low[node], index[to])
        if low[node] == index[node]:
            at = stack.index(node)
            group = stack[at:]
            del stack[at:]
            if len(group) > 1:
                found.append(sorted(group))

    sys.setrecursionlimit(10_000)
    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def lines() -> dict[str, int]:
    """Hand-written lines by language, without tests, lessons and generated files."""
    known = _known()
    return {
        language: sum(_length(ROOT / name) for name in _chosen(known, patterns.split(), places))
        for language, (patterns, places) in COUNTED.items()
    }


def _known(*patterns: str) -> list[str]:
    """Files that git knows or would take."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def _chosen(names: Iterable[str], patterns: list[str], places: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        matches = any(PurePosixPath(name).match(pattern) for pattern in patterns)
        if matches and name.startswith(places) and not name.startswith(LEFT_OUT):
            yield name


def _length(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("\n") if path.is_file() else 0


def rooms(names: Iterable[str]) -> Counter[str]:
    """Hand-written lines of each room, tests included; a file is of the longest room above it."""
    counted: Counter[str] = Counter()
    for file in _known("*.py", "*.ts", "*.tsx", "*.mjs", "*.css"):
        if not file.startswith(GENERATED):
            above = (room for room in names if room == "." or file.startswith(f"{room}/"))
            counted[max(above, key=len, default=file)] += _length(ROOT / file)
    return counted


def over_budget(counted: Mapping[str, int], budget: Mapping[str, int]) -> Iterator[str]:
    """Say which rooms differ from their budget, and what to do."""
    for room in sorted({*counted, *budget}):
        has, may = counted.get(room, 0), budget.get(room, 0)
        if has > may:
            yield (
                f"{room}: {has:,} lines, {has - may:,} more than its budget. Make something"
                " unnecessary, or add [[raised]] with the reason to tools/budget.toml."
            )
        elif has <= may - FREE:
            yield f"{room}: {may - has:,} lines below its budget. Run `make budget` to lower it."


def budgets(text: str) -> Counter[str]:
    """Read the lines that each room may have: what stands there, and what it was raised by."""
    read = tomllib.loads(text)
    allowed = Counter[str](read["rooms"])
    for raise_ in read.get("raised", ()):
        if not raise_["why"].strip():
            raise ValueError(f"budget.toml: say why {raise_['room']} may grow.")
        allowed[raise_["room"]] += raise_["lines"]
    return allowed


def lowered(text: str, counted: Mapping[str, int]) -> str:
    """Return the text of the budget with the number of each room that has become smaller."""
    allowed = budgets(text)

    def lower(line: re.Match[str]) -> str:
        room, lines_ = line[1], int(line[2])
        less = max(allowed[room] - counted.get(room, 0) - SPARE, 0)
        return f'"{room}" = {lines_ - less}\n' if room in counted else ""

    return re.sub(r'^"([^"]+)" = (\d+)\n', lower, text, flags=re.MULTILINE)


def traced(act: Callable[[], object]) -> tuple[int, int]:
    """Python calls into the packages while `act` runs, and the files that they are in."""
    calls = 0
    files: set[str] = set()
    ours = tuple(str(base / package) + os.sep for package, base in PACKAGES.items())

    def watch(frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        name: str = frame.f_code.co_filename  # type: ignore[attr-defined]
        if event == "call" and name.startswith(ours):
            calls += 1
            files.add(name)

    sys.setprofile(watch)
    try:
        act()
    finally:
        sys.setprofile(None)
    return calls, len(files)


def edit_of_the_association_bench() -> tuple[int, int]:
    """Calls and files behind one word removed from a list of the association bench."""
    from biaslab_widgets.benches.association.bench import AssociationController
    from biaslab_widgets.core.subjects.sources import sources

    controller = AssociationController(sources("wiki-bootstraps"), lambda _: None)
    controller.opening.sources["wiki-bootstraps"].open()
    controller.state |= {"subject": "wiki-bootstraps", "replicate": 0}
    controller.work()
    first, *others = controller.state["lists"]
    controller.state["lists"] = [{**first, "terms": first["terms"][:-1]}, *others]
    controller.state["generation"] += 1
    return traced(controller.work)


def main(arguments: list[str]) -> int:
    """Print the table, the circles, or the rooms that are over their budget."""
    if arguments in (["--budget"], ["--lower"]):
        text = BUDGET.read_text(encoding="utf-8")
        counted_rooms = rooms(budgets(text))
        if arguments == ["--lower"]:
            text = lowered(text, counted_rooms)
            BUDGET.write_text(text, encoding="utf-8")
        over = list(over_budget(counted_rooms, budgets(text)))
        print("\n".join(over) or "every room is within its budget of lines")
        return 1 if over else 0
    graphs = {"Python": python_imports(), "TypeScript": typescript_imports()}
    found = {language: circles(graph) for language, graph in graphs.items()}
    if arguments == ["--circles"]:
        for language, groups in found.items():
            for group in groups:
                print(f"{language}: {' <-> '.join(group)}")
        return 1 if any(found.values()) else 0
    counted = lines()
    for language, number in counted.items():
        print(f"{number:>9,} lines of {language}")
    print(f"{sum(counted.values()):>9,} lines together")
    for language, groups in found.items():
        modules = sum(map(len, groups))
        print(f"{len(groups):>9,} import circles in {language}, of {modules} modules")
    calls, files = edit_of_the_association_bench()
    print(f"{calls:>9,} calls in {files} files for a word removed from the association bench")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
