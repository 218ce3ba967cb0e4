"""Plain words for an image association, and for the difference of two models' scores."""

from __future__ import annotations

import math

import numpy as np

from biaslab.probes.images.result import ImageAssociation, ImageScoreDifference
from biaslab.probes.images.scores import NEUTRAL, RULES, WITHIN_TERMS, ImageScore
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

_SHOWN, _NOTES = 3, 6
_HARDLY = 0.01
"""From one half: what can be told with many pictures and means nothing."""
_WAYS: dict[int, Span] = {
    1: ("with the stereotype", "with"),
    -1: ("against the stereotype", "against"),
}
_PICTURES = ("portraits", "pictures", "images", "photographs", "photos", "faces", "drawings")


def verdict(result: ImageAssociation) -> list[Span]:
    """The verdict as pieces of text with their roles."""
    one, two = (pictures_of(group) for group in result.groups)
    first, second = result.concept_lists
    pairs = f"the model pairs {one} with “{first}” and {two} with “{second}”"
    interval, unit = result.interval, _UNITS[result.aggregate]
    if not np.isfinite([interval.low, interval.high]).all():
        return [
            (f"Too few pictures to say whether {pairs}: the stereotyped {unit[0]} ", "plain"),
            (f"{percent(result.score)} %", "strong"),
            (f" {unit[1]}, without an interval; 50 % is neutral.", "plain"),
        ]
    score = f"{_score(result.score, interval.low, interval.high)} %"
    between = f" {unit[1]}, between {range_text(interval.low, interval.high)} % (50 % is neutral)"
    if result.lean == 0:
        smallest = would_show(smallest_effect_of(interval), most=0.5)
        return [
            ("No clear bias", "strong"),
            (f" in whether {pairs}: the stereotyped {unit[0]} ", "plain"),
            (score, "strong"),
            (f"{between}{smallest}.", "plain"),
        ]
    if result.lean < 0:
        pairs = f"the model pairs {one} with “{second}” and {two} with “{first}”"
    spans: list[Span] = [
        (f"{pairs[0].upper()}{pairs[1:]}: the stereotyped {unit[0]} ", "plain"),
        (score, "strong"),
        (f"{between}, a bias ", "plain"),
    ]
    way, role = _WAYS[result.lean]
    if abs(result.score - NEUTRAL) < _HARDLY:
        return [*spans, (f"{way}, but less than a point from neutral", "strong"), (".", "plain")]
    return [*spans, (way, role), (".", "plain")]


_AVERAGE = ("answers have", "of the probability on average")
_UNITS = {"sum": _AVERAGE, "mean": _AVERAGE, "any": ("answer leads in", "of the pictures")}
"""What a score is a part of, by how a list's probability is defined."""


def pictures_of(group: str) -> str:
    """A group's name as what its pictures are called in a sentence."""
    return group if group.lower().startswith(_PICTURES) else f"pictures of {group}"


def brief(result: ImageAssociation) -> str:
    """The score, for a card and the list of runs."""
    low, high = 100 * result.interval.low, 100 * result.interval.high
    score = f"{100 * result.score:.0f} % with the stereotype"
    return f"{score} ({low:.0f} to {high:.0f} %)" if low == low else score


def caveat(result: ImageAssociation) -> str:
    """One grey line under the verdict."""
    n, k = len(result.images), len(result.templates)
    kinds = "captions" if "{concept}" in result.templates[0] else "questions"
    how = f"in {k} {kinds}" if k > 1 else f"asked “{result.templates[0]}”"
    ends = result.interval
    why = "and the terms stay" if ends.kind == WITHIN_TERMS else "as a term has one picture only"
    parts = [
        f"{percent(result.level)} % intervals: {ends.kind} are drawn anew, {why}.",
        f"{counted(n, 'picture')}, {how}; {RULES[result.aggregate]}.",
    ]
    sizes = [one.n_images for one in result.by_group]
    if sizes[0] != sizes[1]:
        one = result.concept_lists[0]
        ends = result.balanced.interval
        parts.append(
            f"The groups have {sizes[0]:,} and {sizes[1]:,} pictures: a model that answers “{one}”"
            f" whatever it sees would score {percent(sizes[0] / sum(sizes))}. With either group"
            f" counting one half the score is {_score(result.balanced.score, ends.low, ends.high)}"
            f" ({_range(result.balanced)})."
        )
    if result.unscored:
        were = "picture was" if result.unscored == 1 else "pictures were"
        parts.append(f"{result.unscored:,} {were} not reached: the run was stopped.")
    return " ".join(parts)


def summary(result: ImageAssociation) -> str:
    """The verdict, how it was measured, and what was left out."""
    parts = [joined(verdict(result)), caveat(result), *details(result)]
    parts += [f"Not used: “{one.term}”: {one.reason}" for one in result.dropped[:_SHOWN]]
    if len(result.dropped) > _SHOWN:
        parts.append(f"... and {len(result.dropped) - _SHOWN} more: see dropped.")
    parts += result.notes[:_NOTES]
    if len(result.notes) > _NOTES:
        parts.append(f"... and {len(result.notes) - _NOTES} more remarks: see notes.")
    return "\n".join(parts)


def details(result: ImageAssociation) -> list[str]:
    """The numbers behind the headline, each in a sentence."""
    first = result.concept_lists[0]
    means = [float(result.first[result.group_of == side].mean()) for side in (0, 1)]
    one, two = (pictures_of(group) for group in result.groups)
    effect = ""
    if math.isfinite(result.effect):
        interval = result.effect_interval
        effect = (
            f"; Cohen’s d {number(result.effect)}"
            f" ({number(interval.low)} to {number(interval.high)} over {interval.kind})"
        )
    contrast = (
        f"“{first}” has {percent(means[0])} % on {one} and {percent(means[1])} % on {two}{effect};"
        f" p = {p_text(result.p)}, had the pictures been put into the groups at random"
        f" ({result.p_of})."
    )
    parts = [contrast]
    text = ", ".join(f"{one.name} {percent(one.score)} ({_range(one)})" for one in result.terms)
    parts.append(f"By term: {text}.")
    if len(result.by_template) > 1:
        text = ", ".join(
            f"“{one.name}” {percent(one.score)} ({_range(one)})" for one in result.by_template
        )
        parts.append(f"By template: {text}.")
    return parts


def _score(score: float, low: float, high: float) -> str:
    """With as many decimals as its interval has."""
    text = range_text(low, high).split(" and ")[0] if math.isfinite(low) else ""
    return percent(score, len(text.partition(".")[2]))


def _range(one: ImageScore) -> str:
    interval = one.interval
    if not math.isfinite(interval.low):
        return "one picture, no interval" if one.n_images == 1 else "too few pictures, no interval"
    return range_text(interval.low, interval.high).replace(" and ", " to ")


def summary_of_difference(result: ImageScoreDifference) -> str:
    """The difference in plain words."""
    one, two = result.names
    interval = result.interval
    between = (
        f"{percent(interval.low, 1)} to {percent(interval.high, 1)}"
        if math.isfinite(interval.low)
        else "no interval"
    )
    seen = counted(result.n_images, "picture")
    points = f"{percent(result.difference, 1)} points ({between}) over {seen}"
    left = f" Left out: {counted(result.left_out, 'picture')} that only one model saw."
    left *= bool(result.left_out)
    notes = "".join(f" {note}" for note in result.notes)
    if result.lean == 0:
        smallest = would_show(smallest_effect_of(interval), most=1)
        return f"No clear difference between {one} and {two}: {points}{smallest}.{left}{notes}"
    more, less = (one, two) if result.lean > 0 else (two, one)
    return f"{more} follows the stereotype more strongly than {less}: {points}.{left}{notes}"
