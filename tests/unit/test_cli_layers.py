"""``biaslab probe two-afc --layers``: a curve per layer from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from biaslab.cli import main
from harness.layered_models import FRAMES, gpt2
from harness.needs import needs

pytestmark = needs("torch", "transformers")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved model, and its frames."""
    path = tmp_path_factory.mktemp("layers") / "tiny"
    lm = gpt2(1, plant=2, push=0.3)
    lm.model.save_pretrained(path)
    lm.tokenizer.save_pretrained(path)
    (path.parent / "frames.txt").write_text("\n".join(FRAMES), encoding="utf-8")
    return path


def _asked(folder: Path, *more: str) -> int:
    frames = str(folder.parent / "frames.txt")
    return main(
        ["probe", "two-afc", str(folder), "nurse", "--cues", "she,he", "--frames", frames,
         "--levels", "3", *more]
    )  # fmt: skip


def test_layers_are_told_and_written(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, table = tmp_path / "layers.json", tmp_path / "answers.csv"
    options = ["--layers", "all", "--json", str(out), "--responses-csv", str(table)]
    assert _asked(folder, *options) == 0
    assert "arises between layers 1 and 2" in capsys.readouterr().out
    assert json.loads(out.read_text())["schema"] == "two-afc-layers/2"
    assert table.read_text().startswith("layer,item,")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--layers", "0,9"], "There is no layer 9"),
        (["--layers", "first"], "write all, or numbers with commas"),
        (["--patch", "cue"], "Add --layers all"),
    ],
)
def test_what_are_no_layers_is_said(
    options: list[str], says: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _asked(folder, *options) == 1
    assert says in capsys.readouterr().err
