"""Logs of the server: its own, without keys and whole messages, and the audit log.

When a message of a page cannot be handled, Bokeh logs all of it: up to 20 MB, with whatever key
was typed. Here each record of each logger is cut and cleaned when it is made, before any handler
sees it, so that a handler added later cannot bring back what was left out.

The audit log says who signed in, ran, saved, shared and deleted what, and who was refused: one
line of JSON for each event, in ``audit.jsonl`` in the owner's folder. It names people, runs and
lists, and holds no text, no word and no key. It is rotated, and only the owner can read it.
"""

from __future__ import annotations

import json
import logging
import os
import re
import threading
import time
import traceback
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

from biaslab.errors import BiaslabError
from biaslab.people.access import current_access
from biaslab.people.activity import Fact, listen
from biaslab_widgets.app.people import signed_in

LONGEST_PART = 500
"""Characters of one argument of a log call."""
LONGEST = 2_000
"""Characters of a message."""
LONGEST_TRACE = 8_000
"""Characters of a traceback."""
LARGEST_FILE = 10_000_000
KEPT_FILES = 5
HIDDEN = "[hidden]"
EVERY_S = 60.0
"""One warning of a kind is written in so many seconds."""
MOST_LINES = 200
"""Warnings of all kinds that are written in this time: a kind may be made up."""
_NUMBERS = re.compile(r"0x[0-9a-f]{1,16}|[0-9]{1,20}")

_NAMED = (
    "(?:api[_-]?key|key|access[_-]?token|refresh[_-]?token|id[_-]?token|token|secret|password"
    "|passwd|authorization|cookie|code|session)"
)
_QUOTE = r"""\\{0,3}["']"""
# A name, what stands between, and the secret: key=..., "token": "...", Authorization: Bearer ...
_ASSIGNED = (
    rf"(?P<kept>\b[\w-]{{0,40}}{_NAMED}(?:{_QUOTE})?\s{{0,4}}(?:=>|[:=])\s{{0,4}}(?:b?{_QUOTE})?"
    r"""(?:Bearer |Basic )?)[^\s"'&,;)}\]\\]{4,2000}"""
)
_BEARER = r"(?P<bearer>\b(?:Bearer|Basic)\s{1,4})[\w.~+/=-]{8,2000}"
_KNOWN = r"\b(?:sk|pk|hf|gsk|ghp|gho|xox[bp]|AKIA|AIza)[-_]?[\w-]{12,200}"
_SECRETS = re.compile(f"{_ASSIGNED}|{_BEARER}|{_KNOWN}", re.IGNORECASE)


def clean(text: str) -> str:
    """Return text without what looks like a key, a token or a password."""
    return _SECRETS.sub(_hidden, text)


def _hidden(match: re.Match[str]) -> str:
    return f"{match['kept'] or match['bearer'] or ''}{HIDDEN}"


def keep_log_clean() -> None:
    """Cut and clean each record of this process from now on."""
    make = logging.getLogRecordFactory()
    if getattr(make, "_biaslab", False):
        return

    def cleaned(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = make(*args, **kwargs)
        record.biaslab_kind = kind_of(record)
        clean_record(record)
        return record

    cleaned._biaslab = True  # type: ignore[attr-defined]
    logging.setLogRecordFactory(cleaned)


def keep_log_short() -> None:
    """Let each handler of this process write one warning of a kind in `EVERY_S` from now on."""
    loggers = [logging.getLogger(), *map(logging.getLogger, logging.root.manager.loggerDict)]
    handlers = {handler for logger in loggers for handler in logger.handlers}
    for handler in {*handlers, logging.lastResort}:
        if handler is not None:
            handler.addFilter(Repeats())


def kind_of(record: logging.LogRecord) -> tuple[object, ...]:
    """Return what records that tell of the same have in common: their text before it is filled."""
    error = record.exc_info[1] if record.exc_info else None
    trace = error.__traceback__ if error is not None else None
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = (type(error), trace.tb_frame.f_code, trace.tb_lineno) if trace is not None else ()
    status = record.args[0] if isinstance(record.args, tuple) and record.args else None
    number = status if isinstance(status, int) else None
    text = _NUMBERS.sub("", str(record.msg)[:LONGEST])
    return (record.name, record.levelno, text, number, *place)


class Repeats(logging.Filter):
    """Lets one warning or error of a kind through in `EVERY_S`, and says how many there were.

    Requests cause them, so that whoever sends many could otherwise fill the disk.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._kinds: dict[object, tuple[float, int]] = {}
        self._begun = time.monotonic()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is written; it says how many like it were not."""
        kind, now = getattr(record, "biaslab_kind", None), time.monotonic()
        if kind is None or record.levelno < logging.WARNING:
            return True
        with self._lock:
            if now - self._begun >= EVERY_S and len(self._kinds) >= MOST_LINES:
                self._begun, self._kinds = now, {}
            due, left_out = self._kinds.get(kind, (0.0, 0))
            is_due = now >= due
            if is_due and kind not in self._kinds and len(self._kinds) >= MOST_LINES:
                return False
            self._kinds[kind] = (now + EVERY_S, 0) if is_due else (due, left_out + 1)
        if is_due and left_out and not hasattr(record, "biaslab_left_out"):
            record.biaslab_left_out = left_out  # by another handler as well
            record.msg = f"{record.msg} ({left_out:,} more like it before)"
        return is_due


def clean_record(record: logging.LogRecord) -> None:
    """Cut and clean a record."""
    if isinstance(record.args, tuple):
        record.args = tuple(_short(arg) for arg in record.args)
    try:
        text = record.getMessage()
    except Exception:  # noqa: BLE001  # a wrong format is the caller's mistake, and stays visible
        text = str(record.msg)
    record.msg, record.args = cut(clean(cut(text, 4 * LONGEST)), LONGEST), ()
    if record.exc_info and record.exc_info[1] is not None:
        written = "".join(traceback.format_exception(record.exc_info[1], limit=-30))
        if len(written) > LONGEST_TRACE:  # the frames are before, and the message may be long
            half = LONGEST_TRACE // 2
            written = f"{written[:half]} … ({len(written):,} characters) … {written[-half:]}"
        record.exc_text = clean(written).rstrip()


def cut(text: str, longest: int) -> str:
    """Return a text, or its beginning and how long it is."""
    return text if len(text) <= longest else f"{text[:longest]} … ({len(text):,} characters)"


def _short(arg: Any) -> Any:
    if isinstance(arg, str):
        return cut(arg, LONGEST_PART)
    if isinstance(arg, bytes | bytearray):
        if len(arg) <= LONGEST_PART:
            return arg
        return f"{bytes(arg[:LONGEST_PART])!r} … ({len(arg):,} bytes)"
    if isinstance(arg, int | float):
        return arg
    for written in (str(arg), repr(arg)):
        if len(written) > LONGEST_PART:
            return cut(written, LONGEST_PART)
    return arg


def log_to_file(path: str | Path) -> None:
    """Write the log of this process to a file, which is rotated.

    Raises `BiaslabError` when it cannot be written.
    """
    try:
        handler = RotatingFileHandler(
            Path(path).expanduser(), maxBytes=LARGEST_FILE, backupCount=KEPT_FILES, encoding="utf-8"
        )
    except OSError as error:
        raise BiaslabError(
            f"The log file {path} cannot be written: {error.strerror or error}."
        ) from error
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(min(root.level, logging.WARNING) or logging.WARNING)


FILE = "audit.jsonl"
MOST_REFUSALS = 100
"""Kinds of refusals that have a line of their own in a minute; the others share one."""
LARGEST = 5_000_000
"""Bytes of a file."""
KEPT = 10
"""Older files that are kept."""
_LONGEST = 200
BETWEEN_S = 60.0
"""Between two lines about refusals of one kind."""


class AuditLog:
    """Writes what people do."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._handler = _Private(path, maxBytes=LARGEST, backupCount=KEPT, encoding="utf-8")
        self._handler.setFormatter(logging.Formatter("%(message)s"))
        self._refusals: dict[tuple[str, str], tuple[float, int]] = {}
        self._end = listen(self.write)

    def write(self, event: str, facts: dict[str, Fact]) -> None:
        """Write a line; of refusals one a minute for each person and reason, and how many."""
        access = current_access()
        if event == "refused":
            waiting = self._waiting(signed_in(access), str(facts.get("why", "")))
            if not waiting:
                return
            facts = {**facts, "count": waiting}
        line = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "user": access.user,
            "role": access.role.value,
            "event": event,
            **{name: _shortened(value) for name, value in facts.items()},
        }
        text = json.dumps(line, ensure_ascii=False)
        self._handler.handle(logging.LogRecord(FILE, logging.INFO, "", 0, text, None, None))

    def _waiting(self, person: str, why: str) -> int:
        """Count a refusal; return how many are to be written now, 0 while a line is too recent.

        Strangers, who have no name, share a line: they could push everything else out of the log.
        """
        now = time.monotonic()
        kind = person, why
        if kind not in self._refusals and len(self._refusals) >= MOST_REFUSALS:
            recent = {
                one: seen for one, seen in self._refusals.items() if now - seen[0] < BETWEEN_S
            }
            self._refusals = recent
            if len(recent) >= MOST_REFUSALS:  # reasons name hosts, which anybody can make up
                kind = "", ""
        written, waiting = self._refusals.get(kind, (-BETWEEN_S, 0))
        is_due = now - written >= BETWEEN_S
        self._refusals[kind] = (now, 0) if is_due else (written, waiting + 1)
        return waiting + 1 if is_due else 0

    def close(self) -> None:
        """Write no more."""
        self._end()
        self._handler.close()


class _Private(RotatingFileHandler):
    """A file that only its owner reads."""

    def _open(self):  # type: ignore[no-untyped-def]  # as the base declares it
        made = os.open(self.baseFilename, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        return os.fdopen(made, self.mode, encoding=self.encoding, errors=self.errors)


def _shortened(value: Fact) -> Fact:
    if isinstance(value, str):
        return value[:_LONGEST]
    return [one[:_LONGEST] for one in value[:100]] if isinstance(value, list) else value
