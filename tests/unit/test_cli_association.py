"""``biaslab probe weat`` and ``mac``: what they print and write, and their errors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import biaslab as bl
from biaslab.cli import main

LISTS = {
    "groups": {"one": ["x1", "x2", "x3"], "two": ["y1", "y2", "y3"]},
    "attributes": {"of one": ["a1", "a2"], "of two": ["b1", "b2"]},
    "attribute_groups": {"of one": ["one"], "of two": ["two"]},
    "controls": {"human": ["h1", "h2"]},
}


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Vectors and a spec."""
    rng = np.random.default_rng(0)
    kinds = ("groups", "attributes", "controls")
    words = [w for kind in kinds for own in LISTS[kind].values() for w in own]
    vectors = tmp_path / "vectors.txt"
    rows = (f"{w} " + " ".join(f"{x:.4f}" for x in rng.standard_normal(8)) for w in words)
    vectors.write_text("\n".join(rows) + "\n")
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps({"name": "mine", "title": "Mine", "source": "made", **LISTS}))
    return str(vectors), str(spec)


def test_weat_prints_and_writes(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    svg, out = tmp_path / "x.svg", tmp_path / "r.json"
    options = ["--groups", "two, one", "--ddof", "0", "--alternative", "two-sided"]
    status = main(
        ["probe", "weat", *files, *options, "--svg", str(svg), "--json", str(out), "--seed", "4"]
    )
    expected = bl.weat(
        bl.load(files[0]), files[1], groups=["two", "one"], ddof=0, alternative="two-sided", rng=4
    )
    assert status == 0
    assert capsys.readouterr().out.strip() == expected.summary()
    assert svg.read_text(encoding="utf-8") == expected.to_svg()
    stored = bl.association.WeatResult.from_json(out)
    assert stored.test == expected.test
    assert stored.effect_size_intervals == expected.effect_size_intervals


def test_mac_prints_every_connection(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, svg = tmp_path / "mac.csv", tmp_path / "x.svg"
    status = main(
        ["probe", "mac", *files, "--as", "similarity", "--csv", str(table), "--svg", str(svg)]
    )
    printed = capsys.readouterr().out
    assert status == 0
    assert "as a similarity" in printed
    assert "human control words" in printed
    assert "No neutral control words" in printed
    assert table.read_text().startswith("measure,")
    assert svg.read_text(encoding="utf-8").startswith("<svg")


def test_word_lists_are_measured_and_lengthened(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    vectors = tmp_path / "one.npz"
    bl.load("wiki-bootstraps").replicate(0).save(vectors)
    probe = ["list-length", str(vectors), "weat-8", "--margin", "0.05", "--repeats", "1"]
    assert main(["probe", *probe, "--svg", str(tmp_path / "x.svg")]) == 0
    assert "words" in capsys.readouterr().out
    assert (tmp_path / "x.svg").exists()
    probe = ["suggest-words", str(vectors), "weat-8", "groups.science"]
    assert main(["probe", *probe]) == 0
    assert "laboratory" in capsys.readouterr().out
    assert main(["probe", *probe, "--accept", "laboratory,biology"]) == 0
    assert "biology into science" in capsys.readouterr().out
    probe = ["residual", str(vectors), "gender-pairs", "--words", "50"]
    assert main(["probe", *probe]) == 0
    assert "told apart after debiasing" in capsys.readouterr().out
