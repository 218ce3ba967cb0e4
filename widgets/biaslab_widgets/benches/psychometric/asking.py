"""Ask a language model in the background, in the frames of a language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import biaslab as bl
from biaslab.errors import BiaslabError, QueryError
from biaslab.frames import FrameSet
from biaslab.jobs.job import Job, JobGroup, JobStatus
from biaslab.jobs.progress import JobProgress
from biaslab.probes.psychometrics import FramedModel
from biaslab.probes.psychometrics.framed_question import chosen_layers
from biaslab.subjects.embedding.terms import Resolution, Unknown
from biaslab.subjects.language_model.model import LanguageModel
from biaslab_widgets.benches.psychometric.fields import (
    ENGLISH,
    GENDER_PAIRS,
    PsychometricBenchState,
)
from biaslab_widgets.core.answers.background import Background
from biaslab_widgets.core.state.records import Message, message
from biaslab_widgets.core.word_marks import ModelWords


@dataclass(frozen=True)
class FrameChoice:
    """Which frames a language model is asked in."""

    language: str = ENGLISH
    design: str = "neutral"

    @property
    def frames(self) -> FrameSet | None:
        """The frames of the language; None for the English ones, which depend on the words.

        Raises `FrameError` when the language does not have this design.
        """
        if self.language == ENGLISH:
            return None
        frames: FrameSet = bl.frames.get(self.language, self.design)  # type: ignore[arg-type]
        return frames


def choice_of(snapshot: PsychometricBenchState) -> FrameChoice:
    """The frames that are chosen."""
    design = "neutral" if snapshot.language == ENGLISH else snapshot.frame_design
    return FrameChoice(snapshot.language, design)


def missing_design(snapshot: PsychometricBenchState) -> Message | None:
    """Why a language has no frames of the chosen design; None where it has."""
    if snapshot.language == ENGLISH or snapshot.frame_design == "neutral":
        return None
    language = bl.frames.get(snapshot.language).language
    if language.has_gender:
        return None
    return message(
        f"{language.title} has no forms for gender",
        "Its frames name a field of work, and nothing agrees with the cue.",
        {"label": "Use neutral frames", "set": {"frame_design": "neutral"}},
    )


class LanguageWords:
    """Puts the words and cues of the chosen language in the place of those of another.

    A list that a person or Python has given beside the language stays.
    """

    def __init__(self) -> None:
        self._filled = ""

    def inputs(self, subject: object, snapshot: PsychometricBenchState) -> dict[str, Any]:
        """Inputs to set, once after each change of language; only models are asked in one."""
        language = snapshot.language if isinstance(subject, LanguageModel) else ENGLISH
        if language == self._filled:
            return {}
        is_first, self._filled = not self._filled, language
        if is_first and language == ENGLISH:
            return {}
        items, pairs = _of(language, subject)
        inputs: dict[str, Any] = {}
        if not is_first or not snapshot.words:
            inputs["words"] = items
            if snapshot.word.strip() and snapshot.word not in items:
                inputs["word"] = items[0] if items else ""
        if not is_first or [list(pair) for pair in snapshot.pairs] == GENDER_PAIRS:
            inputs |= {"pairs": pairs, "selected_pairs": [0]}
        return inputs


class FrameItems:
    """The items of a language's frames, looked up as `EmbeddingSubject` does."""

    def __init__(self, frames: FrameSet) -> None:
        self.frames = frames

    def __contains__(self, term: str) -> bool:
        """Whether the frames have its forms."""
        return not self.frames.why_not(term)

    def resolve(self, terms: Iterable[str], *, suggest: bool = True) -> Resolution:  # noqa: ARG002
        """Which terms the frames have forms of; forms of one item are one word."""
        known: dict[str, str] = {}
        unknown: list[Unknown] = []
        duplicates: list[str] = []
        for term in dict.fromkeys(terms):
            if reason := self.frames.why_not(term):
                unknown.append(Unknown(term, reason))
            elif (key := str(self.frames.key_of(term))) in known:
                duplicates.append(term)
            else:
                known[key] = term
        words = tuple(known.values())
        return Resolution(words, tuple(unknown), tuple(duplicates), {w: (w,) for w in words})

    def suggest(self, term: str) -> tuple[str, ...]:  # noqa: ARG002
        """None: a reason names all items."""
        return ()


def _of(language: str, subject: object) -> tuple[list[str], list[Sequence[str]]]:
    """Items and pairs of cues of a language."""
    if language == ENGLISH:
        words = list(bl.specs.get("occupations").items)
        if not isinstance(subject, LanguageModel):
            words = list(subject.resolve(words, suggest=False).known)  # type: ignore[attr-defined]
        return words, [list(pair) for pair in GENDER_PAIRS]
    frames = bl.frames.get(language)
    return list(frames.items), [list(pair) for pair in frames.cues]


ENGLISH_FRAMES = FrameChoice()
AT_ONCE_S = 0.3
"""An asking that ends within this time is not announced."""


@dataclass(frozen=True)
class Asked:
    """What a language model is asked: all that its answers depend on."""

    subject: str
    word: str
    pairs: tuple[tuple[str, str], ...]
    levels: int
    layer: int = 0
    frames: FrameChoice = ENGLISH_FRAMES


class ModelAsker:
    """Asks one question after the other; what a model has answered is kept with it.

    - `changed`: called from any thread when an asking has ended.
    - `on_progress`: given how far the asking is; None when nothing is asked.
    - `jobs`: those of the bench.
    """

    def __init__(
        self,
        changed: Callable[[], object],
        on_progress: Callable[[JobProgress | None], None],
        jobs: JobGroup,
    ) -> None:
        self._on_progress, self._jobs = on_progress, jobs
        self._models: dict[tuple[int, FrameChoice], FramedModel] = {}
        self._words: dict[int, ModelWords] = {}
        self._asking: Background[None] = Background(changed, on_progress)

    @property
    def has_asked(self) -> bool:
        """Whether a model was asked, or is being asked."""
        return self._asking.job is not None

    def model(self, lm: LanguageModel, frames: FrameChoice) -> FramedModel:
        """The model in its frames, with its answers so far.

        Raises `SubjectError` when it cannot be shown blends; `FrameError` when the language does
        not have these frames.
        """
        # Kept for as long as the bench lives, so that no other object gets the same id.
        key = (id(lm), frames)
        if key not in self._models:
            self._models[key] = FramedModel(lm, frames.frames)
        return self._models[key]

    def words(self, lm: LanguageModel) -> ModelWords:
        """Its words."""
        if id(lm) not in self._words:
            self._words[id(lm)] = ModelWords(lm)
        return self._words[id(lm)]

    def is_known(self, lm: LanguageModel, question: Asked) -> bool:
        """Whether its answers are there, or there will never be any."""
        if question.layer:
            try:
                chosen_layers(lm, [question.layer])
            except BiaslabError:  # the probe refuses it with these words
                return True
        alphas = np.linspace(0, 1, question.levels)
        return self.model(lm, question.frames).is_known(
            [question.word], question.pairs, alphas, (question.layer,)
        )

    def begin(self, lm: LanguageModel, question: Asked) -> Job[None]:
        """Ask in the background; what is being asked otherwise is given up."""
        if self._asking.job is not None and self.is_asking(question):
            return self._asking.job
        job = self._jobs.start_awaited(_ask, self.model(lm, question.frames), question)
        return self._asking.begin(question, job)

    def is_asking(self, question: Asked) -> bool:
        """Whether this is being asked."""
        return self._asking.works_on(question)

    def error(self, question: Asked) -> BaseException | None:
        """Why this could not be asked; None where it was not tried.

        A question that makes no sense is refused at once, with its words, when it is put again.
        """
        job = self._asking.job if self._asking.key == question else None
        error = None if job is None else job.exception
        return None if isinstance(error, QueryError) else error

    def was_stopped(self, question: Asked) -> bool:
        """Whether asking this was stopped, by a person or by an interrupt of the kernel."""
        job = self._asking.job if self._asking.key == question else None
        if job is None:
            return False
        return job.stopping or job.status in (JobStatus.CANCELLED, JobStatus.ABORTED)

    def stop(self) -> None:
        """Give up what is being asked; batches that were answered are lost."""
        if self._asking.cancel():
            self._on_progress(None)

    def again(self) -> None:
        """Ask again what was stopped or failed."""
        job = self._asking.job
        if job is not None and (job.finished or job.stopping):
            self._asking.forget()


def _ask(model: FramedModel, question: Asked) -> None:
    model.ask(
        [question.word],
        question.pairs,
        np.linspace(0, 1, question.levels),
        layers=chosen_layers(model.lm, [question.layer]) if question.layer else None,
    )
    _ = model.content_hash  # for the result's provenance; some seconds of a large model
