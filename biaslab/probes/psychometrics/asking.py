"""Question and responses of a two-alternative task, for every kind of subject.

A kind of subject is one function from a `Task` to its `Responses`; they stand in
`biaslab.probes.psychometrics.kinds`, which maps subjects to them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import PsychometricError, QueryError, SpecError
from biaslab.frames import FrameSet
from biaslab.jobs.context import JobContext, current_context
from biaslab.probes.letter_bias import LetterBias
from biaslab.probes.psychometrics.answers import AnyRaw
from biaslab.probes.psychometrics.options import (
    DEFAULT_FIT,
    STUDENT,
    Adaptive,
    Fit,
    Repeated,
    Scoring,
)
from biaslab.probes.psychometrics.perception import EXACT, Perception
from biaslab.records.result import Dropped
from biaslab.specs import get

Pair = tuple[str, str]
ANSWERS = "P(cue 2) of both cues"
"""Scoring of a model that answers with its own probabilities."""
_EQUAL = 1e-12
"""Weights that differ by less are equal."""


@dataclass(frozen=True)
class Task:
    """A two-alternative task, validated as far as possible without the subject.

    Attributes
    ----------
    items : tuple of str
        Words, each once.
    pairs : tuple of (str, str)
        Cue pairs.
    observers, replicates, levels, scoring, perception, level
        As of `biaslab.two_afc`.
    trials : Repeated, Adaptive or None
        How a function that answers trial by trial is asked.
    fit : Fit
    weights : ndarray, shape (K,)
        Prior probability of each pair.
    seed : int
        Of the order in which cues are offered.
    context : JobContext
        Progress and stops.
    """

    items: tuple[str, ...]
    pairs: tuple[Pair, ...]
    observers: Any = None
    replicates: int | None = None
    levels: int | None = None
    trials: Repeated | Adaptive | None = None
    scoring: Scoring = "eq8"
    perception: Perception = EXACT
    fit: Fit = DEFAULT_FIT
    weights: NDArray[np.float64] = field(default_factory=lambda: np.ones(1))
    level: float = 0.95
    seed: int = 0
    context: JobContext = field(default_factory=current_context)

    @property
    def count(self) -> int:
        """Number of stimuli from 0 to 1.

        Raises `ValueError` when there are fewer than two.
        """
        default = 21 if self.trials is None else self.trials.levels
        levels = default if self.levels is None else self.levels
        if levels < 2:
            raise ValueError(f"levels is {levels}; use at least 2 stimuli, such as 21.")
        return levels

    @property
    def stimuli(self) -> NDArray[np.float64]:
        """The stimuli, shape (count,)."""
        return np.linspace(0, 1, self.count)

    @property
    def has_sampled_prior(self) -> bool:
        """Whether cue pairs that count as a sample have unequal weights."""
        return self.fit.pairs_as == "resampled" and bool(np.ptp(self.weights) > _EQUAL)

    @property
    def all_usable(self) -> NDArray[np.bool_]:
        """A mask in which every cue pair is usable."""
        return np.ones(len(self.pairs), dtype=bool)


KINDS: Final = {
    "embedding": "An embedding",
    "encoder": "An encoder",
    "language model": "A language model",
    "vision-language model": "A vision-language model",
    "function": "A function that answers with probabilities",
    "chooser": "A function that answers trial by trial",
    "trials": "A table of trials",
}
"""Kinds of subjects, as a sentence begins with them."""
_STEPS, _MODELS = ("embedding", "encoder"), ("language model", "vision-language model")
_CHOSEN = ("chooser", "trials")


@dataclass(frozen=True)
class Option:
    """An option of `biaslab.two_afc`, and the kinds of subjects that do not take it.

    Attributes
    ----------
    name : str
        As in a call.
    is_given : callable
    refused : mapping of str to str
        By kind, what follows its name: why not, and what to do instead.
    """

    name: str
    is_given: Callable[[Task], bool]
    refused: Mapping[str, str]


def _to(*kinds: str, why: str) -> dict[str, str]:
    return dict.fromkeys(kinds, why)


_COLLECTED = {"trials": "is already collected: leave out trials, observers and replicates."}
OPTIONS: Final = (
    Option(
        "observers=bl.frames.get(...)",
        lambda task: isinstance(task.observers, FrameSet),
        {"encoder": "reads sentences with {} for the word: write some, observers=['...{}...']."}
        | _to("embedding", "vision-language model", "function", *_CHOSEN, why="reads no frames of a"
              " language, which are sentences for a language model. Leave them out."),
    ),
    Option(
        "observers",
        lambda task: task.observers is not None,
        {"embedding": "has its replicates for observers: leave them out, or pass replicates=8."}
        | _COLLECTED,
    ),
    Option(
        "replicates",
        lambda task: task.replicates is not None,
        _to("function", "chooser", why="has no replicates: pass how many observers, observers=8.")
        | _COLLECTED,
    ),
    Option(
        "levels",
        lambda task: task.levels is not None,
        {"trials": "has the stimuli that were shown. Leave out levels."},
    ),
    Option(
        "trials",
        lambda task: task.trials is not None,
        _to(*_STEPS, *_MODELS, why="gives the same answer each time, so it takes no trials. Leave"
            " them out.") | _COLLECTED,
    ),
    Option(
        "scoring",
        lambda task: task.scoring != "eq8",
        _to(*_MODELS, "function", *_CHOSEN, why="has no vectors to score. Leave out scoring."),
    ),
    Option(
        "perception",
        lambda task: task.perception != EXACT,
        _to(*_MODELS, why="answers with its own probabilities, so it takes no noise, prior or"
            " decision rule. Leave out perception.")
        | _to(*_CHOSEN, why="has choices of its own, so it takes no noise, prior or decision rule."
              " Leave out perception."),
    ),
    Option(
        "family='empirical'",
        lambda task: task.fit.is_empirical,
        _to(*_MODELS, *_CHOSEN, why="has no distribution of switch points. Choose another family,"
            " such as family='normal'."),
    ),
    Option(
        "family='t3' to 't10'",
        lambda task: task.fit.family in STUDENT,
        _to(*_STEPS, "function", why="has switch points, which take no curve of Student's t. For"
            " long tails choose family='empirical'."),
    ),
    Option(
        "lapses",
        lambda task: task.fit.lapses != "free",
        _to(*_STEPS, why="answers with a step, without guess and lapse rates. Leave out lapses."),
    ),
    Option(
        "cues=CuePairs(prior=...)",
        lambda task: task.has_sampled_prior,
        _to(*_CHOSEN, why="counts cue pairs with a prior as all there are: pass CuePairs(...,"
            " pairs_as='fixed')."),
    ),
)  # fmt: skip
"""What does not apply is refused; docs/benches/psychometric.md prints this table."""


def check_options(kind: str, task: Task) -> None:
    """Refuse options that a kind of subject does not take.

    Raises `PsychometricError` if one was given; says what to do.
    """
    for option in OPTIONS:
        if kind in option.refused and option.is_given(task):
            raise PsychometricError(f"{KINDS[kind]} {option.refused[kind]}")


@dataclass(frozen=True)
class Responses:
    """Responses of a subject of any kind.

    Attributes
    ----------
    items, pairs : tuple
        The n items and K pairs that the subject answered.
    usable : ndarray of bool
        Which of the task's pairs these are.
    raw : Raw
        The answers.
    observer : str
        Name of the observers, in the plural.
    scoring, observer_names, ends, notes, letters
        As of `biaslab.probes.psychometrics.result.TwoAFCResult`.
    dropped : tuple of Dropped
        Items and cue pairs that the subject cannot answer, with reasons.
    details : mapping of str to Any
        Further settings of the answers, for the provenance.
    """

    items: tuple[str, ...]
    pairs: tuple[Pair, ...]
    usable: NDArray[np.bool_]
    raw: AnyRaw
    observer: str
    scoring: str
    observer_names: tuple[str, ...] = ()
    ends: tuple[str, str] | None = None
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    letters: LetterBias | None = None


Way = Callable[[Any, Task], Responses]
"""Function that asks a kind of subject."""


def nothing_left(what: str, name: str, dropped: Sequence[Dropped]) -> QueryError:
    """Return the error when no item, cue pair or observer is left.

    - `what`: missing part: ``"item"``, ``"cue pair"``.
    - `name`: of the subject.
    - `dropped`: dropped inputs, with reasons.
    """
    reasons = "; ".join(f"{d.term!r} {d.reason}" + _offer(d.suggestions) for d in dropped)
    text = f"No {what} is left that {name!r} knows: {reasons}"
    return QueryError(f"{text}{_offer_spec(dropped)}", dropped=tuple(dropped))


def _offer_spec(dropped: Sequence[Dropped]) -> str:
    """Say how to pass the words of a spec where its name was taken for a word."""
    # A path is not read here: it may come from a page of the app.
    if len(dropped) != 1 or not dropped[0].term.replace("-", "").isalnum():
        return ""
    try:
        spec = get(dropped[0].term)
    except SpecError:
        return ""
    if not spec.items:
        return ""
    return f". The words of the spec of that name are bl.specs.get({spec.name!r}).items."


def _offer(suggestions: Sequence[str]) -> str:
    return f" (nearest known: {', '.join(suggestions)})" if suggestions else ""
