"""Vision-language models as subjects: each kind against the plain forward pass of transformers."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import biaslab as bl
from biaslab.errors import ArgumentError, ImageError, QueryError, SubjectError, UnknownTermError
from biaslab.store import Store
from biaslab.subjects import VisionLanguageModel, bundled_names, load_shared
from biaslab.subjects.vision_language.pictures import as_picture
from biaslab.subjects.vision_language.questions import fill
from harness import tiny_vision_language as tiny
from harness.heavy import torch
from harness.needs import needs
from harness.tiny_parts import save

pytestmark = [needs("torch", "transformers"), pytest.mark.usefixtures("one_thread")]

CONCEPTS = ("helper", "expert", "nurse")
QUESTIONS = ("What is this person?", "What role is this?")
CAPTIONS = ("a portrait of a {concept}", "this person is a {concept} at work")


@pytest.fixture(scope="module")
def models() -> dict[str, VisionLanguageModel]:
    return {name: VisionLanguageModel.of(*tiny.build(name), name=name) for name in tiny.MODELS}


def pictures(count: int, seed: int = 0) -> list[NDArray[np.uint8]]:
    """Noise with patches of colour, of unlike sizes."""
    rng = np.random.default_rng(seed)
    found = []
    for i in range(count):
        shape = ((32, 32), (40, 56), (64, 33), (48, 32))[i % 4]
        coarse = rng.integers(0, 256, (4, 4, 3), dtype=np.uint8)
        rows, columns = (np.arange(n) * 4 // n for n in shape)
        found.append(coarse[rows][:, columns])
    return found


def templates_of(vlm: VisionLanguageModel) -> tuple[str, ...]:
    return CAPTIONS if vlm.takes_captions else QUESTIONS


def plain(vlm: VisionLanguageModel, image: Any, template: str) -> NDArray[np.float64]:
    """Log scores by the model's own forward pass, one picture and one text at a time."""
    from PIL import Image

    model, processor = vlm.model, vlm.processor
    shown = Image.fromarray(image)
    with torch.inference_mode():
        if vlm.kind == "clip":
            texts = [fill(template, c) for c in CONCEPTS]
            padding: dict[str, Any] = {"padding": True}
            if vlm.name == "siglip":
                padding = {"padding": "max_length", "max_length": 12}
            if vlm.name == "siglip2":
                padding = {"images_kwargs": {"max_num_patches": 16, "patch_size": 8}}
            inputs = processor(images=shown, text=texts, return_tensors="pt", **padding)
            logits = model(**inputs).logits_per_image[0].double()
            if vlm.name.startswith("siglip"):
                logits = torch.nn.functional.logsigmoid(logits)
            return np.asarray(logits.numpy())
        if vlm.kind == "vilt":
            logits = model(**processor(shown, template, return_tensors="pt")).logits[0].double()
            columns = [model.config.label2id[c] for c in CONCEPTS]
            return np.asarray(torch.nn.functional.logsigmoid(logits)[columns].numpy())
        pixels = processor(images=shown, return_tensors="pt")["pixel_values"]
        return np.array([_answered(vlm, pixels, template, c) for c in CONCEPTS])


def _answered(vlm: VisionLanguageModel, pixels: Any, template: str, concept: str) -> float:
    model, tokenizer = vlm.model, vlm.tokenizer
    if vlm.kind == "blip":
        question = tokenizer(template, return_tensors="pt")["input_ids"]
        ids = torch.tensor([[5, *tokenizer(concept, add_special_tokens=False)["input_ids"], 3]])
        seen = model.vision_model(pixels)[0]
        read = model.text_encoder(question, encoder_hidden_states=seen)[0]
        logits = model.text_decoder(ids, encoder_hidden_states=read).logits[0].double()
        first = 1
    else:
        begin, asked = ([2], template) if vlm.kind == "git" else (
            [*[model.config.image_token_id] * 4, 1], f"Question: {template} Answer:"
        )  # fmt: skip
        prompt = [] if "{concept}" in template else tokenizer(
            asked, add_special_tokens=False
        )["input_ids"]  # fmt: skip
        rest = fill(template, concept) if "{concept}" in template else concept
        ids = torch.tensor(
            [[begin[-1], *prompt, *tokenizer(rest, add_special_tokens=False)["input_ids"], 3]]
        )
        shown = torch.cat([torch.tensor([begin[:-1]], dtype=torch.int64), ids], dim=1)
        everything = model(input_ids=shown, pixel_values=pixels).logits[0].double()
        logits = everything[-ids.shape[1] :]
        first = 1 + len(prompt)
    log = logits.log_softmax(dim=1)
    return float(sum(log[i - 1, ids[0, i]] for i in range(first, ids.shape[1])))


@pytest.mark.parametrize("name", tiny.MODELS)
def test_scores_are_those_of_the_plain_forward_pass(
    models: dict[str, VisionLanguageModel], name: str
) -> None:
    vlm = models[name]
    images = pictures(5)
    asked = (*CAPTIONS, *QUESTIONS) if name in ("git", "blip2") else templates_of(vlm)
    found = vlm.answers(images, CONCEPTS, asked)
    wanted = np.array([[plain(vlm, image, t) for t in asked] for image in images])
    np.testing.assert_allclose(found.log_scores, wanted, atol=2e-4, rtol=1e-4)
    # The pictures and the texts matter, so that the comparison above says something.
    assert np.ptp(wanted, axis=0).min() > 1e-3
    assert np.ptp(wanted, axis=1).min() > 1e-4


@pytest.mark.parametrize("name", tiny.MODELS)
def test_probabilities_are_over_the_concepts_asked(
    models: dict[str, VisionLanguageModel], name: str
) -> None:
    found = models[name].answers(pictures(3), CONCEPTS)
    np.testing.assert_allclose(found.probabilities.sum(axis=2), 1.0, atol=1e-12)
    raw = np.exp(found.log_scores)
    np.testing.assert_allclose(found.probabilities, raw / raw.sum(axis=2, keepdims=True))
    assert found.templates == models[name].templates
    # Of two of the concepts the odds are the same, whatever else was asked.
    two = models[name].probabilities(pictures(3), CONCEPTS[:2])
    np.testing.assert_allclose(
        two[..., 0] / two[..., 1],
        found.probabilities[..., 0] / found.probabilities[..., 1],
        rtol=1e-3,
    )


@pytest.mark.parametrize("name", tiny.MODELS)
def test_neither_batches_nor_order_nor_repeats_matter(name: str) -> None:
    images = pictures(9)
    built = tiny.build(name)
    whole = VisionLanguageModel.of(*built).answers(images, CONCEPTS).log_scores
    alone = VisionLanguageModel.of(*built).answers(images, CONCEPTS, memory_mb=1e-6).log_scores
    np.testing.assert_allclose(alone, whole, atol=2e-4)
    order = np.random.default_rng(1).permutation(9)
    turned = VisionLanguageModel.of(*built).answers(
        [images[i] for i in (*order, 0)], tuple(reversed(CONCEPTS))
    )
    np.testing.assert_allclose(turned.log_scores[:, :, ::-1], whole[[*order, 0]], atol=2e-4)


# SigLIP 2's processor opens a tokenizer of a class of its own, which the tiny one is not.
@pytest.mark.parametrize("name", [name for name in tiny.MODELS if name != "siglip2"])
def test_a_folder_is_opened_and_known_again(tmp_path: Path, name: str) -> None:
    model, processor = tiny.build(name)
    given = VisionLanguageModel.of(model, processor)
    model.save_pretrained(tmp_path / name)
    processor.save_pretrained(tmp_path / name)
    given.probabilities(pictures(2), CONCEPTS)  # batches that were read leave no trace in the hash
    found = bl.load(tmp_path / name, kind="vlm", device="cpu")
    assert found.content_hash == given.content_hash
    assert found.kind == given.kind
    assert found.name == name
    assert found.about.endswith("million parameters")
    np.testing.assert_allclose(
        found.probabilities(pictures(2), CONCEPTS), given.probabilities(pictures(2), CONCEPTS)
    )
    assert load_shared(tmp_path / name, kind="vlm") is load_shared(tmp_path / name, kind="vlm")


def test_another_model_has_another_hash() -> None:
    one, other = (VisionLanguageModel.of(*tiny.build("clip", seed)) for seed in (0, 1))
    assert one.content_hash != other.content_hash


def test_coarser_numbers_are_said(tmp_path: Path) -> None:
    save(tiny.build("clip"), tmp_path)
    coarse = bl.load(tmp_path, kind="vlm", dtype="bfloat16", device="cpu")
    assert coarse.dtype == "bfloat16"
    assert "rough" in coarse.notes[0]
    exact = bl.load(tmp_path, kind="vlm", device="cpu").probabilities(pictures(2), CONCEPTS)
    np.testing.assert_allclose(coarse.probabilities(pictures(2), CONCEPTS), exact, atol=0.1)
    with pytest.raises(SubjectError, match="a model computes in"):
        bl.load(tmp_path, kind="vlm", dtype="int8")


def test_what_vilt_cannot_answer_is_said_and_never_zero(
    models: dict[str, VisionLanguageModel],
) -> None:
    vilt = models["vilt"]
    found = vilt.answers(pictures(2), ["helper", "leader", "dining room", "experts"])
    assert found.concepts == ("helper", "dining room")
    assert found.probabilities.shape == (2, 3, 2)
    reasons = {u.term: u for u in found.unasked}
    assert "not among the 8 answers" in reasons["leader"].reason
    assert reasons["experts"].suggestions == ("expert",)
    with pytest.raises(UnknownTermError, match="'leader': not among") as caught:
        vilt.probabilities(pictures(2), ["helper", "expert", "leader"])
    assert len(caught.value.unknown) == 1
    with pytest.raises(QueryError, match="needs two to choose from"):
        vilt.answers(pictures(2), ["helper", "leader"])


def test_vilt_leaves_the_stream_of_chance_alone(models: dict[str, VisionLanguageModel]) -> None:
    before = torch.random.get_rng_state()
    models["vilt"].probabilities(pictures(3), CONCEPTS)
    assert torch.equal(before, torch.random.get_rng_state())


def test_words_that_a_tokenizer_does_not_know_are_said(
    models: dict[str, VisionLanguageModel],
) -> None:
    clip = models["clip"]
    sorted_out = clip.resolve(["helper", "plumber", " ", "helper", "man at sea"])
    assert sorted_out.known == ("helper",)
    assert sorted_out.duplicates == ("helper",)
    assert [u.reason for u in sorted_out.unknown] == [
        "the model's tokenizer does not know 'plumber'",
        "empty",
        "the model's tokenizer does not know 'sea'",
    ]
    found = clip.answers(pictures(1), CONCEPTS, ["a {concept} on the ward"])
    assert "does not know every word of 'a {concept} on the ward'" in found.notes[0]


@pytest.mark.parametrize(
    ("name", "concepts", "templates", "told"),
    [
        ("clip", ("helper", "expert", "helper"), None, "listed twice"),
        ("clip", ("helper",), None, "needs two"),
        ("clip", CONCEPTS, ["What is this?"], "must contain {concept}"),
        ("clip", CONCEPTS, ["{concept} {concept}"], "once, such as"),
        ("clip", CONCEPTS, [], "no template"),
        ("clip", CONCEPTS, [" "], "Write a caption"),
        ("clip", CONCEPTS, ["a {concept}", "a {concept}"], "appears twice"),
        ("clip", CONCEPTS, ["the " * 40 + "{concept}"], "at most 24"),
        ("vilt", CONCEPTS, ["a {concept}"], "answers questions"),
        ("vilt", CONCEPTS, ["what is " * 40], "at most 40"),
        ("blip", CONCEPTS, ["what is " * 40], "at most 40"),
        ("git", CONCEPTS, ["what is " * 40], "at most 40"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_advice(
    models: dict[str, VisionLanguageModel],
    name: str,
    concepts: tuple[str, ...],
    templates: Any,
    told: str,
) -> None:
    with pytest.raises(QueryError, match=told):
        models[name].probabilities(pictures(1), concepts, templates)


def test_one_template_is_no_list_of_templates(models: dict[str, VisionLanguageModel]) -> None:
    templates: Any = "a {concept}"
    with pytest.raises(ArgumentError, match="templates is a single string: pass a list"):
        models["clip"].probabilities(pictures(1), CONCEPTS, templates)


@pytest.mark.parametrize("name", tiny.MODELS)
def test_a_text_is_refused_just_where_the_model_ends(
    models: dict[str, VisionLanguageModel], name: str
) -> None:
    vlm = models[name]
    last = "{concept}" if vlm.takes_captions else "person"

    def text(words: int) -> str:
        return " ".join(["the"] * words + [last])

    def count(words: int) -> int:
        return len(vlm.tokenizer(text(words).replace(last, "helper"))["input_ids"])

    most = vlm.family.longest
    words = next(n for n in range(1, 100) if count(n) > most) - 1
    assert count(words) == most
    assert vlm.probabilities(pictures(1), CONCEPTS[:2], [text(words)]).shape == (1, 1, 2)
    with pytest.raises(QueryError, match=f"has {most + 1} tokens.*at most {most}"):
        vlm.probabilities(pictures(1), CONCEPTS[:2], [text(words + 1)])


def test_what_is_no_picture_is_refused(models: dict[str, VisionLanguageModel]) -> None:
    with pytest.raises(QueryError, match="at least one"):
        models["clip"].probabilities([], CONCEPTS)
    with pytest.raises(QueryError, match="open_image"):
        models["clip"].probabilities(["face.png"], CONCEPTS)
    with pytest.raises(QueryError, match="height, width, 3"):
        models["clip"].probabilities([np.zeros((3, 32, 32), np.uint8)], CONCEPTS)
    with pytest.raises(TypeError, match="list of concepts"):
        models["clip"].resolve("helper")


def test_a_pillow_image_is_made_plain_as_a_file_is() -> None:
    from PIL import Image

    from biaslab.images import open_image

    turned = Image.Exif()
    turned[0x0112] = 6
    grey = np.random.default_rng(1).integers(0, 65_536, (40, 48)).astype(np.uint16)
    see_through = Image.fromarray(pictures(1)[0]).convert("RGBA")
    see_through.putalpha(60)
    files = [
        written(pictures(3)[2], "PNG", exif=turned),
        written(Image.fromarray(grey), "PNG"),
        written(see_through, "PNG"),
        written(Image.fromarray(pictures(1)[0]).convert("CMYK"), "TIFF"),
    ]
    for content in files:
        opened = as_picture(Image.open(io.BytesIO(content)))
        assert opened.hash == open_image(content).hash
    frames = [Image.fromarray(one) for one in (pictures(1)[0], pictures(1, seed=1)[0])]
    moving = written(frames[0], "GIF", save_all=True, append_images=frames[1:])
    for bad, told in (
        (moving, "animated"),
        (files[0][:200], "damaged"),
        (written(np.zeros((16, 200, 3), np.uint8), "PNG"), "10 : 1"),
        (written(np.zeros((8, 8, 3), np.uint8), "PNG"), "at least 16 x 16"),
    ):
        with pytest.raises(ImageError, match=told):
            as_picture(Image.open(io.BytesIO(bad)))


def written(image: Any, form: str, **options: Any) -> bytes:
    from PIL import Image

    out = io.BytesIO()
    shown = image if isinstance(image, Image.Image) else Image.fromarray(image)
    shown.save(out, form, **options)
    return out.getvalue()


@pytest.mark.parametrize(
    ("template", "concept", "caption"),
    [
        ("a {concept} at work", "expert", "an expert at work"),
        ("An {concept}", "nurse", "A nurse"),
        ("a {concept}", "honest person", "an honest person"),
        ("a {concept}", "university teacher", "a university teacher"),
        ("a {concept}", "umpire", "an umpire"),
        ("data {concept}", "expert", "data expert"),
        ("the {concept}", "expert", "the expert"),
    ],
)
def test_captions_have_the_article_that_english_wants(
    template: str, concept: str, caption: str
) -> None:
    assert fill(template, concept) == caption


class Counting:
    """An image processor that counts the pictures it is given."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.count = inner, 0

    def __call__(self, images: Any, **options: Any) -> Any:
        self.count += len(images)
        return self.inner(images=images, **options)


def _counted(vlm: VisionLanguageModel) -> Counting:
    vlm.content_hash  # noqa: B018 - it reads the processor's settings
    vlm.image_processor = Counting(vlm.image_processor)
    return vlm.image_processor


def test_an_edit_of_a_concept_looks_at_no_picture_again() -> None:
    vlm = VisionLanguageModel.of(*tiny.build("clip"))
    seen = _counted(vlm)
    images = pictures(6)
    first = vlm.probabilities(images, ["helper", "expert"])
    assert seen.count == 6
    edited = vlm.probabilities(images, ["helper", "nurse"])
    assert seen.count == 6
    assert not np.allclose(first, edited)
    fresh = VisionLanguageModel.of(*tiny.build("clip")).probabilities(images, ["helper", "nurse"])
    np.testing.assert_allclose(edited, fresh, atol=1e-6)
    vlm.probabilities([*images, pictures(7)[6]], ["helper", "nurse"])
    assert seen.count == 7


def test_embeddings_outlive_the_process_in_the_store(tmp_path: Path) -> None:
    store = Store(tmp_path)
    images = pictures(5)
    one = VisionLanguageModel.of(*tiny.build("clip"))
    wanted = one.probabilities(images, CONCEPTS, store=store)
    again = VisionLanguageModel.of(*tiny.build("clip"))
    seen = _counted(again)
    told: list[int] = []
    found = again.probabilities(images, CONCEPTS, store=store, advance=told.append)
    assert seen.count == 0
    assert sum(told) == 5
    np.testing.assert_allclose(found, wanted, atol=1e-6)
    # Another model does not take them for its own.
    other = VisionLanguageModel.of(*tiny.build("clip", seed=1))
    count = _counted(other)
    other.probabilities(images, CONCEPTS, store=store)
    assert count.count == 5


def test_a_reading_that_is_stopped_keeps_what_it_has(tmp_path: Path) -> None:
    class Stopped(Exception):
        pass

    vlm = VisionLanguageModel.of(*tiny.build("clip"))
    seen = _counted(vlm)
    batches = 0

    def between() -> None:
        nonlocal batches
        batches += 1
        if batches > 3:
            raise Stopped

    images = pictures(6)
    store = Store(tmp_path)
    with pytest.raises(Stopped):
        vlm.probabilities(images, CONCEPTS, memory_mb=1e-6, store=store, between=between)
    before = seen.count
    vlm.probabilities(images, CONCEPTS, store=store)
    assert seen.count - before == 3


def test_a_store_that_cannot_be_used_is_said_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "biaslab.sqlite").write_bytes(b"no database" * 100)
    vlm = VisionLanguageModel.of(*tiny.build("clip"))
    found = vlm.answers(pictures(2), CONCEPTS, store=Store(tmp_path))
    assert any("not cached" in note for note in found.notes)
    assert np.isfinite(found.probabilities).all()


def test_the_same_picture_is_looked_at_once_however_it_is_given() -> None:
    from PIL import Image

    vlm = VisionLanguageModel.of(*tiny.build("blip"))
    seen = _counted(vlm)
    array = pictures(1)[0]
    same = [array, Image.fromarray(array), Image.fromarray(array).convert("RGBA")]
    found = vlm.probabilities(same, CONCEPTS)
    assert seen.count == 1
    assert np.ptp(found, axis=0).max() == 0
    assert len({as_picture(one).hash for one in same}) == 1


def test_other_models_and_half_models_are_refused(tmp_path: Path) -> None:
    from transformers import BertConfig, BertForMaskedLM, ViltConfig, ViltForMaskedLM

    small: dict[str, Any] = {
        "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
        "intermediate_size": 16, "vocab_size": 40,
    }  # fmt: skip
    with pytest.raises(SubjectError, match="which is not supported"):
        VisionLanguageModel.of(BertForMaskedLM(BertConfig(**small)), None)
    model, processor = tiny.build("clip")
    with pytest.raises(SubjectError, match="AutoProcessor"):
        VisionLanguageModel.of(model, processor.tokenizer)
    folder = tmp_path / "guesser"
    ViltForMaskedLM(ViltConfig(**small, image_size=16, patch_size=8)).save_pretrained(folder)
    tiny.build("vilt")[1].save_pretrained(folder)
    with pytest.raises(SubjectError, match="would be random"):
        bl.load(folder, kind="vlm")


def test_damaged_weights_are_told(models: dict[str, VisionLanguageModel]) -> None:
    model, processor = tiny.build("vilt")
    with torch.no_grad():
        next(model.parameters()).fill_(float("nan"))
    with pytest.raises(SubjectError, match="not finite"):
        VisionLanguageModel.of(model, processor).probabilities(pictures(1), CONCEPTS)


def test_answers_are_a_record_that_cannot_change(models: dict[str, VisionLanguageModel]) -> None:
    found = models["clip"].answers(pictures(1), CONCEPTS)
    with pytest.raises(ValueError, match="read-only"):
        found.probabilities[0] = 0.0
    assert found == models["clip"].answers(pictures(1), CONCEPTS)


@pytest.mark.skipif("portrait-clip" not in bundled_names(), reason="portrait-clip is not bundled")
def test_the_bundled_model_says_what_portraits_show() -> None:
    vlm = bl.load("portrait-clip")
    assert bundled_names("vlm") == ("portrait-clip",)
    drawn = [
        bl.portraits.draw(bl.portraits.sample_portrait(occupation, seed=seed), 224)
        for occupation in ("nurse", "electrician")
        for seed in range(8)
    ]
    found = vlm.probabilities(drawn, ["nurse", "electrician"], ["a portrait of a {concept}"])
    assert found[:8, 0, 0].mean() > 0.8
    assert found[8:, 0, 1].mean() > 0.8
