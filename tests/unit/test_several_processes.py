"""Several processes serve at one address: a browser stays with the process of its session."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from biaslab.cli import main
from harness.deferred import Deferred
from harness.isolation import BEARER
from harness.served_app import ServedApp
from harness.server import wait_until

several_processes = Deferred("biaslab_widgets.app.several_processes")
visitors = Deferred("benchmarks.visitors")
PROCESSES = 2


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedApp]:
    folder: Path = tmp_path_factory.mktemp("several")
    with ServedApp(folder, ["--num-procs", str(PROCESSES)]) as app:
        yield app


def process_of(app: ServedApp, cookie: str = "") -> str:
    """The process that a browser with this cookie is told to come back to; empty for the same."""
    headers = {"Cookie": cookie, **BEARER} if cookie else BEARER
    request = urllib.request.Request(f"{app.url}/static/js/bokeh.min.js", headers=headers)
    with urllib.request.urlopen(request, timeout=60) as response:
        response.read()
        cookies = response.headers.get_all("Set-Cookie") or []
    set_now = [cookie for cookie in cookies if several_processes.COOKIE in cookie]
    return set_now[0].partition(";")[0] if set_now else ""


def children(app: ServedApp) -> set[int]:
    return set(map(int, Path(f"/proc/{app.pid}/task/{app.pid}/children").read_text().split()))


def test_new_browsers_are_dealt_out_and_known_ones_come_back(several: ServedApp) -> None:
    dealt = {process_of(several) for _ in range(2 * PROCESSES)}
    assert dealt == {f"{several_processes.COOKIE}={number}" for number in range(PROCESSES)}
    for cookie in dealt:
        assert {process_of(several, f"other=1; {cookie}") for _ in range(3)} == {""}
    # A process that is not there, as of an earlier server: another one takes over.
    assert process_of(several, f"{several_processes.COOKIE}=99") in dealt


def test_the_last_value_of_every_visitor_is_answered(several: ServedApp) -> None:
    visit = visitors.Visit(f"{several.url}/psychometric", visitors=6, seconds=0.5, rate=0)
    seen = asyncio.run(visitors.visit(visit))
    assert (seen.lost, seen.wrong) == (0, 0)
    assert len(seen.latencies) >= visit.visitors


@pytest.mark.validate
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are found in /proc")
def test_a_process_that_dies_is_started_again(several: ServedApp) -> None:
    before = children(several)
    assert len(before) == PROCESSES
    # It has run for longer than a process that cannot start.
    wait_until(lambda: _age(min(before)) > several_processes.EARLY_S, "An old process")
    os.kill(min(before), signal.SIGKILL)
    wait_until(lambda: len(children(several) - before) == 1, "A new process", 60)
    wait_until(
        lambda: len({process_of(several) for _ in range(2 * PROCESSES)}) == PROCESSES,
        "Both processes",
        60,
    )


def _age(pid: int) -> float:
    begun = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    up = float(Path("/proc/uptime").read_text().split()[0])
    return up - begun / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--num-procs", "1000"], "1 to 64"),
        (["--num-procs", "0"], "1 to 64"),
        (["--behind-proxy", "-1"], "0 to 10"),
        (["--max-run", "nan"], "minutes from 0"),
        (["--num-procs", "2", "--unix-socket", "socket"], "One process"),
        (["--num-procs", "2", "--tls-cert", "c.pem", "--tls-key", "k.pem"], "reverse proxy"),
    ],
)
def test_what_cannot_be_served_so_is_refused(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--port", "0", *arguments]) == 1
    assert said in capsys.readouterr().err


def test_a_port_in_use_is_said_in_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "--num-procs", "2", "--port", str(port)]) == 1
    assert f"Port {port} is in use" in capsys.readouterr().err


def test_a_connection_that_says_nothing_is_left() -> None:
    from biaslab_widgets.app.several_processes import _COOKIE, _head_of

    async def head(said: bytes) -> tuple[bytes, bytes]:
        one, other = socket.socketpair()
        with one, other:
            one.sendall(said)
            one.shutdown(socket.SHUT_WR)
            found = await _head_of(other)
            other.setblocking(True)
            return found, other.recv(1000)

    asked = b"GET / HTTP/1.1\r\nCookie: a=1; biaslab-process=1\r\n\r\n"
    assert asyncio.run(head(asked)) == (asked, asked)
    assert asyncio.run(head(b"")) == (b"", b"")
    found = _COOKIE.search(asked)
    assert found is not None
    assert found[1] == b"1"
    assert _COOKIE.search(b"GET /?biaslab-process=1 HTTP/1.1\r\n\r\n") is None
