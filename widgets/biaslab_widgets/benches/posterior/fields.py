"""State of the posterior bench, shared by its controller, both hosts and the front end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypedDict

from biaslab_widgets.core.state.bench_state import NO_BENCH_ANSWER, BenchAnswer, WordBenchState
from biaslab_widgets.core.state.fields import Component, field, output
from biaslab_widgets.core.state.records import Span, WordList


class Packed(TypedDict):
    """An array of numbers as text: base64 of little-endian unsigned 16-bit integers.

    A number is ``low + (high - low) * integer / 65534``; 65535 stands for no number.
    """

    shape: list[int]
    low: float
    high: float
    data: str


class PriorOption(TypedDict):
    """A prior that can be chosen: its key, a short name and what it is in one sentence."""

    key: str
    name: str
    text: str


class Trace(TypedDict):
    """One quantity over the run.

    ``lines`` are the first few chains in full, shape (chains shown, warm-up + draws). ``strips``
    are all chains, one row each, in blocks of draws: the mean of a block, shape (chains, blocks);
    they hold no warm-up. ``low`` and ``high`` are a range that holds nearly all values.
    """

    name: str
    label: str
    warmup: int
    lines: Packed
    strips: Packed
    low: float
    high: float


class Traces(TypedDict):
    """The traces of a run; ``version`` counts up with every change."""

    run: int
    version: int
    label: str
    quantities: list[Trace]


class Cloud(TypedDict):
    """Draws of one label in the plane, shape (draws, 2)."""

    label: str
    points: Packed


class Clouds(TypedDict):
    """The draws in the plane; ``version`` counts up with every change."""

    run: int
    version: int
    axes: Literal["pca", "difference"]
    clouds: list[Cloud]


class Quantity(TypedDict):
    """What the chains say of one quantity; null while there are too few draws.

    ``rhat_limit`` is the R-hat from which chains count as disagreeing; ``rhat_path`` is that of the
    first ``rhat_draws`` of each chain, evenly spaced but for the last. ``autocorrelation`` begins
    with lag 0; values within ``bound`` of 0 are noise.
    """

    name: str
    label: str
    rhat: float | None
    rhat_limit: float
    rhat_path: list[float]
    rhat_draws: list[int]
    ess_bulk: float | None
    ess_tail: float | None
    mcse: float | None
    mean: float | None
    sd: float | None
    autocorrelation: list[float]
    bound: float


class Trust(TypedDict):
    """Whether the draws can be trusted; the verdict says why not yet."""

    state: Literal["none", "running", "yes", "not-yet"]
    text: str


class Outline(TypedDict):
    """One standard deviation of a label's distribution in the plane, by an exact sampler or not.

    ``axes`` are the two half-axes of the ellipse as vectors.
    """

    label: str
    exact: bool
    centre: tuple[float, float]
    axes: tuple[tuple[float, float], tuple[float, float]]


class PlaneWord(TypedDict):
    """A word in the plane; ``difference`` is log p(word | first label) - log p(word | second)."""

    word: str
    x: float
    y: float
    polarity: float | None
    difference: float | None


class Plane(TypedDict):
    """The plane that the draws are shown in: its axes, outlines and words.

    ``axis_labels`` name the axes with their share of the variance. ``extent`` is low x, high x, low
    y, high y. ``warning`` says what not to read off it.
    """

    axes: Literal["pca", "difference"]
    axis_labels: tuple[str, str]
    shares: tuple[float, float]
    extent: tuple[float, float, float, float]
    outlines: list[Outline]
    words: list[PlaneWord]
    warning: str


class WordRow(TypedDict):
    """A word's mean distance to the draws, with its interval and its rank from 1, the closest."""

    word: str
    distance: float
    low: float
    high: float
    rank: int
    polarity: float | None
    difference: float | None


class Words(TypedDict):
    """The words of the lexicon that lie closest and farthest, and the one that is picked."""

    lexicon: str
    total: int
    unknown: int
    closest: list[WordRow]
    farthest: list[WordRow]
    picked: WordRow | None
    neutral: float | None
    distance_label: str
    interval_label: str


class Member(TypedDict):
    """A word of a group and its mean distance."""

    word: str
    distance: float


class GroupRow(TypedDict):
    """A group of words: their mean distance with its interval."""

    name: str
    mean: float
    low: float
    high: float
    members: list[Member]


class Groups(TypedDict):
    """Two groups compared: first less second, with interval, Cohen's d and permutation p."""

    rows: list[GroupRow]
    difference: float
    low: float
    high: float
    d: float | None
    p: float
    text: str


class Correlation(TypedDict):
    """Correlation of distance with the words' polarity, for one label."""

    label: str
    pearson: float
    low: float
    high: float
    n: int


class Review(TypedDict):
    """A real review near a point of the posterior, from the person's own data."""

    text: str
    label: str
    distance: float


class RunState(TypedDict):
    """How far the run is; ``stale`` when the settings have changed since."""

    number: int
    running: bool
    stage: str
    done: int
    total: int
    seconds: float
    seconds_left: float | None
    draws: int
    chains: int
    acceptance: float | None
    divergences: int
    stale: bool
    partial: bool


class Picture(TypedDict):
    """Everything drawn but traces and clouds, which come as outputs of their own."""

    run: RunState
    label: str
    labels: list[str]
    other: str
    engine: str
    prior: PriorOption
    width: float
    trust: Trust
    verdict: list[Span]
    facts: list[str]
    quantities: list[Quantity]
    worst_dimension: int
    dimensions: int
    oracle: str
    plane: Plane | None
    words: Words | None
    groups: Groups | None
    groups_reason: str
    correlations: list[Correlation]
    reviews: list[Review]
    reviews_reason: str
    caveat: str
    footer: list[str]


class Answer(BenchAnswer):
    """The answer of the bench; ``picture`` is the newest valid one and stays through errors."""

    picture: Picture | None


NO_ANSWER: Answer = {**NO_BENCH_ANSWER, "picture": None}
NO_TRACES: Traces = {"run": 0, "version": 0, "label": "", "quantities": []}
NO_CLOUDS: Clouds = {"run": 0, "version": 0, "axes": "difference", "clouds": []}


@dataclass(frozen=True, kw_only=True)
class PosteriorBenchState(WordBenchState):
    """State of the posterior bench."""

    label: str = field("positive", "The label whose posterior is shown first.")
    prior: str = field("stimuli", "Key of the prior p(s).")
    prior_width: float = field(1.0, "Factor on the prior's SDs.", low=0.1, high=10)
    engine: Literal["vectorised", "nuts", "exact", "choices"] = field(
        "vectorised", "How draws are made."
    )
    chains: int = field(64, "Chains that run side by side.", low=2, high=1024)
    draws: int = field(1000, "Draws kept of each chain.", low=50, high=20_000)
    seed: int = field(0, "Seed of the draws.", low=0)
    axes: Literal["pca", "difference"] = field(
        "difference",
        "Axes of the plane: principal components, or the difference of the labels' means.",
    )
    distance: Literal["angular", "half-cosine", "cosine", "euclidean"] = field(
        "angular", "Distance of a word to the draws."
    )
    centre: Literal["prior", "origin"] = field(
        "prior", "What angles are measured about: the prior's mean, or the origin."
    )
    word: str = field("", "The word that is picked.")
    rows: int = field(6, "Closest and farthest words that are listed.", low=1, high=200)
    shown_dimensions: list[int] = field(
        [], "Dimensions traced beside the logit and |s|²; empty shows the worst."
    )
    lists: list[WordList] = field([], "The two groups whose distances are compared.")
    answer: Answer = output(NO_ANSWER, "What is on the screen.")
    labels: list[str] = output([], "Labels that can be chosen.")
    priors: list[PriorOption] = output([], "Priors that can be chosen.")
    traces: Traces = output(NO_TRACES, "Traces of the run.")
    clouds: Clouds = output(NO_CLOUDS, "Draws in the plane.")


COMPONENT = Component(name="PosteriorBench", module="posterior", state=PosteriorBenchState)
