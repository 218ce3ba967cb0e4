"""Run the long tests that are not valid any more, and keep in a ledger what each of them said.

``python tools/validate.py run`` takes first the items that failed, then those never run, then those
that executed something that has changed since, each dearest first. It ends after ``--minutes``, on
Ctrl-C, or when it is killed; the item that runs then is lost, no other. What was skipped is tried
again in the end. ``--shard 2/6`` takes the
second of six parts of equal time. ``status`` counts, ``merge`` joins ledgers of several machines.

An item is valid if it passed, and if nothing that it executed has changed: functions by function,
other files by file, and the pinned versions. The ledger is build/validate.jsonl, a line for each
result. Each file of tests is a process of its own; so is each kernel of `portability`.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import json
import os
import platform
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import portability  # noqa: E402  (beside this file)
from harness.executed import Contents, known_files  # noqa: E402
from item_process import KERNELS, ItemProcess, file_of  # noqa: E402

LIMIT_MIN = 30.0
ORDER = ("failed", "never run", "stale", "skipped", "valid")


@dataclass(frozen=True)
class Result:
    """What an item said at one run, and what it executed."""

    item: str
    outcome: str
    said: str = ""
    wall_s: float = 0.0
    cpu_s: float = 0.0
    machine: str = ""
    cores: int = 0
    commit: str = ""
    ended: str = ""
    seed: int | None = None
    digest: str = ""
    executed: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    """Path to the mask of what was executed of it, and the hash of that."""


def digest(executed: Mapping[str, tuple[int, str]]) -> str:
    """Return the hash of all that an item executed."""
    return hashlib.sha256(json.dumps(sorted(executed.items())).encode()).hexdigest()[:16]


class Ledger:
    """The results, oldest first; lines that were cut off are left out.

    - `path`: a file of JSON lines; it need not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.results: list[Result] = []
        for line in path.read_bytes().splitlines() if path.is_file() else ():
            with contextlib.suppress(ValueError, TypeError):
                self.results.append(Result(**json.loads(line)))

    @property
    def latest(self) -> dict[str, Result]:
        """The last result of each item."""
        return {result.item: result for result in self.results}

    def add(self, result: Result) -> None:
        """Append a result in one write."""
        self.results.append(result)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab+") as file:
            file.seek(max(file.tell() - 1, 0))
            cut_off = file.read(1) not in (b"", b"\n")
            file.write(b"\n" * cut_off + _line(result))

    def write(self) -> None:
        """Write the file anew: of results that a later one replaces, without what was executed."""
        latest = self.latest
        lines = (
            _line(result if result is latest[result.item] else replace(result, executed={}))
            for result in self.results
        )
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_suffix(".part")
        part.write_bytes(b"".join(lines))
        part.replace(self.path)


def _line(result: Result) -> bytes:
    return f"{json.dumps(asdict(result))}\n".encode()


def state(result: Result | None, contents: Contents) -> str:
    """Return failed, never run, stale, skipped or valid."""
    if result is None:
        return "never run"
    if result.outcome == "failed":
        return "failed"
    if next(changed(result, contents), None) is not None:
        return "stale"
    return "valid" if result.outcome == "passed" else "skipped"


def changed(result: Result, contents: Contents) -> Iterator[str]:
    """Yield the files of which an item executed something that is not the same any more."""
    for name, (mask, then) in result.executed.items():
        if contents.executed(name, mask) != then:
            yield name


def seconds(items: Iterable[str], latest: Mapping[str, Result]) -> dict[str, float]:
    """Return the last wall time of each item; of one without, the mean of all."""
    known = {item: latest[item].wall_s for item in items if item in latest}
    mean = sum(known.values()) / len(known) if known else 1.0
    return {item: known.get(item, mean) for item in items}


def shard(items: Sequence[str], taken: Mapping[str, float], number: int, of: int) -> list[str]:
    """Return the items of one of several parts that take about the same time."""
    files: defaultdict[str, float] = defaultdict(float)
    for item in items:
        files[file_of(item)] += taken[item]
    loads, places = [0.0] * of, dict[str, int]()
    for file in sorted(files, key=lambda file: (-files[file], file)):
        places[file] = loads.index(min(loads))
        loads[places[file]] += files[file]
    return [item for item in items if places[file_of(item)] == number - 1]


def queue(states: Mapping[str, str], taken: Mapping[str, float]) -> list[list[str]]:
    """Return what to run: items of one state and one file together, in the order of the module."""
    groups: defaultdict[tuple[int, str], list[str]] = defaultdict(list)
    for item, its_state in states.items():
        if its_state != "valid":
            groups[ORDER.index(its_state), file_of(item)].append(item)
    cost = {key: sum(taken[item] for item in group) for key, group in groups.items()}
    return [groups[key] for key in sorted(groups, key=lambda key: (key[0], -cost[key], key[1]))]


def fitting(group: Sequence[str], taken: Mapping[str, float], left_s: float) -> list[str]:
    """Return the items of a group that the time left is enough for, by what they took."""
    found, total = [], 0.0
    for item in sorted(group, key=lambda item: -taken[item]):
        if total + taken[item] <= left_s:
            found.append(item)
            total += taken[item]
    return found


def summary(
    states: Mapping[str, str], taken: Mapping[str, float], latest: Mapping[str, Result]
) -> str:
    """Return the status in one line, and a line for each reason to skip."""
    counts = Counter(states.values())
    line = f"{counts['valid']} of {len(states)} valid for this commit"
    line += "".join(f", {counts[each]} {each}" for each in ORDER[:3] if counts[each])
    left = [taken[item] for item, each in states.items() if each in ORDER[:3]]
    if left and latest:
        line += f"; about {max(round(sum(left) / 60), 1)} min left"
    skipped = Counter(latest[item].said for item, each in states.items() if each == "skipped")
    return "\n".join([line, *(f"{n} skipped: {why}" for why, n in skipped.most_common())])


# Which items there are.


def collected(folder: str, cache: Path) -> list[str]:
    """Return the ids of the long tests, and of the kernels; kept until a source changes."""
    key = _sources()
    if cache.is_file() and (kept := json.loads(cache.read_text()))["key"] == [folder, key]:
        return list(kept["items"])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run(
        [*command, "--collect-only", "-m", "validate", folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if done.returncode not in (0, 5):
        sys.exit(f"The tests cannot be collected:\n{done.stdout}{done.stderr}")
    items = [line for line in done.stdout.splitlines() if "::" in line]
    if folder == "tests":
        items += [f"{KERNELS}::{setting.name}" for setting in portability.settings()]
    cache.parent.mkdir(parents=True, exist_ok=True)
    cache.write_text(json.dumps({"key": [folder, key], "items": items}))
    return items


def _sources() -> str:
    """Return a hash that changes with every file that could add or take away an item."""
    places = ("biaslab/", "widgets/", "train/", "tests/", "tools/", "lessons/", "notebooks/",
              "pyproject")  # fmt: skip
    stats = [(name, *_stat(ROOT / name)) for name in known_files() if name.startswith(places)]
    return hashlib.sha256(repr(stats).encode()).hexdigest()[:16]


def _stat(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


# Running them.


def machine() -> str:
    """Return the processor's name."""
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.partition(":")[2].strip() for line in lines if "model name" in line)
    return platform.processor() or platform.machine()


def commit() -> str:
    """Return the commit of the working tree, with a plus where files differ from it."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True).stdout

    dirty = git("status", "--porcelain", "--untracked-files=no")
    return git("rev-parse", "--short=12", "HEAD").strip() + "+" * bool(dirty)


def completed(
    said: Mapping[str, Any], begun: float, contents: Contents, here: Mapping[str, Any]
) -> Result:
    """Return a result with the hashes of what was executed.

    A file that was edited meanwhile gets none, since nobody knows which version ran.
    """
    executed = dict[str, tuple[int, str]]()
    for name, mask in said["executed"].items():
        edited = (ROOT / name).is_file() and (ROOT / name).stat().st_mtime > begun
        executed[name] = mask, "edited" if edited else contents.executed(name, mask)
    return Result(
        **{**said, **here, "executed": executed},
        digest=digest(executed),
        ended=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def run(ledger: Ledger, items: Sequence[str], options: argparse.Namespace) -> int:
    """Run what is not valid: 0 unless something failed, 130 after Ctrl-C."""
    end = time.monotonic() + 60 * options.minutes
    here = {"machine": machine(), "cores": os.cpu_count() or 1, "commit": commit()}
    contents = Contents()
    states = {item: state(ledger.latest.get(item), contents) for item in items}
    taken = seconds(items, ledger.latest)
    failed = False
    for group in queue(states, taken):
        rest = fitting(group, taken, end - time.monotonic())
        seed = max((ledger.latest[i].seed or 0 for i in rest if i in ledger.latest), default=0)
        while rest:
            log = options.ledger.parent / "validate" / f"{_file_name(rest[0])}.log"
            process = ItemProcess(rest, log, 60 * options.limit, end)
            begun, contents = time.time(), Contents()
            with contextlib.closing(process.results(seed or None)) as results:
                for said in results:
                    result = completed(said, begun, contents, here)
                    ledger.add(result)
                    failed |= result.outcome == "failed"
                    print(f"{result.outcome:8}{result.wall_s:8.1f} s  {result.item}", flush=True)
                    if result.said:
                        print(f"{'':8}{result.said}", flush=True)
            if time.monotonic() > end:
                return int(failed)
            rest = [item for item in rest if item not in process.done]
    return int(failed)


def _file_name(item: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in file_of(item))


def merge(ledger: Ledger, others: Iterable[Path]) -> None:
    """Add the results of other ledgers, each once and in the order of time."""
    every = [*ledger.results, *(each for path in others for each in Ledger(path).results)]
    # Of a result that one of them shortened, the whole one is kept.
    every.sort(key=lambda result: len(result.executed))
    different = {(result.item, result.ended): result for result in every}
    ledger.results = sorted(different.values(), key=lambda result: result.ended)
    ledger.write()


@contextlib.contextmanager
def alone(ledger: Path) -> Iterator[None]:
    """Hold the ledger's lock, or end: two runs would run the same items."""
    ledger.parent.mkdir(parents=True, exist_ok=True)
    with ledger.with_suffix(".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit(f"Another run writes to {ledger}.")
        yield


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, count or merge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--ledger", type=Path, default=ROOT / "build" / "validate.jsonl")
    parser.add_argument("--tests", default="tests", help="a folder or file of tests")
    verbs = parser.add_subparsers(dest="verb", required=True)
    runs = verbs.add_parser("run", help="run what is not valid")
    runs.add_argument("--minutes", type=float, default=float("inf"))
    runs.add_argument("--limit", type=float, default=LIMIT_MIN, help="minutes for an item")
    runs.add_argument("--shard", default="1/1", help="such as 2/6")
    counts = verbs.add_parser("status", help="count what is valid")
    counts.add_argument("--require-all", action="store_true", help="fail unless all is valid")
    merges = verbs.add_parser("merge", help="add the results of other ledgers")
    merges.add_argument("others", type=Path, nargs="*")
    options = parser.parse_args(arguments)

    if options.verb == "merge":
        with alone(options.ledger):
            merge(Ledger(options.ledger), options.others)
        return 0
    items = collected(options.tests, options.ledger.with_suffix(".items"))
    status = 0
    if options.verb == "run":
        # SIGINT too: a script starts what runs beside it with that ignored.
        for sign in (signal.SIGINT, signal.SIGTERM):
            signal.signal(sign, signal.default_int_handler)
        with alone(options.ledger):
            ledger = Ledger(options.ledger)
            ledger.write()
            number, _, of = options.shard.partition("/")
            mine = shard(items, seconds(items, ledger.latest), int(number), int(of))
            try:
                status = run(ledger, mine, options)
            except KeyboardInterrupt:
                status = 130
    contents, latest = Contents(), Ledger(options.ledger).latest
    states = {item: state(latest.get(item), contents) for item in items}
    print(summary(states, seconds(items, latest), latest))
    if options.verb == "status":
        stale = Counter(
            name
            for item, each in states.items()
            if each == "stale"
            for name in changed(latest[item], contents)
        )
        for name, count in stale.most_common(5):
            print(f"{count} stale: {name}")
        if options.require_all:
            status = int(any(each in ORDER[:3] for each in states.values()))
    return status


if __name__ == "__main__":
    sys.exit(main())
