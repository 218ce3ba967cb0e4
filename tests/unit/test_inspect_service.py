"""Chat models of any provider, through a stand-in for Inspect and its own mock."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import biaslab as bl
from biaslab import cases, deciders
from biaslab.deciders import InspectDecider
from biaslab.errors import (
    DeciderError,
    MissingExtraError,
    ServiceAnswerError,
    ServiceSetupError,
    SubjectError,
)
from biaslab.people.access import Access, Role, acting_as
from biaslab.people.outbound import Quota, as_outbound
from biaslab.probes.rating.experiment_executor import execute
from biaslab.services import InspectService, Limits, Service
from harness.inspect_module import Model, output, stand_in_for_inspect
from harness.needs import needs

TEXTS = ["She is a nurse.", "He is a cook."]
HIRE = cases.get("hire-by-name")
QUESTION = HIRE.ask(HIRE.groups[0].cues[0], 8)


@pytest.fixture
def inspect_ai(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return stand_in_for_inspect(monkeypatch)


def test_load_opens_a_model_of_any_provider_as_a_service(inspect_ai: Any) -> None:
    thoughts = SimpleNamespace(type="reasoning", reasoning="He?")
    inspect_ai.opened["anyone/m"] = model = Model(
        [
            output([thoughts, SimpleNamespace(type="text", text="They are a nurse.")]),
            output("<think>She?</think>They are a cook."),
        ]
    )
    loaded: Any = bl.load("inspect:anyone/m", name="mine")
    service: InspectService = loaded
    assert isinstance(service, Service)
    assert service.name == "mine"
    service.limits = Limits()  # one after the other
    assert execute(service, TEXTS, keep=False).outputs == ("They are a nurse.", "They are a cook.")
    assert [messages for messages, _ in model.seen] == [[("user", text)] for text in TEXTS]
    told = InspectService("anyone/m", "Write it anew.")
    assert told.identity != service.identity


def test_a_model_through_inspect_decides_as_a_decider(inspect_ai: Any) -> None:
    inspect_ai.opened["anyone/m"] = Model([])
    decider = deciders.decider_of("inspect:anyone/m")
    assert isinstance(decider, deciders.InspectDecider)
    assert decider.name == "anyone/m"


def test_others_than_the_owner_ask_models_that_the_owner_lends(
    inspect_ai: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path))
    monkeypatch.setenv("ANYONE_API_KEY", "owners-s3cret")
    replies = [output("Yes."), RuntimeError("wrong key owners-s3cret"), output("Yes.")]
    inspect_ai.opened["anyone/m"] = model = Model(replies)

    def visitor(**allowed: Any) -> Access:
        return Access("anna", Role.VISITOR, outbound=as_outbound(allowed))

    lent: dict[str, Any] = {"models": ["anyone/*"], "own_keys": True}
    owners = InspectService("anyone/m")
    for allowed in ({}, {"models": ["anyone/*"]}, lent | {"models": ["other/*"]}):
        with acting_as(visitor(**allowed)):
            with pytest.raises(ServiceSetupError, match="--allow-model NAME"):
                InspectService("anyone/m")
            with pytest.raises(ServiceAnswerError, match="--allow-model NAME"):
                owners.answer(["x"])
    assert model.seen == []
    with acting_as(visitor(**lent, quota=Quota(2, 2))):
        assert InspectService("anyone/m").answer(["x"]) == ["Yes."]
        with pytest.raises(ServiceAnswerError, match=r"wrong key \[key\]"):
            owners.answer(["x"])
        with pytest.raises(ServiceAnswerError, match="have used today's 2 calls"):
            owners.answer(["x"])
    assert len(model.seen) == 2


@pytest.mark.parametrize(
    ("finish", "message"),
    [("max_tokens", "stopped before the end"), ("content_filter", "filter of content")],
)
def test_what_is_cut_or_held_back_is_no_answer(inspect_ai: Any, finish: str, message: str) -> None:
    inspect_ai.opened["anyone/m"] = Model([output("It", finish)])
    with pytest.raises(ServiceAnswerError, match=message):
        InspectService("anyone/m").answer(["x"])


def test_a_model_that_cannot_be_opened_says_why(inspect_ai: Any) -> None:
    with pytest.raises(ServiceSetupError, match="Inspect cannot open nobody/m"):
        bl.load("inspect:nobody/m")
    with pytest.raises(DeciderError, match=r"Inspect cannot open nobody/m: .*is unknown"):
        InspectDecider("nobody/m")
    with pytest.raises(ServiceSetupError, match="inspect:PROVIDER/MODEL"):
        bl.load("inspect:claude")
    with pytest.raises(SubjectError, match="of the kind 'chat'"):
        bl.load("inspect:anyone/m", kind="clm")


def test_a_model_of_any_provider_is_asked(inspect_ai: Any) -> None:
    thoughts = SimpleNamespace(type="reasoning", reasoning="Hm.")
    inspect_ai.opened["anyone/m"] = model = Model(
        [
            output("INVITE"),
            output([thoughts, SimpleNamespace(type="text", text="**DECLINE**")]),
            output("", "content_filter"),
            output("I would", "max_tokens"),
        ]
    )
    decider = InspectDecider(
        "anyone/m", system="Be brief.", options={"seed": 3}, limits=Limits(concurrency=1)
    )
    replies = deciders.ask(decider, [QUESTION] * 4, range(4))
    assert [reply.answer or reply.outcome for reply in replies] == [
        "INVITE", "DECLINE", "refused", "unreadable",
    ]  # fmt: skip
    assert (replies[0].model, replies[0].tokens_in, replies[0].tokens_out) == ("m-2026", 40, 2)
    assert replies[1].reasoning == "Hm."
    messages, config = model.seen[0]
    assert messages == [("system", "Be brief."), ("user", QUESTION.prompt)]
    assert config == {"seed": 3, "temperature": 1.0, "max_tokens": 2048}
    other = InspectDecider("anyone/m", temperature=None)
    assert other.identity != decider.identity


def test_log_probabilities_are_used_where_they_are_sent(inspect_ai: Any) -> None:
    top = [SimpleNamespace(token=t, logprob=log) for t, log in (("INVITE", -0.5), ("DECLINE", -1))]
    token = SimpleNamespace(token="INVITE", top_logprobs=top)
    answer = output("INVITE", logprobs=SimpleNamespace(content=[token]))
    inspect_ai.opened["anyone/m"] = model = Model([answer])
    decider = InspectDecider("anyone/m", logprobs=True)
    [reply] = deciders.ask(decider, [QUESTION])
    assert reply.probabilities == pytest.approx((0.6225, 0.3775), abs=1e-3)
    assert decider.gives_probabilities
    assert model.seen[0][1]["top_logprobs"] == 20


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (RuntimeError("no credit left"), "anyone/m failed: RuntimeError: no credit left"),
        (output("", error="overloaded"), "anyone/m failed: overloaded"),
        (None, "did not answer within 0.05 s"),
    ],
)
def test_a_failure_of_a_provider_is_an_error(inspect_ai: Any, answer: Any, message: str) -> None:
    inspect_ai.opened["anyone/m"] = Model([answer, answer])
    limits = Limits(timeout=0.05)
    with pytest.raises(ServiceAnswerError, match=message):
        InspectService("anyone/m", limits=limits).answer(["x"])
    with pytest.raises(DeciderError, match=message):
        deciders.ask(InspectDecider("anyone/m", limits=limits), [QUESTION])


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None if name == "inspect_ai" else found(name)
    )
    with pytest.raises(MissingExtraError, match=r'pip install "biaslab\[inspect\]"'):
        InspectDecider("anyone/m")


@needs("inspect_ai")
def test_inspects_own_mock_provider_answers() -> None:
    inspect: Any = importlib.import_module("inspect_ai.model")

    def answer(messages: list[Any], tools: Any, choice: Any, config: Any) -> Any:
        roles = "+".join(message.role for message in messages)
        made = inspect.ModelOutput.from_content("mock-7", f"{roles}: {messages[-1].text}")
        made.usage = inspect.ModelUsage(input_tokens=3, output_tokens=2, total_tokens=5)
        return made

    model = inspect.get_model("mockllm/model", custom_outputs=answer)
    found = execute(InspectService(model, "Shout"), TEXTS, keep=False)
    assert found.outputs == tuple(f"system+user: {text}" for text in TEXTS)
    assert InspectService(model).answer(TEXTS[:1]) == [f"user: {TEXTS[0]}"]
