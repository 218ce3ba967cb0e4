r"""What a run can show before it is made, and what it takes to show more.

The gap's estimate varies by cues, wordings and answers,

.. math:: V = c^2 (1/n_1 + 1/n_2) + 2 w^2 / W + a^2 / N,

with n cues in either group, W wordings and N questions. Its interval has a half-width of t times
the root of an *estimated* V, in which differences between cues are those of their answers, too. So
the chance of a verdict is a mean over what the estimate may be (assurance; O'Hagan, Stevens and
Campbell 2005).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Literal, Self

import numpy as np
from scipy import special

from biaslab.cases.quality import number as level_text
from biaslab.errors import QueryError
from biaslab.probes.decisions.result import DecisionsResult, rounded_up
from biaslab.probes.decisions.trials import Design, Floats
from biaslab.records.record import Record
from biaslab.records.wording import counted, percent
from biaslab.stats.decisions.placement import look_level
from biaslab.stats.quantiles import t_quantile

Answers = Literal["placed", "fixed", "probabilities"]
"""Replies at levels that follow the answers or at equal steps, or probabilities of a reply."""

_CUE: Final = 0.035
_WORDING: Final = 0.0175
_JND: Final = 0.075
_EFFICIENCY: Final = {"placed": 0.66, "fixed": 0.87, "probabilities": 1.0}
"""Of answers where lapses, position and slopes are fitted too: measured widths of intervals."""
_LOGIT: Final = math.log(3)


@dataclass(frozen=True)
class GapSpread(Record):
    """What a gap varies by, in the case's unit.

    Attributes
    ----------
    cue_sd, wording_sd : float
        SD of what a cue, or a wording for one group, adds to the point of equality.
    answer_sd : float
        Standard error of the gap after one question; it falls with the root of their number.
    """

    cue_sd: float
    wording_sd: float
    answer_sd: float

    @classmethod
    def usual(cls, design: Design, answers: Answers) -> Self:
        """Return what is usual where nothing is known.

        Shares of the quality's range: 3.5 % for cues, 1.75 % for wordings and 7.5 % for the JND. Of
        years of experience from 0 to 16 that is 0.56, 0.28 and 1.2 years; names differed by 0.3
        and 0.7 years in a small language model (SmolLM2-135M-Instruct, names of two groups).
        """
        quality = design.case.quality
        span = quality.high - quality.low
        cue, scale = _CUE * span, _JND * span / _LOGIT
        # The information of an answer about its point, on the mean over the levels where asked.
        variance = {
            "placed": 4 * scale**2, "fixed": span * scale,
            # Of a prompt, which differs by as much as a cue does.
            "probabilities": cue**2 * span / (6 * scale),
        }[answers] / _EFFICIENCY[answers]  # fmt: skip
        points = 2 * len(design.groups) if design.form == "yes or no" else 1
        return cls(cue, _WORDING * span, math.sqrt(points * variance))

    @classmethod
    def of(cls, result: DecisionsResult) -> Self:
        """Return what a run found.

        Raises
        ------
        QueryError
            If it has no gap, or its answers set no bound to it.
        """
        if result.reason:
            raise QueryError(f"The pilot run has no gap: {result.reason}.")
        sds, alone = result.fit.sds, result.form == "yes or no"
        wording = sds.get("wording by group" if alone else "wording", 0.0)
        low, high = result.fit.gap_interval(result.level, "these")
        error = (high - low) / 2 / float(special.ndtri((1 + result.level) / 2))
        if not math.isfinite(error):
            raise QueryError("The answers of the pilot run set no bound to the gap: ask more.")
        # Of two candidates a wording shifts their difference, as two groups' wordings do.
        return cls(
            sds.get("cue", 0.0), wording if alone else wording / math.sqrt(2),
            error * math.sqrt(len(result.trials)),
        )  # fmt: skip


WANTED: Final = 0.8
"""Chance of a verdict that counts as within reach."""
_NODES: Final = 12
_MIDDLES: Final = (np.arange(_NODES) + 0.5) / _NODES
_MOST: Final = 1_000
"""Cues and wordings together beyond which nothing is proposed."""
_FEWEST: Final = 4
_OF_KNOWN: Final = 4.7
_MOST_KNOWN: Final = 0.8
_NEGLIGIBLE: Final = 1e-12
"""Variance of the answers where they have none, so that nothing is divided by 0."""
_DOUBLINGS: Final = 60
_HALVINGS: Final = 30
_HARDLY: Final = 0.05
"""Chance of a verdict below which it is out of reach."""


@dataclass(frozen=True)
class Assurance(Record):
    """What a run of a design can show.

    Attributes
    ----------
    cues : (int, int)
        Of the two groups that are compared.
    wordings, questions : int
    margin : float
        Gaps within plus and minus this count as treated alike.
    level : float
        Of the interval; of all looks together where the run stops at a verdict.
    spread : GapSpread
    unit : str
    stops_at_verdict : bool
    details : int
        Among which the gap may differ: of two candidates, else 1.
    """

    cues: tuple[int, int]
    wordings: int
    questions: int
    margin: float
    level: float
    spread: GapSpread
    unit: str
    stops_at_verdict: bool = False
    details: int = 1

    @cached_property
    def _effects(self) -> tuple[tuple[float, int], ...]:
        """Variances of the gap by cues, wordings and details, with their degrees of freedom.

        A single wording, or a single cue in both groups, says nothing about others, and the
        interval does not speak of them. Details do not differ here, but that is not known.
        """
        (one, two), spread = self.cues, self.spread
        parts = (
            (spread.cue_sd**2 * (1 / one + 1 / two), one + two - 2),
            (2 * spread.wording_sd**2 / self.wordings, self.wordings - 1),
            (0.0, self.details - 1),
        )
        return tuple((variance, df) for variance, df in parts if df > 0)

    @property
    def _of_effects(self) -> float:
        return sum(variance for variance, _ in self._effects)

    @property
    def _of_answers(self) -> float:
        return max(self.spread.answer_sd**2 / self.questions, _NEGLIGIBLE)

    @property
    def sd(self) -> float:
        """Standard error of the gap."""
        return math.sqrt(self._of_effects + self._of_answers)

    @cached_property
    def half_widths(self) -> Floats:
        """Half-widths that the interval may have, equally probable."""
        answers, total, noise = self._of_answers, np.array(self._of_answers), np.array(0.0)
        for variance, df in self._effects:
            # What is seen to differ between cues differs by their answers, too.
            seen = (variance + answers) * special.chdtri(df, 1 - _MIDDLES) / df
            own = np.maximum(seen - answers, 0.0)
            total = np.add.outer(total, own)
            noise = np.add.outer(noise, (own + answers) ** 2 / df)
        total, noise = total.ravel(), noise.ravel()
        # As in `biaslab.stats.decisions.search.Spread.variances`.
        known = np.minimum(answers / total, _MOST_KNOWN)
        with np.errstate(divide="ignore"):
            df = np.where(noise > 0, total**2 / noise, np.inf) + _OF_KNOWN * known / (1 - known)
        level = look_level(self.level, 1.0) if self.stops_at_verdict else self.level
        return np.asarray(t_quantile(df, (1 + level) / 2) * np.sqrt(total))

    @property
    def half_width(self) -> float:
        """Median half-width of the gap's interval over other cues and wordings."""
        return float(np.median(self.half_widths))

    def alike(self, margin: float | None = None) -> float:
        """Return how probably groups without a gap are found to be treated alike.

        Parameters
        ----------
        margin : float, optional
            By default that of this design.
        """
        room = (self.margin if margin is None else margin) - self.half_widths
        return float(np.mean(2 * special.ndtr(np.maximum(room, 0.0) / self.sd) - 1))

    def clear(self, gap: float) -> float:
        """Return how probably the interval of a gap excludes 0 on its side."""
        return float(np.mean(special.ndtr((abs(gap) - self.half_widths) / self.sd)))

    @cached_property
    def least_margin(self) -> float:
        """The smallest margin within which groups without a gap are probably found alike."""
        return _least(self.alike, self.sd)

    @cached_property
    def least_gap(self) -> float:
        """The smallest gap that is probably found to be clear."""
        return _least(self.clear, self.sd)

    @property
    def is_enough(self) -> bool:
        """Whether groups without a gap are probably found alike within the margin."""
        return self.alike() >= WANTED

    def enlarged(self, margin: float | None = None) -> Assurance | None:
        """Return the smallest design that probably finds groups alike within a margin.

        It has the fewest cues and wordings together, and as many questions as let answers add no
        more than these do; None where no design of up to 1,000 cues and wordings does.

        Parameters
        ----------
        margin : float, optional
            By default that of this design.
        """
        wanted = replace(self, margin=self.margin if margin is None else margin)
        spread = self.spread
        both = spread.cue_sd + spread.wording_sd
        share = spread.cue_sd / both if both else 0.5
        total = 2 * _FEWEST
        while total <= _MOST:
            cues = max(_FEWEST, math.ceil(share * total))
            wordings = max(_FEWEST, math.ceil((1 - share) * total))
            larger = replace(wanted, cues=(cues, cues), wordings=wordings)
            of_effects = max(larger._of_effects, _NEGLIGIBLE)
            answers = rounded_up(math.ceil(min(spread.answer_sd**2 / of_effects, 1e9)))
            larger = replace(larger, questions=max(self.questions, answers))
            if larger.is_enough:
                return larger
            total = max(total + 2, math.ceil(1.03 * total))
        return None

    def suggestions(self) -> tuple[Assurance, ...]:
        """Return designs that suffice, from that of this margin to the margin of this design."""
        least = _up(self.least_margin)
        if self.is_enough:
            return (replace(self, margin=least),)
        margins = [self.margin * 2**step for step in range(4) if self.margin * 2**step < least]
        larger = [self.enlarged(margin) for margin in margins if margin > 0]
        return (*filter(None, larger), replace(self, margin=least))

    def summary(self) -> str:
        """What the design can show, and what it would take, in two plain sentences."""
        wordings = counted(self.wordings, "wording")
        gap = self._amount(_up(self.least_gap))
        lead = f"{self._cues()} in {wordings} can show gaps of about {gap} or more."
        chance, room = self.alike(), f"within ± {self._amount(self.margin)}"
        if self.is_enough:
            often = "nearly all" if chance > 0.99 else f"{percent(chance)} % of"
            return f"{lead} Without a gap, “alike” {room} comes out in {often} runs."
        takes = f"a margin of {self._amount(_up(self.least_margin))}"
        if self.margin > 0 and (larger := self.enlarged()) is not None:
            takes = f"{larger.size()}, or {takes}"
        if chance < _HARDLY:
            return f"{lead} “Alike” {room} is out of reach: that takes about {takes}."
        return (
            f"{lead} Without a gap, “alike” {room} comes out in {percent(chance)} % of runs;"
            f" {percent(WANTED)} % takes about {takes}."
        )

    def assumed(self) -> str:
        """What the numbers rest on where there are no answers yet."""
        return f"This assumes that {self.differences()}."

    def differences(self) -> str:
        """How much cues and wordings differ."""
        spread = self.spread
        cue, wording = (self._amount(_up(sd)) for sd in (spread.cue_sd, spread.wording_sd))
        return f"cues differ by {cue} and wordings by {wording} (SD)"

    def size(self) -> str:
        """Cues, wordings and questions in words."""
        wordings = counted(self.wordings, "wording")
        return f"{self._cues()}, {wordings} and {counted(self.questions, 'question')}"

    def _cues(self) -> str:
        one, two = self.cues
        return f"{counted(one, 'cue')} a group" if one == two else f"{one} and {two} cues"

    def _amount(self, value: float) -> str:
        return f"{level_text(value)} {self.unit.removesuffix('s') if value == 1 else self.unit}"


def _least(chance: Callable[[float], float], scale: float) -> float:
    """Return where a rising chance reaches what is wanted; infinite if it does not."""
    low, high = 0.0, scale
    for _ in range(_DOUBLINGS):
        if chance(high) >= WANTED:
            break
        low, high = high, 2 * high
    else:
        return math.inf
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if chance(middle) < WANTED else (low, middle)
    return high


def _up(value: float) -> float:
    """Return a number rounded up to two figures."""
    if not 0 < value < math.inf:
        return value
    digits = 1 - math.floor(math.log10(value))
    return float(round(math.ceil(round(value * 10**digits, 6)) / 10**digits, 12))


def assurance_of(
    design: Design,
    questions: int,
    answers: Answers,
    *,
    margin: float | None = None,
    level: float = 0.95,
    stops_at_verdict: bool = False,
    spread: GapSpread | None = None,
) -> Assurance:
    """Return what a run of a design can show.

    Parameters
    ----------
    design : Design
    questions : int
    answers : {"placed", "fixed", "probabilities"}
    margin : float, optional
        By default one step of the case.
    level : float
        Of the interval; of all looks together where the run stops at a verdict.
    stops_at_verdict : bool
    spread : GapSpread, optional
        Such as that of a pilot run; by default the usual one.
    """
    quality = design.case.quality
    one, two = (len(cues) for cues in design.cues[:2])
    return Assurance(
        (one, two), len(design.wordings), questions,
        float(quality.step if margin is None else margin), level,
        spread or GapSpread.usual(design, answers), quality.unit, stops_at_verdict,
        1 if design.form == "yes or no" else len(design.details),
    )  # fmt: skip


def assurance_after(result: DecisionsResult) -> Assurance | None:
    """Return what a run like a finished one can show, by its spread; None where it has none."""
    try:
        spread = GapSpread.of(result)
    except QueryError:
        return None
    cues = [sum(of == place for of, _ in result.cues) for place in result.places[:2]]
    return Assurance(
        (cues[0], cues[1]), len(set(result.trials.wording.tolist())), len(result.trials),
        result.margin, result.level, spread, result.case.quality.unit,
        result.budget_share is not None,
        1 if result.form == "yes or no" else len(set(result.trials.detail.tolist())),
    )  # fmt: skip
