"""What a run takes, before it asks anything."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from biaslab.cases import Case, Form, get
from biaslab.deciders import StoredReplies, decider_of
from biaslab.probes.decisions.adaptive import MOST_TRIALS
from biaslab.probes.decisions.options import Method, Orders, design_of, method_of
from biaslab.record import Record
from biaslab.stats.reproducibility import seed_number
from biaslab.store import Store
from biaslab.wording import counted

_CHARACTERS_A_TOKEN = 4
"""Of English, as OpenAI's documentation gives it."""
_TOKENS_A_REPLY = 3
_SAMPLE = 200


@dataclass(frozen=True)
class Plan(Record):
    """What a run takes at most.

    Attributes
    ----------
    subject : str
    questions : int
    stored : int
        How many of them have a reply in the store already; adaptive runs choose as they go, and
        their stored replies are not known before.
    tokens : int
        About how many tokens the other questions have.
    cost : str
        About what they and their replies cost, of a word or two each; empty without a price.
    method : str
        ``fixed`` or ``adaptive``.
    """

    subject: str
    questions: int
    stored: int
    tokens: int
    cost: str
    method: Method

    @property
    def calls(self) -> int:
        """Questions that the subject is asked."""
        return self.questions - self.stored

    def summary(self) -> str:
        """The plan in one sentence."""
        most = "At most " if self.method == "adaptive" else ""
        known = f", {self.stored:,} of them answered in the store" if self.stored else ""
        lead = f"{most}{counted(self.questions, 'question')} to {self.subject}{known}"
        cost = f", {self.cost}" if self.cost else ""
        return (
            f"{lead}: about {self.tokens:,} tokens to read{cost}, and a word or two for each reply."
        )


def plan(
    subject: Any,
    case: str | os.PathLike[str] | Case = "hire-by-name",
    *,
    form: Form | None = None,
    groups: Sequence[str] | None = None,
    cues: Mapping[str, Sequence[str]] | None = None,
    wordings: Sequence[int] | None = None,
    cannot_say: bool = False,
    orders: Orders = "both",
    method: Method | None = None,
    levels: int | Sequence[float] | None = None,
    trials: int | None = None,
    width: float | None = None,
    rng: int | np.random.Generator = 0,
    store: Store | None = None,
    **_: Any,
) -> Plan:
    """Return what `biaslab.decisions` would take with the same arguments; nothing is asked."""
    chosen = get(case)
    design = design_of(chosen, form, groups, cues, wordings, orders)
    decider = decider_of(subject)
    how = method_of(method, decider, levels, width)
    rng = np.random.default_rng(seed_number(rng))
    wanted = (trials or MOST_TRIALS) if how == "adaptive" else trials
    rows = design.questions(design.chosen_levels(levels), wanted, rng)
    # Only stored replies are looked up by every text, and those of adaptive runs are not known.
    shown = rows if how == "fixed" else rows.take(slice(_SAMPLE))
    questions = shown.of(chosen, cannot_say=cannot_say)
    stored = 0
    if how == "fixed":
        times: Counter[str] = Counter()
        repetitions = []
        for question in questions:
            repetitions.append(times[question.prompt])
            times[question.prompt] += 1
        stored = StoredReplies(decider, store or Store()).known(questions, repetitions)
    lengths = [len(question.prompt) for question in questions[:_SAMPLE]]
    each = float(np.mean(lengths)) / _CHARACTERS_A_TOKEN
    left = len(rows) - stored
    price = getattr(decider, "price", None)
    cost = price.say(each * left, _TOKENS_A_REPLY * left) if price else ""
    return Plan(decider.name, len(rows), stored, round(each * left), cost, how)
