"""LoRA adapters open with their base, or say why not and how to merge them."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import ArgumentError, MissingExtraError, SubjectError
from biaslab.subjects.language_model.reading import Look
from harness import tiny_language_models as tiny
from harness.heavy import torch
from harness.needs import needs

pytestmark = [needs("torch", "transformers", "peft"), pytest.mark.usefixtures("own_home")]
load: Callable[..., Any] = bl.load
TEXT = "She is a nurse."
SETTINGS = "adapter_config.json"


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A base with its tokenizer, and an adapter on it."""
    import peft

    folder = tmp_path_factory.mktemp("adapter")
    model, tokenizer = tiny.gpt2()
    model.save_pretrained(folder / "base")
    tokenizer.save_pretrained(folder / "base")
    torch.manual_seed(1)
    settings = peft.LoraConfig(
        r=3, lora_alpha=7, target_modules=r".*c_(attn|proj)", task_type="CAUSAL_LM",
        init_lora_weights=False, fan_in_fan_out=True,
    )  # fmt: skip
    adapted = peft.get_peft_model(model, settings)
    adapted.peft_config["default"].base_model_name_or_path = str(folder / "base")
    adapted.save_pretrained(str(folder / "mine"))
    ids = torch.tensor([tokenizer(TEXT)["input_ids"]])
    with torch.no_grad():
        torch.save(adapted.eval()(ids).logits, folder / "expected.pt")
    return folder


@pytest.fixture
def folder(stored: Path, tmp_path: Path) -> Path:
    """A copy of the adapter, to be changed."""
    return Path(shutil.copytree(stored / "mine", tmp_path / "mine"))


def test_it_answers_as_peft_does_and_says_what_it_is(stored: Path) -> None:
    lm = load(stored / "mine", device="cpu")
    with torch.no_grad():
        logits = lm.model(torch.tensor([lm.tokenizer(TEXT)["input_ids"]])).logits
    torch.testing.assert_close(logits, torch.load(stored / "expected.pt"), atol=1e-4, rtol=1e-4)
    assert (lm.name, lm.kind) == ("mine", "clm")
    assert lm.about.startswith("causal language model, LoRA adapter mine on base, ")
    result = bl.stereotype_score(stored / "mine", "biastest-math-arts", keep=False)
    assert result.provenance.loaded["adapter"] == "LoRA adapter mine on base, rank 3"
    info = bl.subjects.inspect(stored / "mine")
    assert (info.kind, info.format) == ("clm", "LoRA adapter mine on base")


def test_its_hash_is_of_both(stored: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from biaslab.subjects.pretrained import files

    for most in (files.VALUES_UP_TO, 0):
        monkeypatch.setattr(files, "VALUES_UP_TO", most)
        hashes = {load(stored / "base", device="cpu").content_hash}
        for alpha in (8, 7):
            change(folder, lora_alpha=alpha)
            hashes.add(load(folder, device="cpu").content_hash)
        assert len(hashes) == 3


def test_models_in_memory_are_opened_with_their_tokenizer(stored: Path) -> None:
    import peft

    base = load(stored / "base", device="cpu")
    adapted = peft.PeftModel.from_pretrained(base.model, str(stored / "mine"))
    with pytest.raises(ArgumentError, match=r"PeftModel.*LanguageModel\.of\(model, tokenizer"):
        load(adapted)
    lm = bl.subjects.LanguageModel.of(adapted, base.tokenizer, kind="clm")
    ids = lm.tokenize(TEXT).ids
    look = Look(ids, np.arange(len(ids) - 1), ids[1:])
    merged = load(stored / "mine", device="cpu")
    np.testing.assert_allclose(lm.read([look])[0], merged.read([look])[0], atol=1e-4)
    assert lm.content_hash != base.content_hash


def change(folder: Path, **values: Any) -> None:
    path = folder / SETTINGS
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"base_model_name_or_path": "/no/such/folder"}, "no folder here and no name of the hub"),
        ({"base_model_name_or_path": "someone/absent"}, "hf:someone/absent cannot be opened"),
        ({"peft_type": "PREFIX_TUNING"}, r"no plain LoRA \(PREFIX_TUNING\)"),
        ({"init_lora_weights": "pissa"}, r"no plain LoRA \(pissa\)"),
        ({"megatron_config": {"a": 1}}, r"no plain LoRA \(megatron_config\)"),
        ({"r": 1_000_000_000}, "at most 3 rows"),
        ({"r": 2}, "does not fit"),
        ({"rank_pattern": {"(a+)+$": 2}}, "is a regular expression"),
        ({"rank_pattern": 5}, "is damaged"),
        ({"lora_alpha": "7"}, "does not fit|damaged"),
        ({"target_modules": "(a+)+$", "exclude_modules": "(a+)+$"}, ""),
    ],
)
def test_settings_that_are_false_or_run_something(
    folder: Path, values: dict[str, Any], reason: str
) -> None:
    change(folder, **values)
    if not reason:  # the names of its matrices count
        assert load(folder, device="cpu").kind == "clm"
        return
    with pytest.raises(SubjectError, match=reason):
        load(folder, device="cpu")


def test_an_adapter_of_another_model_or_only_in_a_pickle(folder: Path, tmp_path: Path) -> None:
    model, tokenizer = tiny.bert()
    model.save_pretrained(tmp_path / "other")
    tokenizer.save_pretrained(tmp_path / "other")
    change(folder, base_model_name_or_path="../other")
    with pytest.raises(SubjectError, match=r"does not fit.*merge_and_unload"):
        load(folder, device="cpu")
    (folder / "adapter_model.safetensors").rename(folder / "adapter_model.bin")
    with pytest.raises(SubjectError, match=r"no adapter_model.safetensors.*may run code"):
        load(folder, device="cpu")


def test_without_peft_it_says_that_it_is_an_adapter(
    stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SubjectError, match="holds an adapter"):
        load(stored / "mine", kind="encoder")
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "peft" else find(name)
    )
    with pytest.raises(MissingExtraError, match=r"is an adapter on .*biaslab\[lm\].*merge_and_unl"):
        load(stored / "mine")
