"""Every subject goes through its tensors once with a GPU's rules, on a machine without one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.deciders import LanguageModelDecider
from biaslab.jobs.job import JobContext
from biaslab.probes.psychometrics.framed_model import FramedModel
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.probes.sentences.scorers import SCORERS, get_scorer
from biaslab.subjects import Encoder, HuggingFaceClassifier, LanguageModel, VisionLanguageModel
from biaslab.subjects.language_model.acceleration import at_targets, logits_at
from biaslab.subjects.language_model.patching import PATCHES
from biaslab.subjects.translation_model import TranslationModel
from biaslab.subjects.vision_language.caption_model import CaptionModel
from harness import (
    tiny_encoders,
    tiny_picture_chats,
    tiny_sentence_encoders,
    tiny_translation,
    tiny_vision_language,
)
from harness import tiny_language_models as tiny
from harness.fake_gpu import DEVICE, fake_gpu, two_gpus
from harness.heavy import torch, transformers
from harness.named_checkpoints import CHECKPOINTS, Checkpoint
from harness.needs import needs

pytestmark = needs("torch", "transformers")
PAIRS = [
    SentencePair("The woman is a nurse.", "The man is a nurse."),
    SentencePair("The old man thanked the young woman for her work.", "He is here."),
]


#: One of each way to mix tokens; the others take long and are alike.
TRIED_ALWAYS = (
    "LlamaForCausalLM", "MixtralForCausalLM", "MambaForCausalLM", "BertForMaskedLM",
    "DebertaV2ForMaskedLM",
)  # fmt: skip


def test_mixed_devices_raise() -> None:
    with fake_gpu():
        here, there = torch.zeros(2), torch.zeros(2, device=DEVICE)
        with pytest.raises(RuntimeError, match="different devices"):
            here + there
        with pytest.raises(RuntimeError, match="different devices"):
            torch.cat([here, there])
        with pytest.raises(RuntimeError, match="different devices"):
            torch.nn.functional.embedding(torch.zeros(2, dtype=torch.int64), there[None])
        with pytest.raises((TypeError, NotImplementedError, RuntimeError)):
            there.numpy()
        assert there.cpu().device.type == "cpu"


@pytest.mark.parametrize(
    "checkpoint",
    [
        pytest.param(one, marks=() if one.architecture in TRIED_ALWAYS else pytest.mark.validate)
        for one in CHECKPOINTS
    ],
    ids=lambda one: one.name.rpartition("/")[2],
)
def test_a_language_model_stays_on_its_device(checkpoint: Checkpoint) -> None:
    model, tokenizer = checkpoint.build()
    kind: Any = checkpoint.kind
    expected = get_scorer(None, kind).score(LanguageModel.of(model, tokenizer, kind=kind), PAIRS)
    with fake_gpu():
        lm = LanguageModel.of(model.to(DEVICE), tokenizer, kind=kind)
        assert lm.device == DEVICE
        scores = get_scorer(None, kind).score(lm, PAIRS)
        assert [one.failure for one in scores] == ["", ""]
        assert lm.takes_mixtures == checkpoint.blends
        if checkpoint.blends:
            framed = FramedModel(lm, first=1)
            assert framed.respond("nurse", "woman", "man", np.array([0.0, 0.5]), 0).shape == (2,)
    for one, other in zip(scores, expected, strict=True):
        assert one.log_odds == pytest.approx(other.log_odds, abs=1e-3)


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_places_are_taken_out_on_the_last_device_of_a_split_model(name: str) -> None:
    model, _ = getattr(tiny, name)()
    blocks = model.base_model.h if name == "gpt2" else model.base_model.layers
    last = [blocks[-1], model.get_output_embeddings()]
    last.append(model.base_model.ln_f if name == "gpt2" else model.base_model.norm)

    def moved(part: Any, args: Any, options: Any) -> Any:
        """Move what a part is given to its device, as accelerate does."""
        return torch.utils._pytree.tree_map_only(
            torch.Tensor, lambda one: one.to(DEVICE), (args, options)
        )

    for part in last:
        part.to(DEVICE).register_forward_pre_hook(moved, with_kwargs=True)
    rows, columns = torch.tensor([0, 1, 1]), torch.tensor([1, 3, 0])
    ids = torch.arange(5, 13).reshape(2, 4)
    with torch.inference_mode(), two_gpus():
        for early in (False, True):
            logits = logits_at(model, ids, None, rows, columns, early=early)
            assert logits.device.type == DEVICE
            assert logits.shape[0] == 3
            assert at_targets(logits, torch.arange(3), rows, raw=False).shape == (3,)


@pytest.mark.parametrize("name", ["bert", "gpt2", "llama"])
def test_every_scorer_and_every_layer_stay_on_the_device(name: str) -> None:
    kind: Any = "mlm" if name == "bert" else "clm"
    model, tokenizer = getattr(tiny, name)()
    with fake_gpu():
        lm = LanguageModel.of(model.to(DEVICE), tokenizer, kind=kind)
        scorers = [scorer for scorer in SCORERS.values() if kind in scorer.kinds]
        assert len(scorers) > 1
        for scorer in scorers:
            assert [one.failure for one in scorer.score(lm, PAIRS[:1])] == [""], scorer.name
        model_in_frames = FramedModel(lm, first=1)
        stimuli = np.array([0.0, 0.5])
        for patch in PATCHES:
            answers = model_in_frames.ask(
                ["nurse"], [("woman", "man")], stimuli, layers=[0, 2], patch=patch
            )
            assert answers.answers.shape == (2, 1, 1, 1, 2)


@needs("sentence_transformers")
def test_a_sentence_encoder_stays_on_its_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder: Any = bl.load(tiny_sentence_encoders.folder(tmp_path), kind="encoder", device="cpu")
    library = type(encoder.model)
    for name in ("encode", "_inference"):  # without inference mode
        monkeypatch.setattr(library, name, inspect.unwrap(getattr(library, name)))
    with fake_gpu(), torch.no_grad():
        encoder.model.to(DEVICE)
        assert encoder.device == DEVICE
        assert encoder.vectors(["nurse", "a man"]).shape == (1, 2, encoder.dim)


@pytest.mark.parametrize("build", [tiny_encoders.bert, tiny_encoders.gpt])
def test_an_encoder_stays_on_its_device(build: Callable[[], tuple[Any, Any]]) -> None:
    model, tokenizer = build()
    with fake_gpu():
        encoder = Encoder(model.to(DEVICE), tokenizer)
        assert encoder.device == DEVICE
        assert encoder.vectors(["nurse", "man"]).shape == (1, 2, encoder.dim)


def test_a_classifier_stays_on_its_device() -> None:
    _, tokenizer = tiny.bert()
    config = transformers.BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=24, max_position_embeddings=32,
    )  # fmt: skip
    model: Any = transformers.BertForSequenceClassification(config)
    with fake_gpu():
        classifier = HuggingFaceClassifier(model.to(DEVICE), tokenizer)
        assert classifier.device == DEVICE
        assert classifier.probabilities(np.zeros((3, 16))).shape == (3, 2)


@pytest.mark.parametrize("name", ["clip", "siglip", "siglip2", "altclip", "blip", "git", "vilt"])
def test_a_vision_language_model_stays_on_its_device(name: str) -> None:
    from PIL import Image

    model, processor = tiny_vision_language.build(name)
    images = [Image.new("RGB", (32, 32), color) for color in ("red", "blue")]
    asked = (images, ["helper", "expert"])
    expected = VisionLanguageModel.of(model, processor).answers(*asked).log_scores
    with fake_gpu():
        vlm = VisionLanguageModel.of(model.to(DEVICE), processor)
        assert vlm.device == DEVICE
        np.testing.assert_allclose(vlm.answers(*asked).log_scores, expected, atol=1e-3)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in ("llava", "qwen2_vl") else pytest.mark.validate)
        for name in tiny_picture_chats.MODELS
    ],
)
def test_a_chat_model_of_pictures_stays_on_its_device(name: str) -> None:
    from PIL import Image

    model, processor = tiny_picture_chats.build(name)
    asked = ([Image.new("RGB", (32, 32), color) for color in ("red", "blue")], ["nurse", "doctor"])
    expected = VisionLanguageModel.of(model, processor).answers(*asked).log_scores
    with fake_gpu():
        vlm = VisionLanguageModel.of(model.to(DEVICE), processor)
        np.testing.assert_allclose(vlm.answers(*asked).log_scores, expected, atol=1e-3)


def test_models_that_write_stay_on_their_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from PIL import Image

    # Every further token is written by the same operations.
    monkeypatch.setattr(CaptionModel, "_room", lambda *_: 4)
    monkeypatch.setattr(TranslationModel, "_longest_answer", 4)

    model, processor = tiny_vision_language.build("git")
    image = Image.new("RGB", (32, 32), "red")
    captions = CaptionModel(model, processor)
    translator: Any = bl.load(tiny_translation.marian(tmp_path / "marian"), kind="translation")
    pair = next(iter(translator.languages))
    written = captions.caption(image), translator.translate(["a nurse", "he is"], *pair)
    with fake_gpu():
        model.to(DEVICE)
        translator.model.to(DEVICE)
        again = captions.caption(image), translator.translate(["a nurse", "he is"], *pair)
    assert again == written


def test_a_language_model_decides_on_its_device() -> None:
    decider = LanguageModelDecider(bl.load("clerk-lm", device="cpu"))
    case = bl.cases.get("hire-by-name")
    question = case.ask(case.groups[0].cues[0], 6)
    [expected] = decider.decide([question], JobContext())
    with fake_gpu():
        decider.lm.model.to(DEVICE)
        [reply] = decider.decide([question], JobContext())
    np.testing.assert_allclose(reply.probabilities, expected.probabilities, atol=1e-4)
