from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from biaslab import cases, deciders
from biaslab.errors import DeciderError
from harness.needs import needs
from harness.service_server import Asked, Says, ServiceServer

pytestmark = needs("openai")
HIRE = cases.get("hire-by-name")
QUESTION = HIRE.ask(HIRE.groups[0].cues[0], 8)
EXTRA = {"type": "extra_forbidden", "loc": ["body", "logprobs"], "msg": "Extra inputs"}


@pytest.mark.parametrize(
    ("status", "refusal"),
    [
        (403, {"error": {"message": "You are not allowed to request logprobs from this model"}}),
        (422, {"object": "error", "message": {"detail": [EXTRA]}}),
        (422, {"detail": [EXTRA]}),
        (422, {"error": "Input validation error: `logprobs` is not supported"}),
        (400, "logprobs are not supported here"),
        (501, {"error": {"message": "logprobs are not implemented"}}),
    ],
)
def test_a_refused_field_is_left_out(
    serve: Callable[..., ServiceServer], status: int, refusal: Any
) -> None:
    def answer(asked: Asked) -> Says:
        is_refused = "logprobs" in asked.json
        return Says.of(refusal, status) if is_refused else Says.chat("INVITE")

    server = serve(answer)
    decider = deciders.ChatDecider("m", base_url=f"{server.url}/v1", key="none")
    [reply] = deciders.ask(decider, [QUESTION])
    assert (reply.outcome, reply.answer, len(server.asked)) == ("answered", "INVITE", 2)


def test_another_reason_is_quoted(serve: Callable[..., ServiceServer]) -> None:
    server = serve(lambda asked: Says.of({"detail": [{"loc": ["body"], "msg": "No seat"}]}, 403))
    decider = deciders.ChatDecider("m", base_url=f"{server.url}/v1", key="none")
    with pytest.raises(DeciderError, match=r"rejects this key .* It says: 'body: No seat'"):
        deciders.ask(decider, [QUESTION])
