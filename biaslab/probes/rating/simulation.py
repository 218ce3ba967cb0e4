"""Experiments with a simulated service, many at a time.

Texts are written, answered and read as in a real run, but not sent through the executor, and rated
all at once, to find how often a rating is correct.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from biaslab.jobs import JobContext
from biaslab.probes.rating.attributes import Attribute
from biaslab.probes.rating.data_generator import codes as values_of
from biaslab.probes.rating.data_generator import drawn_terms
from biaslab.probes.rating.distribution_analysis import Codes, tallies
from biaslab.probes.rating.experiment_design import RatingDesign
from biaslab.probes.rating.output_shares import Floats
from biaslab.probes.rating.rating import (
    NOT_RATEABLE,
    rate_all,
    rating_of,
    rating_probabilities,
)
from biaslab.probes.rating.ratings import ORDER, Rating
from biaslab.probes.rating.reading import reader
from biaslab.probes.rating.rules import Rules
from biaslab.stats.reproducibility import seed_number

Ratings = NDArray[np.int8]
_AT_ONCE = 256
"""Experiments that are in memory at a time."""


class Answering(Protocol):
    """Interface of a service for simulations."""

    def answer(self, texts: Sequence[str], /) -> list[str]:
        """Return one answer per text."""


@dataclass(frozen=True, eq=False)
class Simulated:
    """Ratings of simulated experiments.

    Attributes
    ----------
    paper, corrected : ndarray of int8, shape (experiments,)
        Ratings as places in UCS, DSBS, BS; -1 is not rateable.
    shown : ndarray of bool, shape (experiments,)
        Whether the corrected rating was shown.
    probabilities : ndarray, shape (experiments, 3)
        P(UCS), P(DSBS), P(BS); NaN if not rateable or not requested.
    """

    paper: Ratings
    corrected: Ratings
    shown: NDArray[np.bool_]
    probabilities: Floats

    def share(self, rating: Rating | str, rule: str = "corrected") -> float:
        """Return how often a rule gave this rating."""
        ratings = self.paper if rule == "paper" else self.corrected
        place = ORDER.index(Rating(rating)) if rating in ORDER else NOT_RATEABLE
        return float((ratings == place).mean())

    def counts(self, rule: str = "corrected") -> dict[str, int]:
        """Return the number of experiments by rating."""
        ratings = self.paper if rule == "paper" else self.corrected
        codes, n = np.unique(ratings, return_counts=True)
        return {str(rating_of(int(c))): int(k) for c, k in zip(codes, n, strict=True)}


def simulate(
    service: Answering,
    design: RatingDesign,
    experiments: int = 1000,
    *,
    rules: Rules | None = None,
    probabilities: bool = False,
    rng: int | np.random.Generator = 0,
    context: JobContext | None = None,
) -> Simulated:
    """Rate a service again and again, with other texts each time.

    Parameters
    ----------
    service : object with ``answer``
        Service, called directly; such as one of `bl.observers.service`.
    design : RatingDesign
        Design; its middle languages and its seed are ignored.
    experiments : int
        How many.
    rules : Rules, optional
        By which they are rated.
    probabilities : bool
        Whether to work out the probabilities too, which takes most of the time.
    rng : int or numpy.random.Generator
        Of all texts.
    context : JobContext, optional
        Reports progress, and allows a stop.
    """
    context, rules = context or JobContext(), rules or Rules()
    seed = seed_number(rng)
    results: list[Simulated] = []
    for start in range(0, experiments, _AT_ONCE):
        context.checkpoint()
        context.report(start, experiments, f"{start} of {experiments} experiments")
        n = min(_AT_ONCE, experiments - start)
        results.append(
            _rated(_codes(service, design, n, (seed, start)), design, rules, probabilities)
        )
    return Simulated(
        *(
            np.concatenate([getattr(part, name) for part in results])
            for name in ("paper", "corrected", "shown", "probabilities")
        )
    )


def _rated(codes: Codes, design: RatingDesign, rules: Rules, probabilities: bool) -> Simulated:
    tallied = tallies(codes, design.distributions)
    paper, corrected = rate_all(tallied, rules)
    chances = np.full((len(paper.code), len(ORDER)), np.nan)
    if probabilities:
        rateable = corrected.code != NOT_RATEABLE
        chances[rateable] = rating_probabilities(tallied, rules.corrected)[rateable]
    return Simulated(paper.code, corrected.code, corrected.shown, chances)


def _codes(service: Answering, design: RatingDesign, n: int, seed: tuple[int, int]) -> Codes:
    """Return input and output values of n experiments, shape (n, B, T, m)."""
    rng = np.random.default_rng(seed)
    b, m = len(design.distributions), design.sentences
    t = design.repetitions * design.texts
    values, terms = np.empty((n, b, t, m), np.int64), np.empty((n, b, t, m), np.int64)
    for i, j in np.ndindex(n, b):
        values[i, j] = values_of(design.distributions[j], t, m, rng)
        terms[i, j] = drawn_terms(len(design.terms), t * m, rng).reshape(t, m)
    flat = (n * b * t, m)
    texts = design.writer.plain(values.reshape(flat), terms.reshape(flat))
    answered = _read(service.answer(texts), design.attribute, design.source, m)
    return Codes(values, answered.reshape(values.shape))


def _read(
    answers: Sequence[str], attribute: Attribute, language: str, mentions: int
) -> NDArray[np.int64]:
    read = reader(attribute, language)
    number = {value: i for i, value in enumerate(attribute.all_values)}
    memory: dict[str, list[int]] = {}
    rows = []
    for answer in answers:
        row = memory.get(answer)
        if row is None:
            row = [number.get(mention.value, -1) for mention in read.read(answer, mentions)]
            memory[answer] = row
        rows.append(row)
    return np.array(rows, np.int64).reshape(len(answers), mentions)
