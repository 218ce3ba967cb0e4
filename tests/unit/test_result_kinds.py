"""Every kind of result: the same question gives an equal one, and a copy of it is equal too.

Kinds whose makers `test_calls` has for their code are looked at there.
"""

from __future__ import annotations

import functools
import json
import pickle
import re
from collections.abc import Callable
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import NoRawFrameError
from biaslab.probes.comparison import trajectory
from biaslab.records.result import Result
from biaslab.reports.previews import MOST_BYTES, thumbnail
from harness import benchmark_files, recorded_files
from harness.heavy import pd

GROUPS = {"women": ("she", "woman"), "men": ("he", "man")}
JOBS = ("nurse", "clerk", "pilot", "smith", "cook", "judge")


def _words(seed: int = 1) -> Any:
    words = (*JOBS, *GROUPS["women"], *GROUPS["men"])
    vectors = np.random.default_rng(seed).standard_normal((3, len(words), 8))
    return bl.EmbeddingEnsemble(words, vectors.astype(np.float32), name="random")


def _jobs(seed: int) -> Any:
    return bl.occupations(_words(seed), JOBS, GROUPS)


@functools.cache  # its tokenizer is trained anew each time, and not alike
def _encoder() -> Any:
    from harness import tiny_encoders

    return bl.subjects.Encoder(*tiny_encoders.bert(3), name="tiny")


def _layers() -> Any:
    from harness.layered_models import gpt2

    frames = [f"The {{stimulus}} is a {{item}} {word} the {{answer}}" for word in ("and", "by")]
    return bl.two_afc_layers(
        gpt2(1), JOBS[:2], ("she", "he"), observers=frames, layers="all", levels=5
    )


ENCODED = {
    "targets": {"care": ["nurse", "home"], "work": ["engineer", "career"]},
    "attributes": {"female": ["she", "woman"], "male": ["he", "man"]},
}


def _drawn(shift: float = 1.0) -> Any:
    from harness.posteriors import of_draws

    draws = np.random.default_rng(1).standard_normal((8, 50, 6))
    draws[..., 0] += shift
    return of_draws(draws)


def _lexicon() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    polarity = np.where(np.arange(20) % 2, 1.0, -1.0)
    vectors = rng.standard_normal((20, 6)).astype(np.float32)
    vectors[:, 0] += polarity
    terms = tuple(f"w{i}" for i in range(20))
    return bl.WordEmbedding(terms, vectors), bl.posterior.Lexicon("made up", terms, polarity)


def _sampled(**options: Any) -> Any:
    observer = bl.observers.classifier(dim=4, seed=1)
    return bl.sample_posterior(observer, engine="exact", chains=4, draws=20, rng=1, **options)


def _overview() -> Any:
    from biaslab.probes.posterior.overview_result import PosteriorOverview, Reading

    drawn = _sampled()
    reading = Reading("angular", "prior", None, {}, {}, {}, *("not asked for",) * 3)
    return PosteriorOverview(
        label=drawn.label,
        other="negative",
        posteriors={drawn.label: drawn},
        oracles={},
        oracle_reason="not asked for",
        reading=reading,
        provenance=drawn.provenance,
    )


def _graded() -> Any:
    truth = {"women": 1.5, "men": 1.5}, {"women": 0.0, "men": 0.5}
    return bl.observers.detector(*truth, cuts=(-1, 0, 1))


def _trace(folder: Path) -> Any:
    from harness.planted_passages import train, write_text

    if not (folder / "out").exists():
        write_text(folder / "text.txt")
        train(folder / "text.txt", folder / "out")
    return bl.trace(str(folder / "out"), "nurse", ("she", "he"), leave_out=2)


def _reviews(folder: Path) -> Any:
    for part, label, name, text in (
        ("train", "pos", "0_9.txt", "good film"),
        ("train", "neg", "1_2.txt", "bad film"),
    ):
        (folder / part / label).mkdir(parents=True, exist_ok=True)
        (folder / part / label / name).write_text(text)
    words = bl.WordEmbedding(("good", "bad", "film"), np.eye(3, dtype=np.float32))
    layers = [(np.array([[0.0, 3, 0], [3, 0, 0]]), np.zeros(2))]
    classifier = bl.subjects.SentimentClassifier(words, layers)
    return bl.posterior.nearest_reviews(classifier, np.eye(3)[:1], folder, k=2)


MAKERS: dict[str, Callable[[Path], Any]] = {
    "BenchmarkResult": lambda folder: bl.opinion(benchmark_files.bbq(folder / "b.jsonl")),
    "CeatResult": lambda _: bl.association.ceat(
        _encoder(), **ENCODED, contexts=["a {}", "{} is"], draws=50
    ),
    "ChoicesResult": lambda folder: bl.opinion(
        recorded_files.ranked(folder / "r.jsonl", 60), permutations=199
    ),
    "Comparison": lambda _: bl.compare(_jobs(1), _jobs(2)),
    "DecisionsResult": lambda _: bl.decisions(
        bl.observers.decider(gap=2.0), method="fixed", keep=False, lapses="shared", slopes="shared"
    ),
    "LayersResult": lambda _: _layers(),
    "LexiconAgreement": lambda _: bl.posterior.lexicon(_drawn(), *_lexicon()),
    "NearestReviews": _reviews,
    "PosteriorOverview": lambda _: _overview(),
    "RatesResult": lambda folder: bl.opinion(recorded_files.asked(folder / "a.csv", 60, 0.8)),
    "SensitivityResult": lambda _: bl.sensitivity(_graded(), spreads="unequal"),
    "TraceResult": lambda folder: _trace(folder),
    "WordPairsResult": lambda folder: bl.opinion(
        recorded_files.paired(folder / "w.csv"), word_tests=recorded_files.TEST
    ),
    "Trajectory": lambda _: trajectory([_jobs(i) for i in (1, 2, 3)], "abc"),
}


NO_RAW_FRAME = {
    "BenchmarkResult": r"use to_frame",
    "Comparison": r"use raw_frame\(\) of the two results",
    "Trajectory": r"use raw_frame\(\) of its runs",
    "PosteriorPlane": "posterior results it was made from",
}
"""Kinds that keep no observations, with words of what to do instead."""


def _chosen() -> Any:
    who = bl.observers.binomial({"nurse": 0.7, "clerk": 0.5}, observers=4, spread=0.05, seed=1)
    chooses = who.choosing(order_effect=0.1, cannot_say=0.1, seed=1)
    return bl.two_afc(
        chooses, ["nurse", "clerk"], ("female", "male"), trials=6, observers=4, levels=7
    )


VARIANTS: dict[str, Callable[[Path], Any]] = {"TwoAFCResult of trials": lambda _: _chosen()}
"""Results of one kind whose content differs so much that words and chart are others."""


@pytest.mark.parametrize("name", [*MAKERS, *VARIANTS])
def test_a_kind_of_result(name: str, tmp_path: Path) -> None:
    make = (MAKERS | VARIANTS)[name]
    one = make(tmp_path)
    assert type(one).__name__ == name.partition(" ")[0]
    assert make(tmp_path) == one
    keeps_the_protocol(one)


def keeps_the_protocol(one: Result) -> None:
    """See that a result shows itself in every way, and that its copies are equal."""
    for again in (pickle.loads(pickle.dumps(one)), Result.from_json(one.to_json())):
        assert again == one
    said = one.summary()
    _shows_itself(one)
    # With all that was asked of it meanwhile, and without.
    for twin in (pickle.loads(pickle.dumps(one)), again):
        assert twin == one
        assert hash(twin) == hash(one)
        assert twin.summary() == said


def _shows_itself(one: Result) -> None:
    assert one.headline
    sentences = one.verdict()
    assert sentences
    for sentence in sentences:
        assert sentence == sentence.strip()
        assert sentence[-1] in ".!?)”"
    assert " ".join(sentences) == "".join(text for text, _ in one.verdict_spans())
    assert isinstance(one.caveat(), str)
    assert one.figure()
    picture = ET.fromstring(one.to_svg())
    assert picture.tag.endswith("}svg")
    little = thumbnail(one)
    assert len(ET.fromstring(little)) > 0
    assert not re.search(r"nan|inf|<text|<title", little)
    assert len(little.encode()) <= MOST_BYTES
    assert thumbnail(one) == little
    assert isinstance(one.to_frame(), pd.DataFrame)
    json.dumps(one.to_eee(), allow_nan=False)
    if why := NO_RAW_FRAME.get(type(one).__name__):
        with pytest.raises(NoRawFrameError, match=why):
            one.raw_frame()
    else:
        raw = one.raw_frame()
        assert len(raw)
        assert raw.columns.is_unique
    shown = one._repr_html_()
    assert escape(one.headline) in shown
    assert shown.count("<svg") == shown.count("<details>") == 1
    document = one.report()
    for part in (*map(escape, sentences), "<svg", "<table", "Made with", one.provenance.subject):
        assert part in document


def test_a_report_is_written_and_asks_nothing_of_the_network(tmp_path: Path) -> None:
    one = bl.weat(bl.load("wiki-bootstraps").replicate(0), "weat-6", resamples=20)
    one.report(tmp_path / "weat.html")
    assert (tmp_path / "weat.html").read_text(encoding="utf-8") == one.report()
    assert not re.search(r"""(src|href)=|url\(|@import""", one.report())


def test_when_and_beside_what_it_was_computed_does_not_make_a_result_another() -> None:
    one = bl.association.weat_simulation(draws=20)
    later = replace(
        one.provenance, time="2030-01-01T00:00:00+00:00", seconds=9.0, versions={"numpy": "9"}
    )
    assert replace(one, provenance=later) == one
    assert replace(one, provenance=replace(one.provenance, seed=7)) != one
    assert bl.association.weat_simulation(draws=20, rng=1) != one
