"""The examples in help texts and in the guide are commands that there are."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from biaslab.cli import COMMANDS, main, parsed
from biaslab.cli.commands import Command, Family

READS = ("biaslab", "train", "docs/guide/command-line.md")
GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "command-line.md"


def _all_commands() -> dict[str, Command]:
    found: dict[str, Command] = {}
    for one in COMMANDS:
        if isinstance(one, Family):
            found |= {f"{one.name} {each.name}": each for each in one.commands}
        else:
            found[one.name] = one
    return found


def _written_in(page: Path) -> list[str]:
    """The command lines in a page's code blocks, without comments."""
    blocks = re.findall(r"^```sh\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    return [line for block in blocks for line in block.splitlines() if line.startswith("biaslab ")]


def _parses(line: str) -> None:
    words = shlex.split(line, comments=True)
    if ">" in words:
        words = words[: words.index(">")]
    if "|" in words:
        words = words[: words.index("|")]
    assert words[0] == "biaslab"
    status = None
    try:
        parsed(words[1:])
    except SystemExit as ended:  # as --version ends
        status = ended.code
    assert not status, line


@pytest.mark.parametrize("name", _all_commands())
def test_the_examples_of_a_command_are_of_it_and_parse(name: str) -> None:
    command = _all_commands()[name]
    assert 1 <= len(command.examples) <= 3
    family = name.split()[0]
    for example in command.examples:
        assert example.startswith(f"biaslab {family}")
        # The help text shows it whole in a terminal of 100 columns.
        assert len(example) <= 95
        options = parsed(shlex.split(example)[1:]) if ">" not in example else None
        assert options is None or options.handler is command.run
        _parses(example)


@pytest.mark.parametrize("name", _all_commands())
def test_help_ends_with_the_examples(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*name.split(), "--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    heading, _, examples = text.partition("\nExample")
    assert heading
    for example in _all_commands()[name].examples:
        assert f"  {example}\n" in examples


def test_every_command_is_in_the_guide_and_its_examples_parse() -> None:
    lines = _written_in(GUIDE)
    assert len(lines) > 20
    for line in lines:
        _parses(line)
    for name in _all_commands():
        assert any(f"{line} ".startswith(f"biaslab {name} ") for line in lines), name
