"""Plain words for one item of a two-alternative task that was answered trial by trial."""

from __future__ import annotations

from typing import cast

import numpy as np

from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.probes.psychometrics.trial_estimates import TrialEstimates
from biaslab.records.wording import Span, count, number, percent
from biaslab.reports.psychometrics.graded_words import (
    always,
    asymptotes,
    between_ends,
    bias,
    even_share,
    fit_caveat,
    needs,
    pooled_over,
)
from biaslab.stats.mixed.hierarchical import FEWEST_FOR_OWN


def trial_spans(result: TwoAFCResult, item: str) -> list[Span]:
    """The verdict: the PSE, or why there is none, and the order effect where it is clear."""
    i, estimates = result.index(item), cast("TrialEstimates", result.pooled)
    pse, others = float(estimates.pse[i]), pooled_over(result)
    if np.isfinite(pse):
        lead = needs(result, item, pse)
        lead.append((others + between_ends(estimates.corpus[i], result.corpus_kind), "plain"))
    elif np.isinf(pse):
        lead = always(item, result.pairs[0][0 if pse > 0 else 1], "answers")
        trials = count(int(estimates.n[i] - estimates.n_cannot_say[i]))
        lead.append((f" in all {trials} trials{others}", "plain"))
    else:
        lead = [("No PSE for ", "plain"), (item, "strong")]
        lead.append((f": {estimates.reasons[i]}{others}.", "plain"))
        if not np.isfinite(estimates.neutral_interval[i]).all():
            return lead
        lead.append((f" {even_share(result, i)}", "plain"))
    order = _order(estimates, i) if estimates.order_is_clear[i] else []
    return [*lead, (": ", "plain"), *bias(result, i), *order]


def trial_no_pse(result: TwoAFCResult) -> str:
    """Why the first item has none."""
    return f"no PSE: {result.pooled.reasons[0]}"


def trial_caveat(result: TwoAFCResult, item: str) -> str:
    """What limits the verdict: silence, one order, one observer, scatter."""
    i, estimates = result.index(item), cast("TrialEstimates", result.pooled)
    parts: list[str] = []
    if misses := fit_caveat(result.fit_check, i):
        parts.append(misses)
    if silent := int(estimates.n_cannot_say[i]):
        trials = int(estimates.n[i])
        others = "; the estimates are about the others" if silent < trials else ""
        parts.append(
            f"{count(silent)} of {count(trials)} trials were answered “cannot say”{others}."
        )
    if not result.trials.has_both_orders:
        parts.append(
            "The answers were offered in one order only: a preference for the first of them would"
            " look like a bias."
        )
    if result.n_observers == 1:
        parts.append("One observer: the interval is about its trials, not about others like it.")
    elif np.isfinite(sd := float(estimates.pse_sd[i])):
        low, high = estimates.pse_sd_interval[i]
        between = f"{percent(low, 1)} to {percent(high, 1)}"
        if high > 1:  # of few observers, or few trials
            between = f"at least {percent(low, 1)}" if low > 0 else "no interval"
        own_jnd = f"own JND is {percent(float(estimates.own_jnd[i]), 1)} points."
        if np.isnan(estimates.own_jnd_interval[i]).any():
            own_jnd = f"own JND takes {FEWEST_FOR_OWN} trials or more to tell."
        parts.append(
            f"Observers' PSEs have an SD of {percent(sd, 1)} points ({between}); a typical"
            f" observer’s {own_jnd}"
        )
    parts += asymptotes(estimates, i)
    low, high = estimates.dispersion_interval[i]
    if low > 0:
        parts.append(
            "Answers to one question agree more than the curve explains (correlation"
            f" {number(float(estimates.dispersion[i]))}, {number(low)} to {number(high)}); the"
            " intervals allow for that."
        )
    if result.dropped:
        parts.append(f"{len(result.dropped)} dropped.")
    return " ".join(parts)


def _order(estimates: TrialEstimates, i: int) -> list[Span]:
    """That the order in which the answers are offered moves the PSE."""
    effect, (low, high) = float(estimates.order_effect[i]), estimates.order_interval[i]
    first = effect > 0
    ends = (low, high) if first else (-high, -low)
    size = f"{percent(abs(effect), 1)} points ({percent(ends[0], 1)} to {percent(ends[1], 1)})"
    return [
        (" It prefers the answer that is ", "plain"),
        ("offered first" if first else "offered second", "strong"),
        (f": the order moves its PSE by {size}.", "plain"),
    ]
