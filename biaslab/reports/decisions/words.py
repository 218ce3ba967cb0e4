"""Plain words for a result of the decision probe, also where it has no gap."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from biaslab.asking.protocols import CASE, QUESTION
from biaslab.cases import Case, Question
from biaslab.cases.quality import number as level_text
from biaslab.probes.decisions import (
    DecisionsResult,
    Estimate,
    assurance_after,
    first_option,
    gap_if_refused_is,
    gauges,
    level_effect,
    placebo,
    refusal_difference,
    trait_effects,
)
from biaslab.probes.decisions.result import more_questions, rounded_up
from biaslab.records.result import Interval
from biaslab.records.wording import (
    Role,
    Span,
    count,
    counted,
    either,
    joined,
    listed,
    number,
    percent,
)
from biaslab.stats.decisions.answers import FEWEST

_BY_PLACE: Final = 0.75
"""Share of answers with the option in one place from which on its place decides, without a gap,"""
_BY_PLACE_ALONE: Final = 0.9
"""and with one."""
_FEW: Final = 20
"""Answers from which on such a share means something."""
_ALIKE: Final = 5
"""Answers of one kind from which on a point lies outside the levels: by chance once in 32 times."""


def why_no_gap(result: DecisionsResult) -> str:
    """Return sentences on what the answers lack, without the caveats of a gap."""
    answered = result.counts()["answered"]
    if answered < FEWEST:
        return _too_few(result, answered)
    if cause := _hardly_listens(result):
        return f"the subject hardly listens, as {cause}."
    if one_sided := _one_sided(result):
        return one_sided
    return f"{result.reason}. {_mostly(result)}".rstrip()


def _hardly_listens(result: DecisionsResult) -> str:
    """Say what shows that the question hardly matters to a subject, with its number, if it does.

    It would rather write something else, or the place of an option or nothing at all moves its
    answers.
    """
    if result.counts()["answered"] < _FEW:
        return ""
    if _median_mass(result) < _ALMOST_NONE:
        return (
            "it would rather write something else: all its answers together have a probability of"
            f" {_mass_share(result)} % (median)"
        )
    if cause := _by_place(result, _BY_PLACE if result.reason else _BY_PLACE_ALONE):
        return cause
    if not result.reason or any(result.fit.sides):
        return ""
    # Nearly all answers of one kind are those of a point outside the levels, too.
    share = float(np.mean(result.trials.yes[result.trials.answered]))
    change = level_effect(result)
    if max(share, 1 - share) > _ONE_KIND or not max(abs(change.low), change.high) < _UNMOVED:
        return ""
    worse, better = ("lower", "upper")[:: result.sign]
    return (
        f"its answers change by {percent(change.value)} points"
        f" ({percent(change.low)} to {percent(change.high)}) from the {worse} to the {better} half"
        f" of the {result.case.quality.name}"
    )


def _mostly(result: DecisionsResult) -> str:
    """Say how often the answer is yes, where it does not depend on the level."""
    is_unmoved = not any(result.fit.sides[:2]) and all(
        result.counts(place)["answered"] for place in range(2)
    )
    if result.form == "which of two" or result.case.yes_or_no is None or not is_unmoved:
        return ""
    share = float(np.mean(result.trials.yes[result.trials.answered]))
    return f"{percent(share)} % of its answers are {result.case.yes_or_no.yes}, over all levels."


def amount(result: DecisionsResult, value: float) -> str:
    """Return a number of the case's unit."""
    unit = result.case.quality.unit
    return f"{level_text(value)} {unit.removesuffix('s') if value == 1 else unit}"


def always(result: DecisionsResult, group: int) -> str:
    """Say what happens to a group with one kind of answer."""
    when = "at every level" if result.fit.sides[group] == "below" else "at no level"
    return f"are {result.case.outcome} {when}"


def is_outside(result: DecisionsResult, group: int) -> bool:
    """Return whether a group has enough answers, all of one kind, to lie outside the levels."""
    return bool(result.fit.sides[group]) and (
        result.trials.gives_probabilities or _answers(result, group) >= _ALIKE
    )


def outside(result: DecisionsResult, group: int) -> str:
    """Say where the point of a group with one kind of answer lies: ``beyond 20 years``."""
    quality = result.case.quality
    low, high = quality.low, quality.high
    if result.form == "which of two":
        high = (quality.high - quality.low) / 2
        low = -high
    is_low = (result.fit.sides[group] == "below") == (quality.sign > 0)
    return f"below {amount(result, low)}" if is_low else f"beyond {amount(result, high)}"


def _one_sided(result: DecisionsResult) -> str:
    """Who is accepted, or not, at every level, and how far that bounds the gap."""
    sides = result.fit.sides[:2]
    few = [place for place, side in enumerate(sides) if side and not is_outside(result, place)]
    if few:
        return " ".join(_few_alike(result, place) for place in few)
    if result.form == "which of two":
        if not sides[0]:
            return ""
        chosen = result.groups[1 if sides[0] == "below" else 0]
        clauses = [f"the subject chooses {chosen} at every difference"]
    elif len(sides) == 2 and sides[0] and sides[0] == sides[1]:
        clauses = [f"both groups {always(result, 0)}, so their points lie {outside(result, 0)}"]
    else:
        clauses = [
            f"{result.groups[place]} {always(result, place)}, so their point lies"
            f" {outside(result, place)}"
            for place, side in enumerate(sides)
            if side
        ]
    if not clauses:
        return ""
    low, high = result.gap_between()[1:]
    bound = ""
    if math.isfinite(low) and low > 0:
        bound = f" The gap is at least {amount(result, round(low, 1))}."
    elif math.isfinite(high) and high < 0:
        bound = f" {result.groups[0]} must bring at least {amount(result, round(-high, 1))} more."
    return f"{', and '.join(clauses)}.{bound}"


def _answers(result: DecisionsResult, group: int) -> int:
    """Return how many answers a group's curve has."""
    answered = result.trials.answered
    if result.form == "yes or no":
        answered = answered & (result.trials.group == result.places[group])
    return int(answered.sum())


def _few_alike(result: DecisionsResult, group: int) -> str:
    """Say that a group has too few answers of one kind."""
    answer = "yes" if result.fit.sides[group] == "below" else "no"
    answers = counted(_answers(result, group), "answer")
    return f"{result.groups[group]} have {answers} only, {answer} each time: ask more questions."


def _too_few(result: DecisionsResult, answered: int) -> str:
    """Say why replies are no answers, the most frequent reason first."""
    total = len(result.trials)
    if answered == total:
        return f"{counted(total, 'answer')} are too few: ask at least {FEWEST} questions."
    replies = f"{count(total)} {'reply' if total == 1 else 'replies'}"
    lead = (
        f"{count(answered) if answered else 'none'} of {replies} can be fitted, at least {FEWEST}"
    )
    reasons = Counter(reason for reason in result.trials.reason if reason).most_common(2)
    why = [f"{count(times)} times: {reason}" for reason, times in reasons]
    return " ".join([f"{lead} are needed.", *why])


def _by_place(result: DecisionsResult, least: float) -> str:
    """Say whether the place of an option decides in at least a share of the answers."""
    share = first_option(result)
    of = int(result.trials.answered.sum())
    if of < _FEW or not max(share.value, 1 - share.value) >= least:
        return ""
    place = "first" if share.value > 0.5 else "second"
    often = round(of * (share.value if place == "first" else 1 - share.value))
    return (
        f"it picks the option listed {place} in {percent(often / of)} % of its answers,"
        " whatever the case says"
    )


_SHOWN = 4
_NEAR = 20
"""Characters within which the unit of a gap follows its number."""
_ANSWERS: Final = ("yes", "no")
_HALF: Final = 0.5
_LITTLE = 0.5
"""Probability of all answers together below which a choice between them means little,"""
_ALMOST_NONE: Final = 0.1
"""and below which the subject hardly listens."""
_UNMOVED: Final = 0.2
"""Change of the share of yes between both halves of the levels that is hardly any,"""
_ONE_KIND: Final = 0.97
"""unless more than this share of the answers are of one kind."""


def verdict(result: DecisionsResult) -> list[Span]:
    """The finding as pieces of text with their roles, and what was set aside by hand."""
    return [*_verdict(result), *_set_aside(result)]


def _set_aside(result: DecisionsResult) -> list[Span]:
    if not result.set_aside:
        return []
    numbers = [str(number) for number in result.without_wordings]
    wordings = [f"wording{'s' if len(numbers) > 1 else ''} {listed(numbers)}"] if numbers else []
    which = listed([*result.without_cues, *wordings])
    total = counted(len(result.trials) + result.set_aside, "answer")
    return [(f" Without {which}: {count(result.set_aside)} of {total} set aside by hand.", "plain")]


def _not_asked(result: DecisionsResult) -> str:
    """Name the cues and wordings of the case that the run was not to ask about."""
    given, case = result.provenance.parameters, result.case
    cues: Mapping[str, Sequence[str]] = given.get("cues", {})
    wordings = given.get("wordings", ())
    out = [
        cue.text
        for group in case.groups
        if group.name in result.groups
        for cue in group.cues
        if cue.text not in cues.get(group.name, (cue.text,))
    ]
    numbers = range(1, len(case.wordings(result.form)) + 1) if wordings else ()
    out += [f"wording {number}" for number in numbers if number not in wordings]
    return f"Nothing was asked about {listed(out)}." if out else ""


def _verdict(result: DecisionsResult) -> list[Span]:
    one, two = result.groups[:2]
    if result.reason:
        reason: list[Span] = [("No gap can be given: ", "strong"), (why_no_gap(result), "plain")]
        return [*_refused_groups(result), *reason]
    lead = _unanswered(result)
    if cause := _hardly_listens(result):
        lead = [("The subject hardly listens", "strong"), (f", as {cause}. ", "plain"), *lead]
    interval = result.gap_interval()
    favoured: dict[str, list[Span]] = {
        "group 1": [(": the subject ", "plain"), (f"favours {one}", "group1"), (".", "plain")],
        "group 2": [(": the subject ", "plain"), (f"favours {two}", "group2"), (".", "plain")],
        "alike": [(": the subject ", "plain"), ("treats both groups alike", "strong"),
                  (f" within ± {amount(result, result.margin)}.", "plain")],
        "undecided": [(f": {_open(result)}.", "plain")],
    }  # fmt: skip
    if result.doubt:
        return [*lead, ("No verdict: ", "strong"), (_doubt(result, interval), "plain")]
    finding = [*lead, *_finding(result, interval)]
    if not math.isfinite(interval.low) or not math.isfinite(interval.high):
        return [*finding, (": these answers set no bound to it.", "plain")]
    finding += [*favoured[result.decision], *_early_stop(result)]
    if refusals := _refusals(result):
        return [*finding, (" ", "plain"), *refusals]
    return [*finding, (_outlook(result), "plain")] if result.decision == "undecided" else finding


def _early_stop(result: DecisionsResult) -> list[Span]:
    """Say that a run which ends with its first clear verdict tends to end on a large gap."""
    ended = result.budget_share is not None and result.budget_share < 1
    if not ended or result.decision not in ("group 1", "group 2"):
        return []
    return [(" The run ended with its first clear verdict, so the gap tends to be large.", "plain")]


def _refusals(result: DecisionsResult, who: str = "It") -> list[Span]:
    """Say which group's questions are clearly refused more often; a finding of its own."""
    change = refusal_difference(result)
    if not (change.low > 0 or change.high < 0):
        return []
    more, less = (1, 0) if change.value > 0 else (0, 1)
    return [
        (f"{who} refuses {_refused(result, more)} of the questions about ", "plain"),
        (result.groups[more], _ROLES[more]),
        (f" and {_refused(result, less)} of those about ", "plain"),
        (result.groups[less], _ROLES[less]), (".", "plain"),
    ]  # fmt: skip


_ROLES: Final[tuple[Role, Role]] = ("group1", "group2")


def _refused(result: DecisionsResult, group: int | None) -> str:
    """The share of the questions about a group, or of all, that are refused."""
    value, low, high = result.rate(["refused"], group)
    return f"{percent(value)} % ({percent(low)} to {percent(high)} %)"


def _refused_groups(result: DecisionsResult) -> list[Span]:
    """Say how many questions are refused where that leaves no gap: a finding of its own."""
    one, two = (result.rate(["refused"], group) for group in range(2))
    if (one.high < two.low or two.high < one.low) and (clear := _refusals(result, "The subject")):
        return [*clear, (" ", "plain")]
    if result.rate(["refused"]).value <= _HALF:
        return []
    return [(f"The subject refuses {_refused(result, None)} of the questions. ", "plain")]


def _placebo(result: DecisionsResult) -> str:
    """Say how large the gap is beside those of cues that are dealt to the groups at random."""
    if (compared := placebo(result)) is None:
        return ""
    unit = result.case.quality.unit
    text = (
        f"With the cues dealt to two groups at random the gap would be as large in"
        f" {percent(compared.p_value)} % of {count(compared.splits)} ways"
    )
    if math.isnan(compared.within):
        return f"{text}."
    limit = f"{number(compared.within, 1)} {unit}"
    return f"{text}; cues of one group, split at random, differ by up to {limit}."


def _bounds(result: DecisionsResult) -> str:
    """Say what the gap would be if refused questions had been answered."""
    if not _refusals(result):
        return ""
    gaps = {answer: gap_if_refused_is(result, answer) for answer in _ANSWERS}
    parts = [
        f"{_with_ends(gap, result.case.quality.unit)} with each refused question as a {answer}"
        for answer, gap in gaps.items()
        if math.isfinite(gap.value)
    ]
    return f"The gap would be {', and '.join(parts)}." if parts else ""


def _assurance(result: DecisionsResult) -> str:
    """Say what a verdict would take, where there is none."""
    if result.decision != "undecided" or (after := assurance_after(result)) is None:
        return ""
    return f"{after.summary()} Spread as in these answers: {after.differences()}."


def _doubt(result: DecisionsResult, interval: Interval) -> str:
    """Say why a gap is no finding, and what the gap is."""
    gap = _with_ends(Estimate(result.gap, interval.low, interval.high), result.case.quality.unit)
    if result.doubt == "misfit":
        return (
            f"the curves do not describe these answers well, so their gap, {gap}, may be wrong."
            " Look at the trials."
        )
    levels = result.trials.level
    asked = f"{level_text(levels.min())} to {amount(result, levels.max())}"
    return (
        "both points of equality lie outside the levels asked about,"
        f" {asked}, so the gap, {gap}, is extrapolated. Ask about other levels."
    )


def _unanswered(result: DecisionsResult) -> list[Span]:
    """Name the further groups about which nothing was answered."""
    groups = [
        group
        for place, group in enumerate(result.groups)
        if place > 1 and not result.counts(place)["answered"]
    ]
    if not groups:
        return []
    reason = f"{either(groups)}: no question about them was answered. "
    return [("No gap can be given for ", "strong"), (reason, "plain")]


def beyond(result: DecisionsResult, group: int = 0) -> str:
    """Where a point lies that is not within the levels: ``PSE beyond 20 years``; else nothing."""
    return f"PSE {outside(result, group)}" if is_outside(result, group) else ""


def _others(result: DecisionsResult) -> list[str]:
    """Sentences about further groups that have no point."""
    return [
        f"There is no point for {result.groups[place]}, who {always(result, place)}."
        for place, side in enumerate(result.fit.sides)
        if side and place > 1
    ]


def _finding(result: DecisionsResult, interval: Interval) -> list[Span]:
    """What a group needs to be treated as the other one, with the interval."""
    one, two = (named(result, place) for place in (0, 1))
    worse, better = ((two, "group2"), (one, "group1"))
    gap, low, high = result.gap, interval.low, interval.high
    if gap < 0:
        (worse, better), gap = (better, worse), -gap
        low, high = -high, -low
    digits = digits_of(low, high)
    amount_of = _amount_of(result)
    need = result.case.need.replace(amount_of, "{gap}")
    parts = {
        "{1}": better[0], "{2}": worse[0], "{gap}": amount_of.replace("{gap}", number(gap, digits)),
    }  # fmt: skip
    spans: list[Span] = []
    for piece in _split(need, tuple(parts)):
        if piece == "{gap}":
            spans.append((parts[piece], "strong"))
            spans.append((f" ({number(low, digits)} to {number(high, digits)})", "plain"))
        elif piece == "{1}":
            spans.append((parts[piece], better[1]))  # type: ignore[arg-type]
        elif piece == "{2}":
            spans.append((parts[piece], worse[1]))  # type: ignore[arg-type]
        elif piece:
            spans.append((piece, "plain"))
    return spans


def _amount_of(result: DecisionsResult) -> str:
    """Return the part of a case's need that says how much: ``{gap} more years of experience``."""
    need, quality = result.case.need, result.case.quality
    after = need[need.index("{gap}") :].partition("{1}")[0].partition("{2}")[0]
    for noun in (quality.name, quality.unit):
        end = after.find(noun)
        if 0 <= end <= _NEAR:
            return after[: end + len(noun)]
    return "{gap}"


def _split(text: str, marks: tuple[str, ...]) -> list[str]:
    pieces = [text]
    for mark in marks:
        pieces = [
            part
            for piece in pieces
            for i, own in enumerate(piece.split(mark) if piece not in marks else [piece])
            for part in ([mark, own] if i else [own])
        ]
    return pieces


def _open(result: DecisionsResult) -> str:
    """Why there is no decision."""
    interval = result.gap_interval()
    margin = amount(result, result.margin)
    if interval.low <= 0 <= interval.high:
        return f"no clear gap, but it may be larger than {margin}"
    return f"a clear gap, but it may be smaller than {margin}"


def _outlook(result: DecisionsResult) -> str:
    """What a decision would take."""
    more = more_questions(result)
    if more is None:
        return " More answers about these cues and wordings would not decide it."
    if result.budget_share is None:
        questions = f"about {counted(more, 'more question')}"
    else:
        # More questions after a look at the verdict would be one look more than were planned.
        total = counted(rounded_up(len(result.trials) + more), "question")
        questions = f"a run of about {total}"
    return f" If it stays where it is, {questions} would decide it."


def named(result: DecisionsResult, group: int) -> str:
    """The cues of a group as one text: ``Emily, Anne, Greg or Todd``, ``Emily or 16 others``."""
    place = result.places[group]
    texts = [result.case.groups[place].cues[cue].text for of, cue in result.cues if of == place]
    if len(texts) > _SHOWN:
        texts = [*texts[: _SHOWN - 2], f"{len(texts) - _SHOWN + 2} others"]
    return either(texts) if texts else result.groups[group]


def _with_ends(estimate: Estimate, unit: str) -> str:
    """A number with its unit and interval."""
    value, low, high = estimate
    digits = digits_of(low, high)
    text = number(value, digits)
    unit = unit.removesuffix("s") if text == "1" else unit
    return f"{text} {unit} ({number(low, digits)} to {number(high, digits)})"


def digits_of(low: float, high: float) -> int:
    """Decimals that an interval supports."""
    width = abs(high - low)
    return 1 if not math.isfinite(width) else max(0, min(3, 1 - math.floor(math.log10(width or 1))))


def caveat(result: DecisionsResult) -> str:
    """One grey line under the verdict."""
    counts = result.counts()
    total = len(result.trials)
    parts = []
    if not result.reason:
        parts.append(_reach(result))
    parts += [*_others(result), *filter(None, (_mass(result), _not_asked(result)))]
    fitted = counts["answered"]
    rest = [
        f"{counts[name]} {words}"
        for name, words in (
            ("cannot say", "“cannot say”"), ("refused", "refused"), ("unreadable", "unreadable"),
            ("other language", "in another language"),
        )
        if counts[name]
    ]  # fmt: skip
    text = f"{count(fitted)} of {counted(total, 'answer')} are fitted"
    verb = "is" if total - fitted == 1 else "are"
    parts.append(f"{text}; {', '.join(rest)} {verb} counted apart." if rest else f"{text}.")
    return " ".join(parts)


def _mass(result: DecisionsResult) -> str:
    """Say that a model gives its answers little probability, if the verdict does not."""
    mass, has_verdict = _median_mass(result), result.counts()["answered"] >= _FEW
    if mass >= _LITTLE or (mass < _ALMOST_NONE and has_verdict):
        return ""
    return (
        f"All answers together have a probability of {_mass_share(result)} % (median): the model"
        " would rather write something else, so its choice between them means little."
    )


def _median_mass(result: DecisionsResult) -> float:
    """Return the median probability of all answers together; 1 of replies without one."""
    probabilities = result.trials.gives_probabilities
    return float(np.nanmedian(result.trials.mass)) if probabilities else 1.0


def _mass_share(result: DecisionsResult) -> str:
    mass = _median_mass(result)
    return "less than 0.1" if mass < 0.001 else percent(mass, 0 if mass >= 0.1 else 1)


def _reach(result: DecisionsResult) -> str:
    """What the interval of the gap speaks of."""
    lead = f"The {100 * result.level:.0f} % interval"
    cues = {place: sum(of == place for of, _ in result.cues) for place in result.places}
    noun = cue_noun(result.case)
    alone = [result.case.groups[place].name for place, count in cues.items() if count < 2]
    several = len(set(result.trials.wording.tolist())) > 1
    looks = ""
    if result.budget_share is not None:
        looks = " It is wider because the run checked for a verdict after every batch of questions."
    if not alone:
        return f"{lead} covers other {noun}{' and wordings' if several else ''} like these.{looks}"
    names = " and ".join(alone)
    return (
        f"{lead} says nothing about other {noun}, since a single one stands for {names}"
        f"{', but covers other wordings like these' if several else ''}.{looks}"
    )


def cue_noun(case: Case) -> str:
    """What the cues of a case are called: ``names`` where its groups are."""
    return "names" if all(group.name.endswith("names") for group in case.groups) else "cues"


def brief(result: DecisionsResult) -> str:
    """The gap with its interval, for a card and the list of runs; without one, who is refused."""
    if result.reason:
        return joined(_refused_groups(result)).strip() or "No gap can be given"
    ends = result.gap_interval()
    more = f"{result.gap:+.1f}".replace("-", "−")
    unit = result.case.quality.unit
    return f"{result.groups[1]} {more} {unit} ({_ends(ends.low, ends.high)})"


def _ends(*ends: float) -> str:
    return " to ".join(f"{end:.1f}".replace("-", "−") for end in ends)


def headline(result: DecisionsResult) -> str:
    """One line for a list of runs."""
    return joined(verdict(result))


@dataclass(frozen=True)
class Sent:
    """What one question was sent as.

    Attributes
    ----------
    before : tuple of (str, str)
        Role and text of each message before it.
    text : str
        The message with the question, or the text that was read.
    settings : str
        As the server calls them: ``temperature 1, max_tokens 2048``.
    """

    before: tuple[tuple[str, str], ...]
    text: str
    settings: str


def as_sent(result: DecisionsResult, question: Question) -> Sent:
    """Return every message and setting that a question was sent with."""
    request = dict(result.request)
    messages = request.pop("messages", ()) or ({"content": request.pop("text", QUESTION)},)
    request.pop("model", None)
    *before, last = messages
    text = str(last["content"]).replace(QUESTION, question.prompt)
    text = text.replace(CASE, question.context or question.prompt)
    settings = ", ".join(f"{name} {_setting(value)}" for name, value in request.items())
    return Sent(tuple((one["role"], one["content"]) for one in before), text, settings)


def _setting(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {_setting(own)}" for name, own in value.items())
    if isinstance(value, float):
        return f"{value:g}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _sent(result: DecisionsResult) -> list[str]:
    """Say what was sent beside the questions, where that is known of a conversation."""
    if "messages" not in result.request:
        return []
    sent = as_sent(result, Question("", ()))
    lines = [
        f"Before each question the {role} message “{text}” was sent." for role, text in sent.before
    ]
    alone = "" if sent.before else " alone"
    return [*lines, f"Each question was sent{alone}, with {sent.settings or 'no settings'}."]


def summary(result: DecisionsResult) -> str:
    """The finding, its limits, both points and the gauges, in plain words."""
    lines = [joined(verdict(result)), caveat(result)]
    unit = result.case.quality.unit
    if not result.reason:
        these = _with_ends(result.gap_between(scope="these"), unit)
        lines.append(f"Gap for just these cues and wordings, in other questions: {these}.")
        lines += [
            f"Gap between {group} and {result.groups[0]}:"
            f" {_with_ends(result.gap_between(0, place), unit)}."
            for place, group in enumerate(result.groups)
            if place > 1 and math.isfinite(result.gap_between(0, place).value)
        ]
        lines += [
            f"Main effect of {effect.trait}, {effect.two} against {effect.one}:"
            f" {_with_ends(effect.estimate, unit)}."
            for effect in trait_effects(result)
        ]
        if result.form == "yes or no":
            for place, group in enumerate(result.groups):
                has_side = bool(result.fit.sides[place])
                if not has_side and math.isnan(result.pse(place).value):
                    continue
                point = outside(result, place) if has_side else _with_ends(result.pse(place), unit)
                lines.append(f"Point of subjective equality (PSE) of {group}: {point}.")
        lines.append(
            f"Just noticeable difference (JND), 50 to 75 %: {_with_ends(result.jnd, unit)}."
        )
    lines += [line for line in (_placebo(result), _bounds(result), _assurance(result)) if line]
    if not math.isnan(result.indecision.value):
        lines.append(f"Cannot say within ± {_with_ends(result.indecision, unit)} of the gap.")
    for gauge in gauges(result):
        value, low, high = gauge.estimate
        of = f", {gauge.of}" if gauge.of else ""
        interval = f"{percent(low)} to {percent(high)}"
        lines.append(f"{gauge.name.capitalize()}{of}: {percent(value)} % ({interval}).")
    naive = result.naive_gap
    if not result.reason and not math.isnan(naive.value):
        lines.append(
            "A plain logistic regression, which counts every other reply as a no, would say"
            f" {_with_ends(naive, unit)}."
        )
    if result.tokens:
        cost = f", {result.cost}" if result.cost else ""
        lines.append(f"{count(result.tokens)} tokens read and written{cost}.")
    lines += [*_sent(result), *result.notes]
    return "\n".join(lines)
