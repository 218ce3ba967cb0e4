"""An answer that would take long is a job; one that a page could not show is refused."""

from __future__ import annotations

from typing import Any

import pytest

from biaslab.jobs.job import unfinished
from biaslab.jobs.workers import NO_LIMITS, SERVED
from biaslab_widgets.benches.association import bench as association
from biaslab_widgets.benches.association.bench import AssociationController
from biaslab_widgets.core.answers.cache import ANSWERS
from biaslab_widgets.core.bench import subject_bench
from biaslab_widgets.core.subjects.sources import sources
from harness.emitted import Emitted
from harness.garden import lists, subject
from harness.server import wait_until


@pytest.fixture
def emitted() -> Emitted:
    return Emitted()


@pytest.fixture
def bench(emitted: Emitted) -> AssociationController:
    return AssociationController(sources(subject(2)), emitted, lists())


def picture(emitted: Emitted, generation: int) -> Any:
    return emitted.answer(generation)["picture"]


def test_an_answer_above_the_budget_is_a_job_with_the_same_result(
    bench: AssociationController, emitted: Emitted, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.change({"generation": 1})
    at_once = picture(emitted, 1)
    monkeypatch.setattr(subject_bench, "LONGEST_ANSWER_S", 0.0)
    other = AssociationController(sources(subject(2)), later := Emitted(), lists())
    other.change({"generation": 1})
    assert picture(later, 1)["before"]["distances"] == at_once["before"]["distances"]
    states = [answer["state"] for answer in later.answers]
    assert states[-1] == "ready"
    assert "loading" in states[:-1]


@pytest.mark.parametrize("debiasing", ["none", "hard"])
def test_an_answer_made_aside_is_the_same(debiasing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pictures: list[Any] = []
    for limits in (NO_LIMITS, SERVED):
        bench = AssociationController(sources("wiki-bootstraps"), Emitted())
        bench.jobs.limits = limits
        bench.opening.sources["wiki-bootstraps"].open()
        bench.state |= {"replicate": 0, "debiasing": debiasing}
        monkeypatch.setattr(ANSWERS, "of", lambda _about, _question, compute: compute())
        shown = bench.answer(bench.snapshot())["answer"]["picture"]
        del shown["footer"]  # how long it took
        for side in filter(None, (shown["before"], shown["after"])):
            side["posteriors"][0]["milliseconds"] = 0.0
        pictures.append(shown)
        bench.close()
    assert (pictures[0]["after"] is None) == (debiasing == "none")
    assert pictures[0] == pictures[1]


def test_it_can_be_stopped_and_computed_again(
    bench: AssociationController, emitted: Emitted, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.change({"generation": 1})
    emitted.answer(1)
    monkeypatch.setattr(subject_bench, "LONGEST_ANSWER_S", 0.0)
    begun: list[Any] = []
    as_job = bench.ask_as_job

    def held(*args: Any) -> Any:
        begun.append(job := as_job(*args))
        if len(begun) == 1:
            job.cancel()
        return job

    monkeypatch.setattr(bench, "ask_as_job", held)
    bench.change({"level": 0.8, "generation": 2})
    stopped = emitted.answer(2)
    assert (stopped["state"], stopped["message"]["title"]) == ("empty", "Computing was stopped")
    assert stopped["message"]["actions"][0]["command"] == "ask-again"
    bench.change({"command": {"id": 1, "name": "ask-again", "args": {}}, "generation": 3})
    emitted.until(lambda s: s["answer"]["state"] == "ready" and s["answer"]["generation"] == 3)
    assert len(begun) == 2
    wait_until(lambda: not unfinished(), "The end of the jobs")


def test_lists_that_no_page_can_show_are_refused_before_anything_is_asked(
    bench: AssociationController, emitted: Emitted, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: Any) -> Any:
        raise AssertionError("The probe was asked.")

    monkeypatch.setattr(association, "MOST_DISTANCES", 10)
    monkeypatch.setattr(bench, "ask", never)
    bench.change({"generation": 1})
    notice = emitted.answer(1)["message"]
    assert notice["title"] == "Too many distances"
    assert "at most 10 can be shown. Shorten them" in notice["text"]


def test_the_estimate_grows_with_the_lists() -> None:
    assert association.seconds_for(20, 20, 1) < subject_bench.LONGEST_ANSWER_S
    assert association.seconds_for(1000, 20, 1) > subject_bench.LONGEST_ANSWER_S
    assert association.seconds_for(20, 20, 32) < association.seconds_for(20, 20, 320)
