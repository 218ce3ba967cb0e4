from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from biaslab import cases, deciders
from biaslab.errors import DeciderError
from harness.needs import needs
from harness.service_server import Says, ServiceServer

pytestmark = needs("openai")
HIRE = cases.get("hire-by-name")
QUESTION = HIRE.ask(HIRE.groups[0].cues[0], 8)
DAY = "Rate limit exceeded: free-models-per-day"


def asking(server: ServiceServer) -> tuple[Any, list[float]]:
    """A decider, and the seconds that it would have waited."""
    waits: list[float] = []
    decider = deciders.ChatDecider("m", base_url=f"{server.url}/v1", key="none")
    decider.endpoint.wait = lambda seconds, context: waits.append(seconds)
    return decider, waits


@pytest.mark.parametrize(
    ("reason", "headers"),
    [
        (DAY, {"retry-after": "41234"}),
        ("You exceeded your current quota, please check your plan and billing details.", {}),
        ("Rate limit reached for requests per day. Please try again in 3h7m12s.", {}),
    ],
)
def test_a_spent_quota_ends_the_run(
    serve: Callable[..., ServiceServer], reason: str, headers: dict[str, str]
) -> None:
    server = serve(lambda asked: Says.of({"error": {"message": reason}}, 429, headers=headers))
    decider, waits = asking(server)
    with pytest.raises(DeciderError) as error:
        deciders.ask(decider, [QUESTION])
    assert reason in str(error.value)
    assert (waits, len(server.asked)) == ([], 1)


def test_a_short_pause_is_kept(serve: Callable[..., ServiceServer]) -> None:
    reason = "You exceeded your quota, please check billing. Please retry in 23.4s."
    busy = {"error": {"message": reason}}
    server = serve(
        lambda asked: Says.of(busy, 429) if len(server.asked) < 2 else Says.chat("INVITE")
    )
    decider, waits = asking(server)
    [reply] = deciders.ask(decider, [QUESTION])
    assert (reply.answer, waits) == ("INVITE", [23.4])
