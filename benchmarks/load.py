"""Many visitors at once

Visitors in a second process open the psychometric bench of the served app over Bokeh's websocket,
without a browser, and each drags the slider of perceptual noise five times a second: the newest
value only, one message in flight. The clock runs from a move of the hand to the answer to it, so
that a move which waits for the answer before it waits longer; a move that a newer one has overtaken
is not counted. After the drag the last value must be answered within 20 s, and the state that the
page puts together must show it. "A class" drags over the same word, as the page opens; "each their
own" asks about words of their own, so that no answer can be shared. "As fast as answers come" sends
the next move when the last is answered: what one process can do at most. Time of the processor is
the server's, and depends least on what else runs.

With `BIASLAB_BEFORE` set to the folder of an older checkout with a built front end, its server is
measured in turns with this one as the reference.
"""

from __future__ import annotations

import math
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks import ROOT
from benchmarks.findings import Figure, Findings, Goal, judged, under
from benchmarks.timing import late
from benchmarks.visitors import Seen, Visit, VisitorProcess
from harness.served_app import ServedApp

SECONDS = 8
PROCESSES = 2
VISITORS = (1, 10, 30, 60)
GOALS = {30: under(100, "ms"), 60: under(300, "ms")}
RATE = Goal("at least 400", lambda rate: rate >= 400)
NONE = Goal("none", lambda count: count == 0)
PER_SESSION = under(2, "MB")
GONE_S = 16
"""Sessions that were left have ended by then: `LINGER_S` of the app, and one look more."""
BEFORE = "BIASLAB_BEFORE"
NOTES = (
    (
        f"Each line is {SECONDS} s of dragging. Server and visitors share the machine with all else"
        " that runs, so that times differ from run to run far more than the processor's."
    ),
    "First visitors of a fresh server wait for answers that are computed for the first time.",
)


@dataclass(frozen=True)
class Measured:
    """One visit of several visitors, and the server's part of it.

    - `cpu_ms`: time of the processor for one answer.
    - `memory`: of the server when they had dragged, MB.
    """

    seen: Seen
    cpu_ms: float
    memory: float

    @property
    def p95(self) -> float:
        """95th percentile of the latency."""
        return late(self.seen.latencies)


def measure() -> Findings:
    """Visit fresh servers, those of this checkout and of the older one in turns."""
    trees = {"now": ROOT}
    if older := os.environ.get(BEFORE):
        trees["before"] = Path(older)
    visits = {name: _of(tree) for name, tree in trees.items()}
    now, before = visits["now"], visits.get("before", {})
    figures = [line for name in now for line in _lines(name, now[name], before.get(name))]
    with served(ROOT) as app:
        figures += _memory(app)
    with served(ROOT, "--num-procs", str(PROCESSES)) as app:
        figures += _several(app, now)
    lost = sum(one.seen.lost + one.seen.wrong for one in now.values())
    figures.append(
        Figure(
            "last values that were lost, or are not what the page shows",
            str(lost),
            *judged(NONE, lost),
            f"before {sum(o.seen.lost + o.seen.wrong for o in before.values())}" if before else "",
        )
    )
    return Findings(tuple(figures), NOTES)


def _of(tree: Path) -> dict[str, Measured]:
    """All visits to fresh servers of a checkout."""
    made: dict[str, Measured] = {}
    with served(tree) as app:
        for count in VISITORS:
            made[f"a class, {count} sessions"] = _visit(app, count)
        made["a class, 30 sessions, as fast as answers come"] = _visit(app, 30, rate=0)
    with served(tree) as app:
        words = _words()
        for count in (10, 30):
            made[f"each their own, {count} sessions"] = _visit(app, count, words=words)
        made["each their own, 30 sessions, as fast as answers come"] = _visit(
            app, 30, words=words, rate=0
        )
    return made


def _lines(name: str, now: Measured, before: Measured | None) -> Iterator[Figure]:
    def line(
        what: str,
        words: Callable[[Measured], str],
        goal: Goal | None = None,
        value: float = math.nan,
        ratio: Callable[[Measured], str] = lambda _: "",
    ) -> Figure:
        older = (f"before {words(before)}", ratio(before)) if before else ("", "")
        return Figure(f"{name}: {what}", words(now), *judged(goal, value), *older)

    is_class = name.startswith("a class")
    if "as fast" not in name:
        goal = GOALS.get(int(name.split()[-2])) if is_class else None
        yield line("95th percentile", lambda one: f"{one.p95:.0f} ms", goal, now.p95,
                   lambda old: f"{old.p95 / now.p95:.1f}x as fast")  # fmt: skip
        yield line("median, and longest", _middle)
        return
    yield line("answers in a second", lambda one: f"{one.seen.rate:.0f}",
               RATE if is_class else None, now.seen.rate,
               lambda old: f"{now.seen.rate / old.seen.rate:.1f}x")  # fmt: skip
    yield line("processor, bytes for an answer",
               lambda one: f"{one.cpu_ms:.1f} ms, {_size(one.seen):.1f} kB",
               ratio=lambda old: f"{old.cpu_ms / now.cpu_ms:.1f}x less processor")  # fmt: skip


def _middle(one: Measured) -> str:
    seen = one.seen
    return f"{statistics.median(seen.latencies):.0f} ms, {max(seen.latencies):.0f} ms"


def _size(seen: Seen) -> float:
    return seen.received / len(seen.latencies) / 1000


def _memory(app: ServedApp) -> Iterator[Figure]:
    """What 30 sessions take, once subjects and answers are there, and what they leave behind."""
    _visit(app, 30)
    empty = _when_gone(app)
    full = _visit(app, 30).memory
    after = _when_gone(app)
    _visit(app, 30)
    again = _when_gone(app)
    each = (full - empty) / 30
    yield Figure("memory for each of 30 sessions", f"{each:.2f} MB", *judged(PER_SESSION, each))
    yield Figure(
        "memory of the server: without sessions, with 30, after they left, after 30 others left",
        f"{empty:.0f}, {full:.0f}, {after:.0f}, {again:.0f} MB",
    )


def _when_gone(app: ServedApp) -> float:
    """Resident memory once the sessions that were left have ended."""
    time.sleep(GONE_S)
    return _resident(app)


def _several(app: ServedApp, alone: dict[str, Measured]) -> Iterator[Figure]:
    """What another process adds, where no answer is shared."""
    name = "each their own, 30 sessions"
    for what in (name, f"{name}, as fast as answers come"):
        rate = 5 if what == name else 0
        several, one = _visit(app, 30, words=_words(), rate=rate), alone[what]
        yield Figure(
            f"{PROCESSES} processes: {what}: answers in a second, 95th percentile",
            f"{several.seen.rate:.0f}, {several.p95:.0f} ms",
            reference=f"one process {one.seen.rate:.0f}, {one.p95:.0f} ms",
            ratio=f"{several.seen.rate / one.seen.rate:.2f}x answers",
        )
    yield Figure(f"{PROCESSES} processes: memory of all", f"{_resident(app):.0f} MB")


@contextmanager
def served(tree: Path, *arguments: str) -> Iterator[ServedApp]:
    """Start the app of a checkout with a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        app = ServedApp(Path(folder), arguments)
        app.environment |= {
            "PYTHONPATH": os.pathsep.join([str(tree), str(tree / "widgets")]),
            "OMP_NUM_THREADS": "1",
        }
        with app:
            yield app


def _visit(app: ServedApp, count: int, *, rate: float = 5, words: Sequence[str] = ()) -> Measured:
    visit = Visit(f"{app.url}/psychometric", count, SECONDS, rate, words=list(words))
    with VisitorProcess(visit) as visitors:
        begun = _processor_time(app)
        visitors.wait_for("dragged")
        memory, taken = _resident(app), _processor_time(app) - begun
        seen = visitors.seen()
    return Measured(seen, 1000 * taken / len(seen.latencies), memory)


def _resident(app: ServedApp) -> float:
    """Resident memory of the server, of all its processes together, MB."""
    lines = [
        line
        for pid in _processes(app)
        for line in Path(f"/proc/{pid}/status").read_text().splitlines()
        if line.startswith("VmRSS:")
    ]
    return sum(int(line.split()[1]) for line in lines) / 1024


def _processor_time(app: ServedApp) -> float:
    """Seconds of the processor that the server has used."""
    ticks = 0
    for pid in _processes(app):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _processes(app: ServedApp) -> list[str]:
    children = Path(f"/proc/{app.pid}/task/{app.pid}/children").read_text().split()
    return [str(app.pid), *children]


def _words() -> list[str]:
    """Words of which each visitor asks about one."""
    import biaslab as bl

    subject = bl.load("wiki-bootstraps")
    return list(subject.resolve(bl.specs.get("occupations").items, suggest=False).known)[:60]
