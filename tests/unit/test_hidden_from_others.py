"""What leaves a served app: no path of the server, and no key or whole message in its log."""

from __future__ import annotations

import asyncio
import json
import logging
import stat
import tempfile
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from biaslab.people.access import NOBODY, OWNER, Access, Role, acting_as
from biaslab.people.activity import note
from biaslab_widgets.app.security.logs import (
    HIDDEN,
    LONGEST,
    MOST_REFUSALS,
    AuditLog,
    keep_log_clean,
    log_to_file,
)
from harness.deferred import Deferred
from harness.needs import needs

server_paths = Deferred("biaslab_widgets.app.security.server_paths")
sockets = Deferred("biaslab_widgets.hosts.bokeh_socket")


@pytest.fixture
def ben(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Access]:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "owner"))
    access = Access("ben", Role.VISITOR, tmp_path / "owner" / "users" / "ben", tmp_path / "shared")
    with acting_as(access):
        yield access


def test_a_folder_of_the_server_is_left_out_wherever_it_stands(ben: Access) -> None:
    message = f"{ben.home}/files/a.txt and {Path.cwd()}/b.txt and {tempfile.gettempdir()}/c.txt"
    nested = json.dumps({"reply": json.dumps({"message": message})})
    for text in (message, nested):
        shown = server_paths.without_paths(text)
        for folder in (str(ben.home), str(Path.cwd()), tempfile.gettempdir()):
            assert folder not in shown
        assert all(name in shown for name in ("a.txt", "b.txt", "c.txt"))
    assert json.loads(server_paths.without_paths(nested)), "it is JSON still"


@pytest.mark.usefixtures("ben")
def test_text_that_only_begins_like_a_folder_stays() -> None:
    text = f"{tempfile.gettempdir()}fs and /somewhere/else"
    assert server_paths.without_paths(text) == text


def test_the_owner_sees_paths(ben: Access) -> None:
    assert server_paths.for_person(str(ben.home)) == "…"
    with acting_as(OWNER):
        assert server_paths.for_person(str(ben.home)) == str(ben.home)


class Stream:
    """Keeps what is written."""

    def __init__(self) -> None:
        self.sent = b""

    async def write(self, content: bytes) -> None:
        self.sent += content


class ClosedStream:
    """Belongs to a page that has left."""

    async def write(self, _content: bytes) -> None:
        from tornado.iostream import StreamClosedError

        raise StreamClosedError


@needs("panel")
def test_a_websocket_sends_others_no_path(ben: Access, monkeypatch: pytest.MonkeyPatch) -> None:
    from tornado.locks import Lock

    monkeypatch.setattr(sockets.BenchSocket, "outgoing", staticmethod(server_paths.for_person))
    stream = Stream()
    protocol = SimpleNamespace(is_closing=lambda: False, _compressor=None, stream=stream)
    socket: Any = sockets.BenchSocket.__new__(sockets.BenchSocket)
    socket.ws_connection, socket.write_lock = protocol, Lock()
    content = json.dumps({"message": f"{ben.home}/specs/mine.toml"})
    message = SimpleNamespace(
        buffers=[], header_json="{}", metadata_json="{}", content_json=content
    )
    asyncio.run(socket.send_message(message))
    assert b"specs/mine.toml" in stream.sent
    assert str(ben.home).encode() not in stream.sent
    protocol.stream = ClosedStream()
    asyncio.run(socket.send_message(message))  # no error


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    """The file of a log that is kept clean while a test runs."""
    before, root = logging.getLogRecordFactory(), logging.getLogger()
    handlers, level = list(root.handlers), root.level
    keep_log_clean()
    log_to_file(tmp_path / "serve.log")
    try:
        yield tmp_path / "serve.log"
    finally:
        logging.setLogRecordFactory(before)
        for handler in set(root.handlers) - set(handlers):
            root.removeHandler(handler)
            handler.close()
        root.setLevel(level)


def test_a_bad_message_of_8_mb_is_a_line_of_the_log_without_its_key(log: Path) -> None:
    patch = '{"command": {"name": "chat", "key": "a-typed-key-1234", "words": "' + "x" * 8_000_000
    try:
        raise ValueError(patch)
    except ValueError as error:
        # As Bokeh's WSHandler.on_message logs it.
        logging.getLogger("bokeh.server.views.ws").error(
            "Unhandled exception receiving a message: %r: %r", error, patch, exc_info=True
        )
    text = log.read_text(encoding="utf-8")
    assert "Unhandled exception receiving a message" in text
    assert "ValueError" in text
    assert len(text) < 10 * LONGEST
    assert "a-typed-key-1234" not in text


@pytest.mark.parametrize(
    "line",
    [
        "200 GET /x?api_key=CANARY-1234567&word=nurse",
        '{"key": "CANARY-1234567", "word": "nurse"}',
        r'{"content": "{\"key\": \"CANARY-1234567\", \"word\": \"nurse\"}"}',
        "Authorization: Bearer CANARY-1234567 nurse",
        "{'password': 'CANARY-1234567', 'word': 'nurse'}",
    ],
)
def test_a_key_in_a_line_is_hidden_and_the_rest_stays(log: Path, line: str) -> None:
    # Jupyter's server, where another test of this process has run it, takes tornado's loggers.
    logger = logging.getLogger("a.library")
    logger.warning(line)
    logger.warning("%s", line)
    text = log.read_text(encoding="utf-8")
    assert text.count(HIDDEN) == 2
    assert "CANARY" not in text
    assert text.count("nurse") == 2


def test_ordinary_lines_are_left_as_they_are(log: Path) -> None:
    lines = ("the key is nice", '"keyboard": "qwerty"', "404 GET /nothing (127.0.0.1) 0.50ms")
    for line in lines:
        logging.getLogger("biaslab").warning(line)
    logging.getLogger("biaslab").warning("%d of %s took %.1f s", HTTPStatus.OK, ["a"], 0.25)
    text = log.read_text(encoding="utf-8")
    assert all(line in text for line in lines)
    assert "200 of ['a'] took 0.2 s" in text


def test_strangers_cannot_push_the_past_out_of_the_audit_log(
    ben: Access, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr(f"{AuditLog.__module__}.time.monotonic", lambda: now[0])
    audit = AuditLog(tmp_path / "audit.jsonl")
    try:
        for n in range(1_000):
            for stranger in (NOBODY, Access(f"browser-{n}", Role.VISITOR)):
                with acting_as(stranger):
                    note("refused", address=f"/{n}", why="Forbidden")
        note("refused", address="/", why="Forbidden")
        now[0] += 61
        with acting_as(NOBODY):
            note("refused", address="/later", why="Forbidden")
    finally:
        audit.close()
    text = (tmp_path / "audit.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    assert [(one["user"], one["address"], one["count"]) for one in lines] == [
        ("nobody", "/0", 1),
        (ben.user, "/", 1),
        ("nobody", "/later", 2_000),
    ]


def test_reasons_that_somebody_makes_up_share_a_line_of_the_audit_log(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "audit.jsonl")
    try:
        for number in range(3 * MOST_REFUSALS):
            note("refused", address="/", why=f"This server does not answer to {number}.example.")
    finally:
        log.close()
    assert len((tmp_path / "audit.jsonl").read_text().splitlines()) == MOST_REFUSALS + 1
    assert len(log._refusals) == MOST_REFUSALS + 1


def test_the_audit_log_says_who_did_what_and_holds_no_content(ben: Access, tmp_path: Path) -> None:
    audit = AuditLog(tmp_path / "audit.jsonl")
    try:
        note("saved", what="run", id="1abc")
        note("refused", address="/x" * 5_000, why="another site")
        with acting_as(OWNER):
            note("deleted", what="run", ids=["1abc"])
    finally:
        audit.close()
    note("saved", what="run", id="after it was closed")
    path = tmp_path / "audit.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [(one["user"], one["role"], one["event"]) for one in lines] == [
        ("ben", "visitor", "saved"),
        ("ben", "visitor", "refused"),
        ("", "owner", "deleted"),
    ]
    assert lines[0]["id"] == "1abc"
    assert len(lines[1]["address"]) <= 200
    assert ben.home is not None
    assert str(ben.home) not in path.read_text(encoding="utf-8")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
