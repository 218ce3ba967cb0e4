"""The sentence bench in both hosts without a front end: traits and params, results, figures."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
import biaslab_widgets
from biaslab.errors import QueryError
from biaslab_widgets.app.shared import Shared
from harness.deferred import Deferred
from harness.panels import panel
from harness.sentence_controller import LISTS, Named
from harness.server import wait_until

registry = Deferred("biaslab_widgets.benches")

KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture(params=["jupyter", "panel"])
def host(request: pytest.FixtureRequest) -> Any:
    return biaslab_widgets.SentenceBench if request.param == "jupyter" else panel("sentences")


def made(host: Any, **options: Any) -> Any:
    return host([Named("one"), Named("two", 0.4)], spec=LISTS, **options)


def test_a_test_in_python_gives_each_models_result(host: Any) -> None:
    bench = made(host)
    with pytest.raises(QueryError, match="Nothing has been tested"):
        _ = bench.results
    bench.test().wait()
    assert list(bench.results) == ["one", "two"]
    assert bench.result == bench.results["one"]
    assert len(bench.pairs) == 48
    assert bench.result.overall.n_pairs == 48


def test_pairs_are_set_in_python(host: Any) -> None:
    bench = made(host)
    bench.pairs = ["The man likes algebra.", "The woman likes poetry."]
    assert [pair.stereotyped for pair in bench.pairs] == [
        "The man likes algebra.",
        "The woman likes poetry.",
    ]
    bench.test().wait()
    assert bench.result.overall.n_pairs == 2


def test_options_are_inputs(host: Any) -> None:
    bench = made(host, step=2, per_attribute=3)
    assert (bench.step, bench.per_attribute) == (2, 3)
    assert len(bench.pairs) == 12


def test_the_key_is_not_left_in_what_a_notebook_would_save() -> None:
    bench = made(biaslab_widgets.SentenceBench)
    args = {"writer": "endpoint", "model": "m", "base_url": "http://127.0.0.1:9/v1", "key": KEY}
    blanked = threading.Event()

    def look(change: dict[str, Any]) -> None:
        if KEY not in json.dumps(change["new"]):
            blanked.set()

    bench.observe(look, names="command")
    bench.set_state({"command": {"id": 1, "name": "write", "args": args}})
    assert blanked.wait(60)
    wait_until(lambda: bench.controller.materials.maker.job is not None, "The writer")
    bench.controller.materials.maker.job.wait()
    assert KEY not in json.dumps(bench.get_state(), default=str)


def test_a_notebook_without_a_kernel_shows_the_results() -> None:
    bench = made(biaslab_widgets.SentenceBench)
    assert bench.static_picture() is None
    bench.test().wait()
    svg = bench.static_picture()
    assert svg is not None
    assert "one finds the stereotyped version" in svg
    assert bench.figure() is not None


def test_two_benches_of_one_model_share_nothing_else(host: Any) -> None:
    one, two = made(host, step=2), made(host, step=2)
    one.pairs = ["The man likes algebra."]
    one.test().wait()
    assert len(two.pairs) == 48
    with pytest.raises(QueryError):
        _ = two.results


def test_the_app_offers_its_models_and_one_whose_truth_is_known() -> None:
    entry = next(entry for entry in registry.BENCHES if entry.slug == "sentences")
    page: Any = entry.panel_class.on_page(Shared({}, {}))
    assert entry.title == "Sentences"
    assert page.models == ["simulated"]
    assert [option["name"] for option in page.subjects] == ["simulated"]
    shared = Shared.of(bl.observers.embedding(pse={"nurse": 0.6}, jnd=0.1))
    page = entry.panel_class.on_page(shared)
    # A model that only decides cases is offered, and not chosen at first.
    assert page.models == ["wiki-mlm", "wiki-clm"]
    assert [option["name"] for option in page.subjects] == [*shared.language_models, "simulated"]
