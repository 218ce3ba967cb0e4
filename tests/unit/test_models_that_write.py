"""Models that write translations and captions: how they are opened, and their identity."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import biaslab as bl
from biaslab.asking import opening as own_service
from biaslab.cli import main
from biaslab.errors import SubjectError
from biaslab.probes.rating import open_service
from biaslab.services import ModelTranslator
from biaslab.subjects import inspect, library
from biaslab.subjects.opening.models import open_transformers
from biaslab.subjects.pretrained.options import LoadingOptions
from harness import tiny_translation, tiny_vision_language
from harness.needs import needs
from harness.tiny_parts import save

pytestmark = [needs("torch", "transformers", "sentencepiece"), pytest.mark.usefixtures("own_home")]
load: Callable[..., Any] = bl.load
identity: Any = importlib.import_module("biaslab.subjects.pretrained.files")


@pytest.fixture
def marian(tmp_path: Path) -> Path:
    return tiny_translation.marian(tmp_path / "way")


@pytest.fixture
def captioner(tmp_path: Path) -> Path:
    save(tiny_vision_language.build("git", seed=2), tmp_path / "git")
    return tmp_path / "git"


def _captions(folder: Path, **options: Any) -> Any:
    return open_transformers(folder, "captions", options=LoadingOptions(device="cpu", **options))


def _translations(folder: Path, **options: Any) -> Any:
    return load(folder, kind="translation", device="cpu", **options)


@pytest.mark.parametrize("kind", ["translation", "captions"])
def test_large_weights_are_identified_by_their_files(
    kind: str, marian: Path, captioner: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = marian if kind == "translation" else captioner
    opened = _translations if kind == "translation" else _captions
    small = opened(folder)
    assert small.model_facts.identity == "values"
    by_values = small.content_hash
    monkeypatch.setattr(identity, "VALUES_UP_TO", 0)
    monkeypatch.setattr(
        identity, "hash_weights", lambda *args, **options: pytest.fail("weights were copied")
    )
    large = opened(folder)
    first = large.content_hash
    assert large.model_facts.identity == "files"
    assert first != by_values
    assert opened(folder).content_hash == first
    assert opened(folder, dtype="bfloat16").content_hash != first
    content = bytearray((folder / "model.safetensors").read_bytes())
    content[-1] ^= 1
    (folder / "model.safetensors").write_bytes(content)
    assert opened(folder).content_hash != first


def test_they_write_in_half_precision(marian: Path, captioner: Path) -> None:
    translator = _translations(marian, dtype="bfloat16", attention="eager")
    assert isinstance(translator.translate(["She is a nurse."], "en", "es")[0], str)
    facts = translator.model_facts
    assert (facts.dtype, facts.attention, facts.devices) == ("bfloat16", "eager", ("cpu",))
    assert "half precision (bfloat16)" in translator.about
    assert inspect(translator).loaded == facts
    captions = _captions(captioner, dtype="bfloat16")
    assert isinstance(captions.caption(Image.new("RGB", (32, 32), "red")), str)
    assert captions.model_facts.dtype == "bfloat16"


def test_options_that_they_cannot_take_are_refused(marian: Path, captioner: Path) -> None:
    for opened, folder in ((_translations, marian), (_captions, captioner)):
        with pytest.raises(SubjectError, match="takes no template"):
            opened(folder, template="chat")
        with pytest.raises(SubjectError, match=r"is a folder, and only models on the hub"):
            opened(folder, revision="main")
        with pytest.raises(SubjectError, match="needs an NVIDIA GPU"):
            opened(folder, quantize="4bit")
        with pytest.raises(SubjectError, match="a model computes in"):
            opened(folder, dtype="int8")
    with pytest.raises(SubjectError, match=r"'tpu:0' cannot be used"):
        load(marian, kind="translation", device="tpu:0")


def test_what_a_caption_model_lacks_is_named(captioner: Path) -> None:
    weights = captioner / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[:-100])
    with pytest.raises(SubjectError, match=r"model\.safetensors"):
        _captions(captioner)
    weights.write_bytes(whole)
    for name in ("preprocessor_config.json", "processor_config.json"):
        (captioner / name).unlink(missing_ok=True)
    with pytest.raises(SubjectError, match=r"as a caption model: .*preprocessor_config\.json"):
        _captions(captioner)


def test_services_open_translation_models_with_options(
    marian: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = open_service(f"models:{marian}", device="cpu", dtype="bfloat16")
    (model,) = named.models
    assert model.model_facts.dtype == "bfloat16"
    plain = ModelTranslator(marian, device="cpu")
    assert plain.identity_of("en", "es") != named.identity_of("en", "es")
    with pytest.raises(SubjectError, match="faithful takes no dtype"):
        open_service("faithful", dtype="bfloat16")
    library.add(marian, "mine", options={"dtype": "bfloat16", "device": "cpu"})
    (own,) = own_service.open_own("mine").models
    assert own.model_facts.dtype == "bfloat16"
    assert main(["probe", "rate", f"models:{marian}", "--quantize", "4bit", "--plan"]) != 0
    assert "needs an NVIDIA GPU" in capsys.readouterr().err
    assert main(["probe", "rate", "faithful", "--dtype", "bfloat16", "--plan"]) != 0
    assert "faithful takes no dtype" in capsys.readouterr().err
