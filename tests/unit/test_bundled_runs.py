"""The runs with which benches open in the app."""

from __future__ import annotations

from typing import Any

import pytest

import biaslab_widgets
from biaslab.errors import QueryError
from biaslab.records.kinds import brief_of
from biaslab_widgets.app.library.shared import Shared
from biaslab_widgets.benches import BENCHES
from biaslab_widgets.core.bench.first_runs import FIRST_RUNS, bundled_run
from harness.deferred import Deferred
from harness.emitted import observers
from harness.server import wait_until

reopening = Deferred("biaslab_widgets.app.pages.reopening")
serve = Deferred("biaslab_widgets.app.serve")

BUNDLED = [file.name.partition(".")[0] for file in sorted(FIRST_RUNS.glob("*.run.json.xz"))]
NAMED = [entry for entry in BENCHES if entry.name in BUNDLED]


@pytest.mark.parametrize("entry", NAMED, ids=lambda entry: entry.name)
def test_a_bench_opens_with_its_run_which_is_nobodys(entry: Any) -> None:
    bench = entry.panel_class.on_page(Shared.of())
    bundled = bundled_run(entry.name)
    assert bundled is not None
    told = reopening.show_first_run(bench)
    assert told == reopening.Reopened("", brief_of(bundled[1]), ())
    states: list[str] = []
    bench.controller.show_to(lambda outputs: states.extend(state_in(outputs)))
    bench.controller.answer_again()
    wait_until(lambda: "ready" in states, "Its picture")
    assert set(states) <= {"loading", "ready"}
    assert brief_of(bench.controller.result) == told.headline
    # Once its subject is open, nothing of it is kept for a person who leaves.
    wait_until(lambda: not bench.controller.has_run, "A bench without a run")
    bench.controller.close()


def test_a_notebook_opens_a_bench_with_its_run(closed_widgets: None) -> None:
    bench = biaslab_widgets.PosteriorBench.of_first_run()
    bundled = bundled_run("posterior")
    assert bundled is not None
    assert bench.result.headline == bundled[1].headline
    assert bench.result.of("positive").trust
    assert (bench.chains, bench.draws) == (16, 250)
    with pytest.raises(QueryError, match="OccupationsBench, which computes at once"):
        biaslab_widgets.OccupationsBench.of_first_run()


def state_in(outputs: dict[str, Any]) -> list[str]:
    """The answer's state in outputs; empty without an answer."""
    return [outputs["answer"]["state"]] if "answer" in outputs else []


def test_no_run_of_subjects_that_are_not_offered_is_shown() -> None:
    (entry,) = (one for one in BENCHES if one.name == "sentences")
    bench = entry.panel_class.on_page(Shared.of(observers()).copy())
    bench.controller.opening.sources.pop("wiki-mlm", None)
    bench.controller.state["subjects"] = []
    assert reopening.show_first_run(bench) is None
    bench.controller.close()


def test_an_address_with_settings_is_answered_instead() -> None:
    (entry,) = (one for one in BENCHES if one.name == "decisions")
    assert not serve.is_named(entry, {})
    assert not serve.is_named(entry, {"tour": [b"1"]})
    for name in ("run", "subject", "seed"):
        assert serve.is_named(entry, {name: [b"0"]})
