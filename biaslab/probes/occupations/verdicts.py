"""Plain words for a result of the occupations probe."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from biaslab.errors import QueryError
from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.probes.psychometrics.verdicts import Span

if TYPE_CHECKING:
    from biaslab.probes.occupations.agreement import Agreement
    from biaslab.probes.occupations.result import OccupationsResult

#: What people of a group are called, and the property that the stimulus has more of.
PEOPLE = {"male": "men", "female": "women", "man": "men", "woman": "women"}
PROPERTY = {"male": "maleness", "female": "femaleness"}
_SHOWN = 5


class LeanCounts(NamedTuple):
    """How many words lean to group 1, to group 2, cannot be told from 1/2, have no interval."""

    group_1: int
    group_2: int
    undecided: int
    unknown: int

    @property
    def total(self) -> int:
        """All words."""
        return sum(self)


def lean_counts(asked: TwoAFCResult) -> LeanCounts:
    """Count a contrast's leans."""
    found = asked.pooled
    told = np.isfinite(found.corpus).all(axis=1)
    lean = np.asarray(found.lean)
    return LeanCounts(
        int((lean == 1).sum()),
        int((lean == -1).sum()),
        int((told & (lean == 0)).sum()),
        int((~told).sum()),
    )


def correlation_text(r: float) -> str:
    """A correlation with two decimals and a true minus sign."""
    text = f"{r:.2f}".replace("-", "−")
    return "0.00" if text == "−0.00" else text


def spans(result: OccupationsResult, which: int) -> list[Span]:
    """The verdict on a contrast as pieces of text with their roles."""
    one, two = result.of_contrast(which)
    counts = lean_counts(result.contrasts[which])
    if counts.unknown == counts.total:
        lead: list[Span] = [
            (
                f"Nothing tells how sure the PSE of these {counts.total} {result.words_are} is: ",
                "plain",
            ),
            ("one embedding and one cue pair have no interval", "strong"),
            (".", "plain"),
        ]
    else:
        lead = [
            (f"{counts.group_1} of {counts.total} {result.words_are} lean ", "strong"),
            (one, "group1"),
            (f", {counts.group_2} lean ", "strong"),
            (two, "group2"),
            (f", {counts.undecided} cannot be told from 50 %", "strong"),
        ]
        if counts.unknown:
            lead.append((f", {counts.unknown} have no interval", "strong"))
        lead.append((".", "strong"))
    return [*lead, *_outside(result, which)]


def _outside(result: OccupationsResult, which: int) -> list[Span]:
    if result.outside is None:
        return []
    found = result.agreement("pse", which)
    if found.reason:
        return [(f" No correlation with the outside table: {found.reason}.", "plain")]
    low, high = found.pearson_interval.low, found.pearson_interval.high
    lead = _trend(result, found, which)
    return [
        (f" {lead}: ", "plain"),
        (f"r = {correlation_text(found.pearson)}", "strong"),
        (f", between {correlation_text(low)} and {correlation_text(high)}.", "plain"),
    ]


def _trend(result: OccupationsResult, found: Agreement, which: int) -> str:
    two = result.of_contrast(which)[1]
    axis, outside = result.axis, result.outside
    assert axis is not None  # noqa: S101  # an agreement has a table
    assert outside is not None  # noqa: S101
    low, high = found.pearson_interval.low, found.pearson_interval.high
    people = PEOPLE.get(axis.group.lower(), axis.group)
    more = (
        f"the more {people} work in an occupation"
        if people and "occupation" in outside.title.lower()
        else f"the higher the outside number ({axis.label})"
    )
    if low <= 0 <= high:
        return f"Whether the PSE goes with the outside numbers ({axis.label}) cannot be told"
    amount = "less" if found.pearson < 0 else "more"
    needed = PROPERTY.get(two.lower(), f"“{two}”")
    return f"{more[0].upper()}{more[1:]}, the {amount} {needed} the model needs"


def caveat(result: OccupationsResult, which: int) -> str:
    """One grey line under the verdict."""
    asked = result.contrasts[which]
    k, percent = len(asked.pairs), f"{100 * result.level:.0f} %"
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
            if asked.corpus_kind == "none"
            else f": intervals are over {pairs} (t, {percent}{taken})"
        )
        parts.append(f"One embedding, so no corpus interval{over}.")
    else:
        parts.append(
            f"Intervals are over {asked.corpus_kind} ({percent}; {result.n_replicates} "
            f"{asked.observer}, {pairs}{taken})."
        )
    items = sum(d.role == "item" for d in result.dropped)
    others = len(asked.dropped) - items
    if items:
        parts.append(f"{items} of {len(result.words) + items} {result.words_are} left out.")
    if others:
        parts.append(f"{others} cue(s) or pair(s) left out.")
    if result.outside is not None:
        left_out = len(result.words) - sum(v is not None for v in result.outside_values())
        if left_out:
            parts.append(f"{left_out} without an outside number.")
    return " ".join(parts)


def summary(result: OccupationsResult) -> str:
    """All contrasts in plain words."""
    lines: list[str] = []
    for i in range(len(result.combinations)):
        lines.append("".join(text for text, _ in spans(result, i)))
        lines.append(result.caveat(i))
        lines += _extremes(result, i)
        lines += _agreements(result, i)
    lines += [f"Dropped {d.role} {d.term!r}: {d.reason}." for d in result.dropped[:20]]
    if len(result.dropped) > 20:
        lines.append(f"... and {len(result.dropped) - 20} more dropped: see .dropped.")
    return "\n".join(lines)


def _extremes(result: OccupationsResult, which: int) -> list[str]:
    pse = result.contrasts[which].pse
    order = [int(i) for i in np.argsort(-pse) if np.isfinite(pse[i])]
    names = result.of_contrast(which)
    ends = (order[:_SHOWN], order[::-1][:_SHOWN])
    return [
        f"Most {name}: " + ", ".join(f"{result.words[i]} {100 * pse[i]:.0f}" for i in end) + "."
        for name, end in zip(names, ends, strict=True)
    ]


def _agreements(result: OccupationsResult, which: int) -> list[str]:
    if result.outside is None:
        return []
    lines = []
    for measure in ("pse", "jnd"):
        try:
            found = result.agreement(measure, which)
        except QueryError as error:
            lines.append(str(error))
            continue
        if found.reason:
            lines.append(f"{measure.upper()}: {found.reason}.")
            continue
        rows = (
            ("Pearson", found.pearson, found.pearson_interval),
            ("Spearman", found.spearman, found.spearman_interval),
        )
        told = ", ".join(
            f"{name} {correlation_text(r)} ({correlation_text(i.low)} to "
            f"{correlation_text(i.high)})"
            for name, r, i in rows
        )
        lines.append(f"{measure.upper()} against {found.x_label}: {told}, n = {found.n}.")
    return lines
