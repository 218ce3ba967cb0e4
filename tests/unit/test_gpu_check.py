"""The check of a GPU, tiny and on the processor: every part runs and agrees with itself."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import gpu_check
from benchmarks import language_model_speed
from harness.needs import needs

READS = ("tools/gpu_check.py", "benchmarks/language_model_speed.py", "docs/guide")

pytestmark = needs("torch", "transformers")
TINY = {
    "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2,
    "num_key_value_heads": 1, "vocab_size": 1_000,
}  # fmt: skip
NETWORK = {
    "vocabulary": 320, "layers": 1, "width": 16, "heads": 2, "inner": 16, "context": 16, "batch": 8,
}  # fmt: skip


def test_language_models_agree_with_themselves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text("One small page for the tokenizer.")
    monkeypatch.setattr(language_model_speed, "ROOT", tmp_path)
    monkeypatch.setattr(language_model_speed, "TOKENS", TINY["vocab_size"])
    device = gpu_check.Device("cpu")
    rows = gpu_check.checked(
        [gpu_check.language_models(device, {"tiny": TINY}, gpu_check.probes(16, 2, 4))]
    )
    ran = [row for row in rows if not row.missing]
    assert {(row.what.partition(",")[0], row.precision) for row in ran} == {
        (what, precision)
        for what in ("decisions", "two_afc", "stereotype_score")
        for precision in ("float32", "bfloat16")
    }
    assert all(row.agrees and row.plain > 0 for row in ran)
    assert max(row.difference for row in ran if row.precision == "float32") < 1e-6
    assert [row.precision for row in rows if row.missing] == ["4 bit"]
    table = gpu_check.section(rows, "the processor")
    assert "not run: bitsandbytes or a CUDA device is missing" in table
    assert capsys.readouterr().out.count("\n") == len(rows)


@pytest.mark.validate
@needs("pyro")
def test_the_other_parts_agree_with_themselves() -> None:
    rows = list(gpu_check.others(gpu_check.Device("cpu"), 1, draws=10, steps=1, **NETWORK))
    assert [row.difference for row in rows] == [0.0] * 3


def test_what_differs_is_said_and_what_takes_too_long_is_left_out() -> None:
    off = gpu_check.Row("decisions", "float32", 1.0, 1.0, 1e9, 0.5, 1e-3)
    rows = gpu_check.checked([iter([off, off])], minutes=0)
    assert [row.agrees for row in rows] == [False, True]
    assert rows[1].missing == "more than 0 minutes"
    assert not gpu_check.Row("x", "float32", difference=math.nan, limit=1.0).agrees
