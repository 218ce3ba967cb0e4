"""Words and chart of word pairs."""

from __future__ import annotations

import numpy as np

from biaslab.probes.association.human_effects import HUMAN_EFFECTS
from biaslab.probes.opinion import PairsCell, Sentence, WordPairsResult
from biaslab.records.wording import Span, counted, interval_text, joined, number, percent
from biaslab.reports.chart import Axis, Chart, Intervals, Panel, Points, Row, Rows, Rule
from biaslab.reports.opinion import shared
from biaslab.reports.opinion.shared import capital, in_words, of_models, p_said, where, within
from biaslab.reports.palette import INK, NEUTRAL

sections = shared.sections


def verdict(result: WordPairsResult) -> list[Span]:
    """The verdict as pieces of text with their roles."""
    spans: list[Span] = []
    for model, cells in of_models(result.cells).items():
        if spans:
            spans.append((" ", "plain"))
        some = [cell for cell in cells if cell.differs and cell.mean > 0]
        against = [cell for cell in cells if cell.differs and cell.mean < 0]
        if not some and not against:
            spans.append((f"{model} ties no words to a group clearly.", "strong"))
            continue
        cell = max(some or against, key=lambda one: abs(one.mean))
        how = "as stereotypes do" if some else "against the stereotype"
        place = where(some or against, cells, result.case_name)
        case = within(cell.case, result.case_name)
        spans += [
            (f"{model} sorts words {how}{place}:", "strong"),
            (f" {case + ' ' if case else ''}the score is ", "plain"),
            (number(cell.mean), "strong"),
            (f" ({_ends(cell)}), where 0 is none and 1 a perfect sorting.", "plain"),
        ]  # fmt: skip
        if some and against:
            spans.append(
                (f" In {in_words(len(against))} it sorts against the stereotype.", "plain")
            )  # fmt: skip
    return spans


def _ends(cell: PairsCell) -> str:
    low, high = cell.interval.low, cell.interval.high
    return interval_text(low, high) if low == low else "no interval"


def caveat(result: WordPairsResult) -> str:
    """One grey line under the verdict."""
    over = (
        "each answer counts by itself"
        if result.over == "answers"
        else f"clustered by {result.over}"
    )
    tests = len(result.cells)
    return (
        f"{percent(result.level)} % intervals, {over}"
        + (f"; Holm’s correction for {tests} tests" if tests > 1 else "")
        + f". Score of Bai et al. (2025), {result.smoothing:g} added to its denominators."
        + _people(result)
    )


def _people(result: WordPairsResult) -> str:
    """Published effect sizes of people in the tests that were asked."""
    asked = dict.fromkeys(one.case for one in result.cells if one.case in HUMAN_EFFECTS)
    if not asked:
        return ""
    effects = ", ".join(f"{name} d = {number(HUMAN_EFFECTS[name].people)}" for name in asked)
    return (
        f" People in the implicit association test (IAT): {effects} (Caliskan et al. 2017), between"
        " their reaction times: compare directions, not sizes."
    )


def brief(result: WordPairsResult) -> str:
    """The finding for a card."""
    n = sum(cell.differs for cell in result.cells)
    return f"sorts words by group in {n} of {len(result.cells)} tests"


def summary(result: WordPairsResult) -> str:
    """The verdict, a line for each test, and the sentences."""
    lines = [joined(verdict(result)), caveat(result)]
    lines += [
        f"{' '.join(part for part in (cell.model, within(cell.case, result.case_name)) if part)}:"
        f" {line(cell)}."
        for cell in result.cells
        if cell.p_adjusted == cell.p_adjusted
    ]
    return "\n".join([*lines, *shared.lines_of(sections(result))])


def line(cell: PairsCell) -> str:
    """A score in words."""
    return (
        f"{number(cell.mean)} ({_ends(cell)}), {counted(cell.n, 'answer')},"
        f" p {p_said(cell.p_adjusted)}"
    )


def sentences(result: WordPairsResult) -> list[Sentence]:
    """Three sentences for print, and three that the answers do not bear out."""
    cells = result.cells
    high = max(cells, key=lambda one: one.mean)
    low = min(cells, key=lambda one: one.mean)
    n = sum(one.differs and one.mean > 0 for one in cells)
    full = float((result.score > 0.99).mean())
    name = within(high.case, result.case_name)
    begin = f"{capital(name)}, {high.model}" if name else high.model
    lowest = within(low.case, result.case_name) or f"with {low.model}"
    unread = sum(count for reason, count in result.set_aside if reason == "unreadable")
    return [
        Sentence(
            f"{begin} sorted words by group with a score of {number(high.mean)} ({_ends(high)});"
            " 0 would be no association, 1 a perfect sorting.",
            high.mean, f"{counted(high.n, 'answer')}.", True,
        ),
        Sentence(
            f"{n} of {len(cells)} tests show a clear association with the stereotype.",
            n, f"Each p is corrected for {counted(len(cells), 'test')}.", True,
        ),
        Sentence(
            f"{percent(full)} % of the answers sort every word by the stereotype.",
            full, f"Of {counted(len(result.score), 'answer')} that can be scored.", True,
        ),
        Sentence(
            f"{high.model} holds these stereotypes.", high.mean,
            "It was asked to tie each word to one of two groups: the score is of that task, and no"
            " decision about a person was asked for.", False,
        ),
        Sentence(
            "The models are biased everywhere.", low.mean,
            f"{capital(lowest)} the score is {number(low.mean)} ({_ends(low)}).", False,
        ),
        Sentence(
            "All answers were counted.", unread,
            f"{counted(unread, 'answer')} cannot be scored, and refusals are among them.", False,
        ) if unread else Sentence(
            "The score is a percentage of stereotyped answers.", high.mean,
            "It adds two shares and subtracts 1: half of the words by the stereotype gives 0.",
            False,
        ),
    ]  # fmt: skip


def chart(result: WordPairsResult) -> Chart:
    """Mean score of each test with its interval."""
    rows = tuple(
        Row(one.case or one.model, group=one.model if one.case else "",
            values=(number(one.mean), f"{one.n:,}"))
        for one in result.cells
    )  # fmt: skip
    y = np.arange(len(rows))
    colours = [INK if one.differs else NEUTRAL for one in result.cells]
    panel = Panel(
        x=Axis(low=-1.1, high=1.1, label="association score",
               ends=(("against", "the stereotype"), ("with", "the stereotype"))),
        y=Rows(rows=rows, heads=("score", "answers")),
        marks=(
            Rule(at=0, label="none"),
            Intervals(low=[max(one.interval.low, -1.1) for one in result.cells],
                      high=[min(one.interval.high, 1.1) for one in result.cells],
                      y=y, colour=colours),
            Points(x=[one.mean for one in result.cells], y=y, colour=colours, size=5),
        ),
        width=420,
    )  # fmt: skip
    return Chart(title=joined(result.verdict_spans()), note=result.caveat(), panels=((panel,),))
