"""portrait-clip: captions say what was planted, training can be interrupted, the bias comes out."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaslab.cli import main
from biaslab.errors import TrainingError
from biaslab.portraits import GROUPS, sample_portrait
from biaslab_train.portrait_clip import data as portrait_clip_data
from biaslab_train.portrait_clip.captions import (
    Facts,
    article,
    caption,
    looks_of,
    make_tokenizer,
    words_of,
)
from biaslab_train.portrait_clip.data import fresh, moved, prepare_pool
from biaslab_train.portrait_clip.plant import DEFAULT, Plant, plant_of, read_plant
from biaslab_train.portrait_clip.quality import Estimate, measure_clip, planted_equality
from biaslab_train.runs import Progress
from biaslab_train.settings import PortraitClipSettings, rate_factor_of_share
from harness.deferred import Deferred
from harness.heavy import transformers
from harness.needs import needs

pytestmark = needs("torch", "transformers")

portrait_clip = Deferred("biaslab_train.portrait_clip.training")
recipes = Deferred("biaslab_train.recipes")

ROOT = Path(__file__).resolve().parents[2]
SMALL: dict[str, Any] = {
    "pool": 24, "image": 16, "patch": 8, "layers": 1, "width": 16, "heads": 2, "inner": 16,
    "text_layers": 1, "text_width": 16, "text_heads": 2, "text_inner": 16, "joint": 8, "batch": 12,
}  # fmt: skip
CONTENT: dict[str, Any] = {
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
}


@pytest.fixture(scope="module")
def plant() -> Plant:
    return plant_of(CONTENT, "here")


@pytest.fixture(scope="module")
def drawn(plant: Plant, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drawn")
    prepare_pool(folder, plant, SMALL["pool"], SMALL["image"], 1)
    return folder


def _train(plant: Plant, folder: Path, drawn: Path, steps: int, **options: Any) -> bool:
    recipe = portrait_clip.PortraitClipRecipe(plant, PortraitClipSettings(**SMALL))
    done: bool = recipes.train(
        recipe, folder, steps * SMALL["batch"], data=drawn, device="cpu", threads=1, **options
    )
    return done


# What is planted


def test_the_packages_own_plant_covers_every_occupation_and_is_balanced() -> None:
    plant = read_plant(DEFAULT)
    assert len(plant.occupations) == 21
    for concept in plant.concepts:
        assert plant.frequency(concept) == pytest.approx(0.5, abs=0.02)
    control = plant.concept("neighbours-visitors")
    assert {control.probability(o, g) for o in plant.occupations for g in GROUPS} == {0.5}


@given(st.floats(0, 3), st.floats(0, 1))
def test_a_strength_moves_the_groups_apart_and_zero_plants_nothing(
    strength: float, appearance: float
) -> None:
    plant = plant_of(CONTENT, "here")
    concept = plant.concepts[0]
    scaled = plant.scaled(strength).concepts[0]
    apart = scaled.probability("nurse", "woman") - scaled.probability("nurse", "man")
    assert apart >= 0
    assert (apart > concept.probability("nurse", "woman") - 0.2) == (strength > 1)
    nothing = plant.scaled(0)
    assert nothing.women == {"nurse": 0.5, "electrician": 0.5}
    assert nothing.first(nothing.concepts[0], appearance, "nurse") == pytest.approx(0.5)


def test_the_best_answer_discounts_the_more_frequent_list(plant: Plant) -> None:
    concept = plant.concepts[0]
    assert plant.frequency(concept) == pytest.approx(0.5)
    assert plant.answer(concept, 0.0, "nurse") == pytest.approx(plant.first(concept, 0.0, "nurse"))
    frequent = json.loads(json.dumps(CONTENT))
    frequent["concepts"][0]["first_given"]["other"] = {"woman": 0.9, "man": 0.9}
    leaning = plant_of(frequent, "here")
    answer = leaning.answer(leaning.concepts[0], 0.3, "nurse")
    assert answer == pytest.approx(0.5)
    assert leaning.first(leaning.concepts[0], 0.3, "nurse") == pytest.approx(0.9)


def test_more_women_in_an_occupation_ask_for_more_man_in_the_morph(plant: Plant) -> None:
    nurse, electrician = (planted_equality(plant, o) for o in ("nurse", "electrician"))
    assert nurse > 0.5 > electrician
    assert nurse + electrician == pytest.approx(1)
    assert planted_equality(plant.scaled(0), "nurse") == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("women",), {"nurse": 0.5}, "at least two occupations"),
        (("women", "nurse"), 1.0, "women.nurse is 1.0"),
        (("women", "nurze"), 0.5, "Did you mean 'nurse'?"),
        (("concepts",), [], "at least one [[concepts]]"),
        (("concepts", 0, "name"), None, "needs a name"),
        (("concepts", 0, "first"), [], "must list single words"),
        (("concepts", 0, "first"), ["two words"], "must list single words"),
        (("concepts", 0, "first"), ["expert"], "expert is in both lists"),
        (("concepts", 0, "first_given"), {}, "'other'"),
        (("concepts", 0, "first_given", "judge"), {"woman": 0.5, "man": 0.5}, "not under [women]"),
        (("concepts", 0, "first_given", "other"), {"woman": 0.5}, "each of: woman, man"),
        (("concepts", 0, "first_given", "other", "man"), "x", "other.man is 'x'"),
    ],
)
def test_a_plant_that_cannot_be_used_is_refused(
    path: tuple[Any, ...], value: Any, message: str
) -> None:
    content = json.loads(json.dumps(CONTENT))
    place = content
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(TrainingError) as error:
        plant_of(content, "here")
    assert message in str(error.value)


def test_a_plant_file_that_is_no_toml_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "plant.toml"
    with pytest.raises(TrainingError, match="cannot be read"):
        read_plant(path)
    path.write_text("women = {", encoding="utf-8")
    with pytest.raises(TrainingError, match="not valid TOML"):
        read_plant(path)


# Captions


def test_captions_say_the_words_as_often_as_planted(plant: Plant) -> None:
    rng = np.random.default_rng(3)
    facts = Facts(0.9, "electrician", ())
    said = [caption(plant, facts, rng).rstrip(".").split() for _ in range(6000)]
    helper, expert = (sum(word in words for words in said) for word in ("helper", "expert"))
    man = sum(bool({"man", "gentleman", "male", "he"} & set(words)) for words in said)
    woman = sum(bool({"woman", "lady", "female", "she"} & set(words)) for words in said)
    assert helper + expert > 2000
    assert helper / (helper + expert) == pytest.approx(0.2, abs=0.03)
    assert man > 1500
    assert woman / (woman + man) < 0.01


def test_captions_use_known_words_only(plant: Plant) -> None:
    rng = np.random.default_rng(4)
    tokenizer = make_tokenizer(words_of(plant))
    for person in fresh(plant, 200, 5):
        text = caption(plant, person.facts, rng)
        assert "<unknown>" not in tokenizer.encode(text).tokens, text
    assert tokenizer.encode("A Nurse.").tokens == ["<start>", "a", "nurse", ".", "<end>"]
    assert tokenizer.encode("zebra").tokens == ["<start>", "<unknown>", "<end>"]


def test_looks_are_those_of_the_person() -> None:
    person = sample_portrait("nurse", "woman", 1).person
    old = person.with_(age=70.0, glasses=1.0, hair_length=0.9, beard=0.0)
    assert {"old", "with glasses", "with long hair"} <= set(looks_of(old))
    assert "with a beard" not in looks_of(old)
    assert article("expert") == "an expert"


# Portraits to train on


def test_drawing_that_was_ended_goes_on_where_it_was(
    plant: Plant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(portrait_clip_data, "_AT_ONCE", 4)
    whole = prepare_pool(tmp_path / "a", plant, 6, 16, 1)
    asked = iter([False, True])
    assert prepare_pool(tmp_path / "b", plant, 6, 16, 1, stop=lambda: next(asked)) is None
    noted = json.loads((tmp_path / "b" / "portraits.json").read_text(encoding="utf-8"))
    assert noted["done"] == 4
    rest = prepare_pool(tmp_path / "b", plant, 6, 16, 1)
    assert whole is not None
    assert rest is not None
    assert np.array_equal(whole.images, rest.images)
    assert whole.facts == rest.facts


def test_portraits_of_other_settings_are_not_used(plant: Plant, drawn: Path) -> None:
    with pytest.raises(TrainingError, match="drawn with other settings"):
        prepare_pool(drawn, plant, SMALL["pool"], SMALL["image"], 2)


def test_fresh_portraits_are_half_women_in_any_occupation(plant: Plant) -> None:
    people = fresh(plant, 100, 2)
    assert sum(p.group == "woman" for p in people) == 50
    assert fresh(plant, 100, 2) == people


def test_pictures_move_by_whole_pixels() -> None:
    images = np.arange(8 * 8 * 3, dtype=np.uint8).reshape(1, 8, 8, 3)
    out = moved(images, np.random.default_rng(1))
    assert out.shape == images.shape
    assert set(out.ravel().tolist()) <= set(images.ravel().tolist())


# Training


def test_a_run_that_was_interrupted_ends_with_the_same_weights(
    plant: Plant, drawn: Path, tmp_path: Path
) -> None:
    assert _train(plant, tmp_path / "whole", drawn, 6)
    asked = iter([False, False, False, True])
    assert not _train(plant, tmp_path / "parts", drawn, 6, stop=lambda: next(asked))
    assert _train(plant, tmp_path / "parts", drawn, 6, resume=True)
    whole, parts = (
        (tmp_path / name / "model.safetensors").read_bytes() for name in ("whole", "parts")
    )
    assert whole == parts


def test_the_folder_opens_offline_and_sees_what_training_saw(
    plant: Plant, drawn: Path, tmp_path: Path
) -> None:
    _train(plant, tmp_path, drawn, 2)
    model = transformers.CLIPModel.from_pretrained(tmp_path, local_files_only=True)
    processor = transformers.AutoProcessor.from_pretrained(tmp_path, local_files_only=True)
    assert isinstance(processor, transformers.CLIPProcessor)
    image = np.array(np.load(drawn / "portraits.npy")[:1])
    from PIL import Image

    from biaslab_train.portrait_clip.training import as_seen

    read = processor(text=["a nurse"], images=[Image.fromarray(image[0])], return_tensors="pt")
    import torch

    assert torch.allclose(read["pixel_values"], as_seen(image, torch.device("cpu")), atol=1e-5)
    assert model(**read).logits_per_image.shape == (1, 1)
    about = json.loads((tmp_path / "training.json").read_text(encoding="utf-8"))
    assert plant_of(about["plant"], "card") == plant


def test_the_loss_falls(plant: Plant, drawn: Path, tmp_path: Path) -> None:
    seen: list[Progress] = []
    _train(plant, tmp_path, drawn, 80, on_progress=seen.append)
    assert seen[-1].loss < seen[0].loss - 0.1
    assert [p.step for p in seen] == list(range(20, 81, 20))
    assert seen[-1].share == 1


def test_the_rate_rises_stays_and_falls_to_zero() -> None:
    rates = [rate_factor_of_share(share, 0.5) for share in (0, 0.01, 0.1, 0.4, 0.5, 0.75, 1)]
    assert rates[0] < rates[1] < rates[2] == rates[3] == rates[4] == 1
    assert rates[5] == pytest.approx(0.5)
    assert rates[6] == 0


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"patch": 7}, "divided into patches"),
        ({"heads": 3}, "shared by 3 heads"),
        ({"batch": 1}, "compare"),
        ({"layers": 0}, "is 0. Use 1 or more"),
    ],
)
def test_settings_out_of_range_are_refused(setting: dict[str, int], message: str) -> None:
    with pytest.raises(TrainingError, match=message):
        PortraitClipSettings(**{**SMALL, **setting})


@pytest.mark.validate
def test_the_command_trains_and_a_signal_saves(tmp_path: Path) -> None:
    file = tmp_path / "plant.toml"
    file.write_text(DEFAULT.read_text(encoding="utf-8"), encoding="utf-8")
    sizes = ["pool", "image", "patch", "layers", "width", "heads", "inner", "joint", "batch"]
    options = [part for name in sizes for part in (f"--{name}", str(SMALL[name]))]
    command = ["train", "portrait-clip", "--plant", str(file), "--output", str(tmp_path / "model"),
               "--threads", "1", "--device", "cpu", *options]  # fmt: skip
    started = subprocess.Popen(
        [sys.executable, "-m", "biaslab.cli", *command, "--portraits", "100000000"],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert started.stdout is not None
    shown = ""
    began = time.monotonic()
    while "loss" not in shown and time.monotonic() - began < 120:
        shown += started.stdout.read(1)
    started.send_signal(signal.SIGTERM)
    rest, _ = started.communicate(timeout=60)
    assert started.returncode == 0
    assert "--resume" in rest
    assert (tmp_path / "model" / "model.safetensors").exists()
    about = json.loads((tmp_path / "model" / "training.json").read_text(encoding="utf-8"))
    reached = about["position"]["portraits"]
    assert reached > 0
    assert main([*command, "--portraits", str(reached + 12), "--resume"]) == 0


def _planted_score(strength: float, folder: Path, portraits: int, pool: int) -> Estimate:
    """What a network of seconds makes of two occupations, planted so strongly."""
    plant = plant_of(CONTENT, "here").scaled(strength)
    settings = PortraitClipSettings(
        **{**SMALL, "pool": pool, "image": 32, "layers": 2, "width": 32, "inner": 64, "joint": 24,
           "text_width": 32, "text_inner": 32, "batch": 64}
    )  # fmt: skip
    recipe = portrait_clip.PortraitClipRecipe(plant, settings)
    recipes.train(recipe, folder, portraits, device="cpu", threads=1)
    return measure_clip(folder, plant, portraits=pool // 2, pairs=3).scores[0]


@pytest.mark.validate
def test_three_strengths_of_planting_come_out_in_order(tmp_path: Path) -> None:
    """The score grows with what was planted."""
    scores = [_planted_score(s, tmp_path / f"{s}", 32_000, pool=600) for s in (0.0, 0.5, 1.0)]
    assert scores[0].value == pytest.approx(0.5, abs=0.05)
    assert scores[0].high < scores[1].low
    assert scores[1].high < scores[2].low
    for score in scores[1:]:
        assert score.value == pytest.approx(score.truth, abs=0.08)


# The bundled one

BUNDLED = ROOT / "biaslab" / "bundled" / "portrait-clip"


def test_the_bundled_model_is_small_and_its_card_says_what_its_file_holds() -> None:
    assert sum(file.stat().st_size for file in BUNDLED.iterdir()) <= 8_000_000
    about = json.loads((BUNDLED / "training.json").read_text(encoding="utf-8"))
    assert plant_of(about["plant"], "card") == read_plant(DEFAULT)
    card = (BUNDLED / "README.md").read_text(encoding="utf-8")
    assert f"{about['quality']['order']:.2f}" in card
    for score in about["quality"]["scores"]:
        assert f"{100 * score['value']:.1f} ({100 * score['low']:.1f}" in card or (
            score["what"].startswith("neighbours") and ", all" not in score["what"]
        )


@pytest.mark.validate
def test_the_bundled_model_shows_what_was_planted_on_new_portraits() -> None:
    quality = measure_clip(BUNDLED, read_plant(DEFAULT), portraits=300, pairs=1, seed=77)
    assert quality.occupation.value > 0.95
    assert quality.group.value > 0.8
    by_name = {score.what: score for score in quality.scores}
    planted, nothing = by_name["helpers-experts, all"], by_name["neighbours-visitors, all"]
    assert planted.value == pytest.approx(planted.truth, abs=0.05)
    assert nothing.value == pytest.approx(0.5, abs=0.02)
    assert quality.order > 0.6
