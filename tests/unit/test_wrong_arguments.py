"""Arguments of the wrong kind: every public probe says what to pass instead."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import pytest

import biaslab as bl
from biaslab.arguments import described, lists_by_name, renamed, strings
from biaslab.errors import ArgumentError, BiaslabError, WrongSubjectError
from harness.heavy import pd

WORDS = ("nurse", "boss")
#: Modules with public functions; the top level first.
PLACES = (
    "", "association", "posterior", "probes.images", "probes.occupations", "probes.similarity",
)  # fmt: skip
#: Probes by name, each called with one subject and little else.
PROBES: dict[str, Callable[[Any], object]] = {
    "association.ceat": lambda s: bl.association.ceat(s, "weat-6"),
    "association.compare_models": lambda s: bl.association.compare_models(s, "weat-6"),
    "association.direct_bias": lambda s: bl.association.direct_bias(s, "manzini-gender"),
    "association.distances": lambda s: bl.association.distances(s, "weat-6"),
    "association.ect": lambda s: bl.association.ect(s, "weat-6"),
    "association.overview": lambda s: bl.association.overview(s, "weat-6"),
    "association.projection": lambda s: bl.association.projection(s, "manzini-gender"),
    "association.ripa": lambda s: bl.association.ripa(s, "weat-6"),
    "association.rnd": lambda s: bl.association.rnd(s, "weat-6"),
    "association.rnsb": lambda s: bl.association.rnsb(s, "weat-6"),
    "association.residual": lambda s: bl.association.residual(s, s, "gender-pairs"),
    "association.seat": lambda s: bl.association.seat(s, "weat-6"),
    "association.suggest_words": lambda s: bl.association.suggest_words(s, "weat-6", "groups.male"),
    "debias": lambda s: bl.debias(s, "gender-pairs"),
    "decisions": lambda s: bl.decisions(s, keep=False),
    "distance_model": lambda s: bl.distance_model(s, "weat-6"),
    "image_association": lambda s: bl.image_association(s, "images-experts-helpers", keep=False),
    "mac": lambda s: bl.mac(s, "weat-6"),
    "occupations": lambda s: bl.occupations(s, WORDS),
    "posterior.nearest_reviews": lambda s: bl.posterior.nearest_reviews(s, [], "reviews"),
    "posterior.overview": lambda s: bl.posterior.overview(s),
    "probes.images.drawn_people": lambda s: bl.probes.images.drawn_people(s, keep=False),
    "probes.similarity.word_similarity": lambda s: bl.probes.similarity.word_similarity(
        s, "pairs.tsv"
    ),
    "sample_posterior": lambda s: bl.sample_posterior(s),
    "stereotype_score": lambda s: bl.stereotype_score(s, "biastest-math-arts", keep=False),
    "trace": lambda s: bl.trace(s, "nurse"),
    "treat": lambda s: bl.treat(s, "fine-tuning"),
    "two_afc": lambda s: bl.two_afc(s, WORDS),
    "two_afc_layers": lambda s: bl.two_afc_layers(s, WORDS),
    "weat": lambda s: bl.weat(s, "weat-6"),
}
#: Functions of a service, of results or of numbers.
OTHERS = {
    "association.ask_for_pairings",
    "association.ceiling",
    "association.cosines",
    "association.list_growth",
    "association.list_length",
    "association.model_scores",
    "association.weat_simulation",
    "compare",
    "compose",
    "load",
    "model_card",
    "opinion",
    "posterior.agreement",
    "posterior.diagnose",
    "posterior.distances",
    "posterior.groups",
    "posterior.lexicon",
    "posterior.plane",
    "posterior.prepare",
    "posterior.reread",
    "probes.images.image_score_difference",
    "probes.images.image_statistics",
    "probes.occupations.outside_tables",
    "probes.similarity.read_judgements",
    "rate",
    "replay",
    "report",
    "rerun",
    "sensitivity",
    "start",
}


class Classifier(bl.subjects.Classifier):
    """A classifier without a network."""

    name = "thumbs"

    def __init__(self) -> None:
        """Leave the network out."""


def embedding() -> bl.EmbeddingEnsemble:
    return bl.observers.embedding(pse={"nurse": 0.6, "boss": 0.4}, jnd=0.1, replicates=4, seed=1)


def says(error: BaseException) -> None:
    """The message is biaslab's own, and has a sentence that says what to do."""
    assert isinstance(error, BiaslabError), repr(error)
    sentences = str(error).rstrip(".").split(". ")
    assert len(sentences) > 1 or "pass" in str(error) or "such as" in str(error), str(error)


def test_every_public_probe_is_here() -> None:
    found: dict[object, str] = {}
    for place in PLACES:
        module = attrgetter(place)(bl) if place else bl
        for name in module.__all__:
            probe = getattr(module, name)
            if inspect.isfunction(probe):
                found.setdefault(probe, f"{place}.{name}".lstrip("."))
    assert set(found.values()) == PROBES.keys() | OTHERS


#: Values of the wrong kind, made when a test needs one.
VALUES: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "int": lambda: 3,
    "list of int": lambda: [3],
    "list of None": lambda: [None],
    "dict": lambda: {"nurse": 1.0},
    "Series": lambda: pd.Series({"nurse": 1.0}),
    "object": object,
    "embedding": embedding,
}
OF_CLASSIFIERS = (
    "decisions", "posterior.overview", "sample_posterior", "posterior.nearest_reviews",
)  # fmt: skip


@pytest.mark.parametrize("name", PROBES)
@pytest.mark.parametrize("kind", ["None", "int", "dict", "Series", "object"])
def test_what_is_no_subject_is_refused(name: str, kind: str) -> None:
    subject = VALUES[kind]()
    with pytest.raises(WrongSubjectError, match=r"needs .*; this is .*\. ") as raised:
        PROBES[name](subject)
    says(raised.value)


@pytest.mark.parametrize("name", [name for name in PROBES if name not in OF_CLASSIFIERS])
def test_a_classifier_is_refused_where_it_cannot_be_probed(name: str) -> None:
    with pytest.raises(WrongSubjectError, match="'thumbs', a classifier") as raised:
        PROBES[name](Classifier())
    assert "bl.posterior.overview probe a classifier" in str(raised.value)


@pytest.mark.parametrize(
    "name",
    ["posterior.overview", "sample_posterior", "posterior.nearest_reviews", "stereotype_score"],
)
def test_an_embedding_is_refused_where_it_cannot_be_probed(name: str) -> None:
    with pytest.raises(WrongSubjectError, match="a simulated observer") as raised:
        PROBES[name](embedding())
    assert "bl.weat" in str(raised.value)


@pytest.mark.parametrize("name", ["two_afc", "weat", "association.projection", "occupations"])
def test_a_name_is_opened(name: str) -> None:
    by_name: Any = PROBES[name]("wiki-bootstraps")
    loaded: Any = PROBES[name](bl.load("wiki-bootstraps"))
    assert by_name.provenance.subject_hash == loaded.provenance.subject_hash
    assert by_name.summary() == loaded.summary()


def test_the_name_of_another_kind_of_subject_is_refused_with_what_probes_it() -> None:
    with pytest.raises(
        WrongSubjectError, match=r"'imdb-sentiment', a classifier.*bl.posterior.overview"
    ):
        bl.weat("imdb-sentiment", "weat-6")
    with pytest.raises(WrongSubjectError, match="'wiki-bootstraps', an ensemble"):
        bl.posterior.overview("wiki-bootstraps")
    with pytest.raises(BiaslabError, match="There is no subject 'wiki-bootstrap'"):
        bl.two_afc("wiki-bootstrap", WORDS)


#: Arguments by name, each set to what is no word, no list of words or no spec.
ARGUMENTS: dict[str, Callable[[Any], object]] = {
    "items": lambda w: bl.two_afc(embedding(), w),
    "cues": lambda w: bl.two_afc(embedding(), WORDS, w),
    "a cue": lambda w: bl.two_afc(embedding(), WORDS, [(w, "male")]),
    "a pair": lambda w: bl.two_afc(embedding(), WORDS, [w]),
    "words": lambda w: bl.occupations(embedding(), w),
    "groups": lambda w: bl.occupations(embedding(), WORDS, w),
    "outside": lambda w: bl.occupations(embedding(), WORDS, outside=w),
    "from_spec": lambda w: bl.probes.occupations.OutsideTable.from_spec(w),
    "read_csv": lambda w: bl.probes.occupations.OutsideTable.read_csv(w),
    "spec": lambda w: bl.weat(embedding(), w),
    "targets": lambda w: bl.weat(embedding(), "weat-6", targets=w),
    "a target": lambda w: bl.weat(embedding(), "weat-6", targets={"a": w, "b": ["he"]}),
    "attributes": lambda w: bl.weat(embedding(), "weat-6", attributes=w),
    "two of the groups": lambda w: bl.weat(embedding(), "weat-6", groups=w),
    "attribute_groups": lambda w: bl.mac(embedding(), "weat-6", attribute_groups=w),
    "controls": lambda w: bl.mac(embedding(), "weat-6", controls=w),
    "projection's spec": lambda w: bl.association.projection(embedding(), w),
    "projection's words": lambda w: bl.association.projection(
        embedding(), "manzini-gender", words=w
    ),
    "defining": lambda w: bl.association.projection(embedding(), defining=w),
    "debias' spec": lambda w: bl.debias(embedding(), w),
    "specific": lambda w: bl.debias(embedding(), "gender-pairs", specific=w),
    "judgements": lambda w: bl.probes.similarity.word_similarity(embedding(), w),
    "design": lambda w: bl.rate(str.upper, w, keep=False),
    "rules": lambda w: bl.rate(str.upper, rules=w, keep=False),
    "terms": lambda w: embedding().resolve(w),
    "vectors": lambda w: embedding().vectors(w),
    "term": lambda w: embedding().suggest(w),
    "a spec's name": lambda w: bl.specs.get(w),
    "results": lambda w: bl.association.model_scores(w),
    "two results": lambda w: bl.probes.images.image_score_difference(w, w),
}
#: Where None stands for a default.
OPTIONAL = {
    "outside", "spec", "targets", "attributes", "two of the groups", "attribute_groups", "controls",
    "projection's spec", "projection's words", "defining", "debias' spec", "design", "rules",
    "cues",
}  # fmt: skip


@pytest.mark.parametrize("argument", ARGUMENTS)
@pytest.mark.parametrize(
    "kind", ["None", "int", "list of int", "list of None", "Series", "dict", "embedding"]
)
def test_what_are_no_words_is_refused(argument: str, kind: str) -> None:
    value = VALUES[kind]()
    if value is None and argument in OPTIONAL:
        return
    with pytest.raises(BiaslabError) as raised:
        ARGUMENTS[argument](value)
    says(raised.value)


@pytest.mark.parametrize("kind", ["dict", "Series"])
def test_numbers_by_word_are_no_outside_table_and_are_told_how_to_become_one(kind: str) -> None:
    outside: Any = VALUES[kind]()
    with pytest.raises(
        ArgumentError, match=r"outside table is a \w+\. .*bl\.probes\.occupations\.OutsideTable\("
    ):
        bl.occupations(embedding(), WORDS, outside=outside)


@pytest.mark.parametrize("argument", ["a target", "two of the groups", "specific", "attributes"])
def test_a_bare_string_is_no_list(argument: str) -> None:
    with pytest.raises(ArgumentError, match=r"is a single string: pass a list, \['nurse'\]"):
        ARGUMENTS[argument]("nurse")


def test_values_are_named_as_a_person_would() -> None:
    assert described(None) == "None"
    assert described("x" * 100) == f"'{'x' * 56}..."
    assert described(embedding()).endswith(", a simulated observer")
    assert described(pd.Series([1])) == "a Series"
    assert described({1: 2}) == "a dict"
    assert described(object()) == "an object"
    assert strings(("a", "b"), "words") == ("a", "b")
    assert lists_by_name({"a": ["b"]}, "lists") == {"a": ("b",)}


@pytest.mark.parametrize("name", PROBES)
def test_an_unknown_name_is_refused_in_the_probes_own_name(name: str) -> None:
    own = name.rpartition(".")[2]
    with pytest.raises(TypeError, match=rf"\b{own}\(\) got an unexpected keyword argument 'foo'"):
        attrgetter(name)(bl)(embedding(), foo=3)


@renamed(vlm="subject", memory=("memory_mb", lambda count: count / 1e6))
def probe(subject: str, *, memory_mb: float = 0.0) -> tuple[str, float]:
    """Return its arguments."""
    return subject, memory_mb


def test_a_former_name_works_and_says_the_new_one() -> None:
    former: Any = probe
    with pytest.warns(DeprecationWarning, match=r"probe\(vlm=\.\.\.\) is called subject now"):
        assert former(vlm="clip") == ("clip", 0.0)
    with pytest.warns(DeprecationWarning, match="memory_mb") as caught:
        assert former("clip", memory=2e6) == ("clip", 2.0)
    assert caught[0].filename == __file__
    with pytest.warns(DeprecationWarning, match="vlm") as caught:
        assert bl.start(former, vlm="clip").result(30) == ("clip", 0.0)
    assert caught[0].filename == __file__
    with pytest.raises(TypeError, match=r"vlm is called subject now, and both were passed"):
        former(vlm="clip", subject="blip")
    assert list(inspect.signature(probe).parameters) == ["subject", "memory_mb"]
