from __future__ import annotations

from pathlib import Path

import biaslab as bl
from biaslab.probes.psychometrics import Trials
from biaslab.probes.sentences.exchange import read_pairs
from biaslab.probes.similarity import read_judgements


def written(home: Path, text: str) -> Path:
    path = home / "table.csv"
    path.write_text(text, encoding="utf-8-sig")
    return path


def test_trials(home: Path) -> None:
    rows = "".join(f"nurse;woman;man;{alpha};1\n" for alpha in ("0", "0,25", "1"))
    trials = Trials.read_csv(written(home, f"item;cue_1;cue_2;alpha;answer\n{rows}"))
    assert trials.alpha.tolist() == [0.0, 0.25, 1.0]


def test_sentence_pairs(home: Path) -> None:
    [pair] = read_pairs(written(home, ";sent_more;sent_less\n0;She can't drive.;He can't drive.\n"))
    assert pair.against == "He can't drive."


def test_judgements(home: Path) -> None:
    judged = read_judgements(written(home, "sun;sunlight;3,5\ncar;auto;3,92\n"))
    assert judged.scores.tolist() == [3.5, 3.92]


def test_outside_numbers(home: Path) -> None:
    table = bl.probes.occupations.OutsideTable.read_csv(
        written(home, "Beruf;Anteil Frauen (%)\nnurse;88,5\nengineer;15,2\n")
    )
    assert dict(table.values) == {"nurse": 88.5, "engineer": 15.2}
