"""Models are built one at a time: transformers patches the whole process while it builds one."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
from biaslab.errors import SubjectError
from biaslab.images import painters
from biaslab.subjects.encoder import sentence as sentence_encoder_files
from biaslab.subjects.pretrained.opening import ModelSource, building, read_weights
from biaslab.subjects.pretrained.options import DEFAULTS
from harness.heavy import torch, transformers
from harness.needs import needs

pytestmark = needs("torch", "transformers")
NAMES = ("wiki-clm", "wiki-mlm", "clerk-lm")


def together(*calls: Any) -> None:
    """Make calls in threads of their own, at the same time."""
    threads = [threading.Thread(target=call) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def is_free() -> bool:
    """Whether another thread could build a model now."""
    found: list[bool] = []

    def build() -> None:
        with building():
            found.append(True)

    thread = threading.Thread(target=build, daemon=True)
    thread.start()
    thread.join(2)
    return bool(found)


def test_models_that_are_opened_at_once_are_whole_and_leave_the_library_as_it_was() -> None:
    def patched() -> list[Any]:
        model = transformers.PreTrainedModel
        return [model.tie_weights, model.init_weights, torch.nn.init.normal_, torch.linspace]

    before, opened = patched(), []
    for _ in range(2):
        together(*(lambda n=name: opened.append(bl.load(n, device="cpu")) for name in NAMES))
    assert patched() == before
    assert len(opened) == 2 * len(NAMES)
    for lm in opened:
        tied = lm.model.get_output_embeddings().weight is lm.model.get_input_embeddings().weight
        assert tied == lm.model.config.tie_word_embeddings


def test_two_threads_do_not_build_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    meeting, met = threading.Barrier(2), list[bool]()

    class Auto:
        @staticmethod
        def from_pretrained(*_: Any, **__: Any) -> tuple[Any, dict[str, Any]]:
            try:
                meeting.wait(0.2)
            except threading.BrokenBarrierError:
                met.append(False)
            else:
                met.append(True)
            return None, {"missing_keys": ()}

    folder = str(Path(bl.__file__).parent / "bundled" / "wiki-clm")
    config = transformers.AutoConfig.from_pretrained(folder)
    monkeypatch.setattr("transformers.AutoModel", Auto)

    def read() -> None:
        read_weights(ModelSource(folder, folder, "encoder"), "AutoModel", config, None)

    together(read, read)
    assert met == [False, False]


def test_weights_of_the_hub_are_there_before_the_model_is_built(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[str] = []
    index = tmp_path / "index.json"

    def cached_file(where: str, name: str, **_: Any) -> str | None:
        asked.append(f"{where} {name} {is_free()}")
        return str(index) if name.endswith("index.json") else None

    def shards(where: str, file: str, **_: Any) -> None:
        asked.append(f"{where} {Path(file).name} {is_free()}")

    class Auto:
        @staticmethod
        def from_pretrained(*_: Any, local_files_only: bool, **__: Any) -> Any:
            if local_files_only:
                raise OSError("not here")
            asked.append("built")
            return None, {"missing_keys": ()}

    monkeypatch.setattr("transformers.utils.hub.cached_file", cached_file)
    monkeypatch.setattr("transformers.utils.hub.get_checkpoint_shard_files", shards)
    monkeypatch.setattr("transformers.AutoModel", Auto)
    read_weights(ModelSource("hf:some/model", "some/model", "encoder"), "AutoModel", None, None)
    assert asked == [
        "some/model model.safetensors True",
        "some/model model.safetensors.index.json True",
        "some/model index.json True",
        "built",
    ]


@needs("sentence_transformers")
def test_sentence_encoders_of_the_hub_are_there_before_they_are_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    open_it = sentence_encoder_files._opened

    def encoder(where: str, **_: Any) -> Any:
        asked.append(f"built {where}")
        return torch.nn.Identity()

    def opened(*arguments: Any) -> Any:
        asked.append("tried")
        if len(asked) == 1:
            raise OSError("not here")
        return open_it(*arguments)

    monkeypatch.setattr(
        "huggingface_hub.snapshot_download", lambda name, **_: asked.append(f"{name} {is_free()}")
    )
    monkeypatch.setattr("sentence_transformers.SentenceTransformer", encoder)
    monkeypatch.setattr(sentence_encoder_files, "_opened", opened)
    monkeypatch.setattr(sentence_encoder_files, "_hub_file", lambda *_, **__: None)
    monkeypatch.setattr(sentence_encoder_files, "fetch_apart", lambda *_: False)
    with pytest.raises(SubjectError, match="no tokenizer"):
        sentence_encoder_files.load_sentence_encoder("hf:some/encoder", options=DEFAULTS)
    assert asked == ["tried", "some/encoder True", "tried", "built some/encoder"]


@needs("diffusers")
def test_painters_of_the_hub_are_there_before_they_are_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    class Pipeline:
        @staticmethod
        def download(where: str, **_: Any) -> None:
            asked.append(f"{where} {is_free()}")

        @staticmethod
        def from_pretrained(where: str, *, local_files_only: bool, **_: Any) -> str:
            if local_files_only:
                raise OSError("not here")
            asked.append(f"built {where}")
            return where

    monkeypatch.setattr("diffusers.DiffusionPipeline", Pipeline)
    painters._opened("some/painter", "hf:some/painter")
    assert asked == ["some/painter True", "built some/painter"]
