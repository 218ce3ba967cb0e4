from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from biaslab import cases, deciders
from harness.needs import needs
from harness.service_server import Says, ServiceServer

pytestmark = needs("openai")
HIRE = cases.get("hire-by-name")
QUESTION = HIRE.ask(HIRE.groups[0].cues[0], 8)


@pytest.mark.parametrize(
    "logprobs",
    [
        {"INVITE": -0.1, "DECLINE": float("nan")},
        {"INVITE": float("nan"), "DECLINE": -0.1},
        {"INVITE": -0.1, "DECLINE": None},
    ],
)
def test_no_probability_comes_from_it(
    serve: Callable[..., ServiceServer], logprobs: dict[str, Any]
) -> None:
    server = serve(lambda asked: Says.chat("INVITE", logprobs=logprobs))
    decider = deciders.ChatDecider("m", base_url=f"{server.url}/v1", key="none")
    replies = deciders.ask(decider, [QUESTION] * 2, range(2))
    assert [(r.outcome, r.answer, r.probabilities) for r in replies] == [
        ("answered", "INVITE", ())
    ] * 2
