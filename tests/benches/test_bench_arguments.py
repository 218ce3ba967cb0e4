"""Benches refuse what they cannot show, and names that they do not have."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import biaslab as bl
from biaslab.errors import ArgumentError, QueryError, WrongSubjectError
from biaslab_widgets.benches import BENCHES, BenchEntry
from biaslab_widgets.core.subjects.sources import sources
from harness.panels import panel

CLASSES = {entry.notebook_name: entry for entry in BENCHES}
OF_SUBJECTS = [name for name in CLASSES if name != "RatingBench"]
OF_WORDS = ["AssociationBench", "OccupationsBench", "PsychometricBench", "WordListEditor"]


def new(name: str, *args: Any, **inputs: Any) -> Any:
    """A bench of a notebook, by the name of its class."""
    return CLASSES[name].notebook_class(*args, **inputs)


class Classifier(bl.subjects.Classifier):
    """A classifier without a network."""

    name = "thumbs"

    def __init__(self) -> None:
        """Leave the network out."""


def embedding() -> bl.EmbeddingEnsemble:
    return bl.observers.embedding(pse={"nurse": 0.6}, jnd=0.1, replicates=4, seed=1)


@pytest.mark.parametrize("bench", OF_SUBJECTS)
@pytest.mark.parametrize("subject", [3, object(), [3], [None]])
def test_what_is_no_subject_is_refused(bench: str, subject: Any) -> None:
    with pytest.raises(WrongSubjectError, match=r"This bench needs .*; this is .*\. "):
        new(bench, subject)


@pytest.mark.parametrize("bench", OF_SUBJECTS)
def test_a_dict_is_no_subject(bench: str) -> None:
    with pytest.raises(ArgumentError, match=r"Pass a subject, its name, or a list"):
        new(bench, {"nurse": 1.0})


@pytest.mark.parametrize("bench", [*OF_WORDS, "ImageBench", "SentenceBench"])
@pytest.mark.parametrize("several", [False, True])
def test_a_classifier_is_refused_where_it_cannot_be_probed(bench: str, several: bool) -> None:
    given = [Classifier()] if several else Classifier()
    with pytest.raises(WrongSubjectError, match=r"'thumbs', a classifier.*bl\.posterior"):
        new(bench, given)


@pytest.mark.parametrize("bench", ["ImageBench", "PosteriorBench", "SentenceBench"])
def test_an_embedding_is_refused_where_it_cannot_be_probed(bench: str) -> None:
    with pytest.raises(WrongSubjectError, match=r"a simulated observer.*bl\.weat"):
        new(bench, embedding())


def test_a_name_of_another_kind_of_subject_is_refused_when_it_is_opened() -> None:
    with pytest.raises(WrongSubjectError, match="needs word vectors; this is 'imdb-sentiment'"):
        sources("imdb-sentiment")["imdb-sentiment"].open()
    bench = new("AssociationBench", "imdb-sentiment")
    with pytest.raises(QueryError, match="needs word vectors; this is 'imdb-sentiment'"):
        _ = bench.result
    bench.close()


def test_a_service_that_is_not_offered_is_refused_with_those_that_are() -> None:
    with pytest.raises(ArgumentError, match=r"no service “nope”\. Choose one of: .*always he"):
        new("RatingBench", service="nope")
    bench = new("RatingBench", service="always he")
    assert bench.service == "always he"
    bench.close()


def test_what_is_no_service_is_refused() -> None:
    with pytest.raises(bl.errors.ServiceSetupError, match="is not a service"):
        new("RatingBench", 3)
    with pytest.raises(ArgumentError, match="contains 1"):
        new("RatingBench", {"mine": 1})


@pytest.fixture
def bench() -> Any:
    made = new("PsychometricBench", embedding(), word="nurse")
    yield made
    made.close()


def test_an_attribute_that_a_bench_does_not_have_is_refused(bench: Any) -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'wrod'\. Did you mean 'word'"):
        bench.wrod = "nurse"
    with pytest.raises(AttributeError, match=r"Its inputs are: .*word"):
        bench.misspelled = 1
    assert not hasattr(bench, "misspelled")
    with pytest.raises(AttributeError, match="setter"):
        bench.result = 1


def test_an_option_that_a_bench_does_not_have_is_refused() -> None:
    with pytest.raises(TypeError, match=r"PsychometricBench has no option 'wrod'\. Did you mean"):
        new("PsychometricBench", embedding(), wrod="nurse")
    with pytest.raises(TypeError, match=r"PsychometricBenchPanel has no option 'wrod'\. Did you"):
        panel("psychometric")(embedding(), wrod="nurse")


def test_the_app_s_benches_refuse_what_they_do_not_have_too() -> None:
    made = panel("psychometric")(embedding(), word="nurse")
    with pytest.raises(AttributeError, match=r"no attribute 'wrod'\. Did you mean 'word'"):
        made.wrod = "nurse"
    made.word, made.noise, made.width = "nurse", 0.05, 400
    made.controller.close()


@pytest.mark.parametrize("entry", BENCHES, ids=lambda entry: entry.name)
def test_both_hosts_have_the_signature_and_the_docstring_of_the_bench(entry: BenchEntry) -> None:
    for made in (entry.notebook_class, entry.panel_class):
        own = [n for n in inspect.signature(entry.widget).parameters if n != "options"]
        assert list(inspect.signature(made).parameters)[: len(own)] == own
        # In notebooks each option is documented besides.
        head, _, _ = (inspect.getdoc(entry.widget) or "").partition("\nExamples\n")
        assert (inspect.getdoc(made) or "").startswith(head.rstrip())
        assert "Parameters" in (made.__doc__ or "")


def test_what_widgets_have_can_still_be_set(bench: Any) -> None:
    bench.layout = {"width": "50%"}
    bench.layout.flex = "2 1 0"
    bench.tooltip = "mine"
    bench.tabbable = True
    bench._seen_by_me = 1
    bench.noise = 0.05
    bench.add_class("mine")
    bench.remove_class("mine")
    assert (bench.tooltip, bench._seen_by_me, bench.noise) == ("mine", 1, 0.05)


FITTING = {
    **dict.fromkeys(OF_WORDS, embedding),
    "SentenceBench": lambda: "wiki-clm",
    "ImageBench": lambda: "portrait-clip",
    "PosteriorBench": lambda: "imdb-sentiment",
    "RatingBench": lambda: str.upper,
    "DecisionBench": lambda: str.upper,
    "OpinionBench": lambda: "answers.csv",
}


@pytest.mark.parametrize("name", CLASSES)
def test_a_bench_offers_subjects_that_are_added_to_it(name: str) -> None:
    bench = new(name)
    offered = set(bench.controller.opening.sources)
    added = [bench.add_subject(FITTING[name]()) for _ in range(2)]
    assert len({*added, *offered}) == len(offered) + 2
    assert set(bench.controller.opening.sources) == {*offered, *added}


@pytest.mark.parametrize("name", OF_SUBJECTS)
def test_a_bench_refuses_to_add_what_it_cannot_ask(name: str) -> None:
    with pytest.raises(WrongSubjectError, match="This bench needs"):
        new(name).add_subject(3)


def test_an_added_subject_can_be_chosen_and_asked() -> None:
    bench = new("PsychometricBench")
    bench.subject = bench.add_subject(embedding())
    bench.word, bench.selected_pairs = "nurse", [0]
    assert bench.subject in [option["name"] for option in bench.subjects]
    assert bench.result.items == ("nurse",)
