"""``biaslab probe images``."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image as pillow

import biaslab as bl
from biaslab.cli import main
from biaslab.records.result import Result
from harness import small_specs
from harness.heavy import pd

SPEC = small_specs.IMAGES.replace('"carer"', '"carer", "zzz"')


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_thread: None) -> Path:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "home"))
    (tmp_path / "small.toml").write_text(SPEC)
    return tmp_path


def test_two_models_are_asked_about_the_same_portraits(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = bl.load("portrait-clip", device="cpu")
    other.model.save_pretrained(folder / "other")
    other.processor.save_pretrained(folder / "other")
    arguments = ["probe", "images", "portrait-clip", str(folder / "small.toml")]
    arguments += ["--beside", str(folder / "other"), "--per-term", "3", "--device", "cpu"]
    arguments += ["--resamples", "200", "--template", "a portrait of a {concept}"]
    arguments += ["--json", str(folder / "out.json"), "--svg", str(folder / "out.svg")]
    arguments += ["--images-csv", str(folder / "images.csv")]
    assert main(arguments) == 0
    said = capsys.readouterr().out
    found = bl.image_association(
        bl.load("portrait-clip", device="cpu"), str(folder / "small.toml"), per_term=3,
        resamples=200, templates=["a portrait of a {concept}"], keep=False,
    )  # fmt: skip
    result = Result.from_json(folder / "out.json")
    assert isinstance(result, bl.probes.images.ImageAssociation)
    assert result.overall == found.overall
    assert found.summary() in said
    assert "Not used: “zzz”" in said
    assert "12 pictures" in said.splitlines()[-1]
    table = pd.read_csv(folder / "images.csv")
    assert len(table) == 2 * len(found.images)
    assert (folder / "out.svg").read_text().startswith("<svg")


def test_own_pictures_from_a_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for k, term in enumerate(["female_nurse", "female_pilot", "male_nurse", "male_pilot"]):
        (folder / "own" / term).mkdir(parents=True)
        for i in range(2):
            shade = (50 * k + 20, 90 * i, 120)
            pillow.new("RGB", (64, 64), shade).save(folder / "own" / term / f"{i}.png")
    arguments = ["probe", "images", "portrait-clip", str(folder / "small.toml"), "--no-keep"]
    arguments += ["--images", str(folder / "own"), "--aggregate", "any", "--device", "cpu"]
    assert main(arguments) == 0
    said = capsys.readouterr().out
    assert "8 pictures" in said
    # The same pictures as a data set.
    bl.images.write_dataset(bl.images.read_folder(folder / "own"), folder / "set")
    assert main([*arguments[:5], *arguments[7:], "--images", str(folder / "set")]) == 0
    assert capsys.readouterr().out == said


def test_lists_are_named_where_the_spec_does_not_tie_them(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "small.toml"
    path.write_text(path.read_text().split("[attribute_groups]")[0].replace(', "zzz"', ""))
    arguments = ["probe", "images", "portrait-clip", str(path), "--per-term", "2", "--no-keep"]
    assert main([*arguments, "--attributes", "experts,helpers", "--json", str(folder / "a")]) == 0
    assert main([*arguments, "--attributes", "helpers,experts", "--json", str(folder / "b")]) == 0
    one, two = (Result.from_json(folder / name) for name in "ab")
    assert isinstance(one, bl.probes.images.ImageAssociation)
    assert isinstance(two, bl.probes.images.ImageAssociation)
    assert one.concept_lists == ("experts", "helpers")
    assert one.score == pytest.approx(1 - two.score)
    assert capsys.readouterr().out


def test_what_has_no_picture_is_refused_in_words(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["probe", "images", "portrait-clip", "weat-1"]) == 1
    assert "no picture of 'flowers'" in capsys.readouterr().err


def test_people_of_the_bundled_painter_are_counted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    painter = bl.images.DrawnPainter(size=32)
    made = bl.images.generate_images(["nurse"], painter, per_term=6, keep=False).images
    rows = [f"{image.hash},{image.record.provenance['group']}" for image in made]
    (folder / "labels.csv").write_text("\n".join(["picture,label", *rows]))
    bl.images.write_dataset(made, folder / "own")
    arguments = ["probe", "drawn-people", str(folder / "own"), "--rater"]
    arguments += [str(folder / "labels.csv"), "--csv", str(folder / "out.csv")]
    arguments += ["--images-csv", str(folder / "images.csv"), "--svg", str(folder / "out.svg")]
    assert main(arguments) == 0
    assert "Labels count as true." in capsys.readouterr().out
    women = sum(row.endswith("woman") for row in rows)
    assert pd.read_csv(folder / "out.csv")["corrected_share"][0] == pytest.approx(women / 6)
    assert len(pd.read_csv(folder / "images.csv")) == 6
