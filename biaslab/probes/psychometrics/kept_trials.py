"""Trials in the store, so that no question is put twice after a break.

An answer is found by the subject's identity, the question as it was put, and which repetition of
it this is: the second trial of a question gets an answer of its own. So a run that goes on after a
break is led by the same answers to the same levels, and other settings use what they share.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biaslab.jobs import JobContext
from biaslab.probes.psychometrics.black_box_trials import Questions, put
from biaslab.store import Store
from biaslab.subjects.stored_values import StoredValues

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
    vectorised : bool
        Whether it takes arrays; otherwise it can be stopped between two trials.
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
        vectorised: bool,
        store: Store | None,
        identity: str,
    ) -> None:
        self._respond, self._observers, self._names = respond, observers, names
        self._vectorised, self._identity = vectorised, identity
        self.found = 0
        self.notes: list[str] = []
        self._stored = StoredValues(
            store if identity else None, KEPT, _AT_ONCE, self.notes, "Trials are not stored"
        )
        self._times: Counter[str] = Counter()
        self._written = -float("inf")

    def put(self, questions: Questions, context: JobContext) -> tuple[Answers, int]:
        """Put questions that are not in the store, and store the answers.

        Parameters
        ----------
        questions : Questions
            T trials.
        context : JobContext
            A stop ends it early, between two trials, where the subject takes no arrays.

        Returns
        -------
        answers : ndarray, shape (T,)
            0 for cue 1, 1 for cue 2, NaN for "cannot say".
        count : int
            How many of the questions were put, from the first on; the others' answers mean
            nothing.
        """
        keys = self._keys(questions)
        texts = self._stored.find(keys)
        known = np.array([texts.get(key) in _ANSWERS for key in keys])
        answers = np.array([_ANSWERS.get(texts.get(key, ""), np.nan) for key in keys])
        answers = np.where(questions.cue_1_first, answers, 1 - answers)
        new = np.flatnonzero(~known)
        parts = [new] if self._vectorised else new[:, None]
        count = len(questions)
        try:
            for part in parts:
                if not len(part):
                    continue
                if not self._vectorised and context.should_stop:
                    count = int(part[0])
                    break
                answers[part] = self._ask(questions.take(part), [keys[i] for i in part])
        finally:
            self._stored.flush()
        self.found += int(known[:count].sum())
        return answers, count

    def _ask(self, questions: Questions, keys: list[str]) -> Answers:
        answers = put(self._respond, questions, self._observers, vectorised=self._vectorised)
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
