"""The commands of SEAT and CEAT."""

from __future__ import annotations

from pathlib import Path

import pytest

import biaslab as bl
from biaslab.cli import main
from biaslab.records.result import Result
from harness import tiny_encoders
from harness.tiny_parts import save

SPEC = """\
name = "small"
title = "Small"
source = "test"
[groups]
care = ["nurse", "family", "home"]
work = ["engineer", "career", "business"]
[attributes]
female = ["she", "woman"]
male = ["he", "man"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save(tiny_encoders.bert(), tmp_path / "model")
    (tmp_path / "small.toml").write_text(SPEC)
    (tmp_path / "said.txt").write_text("this is {}\n{} is here\n")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "option", "more"),
    [("seat", "--templates", []), ("ceat", "--contexts", ["--draws", "40"])],
)
def test_the_command_finds_what_the_function_does(
    folder: Path, name: str, option: str, more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out, said, spec = folder / "out.json", folder / "said.txt", folder / "small.toml"
    arguments = ["probe", name, str(folder / "model"), str(spec), option, str(said), *more]
    assert main([*arguments, "--device", "cpu", "--json", str(out)]) == 0
    encoder = bl.load(folder / "model", kind="encoder", device="cpu")
    templates = ["this is {}", "{} is here"]
    found = (
        bl.association.seat(encoder, spec, templates=templates)
        if name == "seat"
        else bl.association.ceat(encoder, spec, contexts=templates, draws=40)
    )
    again = Result.from_json(out)
    assert again.headline == found.headline
    assert capsys.readouterr().out.strip() == found.summary()
