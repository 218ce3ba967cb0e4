"""How much others may call: quotas in calls and money, counted for all processes."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from biaslab.asking.calling import Caller
from biaslab.asking.protocols import Limits
from biaslab.cases import Question
from biaslab.cli.commands import Option
from biaslab.cli.serve import OUTBOUND_OPTIONS, allow_outbound, outbound_of
from biaslab.deciders import ChatDecider, Price
from biaslab.errors import BiaslabError, OutboundError
from biaslab.jobs.job import JobContext, JobGroup
from biaslab.network import admitted, spend, usage, usage_left
from biaslab.people.access import Access, Role, acting_as, owner_folder, set_outbound_for_others
from biaslab.people.outbound import NOWHERE, AllowedModel, Destination, Outbound, Quota, as_outbound
from biaslab.services import ChatService, Cost, http_service
from harness.needs import needs
from harness.service_server import Says, ServiceServer

pytestmark = pytest.mark.usefixtures("own_home")

WIDE = Quota(10_000, 10_000, 1000.0, 100)


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> dict[str, datetime]:
    """A clock that a test sets."""
    clock = {"now": datetime(2026, 11, 26, 14, 37, tzinfo=UTC)}
    monkeypatch.setattr(usage, "_now", lambda: clock["now"])
    return clock


def person(name: str, quota: Quota, total: Quota = WIDE, **more: Any) -> Access:
    reach = as_outbound({"services": ["public.example"], "quota": quota, "total": total} | more)
    return Access(name, Role.VISITOR, outbound=reach)


def call() -> None:
    with admitted("http://public.example/"):
        pass


def test_calls_are_counted_by_hour_and_day_and_the_refusal_says_what_is_left(at: Any) -> None:
    anna, ben = (person(name, Quota(2, 3)) for name in ("anna", "ben"))
    with acting_as(anna):
        call()
        call()
        with pytest.raises(
            OutboundError,
            match=r"used the 2 calls of services of this hour.*in 23 minutes; today 1 call more",
        ):
            call()
        at["now"] = at["now"].replace(hour=15)
        call()
        with pytest.raises(OutboundError, match=r"used today's 3 calls.*in 8 h 23 min\."):
            call()
        left = usage_left()
        assert left is not None
        assert (left.calls_this_hour, left.calls_today) == (1, 0)
    with acting_as(ben):
        call()
    with acting_as(anna):
        at["now"] = at["now"].replace(day=27, hour=0)
        call()


def test_who_comes_back_under_another_name_meets_the_total(at: Any) -> None:
    total = Quota(100, 4, 1.0, 100)
    for number in range(4):
        with acting_as(person(f"visitor-{number}", Quota(2, 2), total)):
            call()
    with (
        acting_as(person("visitor-5", Quota(2, 2), total)),
        pytest.raises(OutboundError, match="All visitors together have used today's 4 calls"),
    ):
        call()


def test_the_owner_is_not_counted() -> None:
    call()
    spend(1000.0, "USD")
    assert usage_left() is None
    assert not (owner_folder() / usage.FILE).exists()


def test_money_is_counted_by_currency(at: Any) -> None:
    with acting_as(person("anna", Quota(cost_per_day=1.0))):
        spend(0.6, "EUR")
        spend(0.6, "USD")
        for nothing in (float("nan"), float("inf"), -5.0):
            spend(nothing, "EUR")
        call()
        spend(0.5, "EUR")
        with pytest.raises(OutboundError, match=r"You have spent 1\.10 of today's 1\.00 EUR"):
            call()


def test_what_cannot_be_counted_is_not_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a-file").write_text("")
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "a-file"))
    with (
        acting_as(person("anna", Quota())),
        pytest.raises(OutboundError, match="cannot be counted"),
    ):
        call()


_PROCESS = """
import json, sys
from biaslab.people.access import Access, Role, acting_as
from biaslab.errors import OutboundError
from biaslab.network import admitted
from biaslab.people.outbound import Quota, as_outbound
quotas = {"quota": Quota(30, 30), "total": Quota(99, 99)}
reach = as_outbound({"services": ["public.example"], **quotas})
sent = 0
with acting_as(Access("anna", Role.VISITOR, outbound=reach)):
    for _ in range(20):
        try:
            with admitted("http://public.example/"):
                sent += 1
        except OutboundError:
            pass
print(json.dumps(sent))
"""


def test_several_processes_share_the_count_and_a_restart_does_not_reset_it() -> None:
    processes = [
        subprocess.Popen([sys.executable, "-c", _PROCESS], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    sent = [json.loads(process.communicate(timeout=60)[0]) for process in processes]
    assert sum(sent) == 30
    with acting_as(person("anna", Quota(30, 30))), pytest.raises(OutboundError):
        call()


def test_so_many_requests_are_under_way_at_once() -> None:
    anna = person("anna", Quota(at_once=2))
    entered, leave = threading.Semaphore(0), threading.Event()
    count: list[int] = []

    def hold(context: JobContext) -> None:
        with admitted("http://public.example/"):
            count.append(1)
            entered.release()
            leave.wait(30)

    jobs = JobGroup()
    with acting_as(anna):
        held = [jobs.start_waiting(hold) for _ in range(4)]
    for _ in range(2):
        assert entered.acquire(timeout=30)
    with acting_as(person("ben", Quota(at_once=2))):
        call()  # another person's place is free
    assert len(count) == 2
    held[3].cancel()
    leave.set()
    for job in held[:3]:
        job.wait(30)
    assert len(count) in (3, 4)
    jobs.close()


@needs("openai")
def test_a_place_is_given_back_however_an_answer_ends() -> None:
    answers = iter(
        [Says("", 500), Says("<html>"), Says('{"x', cut=True), Says("", 307), Says("{}")] * 3
    )
    with ServiceServer(lambda _: next(answers)) as server:
        host = server.url.removeprefix("http://")
        anna = person("anna", Quota(at_once=1), services=[host])
        limits = Limits(attempts=1)
        with acting_as(anna):
            chat = ChatService("m", "Say", base_url=server.url, limits=limits)
            for _ in range(5):
                with pytest.raises(BiaslabError):
                    chat.answer(["x"])
            described = http_service(
                f'name = "A"\n[request]\nurl = "{server.url}/?q={{text}}"\n[answer]\npath = "a"\n'
            )
            for _ in range(5):
                with pytest.raises(BiaslabError):
                    described.answer(["x"])  # type: ignore[union-attr]
        assert len(server.asked) == 10


def _reply(read: int, written: int) -> Says:
    message = {"role": "assistant", "content": "A"}
    return Says.of({
        "id": "1", "object": "chat.completion", "created": 0, "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": 1},
    })  # fmt: skip


@needs("openai")
def test_tokens_cost_what_the_owners_list_says_else_what_the_decider_says() -> None:
    question = Question("Which?", ("A", "B"))
    with ServiceServer(lambda _: _reply(500_000, 250_000)) as server:
        host = server.url.removeprefix("http://")
        for name, models, price, spent in (
            ("listed", ["m=1.00/4.00EUR"], Price(9.0, 9.0, "EUR"), 1.5),
            ("own", [], Price(2.0, 4.0, "EUR"), 2.0),
        ):
            access = person(name, Quota(cost_per_day=10.0), services=[host], models=models)
            with acting_as(access):
                decider = ChatDecider("m", base_url=server.url, key="k", price=price)
                decider.decide([question], JobContext())
                left = usage_left()
            assert left is not None
            assert left.money_today == {"EUR": pytest.approx(10.0 - spent)}


def test_a_described_service_costs_what_it_says() -> None:
    with ServiceServer(lambda _: Says("fine", kind="text/plain")) as server:
        host = server.url.removeprefix("http://")
        with acting_as(person("anna", Quota(cost_per_day=1.0), services=[host])):
            service: Any = http_service(
                f'name = "A"\n[request]\nurl = "{server.url}/?q={{text}}"\n[limits]\nattempts = 1\n'
                '[cost]\nper_call = 0.75\ncurrency = "EUR"\n'
            )
            assert service.cost == Cost(0.75, currency="EUR")
            caller = Caller(service)
            for _ in range(2):
                assert caller.call(["x"], JobContext()).answers == {"x": "fine"}
            refused = caller.call(["x"], JobContext())
        assert "You have spent" in refused.failures["x"]
        assert len(server.asked) == 2


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    for option in (Option("subjects", "", nargs="*"), OUTBOUND_OPTIONS):
        option.add(parser)
    return parser.parse_args(list(words))


def test_the_options_of_serve_say_what_others_may_call(tmp_path: Path) -> None:
    assert outbound_of(parsed()) == NOWHERE
    reach = outbound_of(
        parsed(
            "wiki-clm", "openai:m@http://127.0.0.1:8000/v1", "hf:some/model",
            "--allow-service", "api.openai.com", "--allow-service", "*.example.org:8443",
            "--allow-model", "gpt-5-mini=0.25/2.00EUR", "--allow-model", "small*", "--use-own-keys",
            "--allow-hub", "google/*", "--calls-per-day", "7", "--total-cost-per-day", "3",
        )
    )  # fmt: skip
    assert reach.services == (
        Destination("api.openai.com"),
        Destination("*.example.org", 8443),
        Destination("127.0.0.1", 8000),
    )
    assert reach.models == (AllowedModel("gpt-5-mini", 0.25, 2.0, "EUR"), AllowedModel("small*"))
    assert reach.hub == ("hf:google/*", "hf:some/model")
    assert reach.own_keys
    assert reach.quota == Quota(calls_per_day=7)
    assert reach.total.cost_per_day == 3.0
    assert outbound_of(parsed("--allow-hub")).hub == ("*",)
    with pytest.raises(OutboundError, match="Write subjects before it"):
        outbound_of(parsed("--allow-hub", str(tmp_path)))
    with pytest.raises(OutboundError, match="needs the models"):
        outbound_of(parsed("--use-own-keys"))
    for option, text in (
        ("--calls-per-day", "-1"),
        ("--calls-per-hour", "0"),
        ("--cost-per-day", "nan"),
        ("--total-cost-per-day", "inf"),
        ("--cost-per-day", "0"),
    ):
        with pytest.raises(OutboundError, match="above 0"):
            outbound_of(parsed(option, text))
    for text in ("", "m=", "=1/2", "m=1", "m=1/x", "m=-1/2"):
        with pytest.raises(OutboundError, match="names no model"):
            AllowedModel.of(text)


_GUARDED = """
import argparse, socket, sys, threading, urllib.request
import requests
from biaslab.people.access import NOBODY, OWNER, Access, Role, acting_as, set_access_otherwise
from biaslab.cli.serve import allow_outbound
from biaslab.network import guard_connections
from biaslab.asking.http import fetch
url = sys.argv[1]
host = url.removeprefix("http://")
allow_outbound(argparse.Namespace(
    subjects=[], allow_service=[host], allow_model=[], allow_hub=[], use_own_keys=False,
    calls_per_hour=9, calls_per_day=9, cost_per_day=1.0, total_calls_per_day=9,
    total_cost_per_day=1.0))
set_access_otherwise(NOBODY)
guard_connections()
said = []
def attempt(name, call):
    try:
        call()
        said.append(name + " yes")
    except (OSError, requests.RequestException):
        said.append(name + " no")
plainly = lambda: urllib.request.urlopen(url).read()
anna = Access("anna", Role.VISITOR)
with acting_as(anna):
    attempt("visitor by urllib", plainly)
    attempt("visitor by requests", lambda: requests.get(url))
    attempt("visitor by socket", lambda: socket.create_connection(tuple(host.split(":"))))
    attempt("visitor by fetch", lambda: fetch(url, name="Own"))
with acting_as(OWNER):
    attempt("owner", plainly)
attempt("the server itself", plainly)
lost = threading.Thread(target=lambda: attempt("a lost thread", plainly))
lost.start(); lost.join()
a, b = socket.socketpair()
print("; ".join(said))
"""


def test_a_server_refuses_connections_that_do_not_come_through_the_network_package() -> None:
    with ServiceServer(lambda _: Says("fine", kind="text/plain")) as server:
        done = subprocess.run(
            [sys.executable, "-c", _GUARDED, server.url], capture_output=True, text=True, check=True
        )
    assert done.stdout.strip().split("; ") == [
        "visitor by urllib no", "visitor by requests no", "visitor by socket no",
        "visitor by fetch yes", "owner yes", "the server itself yes", "a lost thread no",
    ]  # fmt: skip


def test_options_hold_for_the_process() -> None:
    try:
        allow_outbound(parsed("--allow-service", "api.example.org"))
        assert Access("anna", Role.VISITOR).reach == Outbound(
            services=(Destination("api.example.org"),)
        )
    finally:
        set_outbound_for_others(NOWHERE)
