"""Progress line of a long command, on standard error."""

from __future__ import annotations

import sys

from biaslab.jobs import JobContext


class _Shown(JobContext):
    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        share = f"{done / total:.0%}" if total else f"{done:,.0f}"
        print(f"\r{message} {share}   ", end="", file=sys.stderr, flush=True)


def shown_progress() -> JobContext:
    """Make a job context that prints its progress if standard error is a terminal."""
    return _Shown() if sys.stderr.isatty() else JobContext()


def finish_line() -> None:
    """End the line."""
    if sys.stderr.isatty():
        print(file=sys.stderr)
