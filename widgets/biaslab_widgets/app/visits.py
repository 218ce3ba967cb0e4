"""Visits of people, and their runs that go on while they look at another page.

A page says with each question about jobs that it is open, and with its last breath that it is not.
While a person has an open page, a bench that they left keeps its run; the next page of that bench
shows it. A bench without a run ends with its page.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from biaslab.errors import BiaslabError
from biaslab.people.access import Access, acting_as, current_access
from biaslab.threads.background import start_thread, start_timer
from biaslab_widgets.core.answers.cache import size_of
from biaslab_widgets.core.bench.controller import Controller

LINGER_S: Final = 10.0
"""A person who has left all pages comes back in this time, or their jobs are cancelled."""
SILENCE_S: Final = 90.0
"""A page that says nothing for so long is gone: browsers let a hidden one speak once a minute."""
LOOK_S: Final = 1.0
MOST_PEOPLE: Final = 10_000
MOST_PAGES: Final = 64
"""Open pages of one person that are counted."""
MOST_BYTES: Final = 512 * 2**20
"""Of results that nobody looks at, together; the one that was left first goes first."""


@dataclass(eq=False)
class OpenBench:
    """A bench on a page.

    - `person`, `slug`: whose it is, and its kind.
    - `bench`: its Panel component.
    - `context`: of its page's session; None in a script.
    """

    person: str
    slug: str
    bench: Any
    context: Any

    def is_of(self, person: str, slug: str) -> bool:
        """Whether it is of this person and kind."""
        return (self.person, self.slug) == (person, slug)

    @property
    def session(self) -> Any:
        """Its page's, of Bokeh; None while the page is being made."""
        return getattr(self.context, "session", None)

    @property
    def is_left(self) -> bool:
        """Whether its page is closed, and its session waits for the page to come back."""
        return self.session is not None and self.session.connection_count == 0


@dataclass(eq=False)
class Kept:
    """A bench without a page.

    - `size`: about how many bytes the result of its run takes; None while that is not known.
    """

    controller: Controller[Any]
    size: int | None = None

    def measure(self) -> int:
        """Return the size; 0 while the run goes on."""
        if self.size is None and not self.controller.jobs.busy:
            with acting_as(self.controller.access), suppress(BiaslabError):
                self.size = size_of(self.controller.result)  # type: ignore[attr-defined]
        return self.size or 0


class Visits:
    """Open pages of people, the benches on them, and those that outlive their page.

    - `now`: the time in seconds.
    - `holds`: whether an access is still good; a run ends with that of its person.
    """

    def __init__(
        self,
        now: Callable[[], float] = time.monotonic,
        holds: Callable[[Access], bool] = lambda _: True,
    ) -> None:
        self._now, self._holds = now, holds
        self._lock = threading.RLock()
        self._pages: OrderedDict[str, dict[str, float]] = OrderedDict()
        self._open: list[OpenBench] = []
        self._kept: OrderedDict[tuple[str, str], Kept] = OrderedDict()
        self._looks = False

    # Pages.

    def seen(self, person: str, page: str) -> None:
        """Note that a page of a person is open."""
        self._expect(person, page, SILENCE_S)

    def left(self, person: str, page: str) -> None:
        """Note that a page was closed: another one may follow soon."""
        if page in self._pages.get(person, ()):
            self._expect(person, page, LINGER_S)

    def is_here(self, person: str) -> bool:
        """Whether a person has an open page."""
        with self._lock:
            now = self._now()
            return any(until > now for until in self._pages.get(person, {}).values())

    def _expect(self, person: str, page: str, seconds: float) -> None:
        with self._lock:
            now = self._now()
            pages = {p: until for p, until in self._pages.pop(person, {}).items() if until > now}
            pages[page] = now + seconds
            while len(pages) > MOST_PAGES:
                del pages[min(pages, key=lambda one: pages[one])]
            self._pages[person] = pages
            while len(self._pages) > MOST_PEOPLE:
                self._pages.popitem(last=False)

    # Benches.

    def open(self, one: OpenBench) -> None:
        """Note a bench on a page that is being made."""
        with self._lock:
            self._open.append(one)

    def close(self, one: OpenBench) -> None:
        """Keep the run of a bench whose page is gone while its person is here, or end it."""
        with self._lock:
            if one not in self._open:  # another page has taken it over
                return
            self._open.remove(one)
            controller = one.bench.controller
            key = (one.person, one.slug)
            over: Controller[Any] | None = controller
            if self._goes_on(one.person, controller):
                controller.show_to(_nobody)
                last = self._kept.pop(key, None)
                self._kept[key] = Kept(controller)
                over = None if last is None else last.controller
                self._look_later()
        if over is not None:
            # Apart from the server's own thread: its jobs may end after an answer that is made.
            start_thread("biaslab-leaving", over.close)

    def take(self, person: str, slug: str, named: Mapping[str, Any]) -> Controller[Any] | None:
        """Hand over a bench with a run that nobody looks at; None where there is none.

        - `named`: inputs that the new page's address names; those of the bench have to be equal.
        """
        with self._lock:
            kept = self._kept.get((person, slug))
            if kept is not None and _is_set_to(kept.controller, named):
                return self._kept.pop((person, slug)).controller
            for one in reversed(self._open):
                controller: Controller[Any] = one.bench.controller
                if (
                    one.is_of(person, slug)
                    and one.is_left
                    and controller.has_run
                    and _is_set_to(controller, named)
                ):
                    self._open.remove(one)
                    one.session.request_expiration()  # a page that came back would show nothing
                    controller.show_to(_nobody)
                    return controller
        return None

    def may_come(self, person: str, slug: str, named: Mapping[str, Any]) -> bool:
        """Whether a run may soon be handed over: its page has not said yet that it is closed.

        - `named`: as of `take`.
        """
        with self._lock:
            theirs = (one.bench.controller for one in self._open if one.is_of(person, slug))
            return any(c.has_run and _is_set_to(c, named) for c in theirs)

    def kept(self, person: str) -> list[str]:
        """Return the benches of a person that nobody looks at, the one left last first."""
        with self._lock:
            return [slug for owner, slug in reversed(self._kept) if owner == person]

    def count(self) -> int:
        """Return how many benches are kept."""
        return len(self._kept)

    def look(self) -> None:
        """End benches of people who have left, those without a run, and those beyond the limit."""
        with self._lock:
            kept = list(self._kept.items())
        total = sum(one.measure() for _, one in kept)
        ended = []
        with self._lock:
            for key, one in kept:
                is_over = not self._goes_on(key[0], one.controller)
                is_too_much = one.size is not None and total > MOST_BYTES
                if (is_over or is_too_much) and self._kept.get(key) is one:
                    ended.append(self._kept.pop(key))
                    total -= one.size or 0
            self._looks = False
            if self._kept:
                self._look_later()
        for one in ended:
            one.controller.close()

    def _goes_on(self, person: str, controller: Controller[Any]) -> bool:
        may = controller.has_run and self.is_here(person)
        return may and self._holds(controller.access)

    def _look_later(self) -> None:
        if not self._looks:
            self._looks = True
            start_timer(LOOK_S, self.look)


def _nobody(_outputs: dict[str, Any]) -> None:
    """Show outputs to nobody: the bench keeps them in its state."""


def _is_set_to(controller: Controller[Any], named: Mapping[str, Any]) -> bool:
    """Whether a bench is set to what a page names, and has the rights that the page has now."""
    return controller.access == current_access() and all(
        controller.state[name] == value for name, value in named.items()
    )
