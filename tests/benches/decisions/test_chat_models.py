"""Chat models of the library in the decision bench: what their server gets, and what is said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import biaslab as bl
from biaslab import cases
from biaslab.deciders import Faults, SimulatedServer
from biaslab.subjects import library
from biaslab_widgets.app.library.shared import Shared
from biaslab_widgets.benches.decisions.bench import DecisionController
from biaslab_widgets.benches.decisions.subjects import decider_sources
from harness.driven import Driven
from harness.needs import needs
from harness.scripted_model_server import Scripted, scripted_server

pytestmark = [needs("openai"), pytest.mark.usefixtures("own_home")]
FEW = 48


class Bench(Driven):
    """The bench of the served app, with a chat service that a person has added."""

    def __init__(self, url: str, use: str = "answer") -> None:
        described = {"address": url, "model": "simulated", "use": use}
        shared = Shared({}, {})
        shared.add(library.add_service("lab", "chat", described))
        super().__init__(lambda emit: DecisionController(shared.deciders, emit))
        self.controller.opening.sources["lab"].open()
        self.answer(subject="lab")

    def run(self, trials: int = FEW) -> dict[str, Any]:
        before = (self.state["answer"]["picture"] or {"run": {"number": 0}})["run"]["number"]
        self.controller.start(trials).wait()

        def ended(picture: dict[str, Any]) -> bool:
            run = picture["run"]
            return run["number"] > before and not run["running"] and picture["settled"]

        return self.until(ended)


def answered(body: dict[str, Any], number: int) -> Scripted:
    """Refuse Black-sounding names."""
    names = [cue.text for cue in cases.get("hire-by-name").groups[1].cues]
    of_second = any(name in body["messages"][0]["content"] for name in names)
    return Scripted("I'm sorry, I can't help with that." if of_second else "INVITE")


def test_a_group_that_is_refused_is_a_finding_that_can_be_saved() -> None:
    with scripted_server(answered) as server:
        bench = Bench(server.url)
        picture = bench.run()
        verdict = "".join(span["text"] for span in picture["verdict"])
        assert verdict.startswith("The subject refuses 100 % (")
        assert "of the questions about Black-sounding names and 0 % (0 to" in verdict
        assert bench.reply("save")["ok"]
        run = bl.Store().runs()["id"].iloc[0]
        assert "The subject refuses 100 %" in bl.report([run])
        bench.controller.close()


@pytest.mark.parametrize("before", [0, 20])
def test_a_server_that_fails_is_named_with_the_wait_and_what_came_is_kept(before: int) -> None:
    def script(body: dict[str, Any], number: int) -> Scripted:
        if number < before:
            return answered(body, number)
        return Scripted("overloaded", status=503, headers={"Retry-After": "0.3"})

    with scripted_server(script) as server:
        bench = Bench(server.url)
        job = bench.controller.start(FEW)
        waits = bench.until(lambda picture: picture["run"]["waits_for"])["run"]["waits_for"]
        assert waits == f"{server.url} failed (503). It says: 'overloaded'. Next try in 0.3 s."
        job.wait()
        answer = bench.answer()
        run = (answer["picture"] or {"run": {"running": False, "done": 0}})["run"]
        assert not run["running"]
        assert bench.reply("save")["ok"] == bool(before)
        if before:
            assert 0 < run["done"] <= before
            assert "503" in run["problem"]
            assert not run["waits_for"]
        else:
            assert answer["state"] == "error"
            assert "503" in answer["message"]["text"]
        bench.controller.close()


@pytest.fixture
def serve() -> Iterator[Any]:
    """Serve a simulated chat model, and open the bench on it."""
    open_ones: list[Any] = []

    def of(use: str = "answer", **faults: Any) -> tuple[SimulatedServer, Bench]:
        server = bl.observers.decider(gap=2.0).serve(faults=Faults(**faults))
        open_ones.append(server.__enter__())
        bench = Bench(server.url, use)
        open_ones.append(bench)
        return server, bench

    yield of
    for one in reversed(open_ones):
        one.controller.close() if isinstance(one, Bench) else one.__exit__()


@pytest.mark.parametrize("use", ["answer", "translate"])
def test_a_chat_model_gets_the_case_alone(serve: Any, use: str) -> None:
    server, bench = serve(use)
    picture = bench.run()
    assert picture["run"]["done"] == FEW
    assert not picture["run"]["problem"]
    for body in server.requests:
        (message,) = body["messages"]
        assert message["role"] == "user"
        assert "INVITE" in message["content"]
        assert (body["temperature"], body["logprobs"], body["top_logprobs"]) == (1.0, True, 20)
    result = bench.controller.result
    assert result.method == "fixed"
    assert result.trials.gives_probabilities
    bench.answer(trial=1)
    detail = bench.state["detail"]
    assert detail["before"] == []
    assert detail["settings"] == "temperature 1, max_tokens 2048, logprobs true, top_logprobs 20"
    assert detail["prompt"] in [body["messages"][0]["content"] for body in server.requests]
    assert "sent alone, with temperature 1, max_tokens 2048, logprobs true" in result.summary()
    assert "temperature 1" in bl.report(result)
    assert "ChatDecider(" in result.code()
    assert "instruction" not in result.code()


def test_a_second_run_of_a_server_that_sends_probabilities_goes_on(serve: Any) -> None:
    _, bench = serve()
    bench.run()
    picture = bench.run(FEW + 16)
    assert picture["run"]["done"] == FEW + 16
    assert not picture["run"]["adaptive"]
    assert not picture["run"]["stale"]


def test_a_setting_that_the_server_refuses_is_not_said_to_be_sent(serve: Any) -> None:
    _, bench = serve(refuses=("temperature",), sends_logprobs=False)
    bench.run()
    result = bench.controller.result
    assert result.method == "adaptive"
    assert "temperature" not in result.request
    assert "refuses a temperature" in result.summary()


def test_a_system_message_is_shown_where_it_was_sent() -> None:
    decider = bl.observers.decider(gap=2.0)
    with decider.serve() as server:
        chat = bl.deciders.ChatDecider("simulated", base_url=server.url, system="Be fair.")
        result = bl.decisions(chat, trials=FEW, keep=False)
    assert "the system message “Be fair.” was sent" in result.summary()
    assert result.provenance.parameters["request"]["messages"][0]["content"] == "Be fair."


def test_stored_replies_are_shown_after_a_reload_and_nobody_is_asked(serve: Any) -> None:
    server, bench = serve()
    shown = bench.run()
    sent = len(server.requests)
    reloaded = Driven(lambda emit: DecisionController(decider_sources(_chat(server)), emit))
    reloaded.controller.recalls = True
    try:
        reloaded.answer()
        picture = reloaded.until(
            lambda picture: picture["settled"] and picture["run"]["done"] and picture["gap"]
        )
        assert len(server.requests) == sent
        assert picture["run"]["done"] == shown["run"]["done"] == FEW
        assert not picture["run"]["stale"]
        assert picture["run"]["stored"] == FEW
        assert picture["run"]["stopped"], "the whole run has more questions"
        assert picture["gap"] == shown["gap"]
        reloaded.controller.start(FEW + 16).wait()
        assert len(server.requests) == sent + 16
    finally:
        reloaded.controller.close()


def _chat(server: SimulatedServer) -> bl.deciders.ChatDecider:
    return bl.deciders.ChatDecider("simulated", base_url=server.url)
