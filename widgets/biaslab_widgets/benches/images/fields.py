"""State of the image bench, shared by its controller, both hosts and the front end."""

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
from biaslab_widgets.core.state.records import Fit, Span


class TemplateOption(TypedDict):
    """A caption or a question that can be asked, and which kinds of models take it."""

    text: str
    kind: Literal["caption", "question"]


class ImageRow(TypedDict):
    """A picture of the set; ``term`` and ``source`` are numbers of the set's lists of names.

    ``remark`` says what was changed when it was opened, or what to look at before trusting it.
    """

    id: str
    term: int
    source: int
    alt: str
    remark: str


class TermImages(TypedDict):
    """An image term, the number of its group, and how many pictures it has.

    ``drawable`` when portraits of it can be drawn, ``saved`` how many are kept in the store,
    ``remark`` what is missing before a test says something.
    """

    name: str
    group: int
    count: int
    drawable: bool
    saved: int
    remark: str


class RejectedImageRow(TypedDict):
    """A picture that was not taken, or was removed; ``id`` is set where it can be put back."""

    id: str
    name: str
    term: str
    reason: str


class Images(TypedDict):
    """The pictures of step 2; ``version`` counts up with every change.

    ``id`` of a picture is that of its place: the same picture under two terms has two.
    """

    version: int
    terms: list[TermImages]
    sources: list[str]
    images: list[ImageRow]
    rejected: list[RejectedImageRow]
    notes: list[str]
    problems: list[str]


class Thumbnails(TypedDict):
    """Small pictures that the front end asked for, as data addresses by id; it keeps them.

    ``missing`` could not be opened any more: id to reason.
    """

    number: int
    pictures: dict[str, str]
    missing: dict[str, str]


class ImageScoresOf(TypedDict):
    """One model's scores, in the order of the pictures: P(list of the picture's own group).

    Null where there is none yet. ``tones`` are letters in the same order, as of the squares:
    ``A``, ``B``, ``C`` with the stereotype from weak to strong, ``a``, ``b``, ``c`` against,
    ``t`` within a hundredth of neutral, ``f`` failed, ``-`` not tested yet.
    """

    model: str
    scores: list[float | None]
    tones: str


class ImageScores(TypedDict):
    """Every picture's score for every model: the squares.

    ``images`` is the version of the pictures that they belong to.
    """

    version: int
    images: int
    models: list[ImageScoresOf]


class Score(TypedDict):
    """A score from 0 to 1, neutral at one half, with its interval over images within terms."""

    score: float | None
    low: float | None
    high: float | None
    lean: Literal[-1, 0, 1]
    images: int
    stereotyped: int


class ImageModelRow(TypedDict):
    """A model's score over all pictures.

    ``state`` of one that is ``waiting`` or ``testing`` tells how far it is; ``message`` why it
    ``failed`` or was ``stopped``. ``templates`` are those that it was asked, with a score each.
    ``unasked`` are concepts that it cannot be asked, and why. ``details`` are the numbers behind
    the headline, as text.
    """

    name: str
    about: str
    kind: str
    state: Literal["waiting", "testing", "done", "stopped", "failed"]
    message: str
    tested: int
    seconds: float
    overall: Score
    templates: list[tuple[str, Score]]
    unasked: list[tuple[str, str]]
    details: list[str]


class TermRow(TypedDict):
    """An image term: a score per model, in the order of the models; which pictures are its."""

    name: str
    group: int
    scores: list[Score]
    images: list[int]


class ImageRun(TypedDict):
    """How far the test is; ``stale`` when pictures or questions have changed since."""

    number: int
    running: bool
    done: int
    total: int
    seconds: float
    seconds_left: float | None
    stale: bool
    untested: int


class ImagePicture(TypedDict):
    """The results of step 3.

    ``groups`` are the names of the two groups of image terms, ``concepts`` those of the concept
    lists tied to them, ``edges`` the steps of the score between the shades of the squares, from
    strongly against to strongly with the stereotype. ``comparisons`` say whether models differ on
    the same pictures.
    """

    groups: tuple[str, str]
    concepts: tuple[str, str]
    run: ImageRun
    models: list[ImageModelRow]
    terms: list[TermRow]
    edges: list[float]
    comparisons: list[str]
    verdict: list[Span]
    caveat: str
    footer: list[str]


class ModelAnswer(TypedDict):
    """What a model says of one picture: probabilities of both concept lists, pooled over templates.

    ``by_template`` has the same two for each template, ``by_concept`` each concept's probability.
    """

    name: str
    both: tuple[float, float] | None
    by_template: list[tuple[str, float, float]]
    by_concept: list[tuple[str, int, float]]
    failure: str


class ImageDetail(TypedDict):
    """The picture that is looked at; ``id`` is empty where none is.

    ``picture`` is a data address. ``about`` are its origin and what was changed when it was opened.
    """

    id: str
    place: str
    term: str
    alt: str
    picture: str
    about: list[str]
    models: list[ModelAnswer]


class MorphSource(TypedDict):
    """Morphs that can be explored: drawn ones, or one's own photographs."""

    key: str
    label: str
    about: str


class MorphCurve(TypedDict):
    """An item's psychometric curve: the mean answer over observers, and each observer's own.

    ``band`` are the ends of the mean answer's interval at the same stimuli.
    """

    alphas: list[float]
    mean: list[float]
    band: list[tuple[float, float]]
    stimuli: list[float]
    observers: list[builtins.list[float]]


class MorphPicture(TypedDict):
    """The morph explorer: a curve with its PSE, interval and JND, and a strip of small pictures.

    ``pse_at`` is ``beyond`` where the PSE lies off the axis and ``none`` where there is none. An
    end of ``interval`` is null where it has no end. ``fit`` compares the mean answers at the
    curve's ``stimuli`` with it. ``strip`` are data addresses at ``strip_at``.
    """

    item: str
    model: str
    observer: int
    curve: MorphCurve
    fit: Fit | None
    pse: float
    pse_at: Literal["at", "beyond", "none"]
    interval: tuple[float | None, float | None] | None
    interval_over: str
    level: float
    jnd: float | None
    jnd_label: str
    lean: Literal["cue_1", "cue_2", "none", "unknown"]
    verdict: list[Span]
    caveat: str
    strip_at: list[float]
    strip: list[str]


class Morph(TypedDict):
    """The morph explorer's state; ``picture`` stays while another curve is asked for.

    ``steps`` are the only stimuli there are, or empty where every blend can be shown.
    """

    state: Literal["closed", "asking", "ready", "error"]
    message: str
    done: int
    total: int
    items: list[str]
    observers: list[str]
    cues: tuple[str, str]
    sources: list[MorphSource]
    steps: list[float]
    about: str
    picture: MorphPicture | None


class MorphAt(TypedDict):
    """The portrait at a stimulus, and the model's answer to it: P(cue 2)."""

    item: str
    model: str
    observer: int
    alpha: float
    picture: str
    alt: str
    answer: float | None


class PainterOption(TypedDict):
    """Who can make pictures: an endpoint, or a pipeline on this machine."""

    key: str
    name: str
    about: str
    endpoint: bool


class ImagePrompt(TypedDict):
    """A way to ask for pictures."""

    key: str
    label: str
    text: str


class ImageAnswer(StepsAnswer):
    """The answer of the bench; ``picture`` is the newest valid one and stays through errors."""

    picture: ImagePicture | None


NO_IMAGE_ANSWER: ImageAnswer = {**NO_STEPS_ANSWER, "picture": None}
NO_IMAGES: Images = {
    "version": 0,
    "terms": [],
    "sources": [],
    "images": [],
    "rejected": [],
    "notes": [],
    "problems": [],
}
NO_THUMBNAILS: Thumbnails = {"number": 0, "pictures": {}, "missing": {}}
NO_IMAGE_SCORES: ImageScores = {"version": 0, "images": 0, "models": []}
NO_IMAGE_DETAIL: ImageDetail = {
    "id": "",
    "place": "",
    "term": "",
    "alt": "",
    "picture": "",
    "about": [],
    "models": [],
}
NO_MORPH: Morph = {
    "state": "closed",
    "message": "",
    "done": 0,
    "total": 0,
    "items": [],
    "observers": [],
    "cues": ("woman", "man"),
    "sources": [],
    "steps": [],
    "about": "",
    "picture": None,
}
NO_MORPH_AT: MorphAt = {
    "item": "",
    "model": "",
    "observer": 0,
    "alpha": 0.5,
    "picture": "",
    "alt": "",
    "answer": None,
}


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
    morph_observer: int = field(0, "Whose portrait is shown there.", low=0)
    morph_source: str = field("drawn", "Which morphs are shown there.")
    alpha: float = field(0.5, "The blend in the morph explorer.", low=0, high=1)
    answer: ImageAnswer = output(NO_IMAGE_ANSWER, "What is on the screen.")
    images: Images = output(NO_IMAGES, "The pictures.")
    thumbnails: Thumbnails = output(NO_THUMBNAILS, "Small pictures asked for.")
    scores: ImageScores = output(NO_IMAGE_SCORES, "Score of every picture.")
    detail: ImageDetail = output(NO_IMAGE_DETAIL, "The picture looked at.")
    morph: Morph = output(NO_MORPH, "The morph explorer.")
    morph_at: MorphAt = output(NO_MORPH_AT, "The portrait under the slider.")
    templates: list[TemplateOption] = output([], "Questions offered.")
    painters: list[PainterOption] = output([], "Who can make pictures.")
    prompts: list[ImagePrompt] = output([], "Ways to ask for pictures.")
    folders: bool = output(False, "Whether folders can be named.")
    making: Making = output(NO_MAKING, "How far making pictures is.")


COMPONENT = Component(name="ImageBench", module="images", state=ImageBenchState)
