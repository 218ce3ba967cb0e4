"""Benches that ask a language model on a server: sentences, decisions; and what is refused."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

import biaslab as bl
from biaslab.deciders import ChatDecider, decider_of
from biaslab.errors import WrongSubjectError
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.services import LanguageModelServer
from biaslab.subjects import library
from biaslab_widgets.app.library.shared import Shared
from biaslab_widgets.benches.decisions.subjects import decider_sources
from biaslab_widgets.benches.psychometric.subjects import psychometric_sources
from biaslab_widgets.benches.sentences.making import writers_of
from biaslab_widgets.benches.sentences.subjects import model_sources
from harness.completions_server import completions_of
from harness.needs import needs
from harness.scripted_model_server import Scripted, Server, scripted_server
from harness.sentence_controller import Bench

pytestmark = [needs("openai", "torch", "transformers"), pytest.mark.usefixtures("own_home")]


@pytest.fixture(scope="module")
def local() -> Any:
    return bl.load("wiki-clm", device="cpu")


@pytest.fixture
def server(local: Any) -> Iterator[Server]:
    """A server with completions of the bundled model, and a chat that always invites."""
    completions = completions_of(local.model, local.tokenizer)

    def script(body: dict[str, Any], number: int) -> Scripted:
        return Scripted("INVITE") if "messages" in body else completions(body, number)

    with scripted_server(script) as running:
        yield running


FEW = [
    SentencePair(f"The woman likes {what}.", f"The man likes {what}.")
    for what in ("poetry", "dance", "algebra", "geometry")
]


def opened(server: Server) -> LanguageModelServer:
    return LanguageModelServer("wiki", base_url=server.url, key="s3cret", name="wiki there")


def test_the_sentence_bench_scores_as_the_same_model_here(server: Server) -> None:
    there = opened(server)
    bench = Bench([there, "wiki-clm"], "biastest-math-arts", FEW)
    bench.tested(models=["wiki there", "wiki-clm"])
    pairs = bench.controller.pairs
    theirs, mine = (bench.controller.results[name] for name in ("wiki there", "wiki-clm"))
    assert len(theirs.scores) == len(pairs) == len(FEW)
    for one, other in zip(theirs.scores, mine.scores, strict=True):
        assert one.log_odds == pytest.approx(other.log_odds, abs=2e-4)
    assert theirs.overall == bl.stereotype_score(there, sentences=pairs, keep=False).overall


def test_an_edit_sends_nothing_until_the_next_test(server: Server) -> None:
    bench = Bench(opened(server), "biastest-math-arts", FEW)
    bench.tested()
    sent = len(server.requests)
    row = bench.pairs[3]
    for text in ("The woman likes history.", "The woman likes music."):
        edit = bench.reply("edit", pair=row["id"], version="stereotyped", text=text)
        assert edit["ok"], edit
    run = bench.answer()["picture"]["run"]
    assert len(server.requests) == sent
    assert (run["untested"], run["stale"]) == (1, True)
    assert bench.tested()["run"]["untested"] == 0
    assert sent < len(server.requests) <= sent + 2


def test_a_test_that_waits_for_a_server_takes_no_place_of_those_that_compute(
    server: Server,
) -> None:
    gate = threading.Event()
    busy = bl.start(gate.wait)
    try:
        library.add(f"openai:wiki@{server.url}", "mine")
        bench = Bench("mine", "biastest-math-arts", FEW)
        assert bench.controller.opening.sources["mine"].is_remote
        picture = bench.tested()
        assert picture["run"]["untested"] == 0
        assert not busy.finished
        assert not bench.controller.has_smaller_run()
    finally:
        gate.set()


def test_a_server_that_stops_answering_leaves_what_is_scored_and_says_why() -> None:
    local = bl.load("wiki-clm", device="cpu")
    script = completions_of(
        local.model, local.tokenizer,
        fails=lambda body, number: Scripted("wrong key", 401) if number > 20 else None,
    )  # fmt: skip
    with scripted_server(script) as server:
        there = LanguageModelServer(
            "wiki", base_url=server.url, key="k", limits=bl.services.Limits(attempts=1)
        )
        bench = Bench(there)
        (model,) = bench.tested()["models"]
    assert model["state"] == "failed"
    assert "key" in model["message"]


def test_a_model_on_a_server_writes_no_sentences(server: Server) -> None:
    sources = model_sources([opened(server), "wiki-clm"])
    assert [one["key"] for one in writers_of(sources)] == ["endpoint", "wiki-clm"]


def test_the_app_offers_it_to_the_benches_that_can_ask_it(server: Server) -> None:
    own = library.add(f"openai:wiki@{server.url}", "mine")
    shared = Shared.of()
    shared.add(own)
    assert shared.source("mine") is shared.servers["mine"]
    assert "mine" in shared.deciders
    assert "mine" not in shared.language_models
    assert "mine" in shared.copy().servers
    said = {fit.name: fit for fit in bl.subjects.inspect("mine").questions}
    assert [name for name, fit in said.items() if fit.fits] == ["sentences", "decisions"]
    assert "whole texts only" in said["psychometric"].explanation
    assert server.requests == []
    assert shared.deciders["mine"].open().name == "mine"
    shared.remove("mine")
    assert shared.source("mine") is None


def test_decisions_ask_it_as_a_chat_model(server: Server) -> None:
    there = opened(server)
    decider = decider_of(there)
    assert isinstance(decider, ChatDecider)
    result = bl.decisions(there, "hire-by-name", trials=24, keep=False)
    chats = [body for body in server.requests if "messages" in body]
    assert len(chats) >= 24
    assert {body["model"] for body in chats} == {"wiki"}
    assert result.trials.yes.mean() == 1.0
    library.add(f"openai:wiki@{server.url}", "mine")
    (source,) = decider_sources(["mine"]).values()
    assert source.is_remote
    assert isinstance(source.open(), ChatDecider)


def test_the_psychometric_bench_says_why_it_cannot(server: Server) -> None:
    there = opened(server)
    with pytest.raises(WrongSubjectError, match="sends probabilities of whole texts only"):
        psychometric_sources([there])  # type: ignore[list-item]
    library.add(f"openai:wiki@{server.url}", "mine")
    with pytest.raises(WrongSubjectError, match="sends probabilities of whole texts only"):
        psychometric_sources(["mine"])["mine"].open()


def test_pairs_of_a_person_are_scored_there(server: Server) -> None:
    bench = Bench(opened(server), "biastest-math-arts", FEW)
    assert bench.tested()["run"]["done"] == len(FEW)
