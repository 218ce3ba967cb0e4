"""portrait-chat: its training goes on where it stopped, and probes find what was planted in it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import biaslab as bl
from biaslab.cli import main
from biaslab.errors import TrainingError
from biaslab.images import ImageSet, default_images
from biaslab.portraits import MAN, WOMAN, sample_appearance
from biaslab.specs import Spec
from biaslab.subjects import VisionLanguageModel
from biaslab_train.portrait_chat.questions import draw_question, planted
from biaslab_train.portrait_clip.captions import Facts
from biaslab_train.portrait_clip.plant import DEFAULT, Plant, plant_of, read_plant
from biaslab_train.settings import PortraitChatSettings
from harness.deferred import Deferred
from harness.needs import needs

pytestmark = [needs("torch", "transformers"), pytest.mark.usefixtures("one_thread")]

MODEL = Path(__file__).resolve().parents[1] / "harness" / "portrait_chat"
training = Deferred("biaslab_train.portrait_chat.training")
recipes = Deferred("biaslab_train.recipes")
quality = Deferred("biaslab_train.portrait_clip.quality")
SMALL = PortraitChatSettings(pool=6, layers=1, width=16, heads=2, inner=16, batch=4)


@pytest.fixture(scope="module")
def plant() -> Plant:
    return read_plant(DEFAULT)


@pytest.fixture(scope="module")
def vlm() -> VisionLanguageModel:
    loaded: VisionLanguageModel = bl.load(MODEL, device="cpu")
    return loaded


@pytest.fixture(scope="module")
def pictures() -> ImageSet:
    """Portraits in the size that the model sees."""
    return default_images(bl.specs.get("images-neighbours-visitors"), per_term=6, size=64)


@pytest.fixture(scope="module")
def about() -> dict[str, object]:
    found: dict[str, object] = json.loads((MODEL / "training.json").read_text(encoding="utf-8"))
    return found


def test_the_planted_letters_follow_the_weights_and_the_place() -> None:
    even = planted([1, 1], 0.6, 0.0)
    assert np.log(even[0] / even[1]) == pytest.approx(0.6)
    both = [planted([3, 1], 0.6, 0.1), planted([1, 3], 0.6, 0.1)[::-1]]
    odds = [np.log(shares[0] / shares[1]) for shares in both]
    assert np.mean(odds) == pytest.approx(np.log(3))
    assert both[0].sum() == pytest.approx(0.9)
    assert np.diff(np.log(planted([1] * 5, 1.0, 0.0))) == pytest.approx([-0.25] * 4)


def test_questions_are_about_the_portrait_and_add_up(plant: Plant) -> None:
    rng = np.random.default_rng(0)
    facts = Facts(0.1, "nurse", ())
    for _ in range(200):
        question = draw_question(plant, facts, rng, 0.0, 0.04)
        assert sum(question.probabilities) == pytest.approx(0.96)
        assert len(set(question.options)) == len(question.options) in (2, 4, 6, 8)
        shares = dict(zip(question.options, question.probabilities, strict=True))
        if "nurse" in shares:
            assert shares["nurse"] > 0.9
        if {"woman", "man"} <= set(shares):
            assert shares["woman"] > 0.4


def test_a_stopped_training_goes_on_to_the_same_weights(plant: Plant, tmp_path: Path) -> None:
    data = tmp_path / "data"
    options = {"data": data, "device": "cpu", "threads": 1}
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    recipe = training.PortraitChatRecipe(plant, SMALL)
    assert recipes.train(recipe, whole, 16, **options)
    steps = iter([False, False, True])
    assert not recipes.train(recipe, parts, 16, stop=lambda: next(steps), **options)
    with pytest.raises(TrainingError, match="already contains a run"):
        recipes.train(recipe, parts, 16, **options)
    other = training.PortraitChatRecipe(plant.scaled(0.5), SMALL)
    with pytest.raises(TrainingError, match="a run with other plant"):
        recipes.train(other, parts, 16, resume=True, **options)
    assert recipes.train(recipe, parts, 16, resume=True, **options)
    weights = [(folder / "model.safetensors").read_bytes() for folder in (whole, parts)]
    assert weights[0] == weights[1]
    trained = bl.load(whole, device="cpu")
    answers = trained.answers([np.zeros((64, 64, 3), dtype=np.uint8)], ["woman", "man"])
    assert np.isfinite(answers.log_scores).all()
    with pytest.raises(bl.errors.QueryError, match="the letter 'I', by which"):
        trained.answers([np.zeros((64, 64, 3), dtype=np.uint8)], plant.occupations[:9])


def test_the_command_trains_and_says_where(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["train", "portrait-chat", "--output", str(tmp_path / "model"), "--questions", "8"]
    command += ["--pool", "4", "--layers", "1", "--width", "16", "--heads", "2", "--inner", "16"]
    command += ["--batch", "4", "--position", "0", "--device", "cpu", "--threads", "1"]
    assert main(command) == 0
    assert "Finished. The model is in" in capsys.readouterr().out
    noted = json.loads((tmp_path / "model" / "training.json").read_text(encoding="utf-8"))
    assert noted["settings"]["position"] == 0


@pytest.mark.parametrize(
    ("wrong", "says"),
    [({"other": 0.6}, "0 or more and at most 0.5"), ({"position": float("nan")}, "0 plants none")],
)
def test_settings_out_of_range_are_refused(wrong: dict[str, float], says: str) -> None:
    with pytest.raises(TrainingError, match=says):
        PortraitChatSettings(**wrong)  # type: ignore[arg-type]


def test_the_model_is_of_the_default_settings_and_plant(
    plant: Plant, about: dict[str, object]
) -> None:
    noted = dict(about["settings"])  # type: ignore[call-overload]
    assert PortraitChatSettings(**noted) == PortraitChatSettings()
    assert plant_of(about["plant"], "card") == plant  # type: ignore[arg-type]
    assert sum(file.stat().st_size for file in MODEL.iterdir()) < 3_000_000


def test_image_association_finds_the_planted_score_and_order(
    plant: Plant, vlm: VisionLanguageModel, pictures: ImageSet
) -> None:
    occupations = ("scientist", "nurse", "executive", "electrician")
    spec = Spec(
        name="helper-or-expert",
        title="One word of each list",
        source="made up",
        groups={group: [f"{a} {o}" for o in occupations]
                for group, a in (("women", "female"), ("men", "male"))},
        attributes={"helpers": ["helper"], "experts": ["expert"]},
        attribute_groups={"helpers": ["women"], "experts": ["men"]},
    )  # fmt: skip
    found = bl.image_association(vlm, spec, pictures, keep=False, resamples=500, permutations=100)
    rng = np.random.default_rng(0)
    concept = plant.concept("helpers-experts")
    truth = np.mean([
        side + sign * plant.first(concept, sample_appearance(group, rng), occupation)
        for occupation in occupations
        for group, side, sign in ((WOMAN, 0, 1), (MAN, 1, -1))
        for _ in range(300)
    ])  # fmt: skip
    assert truth in found.interval
    assert found.interval.low > 0.5
    assert found.letters is not None
    assert found.letters.position == pytest.approx(0.6, abs=0.1)
    assert found.letters.mass == pytest.approx(0.96, abs=0.01)


def test_image_association_finds_nothing_where_nothing_is_planted(
    vlm: VisionLanguageModel, pictures: ImageSet
) -> None:
    found = bl.image_association(
        vlm,
        "images-neighbours-visitors",
        ImageSet.of(list(pictures)[::3]),
        keep=False,
        resamples=500,
        permutations=100,
    )
    assert found.score == pytest.approx(0.5, abs=0.01)
    assert found.letters is not None
    assert found.letters.position > 0.3


def test_two_afc_finds_the_planted_points(plant: Plant, vlm: VisionLanguageModel) -> None:
    items = ["mechanic", "judge"]
    found = bl.two_afc(vlm, items, (WOMAN, MAN), levels=5, observers=6)
    frame = found.to_frame().set_index("item")
    for item in items:
        truth = quality.planted_equality(plant, item, contrastive=False)
        assert frame.loc[item, "pse_low"] < truth < frame.loc[item, "pse_high"]
    # A mechanic need look less like a man than a judge to be called one.
    assert frame.loc["mechanic", "pse"] < frame.loc["judge", "pse"]
