"""Own vectors and names, as a person gives them: what is taken, and what a refusal says."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import ArgumentError, QueryError, SpecError, SubjectError
from harness.deferred import Deferred
from harness.heavy import pd

benches = Deferred("biaslab_widgets")

WORDS = ["he", "she", "nurse", "engineer", "man", "woman", "female", "male"]
VECTORS = np.random.default_rng(1).normal(size=(len(WORDS), 5)).astype(np.float32)


def as_dict() -> dict[str, list[float]]:
    return dict(zip(WORDS, VECTORS.tolist(), strict=True))


def as_frame() -> Any:
    return pd.DataFrame(VECTORS, index=WORDS)


def psychometric(**options: Any) -> Any:
    return benches.PsychometricBench("wiki-bootstraps", **options)


@pytest.mark.parametrize("make", [as_dict, as_frame], ids=["dict", "DataFrame"])
def test_a_bench_takes_vectors_as_load_does(make: Callable[[], Any]) -> None:
    bench = benches.PsychometricBench(make(), word="nurse")
    assert bench.subject == "my vectors"
    assert bench.result.pse == pytest.approx(
        bl.two_afc(bl.load(make()), ["nurse"], [("woman", "man")]).pse
    )
    assert benches.PsychometricBench([make(), "wiki-bootstraps"]).subject == "my vectors"


def test_a_table_of_another_library_is_read_by_the_interchange() -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    columns = {f"d{i}": column for i, column in enumerate(VECTORS.T)}
    subject = bl.load(pa.table({"word": WORDS, **columns}))
    assert subject.content_hash == bl.load(as_frame()).content_hash
    with pytest.raises(SubjectError, match=r"0 columns of text.*words in one column"):
        bl.load(pa.table(columns))


def test_vectors_without_a_number_are_refused_when_they_are_opened() -> None:
    with pytest.raises(SubjectError, match=r"vector of 'she'\. Leave such words out"):
        bl.load({"he": [1.0, 0.0], "she": [0.0, float("nan")]})


@pytest.mark.parametrize(
    ("ask", "error", "says"),
    [
        (lambda: bl.load("wiki-bootstrap"), SubjectError, r"Did you mean 'wiki-bootstraps'\?"),
        (
            lambda: benches.PsychometricBench(words="nurse"),
            ArgumentError,
            r"pass a list, \['nurse'\]",
        ),
        (
            lambda: benches.PsychometricBench(pairs="female"),
            ArgumentError,
            r"\[\('woman', 'man'\)\]",
        ),
        (
            lambda: benches.PsychometricBench(pairs=["female"]),
            ArgumentError,
            "A pair of cues is a single",
        ),
        (lambda: benches.OccupationsBench(words="nurse").result, SpecError, r"words=\['nurse'\]"),
        (lambda: bl.posterior("imdb-sentiment"), TypeError, r"call bl\.sample_posterior"),  # type: ignore[operator]
        (lambda: bl.association("wiki-bootstraps"), TypeError, r"call bl\.weat"),  # type: ignore[operator]
    ],
)
def test_a_refusal_says_what_to_pass(
    ask: Callable[[], Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        ask()


def test_what_buttons_offer_on_the_screen_is_written_out_in_python() -> None:
    bench = benches.PsychometricBench("wiki-bootstraps", word="nurze")
    with pytest.raises(QueryError, match=r"“nurze”: not in the vocabulary\. Did you mean “nurse” "):
        _ = bench.result


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"pairs": [("a", "b", "c")]}, "needs two cues.*“a”, “b”, “c”"),
        ({"selected_pairs": [99]}, "from 0 to 7, and 99"),
    ],
)
def test_a_wrong_pair_is_named(options: dict[str, Any], says: str) -> None:
    bench = benches.PsychometricBench("wiki-bootstraps", word="nurse", **options)
    with pytest.raises(QueryError, match=says):
        _ = bench.result


@pytest.mark.parametrize("bench", ["DecisionBench", "PosteriorBench", "RatingBench"])
def test_what_takes_long_begins_with_run(bench: str) -> None:
    assert getattr(benches, bench).run.__doc__


@pytest.mark.parametrize("kind", ["SentenceBench", "ImageBench"])
def test_a_test_of_models_begins_with_run_too(kind: str) -> None:
    bench = SimpleNamespace(test=lambda: "the job")
    assert getattr(benches, kind).run(bench) == "the job"
