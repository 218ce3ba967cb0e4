"""What is taken along from a bench, code and file, holds what is on its screen; and comes back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
from biaslab.records.result import Result
from biaslab_widgets.benches import BENCHES
from biaslab_widgets.benches.psychometric.bench import PsychometricController
from biaslab_widgets.benches.psychometric.subjects import psychometric_sources
from harness import image_controller, rating_controller, sentence_controller
from harness.copied_code import copied, result_of, run_code
from harness.driven import Driven
from harness.needs import needs
from harness.ready_benches import NEW, with_result

CASES: list[tuple[str, dict[str, Any]]] = [
    ("association", {"replicate": -1}),
    ("association", {"replicate": 2, "model": "pooled"}),
    ("association", {"shown": "simulation"}),
    ("decisions", {}),
    ("images", {"level": 0.9}),
    ("occupations", {}),
    ("occupations", {"pairing": "all", "curve": "logistic", "outside": ""}),
    ("opinion", {}),
    ("opinion", {"subject": "simulated-invitations", "alike": 0.2, "reference": "men"}),
    ("posterior", {}),
    ("psychometric", {}),
    ("psychometric", {"curve": "logistic", "noise": 0.1, "prior_sd": 0.3, "jnd": "eq6"}),
    ("psychometric", {"pairs": [["she", "he"]], "replicates": 3, "scoring": "mixture"}),
    ("rating", {}),
    ("rating", {"middles": ["es", "tr"]}),
    ("rating", {"level": 0.9, "minimum": 5}),
    ("sentences", {"level": 0.9}),
]
EXTRA = {"posterior": ("torch", "pyro"), "sentences": ("torch", "transformers")}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Begin in an own home; calling it goes to that of another person."""
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path))
    return lambda: monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "of another person"))


def taken(controller: Any) -> Any:
    """What a person takes along: a result, or what is shown instead of it."""
    return controller.to_take()[0] if hasattr(controller, "to_take") else controller.result


@pytest.mark.parametrize(
    ("name", "inputs"),
    [pytest.param(*case, marks=needs(*EXTRA.get(case[0], ()))) for case in CASES],
)
def test_the_code_and_the_file_hold_what_is_on_the_screen(
    name: str, inputs: dict[str, Any], elsewhere: Any
) -> None:
    bench = with_result(name, **inputs)
    shown = taken(bench.controller)
    code = copied(bench.controller)
    assert json.dumps(bench.answer(), allow_nan=False)
    file = json.loads(bench.reply("json")["content"])
    several = list(file.get("results", {}).values())  # of a bench that asks several models
    assert Result.from_dict(several[0] if several else file) == shown
    assert "dance" in bench.reply("dance")["message"]
    elsewhere()
    assert result_of(code) == shown
    assert "hook" not in code
    bench.controller.close()


def test_every_bench_with_a_question_is_tried() -> None:
    assert {name for name, _ in CASES} == {entry.name for entry in BENCHES if entry.question}


BEGUN_BY = {"decisions": "Start", "images": "Test", "posterior": "Run", "rating": "Run",
            "sentences": "Test"}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "button"),
    [pytest.param(*one, marks=needs(*EXTRA.get(one[0], ()))) for one in BEGUN_BY.items()],
)
def test_before_a_run_nothing_can_be_taken_and_the_button_is_named(name: str, button: str) -> None:
    bench = NEW[name]()
    for command in ("json", "csv", "save", *(["card"] if name == "rating" else [])):
        assert f"press {button}".casefold() in bench.refused(command).casefold(), command
    bench.controller.close()


@pytest.mark.parametrize("name", ["images", "rating", "sentences"])
def test_results_are_brought_back_after_starting_again(name: str) -> None:
    bench = with_result(name)
    if name == "rating":  # each service has a result
        bench.rated(service="always he", texts=8)
    before, results = bench.state["answer"]["picture"], bench.controller.results
    assert bench.reply("start-again")["ok"]
    bench.emitted.until(lambda state: state["answer"]["picture"] is None)
    assert bench.reply("bring-back")["ok"]
    shown = bench.until(lambda picture: not picture["run"]["running"])
    what = "rows" if name == "rating" else "models"
    assert shown[what] == before[what]
    assert bench.controller.results == results
    assert not bench.reply("bring-back")["ok"]


def test_pictures_that_were_removed_are_removed_in_the_code() -> None:
    bench = with_result("images")
    assert bench.reply("remove", ids=bench.ids[:1])["ok"]
    bench.tested()
    result = bench.controller.result
    assert len(result.images) == 3 * len(image_controller.TERMS) - 1
    assert result_of(copied(bench.controller)) == result


def test_pictures_in_memory_are_to_be_filled_in() -> None:
    bench = image_controller.Bench()
    bench.tested()
    code = copied(bench.controller)
    assert "FILL IN" in code
    assert "not stored with a result" in code


def test_the_code_rates_by_the_shares_that_were_dragged(elsewhere: Any) -> None:
    bench = rating_controller.Bench()
    bench.rated(service="noisy", texts=8)
    bench.answer(distributions=bench.shares(1, 0.2, 0.8, 0.0))
    code, result = copied(bench.controller), bench.controller.result
    assert ".re_rate(" in code
    elsewhere()
    assert result_of(code) == result


def test_a_rerun_of_stored_answers_has_the_same_numbers() -> None:
    for _ in range(2):
        bench = rating_controller.Bench()
        bench.rated(service="noisy", texts=8)
    assert bl.rerun(bench.controller.result).is_equal


def test_the_code_makes_the_results_of_all_models() -> None:
    first, second = bl.observers.scorer(0.7, seed=1), bl.observers.scorer(0.6, seed=2)
    second.name = "second"
    bench = sentence_controller.Bench([first, second])
    bench.tested(level=0.9)
    bench.reply("reject", pairs=[bench.pairs[0]["id"]])
    results = list(bench.controller.results.values())
    made = run_code(copied(bench.controller))
    assert made["result"] == results[0]
    assert made["result_2"].overall == results[1].overall
    assert len(results[0].pairs) == len(bench.pairs)


def test_a_saved_result_has_the_call() -> None:
    bench = with_result("sentences")
    result = bench.controller.result
    assert result.provenance.call is not None
    assert bench.controller.result is result
    assert bl.rerun(result.save()).is_equal


@needs("torch", "transformers")
def test_the_code_asks_a_language_model_in_its_frames() -> None:
    sources = psychometric_sources(bl.load("wiki-mlm"))
    bench = Driven(lambda emitted: PsychometricController(sources, emitted))
    inputs = {"word": "nurse", "pairs": [["she", "he"]], "levels": 5, "replicates": 2}
    assert bench.answer(**inputs)["state"] == "ready"
    code = copied(bench.controller)
    assert 'bl.load("wiki-mlm")' in code
    assert result_of(code) == taken(bench.controller)
    bench.controller.close()
