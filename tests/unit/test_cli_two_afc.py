"""``biaslab probe two-afc`` on a language model."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from biaslab.cli import main
from biaslab.results import Result
from harness.planted_language_models import planted_folder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "planted"
    return planted_folder(folder, {"nurse": -0.62, "engineer": -0.4}, 0.15)


def test_a_folder_is_told_from_its_content_and_the_planted_truth_comes_out(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    json, table = tmp_path / "r.json", tmp_path / "answers.csv"
    arguments = ["probe", "two-afc", str(model), "nurse", "engineer", "--cues", "she,he"]
    wanted = ["--levels", "11", "--json", str(json), "--responses-csv", str(table)]
    assert main([*arguments, *wanted]) == 0
    printed = capsys.readouterr()
    assert "a bias toward she" in printed.out
    result = Result.from_json(json.read_text())
    assert result.pse == pytest.approx([0.62, 0.4], abs=0.003)  # type: ignore[attr-defined]
    with table.open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 2 * 20 * 11


def test_own_frames_come_from_a_file(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frames = tmp_path / "frames.txt"
    frames.write_text("the {stimulus} works as a {item} and the {answer}\n\n", encoding="utf-8")
    arguments = ["probe", "two-afc", str(model), "nurse", "--cues", "woman,man"]
    assert main([*arguments, "--frames", str(frames)]) == 0
    assert "1 frame," in capsys.readouterr().out
    frames.write_text("the {stimulus} works as a {item}\n", encoding="utf-8")
    assert main([*arguments, "--frames", str(frames)]) == 1
    assert "has no {answer}" in capsys.readouterr().err


def test_frames_are_for_language_models(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frames = tmp_path / "frames.txt"
    frames.write_text("x", encoding="utf-8")
    arguments = ["probe", "two-afc", "wiki-bootstraps", "nurse", "--frames", str(frames)]
    assert main(arguments) == 1
    assert "is no language model" in capsys.readouterr().err
