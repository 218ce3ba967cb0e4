"""Bundling of portrait-clip: measured and refused below the floors, whole with its card above."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

import biaslab as bl
from biaslab_train.portrait_clip.plant import plant_of
from biaslab_train.portrait_clip.quality import ClipQuality, Estimate, measure_clip
from biaslab_train.settings import PortraitClipSettings
from harness.deferred import Deferred
from harness.needs import needs

READS = ("biaslab", "tools", "train")

pytestmark = needs("torch", "transformers")

portrait_clip = Deferred("biaslab_train.portrait_clip.training")
recipes = Deferred("biaslab_train.recipes")
PLANT = plant_of(
    {
        "name": "two",
        "women": {"nurse": 0.8, "electrician": 0.2},
        "concepts": [
            {
                "name": "helpers",
                "first": ["helper"],
                "second": ["expert"],
                "first_given": {"other": {"woman": 0.8, "man": 0.2}},
            }
        ],
    },
    "here",
)


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = importlib.import_module("bundle_portrait_clip")
    monkeypatch.setattr(module, "BUNDLED", tmp_path / "bundled")
    return module


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model after one batch."""
    folder = tmp_path_factory.mktemp("portrait-clip") / "model"
    settings = PortraitClipSettings(
        pool=12, image=16, patch=8, layers=1, width=16, heads=2, inner=16, text_layers=1,
        text_width=16, text_heads=2, text_inner=16, joint=8, batch=12,
    )  # fmt: skip
    recipe = portrait_clip.PortraitClipRecipe(PLANT, settings)
    assert recipes.train(recipe, folder, 12, device="cpu", threads=1)
    return folder


def test_an_untrained_model_is_measured_and_refused(
    tool: ModuleType, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tool.main([str(trained), "--portraits", "10", "--pairs", "1"]) == 1
    printed = capsys.readouterr()
    assert "Not bundled" in printed.err
    assert "| nurse | 0.80 |" in printed.out
    assert not (tmp_path / "bundled").exists()
    assert tool.main([str(tmp_path / "nothing")]) == 1
    assert "train it first" in capsys.readouterr().err


def test_a_good_model_is_bundled_whole_with_its_card(
    tool: ModuleType, trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = measure_clip(trained, PLANT, portraits=10, pairs=1)

    def as_planted(e: Estimate) -> Estimate:
        return replace(e, value=e.truth, low=e.truth, high=e.truth)

    good = ClipQuality(
        measured.portraits,
        measured.pairs,
        as_planted(measured.occupation),
        as_planted(measured.group),
        tuple(as_planted(e) for e in measured.scores),
        tuple(as_planted(e) for e in measured.equality),
        1.0,
    )
    assert measured.failures
    assert good.failures == []
    monkeypatch.setattr(tool, "measure_clip", lambda *_, **__: good)
    assert tool.main([str(trained)]) == 0
    target = tmp_path / "bundled" / "portrait-clip"
    assert isinstance(bl.load(target), bl.subjects.VisionLanguageModel)
    text = (target / "README.md").read_text(encoding="utf-8")
    assert "| nurse | 0.80 | 0.80 | 0.20 |" in text
    assert "planted on purpose" in text
    monkeypatch.setattr(tool, "LARGEST", 10)
    assert tool.main([str(trained)]) == 1
