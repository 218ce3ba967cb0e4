"""Classifiers: log p(label | s) as the model means it, bad models told, at any point finite."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import biaslab as bl
from biaslab.errors import EmbeddingFileError, SubjectError, UnknownSubjectError
from biaslab.subjects import load_shared
from biaslab.subjects.classifier.base import CONSTANT_NOTE
from harness import tiny_encoders
from harness.heavy import torch
from harness.tiny_parts import save
from harness.torch_modules import module_of

LABELS = ["negative", "positive"]


def _mlp(dim: int = 4, outputs: int = 1, seed: int = 0) -> torch.nn.Module:
    torch.manual_seed(seed)
    return torch.nn.Sequential(
        torch.nn.Linear(dim, 6), torch.nn.Tanh(), torch.nn.Linear(6, outputs)
    )


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 5), st.integers(0, 1000))
def test_probabilities_of_all_labels_sum_to_one(labels: int, seed: int) -> None:
    names = [f"label {k}" for k in range(labels)]
    found = bl.TorchClassifier(_mlp(outputs=labels, seed=seed), dim=4, labels=names)
    p = found.probabilities(np.random.default_rng(seed).normal(size=(3, 5, 4)) * 3)
    assert p.shape == (3, 5, labels)
    np.testing.assert_allclose(p.sum(axis=-1), 1, atol=1e-6)


@pytest.mark.parametrize("shape", [lambda x: x, lambda x: x[:, 0]])
def test_one_logit_is_that_of_the_second_label(shape: Callable[[torch.Tensor], Any]) -> None:
    module = _mlp()
    wrapped = torch.nn.Sequential(module, module_of(shape))
    found = bl.TorchClassifier(wrapped, dim=4, labels=LABELS)
    points = torch.randn(7, 4)
    expected = module(points)[:, 0]
    torch.testing.assert_close(found.logit(points, "positive"), expected)
    torch.testing.assert_close(found.logit(points, "negative"), -expected)
    torch.testing.assert_close(
        found.log_probability(points, "positive"), torch.nn.functional.logsigmoid(expected)
    )


def test_gradients_are_those_of_finite_differences() -> None:
    module = _mlp(outputs=3).double()
    found = bl.TorchClassifier(module, dim=4, labels=["a", "b", "c"])
    assert found.dtype is torch.float64
    points = torch.randn(2, 3, 4, dtype=torch.float64, requires_grad=True)
    for label in found.labels:
        assert torch.autograd.gradcheck(lambda s, k=label: found.log_probability(s, k), points)
        assert torch.autograd.gradcheck(lambda s, k=label: found.logit(s, k), points)


def test_log_probabilities_stay_finite_where_the_probability_underflows() -> None:
    found = bl.TorchClassifier(module_of(lambda s: 1e6 * s[:, 0]), dim=1, labels=LABELS)
    log_p = found.log_probability(torch.tensor([[-1.0], [1.0]]), "positive")
    assert log_p.tolist() == [-1e6, 0.0]


def test_a_label_it_lacks_is_told_with_those_it_has() -> None:
    found = bl.TorchClassifier(_mlp(), dim=4, labels=["NEGATIVE", "POSITIVE"], name="mine")
    assert found.label_index("positive") == 1
    with pytest.raises(SubjectError, match=r"mine has no label 'joy'.*NEGATIVE, POSITIVE"):
        found.log_probability(torch.zeros(1, 4), "joy")
    both = bl.TorchClassifier(_mlp(), dim=4, labels=["Good", "good"])
    assert both.label_index("good") == 1
    with pytest.raises(SubjectError, match="no label 'GOOD'"):
        both.label_index("GOOD")


def test_a_module_that_returns_nan_is_told_with_the_points() -> None:
    with pytest.raises(SubjectError, match=r"NaN or infinity at 64 of 64 points: point 0 \("):
        bl.TorchClassifier(module_of(lambda s: s[:, 0] * torch.nan), dim=3, labels=LABELS)
    # One that does so only far out is told when it is asked there.
    found = bl.TorchClassifier(module_of(lambda s: (50 - s[:, 0]).sqrt()), dim=2, labels=LABELS)
    points = torch.tensor([[0.0, 1.0], [60.0, 2.0], [1.0, 1.0]])
    with pytest.raises(SubjectError, match=r"1 of 3 points: point 1 \(60, 2\).*narrower prior"):
        found.log_probability(points, "positive")


def test_a_point_that_is_not_finite_has_log_probability_minus_infinity() -> None:
    found = bl.TorchClassifier(_mlp(), dim=4, labels=LABELS)
    points = torch.zeros(3, 4)
    points[1, 2] = torch.nan
    points[2, 0] = torch.inf
    log_p = found.log_probability(points, "positive")
    assert torch.isfinite(log_p[0])
    assert log_p[1:].tolist() == [-torch.inf, -torch.inf]


def test_a_constant_classifier_is_noted() -> None:
    found = bl.TorchClassifier(module_of(lambda s: 0 * s[:, 0] + 2), dim=3, labels=LABELS)
    assert len(found.notes) == 1
    assert found.notes[0].startswith(CONSTANT_NOTE)
    assert "positive 0.881" in found.notes[0]
    assert not bl.TorchClassifier(_mlp(), dim=4, labels=LABELS).notes


@pytest.mark.parametrize(
    ("make", "options", "says"),
    [
        (lambda: _mlp(3), {"dim": 4}, "cannot take points of shape"),
        (lambda: _mlp(4, 3), {"dim": 4}, r"\(64, 3\).*one logit per label"),
        (lambda: module_of(lambda s: {"logits": s}), {"dim": 4}, "answers with a dict"),
        (_mlp, {"dim": 4, "labels": ["positive"]}, "at least two labels"),
        (_mlp, {"dim": 4, "labels": ["a", "a"]}, "each once"),
        (_mlp, {"dim": 0}, "needs at least one dimension"),
    ],
)
def test_what_is_no_classifier_is_told(
    make: Callable[[], torch.nn.Module], options: dict[str, Any], says: str
) -> None:
    with pytest.raises(SubjectError, match=says):
        bl.TorchClassifier(make(), **{"labels": LABELS, **options})


def test_points_of_other_dimensions_are_told() -> None:
    found = bl.TorchClassifier(_mlp(), dim=4, labels=LABELS)
    with pytest.raises(SubjectError, match="its 4 dimensions"):
        found.log_probabilities(torch.zeros(2, 5))


def test_words_and_moments_must_be_of_its_dimensions() -> None:
    words = bl.WordEmbedding(["a", "b"], np.eye(2, 3, dtype=np.float32))
    with pytest.raises(SubjectError, match="words have 3 dimensions"):
        bl.TorchClassifier(_mlp(), dim=4, labels=LABELS, words=words)
    moments = bl.subjects.StimulusMoments.of(np.random.default_rng(0).normal(size=(9, 3)))
    with pytest.raises(SubjectError, match="moments have 3 dimensions"):
        bl.TorchClassifier(_mlp(), dim=4, labels=LABELS, stimuli=moments)


def test_moments_are_numpys_and_need_two_finite_points() -> None:
    points = np.random.default_rng(0).normal(size=(50, 3))
    found = bl.subjects.StimulusMoments.of(points)
    np.testing.assert_allclose(found.mean, points.mean(axis=0))
    np.testing.assert_allclose(found.covariance, np.cov(points.T))
    assert found.n == 50
    with pytest.raises(SubjectError, match="at least two points"):
        bl.subjects.StimulusMoments.of(points[:1])
    with pytest.raises(SubjectError, match="NaN or infinite"):
        bl.subjects.StimulusMoments.of(np.array([[1.0], [np.nan]]))


def test_the_hash_follows_the_parameters() -> None:
    module = _mlp()
    found = bl.TorchClassifier(module, dim=4, labels=LABELS)
    first = found.content_hash
    assert bl.TorchClassifier(_mlp(), dim=4, labels=LABELS).content_hash == first
    with torch.no_grad():
        next(module.parameters()).add_(1)
    assert found.content_hash != first
    assert bl.TorchClassifier(_mlp(), dim=4, labels=["no", "yes"]).content_hash != first


# Hugging Face


def _bert(**options: Any) -> tuple[Any, Any]:
    from transformers import BertForSequenceClassification

    body, tokenizer = tiny_encoders.bert()
    config = body.config
    config.id2label = options.pop("labels", {0: "NEGATIVE", 1: "POSITIVE"})
    config.num_labels = len(config.id2label)
    config.initializer_range = 0.5
    for name, value in options.items():
        setattr(config, name, value)
    torch.manual_seed(3)
    return BertForSequenceClassification(config), tokenizer


def _distilbert() -> tuple[Any, Any]:
    from transformers import DistilBertConfig, DistilBertForSequenceClassification

    _, tokenizer = tiny_encoders.bert()
    torch.manual_seed(3)
    config = DistilBertConfig(
        vocab_size=len(tokenizer), dim=16, n_layers=2, n_heads=2, hidden_dim=24, num_labels=3,
        max_position_embeddings=40, initializer_range=0.5,
    )  # fmt: skip
    return DistilBertForSequenceClassification(config), tokenizer


def _gpt() -> tuple[Any, Any]:
    from transformers import GPT2ForSequenceClassification

    body, tokenizer = tiny_encoders.gpt()
    config = body.config
    config.num_labels, config.pad_token_id, config.initializer_range = 2, 0, 0.5
    torch.manual_seed(3)
    return GPT2ForSequenceClassification(config), tokenizer


@pytest.mark.parametrize("build", [_bert, _distilbert, _gpt])
def test_a_words_embedding_gives_what_the_model_says_of_that_word(
    build: Callable[[], tuple[Any, Any]],
) -> None:
    model, tokenizer = build()
    found = bl.subjects.HuggingFaceClassifier(model, tokenizer, name="tiny")
    words = found.words
    assert words is not None
    assert "person" in words.words
    chosen = ["person", "is", "the"]
    with torch.no_grad():
        expected = [
            torch.softmax(model(**tokenizer(f" {w}", return_tensors="pt")).logits[0], -1)
            for w in chosen
        ]
    p = found.probabilities(words.vectors(chosen)[0])
    np.testing.assert_allclose(p, torch.stack(expected).numpy(), atol=1e-5)
    assert np.ptp(p[:, 0]) > 1e-4  # it does tell these words apart


def test_words_are_whole_ones_only() -> None:
    found = bl.subjects.HuggingFaceClassifier(*_bert())
    assert found.words is not None
    for word in found.words.words:
        assert found.tokenizer.tokenize(word) == [word]
        assert not word.startswith("##")


def test_gradients_reach_the_stimulus_and_many_points_are_split() -> None:
    found = bl.subjects.HuggingFaceClassifier(*_bert())
    points = torch.randn(300, 16, requires_grad=True)
    log_p = found.log_probability(points, "positive")
    (gradient,) = torch.autograd.grad(log_p.sum(), points)
    assert (gradient.abs().sum(dim=1) > 0).all()
    torch.testing.assert_close(found.log_probability(points[297:], "positive"), log_p[297:])
    assert found.log_probabilities(torch.zeros(0, 16)).shape == (0, 2)


def test_a_folder_is_opened_and_shared(tmp_path: Path) -> None:
    model, tokenizer = _bert()
    folder = tmp_path / "model"
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    found = bl.load(folder, kind="classifier", device="cpu")
    assert found.labels == ("NEGATIVE", "POSITIVE")
    assert found.name == "model"
    assert found.content_hash == bl.subjects.HuggingFaceClassifier(model, tokenizer).content_hash
    shared = load_shared(folder, kind="classifier")
    assert load_shared(folder, kind="classifier") is shared
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(SubjectError, match=r"(?s)cannot be opened.*safetensors"):
        bl.load(folder, kind="classifier")


def test_a_model_without_a_trained_classification_layer_is_refused(tmp_path: Path) -> None:
    save(tiny_encoders.bert(), tmp_path)
    with pytest.raises(SubjectError, match="no trained classification layer"):
        bl.load(tmp_path, kind="classifier")


def test_what_a_hugging_face_classifier_cannot_be_is_told() -> None:
    with pytest.raises(SubjectError, match="each label its own probability"):
        bl.subjects.HuggingFaceClassifier(*_bert(problem_type="multi_label_classification"))
    with pytest.raises(SubjectError, match="one number instead of probabilities"):
        bl.subjects.HuggingFaceClassifier(*_bert(labels={0: "score"}))
    unnamed = bl.subjects.HuggingFaceClassifier(*_bert(labels={0: "LABEL_0", 1: "LABEL_1"}))
    assert "does not name its labels" in unnamed.notes[0]
    with pytest.raises(UnknownSubjectError, match="kind='classifier'"):
        bl.load("hf:nobody/nothing")
    with pytest.raises(SubjectError, match="cannot be opened: it is not in the cache"):
        bl.load("hf:nobody/nothing", kind="classifier")


# Sentiment classifiers


def _sentiment(**options: Any) -> bl.subjects.SentimentClassifier:
    rng = np.random.default_rng(0)
    words = ["good", "bad", "film", "don't"]
    vectors = rng.normal(size=(4, 3)).astype(np.float32)
    layers = [
        (rng.normal(size=(5, 3)), rng.normal(size=5)),
        (rng.normal(size=(2, 5)), rng.normal(size=2)),
    ]
    return bl.subjects.SentimentClassifier(bl.WordEmbedding(words, vectors), layers, **options)


def test_a_text_is_the_mean_of_its_known_words_as_often_as_they_occur() -> None:
    found = _sentiment()
    vector = dict(
        zip(found.words.words, found.words.vectors(list(found.words.words))[0], strict=True)
    )
    texts = ["A GOOD, good film!<br />Don\u2019t", "bad 12 bad"]
    np.testing.assert_allclose(
        found.stimulus(texts),
        [(2 * vector["good"] + vector["film"] + vector["don't"]) / 4, vector["bad"]],
        rtol=1e-6,
    )
    np.testing.assert_allclose(found.coverage([*texts, "123"]), [4 / 5, 1, 0])


def test_the_network_is_the_one_that_was_given() -> None:
    found = _sentiment()
    s = np.random.default_rng(1).normal(size=(6, 3))
    (w, b), (v, c) = found.layers
    logits = np.tanh(s @ w.T + b) @ v.T + c
    expected = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found.probabilities(s), expected, atol=1e-6)
    np.testing.assert_allclose(
        found.probability(["good film"]), found.probabilities(found.stimulus(["good film"]))
    )


def test_texts_without_a_known_word_are_named() -> None:
    with pytest.raises(SubjectError, match=r"no word in 2 of 3 texts: text 1 \('xyz'\), text 2"):
        _sentiment().stimulus(["good", "xyz", ""])
    with pytest.raises(TypeError, match="list of texts"):
        _sentiment().probability("good")


def test_a_saved_classifier_opens_as_it_was(tmp_path: Path) -> None:
    moments = bl.subjects.StimulusMoments.of(np.random.default_rng(2).normal(size=(20, 3)))
    made = _sentiment(stimuli=moments, about="a test", notes=("kept",), recipe={"seed": 1})
    folder = made.save(tmp_path / "mine")
    found = bl.load(folder)
    assert isinstance(found, bl.subjects.SentimentClassifier)
    assert (found.name, found.about, found.notes) == ("mine", "a test", ("kept",))
    assert found.recipe == {"seed": 1}
    assert found.stimuli is not None
    np.testing.assert_array_equal(found.stimuli.covariance, moments.covariance)
    assert found.stimuli.n == 20
    # Vectors are rounded to int8, once.
    texts = ["good film", "bad"]
    np.testing.assert_allclose(found.probability(texts), made.probability(texts), atol=0.01)
    assert found.save(tmp_path / "again")
    assert bl.load(tmp_path / "again", kind="classifier").content_hash == found.content_hash
    assert bl.load(folder, kind="embedding").words == found.words.words
    with pytest.raises(SubjectError, match="Leave out dtype"):
        bl.load(folder, dtype="float16")
    assert not {p.suffix for p in folder.iterdir()} & {".pt", ".pkl", ".bin", ".npy"}


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda f: (f / "network.safetensors").unlink(), "lacks network.safetensors"),
        (lambda f: (f / "words.safetensors").write_bytes(b"\x08"), "cut off"),
        (lambda f: (f / "vocabulary.txt").write_text("good\n"), "1\\s+words"),
        (lambda f: (f / "classifier.json").write_text("{"), "damaged"),
        (lambda f: (f / "classifier.json").write_text('{"format": "x"}'), "not the manifest"),
        (
            lambda f: (f / "classifier.json").write_text(
                (f / "classifier.json").read_text().replace('"version": 1', '"version": 9')
            ),
            "Upgrade biaslab",
        ),
    ],
)
def test_a_damaged_folder_is_told(
    damage: Callable[[Path], object], says: str, tmp_path: Path
) -> None:
    folder = _sentiment().save(tmp_path / "mine")
    damage(folder)
    with pytest.raises(EmbeddingFileError, match=says):
        bl.load(folder)


@pytest.mark.parametrize(
    ("layers", "says"),
    [
        ([(np.ones((2, 4)), np.ones(2))], "its input has 3 numbers"),
        ([(np.ones((3, 3)), np.ones(3))], "ends in 3 numbers"),
        ([(np.full((2, 3), np.nan), np.ones(2))], "holds NaN"),
    ],
)
def test_a_network_that_does_not_fit_is_told(layers: list[Any], says: str) -> None:
    words = bl.WordEmbedding(["a"], np.ones((1, 3), dtype=np.float32))
    with pytest.raises(SubjectError, match=says):
        bl.subjects.SentimentClassifier(words, layers)


def test_other_subjects_are_no_classifiers() -> None:
    with pytest.raises(SubjectError, match="holds no classifier"):
        bl.load("wiki-bootstraps", kind="classifier")


def test_a_probe_of_words_asks_for_the_words_of_a_classifier() -> None:
    with pytest.raises(SubjectError, match=r"pass classifier\.words"):
        bl.two_afc(_sentiment(), ["film"], [("bad", "good")])
    assert bl.two_afc(_sentiment().words, ["film"], [("bad", "good")]).to_frame() is not None
