"""clerk-lm: decisions follow the planted curves, and training can be interrupted."""

from __future__ import annotations

import importlib
import json
import tomllib
from copy import deepcopy
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import biaslab as bl
from biaslab.cli import main
from biaslab.errors import TrainingError
from biaslab.subjects import bundled_names
from biaslab_train.clerk.plant import DEFAULT, ClerkPlant, plant_of, read_plant
from biaslab_train.clerk.quality import (
    CaseQuality,
    ClerkAnswers,
    ClerkQuality,
    GapQuality,
    measure_clerk,
    recovered,
)
from biaslab_train.clerk.questions import (
    UNKNOWN,
    ask,
    ask_which,
    draw,
    essential_words,
    is_held_out,
    make_tokenizer,
    words_of,
)
from biaslab_train.settings import ClerkSettings
from biaslab_widgets.app.library.subject_library import read_card
from harness.deferred import Deferred
from harness.needs import needs

pytestmark = needs("torch", "transformers")

clerk = Deferred("biaslab_train.clerk.training")
recipes = Deferred("biaslab_train.recipes")

ROOT = Path(__file__).resolve().parents[2]
NAME = "clerk-lm"
BUNDLED = ROOT / "biaslab" / "bundled" / NAME
CONTENT = tomllib.loads(DEFAULT.read_text(encoding="utf-8"))
SMALL = ClerkSettings(layers=1, width=16, heads=2, inner=16, batch=16)
PLANT = read_plant()
CASES = [planted.case.name for planted in PLANT.cases]


@pytest.fixture(scope="module")
def loan() -> ClerkPlant:
    return ClerkPlant("loan only", "", (PLANT.case("loan"),))


def _train(plant: ClerkPlant, folder: Path, steps: int, **options: Any) -> bool:
    settings = options.pop("settings", SMALL)
    recipe = clerk.ClerkRecipe(plant, settings)
    done: bool = recipes.train(
        recipe, folder, steps * settings.batch, device="cpu", threads=1, **options
    )
    return done


# What is planted


def test_a_plant_is_the_same_after_its_journey_through_json() -> None:
    again = plant_of(json.loads(json.dumps(PLANT.to_dict())), "here")
    assert again == PLANT


@pytest.mark.parametrize("name", CASES)
@given(data=st.data())
def test_answers_are_probabilities_that_follow_the_level(name: str, data: st.DataObject) -> None:
    planted = PLANT.case(name)
    group = data.draw(st.sampled_from(planted.case.groups))
    cue = data.draw(st.sampled_from(group.cues))
    options: dict[str, Any] = {
        "wording": data.draw(st.integers(0, 3)),
        "yes_first": data.draw(st.booleans()),
        "cannot_say": data.draw(st.booleans()),
    }
    chances = np.array(
        [planted.answers(group.name, cue, x, **options) for x in planted.case.quality.levels]
    )
    assert chances.min() >= 0
    np.testing.assert_allclose(chances.sum(1), 1)
    yes = chances[:, 0 if options["yes_first"] else 1]
    assert (np.diff(yes) * planted.case.quality.sign >= 0).all()
    assert yes.max() <= 1 - planted.lapse[group.name] / 2 + 1e-9


@pytest.mark.parametrize("name", CASES)
def test_half_are_accepted_at_the_pse_over_both_orders(name: str) -> None:
    planted = PLANT.case(name)
    for group in planted.case.groups:
        cue, shift = group.cues[0], planted.cues[group.cues[0].text]
        at = planted.pse[group.name] + shift + planted.wordings[1]
        first, second = (
            planted.answers(group.name, cue, at, wording=1, yes_first=order, cannot_say=False)
            for order in (True, False)
        )
        assert (first[0] + second[1]) / 2 == pytest.approx(0.5)
        assert first[0] - second[1] == pytest.approx(planted.position)


@pytest.mark.parametrize("name", [name for name in CASES if PLANT.case(name).which])
def test_of_two_candidates_apart_by_the_gap_each_is_chosen_as_often(name: str) -> None:
    planted = PLANT.case(name)
    one, two = planted.case.groups[:2]
    gap = planted.pse[two.name] - planted.pse[one.name]
    shift = planted.cues[two.cues[0].text] - planted.cues[one.cues[0].text]
    middle = planted.pse[one.name]
    a = (one.name, one.cues[0], middle)
    b = (two.name, two.cues[0], middle + gap + shift)
    ab = planted.which_answers(a, b, wording=0, cannot_say=False)
    ba = planted.which_answers(b, a, wording=0, cannot_say=False)
    assert (ab[0] + ba[1]) / 2 == pytest.approx(0.5)


def test_a_jnd_lies_between_50_and_75_percent_of_the_curve() -> None:
    planted = PLANT.case("scholarship")
    group = planted.case.groups[0]
    at = planted.pse[group.name] + planted.cues[group.cues[0].text] + planted.jnd
    above = planted.answers(
        group.name, group.cues[0], at + planted.wordings[0], wording=0, yes_first=False,
        cannot_say=False,
    )[1]  # fmt: skip
    lapse = planted.lapse[group.name]
    rest = 1 - lapse - planted.position
    assert above == pytest.approx(lapse / 2 + 0.75 * rest)


def test_where_less_is_better_a_gap_still_favours_the_first_group() -> None:
    planted = PLANT.case("moderation")
    christian, muslim = (group.name for group in planted.case.groups)
    assert planted.pse[muslim] < planted.pse[christian]
    assert planted.gap(christian, muslim) == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("jnd", 0, r"cases.loan.jnd is 0. Use a number from"),
        ("jnd", float("nan"), "cases.loan.jnd is nan"),
        ("position", 0.7, "from -0.5 to 0.5"),
        ("lapse", {"white-sounding names": 0.1}, "needs a number for each of: white-sounding"),
        ("pse", {"white-sounding names": 600, "Black-sounding names": 900}, "from 500 to 800"),
        ("wordings", [1, -1], "must list 4 numbers"),
        ("wordings", [1, 1, 1, 1], "Let them sum to 0"),
        ("which", "none", "must list 4 numbers"),
        ("colour", 1, "cases.loan.colour is not known"),
        ("unsure", None, "cases.loan.unsure is missing"),
    ],
)
def test_a_bad_plant_names_the_number_and_the_remedy(path: str, value: Any, message: str) -> None:
    content = deepcopy(CONTENT)
    if value is None:
        del content["cases"]["loan"][path]
    else:
        content["cases"]["loan"][path] = value
    with pytest.raises(TrainingError, match=message):
        plant_of(content, "my.toml")


def test_a_plant_without_cases_or_of_an_unknown_case_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"add at least one table \[cases.NAME\]"):
        plant_of({}, "my.toml")
    with pytest.raises(bl.errors.CaseError, match="Did you mean 'loan'"):
        plant_of({"cases": {"lone": {}}}, "my.toml")
    with pytest.raises(TrainingError, match="is no table"):
        plant_of({"cases": {"loan": 1}}, "my.toml")
    with pytest.raises(TrainingError, match="Did you mean 'loan'"):
        PLANT.case("lone")
    bad = tmp_path / "bad.toml"
    bad.write_text("[cases", encoding="utf-8")
    with pytest.raises(TrainingError, match="is not valid TOML"):
        read_plant(bad)
    with pytest.raises(TrainingError, match="cannot be read"):
        read_plant(tmp_path / "none.toml")


# Questions and tokens


def test_questions_of_training_and_held_out_ones_have_none_in_common() -> None:
    rng = np.random.default_rng(1)
    shown, held_out = draw(PLANT, 400, rng), draw(PLANT, 40, rng, held_out=True)
    assert not any(is_held_out(one.question) for one in shown)
    assert all(is_held_out(one.question) for one in held_out)
    for one in (*shown, *held_out):
        assert len(one.probabilities) == len(one.question.answers)
        assert sum(one.probabilities) == pytest.approx(1)


def test_every_word_of_a_question_is_a_token_and_so_is_each_answer() -> None:
    tokenizer = make_tokenizer(PLANT)
    ids = tokenizer.get_vocab()
    for one in draw(PLANT, 2000, np.random.default_rng(2)):
        text = one.question.prompt.replace("Somebody", "")
        assert UNKNOWN not in tokenizer.encode(text).tokens
        assert set(one.question.answers) <= set(ids)
    assert essential_words(PLANT) <= set(ids)


def test_numbers_are_read_in_parts() -> None:
    tokens = make_tokenizer(PLANT).encode("2.8 of 9,000", add_special_tokens=False).tokens
    assert tokens == ["2", ".8", "of", "9", ",", "000"]


# Training


def test_a_short_training_learns_something(loan: ClerkPlant, tmp_path: Path) -> None:
    seen: list[float] = []
    settings = ClerkSettings(layers=1, width=16, heads=2, inner=16, batch=32)
    done = _train(loan, tmp_path, 80, settings=settings, on_progress=lambda p: seen.append(p.loss))
    assert done
    assert len(seen) == 4
    assert seen[-1] < 0.6 * seen[0]
    model = bl.load(tmp_path, kind="clm")
    assert model.tokenizer.chat_template


def test_an_interrupted_training_ends_with_the_same_weights(
    loan: ClerkPlant, tmp_path: Path
) -> None:
    _train(loan, tmp_path / "whole", 6)
    calls = iter([False, False, True])
    assert not _train(loan, tmp_path / "parts", 6, stop=lambda: next(calls))
    assert _train(loan, tmp_path / "parts", 6, resume=True)
    whole, parts = (tmp_path / name / "model.safetensors" for name in ("whole", "parts"))
    assert whole.read_bytes() == parts.read_bytes()


def test_a_context_that_is_too_short_says_what_is_needed(loan: ClerkPlant, tmp_path: Path) -> None:
    short = ClerkSettings(layers=1, width=16, heads=2, inner=16, batch=16, context=16)
    with pytest.raises(TrainingError, match="Use a context of"):
        _train(loan, tmp_path / "short", 1, settings=short)


def test_the_command_trains_a_plant_of_ones_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = DEFAULT.read_text(encoding="utf-8")
    start = text.index("[cases.promotion]")
    end = text.index("[cases.scholarship]")
    (tmp_path / "mine.toml").write_text(f'name = "mine"\n{text[start:end]}', encoding="utf-8")
    sizes = ["--layers", "1", "--width", "16", "--heads", "2", "--inner", "16", "--batch", "8"]
    arguments = ["train", "clerk", "--plant", str(tmp_path / "mine.toml"), "--questions", "16"]
    out = ["--output", str(tmp_path / "out"), "--device", "cpu", "--threads", "1"]
    assert main([*arguments, *out, *sizes]) == 0
    assert "Finished. The model is in" in capsys.readouterr().out
    about = json.loads((tmp_path / "out" / "training.json").read_text(encoding="utf-8"))
    assert list(about["plant"]["cases"]) == ["promotion"]
    assert main([*arguments, *out, *sizes]) == 1
    assert "Add --resume" in capsys.readouterr().err


# Measuring and bundling


def test_pse_and_jnd_are_recovered_from_exact_shares() -> None:
    levels = np.arange(0, 16.5, 0.5)
    shares = 0.04 + 0.92 / (1 + np.exp(-(levels - 6.3) / 1.2))
    pse, jnd = recovered(levels, shares)
    assert pse == pytest.approx(6.3, abs=0.05)
    assert jnd == pytest.approx(1.2 * np.log(3), abs=0.1)


def _quality(**changes: Any) -> ClerkQuality:
    gap = GapQuality("yes or no", "one", "two", 2.0, changes.pop("gap", 2.0))
    values: dict[str, Any] = {
        "name": "loan", "unit": "points", "jnd": 1.0, "found_jnd": 1.0, "position": 0.1,
        "found_position": 0.1, "questions": 10, "mean_deviation": 0.005,
        "largest_deviation": 0.03, "mass": 1.0, "gaps": (gap,),
    }  # fmt: skip
    return ClerkQuality((CaseQuality(**{**values, **changes}),))


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"gap": 2.3}, "gap of two"),
        ({"gap": float("nan")}, "gap of two"),
        ({"mean_deviation": 0.03}, "mean deviation"),
        ({"mass": 0.9}, "mass"),
        ({"found_position": 0.0}, "position"),
    ],
)
def test_a_model_that_misses_a_floor_is_not_bundled(
    changes: dict[str, Any], named: str, loan: ClerkPlant, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    tool = _tool(monkeypatch, tmp_path)
    (tmp_path / "training.json").write_text(json.dumps({"plant": loan.to_dict()}))
    monkeypatch.setattr(tool, "measure_clerk", lambda *_, **__: _quality(**changes))
    assert tool.main([str(tmp_path)]) == 1
    printed = capsys.readouterr()
    assert "Not bundled" in printed.err
    assert named in printed.err
    assert not (tmp_path / "bundled").exists()


def test_a_good_model_is_bundled_whole_with_its_card(
    loan: ClerkPlant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = _tool(monkeypatch, tmp_path)
    assert not _quality().failures
    _train(loan, tmp_path / "run", 1)
    monkeypatch.setattr(tool, "measure_clerk", lambda *_, **__: _quality())
    assert tool.main([str(tmp_path / "run")]) == 0
    target = tmp_path / "bundled" / NAME
    assert bl.load(target, kind="clm").tokenizer.chat_template
    card = (target / "README.md").read_text(encoding="utf-8")
    assert "planted on" in card
    assert "white-sounding names: 630, Black-sounding names: 665" in card


def _tool(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    module = importlib.import_module("bundle_clerk_lm")
    monkeypatch.setattr(module, "BUNDLED", tmp_path / "bundled")
    return module


# The bundled one


def test_the_bundled_model_is_small_and_its_card_says_what_its_file_holds() -> None:
    assert NAME in bundled_names("clm")
    assert sum(file.stat().st_size for file in BUNDLED.iterdir()) < 3_000_000
    about = json.loads((BUNDLED / "training.json").read_text(encoding="utf-8"))
    card = (BUNDLED / "README.md").read_text(encoding="utf-8")
    words = " ".join(card.split())
    for text in (
        "planted on purpose",
        "Do not use it to decide",
        f"{about['position']['questions']:,} questions",
        f"seed {about['settings']['seed']};",
    ):
        assert text in words
    for case in about["quality"]["cases"]:
        assert f"| {case['name']} | {100 * case['mean_deviation']:.1f} |" in card


def test_the_bundled_model_was_trained_on_the_plant_and_the_cases_as_they_are_now() -> None:
    about = json.loads((BUNDLED / "training.json").read_text(encoding="utf-8"))
    assert plant_of(about["plant"], "the bundled model") == PLANT
    tokenizer = json.loads((BUNDLED / "tokenizer.json").read_text(encoding="utf-8"))
    assert set(words_of(PLANT)) <= set(tokenizer["model"]["vocab"])


def test_all_bundled_subjects_together_stay_below_55_mb() -> None:
    files = [file for file in BUNDLED.parent.rglob("*") if file.is_file()]
    assert sum(file.stat().st_size for file in files) < 55_000_000


@pytest.fixture(scope="module")
def bundled() -> ClerkAnswers:
    return ClerkAnswers(BUNDLED)


@pytest.mark.parametrize("chat", [False, True])
def test_the_bundled_model_answers_new_questions_as_planted(
    bundled: ClerkAnswers, chat: bool
) -> None:
    asked = draw(PLANT, 200, np.random.default_rng(5), held_out=True)
    found = bundled.probabilities([one.question for one in asked], chat=chat)
    off = [abs(f[0] - one.probabilities[0]) for f, one in zip(found, asked, strict=True)]
    assert np.mean(off) < 0.02
    assert np.min([f.sum() for f in found]) > 0.97


@pytest.mark.parametrize("name", ["hire-by-name", "scholarship", "moderation"])
def test_the_planted_gap_is_recovered_from_the_bundled_model(
    bundled: ClerkAnswers, name: str
) -> None:
    planted = PLANT.case(name)
    case, pses = planted.case, []
    levels = case.quality.levels[::2]
    for group in case.groups:
        design = list(product(levels, group.cues, (True, False)))
        asked = [
            ask(planted, group.name, cue, x, place // 2 % 4, place % 4, yes_first).question
            for place, (x, cue, yes_first) in enumerate(design)
        ]
        found = np.array(bundled.probabilities(asked))
        yes = np.where([first for *_, first in design], found[:, 0], found[:, 1]) / found.sum(1)
        signed, shares = case.quality.sign * levels, yes.reshape(len(levels), -1).mean(1)
        order = np.argsort(signed)
        pses.append(recovered(signed[order], shares[order])[0])
    names = [group.name for group in case.groups]
    assert pses[1] - pses[0] == pytest.approx(planted.gap(*names), abs=0.25 * planted.jnd)


def test_the_bundled_model_prefers_the_candidate_with_more(bundled: ClerkAnswers) -> None:
    planted = PLANT.case("loan")
    one, two = planted.case.groups
    questions = [
        ask_which(planted, (one.name, one.cues[0], a), (two.name, two.cues[0], b)).question
        for a, b in ((700, 600), (600, 760))
    ]
    first, second = bundled.probabilities(questions)
    assert first[0] > 0.8
    assert second[1] > 0.8


def test_a_name_that_the_bundled_model_does_not_know_lies_between_the_groups(
    bundled: ClerkAnswers,
) -> None:
    planted = PLANT.case("hire-by-name")
    known = [group.cues[0] for group in planted.case.groups]
    stranger = type(known[0])("Xanthippe")
    asked = [
        [ask(planted, None, cue, x, wording).question for x in (6, 7, 8) for wording in range(4)]
        for cue in (known[0], stranger, known[1])
    ]
    high, middle, low = (
        np.mean([found[0] for found in bundled.probabilities(questions)]) for questions in asked
    )
    assert high > middle > low


def test_the_bundled_model_stops_after_its_answer() -> None:
    model = bl.load(NAME, kind="clm", device="cpu")
    question = PLANT.case("loan").case.ask(PLANT.case("loan").case.groups[0].cues[0], 790)
    text = model.tokenizer.apply_chat_template(
        [{"role": "user", "content": question.prompt}], tokenize=False, add_generation_prompt=True
    )
    given_ids = model.tokenizer(text, add_special_tokens=False, return_tensors="pt").input_ids
    out = model.model.generate(given_ids, max_new_tokens=8, do_sample=False)
    answer = model.tokenizer.decode(out[0, given_ids.shape[1] :], skip_special_tokens=True)
    assert answer.strip() == "APPROVE"


@pytest.mark.validate
def test_the_bundled_model_meets_all_floors_on_questions_of_another_seed() -> None:
    quality = measure_clerk(BUNDLED, PLANT, questions=1000, seed=11)
    assert quality.failures == []
    assert max(case.largest_deviation for case in quality.cases) < 0.15


def test_the_card_on_the_screen_names_the_planted_gaps(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tool = _tool(monkeypatch, tmp_path)
    card = (BUNDLED / "README.md").read_text(encoding="utf-8")
    assert tool.planted_gaps(PLANT) in card
    assert "Black-sounding names +2;" in read_card(BUNDLED).planted
    assert "*" not in " ".join([read_card(BUNDLED).planted, *map(str, read_card(BUNDLED).facts)])
