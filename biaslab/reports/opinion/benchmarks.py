"""Words and chart of published benchmarks."""

from __future__ import annotations

import numpy as np

from biaslab.probes.opinion import BenchmarkResult, BenchmarkScore, Sentence
from biaslab.records.wording import Span, counted, joined, number, percent
from biaslab.reports.chart import Chart, Intervals, Panel, Points, Row, Rows, Rule, axis_over
from biaslab.reports.opinion import shared
from biaslab.reports.opinion.shared import capital, in_words, of_models, p_said
from biaslab.reports.palette import INK, NEUTRAL


def _value(score: BenchmarkScore, value: float) -> str:
    if value != value:
        return "none"
    if score.unit == "share":
        return f"{percent(value, 1)} {'points' if score.chance == 0 else '%'}"
    return f"{number(value, 3)} {score.unit}" if score.unit == "logits" else number(value, 3)


def _with_interval(score: BenchmarkScore) -> str:
    low, high = score.interval.low, score.interval.high
    if low != low:
        return f"{_value(score, score.estimate)} (no interval)"
    ends = (percent(low, 1), percent(high, 1)) if score.unit == "share" else (
        number(low, 3), number(high, 3)
    )  # fmt: skip
    return f"{_value(score, score.estimate)} ({ends[0]} to {ends[1]})"


def _whole(result: BenchmarkResult) -> list[BenchmarkScore]:
    return [one for one in result.scores if not one.part]


def verdict(result: BenchmarkResult) -> list[Span]:
    """The verdict as pieces of text with their roles."""
    spans: list[Span] = []
    for model, scores in of_models(_whole(result)).items():
        if spans:
            spans.append((" ", "plain"))
        tested = [one for one in scores if one.is_tested]
        some = [one for one in tested if one.differs]
        one = max(some, key=lambda s: abs(s.estimate - s.chance)) if some else scores[0]
        says = (
            f"{model} shows a clear bias in {result.benchmark}:" if some else
            f"{model} shows no clear bias in {result.benchmark}:"
        )  # fmt: skip
        chance = f", where {_value(one, one.chance)} is no bias" if one.is_tested else ""
        spans += [(says, "strong"), (f" {one.name}, {_with_interval(one)}{chance}.", "plain")]
    return spans


def caveat(result: BenchmarkResult) -> str:
    """One grey line under the verdict."""
    tests = sum(one.is_tested for one in result.scores)
    holm = f"; Holm’s correction for {tests} tests" if tests > 1 else ""
    return (
        f"{percent(result.level)} % intervals, clustered by {result.over}{holm}."
        f" {result.benchmark}: {result.paper}."
    )


def brief(result: BenchmarkResult) -> str:
    """The finding for a card."""
    n = sum(one.differs for one in result.scores)
    return f"{in_words(n)} clear bias{'es' * (n != 1)} in {result.benchmark}"


def summary(result: BenchmarkResult) -> str:
    """The verdict, a line for each score, and the sentences."""
    lines = [joined(verdict(result)), caveat(result)]
    for one in result.scores:
        name = ", ".join(part for part in (one.model, one.part, one.name) if part)
        lines.append(f"{name}: {line(one)}.")
    return "\n".join([*lines, *shared.lines_of(sections(result))])


def line(one: BenchmarkScore) -> str:
    """A score in words, beside it the published one."""
    published = f"; as published {_value(one, one.published)}" * (one.published == one.published)
    chance = f"; chance {_value(one, one.chance)}" * (one.chance == one.chance)
    p = f"; p {p_said(one.p_adjusted)}" if one.is_tested else ""
    return (
        f"{_with_interval(one)}{published}{chance}{p}. {counted(one.n, 'answer')},"
        f" {counted(one.n_clusters, 'cluster')}"
    )


def sections(result: BenchmarkResult) -> list[tuple[str, list[str]]]:
    """Return what a report adds, under headings."""
    parts: list[tuple[str, list[str]]] = []
    if result.answers:
        kinds = ", ".join(f"{n:,} {name}" for name, n in result.answers)
        parts.append(("Answers", [f"{kinds}."]))
    if result.notes:
        parts.append(("Of the published score", list(result.notes)))
    return parts + shared.sections(result)


def sentences(result: BenchmarkResult) -> list[Sentence]:
    """Sentences for print, and sentences that the answers do not bear out."""
    whole = _whole(result)
    one = whole[0]
    may = [
        Sentence(
            f"{capital(score.name)}: {_with_interval(score)} in {result.benchmark}.",
            score.estimate,
            f"{counted(score.n, 'answer')} in {counted(score.n_clusters, 'cluster')}.", True,
        )
        for score in whole[:3]
    ]  # fmt: skip
    tested = [score for score in result.scores if score.is_tested]
    clear = sum(score.differs for score in tested)
    return [
        *may,
        Sentence(
            f"{one.model} is free of bias." if not clear else f"{one.model} is biased everywhere.",
            one.estimate,
            f"{clear} of {counted(len(tested), 'score')} differ clearly from no bias, in the"
            f" situations of {result.benchmark} only.", False,
        ),
        Sentence(
            f"{_value(one, one.estimate)} of its answers are biased.", one.estimate,
            f"The score is a balance: no bias is {_value(one, one.chance)}, not 0 % of answers.",
            False,
        ),
        Sentence(
            f"A model with a score that is a little lower than {_value(one, one.estimate)} is less"
            " biased.", one.standard_error,
            f"The standard error of this score alone is"
            f" {_value(one, one.standard_error).replace('%', 'points')}.", False,
        ),
    ]  # fmt: skip


def chart(result: BenchmarkResult) -> Chart:
    """Bias scores with their intervals, beside the published ones; the rule is no bias."""
    scores = [one for one in result.scores if one.is_tested] or list(result.scores)
    rows = tuple(
        Row(one.part or "all", group=f"{one.model}: {one.name}",
            values=(_value(one, one.estimate), _value(one, one.published), f"{one.n:,}"))
        for one in scores
    )  # fmt: skip
    y = np.arange(len(rows))
    colours = [INK if one.differs else NEUTRAL for one in scores]
    chance = scores[0].chance if scores[0].chance == scores[0].chance else 0.0
    low = [one.interval.low for one in scores]
    high = [one.interval.high for one in scores]
    panel = Panel(
        x=axis_over([*low, *high, chance, *(one.estimate for one in scores)], label="score"),
        y=Rows(rows=rows, heads=("score", "published", "answers")),
        marks=(
            Rule(at=chance, label="no bias"),
            Intervals(low=low, high=high, y=y, colour=colours),
            Points(x=[one.estimate for one in scores], y=y, colour=colours, size=5),
        ),
        width=420,
    )  # fmt: skip
    return Chart(title=joined(result.verdict_spans()), note=result.caveat(), panels=((panel,),))
