r"""A language model as the subject of a two-alternative task, with sentence frames.

The stimulus is a blend of the two cues' input embeddings at one place of a sentence,
:math:`(1-\alpha) e(c_1) + \alpha e(c_2)` (Liang and Acuna 2020, eq. 1), and the response is
:math:`P(c_2) / (P(c_1) + P(c_2))` at another place. Each frame is an observer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from biaslab.calls import recorded_class, recorded_method
from biaslab.errors import QueryError, SubjectError
from biaslab.probes.psychometrics.frames import EXAMPLE, Frame, Span, own_frames, shipped_frames
from biaslab.results import Dropped
from biaslab.subjects.language_model import MEMORY_MB, LanguageModel
from biaslab.subjects.language_model_reading import Blend, Look
from biaslab.subjects.language_model_tokens import TokenizedText

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Pair = tuple[str, str]
Role = Literal["item", "cue", "frame"]
REMEMBERED = 20_000
"""Answers of a frame to all stimuli that are remembered."""


@dataclass(frozen=True, eq=False)
class Question:
    """One frame with an item and a pair of cues, tokenized for any stimulus.

    Attributes
    ----------
    looks : tuple of Look
        At alpha 0; each look reads one or both cues.
    cue : tuple of ndarray
        For each look, the cue of each reading: 0 or 1.
    averaged : bool
        Whether the cues differ in number of tokens, so that their mean embeddings are blended.
    """

    looks: tuple[Look, ...]
    cue: tuple[Integers, ...]
    averaged: bool


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
        P(cue 2), renormalised over both cues.
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
class FramedModel:
    """A language model that answers two-alternative questions in frames, with a cache.

    Parameters
    ----------
    lm : LanguageModel
        Masked or causal.
    frames : sequence of str, optional
        Sentences with ``{stimulus}``, ``{item}`` and ``{answer}``; by default the shipped ones,
        which depend on the kinds of words that item and cues are.
    first : int, optional
        Number of frames to use, from the first.
    memory_mb : float, optional
        Limit on the extra memory of a batch, in megabytes.

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
        frames: Sequence[str] | str | None = None,
        *,
        first: int | None = None,
        memory_mb: float | None = None,
    ) -> None:
        if first is not None and first < 1:
            raise QueryError(f"{first} frames: use at least one.")
        self.lm = lm
        self.frames = None if frames is None else own_frames(frames)[:first]
        self.first = first
        self.memory_mb = MEMORY_MB if memory_mb is None else memory_mb
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
                " embeddings than to the same tokens, or not at all. Choose another model."
            )
        self._known: dict[tuple[str, str, Pair, tuple[float, ...]], Floats] = {}
        self._questions: dict[tuple[str, str, Pair], Question | _Unusable] = {}

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.lm.name

    @property
    def content_hash(self) -> str:
        """That of the model."""
        return self.lm.content_hash

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
        """Return the frames for an item and a pair of cues."""
        if self.frames is not None:
            return self.frames
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
            if isinstance(question, _Unusable):
                raise QueryError(f"{question.term!r} cannot be tested: {question.reason}.")
            questions.append(question)
            looks += _at(question, x)
        values = self.lm.read(looks, memory_mb=self.memory_mb)
        return np.array(list(_shares(questions, values, 1))).reshape(trials.shape)

    __call__ = respond

    def is_known(self, items: Sequence[str], pairs: Sequence[Pair], alphas: Floats) -> bool:
        """Return whether all answers are cached, so that `ask` takes no time."""
        levels = tuple(alphas.tolist())
        for item in items:
            for pair in pairs:
                for frame in self.frames_for(item, pair):
                    key = (frame.text, item, pair)
                    if isinstance(self._questions.get(key), _Unusable):
                        continue
                    if (*key, levels) not in self._known:
                        return False
        return True

    def ask(
        self,
        items: Sequence[str],
        pairs: Sequence[Pair],
        alphas: Floats,
        *,
        between: Callable[[], None] | None = None,
        on_progress: Callable[[int, int], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> FramedAnswers:
        """Ask all items, pairs and stimuli in all frames.

        Parameters
        ----------
        items, pairs
            Without repeats.
        alphas : ndarray, shape (L,)
        between : callable, optional
            Called between batches; an exception from it ends the run. Answers so far stay cached.
        on_progress : callable, optional
            Called with the number of answers so far and in all.
        stop : callable, optional
            Called after each item: True ends the run there.

        Raises
        ------
        QueryError
            When nothing is left to ask.
        """
        dropped: dict[tuple[Role, str], str] = {}
        averaged: set[Pair] = set()
        bad: dict[int, str] = {}
        numbers = min(len(self.frames_for(item, pair)) for item in items for pair in pairs)
        for item in items:
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
                if between is not None:
                    between()
        left = [item for item in items if ("item", item) not in dropped]
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
        blocks: list[Floats] = []
        total = len(left) * len(usable_pairs) * len(readable)
        for item in left:
            if stop is not None and done and stop():
                break
            report = _counter(on_progress, len(blocks) * len(usable_pairs) * len(readable), total)
            per_item = self._answer(item, usable_pairs, readable, alphas, between, report)
            blocks.append(
                per_item.reshape(len(usable_pairs), len(readable), len(alphas)).transpose(1, 0, 2)
            )
            done.append(item)
        records += tuple(
            Dropped(item, "item", "was not reached: the run was stopped")
            for item in left[len(done) :]
        )
        answers = np.stack(blocks, axis=1)
        example = [self.frames_for(done[0], usable_pairs[0])[number].text for number in readable]
        notes = list(self.lm.notes)
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
        between: Callable[[], None] | None,
        report: Callable[[float], None],
    ) -> Floats:
        """Return answers about an item, (pairs x frames, L); compute new ones at once.

        ``report`` is called with the number of answers so far.
        """
        levels = tuple(alphas.tolist())
        keys = [
            (self.frames_for(item, pair)[number].text, item, pair)
            for pair in pairs
            for number in numbers
        ]
        cached = {key: self._known.get((*key, levels)) for key in keys}
        missing = [key for key in keys if cached[key] is None]
        questions = [self._question(Frame(text), word, pair) for text, word, pair in missing]
        sure = [question for question in questions if isinstance(question, Question)]
        looks = [look for question in sure for x in levels for look in _at(question, x)]
        read = 0

        def count(more: int) -> None:
            nonlocal read
            read += more
            report(len(keys) - len(missing) * (1 - read / len(looks)))

        if looks:
            values = self.lm.read(looks, memory_mb=self.memory_mb, between=between, advance=count)
            shares = np.array(list(_shares(sure, values, len(levels)))).reshape(-1, len(levels))
            if not np.isfinite(shares).all():
                text, word, pair = missing[int(np.argmin(np.isfinite(shares).all(axis=1)))]
                raise SubjectError(
                    f"{self.name} gave no finite answer for {word!r} between {pair[0]!r} and"
                    f" {pair[1]!r} in {text!r}. Open it in float32 (dtype='float32')."
                )
            if len(self._known) > REMEMBERED:
                self._known.clear()
            for key, share in zip(missing, shares, strict=True):
                cached[key] = self._known[*key, levels] = share
        report(len(keys))
        return np.array([cached[key] for key in keys], dtype=float)

    def _question(self, frame: Frame, item: str, pair: Pair) -> Question | _Unusable:
        key = (frame.text, item, pair)
        if key not in self._questions:
            if len(self._questions) > REMEMBERED:
                self._questions.clear()
            try:
                self._questions[key] = question(self.lm, frame, item, pair)
            except _UnusableError as error:
                self._questions[key] = error.unusable
        return self._questions[key]


def question(lm: LanguageModel, frame: Frame, item: str, pair: Pair) -> Question:
    """Tokenize a frame with its words.

    Raises
    ------
    _UnusableError
        When that fails, with the cause: the item, the cues, or the frame.
    """
    texts = {
        (stimulus, answer): _tokens(lm, frame, item, pair, stimulus, answer)
        for stimulus in (0, 1)
        for answer in (0, 1)
    }
    first = texts[0, 0]
    for each in texts.values():
        if [len(part) for part in each.outside] != [len(part) for part in first.outside] or any(
            (a != b).any() for a, b in zip(each.outside, first.outside, strict=True)
        ):
            raise _UnusableError(
                "frame",
                frame.text,
                f"the rest of the sentence has other tokens with {pair[0]!r} than with {pair[1]!r}",
            )
    shown = [texts[s, 0].stimulus for s in (0, 1)]
    said = [texts[0, a].answer for a in (0, 1)]
    if any((texts[s, 1].stimulus != shown[s]).any() for s in (0, 1)) or any(
        len(texts[1, a].answer) != len(said[a]) or (texts[1, a].answer != said[a]).any()
        for a in (0, 1)
    ):
        raise _UnusableError("frame", frame.text, "the tokens of a cue depend on the other cue")
    if len(said[0]) == len(said[1]) and (said[0] == said[1]).all():
        raise _UnusableError(
            "cue", " / ".join(pair), "the model reads both cues as the same tokens"
        )
    if lm.kind == "mlm" and len(said[0]) != len(said[1]):
        raise _UnusableError(
            "cue",
            " / ".join(pair),
            f"they have {len(said[0])} and {len(said[1])} tokens: the number of masks would tell a"
            " masked model which cue is meant",
        )
    averaged = len(shown[0]) != len(shown[1])
    sides = [side[None, :] if averaged else side[:, None] for side in shown]
    places = 1 if averaged else len(shown[0])
    before, middle, after = first.outside
    blended = shown[0][:places]
    stimulus_first = first.stimulus_first
    answer_at = len(before) + (places + len(middle) if stimulus_first else 0)

    def sequence(answer: Integers) -> Integers:
        parts = [blended, middle, answer] if stimulus_first else [answer, middle, blended]
        return np.concatenate([before, *parts, after])

    def blend(length: int) -> Blend:
        start = len(before) if stimulus_first else len(before) + length + len(middle)
        return Blend(start, sides[0], sides[1])

    looks: list[Look] = []
    cues: list[Integers] = []
    if lm.kind == "clm":
        # The reading at a position is the prediction of the next token; later text is masked.
        ends = [sequence(said[a])[: answer_at + len(said[a]) - 1] for a in (0, 1)]
        reads = [answer_at - 1 + np.arange(len(said[a])) for a in (0, 1)]
        whole = blend(0)
        if all(len(span) == 1 for span in said):
            looks.append(Look(ends[0], np.concatenate(reads), np.concatenate(said), whole))
            cues.append(np.array([0, 1]))
        else:
            for a in (0, 1):
                looks.append(Look(ends[a], reads[a], said[a], whole))
                cues.append(np.full(len(said[a]), a))
    else:
        length = len(said[0])
        hidden = np.full(length, int(lm.tokenizer.mask_token_id))
        whole = blend(length)
        # The chain rule from left to right: of the first token both cues are read at once, before
        # the later ones a cue's own tokens are shown.
        looks.append(
            Look(
                sequence(hidden),
                np.full(2, answer_at),
                np.array([said[0][0], said[1][0]]),
                whole,
            )
        )
        cues.append(np.array([0, 1]))
        for place in range(1, length):
            for a in (0, 1):
                part = np.concatenate([said[a][:place], hidden[place:]])
                at = np.array([answer_at + place])
                looks.append(Look(sequence(part), at, said[a][place : place + 1], whole))
                cues.append(np.array([a]))
    return Question(tuple(looks), tuple(cues), averaged)


@dataclass(frozen=True)
class _Unusable:
    """An unusable item, cue or frame, with the reason."""

    role: Role
    term: str
    reason: str


class _UnusableError(Exception):
    def __init__(self, role: Role, term: str, reason: str) -> None:
        super().__init__(reason)
        self.unusable = _Unusable(role, term, reason)


@dataclass(frozen=True, eq=False)
class _Parts:
    """Tokens of a filled frame: the 3 parts outside the two cues, and the cues."""

    outside: tuple[Integers, Integers, Integers]
    stimulus: Integers
    answer: Integers
    stimulus_first: bool


def _tokens(
    lm: LanguageModel, frame: Frame, item: str, pair: Pair, stimulus: int, answer: int
) -> _Parts:
    filled = frame.fill(item, pair[stimulus], pair[answer])
    text = filled.text if lm.kind == "mlm" else filled.text[: filled.answer[1]]
    try:
        tokens = lm.tokenize(text)
    except QueryError as error:
        raise _UnusableError(*_to_blame(lm, frame, item, pair, str(error))) from error
    for span in filled.items:
        if tokens.unknown[tokens.within(*span)].any():
            raise _UnusableError("item", item, f"has a part that {lm.name} has no token for")
    stimulus_tokens, answer_tokens = (
        _cue(lm, frame, tokens, span, pair[which], pair)
        for span, which in ((filled.stimulus, stimulus), (filled.answer, answer))
    )
    stimulus_first = filled.stimulus < filled.answer
    low, high = (
        (stimulus_tokens, answer_tokens) if stimulus_first else (answer_tokens, stimulus_tokens)
    )
    ids = tokens.ids
    outside = (ids[: low[0]], ids[low[-1] + 1 : high[0]], ids[high[-1] + 1 :])
    return _Parts(outside, ids[stimulus_tokens], ids[answer_tokens], stimulus_first)


def _cue(
    lm: LanguageModel, frame: Frame, tokens: TokenizedText, span: Span, cue: str, pair: Pair
) -> Integers:
    """Return the positions of a cue's tokens, if they are its own and known."""
    positions = tokens.within(*span)
    if not len(positions):
        raise _UnusableError("cue", " / ".join(pair), f"{cue!r} is not a token of {lm.name}")
    if tokens.unknown[positions].any():
        raise _UnusableError(
            "cue", " / ".join(pair), f"{cue!r} has a part that {lm.name} has no token for"
        )
    if tokens.spans[positions[0], 0] < span[0] or tokens.spans[positions[-1], 1] > span[1]:
        raise _UnusableError("frame", frame.text, f"{cue!r} and its neighbour form one token")
    # The space before a word may be a token, or a part of the word's first one: it is included.
    first = int(positions[0])
    while first > 0 and _is_space(tokens, first - 1):
        first -= 1
    return np.arange(first, int(positions[-1]) + 1)


def _is_space(tokens: TokenizedText, at: int) -> bool:
    # Some tokenizers say that a token of a space alone is nowhere.
    start, end = tokens.spans[at]
    return not tokens.special[at] and not tokens.text[start:end].strip()


def _to_blame(
    lm: LanguageModel, frame: Frame, item: str, pair: Pair, reason: str
) -> tuple[Role, str, str]:
    """Return the role of the first word that does not have its own tokens."""
    for role, term, text in (
        ("item", item, item), ("cue", " / ".join(pair), pair[0]), ("cue", " / ".join(pair), pair[1])
    ):  # fmt: skip
        try:
            lm.tokenize(text)
        except QueryError as error:
            return role, term, f"cannot be read: {error}"  # type: ignore[return-value]
    return "frame", frame.text, reason


def _counter(
    on_progress: Callable[[int, int], None] | None, before: int, total: int
) -> Callable[[float], None]:
    def report(done: float) -> None:
        if on_progress is not None:
            on_progress(before + int(done), total)

    return report


def _at(question: Question, alpha: float) -> list[Look]:
    return [Look(x.ids, x.positions, x.targets, x.blend, alpha) for x in question.looks]


def _shares(
    questions: Sequence[Question], values: Sequence[Floats], levels: int
) -> Iterator[float]:
    """Yield P(cue 2) of each question at each level, from the readings of its looks."""
    at = 0
    for question in questions:
        for _ in range(levels):
            scores = np.zeros(2)
            for cue in question.cue:
                np.add.at(scores, cue, values[at])
                at += 1
            yield float(special.expit(scores[1] - scores[0]))


__all__ = ["REMEMBERED", "FramedAnswers", "FramedModel", "Question", "question"]
