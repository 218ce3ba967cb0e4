"""Power of a rating: how often simulated experiments show the true one.

Texts are written, answered and read as in a real run, but not sent through the executor, and rated
all at once, to find how often a rating is correct.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from biaslab.arguments import renamed
from biaslab.errors import RatingError
from biaslab.jobs.context import current_context, reporting_to
from biaslab.probes.rating.attributes import Attribute
from biaslab.probes.rating.data_generator import codes as values_of
from biaslab.probes.rating.data_generator import drawn_terms
from biaslab.probes.rating.distribution_analysis import Codes, tallies
from biaslab.probes.rating.experiment_design import RatingDesign
from biaslab.probes.rating.named_services import SimulatedService
from biaslab.probes.rating.output_statistics import Floats
from biaslab.probes.rating.rating import (
    NOT_RATEABLE,
    Tallies,
    rate_all,
    rate_corrected,
    rating_of,
    rating_probabilities,
)
from biaslab.probes.rating.ratings import ORDER, Rating, Rules
from biaslab.probes.rating.reading import reader
from biaslab.probes.rating.result import RatingResult
from biaslab.records.record import Record
from biaslab.records.result import Worded
from biaslab.stats.reproducibility import seed_number
from biaslab.stats.significance import wilson

if TYPE_CHECKING:
    import pandas as pd


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
        """Return how often a rule gave this rating.

        Parameters
        ----------
        rating : Rating or str
        rule : str
            ``paper``; ``corrected``, which gives an open rating as the worst that is possible; or
            ``shown``, which counts open ratings for none.
        """
        ratings = self.paper if rule == "paper" else self.corrected
        code = ORDER.index(Rating(rating)) if rating in ORDER else NOT_RATEABLE
        counts = self.shown if rule == "shown" else np.ones_like(self.shown)
        return float(((ratings == code) & counts).mean())

    def counts(self, rule: str = "corrected") -> dict[str, int]:
        """Return the number of experiments by rating."""
        ratings = self.paper if rule == "paper" else self.corrected
        codes, n = np.unique(ratings, return_counts=True)
        return {str(rating_of(int(c))): int(k) for c, k in zip(codes, n, strict=True)}


@renamed(service="subject")
def simulate(
    subject: Answering,
    design: RatingDesign,
    experiments: int = 1000,
    *,
    rules: Rules | None = None,
    probabilities: bool = False,
    rng: int | np.random.Generator = 0,
) -> Simulated:
    """Rate a service again and again, with other texts each time.

    Parameters
    ----------
    subject : object with ``answer``
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
    """
    context, rules = current_context(), rules or Rules()
    seed = seed_number(rng)
    results: list[Simulated] = []
    for start in range(0, experiments, _AT_ONCE):
        context.checkpoint()
        context.report(start, experiments, f"{start} of {experiments} experiments")
        n = min(_AT_ONCE, experiments - start)
        results.append(
            _rated(_codes(subject, design, n, (seed, start)), design, rules, probabilities)
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


SIZES = (5, 10, 15, 20, 30, 40, 60, 80, 120, 160, 240, 320)


@dataclass(frozen=True)
class PowerPoint(Record):
    """One block size.

    Attributes
    ----------
    texts : int
        Of a block.
    calls : int
        Texts of all blocks, through all middle languages, each step of each way.
    right : float
        Share of experiments in which the corrected rule shows the true rating. Blocks with fewer
        mentions than a rating needs show nothing, not even that a service is not rateable.
    low, high : float
        Wilson's 95 % interval of it: how exact the simulation is.
    paper : float
        Share of experiments with the true rating by the paper's rule.
    open : float
        Share of experiments in which the corrected rule leaves the rating open: neither right nor
        wrong.
    """

    texts: int
    calls: int
    right: float
    low: float
    high: float
    paper: float
    open: float


@dataclass(frozen=True)
class PowerCurve(Record, Worded):
    """How often the true rating of a service is shown.

    Attributes
    ----------
    service : str
        Name of the service.
    truth : Rating
        Its true rating.
    target : float
        Share of experiments that are to show the true rating.
    experiments : int
        Simulated at each size.
    points : tuple of PowerPoint
        By block size, ascending.
    """

    service: str
    truth: Rating
    target: float
    experiments: int
    points: tuple[PowerPoint, ...]

    @property
    def recommended(self) -> int | None:
        """The smallest size from which on the target is met; None if none was tried.

        For sure: the lower end of the simulation's interval reaches the target, and that of every
        larger size too.
        """
        smallest = None
        for point in reversed(self.points):
            if point.low < self.target:
                break
            smallest = point.texts
        return smallest

    def to_frame(self) -> pd.DataFrame:
        """Return one row per size: texts, calls, right, low, high, paper, open."""
        import pandas as pd

        return pd.DataFrame([vars(point) for point in self.points])


class Channel:
    """A service that applies the observed channel of another one, at random.

    Parameters
    ----------
    result : RatingResult
        The observed channel.
    language : str
        Through which language.
    seed : int
        Of the draws.
    """

    def __init__(self, result: RatingResult, language: str = "", seed: int = 0) -> None:
        place = result.place(language)
        values = len(result.design.attribute.all_values)
        counts = result.codes.counts(values)[place].sum(0)[:, :-1]
        if counts.sum() == 0:
            raise RatingError("No mention was resolved, so there is nothing to simulate from.")
        total = counts.sum(-1, keepdims=True)
        # A value that no text had is passed on.
        self.rates = np.where(total > 0, counts / np.maximum(total, 1), np.eye(values))
        self._result, self._rng = result, np.random.default_rng(seed)
        self._plain = SimulatedService(
            "faithful", result.design.attribute, noise=0.0, seed=seed, languages={}
        )

    def answer(self, texts: Sequence[str]) -> list[str]:
        """Return the texts with every mention drawn again."""
        names = self._result.design.attribute.all_values
        cumulative = self.rates.cumsum(-1)

        def draw_value(value: str) -> str:
            if value not in names:
                return ""
            row = cumulative[names.index(value)]
            return names[min(int(np.searchsorted(row, self._rng.random())), len(names) - 1)]

        return [self._plain.rewritten(text, draw_value) for text in texts]


@renamed(service="subject")
def power_curve(
    subject: SimulatedService | RatingResult,
    design: RatingDesign | None = None,
    *,
    sizes: Sequence[int] = SIZES,
    experiments: int = 1000,
    target: float = 0.95,
    language: str = "",
    rules: Rules | None = None,
    rng: int | np.random.Generator = 0,
) -> PowerCurve:
    """Simulate how often the true rating is shown, and how often it stays open, by block size.

    Parameters
    ----------
    subject : SimulatedService or RatingResult
        An observer with known truth; or a result, whose observed channel is taken as the true one
        (its truth is then the rating in the limit of many texts).
    design : RatingDesign, optional
        By default that of the result, or of the paper.
    sizes : sequence of int
        Texts of a block.
    experiments : int
        At each size.
    target : float
        Share of experiments that are to show the true rating.
    language : str
        Of the result.
    rules : Rules, optional
        By which they are rated.
    rng : int or numpy.random.Generator
        Of the simulation.

    Raises
    ------
    RatingError
        If there is no size, or nothing to simulate from.
    """
    context, rules = current_context(), rules or Rules()
    seed = seed_number(rng)
    ordered = sorted(set(sizes))
    if not ordered or ordered[0] < 1:
        raise RatingError("Give block sizes of at least one text.")
    if isinstance(subject, RatingResult):
        design = design or subject.design
        channel = Channel(subject, language, seed)
        simulated: SimulatedService | Channel = channel
        truth, name = _truth(channel, design, rules), subject.service
        steps = sum(len(route.responses.steps) for route in subject.routes)
    else:
        design = design or RatingDesign.paper(middles=())
        simulated, truth, name = subject, subject.rating, subject.name
        steps = 2 * len(design.middles) if design.middles else 1
    points = []
    for done, size in enumerate(ordered):
        context.checkpoint()
        context.report(done, len(ordered), f"blocks of {size} texts")
        sized = replace(design, texts=size)
        with reporting_to(None):
            simulations = simulate(simulated, sized, experiments, rules=rules, rng=seed)
        enough = sized.mentions >= rules.minimum
        right, paper = (
            simulations.share(truth, rule) if enough else 0.0 for rule in ("shown", "paper")
        )
        low, high = map(float, wilson(round(right * experiments), experiments))
        is_open = float((~simulations.shown).mean())
        calls = size * design.repetitions * len(design.distributions) * steps
        points.append(PowerPoint(size, calls, right, low, high, paper, is_open))
    return PowerCurve(name, truth, target, experiments, tuple(points))


def _truth(service: Channel, design: RatingDesign, rules: Rules) -> Rating:
    """Return the rating of its exact rates."""
    endless = 1e9
    shares = np.array([d.shares for d in design.distributions])
    counts = np.zeros((len(shares), shares.shape[1], shares.shape[1] + 1))
    counts[..., :-1] = endless * shares[..., None] * service.rates
    tallied = Tallies(
        counts, design.distributions, np.zeros(()), design.sentences, np.full(len(shares), endless)
    )
    return rating_of(int(rate_corrected(tallied, rules.corrected, rules.minimum).code))
