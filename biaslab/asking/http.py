"""Send one request to a server; every failure becomes a `ServiceError`."""

from __future__ import annotations

import email.utils
import http.client
import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final, NoReturn

from biaslab.errors import (
    OutboundError,
    ServiceAnswerError,
    ServiceBusyError,
    ServiceError,
    ServiceFailedError,
    ServiceRefusedError,
    ServiceSetupError,
    ServiceTimeoutError,
    ServiceUnreachableError,
)
from biaslab.files.given import parse_json
from biaslab.network import admitted
from biaslab.network.charsets import charset_of
from biaslab.network.connections import unreachable
from biaslab.network.open_call import open_call
from biaslab.network.transports import opener
from biaslab.people.access import current_access
from biaslab.people.secret import Secret

_LARGEST = 8 * 2**20
_BLOCK = 65536
LONGEST_WAIT = 120.0
"""Seconds: a server that wants to be left alone for longer has failed for this run."""
_LONGEST_REASON, _DEEPEST = 300, 6
_HERE = frozenset({"127.0.0.1", "localhost", "::1"})
_STATUSES: Final[dict[int, tuple[type[ServiceError], str]]] = {
    429: (ServiceBusyError, "reports too many requests ({})."),
    503: (ServiceBusyError, "is not ready ({})."),
    402: (ServiceRefusedError, "requires payment ({}): check the account."),
    **dict.fromkeys((401, 403), (ServiceRefusedError, "denies access ({}): check the key.")),
    **dict.fromkeys(
        (404, 405, 410), (ServiceRefusedError, "has nothing at this address ({}): check it.")
    ),
    **dict.fromkeys((408, 504), (ServiceTimeoutError, "did not answer in time ({}).")),
}


def fetch(
    url: str,
    *,
    name: str,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    timeout: float = 30.0,
    secrets: tuple[Secret, ...] = (),
) -> str:
    """Return the text of a server's answer, or raise a `ServiceError`.

    In the name of others than the owner only what the owner allows is called; see
    `biaslab.network`.

    - `url`: address, http or https; it is not left for another one.
    - `name`: name of the service, for messages.
    - `timeout`: seconds until the whole answer is there.
    - `secrets`: texts that must not be in a message.
    """
    try:
        parts = urllib.parse.urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_address = is_address and (parts.port is None or parts.port > 0)
    except ValueError:
        is_address = False
    if not is_address:
        raise ServiceSetupError(f"{name}: {_hide(url, secrets)!r} is not an http or https address.")
    request = urllib.request.Request(  # noqa: S310  # the scheme was looked at
        url, data=body, headers=dict(headers or {}), method=method
    )
    where = f"{name} at {parts.hostname}"
    is_watched = not current_access().reach.everything
    # A proxy would not find this machine.
    way = opener(direct=parts.hostname in _HERE)
    until = float("inf")
    try:
        with admitted(url, method):
            until = time.monotonic() + timeout
            with in_time(timeout), way.open(request, timeout=timeout) as reply:
                if reply.headers.get("content-encoding", "identity").lower() != "identity":
                    raise ServiceAnswerError(
                        f"{where} sent a compressed answer, which was not requested."
                    )
                kind = _hide(str(reply.headers.get("content-type", "")), secrets)
                text = _decoded(_read(reply, until, where), kind, where)
    except OutboundError as error:
        raise ServiceRefusedError(f"{name}: {error}") from None
    except urllib.error.HTTPError as error:
        with error:
            _refused(error, where, secrets, until)
    except TimeoutError:
        raise ServiceTimeoutError(f"{where} did not answer within {timeout:g} s.") from None
    except urllib.error.URLError as error:
        if is_watched:
            # The reason would tell a closed port from a silent one.
            raise ServiceUnreachableError(f"{name}: {unreachable(parts.hostname or '')}") from None
        if isinstance(error.reason, TimeoutError):
            raise ServiceTimeoutError(f"{where} did not answer within {timeout:g} s.") from None
        raise ServiceUnreachableError(
            f"{where} cannot be reached ({_hide(str(error.reason), secrets)}). Check the address,"
            " the network, and that the server is running."
        ) from None
    except (http.client.HTTPException, ConnectionError) as error:
        raise ServiceFailedError(
            f"{where} closed the connection in the middle of an answer ({type(error).__name__})."
        ) from None
    except ValueError as error:
        # Its own words quote the header, which may hold a key.
        raise ServiceAnswerError(
            f"{name}: the request cannot be sent, since a header or the address has characters that"
            f" are not allowed there ({type(error).__name__})."
        ) from None
    text = _hide(text, secrets)  # a server may send back what it was sent
    if kind.startswith("text/html") or is_page(text):
        raise ServiceAnswerError(
            f"{where} sent a web page instead of an answer: {_start(text)}. Check the address;"
            " perhaps a proxy asks you to log in."
        )
    return text


def fetch_json(url: str, *, name: str, **options: Any) -> Any:
    """Return a server's JSON answer; as `fetch`, and an error if it is no JSON."""
    text = fetch(url, name=name, **options)
    if not text.strip():
        raise ServiceAnswerError(f"{name} sent an empty answer.")
    try:
        return parse_json(text)
    except json.JSONDecodeError:
        raise ServiceAnswerError(
            f"{name} sent something other than JSON: {_start(text)}."
        ) from None
    except ValueError as error:
        raise ServiceAnswerError(f"{name} sent JSON that cannot be read: {error}.") from None


@contextmanager
def in_time(timeout: float) -> Iterator[None]:
    """Raise `TimeoutError` if the whole exchange takes longer, however slowly bytes come."""
    with open_call(timeout) as call:
        try:
            yield
        except Exception:
            if call.is_late:
                raise TimeoutError from None
            raise
        if call.is_late:  # an answer that was cut off may look whole
            raise TimeoutError


def _read(reply: Any, until: float, where: str) -> bytes:
    """Read the whole answer within the time limit."""
    blocks: list[bytes] = []
    size = 0
    while block := reply.read1(_BLOCK):
        blocks.append(block)
        size += len(block)
        if size > _LARGEST:
            raise ServiceAnswerError(f"{where} sent more than {_LARGEST >> 20} MB.")
        if time.monotonic() > until:
            raise TimeoutError
    if reply.length:  # the content length is larger
        raise http.client.IncompleteRead(b"", reply.length)
    return b"".join(blocks)


def _decoded(content: bytes, kind: str, where: str) -> str:
    try:
        return content.decode(charset_of(kind, where))
    except UnicodeDecodeError:
        raise ServiceAnswerError(
            f"{where} sent something other than text ({kind or 'unknown'})."
        ) from None


def _refused(
    error: urllib.error.HTTPError, where: str, secrets: tuple[Secret, ...], until: float
) -> NoReturn:
    status = error.code
    said = _said(error, secrets, until)
    kind: type[ServiceError] = ServiceAnswerError
    what = f"rejects the text ({status})."
    if 300 <= status < 400:
        target = _hide(str(error.headers.get("location", "another address")), secrets)
        kind, what = ServiceRefusedError, f"redirects to {target} ({status}): give that address."
    elif status >= 500:
        kind, what = ServiceFailedError, f"failed ({status})."
    if status in _STATUSES:
        kind, what = _STATUSES[status]
        what = what.format(status)
    wait = wait_asked(error.headers.get("retry-after"), said)
    if status == 429 and is_spent(said, wait):
        kind, what = ServiceRefusedError, f"takes no more requests for now ({status})."
    raise kind(f"{where} {what}{says(said)}", retry_after=wait) from None


def says(reason: str) -> str:
    """Return a sentence that quotes a server; empty if it gave no reason."""
    return f" It says: {reason!r}." if reason else ""


def retry_after(header: str | None, now: float | None = None) -> float | None:
    """Return the seconds of a Retry-After header; else None."""
    with suppress(ValueError):
        return max(0.0, float(header or ""))
    with suppress(ValueError):
        moment = email.utils.parsedate_to_datetime(header or "").timestamp()
        return max(0.0, moment - (time.time() if now is None else now))
    return None


def _said(error: urllib.error.HTTPError, secrets: tuple[Secret, ...], until: float) -> str:
    """Return the words of an error response."""
    try:
        text = _read(error, until, "").decode("utf-8", "replace")
    except (OSError, ServiceError, http.client.HTTPException, ValueError, AttributeError):
        return ""
    return reason_in(_hide(text, secrets))


_REASONS: Final = ("error", "errors", "message", "msg", "detail", "details", "reason", "title")
_SPENT: Final = re.compile(
    r"insufficient_quota|\bbilling\b|\bcredits?\b|\bdaily\b|\bmonthly\b|\bper[ -](?:day|month)\b",
    re.IGNORECASE,
)
_TRY_AGAIN: Final = re.compile(
    r"(?:retry|again) (?:in|after) (?:(\d{1,3}) ?h(?:ours?)?\s?)?"
    r"(?:(\d{1,4}) ?m(?!s)(?:in(?:utes?)?)?\s?)?(?:(\d{1,6}(?:\.\d{1,9})?) ?s)?",
    re.IGNORECASE,
)


def reason_in(body: str) -> str:
    """Return the words of an error's body, in any of the shapes in which servers send them.

    Such as ``error.message``, a text in ``error``, an object in ``message``, or a list in
    ``detail`` whose entries name the field that they are about. Empty for a web page.
    """
    text = body.strip()
    if text.startswith("<"):
        return ""
    try:
        words = "; ".join(dict.fromkeys(_reasons(parse_json(text)))) or text
    except ValueError:
        words = text
    words = " ".join(words.split())
    return words if len(words) <= _LONGEST_REASON else words[:_LONGEST_REASON] + "…"


def _reasons(sent: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(sent, str):
        yield from filter(None, [sent.strip()])
    elif isinstance(sent, list) and depth < _DEEPEST:
        for one in sent:
            yield from _reasons(one, depth + 1)
    elif isinstance(sent, dict) and depth < _DEEPEST:
        place = sent.get("loc")
        about = ".".join(map(str, place)) + ": " if isinstance(place, list) else ""
        for key in _REASONS:
            yield from (about + words for words in _reasons(sent.get(key), depth + 1))


def wait_asked(header: str | None, reason: str) -> float | None:
    """Return the seconds that a busy server asks for, in its header or in words; else None."""
    if (seconds := retry_after(header)) is not None:
        return seconds
    match = _TRY_AGAIN.search(reason)
    parts = [float(part or 0.0) for part in match.groups()] if match else [0.0]
    return sum(part * unit for part, unit in zip(parts, (3600, 60, 1), strict=False)) or None


def is_spent(reason: str, wait: float | None) -> bool:
    """Return whether a server that reports too many requests takes none for a long time.

    It does if the seconds that it asks for are more than a run waits; where it asks for none, if it
    speaks of a day, a month or money.
    """
    return _SPENT.search(reason) is not None if wait is None else wait > LONGEST_WAIT


def is_page(text: str) -> bool:
    """Return whether a text is a web page."""
    start = text.lstrip()[:20].lower()
    return start.startswith(("<!doctype", "<html", "<?xml", "<head", "<body"))


def _hide(text: str, secrets: tuple[Secret, ...]) -> str:
    for secret in secrets:
        text = secret.hide(text)
    return text


def _start(text: str, length: int = 80) -> str:
    short = " ".join(text.split())
    return repr(short if len(short) <= length else short[:length] + "…")
