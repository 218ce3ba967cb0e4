"""Plain words for one item of a two-alternative task that was answered trial by trial."""

from __future__ import annotations

import numpy as np

from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.probes.psychometrics.trial_estimates import TrialEstimates
from biaslab.records.wording import Span, count, number, percent
from biaslab.reports.psychometrics.graded_words import (
    between_ends,
    even_share,
    fit_caveat,
    levels_off,
    needs,
)
from biaslab.stats.mixed.hierarchical import FEWEST_FOR_OWN


def trial_spans(result: TwoAFCResult, estimates: TrialEstimates, item: str) -> list[Span]:
    """The verdict: the PSE, or why there is none, and the order effect where it is clear."""
    i = result.index(item)
    pse, cue_1, cue_2 = float(estimates.pse[i]), *result.pairs[0]
    others = f" (pooled over {len(result.pairs)} cue pairs)" if len(result.pairs) > 1 else ""
    if np.isfinite(pse):
        lead = needs(item, cue_2, pse)
        if not 0 <= pse <= 1:
            lead = [
                ("Whatever the blend, the model tends to answer ", "plain"),
                (cue_1 if pse > 1 else cue_2, "strong"),
                (" for ", "plain"),
                (item, "strong"),
                (f": its PSE, {percent(pse)} % {cue_2}, lies outside the axis", "plain"),
            ]
        lead.append((others + between_ends(estimates.corpus[i], result.corpus_kind), "plain"))
    elif np.isinf(pse):
        lead = [
            ("Whatever the blend, the model answers ", "plain"),
            (cue_1 if pse > 0 else cue_2, "strong"),
            (" for ", "plain"),
            (item, "strong"),
            (f" in all {count(int(_answered(estimates)[i]))} trials{others}", "plain"),
        ]
    else:
        lead = [("No PSE for ", "plain"), (item, "strong")]
        lead.append((f": {estimates.reasons[i]}{others}.", "plain"))
        if not np.isfinite(estimates.neutral_interval[i]).all():
            return lead
        lead.append((f" {even_share(result, estimates, i)}", "plain"))
    lead.append((": ", "plain"))
    lean = int(estimates.lean[i])
    if lean == 0:
        lead += [("no clear bias", "strong"), (".", "plain")]
    else:
        toward = f"a bias toward {cue_1 if lean > 0 else cue_2}"
        lead += [(toward, "group1" if lean > 0 else "group2"), (".", "plain")]
    if estimates.order_is_clear[i]:
        lead += _order(estimates, i)
    return lead


def trial_caveat(result: TwoAFCResult, estimates: TrialEstimates, item: str) -> str:
    """What limits the verdict: silence, one order, one observer, scatter."""
    i = result.index(item)
    trials = result.trials
    parts: list[str] = []
    if misses := fit_caveat(result.fit_check, i):
        parts.append(misses)
    if silent := int(estimates.n_cannot_say[i]):
        asked = int(estimates.n[i])
        others = "; the estimates are about the others" if silent < asked else ""
        parts.append(
            f"{count(silent)} of {count(asked)} trials were answered “cannot say”{others}."
        )
    if trials is not None and not trials.has_both_orders:
        parts.append(
            "The answers were offered in one order only: a preference for the first of them would"
            " look like a bias."
        )
    if result.n_observers == 1:
        parts.append("One observer: the interval is about its trials, not about others like it.")
    elif np.isfinite(sd := float(estimates.pse_sd[i])):
        low, high = estimates.pse_sd_interval[i]
        ends = f"{percent(low, 1)} to {percent(high, 1)}"
        if high > 1:  # of few observers, or few trials
            ends = f"at least {percent(low, 1)}" if low > 0 else "no interval"
        own = f"own JND is {percent(float(estimates.own_jnd[i]), 1)} points."
        if np.isnan(estimates.own_jnd_interval[i]).any():
            own = f"own JND takes {FEWEST_FOR_OWN} trials or more to tell."
        parts.append(
            f"Observers' PSEs have an SD of {percent(sd, 1)} points ({ends}); a typical observer's"
            f" {own}"
        )
    if levels_off(estimates, i):
        guess, lapse = float(estimates.guess[i]), float(estimates.lapse[i])
        parts.append(f"The curve levels off at {percent(guess)} and {percent(1 - lapse)} %.")
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


def _answered(estimates: TrialEstimates) -> np.ndarray:
    return np.asarray(estimates.n - estimates.n_cannot_say)


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
