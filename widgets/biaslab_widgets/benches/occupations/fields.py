"""State of the occupations bench, shared by its controller, both hosts and the front end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypedDict

from biaslab_widgets.core.state.bench_state import BenchAnswer, TaskState
from biaslab_widgets.core.state.fields import Component, Default, empty, field, output
from biaslab_widgets.core.state.records import DroppedTerm, Span


class Group(TypedDict):
    """One end of the spectrum, or one of several alternatives: a name and its cues."""

    name: str
    terms: list[str]


class Measure(TypedDict):
    """PSE or JND: one entry per word, null where there is none, in shares of cue 2 (alpha)."""

    value: list[float | None]
    low: list[float | None]
    high: list[float | None]
    points: list[list[float | None]]
    """Per word one entry for each cue pair."""
    axis: Annotated[tuple[float, float], Default((0.0, 1.0))]
    """Holds nearly all points."""


class Contrast(TypedDict):
    """Two groups compared."""

    group_1: Annotated[str, Default("group 1")]
    group_2: Annotated[str, Default("group 2")]
    pairs: list[tuple[str, str]]
    pse: Measure
    jnd: Measure
    lean: list[int]
    """1 toward group 1, -1 toward group 2, 0 no clear lean, 2 where nothing varies; corrected for
    many words as the state says."""
    pair_sd: list[float | None]
    """SD of the pairs' PSEs."""
    reason: list[str]
    """Why a word has no number."""
    lean_counts: tuple[int, int, int]
    """Words toward group 1, toward group 2 and with no clear lean."""


class Correlation(TypedDict):
    """A signed correlation with its interval; null where it cannot be computed."""

    value: float | None
    low: float | None
    high: float | None
    p: float | None
    reason: str


class Agreement(TypedDict):
    """How a measure goes with an outside table: one point per word, and the fitted line."""

    x_label: str
    source: str
    words: list[str]
    x: list[float]
    """In the table's unit, or in that of `x_label`."""
    y: list[float]
    """In per cent of alpha."""
    pearson: Correlation
    spearman: Correlation
    line_x: list[float]
    line_y: list[float]
    line_low: list[float]
    line_high: list[float]
    excluded: list[DroppedTerm]
    reason: str


class MeasureRow(TypedDict):
    """One way to measure the association, against the same table on the same words."""

    name: str
    label: str
    detail: str
    pearson: Correlation
    spearman: Correlation
    gap: float | None
    """Difference of absolute Pearson correlations, WEAT's minus this one's."""
    gap_low: float | None
    gap_high: float | None


class Comparison(TypedDict):
    """PSE measured in several ways beside WEAT's association, and what follows in plain words."""

    words: int
    rows: list[MeasureRow]
    verdict: list[Span]
    caveat: str


class Ranking(TypedDict):
    """Several alternatives."""

    order: list[list[int]]
    """Per word, the groups from first to last."""
    first: list[list[float]]
    """Per word, the share of replicates in which each group (in their order) is first."""
    caveat: str


class Picture(TypedDict):
    """Everything drawn."""

    words: list[str]
    """Those asked about; arrays elsewhere follow their order."""
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
    interval_level: Annotated[float, Default(0.95)]
    interval_over: Annotated[str, Default("resampled corpora")]
    middle: Annotated[str, Default("neutral")]
    """What 50 % stands for."""
    unit: str
    jnd_label: str
    footer: list[str]


class Answer(BenchAnswer):
    """The answer of the bench."""

    picture: Picture | None
    """The newest valid one, which stays through errors."""


class OutsideOption(TypedDict):
    """An outside table that can be chosen."""

    key: str
    title: str
    unit: str
    source: str
    own: bool


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
    adjust: Literal["holm", "none"] = field(
        "holm", "How leans are corrected for many words: by Holm's method, or not at all."
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
    answer: Answer = output(empty(Answer), "What is on the screen.")
    outside_options: list[OutsideOption] = output([], "Outside tables that can be chosen.")
    psychometric: str = output(
        "", "Where a word opens: the address of the psychometric page, or the id of its widget."
    )


COMPONENT = Component(name="OccupationsBench", module="occupations", state=OccupationsBenchState)
