"""Results in the forms of other programs: Every Eval Ever, and a model card's metadata."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import biaslab as bl
from harness import benchmark_files, recorded_files

REQUIRED = {"schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata",
            "model_info", "eval_library", "evaluation_results"}  # fmt: skip
"""Keys that Every Eval Ever 0.2.2 requires."""


def test_a_benchmark_is_exported_with_interval_standard_error_and_method(tmp_path: Path) -> None:
    result = bl.opinion(benchmark_files.bbq(tmp_path / "b.jsonl", bias=0.8))
    (record,) = result.to_eee()
    assert set(record) >= REQUIRED
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert record["model_info"] == {"name": "b.jsonl", "id": "b.jsonl"}
    table = result.to_frame()
    assert len(record["evaluation_results"]) == len(table)
    first, row = record["evaluation_results"][0], table.iloc[0]
    assert first["source_data"] == {"dataset_name": "BBQ", "source_type": "other"}
    assert first["score_details"]["score"] == row["estimate"]
    assert float(first["score_details"]["details"]["published"]) == row["published"]
    uncertainty = first["score_details"]["uncertainty"]
    assert uncertainty["confidence_interval"] == {
        "lower": row["low"], "upper": row["high"], "confidence_level": 0.95,
        "method": "opinion, over question template",
    }  # fmt: skip
    assert uncertainty["standard_error"]["value"] == row["standard_error"]
    assert uncertainty["num_samples"] == 46
    names = [one["evaluation_name"] for one in record["evaluation_results"]]
    assert len(set(names)) == len(names)


def test_each_model_has_its_own_record(tmp_path: Path) -> None:
    path = recorded_files.ranked(tmp_path / "r.jsonl", 60, models=("a", "b"))
    records = bl.opinion(path, permutations=199).to_eee()
    assert [one["model_info"]["name"] for one in records] == ["a", "b"]
    assert all(
        "confidence_interval" in one["score_details"]["uncertainty"]
        for record in records
        for one in record["evaluation_results"]
    )


def test_a_model_card_can_carry_its_estimates_as_metadata(tmp_path: Path) -> None:
    result = bl.opinion(recorded_files.asked(tmp_path / "a.csv", 60, 0.8))
    card = bl.model_card(result, eval_results=True)
    yaml = pytest.importorskip("yaml")
    _, head, body = card.split("---\n", 2)
    (index,) = yaml.safe_load(head)["model-index"]
    assert index["results"][0]["metrics"][0]["value"] == pytest.approx(
        result.to_frame()["mean"].iloc[0]
    )
    assert body.strip() == bl.model_card(result).strip()
