"""Language models behind an OpenAI-compatible address, against real servers on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.asking.endpoint import Endpoint
from biaslab.errors import (
    EndpointError,
    MissingExtraError,
    QueryError,
    SubjectError,
    WrongSubjectError,
)
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.probes.sentences.scorers import SCORERS
from biaslab.probes.sentences.sources import resolve_pairs
from biaslab.services import LanguageModelServer, Limits
from biaslab.store import Store
from biaslab.subjects.language_model.model import LanguageModel
from harness import tiny_language_models as tiny
from harness.completions_server import Way, completions_of
from harness.needs import needs
from harness.scripted_model_server import Scripted, Server, scripted_server

pytestmark = needs("openai", "torch", "transformers")

SENTENCES = [
    "The nurse said that she was tired.", "The engineer said that he was late.",
    "“Café” isn't open – 100 % closed…", "A naïve 🙂 remark, \u200bthough.",
]  # fmt: skip


@pytest.fixture(scope="module")
def local() -> LanguageModel:
    lm: LanguageModel = bl.load("wiki-clm", device="cpu")
    return lm


class Pair:
    """Two versions of a sentence."""

    terms = (None, None)
    unrelated = None

    def __init__(self, stereotyped: str, against: str) -> None:
        self.stereotyped, self.against = stereotyped, against


SPEC = "career-family-vs-gender"
PAIRS = [Pair(SENTENCES[0], SENTENCES[1]), Pair(SENTENCES[2], SENTENCES[3])]


def scores_of(lm: Any, scorer: str = "log-likelihood") -> list[Any]:
    return [
        score
        for pair in SCORERS[scorer].score(lm, PAIRS)
        for score in (pair.stereotyped, pair.against)
    ]


def some_pairs() -> list[SentencePair]:
    return list(resolve_pairs(bl.specs.get(SPEC), None, None, None).pairs[:16])


def opened(server: Server, **options: Any) -> LanguageModelServer:
    return LanguageModelServer("wiki", base_url=server.url, key="s3cret", **options)


@pytest.mark.parametrize("way", ["echo", "echo of one more", "listed"])
@pytest.mark.parametrize("adds_beginning", [True, False])
def test_a_server_scores_as_the_same_model_here(
    local: LanguageModel, way: Way, adds_beginning: bool
) -> None:
    script = completions_of(local.model, local.tokenizer, way=way, adds_beginning=adds_beginning)
    with scripted_server(script) as server:
        there = opened(server)
        assert there.begin == ("" if adds_beginning else "<s>")
        for scorer in ("log-likelihood", "log-likelihood-per-token"):
            for mine, theirs in zip(
                scores_of(local, scorer), scores_of(there, scorer), strict=True
            ):
                assert theirs.failure == ""
                assert theirs.log_score == pytest.approx(mine.log_score, abs=1e-4)
                assert np.allclose(theirs.contributions, mine.contributions, atol=1e-4)
        words = local.tokenize(SENTENCES[0]), there.tokenize(SENTENCES[0])
        assert np.array_equal(words[0].spans, words[1].spans)


@pytest.mark.parametrize("build", [tiny.gpt2, tiny.llama])
def test_a_model_of_another_tokenizer_gives_the_same(build: Any) -> None:
    model, tokenizer = build()
    local = LanguageModel.of(model, tokenizer, kind="clm")
    with scripted_server(completions_of(model, tokenizer)) as server:
        there = opened(server)
        for mine, theirs in zip(scores_of(local), scores_of(there), strict=True):
            assert theirs.log_score == pytest.approx(mine.log_score, abs=1e-4)


def test_load_opens_a_server_and_a_probe_asks_it(
    local: LanguageModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path))
    script = completions_of(local.model, local.tokenizer, version="build-7")
    with scripted_server(script) as server:
        subject = f"openai:wiki@{server.url}"
        there: Any = bl.load(subject)
        probed: dict[str, Any] = {"spec": SPEC, "sentences": some_pairs(), "keep": False}
        mine = bl.stereotype_score(local, **probed)
        theirs = bl.stereotype_score(there, **probed)
        assert theirs.outcomes == mine.outcomes
        assert theirs.micro.share == mine.micro.share
        assert theirs.provenance.subject == f"wiki at {server.url}"
        assert theirs.provenance.device == f"server {server.url}"
        assert there.model == "wiki build-7"
        assert theirs.provenance.subject_hash == there.content_hash
        before = len(server.requests)
        again: Any = bl.load(subject)  # the replies are in the store: only the check is sent
        assert len(server.requests) == before + 1
        assert bl.stereotype_score(again, **probed).micro == theirs.micro
        assert len(server.requests) == before + 1
        by_name = bl.stereotype_score(subject, **probed)
        assert by_name.micro == theirs.micro


def test_the_version_that_a_server_states_is_part_of_its_identity(local: LanguageModel) -> None:
    hashes = set()
    for version in ("build-7", "build-8"):
        script = completions_of(local.model, local.tokenizer, version=version)
        with scripted_server(script) as server:
            endpoint = Endpoint("wiki", base_url=server.url)
            endpoint.base_url = "http://one.address/v1"  # the port differs, and is not the point
            hashes.add(LanguageModelServer(endpoint).content_hash)
    assert len(hashes) == 2


def test_busy_and_failing_servers_are_asked_again(local: LanguageModel) -> None:
    def fails(body: dict[str, Any], number: int) -> Scripted | None:
        if number in (1, 3):
            return Scripted(text="busy", status=429, headers={"retry-after": "0"})
        return (
            Scripted(text="oops", status=503, headers={"retry-after": "0"}) if number == 2 else None
        )

    script = completions_of(local.model, local.tokenizer, fails=fails)
    with scripted_server(script) as server:
        endpoint = Endpoint("wiki", base_url=server.url)
        endpoint.wait = lambda seconds, context: None
        there = LanguageModelServer(endpoint, limits=Limits(concurrency=1))
        for mine, theirs in zip(scores_of(local), scores_of(there), strict=True):
            assert theirs.log_score == pytest.approx(mine.log_score, abs=1e-4)
        assert len(server.requests) == 1 + len(SENTENCES) + 3


def test_a_server_without_log_probabilities_of_a_prompt_is_refused(local: LanguageModel) -> None:
    script = completions_of(local.model, local.tokenizer, way="none")
    with scripted_server(script) as server, pytest.raises(
        SubjectError, match=r"sends no log-probabilities of a prompt's tokens.*vLLM"
    ):  # fmt: skip
        opened(server)

    def refuses(body: dict[str, Any], number: int) -> Scripted:
        return Scripted(text="Only no echo is supported", status=400)

    with scripted_server(refuses) as server, pytest.raises(
        SubjectError, match="Only no echo is supported"
    ):  # fmt: skip
        opened(server)


def test_a_server_that_cuts_a_text_fails_for_that_text_only(local: LanguageModel) -> None:
    class Cutting:
        def __call__(self, text: str, **options: Any) -> Any:
            return {"input_ids": local.tokenizer(text, **options)["input_ids"][:9]}

        def decode(self, ids: Any) -> str:
            return str(local.tokenizer.decode(ids))

    with scripted_server(completions_of(local.model, Cutting())) as server:
        there = opened(server)
        assert there.tokenize("She is here.").text == "She is here."
        with pytest.raises(QueryError, match="cut the text"):
            there.tokenize(SENTENCES[0] + " And so on, for a long time.")
        with pytest.raises(QueryError, match="empty"):
            there.tokenize(" ")


def test_a_server_that_goes_away_ends_the_run_and_keeps_what_is_scored(
    local: LanguageModel, tmp_path: Path
) -> None:
    def fails(body: dict[str, Any], number: int) -> Scripted | None:
        return Scripted(text="no credit", status=401) if number > 10 else None

    store = Store(tmp_path)
    script = completions_of(local.model, local.tokenizer, fails=fails)
    with scripted_server(script) as server:
        endpoint = Endpoint("wiki", base_url=server.url, key="k")
        there = LanguageModelServer(endpoint, store=store, limits=Limits(concurrency=2))
        with pytest.raises(EndpointError, match="rejects this key"):
            bl.stereotype_score(there, SPEC, some_pairs(), store=store)
    with scripted_server(completions_of(local.model, local.tokenizer)) as server:
        moved = Endpoint("wiki", base_url=server.url, key="k")
        moved.base_url = endpoint.base_url
        again = LanguageModelServer(moved, store=store)
        result = bl.stereotype_score(again, SPEC, some_pairs(), store=store)
        texts = {t for p in result.pairs for t in p.versions}
        assert len(texts) > 20
        assert len(server.requests) <= 1 + len(texts) - 9


def test_what_needs_more_than_a_text_is_refused_with_the_reason(local: LanguageModel) -> None:
    with scripted_server(completions_of(local.model, local.tokenizer)) as server:
        there = opened(server)
        with pytest.raises((WrongSubjectError, SubjectError), match="Blends of words"):
            bl.two_afc(there, ["nurse"], [("she", "he")])  # type: ignore[arg-type]
        with pytest.raises(QueryError, match="needs the tokenizer"):
            SCORERS["mean-loss"].score(there, PAIRS)  # type: ignore[arg-type]
        with pytest.raises(SubjectError, match="does not read it as one special token"):
            opened(server, begin="Once upon a time")
        assert "s3cret" not in repr(there) + there.content_hash + str(there.notes)


def test_a_bad_address_says_how_to_write_one() -> None:
    for bad in ("openai:@http://127.0.0.1:1/v1", "openai:m@127.0.0.1", "openai:"):
        with pytest.raises(SubjectError, match="Write openai:MODEL@ADDRESS"):
            bl.load(bad)
    with pytest.raises(SubjectError, match="of the kind 'clm'"):
        bl.load("openai:m@http://127.0.0.1:1/v1", kind="mlm")


def test_without_the_client_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"biaslab\[services\]"):
        LanguageModelServer("m", base_url="http://127.0.0.1:1/v1")
