"""Plain words for a result of the occupations probe, and for its measures compared."""

from __future__ import annotations

import numpy as np

from biaslab.errors import QueryError
from biaslab.probes.occupations.agreement import (
    ALL,
    MATCHED,
    ONE_PAIR,
    SETS,
    WEAT,
    Agreement,
    MeasureAgreement,
)
from biaslab.probes.occupations.leans import lean_counts
from biaslab.probes.occupations.result import OccupationsResult
from biaslab.records.result import Dropped, Interval
from biaslab.records.wording import Span, counted, joined, number, percent, would_show
from biaslab.reports.psychometrics.words import classes, lost_cues, shared_cues
from biaslab.stats.reproducibility import SINGLE, order
from biaslab.stats.significance import Adjust, smallest_effect
from biaslab.subjects.embedding.terms import SHARED_VECTOR

#: What people of a group are called, and the property that the stimulus has more of.
PEOPLE = {"male": "men", "female": "women", "man": "men", "woman": "women"}
PROPERTY = {"male": "maleness", "female": "femaleness"}
_SHOWN = 5


def verdict(result: OccupationsResult, which: int = 0, adjust: Adjust = "holm") -> list[Span]:
    """The verdict on a contrast as pieces of text with their roles."""
    one, two = result.of_contrast(which)
    counts = lean_counts(result.contrasts[which], adjust)
    if counts.unknown == counts.total:
        lead: list[Span] = [
            (f"The PSE of these {counts.total} {result.words_are} has no interval: ", "plain"),
            ("one embedding and one cue pair give none", "strong"),
            (".", "plain"),
        ]
    else:
        others = against(result)
        compared: list[Span] = [(f"Compared with {others}, ", "plain")] if others else []
        asked = f"of {counts.total} {result.words_are}"
        smallest = _smallest(result, which, adjust)
        if counts.group_1 + counts.group_2:
            leaning: list[Span] = [
                (f"{counts.group_1} {asked} lean{toward(one)} ", "strong"),
                (one, "group1"),
                (f", {counts.group_2} lean{toward(two)} ", "strong"),
                (two, "group2"),
                (f", {counts.undecided} show no clear lean", "strong"),
                (smallest, "plain"),
            ]
        else:
            leaning = [
                (f"{'none' if others else 'None'} {asked} clearly leans{toward(one)} ", "strong"),
                (one, "group1"),
                (" or ", "strong"),
                (two, "group2"),
                (smallest, "plain"),
            ]
        lead = [*compared, *leaning]
        if counts.unknown:
            lead.append((f", {counts.unknown} have no interval", "strong"))
        lead.append((".", "strong"))
        lead += correction(result, which, adjust)
    return [*lead, *_outside(result, which)]


def toward(group: str) -> str:
    """What stands between "lean" and a group: a word leans female, but toward Judaism."""
    return "" if group.lower() in PROPERTY else " toward"


def _smallest(result: OccupationsResult, which: int, adjust: Adjust) -> str:
    """From which size on a lean would have been found in half of the words without a clear one."""
    curves = result.contrasts[which]
    known = np.isfinite(curves.pooled.corpus).all(axis=1)
    undecided = known & (curves.leans(adjust) == 0)
    many = int(undecided.sum())
    if not many:
        return ""
    # Holm's procedure ended with as many tests as words do not lean.
    effects = curves.pooled.smallest_bias(many if adjust == "holm" else 1)[undecided]
    text = would_show(float(np.median(effects)), most=0.5)
    return text + " in half of them" * (many > 1)


def correction(result: OccupationsResult, which: int, adjust: Adjust = "holm") -> list[Span]:
    """Say how many words lean with and without a correction for many words, if that differs."""
    plain, strict = (lean_counts(result.contrasts[which], adjust) for adjust in ("none", "holm"))
    leaning, left = (counts.group_1 + counts.group_2 for counts in (plain, strict))
    if left >= leaning:
        return []
    known = plain.total - plain.unknown
    corrected = f" Corrected for {known} words (Holm)"
    by_chance = f"about {(1 - result.level) * known:.1f} would lean by chance if none did"
    if adjust == "none":
        remaining = "none" if left == 0 else f"{left} of these {leaning}"
        verb = "remain" if left > 1 else "remains"
        return [(f"{corrected}, {remaining} {verb}; {by_chance}.", "plain")]
    one, two = result.of_contrast(which)
    uncorrected = f"{plain.group_1} {one} and {plain.group_2} {two}"
    return [(f"{corrected}; uncorrected, {uncorrected}.", "plain")]


def against(result: OccupationsResult) -> str:
    """What the words are compared with; empty for an even blend."""
    return {
        "even": "",
        "words": f"the other {result.words_are}",
        "controls": f"{counted(len(result.controls), 'control word')}",
    }[result.reference]


def _outside(result: OccupationsResult, which: int) -> list[Span]:
    if result.outside is None:
        return []
    agreement = result.agreement("pse", which)
    if agreement.reason:
        return [(f" No correlation with the outside table: {agreement.reason}.", "plain")]
    low, high = agreement.pearson_interval.low, agreement.pearson_interval.high
    lead = _trend(result, agreement, which)
    smallest = ""
    if low <= 0 <= high:  # in Fisher's z, where the interval is symmetric
        z = smallest_effect(np.arctanh(low), np.arctanh(high), result.level)
        smallest = would_show(float(np.tanh(z)), "", most=0.99)
    return [
        (f" {lead}: ", "plain"),
        (f"r = {number(agreement.pearson)}", "strong"),
        (f", between {number(low)} and {number(high)}{smallest}.", "plain"),
    ]


def _trend(result: OccupationsResult, agreement: Agreement, which: int) -> str:
    two = result.of_contrast(which)[1]
    axis, outside = result.axis, result.outside
    assert axis is not None  # noqa: S101  # an agreement has a table
    assert outside is not None  # noqa: S101
    low, high = agreement.pearson_interval.low, agreement.pearson_interval.high
    people = PEOPLE.get(axis.group.lower(), axis.group)
    more = (
        f"the more {people} work in an occupation"
        if people and "occupation" in outside.title.lower()
        else f"the higher the outside number ({axis.label})"
    )
    if low <= 0 <= high:
        return f"No clear correlation of the PSE with the outside numbers ({axis.label})"
    amount = "less" if agreement.pearson < 0 else "more"
    needed = PROPERTY.get(two.lower(), f"“{two}”")
    return f"{more[0].upper()}{more[1:]}, the {amount} {needed} the model needs"


def caveat(result: OccupationsResult, which: int = 0) -> str:
    """One grey line under the verdict."""
    curves = result.contrasts[which]
    k, percent = len(curves.pairs), f"{100 * result.level:.0f} %"
    pairs = {
        "matched": f"{k} cue pairs",
        "all": f"all {k} combinations of cues",
        "sets": "one pair of cue sets",
    }[result.pairing]
    if k == 1 and result.pairing != "sets":
        pairs = "one cue pair"
    parts: list[str] = []
    taken = ""
    if k > 1:
        taken = (
            f", {'cues' if result.pairing == 'all' else 'pairs'} taken as a sample"
            if result.pairs_as == "resampled"
            else ", cues taken as all there are"
        )
    if result.n_replicates == 1:
        over = (
            ""
            if curves.corpus_kind == "none"
            else f": intervals are over {pairs} (t, {percent}{taken})"
        )
        parts.append(f"One embedding, so no corpus interval{over}.")
    else:
        parts.append(
            f"Intervals are over {curves.corpus_kind} ({percent}; {result.n_replicates} "
            f"{curves.observer}, {pairs}{taken})."
        )
    if shared := shared_cues(curves):
        parts.append(shared)
    if result.reference != "even":
        parts.append(f"PSEs are relative: 50 % is the mean of {against(result)}.")
    items = sum(d.role == "item" for d in result.dropped)
    controls = sum(d.role == "control" for d in result.dropped)
    if items:
        of = f"{items} of {len(result.words) + items} {result.words_are} left out"
        alike = sum(SHARED_VECTOR in d.reason for d in result.dropped if d.role == "item")
        parts.append(of + f", {alike} because another one has the same vector" * bool(alike) + ".")
    if controls:
        parts.append(f"{controls} of {len(result.controls) + controls} control words left out.")
    if lost := lost_cues(curves):
        parts.append(lost)
    if result.outside is not None:
        left_out = len(result.words) - sum(v is not None for v in result.outside_values())
        if left_out:
            parts.append(f"{left_out} without an outside number.")
    return " ".join(parts)


def brief(result: OccupationsResult) -> str:
    """Such as "3 lean female, 3 male", which has room on a card."""
    counts, (one, two) = lean_counts(result.contrasts[0], "holm"), result.of_contrast(0)
    if not counts.group_1 + counts.group_2:
        return f"none of {counts.total} {result.words_are} clearly leans"
    return f"{counts.group_1} lean{toward(one)} {one}, {counts.group_2}{toward(two)} {two}"


def headline(result: OccupationsResult) -> str:
    """One line for a list of runs: the verdict on the first contrast."""
    return joined(verdict(result))


def comparison_verdict(result: OccupationsResult, which: int) -> str:
    """Whether averaging over cues closes the gap to WEAT."""
    return closing(result.comparison(which))


def summary(result: OccupationsResult) -> str:
    """All contrasts in plain words."""
    lines: list[str] = []
    for i in range(len(result.combinations)):
        lines.append(joined(verdict(result, i)))
        lines.append(caveat(result, i))
        lines += _empirical(result, i)
        lines += _extremes(result, i)
        lines += filter(None, [classes(result.contrasts[i])])
        lines += _agreements(result, i)
    lines += _ranking(result)
    lines += [_dropped(d) for d in result.dropped[:20]]
    if len(result.dropped) > 20:
        lines.append(f"... and {len(result.dropped) - 20} more dropped: see .dropped.")
    return "\n".join(lines)


def _dropped(dropped: Dropped) -> str:
    nearest = ", ".join(dropped.suggestions)
    offer = f" (nearest known: {nearest})" if nearest else ""
    return f"Dropped {dropped.role} {dropped.term!r}: {dropped.reason}{offer}."


def _ranking(result: OccupationsResult) -> list[str]:
    if len(result.groups) < 3:
        return []
    ranks = result.ranking()
    best = ranks.first.argmax(axis=1)
    lines = [
        (
            f"First of {len(ranks.groups)} alternatives, with the share of {ranks.observers} "
            f"{ranks.over} that say so:"
        )
    ]
    for g, name in enumerate(ranks.groups):
        mine = sorted(np.flatnonzero(best == g).tolist(), key=lambda i: -ranks.first[i, g])
        text = ", ".join(f"{ranks.words[i]} {100 * ranks.first[i, g]:.0f} %" for i in mine[:_SHOWN])
        lines.append(f"  {name}: {len(mine)}" + (f" ({text})" if text else ""))
    if circular := int((ranks.circular > 0).sum()):
        words = counted(circular, "word")
        lines.append(f"  For {words} the alternatives beat each other in a circle in some.")
    scale = result.scale()
    sure = [
        f"{word} {scale.groups[g]} {percent(share[g])} % ({percent(low)} to {percent(high)})"
        for word, share, ends in zip(scale.words, scale.share, scale.interval, strict=True)
        for g in [int(share.argmax())]
        for low, high in [ends[g]]
        if low > 1 / len(scale.groups)
    ]
    if sure:
        named = ", ".join(sure[:_SHOWN]) + f" and {len(sure) - _SHOWN} more" * (len(sure) > _SHOWN)
        lines.append(f"On one scale (Luce), chosen more often than by chance: {named}.")
    lines.append(
        f"The scale misses the choices between two groups by up to {percent(scale.misfit.max())}"
        " points."
    )
    return lines


def _empirical(result: OccupationsResult, which: int) -> list[str]:
    """Of which words the switch points do not look normal, where they chose the curve."""
    curves = result.contrasts[which]
    odd = [word for word in result.words if curves.family(word) == "empirical"]
    if not odd or result.curve != "auto":
        return []
    named = ", ".join(odd[:_SHOWN]) + (f" and {len(odd) - _SHOWN} more" if odd[_SHOWN:] else "")
    share = f"The switch points of {len(odd)} of {len(result.words)} {result.words_are}"
    return [f"{share} do not look normal: PSE and JND of {named} are of the empirical curve."]


def _extremes(result: OccupationsResult, which: int) -> list[str]:
    pse = result.contrasts[which].pse
    there = np.flatnonzero(np.isfinite(pse))
    names = result.of_contrast(which)
    shown = min(_SHOWN, max(len(there) // 2, 1))
    ends = [there[order(pse[there], descending=d, rounding=SINGLE)][:shown] for d in (True, False)]
    return [
        f"Nearest to {name} (PSE, % {names[1]}): "
        + ", ".join(f"{result.words[i]} {100 * pse[i]:.0f}" for i in end)
        + "."
        for name, end in zip(names, ends, strict=True)
    ]


def _agreements(result: OccupationsResult, which: int) -> list[str]:
    lines = []
    together = result.pse_with_jnd(which)
    if together.n:
        lines.append(_correlated("JND against PSE", together))
    for measure in ("pse", "jnd") if result.outside is not None else ():
        try:
            agreement = result.agreement(measure, which)
        except QueryError as error:
            lines.append(str(error))
            continue
        lines.append(_correlated(f"{measure.upper()} against {agreement.x_label}", agreement))
    return lines


def _correlated(lead: str, agreement: Agreement) -> str:
    if agreement.reason:
        return f"{lead}: {agreement.reason}."
    rows = (
        ("Pearson", agreement.pearson, agreement.pearson_interval),
        ("Spearman", agreement.spearman, agreement.spearman_interval),
    )
    text = ", ".join(
        f"{name} {number(r)} ({number(i.low)} to {number(i.high)})" for name, r, i in rows
    )
    return f"{lead}: {text}, n = {agreement.n}."


def closing(rows: tuple[MeasureAgreement, ...]) -> str:
    """Whether averaging over all pairs, or a cue set for one word, closes the gap to WEAT."""
    by_name = {row.measure: row for row in rows}
    weat, one = by_name[WEAT], by_name[ONE_PAIR]
    if weat.reason:
        return f"The measures cannot be compared: {weat.reason}."
    averages = {name: by_name[name] for name in (MATCHED, ALL, SETS) if name in by_name}
    text = (
        f"On the same {counted(weat.n, 'word')} WEAT’s association has {_r(weat)}, the PSE of one "
        f"cue pair, on average over {_plural(rows)}, {_r(one)}: {_gap(one)}."
    )
    parts = [_lead(one, list(averages.values())), text]
    parts += [
        f"{_WAYS[name]}: r = {number(row.pearson)}, {_gap(row)}." for name, row in averages.items()
    ]
    return " ".join(parts)


_WAYS = {
    MATCHED: "Averaged over matched pairs",
    ALL: "Averaged over all combinations",
    SETS: "With a cue set for each group",
}


def _lead(one: MeasureAgreement, averages: list[MeasureAgreement]) -> str:
    """The answer, as far as these words can give it."""
    if not _is_clear(one):
        return "On these words there is no clear gap between one cue pair and WEAT."
    if one.pearson_gap < 0:
        return "On these words even one cue pair agrees better than WEAT."
    left = [row for row in averages if _is_clear(row) and row.pearson_gap > 0]
    if not left:
        return "With averaging, or a cue set, there is no clear gap to WEAT for these words."
    if len(left) < len(averages):
        return "With some ways of averaging there is no clear gap to WEAT for these words."
    return "Averaging, or a cue set, leaves a gap to WEAT."


def _is_clear(row: MeasureAgreement) -> bool:
    """Whether the gap to WEAT is clear of none."""
    interval = row.pearson_gap_interval
    return bool(interval.low > 0 or interval.high < 0)


def _r(row: MeasureAgreement) -> str:
    return f"r = {number(row.pearson)} (between {_ends(row.pearson_interval)})"


def _plural(rows: tuple[MeasureAgreement, ...]) -> str:
    singles = sum(row.pairs == 1 and row.measure not in (ONE_PAIR, SETS) for row in rows)
    return f"{singles} pairs" if singles != 1 else "1 pair"


def _gap(row: MeasureAgreement) -> str:
    gap, interval = row.pearson_gap, row.pearson_gap_interval
    low, high = (interval.low, interval.high) if gap >= 0 else (-interval.high, -interval.low)
    text = f"{'weaker' if gap >= 0 else 'stronger'} than WEAT’s by {number(abs(gap))}"
    if not np.isfinite([low, high]).all():
        return text
    return f"{text} (between {number(low)} and {number(high)})"


def _ends(interval: Interval) -> str:
    return f"{number(interval.low)} and {number(interval.high)}"
