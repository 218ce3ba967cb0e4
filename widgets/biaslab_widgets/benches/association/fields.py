"""State of the association bench, shared by its controller, both hosts and the front end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypedDict

from biaslab_widgets.core.state.bench_state import NO_BENCH_ANSWER, BenchAnswer, WordBenchState
from biaslab_widgets.core.state.fields import Component, field, output
from biaslab_widgets.core.state.records import Span, WordList

ConnectionKey = Literal["associated", "different", "human", "none"]
ModelName = Literal["crossed", "pooled", "per-word"]
ComparedModel = Literal["crossed", "pooled", "per-word", "crossed-equal"]


class Priors(TypedDict):
    """Priors of the distance models; SDs and scales are above 0.

    ``word_sd`` and ``term_sd`` are the scales of the crossed model's SDs of protected words and of
    attribute words, the latter of each kind.
    """

    word_mean: float
    word_scale: float
    connection_scale: float
    noise_scale: float
    word_sd: float
    term_sd: float


class SimulationInputs(TypedDict):
    """Similarities to draw: means of X to A, X to B, Y to A, Y to B, their SD, and list lengths."""

    means: list[float]
    sd: float
    words: int
    attributes: int


class Protected(TypedDict):
    """A protected word and its group."""

    word: str
    group: str


class Term(TypedDict):
    """An attribute or control word and its list."""

    term: str
    list: str


class Connection(TypedDict):
    """A connection type: how many distances it has, and their mean of means (MAC)."""

    key: ConnectionKey
    label: str
    distances: int
    mac: float | None


class Estimate(TypedDict):
    """A posterior mean with its highest density interval."""

    value: float
    low: float
    high: float


class Contrast(TypedDict):
    """Mean distance of one connection type less that of another."""

    first: ConnectionKey
    second: ConnectionKey
    label: str
    value: float
    low: float
    high: float


class Coefficient(TypedDict):
    """An absolute coefficient, which only the priors identify."""

    key: ConnectionKey
    value: float
    low: float
    high: float


class Posterior(TypedDict):
    """One model's answer: per protected word and connection type (null where it has no data)."""

    model: ModelName
    words: list[list[Estimate | None]]
    contrasts: list[Contrast]
    coefficients: list[Coefficient]
    milliseconds: float


class Score(TypedDict):
    """How well a model foretells a distance that was left out (LOO); ``behind`` the best model."""

    model: ComparedModel
    elpd: float
    se: float
    behind: float
    behind_se: float
    unreliable: int


class Scores(TypedDict):
    """The models compared, the best first, once that was asked for."""

    state: Literal["none", "running", "done", "failed"]
    text: str
    rows: list[Score]


class Weat(TypedDict):
    """WEAT on two groups and two attribute lists, with its permutation distribution.

    ``exceed`` of ``partitions`` splits reach the observed statistic. ``null_edges`` has one entry
    more than ``null_counts``. ``replicates`` are the effect sizes of an ensemble's replicates.
    """

    groups: tuple[str, str]
    attributes: tuple[str, str]
    statistic: float
    effect_size: float | None
    low: float | None
    high: float | None
    ceiling: float
    ddof: int
    p: float
    exceed: int
    partitions: int
    exact: bool
    null_edges: list[float]
    null_counts: list[int]
    replicates: list[float]


class Side(TypedDict):
    """All about one subject: the chosen one, or the one after debiasing.

    ``distances[w][c]`` are the distances of protected word ``w`` under connection type ``c``, and
    ``terms[w][c]`` the indices of their attribute words; ``means[w][c]`` is their mean.
    """

    name: str
    connections: list[Connection]
    distances: list[list[list[float]]]
    terms: list[list[list[int]]]
    means: list[list[float | None]]
    total: int
    mac: float | None
    posteriors: list[Posterior]
    weat: Weat | None
    weat_reason: str


class Simulation(TypedDict):
    """Effect sizes of drawn similarities, and the ceiling that list lengths and ddof impose."""

    edges: list[float]
    counts: list[int]
    mean: float
    low: float
    high: float
    ceiling: float
    share_beyond: float
    text: str


class Check(TypedDict):
    """What NUTS says beside the exact sampler: the largest difference, and its diagnostics."""

    state: Literal["none", "running", "done", "failed"]
    text: str
    rhat: float | None
    ess: float | None


class Picture(TypedDict):
    """Everything drawn; ``warning`` is said first where the models disagree."""

    protected: list[Protected]
    terms: list[Term]
    axis: tuple[float, float]
    posterior_axis: tuple[float, float]
    before: Side
    after: Side | None
    after_reason: str
    verdict: list[Span]
    warning: list[Span]
    caveat: str
    coefficient_warning: str
    simulation: Simulation | None
    check: Check
    scores: Scores
    replicates: int
    interval_level: float
    footer: list[str]


class Answer(BenchAnswer):
    """The answer of the bench; ``picture`` is the newest valid one and stays through errors."""

    picture: Picture | None


NO_ANSWER: Answer = {**NO_BENCH_ANSWER, "picture": None}

PAPER_PRIORS: Priors = {
    "word_mean": 1.0,
    "word_scale": 0.5,
    "connection_scale": 1.0,
    "noise_scale": 1.0,
    "word_sd": 0.25,
    "term_sd": 0.25,
}


@dataclass(frozen=True, kw_only=True)
class AssociationBenchState(WordBenchState):
    """State of the association bench."""

    lists: list[WordList] = field(
        [], "Groups, attribute lists (each of a group), and the controls human and neutral."
    )
    model: Literal["crossed", "pooled", "per-word"] = field(
        "crossed", "Which model's answer is shown."
    )
    step: int = field(
        1,
        "From every distance (1) to means (2), means of means (3) and one number (4).",
        low=1,
        high=4,
        view=True,
    )
    weat_groups: list[str] = field([], "The two groups of WEAT; empty takes the first two.")
    weat_attributes: list[str] = field(
        [], "The two attribute lists of WEAT; empty takes those of the two groups."
    )
    ddof: int = field(1, "Degrees of freedom of WEAT's SD.", low=0, high=1)
    alternative: Literal["greater", "less", "two-sided"] = field(
        "greater", "Which splits count against WEAT."
    )
    level: float = field(0.89, "Level of the posterior intervals.", low=0.5, high=0.99)
    priors: Priors = field(PAPER_PRIORS, "Priors of the distance models.")
    debiasing: Literal["none", "hard", "soft"] = field(
        "none", "Beside the subject, the same after debiasing."
    )
    replicate: int = field(
        -1, "Which replicate of an ensemble is shown; -1 is all together.", low=-1, high=4096
    )
    shown: Literal["data", "simulation"] = field(
        "data", "The data, or the simulation of the paper."
    )
    simulation: SimulationInputs = field(
        {"means": [0.0, 0.0, 0.0, 0.0], "sd": 0.05, "words": 2, "attributes": 5},
        "What the simulation draws.",
    )
    word: str = field("", "The protected word that is picked.", view=True)
    answer: Answer = output(NO_ANSWER, "What is on the screen.")


COMPONENT = Component(name="AssociationBench", module="association", state=AssociationBenchState)
