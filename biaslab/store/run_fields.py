"""Fields of a stored run: its id, bench, texts, search words and thumbnail."""

from __future__ import annotations

import json
import secrets
import threading
import time
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from biaslab.arguments import described, strings
from biaslab.errors import ArgumentError, ResultFormatError
from biaslab.records.kinds import imported
from biaslab.records.result import Result

COLUMNS = (
    *("id", "label", "tags", "bench", "probe", "subject", "time", "seconds"),
    *("headline", "bytes"),
)
"""What a list of runs shows, in its order."""


@dataclass(frozen=True)
class StoredRun:
    """A stored run. `biaslab.Store.open` returns its result.

    Attributes
    ----------
    id : str
        Id, which sorts by time.
    label : str
        The person's own note.
    tags : tuple of str
        Tags, sorted.
    bench : str
        Bench in which it was saved, such as ``"occupations"``; empty if there was none.
    probe, subject : str
        Names of the probe and of its subject.
    time : str
        When the probe began: ISO 8601, UTC; empty if that is unknown.
    seconds : float
        Duration of the probe; NaN if not measured.
    headline : str
        The finding in one line, at most 300 characters.
    bytes : int
        Size of the stored result.
    inputs : dict
        What the bench was set to, so that the run reopens in it.
    picture : str
        Small SVG of the chart; empty if there is none.
    is_deleted : bool
        Whether the run is in the trash.
    """

    id: str
    label: str
    tags: tuple[str, ...]
    bench: str
    probe: str
    subject: str
    time: str
    seconds: float
    headline: str
    bytes: int
    inputs: dict[str, Any] = field(repr=False)
    picture: str = field(repr=False)
    is_deleted: bool = False


# Without i, l, o and u, which are easily misread; in the order of their codes.
_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
_EPOCH = 1735689600_000  # 2025-01-01 in milliseconds since 1970; 8 digits last until 2059
_lock = threading.Lock()
_last = 0


def new_run_id() -> str:
    """Return a new id such as ``"1qk2c07v4x"``: milliseconds and 2 random digits.

    Ids of one process grow strictly. Two processes may, once in 1024 cases of the very same
    millisecond, make the same id: the store then takes another.
    """
    global _last
    with _lock:
        _last = moment = max(time.time_ns() // 1_000_000 - _EPOCH, _last + 1)
    return _written(moment, 8) + _written(secrets.randbelow(1024), 2)


def _written(number: int, width: int) -> str:
    digits = ""
    while number or len(digits) < width:
        number, digit = divmod(number, 32)
        digits = _DIGITS[digit] + digits
    return digits


_LONGEST_TAG = 100


def one_text(value: Any, what: str) -> str:
    """Return the value if it is text.

    Raises `ArgumentError` if it is not.
    """
    if not isinstance(value, str):
        raise ArgumentError(f"{what} is {described(value)}, which is not text: pass a str.")
    return storable(value)


def storable(text: str) -> str:
    """Return text that every database can hold: PostgreSQL refuses the character NUL."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


def checked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return the tags without spaces around them, each once.

    Raises `ArgumentError` if one is empty, longer than 100 characters, or contains a comma or a
    line break.
    """
    texts = [storable(tag.strip()) for tag in strings(tags, "tags", "['pilot']")]
    for tag in texts:
        if not tag or len(tag) > _LONGEST_TAG or "," in tag or not tag.isprintable():
            raise ArgumentError(
                f"{tag!r} cannot be a tag: a tag has 1 to {_LONGEST_TAG} characters, and no comma"
                " or line break."
            )
    return tuple(dict.fromkeys(texts))


def json_text(inputs: Mapping[str, Any]) -> str:
    """Return the inputs of a bench as JSON.

    Raises `ArgumentError` if JSON cannot hold them.
    """
    if not isinstance(inputs, Mapping):
        raise ArgumentError(f"inputs is {described(inputs)}: pass a dict of settings.")
    try:
        return json.dumps(dict(inputs), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"inputs cannot be stored as JSON ({error}): use numbers, text, None, lists and dicts."
        ) from error


_LONGEST_WORD = 80
_LONGEST_TEXT = 20_000
_NUMBERS = {"NaN", "Infinity", "-Infinity"}
_SKIPPED_FIELDS = {"schema", "$packed", "dtype", "versions", "cpu", "time", "call"}


def folded(text: str) -> str:
    """Return text as a search compares it: without case, with one form for each character."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def run_words(document: dict[str, Any]) -> str:
    """Return the first distinct short texts of a result, folded, one a line.

    They are at most 20,000 characters.

    - `document`: what `biaslab.records.result.Result.to_dict` returns.
    """
    words: dict[str, None] = {}
    length = 0
    for text in _texts(document):
        word = folded(text)
        if word not in words:
            length += len(word) + 1
            if length > _LONGEST_TEXT:
                break
            words[word] = None
    return "\n".join(words)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if 0 < len(value) <= _LONGEST_WORD and value not in _NUMBERS:
            yield value
    elif isinstance(value, list):
        for item in value:
            if not isinstance(item, int | float):
                yield from _texts(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in _SKIPPED_FIELDS:
                yield from _texts(item)


_THUMBNAIL = "biaslab.reports.previews:thumbnail"
_LONGEST_THUMBNAIL = 50_000


def thumbnail_of(result: Result) -> str:
    """Return a small SVG of a result's chart; empty if it cannot be drawn."""
    try:
        thumbnail = str(imported(_THUMBNAIL)(result))
    except Exception:  # noqa: BLE001  # a run is worth more than its chart: it is saved without
        return ""
    return thumbnail if len(thumbnail) <= _LONGEST_THUMBNAIL else ""


def thumbnail_of_document(document: str) -> str:
    """Return the same of a stored result; empty if this biaslab cannot read it."""
    try:
        return thumbnail_of(Result.from_json(document))
    except ResultFormatError:
        return ""
