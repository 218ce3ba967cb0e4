"""Vision-language chat models: options by letter against the plain forward pass, in both orders."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import biaslab as bl
from biaslab.errors import QueryError, SubjectError
from biaslab.images import default_images
from biaslab.store import Store
from biaslab.subjects import VisionLanguageModel
from biaslab.subjects.vision_language.questions import (
    LetterAnswers,
    in_order,
    lettered,
    read_lettered,
)
from harness import tiny_picture_chats as tiny
from harness.heavy import torch
from harness.needs import needs

pytestmark = [needs("torch", "transformers"), pytest.mark.usefixtures("one_thread")]

CONCEPTS = ("woman", "man", "nurse")
QUESTIONS = ("What is this person?", "What role is this?")
FAMILIES = tuple(tiny.MODELS)


@pytest.fixture(scope="module")
def models() -> dict[str, VisionLanguageModel]:
    return {name: VisionLanguageModel.of(*tiny.build(name), name=name) for name in FAMILIES}


def pictures(count: int, seed: int = 0) -> list[NDArray[np.uint8]]:
    """Noise with patches of colour, of two sizes."""
    rng = np.random.default_rng(seed)
    found = []
    for i in range(count):
        shape = ((64, 64), (40, 80))[i % 2]
        coarse = rng.integers(0, 256, (4, 4, 3), dtype=np.uint8)
        rows, columns = (np.arange(n) * 4 // n for n in shape)
        found.append(coarse[rows][:, columns])
    return found


def plain(vlm: VisionLanguageModel, image: Any, question: str, order: str) -> NDArray[np.float64]:
    """Log probability of each concept's letter, by transformers' own way of asking one question."""
    from PIL import Image

    options = in_order(CONCEPTS, order)
    text = lettered(question, options)
    picture = {"type": "image", "image": Image.fromarray(image)}
    message = {"role": "user", "content": [picture, {"type": "text", "text": text}]}
    inputs = vlm.processor.apply_chat_template(
        [message], add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt"
    )
    with torch.inference_mode():
        logs = vlm.model(**inputs).logits[0, -1].double().log_softmax(0)
    vocabulary = vlm.tokenizer.get_vocab()
    found = []
    for concept in CONCEPTS:
        letter = "ABC"[options.index(concept)]
        ways = [vocabulary[form] for form in (letter, f"Ġ{letter}") if form in vocabulary]
        found.append(float(logs[ways].logsumexp(0)))
    return np.array(found)


@pytest.mark.parametrize("name", FAMILIES)
def test_letters_are_those_of_the_plain_forward_pass(
    models: dict[str, VisionLanguageModel], name: str
) -> None:
    vlm, images = models[name], pictures(4)
    found = vlm.answers(images, CONCEPTS, QUESTIONS)
    assert found.letters is not None
    wanted = np.array(
        [
            [[plain(vlm, image, q, order) for order in ("given", "reversed")] for q in QUESTIONS]
            for image in images
        ]
    )
    np.testing.assert_allclose(found.letters.log_probabilities, wanted, atol=5e-4, rtol=1e-4)
    # The picture, the question and the order matter, so that the comparison says something.
    for axis in (0, 1, 2):
        assert np.ptp(wanted, axis=axis).max() > 1e-3
    shares = wanted - np.log(np.exp(wanted).sum(axis=-1, keepdims=True))
    np.testing.assert_allclose(found.log_scores, shares.mean(axis=2), atol=1e-3)
    np.testing.assert_allclose(found.probabilities.sum(axis=-1), 1.0, atol=1e-12)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_saved_folder_opens_by_its_path_alone(
    models: dict[str, VisionLanguageModel], name: str, tmp_path: Path
) -> None:
    vlm = models[name]
    tiny.save(vlm.model, vlm.processor, tmp_path)
    opened = bl.load(tmp_path, device="cpu")
    assert isinstance(opened, VisionLanguageModel)
    assert (opened.kind, opened.takes_questions, opened.takes_captions) == (
        "picture-chat",
        True,
        False,
    )
    image = pictures(1)
    np.testing.assert_allclose(
        opened.answers(image, CONCEPTS).log_scores, vlm.answers(image, CONCEPTS).log_scores,
        atol=1e-5,
    )  # fmt: skip
    assert opened.content_hash == vlm.content_hash


def test_an_answer_is_the_same_alone_and_in_any_company() -> None:
    vlm = VisionLanguageModel.of(*tiny.build("llava_next"), name="llava_next")
    images = pictures(4)
    together = vlm.answers(images, CONCEPTS).log_scores
    vlm.forget_pictures()
    for i in (3, 0):
        alone = vlm.answers([images[i]], CONCEPTS).log_scores[0]
        np.testing.assert_allclose(alone, together[i], atol=1e-5)


def test_other_options_are_another_question_and_the_same_ones_cost_nothing(tmp_path: Path) -> None:
    vlm = VisionLanguageModel.of(*tiny.build("llava"), name="llava")
    looks: list[int] = []
    forward = vlm.model.forward

    def counted(*args: Any, **kwargs: Any) -> Any:
        looks.append(1)
        return forward(*args, **kwargs)

    vlm.model.forward = counted
    store, images = Store(tmp_path), pictures(2)
    two = vlm.answers(images, CONCEPTS[:2], store=store)
    asked = len(looks)
    assert asked > 0
    vlm.answers(images, CONCEPTS[:2], store=store)
    vlm.forget_pictures()  # what is in the store alone is found too
    again = vlm.answers(images, CONCEPTS[:2], store=store)
    assert len(looks) == asked
    np.testing.assert_array_equal(two.log_scores, again.log_scores)
    three = vlm.answers(images, CONCEPTS, store=store)
    assert len(looks) == 2 * asked
    odds = [a.log_scores[..., 0] - a.log_scores[..., 1] for a in (two, three)]
    assert abs(odds[0] - odds[1]).max() > 1e-3


def test_an_effect_of_the_order_is_estimated_and_leaves_the_scores_alone() -> None:
    rng = np.random.default_rng(1)
    for count in (2, 3, 6):
        apt = rng.normal(size=(7, 2, count))
        places = np.linspace(0.5, -0.5, count)
        raw = np.stack([apt + 0.8 * places, apt - 0.8 * places], axis=2)
        shares = raw - np.log(np.exp(raw).sum(axis=-1, keepdims=True))
        letters = LetterAnswers(shares + math.log(0.9))
        np.testing.assert_allclose(letters.position, 0.8)
        np.testing.assert_allclose(letters.mass, 0.9)
        odds = letters.log_scores - letters.log_scores[..., :1]
        np.testing.assert_allclose(odds, apt - apt[..., :1], atol=1e-12)


def test_drawn_replies_are_averaged_as_shares() -> None:
    with np.errstate(divide="ignore"):
        logs = np.log(np.array([[[[0.9, 0.1], [1.0, 0.0]]]]))
    letters = LetterAnswers(logs, draws=10)
    np.testing.assert_allclose(np.exp(letters.log_scores), [[[0.95, 0.05]]])
    assert np.isfinite(letters.position).all()


def test_a_lettered_question_reads_back() -> None:
    text = lettered("Who is this?\nLook closely.", ["a nurse", "B) odd"])
    assert read_lettered(text) == ("Who is this?\nLook closely.", ("a nurse", "B) odd"))
    assert read_lettered("Who is this?") is None


def test_what_cannot_be_asked_says_what_to_do() -> None:
    vlm = VisionLanguageModel.of(*tiny.build("llava"), name="llava")
    image = pictures(1)
    assert vlm.resolve(["two\nlines", " ", "nurse"]).known == ("nurse",)
    with pytest.raises(QueryError, match="takes 2 to 26 options, and there are 27"):
        vlm.answers(image, [f"word {i}" for i in range(27)])
    with pytest.raises(QueryError, match="answers questions"):
        vlm.answers(image, CONCEPTS, ["a photo of a {concept}"])
    vlm.family.longest = 12  # type: ignore[attr-defined]
    with pytest.raises(QueryError, match=r"64 x 64 pixels .* reads at most 12\. Give smaller"):
        vlm.answers(image, CONCEPTS)


def test_a_letter_of_several_tokens_is_refused_by_name() -> None:
    model, processor = tiny.build("llava")
    vlm = VisionLanguageModel.of(model, processor, name="spelling")
    normal = processor.tokenizer.decode
    processor.tokenizer.decode = lambda ids, *a, **k: normal(ids, *a, **k).replace("B", "b")
    with pytest.raises(QueryError, match="spelling writes the letter 'B', by which 'man' would"):
        vlm.answers(pictures(1), ["woman", "man"])


def test_a_model_without_a_chat_template_is_refused() -> None:
    model, processor = tiny.build("llava")
    processor.chat_template = processor.tokenizer.chat_template = None
    with pytest.raises(SubjectError, match="bare has no chat template"):
        VisionLanguageModel.of(model, processor, name="bare")
    processor.chat_template = "{{ messages[0]['role'] }}"
    with pytest.raises(SubjectError, match="no place for a picture: '<image>'"):
        VisionLanguageModel.of(model, processor, name="blind")
    processor.chat_template = "{{ raise_exception('no users here') }}"
    with pytest.raises(SubjectError, match="cannot be filled in with a picture: no users here"):
        VisionLanguageModel.of(model, processor, name="strict")


def test_memory_that_runs_out_halves_the_batch_and_loses_nothing() -> None:
    vlm = VisionLanguageModel.of(*tiny.build("llava"), name="llava")
    images = [picture for picture in pictures(12) if picture.shape[0] == 64]
    wanted = vlm.answers(images, CONCEPTS).log_scores
    vlm.forget_pictures()
    forward = vlm.model.forward

    def small(*args: Any, **kwargs: Any) -> Any:
        if len(kwargs["input_ids"]) > 2:
            raise torch.OutOfMemoryError("too many")
        return forward(*args, **kwargs)

    vlm.model.forward = small
    np.testing.assert_allclose(vlm.answers(images, CONCEPTS).log_scores, wanted, atol=1e-5)


def test_both_probes_say_how_much_the_order_matters() -> None:
    vlm = VisionLanguageModel.of(*tiny.build("llava"), name="llava")
    spec = bl.specs.get("images-neighbours-visitors")
    found = bl.image_association(
        vlm, spec, default_images(spec, per_term=1, size=32), keep=False, resamples=100,
        permutations=100,
    )  # fmt: skip
    assert found.model_kind == "picture-chat"
    assert found.letters is not None
    assert (found.letters.options, found.letters.questions) == (4, 8 * 3 * 2)
    assert found.notes[0].startswith(("Order of the options", "No clear effect of the order"))
    assert found.letters.below_half == found.letters.questions  # it says anything but letters
    pairs = [("woman", "man"), ("lady", "gentleman")]
    asked = bl.two_afc(vlm, ["nurse"], pairs, levels=3, observers=2)
    assert asked.letters is not None
    assert (asked.letters.options, asked.letters.questions) == (2, 2 * 3 * 2 * 3 * 2)
    # A pair is a question of its own, so that other pairs do not change its answers.
    alone = bl.two_afc(vlm, ["nurse"], pairs[:1], levels=3, observers=2)
    np.testing.assert_allclose(alone.answers[:, :, 0], asked.answers[:, :, 0], atol=1e-6)
    for result in (found, asked):
        assert type(result).from_json(result.to_json()) == result
