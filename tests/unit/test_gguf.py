"""GGUF files: opened as transformers opens them, or refused quickly and in a sentence."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import MissingExtraError, SubjectError
from biaslab.subjects.language_model.reading import Look
from biaslab.subjects.opening import shared
from biaslab.subjects.pretrained import gguf_model
from biaslab.subjects.pretrained.gguf_file import read_gguf
from harness import tiny_gguf
from harness.heavy import torch, transformers
from harness.needs import needs

pytestmark = [needs("torch", "transformers", "gguf", "accelerate"),
              pytest.mark.usefixtures("own_home")]  # fmt: skip
load: Callable[..., Any] = bl.load
TEXT = "she is a nurse, and he isn't."


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gguf")
    return tiny_gguf.write(folder / "tiny-Q4_1.gguf", chat=tiny_gguf.CHAT)


@pytest.fixture(scope="module")
def lm(file: Path) -> Any:
    return load(file, device="cpu")


def compare(lm: Any, path: Path, text: str) -> None:
    """Compare log probabilities with those of transformers' own reading of a file."""
    where = {"gguf_file": path.name, "dtype": "float32"}
    model = transformers.AutoModelForCausalLM.from_pretrained(path.parent, **where)
    tokenizer = transformers.AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    ids = np.array([tokenizer.bos_token_id, *tokenizer(text)["input_ids"]])
    plain = lm.with_template("plain")
    assert plain.tokenize(text).ids.tolist() == ids.tolist()
    places = np.arange(len(ids) - 1)
    with torch.no_grad():
        expected = model(torch.tensor(ids[None])).logits[0].log_softmax(-1)[places, ids[1:]]
    np.testing.assert_allclose(
        plain.read([Look(ids, places, ids[1:])])[0], expected.numpy(), atol=1e-4
    )


def test_it_answers_as_transformers_own_reading_of_it(lm: Any, file: Path) -> None:
    compare(lm, file, TEXT)


@pytest.mark.real
def test_a_real_file_answers_as_transformers_own_reading_of_it(
    real_model: Callable[[str], Path],
) -> None:
    path = real_model("smollm2")
    lm = load(path, device="cpu")
    compare(lm, path, "The nurse said that she's late: 1,024 letters to Zo\u00eb.\n \u6728")
    assert lm.template == "chat"
    assert "GGUF Q4_1" in lm.about


def test_every_probe_of_language_models_asks_it(file: Path) -> None:
    curves = bl.two_afc(file, ["nurse", "engineer"], [("she", "he")])
    assert len(curves.to_frame()) == 2
    names = {"white-sounding names": ["Greg"], "Black-sounding names": ["Jamal"]}
    result = bl.decisions(file, "hire-by-name", cues=names, levels=5, wordings=[1], keep=False)
    assert "GGUF Q4_1" in result.provenance.loaded["quantization"]


def test_it_says_its_quantisation_and_that_it_computes_in_float32(lm: Any, file: Path) -> None:
    says = "GGUF Q4_1, de-quantised to float32"
    assert says in repr(lm)
    assert lm.about.startswith("causal language model in the file tiny-Q4_1.gguf")
    assert says in lm.about
    assert lm.dtype == "float32"
    result = bl.stereotype_score(lm, "biastest-math-arts", keep=False)
    assert says in result.provenance.loaded["quantization"]
    assert not result.dropped
    assert "quantised (GGUF Q4_1" in bl.subjects.inspect(lm).summary()
    info = bl.subjects.inspect(file)
    assert (info.kind, info.format, info.parameters) == ("clm", "GGUF (Q4_1)", 29_024)


def test_it_is_asked_in_its_chat_as_a_folder_is(lm: Any, tmp_path: Path) -> None:
    lm.model.config.quantization_config = None
    transformers.LlamaForCausalLM(lm.model.config).save_pretrained(tmp_path)
    lm.tokenizer.save_pretrained(tmp_path)
    folder = load(tmp_path, kind="clm", device="cpu")
    assert lm.template == "chat"
    assert (lm.template, lm.chat) == (folder.template, folder.chat)
    assert lm.tokenize(TEXT).ids.tolist() == folder.tokenize(TEXT).ids.tolist()


def test_it_opens_without_the_words_of_transformers(
    file: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    load(file, device="cpu")
    assert capfd.readouterr() == ("", "")


def test_its_hash_is_that_of_the_file_whatever_its_name(
    lm: Any, file: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "sha256-0123"  # as Ollama names them
    copy.write_bytes(file.read_bytes())
    other = tiny_gguf.write(tmp_path / "other.gguf", quantization="Q8_0")
    assert load(copy, device="cpu").content_hash == lm.content_hash
    assert load(copy, device="cpu").model_facts.identity == "files"
    assert load(other, device="cpu").content_hash != lm.content_hash
    assert load(copy, device="cpu", dtype="bfloat16").content_hash != lm.content_hash


def test_nothing_beside_the_file_is_read(lm: Any, file: Path, tmp_path: Path) -> None:
    (tmp_path / "alone.gguf").write_bytes(file.read_bytes())
    for name in ("tokenizer.json", "tokenizer_config.json", "generation_config.json"):
        (tmp_path / name).write_text("[")
    alone = load(tmp_path / "alone.gguf", device="cpu")
    assert alone.tokenize(TEXT).ids.tolist() == lm.tokenize(TEXT).ids.tolist()


def test_a_folder_with_one_file_opens_and_several_are_listed(file: Path, tmp_path: Path) -> None:
    for name in ("model-Q4_1.gguf", "model-Q8_0.gguf"):
        (tmp_path / name).write_bytes(file.read_bytes())
    for opened in (load, bl.subjects.inspect):
        with pytest.raises(SubjectError, match=r"2 GGUF files: model-Q4_1.gguf, model-Q8_0.gguf"):
            opened(tmp_path)
    (tmp_path / "model-Q8_0.gguf").unlink()
    assert bl.subjects.inspect(tmp_path).kind == "clm"
    assert load(tmp_path, device="cpu").name == "model-Q4_1"


def test_the_library_and_the_cache_know_it(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected: list[dict[str, int]] = []
    get = shared._shared.get

    def watched(key: Any, opener: Any, sizes: dict[str, int]) -> Any:
        expected.append(sizes)
        return get(key, opener, sizes)

    monkeypatch.setattr(shared._shared, "get", watched)
    assert bl.subjects.library.add(file, "mine", options={"device": "cpu"}).kind == "clm"
    assert bl.subjects.load_shared("mine").name == "mine"
    assert expected == [{"cpu": 4 * 29_024}]


def test_what_needs_more_memory_than_there_is_once_unpacked(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gguf_model, "total_memory", lambda _: 100_000)
    with pytest.raises(SubjectError, match=r"de-quantised to float32, does not fit.*bfloat16"):
        load(file)
    assert load(file, device="cpu", dtype="bfloat16").dtype == "bfloat16"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"quantize": "4bit"}, r"quantised already \(Q4_1\)"),
        ({"revision": "main"}, "only models on the hub have revisions"),
        ({"kind": "mlm"}, "kind='clm'"),
        ({"kind": "encoder"}, "kind='clm'"),
    ],
)
def test_options_and_kinds_that_it_does_not_have(
    file: Path, options: dict[str, str], reason: str
) -> None:
    with pytest.raises(SubjectError, match=reason):
        load(file, **options)


def _replaced(old: bytes, new: bytes, times: int = 1) -> Callable[[bytes], bytes]:
    def change(content: bytes) -> bytes:
        assert old in content
        return content.replace(old, new, times)

    return change


def _number(key: str, value: int) -> Callable[[bytes], bytes]:
    """Set an unsigned number of the header."""

    def change(content: bytes) -> bytes:
        start = content.index(key.encode()) + len(key) + 4
        return content[:start] + struct.pack("<I", value) + content[start + 4 :]

    return change


def _length(key: str, value: int) -> Callable[[bytes], bytes]:
    """Set the length of a list of the header."""

    def change(content: bytes) -> bytes:
        start = content.index(key.encode()) + len(key) + 8
        return content[:start] + struct.pack("<Q", value) + content[start + 8 :]

    return change


def _counts(tensors: int, keys: int) -> Callable[[bytes], bytes]:
    return lambda content: content[:8] + struct.pack("<QQ", tensors, keys) + content[24:]


DAMAGED: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "half": (lambda content: content[: len(content) // 2], "cut off: it has 12 kB, .* 24 kB"),
    "half a header": (lambda content: content[:700], "is cut off"),
    "a byte": (lambda content: content[:1], "is no GGUF file"),
    "nothing": (lambda content: b"", "is no GGUF file"),
    "magic": (_replaced(b"GGUF", b"FUGG"), "is no GGUF file: it does not begin as"),
    "version": (_replaced(b"GGUF\3", b"GGUF\1"), "version 1, and 2 and 3 are read"),
    "other bytes": (_replaced(b"GGUF\3\0\0\0", b"GGUF\0\0\0\3"), "version 50331648"),
    "keys": (_counts(20, 1 << 60), "keys and 20 tensors"),
    "tensors": (_counts(1 << 60, 20), "tensors"),
    "list": (_length("tokenizer.ggml.tokens", 1 << 60), "list of 1,152,921,504,606,846,976 items"),
    "long list": (_length("tokenizer.ggml.tokens", 1 << 20), "cut off|no text|lengths"),
    "text": (_replaced(struct.pack("<Q", 20) + b"general.architecture", b"\xff" * 28), "a name of"),
    "layers": (_number("llama.block_count", 1 << 30), "llama.block_count = 1,073,741,824"),
    "some layers": (_number("llama.block_count", 21), "llama.block_count = 21"),
    "fewer layers": (_number("llama.block_count", 15), "would be random|larger than"),
    "width": (_number("llama.embedding_length", 1 << 26), "larger than its weights|cannot be open"),
    "heads": (_number("llama.attention.head_count", 7), "cannot be opened"),
    "architecture": (_replaced(b"\5\0\0\0\0\0\0\0llama", b"\5\0\0\0\0\0\0\0llamb"), "'llamb'"),
    "type": (_replaced(struct.pack("<QQI", 32, 32, 3), struct.pack("<QQI", 32, 32, 99)), "type 99"),
    "shape": (_replaced(struct.pack("<QQI", 32, 32, 3), struct.pack("<QQI", 31, 32, 3)), "shape"),
    "large": (
        _replaced(struct.pack("<QQI", 32, 32, 3), struct.pack("<QQI", 32, 1 << 26, 3)), "cut off",
    ),
    "merges": (_length("tokenizer.ggml.merges", 3), "cannot be opened|cut off|lengths"),
}  # fmt: skip
"""Changes of an honest file, and the words of its refusal."""


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_refused_quickly(file: Path, tmp_path: Path, name: str) -> None:
    change, reason = DAMAGED[name]
    path = tmp_path / "damaged.gguf"
    path.write_bytes(change(file.read_bytes()))
    begun = time.monotonic()
    with pytest.raises(SubjectError, match=reason) as refused:
        load(path, device="cpu")
    assert time.monotonic() - begun < 10
    assert str(refused.value).endswith(".")
    assert str(tmp_path.parent) not in str(refused.value).replace(str(path), "")


def test_an_architecture_that_transformers_does_not_read_names_a_server(tmp_path: Path) -> None:
    path = tiny_gguf.write(tmp_path / "plamo.gguf", architecture="plamo2")
    for opened in (load, bl.subjects.inspect):
        with pytest.raises(SubjectError, match=r"'plamo2'.*reads.* llama, .*Ollama.*openai:MODEL@"):
            opened(path)


def test_one_part_of_a_split_file(tmp_path: Path, file: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"model-0000{number}-of-00002.gguf").write_bytes(file.read_bytes())
    for source in (tmp_path, tmp_path / "model-00002-of-00002.gguf"):
        with pytest.raises(SubjectError, match=r"is part \d of 2.*llama-gguf-split --merge"):
            load(source)


def test_tokens_that_take_too_long_to_cut_in_two(tmp_path: Path) -> None:
    def change(writer: Any) -> None:
        writer.kv_data[0]["tokenizer.ggml.tokens"].value[5] = "a" * 40_000

    path = tiny_gguf.write(tmp_path / "long.gguf", change=change)
    with pytest.raises(SubjectError, match="tokens that are too long"):
        read_gguf(path)


def test_frequencies_that_are_not_read_are_noted(tmp_path: Path) -> None:
    def change(writer: Any) -> None:
        writer.add_tensor("rope_freqs.weight", np.ones(8, dtype=np.float32))

    path = tiny_gguf.write(tmp_path / "scaled.gguf", change=change)
    assert "scaled rotary" in load(path, device="cpu").notes[0]


def test_without_its_package(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "gguf", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'biaslab\[lm\]'"):
        load(file)
