"""Packed weights: the same products, within a limit of memory, and gone afterwards."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.subjects.language_model.acceleration import WORTH_PACKING, PackedWeights
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.language_model.reading import Look
from harness import tiny_language_models as tiny
from harness.heavy import pd, torch
from harness.needs import needs

pytestmark = needs("torch", "transformers")


def _model() -> Any:
    torch.manual_seed(0)
    model, _ = tiny.llama()
    return model.eval()


def _linear(model: Any) -> list[Any]:
    return [one for one in model.base_model.modules() if type(one) is torch.nn.Linear]


def _needs_packing() -> None:
    if not PackedWeights(_model(), WORTH_PACKING, 1e9).bytes:
        pytest.skip("torch has no oneDNN on this machine")


def test_a_model_answers_the_same_with_packed_weights() -> None:
    _needs_packing()
    model = _model()
    ids = torch.arange(5, 25).reshape(2, 10)
    packed = PackedWeights(model, WORTH_PACKING, 1e9)
    assert packed.bytes == 4 * sum(one.weight.numel() for one in _linear(model))
    with torch.inference_mode():
        plain = model(input_ids=ids).logits
        with packed.installed():
            assert all("forward" in vars(one) for one in _linear(model))
            np.testing.assert_allclose(model(input_ids=ids).logits, plain, atol=1e-5)
    assert not any("forward" in vars(one) for one in _linear(model))


def test_copies_stay_within_the_memory() -> None:
    _needs_packing()
    model = _model()
    whole = PackedWeights(model, WORTH_PACKING, 1e9).bytes
    cap = 0.5 * whole
    assert 0 < PackedWeights(model, WORTH_PACKING, cap).bytes <= 0.75 * cap
    assert PackedWeights(model, WORTH_PACKING, 0.0).bytes == 0


def test_few_tokens_are_read_with_plain_weights() -> None:
    assert PackedWeights(_model(), WORTH_PACKING - 1, 1e9).bytes == 0


@pytest.mark.parametrize("dtype", ["float64", "bfloat16"])
def test_other_types_are_left_alone(dtype: str) -> None:
    assert PackedWeights(_model().to(getattr(torch, dtype)), WORTH_PACKING, 1e9).bytes == 0


def test_an_error_in_a_batch_leaves_the_model_as_it_was() -> None:
    model = _model()
    packed = PackedWeights(model, WORTH_PACKING, 1e9)
    with pytest.raises(KeyError), packed.installed():
        raise KeyError
    assert not any("forward" in vars(one) for one in _linear(model))


def test_many_texts_get_what_each_gets_alone() -> None:
    lm = LanguageModel.of(*tiny.bert(), kind="mlm")
    some = np.random.default_rng(0)
    looks = []
    for length in some.integers(8, 24, 160):
        ids = some.integers(5, lm.vocabulary, length)
        looks.append(Look(ids, np.array([3]), ids[[3]]))
    assert sum(len(look.ids) for look in looks) > WORTH_PACKING
    together = lm.read(looks, memory_mb=64)
    for look, values in zip(looks[::20], together[::20], strict=True):
        np.testing.assert_allclose(values, lm.read([look], memory_mb=64)[0], atol=1e-5)
    assert not any("forward" in vars(one) for one in _linear(lm.model))


def test_answers_have_the_same_digits_while_another_thread_reads_the_model() -> None:
    lm = bl.load("wiki-clm", device="cpu")

    def asked() -> Any:
        return bl.two_afc(lm, ["nurse"], ("she", "he"), replicates=4).raw_frame()

    alone = asked()
    with ThreadPoolExecutor(1) as pool:
        with lm.lock, PackedWeights(lm.model, None, 1e9).installed():
            beside = pool.submit(asked)
            wait([beside], timeout=0.5)
        pd.testing.assert_frame_equal(beside.result(), alone, check_exact=True)
