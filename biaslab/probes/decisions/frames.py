"""Tables of a decision result: its estimates, and its trials."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from biaslab.deciders import OUTCOMES
from biaslab.probes.decisions.gauges import gauges
from biaslab.probes.decisions.result import KINDS, DecisionsResult
from biaslab.probes.decisions.trait_effects import trait_effects

if TYPE_CHECKING:
    import pandas as pd


def estimates_frame(result: DecisionsResult) -> pd.DataFrame:
    """One row per estimate.

    Columns: ``estimate``, ``of`` (a group, or empty), ``value``, ``low``, ``high``, ``unit``,
    ``interval`` (what varies).
    """
    import pandas as pd

    unit, likes = result.case.quality.unit, KINDS["population"]
    rows: list[dict[str, Any]] = []

    def add(
        name: str, of: str, value: float, low: float, high: float, unit: str, kind: str
    ) -> None:
        rows.append(
            {"estimate": name, "of": of, "value": value, "low": low, "high": high, "unit": unit,
             "interval": kind}
        )  # fmt: skip

    for other, group in enumerate(result.groups[1:], start=1):
        for scope, kind in KINDS.items():
            ends = result.gap_between(0, other, scope)
            add("gap", f"{group} − {result.groups[0]}", *ends, unit, kind)
    for scope, kind in KINDS.items():
        for effect in trait_effects(result, scope):
            of = f"{effect.trait}: {effect.two} − {effect.one}"
            add("main effect", of, *effect.estimate, unit, kind)
    for place, group in enumerate(result.groups if result.form == "yes or no" else ()):
        add("PSE", group, *result.pse(place), unit, likes)
    add("JND", "", *result.jnd, unit, likes)
    if not math.isnan(result.indecision.value):
        add("indecision", "", *result.indecision, unit, "profile likelihood")
    for gauge in gauges(result):
        add(gauge.name, gauge.of, *gauge.estimate, "share", gauge.kind)
    if not math.isnan(result.naive_gap.value):
        add("gap of a plain logistic regression", "", *result.naive_gap, unit, "answers")
    return pd.DataFrame(rows)


def trials_frame(result: DecisionsResult) -> pd.DataFrame:
    """One row per trial, in the order of asking.

    Columns: ``trial``, ``group``, ``cue``, ``level``, the same of the ``other`` candidate where
    there is one, ``wording``, ``detail`` (from 1), ``listed_first``, ``outcome``, ``answer``,
    ``reason`` (why it is none), ``probability`` (of a yes, where replies are probabilities),
    ``reply``, ``reasoning``, ``model``, ``tokens_in``, ``tokens_out``, ``seconds``.
    """
    import pandas as pd

    trials, case = result.trials, result.case
    cues = [[cue.text for cue in group.cues] for group in case.groups]
    columns: dict[str, Any] = {
        "trial": np.arange(1, len(trials) + 1),
        "group": [case.groups[place].name for place in trials.group],
        "cue": [cues[group][cue] for group, cue in zip(trials.group, trials.cue, strict=True)],
        "level": trials.level,
    }
    if result.form == "which of two":
        others = zip(trials.other_group, trials.other_cue, strict=True)
        columns["other_group"] = [case.groups[place].name for place in trials.other_group]
        columns["other_cue"] = [cues[group][cue] for group, cue in others]
        columns["other_level"] = trials.other_level
    answers = ("yes", "no") if result.form == "yes or no" else (result.groups[1], result.groups[0])
    said = np.where(trials.yes >= 0.5, *answers)
    columns |= {
        "wording": trials.wording + 1,
        "detail": trials.detail + 1,
        "listed_first": np.where(trials.yes_first, *answers),
        "outcome": [OUTCOMES[place] for place in trials.outcome],
        "answer": np.where(trials.answered, said, ""),
        "reason": list(trials.reason or ("",) * len(trials)),
    }
    if trials.gives_probabilities:
        columns |= {"probability": trials.yes, "cannot_say": trials.silent, "mass": trials.mass}
    columns |= {
        name: list(getattr(trials, name))
        for name in ("reply", "reasoning", "model", "tokens_in", "tokens_out", "seconds")
    }
    return pd.DataFrame(columns)
