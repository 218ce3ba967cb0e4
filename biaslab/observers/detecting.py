"""Simulated observers of signal and noise, whose sensitivity and criterion are known."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from biaslab.errors import ObserverError
from biaslab.records.calls import recorded


@dataclass(frozen=True, eq=False)
class DetectedAnswers(Mapping[str, tuple[Any, ...]]):
    """Answers of a simulated observer: a table for `biaslab.sensitivity`.

    Attributes
    ----------
    columns : mapping of str to tuple
        ``group``, ``cue``, ``truth`` and ``answer``, a value for each answer.
    d_prime, criterion : mapping of str to float
        The truth of each group.
    """

    columns: Mapping[str, tuple[Any, ...]]
    d_prime: Mapping[str, float]
    criterion: Mapping[str, float]

    def __getitem__(self, name: str) -> tuple[Any, ...]:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)


@recorded
def detector(
    d_prime: Mapping[str, float],
    criterion: Mapping[str, float],
    *,
    cuts: Sequence[float] = (0.0,),
    sd: float = 1.0,
    names: int = 4,
    name_sd: float = 0.0,
    trials: int = 100,
    seed: int = 1,
) -> DetectedAnswers:
    """Simulate an observer with a known sensitivity and criterion for each group.

    Its evidence is normal, with mean -d'/2 and standard deviation 1 of noise, and mean d'/2 and
    standard deviation `sd` of signal. It answers with the number of cuts that the evidence exceeds.

    Parameters
    ----------
    d_prime, criterion : mapping of str to float
        By group, of the same groups.
    cuts : sequence of float
        Beyond the criterion of the group, ascending: one gives yes (1) or no (0), more give grades
        from 0.
    sd : float
        Above 0.
    names : int
        Of each group, at least 1.
    name_sd : float
        Standard deviation of what a name adds to the criterion, at least 0.
    trials : int
        Answers about each group to noise, and to signal: at least 1 for each name.
    seed : int

    Returns
    -------
    DetectedAnswers

    Raises
    ------
    ObserverError
        If a parameter is out of its range.

    Examples
    --------
    >>> import biaslab as bl
    >>> table = bl.observers.detector({"Emily": 1.5, "Lakisha": 1.5}, {"Emily": 0, "Lakisha": 0.5})
    >>> sorted(table), len(table["answer"])
    (['answer', 'cue', 'group', 'truth'], 400)
    """
    if set(d_prime) != set(criterion) or not d_prime:
        raise ObserverError("d_prime and criterion: give both for the same groups.")
    numbers = (*d_prime.values(), *criterion.values(), *cuts)
    if not all(map(math.isfinite, numbers)) or not 0 < sd < math.inf or not 0 <= name_sd < math.inf:
        raise ObserverError("d_prime, criterion, cuts: finite; sd: above 0; name_sd: at least 0.")
    if not cuts or any(two <= one for one, two in pairwise(cuts)):
        raise ObserverError(f"cuts={cuts!r}: give ascending numbers, at least one.")
    if not 1 <= names <= trials:
        raise ObserverError(
            f"names={names}, trials={trials}: at least 1 name and 1 trial for each."
        )
    rng = np.random.default_rng(seed)
    rows: list[tuple[str, str, int, int]] = []
    for group, d in d_prime.items():
        own = rng.normal(0, name_sd, names)
        for truth in (0, 1):
            evidence = rng.normal((truth - 0.5) * d, sd if truth else 1.0, trials)
            for trial, value in enumerate(evidence):
                name = trial % names
                places = criterion[group] + own[name] + np.asarray(cuts)
                rows.append((group, f"{group} {name + 1}", truth, int((value > places).sum())))
    columns = dict(zip(("group", "cue", "truth", "answer"), zip(*rows, strict=True), strict=True))
    return DetectedAnswers(columns, dict(d_prime), dict(criterion))
