"""Trainers and samplers go through their tensors with a GPU's rules, on a machine without one."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import biaslab as bl
from biaslab.jobs.job import JobContext
from biaslab.probes.association import nuts_engine
from biaslab.probes.association.distance_parameters import Priors
from biaslab.subjects.classifier.base import StimulusMoments
from biaslab_train.clerk.plant import ClerkPlant, read_plant
from biaslab_train.embeddings import glove
from biaslab_train.embeddings.cooccurrence import count
from biaslab_train.embeddings.glove import GloVeSettings
from biaslab_train.language_models.tokens import prepare_tokens
from biaslab_train.portrait_clip.plant import DEFAULT
from biaslab_train.portrait_clip.plant import read_plant as read_clip_plant
from biaslab_train.settings import (
    ClerkSettings,
    LanguageModelSettings,
    PortraitChatSettings,
    PortraitClipSettings,
    SentimentSettings,
)
from harness.corpora import encoded_corpus
from harness.deferred import Deferred
from harness.distance_truth import small_table
from harness.fake_gpu import DEVICE, fake_gpu
from harness.heavy import pyro, torch
from harness.needs import needs

pytestmark = needs("torch", "transformers")

language_model = Deferred("biaslab_train.language_models.training")
clerk = Deferred("biaslab_train.clerk.training")
portrait_clip = Deferred("biaslab_train.portrait_clip.training")
recipes = Deferred("biaslab_train.recipes")
portrait_chat = Deferred("biaslab_train.portrait_chat.training")
sentiment_network = Deferred("biaslab_train.sentiment.network")

LM: dict[str, Any] = {
    "vocabulary": 320, "layers": 1, "width": 16, "heads": 2, "inner": 16,
    "context": 16, "batch": 8, "held_out": 0.1,
}  # fmt: skip
CLIP: dict[str, Any] = {
    "pool": 24, "image": 16, "patch": 8, "layers": 1, "width": 16, "heads": 2, "inner": 16,
    "text_layers": 1, "text_width": 16, "text_heads": 2, "text_inner": 16, "joint": 8, "batch": 12,
}  # fmt: skip


def learns_alike(recipe: Any, budget: int, folder: Path) -> None:
    """Compare what a run on the processor and one on the device have learnt."""
    from safetensors.torch import load_file

    shared: Any = {"data": folder / "data", "threads": 1}
    assert recipes.train(recipe, folder / "here", budget, device="cpu", **shared)
    with fake_gpu():
        assert recipes.train(recipe, folder / "there", budget, device=DEVICE, **shared)
    first, second = (load_file(folder / name / "model.safetensors") for name in ("here", "there"))
    assert first.keys() == second.keys()
    for name, tensor in first.items():
        torch.testing.assert_close(tensor, second[name], atol=2e-2, rtol=0)


@pytest.mark.parametrize("kind", ["clm", "mlm"])
def test_language_models_are_trained_on_their_device(kind: str, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    line = "She is a nurse and taught herself.\nHe is an engineer and taught himself.\n\n"
    corpus.write_text(line * 60, encoding="utf-8")
    settings: Any = {"kind": kind, **LM}
    prepare_tokens(corpus, tmp_path / "data", LanguageModelSettings(**settings))

    recipe = language_model.LanguageModelRecipe(corpus, LanguageModelSettings(**settings))
    learns_alike(recipe, 2 * LM["context"] * LM["batch"], tmp_path)


def test_the_clerk_is_trained_on_its_device(tmp_path: Path) -> None:
    plant = ClerkPlant("loan only", "", (read_plant().case("loan"),))
    settings = ClerkSettings(layers=1, width=16, heads=2, inner=16, batch=16)
    learns_alike(clerk.ClerkRecipe(plant, settings), 32, tmp_path)


def test_models_of_portraits_are_trained_on_their_device(tmp_path: Path) -> None:
    recipe = portrait_clip.PortraitClipRecipe(
        read_clip_plant(DEFAULT), PortraitClipSettings(**CLIP)
    )
    learns_alike(recipe, 2 * CLIP["batch"], tmp_path)


def test_the_chat_model_of_portraits_is_trained_on_its_device(tmp_path: Path) -> None:
    settings = PortraitChatSettings(pool=6, layers=1, width=16, heads=2, inner=16, batch=4)
    recipe = portrait_chat.PortraitChatRecipe(read_clip_plant(DEFAULT), settings)
    learns_alike(recipe, 8, tmp_path)


def test_sentiment_is_trained_on_its_device() -> None:
    rng = np.random.default_rng(0)
    labels = (rng.random(40) > 0.5).astype(np.float32)
    starts = np.arange(0, 401, 10)
    documents = sentiment_network.Documents(rng.integers(0, 30, 400), starts, labels)
    vectors = rng.normal(size=(30, 8)).astype(np.float32)
    settings = SentimentSettings(epochs=2, hidden=4)

    def train(device: str) -> Any:
        return sentiment_network.fit_network(
            documents, np.arange(40), vectors, settings, 0, device=device
        )

    here = train("cpu")
    with fake_gpu():
        there = train(DEVICE)
    assert there.epoch == here.epoch
    np.testing.assert_allclose(there.vectors, here.vectors, atol=1e-3)


@pytest.mark.parametrize("share", [0.0, 2.0], ids=["dense", "sparse"])
def test_word_vectors_are_trained_on_their_device(
    share: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    lines = [rng.integers(0, 20, 20).tolist() for _ in range(20)]
    found = count(encoded_corpus(tmp_path, lines, 20), np.ones(20, np.uint8), 3, tmp_path)
    monkeypatch.setattr(glove, "DENSE_FROM", share)
    settings = GloVeSettings(vector_size=4, epochs=3)
    here = glove.fit(found, settings, (1, 0))
    with fake_gpu():
        there = glove.fit(found, settings, (1, 0), DEVICE)
    np.testing.assert_allclose(there, here, atol=1e-4)


@needs("pyro")
@pytest.mark.parametrize("engine", ["vectorised", "nuts", "exact"])
def test_samplers_stay_on_the_device_of_their_classifier(
    engine: Literal["vectorised", "nuts", "exact"], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    terms = ("good", "bad", "she", "he")
    words = bl.WordEmbedding(terms, rng.standard_normal((len(terms), 4)).astype(np.float32))

    def draws(device: str) -> Any:
        classifier = bl.subjects.SentimentClassifier(
            words, [(np.array([[-1.0, 0, 0, 0], [1.0, 0, 0, 0]]), np.zeros(2))],
            stimuli=StimulusMoments(np.zeros(4), np.eye(4), 100), name="tiny", device=device,
        )  # fmt: skip
        assert classifier.device == device
        warmup: dict[str, Any] = {} if engine == "exact" else {"warmup": 6}
        return bl.sample_posterior(classifier, engine=engine, chains=2, draws=6, rng=1, **warmup)

    here = draws("cpu")
    with fake_gpu():
        there = draws(DEVICE)
    np.testing.assert_allclose(there.draws, here.draws, atol=1e-3)


@needs("pyro", "arviz")
@pytest.mark.parametrize("model", ["pooled", pytest.param("crossed", marks=pytest.mark.validate)])
def test_distance_models_are_drawn_on_the_processor_whatever_the_default_device(
    model: Literal["pooled", "crossed"], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = small_table()
    # Long paths would do the same operations once more.
    short = partial(pyro.infer.NUTS, max_tree_depth=3)
    monkeypatch.setattr("pyro.infer.NUTS", short)

    def draws() -> Any:
        return nuts_engine.run(table, model, Priors(), [20], 1, JobContext(), chains=1, warmup=20)

    (here,), _ = draws()
    with fake_gpu(), torch.device(DEVICE):
        assert torch.zeros(2).device.type == DEVICE
        (there,), _ = draws()
    np.testing.assert_array_equal(there.draws.word, here.draws.word)
