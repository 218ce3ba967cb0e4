"""Models through Inspect, with a module in its place that has the parts of its interface."""

from __future__ import annotations

import importlib.util
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from biaslab import cases, deciders
from biaslab.deciders import InspectDecider
from biaslab.errors import DeciderError, MissingExtraError
from biaslab.services import Limits
from harness.inspect_module import Model, output, stand_in_for_inspect

HIRE = cases.get("hire-by-name")
QUESTION = HIRE.ask(HIRE.groups[0].cues[0], 8)


@pytest.fixture
def inspect_ai(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return stand_in_for_inspect(monkeypatch)


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
    inspect_ai.opened["anyone/m"] = Model([answer])
    decider = InspectDecider("anyone/m", limits=Limits(timeout=0.05))
    with pytest.raises(DeciderError, match=message):
        deciders.ask(decider, [QUESTION])


def test_a_model_that_inspect_does_not_know_is_an_error(inspect_ai: Any) -> None:
    with pytest.raises(DeciderError, match=r"Inspect cannot open nobody/m: .*is unknown"):
        InspectDecider("nobody/m")


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None if name == "inspect_ai" else found(name)
    )
    with pytest.raises(MissingExtraError, match=r'pip install "biaslab\[inspect\]"'):
        InspectDecider("anyone/m")
