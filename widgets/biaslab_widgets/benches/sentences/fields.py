"""State of the sentence bench, shared by its controller, both hosts and the front end."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import Literal, TypedDict

from biaslab_widgets.core.state.bench_state import (
    NO_MAKING,
    NO_STEPS_ANSWER,
    Making,
    StepsAnswer,
    ThreeStepsState,
)
from biaslab_widgets.core.state.fields import Component, field, output
from biaslab_widgets.core.state.records import Span

Ends = tuple[int, int]
"""Characters of a text: the first and the one after the last."""


class ScorerOption(TypedDict):
    """A way to score a version, with its formula."""

    key: str
    label: str
    formula: str
    about: str
    source: str
    kind: Literal["mlm", "clm"]


class PairRow(TypedDict):
    """A pair on the screen; ``changes`` are the places that differ, in either version.

    ``groups`` count from 0: of the stereotyped version, and of the one against it. ``edited`` when
    a person has changed it since it came. ``remark`` says what to look at before trusting it.
    """

    id: str
    attribute: str
    list: str
    groups: tuple[int, int]
    stereotyped: str
    against: str
    terms: tuple[Ends | None, Ends | None]
    changes: builtins.list[tuple[Ends, Ends]]
    source: str
    remark: str
    edited: bool


class RejectedRow(TypedDict):
    """A sentence that is not used, and why; ``id`` is set where it can be put back."""

    id: str
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
    """The pairs of step 2; ``version`` counts up with every change.

    ``saved`` counts the sentences that are kept for these words, ``problems`` say what went wrong
    on the way.
    """

    version: int
    source: str
    pairs: list[PairRow]
    rejected: list[RejectedRow]
    attributes: list[AttributeCount]
    notes: list[str]
    problems: list[str]
    saved: int


class PairScoresOf(TypedDict):
    """One model's log-odds, in the order of the pairs; null where there is none.

    ``outcomes`` are letters in the same order: ``s`` with the stereotype, ``a`` against, ``t`` tie,
    ``f`` failed, ``-`` not scored yet.
    """

    model: str
    log_odds: list[float | None]
    outcomes: str


class Scores(TypedDict):
    """Every pair's log-odds for every model: the squares.

    ``sentences`` is the version of the pairs that they belong to.
    """

    version: int
    sentences: int
    models: list[PairScoresOf]


class Share(TypedDict):
    """Share of decided pairs in which the stereotyped version wins, from 0 to 1, with interval."""

    share: float | None
    low: float | None
    high: float | None
    lean: Literal[-1, 0, 1]
    wins: int
    losses: int
    ties: int
    failures: int
    mean_log_odds: float | None


class ModelRow(TypedDict):
    """A model's score over all pairs.

    ``state`` of one that is ``waiting`` or ``scoring`` tells how far it is; ``message`` why it
    ``failed`` or was ``stopped``. ``details`` are the numbers behind the headline, as text.
    """

    name: str
    about: str
    kind: str
    scorer: str
    scorer_label: str
    formula: str
    unit: str
    state: Literal["waiting", "scoring", "done", "stopped", "failed"]
    message: str
    scored: int
    seconds: float
    overall: Share
    details: list[str]


class AttributeRow(TypedDict):
    """One attribute: a share per model, in the order of the models; which pairs are about it."""

    name: str
    list: str
    group: int
    shares: list[Share]
    pairs: list[int]


class ListRow(TypedDict):
    """An attribute list and the group that it is the stereotype of: its number, or -1 for none."""

    name: str
    group: int


class Failure(TypedDict):
    """A pair that could not be scored by a model, and why."""

    pair: str
    model: str
    reason: str


class RunState(TypedDict):
    """How far the test is; ``stale`` when pairs or settings have changed since."""

    number: int
    running: bool
    done: int
    total: int
    seconds: float
    seconds_left: float | None
    stale: bool
    unscored: int


class Picture(TypedDict):
    """The results of step 3.

    ``edges`` are the two steps of |log-odds| between three shades. ``groups`` are the names of the
    two groups. ``comparisons`` say whether models differ on the same pairs.
    """

    groups: tuple[str, str]
    run: RunState
    models: list[ModelRow]
    lists: list[ListRow]
    attributes: list[AttributeRow]
    bias_types: list[AttributeRow]
    edges: tuple[float, float]
    unit: str
    failures: list[Failure]
    comparisons: list[str]
    verdict: list[Span]
    caveat: str
    footer: list[str]


class Word(TypedDict):
    """A word of one or of both versions, side by side; empty where a version lacks it.

    ``role`` is ``term`` for the group's term, ``agrees`` for what changed with it, ``changed`` for
    anything else that differs. ``values`` has one entry per model: what the word adds to either
    version's score, and the difference; null where it does not count or was not scored.
    """

    first: str
    second: str
    role: Literal["same", "term", "agrees", "changed", "attribute"]
    values: list[tuple[float | None, float | None, float | None]]


class ModelDetail(TypedDict):
    """A model's scores of one pair; ``ratio`` says how many times as probable, in words."""

    name: str
    log_score: float | None
    log_score_against: float | None
    log_odds: float | None
    outcome: Literal["s", "a", "t", "f", "-"]
    ratio: str
    failure: str


class Detail(TypedDict):
    """Both versions of one pair, word by word; ``pair`` is empty where none is looked at."""

    pair: str
    place: str
    words: list[Word]
    models: list[ModelDetail]
    unit: str
    attribute: str
    remark: str


class WriterOption(TypedDict):
    """Who can write sentences: an endpoint, or a causal model that can be chosen."""

    key: str
    name: str
    about: str
    endpoint: bool


class PromptStyle(TypedDict):
    """A way to ask for sentences."""

    key: str
    label: str
    text: str


class Answer(StepsAnswer):
    """The answer of the bench; ``picture`` is the newest valid one and stays through errors."""

    picture: Picture | None


NO_ANSWER: Answer = {**NO_STEPS_ANSWER, "picture": None}
NO_SENTENCES: Sentences = {
    "version": 0,
    "source": "",
    "pairs": [],
    "rejected": [],
    "attributes": [],
    "notes": [],
    "problems": [],
    "saved": 0,
}
NO_SCORES: Scores = {"version": 0, "sentences": 0, "models": []}
NO_DETAIL: Detail = {
    "pair": "",
    "place": "",
    "words": [],
    "models": [],
    "unit": "",
    "attribute": "",
    "remark": "",
}


@dataclass(frozen=True, kw_only=True)
class SentenceBenchState(ThreeStepsState):
    """State of the sentence bench."""

    scorer_mlm: str = field("pll", "Scorer of masked models.")
    scorer_clm: str = field("log-likelihood", "Scorer of causal models.")
    pairing: Literal["group", "attribute"] = field(
        "group", "What is swapped: the group's term, or the attribute."
    )
    weighting: Literal["attributes", "pairs"] = field(
        "attributes", "What has equal weight in the headline."
    )
    per_attribute: int = field(12, "Sentences made per attribute.", low=1, high=100)
    pair: str = field("", "The pair that is looked at word by word.")
    detail_model: str = field(
        "", "The model whose differences are drawn under its words.", view=True
    )
    answer: Answer = output(NO_ANSWER, "What is on the screen.")
    sentences: Sentences = output(NO_SENTENCES, "The pairs.")
    scores: Scores = output(NO_SCORES, "Log-odds of every pair.")
    detail: Detail = output(NO_DETAIL, "The pair that is looked at.")
    scorers: list[ScorerOption] = output([], "Scorers that can be chosen.")
    writers: list[WriterOption] = output([], "Who can write sentences.")
    prompt_styles: list[PromptStyle] = output([], "Ways to ask for sentences.")
    writing: Making = output(NO_MAKING, "How far writing is.")


COMPONENT = Component(name="SentenceBench", module="sentences", state=SentenceBenchState)
