"""Language models as deciders: probabilities of answers, compared with ones computed plainly."""

from __future__ import annotations

import re
import time
from itertools import product
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.asking.providers.language_model import AnswerTokens, answer_masses, looks_for, variants
from biaslab.cases import Question
from biaslab.errors import DeciderError, SubjectError
from biaslab.jobs.job import JobContext, JobStopped
from harness.deferred import Deferred
from harness.heavy import torch

MODULE = "biaslab.asking.providers.language_model"
decider_module: Any = Deferred(MODULE)
tiny: Any = Deferred("harness.tiny_language_models")
subjects: Any = Deferred("biaslab.subjects")

TEMPLATE = (
    "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }} {% endfor %}"
    "{% if add_generation_prompt %}reply:{% endif %}"
)
NURSE = Question("The nurse is here. Answer: woman or man.", ("woman", "man"))
LONGER = Question("He is a person.", ("person", "people", "a person of science"))


def opened(kind: str = "gpt2", template: str | None = None) -> Any:
    torch.manual_seed(3)
    model, tokenizer = tiny.CAUSAL[kind]()
    tokenizer.chat_template = template
    return subjects.LanguageModel(model, tokenizer, kind="clm", name="tiny")


def plain_masses(lm: Any, prompt: str, answers: tuple[str, ...], *, bos: bool) -> list[float]:
    """Probability of each answer, one forward pass for each of its ways, prefixes left out."""
    encode = lambda text: lm.tokenizer(text, add_special_tokens=False)["input_ids"]  # noqa: E731
    begin = [lm.begin] if bos else []
    ids = encode(prompt)
    ways: dict[tuple[int, ...], str] = {}
    for answer in answers:
        for form in variants(answer):
            both = encode(prompt + form)
            tokens = both[len(ids) :] if both[: len(ids)] == ids else encode(form)
            ways.setdefault(tuple(tokens), answer)
    masses = dict.fromkeys(answers, 0.0)
    total = {}
    for way in ways:
        with torch.no_grad():
            logits = lm.model(torch.tensor([[*begin, *ids, *way]])).logits[0].double()
        logs = torch.log_softmax(logits, dim=-1)
        places = range(len(begin) + len(ids) - 1, len(begin) + len(ids) + len(way) - 1)
        total[way] = float(np.exp(sum(float(logs[p, t]) for p, t in zip(places, way, strict=True))))
    for way, answer in ways.items():
        longer = [o for o in ways if len(o) > len(way) and o[: len(way)] == way]
        nearest = [
            o for o in longer if not any(len(m) < len(o) and o[: len(m)] == m for m in longer)
        ]
        masses[answer] += total[way] - sum(total[o] for o in nearest)
    return list(masses.values())


@pytest.mark.parametrize(
    ("kind", "question"), list(product(["gpt2", "llama", "falcon"], [NURSE, LONGER]))
)
def test_probabilities_are_those_of_a_plain_computation(kind: str, question: Question) -> None:
    lm = opened(kind)
    decider, begun = decider_module.LanguageModelDecider(lm), time.monotonic()
    [reply] = decider.decide([question], JobContext())
    assert 0 < reply.seconds <= time.monotonic() - begun
    expected = np.array(plain_masses(lm, question.prompt, question.answers, bos=True))
    assert reply.outcome == "answered"
    assert reply.mass == pytest.approx(expected.sum(), rel=1e-4)
    assert reply.probabilities == pytest.approx(expected / expected.sum(), rel=1e-4)
    assert reply.answer == question.options[int(expected.argmax())]
    assert "without a chat template" in decider.about
    assert any("no chat template" in note for note in decider.notes)


def test_a_chat_template_is_filled_in_and_begins_the_reply() -> None:
    lm = opened(template=TEMPLATE)
    decider = decider_module.LanguageModelDecider(lm, system="Be brief.")
    [reply] = decider.decide([NURSE], JobContext())
    text = f"system: Be brief. user: {NURSE.prompt} reply:"
    expected = np.array(plain_masses(lm, text, NURSE.answers, bos=False))
    assert reply.probabilities == pytest.approx(expected / expected.sum(), rel=1e-4)
    assert "chat template" not in decider.about


@pytest.mark.parametrize("thought", ["<think>\n", "{% if enable_thinking %}<think>\n{% endif %}"])
def test_a_thought_that_a_template_begins_is_ended(thought: str) -> None:
    template = TEMPLATE.replace("reply:", f"reply:{thought}")
    text, _ = decider_module.LanguageModelDecider(opened(template=template))._prompt(NURSE)
    ending = "<think>\n\n</think>\n\n" if thought.startswith("<") else ""
    assert text.endswith(f"reply:{ending}")


def test_the_same_question_again_costs_nothing_and_batches_change_nothing() -> None:
    decider = decider_module.LanguageModelDecider(opened())
    alone = decider.decide([NURSE], JobContext())[0]
    many = decider.decide([NURSE, LONGER, NURSE], JobContext())
    assert many[0].probabilities == many[2].probabilities
    assert many[0].probabilities == pytest.approx(alone.probabilities, rel=1e-5)


def test_a_stop_between_batches_keeps_the_replies_before(monkeypatch: pytest.MonkeyPatch) -> None:
    lm = opened()
    monkeypatch.setattr(type(lm), "tokens_at_once", 8)
    batches = iter([None])

    class Stopped(JobContext):
        def checkpoint(self) -> None:
            if next(batches, "stop") == "stop":
                raise JobStopped

    stream = decider_module.LanguageModelDecider(lm).stream([LONGER, NURSE], [0, 0], Stopped())
    replies = []
    with pytest.raises(JobStopped):
        replies.extend(stream)
    [(number, _)] = replies
    assert number == 1  # the shorter one is read first


def test_a_plan_tells_the_time_of_a_model_that_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    lm = opened(template=TEMPLATE)
    asked = {"method": "fixed", "trials": 500}
    assert bl.probes.decisions.plan(lm, **asked).time == ""
    lm = opened(template=TEMPLATE)
    monkeypatch.setattr(f"{MODULE}.seconds_per_token", lambda model: 0.01)
    planned = bl.probes.decisions.plan(lm, **asked)
    assert re.fullmatch(r"about \d+ minutes", planned.time)
    assert planned.summary().startswith(f"500 questions to tiny: {planned.time} on this machine. ")


def test_a_few_questions_are_timed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    lm = opened(template=TEMPLATE)
    stream, now = lm.stream, iter(range(100))
    read: list[int] = []
    lm.stream = lambda looks, **options: read.append(len(looks)) or stream(looks, **options)
    monkeypatch.setattr(f"{MODULE}.seconds_per_token", lambda model: 1e-6)
    monkeypatch.setattr(f"{MODULE}.time.perf_counter", lambda: next(now))
    for _ in range(2):
        seconds = decider_module.LanguageModelDecider(lm).seconds_each([NURSE] * 16)
        assert seconds == pytest.approx(1 / 8)  # the clock says that eight took one second
    assert len(read) == 2  # what the model can do is tried before


def test_the_way_out_gets_its_share() -> None:
    question = Question("She is a person.", ("good", "hard"), "home")
    [reply] = decider_module.LanguageModelDecider(opened()).decide([question], JobContext())
    assert len(reply.probabilities) == 3
    assert sum(reply.probabilities) == pytest.approx(1)
    assert reply.answer in ("good", "hard")


def test_longer_answers_lose_unless_their_tokens_are_averaged() -> None:
    lm = opened()
    question = Question("He is", ("a", "a woman and a man and an engineer"))
    of = decider_module.LanguageModelDecider
    plain, averaged = (
        of(lm, per_token=per).decide([question], JobContext())[0] for per in (False, True)
    )
    assert plain.probabilities[1] < 1e-6 < averaged.probabilities[1]
    assert plain.mass == averaged.mass
    assert of(lm).identity != of(lm, per_token=True).identity


def test_a_masked_model_is_refused() -> None:
    model, tokenizer = tiny.bert()
    lm = subjects.LanguageModel(model, tokenizer, kind="mlm", name="masked")
    with pytest.raises(SubjectError, match=r"masked is a masked language model.*kind='clm'"):
        decider_module.LanguageModelDecider(lm)


def test_an_answer_outside_the_vocabulary_is_an_error_that_says_so() -> None:
    tokens = AnswerTokens(lambda text: [ord(one) if ord(one) < 128 else 0 for one in text], 0, "x")
    with pytest.raises(DeciderError, match="vocabulary of x has no tokens for the answer '邀请'"):
        tokens.after("Answer:", ("yes", "邀请"))


def test_a_question_that_is_too_long_says_how_long() -> None:
    decider = decider_module.LanguageModelDecider(opened(template=TEMPLATE))
    with pytest.raises(DeciderError, match=r"tokens with its answer, and tiny reads at most 96"):
        decider.decide([Question("She is a person. " * 60, ("good", "hard"))], JobContext())
    plain = decider_module.LanguageModelDecider(opened())
    with pytest.raises(DeciderError, match="reads at most"):
        plain.decide([Question("She is a person. " * 60, ("good", "hard"))], JobContext())


def test_a_template_that_fails_is_an_error_that_names_the_system_message() -> None:
    template = "{{ raise_exception('System role not supported') }}"
    decider = decider_module.LanguageModelDecider(opened(template=template), system="Be brief.")
    with pytest.raises(DeciderError, match=r"System role not supported.*Leave out the system"):
        decider.decide([NURSE], JobContext())
    with pytest.raises(SubjectError, match="no chat template, so it takes no system message"):
        decider_module.LanguageModelDecider(opened(), system="Be brief.")


def test_ways_that_begin_alike_share_no_probability() -> None:
    ways = {(1,): "A", (1, 2): "AB", (1, 2, 3): "A", (4, 2): "AB"}
    looks, read = looks_for([7, 7], list(ways))
    chance = {(1,): 0.5, (1, 2): 0.25, (1, 2, 3): 0.5, (4,): 0.2, (4, 2): 0.1}
    assert sorted(read) == sorted(chance)
    assert sum(len(look.targets) for look in looks) == len(read)
    logs = {way: float(np.log(value)) for way, value in chance.items()}
    masses = np.exp(answer_masses(ways, ["A", "AB"], logs))
    assert masses == pytest.approx([0.5 - 0.125 + 0.0625, 0.125 - 0.0625 + 0.02])


def test_answers_that_differ_in_case_only_keep_to_their_own() -> None:
    tokens = AnswerTokens(lambda text: [ord(letter) for letter in text], None, "tiny")
    ways = tokens.after("Answer:", ("us", "US"))
    assert set(ways.values()) == {"us", "US"}
    assert len(ways) == 4


def test_notes_are_those_of_decisions() -> None:
    lm = subjects.load("clerk-lm")
    decider = decider_module.LanguageModelDecider(lm)
    assert lm.chat.note in lm.notes
    assert lm.chat.note not in decider.notes
