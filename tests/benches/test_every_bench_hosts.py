"""Benches of three steps in both hosts without a front end: traits and params, results, figures."""

from __future__ import annotations

import base64
import json
import threading
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
import biaslab_widgets
from biaslab.errors import ImageError, QueryError
from biaslab.images.opening import png
from biaslab_widgets.app.library.shared import Shared
from biaslab_widgets.core.subjects.sources import Source
from harness import image_controller, sentence_controller
from harness.deferred import Deferred
from harness.image_controller import noise, noises
from harness.panels import panel
from harness.server import wait_until

registry = Deferred("biaslab_widgets.benches")

KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def _own_home(own_home: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture(params=["jupyter", "panel"])
def host(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def images(host: str = "jupyter", **options: Any) -> Any:
    """An image bench over two models, of 32 pictures."""
    kind = biaslab_widgets.ImageBench if host == "jupyter" else panel("images")
    models = [image_controller.Named("one"), image_controller.Named("two", seed=2)]
    return kind(models, **{"spec": image_controller.LISTS, "images": noises(), **options})


def sentences(host: str = "jupyter", **options: Any) -> Any:
    """A sentence bench over two models, of 48 pairs."""
    kind = biaslab_widgets.SentenceBench if host == "jupyter" else panel("sentences")
    models = [sentence_controller.Named("one"), sentence_controller.Named("two", 0.4)]
    return kind(models, spec=sentence_controller.LISTS, **options)


def entry(slug: str) -> Any:
    return next(one for one in registry.BENCHES if one.slug == slug)


@pytest.mark.parametrize("made", [images, sentences])
def test_a_test_in_python_gives_each_models_result(made: Any, host: str) -> None:
    bench, other = made(host, step=2), made(host)
    with pytest.raises(QueryError, match="Nothing has been tested"):
        _ = bench.results
    bench.models = ["one", "two"]
    bench.test().wait()
    assert list(bench.results) == ["one", "two"]
    assert bench.result == bench.results["one"]
    with pytest.raises(QueryError):  # of the same models, and nothing else is shared
        _ = other.results


def test_pictures_are_given_in_python(host: str, tmp_path: Path) -> None:
    bench = images(host, images=list(noises(2)))
    assert len(bench.image_set) == 8
    for number, term in enumerate(image_controller.TERMS):
        place = tmp_path / "photos" / term.replace(" ", "_")
        place.mkdir(parents=True)
        (place / "a.png").write_bytes(png(noise("", number, 32).picture()))
    bench.image_set = tmp_path / "photos"
    assert [image.term for image in bench.image_set] == image_controller.TERMS
    bench.test().wait()
    assert bench.result.overall.n_images == 4
    with pytest.raises(ImageError, match="not a picture with a term"):
        bench.image_set = [noise("a", 1).picture()]


def test_pairs_are_set_in_python(host: str) -> None:
    bench, other = sentences(host), sentences(host)
    bench.pairs = ["The man likes algebra.", "The woman likes poetry."]
    assert [pair.stereotyped for pair in bench.pairs] == [
        "The man likes algebra.",
        "The woman likes poetry.",
    ]
    bench.test().wait()
    assert bench.result.overall.n_pairs == 2
    assert len(other.pairs) == 48


def test_options_are_inputs(host: str) -> None:
    bench = images(host, step=2, aggregate="mean")
    assert (bench.step, bench.aggregate) == (2, "mean")
    bench.test().wait()
    assert bench.result.aggregate == "mean"
    pairs = sentences(host, step=2, per_attribute=3)
    assert (pairs.step, pairs.per_attribute) == (2, 3)
    assert len(pairs.pairs) == 12


@pytest.mark.parametrize("made", [images, sentences])
def test_what_was_uploaded_or_typed_is_not_left_in_what_a_notebook_would_save(made: Any) -> None:
    bench = made()
    content = base64.b64encode(png(noise("", 1, 32).picture())).decode()
    secrets = (KEY, content)
    commands = {
        images: ("upload", {"term": "male chef", "files": [{"name": "a.png", "content": content}]}),
        sentences: (
            "write",
            {"writer": "endpoint", "model": "m", "base_url": "http://127.0.0.1:9"},
        ),
    }
    blanked = threading.Event()

    def look(change: dict[str, Any]) -> None:
        if not any(one in json.dumps(change["new"]) for one in secrets):
            blanked.set()

    bench.observe(look, names="command")
    name, args = commands[made]
    bench.set_state({"command": {"id": 1, "name": name, "args": {**args, "key": KEY}}})
    assert blanked.wait(60)
    if made is sentences:
        wait_until(lambda: bench.controller.materials.maker.job is not None, "The writer")
        bench.controller.materials.maker.job.wait()
    saved = json.dumps(bench.get_state(), default=str)
    assert not any(one in saved for one in secrets)


def test_folders_can_be_named_in_a_notebook_only(host: str) -> None:
    assert images(host).folders is (host == "jupyter")


@pytest.mark.parametrize("made", [images, sentences])
def test_a_notebook_without_a_kernel_shows_the_results(made: Any) -> None:
    bench = made()
    assert bench.static_picture() is None
    bench.test().wait()
    picture = bench.static_picture()
    assert picture.startswith("<svg")
    assert made is images or "one finds the stereotyped version" in picture
    assert bench.figure() is not None


def test_the_app_shares_its_vision_models_between_pages() -> None:
    shared = Shared.of([image_controller.Named("one")])
    assert list(shared.vision_models) == ["one"]
    first, second = (entry("images").panel_class.on_page(shared) for _ in range(2))
    assert first.models == second.models == ["one"]
    assert [one["name"] for one in first.subjects] == ["one", "simulated vision"]
    assert list(Shared.of().vision_models) == ["portrait-clip"]


def test_the_app_offers_language_models_and_one_whose_truth_is_known() -> None:
    page: Any = entry("sentences").panel_class.on_page(Shared({}, {}))
    assert page.models == [option["name"] for option in page.subjects] == ["simulated"]
    shared = Shared.of(bl.observers.embedding(pse={"nurse": 0.6}, jnd=0.1))
    page = entry("sentences").panel_class.on_page(shared)
    # A model that only decides cases is offered, and not chosen at first.
    assert page.models == ["wiki-mlm", "wiki-clm"]
    assert [option["name"] for option in page.subjects] == [*shared.language_models, "simulated"]


def test_a_server_for_others_opens_the_bundled_models_and_no_other() -> None:
    asked: list[str] = []
    shared = Shared.of()
    shared.language_models["mine"] = Source("mine", lambda _: asked.append("mine"), given="mine")
    shared.open_bundled()
    opened = {**shared.vision_models, **shared.language_models}
    assert {name for name, one in opened.items() if not one.is_open} == {"mine"}
    assert asked == []
