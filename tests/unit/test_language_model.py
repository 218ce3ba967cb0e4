"""Language models as subjects: opened from what is safe, refused with a reason, shared."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import MissingExtraError, QueryError, SubjectError, UnknownSubjectError
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.probes.sentences.scorers import get_scorer
from biaslab.subjects import bundled_names, load_shared
from biaslab.subjects.language_model import tokens as language_model_tokens
from biaslab.subjects.language_model.acceleration import last_parts, logits_at
from biaslab.subjects.language_model.model import LanguageModel
from harness import tiny_encoders
from harness import tiny_language_models as tiny
from harness.heavy import torch, transformers
from harness.needs import needs
from harness.tiny_parts import save

pytestmark = [needs("torch", "transformers"), pytest.mark.usefixtures("one_thread")]

KINDS = [*((name, "mlm") for name in tiny.MASKED), *((name, "clm") for name in tiny.CAUSAL)]
PAIR = SentencePair("The woman is a nurse.", "The man is a nurse.")


def _build(name: str, folder: Path | None = None) -> tuple[Any, Any]:
    torch.manual_seed(0)
    build: Callable[[], tuple[Any, Any]] = {**tiny.MASKED, **tiny.CAUSAL}[name]
    model, tokenizer = build()
    if folder is not None:
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    return model, tokenizer


def _log_odds(lm: LanguageModel) -> float:
    (scores,) = get_scorer(None, lm.kind).score(lm, [PAIR])
    assert scores.log_odds is not None, scores.failure
    return scores.log_odds


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_a_folder_is_opened_and_known_again(tmp_path: Path, name: str, kind: Any) -> None:
    folder = tmp_path / name
    given = LanguageModel.of(*_build(name, folder), kind=kind)
    found = bl.load(folder, kind=kind, device="cpu")
    assert isinstance(found, bl.subjects.LanguageModel)
    assert found.content_hash == given.content_hash
    assert found.name == name
    assert found.about.endswith("million parameters")
    assert _log_odds(found) == pytest.approx(_log_odds(given), abs=1e-5)


@pytest.mark.parametrize(("name", "kind"), [("bert", "mlm"), ("gpt2", "clm")])
def test_the_kind_of_a_folder_is_found_out(tmp_path: Path, name: str, kind: str) -> None:
    _build(name, tmp_path)
    assert bl.load(tmp_path).kind == kind


def test_a_folder_without_a_head_asks_for_the_kind(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"architectures": ["BertModel"]}')
    with pytest.raises(UnknownSubjectError, match="kind='encoder', 'classifier'"):
        bl.load(tmp_path)


def test_a_folder_is_opened_without_a_progress_bar(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    _build("gpt2", tmp_path)
    capfd.readouterr()
    bl.load(tmp_path, kind="clm", device="cpu")
    assert capfd.readouterr().err == ""
    assert transformers.utils.logging.is_progress_bar_enabled()


def test_biogpt_is_opened_with_its_own_tokenizer(tmp_path: Path) -> None:
    pytest.importorskip("sacremoses")
    save(tiny.biogpt(tmp_path), tmp_path)
    found = bl.load(tmp_path, kind="clm", device="cpu")
    assert type(found.tokenizer).__name__ == "BioGptTokenizer"
    assert len(found.content_hash) == 64
    text = "The engineer isn't there, is she?"
    read = found.tokenize(text)
    words = {text[a:b] for a, b in read.spans[read.own].tolist()}
    assert "'t" in words  # which Moses writes &apos;t
    term = read.within(text.index("engineer"), text.index("engineer") + 8)
    assert "".join(text[a:b] for a, b in read.spans[term].tolist()) == "engineer"


def test_a_model_is_opened_once_and_shared(tmp_path: Path) -> None:
    _build("bert", tmp_path)
    shared = load_shared(tmp_path, kind="mlm", device="cpu")
    assert load_shared(tmp_path, kind="mlm", device="cpu") is shared


def test_other_weights_kinds_and_tokens_have_another_hash() -> None:
    model, tokenizer = _build("gpt2")
    one = LanguageModel.of(model, tokenizer, kind="clm").content_hash
    torch.manual_seed(1)
    assert LanguageModel.of(*tiny.gpt2(), kind="clm").content_hash != one
    tokenizer.eos_token = tokenizer.bos_token = None
    assert LanguageModel.of(model, tokenizer, kind="clm").content_hash != one


def test_pickled_weights_are_refused(tmp_path: Path) -> None:
    model, _ = _build("bert", tmp_path)
    (tmp_path / "model.safetensors").unlink()
    torch.save(model.state_dict(), tmp_path / "pytorch_model.bin")
    with pytest.raises(SubjectError, match=r"cannot be opened.*pytorch_model\.bin.*runs code"):
        bl.load(tmp_path, kind="mlm")


def test_code_that_comes_with_a_model_is_not_run(tmp_path: Path) -> None:
    _build("bert", tmp_path)
    ran = tmp_path / "ran"
    (tmp_path / "code.py").write_text(f"import pathlib\npathlib.Path({str(ran)!r}).touch()\n")
    config = json.loads((tmp_path / "config.json").read_text())
    config["model_type"] = "of-its-own"
    config["auto_map"] = {"AutoConfig": "code.Config", "AutoModelForMaskedLM": "code.Model"}
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "model.safetensors").unlink()  # it is refused before they are looked for
    with pytest.raises(SubjectError, match=r"needs code that comes with it.*openai:MODEL@http"):
        bl.load(tmp_path, kind="mlm")
    assert not ran.exists()


def test_an_untrained_head_is_refused(tmp_path: Path) -> None:
    save(tiny_encoders.bert(), tmp_path)
    with pytest.raises(SubjectError, match="would be random"):
        bl.load(tmp_path, kind="mlm")


@pytest.mark.parametrize("name", list(tiny.MASKED))
def test_a_model_that_looks_ahead_is_no_causal_one(name: str) -> None:
    with pytest.raises(SubjectError, match=r"looks ahead.*kind='mlm'"):
        LanguageModel.of(*_build(name), kind="clm")


def test_what_is_no_language_model_is_refused() -> None:
    _, tokenizer = _build("bert")
    config = transformers.T5Config(
        vocab_size=len(tokenizer), d_model=16, d_kv=8, d_ff=24, num_layers=1, num_heads=2,
        pad_token_id=0, decoder_start_token_id=0,
    )  # fmt: skip
    with pytest.raises(SubjectError, match="encoder with a decoder"):
        LanguageModel.of(transformers.T5ForConditionalGeneration(config), tokenizer, kind="mlm")
    with pytest.raises(SubjectError, match="AutoModelForMaskedLM"):
        LanguageModel.of(tiny_encoders.bert()[0], tokenizer, kind="mlm")
    with pytest.raises(SubjectError, match="choose 'mlm'"):
        LanguageModel.of(*_build("bert"), kind="encoder")  # type: ignore[arg-type]


def test_a_tokenizer_of_another_model_is_told() -> None:
    model, _ = _build("bert")
    _, other = _build("roberta")
    lm = LanguageModel.of(model, other, kind="mlm")
    (scores,) = get_scorer("pll", "mlm").score(lm, [PAIR])
    assert "belongs to another" in scores.failure


def test_what_cannot_be_opened_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    with pytest.raises(SubjectError, match="Check the name and the connection"):
        bl.load("hf:nobody/nothing-of-this-name", kind="clm")
    with pytest.raises(SubjectError, match="kind='mlm'"):
        bl.load("hf:nobody/nothing-of-this-name")
    with pytest.raises(SubjectError, match=r"no config\.json"):
        bl.load(tmp_path, kind="mlm")
    with pytest.raises(SubjectError, match="dtype='int8'"):
        bl.load(tmp_path, kind="mlm", dtype="int8")
    _build("bert", tmp_path)
    with pytest.raises(SubjectError, match="cannot be used"):
        bl.load(tmp_path, kind="mlm", device="warp")
    find = importlib.util.find_spec
    without = lambda name, *a: None if name == "transformers" else find(name, *a)  # noqa: E731
    monkeypatch.setattr(importlib.util, "find_spec", without)
    with pytest.raises(MissingExtraError, match=r"biaslab\[lm\]"):
        bl.load(tmp_path, kind="mlm")


def test_half_precision_is_chosen_shown_and_close(tmp_path: Path) -> None:
    _build("llama", tmp_path)
    fine = bl.load(tmp_path, kind="clm", device="cpu")
    rough = bl.load(tmp_path, kind="clm", device="cpu", dtype="bfloat16")
    assert fine.dtype == "float32"
    assert rough.dtype == "bfloat16"
    assert "half precision (bfloat16)" in rough.about
    assert any("bfloat16" in note for note in rough.notes)
    assert _log_odds(rough) == pytest.approx(_log_odds(fine), abs=0.1)


def test_a_bundled_model_is_found_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module("biaslab.subjects.opening.load")
    monkeypatch.setattr(module, "BUNDLED", tmp_path)
    for name, kind in (("wiki-mlm", "modernbert"), ("wiki-clm", "llama")):
        (tmp_path / name).mkdir()
        _build(kind, tmp_path / name)
    assert bundled_names("mlm") == ("wiki-mlm",)
    assert bundled_names("clm") == ("wiki-clm",)
    assert bundled_names() == ("wiki-clm", "wiki-mlm")
    masked, causal = bl.load("wiki-mlm"), bl.load("wiki-clm")
    assert masked.kind == "mlm"
    assert causal.kind == "clm"
    assert "for teaching and tests" in masked.about
    assert bl.load("wiki-clm", kind="clm").content_hash == causal.content_hash
    assert load_shared("wiki-clm", kind="clm") is load_shared("wiki-clm", kind="clm")
    with pytest.raises(SubjectError):
        bl.load("wiki-clm", kind="mlm")


@pytest.mark.parametrize(
    ("name", "positions"),
    [("bert", tiny.POSITIONS), ("roberta", tiny.POSITIONS), ("gpt2", tiny.POSITIONS)],
)
def test_the_longest_text_is_read_and_one_more_is_told(name: str, positions: int) -> None:
    kind: Any = "mlm" if name in tiny.MASKED else "clm"
    lm = LanguageModel.of(*_build(name), kind=kind)
    assert lm.longest == positions
    extra = len(lm.tokenize("a").ids) - 1
    fits, not_fits = "a" + " a" * (positions - extra - 1), "a" + " a" * (positions - extra)
    assert len(lm.tokenize(fits).ids) == positions
    (scores,) = get_scorer(None, kind).score(lm, [SentencePair(fits, "a man")])
    assert scores.failure == ""
    with pytest.raises(QueryError, match=f"{positions + 1} tokens"):
        lm.tokenize(not_fits)
    lm.tokenizer.model_max_length = 12
    short = LanguageModel.of(lm.model, lm.tokenizer, kind=kind)
    with pytest.raises(QueryError, match="at most 12"):
        short.tokenize("a man " * 12)


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_the_last_layer_is_computed_at_the_places_that_are_read(name: str, kind: Any) -> None:
    lm = LanguageModel.of(*_build(name), kind=kind)
    assert lm.takes_out_early
    ids = torch.arange(5, 17).reshape(3, 4)
    shown = torch.ones_like(ids)
    shown[1, 3] = 0
    rows, columns = torch.tensor([0, 1, 1, 2, 2]), torch.tensor([3, 0, 2, 1, 2])
    computed: list[int] = []
    parts = last_parts(lm.model)
    hooks = [
        part.register_forward_hook(
            lambda _, given, __: computed.append(given[0].shape[:-1].numel())
        )
        for part in parts
    ]
    with torch.inference_mode():
        early = logits_at(lm.model, ids, shown, rows, columns, early=True)
        assert set(computed) == {len(rows)}
        for hook in hooks:
            hook.remove()
        plain = lm.model(input_ids=ids, attention_mask=shown).logits[rows, columns]
    np.testing.assert_allclose(early, plain, atol=1e-5)


def test_a_last_layer_that_mixes_places_is_read_after_it() -> None:
    model, tokenizer = _build("bert")
    output = model.base_model.encoder.layer[-1].output
    plain = output.forward
    output.forward = lambda hidden, given: plain(hidden, given + given.mean(dim=1, keepdim=True))
    assert not LanguageModel.of(model, tokenizer, kind="mlm").takes_out_early


def test_a_last_mlp_that_mixes_places_is_computed_everywhere() -> None:
    model, tokenizer = _build("gpt2")
    mlp = model.base_model.h[-1].mlp
    plain = mlp.forward
    mlp.forward = lambda states: plain(states) + states.cumsum(dim=1)
    lm = LanguageModel.of(model, tokenizer, kind="clm")
    assert not lm.takes_out_early


def test_the_cap_must_be_a_size() -> None:
    lm = LanguageModel.of(*_build("gpt2"), kind="clm")
    with pytest.raises(QueryError, match="memory_mb=0"):
        get_scorer(None, "clm").score(lm, [PAIR], memory_mb=0)
    with pytest.raises(SubjectError, match="memory_mb=-1"):
        lm.read([], memory_mb=-1)


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_tokens_stand_where_they_are_written(name: str, kind: Any) -> None:
    lm = LanguageModel.of(*_build(name), kind=kind)
    text = "The old engineer isn't here, she said."
    read = lm.tokenize(text)
    covered = np.zeros(len(text), dtype=bool)
    for start, end in read.spans[read.own].tolist():
        # A space is a token where the tokenizer found none for it and the word.
        assert text[start:end].strip() in (text[start:end], "")
        covered[start:end] = True
    assert all(covered[i] for i, c in enumerate(text) if not c.isspace())
    start = text.index("engineer")
    spans = read.spans[read.within(start, start + 8)]
    assert len(spans) >= 1
    assert spans.min() == start
    assert spans.max() == start + 8


@pytest.mark.parametrize(
    ("text", "tokens", "pieces"),
    [
        ("A nurse", ["a</w>", "nur", "se</w>"], ["A", "nur", "se"]),
        ("it isn't", ["it</w>", "isn</w>", "&apos;t</w>"], ["it", "isn", "'t"]),
        ("well-known", ["well</w>", "@-@</w>", "known</w>"], ["well", "-", "known"]),
        ("It's", ["it</w>", "&", "ap", "os;s</w>"], ["It", "'s", "'s", "'s"]),
        ("un-done", ["un@@", "-", "do@@", "ne"], ["un", "-", "do", "ne"]),
        ("The nurse", ["the", "nur", "##se"], ["The", "nur", "se"]),
        ("東 here", ["<unk>", "▁here"], ["東 ", "here"]),
        ("", [], []),
    ],
)
def test_pieces_are_found_in_their_text(text: str, tokens: list[str], pieces: list[str]) -> None:
    spans = language_model_tokens.align(text, tokens)
    assert [text[start:end] for start, end in spans.tolist()] == pieces
