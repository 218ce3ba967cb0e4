"""How often intervals of the gap hold the truth of simulated subjects, and what a plain fit does.

``python -m harness.decision_study --subjects 1000 --keep rows.jsonl`` measures the table of
`docs/decisions/decision-bench.md`, a few minutes for 1,000 subjects in a row. It keeps a line
for each subject, goes on from there when it is started again, and prints the table of what it has
with ``--table``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import biaslab as bl
from biaslab.stats.decisions.answers import naive_gap
from biaslab.stats.decisions.fit import fit_decisions
from harness.decision_subjects import DecisionSubject

SUBJECTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "position 0.3": {"position": 0.3},
    "lapses 5 % each": {"yes": 0.05, "no": 0.05},
    "refusals 30 %": {"refused": 0.3},
    "all of these": {"position": 0.3, "yes": 0.05, "no": 0.05, "refused": 0.3},
}
SKEWED: dict[str, Any] = {
    "yes": 0.0, "no": 0.1, "position": 0.3, "refused": (0.1, 0.4), "first": (0.7, 0.3),
}  # fmt: skip
"""Lapses to no alone, refusals and orders that differ between groups."""
UNEQUAL: dict[str, dict[str, Any]] = {
    "lapses 0 and 15 %": {"no": (0.0, 0.15)},
    "slopes x1 and x1.6": {"steeper": 1.6},
}
"""Groups that differ by more than their PSE; of one candidate at a time."""
CASES: dict[str, dict[str, Any]] = {**SUBJECTS, "skewed": SKEWED, **UNEQUAL}
BLOCK = 50
"""Subjects of a row before the next row has its turn."""


@dataclass(frozen=True)
class Coverage:
    """What a number of studies came to.

    Attributes
    ----------
    fitted : int
        Studies with an estimate.
    population, these : float
        Share of intervals of either scope that hold their truth, among these.
    error, spread : float
        Mean and SD of the estimate less the population's gap.
    naive_error, naive_these : float
        The same mean, and the coverage of `these`, of a plain logistic regression.
    widths : (float, float)
        Median widths of the intervals.
    """

    fitted: int
    population: float
    these: float
    error: float
    spread: float
    naive_error: float
    naive_these: float
    widths: tuple[float, float]

    @classmethod
    def of(cls, rows: list[list[float] | None]) -> Coverage:
        """Return what the rows of `studied` come to."""
        found = np.array([row for row in rows if row is not None], dtype=float)
        mean, width = found.mean(axis=0), np.median(found[:, 5:], axis=0)
        return cls(
            len(found), mean[0], mean[1], mean[2], found[:, 2].std(),
            float(np.nanmean(found[:, 3])), mean[4], (width[0], width[1]),
        )  # fmt: skip


def studied(
    subject: DecisionSubject, trials: int, seed: int, *, adaptive: bool, **options: Any
) -> list[float] | None:
    """Study one subject drawn from a population; None where nothing could be fitted.

    Returns
    -------
    list of float or None
        Whether the interval of the population, and of these, holds its truth; error of the
        estimate, and of a plain fit; whether that holds these; widths of both intervals.
    """
    one = replace(subject, seed=[seed, trials])
    data = one.adaptive(trials) if adaptive else one.constant(trials)
    fit = fit_decisions(data, **options)
    if fit.reason:
        return None
    wide, narrow = fit.gap_interval(), fit.gap_interval(scope="these")
    plain = naive_gap(data, undecided_as_no=False)
    return [
        float(wide[0] <= one.gap <= wide[1]), float(narrow[0] <= one.these <= narrow[1]),
        fit.gap() - one.gap, plain.gap - one.gap, float(plain.low <= one.these <= plain.high),
        wide[1] - wide[0], narrow[1] - narrow[0],
    ]  # fmt: skip


def coverage(
    subject: DecisionSubject, trials: int, subjects: int, *, adaptive: bool = False, **options: Any
) -> Coverage:
    """Study so many subjects drawn from a population; `options` are those of the fit."""
    seeds = range(subjects)
    return Coverage.of(
        [studied(subject, trials, seed, adaptive=adaptive, **options) for seed in seeds]
    )


@dataclass(frozen=True)
class Verdicts:
    """What runs came to that stop at a verdict, a margin of half a year.

    Attributes
    ----------
    favours, alike : float
        Share of runs that favour the group with the smaller point, or treat both alike.
    covered : float
        Share of last intervals that hold the gap.
    error, spread : float
        Mean and SD of the estimate less the gap, in the direction of the gap.
    questions : float
        Mean number.
    """

    favours: float
    alike: float
    covered: float
    error: float
    spread: float
    questions: float

    @classmethod
    def of(cls, gap: float, seeds: range, **options: Any) -> Verdicts:
        """Run simulated deciders of a gap, 400 questions at most; every other one mirrored."""
        rows = []
        for seed in seeds:
            own = gap if seed % 2 else -gap
            decider = bl.observers.decider(
                "hire-by-name", seed=1000 + seed, gap=own, pse=8, jnd=0.6, cue_sd=0.15,
                wording_sd=0.15,
            )  # fmt: skip
            result = bl.decisions(
                decider, "hire-by-name", margin=0.5, trials=400, rng=seed, keep=False, **options
            )
            group = "group 1" if own > 0 else "group 2"
            rows.append(
                [result.decision == group, result.decision == "alike", own in result.gap_interval(),
                 (result.gap - own) * np.sign(own), len(result.trials)]
            )  # fmt: skip
        of = np.array(rows, dtype=float)
        favours, alike, covered, error, questions = of.mean(axis=0)
        return cls(favours, alike, covered, error, float(of[:, 3].std()), questions)


@dataclass(frozen=True)
class Row:
    """A row of the table."""

    which_of_two: bool
    adaptive: bool
    trials: int
    case: str

    @property
    def subject(self) -> DecisionSubject:
        """Its population."""
        two = self.which_of_two
        return DecisionSubject(which_of_two=two, indecision=0.2 * two, **CASES[self.case])

    @property
    def name(self) -> str:
        """Its first columns."""
        form = "which of two" if self.which_of_two else "yes or no"
        placed = "adaptive" if self.adaptive else "constant"
        return f"{form} | {placed} | {self.trials} | {self.case}"

    def line(self, rows: list[list[float] | None]) -> str:
        """Return the row as Markdown."""
        c = Coverage.of(rows)
        return (
            f"| {self.name} | {len(rows)} | {c.fitted / len(rows):.0%} | {c.population:.1%} |"
            f" {c.these:.1%} | {c.error:+.2f} ± {c.spread / c.fitted**0.5:.2f} |"
            f" {c.naive_error:+.2f} | {c.naive_these:.0%} | {c.widths[0]:.1f} |"
            f" {c.widths[1]:.1f} |"
        )


def measured(rows: list[Row], subjects: int, path: Path) -> Iterator[Row]:
    """Study subjects that the file lacks, rows in turns; yield each row after its block."""
    known = kept(path)
    for first in range(0, subjects, BLOCK):
        for row in rows:
            seeds = range(first, min(first + BLOCK, subjects))
            left = [seed for seed in seeds if seed not in known.get(row.name, {})]
            for seed in left:
                found = studied(row.subject, row.trials, seed, adaptive=row.adaptive)
                with path.open("a") as file:
                    file.write(json.dumps([row.name, seed, found]) + "\n")
            yield row


def kept(path: Path) -> dict[str, dict[int, list[float] | None]]:
    """Return what a file holds, by row and seed."""
    known: dict[str, dict[int, list[float] | None]] = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        name, seed, found = json.loads(line)
        known.setdefault(name, {})[seed] = found
    return known


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subjects", type=int, default=1000)
    parser.add_argument("--trials", type=int, default=None, help="640, or 320 placed ones")
    parser.add_argument("--cases", nargs="+", default=list(CASES), choices=CASES)
    parser.add_argument("--forms", nargs="+", default=["yes", "which"], choices=["yes", "which"])
    parser.add_argument("--adaptive", action="store_true")
    parser.add_argument("--keep", type=Path, default=Path("decision-study.jsonl"))
    parser.add_argument("--table", action="store_true", help="only print what the file holds")
    options = parser.parse_args()
    trials = options.trials or (320 if options.adaptive else 640)
    rows = [
        Row(form == "which", options.adaptive, trials, case)
        for form, case in product(options.forms, options.cases)
        if form == "yes" or case not in UNEQUAL
    ]
    if not options.table:
        for _ in measured(rows, options.subjects, options.keep):
            pass
    known = kept(options.keep)
    for row in rows:
        if found := list(known.get(row.name, {}).values()):
            print(row.line(found))  # noqa: T201


if __name__ == "__main__":
    main()
