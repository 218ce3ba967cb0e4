"""Services, functions and classifiers as deciders, and how a subject becomes one."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab import cases, deciders
from biaslab.cases import Question
from biaslab.deciders import (
    ChatDecider,
    ClassifierDecider,
    FunctionDecider,
    LanguageModelDecider,
    ServiceDecider,
    decider_of,
)
from biaslab.errors import DeciderError, SubjectError
from biaslab.jobs.job import JobContext
from biaslab.services import Composite, FunctionService, Limits
from harness.heavy import torch
from harness.needs import needs

HIRE = cases.get("hire-by-name")
QUESTION = HIRE.ask(HIRE.groups[0].cues[0], 8)
SAYS = Question("p", ("INVITE", "DECLINE"), "UNSURE")
REVIEW = Question("ignored", ("PUBLISH", "REJECT"), "", "A wonderful, brilliant film.")
FAST = Limits(attempts=1, timeout=20.0)


def one(decider: Any, question: Question = SAYS) -> Any:
    [reply] = decider.decide([question], JobContext())
    return reply


@pytest.mark.parametrize(
    ("returned", "answer", "shares"),
    [
        ("I would INVITE her.", "INVITE", ()),
        (True, "INVITE", ()),
        (np.bool_(False), "DECLINE", ()),
        (0.75, "INVITE", (0.75, 0.25, 0.0)),
        (np.float32(0.25), "DECLINE", (0.25, 0.75, 0.0)),
        (1, "INVITE", (1.0, 0.0, 0.0)),
        ({"INVITE": 1, "DECLINE": 2, "UNSURE": 1}, "DECLINE", (0.25, 0.5, 0.25)),
    ],
)
def test_a_function_may_return_words_a_decision_or_probabilities(
    returned: Any, answer: str, shares: tuple[float, ...]
) -> None:
    reply = one(FunctionDecider(lambda text: returned, yes="INVITE"))
    assert (reply.outcome, reply.answer) == ("answered", answer)
    assert reply.probabilities == pytest.approx(shares)


@pytest.mark.parametrize(
    ("returned", "yes", "message"),
    [
        (None, "", "returned NoneType. Return a text"),
        (1.5, "INVITE", "returned 1.5: a probability is in"),
        (float("nan"), "INVITE", "a probability is in"),
        (True, "", r"FunctionDecider\(function, yes='INVITE'\)"),
        (0.5, "PUBLISH", "the answers are INVITE, DECLINE"),
        ({"INVITE": -1}, "", "a probability of at least 0"),
        ({"MAYBE": 1}, "", "a probability of at least 0"),
        ({}, "", "a probability of at least 0"),
        ({"INVITE": "x"}, "", "a probability of at least 0"),
    ],
)
def test_a_function_that_returns_something_else_is_an_error(
    returned: Any, yes: str, message: str
) -> None:
    with pytest.raises(DeciderError, match=message):
        one(FunctionDecider(lambda text: returned, yes=yes))


def test_a_function_that_fails_is_shown_with_its_question() -> None:
    def odd(text: str) -> str:
        raise ZeroDivisionError("none")

    with pytest.raises(DeciderError, match=r"odd failed with ZeroDivisionError: none\. .*'p'"):
        one(FunctionDecider(odd))


def test_a_function_is_stored_under_its_version_only() -> None:
    assert FunctionDecider(str).identity == ""
    assert FunctionDecider(str, version="1").identity != FunctionDecider(str, version="2").identity


def test_a_service_or_a_chain_is_read_by_its_last_text() -> None:
    echo = FunctionService(lambda text: f"I would {text.split()[-3]}", limits=FAST)
    shout = FunctionService(str.upper, limits=FAST)
    question = Question("Answer with INVITE or DECLINE", ("INVITE", "DECLINE"))
    decider = ServiceDecider(Composite(echo, shout))
    reply = one(decider, question)
    assert (reply.answer, reply.text) == ("INVITE", "I WOULD INVITE")
    assert decider.identity == ""
    assert ServiceDecider(FunctionService(str, version="1")).identity == "function str 1"


def test_repetitions_of_a_question_are_calls_of_their_own() -> None:
    said = iter(["INVITE", "DECLINE", "INVITE"])
    lock = threading.Lock()

    def answer(text: str) -> str:
        with lock:
            return next(said)

    replies = deciders.ask(ServiceDecider(answer), [SAYS] * 3, range(3))
    assert [reply.answer for reply in replies] == ["INVITE", "DECLINE", "INVITE"]


def test_a_service_without_an_answer_is_unreadable_and_ends_a_run_after_five() -> None:
    texts = iter(["", "INVITE", "", "", "", "", "", ""])
    decider = ServiceDecider(FunctionService(lambda text: next(texts), limits=FAST))
    with pytest.raises(DeciderError, match="sent an empty answer") as caught:
        deciders.ask(decider, [SAYS] * 8, range(8))
    assert [reply.outcome for reply in caught.value.replies] == [
        "unreadable", "answered", *["unreadable"] * 4,
    ]  # fmt: skip
    assert "sent an empty answer" in caught.value.replies[0].reason


@pytest.fixture(scope="module")
def sentiment() -> Any:
    return bl.load("imdb-sentiment")


def test_a_classifier_decides_by_its_labels(sentiment: Any) -> None:
    answers = {"positive": "PUBLISH", "negative": "REJECT"}
    decider = ClassifierDecider(sentiment, answers=answers)
    reply = one(decider, REVIEW)
    expected = sentiment.probability([REVIEW.context])[0]
    by_label = dict(zip(sentiment.labels, expected, strict=True))
    assert reply.probabilities == pytest.approx((by_label["positive"], by_label["negative"]))
    assert (reply.answer, reply.mass) == ("PUBLISH", pytest.approx(1.0))
    swapped = Question("", REVIEW.options[::-1], "", REVIEW.context)
    assert one(decider, swapped).probabilities == pytest.approx(reply.probabilities[::-1])
    other = ClassifierDecider(sentiment, answers={"positive": "REJECT", "negative": "PUBLISH"})
    assert other.identity != decider.identity


def test_labels_stand_for_answers_of_their_name(sentiment: Any) -> None:
    question = Question("", ("POSITIVE", "NEGATIVE"), "NEITHER", REVIEW.context)
    reply = one(ClassifierDecider(sentiment), question)
    assert (reply.answer, len(reply.probabilities), reply.probabilities[2]) == ("POSITIVE", 3, 0)


def test_a_classifier_that_does_not_fit_says_how_to_make_it(sentiment: Any) -> None:
    with pytest.raises(
        DeciderError, match=r"No label .* stands for the answer 'PUBLISH'.*answers="
    ):
        one(ClassifierDecider(sentiment), REVIEW)
    with pytest.raises(SubjectError, match="has no label 'good': it has negative, positive"):
        ClassifierDecider(sentiment, answers={"good": "PUBLISH"})
    with pytest.raises(SubjectError, match="classifies points, not texts"):
        ClassifierDecider(bl.observers.classifier(dim=3, seed=1))
    decider = ClassifierDecider(sentiment, answers={"positive": "PUBLISH", "negative": "REJECT"})
    with pytest.raises(DeciderError):
        one(decider, Question("", REVIEW.options, "", "zzzzqqq"))


def test_subjects_of_all_kinds_become_deciders(sentiment: Any) -> None:
    observer = bl.observers.decider(HIRE)
    assert decider_of(observer) is observer
    labels = {"positive": "INVITE", "negative": "DECLINE"}
    assert isinstance(decider_of(sentiment, answers=labels), ClassifierDecider)
    assert isinstance(decider_of("imdb-sentiment", answers=labels), ClassifierDecider)
    assert isinstance(decider_of(FunctionService(str)), ServiceDecider)
    assert isinstance(decider_of(Composite(str, str)), ServiceDecider)
    of_function = decider_of(lambda text: 0.5, yes="INVITE")
    assert isinstance(of_function, FunctionDecider)
    assert one(of_function, QUESTION).probabilities == (0.5, 0.5)


def test_the_bundled_causal_model_decides_by_name() -> None:
    torch.manual_seed(0)
    decider = decider_of("wiki-clm")
    assert isinstance(decider, LanguageModelDecider)
    question = Question("He is a nurse. She is a", ("nurse", "doctor"))
    reply = one(decider, question)
    assert sum(reply.probabilities) == pytest.approx(1)
    assert 0 < reply.mass < 1
    assert decider_of("wiki-clm").identity == decider.identity


@needs("openai")
def test_chat_models_become_deciders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from biaslab.asking.endpoint import Endpoint
    from biaslab.subjects.opening.names import OwnSubject, drop, put

    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path))
    endpoint = Endpoint("m", base_url="http://127.0.0.1:9/v1")
    decider = decider_of(endpoint)
    assert isinstance(decider, ChatDecider)
    assert decider.endpoint is endpoint
    described = {"address": "http://127.0.0.1:9/v1", "model": "m"}
    put(OwnSubject("my chat", "chat", service=described))
    put(OwnSubject("my function", "function", function=lambda text: "INVITE"))
    try:
        own = decider_of("my chat")
        assert isinstance(own, ChatDecider)
        assert own.name == "m at http://127.0.0.1:9/v1"
        assert one(decider_of("my function"), QUESTION).answer == "INVITE"
    finally:
        drop("my chat")
        drop("my function")


@pytest.mark.parametrize(
    "make",
    [
        lambda: 3,
        lambda: None,
        lambda: ["nurse"],
        lambda: bl.load({"he": [1.0, 0.0], "she": [0.0, 1.0]}),
        lambda: "wiki-bootstraps",
        lambda: FunctionDecider,
    ],
    ids=["number", "none", "list", "embedding", "name", "class"],
)
def test_anything_else_is_an_error_that_names_what_can_be_asked(make: Any) -> None:
    with pytest.raises(SubjectError, match=r"Ask a causal language model.*a Python function"):
        decider_of(make())


def test_a_name_that_nobody_knows_and_a_masked_model_are_errors() -> None:
    with pytest.raises(SubjectError, match="no subject 'nobody'"):
        decider_of("nobody")
    with pytest.raises(SubjectError, match="masked language model"):
        decider_of("wiki-mlm")
