"""Words and chart for portraits that a vision-language model imagines for a word."""

from __future__ import annotations

import numpy as np

from biaslab.probes.posterior.portraits.result import PortraitPosterior, Share, Shift
from biaslab.probes.sentences.words import plural
from biaslab.records.wording import Role, Span, counted, joined, listed, number, percent
from biaslab.reports.chart import Axis, Chart, Intervals, Panel, Points, Row, Rows, Rule, finding
from biaslab.reports.palette import INK, INK_2, NEUTRAL

_SHOWN = 3
_HEADINGS = {True: "Tied to women or men in the portraits", False: "Tied to nobody: the control"}


def verdict(result: PortraitPosterior) -> list[Span]:
    """The finding in plain words, as pieces of text with their roles."""
    if not result.trust:
        return [
            ("Do not trust yet", "strong"),
            (f", because {'; '.join(result.reasons)}.", "plain"),
        ]
    share, half = result.share, _of_all(result)
    low, high = share.interval.low, share.interval.high
    amount = f"{_shown(share)} %"
    who = f" of the {plural(result.word)} that it imagines are drawn as "
    rest = f" ({_ends(share)}); of all portraits {percent(half)} %."
    if low <= half <= high:
        return [("No clear lean", "strong"), (f": {amount}{who}women{rest}", "plain")]
    role: Role = "group1" if low > half else "plain"
    return [(amount, "strong"), (who, "plain"), ("women", role), (rest, "plain")]


def _of_all(result: PortraitPosterior) -> float:
    """Share of women among all portraits: by the sampling of portraits one half."""
    before = result.share_at(0) if result.vary else None
    return 0.5 if before is None else before.value


def _shown(share: Share) -> str:
    digits = 0 if share.interval.high - share.interval.low >= 0.01 else 1
    return percent(share.value, digits)


def _ends(share: Share) -> str:
    low, high = share.interval.low, share.interval.high
    digits = 0 if high - low >= 0.01 else 1
    return f"{percent(low, digits)} to {percent(high, digits)}"


def brief(result: PortraitPosterior) -> str:
    """The share of women, for a card."""
    return f"{_shown(result.share)} % women ({_ends(result.share)})"


def headline(result: PortraitPosterior) -> str:
    """One line for a list of runs."""
    others = f", not {listed(result.against)}" if result.against else ""
    sentences = [joined(verdict(result))]
    if result.beside is not None:
        sentences.append(f"Of {result.beside.word}: {joined(verdict(result.beside))}")
    who = f"Who {result.provenance.subject} imagines as {result.word}{others}."
    return " ".join([who, *sentences])


def caveat(result: PortraitPosterior) -> str:
    """One line: what the word was compared with, how often it must be said, and what all wear."""
    row = f", {result.times:g} times in a row" if result.times != 1 else ""
    says = f"prefers it for “{result.word}”"
    if result.against:
        others = listed([f"“{other}”" for other in result.against])
        says = f"says “{result.word}”, not {others}"
    counts = f"A portrait counts by how probably the model {says}{row}."
    parts = [counts, f"Intervals: 95 %, of sampling. All wear {_worn(result)}."]
    if result.vary:
        names = listed([name.replace("_", " ") for name in result.vary])
        parts.append(f"Only {names} vary; all else is as in the median portrait.")
    if result.partial:
        parts.append(
            f"Stopped after {result.n_draws:,} of {result.asked:,} draws per chain; these are kept."
        )
    if result.thinned > 1:
        parts.append(f"1 in {result.thinned} draws was stored.")
    return " ".join([*parts, *result.notes])


def _worn(result: PortraitPosterior) -> str:
    if result.clothes == "pullover":
        return "a pullover, so the face has to speak"
    return f"the clothes of {plural(result.clothes)}"


def moved_sentence(result: PortraitPosterior) -> str:
    """The attributes that moved though no group is tied to them; empty if there are none."""
    control = [shift for shift in result.shifts if not shift.is_tied]
    if not control:
        return ""
    moved = result.moved
    if not moved:
        return f"None of {counted(len(control), 'attribute')} tied to no group moved."
    words = listed([_moved(shift) for shift in moved[:_SHOWN]])
    return (
        f"{len(moved)} of {counted(len(control), 'attribute')} tied to no group moved in"
        f" {plural(result.word)}{', most of all' if len(moved) > _SHOWN else ''}: {words}."
    )


def _moved(shift: Shift) -> str:
    if shift.name == "age":
        years = shift.mean - shift.prior_mean
        return f"age ({_signed(years)} years)"
    return f"{shift.label} ({_signed(shift.shift)} SD)"


def _signed(value: float, digits: int = 1) -> str:
    text = number(value, digits)
    return text if value <= 0 or not text.strip("0.") else f"+{text}"


def summary(result: PortraitPosterior) -> str:
    """Plain words, then the method and its limits."""
    mixing = result.diagnostics
    size = f"{counted(result.chains, 'chain')} of {counted(result.n_draws, 'draw')}"
    moves = f"{percent(result.acceptance)} % of proposals accepted"
    lines = [
        headline(result),
        moved_sentence(result),
        f"{size} in {result.seconds:.1f} s, by {result.by}; {moves}.",
        caveat(result),
        "Shares of women are means of P(woman | appearance), which the drawings fix.",
    ]
    exact = result.exact_share
    if exact is not None:
        lines.append(
            f"Exact weighting of {counted(len(result.prior_says), 'portrait')} (worth"
            f" {result.exact_size:,.0f}): {_shown(exact)} % women ({_ends(exact)})."
        )
    if result.exact is not None:
        lines.append(f"Compared with exact weighting: {result.exact.sentence()}")
    shares = [result.share_at(result.times, i) for i in range(len(result.templates))]
    values = [share.value for share in shares if share is not None]
    if len(values) > 1:
        apart = percent(max(values) - min(values), 1)
        lines.append(f"{counted(len(values), 'wording')} of the question differ by {apart} points.")
    if mixing.is_defined.any():
        lines.append(
            f"Worst R-hat {mixing.largest_rhat:.3f}; mixes worst: {mixing.names[mixing.worst]},"
            f" bulk ESS {mixing.smallest_bulk:,.0f}, tail ESS {mixing.smallest_tail:,.0f}."
        )
    return "\n".join(filter(None, lines))


def chart(result: PortraitPosterior) -> Chart:
    """Shifts of all attributes, those tied to women or men first, then the control."""
    shown = sorted(result.shifts, key=lambda each: not each.is_tied)
    if not shown:
        return Chart(title=finding(result), note=result.caveat(), panels=())
    at = np.arange(len(shown))
    low = np.array([shift.interval.low for shift in shown])
    high = np.array([shift.interval.high for shift in shown])
    reach = 1.08 * float(np.nanmax(np.abs([*low, *high, 0.1])))
    colours = [INK if shift.is_clear else NEUTRAL for shift in shown]
    panel = Panel(
        x=Axis(
            low=-reach,
            high=reach,
            label="shift of the mean, standard deviations of all portraits",
            ends=(("← less", INK_2), ("more →", INK_2)),
        ),
        y=Rows(
            rows=tuple(
                Row(shift.label, _HEADINGS[shift.is_tied], (_signed(shift.shift),))
                for shift in shown
            ),
            heads=(result.word,),
        ),
        marks=(
            Rule(at=0, label="as in all portraits"),
            Intervals(low=low, high=high, y=at, colour=colours),
            Points(
                x=[shift.shift for shift in shown],
                y=at,
                colour=colours,
                data={
                    "what": [shift.label for shift in shown],
                    "shift": [shift.shift for shift in shown],
                },
                hover=(("@what", "@shift{+0.00} SD"),),
            ),
        ),
        width=420,
    )
    return Chart(title=finding(result), note=result.caveat(), panels=((panel,),))
