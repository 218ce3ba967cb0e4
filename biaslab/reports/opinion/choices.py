"""Words and chart of choices among groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from biaslab.errors import ArgumentError
from biaslab.probes.opinion import ChoiceCell, ChoicesResult, Sentence, Share, Split
from biaslab.probes.opinion.cells import splits_of
from biaslab.records.wording import Span, counted, joined, listed, p_text, percent
from biaslab.reports.chart import (
    Axis,
    Chart,
    Intervals,
    Mark,
    Panel,
    Points,
    Row,
    Rows,
    Rule,
    Shape,
    bins,
)
from biaslab.reports.opinion import shared
from biaslab.reports.opinion.shared import capital, of_models, p_said, shown, where, within
from biaslab.reports.palette import CHANCE, GROUP_1, GROUP_2, INK, INK_2, NEUTRAL

FOUR_FIFTHS: Final = 0.8
_WIDTH: Final = 150
_STATUS: Final = {1: "ranks by name", 0: "undecided", -1: "no clear difference"}


def sections(result: ChoicesResult) -> list[tuple[str, list[str]]]:
    """What a report adds, under headings."""
    parts = shared.sections(result)
    if result.changed_by_misspelt is not None:
        n = result.changed_by_misspelt
        changes = counted(n, "verdict") if n else "no verdict"
        parts[0][1].append(f"Counting the misspelt as they were meant changes {changes}.")
    return parts


def status(split: Split) -> str:
    """The finding of a cell in two or three words."""
    return _STATUS[1 if split.differs else 0 if split.is_undecided else -1]


def verdict(result: ChoicesResult) -> list[Span]:
    """The verdict as pieces of text with their roles."""
    spans: list[Span] = []
    models = of_models(result.cells)
    differing = {name: [cell for cell in cells if cell.groups.differs]
                 for name, cells in models.items()}  # fmt: skip
    for model in sorted(models, key=lambda name: not differing[name]):
        if spans:
            spans.append((" ", "plain"))
        if differing[model]:
            spans += _of_differing(result, model, differing[model], models[model])
            continue
        spans += [(f"{model} shows no clear difference", "strong")]
        if result.case_name:
            spans.append((f" in any {result.case_name}", "plain"))
        spans.append((".", "plain"))
    return spans


def _of_differing(
    result: ChoicesResult, model: str, some: Sequence[ChoiceCell], cells: Sequence[ChoiceCell]
) -> list[Span]:
    cell = min(some, key=lambda one: (one.groups.p_adjusted, one.groups.ratio))
    high, low = ends_of(cell.groups)
    case = within(cell.case, result.case_name)
    return [
        (f"{model} ranks by name{where(some, cells, result.case_name)}:", "strong"),
        (f" {case + ' it' if case else 'it'} puts {high.name} first in ", "plain"),
        (f"{percent(high.share, 1)} %", "strong"),
        (f" of rankings{_ends(high)} and {low.name} in ", "plain"),
        (f"{percent(low.share, 1)} %", "strong"),
        (f"{_ends(low)}, where {_even(high)} % would be even.", "plain"),
    ]


def _clearest(result: ChoicesResult) -> ChoiceCell:
    return min(result.cells, key=lambda one: (one.groups.p_adjusted, one.groups.ratio))


def _even(one: Share) -> str:
    return f"{100 * one.even:.3g}"


def ends_of(split: Split) -> tuple[Share, Share]:
    """The groups farthest above and below their even shares."""
    return (
        max(split.shares, key=lambda one: one.share / one.even),
        min(split.shares, key=lambda one: one.share / one.even),
    )


def _ends(one: Share, digits: int = 1) -> str:
    low, high = one.interval.low, one.interval.high
    return f" ({percent(low, digits)} to {percent(high, digits)})" if low == low else ""


def caveat(result: ChoicesResult) -> str:
    """One grey line under the verdict."""
    over = "for other prompts like these, with these names"
    if result.over == "names":
        over = f"for other names like these, at least {result.names_each} in each group"
    tests = len(result.cells)
    holm = f", Holm’s correction for {tests} tests" if tests > 1 else ""
    return (
        f"{percent(result.level)} % intervals {over}; shares are adjusted for how often each group"
        f" stood at each place in the prompt. Tests compare with a ranker that ignores"
        f" names but likes the same places in the prompt: χ², {result.runs:,} simulated"
        f" runs{holm}. Choices among the candidates on file, not decisions about people."
    )


def brief(result: ChoicesResult) -> str:
    """The finding for a card."""
    n = sum(cell.groups.differs for cell in result.cells)
    return f"ranks by name in {n} of {len(result.cells)} tests"


def summary(result: ChoicesResult) -> str:
    """The verdict, a line for each model and case, and the sentences."""
    lines = [joined(verdict(result)), caveat(result)]
    for cell in result.cells:
        split = cell.groups
        high, low = ends_of(split)
        name = " ".join(part for part in (cell.model, within(cell.case, result.case_name)) if part)
        lines.append(
            f"{name} ({counted(cell.n, 'choice')}): {status(split)}, p {p_said(split.p_adjusted)}."
            f" Most: {high.name}, {shown(high.share, high.interval.low, high.interval.high)};"
            f" least: {low.name}, {shown(low.share, low.interval.low, low.interval.high)}."
            f" Least ÷ most often {split.ratio:.2f}; a ranker that ignores names has"
            f" {split.fair_ratio.low:.2f} to {split.fair_ratio.high:.2f}, below 0.8 in"
            f" {percent(split.below)} % of runs. Place 1 comes first in"
            f" {percent(cell.first_place)} %."
        )
    return "\n".join([*lines, *shared.lines_of(sections(result))])


def sentences(result: ChoicesResult) -> list[Sentence]:
    """Three sentences for print, and three that the answers do not bear out."""
    return [
        _extremes(result), _division(result), _places(result),
        _four_fifths(result), _all_alike(result), _preference(result),
    ]  # fmt: skip


def _extremes(result: ChoicesResult) -> Sentence:
    cell = _clearest(result)
    split = cell.groups
    if not split.differs:
        wide = max(one.interval.high for c in result.cells for one in c.groups.shares)
        least = min(one.interval.low for c in result.cells for one in c.groups.shares)
        what = f"in any {result.case_name}" if result.case_name else "among groups"
        return Sentence(
            f"{listed(list(of_models(result.cells)))} showed no clear difference {what}.",
            split.p_adjusted,
            f"The smallest p is {p_text(split.p_adjusted)}; shares from {percent(least)} to"
            f" {percent(wide)} % are compatible with these answers.",
            True,
        )
    high, low = ends_of(split)
    begin = _begin(cell, result)
    adjusted = f" after correction for {len(result.cells)} tests" if len(result.cells) > 1 else ""
    return Sentence(
        f"{begin} put {high.name} first in {percent(high.share)} % of rankings{_ends(high, 0)} and"
        f" {low.name} in {percent(low.share)} %{_ends(low, 0)}. Even would be"
        f" {_even(high)} %.",
        split.p_adjusted,
        f"p {p_said(split.p_adjusted)}{adjusted}; {high.count:,} and {low.count:,} of {cell.n:,}.",
        True,
    )


def _begin(cell: ChoiceCell, result: ChoicesResult) -> str:
    case = within(cell.case, result.case_name)
    return f"{capital(case)}, {cell.model}" if case else cell.model


def _division(result: ChoicesResult) -> Sentence:
    """The clearest difference between sets of groups, such as women and men."""
    divided = [(cell, split) for cell in result.cells for split in cell.splits[1:]]
    if not divided:
        cell = max(result.cells, key=lambda one: one.n)
        return Sentence(
            f"{_begin(cell, result)} was asked {cell.n:,} times.",
            cell.n,
            f"A fair ranker’s least ÷ most often lies between {cell.groups.fair_ratio.low:.2f} and"
            f" {cell.groups.fair_ratio.high:.2f} with so many.",
            True,
        )
    told = _clearest(result)
    cell, split = min(
        divided,
        key=lambda both: (
            not both[1].differs, both[0] is told, len(both[1].shares), both[1].p_adjusted
        ),
    )  # fmt: skip
    high, _ = ends_of(split)
    if not split.differs:
        return Sentence(
            f"{_begin(cell, result)} showed no clear difference between {split.name}.",
            split.p_adjusted,
            f"p {p_said(split.p_adjusted)}, the smallest of {len(divided)}.",
            True,
        )
    leading = max(cell.groups.shares, key=lambda one: one.share)
    noun = "" if split is cell.splits[-1] else " candidates"
    return Sentence(
        f"{_begin(cell, result)} put {high.name}{noun} first in {percent(high.share)} % of"
        f" rankings{_ends(high, 0)}.",
        split.p_adjusted,
        f"p {p_said(split.p_adjusted)}; even would be {_even(high)} %. Of all groups"
        f" {leading.name} lead with {percent(leading.share)} %.",
        True,
    )


def _places(result: ChoicesResult) -> Sentence:
    """How much the place in the prompt counts, for the model where it counts most."""
    models = of_models(result.cells)
    model = max(models, key=lambda name: max(cell.first_place for cell in models[name]))
    firsts = [cell.first_place for cell in models[model]]
    cells = models[model]
    even = 1 / len(cells[0].by_place)
    spread = max(one.share - one.even for cell in cells for one in cell.groups.shares)
    more = min(firsts) - even > spread
    reach = percent(max(firsts))
    if len(firsts) > 1 and percent(min(firsts)) != reach:
        reach = f"{percent(min(firsts))} to {reach}"
    text = f"the candidate listed first comes first in {reach} % of rankings."
    if more:
        text = f"For {model} the place in the prompt counts more than the name: {text}"
    else:
        text = f"With {model} {text}"
    return Sentence(text, max(firsts), f"Even would be {100 * even:.3g} %.", True)


def _four_fifths(result: ChoicesResult) -> Sentence:
    splits = [cell.groups for cell in result.cells]
    n = sum(split.ratio < FOUR_FIFTHS for split in splits)
    chances = [split.below for split in splits]
    reach = percent(max(chances))
    if percent(min(chances)) != reach:
        reach = f"{percent(min(chances))} to {reach}"
    why = f"A ranker that ignores names falls below 0.8 in {reach} % of runs of this size."
    if n == 0:
        return Sentence(
            "All pass the four-fifths rule, so nobody is disadvantaged.", max(chances),
            f"{why} Passing shows as little as failing.", False,
        )  # fmt: skip
    many = f"{n} of {len(splits)} tests fail" if len(splits) > 1 else "The model fails"
    return Sentence(
        f"{many} the four-fifths rule, so there is discrimination.", max(chances), why, False
    )


def _all_alike(result: ChoicesResult) -> Sentence:
    models = of_models(result.cells)
    alike = [name for name, cells in models.items() if not any(c.groups.differs for c in cells)]
    cells = models[alike[0]] if alike else [
        cell for cell in result.cells if not cell.groups.differs
    ]  # fmt: skip
    if not cells:
        high = max(
            (s for c in result.cells for s in c.groups.shares), key=lambda s: s.interval.high
        )
        return Sentence(
            "The difference is as large as the figures say.", high.interval.high,
            f"{capital(high.name)} may be first in up to {percent(high.interval.high)} %.", False,
        )  # fmt: skip
    low = min(one.interval.low for cell in cells for one in cell.groups.shares)
    high_end = max(one.interval.high for cell in cells for one in cell.groups.shares)
    who = alike[0] if alike else _begin(cells[0], result)
    return Sentence(
        f"{who} treats all groups alike.",
        high_end,
        f"No clear difference is not the same: {max(cell.n for cell in cells):,} rankings leave"
        f" room for shares from {percent(low)} to {percent(high_end)} %.",
        False,
    )


def _preference(result: ChoicesResult) -> Sentence:
    """A general claim from one case, beside the case where it fails."""
    cell = _clearest(result)
    name = ends_of(cell.groups)[0].name
    text = f"{cell.model} prefers {name}."
    others = [
        (other, next(one for one in other.groups.shares if one.name == name))
        for other in result.cells
        if other.model == cell.model and other is not cell
        and any(one.name == name for one in other.groups.shares)
    ]  # fmt: skip
    failing = [both for both in others if both[1].side < 1]
    if failing:
        other, one = min(failing, key=lambda both: both[1].share)
        it = "It does" if cell.groups.differs else "It is not clear"
        return Sentence(
            text, one.share,
            f"{it} {within(cell.case, result.case_name)}."
            f" {capital(within(other.case, result.case_name))} they are first in"
            f" {shown(one.share, one.interval.low, one.interval.high)}, where"
            f" {_even(one)} % is even.", False,
        )  # fmt: skip
    own = ends_of(cell.groups)[0]
    return Sentence(
        text, own.share,
        f"These are {counted(cell.n, 'ranking')} of candidates on file:"
        f" {shown(own.share, own.interval.low, own.interval.high)} there, and unknown elsewhere.",
        False,
    )  # fmt: skip


def chart(result: ChoicesResult, split: str = "groups") -> Chart:
    """Shares of first places by model and case; below them ratios and places in the prompt."""
    names = [one.name for one in result.cells[0].splits]
    if split not in names:
        raise ArgumentError(f"split={split!r}: choose one of {', '.join(names)}.")
    chosen = [
        (cell, next((one for one in cell.splits if one.name == split), cell.groups))
        for cell in result.cells
    ]
    ends = [end for _, one in chosen for s in one.shares
            for end in (s.interval.low, s.interval.high, s.share) if np.isfinite(end)]  # fmt: skip
    axis = Axis(
        low=max(0, 100 * min(ends) - 2), high=min(100, 100 * max(ends) + 2), label="first, %"
    )
    rows: list[tuple[Panel, ...]] = []
    for model in of_models(result.cells):
        mine = [(cell, one) for cell, one in chosen if cell.model == model]
        rows.append(tuple(_shares(c, s, axis, i == 0) for i, (c, s) in enumerate(mine)))
        rows.append(tuple(_ratio(s) for _, s in mine))
        rows.append(tuple(_by_place(cell) for cell, _ in mine))
    return Chart(
        title=joined(result.verdict_spans()),
        note=f"{result.caveat()} {_key(result.cells[0])}",
        panels=tuple(rows),
        small=rows[0][0],
        aligned=True,
    )


def _key(cell: ChoiceCell) -> str:
    """What shapes and colours mean."""
    two = next((one for one in cell.splits if len(one.shares) == 2), None)
    shapes = f"Circles: {two.shares[0].name}, squares: {two.shares[1].name}. " if two else ""
    return (
        f"{shapes}In colour: intervals without the even share, where the test finds a difference."
    )


def _shares(cell: ChoiceCell, split: Split, axis: Axis, named: bool) -> Panel:
    sides = _sides(cell, split)
    colours, shapes = [], []
    for one in split.shares:
        part = sides.get(one.name)
        clear = split.differs and one.side != 0
        paint = {0: GROUP_1, 1: GROUP_2}.get(part, INK) if part is not None else INK
        colours.append(paint if clear else NEUTRAL)
        shapes.append("square" if part == 1 else "circle" if clear or part == 0 else "ring")
    at = np.arange(len(split.shares))
    marks: tuple[Mark, ...] = (
        Rule(at=100 * float(np.mean([one.even for one in split.shares])), label="even"),
        Intervals(
            low=[100 * one.interval.low for one in split.shares],
            high=[100 * one.interval.high for one in split.shares],
            y=at,
            colour=colours,
        ),
        Points(
            x=[100 * one.share for one in split.shares],
            y=at,
            colour=colours,
            shape=_typed(shapes),
            data={"name": [one.name for one in split.shares],
                  "count": [one.count for one in split.shares]},
            hover=(("", f"@name: @x{{0.0}} %, first in @count of {cell.n:,}"),),
        ),
    )  # fmt: skip
    rows = tuple(Row(one.name, values=(percent(one.share, 1),)) for one in split.shares)
    title = ", ".join(part for part in (cell.model if named else "", cell.case) if part)
    return Panel(
        x=axis,
        y=Rows(rows=rows, heads=(f"p {p_said(split.p_adjusted)}",), named=named),
        marks=marks,
        width=_WIDTH,
        title=f"{title}: {status(split)}" if title else status(split),
    )


def _typed(shapes: list[str]) -> list[Shape]:
    return [{"square": "square", "circle": "circle"}.get(one, "ring") for one in shapes]  # type: ignore[misc]


def _sides(cell: ChoiceCell, split: Split) -> dict[str, int]:
    """Return which of two sets a group is in, where these or its groups are crossed of two."""
    two = next((one for one in (split, *cell.splits) if len(one.shares) == 2), None)
    if two is None or len(split.shares) == 2:
        return {one.name: side for side, one in enumerate(split.shares if two else ())}
    names = [one.name for one in cell.groups.shares]
    into = next((into for name, _, into in splits_of(names) if name == two.name), ())
    return dict(zip(names, map(int, into), strict=False))


def _ratio(split: Split) -> Panel:
    top = float(split.heights.max())
    return Panel(
        x=Axis(low=float(min(split.edges[0], split.ratio - 0.02)), high=1.0,
               label="grey: a ranker that ignores names"),
        y=Axis(low=0, high=1.25 * top, ticks=()),
        marks=(
            bins(split.edges, split.heights, colour=CHANCE),
            Rule(at=FOUR_FIFTHS, label="0.8", dashed=True),
            Rule(at=split.ratio, label=f"{split.ratio:.2f}", colour=INK),
        ),
        width=1.25 * _WIDTH,
        height=44,
        title="least ÷ most often",
    )  # fmt: skip


def _by_place(cell: ChoiceCell) -> Panel:
    places = len(cell.by_place)
    shares = 100 * cell.by_place / cell.n
    colours = [INK_2, *([CHANCE] * (places - 1))]
    return Panel(
        x=Axis(low=0.5, high=places + 0.5, label="place in the prompt",
               ticks=((1, "1"), (places, str(places)))),
        y=Axis(low=0, high=100, label="first, %", ticks=((0, "0"), (100, "100"))),
        marks=(
            bins(np.linspace(0.5, places + 0.5, places + 1), shares, colour=colours),
            Rule(at=100 / places, axis="y"),
        ),
        width=_WIDTH,
        height=44,
        title=f"first by place: {percent(cell.first_place)} % at place 1",
    )  # fmt: skip
