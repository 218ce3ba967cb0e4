"""Sentences as answers in a chat: what is shown, what is scored, and how much it matters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import QueryError, SubjectError
from biaslab.probes.sentences import compare_templates
from biaslab.probes.sentences.score_cache import keys
from biaslab.probes.sentences.scorers import SCORERS
from biaslab.probes.sentences.sources import resolve_pairs
from biaslab.subjects.language_model.model import LanguageModel
from harness import tiny_language_models as tiny
from harness.heavy import torch
from harness.needs import needs

pytestmark = needs("torch", "transformers")

TURNS = (
    "{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}<|endoftext|>{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
OWN_SYSTEM = (
    "{% if messages[0]['role'] != 'system' %}<system>Be kind.<|endoftext|>{% endif %}" + TURNS
)
NO_SYSTEM = (
    "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}" + TURNS
)
ASKED = "<user>Write a sentence.<|endoftext|><assistant>"
SPEC = "career-family-vs-gender"


def model_with(turns: str | None, stops: Any = None, **options: Any) -> LanguageModel:
    torch.manual_seed(0)
    model, tokenizer = tiny.gpt2()
    tokenizer.chat_template = turns
    model.generation_config.eos_token_id = stops
    return LanguageModel.of(model, tokenizer, kind="clm", name="tiny", **options)


def some_pairs() -> Any:
    return list(resolve_pairs(bl.specs.get(SPEC), None, None, None).pairs[:12])


@pytest.mark.parametrize(
    ("template", "way", "prefix"),
    [
        (TURNS, "chat", f"<system>You are a helpful assistant.<|endoftext|>{ASKED}"),
        (TURNS, "chat without system prompt", ASKED),
        (OWN_SYSTEM, "chat", f"<system>Be kind.<|endoftext|>{ASKED}"),
        (OWN_SYSTEM, "chat without system prompt", f"<system><|endoftext|>{ASKED}"),
        (NO_SYSTEM, "chat", ASKED),
    ],
)  # fmt: skip
def test_a_text_stands_in_the_assistants_turn(template: str, way: str, prefix: str) -> None:
    lm = model_with(template, template=way)
    assert lm.chat is not None
    assert (lm.template, lm.chat.prefix) == (way, prefix)
    text = lm.tokenize("She is a person.")
    shown = "".join(text.tokens).replace("\u0120", " ")
    assert shown == f"{prefix}She is a person."
    own = [text.text[a:b] for a, b in text.spans[text.own].tolist()]
    assert "".join(own).replace(" ", "") == "Sheisaperson."
    assert prefix in " ".join(lm.notes)


def test_scores_in_a_chat_are_those_of_a_plain_forward_pass() -> None:
    lm = model_with(TURNS, template="chat")
    assert lm.chat is not None
    pairs = some_pairs()
    for name in ("log-likelihood", "mean-loss"):
        scorer = SCORERS[name]
        [scores] = scorer.score(lm, pairs[:1])
        prefix = lm.tokenizer(lm.chat.prefix, add_special_tokens=False)["input_ids"]
        own = lm.tokenizer(pairs[0].stereotyped, add_special_tokens=False)["input_ids"]
        with torch.no_grad():
            logits = lm.model(input_ids=torch.tensor([prefix + own])).logits[0].double()
        logs = torch.log_softmax(logits, -1)[len(prefix) - 1 : -1]
        expected = logs[torch.arange(len(own)), torch.tensor(own)].numpy()
        weight = 1 / len(own) if name == "mean-loss" else 1
        np.testing.assert_allclose(scores.stereotyped.contributions, weight * expected, atol=1e-5)


@pytest.mark.parametrize(
    ("template", "stops", "way"),
    [(TURNS, [0], "chat"), (TURNS, None, "chat"), (TURNS, 5, "plain"), (None, [0], "plain")],
)
def test_by_default_only_instruction_models_get_a_chat(
    template: str | None, stops: Any, way: str
) -> None:
    assert model_with(template, stops).template == way


def test_base_models_keep_their_stored_scores() -> None:
    plain, other = model_with(None), model_with(TURNS, template="plain")
    text = plain.tokenize("She is a person.")
    assert np.array_equal(text.ids, other.tokenize("She is a person.").ids)
    pairs, scorer = some_pairs(), SCORERS["log-likelihood"]
    chat = other.with_template("chat")
    assert other.template == "plain"
    assert keys(chat, scorer, pairs) != keys(other, scorer, pairs)
    assert chat.content_hash == other.content_hash
    assert bl.load("wiki-clm").template == "plain"


def test_a_result_states_the_chat() -> None:
    lm = model_with(TURNS, template="chat")
    result = bl.stereotype_score(lm, SPEC, some_pairs(), keep=False)
    assert lm.chat is not None
    assert result.provenance.parameters["template"] == "chat"
    assert result.provenance.parameters["chat"] == lm.chat.prefix
    assert any("in its chat template" in note for note in result.notes)
    plain = bl.stereotype_score(lm.with_template("plain"), SPEC, some_pairs(), keep=False)
    assert "template" not in plain.provenance.parameters


def test_all_ways_are_compared_by_one_call() -> None:
    found = compare_templates(model_with(TURNS), SPEC, some_pairs(), keep=False)
    assert list(found.results) == ["plain", "chat", "chat without system prompt"]
    assert list(found.differences) == ["chat", "chat without system prompt"]
    difference = found.differences["chat"]
    assert difference.names == ("tiny (chat)", "tiny (plain)")
    assert difference.difference == pytest.approx(difference.shares[0] - difference.shares[1])
    assert "chat less plain" in repr(found)
    without_system = compare_templates(model_with(NO_SYSTEM), SPEC, some_pairs(), keep=False)
    assert list(without_system.results) == ["plain", "chat"]


def test_two_afc_asks_in_the_chat_too() -> None:
    lm = model_with(TURNS, template="chat")
    frames = ["The {stimulus} is a {item}, says the {answer}"]
    asked: dict[str, Any] = {"observers": frames}
    chat = bl.two_afc(lm, ["person"], [("woman", "man")], **asked)
    plain = bl.two_afc(lm.with_template("plain"), ["person"], [("woman", "man")], **asked)
    assert not np.allclose(chat.responses(), plain.responses())


def test_a_way_that_is_not_there_says_what_to_do() -> None:
    with pytest.raises(SubjectError, match=r"has no chat template\. Choose 'plain'"):
        model_with(None, template="chat")
    with pytest.raises(SubjectError, match="choose one of 'auto', 'plain'"):
        model_with(TURNS, template="instruct")
    with pytest.raises(SubjectError, match="chat template fails"):
        model_with("{{ raise_exception('broken') }}", template="chat")
    assert model_with("{{ raise_exception('broken') }}").template == "plain"
    model, tokenizer = tiny.bert()
    with pytest.raises(SubjectError, match="has no chat"):
        LanguageModel.of(model, tokenizer, kind="mlm", template="chat")
    with pytest.raises((SubjectError, QueryError)):
        compare_templates("wiki-mlm", SPEC)
