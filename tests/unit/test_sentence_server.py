"""A real OpenAI-compatible server on loopback: transformers' own, with a causal model of ours."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import biaslab as bl
from biaslab.probes.sentences.generate.make import generate_sentences
from biaslab.probes.sentences.generate.writers import EndpointWriter
from biaslab.store import Store
from harness.needs import needs
from harness.server import Server, free_port
from harness.tiny_language_models import few_words
from harness.tiny_parts import save

pytestmark = needs("openai", "fastapi", "uvicorn", "torch", "transformers")

BUNDLED = Path(bl.__file__).parent / "bundled" / "wiki-clm"
TEMPLATE = "{% for m in messages %}{{ m['content'] }} {% endfor %}The man"


def _small_model(folder: Path) -> Path:
    """A model that can be served, with random weights: words come out in no order."""
    model, tokenizer = few_words(1024)
    tokenizer.chat_template = TEMPLATE
    save((model, tokenizer), folder)
    return folder


def _bundled_model(folder: Path) -> Path:
    """The bundled model with a template for chats, which it lacks."""
    shutil.copytree(BUNDLED, folder)
    (folder / "chat_template.jinja").write_text(TEMPLATE, encoding="utf-8")
    return folder


@pytest.fixture(scope="module", params=["small", "wiki-clm"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, str]]:
    if request.param == "wiki-clm" and not BUNDLED.exists():
        pytest.skip("wiki-clm is not bundled yet")
    folder = tmp_path_factory.mktemp("served") / "model"
    make = _small_model if request.param == "small" else _bundled_model
    model = make(folder)
    port = free_port()
    command = [str(Path(sys.executable).with_name("transformers")), "serve", "--host", "127.0.0.1"]
    command += ["--port", str(port), "--device", "cpu", str(model)]
    with Server(
        command,
        ready_url=f"http://127.0.0.1:{port}/health",
        log=folder.parent / "log",
        env={"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "NO_PROXY": "127.0.0.1"},
        deadline_s=180,
    ):
        yield f"http://127.0.0.1:{port}/v1", str(model)


@pytest.mark.validate
def test_transformers_own_server_is_understood(
    server: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [n for n in os.environ if n.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    url, model = server
    made = generate_sentences(
        bl.specs.get("biastest-math-arts"),
        EndpointWriter(model, base_url=url, attempts=1),
        attributes=["math"],
        per_attribute=1,
        store=Store(str(tmp_path)),
    )
    # What small models write is seldom a sentence that fits; every answer is accounted for.
    assert made.problems == ()
    assert made.sentences or made.rejected
    assert made.missing.get("math", 0) == 1 - len(made.sentences)
