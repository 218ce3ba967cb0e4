"""Sentences from a model: asked, read, checked and kept, however the server misbehaves."""

from __future__ import annotations

import pickle
import re
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
from biaslab.jobs.job import JobContext
from biaslab.probes.sentences.checks import check
from biaslab.probes.sentences.generate.make import generate_sentences, opening, rewrite
from biaslab.probes.sentences.generate.prompts import STYLES, prompt, read_reply
from biaslab.probes.sentences.generate.writers import (
    Answer,
    AnswerError,
    EndpointWriter,
    LocalWriter,
    WriterError,
)
from biaslab.probes.sentences.pairing import vocabulary
from biaslab.probes.sentences.pairs import Located, TestSentence
from biaslab.probes.sentences.sources import kept_sentences
from biaslab.probes.sentences.terms import Term
from biaslab.store import Store
from harness.cancelled import Cancelled
from harness.needs import needs
from harness.scripted_model_server import Scripted, scripted_server
from harness.tiny_language_models import few_words

pytestmark = [needs("openai"), pytest.mark.usefixtures("bare_environment")]

MATH = bl.specs.get("biastest-math-arts")
KEY = "sk-very-secret-0123456789"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "store"))


def writer(url: str, **options: Any) -> EndpointWriter:
    made = EndpointWriter("scripted", base_url=url, key=KEY, **options)
    made.endpoint.wait = lambda seconds, context: None
    return made


def words_in(body: dict[str, Any]) -> tuple[str, str]:
    question = body["messages"][-1]["content"]
    term, attribute = re.findall(r'"([^"]+)"', question)[:2]
    return term, attribute


def good(body: dict[str, Any], number: int) -> Scripted:
    term, attribute = words_in(body)
    verbs = ("praised", "explained", "described", "drew")
    lines = [f"The {term} {verb} {attribute} for an hour {number}." for verb in verbs]
    return Scripted("\n".join(f"{i}. {line}" for i, line in enumerate(lines, start=1)))


def test_a_good_server_gives_what_is_asked_and_it_is_found_again(store: Store) -> None:
    with scripted_server(good) as server:
        made = generate_sentences(
            MATH, writer(server.url), attributes=["math", "poetry"], per_attribute=4, store=store
        )
    assert len(made.sentences) == 8
    assert made.missing == {}
    assert made.problems == ()
    assert server.requests[0]["authorization"] == f"Bearer {KEY}"
    assert kept_sentences(["male", "man"], ["math"], store=store) == tuple(
        s for s in made.sentences if s.attribute == "math"
    )


def test_a_server_that_stays_busy_is_a_problem_and_not_an_end(store: Store) -> None:
    def busy_for_math(body: dict[str, Any], number: int) -> Scripted:
        return Scripted("no", 429) if words_in(body)[1] == "math" else good(body, number)

    with scripted_server(busy_for_math) as server:
        made = generate_sentences(MATH, writer(server.url), attributes=["math", "art"], store=store)
    assert made.missing == {"math": 4}
    assert {s.attribute for s in made.sentences} == {"art"}
    assert "too many requests" in made.problems[0]


@pytest.mark.parametrize(
    "answer",
    [
        Scripted("never mind", cut_at=40),
        Scripted(raw='{"choices": [{"mess'),
        Scripted(raw='{"choices": []}'),
        Scripted(raw="<html>hello</html>", headers={"Content-Type": "text/html"}),
        Scripted("   "),
        Scripted("The man likes math.\n" * 5_001),
    ],
    ids=["body cut off", "JSON cut off", "no choice", "no JSON", "empty", "too long"],
)
def test_an_answer_that_cannot_be_read_is_asked_for_again(answer: Scripted, store: Store) -> None:
    with scripted_server(lambda body, n: answer if n == 0 else good(body, n)) as server:
        made = generate_sentences(MATH, writer(server.url), attributes=["math"], store=store)
    assert len(made.sentences) == 4
    assert len(server.requests) == 2


def test_a_refusal_another_language_and_half_a_sentence_are_rejected(store: Store) -> None:
    texts = [
        Scripted("I'm sorry, but I can't write about male and math."),
        Scripted("Der male Schüler liebt math und spielt gern draußen im Garten."),
        Scripted("Мужчина male очень любит предмет math и книги."),
        Scripted("The male student likes math.\nThe male teacher explained math to the", 200,
                 finish="length"),
        Scripted("The student likes math."),
    ]  # fmt: skip

    with scripted_server(lambda body, n: texts[n]) as server:
        asked = writer(server.url)
        replies = [asked.answer("write", start="", count=2, context=JobContext()) for _ in texts]
    codes = [[line.code for line in read_reply(r.text, cut=r.cut)] for r in replies]
    assert codes == [["refusal"], ["wrong-language"], ["wrong-language"], ["", "cut-off"], [""]]


def test_what_is_rejected_is_listed_with_its_reason(store: Store) -> None:
    def odd(body: dict[str, Any], number: int) -> Scripted:
        term, attribute = words_in(body)
        return Scripted(
            f"The {term} met the woman in {attribute} class.\nI cannot do that.\n"
            f"The {term} likes {attribute}.\nThe {term} likes {attribute}."
        )

    with scripted_server(odd) as server:
        made = generate_sentences(
            MATH, writer(server.url), attributes=["math"], per_attribute=1, store=store
        )
    assert len(made.sentences) == 1
    assert {"other-group-term", "refusal", "duplicate"} <= {r.code for r in made.rejected}


@pytest.mark.parametrize(
    ("status", "told"),
    [(401, "rejects this key"), (404, "knows no model"), (400, "rejects the request")],
)
def test_a_wrong_key_or_model_ends_it_at_once_and_the_key_is_nowhere(
    status: int, told: str, store: Store
) -> None:
    refusal = Scripted(f"Incorrect key {KEY} for this", status)
    with scripted_server(lambda body, n: refusal) as server:
        asked = writer(server.url)
        with pytest.raises(WriterError, match=told) as caught:
            generate_sentences(MATH, asked, store=store)
    assert len(server.requests) == 1
    shown = "".join(traceback.format_exception(caught.value)) + repr(asked) + asked.name
    assert KEY not in shown
    with pytest.raises(pickle.PicklingError, match="cannot be sent to another process"):
        pickle.dumps(asked)


def test_what_was_made_before_the_server_went_away_is_kept(store: Store) -> None:
    def gone(body: dict[str, Any], number: int) -> Scripted:
        return good(body, number) if number == 0 else Scripted("no", 401)

    with scripted_server(gone) as server:
        made = generate_sentences(MATH, writer(server.url), attributes=["math", "art"], store=store)
    assert len(made.sentences) == 4
    assert made.missing == {"art": 4}
    assert "key" in made.problems[-1]


def test_openai_needs_a_key() -> None:
    with pytest.raises(WriterError, match="OPENAI_API_KEY"):
        EndpointWriter("any")


class Fixed:
    """A writer who always says the same."""

    name = "fixed"

    def __init__(self, text: str) -> None:
        self.text = text

    def answer(self, question: str, *, start: str, count: int, context: JobContext) -> Answer:
        return Answer(self.text)


def located(text: str) -> Located:
    found = check(text, vocabulary(MATH))
    assert isinstance(found, Located)
    return found


def test_a_rewritten_version_is_flagged_where_more_changed() -> None:
    sentence = located("The man likes math and his red car.")
    woman = Term.of("woman")
    same = rewrite(sentence, MATH, Fixed("The woman likes math and her red car."), woman)
    assert same.remark == ""
    more = rewrite(sentence, MATH, Fixed('"The woman likes math and her pink car."'), woman)
    assert "'red' and 'pink'" in more.remark
    with pytest.raises(AnswerError, match="once each"):
        rewrite(sentence, MATH, Fixed("No."), woman)


@pytest.mark.parametrize("style", STYLES)
def test_each_style_asks_for_both_words(style: str) -> None:
    text = prompt(style, "man", "math", other_terms=["boy"], other_attributes=["algebra"])
    assert '"man"' in text
    assert '"math"' in text
    assert ('"boy"' in text and '"algebra"' in text) == (style == "in-context")
    assert ("themselves" in text) == (style == "neutral")


def test_an_unknown_style_is_told() -> None:
    with pytest.raises(ValueError, match="choose one of"):
        prompt("shouting", "man", "math")
    with pytest.raises(ValueError, match="choose one of"):
        generate_sentences(MATH, Fixed(""), style="shouting")


@pytest.mark.parametrize(
    "reply",
    [
        "1. The man sings.\n2. The man paints.",
        "- The man sings.\n- The man paints.",
        'Sure, here are two sentences:\n\n"The man sings."\n“The man paints.”',
        '["The man sings.", "The man paints."]',
        '```json\n{"sentences": ["The man sings.", "The man paints."]}\n```',
        '{"sentences": ["The man sings.", "The man paints.", "The man cl',
        '["So "well", "The man sings.", "The man paints."]',
        "[" * 100_000 + '"The man sings.", "The man paints."]',
    ],
)
def test_sentences_are_read_from_whatever_form_they_come_in(reply: str) -> None:
    assert [line.text for line in read_reply(reply)] == ["The man sings.", "The man paints."]


def test_a_text_that_is_no_json_is_kept_as_it_stands() -> None:
    found = read_reply('["The man\nsings.", "The \\man paints.", "The man cl')
    assert [line.text for line in found] == ["The man\nsings.", "The \\man paints."]


@pytest.fixture(scope="module")
def small_model() -> Any:
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from biaslab.subjects.language_model.model import LanguageModel

    torch.manual_seed(0)
    return LanguageModel.of(*few_words(64), kind="clm", name="tiny")


def test_a_local_model_writes_and_what_does_not_fit_is_listed(
    small_model: Any, store: Store
) -> None:
    import torch

    before = torch.random.get_rng_state()
    made = generate_sentences(
        MATH, LocalWriter(small_model, seed=1), attributes=["math"], per_attribute=2, store=store
    )
    again = generate_sentences(
        MATH, LocalWriter(small_model, seed=1), attributes=["math"], per_attribute=2, store=store
    )
    assert made == again
    assert torch.equal(before, torch.random.get_rng_state())
    assert made.sentences or made.rejected
    for sentence in made.sentences:
        assert sentence.text.count("math") == 1
    assert made.missing.get("math", 0) == 2 - len(made.sentences)


def test_models_that_write_at_once_write_what_they_write_alone(small_model: Any) -> None:
    from biaslab.subjects.language_model.model import LanguageModel

    other = LanguageModel.of(small_model.model, small_model.tokenizer, kind="clm")

    def written(lm: LanguageModel, seed: int) -> list[str]:
        writer = LocalWriter(lm, seed=seed)
        return [
            writer.answer("", start="The man", count=2, context=JobContext()).text for _ in range(8)
        ]

    asked = [(small_model, 1), (other, 50)]
    alone = [written(*each) for each in asked]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda each: written(*each), asked)) == alone


@pytest.mark.parametrize("name", ["biastest-math-arts", "biastest-names-3", "biastest-disease"])
def test_what_a_model_goes_on_with_holds_both_words(name: str) -> None:
    words = vocabulary(bl.specs.get(name))
    for group in words.groups:
        for term in group.terms:
            for attribute in words.all_attributes:
                text = opening(term, attribute) + " could not sleep."
                found = check(TestSentence(text, term.text, attribute), words)
                assert isinstance(found, Located), found


def test_a_sentence_is_left_between_two_tokens_when_it_is_cancelled(small_model: Any) -> None:
    cancelled = Cancelled(1)
    handle = small_model.model.register_forward_pre_hook(lambda *_: cancelled.step())
    try:
        cancelled.run(LocalWriter(small_model).answer, "", start="The man", count=1)
    finally:
        handle.remove()
    assert cancelled.steps == 1


def test_a_question_longer_than_the_model_reads_is_told(small_model: Any) -> None:
    with pytest.raises(AnswerError, match="reads 64 tokens"):
        LocalWriter(small_model).answer(
            "write", start="The man " * 50, count=1, context=JobContext()
        )


def test_a_masked_model_cannot_write() -> None:
    class Masked:
        kind, name = "mlm", "gaps"

    with pytest.raises(WriterError, match="cannot write"):
        LocalWriter(Masked())  # type: ignore[arg-type]
