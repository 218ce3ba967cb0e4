"""State of the image bench, shared by its controller, both hosts and the front end."""

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
from biaslab_widgets.core.state.records import Fit, Span


class TemplateOption(TypedDict):
    """A caption or a question that can be asked."""

    text: str
    kind: Literal["caption", "question"]
    """Which kinds of models take it."""


class ImageRow(TypedDict):
    """A picture of the set."""

    id: str
    """Of its place: the same picture under two terms has two."""
    term: int
    """Its number in the set's terms."""
    source: int
    """Its number in the set's sources."""
    alt: str
    remark: str
    """What was changed when it was opened, or what to look at before trusting it."""


class TermImages(TypedDict):
    """An image term."""

    name: str
    group: int
    """Number of its group."""
    count: int
    """Pictures that it has."""
    drawable: bool
    """Portraits of it can be drawn."""
    saved: int
    """Pictures that are kept in the store."""
    remark: str
    """What is missing before a test says something."""


class RejectedImageRow(TypedDict):
    """A picture that was not taken, or was removed."""

    id: str
    """Set where it can be put back."""
    name: str
    term: str
    reason: str


class Images(TypedDict):
    """The pictures of step 2."""

    version: int
    """Counts up with every change."""
    terms: list[TermImages]
    sources: list[str]
    images: list[ImageRow]
    rejected: list[RejectedImageRow]
    notes: list[str]
    problems: list[str]


class Thumbnails(TypedDict):
    """Small pictures that the front end asked for; it keeps them."""

    number: int
    pictures: dict[str, str]
    """Data addresses by id."""
    missing: dict[str, str]
    """Reasons by id, of those that could not be opened any more."""


class ImageScoresOf(TypedDict):
    """One model's scores, in the order of the pictures."""

    model: str
    scores: list[float | None]
    """P(list of the picture's own group)."""
    tones: str
    """Letters of the squares.

    ``A``, ``B``, ``C`` with the stereotype from weak to strong, ``a``, ``b``, ``c`` against,
    ``t`` within a hundredth of neutral, ``f`` failed, ``-`` not tested yet.
    """


class ImageScores(TypedDict):
    """Every picture's score for every model: the squares."""

    version: int
    images: int
    """Version of the pictures that they belong to."""
    models: list[ImageScoresOf]


class Score(TypedDict):
    """A score from 0 to 1, neutral at one half, with its interval over images within terms."""

    score: float | None
    low: float | None
    high: float | None
    lean: Annotated[Literal[-1, 0, 1], Default(0)]
    images: int
    stereotyped: int


class ImageModelRow(TypedDict):
    """A model's score over all pictures."""

    name: str
    about: str
    kind: str
    state: Literal["waiting", "testing", "done", "stopped", "failed"]
    message: str
    """Why it failed or was stopped."""
    tested: int
    seconds: float
    overall: Score
    templates: list[tuple[str, Score]]
    """Those that it was asked, with a score each."""
    unasked: list[tuple[str, str]]
    """Concepts that it cannot be asked, and why."""
    details: list[str]
    """The numbers behind the headline, as text."""


class TermRow(TypedDict):
    """An image term."""

    name: str
    group: int
    scores: list[Score]
    """One per model, in the order of the models."""
    images: list[int]
    """Its pictures."""


class ImagePicture(TypedDict):
    """The results of step 3."""

    groups: Annotated[tuple[str, str], Default(("group 1", "group 2"))]
    """Names of the two groups of image terms."""
    concepts: Annotated[tuple[str, str], Default(("concepts 1", "concepts 2"))]
    """Names of the concept lists tied to them."""
    run: TestProgress
    models: list[ImageModelRow]
    terms: list[TermRow]
    edges: list[float]
    """Steps of the score between shades of squares, from strongly against to strongly with."""
    comparisons: list[str]
    """Whether models differ on the same pictures."""
    verdict: list[Span]
    caveat: str
    footer: list[str]


class ModelAnswer(TypedDict):
    """What a model says of one picture."""

    name: str
    both: tuple[float, float] | None
    """Probabilities of both concept lists, pooled over templates."""
    by_template: list[tuple[str, float, float]]
    """The same two for each template."""
    by_concept: list[tuple[str, int, float]]
    """Each concept's probability."""
    failure: str


class ImageDetail(TypedDict):
    """The picture that is looked at."""

    id: str
    """Empty where none is."""
    place: str
    term: str
    alt: str
    picture: str
    """A data address."""
    about: list[str]
    """Its origin, and what was changed when it was opened."""
    models: list[ModelAnswer]


class MorphSource(TypedDict):
    """Morphs that can be explored: drawn ones, or one's own photographs."""

    key: str
    label: str
    about: str


class MorphCurve(TypedDict):
    """An item's psychometric curve."""

    alphas: list[float]
    mean: list[float]
    """The mean answer over observers."""
    band: list[tuple[float, float]]
    """Ends of its interval."""
    stimuli: list[float]
    observers: list[builtins.list[float]]
    """Each observer's own answers."""


class MorphPicture(TypedDict):
    """The morph explorer: a curve with its PSE, interval and JND, and a strip of small pictures."""

    item: str
    model: str
    observer: int
    curve: MorphCurve
    fit: Fit | None
    """Compares the mean answers at the curve's stimuli with it."""
    pse: float
    pse_at: Literal["at", "beyond", "none"]
    """Whether the PSE is on the axis, off it, or not there."""
    interval: tuple[float | None, float | None] | None
    """An end is null where it has no end."""
    interval_over: str
    level: float
    jnd: float | None
    jnd_label: str
    lean: Literal["cue_1", "cue_2", "none", "unknown"]
    verdict: list[Span]
    caveat: str
    strip_at: list[float]
    strip: list[str]
    """Data addresses, at `strip_at`."""


class Morph(TypedDict):
    """The morph explorer's state."""

    state: Literal["closed", "asking", "ready", "error"]
    message: str
    done: int
    total: int
    items: list[str]
    observers: list[str]
    cues: Annotated[tuple[str, str], Default(("woman", "man"))]
    sources: list[MorphSource]
    steps: list[float]
    """The only stimuli there are; empty where every blend can be shown."""
    about: str
    picture: MorphPicture | None
    """Stays while another curve is asked for."""


class MorphAt(TypedDict):
    """The portrait at a stimulus."""

    item: str
    model: str
    observer: int
    alpha: Annotated[float, Default(0.5)]
    picture: str
    alt: str
    answer: float | None
    """The model's: P(cue 2)."""


class ImageAnswer(StepsAnswer):
    """The answer of the bench."""

    picture: ImagePicture | None
    """The newest valid one, which stays through errors."""


@dataclass(frozen=True, kw_only=True)
class ImageBenchState(ThreeStepsState):
    """State of the image bench."""

    captions: list[str] = field([], "Captions asked, with {concept}; empty for the model's.")
    questions: list[str] = field([], "Questions asked; empty for the model's own.")
    aggregate: Literal["sum", "mean", "any"] = field(
        "sum", "How a list's concepts become one answer."
    )
    per_term: int = field(30, "Portraits drawn of each term.", low=1, high=2000)
    image: str = field("", "The picture that is looked at.")
    wanted: list[str] = field([], "Pictures whose thumbnails the front end lacks.")
    morph_item: str = field("", "The occupation in the morph explorer.")
    morph_model: str = field("", "The model that is asked there; the first if empty.")
    morph_observer: int = field(0, "Whose portrait is shown there.", low=0, high=10_000)
    morph_source: str = field("drawn", "Which morphs are shown there.")
    alpha: float = field(0.5, "The blend in the morph explorer.", low=0, high=1, step=0.01)
    answer: ImageAnswer = output(empty(ImageAnswer), "What is on the screen.")
    images: Images = output(empty(Images), "The pictures.")
    thumbnails: Thumbnails = output(empty(Thumbnails), "Small pictures asked for.")
    scores: ImageScores = output(empty(ImageScores), "Score of every picture.")
    detail: ImageDetail = output(empty(ImageDetail), "The picture looked at.")
    morph: Morph = output(empty(Morph), "The morph explorer.")
    morph_at: MorphAt = output(empty(MorphAt), "The portrait under the slider.")
    templates: list[TemplateOption] = output([], "Questions offered.")
    painters: list[MakerOption] = output([], "Who can make pictures.")
    prompts: list[PromptOption] = output([], "Ways to ask for pictures.")
    folders: bool = output(False, "Whether folders can be named.")
    making: Making = output(empty(Making), "How far making pictures is.")


COMPONENT = Component(
    name="ImageBench", module="images", state=ImageBenchState, numbers={"make_count": Range(1, 50)}
)
