r"""A language model as the subject of a two-alternative task, with sentence frames.

The stimulus is a blend of the two cues' input embeddings at one place of a sentence,
:math:`(1-\alpha) e(c_1) + \alpha e(c_2)` (Liang and Acuna 2020, eq. 1), and the response is
:math:`P(c_2) / (P(c_1) + P(c_2))` at another place. Each frame is an observer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biaslab.errors import DeviceMemoryError, QueryError, SubjectError
from biaslab.frames import FrameSet
from biaslab.jobs.context import current_context
from biaslab.probes.psychometrics.framed_question import (
    Floats,
    Pair,
    Question,
    Role,
    Unusable,
    UnusableError,
    answers_at_layers,
    question,
    shares_of,
)
from biaslab.probes.psychometrics.frames import EXAMPLE, Frame, own_frames, shipped_frames
from biaslab.records.calls import Reopened, recorded_class, recorded_method
from biaslab.records.result import Dropped
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.language_model.patching import Patch
from biaslab.subjects.language_model.reading import Look

REMEMBERED = 20_000
"""Answers of a frame to all stimuli that are remembered."""


_Key = tuple[Frame, str, Pair, tuple[float, ...], int, Patch]
"""Frame, item, cue pair, stimuli, layer, and where it is patched in."""


@dataclass(frozen=True)
class FramedAnswers:
    """Answers of a language model.

    Attributes
    ----------
    items, pairs : tuple
        The n items and K pairs that the model answered.
    frames : tuple of str
        The B frames usable everywhere, with an example of their words.
    answers : ndarray, shape (B, n, K, L)
        P(cue 2), renormalised over both cues; (layers, B, n, K, L) where layers were asked.
    usable : ndarray of bool
        Which of the given pairs are usable.
    dropped : tuple of Dropped
        Items, cue pairs and frames that are unusable, with reasons.
    notes : tuple of str
    """

    items: tuple[str, ...]
    pairs: tuple[Pair, ...]
    frames: tuple[str, ...]
    answers: Floats
    usable: NDArray[np.bool_]
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...] = ()


@recorded_class
class FramedModel(Reopened):
    """A language model that answers two-alternative questions in frames, with a cache.

    Parameters
    ----------
    lm : LanguageModel
        Masked or causal.
    frames : sequence of str or FrameSet, optional
        Sentences with ``{stimulus}``, ``{item}`` and ``{answer}``, or the frames of a language
        (`biaslab.frames.get`); by default the shipped English ones, which depend on the kinds of
        words that item and cues are.
    first : int, optional
        Number of frames to use, from the first.
    memory_mb : float, optional
        Limit on the extra memory of a batch, in megabytes; by default measured on the device.

    Raises
    ------
    QueryError
        When a frame is invalid; says how to write it.
    SubjectError
        When the model cannot be shown embeddings in place of tokens.
    """

    def __init__(
        self,
        lm: LanguageModel,
        frames: Sequence[str] | str | FrameSet | None = None,
        *,
        first: int | None = None,
        memory_mb: float | None = None,
    ) -> None:
        if first is not None and first < 1:
            raise QueryError(f"{first} frames: use at least one.")
        self.lm = lm
        self.language_frames: FrameSet | None = None
        self.frames: tuple[Frame, ...] | None = None
        if isinstance(frames, FrameSet):
            _refuse_agreeing(frames)
            self.language_frames = frames
        elif frames is not None:
            self.frames = own_frames(frames)[:first]
        self.first = first
        self.memory_mb = memory_mb
        for frame in self.frames or ():
            if lm.kind == "clm" and not frame.answer_is_last:
                raise QueryError(
                    f"In the frame {frame.text!r} the answer comes before the stimulus or the item."
                    f" {lm.name} is causal and reads from left to right: put {{answer}} last, as in"
                    f" {EXAMPLE!r}, or use a masked model."
                )
        if not lm.takes_mixtures:
            raise SubjectError(
                f"{lm.name} cannot be shown a blend of two words: it answers differently to input"
                " embeddings than to the same tokens, or not at all. bl.stereotype_score compares"
                " its sentences; for blends, choose another model."
            )
        self._known: dict[_Key, Floats] = {}
        self._questions: dict[tuple[Frame, str, Pair], Question | Unusable] = {}

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.lm.name

    @property
    def content_hash(self) -> str:
        """That of the model, and of the chat in which it is shown texts."""
        chat = self.lm.chat
        if chat is None:
            return self.lm.content_hash
        return hashlib.sha256(f"{self.lm.content_hash}|{chat.prefix}".encode()).hexdigest()

    @property
    def device(self) -> str:
        """Device of the model."""
        return self.lm.device

    @recorded_method
    def using(self, first: int) -> FramedModel:
        """Return the same model with its first frames only; the cache is shared."""
        if first < 1:
            raise QueryError(f"{first} frames: use at least one.")
        other = copy(self)
        other.frames = None if self.frames is None else self.frames[:first]
        other.first = first if self.first is None else min(first, self.first)
        return other

    def frames_for(self, item: str, pair: Pair) -> tuple[Frame, ...]:
        """Return the frames for an item and a pair of cues.

        Raises
        ------
        FrameError
            When the frames of a language have no forms of this item.
        """
        if self.frames is not None:
            return self.frames
        if self.language_frames is not None:
            made = self.language_frames.sentences(item)[: self.first]
            return tuple(Frame(sentence.text, sentence.forms) for sentence in made)
        return shipped_frames(item, *pair)[: self.first]

    def respond(
        self, item: ArrayLike, cue_1: ArrayLike, cue_2: ArrayLike, alpha: ArrayLike,
        observer: ArrayLike,
    ) -> Floats:  # fmt: skip
        """Return P(cue 2), a subject's protocol; ``observer`` numbers the frame.

        Raises
        ------
        QueryError
            When the model cannot answer: gives the reason.
        """
        trials = np.broadcast(item, cue_1, cue_2, alpha, observer)
        rows = [(str(i), (str(a), str(b)), float(x), int(o)) for i, a, b, x, o in trials]
        looks: list[Look] = []
        questions = []
        for word, pair, x, number in rows:
            question = self._question(self.frames_for(word, pair)[number], word, pair)
            if isinstance(question, Unusable):
                raise QueryError(f"{question.term!r} cannot be tested: {question.reason}.")
            questions.append(question)
            looks += _at(question, x)
        values = self.lm.read(looks, memory_mb=self.memory_mb)
        return np.array(list(shares_of(questions, values, 1))).reshape(trials.shape)

    __call__ = respond

    def is_known(
        self,
        items: Sequence[str],
        pairs: Sequence[Pair],
        alphas: Floats,
        layers: Sequence[int] = (0,),
        patch: Patch = "text",
    ) -> bool:
        """Return whether all answers are cached, so that `ask` takes no time."""
        levels = tuple(alphas.tolist())
        for item in items:
            if self._has_no_forms(item):
                continue
            for pair in pairs:
                for frame in self.frames_for(item, pair):
                    key = (frame, item, pair)
                    if isinstance(self._questions.get(key), Unusable):
                        continue
                    if any((*key, levels, layer, patch) not in self._known for layer in layers):
                        return False
        return True

    def ask(
        self,
        items: Sequence[str],
        pairs: Sequence[Pair],
        alphas: Floats,
        *,
        layers: Sequence[int] | None = None,
        patch: Patch = "text",
    ) -> FramedAnswers:
        """Ask all items, pairs and stimuli in all frames; what a job's stop leaves stays cached.

        Parameters
        ----------
        items, pairs
            Without repeats.
        alphas : ndarray, shape (L,)
        layers : sequence of int, optional
            Layers at which the stimulus is patched in, as of
            `biaslab.subjects.language_model.patching.read_layers`; by default its input only, and
            the answers have no axis of layers.
        patch : {"text", "cue"}
            Which places are patched.

        Raises
        ------
        QueryError
            When nothing is left to ask.
        """
        context = current_context()
        dropped: dict[tuple[Role, str], str] = {}
        averaged: set[Pair] = set()
        bad: dict[int, str] = {}
        dropped |= {("item", x): why for x in items if (why := self._has_no_forms(x))}
        with_forms = [item for item in items if ("item", item) not in dropped]
        counts = (len(self.frames_for(item, pair)) for item in with_forms for pair in pairs)
        numbers = min(counts, default=0)
        for item in with_forms:
            for pair in pairs:
                for number in range(numbers):
                    frame = self.frames_for(item, pair)[number]
                    question = self._question(frame, item, pair)
                    if isinstance(question, Question):
                        if question.averaged:
                            averaged.add(pair)
                        continue
                    if question.role == "frame":
                        bad.setdefault(number, question.reason)
                        dropped.setdefault(("frame", frame.text), question.reason)
                    else:
                        dropped.setdefault((question.role, question.term), question.reason)
                context.checkpoint()
        left = [item for item in with_forms if ("item", item) not in dropped]
        usable = np.array([("cue", " / ".join(pair)) not in dropped for pair in pairs], dtype=bool)
        usable_pairs = [pair for pair, ok in zip(pairs, usable, strict=True) if ok]
        readable = [number for number in range(numbers) if number not in bad]
        records = tuple(
            Dropped(term, "cue pair" if role == "cue" else role, reason)
            for (role, term), reason in dropped.items()
        )
        if not left or not usable_pairs or not readable:
            what = "item" if not left else "cue pair" if not usable_pairs else "frame"
            raise QueryError(
                f"No {what} is left that {self.name!r} knows: "
                + "; ".join(f"{d.term!r} {d.reason}" for d in records[:5]),
                dropped=records,
            )
        done: list[str] = []
        ended = "the run was stopped"
        blocks: list[Floats] = []
        where = (0,) if layers is None else tuple(layers)
        total = len(left) * len(usable_pairs) * len(readable) * len(where)
        for item in left:
            if done and context.should_stop:
                break
            before = len(done) * total // len(left)
            try:
                per_item = self._answer(
                    item, usable_pairs, readable, alphas, where, patch, (before, total)
                ).reshape(len(where), len(usable_pairs), len(readable), len(alphas))
            except DeviceMemoryError as error:
                if not done:
                    raise
                ended = f"memory ran out: {error}"
                break
            blocks.append(per_item.swapaxes(1, 2))
            done.append(item)
        records += tuple(
            Dropped(item, "item", f"was not reached: {ended}") for item in left[len(done) :]
        )
        answers = np.stack(blocks, axis=2)
        if layers is None:
            answers = answers[0]
        if self.language_frames is None:
            shown = [frame.text for frame in self.frames_for(done[0], usable_pairs[0])]
        else:
            shown = list(self.language_frames.texts)
        example = [shown[number] for number in readable]
        notes = list(self.lm.notes)
        if self.language_frames is not None:
            notes.append(self.language_frames.about)
        if mean := sorted(averaged & set(usable_pairs)):
            named = ", ".join(f"{cue_1} / {cue_2}" for cue_1, cue_2 in mean)
            notes.append(
                f"Cues with different numbers of tokens ({named}): the stimulus blends the means of"
                " their embeddings at one place."
            )
        return FramedAnswers(
            tuple(done), tuple(usable_pairs), tuple(example), answers, usable, records, tuple(notes)
        )

    def _answer(
        self,
        item: str,
        pairs: Sequence[Pair],
        numbers: Sequence[int],
        alphas: Floats,
        layers: Sequence[int],
        patch: Patch,
        progress: tuple[int, int],
    ) -> Floats:
        """Return answers about an item, (layers, pairs x frames, L); compute new ones at once.

        ``progress`` is how many answers there were before, and will be in all.
        """
        context, (before, total) = current_context(), progress

        def report(read: float) -> None:
            context.report(before + int(read), total, "questions asked")

        levels = tuple(alphas.tolist())
        words = [
            (self.frames_for(item, pair)[number], item, pair)
            for pair in pairs
            for number in numbers
        ]
        keys: list[list[_Key]] = [
            [(*word, levels, layer, patch) for word in words] for layer in layers
        ]
        # What is computed for one layer is computed for all: their end runs are the same.
        new = [any(key not in self._known for key in of_layer) for of_layer in keys]
        missing = [
            at
            for at in range(len(words))
            if any(of_layer[at] not in self._known for of_layer in keys)
        ]
        if missing and len(self._known) > REMEMBERED:
            kept = {key for of_layer in keys for key in of_layer}
            self._known = {key: value for key, value in self._known.items() if key in kept}
        new_layers = [layer for layer, is_new in zip(layers, new, strict=True) if is_new]
        read = float(len(words) * (len(layers) - len(new_layers)))

        def count(more: float) -> None:
            nonlocal read
            read += more
            report(read)

        if missing:
            count(len(new_layers) * (len(words) - len(missing)))
            questions = [self._question(words[at][0], item, words[at][2]) for at in missing]
            sure = [question for question in questions if isinstance(question, Question)]
            shares = self._read(sure, alphas, new_layers, patch, context.checkpoint, count)
            self._refuse_gaps(shares, [words[at] for at in missing])
            of_new = [of_layer for of_layer, is_new in zip(keys, new, strict=True) if is_new]
            for of_layer, values in zip(of_new, shares, strict=True):
                self._known |= zip([of_layer[at] for at in missing], values, strict=True)
        report(len(words) * len(layers))
        return np.array([[self._known[key] for key in of_layer] for of_layer in keys], dtype=float)

    def _read(
        self,
        questions: Sequence[Question],
        alphas: Floats,
        layers: Sequence[int],
        patch: Patch,
        between: Callable[[], None],
        count: Callable[[float], None],
    ) -> Floats:
        """Return new answers, (layers, questions, L)."""
        if tuple(layers) != (0,):
            return answers_at_layers(
                self.lm, questions, alphas, layers, patch, self.memory_mb, between,
                lambda more: count(more / len(alphas)),
            )  # fmt: skip
        looks = [look for question in questions for x in alphas for look in _at(question, float(x))]
        per_look = len(questions) / len(looks)
        # Each by itself: no other question, now or before, changes a digit of its answers.
        groups = [len(question.looks) * len(alphas) for question in questions]
        values = self.lm.read(
            looks, memory_mb=self.memory_mb, groups=groups, between=between,
            advance=lambda more: count(more * per_look),
        )  # fmt: skip
        shares = np.array(list(shares_of(questions, values, len(alphas))))
        return shares.reshape(1, len(questions), len(alphas))

    def _refuse_gaps(self, shares: Floats, words: Sequence[tuple[Frame, str, Pair]]) -> None:
        finite = np.isfinite(shares).all(axis=(0, 2))
        if not finite.all():
            frame, word, pair = words[int(np.argmin(finite))]
            raise SubjectError(
                f"{self.name} gave no finite answer for {word!r} between {pair[0]!r} and"
                f" {pair[1]!r} in {frame.text!r}. Open it in float32 (dtype='float32')."
            )

    def _has_no_forms(self, item: str) -> str:
        """Return why the frames of a language cannot ask about an item; empty if they can."""
        return "" if self.language_frames is None else self.language_frames.why_not(item)

    def _question(self, frame: Frame, item: str, pair: Pair) -> Question | Unusable:
        key = (frame, item, pair)
        if key not in self._questions:
            if len(self._questions) > REMEMBERED:
                self._questions.clear()
            try:
                self._questions[key] = question(self.lm, frame, item, pair)
            except UnusableError as error:
                self._questions[key] = error.unusable
        return self._questions[key]


def framed(
    subject: LanguageModel | FramedModel,
    observers: Any,
    replicates: int | None,
    memory_mb: float | None = None,
) -> FramedModel:
    """Return the model with frames; options are those of `biaslab.two_afc`.

    Raises `ValueError` when they are set already.
    """
    if isinstance(subject, FramedModel):
        if observers is not None or memory_mb is not None:
            raise ValueError(
                "A FramedModel already has its frames and its memory limit: leave them out."
            )
        return subject if replicates is None else subject.using(replicates)
    counts = [x for x in (observers, replicates) if isinstance(x, int)]
    frames = None if observers is None or isinstance(observers, int) else observers
    return FramedModel(subject, frames, first=min(counts, default=None), memory_mb=memory_mb)


def _at(question: Question, alpha: float) -> list[Look]:
    return [Look(x.ids, x.positions, x.targets, x.blend, alpha) for x in question.looks]


__all__ = ["REMEMBERED", "FramedAnswers", "FramedModel", "Question", "question"]


def _refuse_agreeing(frames: FrameSet) -> None:
    if frames.design == "agreeing":
        raise QueryError(
            "In agreeing frames the item shows the person's gender, which would answer the"
            " question. Use design='neutral' or 'both'; to measure agreement itself, compare"
            " 'feminine' with 'masculine'."
        )
