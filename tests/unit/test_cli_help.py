"""Help texts of the command line list the commands and the exit statuses."""

from __future__ import annotations

import re
import sys
from importlib.metadata import version

import pytest

from biaslab.cli import COMMANDS, main
from biaslab.cli.commands import Family


@pytest.mark.parametrize("family", ["probe", "train", "runs", "subjects", "specs", "catalog"])
def test_help_of_a_family_lists_its_commands(
    family: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([family, "--help"])
    text = capsys.readouterr().out
    name = "specs" if family == "catalog" else family
    (commands,) = (
        [command.name for command in one.commands]
        for one in COMMANDS
        if isinstance(one, Family) and one.name == name
    )
    assert len(commands) > 1
    assert all(f"\n    {command}" in text for command in commands)


def test_a_missing_part_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "biaslab_train", None)
    with pytest.raises(SystemExit, match="Install biaslab again"):
        main(["train", "--help"])
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "train an embedding, a classifier or a model" in capsys.readouterr().out


def test_the_version_and_the_exit_statuses(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"biaslab {version('biaslab')}\n"
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    for status in (0, 1, 2, 3, 130):
        assert re.search(rf"^  {status} +\w", text, re.M)


@pytest.mark.parametrize("arguments", [[], ["no-such"], ["runs", "show"], ["specs", "--no-such"]])
def test_wrong_usage_ends_with_status_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("usage: biaslab")
