"""State of the posterior bench, shared by its controller, both hosts and the front end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypedDict

from biaslab_widgets.benches.posterior.portrait_fields import Portraits, Sheets
from biaslab_widgets.core.state.bench_state import BenchAnswer, WordBenchState
from biaslab_widgets.core.state.fields import LARGEST, Component, Default, empty, field, output
from biaslab_widgets.core.state.records import Span, WordList


class Packed(TypedDict):
    """An array of numbers as text: base64 of little-endian unsigned 16-bit integers.

    A number is ``low + (high - low) * integer / 65534``; 65535 stands for no number.
    """

    shape: Annotated[list[int], Default([0, 0])]
    low: float
    high: Annotated[float, Default(1.0)]
    data: str


class PriorOption(TypedDict):
    """A prior that can be chosen."""

    key: str
    name: str
    """A short one."""
    text: str
    """What it is, in one sentence."""


class Trace(TypedDict):
    """One quantity over the run."""

    name: str
    label: str
    warmup: int
    lines: Packed
    """The first few chains in full, shape (chains shown, warm-up + draws)."""
    strips: Packed
    """All chains without warm-up: means of blocks of draws, shape (chains, blocks)."""
    low: float
    """Low end of a range that holds nearly all values."""
    high: Annotated[float, Default(1.0)]


class Traces(TypedDict):
    """The traces of a run."""

    run: int
    version: int
    """Counts up with every change."""
    label: str
    quantities: list[Trace]


class Cloud(TypedDict):
    """Draws of one label in the plane."""

    label: str
    points: Packed
    """Shape (draws, 2)."""


class Clouds(TypedDict):
    """The draws in the plane."""

    run: int
    version: int
    """Counts up with every change."""
    axes: Annotated[Literal["pca", "difference"], Default("difference")]
    clouds: list[Cloud]


class Quantity(TypedDict):
    """What the chains say of one quantity; null while there are too few draws."""

    name: str
    label: str
    rhat: float | None
    rhat_limit: Annotated[float, Default(1.01)]
    """From it on chains count as disagreeing."""
    rhat_path: list[float]
    """R-hat of the first `rhat_draws` of each chain."""
    rhat_draws: list[int]
    """Evenly spaced but for the last."""
    ess_bulk: float | None
    ess_tail: float | None
    mcse: float | None
    mean: float | None
    sd: float | None
    autocorrelation: list[float]
    """From lag 0 on."""
    bound: float
    """Autocorrelations that are as small are noise."""


class Trust(TypedDict):
    """Whether the draws can be trusted."""

    state: Literal["none", "running", "yes", "not-yet"]
    text: str


class Outline(TypedDict):
    """One standard deviation of a label's distribution in the plane."""

    label: str
    exact: bool
    """Whether it is by an exact sampler."""
    centre: tuple[float, float]
    axes: tuple[tuple[float, float], tuple[float, float]]
    """The two half-axes of the ellipse as vectors."""


class PlaneWord(TypedDict):
    """A word in the plane."""

    word: str
    x: float
    y: float
    polarity: float | None
    difference: float | None
    """log p(word | first label) - log p(word | second)."""


class Plane(TypedDict):
    """The plane that the draws are shown in."""

    axes: Annotated[Literal["pca", "difference"], Default("difference")]
    axis_labels: tuple[str, str]
    """Names of the axes with their share of the variance."""
    shares: tuple[float, float]
    extent: Annotated[tuple[float, float, float, float], Default((-1.0, 1.0, -1.0, 1.0))]
    """Low x, high x, low y, high y."""
    outlines: list[Outline]
    words: list[PlaneWord]
    warning: str
    """What not to read off it."""


class WordRow(TypedDict):
    """A word's mean distance to the draws, with its interval."""

    word: str
    distance: float
    low: float
    high: float
    rank: int
    """From 1, the closest."""
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
    """How far the run is."""

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
    """Settings have changed since."""
    partial: bool


class Picture(TypedDict):
    """Everything drawn but traces and clouds, which come as outputs of their own."""

    run: RunState
    label: str
    labels: list[str]
    other: str
    engine: str
    prior: PriorOption
    width: Annotated[float, Default(1.0)]
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
    portraits: Portraits | None
    """What is drawn in the space of portraits; None in that of word vectors."""


class Answer(BenchAnswer):
    """The answer of the bench."""

    picture: Picture | None
    """The newest valid one, which stays through errors."""


@dataclass(frozen=True, kw_only=True)
class PosteriorBenchState(WordBenchState):
    """State of the posterior bench."""

    space: Literal["vectors", "portraits"] = field(
        "vectors", "What is imagined: vectors by a classifier, or portraits by a model of images."
    )
    label: str = field("positive", "The label whose posterior is shown first.")
    prior: str = field("stimuli", "Key of the prior p(s).")
    prior_width: float = field(1.0, "Factor on the prior's SDs.", low=0.1, high=10, step=0.1)
    engine: Literal["vectorised", "nuts", "exact", "choices"] = field(
        "vectorised", "How draws are made."
    )
    chains: int = field(64, "Chains that run side by side.", low=2, high=1024)
    draws: int = field(1000, "Draws kept of each chain.", low=50, high=20_000, step=50)
    portrait_chains: int = field(8, "Chains in the space of portraits.", low=2, high=64)
    portrait_draws: int = field(
        1800, "Draws kept of each chain in the space of portraits.", low=50, high=20_000, step=50
    )
    seed: int = field(0, "Seed of the draws.", low=0, high=LARGEST)
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
    word: str = field(
        "", "The word that is picked; in the space of portraits, the word whose faces are imagined."
    )
    other: str = field("executive", "A second word, whose faces are imagined beside.")
    show: Literal["one", "both"] = field("both", "Whether faces are imagined for both words.")
    clothes: str = field(
        "pullover", "Clothes that all portraits wear: a pullover, or those of an occupation."
    )
    rows: int = field(6, "Closest and farthest words that are listed.", low=1, high=200)
    shown_dimensions: list[int] = field(
        [],
        "Dimensions traced beside the logit and |s|²; empty shows the worst.",
        low=0,
        high=65_535,
    )
    lists: list[WordList] = field([], "The two groups whose distances are compared.")
    answer: Answer = output(empty(Answer), "What is on the screen.")
    labels: list[str] = output([], "Labels that can be chosen.")
    priors: list[PriorOption] = output([], "Priors that can be chosen.")
    traces: Traces = output(empty(Traces), "Traces of the run.")
    clouds: Clouds = output(empty(Clouds), "Draws in the plane.")
    sheets: Sheets = output(empty(Sheets), "The portraits, drawn.")
    wardrobe: list[str] = output([], "Clothes that portraits can wear.")


COMPONENT = Component(name="PosteriorBench", module="posterior", state=PosteriorBenchState)
