"""What one person's requests hold, how many there are, and in which turn pages are built."""

from __future__ import annotations

import asyncio
import json
import logging
import socket as sockets
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest

from biaslab.jobs.memory import MEMORY, MemoryBudget
from biaslab_widgets.app.library.shared import Shared
from biaslab_widgets.app.people import People
from biaslab_widgets.app.security import logs
from biaslab_widgets.app.site import Site
from harness.deferred import Deferred
from harness.needs import needs
from harness.site_test import SiteTest

limits = Deferred("biaslab_widgets.app.security.limits")
bokeh_socket = Deferred("biaslab_widgets.hosts.bokeh_socket")


@needs("panel")
class LimitsTest(SiteTest):
    """A site that others reach, behind its limits."""

    def site(self) -> Site:
        return Site(Shared({}, {}), people=People(local=False))

    def setUp(self) -> None:
        super().setUp()
        limits.Requests(self._served._app, ["/runs"])
        self.connections = limits.Connections(self._served.http_server, most=4)
        self.anna = self.cookie_of("anna")

    def send(self, size: int, cookie: str = "", path: str = "/api/runs/delete") -> str:
        """Answer to a body of so many bytes; empty where nobody read it."""
        headers = {"Origin": self.get_url("").rstrip("/"), "Cookie": cookie}
        body = json.dumps({"ids": [], "more": "x" * size})
        answer = self.fetch(path, method="POST", body=body, headers=headers)
        return answer.body.decode() if answer.body else ""

    def test_a_stranger_sends_16_kb_and_a_person_2_mb(self) -> None:
        before = MEMORY.size
        assert self.send(10_000)
        assert not self.send(20_000)
        assert self.send(1_000_000, self.anna)
        assert not self.send(3_000_000, self.anna)
        assert self.send(4_000_000, self.anna, "/api/subjects/upload")
        assert MEMORY.size == before

    def test_a_body_is_counted_before_it_is_read(self) -> None:
        budget = MemoryBudget(10**7, 10**5)
        with patch("biaslab_widgets.app.security.limits.MEMORY", budget):
            assert "memory" not in self.send(50_000, self.anna)
            assert "0 MB are left for you on this server" in self.send(200_000, self.anna)
            assert budget.size == 0

    def test_who_asks_faster_than_can_be_answered_is_told(self) -> None:
        with patch("biaslab_widgets.app.security.limits.MOST_OF_ONE", 0):
            assert self.fetch("/api/runs", headers={"Cookie": self.anna}).code == 429
            assert self.fetch("/healthz", headers={"Cookie": self.anna}).code == 200
            browser = {"Cookie": self.anna, "Accept": "text/html"}
            page = self.fetch("/runs?search=a", headers=browser)
            assert page.code == 429
            assert b"Wait a moment" in page.body
            assert b'href="./runs?search=a">Try again' in page.body

    def test_no_page_is_built_without_memory_for_it(self) -> None:
        with patch("biaslab_widgets.app.security.limits.MEMORY", MemoryBudget(10**7, 10**5)):
            refused = self.fetch("/runs", headers={"Cookie": self.anna})
            assert (refused.code, b"no memory" in refused.body) == (503, True)
        assert self.fetch("/runs", headers={"Cookie": self.anna}).code == 200

    def test_a_server_keeps_room_for_others_than_those_who_open_all_connections(self) -> None:
        host, port = self.get_url("").split("//")[1].strip("/").split(":")
        held = [sockets.create_connection((host, int(port))) for _ in range(6)]
        with pytest.raises(Exception, match="closed"):  # Tornado is not imported here
            self.fetch("/runs", raise_error=True)
        for one in held:
            one.close()
        assert self.fetch("/runs").code == 200
        assert self.connections._open.total() <= 1

    def test_a_head_that_does_not_end_is_not_awaited(self) -> None:
        http = self._served.http_server
        assert http.conn_params.header_timeout == limits.HEAD_S
        assert http.conn_params.body_timeout == limits.BODY_S


@needs("panel")
def test_an_address_has_a_share_of_the_connections() -> None:
    served: list[Any] = []
    http = SimpleNamespace(
        handle_stream=lambda stream, _: served.append(stream), conn_params=SimpleNamespace()
    )
    limits.Connections(http, most=4, per_address=2)

    def connect(address: Any) -> Any:
        stream = SimpleNamespace(
            socket=SimpleNamespace(setsockopt=lambda *_: None), close_fd=lambda: None
        )
        stream.close = lambda: stream.close_fd()
        http.handle_stream(stream, address)
        return stream

    first = connect(("192.0.2.1", 1))
    for _ in range(3):
        connect(("192.0.2.1", 1))
    assert len(served) == 2
    connect(("192.0.2.2", 1))
    connect(("127.0.0.1", 1))
    connect(("192.0.2.3", 1))
    assert len(served) == 4
    first.close()
    connect(("192.0.2.3", 1))
    assert len(served) == 5
    http.handle_stream = lambda stream, _: served.append(stream)
    limits.Connections(http, most=4, per_address=None)
    for _ in range(5):
        connect(("192.0.2.1", 1))
    assert len(served) == 9


@needs("panel")
def test_pages_are_built_in_turn_and_leave_the_thread_to_others() -> None:
    built: list[str] = []

    async def load() -> float:
        turns, loop = limits.Turns(), asyncio.get_running_loop()

        def page(owner: str) -> Any:
            async def build() -> None:
                built.append(owner)
                end = loop.time() + 0.02
                while loop.time() < end:  # as a page, it gives nothing else a turn
                    pass

            return limits.Waiting(owner, lambda: loop.create_task(build()))

        left = page("anna")
        for one in [page("anna"), page("anna"), left, page("ben")]:
            turns.add(one)
        assert turns.count("anna") == 2
        turns.remove(left)
        begun = loop.time()
        while len(built) < 3:
            await asyncio.sleep(0.001)
        return loop.time() - begun

    assert asyncio.run(load()) > 0.08
    assert built == ["anna", "ben", "anna"]


def a_socket(owner: str = "anna") -> tuple[Any, list[str]]:
    """A websocket that is open, and why it was closed."""
    made: Any = bokeh_socket.BenchSocket.__new__(bokeh_socket.BenchSocket)
    why: list[str] = []
    made.close = lambda _code, reason: why.append(reason)
    made._held, made._reading = (bokeh_socket.MEMORY.hold(0, owner) for _ in range(2))
    made._begin()
    return made, why


def head(buffers: int) -> str:
    return json.dumps({"msgtype": "PATCH-DOC", "num_buffers": buffers})


@needs("panel")
def test_a_message_that_promises_pieces_without_end_is_not_gathered() -> None:
    made, why = a_socket()
    for piece in (head(10**9), "{}", "{}"):
        made.on_message(piece)
    assert why == ["The message has too many parts."]
    made, why = a_socket()
    sent = 0
    for piece in (head(60), "{}", "{}"):
        made.on_message(piece)
    while not why and sent < 80:
        made.on_message(bytes(2**20))
        sent += 1
    assert (why, sent) == (["The message is too large."], 24)
    assert made._pieces == []


@needs("panel")
def test_pieces_are_counted_over_all_sockets_of_a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    budget = MemoryBudget(10_000, 2_500)
    monkeypatch.setattr("biaslab_widgets.hosts.bokeh_socket.MEMORY", budget)
    made = [a_socket() for _ in range(6)]
    for one, _ in made:
        one.on_message("x" * 1000)
    assert [bool(why) for _, why in made] == [False, False, True, True, True, True]
    other, why = a_socket("ben")
    other.on_message("x" * 1000)
    assert not why
    assert budget.size == 3000
    made.clear()
    del one
    assert budget.size == 1000


@needs("panel")
def test_a_frame_is_counted_before_it_is_read() -> None:
    budget = MemoryBudget(1000)
    asked: list[int] = []

    async def read(size: int) -> bytes:
        asked.append(size)
        return bytes(size)

    protocol = SimpleNamespace(_read_bytes=read)
    bokeh_socket.count_reads(protocol, budget.hold())
    assert len(asyncio.run(protocol._read_bytes(800))) == 800
    with pytest.raises(bokeh_socket.StreamClosedError):
        asyncio.run(protocol._read_bytes(800))
    assert asked == [800]


@needs("panel")
def test_who_sends_without_waiting_is_read_more_slowly() -> None:
    pace = bokeh_socket.Pace(per_second=100, burst=50)
    waits = [pace.after("anna", 1) for _ in range(60)]
    assert waits[:45] == [0] * 45
    assert 0.05 < waits[-1] < 0.11
    assert pace.after("ben", 1) == 0
    assert pace.after("ben", 100) > 0.4


def log(repeats: logs.Repeats, template: str, *args: object) -> str:
    """What is written of a warning; empty where nothing is."""
    record = logging.LogRecord("biaslab", logging.WARNING, "", 0, template, args, None)
    record.biaslab_kind = logs.kind_of(record)
    return record.getMessage() if repeats.filter(record) else ""


def test_one_line_of_a_kind_is_logged_in_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    repeats = logs.Repeats()
    lines = [
        log(repeats, "%d %s", status, f"/{number}") for number in range(5) for status in (404, 403)
    ]
    assert [line for line in lines if line] == ["404 /0", "403 /0"]
    assert log(repeats, "a handle at 0x7f11")
    assert not log(repeats, "a handle at 0x7f22")
    monkeypatch.setattr(logs, "EVERY_S", -1.0)
    repeats._kinds = {kind: (0.0, left) for kind, (_, left) in repeats._kinds.items()}
    assert log(repeats, "%d %s", 404, "/6") == "404 /6 (4 more like it before)"
    assert log(repeats, "%d %s", 404, "/7") == "404 /7"


def test_kinds_that_somebody_makes_up_do_not_fill_the_log() -> None:
    repeats = logs.Repeats()
    lines = [log(repeats, "x" * (number + 1)) for number in range(2 * logs.MOST_LINES)]
    assert sum(map(bool, lines)) == logs.MOST_LINES
