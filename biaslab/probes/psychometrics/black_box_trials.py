"""Answers of a black box trial by trial, cue 1, cue 2 or "cannot say", kept in the store.

A kept answer is found by the subject's identity, the question as it was put, and which repetition
of it this is: the second trial of a question gets an answer of its own. So a run that goes on after
a break is led by the same answers to the same levels, and other settings use what they share.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biaslab.errors import SubjectError
from biaslab.jobs.job import JobContext
from biaslab.probes.psychometrics.answers import Chosen
from biaslab.probes.psychometrics.asking import Pair, Responses, Task, nothing_left
from biaslab.probes.psychometrics.options import Repeated
from biaslab.probes.psychometrics.trials import Trials
from biaslab.records.result import Dropped
from biaslab.store import Store
from biaslab.subjects.stored_values import StoredValues

OWN_CHOICES = "the subject's own choices"
"""Scoring of a subject that chooses trial by trial."""


@dataclass(frozen=True)
class Questions:
    """Single trials to be put to a subject; arrays of shape (T,).

    Attributes
    ----------
    item, cue_1, cue_2 : ndarray of str
    alpha : ndarray of float
        Share of cue 2 in the stimulus.
    observer : ndarray of int
        Place of the observer in a sequence of them.
    cue_1_first : ndarray of bool
        Whether cue 1 is offered first.
    """

    item: NDArray[np.str_]
    cue_1: NDArray[np.str_]
    cue_2: NDArray[np.str_]
    alpha: NDArray[np.float64]
    observer: NDArray[np.intp]
    cue_1_first: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.item)

    @property
    def named(self) -> tuple[NDArray[np.str_], NDArray[np.str_]]:
        """Cues as they are named to the subject: the first and the second."""
        first = self.cue_1_first
        return np.where(first, self.cue_1, self.cue_2), np.where(first, self.cue_2, self.cue_1)

    @property
    def shown(self) -> NDArray[np.float64]:
        """Share of the second cue named in the stimulus."""
        # 1 - 0.3 is 0.7 and not its neighbour: a subject may look its stimuli up.
        return np.where(self.cue_1_first, self.alpha, np.round(1 - self.alpha, 12))

    def take(self, rows: NDArray[np.intp]) -> Questions:
        """Return some of the trials."""
        return Questions(*(getattr(self, field.name)[rows] for field in fields(self)))


@dataclass(frozen=True)
class OneByOne:
    """A function that answers one question per call, in place of arrays of them.

    Attributes
    ----------
    respond : callable
        ``respond(item, cue_1, cue_2, alpha, observer)`` of single values.
    """

    respond: Callable[..., float]

    def __call__(self, *question: ArrayLike) -> NDArray[np.float64]:
        """Answer arrays that broadcast."""
        return np.asarray(np.vectorize(self.respond, otypes=[float])(*question))

    @property
    def name(self) -> str:
        """Name of the function."""
        return str(getattr(self.respond, "name", "") or getattr(self.respond, "__name__", ""))

    @property
    def identity(self) -> str:
        """What the function says of itself that identifies its answers; empty if nothing."""
        return identity_of(self.respond)


def identity_of(subject: Any) -> str:
    """What a subject says of itself that identifies its answers; empty if nothing."""
    return str(getattr(subject, "identity", "") or getattr(subject, "content_hash", "") or "")


def put(
    respond: Callable[..., ArrayLike], questions: Questions, observers: Sequence[Any]
) -> NDArray[np.float64]:
    """Put each question to a subject once, in the order given.

    Where cue 2 is offered first, the subject is called with the cues swapped and with
    ``1 - alpha``, and its answer is turned round.

    - `respond`: ``respond(item, cue_1, cue_2, alpha, observer)`` that answers 0 (the first of its
      two cues), 1 (the second) or NaN (cannot say).
    - `questions`: T trials.
    - `observers`: as the subject is passed them.
    - Returns ndarray, shape (T,): 0 for cue 1, 1 for cue 2, NaN for "cannot say".
    - Raises `SubjectError` when the answers are of another shape, or are no choices.
    """
    first = questions.cue_1_first
    who = np.empty(len(observers), dtype=object)
    who[:] = list(observers)
    if all(isinstance(one, int | np.integer) for one in observers):
        who = who.astype(int)
    table = (questions.item, *questions.named, questions.shown, who[questions.observer])
    answers = np.asarray(respond(*table), dtype=np.float64)
    if answers.shape != (len(questions),):
        raise SubjectError(
            f"The subject answered {len(questions)} trials with shape {answers.shape}. Return one"
            " answer for each, or pass OneByOne(subject) to be called once per trial."
        )
    wrong = ~(np.isnan(answers) | (answers == 0) | (answers == 1))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise SubjectError(
            f"The subject answered {answers[at]:g} for {table[0][at]!r}, alpha {table[3][at]:.3g}."
            " Trial by trial an answer is 0 (the first cue), 1 (the second) or NaN (cannot say)."
            " Leave out trials if the subject answers with probabilities."
        )
    return np.where(first, answers, 1 - answers)


def observers_of(task: Task) -> Sequence[Any]:
    """Return the observers of a task.

    Raises `SubjectError` when there is none.
    """
    observers = task.observers
    count = 1 if observers is None else observers
    who: Sequence[Any] = range(count) if isinstance(count, int) else count
    if not len(who):
        raise SubjectError("There is no observer. Pass observers=1 or a list of observers.")
    return who


def names_of(observers: Sequence[Any]) -> NDArray[np.str_]:
    """Return the observers' names, or their numbers where names are not distinct."""
    names = [str(one) for one in observers]
    distinct = len(set(names)) == len(names) and all(names)
    return np.array(names if distinct else [str(i) for i in range(len(names))])


def ask_trials(subject: Callable[..., ArrayLike], task: Task) -> Responses:
    """Put every question several times; a stop after an item keeps the answers so far.

    All questions are put once, then again: cues are offered in one order, then in the other.

    Raises `SubjectError` when an answer is no choice; `ValueError` when an option is out of range,
    or does not apply.
    """
    check_distinct(task.pairs)
    who = observers_of(task)
    names = names_of(who)
    done: list[Trials] = []
    for number, item in enumerate(task.items):
        if done and task.context.should_stop:
            break
        task.context.checkpoint()
        questions = _questions(item, task, len(who))
        answers = put(subject, questions, who)
        done.append(
            Trials.of_answers(
                questions.item, questions.cue_1, questions.cue_2, questions.alpha,
                names[questions.observer], questions.cue_1_first, answers,
            )
        )  # fmt: skip
        task.context.report(number + 1, len(task.items), "items asked")
    left = tuple(
        Dropped(item, "item", "was not reached: the run was stopped")
        for item in task.items[len(done) :]
    )
    items = task.items[: len(done)]
    ordered = Trials.joined(done).about(items, task.pairs) or done[0]
    return responses_of(ordered, items, task.pairs, left, task.all_usable)


def ask_table(table: Trials, task: Task) -> Responses:
    """Return collected trials as responses: those about the task's items and cue pairs.

    Raises `QueryError` when there are none; `ValueError` when a cue pair is listed twice.
    """
    check_distinct(task.pairs)
    items, pairs = set(table.items), {frozenset(pair) for pair in table.pairs}
    dropped = [Dropped(i, "item", "has no trials") for i in task.items if i not in items]
    usable = np.array([frozenset(pair) in pairs for pair in task.pairs], dtype=bool)
    dropped += [
        Dropped(" / ".join(pair), "cue pair", "has no trials")
        for pair, there in zip(task.pairs, usable, strict=True)
        if not there
    ]
    left = tuple(item for item in task.items if item in items)
    of_pairs = tuple(pair for pair, there in zip(task.pairs, usable, strict=True) if there)
    chosen = table.about(left, of_pairs) if left and of_pairs else None
    if chosen is None:
        raise nothing_left("item" if not left else "cue pair", table.name, dropped)
    return responses_of(chosen, left, of_pairs, tuple(dropped), usable)


def responses_of(
    trials: Trials,
    items: tuple[str, ...],
    pairs: tuple[Pair, ...],
    dropped: tuple[Dropped, ...],
    usable: NDArray[np.bool_],
    *,
    notes: tuple[str, ...] = (),
) -> Responses:
    """Return trials about these items and cue pairs as the responses of a subject."""
    return Responses(
        items, pairs, usable, Chosen.of(trials, len(items), len(pairs)), "observers", OWN_CHOICES,
        observer_names=trials.observers, dropped=dropped, notes=notes,
    )  # fmt: skip


def check_distinct(pairs: Sequence[Pair]) -> None:
    """Refuse a cue pair that is listed twice.

    Raises `ValueError` if there is one, in whatever order.
    """
    if len({frozenset(pair) for pair in pairs}) < len(pairs):
        raise ValueError(
            "A cue pair is listed twice, perhaps with its cues swapped. List it once:"
            " orders='both' offers the cues in both orders."
        )


def _questions(item: str, task: Task, observers: int) -> Questions:
    """Every stimulus, cue pair and observer, as often as is wanted."""
    stimuli, pairs, how = task.stimuli, task.pairs, cast("Repeated", task.trials)
    turn, who, pair, level = (
        place.ravel()
        for place in np.indices((how.times, observers, len(pairs), len(stimuli)), dtype=np.intp)
    )
    both = how.orders == "both"
    cue_1, cue_2 = (np.array(cues)[pair] for cues in zip(*pairs, strict=True))
    return Questions(
        np.full(len(turn), item), cue_1, cue_2, stimuli[level], who,
        turn % 2 == 0 if both else np.ones(len(turn), dtype=bool),
    )  # fmt: skip


KEPT: Final = "trial/1"
"""Kind of value in the store: raise the number when the format changes."""
_EVERY: Final = 0.25
"""Seconds between two writes: one takes tens of milliseconds, as long as a quick answer."""
_AT_ONCE: Final = 1000
_CANNOT_SAY: Final = "cannot say"
_ANSWERS: Final = {"0": 0.0, "1": 1.0, _CANNOT_SAY: np.nan}

Answers = NDArray[np.float64]


class KeptTrials:
    """A subject that is asked trial by trial, and its answers in the store.

    Parameters
    ----------
    respond : callable
        As of `biaslab.probes.psychometrics.black_box_trials.put`.
    observers : sequence
        As the subject is passed them.
    names : ndarray of str
        Their names in the store.
    store : Store or None
    identity : str
        Name of the subject in the store; without one nothing is stored.

    Attributes
    ----------
    found : int
        Number of answers from the store.
    notes : list of str
        A note, if the store cannot be used.
    """

    def __init__(
        self,
        respond: Callable[..., ArrayLike],
        observers: Sequence[Any],
        names: NDArray[np.str_],
        *,
        store: Store | None,
        identity: str,
    ) -> None:
        self._respond, self._observers, self._names = respond, observers, names
        self._identity = identity
        # One that takes arrays cannot be stopped between two trials.
        self._one_by_one = isinstance(respond, OneByOne)
        self.found = 0
        self.notes: list[str] = []
        self._stored = StoredValues(
            store if identity else None, KEPT, _AT_ONCE, self.notes, "Trials are not stored"
        )
        self._times: Counter[str] = Counter()
        self._written = -float("inf")

    def put(self, questions: Questions, context: JobContext) -> tuple[Answers, int]:
        """Put questions that are not in the store, and store the answers.

        - `questions`: T trials.
        - `context`: a stop ends it early, between two trials, where the subject takes no arrays.
        - Returns `answers`, ndarray, shape (T,): 0 for cue 1, 1 for cue 2, NaN for "cannot say".
        - Returns `count`: how many of the questions were put, from the first on; the others'
          answers mean nothing.
        """
        keys = self._keys(questions)
        texts = self._stored.find(keys)
        known = np.array([texts.get(key) in _ANSWERS for key in keys])
        answers = np.array([_ANSWERS.get(texts.get(key, ""), np.nan) for key in keys])
        answers = np.where(questions.cue_1_first, answers, 1 - answers)
        new = np.flatnonzero(~known)
        parts = new[:, None] if self._one_by_one else [new]
        count = len(questions)
        try:
            for part in parts:
                if not len(part):
                    continue
                if self._one_by_one and context.should_stop:
                    count = int(part[0])
                    break
                answers[part] = self._ask(questions.take(part), [keys[i] for i in part])
        finally:
            self._stored.flush()
        self.found += int(known[:count].sum())
        return answers, count

    def _ask(self, questions: Questions, keys: list[str]) -> Answers:
        answers = put(self._respond, questions, self._observers)
        # The store holds what the subject said, of the cues in the order in which they were named.
        raw = np.where(questions.cue_1_first, answers, 1 - answers)
        texts = [_CANNOT_SAY if np.isnan(answer) else str(int(answer)) for answer in raw]
        self._stored.put(dict(zip(keys, texts, strict=True)))
        if time.monotonic() - self._written > _EVERY:
            self._stored.flush()
            self._written = time.monotonic()
        return answers

    def _keys(self, questions: Questions) -> list[str]:
        """Keys of questions in the store, each with the number of its repetition."""
        if not self._stored.is_used:
            return [str(i) for i in range(len(questions))]
        columns = (
            questions.item, *questions.named, questions.shown, self._names[questions.observer],
        )  # fmt: skip
        keys = []
        for question in zip(*(column.tolist() for column in columns), strict=True):
            text = json.dumps([self._identity, *question])
            self._times[text] += 1
            keys.append(hashlib.sha256(f"{text} {self._times[text]}".encode()).hexdigest())
        return keys
