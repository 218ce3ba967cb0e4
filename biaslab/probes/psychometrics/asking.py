"""Question and responses of a two-alternative task, for every kind of subject.

A kind of subject is one function from a `Task` to its `Responses`; they stand in
`biaslab.probes.psychometrics.kinds`, which maps subjects to them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError, SpecError
from biaslab.jobs.job import JobContext
from biaslab.probes.letter_bias import LetterBias
from biaslab.probes.psychometrics.answers import AnyRaw
from biaslab.probes.psychometrics.options import STUDENT, Placing, Rates, Scoring, Shape
from biaslab.probes.psychometrics.perception import Perception
from biaslab.records.result import Dropped
from biaslab.specs import get

Pair = tuple[str, str]
ANSWERS = "P(cue 2) of both cues"
"""Scoring of a model that answers with its own probabilities."""


@dataclass(frozen=True)
class Task:
    """A two-alternative task, validated as far as possible without the subject.

    Attributes
    ----------
    items : tuple of str
        Words, each once.
    pairs : tuple of (str, str)
        Cue pairs.
    levels : int
        Number of stimuli from 0 to 1.
    scoring, curve, rates, perception, replicates, observers, vectorised, memory_mb, trials, orders
        As of `biaslab.two_afc`.
    context : JobContext
        Progress and stops.
    """

    items: tuple[str, ...]
    pairs: tuple[Pair, ...]
    levels: int
    scoring: Scoring
    curve: Shape
    rates: Rates
    perception: Perception
    replicates: int | None
    observers: Any
    vectorised: bool
    memory_mb: float | None
    context: JobContext
    trials: int | None = None
    orders: str = "both"
    placing: Placing | None = None

    @property
    def stimuli(self) -> NDArray[np.float64]:
        """The stimuli, shape (levels,).

        Raises
        ------
        ValueError
            When there are fewer than two.
        """
        if self.levels < 2:
            raise ValueError(f"levels is {self.levels}; use at least 2 stimuli, such as 21.")
        return np.linspace(0, 1, self.levels)

    @property
    def all_usable(self) -> NDArray[np.bool_]:
        """A mask in which every cue pair is usable."""
        return np.ones(len(self.pairs), dtype=bool)

    def refuse_student(self, what: str) -> None:
        """Refuse a curve of Student's t for a subject whose switch points it would be fitted to.

        Parameters
        ----------
        what : str
            Kind of subject, such as ``"An embedding"``.

        Raises
        ------
        ValueError
            If it was chosen.
        """
        if self.curve in STUDENT:
            raise ValueError(
                f"{what} has switch points, which take no curve={self.curve!r}. For long tails"
                " choose curve='empirical'."
            )

    def refuse_trials(self, what: str) -> None:
        """Refuse to put questions several times to a subject that always answers alike.

        Parameters
        ----------
        what : str
            Kind of subject, such as ``"An embedding"``.

        Raises
        ------
        ValueError
            If a number of trials, or adaptive placement, was asked for.
        """
        if self.placing is not None:
            raise ValueError(
                f"{what} answers every stimulus exactly and at once, so choosing stimuli one by one"
                " would save nothing. Leave out method='adaptive', which is for subjects that"
                " choose trial by trial."
            )
        if self.trials is not None:
            raise ValueError(
                f"{what} gives the same answer each time, so it takes no trials. Leave them out."
            )

    def refuse_of_steps(self, what: str) -> None:
        """Refuse options of answers that are steps for a subject with probabilities of its own.

        These are a noise, a prior and a decision rule, and the empirical curve.

        Parameters
        ----------
        what : str
            Kind of subject, such as ``"A language model"``.

        Raises
        ------
        ValueError
            If one was given.
        """
        if self.perception != Perception():
            raise ValueError(
                f"{what} answers with its own probabilities, so it takes no noise, prior or"
                " decision rule. Leave out perception."
            )
        if self.curve == "empirical":
            raise ValueError(
                f"{what} answers with probabilities, which have no distribution of switch points."
                " Choose a curve of another shape, such as curve='normal'."
            )


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

    Parameters
    ----------
    what : str
        Missing part: ``"item"``, ``"cue pair"``.
    name : str
        Of the subject.
    dropped : sequence of Dropped
        Dropped inputs, with reasons.
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
