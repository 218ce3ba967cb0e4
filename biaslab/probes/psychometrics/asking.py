"""What a two-alternative task asks, and what every kind of subject gives back.

A kind of subject is one function from a `Task` to what was `Asked` of it, in a file of its own;
`biaslab.probes.psychometrics.kinds` says which subject goes to which.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.jobs import JobContext
from biaslab.probes.psychometrics.perception import Perception
from biaslab.probes.psychometrics.switch_points import Scoring
from biaslab.results import Dropped
from biaslab.stats.replicates import Family

Pair = tuple[str, str]
Floats = NDArray[np.floating[Any]]
ANSWERS = "P(cue 2) of both cues"
"""What the answer of a model with probabilities of its own is."""


@dataclass(frozen=True)
class Task:
    """A two-alternative task, checked but for what only the subject knows.

    Attributes
    ----------
    items : tuple of str
        Words, each once.
    pairs : tuple of (str, str)
        Cue pairs.
    levels : int
        Number of stimuli from 0 to 1.
    scoring, curve, perception, replicates, observers, vectorised, memory_mb
        As of `biaslab.two_afc`.
    context : JobContext
        Progress and stops.
    """

    items: tuple[str, ...]
    pairs: tuple[Pair, ...]
    levels: int
    scoring: Scoring
    curve: Family
    perception: Perception
    replicates: int | None
    observers: Any
    vectorised: bool
    memory_mb: float | None
    context: JobContext

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
        """That every cue pair could be asked."""
        return np.ones(len(self.pairs), dtype=bool)

    def refuse_perception(self, what: str) -> None:
        """Refuse a noise, a prior or a rule for a subject that has probabilities of its own.

        Parameters
        ----------
        what : str
            What the subject is, such as ``"A language model"``.

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


@dataclass(frozen=True)
class Asked:
    """What a subject of any kind answered.

    Attributes
    ----------
    items, pairs : tuple
        Those that could be asked.
    usable : ndarray of bool
        Which of the task's pairs these are.
    switch : ndarray, shape (B, n, K)
        Switch points of the observers.
    observer : str
        What an observer is, in the plural.
    scoring : str
        How an answer comes about.
    similarities, own_noise, answers, observer_names, ends, notes
        As of `biaslab.probes.psychometrics.result.TwoAFCResult`.
    dropped : tuple of Dropped
        What could not be asked, and why.
    levels : int or None
        Number of stimuli from 0 to 1, where they were not those of the task.
    details : mapping of str to Any
        What else the answers follow from, for the provenance.
    """

    items: tuple[str, ...]
    pairs: tuple[Pair, ...]
    usable: NDArray[np.bool_]
    switch: Floats
    observer: str
    scoring: str
    similarities: Floats = field(default_factory=lambda: np.empty(0))
    own_noise: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    answers: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    observer_names: tuple[str, ...] = ()
    ends: tuple[str, str] | None = None
    dropped: tuple[Dropped, ...] = ()
    levels: int | None = None
    notes: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


Way = Callable[[Any, Task], Asked]
"""How a kind of subject is asked."""


def nothing_left(what: str, name: str, dropped: Sequence[Dropped]) -> QueryError:
    """The error when no item, cue pair or observer is left to ask a subject about.

    Parameters
    ----------
    what : str
        What is missing: ``"item"``, ``"cue pair"``.
    name : str
        Of the subject.
    dropped : sequence of Dropped
        What could not be asked, and why.
    """
    told = "; ".join(f"{d.term!r} {d.reason}" + _offer(d.suggestions) for d in dropped)
    return QueryError(f"No {what} is left that {name!r} knows: {told}", dropped=tuple(dropped))


def _offer(suggestions: Sequence[str]) -> str:
    return f" (nearest known: {', '.join(suggestions)})" if suggestions else ""
