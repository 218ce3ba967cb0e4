"""Decisions of a simulated subject whose truth is known, without asking anything."""

from __future__ import annotations

import functools
from dataclasses import fields
from typing import Any

import numpy as np

from biaslab.cases import Form, get
from biaslab.probes.decisions import DecisionsResult, DecisionTrials, Design, Questions
from biaslab.records.provenance import measured


@functools.cache  # with the curves that a test has fitted to it
def simulated_result(
    *,
    case: str = "hire-by-name",
    form: Form = "yes or no",
    pse: tuple[float, float] = (5.0, 7.0),
    jnd: float = 1.3,
    lapse: float = 0.0,
    trials: int | None = None,
    seed: int = 1,
    **fields_of_result: Any,
) -> DecisionsResult:
    """Return the result of drawn answers: curves with these points, in the case's unit."""
    of, rng = get(case), np.random.default_rng(seed)
    cues = tuple(tuple(range(len(group.cues))) for group in of.groups[:2])
    wordings = tuple(range(len(of.wordings(form))))
    design = Design(of, form, (0, 1), cues, wordings, tuple(range(max(1, len(of.details)))))
    rows = design.questions(design.chosen_levels(None), trials, rng)
    if form == "yes or no":
        distance = rows.level - np.asarray(pse)[rows.group]
    else:
        distance = rows.level - rows.other_level - (pse[1] - pse[0])
    z = of.quality.sign * distance * np.log(3) / jnd
    yes = rng.random(len(rows)) < lapse + (1 - 2 * lapse) / (1 + np.exp(-z))
    return result_of(rows, yes.astype(float), of.name, form, **fields_of_result)


def result_of(
    rows: Questions, yes: np.ndarray, case: str, form: Form, **fields_of_result: Any
) -> DecisionsResult:
    """Return the result of given answers."""
    of, n = get(case), len(rows)
    with measured(probe="decisions", subject="simulated", seed=1) as run:
        pass
    columns = {field.name: getattr(rows, field.name) for field in fields(Questions)}
    nothing, zeros = ("",) * n, np.zeros(n, dtype=np.int64)
    trials = DecisionTrials(
        **columns, outcome=zeros, yes=yes, silent=np.zeros(n), mass=np.full(n, np.nan),
        reply=nothing, reasoning=nothing, model=nothing, tokens_in=zeros, tokens_out=zeros,
        seconds=np.zeros(n),
    )  # fmt: skip
    options: dict[str, Any] = {"margin": of.quality.step, **fields_of_result}
    return DecisionsResult(
        subject="simulated", case=of, form=form,
        groups=tuple(group.name for group in of.groups[:2]), trials=trials,
        provenance=run.provenance, **options,
    )  # fmt: skip
