"""One line on the screen that tells how far a long command is."""

from __future__ import annotations

import sys

from biaslab.jobs import JobContext


class _Shown(JobContext):
    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        share = f"{done / total:.0%}" if total else f"{done:,.0f}"
        print(f"\r{message} {share}   ", end="", file=sys.stderr, flush=True)


def shown_progress() -> JobContext:
    """A context that writes how far it is; only where a person looks at it."""
    return _Shown() if sys.stderr.isatty() else JobContext()


def finish_line() -> None:
    """End the line."""
    if sys.stderr.isatty():
        print(file=sys.stderr)
