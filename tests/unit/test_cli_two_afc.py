"""``biaslab probe two-afc`` on a language model and on a vision-language model."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from PIL import Image

from biaslab.cli import main
from biaslab.records.result import Result
from harness.needs import needs
from harness.planted_language_models import planted_folder

pytestmark = needs("torch", "transformers")


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


def test_portraits_are_drawn_for_a_vision_language_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    json, table = tmp_path / "r.json", tmp_path / "answers.csv"
    arguments = ["probe", "two-afc", "portrait-clip", "secretary", "mechanic", "--cues"]
    wanted = ["woman,man", "--portraits", "4", "--levels", "5"]
    files = ["--json", str(json), "--responses-csv", str(table)]
    template = ["--template", "a portrait of a {concept}"]
    assert main([*arguments, *wanted, *files, *template]) == 0
    printed = capsys.readouterr()
    assert "A secretary must look" in printed.out
    assert "% male before the model answers “a man”" in printed.out
    result = Result.from_json(json.read_text())
    secretary, mechanic = result.pse  # type: ignore[attr-defined]
    assert secretary > mechanic
    with table.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 4 * 5
    assert {row["portrait"] for row in rows} == {f"portrait {n}" for n in (1, 2, 3, 4)}


def test_own_pictures_come_from_a_folder_and_all_of_it_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for item in ("nurse", "judge"):
        for name, value in (("0", 20), ("1", 220)):
            (tmp_path / item / "anna").mkdir(parents=True, exist_ok=True)
            Image.new("RGB", (32, 32), (value,) * 3).save(tmp_path / item / "anna" / f"{name}.png")
    arguments = ["probe", "two-afc", "portrait-clip", "--cues", "woman,man", "--levels", "3"]
    assert main([*arguments, "--morphs", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "nurse" in printed
    assert "judge" in printed
    assert "double exposure" in printed
    assert main([*arguments, "--morphs", str(tmp_path / "gone")]) == 1
    assert "There is no folder" in capsys.readouterr().err
    assert main([*arguments, "--morphs", str(tmp_path), "--portraits", "3"]) == 1
    assert "Leave one of them out" in capsys.readouterr().err
