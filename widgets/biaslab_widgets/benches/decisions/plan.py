"""What a run will ask, before it begins."""

from __future__ import annotations

from typing import Any

from biaslab.errors import BiaslabError
from biaslab.probes.decisions.probe import plan
from biaslab_widgets.benches.decisions.choice import Asked
from biaslab_widgets.benches.decisions.picture_fields import NO_PLAN, Plan


def plan_of(
    subject: Any, asked: Asked, *, adaptive: bool, trials: int | None, cannot_say: bool, seed: int
) -> Plan:
    """Return how many questions a run puts, and about how many tokens that takes.

    Parameters
    ----------
    subject : object
        What decides.
    asked : Asked
    adaptive : bool
        Whether levels are chosen one after the other.
    trials : int or None
        Questions at most; None for every combination once.
    cannot_say : bool
        Whether the answer of who cannot decide is offered.
    seed : int
    """
    try:
        found = plan(
            subject, asked.case, form=asked.form, groups=asked.order, cannot_say=cannot_say,
            method="adaptive" if adaptive else "fixed", trials=trials, rng=seed,
        )  # fmt: skip
    except BiaslabError:  # the run says why
        return NO_PLAN
    return {
        "questions": found.questions,
        "stored": found.stored,
        "tokens": found.tokens,
        "cost": found.cost,
        "at_most": adaptive,
    }
