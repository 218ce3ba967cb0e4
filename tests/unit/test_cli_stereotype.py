"""``biaslab probe sentences``."""

from __future__ import annotations

from pathlib import Path

import pytest

import biaslab as bl
from biaslab.cli import main
from biaslab.records.result import Result
from harness import small_specs, tiny_language_models
from harness.heavy import pd, torch
from harness.tiny_parts import save


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_thread: None) -> Path:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "home"))
    (tmp_path / "small.toml").write_text(small_specs.SENTENCES)
    return tmp_path


def test_two_models_are_scored_and_compared(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for seed in (0, 1):
        torch.manual_seed(seed)
        save(tiny_language_models.bert(), folder / f"model{seed}")
    arguments = ["probe", "sentences", str(folder / "model0"), str(folder / "small.toml")]
    arguments += ["--kind", "mlm", "--beside", str(folder / "model1"), "--device", "cpu"]
    arguments += ["--json", str(folder / "out.json"), "--svg", str(folder / "out.svg")]
    arguments += ["--pairs-csv", str(folder / "pairs.csv"), "--resamples", "200"]
    assert main(arguments) == 0
    said = capsys.readouterr().out
    lm = bl.load(folder / "model0", kind="mlm", device="cpu")
    found = bl.stereotype_score(lm, str(folder / "small.toml"), keep=False, resamples=200)
    result = Result.from_json(folder / "out.json")
    assert isinstance(result, bl.probes.sentences.StereotypeScore)
    assert result.overall == found.overall
    assert found.summary() in said
    assert " pairs" in said.splitlines()[-1]
    table = pd.read_csv(folder / "pairs.csv")
    assert len(table) == 2 * len(found.pairs)
    assert (folder / "out.svg").read_text().startswith("<svg")
