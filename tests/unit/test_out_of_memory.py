"""Memory that runs out: smaller batches, then a clear stop that keeps what is scored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.asking.providers.classifier import ClassifierService
from biaslab.errors import DeviceMemoryError
from biaslab.subjects import Encoder, HuggingFaceClassifier, VisionLanguageModel
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.pretrained.memory import in_halves, is_out_of_memory
from harness import tiny_encoders, tiny_vision_language
from harness import tiny_language_models as tiny
from harness.heavy import torch, transformers
from harness.needs import needs
from harness.tiny_parts import save

pytestmark = needs("torch", "transformers")
#: What torch says on Linux, Windows and a GPU.
ERRORS = {
    "linux": lambda: RuntimeError(
        "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory:"
        " you tried to allocate 99 bytes. Error code 12 (Cannot allocate memory)"
    ),
    "windows": lambda: RuntimeError("DefaultCPUAllocator: not enough memory: you tried to"),
    "gpu": lambda: torch.OutOfMemoryError("CUDA out of memory."),
    "python": MemoryError,
}
#: One of each type that is caught.
TYPES = pytest.mark.parametrize("error", [ERRORS["gpu"], MemoryError], ids=["gpu", "python"])


def limit(part: Any, most: int, error: Any, *, after: int = 0) -> Any:
    """Let a module take at most so many rows, after some calls; return the hook."""
    calls = 0

    def hook(_: Any, args: Any, options: Any) -> None:
        nonlocal calls
        calls += 1
        given = [*args, *options.values()]
        rows = next(len(one) for one in given if isinstance(one, torch.Tensor))
        if calls > after and rows > most:
            raise error()

    return part.register_forward_pre_hook(hook, with_kwargs=True)


def test_this_machine_says_it_in_words_that_are_known() -> None:
    with pytest.raises(RuntimeError) as caught:
        torch.empty(10**15)
    assert is_out_of_memory(caught.value)
    assert all(is_out_of_memory(error()) for error in ERRORS.values())
    assert not is_out_of_memory(RuntimeError("shapes do not match"))
    assert not is_out_of_memory(ValueError("not enough memory of the past"))


def test_a_batch_is_halved_until_it_fits() -> None:
    sizes: list[int] = []

    def answer(items: Any) -> list[int]:
        sizes.append(len(items))
        if len(items) > 2:
            raise MemoryError
        return [2 * one for one in items]

    assert in_halves([1, 2, 3, 4, 5], answer, "cpu", "m", "one text") == [2, 4, 6, 8, 10]
    assert sizes == [5, 2, 3, 1, 2]


@TYPES
def test_a_two_alternative_task_keeps_the_items_that_were_answered(error: Any) -> None:
    lm = bl.load("wiki-mlm", device="cpu")
    assert lm.takes_mixtures
    assert lm.takes_out_early
    words = ["nurse", "clerk", "pilot"]
    ask: dict[str, Any] = {"cues": [("she", "he")], "levels": 5}
    whole: Any = bl.two_afc(lm, words, **ask, replicates=2)
    hook = limit(lm.model, 3, error)
    smaller: Any = bl.two_afc(lm, words, **ask, replicates=2)
    hook.remove()
    assert smaller.items == tuple(words)
    np.testing.assert_allclose(smaller.answers, whole.answers, atol=1e-5)
    # Two frames of an item are a batch each.
    limit(lm.model, 0, error, after=2)
    kept: Any = bl.two_afc(lm, words, **ask, replicates=2)
    assert kept.items == ("nurse",)
    np.testing.assert_array_equal(kept.answers[:, 0], whole.answers[:, 0])
    reasons = {one.term: one.reason for one in kept.dropped}
    assert set(reasons) == {"clerk", "pilot"}
    assert all("memory ran out" in one and "smaller model" in one for one in reasons.values())
    with pytest.raises(DeviceMemoryError, match="does not have enough memory for wiki-mlm"):
        bl.two_afc(lm, words, **ask, replicates=2)
    with pytest.raises(DeviceMemoryError, match="does not have enough memory for wiki-mlm"):
        bl.two_afc_layers(lm, words, **ask, replicates=2, layers=[1])


@TYPES
def test_an_encoder_keeps_the_vectors_that_it_has(error: Any) -> None:
    encoder = Encoder(*tiny_encoders.bert())
    words = ["nurse", "man", "woman", "she", "he"]
    expected = encoder.vectors(words)
    fresh = encoder.under()
    hook = limit(fresh.model, 2, error)
    np.testing.assert_allclose(fresh.vectors(words), expected, atol=1e-6)
    hook.remove()
    limit(fresh.model, 0, error)
    np.testing.assert_allclose(fresh.vectors(words[:2]), expected[:, :2], atol=1e-6)
    with pytest.raises(DeviceMemoryError, match="one text at a time"):
        fresh.vectors(["engineer"])


@TYPES
def test_a_vision_language_model_gets_smaller_batches(error: Any) -> None:
    from PIL import Image

    model, processor = tiny_vision_language.build("clip")
    images = [Image.new("RGB", (32, 32), color) for color in ("red", "blue", "green")]
    vlm = VisionLanguageModel.of(model, processor)
    expected = vlm.answers(images, ["helper", "expert"]).log_scores
    vlm.forget_pictures()
    hook = limit(vlm.model.vision_model, 1, error)
    found = vlm.answers(images, ["helper", "expert"]).log_scores
    np.testing.assert_allclose(found, expected, atol=1e-5)
    hook.remove()
    vlm.forget_pictures()
    limit(vlm.model.vision_model, 0, error)
    with pytest.raises(DeviceMemoryError, match="one picture at a time"):
        vlm.answers(images, ["helper", "expert"])


@TYPES
@pytest.mark.parametrize("step", ["from_pretrained", "to"])
def test_a_model_that_does_not_fit_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Any, step: str
) -> None:
    model, _ = save(tiny.gpt2(), tmp_path)

    def fails(*args: Any, **options: Any) -> None:
        raise error()

    monkeypatch.setattr(type(model), step, fails)
    with pytest.raises(DeviceMemoryError, match=r"does not fit into the memory of cpu.*bfloat16"):
        bl.load(tmp_path, kind="clm", device="cpu")


def test_texts_are_classified_without_a_padding_token() -> None:
    _, tokenizer = tiny.bert()
    config = transformers.BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=24, max_position_embeddings=32,
    )  # fmt: skip
    model: Any = transformers.BertForSequenceClassification(config)
    service = ClassifierService(HuggingFaceClassifier(model, tokenizer))
    texts = ["The nurse is here.", "She is a good person, and he is a man."]
    expected = service.probabilities(texts)
    tokenizer.pad_token = None
    np.testing.assert_allclose(service.probabilities(texts), expected, atol=1e-6)


def test_a_result_without_a_score_says_that_memory_ran_out() -> None:
    lm = LanguageModel.of(*tiny.gpt2(), kind="clm", name="small")
    limit(lm.model, 0, ERRORS["gpu"])
    with pytest.raises(DeviceMemoryError, match="for small"):
        lm.takes_mixtures  # noqa: B018  # it is not known then
    result = bl.stereotype_score(lm, "biastest-math-arts", keep=False)
    assert result.failures == len(result.pairs)
    assert "does not have enough memory for small" in " ".join(result.verdict())
