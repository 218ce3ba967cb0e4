"""Plain words for the comparison of two runs."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from biaslab.probes.comparison import Comparison, Total
from biaslab.probes.comparison.rows import CORRELATION, DISTANCE
from biaslab.records.result import Interval
from biaslab.records.wording import Span, counted, joined, number, sentences, would_show
from biaslab.reports.occupations.words import toward
from biaslab.stats.significance import smallest_effect, smallest_effect_of

_MOST_NAMED = 4
_SAME = 1e-9
_FINE = 0.1
"""Width of an interval from which down a number without a unit has three decimals."""
_WIDE = 5
"""Points: a wider interval supports no decimals."""


def summary(result: Comparison) -> str:
    """The verdict, its limits, and in what the runs differ."""
    lines = [joined(verdict(result)), caveat(result)]
    lines += [f"{one.name}: {one.a} → {one.b}" for one in result.differs]
    return "\n".join(lines)


def headline(result: Comparison) -> str:
    """The first sentence of the verdict."""
    return sentences(verdict(result))[0]


def verdict(result: Comparison) -> tuple[Span, ...]:
    """By how much the headline number changes, and whether the order stays."""
    if _are_equal(result):
        return (
            ("Both runs give the same numbers", "strong"),
            (f" for {_all_rows(result)}.", "plain"),
        )
    lead = headline_total(result)
    spans = list(_rows(result) if lead is None else _total(result, lead))
    clear = int(result.excludes_null.sum())
    if lead is not None and clear and len(result.labels) > 1:
        many = (
            f" {clear} of {len(result.labels)} {result.rows_are} {_moves(result, clear)} clearly."
        )
        spans.append((many, "plain"))
    if lead is not None and any(result.sources) and lead.excludes_null and _one_subject(result):
        spans.append((_of_sentences(result, lead), "plain"))
    order = {one.name: one for one in result.totals}.get(CORRELATION)
    if order is not None and order is not lead:
        spans += [(" ", "plain"), *_order(result, order)]
    return tuple(spans)


def _of_sentences(result: Comparison, one: Total) -> str:
    """What a change between other sentences means."""
    first, second = result.sources
    more = "more" if one.difference > 0 else "less"
    return f" So {second} bring out {more} of the stereotype in this model than {first}."


def _one_subject(result: Comparison) -> bool:
    return not any(one.name in _SUBJECT for one in result.differs)


def _are_equal(result: Comparison) -> bool:
    """Whether both runs have the same numbers, and numbers at all.

    A row whose number is missing in one of the runs differs, by an amount that is unknown.
    """
    one, two = result.values.T
    with np.errstate(invalid="ignore"):
        alike = (one == two) | (np.abs(two - one) <= _SAME) | (np.isnan(one) & np.isnan(two))
    return bool(alike.all() and not np.isnan(one).all())


def caveat(result: Comparison) -> str:
    """Which intervals these are, rows of one run only, and other differences."""
    level = f"{100 * result.level:.0f} %"
    if any(result.sources):
        how = "over all, paired by attribute; of one attribute, as if the runs were independent"
        differ = "The sentences also differ in wording and length."
        parts = [f"{level} intervals of the differences: {how}.", differ]
    elif result.paired:
        parts = [f"{level} intervals of the {_change(result)}s, paired: {result.over}."]
    else:
        parts = [
            f"{level} intervals of the {_change(result)}s, which take the two runs as independent."
        ]
    if result.unit == "points" and result.groups and _is_adjusted(result):
        parts.append(f"Leans are corrected for many {result.rows_are} at once (Holm).")
    if result.only:
        what = "row is" if len(result.only) == 1 else "rows are"
        parts.append(f"{len(result.only)} {what} in one run only and not compared.")
    others = [one.name for one in result.differs if one.name not in _SUBJECT]
    if others:
        more = f" and {len(others) - _MOST_NAMED} more" * (len(others) > _MOST_NAMED)
        parts.append(f"The runs also differ in: {', '.join(others[:_MOST_NAMED])}{more}.")
    return " ".join(parts)


def _is_adjusted(result: Comparison) -> bool:
    return len(result.labels) > 1 and result.provenance.parameters.get("adjust") == "holm"


_SUBJECT = ("subject", "content of the subject")


def headline_total(result: Comparison) -> Total | None:
    """Return the first total whose difference has an interval; None if there is none."""
    known = (
        one
        for one in result.totals
        if one.interval is not None and math.isfinite(one.interval.low + one.difference)
    )
    return next(known, None)


def runs(result: Comparison) -> tuple[str, str]:
    """What the two runs are called within a sentence."""
    if result.is_debiased:
        return "before", "after"
    if any(result.sources):
        subjects = [
            name.removesuffix(f", {source}")
            for name, source in zip(result.names, result.sources, strict=True)
        ]
        one, two = (
            f"on {source}" + f" in {name}" * (subjects[0] != subjects[1])
            for source, name in zip(result.sources, subjects, strict=True)
        )
        return one, two
    if result.names[0] == result.names[1]:
        return "in the first run", "in the second"
    return f"in {result.names[0]}", f"in {result.names[1]}"


def _is_same(result: Comparison) -> bool:
    """Whether both runs asked one subject, perhaps debiased between them: its numbers change."""
    return result.is_debiased or result.names[0] == result.names[1]


def _change(result: Comparison) -> str:
    return "change" if _is_same(result) else "difference"


def _moves(result: Comparison, count: int) -> str:
    verb = "change" if _is_same(result) else "differ"
    return f"{verb}s" if count == 1 else verb


def value_text(
    result: Comparison,
    value: float,
    width: float = math.nan,
    *,
    unit: bool = False,
    sign: bool = False,
) -> str:
    """A value of a row in the unit that is shown, as precise as an interval of a width supports."""
    if not math.isfinite(value):
        return "none" if math.isnan(value) else "beyond the scale"
    shares = result.unit == "points"
    precise = not result.scale * width >= _WIDE
    text = number(result.scale * value, (1 if precise else 0) if shares else 3)
    plus = "+" if sign and value > 0 and text.strip("0.") else ""
    return f"{plus}{text}{' %' if unit and shares else ''}"


def ends_text(result: Comparison, low: float, high: float) -> str:
    """An interval in the unit that is shown."""
    if math.isnan(low + high):
        return "no interval"
    width = high - low
    return f"{value_text(result, low, width)} to {value_text(result, high, width)}"


def total_text(one: Total, value: float, *, sign: bool = False) -> str:
    """A value of a total in the unit that is shown."""
    if not math.isfinite(value):
        return "none"
    ends = one.interval
    is_fine = ends is not None and ends.high - ends.low < _FINE
    scale, digits = {"points": (100, 1), "count": (1, 0)}.get(one.unit, (1, 3 if is_fine else 2))
    text = number(scale * value, digits)
    return f"+{text}" if sign and value > 0 and text.strip("0.") else text


def total_ends(one: Total, interval: Interval | None) -> str:
    """An interval of a total; empty if there is none."""
    if interval is None or math.isnan(interval.low + interval.high):
        return ""
    return f"{total_text(one, interval.low)} to {total_text(one, interval.high)}"


def _all_rows(result: Comparison) -> str:
    count = len(result.labels)
    return result.labels[0] if count == 1 else f"all {count} {result.rows_are}"


def _total(result: Comparison, one: Total) -> Iterator[Span]:
    before, after = runs(result)
    is_distance = one.name.startswith(DISTANCE)
    unit = "" if one.unit != "points" else " points" if is_distance else " %"
    points = " points" if one.unit == "points" else ""
    by = total_text(one, abs(one.difference))
    ends = one.interval
    assert ends is not None  # noqa: S101  # of a headline
    where = one.name.removeprefix(DISTANCE) if is_distance else ""
    what = f"mean distance of the {result.rows_are} from {where}" if is_distance else one.name
    if not one.excludes_null:
        yield f"No clear {_change(result)}", "strong"
        text = (
            f" in the {what}: {total_text(one, one.a)}{unit} {before} and "
            f"{total_text(one, one.b)}{unit} {after}, a difference of "
            f"{total_text(one, one.difference, sign=True)}{points} ({total_ends(one, ends)})"
            f"{would_show(smallest_effect_of(ends), 'points' if points else '')}."
        )
        yield text, "plain"
        return
    falls = one.difference < 0
    size = sorted((abs(ends.low), abs(ends.high)))
    between = " to ".join(total_text(one, end) for end in size)
    if is_distance and result.is_debiased:
        way = "toward" if falls else "away from"
        yield f"Debiasing moves the {result.rows_are} {way} {where}: the mean distance ", "plain"
    elif is_distance:
        way = "nearer to" if falls else "farther from"
        yield (
            f"The {result.rows_are} are {way} {where} {after} than {before}: the mean distance ",
            "plain",
        )
    elif result.is_debiased:
        yield f"After debiasing the {what} ", "plain"
    else:
        yield f"The {what} is {'lower' if falls else 'higher'} {after} than {before}: it ", "plain"
    ends_of = (total_text(one, one.a), total_text(one, one.b))
    if _is_same(result):
        yield f"{'falls' if falls else 'rises'} from {ends_of[0]} to {ends_of[1]}{unit}, ", "plain"
    else:
        yield f"is {ends_of[1]}{unit} against {ends_of[0]}{unit}, ", "plain"
    yield f"by {by}" + points * (not is_distance), "strong"
    yield f" ({between}).", "plain"


def _order(result: Comparison, one: Total) -> Iterator[Span]:
    before, after = runs(result)
    numbers = f"{total_text(one, one.a)} {before} and {total_text(one, one.b)} {after}"
    of = f"r with “{result.outside_label}”"
    if one.excludes_null:
        by = f"{total_text(one, one.difference, sign=True)} ({total_ends(one, one.interval)})"
        text = f"The correlation {of} is {numbers}, a {_change(result)} of {by}."
        yield text, "plain"
        return
    ends = one.b_interval
    remains = ends is not None and (ends.low > 0 or ends.high < 0) and one.a * one.b > 0
    begin = "Their order stays: r" if remains else "The correlation r"
    yield f"{begin} with “{result.outside_label}” is {numbers}, ", "plain"
    yield f"no clear {_change(result)}", "strong"
    yield ".", "plain"


def _rows(result: Comparison) -> Iterator[Span]:
    """Rows whose change is clear, and the largest of these."""
    clear = np.flatnonzero(result.excludes_null)
    count = len(result.labels)
    if count > 1:
        if not len(clear):
            yield f"No clear {_change(result)}", "strong"
            yield f" in any of the {count} {result.rows_are}.", "plain"
            return
        yield f"{len(clear)} of {count} {result.rows_are}", "strong"
        yield f" {_moves(result, len(clear))} clearly; most of all ", "plain"
        i = int(clear[np.argmax(np.abs(result.change[clear]))])
    else:
        i = 0
        if not math.isfinite(result.change[0]):
            yield "No number", "strong"
            yield f" for the {_change(result)} of ", "plain"
        elif np.isnan(result.change_intervals[0]).any():
            yield "No interval", "strong"
            yield f" for the {_change(result)} of ", "plain"
        elif not len(clear):
            yield f"No clear {_change(result)}", "strong"
            yield " in ", "plain"
    yield from _row(result, i)


def _row(result: Comparison, i: int) -> Iterator[Span]:
    before, after = runs(result)
    low, high = result.change_intervals[i].tolist()
    ends = "" if math.isnan(low + high) else f" ({ends_text(result, low, high)})"
    a, b = (value_text(result, v, high - low, unit=True) for v in result.values[i].tolist())
    points = " points" if result.unit == "points" else ""
    change = ""
    if math.isfinite(result.change[i]):
        by = value_text(result, float(result.change[i]), high - low, sign=True)
        change = f", a {_change(result)} of {by}{points}{ends}"
        if not result.excludes_null[i]:
            smallest = float(smallest_effect(low, high, result.level))
            change += would_show(smallest, "points" if points else "")
    yield result.labels[i], "strong"
    yield f": {result.measure} {a} {before} and {b} {after}{change}.", "plain"


def table_rows(result: Comparison) -> list[tuple[str, str, str, str]]:
    """Totals for a table: name, a, b, and the difference with its interval."""

    def both(one: Total, value: float, interval: Interval | None) -> str:
        ends = total_ends(one, interval)
        return f"{total_text(one, value)}{f' ({ends})' if ends else ''}"

    rows = []
    for one in result.totals:
        name = one.name
        if one.unit == "count" and not name.startswith("no "):
            name = (
                f"{result.rows_are} that lean{toward(name)} {name}"
                if result.groups
                else f"clearly {name}"
            )
        elif one.unit == "points":
            name = f"{name}, points" if name.startswith(DISTANCE) else f"{name}, %"
        elif name == CORRELATION:
            name = f"{name} with {result.outside_label}"
        ends = total_ends(one, one.interval)
        change = total_text(one, one.difference, sign=True) + (f" ({ends})" if ends else "")
        rows.append(
            (name, both(one, one.a, one.a_interval), both(one, one.b, one.b_interval), change)
        )
    return rows


def counted_rows(result: Comparison) -> str:
    """How many rows are compared, and how many are in one run only."""
    only = f", {counted(len(result.only), 'row')} in one run only" if result.only else ""
    return f"{len(result.labels)} {result.rows_are}{only}"
