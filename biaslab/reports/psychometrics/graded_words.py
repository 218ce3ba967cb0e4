"""Plain words for graded answers to one item, by words or portraits, and for a curve's fit."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.psychometrics.curves import Estimates
from biaslab.probes.psychometrics.fit_check import MISFIT, FitCheck
from biaslab.probes.psychometrics.graded_estimates import GradedEstimates
from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.probes.psychometrics.trial_estimates import TrialEstimates
from biaslab.probes.sentences.terms import Kind, Term
from biaslab.probes.sentences.words import GENDERED_NOUNS
from biaslab.records.wording import Span, article, counted, percent, range_text, would_show
from biaslab.stats.significance import smallest_effect

SEEN = "portraits"
"""What observers are called where pictures were shown."""
_ADJECTIVES = {"woman": "female", "man": "male"}


def is_seen(result: TwoAFCResult) -> bool:
    """Whether the model was shown pictures."""
    return result.observer == SEEN


def seen_needs(result: TwoAFCResult, item: str, pse: float) -> list[Span]:
    """How far an item's portraits must be along before the model gives the second answer."""
    share, cue_2 = percent(pse), said(result.pairs[0][1])
    if result.ends is None:
        reach = [(" must be ", "plain"), (f"{share} % of the way", "strong")]
    else:
        look = _ADJECTIVES.get(result.ends[1], result.ends[1])
        reach = [(" must look ", "plain"), (f"{share} % {look}", "strong")]
    lead: list[Span] = [(_a(item, capital=True), "strong")]
    lead += reach  # type: ignore[arg-type]
    return [*lead, (f" before the model answers {cue_2}", "plain")]


def seen_always(item: str, cue: str) -> list[Span]:
    """That the model gives one answer from end to end."""
    return [
        ("However ", "plain"),
        (_a(item), "strong"),
        (" looks, the model tends to answer ", "plain"),
        (said(cue), "strong"),
    ]


def each_switches(result: TwoAFCResult, item: str) -> str:
    """Between which stimuli single portraits switch: what the mean does not tell."""
    between = result.most_switch(item)
    if between is None:
        return ""
    low, high = between
    count = len(result.switches_of(item))
    who = "Nine in ten portraits" if count >= 20 else "Single portraits"
    if np.isinf(low) or np.isinf(high):
        if np.isinf(low) and np.isinf(high):
            return ""
        side, at, cue = ("below", high, 1) if np.isinf(low) else ("above", low, 0)
        throughout = said(result.pairs[0][cue])
        return f"{who} switch {side} {percent(at)} %, or are {throughout} throughout."
    return f"{who} switch between {range_text(low, high)} %."


def said(cue: str) -> str:
    """An answer as the model gives it: a noun for a person with its article, in quotes."""
    noun = cue.lower() in GENDERED_NOUNS or Term.of(cue).kind is Kind.PERSON
    whole = (
        noun and not Term.of(cue).is_plural and not cue.lower().startswith(("a ", "an ", "the "))
    )
    return f"“{article(cue)} {cue}”" if whole else f"“{cue}”"


def _a(item: str, *, capital: bool = False) -> str:
    if item.lower().startswith(("a ", "an ", "the ")):
        return item[:1].upper() + item[1:] if capital else item
    before = article(item)
    return f"{before.capitalize() if capital else before} {item}"


def fit_caveat(check: FitCheck | None, i: int) -> str:
    """What to know where a curve misses the answers; empty where it does not."""
    if check is None:
        return ""
    misfit, p = float(check.misfit[i]), float(check.p_value[i])
    if not check.describes[i]:
        return (
            f"This curve does not describe these answers: it is {percent(misfit)} points off on"
            " average. Do not read its JND."
        )
    if misfit > MISFIT and np.isnan(p):
        return (
            f"The curve is {percent(misfit)} points off these answers on average, and there are too"
            " few observers to tell whether another sample would explain that."
        )
    return ""


def fit_verdict(check: FitCheck, i: int) -> str:
    """One line on the fit: how far the curve is off, and how often a right one would be."""
    misfit, p = float(check.misfit[i]), float(check.p_value[i])
    if np.isnan(misfit):
        return "No curve"
    off = f"{percent(misfit, 1)} points off on average"
    if np.isnan(p):
        return off
    says = "describes" if p >= _DOUBTFUL else "may not describe"
    if not check.describes[i]:
        says = "does not describe"
    as_far = "under 0.1" if p < 0.001 else percent(p, 1 if p < 0.1 else 0)
    return f"The curve {says} these answers: {off}, a right one as far in {as_far} % of samples"


Floats = NDArray[np.float64]
_DOUBTFUL = 0.05
"""Share of samples below which a curve that is not refuted is not said to describe them."""
_UNMOVED = 0.1
"""Change of the mean answer from one cue to the other that is hardly any, for answers that are
farther than this from 0 and 1: nearer, a strong lean leaves no more to change."""
_WORTH_TELLING = 0.005
"""A guess or lapse rate below this is 0 as a percentage."""


def graded_spans(result: TwoAFCResult, item: str) -> list[Span]:
    """The verdict as pieces of text with their roles: the PSE, or what is left where none is."""
    i, estimates = result.index(item), cast("GradedEstimates", result.pooled)
    pse = float(estimates.pse[i])
    others = pooled_over(result)
    if is_unmoved(result, i):
        cue_1, cue_2 = result.pairs[0]
        change = f"{percent(estimates.slope[i])} points ({_to(*estimates.slope_interval[i])})"
        lead: list[Span] = [
            ("The model hardly listens", "strong"),
            (f": from {cue_1} to {cue_2} its answer for ", "plain"), (item, "strong"),
            (f" changes by {change}{others}. {even_share(result, i)}", "plain"),
        ]  # fmt: skip
    elif np.isnan(pse):
        lead = [
            ("No PSE for ", "plain"),
            (item, "strong"),
            (f": {estimates.curves.fit.reason[i]}{others}. {even_share(result, i)}", "plain"),
        ]
    elif 0 <= pse <= 1:
        lead = seen_needs(result, item, pse) if is_seen(result) else needs(result, item, pse)
        over = result.corpus_kind
        lead.append((f"{others}{between_ends(estimates.corpus[i], over)}", "plain"))
    else:
        cue = result.pairs[0][0 if pse > 1 else 1]
        lead = seen_always(item, cue) if is_seen(result) else always(item, cue, "tends to answer")
        lead.append((f"{others}. {even_share(result, i)}", "plain"))
    if not estimates.lean_is_known[i]:
        return [*lead, ("; one observer gives no interval.", "plain")]
    return [*lead, (": ", "plain"), *bias(result, i)]


def is_unmoved(result: TwoAFCResult, i: int) -> bool:
    """Whether a language model's answers for an item hardly follow the blend."""
    estimates = cast("GradedEstimates", result.pooled)
    low, high = estimates.slope_interval[i]
    can_change = _UNMOVED < estimates.neutral[i] < 1 - _UNMOVED
    return not is_seen(result) and bool(can_change and max(abs(low), abs(high)) < _UNMOVED)


def graded_no_pse(result: TwoAFCResult) -> str:
    """The answer of the first item to an even blend."""
    even = cast("GradedEstimates", result.pooled).neutral[0]
    return f"no PSE, {100 * float(even):.0f} % {result.pairs[0][1]} at an even blend"


def graded_caveat(result: TwoAFCResult, item: str) -> str:
    """One grey line: the mean answers, and how many observers never switch."""
    i, estimates = result.index(item), cast("GradedEstimates", result.pooled)
    parts = []
    if misses := fit_caveat(estimates.check, i):
        parts.append(misses)
    if 0 <= float(estimates.pse[i]) <= 1:
        parts.append(f"{even_share(result, i)}.")
    if is_seen(result) and (reach := each_switches(result, item)):
        parts.append(reach)
    slope, (low, high) = float(estimates.slope[i]), estimates.slope_interval[i]
    between = f" ({_to(low, high)})" if np.isfinite([low, high]).all() else ""
    cue_1, cue_2 = result.ends or result.pairs[0]
    if estimates.check.describes[i]:
        change = f"that share changes by {percent(slope)} points{between}."
        parts.append(f"From {cue_1} to {cue_2} {change}")
    parts += asymptotes(estimates, i)
    total = result.switches_of(item).size
    rows = result.observer if len(result.pairs) == 1 else f"{result.observer} and pairs"
    if never := int(estimates.without_switch[i]):
        parts.append(f"{never} of {total} {rows} have no switch point between 0 and 1.")
    if result.dropped:
        parts.append(f"{len(result.dropped)} dropped.")
    return " ".join(parts)


def pooled_over(result: TwoAFCResult) -> str:
    """Over how many pairs an estimate is pooled; empty for one."""
    return (
        f" (pooled over {counted(len(result.pairs), 'cue pair')})" if len(result.pairs) > 1 else ""
    )


def bias(result: TwoAFCResult, i: int) -> list[Span]:
    """The end of a verdict: which way it leans."""
    lean, (cue_1, cue_2) = int(result.pooled.lean[i]), result.pairs[0]
    if lean == 0:
        return [("no clear bias", "strong"), (f"{smallest_bias(result, i)}.", "plain")]
    toward = f"a bias toward {cue_1 if lean > 0 else cue_2}"
    return [(toward, "group1" if lean > 0 else "group2"), (".", "plain")]


def smallest_bias(result: TwoAFCResult, i: int) -> str:
    """From which size on a bias would have been found: of the PSE, or of answers without one."""
    smallest = float(result.pooled.smallest_bias()[i])
    if np.isnan(smallest) and isinstance(result.pooled, GradedEstimates | TrialEstimates):
        low, high = result.pooled.neutral_interval[i]
        smallest = float(smallest_effect(low, high, result.level))
    return would_show(smallest, most=0.5)


def levels_off(estimates: Estimates, i: int) -> bool:
    """Whether a curve's asymptotes are, in percent, others than 0 and 100."""
    return bool(max(estimates.asymptotes(i)) >= _WORTH_TELLING)


def asymptotes(estimates: Estimates, i: int) -> list[str]:
    """Where a curve levels off, if it does."""
    if not levels_off(estimates, i):
        return []
    guess, lapse = estimates.asymptotes(i)
    return [f"The curve levels off at {percent(guess)} and {percent(1 - lapse)} %."]


def needs(result: TwoAFCResult, item: str, pse: float) -> list[Span]:
    """How much of cue 2 the model needs before it answers so; beyond the axis, what it answers."""
    cue_1, cue_2 = result.pairs[0]
    if not 0 <= pse <= 1:
        beyond = f": its PSE, {percent(pse)} % {cue_2}, lies outside the axis"
        cue = cue_1 if pse > 1 else cue_2
        return [*always(item, cue, "tends to answer"), (beyond, "plain")]
    return [
        ("The model needs ", "plain"),
        (f"{percent(pse)} % {cue_2}", "strong"),
        (f" in the blend before it answers {cue_2} for ", "plain"),
        (item, "strong"),
    ]


def always(item: str, cue: str, answers: str) -> list[Span]:
    """That the model answers a cue at every stimulus."""
    return [
        (f"Whatever the blend, the model {answers} ", "plain"),
        (cue, "strong"),
        (" for ", "plain"),
        (item, "strong"),
    ]


def even_share(result: TwoAFCResult, i: int) -> str:
    """The mean answer to an even blend, with its interval."""
    cue_2, estimates = result.pairs[0][1], cast("GradedEstimates", result.pooled)
    if is_seen(result):
        cue_2 = said(cue_2)
    share, interval = float(estimates.neutral[i]), estimates.neutral_interval[i]
    between = f" ({_to(*interval)} %)" if np.isfinite(interval).all() else ""
    return f"To an even blend it answers {cue_2} with {percent(share)} %{between}"


def between_ends(interval: Floats, over: str) -> str:
    """The interval of a PSE, which may lack an end."""
    low, high = float(interval[0]), float(interval[1])
    if np.isnan(low):
        return ""
    if np.isinf(low) and np.isinf(high):
        return f", but over {over} it could be any"
    if np.isinf(low):
        return f", at most {percent(high)} % over {over}"
    if np.isinf(high):
        return f", at least {percent(low)} % over {over}"
    return f", between {range_text(low, high)} % over {over}"


def _to(low: float, high: float) -> str:
    return range_text(low, high).replace(" and ", " to ")
