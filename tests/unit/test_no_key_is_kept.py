"""A key is in no log, store, result, message, export, state or traceback."""

from __future__ import annotations

import gc
import json
import logging
import pickle
import threading
import traceback
import types
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
from biaslab.deciders import ChatDecider
from biaslab.errors import BiaslabError, OutboundError, SubjectError
from biaslab.jobs.job import JobContext, start_waiting
from biaslab.people.access import Access, Role, acting_as
from biaslab.people.outbound import NOWHERE, Quota, as_outbound
from biaslab.people.secret import Secret, environment_secret
from biaslab.probes.rating.experiment_executor import execute
from biaslab.probes.sentences.generate.writers import EndpointWriter
from biaslab.records.calls.describing import origin
from biaslab.services import ChatService, ChatTranslator, DeepTranslator, Limits, http_service
from biaslab.store import Store
from harness.needs import needs
from harness.rating_controller import Bench
from harness.service_server import Asked, Says, ServiceServer

pytestmark = needs("openai")

CANARY = "cAn4ry-5up3r/s3cret+k3y="
FORMS = (
    CANARY, urllib.parse.quote(CANARY), urllib.parse.quote(CANARY, safe=""), CANARY[:-1],
    CANARY.replace("/", r"\/"),
)  # fmt: skip
ENOUGH = {"200 with the key": 5, "401 echo": 1, "500 echo": 5, "web page": 5}
"""Requests of a bench after which a test has seen how it takes an answer."""
DESCRIPTION = """
name = "Mine"
[request]
url = "URL/say"
headers = { Authorization = "Bearer {env:CANARY_KEY}" }
json = { text = "{text}" }
[answer]
path = "said"
[limits]
attempts = 1
timeout = 0.3
"""


@pytest.fixture(autouse=True)
def _keyed(bare_environment: None, own_home: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY_KEY", CANARY)


def shows(text: object) -> bool:
    return any(form in str(text) for form in FORMS)


def completed(text: str, **more: Any) -> Says:
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": text},
    }
    body = {"id": "1", "object": "chat.completion", "created": 0, "model": f"m {CANARY}"}
    return Says.of(body | {"choices": [choice]} | more)


def answers() -> dict[str, Callable[[Asked], Says]]:
    """What a server does with the key that it was sent."""
    quoted = urllib.parse.quote(CANARY, safe="")
    error = {"message": f"Incorrect API key: {CANARY}", "param": CANARY, "code": CANARY}
    return {
        "200 with the key": lambda _: completed(f"INVITE {CANARY}", said=f"So {CANARY}."),
        "400 echo": lambda _: Says.of({"error": error}, 400),
        "400 escaped": lambda _: Says(json.dumps({"error": error}).replace("/", r"\/"), 400),
        "401 echo": lambda _: Says.of({"error": error}, 401),
        "403 echo": lambda _: Says(CANARY, 403),
        "404 echo": lambda _: Says.of({"error": error}, 404),
        "422 echo": lambda _: Says.of({"detail": CANARY}, 422),
        "429 echo": lambda _: Says.of({"error": error}, 429, headers={"retry-after": CANARY}),
        "500 echo": lambda _: Says(f"Trace: {CANARY}", 500),
        "web page": lambda _: Says(f"<html>{CANARY} {quoted}", kind="text/html"),
        "no JSON": lambda _: Says(f"hello {CANARY}"),
        "wrong JSON": lambda _: Says.of({CANARY: CANARY}),
        "other JSON": lambda _: Says.of({"said": {CANARY: 1}, "choices": CANARY}),
        "redirect": lambda _: Says("", 307, headers={"Location": f"http://x.example/?k={quoted}"}),
        "odd charset": lambda _: Says(CANARY, kind=f"text/plain; charset={CANARY}"),
        "cut off": lambda _: Says(CANARY, cut=True),
    }


def silent(_: Asked) -> Says:
    return Says(CANARY, late=True)


def patience(server: ServiceServer) -> float:
    """Seconds until a call gives up: only a server that never answers makes all of them wait."""
    return 0.3 if server.answer is silent else 30.0


@pytest.fixture(params=[*answers(), "silent", "gone"])
def server(request: pytest.FixtureRequest) -> Iterator[ServiceServer]:
    """A server that gives the key away, or does not answer."""
    with ServiceServer(lambda _: Says("")) as running:
        running.answer = answers().get(request.param) or silent
        if request.param == "gone":
            running.stop()
        yield running


def everything(caught: BaseException) -> str:
    """What Python shows of an error with all that led to it, and of its objects."""
    shown = "".join(traceback.format_exception(caught))
    seen: set[int] = set()
    left: list[BaseException | None] = [caught]
    while left:
        error = left.pop()
        if error is None or id(error) in seen:
            continue
        seen.add(id(error))
        # What is suppressed in a traceback is not what a log of errors may leave out.
        if error.__suppress_context__:
            left.append(error.__cause__)
        else:
            left += [error.__cause__, error.__context__]
        shown += f"{error!r} {error.args!r} {vars(error)!r}"
    return shown


def files_of(folder: Path) -> list[str]:
    """The files that show the key."""
    return [
        path.name
        for path in folder.rglob("*")
        if path.is_file() and any(form.encode() in path.read_bytes() for form in FORMS)
    ]


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Records of all levels, but for the headers of answers, which the HTTP library can log."""
    texts = [f"{record.getMessage()} {record.args} {record.exc_text}" for record in caplog.records]
    return [text for text in texts if "receive_response_headers.complete" not in text]


def test_flows_of_services_and_deciders_keep_no_key(
    server: ServiceServer, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level(logging.DEBUG)
    url = server.url
    limits = Limits(attempts=1, timeout=patience(server))
    # Some of these ask the server when they are made.
    chat = ChatService("m", "Say", base_url=url, key=CANARY, limits=limits)
    translator = ChatTranslator("m", base_url=url, key=CANARY, limits=limits)
    waits = DESCRIPTION.replace("timeout = 0.3", f"timeout = {limits.timeout}")
    described: Any = http_service(waits.replace("URL", url))
    decider = ChatDecider("m", base_url=url, key=CANARY, limits=limits)
    writer = EndpointWriter("m", base_url=url, key=CANARY, attempts=1, timeout=limits.timeout)
    shown: list[str] = []
    finished = 0

    def rated(service: Any) -> None:
        found = execute(service, ["She is a nurse."], keep=True, store=Store())
        shown.append(f"{found!r} {found}")

    def decided() -> None:
        result = bl.decisions(decider, trials=36, levels=[2, 5, 8], batch=4, rng=1, store=Store())
        run = result.save()
        for kind in (".json", ".csv", ".html", ".svg"):
            Store().export(run, tmp_path / f"export{kind}")
        shown.append(f"{result!r} {result.provenance!r} {result.code()} {result.raw_frame()}")

    for flow in (
        lambda: rated(chat),
        lambda: rated(described),
        lambda: chat.answer(["x"]),
        lambda: described.answer(["x"]),
        lambda: translator.translate(["x"], "en", "es"),
        lambda: writer.answer("Write.", start="", count=1, context=JobContext()),
        decided,
    ):
        job = start_waiting(flow)
        job.wait(60)
        if job.exception is not None:
            shown.append(f"{job.traceback} {everything(job.exception)}")
            assert isinstance(job.exception, BiaslabError), job.traceback
        finished += job.exception is None
    shown += [repr(each) for each in (chat, translator, described, decider, writer)]
    shown += [str(vars(each)) for each in (chat, translator, described, decider, writer)]
    shown += [chat.identity, described.identity, decider.identity, *chat.notes, *decider.notes]
    assert not [text for text in shown if shows(text)]
    assert not [text for text in logged(caplog) if shows(text)]
    assert files_of(tmp_path) == []
    with_key = answers()["200 with the key"]
    if server.answer.__code__ is with_key.__code__:
        assert finished == 7
    if server.asked:
        sent = {asked.headers.get("authorization") for asked in server.asked}
        assert sent == {f"Bearer {CANARY}"}


@pytest.mark.parametrize("kind", ["400 echo", "200 with the key", "wrong JSON", "403 echo"])
def test_an_engine_of_deep_translator_keeps_no_key(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("deep_translator", reason="needs the extra services")
    caplog.set_level(logging.DEBUG)
    with ServiceServer(answers()[kind]) as running:
        engine = DeepTranslator("libre", api_key=CANARY, custom_url=f"{running.url}/")
        with pytest.raises(BiaslabError) as caught:
            engine.translate(["x"], "en", "es")
        assert running.asked
    assert not shows(str(caught.value))
    assert not shows("".join(traceback.format_exception(caught.value)))
    assert not shows(repr(engine))


@pytest.mark.parametrize("kind", ["200 with the key", "401 echo", "500 echo", "web page"])
def test_a_typed_key_is_in_no_state_and_no_message_of_a_bench(
    kind: str, caplog: pytest.LogCaptureFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr("biaslab.asking.endpoint._wait", lambda seconds, context: None)
    answered = threading.Event()

    def answer(asked: Asked) -> Says:
        if len(running.asked) >= ENOUGH[kind]:
            answered.set()
        return answers()[kind](asked)

    with ServiceServer(answer) as running:
        bench = Bench()
        bench.reply("chat", model="m", base_url=running.url, key=CANARY, name="Typed")
        bench.reply("chat", model="", base_url=running.url, key=CANARY)
        bench.reply("run")
        assert answered.wait(30)
        jobs = list(bench.controller.jobs._jobs)
        bench.controller.close()
        for job in jobs:
            assert job.wait(30)
        assert not shows(bench.state)
        assert not shows(bench.emitted.log)
        assert not shows(bench.controller.inputs_of_run())
        assert {asked.headers["authorization"] for asked in running.asked} == {f"Bearer {CANARY}"}
    assert not [text for text in logged(caplog) if shows(text)]
    assert files_of(tmp_path) == []


TYPED = DESCRIPTION.replace("{env:CANARY_KEY}", CANARY)


@pytest.mark.parametrize("kind", ["200 with the key", "400 echo", "no JSON"])
def test_a_key_that_is_written_into_a_description_is_sent_and_not_kept(
    kind: str, tmp_path: Path
) -> None:
    with ServiceServer(answers()[kind]) as running:
        described: Any = http_service(TYPED.replace("URL", running.url))
        found = execute(described, ["She is a nurse."], keep=True, store=Store())
        (asked,) = running.asked
    assert asked.headers["authorization"] == f"Bearer {CANARY}"
    typed = TYPED.replace("URL", running.url)
    others: list[Any] = [http_service(typed.replace(CANARY, "another-key"))]
    assert described.identity == others[0].identity
    call = origin(described)
    assert "{env:YOUR_KEY}" in str(call)
    for text in (found, described, vars(described), described.identity, call):
        assert not shows(f"{text!r} {text}")
    with pytest.raises(SubjectError, match="has a key written out"):
        bl.subjects.library.add_service("typed", "http", {"description": TYPED})
    assert files_of(tmp_path) == []


def test_a_described_key_is_in_no_state_of_a_bench() -> None:
    with ServiceServer(answers()["200 with the key"]) as running:
        bench = Bench()
        added = bench.reply("describe", toml=TYPED.replace("URL", running.url))
        assert added["ok"], added
        assert not shows(bench.state)
        assert not shows(bench.emitted.log)
        bench.controller.close()


def strings_in(root: object) -> Iterator[str]:
    """All texts that an object holds, those of secrets left out."""
    seen: set[int] = set()
    left = [root]
    skipped = (Secret, types.ModuleType, types.FrameType, type, types.FunctionType)
    while left:
        one = left.pop()
        if id(one) in seen or isinstance(one, skipped):
            continue
        seen.add(id(one))
        if isinstance(one, str | bytes):
            yield str(one)
        left += gc.get_referents(one)


def test_the_client_of_an_endpoint_does_not_hold_the_key() -> None:
    with ServiceServer(lambda _: completed("Yes.")) as running:
        chat = ChatService("m", "Say", base_url=running.url, key=CANARY)
        assert chat.answer(["x"]) == ["Yes."]
        assert running.asked[0].headers["authorization"] == f"Bearer {CANARY}"
        assert not [text for text in strings_in(chat) if shows(text)]


def test_a_secret_says_nothing_of_itself() -> None:
    secret = Secret(CANARY)
    for text in (repr(secret), str(secret), f"{secret}", f"{secret:>10}", f"{[secret]}"):
        assert not shows(text)
    for way in (pickle.dumps, json.dumps):
        with pytest.raises(TypeError):
            way(secret)
    assert not hasattr(secret, "__dict__")
    assert secret.open() == CANARY
    for form in FORMS[:3]:
        assert secret.hide(f"a {form} b") == "a [key] b"
    assert not Secret("")
    assert Secret("").hide("as it was") == "as it was"


def test_only_its_person_and_whom_the_owner_lends_it_opens_a_secret() -> None:
    lent = as_outbound({"models": ["small"], "own_keys": True, "quota": Quota()})
    anna = Access("anna", Role.VISITOR, outbound=lent)
    ben = Access("ben", Role.VISITOR, outbound=NOWHERE)
    owners = environment_secret("CANARY_KEY")
    with acting_as(anna):
        typed, described = Secret("annas"), environment_secret("CANARY_KEY")
        assert typed.open() == "annas"
        assert owners.open("small") == CANARY
        assert owners.open() == CANARY  # of a service that the owner has described
        with pytest.raises(OutboundError, match="key of the server's owner"):
            owners.open("large")
        with pytest.raises(OutboundError, match="key of the server's owner"):
            described.open()
    with acting_as(ben):
        for secret, model in ((typed, None), (typed, "small"), (owners, "small"), (owners, None)):
            with pytest.raises(OutboundError):
                secret.open(model)
    assert typed.open() == "annas"
