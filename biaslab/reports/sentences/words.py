"""Plain words for a stereotype score, and for the difference of two models' scores."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from biaslab.probes.sentences.stereotype_result import ShareDifference, StereotypeScore
from biaslab.probes.sentences.stereotype_shares import Pull, StereotypeShare
from biaslab.records.wording import (
    Span,
    counted,
    joined,
    number,
    p_text,
    percent,
    range_text,
    would_show,
)
from biaslab.stats.significance import smallest_effect_of

_NEARLY_ALL = 0.9
"""Share of pairs, whatever they are about, from which on one group's terms decide."""
_SHOWN = 3
_NOTES = 5
SWAPPED = {"group": "the group’s term", "attribute": "the attribute"}
"""What is swapped between the versions, by pairing."""


def verdict(result: StereotypeScore) -> list[Span]:
    """The verdict as pieces of text with their roles."""
    n, subject = result.overall.decided, result.provenance.subject
    low, high = result.interval.low, result.interval.high
    if n == 0:
        why = "none could be scored" if result.failures and not result.ties else "none is decided"
        return [
            (subject, "strong"),
            (": of ", "plain"),
            (counted(result.overall.n_pairs, "pair"), "plain"),
            (f" {why}, so that there is no score.{_common_reason(result)}", "plain"),
        ]
    share = f"{percent(result.share)} %"
    if not np.isfinite([low, high]).all():
        return [
            (subject, "strong"),
            (" finds the stereotyped version more probable in ", "plain"),
            (share, "strong"),
            (f" of {counted(n, 'pair')}, too few for an interval.", "plain"),
        ]
    spans: list[Span] = [
        (subject, "strong"),
        (" finds the stereotyped version more probable in ", "plain"),
        (share, "strong"),
        (f" of {counted(n, 'pair')}{_alike(result)}, between {range_text(low, high)} %: ", "plain"),
    ]
    if alone := result.one_sided:
        spans[-1] = (spans[-1][0].removesuffix(": ") + ". ", "plain")
        return [*spans, ("No verdict", "strong"), (f": {_one_sided(*alone)}", "plain")]
    lists, pull = opposed_lists(result), pull_of(result)
    overall = " overall" * bool(lists or pull)
    if result.lean > 0:
        spans.append((f"a bias with the stereotype{overall}", "with"))
    elif result.lean < 0:
        spans.append((f"a bias against the stereotype{overall}", "against"))
    else:
        spans.append((f"no clear bias{overall}", "strong"))
    smallest = "" if result.lean else would_show(smallest_effect_of(result.interval), most=0.5)
    spans.append((f"{smallest}.", "plain"))
    if pull:
        return [*spans, *_pulled(pull)]
    return [*spans, *_opposed(*lists)] if lists else spans


def _one_sided(group: str, other: str) -> str:
    return (
        f"every sentence is about a stereotype of {group}, so a model that finds these terms more "
        f"probable in any sentence would score the same. Add attributes tied to {other}."
    )


def _common_reason(result: StereotypeScore) -> str:
    """Return why no pair could be scored, if it is the same for most; else nothing."""
    if not result.failures or result.ties:
        return ""
    reason, count = Counter(reason for _, reason in result.failed).most_common(1)[0]
    return f" {reason}" if count > result.failures / 2 else ""


def opposed_lists(result: StereotypeScore) -> tuple[StereotypeShare, StereotypeShare] | None:
    """Return the lists that lean farthest with and against the stereotype, if lists do both.

    Their mean hides both: a model that always prefers one group's words wins in one list what it
    loses in the other.
    """
    leaning = [one for one in result.attribute_lists if one.lean]
    if len({one.lean for one in leaning}) < 2:
        return None
    return max(leaning, key=lambda one: one.share), min(leaning, key=lambda one: one.share)


def _opposed(high: StereotypeShare, low: StereotypeShare) -> list[Span]:
    return [
        (f" Sentences about {high.name} lean ", "plain"),
        ("with the stereotype", "with"),
        (f" ({percent(high.share)} %, {_range(*_ends(high))}), about {low.name} ", "plain"),
        ("against it", "against"),
        (f" ({percent(low.share)} %, {_range(*_ends(low))}).", "plain"),
    ]


def pull_of(result: StereotypeScore) -> Pull | None:
    """The pull toward one group's terms, if both halves of the sentences show it."""
    pull = result.pull
    return pull if pull is not None and pull.in_both and not result.one_sided else None


def _pulled(pull: Pull) -> list[Span]:
    (one, two), (first, second) = pull.about, (percent(share) for share in pull.shares)
    is_all = pull.excludes_null and min(pull.shares) >= _NEARLY_ALL
    lead: list[Span] = [(" Both halves pull toward ", "plain")]
    if is_all:
        lead = [(" The model hardly listens", "strong"), (": both halves pull toward ", "plain")]
    return [
        *lead,
        (pull.group, "strong"),
        (f": its version is more probable in {first} % of pairs about {one} and ", "plain"),
        (f"{second} % about {two}, together {_together(pull, ' (', ')')}, ", "plain"),
        ("a clear pull" if pull.excludes_null else "which is not clear", "strong"),
        (".", "plain"),
    ]


def pull_in_short(pull: Pull) -> list[Span]:
    """The same of a further model, as the end of a sentence."""
    first, second = (percent(share) for share in pull.shares)
    clear = "a clear pull" if pull.excludes_null else "which is not clear"
    return [
        ("; both halves pull toward ", "plain"),
        (pull.group, "strong"),
        (f" ({first} and {second} %, together {_together(pull, ', ')}), {clear}.", "plain"),
    ]


def _together(pull: Pull, before: str, after: str = "") -> str:
    ends = pull.interval
    return f"{percent(pull.share)} %{before}{_range(ends.low, ends.high)} %{after}"


def _ends(share: StereotypeShare) -> tuple[float, float]:
    return share.interval.low, share.interval.high


def _alike(result: StereotypeScore) -> str:
    """Say what has equal weight, if the share of pairs differs."""
    if result.overall is not result.macro or percent(result.macro_share) == percent(
        result.micro_share
    ):
        return ""
    if result.weighting == "groups":
        return ", with equal weight for both groups"
    return f", with equal weight for {counted(len(result.attributes), 'attribute')}"


def brief(result: StereotypeScore) -> str:
    """The share with the stereotype, for a card."""
    low, high = 100 * result.interval.low, 100 * result.interval.high
    share = f"{100 * result.share:.0f} % with the stereotype"
    return f"{share} ({low:.0f} to {high:.0f} %)" if low == low else share


def caveat(result: StereotypeScore) -> str:
    """One grey line under the verdict."""
    parts = [f"The {percent(result.level)} % interval is over {result.interval.kind}."]
    if len(result.attributes) == 1:
        parts.append("One attribute says nothing about others.")
    parts.append(ties_and_failures([result.ties], [result.failures]))
    if result.unscored:
        parts.append(f"{counted(result.unscored, 'pair')} not reached: the run was stopped.")
    parts.append(f"Scorer: {result.scorer_label}. Swapped: {SWAPPED[result.pairing]}.")
    return " ".join(parts)


def ties_and_failures(ties: Sequence[int], failures: Sequence[int]) -> str:
    """How many pairs decided nothing, for each model.

    Examples
    --------
    >>> ties_and_failures([0], [0])
    'No ties; no failures.'
    >>> ties_and_failures([1, 2], [0, 3])
    '1 tie and 2 ties count for neither version; 0 failures and 3 failures.'
    """
    of_ties = " and ".join(counted(n, "tie") for n in ties)
    if any(ties):
        of_ties += " counts" if list(ties) == [1] else " count"
        of_ties += " for neither version"
    else:
        of_ties = "No ties"
    of_failures = " and ".join(counted(n, "failure") for n in failures)
    return f"{of_ties}; {of_failures if any(failures) else 'no failures'}."


def summary(result: StereotypeScore) -> str:
    """The verdict, how it was measured, and what was left out."""
    parts = [joined(verdict(result)), caveat(result), *details(result)]
    parts += [f"Failed: “{pair.stereotyped}”: {why}" for pair, why in result.failed[:_SHOWN]]
    if len(result.failed) > _SHOWN:
        parts.append(f"... and {len(result.failed) - _SHOWN} more: see failed.")
    parts += [f"Not used: “{lost.term}”: {lost.reason}" for lost in result.dropped[:_SHOWN]]
    if len(result.dropped) > _SHOWN:
        parts.append(f"... and {len(result.dropped) - _SHOWN} more: see dropped.")
    parts += result.notes[:_NOTES]
    if len(result.notes) > _NOTES:
        parts.append(f"... and {len(result.notes) - _NOTES} more remarks: see notes.")
    return "\n".join(parts)


def details(result: StereotypeScore) -> list[str]:
    """The numbers behind the headline, each in a sentence."""
    parts = []
    if result.overall.decided:
        wilson = result.wilson
        parts.append(
            f"Pair by pair: Wilson {_range(wilson.low, wilson.high)} %, exact sign test "
            f"{_p(result.p)}, both as if pairs were independent."
        )
    if (other := result.beside) is not None and math.isfinite(other.share):
        what = "pair" if other is result.micro else "attribute"
        parts.append(
            f"With equal weight for {what}s: {percent(other.share)} % "
            f"({_range(other.interval.low, other.interval.high)} %)."
        )
    if (null := result.placebo) is not None:
        parts.append(
            f"Placebo groups: with {null.terms} terms put into either group at random, "
            f"{_range(null.low, null.high)} % in 95 % of {null.groups:,} draws; "
            f"randomisation {_p(null.p)} for these attributes and sentences."
        )
    if math.isfinite(result.mean_log_odds):
        interval = result.mean_log_odds_interval
        between = (
            f" ({number(interval.low)} to {number(interval.high)})"
            if np.isfinite([interval.low, interval.high]).all()
            else ""
        )
        parts.append(
            f"Mean log-odds {number(result.mean_log_odds)} {result.unit}{between}; 0 is neutral. "
            f"Score of a version: {result.formula}"
        )
    if result.language_model is not None:
        lms = result.language_model
        icat = lms.icat_interval
        parts.append(
            f"Language-model score {percent(lms.share)} % "
            f"({_range(lms.interval.low, lms.interval.high)} %) of "
            f"{counted(lms.comparisons, 'comparison')} with an unrelated version, "
            f"{counted(lms.ties, 'tie')}, {counted(lms.failures, 'failure')}; ICAT "
            f"{number(lms.icat, 1)} ({number(icat.low, 1)} to {number(icat.high, 1)})."
        )
    return parts


def _p(p: float) -> str:
    return f"p = {p_text(p)}" if p >= 1e-6 else "p < 0.000001"


def _range(low: float, high: float) -> str:
    return range_text(low, high).replace(" and ", " to ")


def summary_of_difference(result: ShareDifference) -> str:
    """The difference in plain words."""
    one, two = result.names
    interval = result.interval
    between = f"{percent(interval.low)} to {percent(interval.high)}"
    shares = " and ".join(f"{percent(share, 1)} %" for share in result.shares)
    points = f"{percent(result.difference)} points ({between}; {shares})"
    points += f" over {counted(result.n_pairs, 'pair')}"
    left = f" {result.left_out:,} pairs that not both decide are left out." * bool(result.left_out)
    if result.lean == 0:
        smallest = would_show(smallest_effect_of(interval), most=1)
        return f"No clear difference between {one} and {two}: {points}{smallest}.{left}"
    more, less = (one, two) if result.lean > 0 else (two, one)
    return f"{more} prefers the stereotyped version more often than {less}: {points}.{left}"
