"""Plain words for sensitivity and criterion: who is seen less well, and of whom more is asked."""

from __future__ import annotations

from typing import Final

from biaslab.probes.sensitivity.result import (
    FEWEST,
    DetectionEstimate,
    GroupDifference,
    GroupSensitivity,
    SensitivityResult,
)
from biaslab.records.result import Interval
from biaslab.records.wording import Role, Span, counted, joined, listed, number, p_text, percent

_MOST_NAMES: Final = 4


def called(group: GroupSensitivity) -> str:
    """Return the names of a group, if it has few; else its own."""
    names = [cue.name for cue in group.cues]
    return listed(names) if 0 < len(names) <= _MOST_NAMES else group.name


def verdict(result: SensitivityResult) -> list[Span]:
    """The verdict as pieces of text with their roles."""
    if few := result.too_few:
        lacking = (
            f"{listed(few)} {'has' if len(few) == 1 else 'have'} fewer than {FEWEST} answers of a"
            f" kind. It takes {FEWEST} to those who qualify, and {FEWEST} to those who do not."
        )
        return [("No verdict: ", "strong"), (lacking, "plain")]
    place = _clearest(result)
    difference = result.differences[place]
    first, second = result.groups[0], _group(result, difference.name)
    sees, asks = result.sees(place), result.asks(place)
    name = called(second) if result.over == "names" else second.name
    role = _role(place)
    d, c = difference.d_prime, difference.criterion
    both = "both groups" if len(result.groups) == 2 else f"{first.name} and {second.name}"
    values = (
        f"sensitivity d′ is {number(first.d_prime.value)} and {number(second.d_prime.value)}, a"
        f" difference of {_number(d.value, d.interval)} ({ends(d.interval)})."
    )
    spans: list[Span] = []
    if sees == "alike" and not any(one.d_prime.excludes_null for one in (first, second)):
        spans += [("It ", "plain"), ("sees in neither group who qualifies", "strong")]
        spans.append((f": {values}", "plain"))
    elif sees == "alike":
        spans += [
            ("It ", "plain"),
            (f"sees {both} equally well", "strong"),
            (f": {values}", "plain"),
        ]
    elif sees == "undecided":
        unclear = "differs by no clear amount"
        spans += [("How well it sees the groups ", "plain"), (unclear, "strong")]
        spans.append((f": {values}", "plain"))
    else:
        how = "better" if sees == "more" else "less well"
        spans += [("It ", "plain"), (f"sees {name} {how}", role), (f": {values}", "plain")]
    them = "them" if sees in ("more", "less") else name
    if asks in ("more", "less"):
        lead = (
            " It also " if sees in ("more", "less") else " But it " if sees == "alike" else " It "
        )
        side = "higher" if asks == "more" else "lower"
        low, high = sorted(abs(end) for end in (c.interval.low, c.interval.high))
        digits = _digits(c.interval)
        by = f"{number(abs(c.value), digits)} {side}"
        between = f"({number(low, digits)} to {number(high, digits)})"
        spans += [(lead, "plain"), (f"asks {asks} of {them}", role)]
        return [*spans, (f": its criterion for them is {by} {between}.", "plain")]
    by = f"{_signed(c)} ({ends(c.interval)})"
    if asks == "alike":
        lead = " It also " if sees == "alike" else " But it " if sees != "undecided" else " It "
        return [
            *spans, (lead, "plain"), (f"asks the same of {both}", "strong"),
            (f": their criteria differ by {by}.", "plain"),
        ]  # fmt: skip
    return [
        *spans, (" Whether it asks more of either is ", "plain"), ("not clear", "strong"),
        (f": their criteria differ by {by}.", "plain"),
    ]  # fmt: skip


def _clearest(result: SensitivityResult) -> int:
    """Place of the difference that the verdict is about: one that is clear, else the largest."""

    def clarity(place: int) -> tuple[bool, float]:
        one = result.differences[place]
        states = {result.sees(place), result.asks(place)}
        return bool(states & {"more", "less"}), abs(one.criterion.value) + abs(
            one.d_prime.value
        ) / 2

    return max(range(len(result.differences)), key=clarity)


def _role(place: int) -> Role:
    return "group2" if place == 0 else "strong"


def _group(result: SensitivityResult, name: str) -> GroupSensitivity:
    return next(one for one in result.groups if one.name == name)


def _digits(interval: Interval) -> int:
    """One decimal; two where an end would become 0, or ends would be the same."""
    low, high = interval.low, interval.high
    rough = [round(end, 1) for end in (low, high)]
    return 1 if 0 not in rough and rough[0] != rough[1] else 2


def _number(value: float, interval: Interval) -> str:
    return number(value, _digits(interval))


def _signed(one: DetectionEstimate) -> str:
    text = _number(one.value, one.interval)
    return f"+{text}" if one.value > 0 and text.strip("0.") else text


def ends(interval: Interval) -> str:
    """Format an interval's ends."""
    if interval.low != interval.low:
        return "no interval"
    digits = _digits(interval)
    return f"{number(interval.low, digits)} to {number(interval.high, digits)}"


def caveat(result: SensitivityResult) -> str:
    """What d' and c are, over what the intervals are, and what is not used."""
    used = counted(len(result.trials), "answer")
    rest = sum(n for _, n in result.set_aside)
    reasons = ", ".join(f"{n:,} {reason}" for reason, n in result.set_aside)
    aside = f", {rest:,} not used ({reasons})" if rest else ""
    over = "as if each answer stood by itself"
    if result.over != "answers":
        over = f"for other {result.over} like these"
        counts = [str(len(one.cues)) for one in result.groups]
        if result.over in ("names", "observers"):
            over += f" (t over {listed(counts)} {result.over})"
    text = (
        "d′: distance of the two kinds, in standard deviations of the model’s evidence;"
        " criterion c: where it begins to say yes (0 leans to neither answer)."
        f" {percent(result.level)} % intervals {over}; {used}{aside}."
    )
    if (pairs := len(result.differences)) > 1:
        text += f" The intervals of the {pairs} differences are not adjusted for their number."
    if extreme := [one.name for one in result.groups if one.is_extreme]:
        how = {"weak prior": "a weak prior tells", "jeffreys": "Jeffreys’ prior tells"}.get(
            result.correction, f"the {result.correction} correction tells"
        )
        text += (
            f" {listed(extreme)}: all or none of a kind were {result.outcome}, so {how} how far"
            " from 0 or 100 % its rate is."
        )
    if result.spreads == "equal" and result.unequal.rejects(result.level):
        text += (
            f" Equal spreads do not describe the {result.answering} (p = "
            f"{p_text(result.unequal.p)}): look at spreads='unequal'."
        )
    return text


def brief(result: SensitivityResult) -> str:
    """The finding in a few words."""
    if result.too_few:
        return "too few answers"
    place = _clearest(result)
    second = _group(result, result.differences[place].name)
    sees, asks = result.sees(place), result.asks(place)
    seen = {"alike": "sees both alike", "more": "sees one better", "less": "sees one less well",
            "undecided": "sight not clear"}[sees]  # fmt: skip
    asked = {"alike": "asks the same", "undecided": "criterion not clear"}.get(
        asks, f"asks {asks} of {second.name}"
    )
    return f"{seen}, {asked}"


def summary(result: SensitivityResult) -> str:
    """The verdict, a line for each group and difference, and the notes."""
    lines = [joined(verdict(result)), caveat(result)]
    for heading, some in sections(result):
        lines += [f"{heading}:", *(f"  {line}" for line in some)]
    return "\n".join([*lines, *result.notes])


def sections(result: SensitivityResult) -> list[tuple[str, list[str]]]:
    """Return the groups, their differences and the spreads, each under a heading."""
    has_cuts = result.answering != "yes or no"
    groups = [
        f"{one.name}: {_rate(one.hits)} hits of {one.n_signal:,}, {_rate(one.false_alarms)} false"
        f" alarms of {one.n_noise:,}; d′ {_estimate(one.d_prime)}, c {_estimate(one.criterion)},"
        f" area {_estimate(one.area)}{_empirical(one) if has_cuts else ''}, ln β"
        f" {number(one.log_bias)}."
        for one in result.groups
    ]
    parts = [
        (f"Signal: {result.truth}; a hit: {result.outcome}", groups),
        ("Differences", [line for one in result.differences for line in _compared(result, one)]),
    ]
    if result.unequal.df:
        slopes = ", ".join(f"{one.name} {_estimate(one.slope)}" for one in result.groups)
        fit = f"Equal spreads against unequal ones: p = {p_text(result.unequal.p)}"
        fit += f"; against any shares: p = {p_text(result.shares.p)}." if result.shares.df else "."
        lines = [fit] if result.spreads == "equal" else [fit, f"Slopes of the zROC: {slopes}."]
        parts.append(("Spreads", lines))
    return parts


def _rate(one: DetectionEstimate) -> str:
    low, high = percent(one.interval.low), percent(one.interval.high)
    return f"{percent(one.value)} % ({low} to {high})"


def _empirical(one: GroupSensitivity) -> str:
    low, high = one.empirical_interval.low, one.empirical_interval.high
    between = f", {number(low)} to {number(high)}" if low == low else ""
    return f", empirical {number(one.empirical_area)}{between}"


def _estimate(one: DetectionEstimate) -> str:
    return f"{number(one.value)} ({number(one.interval.low)} to {number(one.interval.high)})"


def _compared(result: SensitivityResult, one: GroupDifference) -> list[str]:
    margins = (("d′", one.d_prime, result.margin_d_prime),
               ("c", one.criterion, result.margin_criterion))  # fmt: skip
    found = []
    for name, estimate, margin in margins:
        alike = f", alike within ± {margin:g}" if estimate.is_within(margin) else ""
        these = f"; for just these {ends(estimate.these)}" if result.over != "answers" else ""
        found.append(f"{name} {_signed(estimate)} ({ends(estimate.interval)}{these}){alike}")
    rates = []
    for name, estimate in (("hits", one.hits), ("false alarms", one.false_alarms)):
        low, high = percent(estimate.interval.low), percent(estimate.interval.high)
        rates.append(f"{name} {percent(estimate.value)} points ({low} to {high})")
    fair = "Equal opportunity is a difference of 0 in hits, equalised odds in both."
    name = f"{one.name} less {one.reference}"
    return [f"{name}: {'; '.join(found)}.", f"{'; '.join(rates)}. {fair}"]
