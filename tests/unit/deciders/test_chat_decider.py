"""Chat models as deciders, over HTTP: refused fields, failing servers, odd replies, stored keys."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
from biaslab import cases, deciders
from biaslab.deciders import ChatDecider, Faults
from biaslab.errors import DeciderError, ObserverError
from biaslab.jobs.job import JobContext
from biaslab.services import Limits
from biaslab.store import Store
from harness.needs import needs
from harness.service_server import Says, ServiceServer

pytestmark = [needs("openai"), pytest.mark.usefixtures("bare_environment")]

KEY = "s3cret"
HIRE = cases.get("hire-by-name")
QUESTION = HIRE.ask(HIRE.groups[0].cues[0], 8)
OBSERVER = bl.observers.decider(HIRE, pse=6, gap=2, jnd=1.5, seed=3)


def asking(url: str, **options: Any) -> ChatDecider:
    """A decider that does not wait between its attempts, and asks one question at a time."""
    options = {"limits": Limits(concurrency=1, attempts=3, timeout=20.0)} | options
    decider = ChatDecider("simulated", base_url=url, key=KEY, **options)
    decider.endpoint.wait = lambda seconds, context: None
    return decider


def of(
    faults: Faults | None = None, count: int = 1, observer: Any = OBSERVER, **options: Any
) -> Any:
    """Replies to one question, the decider, and the requests that it made."""
    with observer.serve(faults=faults) as server:
        decider = asking(server.url, **options)
        replies = deciders.ask(decider, [QUESTION] * count, range(count))
        return replies, decider, server.requests


def reply_to(says: Says, **options: Any) -> Any:
    with ServiceServer(lambda asked: says) as server:
        [reply] = deciders.ask(asking(f"{server.url}/v1", **options), [QUESTION])
    return reply


def test_log_probabilities_give_the_decision_in_one_reply() -> None:
    [reply], decider, [request] = of()
    shares = OBSERVER.shares(QUESTION.prompt)
    assert reply.probabilities == pytest.approx((shares["INVITE"], shares["DECLINE"]))
    assert reply.mass == pytest.approx(1.0)
    assert (reply.model, reply.tokens_in > 20, reply.tokens_out) == ("simulated-1 fp_0", True, 1)
    assert reply.seconds > 0
    assert decider.gives_probabilities
    assert (request["temperature"], request["logprobs"], request["max_tokens"]) == (1.0, True, 2048)
    assert request["messages"] == [{"role": "user", "content": QUESTION.prompt}]


def test_without_log_probabilities_each_reply_is_a_draw() -> None:
    observer = bl.observers.decider(HIRE, pse=8, jnd=1.5, seed=5)
    replies, decider, _ = of(Faults(sends_logprobs=False), 60, observer)
    counts = Counter(reply.answer for reply in replies)
    assert counts == Counter(r.answer for r in deciders.ask(observer, [QUESTION] * 60, range(60)))
    assert min(counts["INVITE"], counts["DECLINE"]) >= 12
    assert not decider.gives_probabilities
    assert all(reply.probabilities == () for reply in replies)


@pytest.mark.parametrize("field", ["temperature", "logprobs", "max_tokens", "system"])
def test_a_field_that_a_model_refuses_is_left_out_and_remembered(field: str) -> None:
    replies, decider, requests = of(Faults(refuses=(field,)), 3, system="Be brief.")
    assert [reply.outcome for reply in replies] == ["answered"] * 3
    assert len(requests) == 3 + 1
    with_field = [
        r for r in requests if field in r or (field == "system" and len(r["messages"]) > 1)
    ]
    assert with_field == requests[:1]
    if field == "max_tokens":
        assert all(request["max_completion_tokens"] == 2048 for request in requests[1:])
    if field == "system":
        assert requests[-1]["messages"][0]["content"] == f"Be brief.\n\n{QUESTION.prompt}"
    assert [note.startswith("simulated refuses") for note in decider.notes] == [True]


def test_several_refused_fields_are_found_one_after_another() -> None:
    refuses = ("temperature", "logprobs", "max_tokens")
    [reply], decider, requests = of(Faults(refuses=refuses))
    assert (reply.outcome, len(requests), len(decider.notes)) == ("answered", 4, 3)


def test_required_log_probabilities_are_an_error_where_there_are_none() -> None:
    with pytest.raises(DeciderError, match=r"sends no log-probabilities\. Use logprobs='auto'"):
        of(Faults(refuses=("logprobs",)), logprobs=True)
    with pytest.raises(DeciderError, match="sends no log-probabilities"):
        of(Faults(sends_logprobs=False), logprobs=True)


@pytest.mark.parametrize("fault", ["busy", "failing", "html"])
def test_a_server_that_fails_once_is_asked_again(fault: str) -> None:
    waits: list[float] = []
    with OBSERVER.serve(faults=Faults(first=(fault,), retry_after=7)) as server:
        decider = asking(server.url)
        decider.endpoint.wait = lambda seconds, context: waits.append(seconds)
        [reply] = deciders.ask(decider, [QUESTION])
        assert len(server.requests) == 2
    assert reply.outcome == "answered"
    assert waits == [7.0 if fault == "busy" else 1.0]


@pytest.mark.parametrize(
    ("fault", "message"),
    [("busy", "too many requests"), ("failing", r"failed \(500\)"), ("html", "unreadable answer")],
)
def test_a_server_that_keeps_failing_is_an_error_with_the_replies_before_it(
    fault: str, message: str, tmp_path: Path
) -> None:
    store = Store(tmp_path)
    faults = Faults(first=("", ""), always=fault, sends_logprobs=False)
    with OBSERVER.serve(faults=faults) as server:
        decider = asking(server.url)
        with pytest.raises(DeciderError, match=message) as caught:
            deciders.ask(decider, [QUESTION] * 5, range(5), store=store)
        assert len(caught.value.replies) == 2
        assert KEY not in str(caught.value)
        kept = deciders.StoredReplies(decider, store)
        assert kept.known([QUESTION] * 5, range(5)) == 2


@pytest.mark.parametrize(
    ("fault", "outcome", "reason"),
    [
        ("empty", "unreadable", "The reply is empty."),
        ("unfinished", "unreadable", "Its reasoning has no end."),
        ("cut", "unreadable", "The reply was cut off at the limit on its length."),
        ("foreign", "other language", "It answers in German, the question is in English."),
        ("refusing", "refused", "The model refuses."),
        ("filtered", "refused", "The server's filter of content held the reply back."),
    ],
)
def test_replies_without_a_decision_are_counted_not_guessed(
    fault: str, outcome: str, reason: str
) -> None:
    [reply, after], _, requests = of(Faults(first=(fault,)), 2)
    assert (reply.outcome, reply.answer, reply.probabilities) == (outcome, "", ())
    assert reply.reason.startswith(reason)
    assert (after.outcome, len(requests)) == ("answered", 2)


@pytest.mark.parametrize("in_field", [True, False])
def test_thoughts_are_parted_from_the_answer(in_field: bool) -> None:
    observer = bl.observers.decider(HIRE, reasoning=True)
    [reply], decider, _ = of(Faults(reasoning_field=in_field), 1, observer)
    assert reply.reasoning == f"I weigh what {reply.answer} would mean here."
    assert reply.text == reply.answer
    assert not decider.gives_probabilities


def test_a_limit_that_ends_the_thoughts_is_named() -> None:
    observer = bl.observers.decider(HIRE, reasoning=True)
    [reply], _, _ = of(None, 1, observer, max_tokens=3)
    assert (reply.outcome, reply.reason) == ("unreadable", "Its reasoning has no end.")
    cut = reply_to(Says.chat({"content": "", "reasoning_content": "I weigh"}, "length"))
    assert cut.reason == "Its reasoning was cut off at the limit on its length. Allow more tokens."


def test_a_request_that_a_filter_rejects_is_a_refusal() -> None:
    error = {"message": "The response was filtered", "code": "content_filter", "param": "prompt"}
    reply = reply_to(Says.of({"error": error}, 400))
    assert (reply.outcome, reply.text) == ("refused", "")


def test_a_request_that_is_rejected_for_another_reason_says_which() -> None:
    error = {"message": f"Your balance is used up, {KEY}", "param": None}
    with pytest.raises(DeciderError, match=r"rejects the request \(400\).*balance") as caught:
        reply_to(Says.of({"error": error}, 400))
    assert KEY not in str(caught.value)


def test_messages_in_parts_are_read() -> None:
    parts = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "INVITE"}]
    reply = reply_to(Says.chat({"content": parts}))
    assert (reply.answer, reply.reasoning, reply.model) == ("INVITE", "Hm.", "m-2")


def top(*pairs: tuple[str, float], drawn: str | None = None) -> dict[str, Any]:
    listed = [{"token": token, "logprob": log} for token, log in pairs]
    first = {"token": drawn or pairs[0][0], "logprob": -0.1, "top_logprobs": listed}
    return {"content": [first]}


@pytest.mark.parametrize(
    ("text", "logprobs", "expected"),
    [
        ("INVITE", top(("INV", -0.5), ("DE", -1.0), ("dec", -9.0)), (0.622, 0.378)),
        ("INVITE", top(("INVITE", -0.5), ("D", -1.0)), None),
        ("INVITE", top(("INVITE", -0.5), ("DECLINE", -3.0), ("I", -1.2)), None),
        ("INVITE", top(("INVITE", -0.5), ("Invite", -1.5), ("DEC", -2.0)), (0.8616, 0.1384)),
        ("INVITE", top(("INVITE", -1e-6), ("I", -20.0)), (1.0, 0.0)),
        ("INVITE", top(("INVITE", -1e-6), ("Sure", -20.0)), (1.0, 0.0)),
        ("INVITE", top(("INVITE", -0.5), ("Sure", -1.0)), None),
        ("I would INVITE her", top(("I", -0.1), ("DECLINE", -3.0)), None),
        ("To decline? INVITE", top(("To", -0.1), ("DECLINE", -3.0)), None),
    ],
)
def test_first_tokens_count_where_they_begin_the_answer(
    text: str, logprobs: dict[str, Any], expected: tuple[float, float] | None
) -> None:
    choice = {
        "index": 0, "finish_reason": "stop", "logprobs": logprobs,
        "message": {"role": "assistant", "content": text},
    }  # fmt: skip
    body = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
    reply = reply_to(Says.of(body))
    assert reply.answer == "INVITE"
    if expected is None:
        assert reply.probabilities == ()
    else:
        assert reply.probabilities == pytest.approx(expected, abs=2e-3)


def test_calls_run_side_by_side_and_replies_keep_their_places() -> None:
    questions = [HIRE.ask(HIRE.groups[1].cues[0], level / 2) for level in range(24)]
    with OBSERVER.serve(faults=Faults(sends_logprobs=False)) as server:
        decider = asking(server.url, limits=Limits(concurrency=6, timeout=20.0))
        replies = deciders.ask(decider, questions)
        assert sorted(map(prompt_of, server.requests)) == sorted(q.prompt for q in questions)
    expected = deciders.ask(OBSERVER, questions)
    assert [reply.answer for reply in replies] == [reply.answer for reply in expected]


def prompt_of(request: dict[str, Any]) -> str:
    return str(request["messages"][-1]["content"])


def test_identities_differ_where_replies_may() -> None:
    url = "http://127.0.0.1:9/v1"
    made = [
        asking(url), asking(url, temperature=0.0), asking(url, system="Be brief."),
        asking(url, max_tokens=5), asking(url, logprobs=False), asking(url, extra={"seed": 1}),
        asking("http://127.0.0.1:10/v1"),
    ]  # fmt: skip
    assert len({decider.identity for decider in made}) == len(made)
    assert asking(url).identity == made[0].identity


@pytest.mark.parametrize(
    "options", [{"temperature": -1}, {"temperature": 3}, {"logprobs": "yes"}, {"max_tokens": 0}]
)
def test_settings_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(DeciderError, match=next(iter(options))):
        asking("http://127.0.0.1:9/v1", **options)


def test_probabilities_are_certain_before_a_reply_only_where_they_are_demanded() -> None:
    made = [asking("http://127.0.0.1:9/v1", logprobs=each) for each in (True, False, "auto")]
    assert [decider.gives_probabilities for decider in made] == [True, False, False]


def test_a_server_that_is_not_there_says_so() -> None:
    with pytest.raises(DeciderError, match="cannot be reached"):
        asking("http://127.0.0.1:9/v1").decide([QUESTION], JobContext())


def test_further_fields_are_sent() -> None:
    [_], _, [request] = of(extra={"reasoning_effort": "low"})
    assert request["reasoning_effort"] == "low"


def test_the_simulated_server_lists_its_model_and_refuses_odd_requests() -> None:
    import httpx

    with OBSERVER.serve() as server, httpx.Client(trust_env=False) as client:
        assert server.url.startswith("http://127.0.0.1:")
        models = client.get(f"{server.url}/models").json()
        assert models["data"][0]["id"] == "simulated"
        assert client.get(f"{server.url}/else").status_code == 404
        assert client.post(f"{server.url}/else", json={}).status_code == 404
        post = f"{server.url}/chat/completions"
        assert client.post(post, content=b"[").status_code == 400
        assert client.post(post, json=[]).status_code == 400
        assert client.post(post, json={"messages": []}).status_code == 400
        assert client.post(post, content=b" " * (2**20 + 1)).status_code == 413
        known = client.post(post, json={"messages": [{"role": "user", "content": "Who are you?"}]})
        assert known.json()["choices"][0]["message"]["content"] == "I do not know this case."
    with pytest.raises(ObserverError, match="with block"):
        server.url  # noqa: B018


def test_an_unknown_fault_is_refused() -> None:
    with pytest.raises(ObserverError, match="No fault 'slow'"):
        Faults(always="slow")
