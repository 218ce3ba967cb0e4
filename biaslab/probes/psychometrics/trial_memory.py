"""Memory between trials: how a subject's answer depends on its previous one.

Inter-trial effects are a standard worry of psychophysics, and a chat model that is asked in one
conversation sees its earlier answers. The model is a logistic regression of each answer on the
stimulus, the order of the cues and the previous answer, with an intercept per observer.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.asking.protocols import Service
from biaslab.asking.reading.reading import read_reply
from biaslab.cases import Question
from biaslab.errors import QueryError
from biaslab.probes.leaning import lean
from biaslab.probes.psychometrics.black_box_trials import OneByOne, Questions, put
from biaslab.records.record import Record
from biaslab.records.result import Interval
from biaslab.stats.quantiles import t_quantile
from biaslab.stats.significance import check_level

Floats = NDArray[np.float64]
FEWEST = 50
"""Trials per observer that an effect needs."""
_PRIOR_SD = 10.0
"""Of each slope, in logits: it keeps a subject that always obeys the stimulus from infinity."""


@dataclass(frozen=True)
class Memory(Record):
    """How a subject's answers depend on its previous answer.

    Attributes
    ----------
    log_odds : float
        Log-odds of cue 2 after an answer of cue 2 less those after cue 1, at the same stimulus.
        Above 0 answers repeat, below 0 they alternate.
    interval : Interval
        Of it, over observers; of one observer over its trials.
    shift : float
        The same as a shift of the PSE, in units of alpha: after cue 2 less after cue 1. Negative
        where answers repeat.
    trials, silent : int
        Trials with an answer whose previous one is known, and trials without an answer.
    observers : int
    """

    log_odds: float
    interval: Interval
    shift: float
    trials: int
    silent: int
    observers: int

    @property
    def lean(self) -> int:
        """1 if answers clearly repeat, -1 if they clearly alternate, else 0."""
        return lean(self.interval, 0.0)

    def __repr__(self) -> str:
        says = {1: "repeats its answers", -1: "alternates", 0: "shows no clear memory"}[self.lean]
        ends = self.interval
        return (
            f"<Memory: {says}, log-odds {self.log_odds:.2f} ({ends.low:.2f} to {ends.high:.2f}), "
            f"PSE shifted by {100 * self.shift:.1f} points, {self.trials} trials>"
        )


class Conversation:
    """A chat service that is asked in one conversation per observer.

    Each text that it sends holds the earlier questions and replies, then the new question: a
    transcript, which any service can read. Pass it to `memory`, or a fresh one to `biaslab.two_afc`
    as ``OneByOne(conversation)``.

    Parameters
    ----------
    service : Service
        A chat service.
    question : callable
        ``question(item, first, second, alpha)`` returns the text of a question, with the two cues
        as its answers; alpha is the share of the second one.
    remembered : int, optional
        Most recent turns that are sent along; default all, 0 for fresh conversations.
    """

    def __init__(
        self,
        service: Service,
        question: Callable[[str, str, str, float], str],
        *,
        remembered: int | None = None,
    ) -> None:
        self.service, self.question, self.remembered = service, question, remembered
        self._turns: dict[Any, list[str]] = defaultdict(list)

    def __call__(self, item: str, cue_1: str, cue_2: str, alpha: float, observer: Any) -> float:
        """Answer one trial: 0, 1, or NaN for a reply without a choice."""
        asked = self.question(item, cue_1, cue_2, alpha)
        turns = self._turns[observer]
        earlier = turns if self.remembered is None else turns[len(turns) - self.remembered :]
        reply = self.service.answer(["\n\n".join([*earlier, asked])])[0]
        turns.append(f"{asked}\n{reply}")
        read = read_reply(reply, Question(asked, (cue_1, cue_2)))
        return float(read.answer == cue_2) if read.outcome == "answered" else math.nan


def memory(
    respond: Callable[..., Any],
    item: str,
    cues: tuple[str, str],
    *,
    trials: int = 200,
    observers: int | Sequence[Any] = 8,
    levels: Sequence[float] = (0.1, 0.3, 0.5, 0.7, 0.9),
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> Memory:
    """Ask a subject in sequence, and estimate the effect of its previous answer.

    Parameters
    ----------
    respond : callable
        As of `biaslab.two_afc` trial by trial: ``respond(item, cue_1, cue_2, alpha, observer)``
        answers 0, 1 or NaN. It is called with one trial of each observer at a time, in the order
        of the trials. A `Conversation` is passed as it is.
    item : str
        The item.
    cues : (str, str)
        The cue pair.
    trials : int
        Of each observer, at least 50.
    observers : int or sequence
        Conversations, or people: their number, or whatever `respond` knows them by.
    levels : sequence of float
        Stimuli, shares of cue 2, drawn at random; so is the order of the cues.
    level : float
        Of the interval.
    rng : int or numpy.random.Generator
        Of the stimuli and orders.

    Returns
    -------
    Memory

    Raises
    ------
    QueryError
        With too few trials, or if all answers are alike.
    SubjectError
        If an answer is no choice.
    """
    check_level(level)
    who = list(range(observers)) if isinstance(observers, int) else list(observers)
    if trials < FEWEST or not who:
        raise QueryError(
            f"{trials} trials of {len(who)} observers show no memory: ask at least {FEWEST} of one."
        )
    if isinstance(respond, Conversation):
        respond = OneByOne(respond)
    drawn = np.random.default_rng(rng)
    stimuli = drawn.choice(np.asarray(levels, dtype=float), (trials, len(who)))
    first = drawn.random((trials, len(who))) < 0.5
    answers = np.empty(stimuli.shape)
    same = np.full(len(who), item), np.full(len(who), cues[0]), np.full(len(who), cues[1])
    for t in range(trials):
        asked = Questions(*same, stimuli[t], np.arange(len(who)), first[t])
        answers[t] = put(respond, asked, who)
    return _estimated(answers, stimuli, first, level)


def _estimated(answers: Floats, stimuli: Floats, first: NDArray[np.bool_], level: float) -> Memory:
    """Return the effect of the previous answer; arrays of shape (trials, observers)."""
    observers = answers.shape[1]
    usable = np.isfinite(answers[1:]) & np.isfinite(answers[:-1])
    _, who = np.nonzero(usable)
    y = answers[1:][usable]
    if not 0 < y.mean() < 1:
        raise QueryError("All answers are alike: they show no memory. Ask other stimuli.")
    columns = np.stack(
        [answers[:-1][usable] - 0.5, stimuli[1:][usable] - 0.5, first[1:][usable] - 0.5], axis=1
    )
    beta, error = _logistic(columns, y, who)
    over, df = "trials", math.inf
    shift = -beta[0] / beta[1]
    if observers > 1:
        left_out = np.array(
            [
                _logistic(columns[who != one], y[who != one], who[who != one])[0][0]
                for one in range(observers)
            ]
        )
        spread = ((left_out - left_out.mean()) ** 2).sum() * (observers - 1) / observers
        error, over, df = math.sqrt(spread), "observers", observers - 1
    times = special.ndtri((1 + level) / 2) if math.isinf(df) else t_quantile(df, (1 + level) / 2)
    half = float(times) * error
    return Memory(
        log_odds=float(beta[0]),
        interval=Interval(float(beta[0] - half), float(beta[0] + half), level, over),
        shift=float(shift),
        trials=len(y),
        silent=int(np.isnan(answers).sum()),
        observers=observers,
    )


def _logistic(columns: Floats, y: Floats, who: NDArray[np.int64]) -> tuple[Floats, float]:
    """Return slopes, with an intercept per observer, and the standard error of the first."""
    _, place = np.unique(who, return_inverse=True)
    design = np.concatenate([columns, np.eye(place.max() + 1)[place]], axis=1)
    penalty = np.full(design.shape[1], _PRIOR_SD**-2)
    beta = np.zeros(design.shape[1])
    for _ in range(100):
        p = special.expit(design @ beta)
        information = (design * (p * (1 - p))[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.solve(information, design.T @ (y - p) - penalty * beta)
        beta += np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-9:
            break
    return beta, math.sqrt(np.linalg.inv(information)[0, 0])
