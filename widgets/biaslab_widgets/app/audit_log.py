"""The audit log: who signed in, ran, saved, shared and deleted what, and who was refused.

One line of JSON for each event, in ``audit.jsonl`` in the owner's folder. It names people, runs and
lists, and holds no text, no word and no key. It is rotated, and nobody but the owner can read it.
"""

from __future__ import annotations

import json
import logging
import os
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path

from biaslab.access import current_access
from biaslab.activity import Fact, listen

FILE = "audit.jsonl"
LARGEST = 5_000_000
"""Bytes of a file."""
KEPT = 10
"""Older files that are kept."""
_LONGEST = 200


class AuditLog:
    """Writes what people do.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._handler = _Private(path, maxBytes=LARGEST, backupCount=KEPT, encoding="utf-8")
        self._handler.setFormatter(logging.Formatter("%(message)s"))
        self._end = listen(self.write)

    def write(self, event: str, facts: dict[str, Fact]) -> None:
        """Write a line."""
        access = current_access()
        line = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "user": access.user,
            "role": access.role.value,
            "event": event,
            **{name: _short(value) for name, value in facts.items()},
        }
        text = json.dumps(line, ensure_ascii=False)
        self._handler.handle(logging.LogRecord(FILE, logging.INFO, "", 0, text, None, None))

    def close(self) -> None:
        """Write no more."""
        self._end()
        self._handler.close()


class _Private(RotatingFileHandler):
    """A file that only its owner reads."""

    def _open(self):  # type: ignore[no-untyped-def]  # as the base declares it
        made = os.open(self.baseFilename, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        return os.fdopen(made, self.mode, encoding=self.encoding, errors=self.errors)


def _short(value: Fact) -> Fact:
    if isinstance(value, str):
        return value[:_LONGEST]
    return [one[:_LONGEST] for one in value[:100]] if isinstance(value, list) else value
