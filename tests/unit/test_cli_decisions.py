"""``biaslab probe decisions``: cases, subjects, plans and trials."""

from __future__ import annotations

from pathlib import Path

import pytest

import biaslab as bl
from biaslab.cli import main
from biaslab.records.result import Result
from harness.needs import needs

pytestmark = pytest.mark.usefixtures("own_home")


def asked(*arguments: str) -> int:
    """Run the command."""
    return main(["probe", "decisions", *arguments])


def test_the_command_finds_what_the_function_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, trials = tmp_path / "out.json", tmp_path / "trials.csv"
    options = ["--method", "fixed", "--trials", "144", "--margin", "1", "--seed", "3"]
    files = ["--json", str(out), "--trials-csv", str(trials)]
    assert asked("hire-by-name", *options, *files, "--no-keep") == 0
    found = bl.decisions(
        bl.observers.decider(), method="fixed", trials=144, margin=1, rng=3, keep=False
    )
    stored = Result.from_json(out)
    assert stored.raw_frame().equals(found.raw_frame())
    assert found.summary() in capsys.readouterr().out
    assert len(trials.read_text(encoding="utf-8").splitlines()) == 145


def test_a_plan_asks_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert asked("loan", "--plan") == 0
    told = capsys.readouterr().out
    assert "At most 400 questions to" in told
    assert "tokens to read" in told
    assert "4 cues a group in 4 wordings can show gaps of about" in told


@needs("openai")
def test_a_chat_model_is_asked_at_its_address(capsys: pytest.CaptureFixture[str]) -> None:
    decider = bl.observers.decider(pse=6, gap=4, jnd=1.0)
    with decider.serve() as server:
        arguments = ("--subject", "chat:decider", "--base-url", server.url, "--trials", "96")
        assert asked("hire-by-name", *arguments) == 0
    assert "the subject favours white-sounding names" in capsys.readouterr().out


@needs("openai")
def test_options_of_replies_reach_the_server_and_those_of_the_fit_the_result(
    tmp_path: Path,
) -> None:
    out = tmp_path / "out.json"
    decider = bl.observers.decider(pse=6, gap=4, jnd=1.0)
    with decider.serve(faults=bl.deciders.Faults(refuses=("temperature",))) as server:
        chat = ("--subject", "chat:decider", "--base-url", server.url, "--temperature", "0.5")
        fit = ("--wordings", "1", "3", "--orders", "given", "--lapses", "shared", "--level", "0.9")
        assert asked("hire-by-name", *chat, *fit, "--trials", "96", "--json", str(out)) == 0
    result = Result.from_json(out)
    assert isinstance(result, bl.probes.decisions.DecisionsResult)
    assert set(result.trials.wording.tolist()) == {0, 2}
    assert result.trials.yes_first.all()
    assert (result.lapses, result.level) == ("shared", 0.9)
    assert any("temperature" in note for note in result.notes)
