"""The rating bench's controller: runs that fill as answers come, and re-rating without a call."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

import biaslab as bl
from biaslab.errors import QueryError, RatingError, ServiceRefusedError
from biaslab.probes.rating import (
    Attribute,
    CorrectedRule,
    PaperRule,
    RatingDesign,
    RatingResult,
    Rules,
)
from biaslab.store import Store
from harness.rating_controller import MIDDLES, Bench, Echo

pytestmark = pytest.mark.usefixtures("own_home")


def through(**options: Any) -> Any:
    """A simulated translator."""
    return bl.observers.service("faithful", languages=MIDDLES, **options)


def test_the_bench_begins_with_services_of_known_rating_and_the_papers_design() -> None:
    bench = Bench()
    answer = bench.answer()
    assert (answer["state"], answer["picture"]) == ("empty", None)
    services = {one["name"]: one for one in bench.state["services"]}
    truths = {name: one["truth"] for name, one in services.items()}
    assert truths["faithful"] == truths["noisy"] == "DSBS"
    assert truths["always he"] == truths["always she"] == "BS"
    assert truths["compensating"] == "UCS"
    assert truths["erasing"] == "not rateable"
    assert "BS through Turkish" in truths["simulated translator"]
    assert bench.state["middles"] == ["es", "tr", "eo", "ca"]
    paper = RatingDesign.paper()
    assert [(d["kind"], tuple(d["shares"])) for d in bench.state["distributions"]] == [
        (d.kind, d.shares) for d in paper.distributions
    ]
    assert bench.state["texts"] == paper.texts


def test_the_numbers_are_those_of_the_result() -> None:
    bench = Bench(through())
    picture = bench.rated(
        texts=15, seed=3, equivalence_margin=0.15, level=0.9, minimum=10, test="G", unit="text"
    )
    result = bench.controller.result
    paper = PaperRule("G", 0.9, "text")
    assert result.rules == Rules(paper, CorrectedRule(margin=0.15, level=0.9), 10)
    for row, rating in zip(picture["rows"], result.ratings, strict=True):
        assert (row["paper"], row["corrected"]) == (rating.paper, rating.corrected)
        assert row["probabilities"] == list(rating.probabilities.values())
        counts = result.output_counts(rating.language)
        assert [cell["counts"] for cell in row["cells"]] == counts.tolist()
    assert picture["overall"] == [result.overall.paper, result.overall.corrected]
    told = "".join(span["text"] for span in picture["verdict"])
    assert told == " ".join(result.verdict())
    detail = bench.state["detail"]
    assert detail["language"] == "es"
    for tree, rule in zip(picture["finding"]["trees"], ("paper", "corrected"), strict=True):
        path = result.path("es", rule)
        assert tree["rating"] == path.rating
        assert [node["key"] for node in tree["nodes"] if node["on_path"]] == list(path.taken)
    assert [row["source"] for row in detail["texts"]] == [
        text.source for text in result.shown_texts("es", "50/50")
    ]
    assert detail["balance"]["pse"] == pytest.approx(0.5, abs=1e-6)
    assert detail["balance"]["values"] == ("She", "He")


def test_cells_fill_as_answers_come_and_a_stop_keeps_them() -> None:
    echo = Echo(gate_at=27)
    bench = Bench(echo)
    bench.answer()
    job = bench.controller.run()
    assert echo.gate.entered.wait(60)

    def the_first_cell_is_full(picture: dict[str, Any]) -> bool:
        (row,) = picture["rows"]
        assert (row["state"], row["paper"], row["corrected"]) == ("running", None, None)
        assert [cell["counts"] for cell in row["cells"]][::2] == [[20, 20, 0], []]
        assert [cell["done"] for cell in row["cells"]][::2] == [20, 0]
        assert picture["run"]["running"]
        return True

    bench.until(the_first_cell_is_full)
    with pytest.raises(QueryError, match="A run is in progress"):
        _ = bench.controller.result
    assert not bench.reply("run")["ok"]
    assert bench.reply("stop")["ok"]
    echo.gate.open()
    job.wait()
    picture = bench.until(lambda p: not p["run"]["running"])
    (row,) = picture["rows"]
    assert (row["state"], row["corrected"]) == ("stopped", None)
    assert row["cells"][0]["counts"] == [20, 20, 0]
    asked = row["cells"][1]
    assert (asked["mentions"], asked["unresolved"]) == (2 * asked["done"], 0)
    assert 0 < asked["done"] < 20
    assert row["cells"][2]["mentions"] == 0
    assert len(bench.state["detail"]["texts"]) == 20
    before = len(echo.asked)
    picture = bench.rated()
    assert len(echo.asked) == 60  # only what was missing
    assert picture["run"]["from_store"] == before
    assert picture["rows"][0]["corrected"] == "DSBS"


def test_a_drag_rates_the_stored_answers_anew_and_marks_what_is_predicted() -> None:
    bench = Bench(through())
    bench.rated()
    calls = len(bench.emitted.log)
    answer = bench.answer(distributions=bench.shares(0, 0.6, 0.4, 0.0))
    picture = answer["picture"]
    assert [cell["predicted"] for cell in picture["rows"][0]["cells"]] == [True, False, False]
    alone = bench.controller._ran["faithful observer", "gender"].result
    assert alone is not None
    expected = alone.re_rate(unbiased={"50/50": (0.6, 0.4)})
    assert bench.controller.result.ratings == expected.ratings
    assert [row["corrected"] for row in picture["rows"]] == [r.corrected for r in expected.ratings]
    assert picture["rows"][0]["points"][0] == pytest.approx([0.6, 0.4, 0])
    assert picture["blocks"][0] == {"name": "60/40", "kind": "unbiased", "shares": [0.6, 0.4, 0.0]}
    assert picture["run"]["stale"]
    assert len(bench.emitted.log) > calls
    # Run again, and it is measured.
    picture = bench.rated()
    assert not any(cell["predicted"] for row in picture["rows"] for cell in row["cells"])
    assert not picture["run"]["stale"]


def test_a_block_beyond_the_margin_is_not_called_unbiased() -> None:
    bench = Bench(through())
    bench.answer(distributions=bench.shares(0, 0.68, 0.32, 0.0))
    with pytest.raises(QueryError, match="68/32 is called unbiased, but is 18 points from even"):
        bench.controller.run()
    bench.answer(equivalence_margin=0.2)
    assert bench.rated()["blocks"][0]["kind"] == "unbiased"


def test_an_output_that_turns_at_once_is_drawn_as_a_step() -> None:
    bench = Bench()
    ends = [("unbiased", (0.5, 0.5, 0.0)), ("biased", (0.0, 1.0, 0.0)), ("biased", (1.0, 0.0, 0.0))]
    blocks = [{"name": str(i), "kind": k, "shares": list(s)} for i, (k, s) in enumerate(ends)]
    bench.rated(service="faithful", distributions=blocks)
    found = bench.state["detail"]["balance"]
    assert (found["pse"], found["jnd"]) == (pytest.approx(0.5), 0)
    steps = dict(zip(found["alphas"], found["curve"], strict=True))
    assert {steps[0.0], steps[1.0]} == {0, 1}
    assert set(steps.values()) <= {0, 0.5, 1}


def test_shares_that_do_not_sum_to_one_leave_the_picture_and_cannot_be_run() -> None:
    bench = Bench(through())
    before = bench.rated()
    answer = bench.answer(distributions=bench.shares(0, 0.8, 0.3, 0.0))
    assert answer["picture"]["rows"] == before["rows"]
    assert "sum to 1.1" in bench.state["plan"]["problem"]
    with pytest.raises(RatingError, match="must sum to 1"):
        bench.controller.run()


@pytest.mark.parametrize(
    "change", [{"texts": 30}, {"seed": 9}, {"repetitions": 2}, {"template": "works as"}]
)
def test_another_design_makes_the_run_stale_and_the_picture_stays(change: dict[str, Any]) -> None:
    bench = Bench(through())
    before = bench.rated()
    after = bench.answer(**change)["picture"]
    assert after["run"]["stale"]
    assert after["rows"] == before["rows"]


def test_rules_rate_anew_at_once() -> None:
    bench = Bench(through())
    bench.rated()
    assert bench.row("tr")["paper"] == "DSBS"
    picture = bench.answer(minimum=100)["picture"]
    assert {row["corrected"] for row in picture["rows"]} == {"not rateable"}
    picture = bench.answer(minimum=20, equivalence_margin=0.5)["picture"]
    assert bench.row("es")["corrected"] == "not rateable"  # even 10/90 is as good as 50/50 then
    assert "within 50 points" in picture["caveat"]
    picture = bench.answer(equivalence_margin=0.1, without=["tr"], overall="worst")["picture"]
    assert picture["overall"] == ["DSBS", "BS"]
    assert picture["overall_without"] == ["DSBS", "DSBS"]
    assert "Kolmogorov-Smirnov" not in bench.state["tests"]
    answer = bench.answer(test="Kolmogorov-Smirnov")
    assert answer["state"] == "error"
    assert "no order. Choose chi-squared" in answer["message"]["text"]
    assert answer["picture"]["rows"] == picture["rows"]


def test_languages_that_are_left_out_have_no_row_and_do_not_count() -> None:
    bench = Bench(through())
    bench.rated()
    picture = bench.answer(middles=["es", "ca"])["picture"]
    assert [row["language"] for row in picture["rows"]] == ["es", "ca"]
    assert picture["overall"] == ["DSBS", "DSBS"]
    assert not picture["run"]["stale"]
    bench.answer(middles=[])
    assert bench.state["plan"]["problem"] == "Choose at least one language."
    assert not bench.reply("run")["ok"]


def test_every_service_keeps_its_last_run() -> None:
    bench = Bench()
    bench.rated(service="always he")
    bench.rated(service="compensating")
    picture = bench.answer(service="always he")["picture"]
    assert picture["rows"][0]["corrected"] == "BS"
    assert bench.answer(service="faithful")["state"] == "empty"
    assert set(bench.controller.results) == {"always he", "compensating"}
    bench.reply("start-again")
    assert bench.answer(service="always he")["picture"] is None


def test_another_attribute_has_its_own_blocks_and_runs() -> None:
    bench = Bench()
    bench.rated(service="compensating")
    dragged = bench.shares(0, 0.6, 0.4, 0.0)
    bench.answer(distributions=dragged)
    answer = bench.answer(attribute="place of worship", template="")
    assert (answer["state"], bench.state["template"]) == ("empty", "goes to")
    assert len(bench.state["distributions"]) == 5
    assert bench.state["distributions"][0]["shares"] == [0.25, 0.25, 0.25, 0.25, 0.0]
    picture = bench.rated(texts=80)
    assert picture["values"] == ["Church", "Mosque", "Temple", "Synagogue", "Other"]
    assert picture["rows"][0]["corrected"] == "UCS"
    bench.answer(service="always he")
    assert "no value “he”" in bench.state["plan"]["problem"]
    problem = next(s["problem"] for s in bench.state["services"] if s["name"] == "always he")
    assert problem == bench.state["plan"]["problem"]
    bench.answer(attribute="gender", template="", service="compensating")
    assert bench.state["distributions"] == dragged  # as they were left


def test_an_attribute_of_ones_own_is_offered_with_its_design() -> None:
    weather = Attribute.of_words("weather", {"Sun": ["sunny"], "Rain": ["rainy"]})
    design = RatingDesign.make(
        weather,
        terms=("town", "village"),
        template=bl.probes.rating.Template("in the", ("It is {value} in the {term}.",)),
        texts=25,
    )
    bench = Bench(bl.observers.service("faithful", attribute=weather), design=design)
    bench.answer()
    assert bench.state["attribute"] == "weather"
    assert bench.state["attribute_options"][0]["templates"][0]["example"].startswith("It is ")
    picture = bench.rated()
    assert bench.controller.result.design == design
    assert picture["rows"][0]["corrected"] == "DSBS"
    bench.answer(attribute="gender", template="")
    assert "looks at weather" in bench.state["plan"]["problem"]


def test_a_service_that_fails_says_why_and_is_tried_again() -> None:
    echo = Echo()
    echo.error = ServiceRefusedError("The key is not valid.")
    bench = Bench(echo)
    bench.answer()
    bench.controller.run().wait()
    answer = bench.emitted.until(lambda s: s["answer"]["state"] == "error")["answer"]
    assert "The key is not valid." in answer["message"]["text"]
    echo.error = None
    assert bench.reply("retry")["ok"]
    picture = bench.until(lambda p: p["rows"] and p["rows"][0]["corrected"] is not None)
    assert picture["rows"][0]["corrected"] == "DSBS"


def test_answers_of_a_service_without_a_version_are_said_not_to_be_kept() -> None:
    bench = Bench(lambda text: text)
    picture = bench.rated()
    assert "not cached" in picture["footer"][1]
    assert bench.planned()["known"] == 0


def test_what_could_not_be_read_is_counted_and_listed() -> None:
    def shrug(text: str) -> str:
        return text if text.startswith("He") else "Nothing is known about it all."

    bench = Bench(bl.services.FunctionService(shrug, version="1"))
    picture = bench.rated()
    detail = bench.state["detail"]
    unread = sum(cell["unresolved"] for cell in picture["rows"][0]["cells"])
    assert unread == sum(count for _, count in detail["reasons"]) > 0
    assert picture["rows"][0]["unresolved"] == unread
    assert any(mark["value"] == -1 for row in detail["texts"] for mark in row["back_marks"])


def test_a_drag_sends_what_is_rated_anew_and_no_text() -> None:
    bench = Bench(through())
    bench.rated()
    bench.answer(distributions=bench.shares(0, 0.5, 0.4, 0.1))
    bench.emitted.log.clear()
    bench.answer(distributions=bench.shares(0, 0.3, 0.5, 0.2))
    assert "answer" in bench.emitted.log[-1]
    assert not any("detail" in outputs for outputs in bench.emitted.log)


def test_exports_are_those_of_the_screen() -> None:
    bench = Bench(through())
    bench.rated()
    bench.answer(distributions=bench.shares(0, 0.8, 0.2, 0.0))
    result = bench.controller.result
    assert RatingResult.from_json(bench.reply("json")["content"]).ratings == result.ratings
    rows = list(csv.DictReader(io.StringIO(bench.reply("csv", what="texts")["content"])))
    assert len(rows) == 3 * 3 * 20 * 2
    assert {row["language"] for row in rows} == {"Spanish", "Turkish", "Catalan"}
    assert {row["back"] for row in rows if row["language"] == "Turkish"} == {"He"}
    rows = list(csv.DictReader(io.StringIO(bench.reply("csv", what="ratings")["content"])))
    assert [row["corrected"] for row in rows[::3]] == [r.corrected for r in result.ratings]
    card = bench.reply("card", format="json")
    assert json.loads(card["content"]) == json.loads(result.card().to_json())
    assert bench.reply("card", format="html")["content"] == result.card().to_html()
    assert bench.reply("card", format="markdown")["filename"].endswith(".md")
    assert not bench.reply("card", format="pdf")["ok"]
    assert not bench.reply("csv", what="nothing")["ok"]
    saved = bench.reply("save", label="dragged")
    run = saved["message"].removeprefix("Saved as run ").rstrip(".")
    saved_result = Store().open(run)
    assert isinstance(saved_result, RatingResult)
    assert saved_result.ratings == result.ratings


def test_an_unknown_service_or_attribute_says_so() -> None:
    bench = Bench()
    answer = bench.answer(service="nobody")
    assert answer["state"] == "error"
    assert "“nobody”" in answer["message"]["text"]
    assert not bench.reply("run")["ok"]
    bench.answer(service="faithful", attribute="age")
    assert "no attribute “age”" in bench.state["plan"]["problem"]
