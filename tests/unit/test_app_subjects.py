"""The page of subjects: its list, cards, uploads, paths, services, and what a host forbids."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest

import biaslab as bl
from biaslab.people.access import Access, Role, acting_as
from biaslab.store import Store
from biaslab.subjects import library
from biaslab.subjects.opening import names as own
from biaslab_widgets.app.library.shared import Shared
from biaslab_widgets.app.library.subject_library import SubjectLibrary
from biaslab_widgets.app.site import Site
from harness import embedding_files, tiny_language_models
from harness.deferred import Deferred
from harness.emitted import observers
from harness.needs import needs
from harness.tiny_parts import save

subjects_page = Deferred("biaslab_widgets.app.pages.subjects")
WORDS = ["she", "he", "nurse", "engineer"]
VECTORS = np.random.default_rng(1).normal(size=(4, 3)).astype(np.float32)
GLOVE = embedding_files.glove_text(WORDS, VECTORS)


@pytest.fixture(autouse=True)
def _home(own_home: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own, "_functions", {})


def site_of(tmp_path: Path, **options: Any) -> Site:
    shared = Shared.of([observers(), "wiki-clm"])
    return Site(shared, Store(tmp_path / "runs.sqlite"), **options)


class Client:
    """Asks the handlers as a page of the same server does."""

    def __init__(self, site: Site) -> None:
        self.site = site

    def get(self, address: str, **query: str) -> tuple[int, Any]:
        return self._ask(f"/api/subjects{address}?{urlencode(query)}", "GET", None)

    def post(self, address: str, body: Any, **query: str) -> tuple[int, Any]:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self._ask(f"/api/subjects{address}?{urlencode(query)}", "POST", content)

    def _ask(self, address: str, method: str, body: bytes | None) -> tuple[int, Any]:
        from tornado.httpclient import AsyncHTTPClient, HTTPRequest
        from tornado.httpserver import HTTPServer
        from tornado.ioloop import IOLoop
        from tornado.netutil import bind_sockets
        from tornado.web import Application

        async def ask() -> tuple[int, Any]:
            routes = [
                (pattern, handler, {"site": self.site})
                for pattern, handler in subjects_page.SUBJECT_ROUTES
            ]
            server = HTTPServer(Application(routes))
            sockets = bind_sockets(0, "127.0.0.1")
            server.add_sockets(sockets)
            here = f"http://127.0.0.1:{sockets[0].getsockname()[1]}"
            request = HTTPRequest(
                here + address, method=method, body=body, headers={"Origin": here}
            )
            try:
                answer = await AsyncHTTPClient().fetch(request, raise_error=False)
                return answer.code, json.loads(answer.body)
            finally:
                server.stop()

        return IOLoop(make_current=False).run_sync(ask)


def test_an_upload_is_named_added_opened_and_unloaded(tmp_path: Path) -> None:
    site = site_of(tmp_path)
    client = Client(site)
    number, half = "ab" * 8, len(GLOVE) // 2
    about = {"upload": number, "name": "../mine.txt"}
    assert client.post("/upload", GLOVE[:half], **about, offset="0")[1] == {"arrived": half}
    assert client.post("/upload", GLOVE[half:], **about, offset=str(half))[0] == 200
    _, info = client.post("/inspect", {"upload": number})
    assert info["name"] == "mine"
    assert "4 words, 3 dimensions, GloVe text" in info["summary"]
    assert info["fits"] == ["Psychometric", "Occupations", "Association"]
    assert client.post("/add", {"upload": number, "name": "mine"}) == (200, {"name": "mine"})
    assert Path(library.own_subject("mine").source).is_relative_to(tmp_path / "home")

    assert "mine" in site.shared.embeddings
    client.post("/open", {"name": "mine"})
    site.subjects._jobs["mine"].result()
    row = next(r for r in client.get("")[1]["subjects"] if r["name"] == "mine")
    assert (row["state"], row["own"]) == ("open", True)
    assert row["memory"] >= VECTORS.nbytes
    client.post("/unload", {"name": "mine"})
    row = next(r for r in client.get("")[1]["subjects"] if r["name"] == "mine")
    assert (row["state"], row["memory"]) == ("closed", 0)
    # Another server of the same home offers it, too.
    assert "mine" in site_of(tmp_path).shared.embeddings


@needs("torch", "transformers")
def test_a_model_is_added_with_the_options_of_the_form(tmp_path: Path) -> None:
    save(tiny_language_models.gpt2(), tmp_path / "tiny")
    client = Client(site_of(tmp_path))
    place = {"path": str(tmp_path / "tiny"), "name": "mine"}
    chosen = {"dtype": "bfloat16", "quantize": "", "device": "cpu"}
    assert client.post("/add", {**place, "options": chosen}) == (200, {"name": "mine"})
    assert library.own_subjects()["mine"].options == {"dtype": "bfloat16", "device": "cpu"}
    card = client.get("/card", name="mine")[1]
    assert "dtype='bfloat16'" in card["code"]
    words = {**place, "name": "words", "kind": "embedding"}
    assert client.post("/add", words) == (200, {"name": "words"})
    assert "kind='embedding'" in client.get("/card", name="words")[1]["code"]
    assert bl.load("words").dim == bl.load("mine").model.config.n_embd
    status, answer = client.post("/add", {**place, "name": "b", "options": {"dtype": "int8"}})
    assert (status, "a model computes in" in answer["error"]) == (400, True)


def test_a_piece_that_is_lost_and_a_file_that_is_too_large(tmp_path: Path) -> None:
    site = site_of(tmp_path)
    site.subjects.uploads.largest_mb = 1e-4
    client, about = Client(site), {"upload": "ab" * 8, "name": "mine.txt"}
    assert client.post("/upload", b"x" * 60, **about, offset="0")[0] == 200
    status, answer = client.post("/upload", b"x", **about, offset="70")
    assert (status, "lost" in answer["error"]) == (400, True)
    status, answer = client.post("/upload", b"x" * 60, **about, offset="60")
    assert (status, "larger than" in answer["error"]) == (400, True)
    assert not (tmp_path / "home" / "subjects" / about["upload"]).exists()
    assert client.post("/upload", b"x", upload="../..", name="a", offset="0")[0] == 400


def test_a_path_is_named_or_refused_with_its_reason(tmp_path: Path) -> None:
    client = Client(site_of(tmp_path))
    for path, message in (
        (str(tmp_path / "nothing"), "no file or folder"),
        (str(tmp_path), "no config.json"),
        ("vectors.txt", "whole path"),
        ("hf:bert-base-uncased", "--allow-hub"),
        ("spacy:en_no_such", "no pipeline of spaCy named"),
    ):
        status, answer = client.post("/inspect", {"path": path})
        assert (status, message in answer["error"]) == (400, True), answer
    file = embedding_files.write(tmp_path / "mine.txt", GLOVE)
    assert client.post("/add", {"path": str(file), "name": "mine"})[0] == 200
    status, answer = client.post("/add", {"path": str(file), "name": "mine"})
    assert (status, "already" in answer["error"]) == (400, True)


def test_a_host_that_others_reach_opens_no_path_and_no_service(tmp_path: Path) -> None:
    client = Client(site_of(tmp_path))
    file = embedding_files.write(tmp_path / "mine.txt", GLOVE)
    with acting_as(Access("ben", Role.VISITOR, tmp_path / "ben")):
        for address in ("/inspect", "/add"):
            status, answer = client.post(address, {"path": str(file), "name": "mine"})
            assert (status, "Upload the file" in answer["error"]) == (400, True)
        assert client.post("/service/try", {"kind": "chat"})[0] == 403


def test_removing_can_be_undone(tmp_path: Path) -> None:
    site = site_of(tmp_path)
    client = Client(site)
    file = embedding_files.write(tmp_path / "mine.txt", GLOVE)
    client.post("/add", {"path": str(file), "name": "mine"})
    assert client.post("/remove", {"name": "mine"})[0] == 200
    assert "mine" not in site.shared.embeddings
    assert library.own_subjects() == {}
    assert client.post("/restore", {"name": "mine"})[0] == 200
    assert "mine" in site.shared.embeddings
    assert client.post("/remove", {"name": "wiki-clm"})[0] == 400


def test_a_card_says_what_can_be_asked_and_why_not_the_rest(tmp_path: Path) -> None:
    _, card = Client(site_of(tmp_path)).get("/card", name="wiki-clm")
    reasons = {question["title"]: question["reason"] for question in card["questions"]}
    assert reasons["Sentences"] == reasons["Psychometric"] == ""
    assert reasons["Occupations"] == "needs word vectors; bl.occupations asks it in Python, slowly"
    assert "bl.load('wiki-clm')" in card["code"]
    assert dict(card["facts"])["Kind"].startswith("causal language model, 4.7 million")
    assert card["runs"] == 0
    assert card["first"] == ""


def test_the_card_of_a_model_for_chats_leads_to_decisions() -> None:
    card = SubjectLibrary(Shared.of(["clerk-lm"])).card("clerk-lm")
    assert card["first"] == "decisions"
    assert "Stored as" not in dict(card["facts"])


def test_only_services_of_known_rating_are_called_simulated(tmp_path: Path) -> None:
    site = site_of(tmp_path)
    origins = {row["name"]: row["origin"] for row in site.subjects.rows()}
    assert origins["faithful"] == "simulated"
    assert origins.get("Apertium", "this machine") == "this machine"
    assert origins["wiki-clm"] == "bundled"


def test_the_planted_bias_stands_on_its_card(tmp_path: Path) -> None:
    _, card = Client(site_of(tmp_path)).get("/card", name="portrait-clip")
    assert card["planted"].startswith("Women are captioned as helpers")
    assert card["first"] == "images"


def test_trying_a_service_that_does_not_reply_is_no_error(tmp_path: Path) -> None:
    pytest.importorskip("openai")
    client = Client(site_of(tmp_path))
    service = {"kind": "chat", "address": "http://127.0.0.1:9/v1", "model": "local"}
    status, tried = client.post("/service/try", service)
    assert status == 200
    assert tried["problem"]
    status, answer = client.post("/service/try", service | {"key_variable": "NO_SUCH_KEY"})
    assert (status, "NO_SUCH_KEY is not set" in answer["error"]) == (400, True)
    assert client.post("/service/add", service | {"name": "lab"})[0] == 200
    assert library.own_subject("lab").service["model"] == "local"
