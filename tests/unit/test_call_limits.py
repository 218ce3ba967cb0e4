"""A server of somebody else holds nothing for longer than it may: limits, deadlines, cancel."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from biaslab.asking.endpoint import Endpoint
from biaslab.asking.http import fetch
from biaslab.errors import (
    EndpointAnswerError,
    EndpointError,
    ServiceError,
    ServiceSetupError,
    ServiceTimeoutError,
)
from biaslab.jobs.job import JobContext, JobGroup
from biaslab.probes.rating.experiment_executor import execute
from biaslab.services import ChatService, Limits, http_service
from harness.drip_server import DripServer
from harness.needs import needs
from harness.server import wait_until

LONG = 30
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
DRIPS = {
    "headers": (HEAD + b"X-Long: ", b"x"),
    "a body of unknown length": (HEAD + b"\r\n", b" "),
    "a body of known length": (HEAD + b"Content-Length: 1000000\r\n\r\n", b" "),
    "chunks": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1"),
    "nothing": (b"", b""),
}
SERVICE = """
name = "Slow"
[request]
url = "URL/say"
json = {{ text = "{{text}}" }}
[answer]
path = "said"
[limits]
{limits}
"""


def service(server: DripServer, limits: str) -> Any:
    return http_service(SERVICE.format(limits=limits).replace("URL", server.url))


def call_threads() -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name == "biaslab-service"]


@pytest.mark.parametrize(
    "limits",
    [
        {"timeout": 1e6}, {"timeout": float("inf")}, {"timeout": float("nan")}, {"timeout": 0},
        {"timeout": "30"}, {"timeout": None}, {"attempts": 1_000_000}, {"attempts": 0},
        {"attempts": 2.0}, {"concurrency": 10**9}, {"concurrency": True}, {"concurrency": 0},
        {"concurrency": 1.5}, {"texts_per_call": 10**6}, {"texts_per_call": 0},
        {"characters_per_text": 10**9}, {"characters_per_text": 0}, {"characters_per_text": -1},
        {"calls_per_second": 1e9}, {"calls_per_second": 1e-9}, {"calls_per_second": 0.0},
        {"calls_per_second": "2"},
    ],
)  # fmt: skip
def test_every_limit_has_a_range_that_is_told(limits: dict[str, Any]) -> None:
    with pytest.raises(ServiceSetupError, match=r"it must be a (whole )?number from [\d.]+ to"):
        Limits(**limits)


def test_limits_within_their_ranges_are_taken() -> None:
    assert Limits(10_000, 10_000_000, 1000, 32, 3600, 10).concurrency == 32
    assert Limits().characters_per_text is None


@needs("openai")
@pytest.mark.parametrize("limits", [{"timeout": 1e6}, {"attempts": 10**6}, {"timeout": "x"}])
def test_an_endpoint_has_the_same_ranges(limits: dict[str, Any]) -> None:
    with pytest.raises(EndpointError, match="it must be a"):
        Endpoint("model", base_url="http://127.0.0.1:9/v1", **limits)


@pytest.mark.parametrize("what", DRIPS)
def test_a_server_that_drips_does_not_exceed_the_timeout(what: str) -> None:
    with DripServer(*DRIPS[what]) as server:
        with pytest.raises(ServiceTimeoutError, match=r"did not answer within 0\.2 s"):
            fetch(server.url, name="Slow", timeout=0.2)
        assert server.ended.acquire(timeout=LONG)


@needs("openai")
@pytest.mark.parametrize("what", DRIPS)
def test_a_chat_model_that_drips_does_not_exceed_the_timeout(what: str) -> None:
    with DripServer(*DRIPS[what]) as server:
        model = ChatService(
            "model", "Say it.", base_url=server.url, limits=Limits(timeout=0.2, attempts=1)
        )
        with pytest.raises(ServiceError, match="did not answer in time"):
            model.answer(["text"])
        assert server.ended.acquire(timeout=LONG)


def test_each_attempt_has_its_own_deadline_and_there_are_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("biaslab.asking.calling._FIRST_WAIT", 0.001)
    with DripServer(*DRIPS["headers"]) as server:
        slow = service(server, "timeout = 0.2\nattempts = 2")
        (response,) = execute(slow, ["text"], keep=False).responses
        assert "did not answer within 0.2 s" in response.failure
        for _ in range(2):
            assert server.begun.acquire(timeout=LONG)
        assert not server.begun.acquire(timeout=0)


def test_cancel_closes_the_connections_and_the_threads_end() -> None:
    with DripServer() as server:
        slow = service(server, "timeout = 3600\nattempts = 10\nconcurrency = 4")
        group = JobGroup(owner="a")
        before = len(call_threads())

        def rate() -> Any:
            return execute(slow, list("abcd"), keep=False)

        job = group.start_waiting(rate)
        for _ in range(4):
            assert server.begun.acquire(timeout=LONG)
        group.close()
        assert job.status == "cancelled"
        for _ in range(4):
            assert server.ended.acquire(timeout=LONG)
        wait_until(lambda: len(call_threads()) <= before, "The end of the calls' threads")
        assert not server.begun.acquire(timeout=0)


def test_stopping_a_run_closes_connections_that_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("biaslab.jobs.job.CALLS_S", 0.05)
    with DripServer() as server:
        slow = service(server, "timeout = 3600\nattempts = 10\nconcurrency = 2")

        def rate() -> Any:
            return execute(slow, list("abcd"), keep=False)

        job = JobGroup(owner="a").start_waiting(rate)
        for _ in range(2):
            assert server.begun.acquire(timeout=LONG)
        job.abort()
        for _ in range(2):
            assert server.ended.acquire(timeout=LONG)
        responses = job.result(LONG)
        assert job.status == "aborted"
        assert (responses.complete, responses.calls) == (False, 2)
        reasons = {one.failure for one in responses.responses}
        assert reasons == {"It was not tested: the run was stopped."}
        assert not server.begun.acquire(timeout=0)


def test_a_call_that_answers_after_the_stop_keeps_its_answer() -> None:
    asked, let = threading.Event(), threading.Event()

    def say(text: str) -> str:
        asked.set()
        assert let.wait(LONG)
        return text.upper()

    def rate() -> Any:
        return execute(say, ["a text", "another"], keep=False)

    job = JobGroup(owner="a").start_waiting(rate)
    assert asked.wait(LONG)
    job.abort()
    let.set()
    first, _ = job.result(LONG).responses
    assert first.answers == ("A TEXT",)


@needs("openai")
@pytest.mark.parametrize("how", ["cancel", "abort"])
def test_stopping_a_job_that_computes_closes_its_connection(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("biaslab.jobs.job.CALLS_S", 0.05)
    with DripServer() as server:
        model = Endpoint("model", base_url=server.url, timeout=3600, attempts=10)

        def ask(context: JobContext) -> Any:
            return model.ask(lambda client: client.models.list(), context)

        job = JobGroup().start(ask)
        assert server.begun.acquire(timeout=LONG)
        getattr(job, how)()
        assert server.ended.acquire(timeout=LONG)
        assert job.wait(LONG)
        assert not server.begun.acquire(timeout=0)


@needs("openai")
def test_an_answer_that_stops_half_way_is_an_error_that_says_so() -> None:
    with DripServer(HEAD + b"Content-Length: 100\r\n\r\n{") as server:
        model = Endpoint("model", base_url=server.url, timeout=0.2, attempts=1)
        with pytest.raises(EndpointAnswerError, match="did not answer in time"):
            model.ask(lambda client: client.models.list(), JobContext())
