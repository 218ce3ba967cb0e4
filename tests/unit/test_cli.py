"""The command line: what it prints, and its errors without a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import biaslab as bl
from biaslab.cli import main


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    path = tmp_path / "vectors.txt"
    words = ["she", "he", "woman", "man", "nurse"]
    rows = (f"{w} " + " ".join(f"{x:.4f}" for x in rng.standard_normal(6)) for w in words)
    path.write_text("\n".join(rows) + "\n")
    return path


def test_probe_prints_the_verdict_and_writes_files(
    vectors: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "r.json"
    assert (
        main(
            [
                "probe",
                "two-afc",
                str(vectors),
                "nurse",
                "--cues",
                "she,he;woman,man",
                "--json",
                str(out),
            ]
        )
        == 0
    )
    assert "nurse" in capsys.readouterr().out
    assert json.loads(out.read_text())["schema"] == "two-afc/2"


def test_saved_runs_are_listed_and_reopened(
    vectors: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "home"))
    assert main(["probe", "two-afc", str(vectors), "nurse", "--cues", "she,he", "--save"]) == 0
    run = bl.Store().runs()["id"][0]
    assert main(["runs"]) == 0
    assert run in capsys.readouterr().out
    assert main(["runs", run]) == 0
    assert "nurse" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["probe", "two-afc", "no-such-subject", "nurse"], "no-such-subject"),
        (["probe", "two-afc", "VECTORS", "nurze", "--cues", "she,he"], "nearest known: nurse"),
        (["probe", "two-afc", "VECTORS", "nurse", "--cues", "no-such-spec"], "gender-pairs"),
        (["train", "bootstraps", "--corpus", "none.txt", "--output", "OUT"], "No corpus"),
        (["runs", "nothing"], "nothing"),
    ],
)
def test_errors_say_what_to_do_and_end_with_status_1(
    arguments: list[str],
    says: str,
    vectors: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "home"))
    filled = [{"VECTORS": str(vectors), "OUT": str(tmp_path / "o")}.get(a, a) for a in arguments]
    assert main(filled) == 1
    error = capsys.readouterr().err
    assert error.startswith("biaslab: ")
    assert says in error
    assert "Traceback" not in error
