"""Made-up files of recorded answers: rankings, yes or no, numbers, and word pairs."""

from __future__ import annotations

import csv
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from biaslab.probes.opinion import WordTest
from harness.heavy import pd

GROUPS = ("White women", "White men", "Black women", "Black men")
TEST = WordTest(("young",), ("old",), ("joy", "love"), ("evil", "agony"))


def write(path: Path, header: Sequence[str], rows: Sequence[Sequence[Any]]) -> Path:
    """Write a CSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def ranked(path: Path, n: int = 400, gain: float = 1.0, models: Sequence[str] = ("a",)) -> Path:
    """Rankings of four names by models of which the first prefers Black women as clerks."""
    rng = np.random.default_rng(1)
    lines = []
    for model in models:
        for job in ("clerk", "nurse"):
            for row in range(n):
                order = rng.permutation(4)
                names = [f"{GROUPS[i].split()[0]} {'Ann' if i % 2 == 0 else 'Bob'} N{i}{row}"
                         for i in order]  # fmt: skip
                liked = gain * (job == "clerk") * (model == models[0])
                score = rng.gumbel(size=4) + liked * (order == 2) - 0.5 * np.arange(4)
                reply = "\n".join(f"{p + 1}. {names[i]}" for p, i in enumerate(np.argsort(-score)))
                lines.append({"model": model, "job": job, "order": names,
                              "groups": [GROUPS[i] for i in order], "reply": reply})  # fmt: skip
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def asked(path: Path, n: int, gap: float, *, number: bool = False) -> Path:
    """Write yes or no, or numbers, about women and men in the same questions."""
    rng = np.random.default_rng(2)
    rows = []
    for item in range(n):
        ease = rng.normal()
        for group in ("women", "men"):
            value = ease + gap * (group == "women") + 0.5 * rng.normal()
            answer = round(5 + value, 2) if number else "yes" if value > 0 else "no"
            rows.append((group, f"case {item}", answer))
    return write(path, ["group", "item", "score" if number else "answer"], rows)


def parquet(path: Path, n: int, gap: float) -> Path:
    """Write the answers of `asked` as Parquet."""
    frame = pd.read_csv(asked(path.with_suffix(".csv"), n, gap))
    path.write_bytes(frame.to_parquet())
    return path


def inspect_log(path: Path, n: int, gap: float) -> Path:
    """Write the answers of `asked` as a log of Inspect."""
    rows = csv.DictReader(asked(path.with_suffix(".csv"), n, gap).read_text().splitlines())
    with zipfile.ZipFile(path, "w") as archive:
        task = {"model": "m/1", "task": "hire"}
        archive.writestr("header.json", json.dumps({"version": 2, "eval": task}))
        for number, row in enumerate(rows):
            sample = {"id": row["item"], "output": {"completion": row["answer"]},
                      "metadata": {"group": row["group"]}}  # fmt: skip
            archive.writestr(f"samples/{number}_epoch_1.json", json.dumps(sample))
    return path


def paired(path: Path) -> Path:
    """Write answers of word pairs; the last one cannot be scored."""
    good = "joy - young\nlove - young\nevil - old\nagony - old"
    mixed = "joy - old\nlove - young\nevil - old\nagony - young"
    rows = [(good if i % 4 else mixed, i) for i in range(40)]
    return write(path, ["reply", "run"], [*rows, ("joy - child\nevil - old", 40)])
