"""The image bench in both hosts without a front end: traits and params, results, figures."""

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
from biaslab_widgets.app.shared import Shared
from biaslab_widgets.core.sources import Source
from harness.deferred import Deferred
from harness.image_controller import LISTS, Named, noise, noises
from harness.panels import panel

registry = Deferred("biaslab_widgets.benches")

KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture(params=["jupyter", "panel"])
def host(request: pytest.FixtureRequest) -> Any:
    return biaslab_widgets.ImageBench if request.param == "jupyter" else panel("images")


def made(host: Any, images: Any = None, **options: Any) -> Any:
    given = noises() if images is None else images
    return host([Named("one"), Named("two", seed=2)], spec=LISTS, images=given, **options)


def test_a_test_in_python_gives_each_models_result(host: Any) -> None:
    bench = made(host)
    with pytest.raises(QueryError, match="Nothing has been tested"):
        _ = bench.results
    bench.models = ["one", "two"]
    bench.test().wait()
    assert list(bench.results) == ["one", "two"]
    assert bench.result == bench.results["one"]
    assert len(bench.image_set) == 32
    assert bench.result.overall.n_images == 32


def test_pictures_are_given_in_python(host: Any, tmp_path: Path) -> None:
    bench = made(host, images=list(noises(2)))
    assert len(bench.image_set) == 8
    for number, term in enumerate(("female nurse", "female chef", "male nurse", "male chef")):
        place = tmp_path / "photos" / term.replace(" ", "_")
        place.mkdir(parents=True)
        (place / "a.png").write_bytes(png(noise("", number, 32).picture()))
    bench.image_set = tmp_path / "photos"
    assert [image.term for image in bench.image_set] == [
        "female nurse", "female chef", "male nurse", "male chef",
    ]  # fmt: skip
    bench.test().wait()
    assert bench.result.overall.n_images == 4
    with pytest.raises(ImageError, match="not a picture with a term"):
        bench.image_set = [noise("a", 1).picture()]


def test_options_are_inputs(host: Any) -> None:
    bench = made(host, step=2, aggregate="mean")
    assert (bench.step, bench.aggregate) == (2, "mean")
    bench.test().wait()
    assert bench.result.aggregate == "mean"


def test_what_was_uploaded_or_typed_is_not_left_in_what_a_notebook_would_save() -> None:
    bench = made(biaslab_widgets.ImageBench)
    content = base64.b64encode(png(noise("", 1, 32).picture())).decode()
    blanked = threading.Event()

    def look(change: dict[str, Any]) -> None:
        if not change["new"]["args"].keys() & {"files", "key"}:
            blanked.set()

    bench.observe(look, names="command")
    args = {"term": "male chef", "files": [{"name": "a.png", "content": content}], "key": KEY}
    bench.set_state({"command": {"id": 1, "name": "upload", "args": args}})
    assert blanked.wait(60)
    saved = json.dumps(bench.get_state(), default=str)
    assert content not in saved
    assert KEY not in saved


def test_folders_can_be_named_in_a_notebook_only(host: Any) -> None:
    assert made(host).folders is (host is biaslab_widgets.ImageBench)


def test_the_notebook_shows_a_picture_that_needs_no_kernel() -> None:
    bench = made(biaslab_widgets.ImageBench)
    assert bench.static_picture() is None
    bench.test().wait()
    assert bench.static_picture().startswith("<svg")
    assert bench.figure() is not None


def test_an_unknown_option_names_those_there_are() -> None:
    with pytest.raises(TypeError, match="per_term"):
        made(biaslab_widgets.ImageBench, per_image=3)


def test_what_is_no_model_is_refused(host: Any) -> None:
    with pytest.raises(bl.errors.SubjectError, match="needs a vision-language model; this is 3"):
        host([3], spec=LISTS, images=noises(1))


def test_the_served_app_has_the_bench_and_shares_its_models() -> None:
    entry = next(one for one in registry.BENCHES if one.slug == "images")
    shared = Shared.of([Named("one")])
    assert list(shared.vision_models) == ["one"]
    first, second = entry.panel_class.on_page(shared), entry.panel_class.on_page(shared)
    assert first.models == second.models == ["one"]
    assert [one["name"] for one in first.subjects] == ["one", "simulated vision"]
    assert list(Shared.of().vision_models) == ["portrait-clip"]


def test_a_server_for_others_opens_the_bundled_models_and_no_other() -> None:
    asked: list[str] = []
    shared = Shared.of()
    shared.language_models["mine"] = Source("mine", lambda _: asked.append("mine"), given="mine")
    shared.open_bundled()
    opened = {**shared.vision_models, **shared.language_models}
    assert {name for name, one in opened.items() if not one.is_open} == {"mine"}
    assert asked == []
