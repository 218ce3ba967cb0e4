"""Which files of the repository a test executed, with the processes that it started.

Every function of a followed module begins with the assignment of a flag, added when the module is
imported. The flags lie in a mapped file, which all processes share: servers, kernels and workers
count too, however they end, at the cost of some 30 ns a call. Python 3.11 has no cheaper way.
Files that are opened are flagged as well.

Only the standard library is imported here: ``startup/sitecustomize.py`` loads this module first in
each process.
"""

from __future__ import annotations

import ast
import hashlib
import marshal
import mmap
import os
import subprocess
import sys
import types
import zlib
from collections.abc import Iterator, Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / "build" / "executed"
FOLLOWED = ("biaslab/", "widgets/", "train/", "tests/harness/", "tools/", "benchmarks/",
            "hatch_build.py")  # fmt: skip
BUNDLE, BUNDLED = "widgets/biaslab_widgets/static/", "sources.sha256"
"""What is built there is known by the hash of its sources."""
UNIMPORTANT = ("pyproject.toml", "tests/durations.csv", "tests/map.csv")
"""Every run of pytest reads them."""
SLOTS = 64
"""Flags of a file: the first for its module level, the others for functions, by their names."""
ALL = (1 << SLOTS) - 1
HERE = "tests/harness/executed.py"

Executed = dict[str, int]
"""Path below the root to a mask of slots."""


def slot(name: str) -> int:
    """Return the flag of a function; two functions of a file may share one."""
    return 1 + zlib.crc32(name.encode()) % (SLOTS - 1)


def functions(
    tree: ast.AST, prefix: str = ""
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield all functions with their qualified names, outer before inner."""
    for node in ast.iter_child_nodes(tree):
        name = prefix
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{prefix}.{node.name}"
            if not isinstance(node, ast.ClassDef):
                yield name, node
        yield from functions(node, name)


# What a process flags.


class _Flags:
    """The mapped flags of all files."""

    def __init__(self, path: str) -> None:
        names = Path(f"{path}.files").read_text(encoding="utf-8").splitlines()
        self.places = {name: SLOTS * place for place, name in enumerate(names)}
        with Path(path).open("r+b") as file:
            self.view = memoryview(mmap.mmap(file.fileno(), SLOTS * len(names)))

    def of(self, name: str) -> memoryview:
        place = self.places.get(name)
        return memoryview(bytearray(SLOTS)) if place is None else self.view[place : place + SLOTS]


class _Process:
    flags: _Flags | None = None


def follow(path: str) -> None:
    """Flag in this process what is executed and opened from now on."""
    _Process.flags = _Flags(path)
    flags_of(HERE)[0] = 1
    sys.meta_path.insert(0, _Finder())
    sys.addaudithook(_look)


def move(path: str) -> None:
    """Flag in a new file what this process executes, and what it starts from now on."""
    os.environ.update(Recorder(Path(path)).environment())
    _Process.flags = _Flags(path)
    for module in list(sys.modules.values()):
        if "__executed__" in vars(module):
            name = str(module.__file__).removeprefix(_PREFIX).replace(os.sep, "/")
            vars(module)["__executed__"] = flags_of(name)


def flags_of(name: str) -> memoryview:
    """Return the flags of a file; a followed module asks for its own."""
    assert _Process.flags is not None
    return _Process.flags.of(name)


def _look(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "open" or not isinstance(arguments[0], str) or _Process.flags is None:
        return
    path = os.path.abspath(arguments[0])  # noqa: PTH100 (a Path takes ten times as long)
    if path.startswith(_PREFIX) and not arguments[2] & (os.O_WRONLY | os.O_RDWR):
        name = path[len(_PREFIX) :].replace(os.sep, "/")
        if name not in UNIMPORTANT and not name.endswith((".py", ".pyc", ".pyi", ".code")):
            _Process.flags.of(BUNDLE + BUNDLED if name.startswith(BUNDLE) else name)[0] = 1


_PREFIX = f"{ROOT}{os.sep}"


class _Finder:
    """Finds what Python's own path finder finds, and loads followed modules with flags."""

    tops = {"biaslab", "biaslab_train", "biaslab_widgets", "harness", "benchmarks"} | {
        path.stem for path in (*(ROOT / "tools").glob("*.py"), ROOT / "hatch_build.py")
    }

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.partition(".")[0] not in self.tops:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            inside = spec.loader.path.removeprefix(_PREFIX).replace(os.sep, "/")
            if inside.startswith(FOLLOWED):
                spec.loader = _Loader(name, spec.loader.path)
        return spec


class _Loader(SourceFileLoader):
    """Compiles a module with its flags, once for each version of its source."""

    def get_code(self, fullname: str) -> types.CodeType:
        source = self.get_data(self.path)
        name = self.path.removeprefix(_PREFIX).replace(os.sep, "/")
        key = hashlib.sha256(source + sys.version.encode() + _OWN).hexdigest()[:32]
        kept = CACHE / f"{key}.code"
        try:
            code: types.CodeType = marshal.loads(kept.read_bytes())
        except (OSError, EOFError, ValueError, TypeError):
            code = compile(flagged(source, name), self.path, "exec", dont_inherit=True)
            CACHE.mkdir(parents=True, exist_ok=True)
            part = kept.with_name(f"{key}.{os.getpid()}")
            part.write_bytes(marshal.dumps(code))
            part.replace(kept)
        return code


_OWN = Path(__file__).read_bytes()


def flagged(source: bytes, name: str) -> ast.Module:
    """Parse a module and let it flag its functions when they are called."""
    tree = ast.parse(source)
    for function, node in functions(tree):
        _insert(node.body, f"__executed__[{slot(function)}] = 1", node.body[0])
    if tree.body:
        asks = f"__executed__ = __import__('harness.executed').executed.flags_of({name!r})"
        _insert(tree.body, f"{asks}\n__executed__[0] = 1", tree.body[0])
    return tree


def _insert(body: list[ast.stmt], code: str, near: ast.stmt) -> None:
    """Put statements after the docstring and imports from the future."""
    place = 0
    for node in body:
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not (future or (text and place == 0)):
            break
        place += 1
    new = ast.parse(code).body
    for node in new:
        for each in ast.walk(node):
            ast.copy_location(each, near)
    body[place:place] = new


# What a test run reads from the flags.


class Recorder:
    """The flags of one family of processes.

    Parameters
    ----------
    path : Path
        A new file for them. `environment` lets processes flag there.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.names = path, known_files()
        Path(f"{path}.files").write_text("\n".join(self.names), encoding="utf-8")
        path.write_bytes(bytes(SLOTS * len(self.names)))

    def environment(self) -> dict[str, str]:
        """Environment variables of processes that are followed."""
        places = [str(ROOT / "tests" / "harness" / "startup"), os.environ.get("PYTHONPATH", "")]
        return {
            "BIASLAB_EXECUTED": str(self.path),
            "PYTHONPATH": os.pathsep.join(filter(None, places)),
        }

    def read(self) -> Executed:
        """What was executed since the last `clear`."""
        return _masks(self.path.read_bytes(), self.names)


def take() -> Executed:
    """Read and clear the flags that this process shares with others."""
    flags = _Process.flags
    assert flags is not None
    found = _masks(bytes(flags.view), list(flags.places))
    for name in found:
        flags.of(name)[:] = bytes(SLOTS)
    return found


def _masks(flags: bytes, names: Sequence[str]) -> Executed:
    found = {}
    for place, name in enumerate(names):
        own = flags[SLOTS * place : SLOTS * (place + 1)]
        if any(own):
            found[name] = sum(1 << bit for bit, flag in enumerate(own) if flag)
    return found


def joined(*every: Mapping[str, int]) -> Executed:
    """Join what was executed."""
    found: Executed = {}
    for one in every:
        for name, mask in one.items():
            found[name] = found.get(name, 0) | mask
    return found


def known_files() -> list[str]:
    """All files of the repository that git does not ignore, and the bundle's hash."""
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [*sorted(set(found.splitlines())), BUNDLE + BUNDLED]


# What of a file a test depends on.


def parts(source: str) -> list[str]:
    """Return the text of each slot of a Python file: of the module level, then of functions.

    A function has its own header, so that a new one changes nothing for tests that only load the
    file. Comments and docstrings are left out.
    """
    lines = source.split("\n")
    owner = [0] * len(lines)
    tree = ast.parse(source)
    for name, node in functions(tree):
        owner[node.lineno - 1 : node.end_lineno] = [slot(name)] * _height(node)
    for each in ast.walk(tree):
        if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant):
            owner[each.lineno - 1 : each.end_lineno] = [-1] * _height(each)
    found = [""] * SLOTS
    for line, part in zip(lines, owner, strict=True):
        if part >= 0 and line.strip() and not line.lstrip().startswith("#"):
            found[part] += f"{line}\n"
    return found


def _height(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


class Contents:
    """Hashes of what the files of a working tree hold, each file read once."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self._bytes: dict[str, bytes] = {}
        self._parts: dict[str, list[str]] = {}

    def whole(self, name: str) -> str:
        """Return the hash of a file; of a missing one, an empty text."""
        if name not in self._bytes:
            path = self.root / name
            self._bytes[name] = path.read_bytes() if path.is_file() else b""
        return _short(self._bytes[name]) if self._bytes[name] else ""

    def executed(self, name: str, mask: int) -> str:
        """Return the hash of the slots of a file that were executed."""
        whole = self.whole(name)
        if not name.endswith(".py") or not whole:
            return whole
        if name not in self._parts:
            try:
                self._parts[name] = parts(self._bytes[name].decode("utf-8"))
            except (SyntaxError, ValueError):
                return whole
        return _short(
            "\0".join(t for bit, t in enumerate(self._parts[name]) if mask >> bit & 1).encode()
        )


def _short(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
