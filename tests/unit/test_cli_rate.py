"""``biaslab probe rate``: services by name, designs and rules by options, plans and cards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import biaslab as bl
from biaslab.cli import main
from biaslab.probes.rating import CorrectedRule, PaperRule, RatingDesign, RatingResult, Rules
from harness.service_server import Asked, Says, ServiceServer

pytestmark = pytest.mark.usefixtures("own_home")


def test_the_command_finds_what_the_function_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    options = "--unbiased 40/60 --biased 10/90 --biased 0.8/0.2 --texts 30 --seed 3 --margin 0.2"
    rules = "--test G --unit text --similar-to vote --overall vote --minimum 10 --level 0.9"
    arguments = ["probe", "rate", "observer:compensating", *options.split(), *rules.split()]
    assert main([*arguments, "--json", str(out)]) == 0
    design = RatingDesign.make(
        unbiased={"40/60": (0.4, 0.6)},
        biased={"10/90": (0.1, 0.9), "0.8/0.2": (0.8, 0.2)},
        texts=30,
        seed=3,
    )
    found = bl.rate(
        bl.observers.service("compensating"),
        design,
        rules=Rules(
            PaperRule("G", 0.9, "text", "vote"), CorrectedRule(margin=0.2, level=0.9), 10, "vote"
        ),
    )
    again = RatingResult.from_json(out)
    assert again.ratings == found.ratings
    assert again.rules == found.rules
    assert found.summary() in capsys.readouterr().out


def test_a_plan_asks_nothing_and_the_store_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["probe", "rate", "observer:faithful", "--through", "es,tr"]
    assert main([*command, "--plan"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("Spanish: 1 call with ")
    assert told[1].startswith("Turkish: 1 call with ")
    assert main(command) == 0
    capsys.readouterr()
    assert main([*command, "--plan"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "Spanish: 0 calls with 0 characters, 60 cached answers"
    assert main([*command, "--plan", "--json"]) == 0
    spanish, turkish = json.loads(capsys.readouterr().out)
    assert (spanish["language"], turkish["language"]) == ("es", "tr")
    assert (spanish["calls"], spanish["from_store"]) == (0, 60)


@pytest.mark.parametrize("ending", [".json", ".md", ".html"])
def test_the_card_is_written_by_its_ending(tmp_path: Path, ending: str) -> None:
    card = tmp_path / f"card{ending}"
    assert main(["probe", "rate", "observer:always-he", "--card", str(card)]) == 0
    text = card.read_text()
    assert "always-he" in text
    if ending == ".json":
        assert json.loads(text)["overall"]["corrected"] == "BS"


def test_an_api_is_asked_by_its_description(tmp_path: Path) -> None:
    def echo(asked: Asked) -> Says:
        return Says.of({"out": asked.json["q"]})

    with ServiceServer(echo) as server:
        description = tmp_path / "api.toml"
        description.write_text(
            f'name = "echo"\nversion = "1"\n[request]\nurl = "{server.url}/say"\n'
            'json = {q = "{text}"}\n[answer]\npath = "out"\n'
        )
        out = tmp_path / "out.json"
        arguments = ["probe", "rate", str(description), "--texts", "20", "--json", str(out)]
        assert main(arguments) == 0
        assert len(server.asked) == 60
    assert RatingResult.from_json(out).rating().corrected == "DSBS"


def test_a_translator_of_many_languages_asks_which(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("deep_translator", reason="needs the extra services")
    assert main(["probe", "rate", "deep:google", "--plan"]) != 0
    assert "languages: choose some of them, such as --through" in capsys.readouterr().err
    assert main(["probe", "rate", "deep:google", "--through", "es,tr", "--plan"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("Spanish: ")
    assert told[1].startswith("Turkish: ")
    assert main(["probe", "rate", "deep:babelfish", "--plan"]) != 0
    assert "it has " in capsys.readouterr().err
