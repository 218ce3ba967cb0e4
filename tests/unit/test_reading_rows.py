"""Texts that share their beginning: computed once, with the numbers of each text alone."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import SubjectError
from biaslab.probes.psychometrics import FramedModel
from biaslab.subjects.language_model import reading as language_model_reading
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.language_model.rows import (
    Blend,
    Look,
    merged_rows,
    shared_rows,
    shares_beginnings,
)
from harness import tiny_language_models as tiny
from harness.heavy import torch
from harness.needs import needs

pytestmark = needs("torch", "transformers")

FRAME = "The old man thanked the young woman for "
TEXTS = [
    f"{FRAME}the science lesson.", f"{FRAME}the career.", f"{FRAME}her good work, and she is here.",
    "She is a person.", "She is a man.", "Flower, insect.", "Flower, insect.",
]  # fmt: skip


def whole(lm: LanguageModel, text: str) -> Look:
    ids = lm.tokenize(text).ids
    return Look(ids, np.arange(len(ids) - 1), ids[1:])


def read_separately(
    lm: LanguageModel, looks: list[Look], monkeypatch: pytest.MonkeyPatch, **options: Any
) -> list[Any]:
    with monkeypatch.context() as patched:
        patched.setattr(
            language_model_reading, "rows_for", lambda lm, texts, most: merged_rows(texts, most)
        )
        return lm.read(looks, **options)


def causal(name: str) -> LanguageModel:
    torch.manual_seed(0)
    model, tokenizer = tiny.CAUSAL[name]()
    return LanguageModel.of(model, tokenizer, kind="clm")


@pytest.mark.parametrize("name", list(tiny.CAUSAL))
@pytest.mark.parametrize("raw", [False, True])
def test_shared_beginnings_change_no_number(
    name: str, raw: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    lm = causal(name)
    looks = [whole(lm, text) for text in TEXTS]
    for memory in (512, 0.02):  # all at once, and in parts of few places
        alone = read_separately(lm, looks, monkeypatch, raw=raw, memory_mb=memory)
        for one, other in zip(alone, lm.read(looks, raw=raw, memory_mb=memory), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-5)


def test_blends_share_what_stands_before_them(monkeypatch: pytest.MonkeyPatch) -> None:
    lm = causal("llama")
    text = lm.tokenize(TEXTS[0])
    start = len(text.ids) - 6
    one, two = (
        Blend(start, np.array([[a], [a + 1]]), np.array([[b], [b + 2]]))
        for a, b in [(60, 70), (80, 90)]
    )
    looks = [
        Look(ids, np.array([start - 1, len(ids) - 2]), ids[[start, len(ids) - 1]], blend, alpha)
        for ids in (text.ids, np.append(text.ids[:-1], text.ids[3]))
        for blend, alpha in [(one, 0.0), (one, 0.5), (two, 0.5), (None, 0.0)]
    ]
    alone = read_separately(lm, looks, monkeypatch)
    for expected, shared in zip(alone, lm.read(looks), strict=True):
        np.testing.assert_allclose(expected, shared, atol=1e-5)
    rows = shared_rows(list(enumerate(looks)), 1_000)
    assert sum(map(len, rows)) < 0.5 * sum(len(look.ids) for look in looks)
    ends = {float(values[-1]) for values in alone}
    assert len(ends) == len(looks)  # no two are mixed up


def test_equal_beginnings_go_through_a_model_once() -> None:
    lm = causal("gpt2")
    looks = [whole(lm, text) for text in TEXTS]
    lm.read(looks)  # the trial is over
    places: list[int] = []
    head = lm.model.lm_head.register_forward_hook(lambda _, args, out: places.append(out.shape[-2]))
    lm.read(looks)
    head.remove()
    rows = language_model_reading.rows_for(lm, list(enumerate(looks)), 1_000)
    different = {tuple(look.ids[:n]) for look in looks for n in range(1, len(look.ids) + 1)}
    assert sum(map(len, rows)) < 0.75 * sum(len(look.ids) for look in looks)
    assert sum(places) <= len(different)


@pytest.mark.parametrize("kind", ["falcon-alibi", "mamba", "sliding"])
def test_a_model_that_cannot_share_reads_each_text_alone(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import transformers

    torch.manual_seed(0)
    _, tokenizer = tiny.gpt2()
    model: Any
    sizes: dict[str, Any] = {
        "vocab_size": len(tokenizer), "hidden_size": 16, "num_hidden_layers": 2,
    }  # fmt: skip
    if kind == "mamba":
        config = transformers.MambaConfig(**sizes, state_size=4, conv_kernel=4)
        config.num_attention_heads = 1
        model = transformers.MambaForCausalLM(config)
    elif kind == "sliding":
        heads: dict[str, Any] = {
            "num_attention_heads": 2,
            "num_key_value_heads": 2,
            "intermediate_size": 24,
        }
        model = transformers.MistralForCausalLM(
            transformers.MistralConfig(**sizes, **heads, sliding_window=8)
        )
    else:
        model, tokenizer = tiny.CAUSAL[kind]()
    lm = LanguageModel.of(model, tokenizer, kind="clm")
    looks = [whole(lm, text) for text in TEXTS]
    alone = read_separately(lm, looks, monkeypatch)
    for one, other in zip(alone, lm.read(looks), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


@pytest.mark.parametrize(
    ("error", "rounding", "is_shared"),
    [(2e-4, 1e-4, True), (2e-4, 0.0, False), (2e-2, 1e-1, False)],
)
def test_a_difference_as_between_batches_is_no_reason_to_read_texts_alone(
    error: float, rounding: float, is_shared: bool
) -> None:
    """Trained models with large activations differ by more than 1e-5 from batch to batch."""

    def forward(_: Any, rows: Any, raw: bool) -> Any:
        assert raw
        off = error if any(row.is_tree for row in rows) else rounding * (len(rows) > 1)
        return [
            (name, look.targets + off) for row in rows for name, look, _ in row.texts
        ]  # fmt: skip

    assert shares_beginnings(causal("llama"), 10, forward) is is_shared


def test_a_device_without_enough_memory_gets_less_until_one_text_is_too_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lm = causal("gpt2")
    looks = [whole(lm, text) for text in TEXTS]
    expected = lm.read(looks)
    longest = max(len(look.ids) for look in looks)
    plain = language_model_reading.logits_at
    most = longest

    def small(model: Any, ids: Any, *rest: Any, **options: Any) -> Any:
        if ids.numel() > most:
            raise RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate")
        return plain(model, ids, *rest, **options)

    monkeypatch.setattr(language_model_reading, "logits_at", small)
    for one, other in zip(expected, lm.read(looks), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)
    most = longest - 1
    with pytest.raises(SubjectError, match="does not have enough memory"):
        lm.read(looks)


def test_other_errors_are_not_taken_for_a_lack_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    lm = causal("gpt2")
    looks = [whole(lm, TEXTS[0])]

    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("sizes do not match")

    monkeypatch.setattr(language_model_reading, "logits_at", broken)
    with pytest.raises(RuntimeError, match="sizes do not match"):
        lm.read(looks)


@pytest.mark.parametrize("kind", ["mlm", "clm"])
def test_what_else_is_asked_changes_no_digit_of_an_answer(kind: Literal["mlm", "clm"]) -> None:
    """On a processor, a product of matrices rounds by how many rows it has."""
    lm = bl.load(f"wiki-{kind}", device="cpu")
    words, cues = ["nurse", "clerk"], [("she", "he"), ("woman", "man")]
    stimuli = np.linspace(0, 1, 3)
    asked: dict[str, Any]
    for asked in ({}, {"layers": [0, 3]}):
        of_all = FramedModel(lm).using(3).ask(words, cues, stimuli, **asked).answers
        of_some = FramedModel(lm).using(2).ask(words[1:], cues[1:], stimuli, **asked).answers
        np.testing.assert_array_equal(of_some, of_all[..., :2, 1:, 1:, :])
    alone = FramedModel(lm).using(2).ask(words[1:], cues[1:], stimuli, layers=[3]).answers
    np.testing.assert_array_equal(alone[0], of_some[1])


def test_texts_are_put_together_in_the_order_in_which_their_blends_came() -> None:
    blends = [Blend(1, np.array([[i]]), np.array([[i + 9]])) for i in range(30)]
    ids = np.array([5, 6, 7, 8, 9])
    texts = [(i, Look(ids, np.array([4]), np.array([1]), blend)) for i, blend in enumerate(blends)]
    rows = shared_rows([texts[i] for i in reversed(range(30))], 100)
    assert [name for row in rows for name, _, _ in row.texts] == list(reversed(range(30)))
