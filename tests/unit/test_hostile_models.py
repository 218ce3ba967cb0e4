"""Model folders of somebody who means harm: refused quickly, in a sentence, without a trace."""

from __future__ import annotations

import json
import os
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import SubjectError
from biaslab.subjects.language_model.tokens import chat_template_of
from biaslab.subjects.pretrained import apart
from biaslab.subjects.pretrained.apart import render_chat
from biaslab.subjects.pretrained.kinds import kind_of_folder
from harness import tiny_language_models as tiny
from harness.needs import needs

pytestmark = needs("torch", "transformers")

TURNS = (
    "{{ bos_token }}{% for m in messages %}<{{ m['role'] }}>{{ m['content'] | trim }}{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
RULE: dict[str, Any] = {"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 20}
NESTED = "{% for i in range(99999) %}" * 2 + "{% endfor %}" * 2
DOUBLED = "{% set x = 'a' * 9 %}" + "{% set x = x ~ x ~ x ~ x %}" * 30 + "{{ x }}"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Wait for seconds only, and begin with a process that has tried nothing."""
    monkeypatch.setattr(apart, "SECONDS", 4.0)
    monkeypatch.setattr(apart, "MEMORY", 400 << 20)
    apart._reader.end()
    yield
    apart._reader.end()


def test_a_template_is_rendered_as_transformers_renders_it() -> None:
    _, tokenizer = tiny.gpt2()
    tokenizer.chat_template = TURNS
    messages = [{"role": "user", "content": " Is “she”\n<b>here</b>? \ud800 "}]
    for is_open in (True, False):
        expected = tokenizer.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=is_open
        )
        assert render_chat(tokenizer, messages, add_generation_prompt=is_open) == expected


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("template", "reason"),
    [
        (NESTED, "takes more than 4 s"),
        (DOUBLED, "(needs too much memory|takes more than)"),
        ("{{ 'a' * 3000000 }}", "writes 3,000,000 characters"),
        ("x" * 30_000_000, "has 30,000,000 characters"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
    ],
    ids=["loops", "doubles", "writes", "long", "escapes"],
)
def test_a_template_that_does_not_end(template: str, reason: str) -> None:
    model, tokenizer = tiny.gpt2()
    tokenizer.chat_template = template
    assert chat_template_of("plain", tokenizer, model) is None
    begun = time.monotonic()
    with pytest.raises(SubjectError, match=rf"chat template fails.*{reason}.*template='plain'"):
        chat_template_of("chat", tokenizer, model)
    assert time.monotonic() - begun < 10
    begun = time.monotonic()
    with pytest.raises(SubjectError, match=reason):
        chat_template_of("chat", tokenizer, model)
    assert time.monotonic() - begun < 3  # nobody waits for it twice
    tokenizer.chat_template = TURNS
    assert chat_template_of("chat", tokenizer, model) is not None


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of an honest model."""
    model, tokenizer = tiny.gpt2()
    where = tmp_path / "model"
    model.save_pretrained(where)
    tokenizer.save_pretrained(where)
    return where


def changed(file: str, **values: Any) -> Callable[[Path], None]:
    """Return what changes values of a file in JSON."""

    def change(folder: Path) -> None:
        path = folder / file
        content = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps({**content, **values}), encoding="utf-8")

    return change


def written(file: str, content: str) -> Callable[[Path], None]:
    return lambda folder: (folder / file).write_text(content, encoding="utf-8") and None


def _a_pipe(name: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)

    return change


def _endless(folder: Path) -> None:
    (folder / "config.json").unlink()
    (folder / "config.json").symlink_to("/dev/zero")


def _token_1e9(folder: Path) -> None:
    path = folder / "tokenizer.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["model"]["vocab"]["far"] = 1_000_000_000
    path.write_text(json.dumps(content), encoding="utf-8")


def _negative_token(folder: Path) -> None:
    path = folder / "tokenizer.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"id": 0', '"id": -5'))


def _replacing(times: int, found: str) -> Callable[[Path], None]:
    rule = {**RULE, "pattern": {"String": found}, "content": found * 20}
    return changed("tokenizer.json", normalizer={"type": "Sequence", "normalizers": [rule] * times})


def _header(size: int, tensors: int) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        entry = {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}
        table = json.dumps({f"t{i}": entry for i in range(tensors)}).encode().ljust(size)
        (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(table)) + table)

    return change


HOSTILE: dict[str, tuple[Callable[[Path], None], str]] = {
    "kernel": (changed("config.json", _attn_implementation="evil/kernel"), "code of somebody else"),
    "inner kernel": (
        changed("config.json", text_config={"attn_implementation": {"": "evil/kernel:fast"}}),
        "code of somebody else",
    ),
    "replaces": (_replacing(9, "a"), "tokenizer.json cannot be used.*512,000,000,000 times"),
    "replaces later": (_replacing(9, "nurse’s"), "tokenizer.json cannot be used.*times as long"),
    "token 1e9": (_token_1e9, "token of its tokenizer.json has number 1,000,000,000|too much mem"),
    "token -5": (_negative_token, "tokenizer.json cannot be used"),
    "layers": (changed("config.json", n_layer=10_000_000), "n_layer = 10000000"),
    "some layers": (changed("config.json", n_layer=2_000), "n_layer = 2,000.* tensors"),
    "width": (changed("config.json", n_embd=65_536), "larger than its weights"),
    "vocabulary": (changed("config.json", vocab_size=50_000_000), "larger than its weights"),
    "positions": (changed("config.json", n_positions=50_000_000), "larger than its weights"),
    "header": (_header(90_000_000, 1), "header of 90,000,000 bytes"),
    "tensors": (_header(1, 30_000), "would be random"),
    "a pipe": (_a_pipe("config.json"), "no model|pipe"),
    "another pipe": (_a_pipe("generation_config.json"), "is a pipe or a device"),
    "endless": (_endless, "no model|pipe"),
    "null": (written("config.json", "null"), "config.json.*not a JSON object"),
    "list": (written("config.json", "[]"), "config.json.*not a JSON object"),
    "deep": (written("config.json", "[" * 200_000), "config.json.*nested too deeply"),
    "words for numbers": (changed("config.json", n_embd="80"), "n_embd = '80'"),
    "heads": (changed("config.json", n_head=1_000_000_000), "n_head = 1000000000"),
    "heads that do not fit": (changed("config.json", n_head=7), "cannot be opened"),
    "id of padding": (changed("config.json", pad_token_id=-5), "pad_token_id = -5"),
    "length": (changed("tokenizer_config.json", model_max_length="x"), "model_max_length = 'x'"),
    "far token": (
        changed("tokenizer_config.json", added_tokens_decoder={"999999999": {"content": "x"}}),
        "added_tokens_decoder = '999999999'",
    ),
    "edge": (
        written("preprocessor_config.json", '{"size": {"shortest_edge": 1000000}}'),
        "preprocessor_config.json says shortest_edge = 1000000",
    ),
    "decoder": (
        changed("tokenizer.json", decoder={"type": "Sequence", "decoders": [RULE] * 9}),
        "tokenizer.json cannot be used.*times as long",
    ),
    "long template": (written("chat_template.jinja", "x" * 30_000_000), "chat_template.jinja has"),
    "long configuration": (written("config.json", " " * 30_000_000), "config.json has 30 MB|no"),
}  # fmt: skip
"""Changes of an honest folder, and what is said of it."""


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_folder_is_refused_quickly(folder: Path, name: str) -> None:
    change, reason = HOSTILE[name]
    change(folder)
    begun = time.monotonic()
    kind_of_folder(folder)
    with pytest.raises(bl.errors.BiaslabError, match=reason) as refused:
        bl.load(str(folder), kind="clm", device="cpu")
    assert time.monotonic() - begun < 10
    assert str(refused.value).endswith(".")


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("template", [NESTED, DOUBLED])
def test_a_hostile_template_is_not_used_where_it_need_not_be(folder: Path, template: str) -> None:
    written("chat_template.jinja", template)(folder)
    lm: Any = bl.load(str(folder), kind="clm", device="cpu")
    assert lm.chat is None


@pytest.mark.parametrize("kind", ["clm", "encoder"])
def test_a_hostile_name_of_the_hub_is_refused_too(
    folder: Path, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    _replacing(9, "a")(folder)
    cached = tmp_path / "models--someone--model"
    (cached / "refs").mkdir(parents=True)
    (cached / "refs" / "main").write_text("a" * 40)
    (cached / "snapshots").mkdir()
    folder.rename(cached / "snapshots" / ("a" * 40))
    with pytest.raises(SubjectError, match=r"hf:someone/model.*tokenizer.json cannot be used"):
        bl.load("hf:someone/model", kind=kind, device="cpu")  # type: ignore[call-overload]


def test_values_of_other_kinds_name_no_kind_of_model(folder: Path) -> None:
    changed("config.json", architectures=5, model_type=[])(folder)
    assert kind_of_folder(folder) is None


def test_an_honest_folder_is_tried_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bl.load(str(folder), kind="clm", device="cpu")
    monkeypatch.setattr(apart._reader, "ask", lambda *_, **__: pytest.fail("tried again"))
    lm: Any = bl.load(str(folder), kind="clm", device="cpu")
    assert np.isfinite(lm.tokenize("She is here.").ids).all()
