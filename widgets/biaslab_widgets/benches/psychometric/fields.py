"""State of the psychometric bench, shared by its controller, both hosts and the front end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypedDict

from biaslab_widgets.core.state.bench_state import (
    NO_BENCH_ANSWER,
    NO_PROGRESS,
    BenchAnswer,
    TaskState,
)
from biaslab_widgets.core.state.fields import Component, field, output
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
    """One entry per row of the picture: a replicate under a cue pair, in training order.

    ``switch`` is where the row's answer flips (alpha*, moved by the observer's prior if there is
    one); ``sim_1`` and ``sim_2`` are cos(word, cue), ``sim_cues`` is cos(cue 1, cue 2).
    """

    replicate: list[int]
    pair: list[int]
    switch: list[float]
    sim_1: list[float]
    sim_2: list[float]
    sim_cues: list[float]
    answers: list[list[float]]


class Curve(TypedDict):
    """The fitted curve and its band: share answering cue 2, from 0 to 1, against alpha."""

    alpha: list[float]
    share: list[float]
    low: list[float]
    high: list[float]


class Levels(TypedDict):
    """The observed share of cue-2 answers at each stimulus level."""

    alpha: list[float]
    share: list[float]


class Jnd(TypedDict):
    """The JND, its interval (null when nothing varies) and the bracket that shows it."""

    value: float
    interval: tuple[float, float] | None
    start: float
    end: float
    label: str


class Picture(TypedDict):
    """Everything drawn for one word. Stimuli are alpha, the share of cue 2, where 0.5 is neutral.

    ``pairs`` are the cue pairs that were asked, in the order that ``rows.pair`` counts;
    ``interval_over`` says what the corpus interval ranges over. ``pse_at`` says whether the PSE is
    a number, lies 1e9 beyond an end of the axis, or is not there (``pse`` is then 0.5); ends of
    ``corpus`` may be 1e9 away too. ``available`` counts the observers that there are, ``names``
    has their names where they have any.
    """

    word: str
    cue_1: str
    cue_2: str
    pairs: list[tuple[str, str]]
    verdict: list[Span]
    caveat: str
    lean: Literal["cue_1", "cue_2", "none", "unknown"]
    rows: Rows
    row_noise: float
    curve: Curve
    levels: Levels
    fit: Fit | None
    pse: float
    pse_at: Literal["at", "beyond", "none"]
    corpus: tuple[float, float] | None
    monte_carlo: tuple[float, float] | None
    interval_level: float
    interval_over: str
    jnd: Jnd | None
    axis: tuple[float, float]
    outside: int
    unit: str
    available: int
    names: list[str]
    footer: list[str]


class Answer(BenchAnswer):
    """An answer; ``picture`` is the newest valid one and stays through errors."""

    picture: Picture | None
    position: str


NO_ANSWER: Answer = {**NO_BENCH_ANSWER, "picture": None, "position": ""}


class ShownPassage(TypedDict):
    """A passage that pulls the PSE: its number in the corpus, its pull with interval, its words.

    Pulls are in units of alpha, above 0 toward cue 1.
    """

    line: int
    pull: float
    low: float
    high: float
    text: list[Span]


class Traced(TypedDict):
    """The passages that make a bias.

    ``possible`` says whether the question on the screen can be traced, ``current`` whether it is
    the traced one; ``checked`` whether passages were really left out.
    """

    state: Literal["none", "working", "ready", "error"]
    possible: bool
    current: bool
    word: str
    problem: str
    progress: Progress
    cue_1: str
    cue_2: str
    verdict: list[Span]
    caveat: str
    checked: bool
    toward_1: list[ShownPassage]
    toward_2: list[ShownPassage]


NO_TRACED: Traced = {
    "state": "none",
    "possible": False,
    "current": False,
    "word": "",
    "problem": "",
    "progress": NO_PROGRESS,
    "cue_1": "",
    "cue_2": "",
    "verdict": [],
    "caveat": "",
    "checked": False,
    "toward_1": [],
    "toward_2": [],
}


class LayerPoint(TypedDict):
    """One layer: PSE, JND and the answer to an even blend with their intervals.

    Numbers are shares, null where there is none. Ends of ``corpus``, the interval of the PSE, and a
    PSE may be 1e9 away. ``share`` is the mean answer at each stimulus.
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


class Layered(TypedDict):
    """The curves of all layers of a language model.

    ``current`` says whether they are of the question on the screen; ``alpha`` has its stimuli.
    ``before`` and ``after`` are the layers between which the lean grows most, -1 where that is not
    clear; ``arises`` says whether it arises there.
    """

    state: Literal["none", "working", "ready", "error"]
    current: bool
    word: str
    problem: str
    progress: Progress
    cue_1: str
    cue_2: str
    verdict: list[Span]
    caveat: str
    alpha: list[float]
    layers: list[LayerPoint]
    before: int
    after: int
    arises: bool


NO_LAYERED: Layered = {
    "state": "none",
    "current": False,
    "word": "",
    "problem": "",
    "progress": NO_PROGRESS,
    "cue_1": "",
    "cue_2": "",
    "verdict": [],
    "caveat": "",
    "alpha": [],
    "layers": [],
    "before": -1,
    "after": -1,
    "arises": False,
}


@dataclass(frozen=True, kw_only=True)
class PsychometricBenchState(TaskState):
    """State of the psychometric bench."""

    word: str = field("", "The item: the word asked about.")
    words: list[str] = field([], "Words that the up and down keys step through.")
    pairs: list[tuple[str, str]] = field(GENDER_PAIRS, "Cue pairs offered: (cue 1, cue 2).")
    selected_pairs: list[int] = field([0], "Which of the cue pairs are asked, pooled if several.")
    alpha: float = field(
        0.5, "The stimulus: share of cue 2 in the blend.", low=0, high=1, view=True
    )
    noise: float = field(0.0, "Perceptual noise: SD of the perceived alpha.", low=0, high=0.5)
    prior_sd: float = field(
        0.0, "SD of the observer's prior on alpha around 0.5; 0 is flat.", low=0, high=1
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
    answer: Answer = output(NO_ANSWER, "What is on the screen.")
    layered: Layered = output(NO_LAYERED, "The curves of all layers.")
    traced: Traced = output(NO_TRACED, "The passages that make the bias.")


COMPONENT = Component(name="PsychometricBench", module="psychometric", state=PsychometricBenchState)
