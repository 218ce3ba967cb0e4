"""Bokeh's websocket with a short way for a drag: one write an answer, no document for an input.

Bokeh writes a message in three pieces, each a system call for which Python's lock is given away,
and waits for it while another thread computes. A message that only changes inputs of a bench goes
straight to the bench; everything else goes Bokeh's own way.
"""

from __future__ import annotations

import asyncio
import json
import struct
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, ClassVar, Final
from weakref import WeakSet

from bokeh.server.urls import per_app_patterns
from panel.io.server import WSHandler
from tornado.iostream import StreamClosedError

from biaslab.errors import MemoryBudgetError
from biaslab.jobs.memory import MEMORY, Held
from biaslab.people.access import NOBODY, Access, current_access
from biaslab_widgets.hosts.page_link import inputs_of

PARTS: Final = 3
"""Pieces of a message besides its buffers: header, metadata, content."""
MOST_BUFFERS: Final = 64
"""Buffers of a message; a page of a bench sends none."""
LARGEST: Final = 24 * 2**20
"""Bytes of a whole message; a page sends files in pieces of 1 MB."""
UNSENT: Final = 64 * 2**20
"""A socket is closed on which so many bytes wait for a page that does not take them."""
PACE: Final = 100.0
"""Messages of one person that are read in a second, on average."""
BURST: Final = 200.0
"""Messages that are read at once after a pause."""
_LARGE: Final = 150_000
"""A message of so many bytes counts twice, one of twice as many three times."""
_TOO_LARGE: Final = 1009
"""Why a websocket is closed (RFC 6455, section 7.4.1)."""

_NO_LONGER: Final = 1008
"""Why the websocket of a person who was signed out is closed (RFC 6455, section 7.4.1)."""


class Pace:
    """Says how long to wait before the next message of a person is read.

    - `per_second`, `burst`: messages.
    """

    def __init__(self, per_second: float = PACE, burst: float = BURST) -> None:
        self._per_second, self._burst = per_second, burst
        self._empty_at: dict[str, float] = {}

    def after(self, owner: str, messages: float) -> float:
        """Count messages that were read; return the seconds to wait before the next."""
        now = time.monotonic()
        empty = max(self._empty_at.pop(owner, now), now) + messages / self._per_second
        self._empty_at[owner] = empty  # the last that was heard of
        while (first := next(iter(self._empty_at))) != owner and self._empty_at[first] <= now:
            del self._empty_at[first]
        return max(empty - now - self._burst / self._per_second, 0.0)


_pace = Pace()


def count_reads(protocol: Any, held: Held) -> None:
    """Count the bytes of frames of a websocket before they are read; refused, it is closed."""
    read = protocol._read_bytes

    async def counted(size: int) -> bytes:
        try:
            held.grow(size)
        except MemoryBudgetError as error:
            raise StreamClosedError from error
        data: bytes = await read(size)
        return data

    protocol._read_bytes = counted


def _as_it_is(text: str) -> str:
    return text


def _everybody(_access: Access) -> bool:
    return True


class BenchSocket(WSHandler):
    """The websocket of a page.

    - `outgoing`: each text that a page is sent passes it; a server that others reach leaves out
      what they are not to see.
    - `admits`: whether the access under which it was opened is still good; asked at each message.
    """

    outgoing: Callable[[str], str] = staticmethod(_as_it_is)
    admits: Callable[[Access], bool] = staticmethod(_everybody)
    _access = NOBODY
    _sockets: ClassVar[WeakSet[BenchSocket]] = WeakSet()
    _pieces: list[str | bytes]
    _size: int
    _bytes: int
    _unsent = 0

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        user = current_access().user
        self._held, self._reading = MEMORY.hold(0, user), MEMORY.hold(0, user)
        self._begin()

    def open(self, *args: Any, **options: Any) -> None:
        """Begin to talk to a page, and count what is read before a message is whole."""
        self._access = current_access()
        self._sockets.add(self)
        protocol: Any = self.ws_connection
        count_reads(protocol, self._reading)
        super().open(*args, **options)

    @classmethod
    def watch(cls, every_s: float) -> None:
        """Close the sockets of people who are no longer admitted; again after some seconds."""
        asyncio.get_running_loop().call_later(every_s, cls.watch, every_s)
        for socket in list(cls._sockets):
            if not cls.admits(socket._access):
                socket.turn_away()

    def turn_away(self) -> None:
        """Close the socket, and let its session end now: nobody may come back to it."""
        if self.connection is not None:
            self.connection.session.request_expiration()
        self.close(_NO_LONGER, "Sign in again.")

    def on_message(self, fragment: str | bytes) -> Awaitable[None] | None:
        """Take a piece of a message; the last one of it is answered."""
        self._reading.close()
        pieces = self._pieces
        pieces.append(fragment)
        self._bytes += len(fragment)
        if self._bytes > LARGEST:  # a header can promise pieces without end
            self._refuse("The message is too large.")
            return None
        try:
            self._held.resize(self._bytes)
        except MemoryBudgetError as error:
            self._refuse(str(error))
            return None
        if len(pieces) < self._size:
            return None
        if not self.admits(self._access):
            self._begin()
            self.turn_away()
            return None
        wait = _pace.after(self._held.owner, 1 + self._bytes / _LARGE)
        try:
            header = json.loads(pieces[0])
            buffers = int(header.get("num_buffers", 0))
            if buffers > MOST_BUFFERS:
                self._refuse("The message has too many parts.")
                return None
            self._size = PARTS + 2 * buffers
            if len(pieces) < self._size:
                return None
            if header.get("msgtype") == "PATCH-DOC" and self.connection is not None:
                take = inputs_of(self.connection.session.document, json.loads(pieces[2]))
                if take is not None:
                    self._begin()
                    take()
                    return asyncio.sleep(wait) if wait else None
        except (ValueError, TypeError, AttributeError, LookupError, OverflowError, RecursionError):
            pass  # Bokeh says what is wrong with it
        self._begin()
        return self._in_bokeh(pieces, wait)

    def _begin(self) -> None:
        """Wait for the first piece of the next message."""
        self._pieces, self._size, self._bytes = [], PARTS, 0
        self._held.close()

    def _refuse(self, why: str) -> None:
        self._begin()
        self.close(_TOO_LARGE, why[:100])

    def on_close(self) -> None:
        """Give back what the pieces held."""
        self._begin()
        self._reading.close()
        super().on_close()

    async def _in_bokeh(self, pieces: list[str | bytes], wait: float) -> None:
        for piece in pieces:
            await super().on_message(piece)
        if wait:
            await asyncio.sleep(wait)

    async def send_message(self, message: Any) -> None:
        """Send a message in one write."""
        stream = self._stream()
        if stream is None or message.buffers:
            await super().send_message(message)
            return
        content = self.outgoing(message.content_json)
        parts = (message.header_json, message.metadata_json, content)
        whole = b"".join(map(_frame, parts))
        if self._unsent + len(whole) > UNSENT:
            self.close()
            return
        self._unsent += len(whole)
        try:
            with await self.write_lock.acquire(), suppress(StreamClosedError):  # the person left
                await stream.write(whole)
        finally:
            self._unsent -= len(whole)

    async def write_message(
        self, message: bytes | str | dict[str, Any], binary: bool = False, locked: bool = True
    ) -> None:
        """Send a piece of a message in Bokeh's own way."""
        if isinstance(message, str):
            message = self.outgoing(message)
        await super().write_message(message, binary, locked)

    def _stream(self) -> Any:
        """Where frames are written as they are; None where they are compressed."""
        protocol: Any = self.ws_connection
        if protocol is None or protocol.is_closing() or protocol._compressor is not None:
            return None
        return protocol.stream


def use_bench_sockets() -> None:
    """Let servers that start from now on talk to their pages through `BenchSocket`."""
    for i, (pattern, handler, *more) in enumerate(per_app_patterns):
        if handler is WSHandler:
            per_app_patterns[i] = (pattern, BenchSocket, *more)


_FINAL_TEXT: Final = 0x81


def _frame(text: str) -> bytes:
    """A text as one websocket frame of a server (RFC 6455, section 5.2)."""
    data = text.encode()
    size = len(data)
    if size < 126:
        return struct.pack("!BB", _FINAL_TEXT, size) + data
    if size <= 0xFFFF:
        return struct.pack("!BBH", _FINAL_TEXT, 126, size) + data
    return struct.pack("!BBQ", _FINAL_TEXT, 127, size) + data
