"""State of the sentence bench, shared by its controller, both hosts and the front end."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import Annotated, Literal, TypedDict

from biaslab_widgets.core.state.bench_state import (
    MakerOption,
    Making,
    PromptOption,
    StepsAnswer,
    TestProgress,
    ThreeStepsState,
)
from biaslab_widgets.core.state.fields import Component, Default, Range, empty, field, output
from biaslab_widgets.core.state.records import Span

Ends = tuple[int, int]
"""Characters of a text: the first and the one after the last."""


class ScorerOption(TypedDict):
    """A way to score a version."""

    key: str
    label: str
    formula: str
    about: str
    source: str
    kind: Literal["mlm", "clm"]


class PairRow(TypedDict):
    """A pair on the screen."""

    id: str
    attribute: str
    list: str
    groups: tuple[int, int]
    """Of the stereotyped version and of the one against it, from 0."""
    stereotyped: str
    against: str
    terms: tuple[Ends | None, Ends | None]
    changes: builtins.list[tuple[Ends, Ends]]
    """The places that differ, in either version."""
    source: str
    remark: str
    """What to look at before trusting it."""
    edited: bool
    """A person has changed it since it came."""


class RejectedRow(TypedDict):
    """A sentence that is not used, and why."""

    id: str
    """Set where it can be put back."""
    text: str
    attribute: str
    code: str
    reason: str
    source: str


class AttributeCount(TypedDict):
    """How many pairs an attribute has."""

    name: str
    list: str
    pairs: int


class Sentences(TypedDict):
    """The pairs of step 2."""

    version: int
    """Counts up with every change."""
    source: str
    pairs: list[PairRow]
    rejected: list[RejectedRow]
    attributes: list[AttributeCount]
    notes: list[str]
    problems: list[str]
    """What went wrong on the way."""
    saved: int
    """Sentences that are kept for these words."""


class PairScoresOf(TypedDict):
    """One model's scores, in the order of the pairs."""

    model: str
    log_odds: list[float | None]
    outcomes: str
    """``s`` with the stereotype, ``a`` against, ``t`` tie, ``f`` failed, ``-`` not scored yet."""


class Scores(TypedDict):
    """Every pair's log-odds for every model: the squares."""

    version: int
    sentences: int
    """Version of the pairs that they belong to."""
    models: list[PairScoresOf]


class Share(TypedDict):
    """Share of decided pairs in which the stereotyped version wins, from 0 to 1, with interval."""

    share: float | None
    low: float | None
    high: float | None
    lean: Annotated[Literal[-1, 0, 1], Default(0)]
    wins: int
    losses: int
    ties: int
    failures: int
    mean_log_odds: float | None


class ModelRow(TypedDict):
    """A model's score over all pairs."""

    name: str
    about: str
    kind: str
    scorer: str
    scorer_label: str
    formula: str
    unit: str
    state: Literal["waiting", "scoring", "done", "stopped", "failed"]
    message: str
    """Why it failed or was stopped."""
    scored: int
    seconds: float
    overall: Share
    details: list[str]
    """The numbers behind the headline, as text."""


class AttributeRow(TypedDict):
    """One attribute."""

    name: str
    list: str
    group: int
    shares: list[Share]
    """One per model, in the order of the models."""
    pairs: list[int]
    """Those that are about it."""


class ListRow(TypedDict):
    """An attribute list."""

    name: str
    group: int
    """Number of the group that it is the stereotype of; -1 for none."""


class Failure(TypedDict):
    """A pair that could not be scored by a model, and why."""

    pair: str
    model: str
    reason: str


class Picture(TypedDict):
    """The results of step 3."""

    groups: Annotated[tuple[str, str], Default(("group 1", "group 2"))]
    run: TestProgress
    models: list[ModelRow]
    lists: list[ListRow]
    attributes: list[AttributeRow]
    bias_types: list[AttributeRow]
    edges: Annotated[tuple[float, float], Default((0.6, 1.6))]
    """The two steps of |log-odds| between three shades."""
    unit: Annotated[str, Default("nats")]
    failures: list[Failure]
    comparisons: list[str]
    """Whether models differ on the same pairs."""
    verdict: list[Span]
    caveat: str
    footer: list[str]


class Word(TypedDict):
    """A word of one or of both versions, side by side; empty where a version lacks it."""

    first: str
    second: str
    role: Literal["same", "term", "agrees", "changed", "attribute"]
    """Of what differs: the group's term, what agrees with it, or anything else that changed."""
    values: list[tuple[float | None, float | None, float | None]]
    """Per model: what it adds to either version's score, and the difference; null without one."""


class ModelDetail(TypedDict):
    """A model's scores of one pair."""

    name: str
    log_score: float | None
    log_score_against: float | None
    log_odds: float | None
    outcome: Literal["s", "a", "t", "f", "-"]
    ratio: str
    """How many times as probable, in words."""
    failure: str


class Detail(TypedDict):
    """Both versions of one pair, word by word."""

    pair: str
    """Empty where none is looked at."""
    place: str
    words: list[Word]
    models: list[ModelDetail]
    unit: str
    attribute: str
    remark: str


class Answer(StepsAnswer):
    """The answer of the bench."""

    picture: Picture | None
    """The newest valid one, which stays through errors."""


@dataclass(frozen=True, kw_only=True)
class SentenceBenchState(ThreeStepsState):
    """State of the sentence bench."""

    scorer_mlm: str = field("pll", "Scorer of masked models.")
    scorer_clm: str = field("log-likelihood", "Scorer of causal models.")
    pairing: Literal["group", "attribute"] = field(
        "group", "What is swapped: the group's term, or the attribute."
    )
    weighting: Literal["groups", "attributes", "pairs"] = field(
        "groups", "What has equal weight in the headline."
    )
    per_attribute: int = field(12, "Sentences made per attribute.", low=1, high=100)
    pair: str = field("", "The pair that is looked at word by word.")
    detail_model: str = field(
        "", "The model whose differences are drawn under its words.", view=True
    )
    answer: Answer = output(empty(Answer), "What is on the screen.")
    sentences: Sentences = output(empty(Sentences), "The pairs.")
    scores: Scores = output(empty(Scores), "Log-odds of every pair.")
    detail: Detail = output(empty(Detail), "The pair that is looked at.")
    scorers: list[ScorerOption] = output([], "Scorers that can be chosen.")
    writers: list[MakerOption] = output([], "Who can write sentences.")
    prompt_styles: list[PromptOption] = output([], "Ways to ask for sentences.")
    writing: Making = output(empty(Making), "How far writing is.")


COMPONENT = Component(
    name="SentenceBench",
    module="sentences",
    state=SentenceBenchState,
    numbers={"write_count": Range(1, 100)},
)
