"""State of the association bench, shared by its controller, both hosts and the front end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypedDict

from biaslab_widgets.core.state.bench_state import BenchAnswer, WordBenchState
from biaslab_widgets.core.state.fields import Component, Default, Range, empty, field, output
from biaslab_widgets.core.state.records import Span, WordList

ConnectionKey = Literal["associated", "different", "human", "none"]
ModelName = Literal["crossed", "pooled", "per-word"]
ComparedModel = Literal["crossed", "pooled", "per-word", "crossed-equal"]


class Priors(TypedDict):
    """Priors of the distance models, the paper's by default; SDs and scales are above 0."""

    word_mean: Annotated[float, Default(1.0), Range(-100, 100, 0.05)]
    word_scale: Annotated[float, Default(0.5), Range(0, 100, 0.05, above=True)]
    connection_scale: Annotated[float, Default(1.0), Range(0, 100, 0.05, above=True)]
    noise_scale: Annotated[float, Default(1.0), Range(0, 100, 0.05, above=True)]
    word_sd: Annotated[float, Default(0.25), Range(0, 100, 0.05, above=True)]
    """Scale of the crossed model's SD of protected words."""
    term_sd: Annotated[float, Default(0.25), Range(0, 100, 0.05, above=True)]
    """Scale of its SD of attribute words, of each kind."""


class SimulationInputs(TypedDict):
    """Similarities to draw, and lengths of the lists."""

    means: Annotated[list[float], Default([0.0, 0.0, 0.0, 0.0]), Range(-1, 1, 0.01)]
    """Of X to A, X to B, Y to A, Y to B."""
    sd: Annotated[float, Default(0.05), Range(0, 1, 0.001, above=True)]
    words: Annotated[int, Default(2), Range(2, 50)]
    attributes: Annotated[int, Default(5), Range(1, 100)]
    first_words: bool
    """Whether the first words alone are compared, as in the paper's program."""
    seed: Annotated[int, Default(0), Range(0, 9999)]


class Protected(TypedDict):
    """A protected word and its group."""

    word: str
    group: str


class Term(TypedDict):
    """An attribute or control word and its list."""

    term: str
    list: str


class Connection(TypedDict):
    """A connection type."""

    key: ConnectionKey
    label: str
    distances: int
    """How many it has."""
    mac: float | None
    """Their mean of means."""


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
    """One model's answer."""

    model: ModelName
    words: list[list[Estimate | None]]
    """Per protected word and connection type; null where it has no data."""
    contrasts: list[Contrast]
    coefficients: list[Coefficient]
    milliseconds: float


class Score(TypedDict):
    """How well a model predicts a held-out distance (LOO)."""

    model: ComparedModel
    elpd: float
    se: float
    behind: float
    """Less than the best model's."""
    behind_se: float
    unreliable: int


class Scores(TypedDict):
    """The models compared, the best first, once that was asked for."""

    state: Literal["none", "running", "done", "failed"]
    text: str
    rows: list[Score]


class Weat(TypedDict):
    """WEAT on two groups and two attribute lists, with its permutation distribution."""

    groups: tuple[str, str]
    attributes: tuple[str, str]
    statistic: float
    """Difference of means."""
    statistic_low: float | None
    statistic_high: float | None
    effect_size: float | None
    low: float | None
    """Ends for lists as long as these."""
    high: float | None
    ceiling: float
    ddof: int
    p: float
    exceed: int
    """How many of the partitions reach the observed statistic."""
    partitions: int
    exact: bool
    null_edges: list[float]
    """One more than counts."""
    null_counts: list[int]
    replicates: list[float]
    """Effect sizes of an ensemble's replicates."""
    people: str
    """Published effect sizes of people; empty where there are none."""


class Side(TypedDict):
    """All about one subject: the chosen one, or the one after debiasing."""

    name: str
    connections: list[Connection]
    distances: list[list[list[float]]]
    """``distances[w][c]`` are those of protected word ``w`` under connection type ``c``."""
    terms: list[list[list[int]]]
    """Indices of their attribute words."""
    means: list[list[float | None]]
    total: int
    mac: float | None
    posteriors: list[Posterior]
    weat: Weat | None
    weat_reason: str


class DrawnWord(TypedDict):
    """A protected word of one draw."""

    name: str
    to_a: list[float]
    """Similarity to each word of A."""
    to_b: list[float]
    association: float


class Simulation(TypedDict):
    """Effect sizes of drawn similarities, and the ceiling that list lengths and ddof impose."""

    edges: list[float]
    counts: list[int]
    mean: float
    low: float
    high: float
    ceiling: float
    share_beyond: float
    words: list[DrawnWord]
    """The first two of X and of Y in one draw."""
    drawn: str
    """Effect size of this draw, in words."""
    text: str


class Check(TypedDict):
    """What NUTS says beside the exact sampler: the largest difference, and its diagnostics."""

    state: Literal["none", "running", "done", "failed"]
    text: str
    rhat: float | None
    ess: float | None


class Picture(TypedDict):
    """Everything drawn."""

    protected: list[Protected]
    terms: list[Term]
    axis: Annotated[tuple[float, float], Default((0.0, 2.0))]
    posterior_axis: Annotated[tuple[float, float], Default((0.5, 1.5))]
    before: Side
    after: Side | None
    after_reason: str
    verdict: list[Span]
    warning: list[Span]
    """Said first where the models disagree."""
    caveat: str
    coefficient_warning: str
    simulation: Simulation | None
    check: Check
    scores: Scores
    replicates: Annotated[int, Default(1)]
    interval_level: Annotated[float, Default(0.89)]
    footer: list[str]


class Answer(BenchAnswer):
    """The answer of the bench."""

    picture: Picture | None
    """The newest valid one, which stays through errors."""


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
    level: float = field(0.89, "Level of the posterior intervals.", low=0.5, high=0.99, step=0.01)
    priors: Priors = field(empty(Priors), "Priors of the distance models.")
    debiasing: Literal["none", "hard", "soft"] = field(
        "none", "Beside the subject, the same after debiasing."
    )
    replicate: int = field(
        -1, "Which replicate of an ensemble is shown; -1 is all together.", low=-1, high=4096
    )
    shown: Literal["data", "simulation"] = field(
        "data", "The data, or the simulation of the paper."
    )
    simulation: SimulationInputs = field(empty(SimulationInputs), "What the simulation draws.")
    word: str = field("", "The protected word that is picked.", view=True)
    answer: Answer = output(empty(Answer), "What is on the screen.")


COMPONENT = Component(name="AssociationBench", module="association", state=AssociationBenchState)
