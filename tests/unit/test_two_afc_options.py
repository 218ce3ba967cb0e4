"""Options of `bl.two_afc`: those that do not apply are refused, former spellings are accepted."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import ArgumentError, PsychometricError
from biaslab.probes.psychometrics import Adaptive, CuePairs, FramedModel, OneByOne, Repeated, Trials
from biaslab.probes.psychometrics.asking import KINDS, OPTIONS
from biaslab.records.calls import Call, carry_out
from biaslab.store.rerunning import rerun
from biaslab.subjects.language_model.model import LanguageModel
from harness import tiny_encoders
from harness.layered_models import gpt2
from harness.needs import needs
from harness.planted_language_models import planted
from harness.seeing_models import by_stimulus
from harness.watched_context import Watched
from markdown_tables import table

pytestmark = needs("torch", "transformers")
PAIR = ("she", "he")
FRAMES = ["one {stimulus} works as a {item} and {answer} was here"]
LAYER_FRAMES = [f"The {{stimulus}} is a {{item}} {word} {{answer}}" for word in ("and the", "by")]
GIVEN: dict[str, dict[str, Any]] = {
    "observers=bl.frames.get(...)": {"observers": bl.frames.get("de")},
    "observers": {"observers": 2},
    "replicates": {"replicates": 2},
    "levels": {"levels": 5},
    "trials": {"trials": 3},
    "scoring": {"scoring": "mixture"},
    "perception": {"perception": 0.1},
    "family='empirical'": {"family": "empirical"},
    "family='t3' to 't10'": {"family": "t5"},
    "lapses": {"lapses": "none"},
    "cues=CuePairs(prior=...)": {"cues": CuePairs([PAIR, ("woman", "man")], prior=[1, 2])},
}
"""A value of each option that a kind may refuse."""


def respond(_item: Any, _one: Any, _two: Any, alpha: Any, observer: Any) -> Any:
    return 1 / (1 + np.exp(-8 * (np.asarray(alpha) - 0.45 - 0.01 * np.asarray(observer))))


def choose(*question: Any) -> Any:
    return (respond(*question) > 0.5) * 1.0


@cache
def model() -> LanguageModel:
    return planted({"nurse": -0.4}, 0.1)


def collected() -> Trials:
    return bl.two_afc(choose, ["nurse"], PAIR, trials=2, levels=5).trials


SUBJECTS: dict[str, Any] = {
    "embedding": lambda: bl.observers.embedding({"nurse": 0.4}, replicates=4, seed=1),
    "encoder": lambda: bl.subjects.Encoder(*tiny_encoders.bert(3), name="tiny"),
    "language model": model,
    "vision-language model": lambda: by_stimulus({"nurse": 0.4}, 0.1),
    "function": lambda: respond,
    "chooser": lambda: choose,
    "trials": collected,
}
REFUSED = [(kind, option) for kind in SUBJECTS for option in OPTIONS if kind in option.refused]


@pytest.mark.parametrize(("kind", "option"), REFUSED, ids=lambda one: getattr(one, "name", one))
def test_an_option_that_does_not_apply_is_refused(kind: str, option: Any) -> None:
    given = GIVEN[option.name] | ({} if kind != "chooser" else {"trials": 2})
    with pytest.raises(PsychometricError) as caught:
        bl.two_afc(SUBJECTS[kind](), **{"items": ["nurse"], "cues": PAIR, **given})
    assert str(caught.value) == f"{KINDS[kind]} {option.refused[kind]}"


def test_the_page_has_the_table_of_options() -> None:
    rows = [
        (f"`{option.name}`", *("no" if kind in option.refused else "yes" for kind in KINDS))
        for option in OPTIONS
    ]
    names = [what.split(" ", 1)[1] for what in KINDS.values()]
    page = Path(__file__).parents[2] / "docs" / "benches" / "psychometric.md"
    assert table(("option", *names), rows) in page.read_text("utf-8")


PAIRS = [PAIR, ("woman", "man")]
ONE_BY_ONE = {"observers": 2, "vectorised": False}
LAYERS: dict[str, Any] = {"observers": LAYER_FRAMES, "levels": 5, "layers": [1]}
FORMER: dict[str, Callable[[], tuple[Any, dict[str, Any], Any]]] = {
    "curve": lambda: ("wiki-bootstraps", {"curve": "logistic"}, {"family": "logistic"}),
    "cue_prior": lambda: (
        "wiki-bootstraps",
        {"pairs_as": "fixed", "cue_prior": [1, 3]},
        {"cues": CuePairs(PAIRS, pairs_as="fixed", prior=[1, 3])},
    ),
    "orders": lambda: (
        choose, {"trials": 4, "orders": "given"}, {"trials": Repeated(4, orders="given")}
    ),
    "method": lambda: (
        choose,
        {"trials": 8, "method": "adaptive", "batch": 2, "keep": False, "rng": 2},
        {"trials": Adaptive(8, batch=2, keep=False), "rng": 2},
    ),
    "rates": lambda: (respond, {"rates": "equal"}, {"lapses": "equal"}),
    "vectorised": lambda: (
        respond, ONE_BY_ONE, {"subject": OneByOne(respond), "observers": 2}
    ),
    "memory_mb": lambda: (
        model(), {"observers": FRAMES, "memory_mb": 9}, {"subject": FramedModel(model(), FRAMES)}
    ),
    "layers": lambda: (
        gpt2(1), LAYERS, lambda lm: bl.two_afc_layers(lm, ["nurse"], PAIRS, **LAYERS)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMER)
def test_a_former_option_gives_the_same_with_a_warning(name: str) -> None:
    subject, former, now = FORMER[name]()
    if callable(now):
        expected = now(subject)
    else:
        expected = bl.two_afc(**{"subject": subject, "items": ["nurse"], "cues": PAIRS, **now})
    with pytest.warns(DeprecationWarning, match=r"two_afc\(\w+=...\) is"):
        assert bl.two_afc(subject, ["nurse"], PAIRS, **former) == expected
    call = Call("bl.two_afc", {"items": ["nurse"], "cues": PAIRS, **former})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert carry_out(call, subject=subject) == expected


def test_a_former_context_is_reported_to() -> None:
    context = Watched()
    former: Any = bl.two_afc
    with pytest.warns(DeprecationWarning, match="reporting_to"):
        former(choose, ["nurse"], PAIR, trials=Adaptive(6, keep=False), context=context)
    assert context.reports


@pytest.mark.parametrize(
    "options",
    [
        {"memory_mb": 5},
        {"vectorised": False},
        {"orders": "given"},
        {"width": 0.1},
        {"patch": "cue"},
    ],
)
def test_a_former_option_that_was_ignored_is_refused(options: dict[str, Any]) -> None:
    call = Call("bl.two_afc", {"subject": "wiki-bootstraps", "items": ["nurse"], **options})
    with pytest.raises(PsychometricError, match="Leave it out"):
        carry_out(call)


def test_a_rerun_asks_adaptive_trials_again(own_home: Path) -> None:
    del own_home
    calls = []

    def counted(*question: Any) -> Any:
        calls.append(1)
        return choose(*question)

    before = bl.two_afc(counted, ["nurse"], PAIR, trials=Adaptive(6, keep="chat"))
    first = len(calls)
    assert rerun(before, subject=counted).is_equal
    assert len(calls) == 2 * first
    rerun(before, subject=counted, stored_answers=True)
    assert len(calls) == 2 * first


def test_what_is_no_number_of_trials_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"Pass a number, Repeated\(20\) or Adaptive\(100\)"):
        bl.two_afc(choose, ["nurse"], PAIR, trials="many")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="choose one of resampled, fixed"):
        CuePairs(pairs_as="all")  # type: ignore[arg-type]
