"""State of the rating bench, shared by its controller, both hosts and the front end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypedDict

from biaslab_widgets.core.state.bench_state import BenchAnswer, BenchState
from biaslab_widgets.core.state.fields import (
    LARGEST,
    Component,
    Default,
    Range,
    empty,
    field,
    output,
)
from biaslab_widgets.core.state.records import Span

RatingName = Literal["UCS", "DSBS", "BS", "not rateable", "open"]


class LanguageOption(TypedDict):
    """A middle language that a service has."""

    code: str
    title: str


class ServiceOption(TypedDict):
    """A service that can be rated."""

    name: str
    about: str
    kind: str
    languages: list[LanguageOption]
    """Empty for one that is asked directly."""
    truth: str
    """The known rating of a simulated service, else empty."""
    composite: list[str]
    """Names of the two services of one that was put together here."""
    own: bool
    """Described here, so that it can be removed."""
    problem: str
    """Why it cannot be asked now."""


class TemplateOption(TypedDict):
    """A way to write the texts, with an example."""

    name: str
    example: str


class AttributeOption(TypedDict):
    """What a rating can be about."""

    name: str
    values: list[str]
    """The last is what is none of the others."""
    templates: list[TemplateOption]


class DistributionState(TypedDict):
    """Shares of the values in the input."""

    name: str
    kind: Literal["unbiased", "biased"]
    shares: Annotated[list[float], Range(0, 1, 0.01)]
    """In the order of the values; they sum to 1."""


class Plan(TypedDict):
    """What a design costs before it is run."""

    languages: int
    blocks: int
    texts: int
    calls: int
    known: int
    """Calls that the store has already."""
    cost: str
    seconds: float | None
    problem: str
    example: list[str]
    recommended: int
    """Texts per block that the power curve asks for; 0 while it is not known."""


class Cell(TypedDict):
    """One block through one language."""

    counts: list[float]
    """Of the values in the output; 0 of one that no text of a predicted block's run had."""
    mentions: int
    unresolved: int
    done: int
    total: int
    predicted: bool
    """Its shares were changed after it was run."""


class MatrixRow(TypedDict):
    """A language of the matrix with both ratings, null until all its blocks are answered."""

    language: str
    title: str
    state: Literal["queued", "running", "done", "stopped", "failed"]
    message: str
    cells: list[Cell]
    points: list[list[float] | None]
    """Shares of the output of each block, null where nothing was resolved."""
    paper: RatingName | None
    corrected: RatingName | None
    shown: bool
    probabilities: list[float]
    """Of UCS, DSBS and BS, or empty."""
    unresolved: int


class TreeNode(TypedDict):
    """A question of a rule's decision tree, or a rating at its end."""

    key: str
    title: str
    question: str
    note: str
    on_path: bool
    is_rating: bool


class TreeEdge(TypedDict):
    """From a node to the next, with the answer that leads there."""

    source: str
    target: str
    answer: str
    on_path: bool


class Tree(TypedDict):
    """The decision tree of a rule with the way that was taken."""

    rule: Literal["paper", "corrected"]
    rating: RatingName
    nodes: list[TreeNode]
    edges: list[TreeEdge]


class MarkedMention(TypedDict):
    """Where a text speaks of the attribute, and which value it says."""

    value: int
    """Number of the value; -1 where it could not be read."""
    spans: list[tuple[int, int]]
    """Of characters."""
    reason: str
    """Why it could not be read."""


class TextRow(TypedDict):
    """A text on its way: as it was sent, in the middle language, and as it came back."""

    source: str
    middle: str
    back: str
    source_marks: list[MarkedMention]
    middle_marks: list[MarkedMention]
    back_marks: list[MarkedMention]
    changed: list[bool]
    moved: list[bool]
    """Of each mention: whether its middle text says another value than the source."""
    failure: str


class MiddleFinding(TypedDict):
    """What an occupation becomes in the middle text: counts by value given and value found."""

    term: str
    given: str
    counts: list[int]
    example: str


class Balance(TypedDict):
    """The share of the second value in the input at which the output is balanced."""

    values: tuple[str, str]
    alphas: list[float]
    curve: list[float]
    """Share of the second value in the output at each share of the input."""
    points: list[tuple[float, float, float]]
    pse: float | None
    interval: tuple[float, float] | None
    jnd: float | None
    verdict: list[Span]


class LanguageFinding(TypedDict):
    """How the chosen language is rated, and why; empty while it is not rated."""

    trees: list[Tree]
    explanation: list[Span]


class LanguageDetail(TypedDict):
    """What was answered through the chosen language, whatever shares and rules it is rated by."""

    language: str | None
    """None where none is chosen."""
    title: str
    block: int
    texts: list[TextRow]
    middle: list[MiddleFinding]
    middle_note: str
    balance: Balance | None
    reasons: list[tuple[str, int]]


class PowerPoint(TypedDict):
    """How often the true rating of a service of each kind is shown."""

    texts: int
    """Per block."""
    calls: int
    shares: list[tuple[float, float, float]]
    """Of the services named in ``Power.services``, with the ends of an interval each."""


class Power(TypedDict):
    """The power curve of the design, by simulation."""

    state: Literal["none", "running", "ready", "error"]
    message: str
    services: list[str]
    points: list[PowerPoint]
    recommended: int


class CompositionCell(TypedDict):
    """The predicted rating of two services in a row; null where that must be tested anew."""

    first: RatingName
    second: RatingName
    paper: RatingName | None
    definition: RatingName | None
    differs: bool
    reason: str


class Composed(TypedDict):
    """A prediction beside what was measured, for a composite that was run."""

    first: str
    second: str
    language: str
    predicted: RatingName | None
    measured: RatingName
    agrees: bool | None


class RatingRun(TypedDict):
    """How far a run is."""

    number: int
    running: bool
    done: int
    total: int
    calls: int
    from_store: int
    seconds: float
    seconds_left: float | None
    stale: bool
    """The design has changed since."""
    failed: int


class RatingPicture(TypedDict):
    """The ratings of a service."""

    service: str
    attribute: str
    values: list[str]
    """Names of the values."""
    blocks: list[DistributionState]
    """Shares that each block is rated by."""
    rows: list[MatrixRow]
    overall: list[RatingName | None]
    """Both ratings over languages."""
    overall_without: list[RatingName | None]
    """Both without the chosen languages."""
    finding: LanguageFinding
    """Of the language that is looked at."""
    run: RatingRun
    per: Annotated[str, Default("mention")]
    verdict: list[Span]
    caveat: str
    notes: list[str]
    footer: list[str]


class RatingAnswer(BenchAnswer):
    """The answer of the bench."""

    picture: RatingPicture | None
    """The newest valid one, which stays through errors."""


@dataclass(frozen=True, kw_only=True)
class RatingBenchState(BenchState):
    """State of the rating bench."""

    service: str = field("", "Name of the service that is rated.")
    attribute: str = field("gender", "What the rating is about.")
    template: str = field("", "How the texts are written; the attribute's first if empty.")
    distributions: list[DistributionState] = field([], "Shares in the input of each block.")
    texts: int = field(20, "Texts of a block.", low=1, high=1000)
    repetitions: int = field(1, "Blocks of each distribution.", low=1, high=20)
    middles: list[str] = field([], "Middle languages.")
    seed: int = field(0, "Seed of the texts.", low=0, high=LARGEST)
    equivalence_margin: float = field(0.1, "Equivalence margin.", low=0.005, high=0.5, step=0.01)
    level: float = field(0.95, "Level of the tests.", low=0.51, high=0.999, step=0.01)
    minimum: int = field(20, "Fewest resolved mentions of a rating.", low=1, high=10_000)
    test: str = field("chi-squared", "Test of the paper's rule.")
    unit: Literal["mention", "text"] = field("mention", "What it counts.")
    similar_to: Literal["any", "all", "vote"] = field("any", "Similar to how many.")
    overall: Literal["worst", "vote"] = field("worst", "Languages made one.")
    without: list[str] = field([], "Languages that the second overall rating leaves out.")
    language: str = field("", "The language that is looked at.")
    block: int = field(0, "The block whose texts are looked at.", low=0, high=10_000)
    composition: Literal["paper", "definition"] = field(
        "definition", "Rule of the composition table."
    )
    answer: RatingAnswer = output(empty(RatingAnswer), "What is on the screen.")
    services: list[ServiceOption] = output([], "Services that can be rated.")
    attribute_options: list[AttributeOption] = output([], "What can be rated.")
    tests: list[str] = output([], "Tests of the paper's rule.")
    plan: Plan = output(empty(Plan), "What the design costs.")
    detail: LanguageDetail = output(empty(LanguageDetail), "The chosen language.")
    power: Power = output(empty(Power), "The power curve.")
    table: list[CompositionCell] = output([], "Ratings of two services.")
    composed: list[Composed] = output([], "Composites that were run.")


COMPONENT = Component(name="RatingBench", module="rating", state=RatingBenchState)
