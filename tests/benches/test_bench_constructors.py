"""All benches are made in one way, and say what they can be given."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import biaslab as bl
import biaslab_widgets as bw
from biaslab.errors import ArgumentError
from biaslab.probes.rating import RatingDesign
from biaslab_widgets.benches import BENCHES

NAMES = [entry.notebook_name for entry in BENCHES]
OLDER = [
    ("AssociationBench", "lists", "weat-6"),
    ("ImageBench", "models", "portrait-clip"),
    ("PosteriorBench", "classifier", "imdb-sentiment"),
    ("PosteriorBench", "lists", {"one": ["he"], "two": ["she"]}),
    ("RatingBench", "services", lambda text: text),
    ("RatingBench", "design", RatingDesign.paper()),
    ("SentenceBench", "models", bl.observers.scorer(0.7)),
    ("WordListEditor", "lists", ["nurse"]),
]
SECOND = {"DecisionBench": "case", "OpinionBench": "word_tests"}
"""What a bench asks about, where that is no spec."""
NEW = {"models": "subject", "classifier": "subject", "services": "subject"}


pytestmark = pytest.mark.usefixtures("closed_widgets")


def subject() -> bl.EmbeddingEnsemble:
    pse = {"nurse": 0.6, "clerk": 0.4}
    return bl.observers.embedding(pse=pse, jnd=0.1, replicates=4, seed=1)


@pytest.mark.parametrize("name", NAMES)
def test_every_bench_takes_a_subject_and_a_spec_first_and_names_its_options(name: str) -> None:
    made = getattr(bw, name)
    parameters = inspect.signature(made).parameters
    assert list(parameters)[:2] == ["subject", SECOND.get(name, "spec")]
    kinds = {p.kind for p in parameters.values()}
    assert inspect.Parameter.VAR_KEYWORD not in kinds
    for field in made.component.inputs:
        if field.name in ("generation", "command"):
            assert field.name not in parameters
            continue
        assert field.name in parameters
        assert field.doc in made.__doc__ or f"{field.name} :" in made.__doc__
        assert field.doc in getattr(made, field.name).help


@pytest.mark.parametrize(("name", "older", "given"), OLDER)
def test_the_older_name_means_the_same(name: str, older: str, given: Any) -> None:
    made = getattr(bw, name)
    new = NEW.get(older, "spec")
    with pytest.warns(DeprecationWarning, match=rf"\({older}=\.\.\.\) is called {new} now"):
        one = made(**{older: given})
    two = made(**{new: given})
    for field in ("lists", "subject", "service", "attribute", "models"):
        assert getattr(one, field, None) == getattr(two, field, None)
    with pytest.raises(TypeError, match=f"{older} is called {new} now, and both"):
        made(**{older: given, new: given})


def test_a_spec_gives_words_and_cues_where_it_has_them() -> None:
    assert bw.PsychometricBench(subject(), "love-hate").pairs == [["love", "hate"]]
    assert bw.PsychometricBench(subject(), "occupations").words[:1] == [
        bl.specs.get("occupations").items[0]
    ]
    by_groups = bw.OccupationsBench(subject(), "love-hate")
    assert [group["name"] for group in by_groups.groups] == ["love", "hate"]
    by_words = bw.OccupationsBench(subject(), ["nurse", "clerk"])
    assert by_words.words == ["nurse", "clerk"]
    assert len(by_words.groups) == 2
    by_name = bw.OccupationsBench(subject(), {"a": ["love"], "b": ["hate"]}, words=["nurse"])
    assert (by_name.words, [g["name"] for g in by_name.groups]) == (["nurse"], ["a", "b"])


@pytest.mark.parametrize("name", ["PsychometricBench", "RatingBench"])
def test_what_is_no_spec_is_refused(name: str) -> None:
    with pytest.raises(ArgumentError, match="spec is a int"):
        getattr(bw, name)(None, 3)


def test_a_spec_without_what_a_bench_needs_is_refused_by_name() -> None:
    with pytest.raises(ArgumentError, match="'weat-6' has neither cue pairs nor items"):
        bw.PsychometricBench(subject(), "weat-6")


def test_completion_offers_what_people_type() -> None:
    bench = bw.PsychometricBench(subject(), word="nurse")
    offered = [name for name in dir(bench) if not name.startswith("_")]
    for name in ("word", "noise", "result", "answer", "progress", "observe", "layout", "close"):
        assert name in offered
    for name in ("command", "reply", "generation", "keys", "marks", "comm", "component", "send"):
        assert name not in offered
        assert name not in bench.trait_names()
    assert {"word", "noise", "progress"} <= set(bench.trait_names())
    # What is not offered is there all the same.
    assert bench.generation == 0
    assert "_esm" in dir(bench)
