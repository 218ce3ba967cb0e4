"""Ask a language model in the background, so that the bench stays live meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from biaslab.errors import QueryError
from biaslab.jobs import Job, JobContext, JobGroup, JobStatus
from biaslab.probes.psychometrics import FramedModel
from biaslab.progress import JobProgress
from biaslab.subjects.language_model import LanguageModel
from biaslab_widgets.core.model_words import ModelWords

AT_ONCE_S = 0.3
"""An asking that ends within this time is not announced."""


@dataclass(frozen=True)
class Asked:
    """What a language model is asked: all that its answers depend on."""

    subject: str
    word: str
    pairs: tuple[tuple[str, str], ...]
    levels: int


class ModelAsker:
    """Asks one question after the other; what a model has answered is kept with it.

    Parameters
    ----------
    on_progress : callable
        Told how far the asking is; None when nothing is asked.
    jobs : JobGroup
        Those of the bench.
    """

    def __init__(self, on_progress: Callable[[JobProgress | None], None], jobs: JobGroup) -> None:
        self._on_progress, self._jobs = on_progress, jobs
        self._models: dict[int, FramedModel] = {}
        self._words: dict[int, ModelWords] = {}
        self._job: tuple[Asked, Job[None]] | None = None
        self.stopped: Asked | None = None
        self.failed: dict[Asked, BaseException] = {}

    def model(self, lm: LanguageModel) -> FramedModel:
        """The model in its frames, with its answers so far.

        Raises
        ------
        SubjectError
            When it cannot be shown blends.
        """
        # Kept for as long as the bench lives, so that no other object gets the same id.
        if id(lm) not in self._models:
            self._models[id(lm)] = FramedModel(lm)
        return self._models[id(lm)]

    def words(self, lm: LanguageModel) -> ModelWords:
        """Its words."""
        if id(lm) not in self._words:
            self._words[id(lm)] = ModelWords(lm)
        return self._words[id(lm)]

    def is_known(self, lm: LanguageModel, asked: Asked) -> bool:
        """Whether its answers are there."""
        alphas = np.linspace(0, 1, asked.levels)
        return self.model(lm).is_known([asked.word], asked.pairs, alphas)

    def begin(self, lm: LanguageModel, asked: Asked) -> Job[None]:
        """Ask in the background; what is being asked otherwise is given up."""
        if self._job is not None:
            current, job = self._job
            if current == asked and not job.finished and not job.stopping:
                return job
            self._job = None
            job.cancel()
        job = self._jobs.start(_ask, self.model(lm), asked.word, asked.pairs, asked.levels)
        self._job = asked, job
        job.on_progress(self._on_progress)
        job.on_done(lambda done: self._ended(asked, done))
        return job

    def is_asking(self, asked: Asked) -> bool:
        """Whether this is being asked."""
        if self._job is None or self._job[0] != asked:
            return False
        return not self._job[1].finished and not self._job[1].stopping

    def stop(self) -> None:
        """Give up what is being asked; batches that were answered are lost."""
        if self._job is not None and not self._job[1].finished:
            self.stopped = self._job[0]
            self._job[1].cancel()
            self._on_progress(None)

    def again(self) -> None:
        """Ask again what was stopped or failed."""
        self.stopped = None
        self.failed.clear()

    def _ended(self, asked: Asked, job: Job[None]) -> None:
        error = job.exception
        # What cannot be asked is known at once, and told with its words when it is asked for.
        if error is not None and not isinstance(error, QueryError):
            self.failed[asked] = error
        if error is None and job.status is not JobStatus.DONE and self._job == (asked, job):
            self.stopped = asked  # as by an interrupt of the kernel
        if self._job is None or self._job[1] is job:
            self._on_progress(None)


def _ask(
    model: FramedModel,
    word: str,
    pairs: Sequence[tuple[str, str]],
    levels: int,
    context: JobContext | None = None,
) -> None:
    context = context or JobContext()
    model.ask(
        [word],
        pairs,
        np.linspace(0, 1, levels),
        between=context.checkpoint,
        told=lambda done, total: context.report(done, total, "questions asked"),
    )
    _ = model.content_hash  # for the result's provenance; some seconds of a large model
