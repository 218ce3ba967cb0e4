"""Results record the call that made them, and write it as Python; kinds keep their protocol."""

from __future__ import annotations

import importlib
import json
import pickle
import pkgutil
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab import probes
from biaslab.asking.endpoint import Endpoint
from biaslab.errors import CallError, PickleRefusedError
from biaslab.probes.psychometrics import Adaptive
from biaslab.probes.treatment import measure_treatment
from biaslab.records.calls import Call, call_of, carry_out
from biaslab.records.calls.call import named, public_name
from biaslab.records.calls.code import source_of
from biaslab.records.provenance import Provenance
from biaslab.records.result import Result
from harness.copied_code import result_of
from harness.needs import needs
from unit.test_result_kinds import MAKERS, keeps_the_protocol

pytestmark = pytest.mark.usefixtures("own_home")

GROUPS = {"female": ["she", "her", "woman"], "male": ["he", "him", "man"]}
LISTS = {"arts": ["dance", "poetry", "art"], "science": ["science", "physics", "engineer"]}
LEAST = {"targets": GROUPS, "attributes": LISTS, "resamples": 100}
PAIR = ("female", "male")


def words() -> Any:
    return bl.load("wiki-bootstraps")


def one() -> Any:
    return words().replicate(0)


def responders(**options: Any) -> Any:
    return bl.observers.binomial({"nurse": 0.4, "chef": 0.55}, 0.1, observers=3, **options)


def choosers() -> Any:
    return responders().choosing(seed=1)


def exact() -> Any:
    return bl.sample_posterior("imdb-sentiment", engine="exact", draws=50, chains=4)


def _tried(**options: Any) -> Any:
    return bl.two_afc(choosers(), ["nurse"], PAIR, observers=2, **options)


PROBES: dict[str, Callable[[], Result]] = {
    "two_afc by name": lambda: bl.two_afc("wiki-bootstraps", ["nurse"]),
    "two_afc": lambda: bl.two_afc(
        words(), bl.specs.get("occupations"), [("she", "he")], perception=0.1, level=0.9
    ),
    "two_afc of a responder": lambda: bl.two_afc(responders(), ["nurse"], PAIR, observers=3),
    "two_afc with trials": lambda: _tried(trials=20, lapses="none"),
    "two_afc, adaptive": lambda: _tried(trials=Adaptive(20, keep=False), rng=3),
    "two_afc of trials": lambda: bl.two_afc(_tried(trials=20, lapses="none").trials),
    "two_afc of simulated vectors": lambda: bl.two_afc(
        bl.observers.embedding({"nurse": 0.4}, seed=1), ["nurse"], PAIR
    ),
    "occupations": lambda: bl.occupations(words(), ["nurse", "chef"], GROUPS, pairing="all"),
    "a contrast": lambda: bl.occupations(words(), ["nurse", "chef"], GROUPS).contrast(0),
    "weat, a generator": lambda: bl.weat(one(), **LEAST, rng=np.random.default_rng(3)),
    "weat, debiased": lambda: bl.weat(bl.debias(one(), "gender-pairs"), "weat-6", resamples=100),
    "rnsb, a generator": lambda: bl.association.rnsb(one(), **LEAST, rng=np.random.default_rng(3)),
    "mac": lambda: bl.mac(one(), "manzini-religion", resamples=100),
    "distance_model": lambda: bl.distance_model(
        one(), "manzini-religion", draws=500, priors=bl.association.Priors(word_mean=0.9)
    ),
    "distance_model of distances": lambda: bl.distance_model(
        bl.association.distances(one(), "manzini-religion"), draws=500
    ),
    "compare_models": lambda: bl.association.compare_models(
        one(), "manzini-religion", models=["pooled"], draws=500
    )["pooled"],
    "overview": lambda: bl.association.overview(
        words(), "manzini-religion", replicates=2, draws=500, resamples=100
    ),
    **{
        name: lambda name=name: getattr(bl.association, name)(one(), **LEAST)  # type: ignore[misc]
        for name in ("rnd", "ect", "ripa", "rnsb")
    },
    "direct_bias": lambda: bl.association.direct_bias(
        one(), "gender-pairs", words=["nurse", "chef"], resamples=100
    ),
    "projection": lambda: bl.association.projection(
        one(), "gender-pairs", words=["nurse", "chef"], resamples=100
    ),
    "list_growth": lambda: bl.association.list_growth(
        one(),
        "weat-8",
        bl.association.suggest_words(
            one(), "weat-8", "groups.science", limit=3, vocabulary=2000
        ).reject(["lab"]),
        resamples=100,
    ),
    "list_length": lambda: bl.association.list_length(bl.weat(one(), **LEAST), repeats=2),
    "residual": lambda: bl.association.residual(
        bl.debias(one(), "gender-pairs"), words=30, vocabulary=800, weat_spec="weat-8"
    ),
    "suggest_words": lambda: bl.association.suggest_words(
        one(), "weat-8", "groups.science", vocabulary=2000
    ),
    "measure_treatment": lambda: measure_treatment(
        one(), bl.treat(one(), "concept erasure", spec="gender-pairs"), bl.weat, **LEAST
    ),
    "weat_simulation": lambda: bl.association.weat_simulation((0.1, 0, 0, 0), draws=200),
    "word_similarity": lambda: bl.probes.similarity.word_similarity(
        one(),
        bl.probes.similarity.Judgements(
            "mine",
            ("nurse", "man", "king", "cat"),
            ("doctor", "woman", "queen", "dog"),
            np.array([3.0, 4, 2, 1]),
        ),
    ),
    "stereotype_score": lambda: bl.stereotype_score(
        bl.observers.scorer(0.6, seed=1), "biastest-math-arts", keep=False, resamples=100
    ),
    "image_association": lambda: bl.image_association(
        bl.observers.vision(seed=1),
        "images-experts-helpers",
        bl.images.drawn_images(
            ["female scientist", "female nurse", "male scientist", "male nurse"], per_term=1
        ),
        keep=False,
        resamples=100,
        permutations=100,
        rng=np.random.default_rng(2),
    ),
    "sample_posterior of portraits": lambda: bl.sample_posterior(
        bl.observers.vision(lists=(["nurse"], ["executive"]), traits={"appearance": -3.0}),
        "nurse",
        space=bl.posterior.Portraits(vary=["appearance"], levels=9),
        chains=4,
        draws=20,
        rng=np.random.default_rng(2),
    ),
    "drawn_people": lambda: bl.probes.images.drawn_people(
        bl.images.DrawnPainter({"nurse": 0.9}, size=48),
        ["nurse"],
        bl.observers.vision(lists=(["woman"], ["man"]), traits={"appearance": -3.0}),
        calibration=bl.images.drawn_images(["woman", "man"], per_term=10, size=48),
        per_word=4,
        outside=None,
        keep=False,
    ),
    "rate": lambda: bl.rate(
        bl.observers.service("noisy", seed=1), bl.RatingDesign.make(texts=5), keep=False
    ),
    "rate by name": lambda: bl.rate("always he", keep=False),
    "re_rate": lambda: bl.rate(
        "simulated translator", bl.RatingDesign.paper(texts=5), keep=False
    ).re_rate(biased={"10/90": (0.2, 0.8, 0)}),
}
OF_POSTERIORS: dict[str, Callable[[], Result]] = {
    "sample_posterior": lambda: bl.sample_posterior(
        "imdb-sentiment", draws=50, chains=4, warmup=20, check=False
    ),
    "exact": exact,
    "groups": lambda: bl.posterior.groups(exact(), GROUPS, words=bl.load("imdb-sentiment")),
    "reread": lambda: bl.posterior.reread(
        bl.posterior.overview("imdb-sentiment", engine="exact", draws=50, chains=4),
        bl.load("imdb-sentiment"),
        distance="euclidean",
    ),
    "sentiment_gap": lambda: bl.probes.sentences.sentiment_gap(
        "imdb-sentiment", names=("male", "female"), halves=4
    ),
    "plane": lambda: bl.posterior.plane(exact(), bl.load("imdb-sentiment"), ["good", "bad"]),
    "distances": lambda: bl.posterior.distances(
        exact(), bl.load("imdb-sentiment").words, ["good", "bad"]
    ),
}
OF_MODELS: dict[str, Callable[[], Result]] = {
    "two_afc of portraits": lambda: bl.two_afc(
        "portrait-clip", ["nurse"], ("woman", "man"), levels=5, observers=2
    ),
    "stereotype_score of a model": lambda: bl.stereotype_score(
        bl.load("wiki-clm"),
        "biastest-math-arts",
        ["She likes math .", "He likes poetry ."],
        keep=False,
        resamples=100,
    ),
    "seat": lambda: bl.association.seat(bl.load("wiki-mlm", kind="encoder"), **LEAST),
}


KINDS = {
    "AssociationResult": "overview",
    "DistanceModelResult": "distance_model",
    "DrawnPeople": "drawn_people",
    "GroupDistances": "groups",
    "ImageAssociation": "image_association",
    "ListGrowth": "list_growth",
    "ListLength": "list_length",
    "MacResult": "mac",
    "MeasureResult": "rnd",
    "OccupationsResult": "occupations",
    "PortraitPosterior": "sample_posterior of portraits",
    "PosteriorPlane": "plane",
    "PosteriorResult": "exact",
    "RatingResult": "rate",
    "ResidualBias": "residual",
    "SeatResult": "seat",
    "SentimentGap": "sentiment_gap",
    "StereotypeScore": "stereotype_score",
    "TreatmentResult": "measure_treatment",
    "TwoAFCResult": "two_afc by name",
    "WeatResult": "weat, a generator",
    "WeatSimulation": "weat_simulation",
    "WordDistances": "distances",
    "WordSimilarityResult": "word_similarity",
    "WordSuggestions": "suggest_words",
}
"""Which of these stands for its kind; `test_result_kinds` has the others."""


def _kinds(base: type[Result] = Result) -> Iterator[str]:
    for kind in base.__subclasses__():
        yield from _kinds(kind)
        if kind.__module__.startswith("biaslab.") and "schema" in vars(kind):
            yield kind.__name__


def test_every_kind_is_here() -> None:
    for module in pkgutil.walk_packages(probes.__path__, "biaslab.probes."):
        importlib.import_module(module.name)
    assert set(_kinds()) == {*MAKERS, *KINDS}


def check(name: str, result: Result) -> None:
    """See that code, JSON and the call itself make the result again."""
    code = result.code()
    assert "FILL IN" not in code
    assert result_of(code) == result
    again = Result.from_json(result.to_json())
    assert again == result
    assert again.provenance.call == result.provenance.call
    assert again.code() == code
    assert again.provenance.call is not None
    assert carry_out(again.provenance.call) == result
    kind = type(result).__name__
    if KINDS.get(kind) == name:
        keeps_the_protocol(result)


@pytest.mark.parametrize("name", PROBES)
def test_the_code_of_a_result_makes_it_again(name: str) -> None:
    check(name, PROBES[name]())


@needs("torch", "pyro")
@pytest.mark.parametrize("name", OF_POSTERIORS)
def test_the_code_of_a_posterior_makes_it_again(name: str) -> None:
    check(name, OF_POSTERIORS[name]())


@needs("torch", "transformers")
@pytest.mark.parametrize("name", OF_MODELS)
def test_the_code_of_a_models_result_makes_it_again(name: str) -> None:
    check(name, OF_MODELS[name]())


def test_code_is_short_and_says_only_what_was_said() -> None:
    assert bl.two_afc(one(), ["nurse"], ("she", "he"), level=0.9, jnd="quartile").code() == (
        "import biaslab as bl\n\n"
        'subject = bl.load("wiki-bootstraps").replicate(0)\n'
        'result = bl.two_afc(subject, ["nurse"], ("she", "he"), level=0.9)\n'
        "print(result.summary())\n"
    )


@pytest.mark.parametrize("name", ["two_afc", "weat, a generator", "re_rate", "distance_model"])
def test_a_formatter_leaves_the_code_as_it_is(name: str, tmp_path: Path) -> None:
    ruff = shutil.which("ruff", path=str(Path(sys.executable).parent)) or shutil.which("ruff")
    if ruff is None:
        pytest.skip("ruff is not installed")
    file = tmp_path / "copied.py"
    file.write_text(PROBES[name]().code(), encoding="utf-8")
    for arguments in (["format", "--check"], ["check", "--select", "E,F,I,W"]):
        done = subprocess.run(
            [ruff, *arguments, "--isolated", str(file)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stdout + file.read_text(encoding="utf-8")


def test_only_the_outer_call_is_recorded() -> None:
    result: Any = PROBES["overview"]()
    assert result.provenance.call.function == "bl.association.overview"
    assert result.mac.provenance.call is None
    assert "does not record how it was made" in result.mac.code()


def test_a_call_is_no_part_of_equality_and_older_results_have_none() -> None:
    result = PROBES["weat_simulation"]()
    without = json.loads(result.to_json())
    del without["provenance"]["call"]
    older = Result.from_dict(without)
    assert older.provenance.call is None
    assert older == result
    assert "result = ...  # FILL IN" in older.code()
    assert not next(f for f in fields(Provenance) if f.name == "call").compare


def test_a_debiased_subject_is_debiased_again() -> None:
    mine = bl.load({"she": [1.0, 0.0], "he": [0.0, 1.0], "nurse": [0.9, 0.3]})
    fair = bl.debias(mine, defining=[["she", "he"]])
    result = bl.two_afc(fair, ["nurse"], ("she", "he"))
    assert "debiased = bl.debias(subject, defining=" in result.code()
    assert result_of(result.code()) == result


def test_a_function_is_named_and_to_be_filled_in() -> None:
    def respond(item: Any, first: Any, second: Any, alpha: Any, observer: Any) -> Any:
        return 1 / (1 + np.exp(-8 * (np.asarray(alpha) - 0.45)))

    result = bl.two_afc(respond, ["nurse"], PAIR)
    code = result.code()
    assert "subject = respond  # FILL IN" in code
    assert "a Python function is not stored with a result" in code
    made: dict[str, Any] = {"respond": respond}
    exec(code, made)
    assert made["result"] == result


def test_vectors_in_memory_are_to_be_filled_in_unless_they_are_few() -> None:
    few = bl.load({"she": [1.0, 0.0], "he": [0.0, 1.0], "nurse": [0.9, 0.3]})
    assert result_of(bl.two_afc(few, ["nurse"], ("she", "he")).code())
    vectors = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
    mine = bl.WordEmbedding(["she", "he", "nurse"], vectors, name="my own")
    code = bl.two_afc(mine, ["nurse"], ("she", "he")).code()
    assert "# FILL IN: my own (an object in memory" in code
    assert "subject = ...  # FILL IN" in code
    many = bl.load(dict(zip(map(str, range(3000)), np.eye(3000, 8) + 1, strict=True)), name="big")
    assert "more than 20,000 values" in bl.two_afc(many, ["7"], ("1", "2")).code()


@needs("openai")
def test_no_key_enters_a_result() -> None:
    service = bl.services.ChatService(
        "some-model", "Repeat.", base_url="http://127.0.0.1:9/v1", key="sk-xyz"
    )
    call = call_of(bl.rate, service)
    text = source_of(call) + json.dumps(call.tree, default=dict)
    assert "sk-xyz" not in text
    assert "key = ...  # FILL IN" in text
    assert "http://127.0.0.1:9/v1" in text
    assert call_of(Endpoint, "m", base_url="http://me:pw@host/v1?api_key=abc").arguments[
        "base_url"
    ] == "http://host/v1?api_key=..."  # fmt: skip


def test_a_stored_call_names_recorded_functions_alone() -> None:
    for name in ("os.system", "bl.jobs.os.system", "bl.home.home_folder", "bl._public", "bl.nope"):
        with pytest.raises(CallError):
            carry_out(Call(name, {}))
    with pytest.raises(CallError, match="install"):
        named("bl.two_afcs")


def test_a_stored_call_opens_no_pickle(tmp_path: Path) -> None:
    call = Call("bl.load", {"source": str(tmp_path / "x.pkl"), "trust_pickle": True})
    (tmp_path / "x.pkl").write_bytes(pickle.dumps({"she": [1.0]}))
    with pytest.raises(PickleRefusedError):
        carry_out(call)


@pytest.mark.parametrize(
    ("thing", "name"),
    [
        (bl.two_afc, "bl.two_afc"),
        (bl.load, "bl.load"),
        (bl.association.rnd, "bl.association.rnd"),
        (bl.posterior.groups, "bl.posterior.groups"),
        (bl.observers.classifier, "bl.observers.classifier"),
        (bl.probes.rating.Rules, "bl.probes.rating.Rules"),
        (bl.specs.Spec, "bl.specs.Spec"),
    ],
)
def test_functions_are_named_as_a_person_writes_them(thing: Any, name: str) -> None:
    assert public_name(thing) == name
    assert named(name) is thing


def test_every_probe_that_returns_a_result_is_recorded() -> None:
    modules = (bl, bl.association, bl.posterior, bl.probes.similarity, bl.probes.sentences)
    for module in modules:
        for name in getattr(module, "__all__", dir(module)):
            function = getattr(module, name)
            returns = str(getattr(function, "__annotations__", {}).get("return", ""))
            is_probe = returns in {kind.__name__ for kind in Result.__subclasses__()}
            if callable(function) and is_probe:
                assert getattr(function, "is_recorded", False), f"{module.__name__}.{name}"


def test_what_cannot_be_described_fails_no_probe() -> None:
    class Odd(str):
        def __eq__(self, other: object) -> bool:
            raise RuntimeError

        __hash__ = str.__hash__

    assert bl.two_afc(words(), [Odd("nurse")]).items == ("nurse",)
