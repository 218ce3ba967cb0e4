"""Subjects that a bench offers: open ones, and ones that are opened when they are chosen."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from biaslab.subjects import load_shared
from biaslab.subjects.base import EmbeddingSubject
from biaslab.subjects.load import bundled_names
from biaslab_widgets.controllers.records import SubjectOption

Given = EmbeddingSubject | str | Path
OnProgress = Callable[[int, int | None], None]
"""Called with words read and words in all, where known."""


def _silent(done: int, total: int | None) -> None:
    """Report to nobody."""


class Source:
    """A subject by name, opened at most once.

    Parameters
    ----------
    name : str
        Name shown.
    opener : callable
        Opens the subject, given a progress callback; may take long.
    subject : EmbeddingSubject, optional
        The subject itself when it is open already.
    """

    def __init__(
        self,
        name: str,
        opener: Callable[[OnProgress], EmbeddingSubject],
        subject: EmbeddingSubject | None = None,
    ) -> None:
        self.name = name
        self._opener = opener
        self._subject = subject
        self._lock = threading.Lock()
        self._tried = threading.Event()

    @property
    def is_open(self) -> bool:
        """Whether `open` returns at once."""
        return self._subject is not None

    def open(self, on_progress: OnProgress = _silent) -> EmbeddingSubject:
        """The subject; blocks while it is being opened."""
        with self._lock:
            try:
                if self._subject is None:
                    self._subject = self._opener(on_progress)
            finally:
                self._tried.set()
            return self._subject

    def opens_within(self, seconds: float) -> bool:
        """Whether it is open; waits so long for another thread that opens it."""
        return self.is_open or (self._tried.wait(seconds) and self.is_open)

    @property
    def option(self) -> SubjectOption:
        """What the subject selector shows."""
        subject = self._subject
        return {
            "name": self.name,
            "about": subject.about if subject else "not opened yet",
            "kind": subject.kind if subject else "",
            "replicates": subject.n_replicates if subject else 0,
        }


def _ready(subject: EmbeddingSubject, _on_progress: OnProgress) -> EmbeddingSubject:
    return subject


def _load(source: str | Path, on_progress: OnProgress) -> EmbeddingSubject:
    return load_shared(source, on_progress=on_progress)


def sources(given: Given | Iterable[Given] | None = None) -> dict[str, Source]:
    """Sources by name, of subjects and names that `biaslab.load` takes; default all bundled."""
    if isinstance(given, dict):  # sources already, shared with another bench
        return given
    if given is None:
        given = bundled_names("ensemble")
    entries = [given] if isinstance(given, str | Path | EmbeddingSubject) else list(given)
    found: dict[str, Source] = {}
    for entry in entries:
        if isinstance(entry, EmbeddingSubject):
            name, opener, subject = entry.name, partial(_ready, entry), entry
        else:
            name = Path(entry).name if Path(entry).exists() else str(entry)
            opener, subject = partial(_load, entry), None
        unique, count = name, 2
        while unique in found:
            unique, count = f"{name} ({count})", count + 1
        found[unique] = Source(unique, opener, subject)
    return found
