"""Ask a decider about a case, batch by batch, at fixed or adaptively placed levels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from biaslab.cases import Question
from biaslab.deciders import Reply, StoredReplies
from biaslab.errors import DeciderError
from biaslab.jobs import JobContext
from biaslab.probes.decisions.design import Design
from biaslab.probes.decisions.trials import NOWHERE, DecisionTrials, Floats, Questions


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
    ) -> None:
        self._replies, self._design, self.cannot_say = replies, design, cannot_say
        self._context, self._keep = context, keep
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
        told = len(replies)
        part = DecisionTrials.of_replies(rows.take(slice(0, told)), questions[:told], replies)
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


def ask_fixed(
    asking: Asking,
    design: Design,
    levels: int | Sequence[float] | None,
    trials: int | None,
    batch: int,
    seed: int,
) -> None:
    """Put balanced questions at fixed levels, until all are answered or a stop."""
    rows = design.questions(design.chosen_levels(levels), trials, np.random.default_rng(seed))
    asking.most = len(rows)
    for start in range(0, len(rows), batch):
        if asking.should_stop:
            return
        asking.put(rows.take(slice(start, start + batch)))
        asking.show()
