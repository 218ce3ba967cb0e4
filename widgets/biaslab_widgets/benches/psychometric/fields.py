"""State of the psychometric bench, shared by its controller, both hosts and the front end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypedDict

from biaslab_widgets.core.state.bench_state import BenchAnswer, TaskState
from biaslab_widgets.core.state.fields import Component, Default, empty, field, output
from biaslab_widgets.core.state.records import Fit, Progress, Span

GENDER_PAIRS = [
    ["female", "male"],
    ["woman", "man"],
    ["girl", "boy"],
    ["sister", "brother"],
    ["she", "he"],
    ["her", "him"],
    ["hers", "his"],
    ["daughter", "son"],
]


ENGLISH = "en"
"""The language of the frames that depend on the words."""


class Rows(TypedDict):
    """One entry per row of the picture: a replicate under a cue pair, in training order."""

    replicate: list[int]
    pair: list[int]
    switch: list[float]
    """Where the row's answer flips: alpha*, moved by the observer's prior if there is one."""
    sim_1: list[float]
    """cos(word, cue 1)."""
    sim_2: list[float]
    """cos(word, cue 2)."""
    sim_cues: list[float]
    """cos(cue 1, cue 2)."""
    answers: list[list[float]]


class Curve(TypedDict):
    """The fitted curve and its band: share answering cue 2, from 0 to 1, against alpha."""

    alpha: list[float]
    share: list[float]
    low: list[float]
    high: list[float]
    family: str
    """Which one it is: what "auto" came to."""


class Levels(TypedDict):
    """The observed share of cue-2 answers at each stimulus level."""

    alpha: list[float]
    share: list[float]


class Jnd(TypedDict):
    """The JND and the bracket that shows it."""

    value: float
    interval: tuple[float, float] | None
    """Null when nothing varies."""
    start: float
    end: float
    label: str


class Picture(TypedDict):
    """Everything drawn for one word. Stimuli are alpha, the share of cue 2; 0.5 is neutral."""

    word: str
    cue_1: Annotated[str, Default("cue 1")]
    cue_2: Annotated[str, Default("cue 2")]
    pairs: list[tuple[str, str]]
    """Cue pairs that were asked, in the order that ``rows.pair`` counts."""
    verdict: list[Span]
    caveat: str
    lean: Annotated[Literal["cue_1", "cue_2", "none", "unknown"], Default("unknown")]
    rows: Rows
    row_noise: float
    curve: Curve
    levels: Levels
    fit: Fit | None
    pse: Annotated[float, Default(0.5)]
    """0.5 where there is none."""
    pse_at: Literal["at", "beyond", "none"]
    """Whether the PSE is a number, lies 1e9 beyond an end of the axis, or is not there."""
    corpus: tuple[float, float] | None
    """Its ends may be 1e9 away too."""
    monte_carlo: tuple[float, float] | None
    interval_level: Annotated[float, Default(0.95)]
    interval_over: Annotated[str, Default("resampled corpora")]
    """What the corpus interval ranges over."""
    jnd: Jnd | None
    axis: Annotated[tuple[float, float], Default((0.0, 1.0))]
    outside: int
    unit: str
    available: int
    """Observers that there are."""
    names: list[str]
    """Theirs, where they have any."""
    footer: list[str]


class Answer(BenchAnswer):
    """An answer."""

    picture: Picture | None
    """The newest valid one, which stays through errors."""
    position: str


class ShownPassage(TypedDict):
    """A passage that pulls the PSE."""

    line: int
    """Its number in the corpus."""
    pull: float
    """In units of alpha, above 0 toward cue 1."""
    low: float
    high: float
    text: list[Span]


class Traced(TypedDict):
    """The passages that make a bias."""

    state: Literal["none", "working", "ready", "error"]
    offered: bool
    """Whether the subject's corpus was counted: only then are passages offered."""
    possible: bool
    """Whether the question on the screen can be traced."""
    current: bool
    """Whether that is the traced one."""
    word: str
    problem: str
    progress: Progress
    cue_1: str
    cue_2: str
    verdict: list[Span]
    caveat: str
    checked: bool
    """Whether passages were really left out."""
    toward_1: list[ShownPassage]
    toward_2: list[ShownPassage]


class LayerPoint(TypedDict):
    """One layer: PSE, JND and the answer to an even blend, shares that are null without a number.

    A PSE and the ends of its interval `corpus` may be 1e9 away.
    """

    layer: int
    name: str
    pse: float | None
    corpus: tuple[float, float] | None
    jnd: float | None
    jnd_interval: tuple[float, float] | None
    even: float
    even_interval: tuple[float, float] | None
    lean: Literal["cue_1", "cue_2", "none", "unknown"]
    share: list[float]
    """The mean answer at each stimulus."""


class Layered(TypedDict):
    """The curves of all layers of a language model."""

    state: Literal["none", "working", "ready", "error"]
    current: bool
    """Whether they are of the question on the screen."""
    word: str
    problem: str
    progress: Progress
    cue_1: str
    cue_2: str
    verdict: list[Span]
    caveat: str
    alpha: list[float]
    """Stimuli of the question."""
    layers: list[LayerPoint]
    before: Annotated[int, Default(-1)]
    """The layer after which the lean grows most; -1 where that is not clear."""
    after: Annotated[int, Default(-1)]
    """The layer by which it has grown."""
    arises: bool
    """Whether it arises there."""


@dataclass(frozen=True, kw_only=True)
class PsychometricBenchState(TaskState):
    """State of the psychometric bench."""

    word: str = field("", "The item: the word asked about.")
    words: list[str] = field([], "Words that the up and down keys step through.")
    pairs: list[tuple[str, str]] = field(GENDER_PAIRS, "Cue pairs offered: (cue 1, cue 2).")
    selected_pairs: list[int] = field(
        [0], "Which of the cue pairs are asked, pooled if several.", low=0, high=10_000
    )
    alpha: float = field(
        0.5, "The stimulus: share of cue 2 in the blend.", low=0, high=1, step=0.01, view=True
    )
    noise: float = field(
        0.0, "Perceptual noise: SD of the perceived alpha.", low=0, high=0.5, step=0.01
    )
    prior_sd: float = field(
        0.0, "SD of the observer's prior on alpha around 0.5; 0 is flat.", low=0, high=1, step=0.01
    )
    decision: Literal["maximise", "sample"] = field(
        "maximise", "How the observer decides from its posterior."
    )
    rates: Literal["free", "equal", "none"] = field(
        "free", "Guess and lapse rates of graded answers: fitted, fitted as one, or 0."
    )
    replicates: int = field(0, "Replicates used, from the first; 0 is all.", low=0, high=4096)
    levels: int = field(21, "Number of stimulus levels asked.", low=3, high=101)
    language: Literal["en", "de", "es", "fr", "it", "nl", "pl", "pt", "tr"] = field(
        ENGLISH, "Language of the frames in which a language model is asked."
    )
    frame_design: Literal["neutral", "both", "feminine", "masculine"] = field(
        "neutral", "How the item stands in the frames of a language other than English."
    )
    layer: int = field(
        0, "Layer of a language model that the stimulus is patched in at; 0 is its input.",
        low=0, high=1024,
    )  # fmt: skip
    all_layers: bool = field(False, "Ask a language model at every layer too.")
    fit_axis: bool = field(False, "Zoom the stimulus axis to the switch points.")
    residuals: bool = field(
        False, "Show where the curve misses the answers, and its predictive band.", view=True
    )
    answer: Answer = output(empty(Answer), "What is on the screen.")
    layered: Layered = output(empty(Layered), "The curves of all layers.")
    traced: Traced = output(empty(Traced), "The passages that make the bias.")


COMPONENT = Component(name="PsychometricBench", module="psychometric", state=PsychometricBenchState)
