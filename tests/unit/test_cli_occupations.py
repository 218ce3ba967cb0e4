"""``biaslab probe occupations``: what it prints and writes, and its errors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from biaslab.cli import main

JOBS = ["nurse", "engineer", "teacher", "lawyer", "clerk", "baker"]


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    path = tmp_path / "vectors.txt"
    rows = (
        f"{w} " + " ".join(f"{x:.4f}" for x in rng.standard_normal(8))
        for w in [*JOBS, "she", "woman", "he", "man"]
    )
    path.write_text("\n".join(rows) + "\n")
    return path


GROUPS = "female=she,woman;male=he,man"


def test_words_groups_and_a_table_of_ones_own(
    vectors: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, table, svg = (tmp_path / name for name in ("words.txt", "men.csv", "x.svg"))
    words.write_text("\n".join([*JOBS, "astronaut"]) + "\n", encoding="utf-8")
    table.write_text(
        "job;men %;women %\n" + "\n".join(f"{w};{10 * i},5;{i}" for i, w in enumerate(JOBS)),
        encoding="utf-8",
    )
    out = tmp_path / "r.json"
    status = main(
        [
            *("probe", "occupations", str(vectors), "--words", str(words), "--groups", GROUPS),
            *("--outside", str(table), "--value-column", "men %", "--of", "male", "--compare"),
            *("--pairing", "all", "--svg", str(svg), "--json", str(out)),
        ]
    )
    printed = capsys.readouterr().out
    assert status == 0
    assert "n = 6" in printed
    assert "'astronaut'" in printed
    assert "WEAT effect size" in printed
    assert svg.read_text(encoding="utf-8").startswith("<svg")
    stored = json.loads(out.read_text())
    assert stored["schema"] == "occupations/1"
    assert stored["outside"]["values"]["engineer"] == 10.5
