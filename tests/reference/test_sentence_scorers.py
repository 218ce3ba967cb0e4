"""Scores of CrowS-Pairs, beside minicons and a transcription of the CrowS-Pairs definition.

On the bundled models where they are, and on tiny ones with random weights always: on 12 pairs, and
with ``make validate`` on up to 300. minicons' own reading of text asks transformers for what
version 5 no longer has, so it is handed the tokens.
"""

from __future__ import annotations

import csv
import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.probes.sentences.scorers import SCORERS, SentenceScore
from biaslab.subjects import bundled_names
from biaslab.subjects.language_model.model import LanguageModel
from harness import tiny_language_models as tiny
from harness.heavy import torch
from harness.needs import needs

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "sentences" / "crows-pairs.csv"
FEW = 12
MANY = pytest.mark.parametrize("many", [False, pytest.param(True, marks=pytest.mark.validate)])
pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    needs("torch", "transformers"),
    pytest.mark.skipif(not DATA.exists(), reason=f"outside data is not at {DATA}"),
]


@dataclass(frozen=True)
class Pair:
    stereotyped: str
    against: str
    terms: tuple[None, None] = (None, None)
    unrelated: None = None


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    with DATA.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))[:300]
    return [
        Pair(row["sent_more"], row["sent_less"])
        if row["stereo_antistereo"] == "stereo"
        else Pair(row["sent_less"], row["sent_more"])
        for row in rows
    ]


def _model(name: str, kind: Any) -> LanguageModel:
    if name.startswith("wiki-"):
        if name not in bundled_names():
            pytest.skip(f"{name} is not bundled")
        found = bl.load(name, kind=kind, device="cpu")
        assert isinstance(found, LanguageModel)
        return found
    torch.manual_seed(0)
    tiny_positions, tiny.POSITIONS = tiny.POSITIONS, 320
    try:
        model, tokenizer = {**tiny.MASKED, **tiny.CAUSAL}[name]()
    finally:
        tiny.POSITIONS = tiny_positions
    return LanguageModel.of(model, tokenizer, kind=kind)


@pytest.fixture(scope="module", params=["roberta", "wiki-mlm"])
def masked(request: pytest.FixtureRequest) -> LanguageModel:
    return _model(request.param, "mlm")


@pytest.fixture(scope="module", params=["gpt2", "wiki-clm"])
def causal(request: pytest.FixtureRequest) -> LanguageModel:
    return _model(request.param, "clm")


def _all(found: Any) -> list[SentenceScore]:
    scored = [s for p in found for s in (p.stereotyped, p.against)]
    assert [s.failure for s in scored if s.failure] == []
    return scored


def _some(pairs: list[Pair], number: int) -> list[Pair]:
    """So many pairs, from the first to the last."""
    return pairs[:: len(pairs) // number][:number]


def _texts(pairs: list[Pair]) -> list[str]:
    return [text for pair in pairs for text in (pair.stereotyped, pair.against)]


@MANY
@pytest.mark.parametrize(
    ("name", "metric"), [("pll", "original"), ("pll-word-l2r", "within_word_l2r")]
)
def test_pseudo_log_likelihoods_are_those_of_minicons(
    masked: LanguageModel, pairs: list[Pair], name: str, metric: str, many: bool
) -> None:
    scorer = pytest.importorskip("minicons.scorer")
    other = scorer.MaskedLMScorer(masked.model, "cpu", tokenizer=masked.tokenizer)
    some = _some(pairs, {"wiki-mlm": 300}.get(masked.name, 100) if many else FEW)
    found = _all(SCORERS[name].score(masked, some))
    for text, score in zip(_texts(some), found, strict=True):
        encoded = masked.tokenizer([text], padding="longest")
        (expected,) = other.compute_stats(other.prepare_text(encoded, PLL_metric=metric))
        np.testing.assert_allclose(score.contributions, expected, atol=1e-4, rtol=0)


@MANY
def test_log_likelihoods_are_those_of_minicons(
    causal: LanguageModel, pairs: list[Pair], many: bool
) -> None:
    scorer = pytest.importorskip("minicons.scorer")
    # It wants a token for padding, though it is asked for one sentence at a time.
    if causal.tokenizer.pad_token is None:
        causal.tokenizer.pad_token = causal.tokenizer.eos_token
    other = scorer.IncrementalLMScorer(causal.model, "cpu", tokenizer=causal.tokenizer)
    some = pairs if many else _some(pairs, FEW)
    found = _all(SCORERS["log-likelihood"].score(causal, some))
    adds_begin = causal.tokenizer("a")["input_ids"][0] == causal.begin
    for text, score in zip(_texts(some), found, strict=True):
        prepared = other.prepare_text(text, bos_token=not adds_begin)
        (expected,) = other.compute_stats(prepared)
        np.testing.assert_allclose(score.contributions, expected, atol=1e-4, rtol=0)


@MANY
def test_crows_pairs_scores_are_as_the_definition_is_written(
    masked: LanguageModel, pairs: list[Pair], many: bool
) -> None:
    # One look at a time is slow, and random weights are there for where nothing is bundled.
    some = _some(pairs, {"wiki-mlm": 300}.get(masked.name, 60) if many else FEW)
    for pair, scores in zip(some, SCORERS["crows-pairs"].score(masked, some), strict=True):
        ours = (scores.stereotyped.log_score, scores.against.log_score)
        for mine, theirs in zip(ours, _as_written(masked, pair), strict=True):
            assert mine is not None
            assert mine == pytest.approx(theirs, abs=1e-4 * len(scores.stereotyped.tokens))


def _as_written(lm: LanguageModel, pair: Pair) -> list[float]:
    """Nangia et al. 2020, section 4.1, with the shared tokens that difflib finds.

    Both sentences are tokenized; runs of equal tokens are found; each but the first and last token
    (special ones) is masked in turn; logs of the softmax at these places are summed up.
    """
    both = [lm.tokenizer(text)["input_ids"] for text in (pair.stereotyped, pair.against)]
    codes = difflib.SequenceMatcher(None, *([str(i) for i in ids] for ids in both)).get_opcodes()
    equal = [code for code in codes if code[0] == "equal"]
    sums = []
    for ids, (begin, end) in zip(both, ((1, 2), (3, 4)), strict=True):
        places = [i for code in equal for i in range(code[begin], code[end])][1:-1]
        total = 0.0
        for i in places:
            shown = torch.tensor([ids])
            shown[0, i] = lm.tokenizer.mask_token_id
            with torch.no_grad():
                logits = lm.model(input_ids=shown).logits[0, i]
            total += float(torch.log_softmax(logits, dim=-1)[ids[i]])
        sums.append(total)
    return sums


@pytest.mark.validate
def test_all_crows_pairs_run_in_one_go_and_every_failure_is_explained() -> None:
    with DATA.open(encoding="utf-8", newline="") as file:
        rows = [Pair(row["sent_more"], row["sent_less"]) for row in csv.DictReader(file)]
    assert len(rows) == 1508
    for name in ("gpt2", "wiki-clm"):
        if name.startswith("wiki-") and name not in bundled_names():
            continue
        found = SCORERS["log-likelihood"].score(_model(name, "clm"), rows)
        assert len(found) == len(rows)
        for scores in found:
            assert (scores.log_odds is None) == bool(scores.failure)
        assert sum(scores.log_odds is not None for scores in found) > 1400
