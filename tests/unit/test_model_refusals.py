"""Models that cannot be asked are refused before their weights are read, with the reason."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
from biaslab.errors import MissingExtraError, SubjectError, UnknownSubjectError
from biaslab.subjects.opening.inspection import inspect
from biaslab.subjects.pretrained.options import LoadingOptions
from harness import tiny_language_models as tiny
from harness import tiny_vision_language
from harness.heavy import torch, transformers
from harness.needs import needs
from harness.tiny_parts import save

pytestmark = needs("torch", "transformers")
load: Callable[..., Any] = bl.load


@pytest.fixture
def no_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail a test whose model is refused only after its weights were read."""

    def read(*args: object, **options: object) -> None:
        raise AssertionError("weights were read")

    monkeypatch.setattr(transformers.PreTrainedModel, "from_pretrained", read)


def _save(folder: Path, build: Callable[[], tuple[Any, Any]] = tiny.gpt2, **options: Any) -> Path:
    model, tokenizer = build()
    model.save_pretrained(folder, **options)
    tokenizer.save_pretrained(folder)
    return folder


def _configured(folder: Path, values: dict[str, Any]) -> Path:
    """Write the folder of a model whose weights nobody may read."""
    _save(folder)
    (folder / "config.json").write_text(json.dumps(values))
    return folder


@pytest.mark.usefixtures("no_weights")
@pytest.mark.parametrize(
    ("model_type", "kind", "reason"),
    [
        ("t5", "clm", r"encoder with a decoder \(t5\).*kind='encoder'"),
        ("bart", "mlm", r"encoder with a decoder \(bart\)"),
        ("whisper", "clm", r"model of speech \(whisper\).*such as BERT or GPT-2"),
        ("llava", "clm", r"reads images and text \(llava\).*Choose a text model"),
        ("qwen2_vl", "clm", r"reads images and text"),
        ("llama", "mlm", r"no such form of 'llama'. Open it with kind='clm'"),
        ("mamba", "classifier", r"no such form of 'mamba'. Open it with kind='clm'"),
        ("instructblip", "vlm", r"writes text about images \(instructblip\).*BLIP-2.*that server"),
        ("blip-2 of t5", "vlm", r"BLIP-2 with t5.*such as Salesforce/blip2-opt.*CaptionService"),
        ("bert", "vlm", r"is no vision-language model \(bert\)"),
        ("made-up", "clm", r"does not know 'made-up'.*pip install -U transformers"),
    ],
)
def test_a_kind_of_model_that_cannot_be_asked(
    tmp_path: Path, model_type: str, kind: str, reason: str
) -> None:
    model_type, _, text = model_type.partition(" of ")
    values: dict[str, Any] = {"model_type": model_type}
    if text:
        values["text_config"] = {"model_type": text}
    with pytest.raises(SubjectError, match=reason):
        load(_configured(tmp_path, values), kind=kind)


@pytest.mark.usefixtures("no_weights")
def test_a_folder_without_a_tokenizer_or_with_an_empty_one(tmp_path: Path) -> None:
    _save(tmp_path)
    (tmp_path / "tokenizer.json").unlink()
    with pytest.raises(SubjectError, match=r"has no tokenizer.*save_pretrained"):
        load(tmp_path, kind="clm")
    for name in ("vocab.json", "merges.txt"):
        (tmp_path / name).write_text("{}" if name.endswith("json") else "")
    with pytest.raises(SubjectError, match=r"has no tokenizer|tokenizer.*the tokenizer's files"):
        load(tmp_path, kind="clm")


@pytest.mark.usefixtures("no_weights")
def test_a_masked_model_without_a_mask_token(tmp_path: Path) -> None:
    model, tokenizer = tiny.bert()
    tokenizer.mask_token = None
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(SubjectError, match=r"no mask token.*kind='clm'"):
        load(tmp_path, kind="mlm")


def test_a_tokenizer_without_padding_just_works(tmp_path: Path) -> None:
    lm = load(_save(tmp_path), kind="clm", device="cpu")
    assert lm.tokenizer.pad_token is None
    result = bl.stereotype_score(lm, "biastest-math-arts", keep=False)
    assert not result.dropped


@pytest.mark.usefixtures("no_weights")
def test_incomplete_weights(tmp_path: Path) -> None:
    sharded = _save(tmp_path / "sharded", max_shard_size="10kB")
    shards = sorted(sharded.glob("model-*.safetensors"))
    assert len(shards) > 2
    whole = shards[1].read_bytes()
    shards[1].unlink()
    with pytest.raises(SubjectError, match=rf"lacks 1 of {len(shards)} .*{shards[1].name}"):
        load(sharded, kind="clm")
    shards[1].write_bytes(whole[:-8])
    with pytest.raises(SubjectError, match=r"is cut off.*Download it again"):
        load(sharded, kind="clm")
    (sharded / "model.safetensors.index.json").write_text("{")
    with pytest.raises(SubjectError, match=r"index\.json of sharded is damaged"):
        load(sharded, kind="clm")


@pytest.mark.usefixtures("no_weights")
def test_formats_of_other_programs_name_a_server(tmp_path: Path) -> None:
    (tmp_path / "model.ggml").write_bytes(b"tjgg")
    for source in (tmp_path / "model.ggml", "hf:someone/llama-GGUF"):
        with pytest.raises(SubjectError, match=r"GG.*openai:MODEL@http://127\.0\.0\.1:PORT/v1"):
            load(source, kind="clm")
    with pytest.raises(SubjectError, match="GGML"):
        inspect(tmp_path / "model.ggml")
    mlx = _save(tmp_path / "mlx")
    state = transformers.GPT2LMHeadModel(transformers.GPT2Config(n_embd=4, n_head=1, n_layer=1))
    from safetensors.torch import save_file

    tensors = {name: one.clone() for name, one in state.named_parameters()}
    save_file(tensors, mlx / "model.safetensors", metadata={"format": "mlx"})
    with pytest.raises(SubjectError, match=r"MLX.*mlx_lm\.server"):
        load(mlx, kind="clm")


def test_a_vision_language_model_without_a_processor(tmp_path: Path, no_weights: None) -> None:
    save(tiny_vision_language.build("clip"), tmp_path)
    for path in tmp_path.glob("*processor*"):
        path.unlink()
    with pytest.raises(SubjectError, match=r"preprocessor_config\.json"):
        load(tmp_path, kind="vlm")


@pytest.mark.parametrize("name", ["clip", "blip", "vilt"])
def test_a_vision_language_model_without_a_tokenizer(
    tmp_path: Path, no_weights: None, name: str
) -> None:
    """For some of them transformers would make up a tokenizer that knows no word."""
    save(tiny_vision_language.build(name), tmp_path)
    (tmp_path / "tokenizer.json").unlink()
    with pytest.raises(SubjectError, match=r"has no tokenizer.*save_pretrained"):
        load(tmp_path, kind="vlm")


def test_a_name_of_the_hub_whose_download_was_broken_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    cached = tmp_path / "models--someone--model"
    (cached / "refs").mkdir(parents=True)
    (cached / "refs" / "main").write_text("a" * 40)
    snapshot = _save(cached / "snapshots" / ("a" * 40), max_shard_size="10kB")
    options = {"kind": "clm", "device": "cpu"}
    assert load("hf:someone/model", **options).name == "model"
    first, *rest = sorted(snapshot.glob("model-*.safetensors"))
    first.unlink()
    with pytest.raises(
        SubjectError, match=rf"partly downloaded.*1 of {len(rest) + 1} files.*{first.name}"
    ):
        load("hf:someone/model", **options)
    for path in (*rest, snapshot / "model.safetensors.index.json"):
        path.unlink()
    with pytest.raises(SubjectError, match=r"partly downloaded.*none of its weights"):
        load("hf:someone/model", **options)


def test_names_of_the_hub_offline(tmp_path: Path) -> None:
    with pytest.raises(SubjectError, match=r"not in the cache.*revision 'v9'.*name and the conn"):
        load("hf:nobody/nothing", kind="clm", revision="v9")
    with pytest.raises(SubjectError, match=r"is a folder.*Leave it out"):
        load(_save(tmp_path), kind="clm", revision="main")


def test_errors_of_the_hub_in_words() -> None:
    from huggingface_hub import errors

    reason_of = importlib.import_module("biaslab.subjects.pretrained.refusals").reason_of

    def meaning(kind: type[Exception]) -> str:
        made = kind.__new__(kind)
        wrapped = OSError("wrapped")
        wrapped.__cause__ = made
        return str(reason_of(wrapped, "hf:a/b", "v9"))

    assert "no revision 'v9'" in meaning(errors.RevisionNotFoundError)
    assert "accept its licence" in meaning(errors.GatedRepoError)
    assert "no model 'a/b'" in meaning(errors.RepositoryNotFoundError)
    assert reason_of(OSError("disk"), "hf:a/b", None) is None


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"quantize": "3bit"}, "choose one of 4bit, 8bit"),
        ({"dtype": "int8"}, "a model computes in float32"),
        ({"attention": "fast"}, "choose one of eager"),
        ({"template": "poem"}, "choose one of auto"),
        ({"device": ""}, "write it as text"),
        ({"revision": 3}, "write it as text"),
    ],
)
def test_values_of_options(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(SubjectError, match=reason):
        LoadingOptions(**options)


def test_options_that_a_subject_does_not_have(tmp_path: Path) -> None:
    with pytest.raises(SubjectError, match="masked language model takes no template"):
        load(_save(tmp_path / "bert", tiny.bert), kind="mlm", template="chat")
    with pytest.raises(SubjectError, match="takes no quantize and no revision"):
        load("wiki-bootstraps", quantize="4bit", revision="main")
    with pytest.raises(SubjectError, match="An encoder takes no template"):
        load(tmp_path / "bert", kind="encoder", template="chat")


def test_quantising_needs_a_gpu_and_its_libraries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_weights: None
) -> None:
    folder = _save(tmp_path)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SubjectError, match=r"needs an NVIDIA GPU, and torch finds none.*bfloat16"):
        load(folder, kind="clm", quantize="4bit")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    with pytest.raises(SubjectError, match=r"device='cpu' is none"):
        load(folder, kind="clm", quantize="4bit", device="cpu")
    find = importlib.util.find_spec
    without = lambda name, *a: None if name == "bitsandbytes" else find(name, *a)  # noqa: E731
    monkeypatch.setattr(importlib.util, "find_spec", without)
    with pytest.raises(MissingExtraError, match=r"biaslab\[large\]"):
        load(folder, kind="clm", quantize="4bit")


def test_a_stored_quantisation_is_not_changed(tmp_path: Path, no_weights: None) -> None:
    folder = _save(tmp_path)
    values = json.loads((folder / "config.json").read_text())
    values["quantization_config"] = {"quant_method": "bitsandbytes", "load_in_4bit": True}
    (folder / "config.json").write_text(json.dumps(values))
    with pytest.raises(SubjectError, match=r"already \(bitsandbytes, 4 bits\): leave out quant"):
        load(folder, kind="clm", quantize="8bit", device="cpu")


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnknownSubjectError, match=r"no config\.json"):
        load(tmp_path / "gone", kind="clm")
