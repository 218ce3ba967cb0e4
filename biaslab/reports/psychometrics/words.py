"""Plain words for a two-alternative forced choice task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from biaslab.probes.psychometrics.answers import Chosen, Graded, OwnCurves, SwitchPoints
from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.records.wording import Span, counted, joined, percent, range_text
from biaslab.reports.psychometrics.graded_words import (
    bias,
    fit_caveat,
    graded_caveat,
    graded_no_pse,
    graded_spans,
    levels_off,
    needs,
    pooled_over,
)
from biaslab.reports.psychometrics.trial_words import trial_caveat, trial_no_pse, trial_spans
from biaslab.stats.significance import skewness_z

_NAMED = 8
SKEWED_Z = 2.58
"""Skewness in standard errors at which it is told: 1 in 100 without any."""

JND_LABELS = {
    "quartile": "from 50 % to 75 %",
    "eq6": "middle half of the curve",
    "sd": "standard deviation",
}
JND_SIGMAS = {"quartile": "0.6745 σ", "eq6": "1.349 σ", "sd": "σ"}


def jnd_label(result: TwoAFCResult, i: int) -> str:
    """What the JND of an item is, in few words."""
    if levels_off(result.pooled, i):
        return f"{JND_SIGMAS[result.fit.jnd]}, between the asymptotes"
    return _jnd_meaning(result, result.items[i : i + 1])


def verdict(result: TwoAFCResult) -> list[Span]:
    """The verdicts on all items."""
    pieces: list[Span] = []
    for item in result.items:
        if pieces:
            pieces.append((" ", "plain"))
        pieces += spans(result, item)
    return pieces


def caveat(result: TwoAFCResult) -> str:
    """What limits the verdicts on all items, the same only once."""
    return " ".join(dict.fromkeys(caveat_of(result, item) for item in result.items))


def brief(result: TwoAFCResult) -> str:
    """Where the answer of the first item switches, for a card and the list of runs."""
    low, high = 100 * result.pooled.corpus[0]
    if not np.isfinite([low, high]).all():
        return headline(result)
    more = f" and {len(result.items) - 1} more" if len(result.items) > 1 else ""
    switch = f"{100 * result.pooled.pse[0]:.0f} % {result.pairs[0][1]}"
    return f"{result.items[0]}: {switch} ({low:.0f} to {high:.0f}){more}"


def headline(result: TwoAFCResult) -> str:
    """One line for a list of runs: the first item's PSE."""
    more = f" and {len(result.items) - 1} more" if len(result.items) > 1 else ""
    pse = float(result.pooled.pse[0])
    text = f"PSE {100 * pse:.1f} % {result.pairs[0][1]}"
    if not np.isfinite(pse):
        text = _WORDS[result.raw.kind].no_pse(result) or text
    return f"{result.items[0]}: {text}{more}"


def spans(result: TwoAFCResult, item: str) -> list[Span]:
    """The verdict on an item as pieces of text with their roles."""
    return _WORDS[result.raw.kind].spans(result, item)


def caveat_of(result: TwoAFCResult, item: str) -> str:
    """One grey line under the verdict."""
    return _WORDS[result.raw.kind].caveat(result, item)


def _step_spans(result: TwoAFCResult, item: str) -> list[Span]:
    i = result.index(item)
    estimates = result.pooled
    pse, (low, high) = float(estimates.pse[i]), estimates.corpus[i]
    if not np.isfinite(pse):
        reason = str(estimates.reasons[i]) or "no switch point"
        return [("No PSE for ", "plain"), (item, "strong"), (f": {reason}.", "plain")]
    lead = needs(result, item, pse)
    lead.append((pooled_over(result), "plain"))
    if not np.isfinite([low, high]).all():
        return [*lead, ("; one embedding gives no interval.", "plain")]
    lead.append((f", between {range_text(low, high)} % over {_over(result)}: ", "plain"))
    return [*lead, *bias(result, i)]


def _step_caveat(result: TwoAFCResult, item: str) -> str:
    i = result.index(item)
    low, high = result.pooled.corpus[i]
    parts: list[str] = []
    if misses := fit_caveat(result.fit_check, i):
        parts.append(misses)
    if np.isfinite([low, high]).all():
        parts.append(
            "The interval includes 50 %." if low <= 0.5 <= high else "The interval excludes 50 %."
        )
    if result.n_observers == 1 and len(result.pairs) == 1:
        parts.append("One embedding has no corpus interval: add cue pairs or state a noise.")
    elif result.n_observers == 1:
        parts.append("One embedding: the interval is over cue pairs, not over corpora.")
    elif len(result.pairs) == 1:
        parts.append("It speaks of this corpus and this cue pair.")
    else:
        parts += _sampled(result)
    if outside := result.outside(item):
        total = result.switches_of(item).size
        parts.append(f"{outside} of {total} switch points lie outside [0, 1].")
    if result.fit.family == "auto" and result.pooled.is_empirical[i]:
        parts.append(
            "The switch points do not look normal, so PSE and JND are those of the empirical curve."
        )
    if _is_skewed(result, i):
        parts.append(
            "The switch points are skewed: PSE and JND of this symmetric curve may be off by more "
            "than their intervals say. Compare the empirical curve."
        )
    if items := sum(d.role == "item" for d in result.dropped):
        parts.append(f"{counted(items, 'item')} left out.")
    if lost := lost_cues(result):
        parts.append(lost)
    return " ".join(parts)


def _sampled(result: TwoAFCResult) -> list[str]:
    """As what the cue pairs count where there are several."""
    if len(result.pairs) == 1:
        return []
    if result.fit.pairs_as == "fixed":
        return ["Cue pairs count as all there are."]
    shared = shared_cues(result)
    return ["Cue pairs count as a sample of such pairs.", *([shared] if shared else [])]


def _is_skewed(result: TwoAFCResult, i: int) -> bool:
    if result.family(result.items[i]) not in ("normal", "logistic"):
        return False
    over_pairs = result.balance[:, i].astype(float) @ result.weights
    return bool(abs(skewness_z(over_pairs)) > SKEWED_Z)


def lost_cues(result: TwoAFCResult) -> str:
    """Which cues and cue pairs were left out; why is in `TwoAFCResult.dropped`."""
    parts = []
    for role in ("cue", "cue pair"):
        if terms := [d.term for d in result.dropped if d.role == role]:
            more = f" and {len(terms) - _NAMED} more" if terms[_NAMED:] else ""
            parts.append(
                f"{counted(len(terms), role)} left out: {', '.join(terms[:_NAMED])}{more}."
            )
    return " ".join(parts)


def shared_cues(result: TwoAFCResult) -> str:
    """What to know where pairs share cues without crossing two lists; empty where they do not."""
    once = all(len(set(side)) == len(side) for side in zip(*result.pairs, strict=True))
    if once or result.crossing is not None or result.fit.pairs_as != "resampled":
        return ""
    return "Some pairs share a cue and yet count as independent: the interval may be too narrow."


def _jnd_meaning(result: TwoAFCResult, items: Sequence[str]) -> str:
    sigmas, label = JND_SIGMAS[result.fit.jnd], JND_LABELS[result.fit.jnd]
    is_fitted = all(result.family(item) != "empirical" for item in items)
    return f"{sigmas}, {label}" if is_fitted else label


def _curve(result: TwoAFCResult) -> str:
    """The family of the curves; where ``auto`` came to both, which items have which."""
    if result.fit.family != "auto":
        return f"{result.fit.family} curve"
    odd = [item for item in result.items if result.family(item) == "empirical"]
    if len(odd) in (0, len(result.items)):
        return f"{result.family(result.items[0])} curve"
    return f"normal curve (empirical where switch points do not look normal: {', '.join(odd)})"


def summary(result: TwoAFCResult) -> str:
    """All items in plain words."""
    shown = result.items[:20]
    lines = [f"{joined(spans(result, item))} {_jnd(result, item)}".rstrip() for item in shown]
    if len(result.items) > len(shown):
        lines.append(f"... and {len(result.items) - len(shown)} more items: see to_frame().")
    lines.append(
        f"{_counted(result)}, scoring {result.scoring}, {_curve(result)}, "
        f"{100 * result.level:.0f} % intervals over {_over(result)}; "
        f"JND: {_jnd_meaning(result, result.items)}."
    )
    if together := classes(result):
        lines.append(together)
    lines += [f"Dropped {d.role} {d.term!r}: {d.reason}." for d in result.dropped]
    lines += result.notes
    return "\n".join(lines)


def classes(result: TwoAFCResult) -> str:
    """PSE and JND read together; empty where nothing can be said of any item."""
    found = result.lean_classes()
    if found.counts["cannot say"] == len(found.items):
        return ""
    parts = []
    for name, many in found.counts.items():
        if not many:
            continue
        some = found.items_of(name)[:_NAMED]
        named = ", ".join(some) + f" and {many - _NAMED} more" * (many > _NAMED)
        noun = name + "s" * (many > 1 and name in ("sharp lean", "blurred lean"))
        parts.append(f"{many} {noun}" + (f" ({named})" if name != "cannot say" else ""))
    return (
        f"PSE and JND together: {', '.join(parts)}. A lean is sharp or blurred if the interval of"
        f" its JND excludes the median of {percent(found.limit, 1)} points; no lean: the interval"
        f" of the PSE lies within {percent(found.margin)} points of 50 %."
    )


def _jnd(result: TwoAFCResult, item: str) -> str:
    i = result.index(item)
    value, (low, high) = result.pooled.jnd[i], result.pooled.jnd_interval[i]
    if not np.isfinite(value):
        return ""
    between = (
        f" ({percent(low, 1)} to {percent(high, 1)})" if np.isfinite([low, high]).all() else ""
    )
    return f"JND {percent(value, 1)} points{between}."


def _counted(result: TwoAFCResult) -> str:
    n, plural = result.n_observers, result.observer
    return f"{n} {plural if n != 1 else plural.removesuffix('s')}"


def _over(result: TwoAFCResult) -> str:
    return result.corpus_kind


class _Words(NamedTuple):
    """Words about one kind of answers."""

    spans: Callable[[TwoAFCResult, str], list[Span]]
    caveat: Callable[[TwoAFCResult, str], str]
    no_pse: Callable[[TwoAFCResult], str]


def _with_pairs(caveat: Callable[[TwoAFCResult, str], str]) -> Callable[[TwoAFCResult, str], str]:
    def whole(result: TwoAFCResult, item: str) -> str:
        return " ".join([caveat(result, item), *_sampled(result)]).strip()

    return whole


_STEPS = _Words(_step_spans, _step_caveat, lambda _: "")
_WORDS = {
    SwitchPoints.kind: _STEPS,
    OwnCurves.kind: _STEPS,
    Graded.kind: _Words(graded_spans, _with_pairs(graded_caveat), graded_no_pse),
    Chosen.kind: _Words(trial_spans, _with_pairs(trial_caveat), trial_no_pse),
}
