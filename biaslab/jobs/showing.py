"""Progress of a call that a person waits for, on a terminal or in a notebook cell."""

from __future__ import annotations

import functools
import html
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final, ParamSpec, Protocol, TypeVar

from biaslab.jobs.context import JobContext, is_watched, reporting_to
from biaslab.jobs.progress import SECONDS_BETWEEN_REPORTS, JobProgress, ProgressReports
from biaslab.records.wording import duration

P = ParamSpec("P")
R = TypeVar("R")

AFTER_S: Final = 1.0
"""Seconds from which a call is long enough to show its progress unasked."""
_LINES_S: Final = 10.0
"""Seconds between two lines where lines cannot be drawn over, as in a log."""


def shows_progress(probe: Callable[P, R]) -> Callable[P, R]:
    """Show the progress of a probe that has the argument ``progress``.

    True shows it, False does not, None shows it after a second where a person waits: a script on a
    terminal, or a notebook cell. In a job, and within another probe, nothing is shown.
    """

    @functools.wraps(probe)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        progress = kwargs.get("progress")
        if progress is False or is_watched() or not (progress or _is_awaited()):
            return probe(*args, **kwargs)
        with showing(0.0 if progress else AFTER_S):
            return probe(*args, **kwargs)

    return wrapper


@contextmanager
def showing(after: float = AFTER_S) -> Iterator[None]:
    """Show what probes in this block report, from ``after`` seconds on."""
    shown = _Shown(after)
    try:
        with reporting_to(shown):
            yield
    finally:
        shown.close()


def is_terminal() -> bool:
    """Return whether standard error is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


def _is_awaited() -> bool:
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and (is_terminal() or _in_notebook())


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


class _Screen(Protocol):
    between: float

    def show(self, progress: JobProgress) -> None: ...

    def close(self) -> None: ...


class _Shown(JobContext):
    def __init__(self, after: float) -> None:
        self._next = time.monotonic() + after
        self._reports = ProgressReports()
        self._screen: _Screen | None = None
        self._lock = threading.Lock()

    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        self._reports.report(done, total, message)
        with self._lock:
            now = time.monotonic()
            if now < self._next:
                return
            if self._screen is None:
                self._screen = _Cell() if _in_notebook() else _Bar() if is_terminal() else _Lines()
            self._next = now + self._screen.between
            self._screen.show(self._reports.latest)

    def close(self) -> None:
        with self._lock:
            if self._screen is not None:
                self._screen.close()


class _Bar:
    """A bar below what a script prints; it goes with the end of the call."""

    between = SECONDS_BETWEEN_REPORTS

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self._bar = Progress(
            TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[left]}"),
            console=Console(stderr=True), transient=True, auto_refresh=False,
        )  # fmt: skip
        self._task = self._bar.add_task("", total=None, left="")

    def show(self, progress: JobProgress) -> None:
        self._bar.update(
            self._task, completed=progress.done, total=progress.total,
            description=_done(progress), left=_left(progress),
        )  # fmt: skip
        self._bar.start()
        self._bar.refresh()

    def close(self) -> None:
        self._bar.stop()


class _Cell:
    """A bar in the output of a notebook cell; it goes with the end of the call."""

    between = 2 * SECONDS_BETWEEN_REPORTS

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, progress: JobProgress) -> None:
        total = f' max="{progress.total:g}" value="{progress.done:g}"' if progress.total else ""
        words = html.escape(in_words(progress))
        self._put({"text/plain": words, "text/html": f"<progress{total}></progress> {words}"})

    def close(self) -> None:
        self._put({"text/plain": "", "text/html": ""})

    def _put(self, content: dict[str, str]) -> None:
        if self._handle is None:
            display: Any = import_module("IPython.display").display
            self._handle = display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)


class _Lines:
    """A line at times: in a log nothing is drawn over."""

    between = _LINES_S

    def show(self, progress: JobProgress) -> None:
        sys.stderr.write(f"{in_words(progress)}\n")
        sys.stderr.flush()

    def close(self) -> None:
        pass


def in_words(progress: JobProgress) -> str:
    """Return progress in words, such as "64 of 576 questions asked, about 20 seconds left"."""
    left = _left(progress)
    return _done(progress) + (f", {left}" if left else "")


def _done(progress: JobProgress) -> str:
    done, total = progress.done, progress.total
    if total and float(done).is_integer() and float(total).is_integer() and total > 1:
        return f"{progress.message}: {done:,.0f} of {total:,.0f}".removeprefix(": ")
    share = f"{100 * done / total:.0f} %" if total else f"{done:,.0f}"
    return f"{progress.message}: {share}".removeprefix(": ")


def _left(progress: JobProgress) -> str:
    if not progress.seconds_left:
        return ""
    seconds = progress.seconds_left
    unit = 3600 if seconds >= 5400 else 60 if seconds >= 90 else 1
    return f"about {duration(max(1, round(seconds / unit)) * unit)} left"
