"""The command line: what it prints, and what it refuses, without a traceback."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

import biaslab as bl
from biaslab.cli import main
from harness.small_specs import IMAGES, SENTENCES

WORDS = ["she", "he", "woman", "man", "nurse", "engineer", "teacher", "lawyer", "clerk", "baker"]
GROUPS = "female=she,woman;male=he,man"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Paths of files that commands name, and of one that is not there."""
    folder, rng = tmp_path_factory.mktemp("files"), np.random.default_rng(0)
    rows = (f"{w} " + " ".join(f"{x:.4f}" for x in rng.standard_normal(6)) for w in WORDS)
    texts = {
        "vectors.txt": "\n".join(rows) + "\n",
        "sentences.toml": SENTENCES,
        "images.toml": IMAGES,
        "mine.toml": 'name = "mine"\n',
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    return {name.partition(".")[0].upper(): str(folder / name) for name in (*texts, "none")}


def test_probe_prints_the_verdict_and_writes_files(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "r.json"
    cues = ["--cues", "she,he;woman,man"]
    assert main(["probe", "two-afc", files["VECTORS"], "nurse", *cues, "--json", str(out)]) == 0
    assert "nurse" in capsys.readouterr().out
    assert json.loads(out.read_text())["schema"] == "two-afc/3"


@pytest.mark.usefixtures("own_home")
def test_saved_runs_are_listed_and_reopened(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    cues = ["--cues", "she,he", "--save"]
    assert main(["probe", "two-afc", files["VECTORS"], "nurse", *cues]) == 0
    run = bl.Store().runs()["id"][0]
    assert main(["runs"]) == 0
    assert run in capsys.readouterr().out
    assert main(["runs", run]) == 0
    assert "nurse" in capsys.readouterr().out


REFUSED = [
    ("probe two-afc no-such-subject nurse", "no-such-subject"),
    ("probe two-afc VECTORS nurze --cues she,he", "nearest known: nurse"),
    ("probe two-afc VECTORS nurse --cues no-such-spec", "gender-pairs"),
    ("probe two-afc VECTORS nurse --layers all", "is not a language model: leave out"),
    ("probe two-afc wiki-bootstraps nurse --frames VECTORS", "is not a language model"),
    ("probe two-afc wiki-bootstraps nurse --frames de", "is not a language model"),
    ("probe two-afc portrait-clip nurse --frames NONE", "is not a language model"),
    ("probe two-afc wiki-bootstraps nurse --portraits 3", "is not a vision-language model"),
    ("probe two-afc wiki-bootstraps", "Give at least one word"),
    ("probe two-afc hf:gpt2 nurse", "--kind mlm (masked)"),
    ("probe two-afc wiki-clm nurse --names", "--names chooses among the frames"),
    ("probe two-afc wiki-clm nurse --frames xx", "no such language and no such file"),
    ("probe two-afc wiki-clm --frames tr --design both", "--design neutral"),
    ("probe sentences wiki-clm --frames xx", "There are no frames in 'xx'"),
    ("probe sentences wiki-clm weat-6 --frames de", "leave out the spec"),
    ("probe sentences wiki-bootstraps SENTENCES", "--kind mlm"),
    ("probe sentences wiki-bootstraps SENTENCES --groups male", "give two groups"),
    ("probe seat wiki-bootstraps SENTENCES", "config.json"),
    ("probe images portrait-clip IMAGES --groups women", "give two groups"),
    ("probe images portrait-clip IMAGES --attributes helpers",
     "give two lists, as in --attributes science,arts"),
    ("probe images portrait-clip IMAGES --per-term 1 --permutations 5", "permutations is 5"),
    ("probe images wiki-bootstraps IMAGES", "There is no model"),
    ("probe weat VECTORS SENTENCES --groups male,three",
     "no group 'three'. It has: 'male', 'female'"),
    ("probe weat VECTORS SENTENCES --attributes math", "compares two attribute lists; got 1"),
    ("probe weat wiki-mlm weat-6", "`biaslab probe weat` needs word vectors"),
    ("probe mac VECTORS SENTENCES --level 2", "between 0 and 1"),
    ("probe occupations VECTORS --words nurse,nurze --groups female=she,woman;male=he",
     "--pairing all"),
    (f"probe occupations VECTORS --words nurze,enginer --groups {GROUPS}", "nearest known: nurse"),
    ("probe occupations VECTORS --words nurse,clerk --groups female=she;she,he", "--groups"),
    (f"probe occupations VECTORS --words occupatons --groups {GROUPS}", "occupations"),
    (f"probe occupations VECTORS --groups {GROUPS} --outside men.csv", "cannot be read"),
    (f"probe occupations VECTORS --groups {GROUPS} --outside occupations/men",
     "percent-female-bls"),
    (f"probe occupations VECTORS --groups {GROUPS} --outside none --compare", "outside table"),
    ("probe decisions MINE --plan", "mine.toml"),
    ("probe rate nothing",
     "There is no service 'nothing'. Choose one of: simulated translator, faithful, "),
    ("probe rate observer:sleeping", "No behaviour 'sleeping'"),
    ("probe rate observer:faithful --biased 10/80", "They must sum to 1"),
    ("probe rate observer:faithful --biased some/all", "is not a list of shares: write 50/50"),
    ("probe rate observer:faithful --card card.pdf", "the name must end in .json, .md, .html"),
    ("probe rate observer:faithful --attribute age", "No attribute 'age'"),
    ("probe rate observer:faithful --template sings", "No template 'sings'"),
    ("debias wiki-bootstraps --output a.npz", "--defining 'she,he;woman,man'"),
    ("train bootstraps --corpus none.txt --output NONE", "No corpus"),
    ("serve no-such-subject", "no-such-subject"),
    ("runs nothing", "nothing"),
]  # fmt: skip


@pytest.mark.usefixtures("own_home")
@pytest.mark.parametrize(("arguments", "says"), REFUSED)
def test_errors_say_what_to_do_and_end_with_status_1(
    arguments: str, says: str, files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([files.get(word, word) for word in arguments.split()]) == 1
    error = capsys.readouterr().err
    assert error.startswith("biaslab: ")
    assert says in error
    assert "Traceback" not in error
    assert "bl." not in error


def test_threads_of_torch_sleep_unless_the_user_says_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    with pytest.raises(SystemExit):
        main(["--version"])
    assert os.environ["OMP_WAIT_POLICY"] == "active"
    monkeypatch.delenv("OMP_WAIT_POLICY")
    with pytest.raises(SystemExit):
        main(["--version"])
    assert os.environ["OMP_WAIT_POLICY"] == "passive"
