"""Portraits that portrait-clip imagines: effective draws a minute beside exact weighting.

The word is nurse, rather than executive. Chains are the default of `bl.sample_posterior`, 8 of
1,800 draws after 100, and their effective draws are the smallest bulk ESS of 45 quantities: 43
attributes, being drawn as a woman, and the log-odds of the word. Weighted are 3,000 independent
portraits of the prior, and their effective number is (Σ w)² / Σ w². Both rates are over all seconds
of drawing and asking, warm-up included; no picture is remembered from before.
"""

from __future__ import annotations

import time

import numpy as np

import biaslab as bl
from benchmarks.findings import Figure, Findings, Goal, judged
from biaslab.probes.posterior.portraits.question import Question, log_mean
from biaslab.probes.posterior.portraits.run import PORTRAITS
from biaslab.probes.posterior.portraits.space import Space
from biaslab.probes.posterior.portraits.weighting import weighted

WORD, OTHER = "nurse", "executive"
TIMES = (4.0, 16.0)
MINUTES, EFFECTIVE = 5, 400


def measure() -> Findings:
    """Chains for each exponent, beside portraits that are drawn once and weighted for each."""
    vlm = bl.load("portrait-clip")
    question, space = Question.of(vlm, WORD, OTHER, None), Space()
    people = space.people(space.drawn(PORTRAITS, np.random.default_rng(1)))
    start = time.perf_counter()
    log_p = log_mean(question.shares(space.portraits(people, question.size)))
    seconds = time.perf_counter() - start
    at_least = Goal(
        f"at least {EFFECTIVE} in {MINUTES} minutes", lambda rate: MINUTES * rate >= EFFECTIVE
    )
    figures: list[Figure] = []
    for times in TIMES:
        vlm.forget_pictures()
        space_of = bl.posterior.Portraits(times=times)
        drawn = bl.sample_posterior(vlm, WORD, space=space_of, check=False)
        rate = 60 * drawn.diagnostics.smallest_bulk / drawn.seconds
        size = weighted(people.appearance, log_p, times).size
        goal = at_least if times == TIMES[0] else None
        other = 60 * size / seconds
        figures.append(
            Figure(
                f"effective draws a minute, {times:g} times in a row",
                f"{rate:.0f}",
                *judged(goal, rate),
                f"exact weighting {other:.0f}",
                f"{rate / other:.2g}x",
            )
        )
    note = (
        "Weighting is the cheaper way to a mean as long as many portraits share the weight. Chains"
        " give portraits that all count alike."
    )
    return Findings(tuple(figures), (note,))
