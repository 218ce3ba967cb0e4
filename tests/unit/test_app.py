"""The app's pages: every bench in the navigation, one loading of a subject for all sessions."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from biaslab.jobs.workers import NO_LIMITS
from biaslab_widgets.app.library.shared import Shared
from biaslab_widgets.app.shell import __file__ as shell_file
from biaslab_widgets.app.site import Site
from biaslab_widgets.core.subjects.sources import Source
from harness.deferred import Deferred
from harness.emitted import observers
from harness.heavy import pn
from harness.panels import panel

app = Deferred("biaslab_widgets.app.serve")
registry = Deferred("biaslab_widgets.benches")


def html(page: pn.Template) -> str:
    from bokeh.document import Document
    from bokeh.embed import file_html
    from bokeh.resources import Resources

    document = page.server_doc(doc=Document())
    text: str = file_html(
        document,
        resources=Resources(mode="server"),
        template=document.template,
        template_variables=document.template_variables,
    )
    return text


def serve_for_a_moment(monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any]) -> None:
    """Note what the app asks Panel to serve, and serve nothing."""

    def serve(pages: dict[str, Any], **options: Any) -> Any:
        asked.update(options, pages=pages)
        return MagicMock()

    monkeypatch.setattr(app.pn, "serve", serve)
    monkeypatch.setattr("biaslab.jobs.workers._limits", NO_LIMITS)  # it is given back


def test_slugs_are_addresses_and_told_apart() -> None:
    slugs = [entry.slug for entry in registry.BENCHES]
    assert len(set(slugs)) == len(slugs) > 0
    assert all(re.fullmatch(r"[a-z][a-z0-9-]*", slug) for slug in slugs)


def test_a_page_names_all_benches_marks_its_own_and_shows_the_frame_before_any_script() -> None:
    for entry in registry.BENCHES:
        shown = html(app.page_maker(entry, Site(Shared.of(observers())))())
        for other in registry.BENCHES:
            assert f'href="{other.slug}"' in shown
            assert other.title in shown
        marked = re.findall(r'href="([^"]+)"\s+aria-current="page"', shown)
        assert marked == [entry.slug]
        frame = shown.index('<section class="frame')
        assert frame < shown.index("bokeh.min.js") < shown.index("</body>")
        assert 'aria-busy="true"' in shown[frame : frame + 200]
        assert len(re.findall(r"<h1[ >]", shown)) == 1


def test_the_page_asks_no_other_machine() -> None:
    folder = Path(shell_file).parent / "templates"
    texts = [path.read_text(encoding="utf-8") for path in folder.glob("*.html")]
    assert texts
    assert re.findall(r"(?:https?:)?//[\w.-]+\.\w", "".join(texts)) == []


def test_a_page_loads_its_font_from_the_folder_that_is_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: dict[str, Any] = {}
    serve_for_a_moment(monkeypatch, asked)
    app.serve(observers(), static_dirs={"mine": "."})
    assert asked["static_dirs"]["mine"] == "."
    shown = html(app.page_maker(registry.BENCHES[0], Site(Shared.of(observers())))())
    addresses = set(re.findall(r'"(fonts/[^"]+)"', shown))
    assert len(addresses) == 1, "the font is loaded ahead, and once"
    folder, _, file = addresses.pop().partition("?")[0].partition("/")
    assert (Path(asked["static_dirs"][folder]) / file).read_bytes()[:4] == b"wOF2"


def test_each_session_gets_a_bench_of_its_own_over_the_shared_subjects() -> None:
    opened: list[str] = []

    def open_subject(_: Any) -> Any:
        opened.append("opened")
        return observers()

    shared = Shared({"shared": Source("shared", open_subject)}, {})
    page = app.page_maker(registry.BENCHES[0], Site(shared))
    benches = [next(iter(page().select(panel("psychometric")))) for _ in range(2)]
    assert benches[0] is not benches[1]
    benches[0].word = "teacher"
    assert benches[0].result.items == ("teacher",)
    assert benches[1].result.items == ("nurse",)
    assert opened == ["opened"]


def test_subjects_go_to_the_benches_that_they_suit() -> None:
    mine = observers()
    shared = Shared.of([mine, "imdb-sentiment"])
    assert list(shared.embeddings) == [mine.name]
    assert list(shared.classifiers) == ["imdb-sentiment"]
    # Where none of a kind was given, what is bundled is offered.
    assert list(Shared.of(mine).classifiers) == ["imdb-sentiment"]
    assert list(Shared.of("imdb-sentiment").embeddings) == ["wiki-bootstraps"]


def test_language_models_go_to_their_own_list(tmp_path: Path) -> None:
    for name, architecture in (("mine", "BertForMaskedLM"), ("text", "T5Model")):
        (tmp_path / name).mkdir()
        config = json.dumps({"architectures": [architecture]})
        (tmp_path / name / "config.json").write_text(config, encoding="utf-8")
    shared = Shared.of([observers(), tmp_path / "mine", str(tmp_path / "text")])
    assert list(shared.language_models) == ["mine"]
    assert list(shared.embeddings) == [observers().name, "text"]
    bundled = ["wiki-mlm", "wiki-clm", "clerk-lm"]
    assert list(Shared.of(observers()).language_models) == bundled


def test_serving_listens_on_this_machine_only_and_knows_every_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: dict[str, Any] = {}
    serve_for_a_moment(monkeypatch, asked)
    app.serve(observers(), port=5123)
    assert set(asked["pages"]) == {entry.slug for entry in registry.BENCHES}
    assert asked["address"] == "127.0.0.1"
    assert asked["allow_websocket_origin"] == ["127.0.0.1:5123", "localhost:5123"]
    assert asked["show"] is False


@pytest.mark.parametrize(
    ("bench", "subject", "choice"),
    [
        ("association", "wiki-bootstraps", "subject"),
        ("posterior", "imdb-sentiment", "subject"),
        ("sentences", "wiki-clm", "models"),
        ("rating", "always she", "service"),
    ],
)
def test_an_address_chooses_the_subject(bench: str, subject: str, choice: str) -> None:
    entry = next(entry for entry in registry.BENCHES if entry.name == bench)
    shared = Shared.of([observers(), "wiki-bootstraps"])
    shown = entry.panel_class.on_page(shared)
    app.choose_subject(shown, [subject.encode()])
    assert getattr(shown, choice) in (subject, [subject])
    app.choose_subject(shown, [b"nothing of that name"])
    assert getattr(shown, choice) in (subject, [subject])
