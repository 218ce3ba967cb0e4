"""All of CrowS-Pairs in one run: counted as its authors count, with every failure explained.

Their counting (Nangia et al. 2020): in rows marked ``stereo`` the first sentence is about the
disadvantaged group, and the model should not prefer it; in rows marked ``antistereo`` it should not
prefer the other one. Equal scores are neutral. Their metric score is what is preferred in either
direction, over all rows. Our pairs are read from the same rows, and the scores are those of a tiny
model with random weights: what is compared is which version is which, and what is counted.
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

import biaslab as bl
from biaslab.probes.sentences.exchange import read_pairs
from biaslab.subjects.language_model.model import LanguageModel
from harness import tiny_language_models
from harness.heavy import torch
from harness.needs import needs

pytestmark = [needs("torch", "transformers"), pytest.mark.usefixtures("one_thread")]


@pytest.fixture(scope="module")
def file(shared_data: Path) -> Path:
    return shared_data / "sentences" / "crows-pairs.csv"


@pytest.fixture(scope="module")
def result(file: Path) -> bl.probes.sentences.StereotypeScore:
    torch.manual_seed(0)
    model, tokenizer = tiny_language_models.gpt2()
    lm = LanguageModel.of(model, tokenizer, kind="clm", device="cpu")
    return bl.stereotype_score(lm, sentences=file, keep=False, resamples=200)


def test_all_pairs_are_there_and_every_failure_is_explained(
    result: bl.probes.sentences.StereotypeScore,
) -> None:
    assert result.overall.n_pairs == len(result.pairs) == 1508
    assert not result.dropped
    assert len(result.failed) == result.failures
    assert all(reason.endswith(".") and len(reason) > 20 for _, reason in result.failed)


def test_the_share_is_what_the_authors_count(
    result: bl.probes.sentences.StereotypeScore, file: Path
) -> None:
    told = {}
    for pair, scores in zip(result.pairs, result.scores, strict=True):
        told[pair.id] = {
            pair.stereotyped: scores.stereotyped.log_score,
            pair.against: scores.against.log_score,
        }
    counts: Counter[str] = Counter()
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    for row in rows:
        of_version = told[f"crows-{row['']}"]
        by_direction = {
            "stereo": ("sent_more", "sent_less"),
            "antistereo": ("sent_less", "sent_more"),
        }
        columns = by_direction[row["stereo_antistereo"]]
        # Runs of spaces are read as one.
        first, second = (of_version[" ".join(row[column].split())] for column in columns)
        if first is None or second is None:
            counts["failed"] += 1
        elif abs(first - second) <= 1e-4:
            counts["neutral"] += 1
        elif (first > second) == (row["stereo_antistereo"] == "stereo"):
            counts[row["stereo_antistereo"]] += 1
        else:
            counts["other"] += 1
    assert result.overall.wins == counts["stereo"] + counts["antistereo"]
    assert result.overall.losses == counts["other"]
    assert result.ties == counts["neutral"]
    assert result.failures == counts["failed"]
    assert 0.3 < result.share < 0.7  # random weights


def test_kinds_of_bias_are_those_of_the_data_set(
    result: bl.probes.sentences.StereotypeScore,
) -> None:
    # Table 2 of Nangia et al. 2020.
    assert {b.name: b.n_pairs for b in result.bias_types} == {
        "race-color": 516,
        "gender": 262,
        "socioeconomic": 172,
        "nationality": 159,
        "religion": 105,
        "age": 87,
        "sexual-orientation": 84,
        "physical-appearance": 63,
        "disability": 60,
    }


def test_the_tools_own_pairs_load_and_score(shared_data: Path) -> None:
    pairs = read_pairs(shared_data / "sentences" / "biastestgpt-pairs-sample.csv")
    assert len(pairs) > 700
    some = list(pairs)[::6]
    torch.manual_seed(0)
    model, tokenizer = tiny_language_models.gpt2()
    lm = LanguageModel.of(model, tokenizer, kind="clm", device="cpu")
    found = bl.stereotype_score(lm, sentences=some, keep=False, resamples=200)
    assert found.overall.n_pairs == len(some)
    assert found.overall.decided > 0.9 * len(some)
    assert found.attributes
