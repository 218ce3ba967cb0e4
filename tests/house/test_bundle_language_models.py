"""Bundling of language models: refused below the floors, whole with its card above them."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import ModuleType

import pytest

from biaslab_train.language_models.quality import Figure, Quality
from biaslab_train.settings import LanguageModelSettings
from harness.deferred import Deferred
from harness.heavy import transformers
from harness.needs import needs

READS = ("biaslab", "tools", "train")

pytestmark = needs("torch", "transformers")

training = Deferred("biaslab_train.language_models.training")
recipes = Deferred("biaslab_train.recipes")


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = importlib.import_module("bundle_language_models")
    monkeypatch.setattr(module, "BUNDLED", tmp_path / "bundled")
    return module


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained")
    corpus = folder / "corpus.txt"
    corpus.write_text("She taught herself.\nHe taught himself.\n\n" * 120, encoding="utf-8")
    for kind in ("clm", "mlm"):
        settings = LanguageModelSettings(
            kind=kind, vocabulary=310, layers=1, width=16, heads=2, inner=16, context=16, batch=8,
            held_out=0.1,
        )  # fmt: skip
        recipe = training.LanguageModelRecipe(corpus, settings)
        recipes.train(recipe, folder / kind, 1, data=folder / "data", device="cpu", threads=1)
    return folder


def _arguments(trained: Path) -> list[str]:
    return [str(trained / name) for name in ("clm", "mlm", "data")]


def test_untrained_models_are_refused_and_nothing_is_written(
    tool: ModuleType, trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tool.main(_arguments(trained)) == 1
    printed = capsys.readouterr()
    assert "perplexity" in printed.out
    assert "Not bundled" in printed.err
    assert "wiki-clm: perplexity is" in printed.err
    assert "wiki-mlm: " in printed.err
    assert not tool.BUNDLED.exists()


def test_folders_in_the_wrong_order_are_refused(
    tool: ModuleType, trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clm, mlm, data = _arguments(trained)
    assert tool.main([mlm, clm, data]) == 1
    assert "of kind mlm" in capsys.readouterr().err


def test_good_models_are_written_with_their_cards(
    tool: ModuleType, trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reflexives = Figure(0.9, 0.85, 0.93)
    good = {
        "clm": Quality("clm", 900, 9, 60.0, 100.0, Figure(0.6, 0.58, 0.62), reflexives, 200),
        "mlm": Quality("mlm", 90, 9, 0.4, 0.3, Figure(0.1, 0.08, 0.12), reflexives, 200),
    }
    monkeypatch.setattr(tool, "measure", lambda folder, *_: good[folder.name])
    assert tool.main([*_arguments(trained), "--measure-only"]) == 0
    assert not tool.BUNDLED.exists()
    assert tool.main(_arguments(trained)) == 0
    which = {"clm": transformers.AutoModelForCausalLM, "mlm": transformers.AutoModelForMaskedLM}
    for kind, quality in good.items():
        folder = tool.BUNDLED / f"wiki-{kind}"
        network = which[kind].from_pretrained(folder)
        card = (folder / "README.md").read_text(encoding="utf-8")
        assert f"{network.num_parameters():,} parameters" in card
        assert "90.0% (85.0% to 93.0%, Wilson)" in card
        assert ("ratio 0.600" if kind == "clm" else "difference 10.0%") in card
        assert "Do not use it to judge" in card
        noted = json.loads((folder / "training.json").read_text())
        assert noted["quality"] == quality.to_dict()
        assert max(map(len, card.splitlines())) <= 130


def test_a_model_that_is_too_large_is_refused(
    tool: ModuleType, trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = Quality("clm", 9, 3, 6.0, 10.0, Figure(0.6, 0.5, 0.7), Figure(0.9, 0.8, 0.95), 200)
    monkeypatch.setattr(tool, "LARGEST", 1000)
    with pytest.raises(tool.BiaslabError, match="1,000 are allowed"):
        tool.bundle("wiki-clm", trained / "clm", good)
