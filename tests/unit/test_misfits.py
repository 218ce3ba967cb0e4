"""Subjects that a bench cannot ask: which those are, why, and where to go instead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
from biaslab.subjects.opening.inspection import inspect
from biaslab.subjects.opening.load import bundled_names
from biaslab_widgets.app.library.shared import Shared
from biaslab_widgets.app.site import Site
from biaslab_widgets.core.subjects.opening import misfits_of, why_not
from harness.deferred import Deferred
from harness.emitted import observers

app = Deferred("biaslab_widgets.app.serve")
reopening = Deferred("biaslab_widgets.app.pages.reopening")
registry = Deferred("biaslab_widgets.benches")


def entry_of(bench: str) -> Any:
    return next(entry for entry in registry.BENCHES if entry.slug == bench)


def on_page(bench: str, shared: Shared | None = None) -> Any:
    site = Site(shared or Shared.of([observers(), "wiki-mlm"]))
    made = entry_of(bench).panel_class.on_page(site.shared)
    made.controller.know(site.subjects.infos())
    return made


def test_every_bench_over_subjects_refuses_exactly_what_does_not_fit() -> None:
    infos = [inspect(name) for name in bundled_names()]
    for entry in registry.BENCHES:
        refused = {one["name"] for one in misfits_of(entry.slug, infos)}
        fitting = {
            info.name
            for info in infos
            if any(fit.name == entry.name and fit.fits for fit in info.questions)
        }
        known = {info.name for info in infos}
        assert refused == (known - fitting if entry.need else set()), entry.name


def test_a_misfit_names_a_bench_by_its_title_and_its_address() -> None:
    titles = {entry.title: entry.slug for entry in registry.BENCHES}
    for entry in registry.BENCHES:
        for misfit in misfits_of(entry.slug, [inspect(name) for name in bundled_names()]):
            assert misfit["reason"].startswith("needs ")
            assert titles[misfit["bench"]] == misfit["page"]


def test_the_message_says_what_is_needed_and_leads_to_a_bench_that_fits() -> None:
    back = {"label": "Back", "set": {"subject": "wiki-bootstraps"}}
    notice = why_not("wiki-clm", "occupations", [], back)
    assert notice is not None
    assert notice["title"] == "wiki-clm does not fit this bench"
    assert notice["text"] == (
        "This bench needs word vectors; wiki-clm is a causal language model. Ask it in"
        " Psychometric."
    )
    first, second = notice["actions"]
    assert (first["label"], first["page"]) == ("Open Psychometric", "psychometric?subject=wiki-clm")
    assert second["set"] == {"subject": "wiki-bootstraps"}
    assert why_not("wiki-bootstraps", "occupations", [], back) is None
    assert why_not("nothing of that name", "occupations", [], back) is None


def test_a_name_is_quoted_in_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "home"))
    file = tmp_path / "mine.txt"
    file.write_bytes(b"she 1.0 0.0\nhe 0.0 1.0\n")
    bl.subjects.library.add(file, "mine & yours")
    notice = why_not("mine & yours", "posterior", [], None)
    assert notice is not None
    assert notice["actions"][0]["page"] == "psychometric?subject=mine%20%26%20yours"


@pytest.mark.parametrize(
    ("bench", "values", "named"),
    [
        ("psychometric", {"subject": "imdb-sentiment"}, "Posterior"),
        ("posterior", {"subject": "wiki-mlm"}, "Psychometric"),
        ("sentences", {"models": ["wiki-mlm", "imdb-sentiment"]}, "Posterior"),
        ("images", {"models": ["wiki-mlm"]}, "Psychometric"),
        ("rating", {"service": "wiki-mlm"}, "Psychometric"),
    ],
)
def test_a_bench_says_why_it_cannot_ask_a_subject(
    bench: str, values: dict[str, Any], named: str
) -> None:
    controller = on_page(bench).controller
    controller.change(values)
    answer = controller.answer(controller.snapshot())["answer"]
    assert answer["state"] in ("empty", "cannot-say")
    labels = [action["label"] for action in answer["message"]["actions"]]
    assert labels[0] == f"Open {named}"
    # The way back leads to a state that the bench can answer.
    controller.change(answer["message"]["actions"][1]["set"])
    again = controller.answer(controller.snapshot())["answer"]
    assert "does not fit" not in str(again["message"])


def test_the_app_lists_own_subjects_and_leaves_out_simulated_services(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "home"))
    bl.subjects.library.add_service(
        "lab-chat", "chat", {"address": "http://127.0.0.1:1/v1", "model": "local"}
    )
    site = Site(Shared.of([observers()]))
    site.subjects.begin()
    made = entry_of("occupations").panel_class.on_page(site.shared)
    made.controller.know(site.subjects.infos())
    names = [misfit["name"] for misfit in made.controller.state["misfits"]]
    assert names[-1] == "lab-chat"
    assert "always he" not in names
    assert observers().name not in names
    assert set(names) == {*bundled_names(), "lab-chat"} - {"wiki-bootstraps"}


@pytest.mark.parametrize(
    ("bench", "choice", "chosen"),
    [
        ("posterior", "subject", "wiki-mlm"),
        ("images", "models", ["wiki-mlm"]),
        ("rating", "service", "wiki-mlm"),
    ],
)
def test_an_address_may_name_a_subject_that_does_not_fit(
    bench: str, choice: str, chosen: Any
) -> None:
    made = on_page(bench)
    app.choose_subject(made, [b"wiki-mlm"])
    assert getattr(made, choice) == chosen


def test_a_reopened_page_keeps_a_subject_that_does_not_fit() -> None:
    made, asked = on_page("posterior"), {"subject": [b"wiki-mlm"]}
    assert reopening.reopen(made, entry_of("posterior"), bl.Store(), asked) is None
    assert made.subject == "wiki-mlm"


def test_subjects_say_what_they_are_before_they_are_open() -> None:
    made = on_page("psychometric", Shared.of(["wiki-bootstraps"]))
    shown = {one["name"]: (one["group"], one["what"]) for one in made.controller.state["subjects"]}
    assert shown["wiki-bootstraps"] == ("Word embeddings", "32 embeddings")
    assert shown["wiki-mlm"] == ("Language models", "masked language model")
