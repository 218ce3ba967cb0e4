"""Visitors of the served app, in one process without a browser.

Each opens a page and drags one slider of the bench: the newest value goes out when the answer to
the last has come, with a generation number, as `js/src/lib/coalesce.ts` has it.
`python -m benchmarks.visitors` takes a `Visit` as JSON and prints a `Seen` as JSON; it ends by
itself after `Visit.seconds` and `FINAL_S`, or sooner where a second line comes.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from types import TracebackType

from benchmarks import ROOT
from benchmarks.pages import OPEN_S, Page

FINAL_S = 20
"""A last value that is not answered within this time is lost."""
_GENERATION = re.compile(r'\\"generation\\":\[?(\d+)')
MOST_VISITORS = 240


@dataclass(frozen=True)
class Visit:
    """What the visitors do.

    - `url`: address of the bench's page.
    - `seconds`: how long they drag.
    - `rate`: moves of the hand in a second; 0 sends the next as soon as the last is answered.
    - `slider`: input that they drag.
    - `values`: steps of the slider, there and back; each visitor begins at another.
    - `words`: words that they ask about, dealt out in turn; empty keeps the page's own.
    - `stay_s`: how long they stay connected after the last drag.
    """

    url: str
    visitors: int
    seconds: float
    rate: float = 5
    slider: str = "noise"
    values: list[float] = field(default_factory=lambda: [i / 200 for i in range(1, 81)])
    words: list[str] = field(default_factory=list)
    stay_s: float = 0


@dataclass
class Seen:
    """What they saw.

    - `latencies`: milliseconds from a move of the hand to the answer to it.
    - `seconds`: from the first move to the last answer.
    - `lost`: visitors whose last value was not answered.
    - `wrong`: visitors whose screen does not show their last value.
    - `received`: bytes of all answers.
    - `moments`: when each move of `latencies` was made, by `time.time`.
    """

    latencies: list[float]
    seconds: float
    lost: int
    wrong: int
    received: int
    moments: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Answers in a second."""
        return len(self.latencies) / self.seconds


class Visitor(Page):
    """A page whose slider is dragged."""

    def __init__(self, visit: Visit, number: int, over: asyncio.Event) -> None:
        super().__init__(visit.url)
        self.visit, self.number = visit, number
        self.latencies: list[float] = []
        self.moments: list[float] = []
        self.unanswered = False
        self._word = visit.words[number % len(visit.words)] if visit.words else ""
        self._over = over
        self._answered = asyncio.Event()

    async def drag(self) -> None:
        """Drag for as long as the visit takes, and wait for the last answer."""
        if self._word:
            await self._ask({"word": self._word})
        rate, values = self.visit.rate, self.visit.values
        there_and_back = [*values, *reversed(values)]
        begun = time.perf_counter()
        # Hands move at moments of their own.
        begun += (self.number * 0.618 % 1) / rate if rate else 0
        end = begun + self.visit.seconds
        step = self.number * 7
        moved = begun
        while moved < end and not self._over.is_set():
            step += 1
            if rate:
                # The newest move that the hand has made meanwhile, or the next one.
                missed = int((time.perf_counter() - moved) * rate)
                step, moved = step + max(missed - 1, 0), moved + max(missed, 1) / rate
                await asyncio.sleep(max(0.0, moved - time.perf_counter()))
            else:
                moved = time.perf_counter()
            self._last = there_and_back[step % len(there_and_back)]
            await self._ask({self.visit.slider: self._last})
            now = time.perf_counter()
            self.latencies.append(1000 * (now - moved))
            self.moments.append(time.time() - (now - moved))

    async def _ask(self, changes: dict[str, object]) -> None:
        self._answered.clear()
        self.set(changes)
        try:
            await asyncio.wait_for(self._answered.wait(), FINAL_S)
        except TimeoutError:
            self.unanswered = True
            raise

    def heard(self, text: str) -> None:
        """Look whether it is the answer to the last move."""
        number = _GENERATION.search(text)
        if number is not None and int(number[1]) >= self.generation:
            self._answered.set()

    def shows_last(self) -> bool:
        """Whether the screen shows the last value."""
        return bool(self.shown["answer"]["picture"]["row_noise"] == self._last)


class VisitorProcess:
    """Visitors in a process of their own, who have arrived; it ends with a block that fails."""

    def __init__(self, visit: Visit) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.visitors"],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "widgets")])},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._say(json.dumps(asdict(visit)))
        self.wait_for("arrived")

    def __enter__(self) -> VisitorProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error:
            self._process.kill()
            self._process.wait()

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def wait_for(self, word: str) -> None:
        """Wait until they have arrived or dragged."""
        assert self._process.stdout is not None
        if self._process.stdout.readline().strip() != word:
            raise SystemExit(f"The visitors ended before they had {word}.")

    def end(self) -> Seen:
        """Let them stop dragging; return what they saw."""
        with contextlib.suppress(
            BrokenPipeError
        ):  # they have ended: their server was away too long
            self._say("over")
        return self.seen()

    def seen(self) -> Seen:
        """Wait for the end of their visit; return what they saw."""
        printed, _ = self._process.communicate(timeout=FINAL_S + 60)
        return Seen(**json.loads(printed.splitlines()[-1]))


async def visit(planned: Visit, *, can_be_ended: bool = False) -> Seen:
    """Let all visitors arrive one after another, drag together, and leave.

    - `can_be_ended`: whether a line on the standard input ends the drag.
    """
    over = asyncio.Event()
    visitors = [Visitor(planned, n, over) for n in range(min(planned.visitors, MOST_VISITORS))]
    for one in visitors:
        await asyncio.wait_for(one.open(), OPEN_S)
    _note("arrived")
    begun = time.perf_counter()
    with _until_a_line(over) if can_be_ended else contextlib.nullcontext():
        await asyncio.gather(*(one.drag() for one in visitors), return_exceptions=True)
    seconds = time.perf_counter() - begun
    _note("dragged")
    await asyncio.sleep(planned.stay_s)
    for one in visitors:
        one.leave()
    return Seen(
        [one for visitor in visitors for one in visitor.latencies],
        seconds,
        sum(one.unanswered for one in visitors),
        sum(not one.shows_last() for one in visitors if not one.unanswered),
        sum(one.received for one in visitors),
        [one for visitor in visitors for one in visitor.moments],
    )


@contextlib.contextmanager
def _until_a_line(over: asyncio.Event) -> Iterator[None]:
    """Set an event when another line comes."""
    loop = asyncio.get_running_loop()
    loop.add_reader(sys.stdin, over.set)
    try:
        yield
    finally:
        loop.remove_reader(sys.stdin)


def _note(what: str) -> None:
    print(what, flush=True)


def main(read: Callable[[], str] = sys.stdin.readline) -> None:
    """Make one visit."""
    seen = asyncio.run(visit(Visit(**json.loads(read())), can_be_ended=True))
    print(json.dumps(asdict(seen)), flush=True)


if __name__ == "__main__":
    main()
