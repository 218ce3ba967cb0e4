"""A served session that is left ends its jobs, and one that comes back in time keeps them."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator
from typing import Any
from unittest.mock import MagicMock

import pytest

import biaslab as bl
from biaslab.jobs.job import Job, start
from biaslab.jobs.workers import NO_LIMITS, OWN_MACHINE, job_limits
from harness.deferred import Deferred
from harness.emitted import PATIENCE_S
from harness.heavy import pn
from harness.panels import panel
from harness.server import answers, free_port, wait_until

app = Deferred("biaslab_widgets.app.serve")
client = Deferred("bokeh.client")


class Pages:
    """A server of posterior benches, each of which begins a long run when it is made."""

    def __init__(self, linger_ms: int) -> None:
        self.jobs: list[Job[Any]] = []
        self.controllers: list[weakref.ref[Any]] = []
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self._server: Any = pn.serve(
            self._page,
            port=port,
            address="127.0.0.1",
            show=False,
            threaded=True,
            unused_session_lifetime_milliseconds=linger_ms,
            check_unused_sessions_milliseconds=50,
        )
        # A file, which makes no session.
        wait_until(lambda: answers(f"{self.url}/static/js/bokeh.min.js"), "The server")

    def _page(self) -> Any:
        bench = panel("posterior")(bl.observers.classifier(dim=2), draws=20_000)
        self.jobs.append(bench.run())
        self.controllers.append(weakref.ref(bench.controller))
        return bench

    def visit(self, session: str | None = None) -> Any:
        """Connect as a browser does."""
        return client.pull_session(url=self.url, session_id=session)

    def nothing_left(self) -> bool:
        """Whether no thread, the server's included, holds a controller any longer."""
        gc.collect()
        return all(gone() is None for gone in self.controllers)

    def stop(self) -> None:
        """End the server."""
        self._server.stop()
        for job in self.jobs:
            job.cancel()


@pytest.fixture
def pages(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, small_heap: None
) -> Iterator[Pages]:
    monkeypatch.setattr(pn.config, "reconnect", True)  # as the app has it
    made = Pages(request.param)
    yield made
    made.stop()


def drawing(job: Job[Any]) -> None:
    """Wait until a run draws."""
    begun = threading.Event()
    job.on_progress(lambda _: begun.set())
    assert begun.wait(PATIENCE_S)


@pytest.mark.parametrize("pages", [100], indirect=True)
def test_a_session_that_is_left_ends_its_run_and_the_next_one_begins(pages: Pages) -> None:
    first = pages.visit()
    drawing(pages.jobs[0])
    second = pages.visit()
    assert pages.jobs[1].status == "queued"
    first.close()
    assert pages.jobs[0].wait(PATIENCE_S)
    assert pages.jobs[0].status == "cancelled"
    drawing(pages.jobs[1])
    second.close()
    assert pages.jobs[1].wait(PATIENCE_S)
    assert pages.jobs[1].status == "cancelled"
    start(int).result(PATIENCE_S)
    wait_until(pages.nothing_left, "The end of what the benches were made of")


@pytest.mark.parametrize("pages", [600_000], indirect=True)
def test_a_connection_that_comes_back_finds_its_run(pages: Pages) -> None:
    first = pages.visit()
    drawing(pages.jobs[0])
    assert first.document.config.reconnect_session  # else no browser would come back
    session = first.id
    first.close()
    again = pages.visit(session)
    assert len(pages.jobs) == 1
    assert pages.jobs[0].status == "running"
    again.close()


def test_the_app_lets_a_lost_connection_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    def serve(_pages: object, **options: Any) -> Any:
        asked.update(options)
        return MagicMock()

    monkeypatch.setattr(app.pn, "serve", serve)
    monkeypatch.setattr(pn.config, "reconnect", False)
    monkeypatch.setattr("biaslab.jobs.workers._limits", NO_LIMITS)
    app.serve(port=5123)
    assert job_limits() == OWN_MACHINE
    assert pn.config.reconnect
    assert asked["unused_session_lifetime_milliseconds"] == 1000 * app.LINGER_S
    assert asked["check_unused_sessions_milliseconds"] == 1000 * app.LOOK_S
    app.serve(port=5123, unused_session_lifetime_milliseconds=7)
    assert asked["unused_session_lifetime_milliseconds"] == 7
