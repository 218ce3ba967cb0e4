"""The image bench's controller: three steps, the test of several models, and what it shows."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import numpy as np
import pytest

from biaslab.errors import ImageError, QueryError, SubjectError
from biaslab.images import Image, ImageSet
from biaslab.store import Store
from biaslab.subjects.embedding.terms import Resolution, Unknown
from biaslab_widgets.core.subjects.sources import Source
from harness.emitted import Gate
from harness.image_controller import LISTS, RATES, TERMS, Bench, Named, noise, noises

pytestmark = pytest.mark.usefixtures("own_home")


class Counted(Named):
    """Counts what it was asked; stops where it is told to."""

    def __init__(self, name: str = "counted", kind: str = "blip", **options: Any) -> None:
        super().__init__(name, **options)
        self.kind = kind
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        self.gate: Gate | None = None
        self.error: Exception | None = None

    def answers(self, images: Any, concepts: Any, *args: Any, **options: Any) -> Any:
        if hasattr(images[0], "alpha"):  # of the morph explorer
            return super().answers(images, concepts, *args, **options)
        if self.error is not None:
            raise self.error
        found = super().answers(images, concepts, *args, **options)
        if self.gate is not None:
            self.gate.pass_through()
        self.asked += [(image.hash, tuple(concepts)) for image in images]
        return found


class Knowing(Named):
    """Knows no other concepts than those of the lists."""

    def resolve(self, concepts: Any) -> Any:
        found = super().resolve([c for c in concepts if c in self._list_of])
        unknown = tuple(
            Unknown(c, "is no word to it", ("helper",)) for c in concepts if c not in self._list_of
        )
        return Resolution(found.known, unknown, found.duplicates, found.read_as)


def with_concepts(*helpers: str) -> list[dict[str, Any]]:
    return [{**one, "terms": list(helpers)} if one["name"] == "helpers" else one for one in LISTS]


def states(answer: dict[str, Any]) -> list[str]:
    return [step["state"] for step in answer["steps"]]


def test_each_step_opens_when_the_one_before_is_adequate() -> None:
    bench = Bench()
    assert states(bench.answer()) == ["done", "done", "open"]
    assert bench.answer(step=2)["steps"][1]["note"] == "32 pictures, 0 removed"
    empty = Bench(images=ImageSet())
    answer = empty.answer(step=3)
    assert states(answer) == ["done", "open", "closed"]
    assert "no pictures yet" in answer["message"]["text"]
    assert not empty.reply("test")["ok"]


@pytest.mark.parametrize(
    ("lists", "told"),
    [
        ([], "The test compares two lists of image terms"),
        (LISTS[:1], "The test compares two lists of image terms"),
        ([LISTS[0], {**LISTS[1], "terms": []}, *LISTS[2:]], "“portraits of men” has no image term"),
        (LISTS[:2], "The test compares two lists of concepts"),
        ([*LISTS[:3], {**LISTS[3], "terms": []}], "“experts” is empty"),
        ([*LISTS[:3], {**LISTS[3], "of": []}], "No concept list is tied to “portraits of men”"),
        (
            [LISTS[0], {**LISTS[1], "terms": ["Female nurse"]}, *LISTS[2:]],
            "“female nurse” is on both sides",
        ),
        ([*LISTS[:3], {**LISTS[3], "terms": ["Carer"]}], "“carer” is on both sides"),
    ],
)
def test_a_closed_step_says_what_is_missing_and_loses_nothing(lists: Any, told: str) -> None:
    bench = Bench()
    before = bench.tested()
    answer = bench.answer(lists=lists, step=2)
    assert states(answer)[1:] == ["closed", "closed"]
    assert told in answer["message"]["text"]
    assert answer["picture"] == before  # the last result stays
    assert bench.answer(lists=LISTS, step=3)["picture"]["models"] == before["models"]


def test_the_numbers_are_those_of_the_result() -> None:
    bench = Bench(Named())
    picture = bench.tested(seed=3, level=0.9)
    result = bench.controller.result
    shown = picture["models"][0]
    assert shown["overall"]["score"] == pytest.approx(result.score, abs=1e-5)
    assert shown["overall"]["low"] == pytest.approx(result.interval.low, abs=1e-5)
    assert [row["name"] for row in picture["terms"]] == TERMS
    said = "".join(span["text"] for span in picture["verdict"])
    assert said == " ".join(result.verdict())
    squares = bench.state["scores"]["models"][0]
    np.testing.assert_allclose(squares["scores"], result.scores, atol=1e-4)
    assert set(squares["tones"]) <= set("ABCabct")


def test_the_score_holds_what_was_planted() -> None:
    bench = Bench(Named(image_sd=0.0))
    row = bench.tested()["models"][0]
    truth = np.mean([RATES["female nurse"], RATES["female chef"], 0.5, 0.7])
    assert row["overall"]["score"] == pytest.approx(truth, abs=1e-4)
    by_term = [one["scores"][0]["score"] for one in bench.state["answer"]["picture"]["terms"]]
    assert by_term == pytest.approx([0.7, 0.6, 0.5, 0.7], abs=1e-4)


def test_an_edited_concept_is_asked_at_once_where_pictures_are_remembered() -> None:
    quick, slow = Counted("quick", kind="observer"), Counted("slow", kind="blip")
    bench = Bench([quick, slow])
    bench.tested(models=["quick", "slow"])
    before = len(slow.asked)
    picture = bench.answer(lists=with_concepts("helper", "carer", "other"))["picture"]
    assert [row["state"] for row in picture["models"]] == ["done", "waiting"]
    assert "Test again" in picture["models"][1]["message"]
    assert picture["run"]["stale"]
    assert len(slow.asked) == before
    assert bench.controller.results["quick"].concepts == (
        "helper",
        "carer",
        "other",
        "expert",
        "leader",
    )
    # Of a list that has lost a word all is known.
    fewer = bench.answer(lists=with_concepts("helper"))["picture"]
    assert [row["state"] for row in fewer["models"]] == ["done", "done"]
    assert len(slow.asked) == before


def test_a_test_asks_only_about_what_is_new() -> None:
    model = Counted()
    bench = Bench(model)
    bench.tested()
    assert len(model.asked) == 32
    bench.controller.materials.begin_with(ImageSet((*noises(), noise("male chef", 77))))
    assert bench.answer()["picture"]["run"]["untested"] == 1
    bench.tested()
    assert len(model.asked) == 33


def test_several_models_are_compared_on_the_same_pictures() -> None:
    bench = Bench([Named("one"), Named("two", rates=dict.fromkeys(TERMS, 0.5), seed=2)])
    picture = bench.tested(models=["one", "two"])
    assert [row["name"] for row in picture["models"]] == ["one", "two"]
    assert len(picture["comparisons"]) == 1
    assert "32 pictures" in picture["comparisons"][0]
    assert len(picture["terms"][0]["scores"]) == 2
    alone = bench.answer(models=["two"])["picture"]
    assert alone["comparisons"] == []


def test_what_one_model_cannot_do_stops_no_other() -> None:
    broken = Counted("broken")
    broken.error = SubjectError("Its weights are damaged.")
    bench = Bench([broken, Named("sound")])
    picture = bench.tested(models=["broken", "sound"])
    assert [row["state"] for row in picture["models"]] == ["failed", "done"]
    assert "damaged" in picture["models"][0]["message"]
    assert list(bench.controller.results) == ["sound"]
    broken.error = None
    assert bench.reply("retry")["ok"]
    bench.until(lambda p: [row["state"] for row in p["models"]] == ["done", "done"])


def test_stopping_keeps_what_is_tested() -> None:
    model = Counted()
    model.gate = Gate()
    bench = Bench(model)
    bench.answer(step=3)
    job = bench.controller.test()
    assert model.gate.entered.wait(60)
    assert not bench.reply("test")["ok"]
    with pytest.raises(QueryError, match="is running"):
        _ = bench.controller.results
    assert bench.reply("stop")["ok"]
    model.gate.open()
    job.wait()
    picture = bench.until(lambda p: not p["run"]["running"])
    row = picture["models"][0]
    assert row["state"] == "stopped"
    assert "Not tested: 16 pictures." in row["message"]
    assert picture["run"]["untested"] == 16
    assert bench.controller.result.unscored == 16
    # Terms in turn: each has some.
    assert [one["scores"][0]["images"] for one in picture["terms"]] == [4, 4, 4, 4]


def test_a_picture_that_is_gone_fails_alone() -> None:
    def gone() -> Any:
        raise ImageError("Its file was deleted.")

    lost = Image(noise("male chef", 500).record, gone)

    class Looking(Counted):
        def answers(self, images: Any, *args: Any, **options: Any) -> Any:
            for image in images:
                image.picture()  # as a model does that looks at it
            return super().answers(images, *args, **options)

    bench = Bench(Looking(), images=ImageSet((*noises(), lost)))
    row = bench.tested()["models"][0]
    assert row["state"] == "done"
    assert row["overall"]["images"] == 32
    assert bench.state["scores"]["models"][0]["tones"][-1] == "f"
    bench.answer(image=bench.ids[-1])
    detail = bench.state["detail"]
    assert detail["picture"] == ""
    assert "deleted" in detail["about"][0]
    assert "deleted" in detail["models"][0]["failure"]


def test_the_picture_that_is_looked_at_shows_what_each_model_says() -> None:
    bench = Bench()
    bench.tested()
    number = 5
    bench.answer(image=bench.ids[number])
    detail = bench.state["detail"]
    result = bench.controller.result
    assert detail["place"] == "female nurse, picture 6 of 32"
    assert detail["alt"] == "noise 5"
    assert detail["picture"].startswith("data:image/jpeg;base64,")
    said = detail["models"][0]
    assert said["both"][0] == pytest.approx(result.first[number], abs=1e-5)
    assert sum(said["both"]) == pytest.approx(1)
    assert [row[0] for row in said["by_template"]] == list(result.templates)
    assert {row[0]: row[1] for row in said["by_concept"]} == {
        "helper": 0, "carer": 0, "expert": 1, "leader": 1
    }  # fmt: skip
    assert sum(row[2] for row in said["by_concept"]) == pytest.approx(1, abs=1e-4)
    assert bench.answer(image="none")["state"] == "ready"
    assert bench.state["detail"]["id"] == ""


def test_concepts_that_a_model_cannot_be_asked_are_marked_and_told() -> None:
    bench = Bench(Knowing("knowing"))
    picture = bench.tested(lists=with_concepts("helper", "zebra"))
    assert picture["models"][0]["unasked"] == [("zebra", "is no word to it")]
    marks = bench.state["marks"]
    assert [(m["list"], m["position"], m["kind"]) for m in marks] == [(2, 1, "unknown")]
    assert "knowing" in marks[0]["reason"]
    assert marks[0]["suggestions"] == ["helper"]
    answer = bench.answer(lists=with_concepts("zebra"))
    assert answer["state"] == "error"
    assert "any concept in the list “helpers”" in answer["message"]["text"]


def test_one_picture_and_the_same_pictures_get_a_remark_where_they_stand() -> None:
    same = [noise(term, 1) for term in ("female nurse", "female chef")]
    more = [noise("male nurse", i) for i in range(2, 5)] + [noise("male chef", 9)]
    bench = Bench(images=ImageSet((*same, *more)))
    bench.answer(step=2)
    remarks = {row["name"]: row["remark"] for row in bench.state["images"]["terms"]}
    assert "have the same pictures" in remarks["female nurse"]
    assert "have the same pictures" in remarks["female chef"]
    assert "one picture" in remarks["male chef"]
    assert remarks["male nurse"] == ""
    assert bench.tested()["models"][0]["overall"]["images"] == 6


def test_captions_and_aggregate_are_followed_at_once() -> None:
    bench = Bench()
    bench.tested()
    one = bench.answer(captions=["a {concept}"])
    assert [text for text, _ in one["picture"]["models"][0]["templates"]] == ["a {concept}"]
    assert one["steps"][2]["note"].startswith("1 template")
    bench.answer(captions=[], aggregate="any")
    assert bench.controller.result.aggregate == "any"
    wrong = bench.answer(captions=["{concept} or {concept}"], aggregate="sum")
    assert wrong["picture"]["models"][0]["state"] == "failed"
    assert "once" in wrong["picture"]["models"][0]["message"]
    assert bench.answer(captions=[])["picture"]["models"][0]["state"] == "done"


def test_a_model_that_does_not_open_says_why() -> None:
    def fails(_on_progress: Any) -> Any:
        raise SubjectError("There is no such model on the hub.")

    bench = Bench({"lost": Source("lost", fails), "known": Source("known", lambda _: Named())})
    picture = bench.tested(models=["lost", "known", "unheard"])
    states = [row["state"] for row in picture["models"]]
    assert states == ["failed", "done", "failed"]
    assert "no such model" in picture["models"][0]["message"]
    assert "There is no model “unheard”" in picture["models"][2]["message"]


def test_thumbnails_of_a_table_are_made_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("biaslab_widgets.benches.images.bench.THUMBNAILS_S", 0.0)
    bench = Bench([Named("one")])
    bench.tested(models=["one"])
    told = []
    while "content" not in (reply := bench.reply("csv", what="images")):
        assert reply["ok"]
        told.append(reply["message"])
        assert len(told) < 100
    assert told[0] == "1 of 32 thumbnails are ready."
    assert told[-1] == "31 of 32 thumbnails are ready."
    rows = list(csv.DictReader(io.StringIO(reply["content"])))
    assert all(row["thumbnail"].startswith("data:image/jpeg;base64,") for row in rows)


def test_exports_hold_what_the_results_hold() -> None:
    bench = Bench([Named("one"), Named("two", seed=2)])
    assert "Nothing has been tested" in bench.reply("csv")["message"]
    bench.tested(models=["one", "two"])
    results = bench.controller.results
    images = list(csv.DictReader(io.StringIO(bench.reply("csv", what="images")["content"])))
    assert len(images) == 64
    assert images[0]["thumbnail"].startswith("data:image/jpeg;base64,")
    assert float(images[32]["score"]) == pytest.approx(results["two"].scores[0])
    terms = list(csv.DictReader(io.StringIO(bench.reply("csv", what="terms")["content"])))
    assert {row["model"] for row in terms} == {"one", "two"}
    models = list(csv.DictReader(io.StringIO(bench.reply("csv", what="models")["content"])))
    assert float(models[0]["score"]) == results["one"].score
    assert models[1]["first_less_this"] != ""
    assert not bench.reply("csv", what="everything")["ok"]
    document = json.loads(bench.reply("json")["content"])
    assert document["schema"] == "image-associations/1"
    assert document["results"]["two"]["schema"] == "image-association/1"
    saved = bench.reply("save", label="mine")
    assert saved["ok"]
    assert len(Store().runs()) == 2


def test_a_bench_opens_at_once_with_the_bundled_model_and_its_spec() -> None:
    bench = Bench(models={**_bundled()}, spec="images-experts-helpers", images=ImageSet())
    answer = bench.answer()
    assert states(answer)[0] == "done"
    assert bench.controller.opening.open_within(bench.state["models"], 60)
    assert bench.state["models"] == ["portrait-clip"]
    assert [one["name"] for one in bench.state["subjects"]] == ["portrait-clip", "simulated vision"]
    assert "8 image terms, 8 concepts" in answer["steps"][0]["note"]


def _bundled() -> Any:
    from biaslab_widgets.benches.images.subjects import vision_sources

    return vision_sources()
