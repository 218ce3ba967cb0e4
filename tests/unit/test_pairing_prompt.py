"""bl.association.ask_for_pairings: a planted association comes back as its score."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import AnswersError, QueryError
from biaslab.probes.opinion import WordPairsResult

SPEC = bl.specs.get("weat-6")


def _chat(follows: float) -> bl.services.FunctionService:
    """A chat that pairs a word as the test expects with a given probability."""
    rng = np.random.default_rng(1)
    men, women = SPEC.groups.values()
    career, _ = SPEC.attributes.values()

    def answer(prompt: str) -> str:
        names = re.findall(r"names, (\w+) and (\w+),", prompt)[0]
        man = next(name for name in names if name in men)
        woman = next(name for name in names if name in women)
        lines = []
        for word in prompt.split("\n\n")[1].splitlines():
            expected, other = (man, woman) if word in career else (woman, man)
            lines.append(f"{word} - {expected if rng.random() < follows else other}")
        return "\n".join(lines)

    return bl.services.FunctionService(answer)


@pytest.mark.parametrize(("follows", "score"), [(0.9, 0.8), (0.5, 0.0), (0.2, -0.6)])
def test_a_planted_association_is_its_score(tmp_path: Path, follows: float, score: float) -> None:
    file = tmp_path / "pairs.csv"
    test = bl.association.ask_for_pairings(_chat(follows), SPEC, file, times=100)
    found = bl.opinion(bl.replay(file, leave_out=False), word_tests=test)
    assert isinstance(found, WordPairsResult)
    assert len(found.score) == 100
    assert found.score.mean() == pytest.approx(score, abs=0.08)
    assert found.cells[0].differs == (score != 0)
    assert "People in the implicit association test (IAT): weat-6 d = 0.72" in found.caveat()


def test_a_spec_of_another_shape_is_refused(tmp_path: Path) -> None:
    with pytest.raises(QueryError, match="two of each"):
        bl.association.ask_for_pairings(_chat(0.5), "gender-pairs", tmp_path / "p.csv")


def test_a_model_that_does_something_else_is_said_to(tmp_path: Path) -> None:
    """As SmolLM2 (135 million parameters) does, which repeats names or words without pairing."""
    service = bl.services.FunctionService(lambda prompt: "They met at work, and were happy.")
    test = bl.association.ask_for_pairings(service, SPEC, tmp_path / "p.csv", times=4)
    with pytest.raises(AnswersError, match=r"No answer in p\.csv pairs words with names"):
        bl.opinion(bl.replay(tmp_path / "p.csv", leave_out=False), word_tests=test)
