"""State of the occupations bench, shared by its controller, both hosts and the front end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypedDict

from biaslab_widgets.core.state.bench_state import NO_BENCH_ANSWER, BenchAnswer, TaskState
from biaslab_widgets.core.state.fields import Component, field, output
from biaslab_widgets.core.state.records import DroppedTerm, Span


class Group(TypedDict):
    """One end of the spectrum, or one of several alternatives: a name and its cues."""

    name: str
    terms: list[str]


class Measure(TypedDict):
    """PSE or JND: one entry per word; null where there is none. Units of alpha, the share of cue 2.

    ``points`` has one list per word with one entry per cue pair. ``axis`` holds nearly all points.
    """

    value: list[float | None]
    low: list[float | None]
    high: list[float | None]
    points: list[list[float | None]]
    axis: tuple[float, float]


class Contrast(TypedDict):
    """Two groups compared.

    ``lean`` is 1 toward group 1, -1 toward group 2, 0 cannot be told, and 2 where nothing varies,
    so that nothing can be said; ``lean_counts`` counts the first three in this order. ``pair_sd``
    is the SD of the pairs' PSEs; ``reason`` says why a word has no number.
    """

    group_1: str
    group_2: str
    pairs: list[tuple[str, str]]
    pse: Measure
    jnd: Measure
    lean: list[int]
    pair_sd: list[float | None]
    reason: list[str]
    lean_counts: tuple[int, int, int]


class Correlation(TypedDict):
    """A signed correlation with its interval; null where it cannot be computed."""

    value: float | None
    low: float | None
    high: float | None
    p: float | None
    reason: str


class Agreement(TypedDict):
    """How a measure goes with an outside table: one point per word, and the fitted line.

    ``x`` is in the table's unit, or in that of ``x_label``; ``y`` in per cent of alpha.
    """

    x_label: str
    source: str
    words: list[str]
    x: list[float]
    y: list[float]
    pearson: Correlation
    spearman: Correlation
    line_x: list[float]
    line_y: list[float]
    line_low: list[float]
    line_high: list[float]
    excluded: list[DroppedTerm]
    reason: str


class MeasureRow(TypedDict):
    """One way to measure the association, against the same table on the same words.

    ``gap`` is the difference of absolute Pearson correlations, WEAT's minus this one's.
    """

    name: str
    label: str
    detail: str
    pearson: Correlation
    spearman: Correlation
    gap: float | None
    gap_low: float | None
    gap_high: float | None


class Comparison(TypedDict):
    """PSE measured in several ways beside WEAT's association, and what follows in plain words."""

    words: int
    rows: list[MeasureRow]
    verdict: list[Span]
    caveat: str


class Ranking(TypedDict):
    """Several alternatives: per word, the groups from first to last and how sure each place is.

    ``first`` is, per word, the share of replicates in which each group (in their order) is first.
    """

    order: list[list[int]]
    first: list[list[float]]
    caveat: str


class Picture(TypedDict):
    """Everything drawn. ``words`` are those asked about; arrays elsewhere follow their order.

    ``middle`` says what 50 % stands for.
    """

    words: list[str]
    groups: list[str]
    contrasts: list[Contrast]
    verdict: list[Span]
    caveat: str
    why: str
    agreement_pse: Agreement | None
    agreement_jnd: Agreement | None
    outside: list[float | None]
    outside_label: str
    comparison: Comparison | None
    ranking: Ranking | None
    interval_level: float
    interval_over: str
    middle: str
    unit: str
    jnd_label: str
    footer: list[str]


class Answer(BenchAnswer):
    """The answer of the bench; ``picture`` is the newest valid one and stays through errors."""

    picture: Picture | None


class OutsideOption(TypedDict):
    """An outside table that can be chosen."""

    key: str
    title: str
    unit: str
    source: str
    own: bool


NO_ANSWER: Answer = {**NO_BENCH_ANSWER, "picture": None}


@dataclass(frozen=True, kw_only=True)
class OccupationsBenchState(TaskState):
    """State of the occupations bench."""

    words: list[str] = field([], "The items: words asked about.")
    groups: list[Group] = field([], "Two or more groups, each with its cues.")
    pairing: Literal["matched", "all", "sets"] = field(
        "matched",
        "How cues are paired: first with first, each with each, or one mean cue per group.",
    )
    reference: Literal["even", "words", "controls"] = field(
        "even", "What leans are measured against: an even blend, the other words, control words."
    )
    controls: list[str] = field(
        [], "Control words; when empty, the neutral words of the catalogue are taken."
    )
    outside: str = field("", "Key of the outside table; empty for none.")
    measure: Literal["pse", "jnd"] = field("pse", "What the rows show.", view=True)
    contrast: int = field(
        0,
        "Which two groups are shown, in the order of the contrasts; -1 shows all side by side.",
        low=-1,
        high=4096,
    )
    sort: Literal["value", "word", "width", "outside", "given"] = field(
        "value",
        "Order of the rows: by value, word, width of the interval, outside number, as given.",
        view=True,
    )
    shown: Literal["all", "group_1", "group_2", "undecided"] = field(
        "all", "Which rows are shown.", view=True
    )
    search: str = field("", "Part of a word: only such rows are shown.", view=True)
    beside: Literal["scatter", "comparison"] = field(
        "scatter", "What stands beside the rows: the scatter, or the comparison of measures."
    )
    word: str = field("", "The word that is picked.", view=True)
    answer: Answer = output(NO_ANSWER, "What is on the screen.")
    outside_options: list[OutsideOption] = output([], "Outside tables that can be chosen.")
    psychometric: str = output(
        "", "Where a word opens: the address of the psychometric page, or the id of its widget."
    )


COMPONENT = Component(name="OccupationsBench", module="occupations", state=OccupationsBenchState)
