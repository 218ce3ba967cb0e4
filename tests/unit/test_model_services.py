"""Models on this machine as services: translations, labels of texts, captions of pictures."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Pictures

import biaslab as bl
from biaslab.cli import main
from biaslab.errors import (
    ServiceAnswerError,
    ServicePairError,
    ServiceSetupError,
    SubjectError,
    UnknownSubjectError,
)
from biaslab.images.image import Image, open_image
from biaslab.images.opening import png
from biaslab.probes.rating import Attribute, RatingDesign, Template
from biaslab.probes.rating.experiment_executor import execute
from biaslab.services import (
    CaptionService,
    ClassifierService,
    Composite,
    ModelTranslator,
    RoundTrip,
    Service,
    Translator,
)
from biaslab.store import Store
from biaslab.subjects.opening.load import BUNDLED
from harness import tiny_translation, tiny_vision_language
from harness.needs import needs

pytestmark = needs("torch")

TEXTS = ["She is a nurse.", "He is a plumber. They are teachers.", "It is a doctor."]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    pytest.importorskip("sentencepiece", reason="needs the extra services")
    here = tmp_path_factory.mktemp("models")
    return {
        "way": tiny_translation.marian(here / "way", "en", "es"),
        "back": tiny_translation.marian(here / "back", "es", "en", seed=1),
        "nllb": tiny_translation.nllb(here / "nllb"),
    }


@cache
def opened(folder: Path) -> tuple[Any, Any]:
    import transformers

    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    return model, transformers.AutoTokenizer.from_pretrained(folder)


def by_hand(folder: Path, text: str, **options: Any) -> str:
    """What transformers gives for one text."""
    import torch

    model, tokenizer = opened(folder)
    source = options.pop("source", None)
    if source:
        tokenizer.src_lang = source
        first = options.pop("target")
        options["forced_bos_token_id"] = tokenizer.convert_tokens_to_ids(first)
    with torch.inference_mode():
        out = model.generate(
            **tokenizer([text], return_tensors="pt"), max_new_tokens=31, max_length=None, **options
        )
    return str(tokenizer.decode(out[0], skip_special_tokens=True)).strip()


def test_two_marian_models_make_a_round_trip(folders: dict[str, Path], tmp_path: Path) -> None:
    translator = ModelTranslator(folders["way"], folders["back"], device="cpu")
    assert isinstance(translator, Translator)
    assert translator.pairs() == {("en", "es"), ("es", "en")}
    middle = translator.translate(TEXTS, "en", "es")
    assert middle == [by_hand(folders["way"], text) for text in TEXTS]
    assert len(set(middle)) > 1
    chain = RoundTrip(translator, "spa")
    identities = [step.identity for step in chain.steps]
    assert len(set(identities)) == 2
    again = RoundTrip(ModelTranslator(folders["way"], folders["back"], device="cpu"), "es")
    assert [step.identity for step in again.steps] == identities
    assert execute(chain, TEXTS, store=Store(tmp_path)).calls >= 1


def test_the_command_line_rates_translation_models(
    folders: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    where = f"models:{folders['way']},{folders['back']}"
    assert main(["probe", "rate", where, "--plan"]) == 0
    assert capsys.readouterr().out.startswith("Spanish: ")
    assert main(["probe", "rate", f"models:{folders['way'].parent}", "--plan"]) != 0
    assert "no config.json" in capsys.readouterr().err


def test_a_model_of_many_languages_is_told_both(folders: dict[str, Path]) -> None:
    translator = ModelTranslator(folders["nllb"], device="cpu")
    assert ("hi", "fr") in translator.pairs()
    assert len(translator.pairs()) == 12
    identity = translator.identity_of("en", "es")
    for code, name in [("es", "spa_Latn"), ("hi", "hin_Deva")]:
        expected = [
            by_hand(folders["nllb"], text, source="eng_Latn", target=name) for text in TEXTS
        ]
        assert [translator.translate([text], "en", code)[0] for text in TEXTS] == expected
    fresh = ModelTranslator(folders["nllb"], device="cpu")
    fresh.translate(TEXTS, "fr", "en")
    assert fresh.identity_of("en", "es") == identity


def test_what_a_translation_model_cannot_do_is_said(folders: dict[str, Path]) -> None:
    translator = ModelTranslator(folders["way"], device="cpu")
    with pytest.raises(ServicePairError, match=r"It does not translate from Spanish"):
        RoundTrip(translator, "es")
    with pytest.raises(ServicePairError, match="From English it has es"):
        translator.translate(TEXTS, "en", "fr")
    with pytest.raises(ServiceAnswerError, match="reads 32"):
        translator.translate(["nurse " * 60], "en", "es")
    with pytest.raises(ServiceSetupError, match="at least one"):
        ModelTranslator()
    with pytest.raises(UnknownSubjectError, match=r"no config\.json"):
        ModelTranslator(folders["way"].parent)


def test_a_translation_model_is_loaded_by_kind(folders: dict[str, Path]) -> None:
    model = bl.load(folders["way"], kind="translation", device="cpu")
    assert model.languages == {("en", "es"): "es"}
    assert model.translate([], "en", "es") == []
    with pytest.raises(SubjectError, match="does not translate from es to en"):
        model.translate(TEXTS, "es", "en")
    with pytest.raises(SubjectError, match="cannot be opened as a translation model"):
        bl.load(BUNDLED / "wiki-clm", kind="translation")


def test_a_classifier_answers_with_its_label() -> None:
    sentiment = bl.load("imdb-sentiment")
    service = ClassifierService(sentiment)
    assert isinstance(service, Service)
    texts = ["A wonderful, moving film.", "A boring, terrible mess."]
    assert service.answer(texts) == ["positive", "negative"]
    told = ClassifierService(sentiment, answers={"positive": "He is happy."})
    assert told.answer(texts) == ["He is happy.", "negative"]
    assert told.identity != service.identity
    found = execute(service, [*texts, "qqqq zzzz"], keep=False)
    assert found.outputs == ("positive", "negative", None)
    assert "knows no word" in found.responses[2].failure
    with pytest.raises(ServiceSetupError, match="no label 'neutral'"):
        ClassifierService(sentiment, answers={"neutral": "?"})


def test_a_classifier_is_rated_by_an_attribute_that_its_labels_say() -> None:
    words = {"Good": ["wonderful", "positive"], "Bad": ["terrible", "negative"]}
    film = Template("film", ("The film about the {term} was {value}.",))
    design = RatingDesign.make(
        Attribute.of_words("mood", words), template=film, sentences=1, texts=40
    )
    assert design.all_texts[0].startswith("The film about the ")
    service = ClassifierService(bl.load("imdb-sentiment"))
    follows = bl.rate(service, design, keep=False)
    assert follows.output_counts().tolist() == [[20, 20, 0], [36, 4, 0], [4, 36, 0]]
    assert follows.rating().corrected == "DSBS"
    flatters = ClassifierService(service.classifier, answers={"negative": "positive"})
    assert bl.rate(flatters, design, keep=False).rating().corrected == "BS"


def test_a_classifier_of_hugging_face_reads_whole_texts() -> None:
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    tokenizer = tiny_vision_language.word_pieces()
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, max_position_embeddings=40, id2label={0: "down", 1: "up"},
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        model = BertForSequenceClassification(config).eval()
    service = ClassifierService(bl.subjects.HuggingFaceClassifier(model, tokenizer, name="tiny"))
    texts = ["a nurse at work.", "man"]
    with torch.inference_mode():
        expected = [
            torch.softmax(
                model(**tokenizer([t], return_tensors="pt")).logits[0].double(), 0
            ).numpy()
            for t in texts
        ]
    np.testing.assert_allclose(service.probabilities(texts), expected, atol=1e-6)
    with pytest.raises(ServiceAnswerError, match="more tokens than tiny reads"):
        service.answer(["nurse " * 60])


@pytest.fixture
def pictures() -> list[Image]:
    return [
        open_image(png(Pictures.new("RGB", (40, 40), colour)), "nurse", name=colour)
        for colour in ("red", "blue", "white")
    ]


def caption_folder(folder: Path, kind: str) -> Path:
    from transformers import BlipForConditionalGeneration

    model, processor = tiny_vision_language.build(kind, seed=2)
    if kind == "blip":
        questions, config = model, model.config
        model = BlipForConditionalGeneration(config)
        model.load_state_dict(questions.state_dict(), strict=False)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


@pytest.mark.parametrize("kind", ["git", "blip"])
def test_picture_caption_sentiment(kind: str, tmp_path: Path, pictures: list[Image]) -> None:
    import torch

    folder = caption_folder(tmp_path / kind, kind)
    captions = CaptionService(folder, pictures, device="cpu")
    assert isinstance(captions, Service)
    assert captions.texts == tuple(image.hash for image in pictures)
    chain = Composite(captions, ClassifierService(bl.load("imdb-sentiment")))
    store = Store(tmp_path / "store")
    found = execute(chain, captions.texts, store=store)
    assert found.steps == (captions.name, "imdb-sentiment")
    with torch.inference_mode():
        pixels = captions.model.processor.image_processor(
            pictures[1].picture(), return_tensors="pt"
        )["pixel_values"]
        tokens = captions.model.model.generate(
            pixel_values=pixels, do_sample=False, max_new_tokens=38, max_length=None
        )
    expected = captions.model.processor.tokenizer.decode(
        tokens[0], skip_special_tokens=True
    ).strip()
    said = found.responses[1].answers[0] if found.responses[1].answers else ""
    assert said == expected
    assert all(output in (None, "positive", "negative") for output in found.outputs)
    again = execute(chain, captions.texts, store=store)
    assert again.responses == found.responses
    assert again.from_store == len(pictures) + len(pictures) - found.failed


def test_a_picture_goes_by_its_name_and_a_caption_goes_on_from_a_prompt(
    tmp_path: Path, pictures: list[Image]
) -> None:
    folder = caption_folder(tmp_path / "git", "git")
    names = {"first": pictures[0].hash, "second": pictures[1].hash}
    named = CaptionService(folder, pictures, names=names, prompt="a photo of", device="cpu")
    assert named.texts == ("first", "second")
    answers = named.answer(["first", pictures[0].hash])
    assert answers[0] == answers[1]
    assert answers[0].startswith("a photo of")
    swapped = CaptionService(
        folder, pictures, names={"first": pictures[1].hash}, prompt="a photo of", device="cpu"
    )
    assert swapped.identity != named.identity
    with pytest.raises(ServiceAnswerError, match="no picture 'third'"):
        named.answer(["third"])
    with pytest.raises(ServiceSetupError, match="no picture to"):
        CaptionService(folder, [], device="cpu")
    with pytest.raises(ServiceSetupError, match="'x' is not the name of any of the pictures"):
        CaptionService(folder, pictures, names={"x": "0"}, device="cpu")
