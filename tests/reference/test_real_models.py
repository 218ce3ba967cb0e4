"""Every probe on models that people use: it answers, and what is known of the models comes out."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl

pytestmark = pytest.mark.real

VECTORS = ("minilm", "wordllama", "spacy-en-md")
OF_VECTORS: dict[str, Callable[[Any], Any]] = {
    "two_afc": lambda subject: bl.two_afc(subject, ["nurse", "lawyer"], "gender-pairs"),
    "occupations": bl.occupations,
    "weat": lambda subject: bl.weat(subject, "weat-1"),
    "mac": lambda subject: bl.mac(subject, "manzini-religion"),
    "distance_model": lambda subject: bl.distance_model(subject, "manzini-religion", draws=200),
}
WORDS = ("algebra", "geometry", "poetry", "dance")
OF_LANGUAGE_MODELS: dict[str, Callable[[Any], Any]] = {
    "two_afc": lambda lm: bl.two_afc(lm, ["nurse"], [("she", "he")], levels=5, observers=2),
    "stereotype_score": lambda lm: bl.stereotype_score(
        lm, "biastest-math-arts", ["The man likes algebra.", "The woman likes poetry."], keep=False
    ),
    "decisions": lambda lm: bl.decisions(lm, method="fixed", levels=3, trials=24, keep=False),
    "other sentences": lambda lm: bl.compare(
        *(
            bl.stereotype_score(
                lm, "biastest-math-arts", [text.format(word) for word in WORDS], keep=False
            )
            for text in ("The man likes {}.", "Yesterday the woman read a book about {}.")
        )
    ),
}


@cache
def opened(path: Path) -> Any:
    """Open a model once."""
    return bl.load(path)


def check(result: Any) -> None:
    """Expect words without a missing number, a chart, and the same result from its file."""
    words = " ".join([result.summary(), *result.verdict()])
    assert not re.search(r"\bnan\b|\binf\b|None", words), words
    assert "<svg" in result.to_svg()
    assert type(result).from_json(result.to_json()).to_json() == result.to_json()


@pytest.mark.parametrize("probe", OF_VECTORS)
@pytest.mark.parametrize("model", VECTORS)
def test_probes_of_vectors(model: str, probe: str, real_model: Callable[[str], Path]) -> None:
    check(OF_VECTORS[probe](opened(real_model(model))))


@pytest.mark.parametrize("probe", OF_LANGUAGE_MODELS)
def test_probes_of_language_models(probe: str, real_model: Callable[[str], Path]) -> None:
    check(OF_LANGUAGE_MODELS[probe](opened(real_model("smollm2"))))


@pytest.mark.parametrize("model", VECTORS)
def test_what_is_known_of_the_words_comes_out(
    model: str, real_model: Callable[[str], Path], shared_data: Path
) -> None:
    subject = opened(real_model(model))
    result = bl.two_afc(subject, ["nurse", "lawyer"], "gender-pairs")
    assert result.pse[0] > max(0.55, result.pse[1] + 0.05)
    swapped = [(man, woman) for woman, man in result.pairs]
    assert bl.two_afc(subject, ["nurse"], swapped).pse[0] == pytest.approx(1 - result.pse[0])
    judged = shared_data / "similarity" / "wordsim353.tsv"
    similar = bl.probes.similarity.word_similarity(subject, judged)
    assert similar.to_frame()["spearman"].iloc[0] > 0.3  # of pruned vectors


def test_seat_finds_flowers_pleasant(real_model: Callable[[str], Path]) -> None:
    result = bl.association.seat(opened(real_model("minilm")), "weat-1")
    check(result)
    assert result.statistic_intervals[-1].low > 0


def test_debiasing_ends_the_bias_of_its_own_cues(real_model: Callable[[str], Path]) -> None:
    subject = bl.debias(opened(real_model("spacy-en-md")), "gender-pairs")
    assert bl.two_afc(subject, ["nurse"], [("woman", "man")]).pse[0] == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("name", ["nurse", "occupations", "associations"])
def test_the_page_of_findings_is_as_computed_now(
    name: str, real_model: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool, page = (importlib.import_module(module) for module in ("findings", "replication"))
    for model in tool.VECTORS:
        real_model(model)
    monkeypatch.setattr(tool, "IMAGES", tmp_path)
    shown = page.section(tool.PAGE.read_text(encoding="utf-8"), name)
    assert tool.TABLES[name]() == shown
