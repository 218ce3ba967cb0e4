"""Predicted against actual chances of a verdict: see `biaslab.probes.decisions.assurance`.

``python -m harness.assurance_study --runs 200 --keep rows.jsonl`` simulates deciders whose SDs are
known; it keeps a line for each run, goes on from there, and prints the table of what it has.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import biaslab as bl
from biaslab.probes.decisions.assurance import Answers, Assurance, assurance_of
from biaslab.probes.decisions.probe import design_of

_CASE = "hire-by-name-long"
_SDS: dict[str, Any] = {"cue_sd": 0.56, "wording_by_group_sd": 0.28, "wording_sd": 0.3}
_JND = 1.2


@dataclass(frozen=True)
class Studied:
    """A design, as `biaslab.decisions` takes it."""

    cues: int
    wordings: int
    answers: Answers
    trials: int | None = None
    margin: float = 0.5
    which: bool = False

    @property
    def options(self) -> dict[str, Any]:
        """Arguments that choose cues, wordings and form."""
        groups = bl.cases.get(_CASE).groups
        # Every other name, so that both genders stay.
        cues = {
            group.name: [cue.text for cue in group.cues[:: max(1, 18 // self.cues)]][: self.cues]
            for group in groups
        }
        return {
            "form": "which of two" if self.which else "yes or no", "cues": cues,
            "wordings": range(1, self.wordings + 1),
        }  # fmt: skip

    def predicted(self) -> Assurance:
        """Return what the planner says of it."""
        chosen = self.options
        design = design_of(
            bl.cases.get(_CASE), chosen["form"], None, chosen["cues"], chosen["wordings"], "both"
        )
        rows = design.questions(design.chosen_levels(None), self.trials, np.random.default_rng(0))
        made = assurance_of(
            design, len(rows), self.answers, margin=self.margin,
            stops_at_verdict=self.answers == "placed",
        )  # fmt: skip
        if self.answers == "probabilities":  # the observer's have no noise
            return replace(made, spread=replace(made.spread, answer_sd=0.0))
        return made

    def run(self, seed: int, gap: float) -> tuple[float, float, str]:
        """Return the interval and the verdict about one simulated decider."""
        decider = bl.observers.decider(
            _CASE, gap=gap, pse=8, jnd=_JND, **_SDS, seed=1000 + seed,
            probabilities=self.answers == "probabilities",
        )  # fmt: skip
        result = bl.decisions(
            decider, _CASE, **self.options, margin=self.margin, trials=self.trials, rng=seed,
            method="adaptive" if self.answers == "placed" else "fixed", keep=False,
        )  # fmt: skip
        ends = result.gap_interval()
        return ends.low, ends.high, result.decision


DESIGNS: dict[str, Studied] = {
    "4 + 4, 4, probabilities": Studied(4, 4, "probabilities"),
    "8 + 8, 8, probabilities": Studied(8, 8, "probabilities"),
    "18 + 18, 16, probabilities": Studied(18, 16, "probabilities"),
    "4 + 4, 4, 576 replies": Studied(4, 4, "fixed"),
    "8 + 8, 8, 1,152 replies": Studied(8, 8, "fixed"),
    "18 + 18, 16, 1,152 replies": Studied(18, 16, "fixed"),
    "8 + 8, 8, 576 of two": Studied(8, 8, "fixed", 576, which=True),
    "8 + 8, 8, 400 placed, margin 1.5": Studied(8, 8, "placed", 400, 1.5),
    "18 + 18, 16, 400 placed, margin 1.25": Studied(18, 16, "placed", 400, 1.25),
}
MARGINS = (0.5, 0.75, 1.0, 1.25, 1.5, 2.0)
GAPS = (0.0, 1.0)


def table(rows: list[dict[str, Any]]) -> str:
    """Return predicted and actual shares of runs that find "alike", and a clear gap of 1 year."""
    lines = []
    for name, studied in DESIGNS.items():
        predicted = studied.predicted()
        own = [row for row in rows if row["design"] == name]
        ends = {gap: np.array([row["ends"] for row in own if row["gap"] == gap]) for gap in GAPS}
        if not len(ends[0.0]):
            continue
        widths = ends[0.0][:, 1] - ends[0.0][:, 0]
        cells = [f"{predicted.half_width:.2f} / {np.median(widths) / 2:.2f}"]
        margins = (studied.margin,) if studied.answers == "placed" else MARGINS
        for margin in margins:
            actual = float((np.abs(ends[0.0]).max(axis=1) < margin).mean())
            chance = predicted.alike(margin)
            cells.append(f"{margin}: {100 * chance:.0f} / {100 * actual:.0f}")
        if len(ends[1.0]):
            clear = float((ends[1.0][:, 0] > 0).mean())
            cells.append(f"clear at 1: {100 * predicted.clear(1.0):.0f} / {100 * clear:.0f}")
        lines.append(f"| {name} | {len(ends[0.0])} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Simulate what is still lacking, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=170.0)
    parser.add_argument("--only", nargs="*", default=list(DESIGNS))
    options = parser.parse_args()
    lines = options.keep.read_text().splitlines() if options.keep.exists() else []
    rows = [json.loads(line) for line in lines]
    done = {(row["design"], row["gap"], row["seed"]) for row in rows}
    end = time.monotonic() + options.seconds
    with options.keep.open("a") as file:
        for seed in range(options.runs):
            for name in options.only:
                for gap in GAPS:
                    skips = gap and DESIGNS[name].answers == "placed"
                    if skips or (name, gap, seed) in done or time.monotonic() > end:
                        continue
                    low, high, verdict = DESIGNS[name].run(seed, gap)
                    rows.append(
                        {"design": name, "gap": gap, "seed": seed, "ends": [low, high],
                         "verdict": verdict}
                    )  # fmt: skip
                    file.write(json.dumps(rows[-1]) + "\n")
                    file.flush()
    print(table(rows))  # noqa: T201


if __name__ == "__main__":
    main()
