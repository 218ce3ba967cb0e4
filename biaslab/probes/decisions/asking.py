"""Ask a decider about a case, batch by batch, at fixed or adaptively placed levels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from biaslab.cases import Question
from biaslab.deciders import Reply, StoredReplies
from biaslab.errors import DeciderError
from biaslab.jobs.job import JobContext
from biaslab.probes.decisions.result import TIMES
from biaslab.probes.decisions.trials import (
    CANNOT_SAY,
    NOWHERE,
    DecisionTrials,
    Design,
    Flags,
    Floats,
    Indices,
    Questions,
)
from biaslab.stats.decisions.fit import DecisionFit
from biaslab.stats.decisions.placement import DecisionPlacement, look_level
from biaslab.stats.quantiles import t_quantile


class Asking:
    """Trials of one run as they come in.

    Parameters
    ----------
    replies : StoredReplies
        The decider, and where its replies are kept and found.
    design : Design
    cannot_say : bool
        Whether the answer of who cannot decide is offered.
    context : JobContext
    keep : callable
        Takes the trials so far and where the next questions go, after each batch.
    is_over : callable
        Given the trials so far, says whether no gap is to be expected of such answers; None never
        stops for that.

    Attributes
    ----------
    most : int or None
        Questions of the run at most, once that is known.
    """

    def __init__(
        self,
        replies: StoredReplies,
        design: Design,
        *,
        cannot_say: bool,
        context: JobContext,
        keep: Callable[[DecisionTrials, Floats], None],
        is_over: Callable[[DecisionTrials], bool] | None = None,
    ) -> None:
        self._replies, self._design, self.cannot_say = replies, design, cannot_say
        self._context, self._keep = context, keep
        self._is_over, self._next_look = is_over, FIRST_LOOK
        self.most: int | None = None
        self._times: Counter[str] = Counter()
        self._done: list[DecisionTrials] = []

    @property
    def trials(self) -> DecisionTrials | None:
        """All trials so far; None before the first."""
        return DecisionTrials.joined(self._done) if self._done else None

    @property
    def count(self) -> int:
        """How many trials there are."""
        return sum(len(part) for part in self._done)

    @property
    def should_stop(self) -> bool:
        """Whether a stop was requested; leaves the probe at one before there is any trial."""
        if not self._done:
            self._context.checkpoint()
        return self._context.should_stop

    @property
    def leaves_no_gap(self) -> bool:
        """Whether the run should end since no gap is to be expected; looks ever more seldom."""
        if self._is_over is None or self.count < self._next_look or self.trials is None:
            return False
        self._next_look = 2 * self.count
        return self.count < (self.most or math.inf) and self._is_over(self.trials)

    def put(self, rows: Questions) -> DecisionTrials | None:
        """Put questions once; return their trials, of those that were answered before a stop."""
        questions = rows.of(self._design.case, cannot_say=self.cannot_say)
        repetitions = []
        for question in questions:
            repetitions.append(self._times[question.prompt])
            self._times[question.prompt] += 1
        try:
            replies = self._replies.ask(questions, repetitions, _Part(self._context, self))
        except DeciderError as error:
            self._add(rows, questions, error.replies)
            self.show()
            raise
        return self._add(rows, questions, replies)

    def _add(
        self, rows: Questions, questions: Sequence[Question], replies: Sequence[Reply]
    ) -> DecisionTrials | None:
        """Keep the trials of the first questions."""
        if not replies:
            return None
        count = len(replies)
        part = DecisionTrials.of_replies(rows.take(slice(0, count)), questions[:count], replies)
        self._done.append(part)
        return part

    def show(self, next_levels: Floats = NOWHERE) -> None:
        """Hand the trials so far on, with where the next questions go."""
        if self._done:
            self._keep(DecisionTrials.joined(self._done), next_levels)


class _Part(JobContext):
    """A batch's part of the progress of a run."""

    def __init__(self, whole: JobContext, asking: Asking) -> None:
        self._whole, self._before, self._most = whole, asking.count, asking.most

    @property
    def should_stop(self) -> bool:
        """Whether the run is to stop."""
        return self._whole.should_stop

    def checkpoint(self) -> None:
        """Leave the probe here if the run was stopped."""
        self._whole.checkpoint()

    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        """Report how many of the run's questions were answered."""
        del total, message
        self._whole.report(self._before + done, self._most, "questions asked")

    def skip(self, steps: float) -> None:
        """Report questions that the store has answered."""
        self._whole.skip(steps)

    def wait_for(self, text: str) -> None:
        """Report what a call waits for."""
        self._whole.wait_for(text)


def ask_fixed(
    asking: Asking,
    design: Design,
    levels: int | Sequence[float] | None,
    trials: int | None,
    batch: int,
    seed: int,
) -> tuple[str, ...]:
    """Put balanced questions at fixed levels, until all are answered or a stop.

    Returns notes on how it ended.
    """
    rows = design.questions(design.chosen_levels(levels), trials, np.random.default_rng(seed))
    asking.most = len(rows)
    for start in range(0, len(rows), batch):
        if asking.should_stop:
            break
        if asking.leaves_no_gap:
            return (NO_GAP,)
        asking.put(rows.take(slice(start, start + batch)))
        asking.show()
    return ()


MOST_TRIALS: Final = 400
"""Questions where no number was given."""
FEWEST_TIMES: Final = 4
"""Answers about each cue in each wording before a run for a verdict may end without one."""
FARTHEST: Final = 2.0
"""Standard deviations that the rest of the questions may move the gap."""
FIRST_LOOK: Final = 64
"""Questions after which a run may first end because no gap is to be expected."""
NO_GAP: Final = (
    "The run ended early, since no gap is to be expected of such answers: go on to ask the rest."
)
HOPELESS: Final = (
    "The run ended early, since the rest of its questions would hardly have brought a verdict: plan"
    " more questions, or add cues and wordings."
)
OUT_OF_REACH: Final = (
    "More answers would not have brought the interval where it was wanted, since these cues and"
    " wordings differ too much: add others."
)


@dataclass(frozen=True)
class Aim:
    """When to stop.

    Attributes
    ----------
    width : float or None
        Of the gap's interval, in the case's unit.
    margin : float
        Without a width: stop when the interval lies within plus and minus this, or beyond.
    budget : int
        Questions at most.
    level : float
        Of the interval; of all looks together where the run stops at a verdict.
    """

    width: float | None
    margin: float
    budget: int
    level: float

    @property
    def stops_at_verdict(self) -> bool:
        """Whether what the interval says ends the run, and not its width."""
        return self.width is None and self.margin > 0

    def look_level(self, information: float) -> float:
        """Return the level of the interval at a share of the final information."""
        return look_level(self.level, information) if self.stops_at_verdict else self.level

    def is_hopeless(self, fit: DecisionFit, information: float) -> bool:
        """Whether the gap is unlikely to move so far that the last interval decides.

        Parameters
        ----------
        fit : DecisionFit
            Of the answers so far.
        information : float
            As a share of that after all questions.
        """
        sd, distance = math.sqrt(fit.gap_variance()), abs(abs(fit.gap()) - self.margin)
        critical = float(t_quantile(np.inf, (1 + self.look_level(1.0)) / 2))
        half = critical * sd * math.sqrt(information)
        return half - distance > FARTHEST * sd * math.sqrt(1 - information)


def ask_adaptively(
    asking: Asking,
    design: Design,
    aim: Aim,
    batch: int,
    seed: int,
    fitted: Callable[[DecisionTrials], DecisionFit],
) -> tuple[str, ...]:
    """Put questions where replies say most, until the aim is reached or a stop.

    Levels, groups and orders are chosen by the placement; cues and wordings take turns, each pair
    of them once before any comes again.

    Parameters
    ----------
    fitted : callable
        Returns the fit of the trials so far, for the gap's interval over other cues and wordings.
        Where a width is wanted, it is called once the interval for just these has it.

    Returns
    -------
    tuple of str
        Notes on how it ended.
    """
    rng = np.random.default_rng(seed)
    sign = design.case.quality.sign
    groups = len(design.groups) if design.form == "yes or no" else 1
    asking.most = aim.budget
    margin = (-aim.margin, aim.margin) if aim.stops_at_verdict else None
    placement = DecisionPlacement(
        groups, np.sort(sign * design.axis), orders=design.both_orders,
        indecision=asking.cannot_say and design.form == "which of two",
        width=aim.width, margin=margin, budget=aim.budget, level=aim.level,
    )  # fmt: skip
    turns = [_Turns(design, place, rng) for place in range(groups)]
    while not asking.should_stop:
        stop = placement.stopped()
        if stop == "budget":
            break
        if asking.leaves_no_gap:
            return (NO_GAP,)
        if asking.trials is not None and (stop or aim.stops_at_verdict):
            fit = fitted(asking.trials)
            information = fit.gap_information(placement.asked / aim.budget)
            interval = fit.gap_interval(aim.look_level(information))
            if placement.stopped(interval):
                break
            times = placement.asked / sum(turn.count for turn in turns)
            if aim.stops_at_verdict:
                if times >= FEWEST_TIMES and aim.is_hopeless(fit, information):
                    return (HOPELESS,)
            elif times >= TIMES and math.isinf(placement.remaining(interval)):
                return (OUT_OF_REACH,)
        count = min(batch, aim.budget - placement.asked)
        group, level, first = placement.next_questions(count)
        people, wordings = zip(*(turns[place].next() for place in group), strict=True)
        rows = design.rows(np.array(people), sign * level, np.array(wordings), first, rng)
        part = asking.put(rows)
        if part is None:
            break
        answered = len(part)
        placement.update(group[:answered], level[:answered], first[:answered], **_counts(part))
        asking.show(placement.ridge()[:, ::sign])
    return ()


def _counts(part: DecisionTrials) -> dict[str, Floats | Flags]:
    """Return of each trial whether it was a yes, was answered, was "cannot say" or nothing."""
    silent = part.outcome == CANNOT_SAY
    return {
        "yes": np.nan_to_num(part.yes),
        "n": part.answered,
        "undecided": silent,
        "refused": ~part.answered & ~silent,
    }


class _Turns:
    """Candidates and wordings of a group in turns: all pairs once in random order, then again."""

    def __init__(self, design: Design, group: int, rng: np.random.Generator) -> None:
        people = design.candidates
        if design.form == "yes or no":
            people = people[people[:, 0] == design.groups[group]]
        self._pairs = [(person, wording) for person in people for wording in design.wordings]
        self.count = len(self._pairs)
        self._rng = rng
        self._left: list[int] = []

    def next(self) -> tuple[Indices, int]:
        """Return who is asked about next, and in which wording."""
        if not self._left:
            self._left = self._rng.permutation(len(self._pairs)).tolist()
        return self._pairs[self._left.pop()]
