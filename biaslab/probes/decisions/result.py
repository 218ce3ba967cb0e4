"""Result of the decision probe: trials, their curves, and the gap that they tell."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from biaslab.cases import Case, Form
from biaslab.deciders import OUTCOMES, Price
from biaslab.errors import QueryError
from biaslab.probes.decisions.trials import (
    CANNOT_SAY,
    NOWHERE,
    OUTCOME,
    DecisionTrials,
    Flags,
    Floats,
)
from biaslab.records.calls import recorded_method
from biaslab.records.kinds import imported
from biaslab.records.result import Interval, Result
from biaslab.stats.decisions.answers import DecisionAnswers, naive_gap
from biaslab.stats.decisions.fit import DecisionFit, fit_decisions
from biaslab.stats.decisions.model import Lapses, Slopes
from biaslab.stats.decisions.placement import look_level
from biaslab.stats.significance import wilson

if TYPE_CHECKING:
    import pandas as pd


def answers_of(case: Case, groups: Sequence[int], trials: DecisionTrials) -> DecisionAnswers:
    """Return the answers that are fitted: refused and unreadable replies are left out.

    Parameters
    ----------
    case : Case
    groups : sequence of int
        Places in the case of the groups that were asked about, in the order of the fit.
    trials : DecisionTrials
    """
    # Texts of the replies are left behind: taking them along costs more than all else here.
    kept = replace(trials, reply=(), reasoning=(), model=(), reason=()).take(usable(trials))
    sign = case.quality.sign
    alone = kept.form == "yes or no"
    cues = cue_places(kept)
    index = {group: number for number, group in enumerate(groups)}
    spoken = np.where(kept.outcome == CANNOT_SAY, 0.0, np.nan_to_num(kept.yes, nan=0.0))
    silent = np.where(np.isfinite(kept.silent), kept.silent, 0.0)
    silent = np.where((kept.outcome == CANNOT_SAY) & ~np.isfinite(kept.mass), 1.0, silent)
    return DecisionAnswers(
        levels=sign * (kept.level if alone else kept.level - kept.other_level),
        yes=spoken * (1 - silent),
        n=1 - silent,
        undecided=silent,
        group=np.array([index[one] if alone else 0 for one in kept.group.tolist()], dtype=np.intp),
        cue=_numbered(cues, kept.group, kept.cue),
        other_cue=None if alone else _numbered(cues, kept.other_group, kept.other_cue),
        wording=kept.wording.astype(np.intp),
        detail=kept.detail.astype(np.intp),
        order=np.where(kept.yes_first, 0.5, -0.5),
        probabilities=kept.gives_probabilities,
        groups=len(groups) if alone else 1,
    )


def usable(trials: DecisionTrials) -> Flags:
    """Return which trials say something about the curve."""
    return np.asarray(trials.answered | (trials.outcome == CANNOT_SAY))


def cue_places(trials: DecisionTrials) -> tuple[tuple[int, int], ...]:
    """Return (group, cue) of each cue that the trials are about, in the order of their numbers."""
    cues = set(zip(trials.group.tolist(), trials.cue.tolist(), strict=True))
    if trials.form == "which of two":
        cues |= set(zip(trials.other_group.tolist(), trials.other_cue.tolist(), strict=True))
    return tuple(sorted(cues))


def _numbered(places: Sequence[tuple[int, int]], group: Any, cue: Any) -> Any:
    number = {pair: at for at, pair in enumerate(places)}
    pairs = zip(group.tolist(), cue.tolist(), strict=True)
    return np.array([number[pair] for pair in pairs], dtype=np.intp)


Scope = Literal["population", "these"]
"""Other cues and wordings like these, or just these, in other questions about them."""
Decision = Literal["group 1", "group 2", "alike", "undecided", "none"]
Doubt = Literal["", "misfit", "outside"]
MISFIT: Final = 0.02
"""Root mean square of how far answers lie off their curve, below which it serves."""
KINDS: dict[Scope, str] = {
    "population": "cues and wordings like these",
    "these": "just these cues and wordings",
}


class Estimate(NamedTuple):
    """A number with its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class DecisionsResult(Result):
    """How much more one group must bring to be treated alike.

    Attributes
    ----------
    subject : str
        Who decided.
    case : Case
    form : Form
    groups : tuple of str
        The groups that were asked about; the gap is that of the first two.
    trials : DecisionTrials
    margin : float
        Gaps within plus and minus this, in the case's unit, count as treated alike.
    level : float
        Of the intervals.
    lapses : str
        Stimulus-independent answers: ``free`` (of each group), ``shared``, ``equal`` or ``none``.
    slopes : str
        Of the groups' curves: ``free`` or ``shared``.
    family : str
        Of the curves, see `biaslab.stats.curves.sigmoids`.
    method : str
        ``fixed`` or ``adaptive``.
    budget_share : float or None
        Share of the planned questions that an adaptive run for a verdict has used; else None.
        Intervals of the gap are wide enough for all looks at the verdict together.
    cannot_say : bool
        Whether the answer of who cannot decide was offered.
    stored : int
        Replies that were in the store and cost no call.
    without_cues : tuple of str
        Cues whose answers were set aside by hand.
    without_wordings : tuple of int
        Wordings, from 1, whose answers were.
    set_aside : int
        How many answers these were.
    price : Price or None
        Of the subject's tokens, if it is known.
    next_levels : ndarray, shape (G, L), or empty
        Where the next questions of an adaptive run go: the information expected of each group (of
        two candidates one) at each level, or difference, of the case. Empty once the run has ended.
    notes : tuple of str
    """

    schema: ClassVar[str] = "decisions/1"

    subject: str
    case: Case
    form: Form
    groups: tuple[str, ...]
    trials: DecisionTrials
    margin: float
    level: float = 0.95
    lapses: Lapses = "free"
    slopes: Slopes = "free"
    family: str = "logistic"
    method: str = "fixed"
    budget_share: float | None = None
    cannot_say: bool = False
    stored: int = 0
    without_cues: tuple[str, ...] = ()
    without_wordings: tuple[int, ...] = ()
    set_aside: int = 0
    price: Price | None = None
    next_levels: Floats = field(default_factory=lambda: NOWHERE)
    notes: tuple[str, ...] = ()

    @cached_property
    def places(self) -> tuple[int, ...]:
        """Places of the groups in the case."""
        names = [group.name for group in self.case.groups]
        return tuple(names.index(name) for name in self.groups)

    @cached_property
    def cues(self) -> tuple[tuple[int, int], ...]:
        """Group and place of each cue that the fitted trials are about."""
        return cue_places(self.trials.take(usable(self.trials)))

    @cached_property
    def fit(self) -> DecisionFit:
        """The fitted curves, on levels of which more brings a yes."""
        return fit_decisions(
            answers_of(self.case, self.places, self.trials),
            family=self.family,
            lapses=self.lapses,
            slopes=self.slopes,
            traits=self.traits or None,
        )

    @cached_property
    def traits(self) -> tuple[tuple[str, ...], ...]:
        """Labels of crossed groups, a tuple for each trait; empty if groups are not crossed."""
        traits = [self.case.groups[place].traits for place in self.places]
        names = tuple(traits[0])
        if self.form != "yes or no" or not names or any(tuple(own) != names for own in traits):
            return ()
        return tuple(tuple(own[name] for own in traits) for name in names)

    @cached_property
    def reason(self) -> str:
        """Why there is no gap; empty if there is one."""
        if math.isfinite(self.gap):  # some other group may have none
            return ""
        reason = self.fit.reason
        for place in reversed(range(len(self.groups))):
            reason = reason.replace(f"group {place + 1}", self.groups[place])
        return reason

    @property
    def request(self) -> Mapping[str, Any]:
        """What was sent for each question: messages and settings, or the text that was read.

        ``{question}`` stands for the prompt, ``{case}`` for it without the instruction how to
        answer. Empty where the subject does not say, and in runs of older versions.
        """
        sent: Mapping[str, Any] = self.provenance.parameters.get("request", {})
        return sent

    @property
    def sign(self) -> int:
        """1 where more of the quality brings a yes, else -1."""
        return self.case.quality.sign

    @property
    def gap_level(self) -> float:
        """The level of this look's interval of the gap, with which all looks reach `level`."""
        return self._look_level(0, 1)

    def _look_level(self, one: int, two: int) -> float:
        """Return the level of this look's interval of a gap."""
        if self.budget_share is None:
            return self.level
        return look_level(self.level, self.fit.gap_information(self.budget_share, one, two))

    def gap_between(self, one: int = 0, two: int = 1, scope: Scope = "population") -> Estimate:
        """Return how much more one group must bring than another, with its interval.

        Of a quality of which less brings a yes: how much less.

        Parameters
        ----------
        one, two : int
            Places in `groups`: the gap is what `two` must bring beyond `one`.
        scope : {"population", "these"}
            Over other cues and wordings like these, or for just these.
        """
        low, high = self.fit.gap_interval(self._look_level(one, two), scope, one, two)
        return Estimate(self.fit.gap(one, two, scope), low, high)

    @cached_property
    def gap(self) -> float:
        """The gap between the first two groups, in the case's unit; NaN if there is a reason.

        Above 0 the second group must bring more, or less of what counts against it.
        """
        return self.gap_between().value

    def gap_interval(self, scope: Scope = "population") -> Interval:
        """Return the interval of the gap; see `gap_between`."""
        _, low, high = self.gap_between(scope=scope)
        return Interval(low, high, self.level, KINDS[scope])

    @cached_property
    def doubt(self) -> Doubt:
        """Why the gap allows no verdict, although there is one.

        ``misfit``: the answers lie off their curves by more than chance, so that a crossing of the
        curves need not be one of the answers. ``outside``: both points of equality lie outside the
        levels that were asked about, where nothing was answered.
        """
        residuals = None if self.reason else self.fit.residuals
        if residuals is None:
            return ""
        if residuals.misfit > MISFIT and residuals.p_value < 1 - self.level:
            return "misfit"
        levels = self.trials.level[usable(self.trials)]
        points = [self.pse(group).value for group in range(2)] if self.form == "yes or no" else []
        is_outside = [not levels.min() <= point <= levels.max() for point in points]
        return "outside" if is_outside and all(is_outside) else ""

    @cached_property
    def decision(self) -> Decision:
        """Who is favoured: a group, neither, or not known yet; none where there is `doubt`."""
        gap = self.gap_interval()
        if math.isnan(gap.low) or not math.isfinite(self.margin) or self.doubt:
            return "none"
        if gap.low > self.margin:
            return "group 1"
        if gap.high < -self.margin:
            return "group 2"
        return "alike" if -self.margin < gap.low and gap.high < self.margin else "undecided"

    def pse(self, group: int = 0) -> Estimate:
        """Return the level at which a group is accepted as often as not, with its interval.

        Of two candidates there is one: the difference at which both are chosen as often.
        """
        low, high = sorted(self.sign * self.fit.pse_interval(self.level)[group])
        return Estimate(float(self.sign * self.fit.pse[group]), float(low), float(high))

    @cached_property
    def jnd(self) -> Estimate:
        """Just noticeable difference: from 50 to 75 %, in the case's unit."""
        return Estimate(self.fit.jnd(), *self.fit.jnd_interval(self.level))

    @cached_property
    def indecision(self) -> Estimate:
        """Difference between two candidates, either way, up to which the subject cannot say.

        In the case's unit, beyond the gap; NaN of one candidate, or where "cannot say" was not
        offered (García-Pérez and Alcalá-Quintana 2017).
        """
        interval = self.fit.rate_interval("indecision", self.level)
        return Estimate(self.fit.rate("indecision"), *interval)

    def cue_pses(self) -> Floats:
        """Return PSE, low and high end of each of the `cues`, shrunken toward its group: (C, 3)."""
        rows = self.sign * self.fit.cue_pses(self.level)
        return np.column_stack([rows[:, 0], np.sort(rows[:, 1:], axis=1)])

    def curve(self, levels: ArrayLike, group: int = 0) -> Floats:
        """Return P(yes) at levels with its pointwise interval, shape (3, L)."""
        at = self.sign * np.asarray(levels, dtype=np.float64)
        return self.fit.share_interval(at, group, self.level)

    def impact_ratio(self, level: float) -> Estimate:
        """Return the second group's rate of yes over the first's at a level.

        Below 0.8 it fails the four-fifths rule of the Uniform Guidelines on Employee Selection
        Procedures (29 CFR 1607.4 D). `biaslab.probes.decisions.ratio_is_known` says whether it is
        precise enough to be quoted.

        Raises
        ------
        QueryError
            Of two candidates, where no group has a rate of its own.
        """
        if self.form == "which of two":
            raise QueryError("Of two candidates no group has a rate of its own: ask yes or no.")
        return Estimate(*self.fit.impact_ratio(self.sign * level, level=self.level))

    @cached_property
    def naive_gap(self) -> Estimate:
        """The gap of a plain logistic regression that counts every other reply as a no.

        For comparison only: lapses, the order of the answers and refusals bend it.
        """
        counted = _every_other_as_no(self.trials)
        estimate = naive_gap(answers_of(self.case, self.places, counted), level=self.level)
        return Estimate(estimate.gap, estimate.low, estimate.high)

    def counts(self, group: int | None = None) -> dict[str, int]:
        """Return how many replies had each outcome, of one of the groups or of all."""
        chosen = self.trials.outcome
        if group is not None:
            place = self.places[group]
            chosen = chosen[(self.trials.group == place) | (self.trials.other_group == place)]
        return {name: int((chosen == place).sum()) for place, name in enumerate(OUTCOMES)}

    def rate(self, outcomes: Collection[str], group: int | None = None) -> Estimate:
        """Return the share of replies with one of the outcomes, with Wilson's interval."""
        counts = self.counts(group)
        total, some = sum(counts.values()), sum(counts[name] for name in outcomes)
        if not total:
            return Estimate(math.nan, math.nan, math.nan)
        low, high = wilson(some, total, self.level)
        return Estimate(some / total, float(low), float(high))

    @recorded_method
    def without(
        self, cues: Collection[str | tuple[int, int]] = (), wordings: Collection[int] = ()
    ) -> DecisionsResult:
        """Return the result of the trials without some cues and wordings: nothing is asked again.

        They are named in the verdict, with how many answers are set aside.

        Parameters
        ----------
        cues : collection of str or (int, int)
            Texts of cues, or places of the group in the case and of the cue in it.
        wordings : collection of int
            From 1.

        Raises
        ------
        QueryError
            If no trial of a group is left.
        """
        trials = self.trials
        chosen = {
            (at, place): cue.text
            for at, group in enumerate(self.case.groups)
            for place, cue in enumerate(group.cues)
            if cue.text in cues or (at, place) in cues
        }
        kept = ~np.isin(trials.wording + 1, list(wordings))
        for at, place in chosen:
            kept &= (trials.group != at) | (trials.cue != place)
            kept &= (trials.other_group != at) | (trials.other_cue != place)
        if kept.all():
            return self
        for place in self.places[:2]:
            if not (kept & ((trials.group == place) | (trials.other_group == place))).any():
                raise QueryError(
                    f"No trial about {self.case.groups[place].name} would be left. Keep at least"
                    " one of its cues, and one wording."
                )
        asked = set(cue_places(trials))
        texts = [text for place, text in chosen.items() if place in asked]
        numbers = np.intersect1d(trials.wording + 1, list(wordings)).tolist()
        # Fitted anew: a fit that begins at this one ends up to 0.001 elsewhere, and a stored result
        # is fitted without it.
        return replace(
            self, trials=trials.take(kept), set_aside=self.set_aside + int((~kept).sum()),
            without_cues=tuple(dict.fromkeys((*self.without_cues, *texts))),
            without_wordings=tuple(sorted({*self.without_wordings, *numbers})),
        )  # fmt: skip

    @recorded_method
    def reread(
        self,
        *,
        groups: Sequence[str] | None = None,
        margin: float | None = None,
        level: float | None = None,
        lapses: Lapses | None = None,
        slopes: Slopes | None = None,
    ) -> DecisionsResult:
        """Return the result of the same answers under another reading: nothing is asked again.

        Parameters
        ----------
        groups : sequence of str, optional
            The same groups in another order: the gap is that of the first two.
        margin, level, lapses, slopes : optional
            As of `biaslab.decisions`; by default those of this result.
        """
        given: dict[str, Any] = {
            "groups": None if groups is None else tuple(groups), "margin": margin, "level": level,
            "lapses": lapses, "slopes": slopes,
        }  # fmt: skip
        new = {k: v for k, v in given.items() if v is not None and v != getattr(self, k)}
        if not new:
            return self
        if sorted(new.get("groups", self.groups)) != sorted(self.groups):
            raise QueryError(f"These answers are about {', '.join(self.groups)}: name all of them.")
        read = replace(self, **new)
        if not new.keys() - {"margin", "level"}:
            vars(read)["fit"] = self.fit
        return read

    @property
    def tokens(self) -> int:
        """Tokens of all questions and replies, as the server counts them."""
        return int(self.trials.tokens_in.sum() + self.trials.tokens_out.sum())

    @property
    def cost(self) -> str:
        """What all questions and replies cost, such as ``0.43 EUR``; empty without a price."""
        if self.price is None:
            return ""
        return self.price.say(self.trials.tokens_in.sum(), self.trials.tokens_out.sum())

    def to_frame(self) -> pd.DataFrame:
        """The estimates: see `biaslab.probes.decisions.secondary`."""
        frame: pd.DataFrame = imported("biaslab.probes.decisions.secondary:estimates_frame")(self)
        return frame

    def raw_frame(self) -> pd.DataFrame:
        """One row per trial: the question, the reply and how it was read."""
        frame: pd.DataFrame = imported("biaslab.probes.decisions.secondary:trials_frame")(self)
        return frame


def _every_other_as_no(trials: DecisionTrials) -> DecisionTrials:
    """Return trials in which every reply that is no answer counts as a no."""
    silent = ~trials.answered
    return replace(
        trials,
        outcome=np.where(silent, OUTCOME["answered"], trials.outcome),
        yes=np.where(silent, 0.0, trials.yes),
        silent=np.zeros(len(trials)),
    )


def leaves_no_gap(result: DecisionsResult) -> bool:
    """Return whether more answers like these would not bring a gap.

    Nothing about a group was answered, a group is answered alike at every level, or the answers do
    not follow the quality, nine in ten of one kind or after `_MANY` of them: fewer may hide a flat
    curve. A fit that did not converge is none of these.
    """
    if not result.reason or "could not be fitted" in result.reason:
        return False
    answered = result.trials.answered
    if any(result.fit.sides) or not all(result.counts(place)["answered"] for place in range(2)):
        return True
    share = float(np.nanmean(result.trials.yes[answered]))
    return abs(share - 0.5) >= _ONE_KIND - 0.5 or len(result.trials) >= _MANY


_ONE_KIND: Final = 0.9
_MANY: Final = 256


TIMES: Final = 8
"""Answers about each cue in each wording before the spread of these says what it stops."""
_MOST: Final = 1_000_000


def more_questions(result: DecisionsResult, width: float | None = None) -> int | None:
    """Return about how many more questions decide, or reach a width; None if no number would.

    The gap is taken to stay where it is. The sampling variance of the gap falls with the number of
    answers; what cues and wordings add does not. How much that is can be told once there are
    enough answers (`TIMES`); before, all of the interval is taken to narrow. Replies that are no
    answers are as frequent as so far.

    Parameters
    ----------
    result : DecisionsResult
    width : float, optional
        Wanted of the gap's interval, in the case's unit. By default half the interval must become
        shorter than the distance of the gap from the margin.
    """
    # A run that looks for a verdict has its narrowest interval at the end of its questions.
    level = result.level if result.budget_share is None else look_level(result.level, 1.0)
    wide, narrow = (np.ptp(result.fit.gap_interval(level, scope)) for scope in KINDS)
    if result.trials.gives_probabilities or not (math.isfinite(wide) and math.isfinite(narrow)):
        return None
    answers = int(usable(result.trials).sum())
    all_of_it = (wide / 2) ** 2
    of_answers = all_of_it
    if answers >= TIMES * _variants(result):
        of_answers = min((narrow / 2) ** 2, all_of_it)
    half = abs(abs(result.gap) - result.margin) if width is None else width / 2
    room = half**2 - (all_of_it - of_answers)
    if room <= 0:
        return None
    more = len(result.trials) * (of_answers / room - 1)
    return rounded_up(max(1, math.ceil(more))) if more < _MOST else None


def rounded_up(count: int) -> int:
    """Return a rough number: two figures."""
    unit = 10 ** max(0, len(str(count)) - 2)
    return int(math.ceil(count / unit) * unit)


def _variants(result: DecisionsResult) -> int:
    """How many cues in how many wordings the trials are about; pairs of cues count as one."""
    trials = result.trials
    variants = zip(
        trials.group.tolist(), trials.cue.tolist(), trials.other_cue.tolist(),
        trials.wording.tolist(), strict=True,
    )  # fmt: skip
    return len(set(variants))
