"""What goes wrong while others drag: each fault is bounded, and over when its function returns."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import socket
import sqlite3
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import WebSocketClosedError

from benchmarks.pages import Page
from harness.drip_server import DripServer
from harness.served_app import ServedApp

HELD_S = 4
"""What is held back, is held back for so long."""
ATTACK_S = 8
"""An attack lasts so long."""
GONE_S = 40
PIECE = 1_000_000
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
GARBAGE = b"<" + b" " * 8_000 + b'{"said": [[[[' + b"\xff\x00" * 2_000
SERVICES = {
    "hangs": (b"", b""),
    "drips": (HEAD + b"\r\n", b" "),
    "garbage": (HEAD + b"Content-Length: %d\r\n\r\n" % len(GARBAGE) + GARBAGE, b""),
}
"""What services answer at once, and what they go on with."""
DESCRIPTION = """
name = "Own"
[request]
url = "{url}/say"
json = {{ text = "{{text}}" }}
[answer]
path = "said"
[limits]
timeout = 2
attempts = 1
"""


@dataclass
class Outcome:
    """What came of a fault.

    - `message`: what the person concerned is told; empty where nobody is there.
    - `after`: what became of it.
    - `restarted`: whether the server was started again, which ends all pages.
    """

    message: str = ""
    after: str = ""
    restarted: bool = False


@dataclass
class Stage:
    """A server, and services that answer badly, which it may call for others."""

    services: dict[str, DripServer]
    app: ServedApp

    def page(self, bench: str, query: str = "") -> Page:
        """A page of a new visitor."""
        return Page(f"{self.app.url}/{bench}{query}")

    def metric(self, name: str) -> int:
        """A count of the server."""
        lines = self.app.ask("/metrics").splitlines()
        return int(next(line for line in lines if line.startswith(f"{name} ")).split()[1])

    async def seconds_until(self, state: Callable[[], bool], within_s: float = GONE_S) -> float:
        """How long a state takes to come about."""
        begun = time.monotonic()
        while not await asyncio.to_thread(state):
            if time.monotonic() - begun > within_s:
                raise TimeoutError
            await asyncio.sleep(0.1)
        return time.monotonic() - begun

    @property
    def work_process(self) -> int | None:
        """The server's process for heavy work."""
        for children in Path(f"/proc/{self.app.pid}/task").glob("*/children"):
            with suppress(OSError):
                for child in children.read_text().split():
                    command = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
                    if b"biaslab.jobs.processes.worker" in command and b"runs" in command:
                        return int(child)
        return None

    def stores(self) -> list[Path]:
        """Databases of visitors, the newest last."""
        home = Path(self.app.environment["BIASLAB_HOME"])
        return sorted(home.glob("visitors/*/biaslab.sqlite"), key=lambda path: path.stat().st_mtime)

    def runs(self) -> int:
        """Runs that are stored, of all visitors, in databases that are whole."""
        count = 0
        for path in self.stores():
            with closing(sqlite3.connect(path)) as database:
                assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
                count += database.execute("SELECT count(*) FROM biaslab_runs").fetchone()[0]
        return count


@contextmanager
def stage(served: Callable[..., Any]) -> Iterator[Stage]:
    """Start the services and the server, for others than its owner."""
    with ExitStack() as stack:
        services = {name: stack.enter_context(DripServer(*how)) for name, how in SERVICES.items()}
        allowed = [f"--allow-service={urlsplit(one.url).netloc}" for one in services.values()]
        others = ("--address", "0.0.0.0", "--allow-anyone")
        yield Stage(services, stack.enter_context(served(*others, *allowed)))


Fault = Callable[[Stage], Awaitable[Outcome]]


async def nothing(_stage: Stage) -> Outcome:
    """Nothing goes wrong."""
    await asyncio.sleep(HELD_S)
    return Outcome()


async def vanish(stage: Stage) -> Outcome:
    """A visitor vanishes in the middle of a run."""
    page = await _posterior(stage, engine="nuts", chains=2, draws=20_000)
    page.vanish()
    took = await stage.seconds_until(lambda: stage.metric("biaslab_jobs_running") == 0)
    return Outcome("", f"the run ended {took:.0f} s later")


async def kill_work_process(stage: Stage) -> Outcome:
    """The process of a run is killed (SIGKILL)."""
    page = await _posterior(stage, engine="vectorised", draws=10_000)
    pid = stage.work_process
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    # The draws that came stay in sight, beside the reason.
    await page.until(lambda shown: bool(shown["answer"]["message"]))
    message, failed = _message(page), _run_number(page.shown)
    page.set({"draws": 50, "chains": 8})
    await page.command("run")
    await page.until(lambda shown: _has_run(shown) and _run_number(shown) != failed)
    page.leave()
    assert stage.work_process != pid
    return Outcome(message, "the next run, in another process, came to its end")


def service(name: str) -> Fault:
    """A service answers badly."""

    async def ask(stage: Stage) -> Outcome:
        page = await _rating(stage, name)
        await page.command("run")
        begun = time.monotonic()
        await page.until(_is_over)
        message, took = _message(page), time.monotonic() - begun
        page.leave()
        return Outcome(message, f"the run ended after {took:.0f} s")

    return ask


async def stop_waiting(stage: Stage) -> Outcome:
    """A run that waits for a service that hangs is stopped."""
    page = await _rating(stage, "hangs", timeout=3600)
    server = stage.services["hangs"]
    while server.begun.acquire(timeout=0):  # of the faults before
        pass
    while server.ended.acquire(timeout=0):
        pass
    await page.command("run")
    assert await asyncio.to_thread(server.begun.acquire, timeout=GONE_S)
    begun = time.monotonic()
    reply = await page.command("stop")
    assert await asyncio.to_thread(server.ended.acquire, timeout=GONE_S)
    took = time.monotonic() - begun
    await page.until(_is_over)
    page.leave()
    return Outcome(str(reply["message"]), f"the connection was closed {took:.1f} s later")


async def lock_store(stage: Stage) -> Outcome:
    """A visitor's store is locked by another program."""
    page = await _psychometric(stage)
    await page.command("save")
    with closing(sqlite3.connect(stage.stores()[-1], isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        saving = asyncio.ensure_future(page.command("save"))
        await asyncio.sleep(HELD_S)
        waits = not saving.done()
        other.execute("COMMIT")
    reply = await saving
    page.leave()
    return Outcome(_reply(reply), "the save waited for it" if waits else "")


async def fill_disk(stage: Stage) -> Outcome:
    """The disk is full: the server can write nothing that makes a file longer."""
    page = await _psychometric(stage)
    await page.command("save")
    before = stage.runs()
    limits = resource.prlimit(stage.app.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
    try:
        reply = await page.command("save")
        await asyncio.sleep(HELD_S)
    finally:
        resource.prlimit(stage.app.pid, resource.RLIMIT_FSIZE, limits)
    kept = stage.runs() - before
    again = await page.command("save")
    page.leave()
    return Outcome(
        _reply(reply),
        f"{kept} runs appeared, the next save {'worked' if again['ok'] else 'failed'}",
    )


async def send_too_much(stage: Stage) -> Outcome:
    """A message is too large for a field, and another for the connection."""
    page = await _psychometric(stage)
    page.set({"word": "nurse" * 200_000})
    await page.until(lambda shown: shown["answer"]["state"] == "error")
    message = _message(page)
    with suppress(WebSocketClosedError):
        await page.socket.write_message("x" * 80_000_000)
    async with asyncio.timeout(GONE_S):
        await page.lost.wait()
    return Outcome(message, "the connection of the larger one was closed")


async def leave_upload(stage: Stage) -> Outcome:
    """Uploads are begun and never finished, by three visitors."""
    memory = []
    for _ in range(3):
        page = await _opened(stage, "images")
        content = "AAAA" * (PIECE // 3)
        for part in range(40):
            reply = await page.command("upload-part", parcel="never", part=part, content=content)
            assert reply["ok"], reply
        with _half_a_request(stage, page.cookie):
            await asyncio.sleep(HELD_S / 2)
        page.vanish()
        sessions = stage.metric("biaslab_sessions")
        await stage.seconds_until(lambda: stage.metric("biaslab_sessions") < sessions)  # noqa: B023
        memory.append(_resident(stage))
    shown = ", ".join(f"{one:.0f}" for one in memory)
    return Outcome("", f"memory after one, two and three visitors with 40 MB each: {shown} MB")


@contextmanager
def _half_a_request(stage: Stage, cookie: str) -> Iterator[None]:
    """Send the beginning of an upload, and hold its connection."""
    here = urlsplit(stage.app.url)
    head = (
        f"POST /api/subjects/upload?upload={'a' * 12}&name=mine.txt HTTP/1.1\r\n"
        f"Host: {here.netloc}\r\nOrigin: {stage.app.url}\r\nCookie: {cookie}\r\n"
        f"Content-Length: {PIECE}\r\n\r\n"
    )
    with socket.create_connection((str(here.hostname), int(here.port or 0))) as connection:
        connection.sendall(head.encode() + b"she 1 2\n" * 1000)
        yield


async def kill_server(stage: Stage) -> Outcome:
    """The server is killed (SIGKILL) and started again."""
    page = await _psychometric(stage)
    for _ in range(3):
        await page.command("save")
    before = stage.runs()
    saving = asyncio.ensure_future(page.command("save"))
    await asyncio.sleep(0)
    os.kill(stage.app.pid, signal.SIGKILL)
    async with asyncio.timeout(GONE_S):
        await page.lost.wait()
    saving.cancel()
    work = stage.work_process

    def restart() -> None:
        stage.app.stop()
        stage.app.__enter__()

    begun = time.monotonic()
    await asyncio.to_thread(restart)
    took = time.monotonic() - begun
    after = stage.runs()
    assert work is None or not Path(f"/proc/{work}").exists()
    again = Page(f"{stage.app.url}/psychometric?noise=0.2&word=teacher", page.cookie)
    await again.open()
    await again.until(lambda shown: shown["answer"]["state"] == "ready")
    shows = again.shown["answer"]["picture"]["row_noise"]
    again.leave()
    lost = max(before - after, 0)
    return Outcome(
        "The server does not answer; this is the last result, and the controls are off.",
        f"back after {took:.0f} s; {lost} of {before} saved runs lost; a page that is loaded again"
        f" shows its last value{'' if shows == 0.2 else ' NOT'}",
        restarted=True,
    )


async def load_pages(stage: Stage) -> Outcome:
    """A browser loads a page again and again over eight connections."""
    page = stage.page("rating")
    await page.open()
    statuses: Counter[int] = Counter()
    end = time.monotonic() + ATTACK_S
    client = AsyncHTTPClient(force_instance=True, max_clients=8)

    async def load() -> None:
        while time.monotonic() < end:
            asked = HTTPRequest(page.url, headers={"Cookie": page.cookie}, request_timeout=60)
            statuses[(await client.fetch(asked, raise_error=False)).code] += 1

    await asyncio.gather(*(load() for _ in range(8)))
    client.close()
    page.leave()
    shown = ", ".join(f"{count} with {status}" for status, count in sorted(statuses.items()))
    return Outcome("", f"answers: {shown}")


async def send_without_waiting(stage: Stage) -> Outcome:
    """Four visitors' pages send values without waiting for an answer."""
    pages = [await _psychometric(stage) for _ in range(4)]
    begun, sent = time.monotonic(), 0
    while time.monotonic() < begun + ATTACK_S:
        for page in pages:
            page.set({"noise": (sent % 80 + 1) / 200})
            sent += 1
        await asyncio.sleep(0.0013)
    for page in pages:
        page.vanish()
    return Outcome("", f"{sent / ATTACK_S:,.0f} values a second were sent")


async def send_half_heads(stage: Stage) -> Outcome:
    """Six hundred connections send half the head of a request."""
    here = urlsplit(stage.app.url)
    place = (str(here.hostname), int(here.port or 0))
    with ExitStack() as stack:
        held = [stack.enter_context(socket.create_connection(place)) for _ in range(600)]
        begun = time.monotonic()
        for one in held:
            one.sendall(b"GET /rating HTTP/1.1\r\nHost: ")
            one.setblocking(False)
        await stage.seconds_until(lambda: all(map(_is_closed, held)))
        return Outcome("", f"the server had closed all of them {time.monotonic() - begun:.0f} s on")


async def send_half_bodies(stage: Stage) -> Outcome:
    """Forty strangers begin bodies of 40 MB."""
    here = urlsplit(stage.app.url)
    place = (str(here.hostname), int(here.port or 0))
    head = f"POST /api/runs/delete HTTP/1.1\r\nHost: {here.netloc}\r\nContent-Length: 40000000\r\n"
    before = _resident(stage)
    with ExitStack() as stack:
        for _ in range(40):
            connection = stack.enter_context(socket.create_connection(place))
            connection.sendall(f"{head}\r\n".encode())
            with suppress(OSError):  # it is closed
                for _ in range(20):
                    connection.settimeout(1)
                    connection.sendall(b"x" * PIECE)
                    await asyncio.sleep(0)
        grown = _resident(stage) - before
    return Outcome("", f"memory of the server grew by {grown:.0f} MB")


async def edit_lists(stage: Stage) -> Outcome:
    """Eight visitors edit the lists of the association bench."""
    pages = [await _opened(stage, "association") for _ in range(8)]
    took: list[float] = []
    end = time.monotonic() + ATTACK_S

    async def edit(page: Page, number: int) -> None:
        lists = [dict(words["entries"]) for words in page.shown["lists"]]
        terms = list(lists[0]["terms"])
        while time.monotonic() < end:
            # Other words for everybody: an answer that somebody had is shared.
            lists[0]["terms"] = [*terms, f"word{number}", f"word{len(took)}"]
            begun = time.monotonic()
            page.set({"lists": lists})
            wanted = page.generation
            await page.until(
                lambda shown, wanted=wanted: shown["answer"]["generation"] >= wanted  # type: ignore[misc]
            )
            took.append(time.monotonic() - begun)

    await asyncio.gather(*(edit(page, number) for number, page in enumerate(pages)))
    for page in pages:
        page.leave()
    return Outcome("", f"{len(took)} edits, of which half took at most {median(took):.1f} s")


def _is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


ATTACKS: dict[str, Fault] = {
    "a page is loaded in a loop": load_pages,
    "values are sent without waiting": send_without_waiting,
    "600 half heads of requests": send_half_heads,
    "40 half bodies of strangers": send_half_bodies,
    "eight others edit association lists": edit_lists,
}
"""What people do on purpose, or a class by its number."""
FAULTS: dict[str, Fault] = {
    "nothing": nothing,
    "a visitor vanishes in the middle of a run": vanish,
    "the process of a run is killed (SIGKILL)": kill_work_process,
    "a service never answers": service("hangs"),
    "a service answers a byte at a time": service("drips"),
    "a service answers garbage": service("garbage"),
    "a run that waits for a service is stopped": stop_waiting,
    "a visitor's store is locked for 4 s": lock_store,
    "the disk is full for 4 s": fill_disk,
    "messages are too large": send_too_much,
    "uploads are begun and never finished": leave_upload,
    "the server is killed (SIGKILL) and started again": kill_server,
}


# Pages, ready for their fault.


async def _opened(stage: Stage, bench: str) -> Page:
    page = stage.page(bench)
    await page.open()
    await page.until(_has_loaded)
    return page


def _has_loaded(shown: dict[str, Any]) -> bool:
    return bool(shown["answer"]["state"] != "loading")


async def _posterior(stage: Stage, **settings: Any) -> Page:
    """A page of the posterior bench with a run that goes on."""
    page = await _opened(stage, "posterior")
    page.set(settings)
    reply = await page.command("run")
    assert reply["ok"], reply
    await page.until(
        lambda shown: (
            (picture := shown["answer"]["picture"])
            and picture["run"]["running"]
            and picture["run"]["done"] > 0
        )
    )
    return page


def _run_number(shown: dict[str, Any]) -> int:
    picture = shown["answer"]["picture"]
    return picture["run"]["number"] if picture else 0


def _has_run(shown: dict[str, Any]) -> bool:
    answer = shown["answer"]
    return answer["state"] == "ready" and not answer["picture"]["run"]["running"]


async def _psychometric(stage: Stage) -> Page:
    page = stage.page("psychometric", "?word=teacher")
    await page.open()
    await page.until(lambda shown: shown["answer"]["state"] == "ready")
    return page


async def _rating(stage: Stage, service: str, timeout: float = 2) -> Page:
    """A page of the rating bench that has chosen a service that answers badly."""
    page = stage.page("rating")
    await page.open()
    toml = DESCRIPTION.format(url=stage.services[service].url)
    toml = toml.replace("timeout = 2", f"timeout = {timeout:g}")
    reply = await page.command("describe", toml=toml)
    assert reply["ok"], reply
    await page.until(_has_loaded)
    return page


def _is_over(shown: dict[str, Any]) -> bool:
    picture = shown["answer"]["picture"]
    return _has_loaded(shown) and not (picture and picture["run"]["running"])


def _message(page: Page) -> str:
    message = page.shown["answer"]["message"]
    return f"{message['title']}. {message['text']}" if message else ""


def _reply(reply: dict[str, Any]) -> str:
    return str(reply["message"])


def _resident(stage: Stage) -> float:
    text = Path(f"/proc/{stage.app.pid}/status").read_text()
    line = next(line for line in text.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024
