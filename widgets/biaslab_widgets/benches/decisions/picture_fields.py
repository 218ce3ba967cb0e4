"""Fields of the decision bench that describe a run and what is drawn of it."""

from __future__ import annotations

from typing import Literal, TypedDict

from biaslab_widgets.core.records import Span


class Plan(TypedDict):
    """What a run will ask: questions, those with a stored reply, about how many tokens, the cost.

    Without a price of the subject's tokens the cost is empty.
    """

    questions: int
    stored: int
    tokens: int
    cost: str
    at_most: bool


class RunState(TypedDict):
    """How far the run on the screen is.

    Attributes
    ----------
    number : int
        Counts runs; 0 before the first.
    done, total : int
        Questions answered, and allowed or planned.
    stored : int
        Replies that were in the store and cost no call.
    cost : str
        Of all questions and replies, such as ``0.43 EUR``; empty without a price.
    width, wanted : float or None
        Of the gap's interval, in the case's unit: now, and the one at which the run stops.
    left : int or None
        More calls that would decide or reach the width, about.
    adaptive : bool
    stopped : bool
        Ended before all was asked: it can go on.
    stale : bool
        Settings have changed since.
    problem : str
        What went wrong; what was answered before is kept.
    """

    number: int
    running: bool
    done: int
    total: int
    stored: int
    tokens: int
    cost: str
    seconds_left: float | None
    width: float | None
    wanted: float | None
    left: int | None
    adaptive: bool
    stopped: bool
    stale: bool
    problem: str


class Estimate(TypedDict):
    """A number with its interval; all None where there is none."""

    value: float | None
    low: float | None
    high: float | None


class Curve(TypedDict):
    """A curve in shares at the picture's levels, and the point where it is one half.

    Attributes
    ----------
    share, low, high : list of float
        Of a group that answers alike at every level the share of its answers, a flat line; empty
        where there is neither a curve nor such a line.
    beyond : str
        Where the point lies when it is not within the levels: ``PSE below 0 years``.
    """

    share: list[float]
    low: list[float]
    high: list[float]
    pse: Estimate
    beyond: str


class Gap(TypedDict):
    """The gap with both of its intervals, and the margin within which groups count as alike."""

    value: float | None
    low: float | None
    high: float | None
    these_low: float | None
    these_high: float | None
    margin: float


class GaugeState(TypedDict):
    """A share that is kept out of the gap; ``group`` is 0 of all answers, else 1 or 2."""

    name: str
    group: int
    value: float
    low: float
    high: float


class GroupPoint(TypedDict):
    """One of several groups: its point, its gap to the first group, and who gives no answer.

    Attributes
    ----------
    name : str
    pse, gap : Estimate
        In the case's unit; of the first group the gap is 0.
    neither : Estimate
        Share of replies that are refused, unreadable or in another language.
    """

    name: str
    pse: Estimate
    gap: Estimate
    neither: Estimate


class MainEffect(TypedDict):
    """What label `two` of a trait must bring beyond label `one`, over all other traits."""

    trait: str
    one: str
    two: str
    effect: Estimate


class Counts(TypedDict):
    """How many replies there are of each kind."""

    yes: int
    no: int
    cannot_say: int
    refused: int
    unreadable: int
    other_language: int


class Picture(TypedDict):
    """What the picture draws.

    Attributes
    ----------
    levels : list of float
        At which the curves are given; every level of the case is among them.
    curves : list of Curve
        One for each of the two groups, or one of the difference between two candidates.
    ratio_levels, ratio : list of float, list of Estimate
        Levels, and the impact ratio at each; empty of two candidates.
    ridge : list of list of float
        Per curve: where the next questions go; empty when none come.
    points : list of GroupPoint
        All groups, the two that are compared first; empty of two groups.
    effects : list of MainEffect
        Of crossed traits.
    indecision : Estimate
        Difference between two candidates up to which the subject cannot say, in the case's unit.
    reason : str
        Why there is no gap.
    settled : bool
        Whether gauges, ratios, points and effects are of this result; they follow the curves.
    """

    run: RunState
    form: Literal["yes or no", "which of two"]
    verdict: list[Span]
    caveat: str
    footer: list[str]
    levels: list[float]
    curves: list[Curve]
    ratio_levels: list[float]
    ratio: list[Estimate]
    ridge: list[list[float]]
    gap: Gap | None
    jnd: Estimate
    indecision: Estimate
    gauges: list[GaugeState]
    points: list[GroupPoint]
    effects: list[MainEffect]
    counts: Counts
    names: list[str]
    decision: str
    reason: str
    level: float
    settled: bool


NO_PLAN: Plan = {"questions": 0, "stored": 0, "tokens": 0, "cost": "", "at_most": True}
