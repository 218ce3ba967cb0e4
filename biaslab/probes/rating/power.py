"""Power of a rating: how often it is correct, by the size of a block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from biaslab.errors import RatingError
from biaslab.jobs import JobContext
from biaslab.probes.rating.experiment_design import RatingDesign
from biaslab.probes.rating.rating import Tallies, rate_corrected, rating_of
from biaslab.probes.rating.ratings import Rating
from biaslab.probes.rating.result import RatingResult
from biaslab.probes.rating.rules import Rules
from biaslab.probes.rating.simulated_service import SimulatedService
from biaslab.probes.rating.simulation import simulate
from biaslab.record import Record
from biaslab.reporting import Worded
from biaslab.stats.reproducibility import seed_number
from biaslab.stats.significance import wilson

if TYPE_CHECKING:
    import pandas as pd

_RULES = ("corrected", "paper")
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
        Share of experiments with the true rating by the corrected rule. Blocks with fewer mentions
        than a rating needs find nothing, not even that a service is not rateable.
    low, high : float
        Wilson's 95 % interval of it: how exact the simulation is.
    paper : float
        The same share by the paper's rule.
    """

    texts: int
    calls: int
    right: float
    low: float
    high: float
    paper: float


@dataclass(frozen=True)
class PowerCurve(Record, Worded):
    """How often the rating of a service is its true one.

    Attributes
    ----------
    service : str
        Name of the service.
    truth : Rating
        Its true rating.
    target : float
        Share of true ratings that is wanted.
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
        """Return one row per size: texts, calls, right, low, high, paper."""
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


def power_curve(
    service: SimulatedService | RatingResult,
    design: RatingDesign | None = None,
    *,
    sizes: Sequence[int] = SIZES,
    experiments: int = 1000,
    target: float = 0.95,
    language: str = "",
    rules: Rules | None = None,
    rng: int | np.random.Generator = 0,
    context: JobContext | None = None,
) -> PowerCurve:
    """Simulate how often a rating is the true one, by block size.

    Parameters
    ----------
    service : SimulatedService or RatingResult
        An observer with known truth; or a result, whose observed channel is taken as the true one
        (its truth is then the rating in the limit of many texts).
    design : RatingDesign, optional
        By default that of the result, or of the paper.
    sizes : sequence of int
        Texts of a block.
    experiments : int
        At each size.
    target : float
        Share of true ratings that is wanted.
    language : str
        Of the result.
    rules : Rules, optional
        By which they are rated.
    rng : int or numpy.random.Generator
        Of the simulation.
    context : JobContext, optional
        Reports progress, and allows a stop.

    Raises
    ------
    RatingError
        If there is no size, or nothing to simulate from.
    """
    context, rules = context or JobContext(), rules or Rules()
    seed = seed_number(rng)
    ordered = sorted(set(sizes))
    if not ordered or ordered[0] < 1:
        raise RatingError("Give block sizes of at least one text.")
    if isinstance(service, RatingResult):
        design = design or service.design
        channel = Channel(service, language, seed)
        simulated: SimulatedService | Channel = channel
        truth, name = _truth(channel, design, rules), service.service
        steps = sum(len(route.responses.steps) for route in service.routes)
    else:
        design = design or RatingDesign.paper(middles=())
        simulated, truth, name = service, service.rating, service.name
        steps = 2 * len(design.middles) if design.middles else 1
    points = []
    for place, size in enumerate(ordered):
        context.checkpoint()
        context.report(place, len(ordered), f"blocks of {size} texts")
        sized = replace(design, texts=size)
        simulations = simulate(simulated, sized, experiments, rules=rules, rng=seed)
        enough = sized.mentions >= rules.minimum
        right, paper = (simulations.share(truth, rule) if enough else 0.0 for rule in _RULES)
        low, high = wilson(round(right * experiments), experiments)
        calls = size * design.repetitions * len(design.distributions) * steps
        points.append(PowerPoint(size, calls, right, float(low), float(high), paper))
    return PowerCurve(name, truth, target, experiments, tuple(points))


def _truth(service: Channel, design: RatingDesign, rules: Rules) -> Rating:
    """Return the rating of its exact rates."""
    endless = 1e9
    shares = np.array([d.shares for d in design.distributions])
    counts = np.zeros((len(shares), shares.shape[1], shares.shape[1] + 1))
    counts[..., :-1] = endless * shares[..., None] * service.rates
    tallied = Tallies(
        counts,
        design.distributions,
        np.zeros(()),
        design.sentences,
        np.full(len(shares), endless),
    )
    return rating_of(int(rate_corrected(tallied, rules.corrected, rules.minimum).code))
