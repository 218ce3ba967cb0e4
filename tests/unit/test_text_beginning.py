"""The token before a text: BOS, a separator of documents, and never the end of a turn."""

from __future__ import annotations

from typing import Any

import pytest

from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.language_model.tokens import beginning_token
from harness import tiny_language_models as tiny
from harness.needs import needs

pytestmark = needs("torch", "transformers")
TURNS = "{% for message in messages %}<|im_start|>{{ message['content'] }}<|im_end|>{% endfor %}"


def _tokenizer(*special: str, **named: Any) -> Any:
    return tiny.tokenizer_of(list(special), **named)


@pytest.mark.parametrize(
    ("special", "named", "begin"),
    [
        (["<|endoftext|>"], {"bos": "<|endoftext|>", "eos": "<|endoftext|>"}, "<|endoftext|>"),
        (["<s>", "</s>"], {"bos": "<s>", "eos": "</s>"}, "<s>"),
        (["<|endoftext|>"], {"eos": "<|endoftext|>"}, "<|endoftext|>"),
        (["</s>"], {"eos": "</s>"}, "</s>"),
        (
            ["<|endoftext|>", "<|im_end|>"],
            {"eos": "<|im_end|>", "pad": "<|endoftext|>"},
            "<|endoftext|>",
        ),
        (["<|im_end|>"], {"eos": "<|im_end|>"}, None),
        (["<|endoftext|>"], {}, None),
    ],
)
def test_the_token_before_a_text(special: list[str], named: Any, begin: str | None) -> None:
    tokenizer = _tokenizer(*special, **named)
    expected = None if begin is None else tokenizer.convert_tokens_to_ids(begin)
    assert beginning_token(tokenizer) == expected


def test_the_end_of_a_turn_is_known_from_the_chat_template() -> None:
    tokenizer = _tokenizer("<over>", eos="<over>")
    assert beginning_token(tokenizer) is not None
    tokenizer.chat_template = TURNS.replace("<|im_end|>", "<over>")
    assert beginning_token(tokenizer) is None


def test_a_separator_may_stand_in_a_template() -> None:
    tokenizer = _tokenizer("<|endoftext|>", eos="<|endoftext|>")
    tokenizer.chat_template = TURNS.replace("<|im_end|>", "<|endoftext|>")
    assert beginning_token(tokenizer) == tokenizer.eos_token_id


def test_a_chat_model_begins_with_its_separator() -> None:
    model, tokenizer = tiny.gpt2()
    tokenizer.bos_token = None
    tokenizer.chat_template = "{{ messages }}<|im_end|>"
    tokenizer.add_special_tokens({"eos_token": "<|im_end|>"})
    model.resize_token_embeddings(len(tokenizer))
    lm = LanguageModel.of(model, tokenizer, kind="clm")
    assert lm.begin == tokenizer.convert_tokens_to_ids("<|endoftext|>")
    assert not lm.notes
