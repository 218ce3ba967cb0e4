"""Lists of subjects and specs on the command line, and their tables in terminals and pipes."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import biaslab as bl
from biaslab.cli import main, output
from biaslab.cli.output import Column, cut, in_shell, print_table

Run = Callable[..., str]
ROWS = [
    {"id": "1", "note": "pilot", "finding": "a finding of many words that goes on " * 3},
    {"id": "22", "note": "", "finding": "two\tlines\nin one"},
]
COLUMNS = (Column("id"), Column("note", 1), Column("finding", is_wide=True))


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "home"))

    def called(*arguments: str, status: int = 0) -> str:
        assert main(arguments) == status
        output = capsys.readouterr()
        return output.err if status else output.out

    return called


def _in_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "dumb")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    print_table(ROWS, COLUMNS)
    return [line.rstrip() for line in terminal.getvalue().splitlines()]


def test_a_table_fits_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for width in (30, 60, 79, 200):
        lines = _in_terminal(width, monkeypatch)
        assert len(lines) == 3
        assert max(map(len, lines)) <= width
        assert lines[1].endswith("…") == (width < 130)
        assert ("note" in lines[0]) == (width >= 60)
    assert lines[2] == "22         two lines in one"


def test_a_pipe_has_whole_values_between_tabs(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(ROWS, COLUMNS)
    first, second = capsys.readouterr().out.splitlines()
    assert first == f"1\tpilot\t{ROWS[0]['finding'].strip()}"
    assert second == "22\t\ttwo lines in one"


def test_long_notes_are_cut() -> None:
    assert cut("x" * 24) == "x" * 24
    assert cut("x" * 25) == "x" * 23 + "…"


def test_subjects_are_listed_and_found(run: Run) -> None:
    names = [line.split("\t")[0] for line in run("subjects").splitlines()]
    assert names == list(bl.subjects.bundled_names())
    found = json.loads(run("subjects", "ensemble", "--json"))
    assert [row["name"] for row in found] == ["wiki-bootstraps"]
    assert found[0]["source"] == "bundled"
    assert "`biaslab subjects` lists all" in run("subjects", "no-such", status=1)


def test_a_subject_is_shown_without_loading_it(run: Run) -> None:
    text = run("subjects", "show", "wiki-mlm")
    assert "masked language model" in text.lower()
    assert "sentences:    yes" in text
    assert "association:  no, needs" in text
    shown = json.loads(run("subjects", "show", "wiki-bootstraps", "--json"))
    assert shown["benches"]["association"] == {"fits": True, "reason": ""}
    assert shown["replicates"] == 32
    assert "no-such" in run("subjects", "show", "no-such", status=1)


def test_own_subjects_are_added_used_and_removed(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "vectors.txt"
    file.write_text("she 1 0 0\nhe 0 1 0\nnurse 1 0.2 0\n")
    assert run("subjects", "add", str(file), "--name", "mine").startswith("Added mine: ")
    row = run("subjects", "mine").split("\t")
    assert row[:2] == ["mine", "embedding"]
    assert "nurse" in run("probe", "two-afc", "mine", "nurse", "--cues", "she,he")
    file.unlink()
    gone = json.loads(run("subjects", "mine", "--json"))[0]
    assert "vectors.txt" in gone["problem"]
    assert run("subjects", "remove", "mine") == "Removed mine.\n"
    assert file.name in run("subjects", "add", str(file), status=1)


def test_specs_are_listed_found_and_shown(run: Run) -> None:
    listed = run("specs")
    assert listed == run("catalog")
    assert "weat-6\t" in listed
    assert len(run("specs", "manzini", "three").splitlines()) == 2
    rows = json.loads(run("catalog", "--json"))
    assert {row["name"] for row in rows} == {entry.name for entry in bl.specs.entries()}
    shown = run("specs", "show", "weat-6")
    assert shown == run("catalog", "weat-6") == run("specs", "weat-6")
    assert json.loads(run("specs", "weat-6", "--json"))["name"] == "weat-6"
    assert "weat-6" in run("specs", "weat6x", status=1)


def test_unusable_specs_are_named_on_standard_error(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "home" / "specs"
    folder.mkdir(parents=True)
    (folder / "broken.toml").write_text("name = ")
    assert main(["specs"]) == 0
    output = capsys.readouterr()
    assert "broken" not in output.out
    assert "unusable spec" in output.err


def test_a_document_stands_alone_on_standard_output(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "vectors.txt"
    file.write_text("she 1 0 0\nhe 0 1 0\nnurse 1 0.2 0\n")
    assert (
        main(["probe", "two-afc", str(file), "nurse", "--cues", "she,he", "--save", "--json"]) == 0
    )
    output = capsys.readouterr()
    result = bl.Result.from_json(output.out)
    assert result.verdict()[0] in output.err
    assert "Saved as run" in output.err


@pytest.mark.parametrize(
    ("python", "shell"),
    [
        ("bl.specs.catalog() lists them.", "`biaslab specs` lists them."),
        ("such as bl.load('wiki-bootstraps').", "such as wiki-bootstraps."),
        ("and 5 more dropped: see .dropped.", "and 5 more dropped: --json gives all."),
        ("a word such as dropped. Done.", "a word such as dropped. Done."),
        (
            "bl.weat needs word vectors; bl.two_afc does not.",
            "`biaslab probe weat` needs word vectors; `biaslab probe two-afc` does not.",
        ),
        ("See bl.specs.save.", "See bl.specs.save."),
        ("store.runs() lists all runs", "store.runs() lists all runs"),
    ],
)
def test_messages_speak_of_commands(python: str, shell: str) -> None:
    assert in_shell(python) == shell


def test_messages_speak_of_options_that_the_command_has() -> None:
    python = "Name it with word_tests= or group=, or kind='clm'; see reword_tests= and case=."
    shell = "Name it with --word-tests or --group, or --kind clm; see reword_tests= and case=."
    assert in_shell(python, options=("word_tests", "group", "kind")) == shell


def test_every_command_that_messages_name_exists() -> None:
    for command in output._PROBES.values():
        with pytest.raises(SystemExit) as ended:
            main([*command.split(), "--help"])
        assert ended.value.code == 0
