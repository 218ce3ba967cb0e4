"""A class drags while something goes wrong

Thirty visitors drag as in "Many visitors at once", a class over one word, while one more visitor or
somebody from outside causes trouble. The server is one that others reach (`--allow-anyone`), and
each fault is bounded and ends by itself. Given is the 95th percentile of the others' latency before
the fault, until it is over, and after it; the goals are those of a class without faults. "Lost" are
others whose last value was not answered, or is not what their page shows. Behind each fault stands
what the person concerned is told, in quotation marks, and what became of it.

A service is called at 127.0.0.1, which the owner has allowed. A full disk is a limit on the size of
files, which the server process gets while it runs. The server that is killed takes its pages along:
those who come after it is back drag "after".

The last lines are attacks, and a class that edits lists which take a third of a second of
computing; they last 8 s.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator

from benchmarks import ROOT
from benchmarks.findings import Figure, Findings, judged, under
from benchmarks.load import NONE, served
from benchmarks.timing import late
from benchmarks.troublemakers import ATTACKS, FAULTS, Fault, Outcome, Stage, stage
from benchmarks.visitors import Seen, Visit, VisitorProcess

VISITORS = 30
AROUND_S = 5
"""The class drags for so long before a fault, and after it."""
LONGEST_S = 150
"""A fault that is not over by then fails the measurement."""
GOAL = under(100, "ms")
GOAL_OF_ATTACK = under(200, "ms")
NOTES = (
    (
        "Each line has a class of its own. Server, visitors and trouble share two cores with all"
        " else that runs: a line whose 95th percentile is high before the fault says how busy the"
        " machine was."
    ),
    (
        "The time until a fault is over holds what comes with it: a page that is opened takes the"
        " server's thread 0.1 s, a piece of an upload (1 MB) 0.02 s."
    ),
)


def measure() -> Findings:
    """Let each thing go wrong in turn."""
    figures: list[Figure] = []
    lost = 0
    with stage(lambda *arguments: served(ROOT, *arguments)) as here:
        _drag(here, FAULTS["nothing"])  # answers that are computed for the first time
        for name, fault in {**FAULTS, **ATTACKS}.items():
            print(f"fault: {name}", file=sys.stderr, flush=True)
            parts, last, outcome = _drag(here, fault)
            lost += last
            figures += _lines(name, parts, last, outcome)
        stored = here.runs()
    figures.append(Figure("last values lost, of all lines", str(lost), *judged(NONE, lost)))
    figures.append(Figure("runs stored at the end, in databases that are whole", str(stored)))
    return Findings(tuple(figures), NOTES)


def _drag(here: Stage, fault: Fault) -> tuple[list[list[float]], int, Outcome]:
    """Latencies of a class before, while and after something goes wrong, and its last values."""
    visit = Visit(f"{here.app.url}/psychometric", VISITORS, LONGEST_S + 2 * AROUND_S)
    with VisitorProcess(visit) as drag:
        time.sleep(AROUND_S)
        begun = time.time()
        outcome = asyncio.run(asyncio.wait_for(fault(here), LONGEST_S))
        ended = time.time()
        if not outcome.restarted:
            time.sleep(AROUND_S)
        seen = drag.end()
    before, while_it_lasts, after = _parts(seen, begun, ended)
    if outcome.restarted:
        while_it_lasts, seen.lost, seen.wrong = [], 0, 0
        with VisitorProcess(visit) as drag:
            time.sleep(AROUND_S)
            seen = drag.end()
        after = seen.latencies
    return [before, while_it_lasts, after], seen.lost + seen.wrong, outcome


def _parts(seen: Seen, begun: float, ended: float) -> tuple[list[float], list[float], list[float]]:
    moves = list(zip(seen.moments, seen.latencies, strict=True))
    return (
        [ms for at, ms in moves if at + ms / 1000 < begun],
        [ms for at, ms in moves if at + ms / 1000 >= begun and at <= ended],
        [ms for at, ms in moves if at > ended],
    )


def _lines(name: str, parts: list[list[float]], lost: int, outcome: Outcome) -> Iterator[Figure]:
    shown = [f"{late(part):.0f}" if part else "–" for part in parts]
    longest = max(max(part, default=0) for part in parts[1:])
    affected = [late(part) for part in parts[1:] if part]
    yield Figure(
        f"{name}: 95th percentile before, during, after; longest; lost",
        f"{', '.join(shown)} ms; {longest:.0f} ms; {lost}",
        *judged(GOAL_OF_ATTACK if name in ATTACKS else GOAL, *affected),
    )
    message = f"“{outcome.message}”" if outcome.message else ""
    if both := "; ".join(filter(None, [message, outcome.after])):
        yield Figure(f"{name}: told, and what became of it", both)
