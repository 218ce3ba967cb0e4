"""What is loaded of a model: how it was opened, where it lies, and its identity."""

from __future__ import annotations

import hashlib
import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
from biaslab.cli import main
from biaslab.errors import MissingExtraError, SubjectError
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.probes.sentences.scorers import get_scorer
from biaslab.records.provenance import Provenance
from biaslab.subjects import inspect, library, load_shared
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.pretrained.facts import summary_of
from biaslab.subjects.pretrained.files import hash_file
from harness import tiny_language_models as tiny
from harness.heavy import torch, transformers
from harness.needs import needs

pytestmark = [needs("torch", "transformers"), pytest.mark.usefixtures("own_home")]
load: Callable[..., Any] = bl.load
identity: Any = importlib.import_module("biaslab.subjects.pretrained.files")
opening: Any = importlib.import_module("biaslab.subjects.pretrained.opening")
limits: Any = importlib.import_module("biaslab.subjects.pretrained.memory")
PAIR = SentencePair("The woman is a nurse.", "The man is a nurse.")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    torch.manual_seed(0)
    model, tokenizer = tiny.llama()
    where = tmp_path / "tiny-llama"
    model.save_pretrained(where, max_shard_size="20kB")
    tokenizer.save_pretrained(where)
    return where


def _log_odds(lm: LanguageModel) -> float:
    (scores,) = get_scorer(None, lm.kind).score(lm, [PAIR])
    assert scores.log_odds is not None, scores.failure
    return scores.log_odds


def test_what_is_loaded_stands_on_the_subject_and_in_the_result(folder: Path) -> None:
    lm = load(folder, device="cpu", dtype="bfloat16", attention="eager", template="plain")
    facts = lm.model_facts
    assert facts.parameters == sum(p.numel() for p in lm.model.parameters())
    assert facts.memory >= 2 * facts.parameters
    assert (facts.devices, facts.dtype) == (("cpu",), "bfloat16")
    assert (facts.attention, facts.template, facts.quantization) == ("eager", "plain", "")
    assert "computes in bfloat16, attention eager" in facts.summary()
    info = inspect(lm)
    assert info.loaded == facts
    assert "on cpu" in info.summary()
    result = bl.stereotype_score(lm, "biastest-math-arts", keep=False)
    assert result.provenance.loaded["dtype"] == "bfloat16"
    assert result.provenance.loaded["devices"] == ("cpu",)
    again = type(result).from_json(result.to_json())
    assert dict(again.provenance.loaded) == dict(result.provenance.loaded)
    assert summary_of(again.provenance.loaded) == facts.summary()
    assert "attention='eager'" in result.code() or 'attention="eager"' in result.code()


def test_results_of_older_versions_have_no_facts() -> None:
    assert summary_of(Provenance(probe="two_afc", subject="mine").loaded) == ""


def test_options_of_an_own_subject_are_its_own(folder: Path) -> None:
    library.add(folder, "mine", options={"dtype": "bfloat16"})
    assert load("mine").dtype == "bfloat16"
    assert load_shared("mine", device="cpu").dtype == "bfloat16"
    assert load("mine", dtype="float32").dtype == "float32"
    with pytest.raises(SubjectError, match="no option of a model"):
        library.add(folder, "other", options={"color": "red"})
    with pytest.raises(SubjectError, match="is no model of transformers"):
        library.add("wiki-bootstraps", "vectors", options={"dtype": "bfloat16"})


def test_a_split_model_scores_as_a_whole_one(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("accelerate")
    whole = load(folder, kind="clm", device="cpu")
    parts = {"model.embed_tokens": "cpu", "model.layers.0": "disk", "model.layers.1": "cpu"}
    rest = dict.fromkeys(("model.norm", "model.rotary_emb", "lm_head"), "cpu")
    placed = {"device_map": {**parts, **rest}, "offload_folder": str(tmp_path / "offloaded")}
    monkeypatch.setattr(opening, "placement", lambda options, config: (None, placed))
    split = load(folder, kind="clm", device="auto")
    assert split.model_facts.devices == ("cpu", "disk")
    assert split.device == "cpu"
    assert "on cpu and disk" in split.about
    assert _log_odds(split) == pytest.approx(_log_odds(whole), abs=1e-5)
    table = bl.two_afc(split, ["nurse"], [("woman", "man")], observers=1).to_frame()
    assert len(table) == 1


def test_a_model_is_spread_automatically(folder: Path) -> None:
    pytest.importorskip("accelerate")
    lm = load(folder, kind="clm", device="auto")
    assert lm.model_facts.devices[0] == lm.device
    assert _log_odds(lm) == pytest.approx(_log_odds(load(folder, device="cpu")), abs=1e-4)


def test_small_weights_have_one_identity_in_memory_and_in_files(folder: Path) -> None:
    opened = load(folder, device="cpu")
    model, tokenizer = opened.model, opened.tokenizer
    assert opened.content_hash == LanguageModel.of(model, tokenizer, kind="clm").content_hash
    assert opened.model_facts.identity == "values"


@pytest.mark.parametrize("kind", ["clm", "encoder"])
def test_large_weights_are_identified_by_their_files(
    folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_values = load(folder, kind=kind, device="cpu").content_hash
    monkeypatch.setattr(identity, "VALUES_UP_TO", 0)

    def copied(*args: object, **options: object) -> None:
        raise AssertionError("weights were copied")

    monkeypatch.setattr(identity, "hash_weights", copied)
    subject = load(folder, kind=kind, device="cpu")
    first = subject.content_hash
    assert subject.model_facts.identity == "files"
    assert len(first) == 64
    assert first != by_values
    assert load(folder, kind=kind, device="cpu").content_hash == first
    assert load(folder, kind=kind, device="cpu", dtype="bfloat16").content_hash != first
    shard = sorted(folder.glob("model-*.safetensors"))[0]
    content = bytearray(shard.read_bytes())
    content[-1] ^= 1
    shard.write_bytes(content)
    assert load(folder, kind=kind, device="cpu").content_hash != first


def test_a_file_is_read_once_for_its_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "weights.safetensors"
    path.write_bytes(b"weights")
    assert hash_file(path) == hashlib.sha256(b"weights").hexdigest()
    known = hashlib.sha256(b"weights").hexdigest()
    monkeypatch.setattr(hashlib, "sha256", lambda *args: pytest.fail("it was read again"))
    assert hash_file(path) == known


def test_the_cache_of_the_hub_knows_its_hashes(tmp_path: Path) -> None:
    name = "ab" * 32
    (tmp_path / name).write_bytes(b"anything")
    (tmp_path / "model.safetensors").symlink_to(tmp_path / name)
    assert hash_file(tmp_path / "model.safetensors") == name


def test_a_home_that_cannot_be_written_to_costs_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "file" / "home"))
    assert len(hash_file(tmp_path / "file")) == 64


def test_a_rerun_says_when_identities_are_of_two_kinds() -> None:
    changes = importlib.import_module("biaslab.store.rerunning")._changes
    old = Provenance(probe="p", subject="model", subject_hash="a" * 64)
    new = Provenance(
        probe="p", subject="model", subject_hash="b" * 64, loaded={"identity": "files"}
    )
    assert any("whether its content is the same is unknown" in one for one in changes(old, new))
    same_kind = Provenance(probe="p", subject="model", subject_hash="c" * 64)
    assert any("has changed since" in one for one in changes(old, same_kind))


def test_batches_take_a_share_of_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    free = {"cpu": 6_000_000_000, "cuda:0": 40_000_000_000}
    total = 8_000_000_000
    monkeypatch.setattr(limits, "free_memory", lambda device: free[device])
    monkeypatch.setattr(limits, "total_memory", lambda device: total)
    assert limits.batch_memory_mb("cuda:0") == 16384
    # What other programs take changes nothing until memory is short.
    for free["cpu"] in (7_900_000_000, 6_000_000_000, 2_100_000_000):
        assert limits.batch_memory_mb("cpu") == 1024
    free["cpu"] = 2_000_000_000
    assert limits.batch_memory_mb("cpu") == 512
    free["cpu"] = total = 500_000_000_000
    assert limits.batch_memory_mb("cpu") == 2048
    free["cpu"] = 1
    assert limits.batch_memory_mb("cpu") == 64


def test_memory_is_measured_on_this_machine() -> None:
    free, total = limits.free_memory("cpu"), limits.total_memory("cpu")
    assert 0 < free <= total
    assert limits.allowed_memory("cpu") == int(limits.SHARE * total)


def test_a_model_of_images_and_text_opens_as_a_language_model(tmp_path: Path) -> None:
    _, tokenizer = tiny.gpt2()
    text = {
        "vocab_size": len(tokenizer), "hidden_size": 16, "num_hidden_layers": 2, "head_dim": 8,
        "intermediate_size": 24, "num_attention_heads": 2, "num_key_value_heads": 1,
        "max_position_embeddings": 64,
    }  # fmt: skip
    vision = {
        "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 1, "image_size": 32,
        "num_attention_heads": 2, "patch_size": 8,
    }  # fmt: skip
    config = transformers.Gemma3Config(
        text_config=text, vision_config=vision, mm_tokens_per_image=4
    )
    transformers.Gemma3ForConditionalGeneration(config).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    lm = load(tmp_path, kind="clm", device="cpu")
    assert (lm.longest, lm.vocabulary) == (64, len(tokenizer))
    assert lm.takes_mixtures


def test_the_command_line_takes_the_same_options(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    opened = ["--device", "cpu", "--dtype", "bfloat16", "--attention", "eager"]
    main(["subjects", "add", str(folder), "--name", "mine", *opened])
    assert library.own_subjects()["mine"].options == {
        "device": "cpu", "dtype": "bfloat16", "attention": "eager",
    }  # fmt: skip
    capsys.readouterr()
    main(
        ["probe", "sentences", str(folder), "biastest-math-arts", "--chat-template", "plain",
         "--no-keep", "--json", *opened]
    )  # fmt: skip
    loaded = json.loads(capsys.readouterr().out)["provenance"]["loaded"]
    found = {name: loaded[name] for name in ("dtype", "attention", "template")}
    assert found == {"dtype": "bfloat16", "attention": "eager", "template": "plain"}


def test_a_model_without_torch_says_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A served app opens the bundled models at its start, and goes on where it gets this error."""
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'biaslab\[lm\]'"):
        load_shared("portrait-clip", kind="vlm", name="without torch")
