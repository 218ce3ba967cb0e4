"""Trials of decisions: balanced questions about a case, and what the replies came to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from biaslab.cases import Case, Form, Question
from biaslab.deciders import OUTCOMES, Reply
from biaslab.errors import QueryError
from biaslab.records.record import Record

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]
OUTCOME: Final = {name: place for place, name in enumerate(OUTCOMES)}
ANSWERED: Final = OUTCOME["answered"]
NOWHERE: Final[Floats] = np.empty((0, 0))
"""Where the next questions go when none follow."""
CANNOT_SAY: Final = OUTCOME["cannot say"]


@dataclass(frozen=True)
class Questions(Record):
    """Questions about a case as columns of shape (T,); numbers count from 0.

    Attributes
    ----------
    group, cue : ndarray of int
        Of the candidate: place of the group in the case, and of the cue in the group. Of two
        candidates the one whose level is varied against the other's, which is of the second group.
    level : ndarray of float
        Level of its quality.
    other_group, other_cue : ndarray of int
        Of the other candidate; -1 where there is none.
    other_level : ndarray of float
        NaN where there is none.
    wording, detail : ndarray of int
    yes_first : ndarray of bool
        Whether the yes, or the candidate of the second group, is listed first.
    """

    group: Indices
    cue: Indices
    level: Floats
    other_group: Indices
    other_cue: Indices
    other_level: Floats
    wording: Indices
    detail: Indices
    yes_first: Flags

    def __len__(self) -> int:
        return len(self.group)

    @property
    def form(self) -> Form:
        """Whether a candidate stands alone."""
        return "yes or no" if (self.other_cue < 0).all() else "which of two"

    def take(self, rows: Any) -> Self:
        """Return some of the rows, by number or flag."""
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        return type(self)(**{name: _taken(column, rows) for name, column in columns.items()})

    def of(self, case: Case, *, cannot_say: bool) -> list[Question]:
        """Return the questions in words."""
        return [self._of_row(case, row, cannot_say) for row in range(len(self))]

    def _of_row(self, case: Case, row: int, cannot_say: bool) -> Question:
        wording, detail = int(self.wording[row]), int(self.detail[row])
        cue = case.groups[self.group[row]].cues[self.cue[row]]
        level, first = float(self.level[row]), bool(self.yes_first[row])
        if self.other_cue[row] < 0:
            return case.ask(
                cue, level, wording=wording, detail=detail, yes_first=first, cannot_say=cannot_say
            )
        other = case.groups[self.other_group[row]].cues[self.other_cue[row]]
        two = ((cue, level), (other, float(self.other_level[row])))
        one, another = two if first else two[::-1]
        return case.ask_which(one, another, wording=wording, detail=detail, cannot_say=cannot_say)

    def yes_option(self, question: Question, row: int) -> str:
        """Return the option that counts as a yes: the accepted, or the second group's candidate."""
        return question.options[0 if self.yes_first[row] else 1]


@dataclass(frozen=True)
class DecisionTrials(Questions):
    """Questions with their replies, as columns of shape (T,) in the order of asking.

    Attributes
    ----------
    outcome : ndarray of int
        Place in `biaslab.deciders.OUTCOMES`.
    yes : ndarray of float
        1 for a yes, 0 for a no, or the probability of a yes among the two; NaN unless answered.
    silent : ndarray of float
        Probability of "cannot say"; 0 or 1 without probabilities.
    mass : ndarray of float
        Probability of all answers together; NaN without probabilities.
    reply, reasoning, model : tuple of str
        Word for word.
    tokens_in, tokens_out : ndarray of int
    seconds : ndarray of float
    reason : tuple of str
        Why a reply is refused, unreadable or in another language, as a sentence, else empty; no
        texts in runs that were stored before reasons were kept.
    """

    outcome: Indices
    yes: Floats
    silent: Floats
    mass: Floats
    reply: tuple[str, ...]
    reasoning: tuple[str, ...]
    model: tuple[str, ...]
    tokens_in: Indices
    tokens_out: Indices
    seconds: Floats
    reason: tuple[str, ...] = ()

    @classmethod
    def of_replies(
        cls, rows: Questions, questions: Sequence[Question], replies: Sequence[Reply]
    ) -> Self:
        """Return the trials of questions that were answered."""
        read = [_read(rows, row, questions[row], reply) for row, reply in enumerate(replies)]
        yes, silent = np.array(read, dtype=np.float64).reshape(-1, 2).T
        return cls(
            **{field.name: getattr(rows, field.name) for field in fields(Questions)},
            outcome=np.array([OUTCOME[reply.outcome] for reply in replies], dtype=np.int64),
            yes=yes,
            silent=silent,
            mass=np.array([reply.mass for reply in replies], dtype=np.float64),
            reply=tuple(reply.text for reply in replies),
            reasoning=tuple(reply.reasoning for reply in replies),
            model=tuple(reply.model for reply in replies),
            tokens_in=np.array([reply.tokens_in for reply in replies], dtype=np.int64),
            tokens_out=np.array([reply.tokens_out for reply in replies], dtype=np.int64),
            seconds=np.array([reply.seconds for reply in replies], dtype=np.float64),
            reason=tuple(reply.reason for reply in replies),
        )

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Return trials one after the other."""
        return cls(
            **{
                field.name: _joined([getattr(part, field.name) for part in parts])
                for field in fields(cls)
            }
        )

    @property
    def answered(self) -> Flags:
        """Which trials were answered with one of the two options."""
        return np.asarray(self.outcome == ANSWERED)

    @property
    def gives_probabilities(self) -> bool:
        """Whether replies are probabilities."""
        return bool(np.isfinite(self.mass).any())


def _read(rows: Questions, row: int, question: Question, reply: Reply) -> tuple[float, float]:
    """Return the yes of a reply, and its probability of "cannot say"."""
    option = rows.yes_option(question, row)
    if reply.probabilities:
        by_answer = dict(zip(question.answers, reply.probabilities, strict=True))
        either = sum(by_answer[name] for name in question.options)
        silent = by_answer.get(question.cannot_say, 0.0) if question.cannot_say else 0.0
        return (by_answer[option] / either if either > 0 else np.nan), silent
    if reply.outcome == "answered":
        return float(reply.answer == option), 0.0
    return np.nan, float(reply.outcome == "cannot say")


def _taken(column: Any, rows: Any) -> Any:
    if isinstance(column, tuple):
        numbers = np.arange(len(column))[rows] if column else []
        return tuple(map(column.__getitem__, numbers))
    return column[rows]


def _joined(columns: list[Any]) -> Any:
    if isinstance(columns[0], tuple):
        return tuple(value for column in columns for value in column)
    return np.concatenate(columns)


LEVELS: Final = 9
"""Levels of constant stimuli by default."""
MOST_FIXED: Final = 1_152
"""Questions at fixed levels where no number was given: two groups of 8 cues in 4 wordings. Further
ones about the same cues and wordings hardly narrow the interval."""
_TURN: Final = 4
"""Wordings after which the order of the answers changes."""


@dataclass(frozen=True)
class Design:
    """What may be asked about a case.

    Attributes
    ----------
    case : Case
    form : Form
    groups : tuple of int
        Places of the groups in the case.
    cues : tuple of tuple of int
        Places of the cues of each of them.
    wordings, details : tuple of int
    both_orders : bool
        Otherwise the yes is always listed first.
    """

    case: Case
    form: Form
    groups: tuple[int, ...]
    cues: tuple[tuple[int, ...], ...]
    wordings: tuple[int, ...]
    details: tuple[int, ...]
    both_orders: bool = True

    @property
    def orders(self) -> tuple[bool, ...]:
        """Whether the yes is listed first."""
        return (True, False) if self.both_orders else (True,)

    @property
    def candidates(self) -> Indices:
        """Who is asked about, in rows of (group, cue, other group, other cue); -1 for no other."""
        if self.form == "yes or no":
            rows = [
                (group, cue, -1, -1)
                for group, cues in zip(self.groups, self.cues, strict=True)
                for cue in cues
            ]
        else:
            one, two = self.groups
            rows = [(two, cue, one, other) for cue in self.cues[1] for other in self.cues[0]]
        return np.array(rows, dtype=np.int64)

    @property
    def axis(self) -> Floats:
        """Every level that may be asked: of the quality, or of its difference between the two."""
        levels = self.case.quality.levels
        if self.form == "yes or no":
            return levels
        return np.round(self.case.quality.step * np.arange(-self._reach, self._reach + 1), 10)

    def chosen_levels(self, levels: int | Sequence[float] | None) -> Floats:
        """Return the levels of constant stimuli.

        Parameters
        ----------
        levels : int or sequence of float, optional
            How many, evenly spread; or the levels themselves.

        Raises
        ------
        QueryError
            If there are fewer than three, or one is not a level of the case.
        """
        axis = self.axis
        if levels is None or isinstance(levels, int):
            count = min(LEVELS if levels is None else levels, len(axis))
            if count < 3:
                raise QueryError(f"levels is {levels}: a curve needs at least 3.")
            return np.asarray(axis[np.linspace(0, len(axis) - 1, count).round().astype(int)])
        chosen = np.unique(np.asarray(levels, dtype=np.float64))
        if len(chosen) < 3:
            raise QueryError(f"levels has {len(chosen)} different values; a curve needs 3.")
        for level in chosen:
            if not np.isclose(axis, level).any():
                raise QueryError(
                    f"{level:g} {self.case.quality.unit} is not a level of {self.case.name}: its"
                    f" levels go from {axis[0]:g} to {axis[-1]:g} in steps of"
                    f" {self.case.quality.step:g}."
                )
        return chosen

    @property
    def variants(self) -> int:
        """How many ways there are to ask about one candidate at one level."""
        return len(self.wordings) * len(self.orders)

    @property
    def _variants(self) -> tuple[Indices, Flags]:
        """Wording and order of each variant; orders alternate, so that any stretch has both."""
        turns = range(0, len(self.wordings), _TURN)
        pairs = [
            (wording, first)
            for start in turns
            for first in self.orders
            for wording in self.wordings[start : start + _TURN]
        ]
        wordings, orders = zip(*pairs, strict=True)
        return np.array(wordings, dtype=np.int64), np.array(orders, dtype=bool)

    def questions(self, levels: Floats, trials: int | None, rng: np.random.Generator) -> Questions:
        """Return balanced questions in random order.

        Every block asks about each candidate at each level once; wordings and orders rotate from
        block to block, so that each combination comes once in `variants` blocks.

        Parameters
        ----------
        levels : ndarray, shape (L,)
        trials : int, optional
            How many; default every combination once, of many as many as `MOST_FIXED`.
        rng : numpy.random.Generator
        """
        people = self.candidates
        block = len(people) * len(levels)
        wanted = min(block * self.variants, MOST_FIXED) if trials is None else trials
        who, at = np.divmod(np.arange(block), len(levels))
        # Of many variants a block has few for each candidate: levels spread over all of them.
        stride = max(1, self.variants // len(levels))
        wordings, orders = self._variants
        parts = []
        for number in range(math.ceil(wanted / block)):
            variant = (number + who + stride * at) % self.variants
            rows = self.rows(people[who], levels[at], wordings[variant], orders[variant], rng)
            parts.append(rows.take(rng.permutation(block)))
        columns = {
            field.name: np.concatenate([getattr(part, field.name) for part in parts])
            for field in fields(Questions)
        }
        return Questions(**columns).take(slice(0, wanted))

    def rows(
        self,
        people: Indices,
        levels: Floats,
        wordings: Indices,
        yes_first: Flags,
        rng: np.random.Generator,
    ) -> Questions:
        """Return questions about candidates (T, 4) at levels (T,) of the axis.

        Details are drawn. One of two candidates has the middle level, drawn which, so that the
        difference varies and not the level of either.
        """
        count = len(levels)
        group, cue, other_group, other_cue = people.T
        own, other = np.asarray(levels, dtype=np.float64), np.full(count, np.nan)
        if self.form == "which of two":
            middle = self.case.quality.levels[self._reach]
            varied = rng.random(count) < 0.5
            own, other = np.round(
                [np.where(varied, middle + own, middle), np.where(varied, middle, middle - own)], 10
            )
        detail = np.array(self.details)[rng.integers(len(self.details), size=count)]
        return Questions(
            group, cue, own, other_group, other_cue, other, wordings, detail, yes_first
        )

    def first_question(self, *, cannot_say: bool) -> list[Question]:
        """Return one question, of the middle level."""
        middle = self.axis[len(self.axis) // 2 : len(self.axis) // 2 + 1]
        wording, first = np.array(self.wordings[:1]), np.array(self.orders[:1])
        rows = self.rows(self.candidates[:1], middle, wording, first, np.random.default_rng(0))
        return rows.of(self.case, cannot_say=cannot_say)

    @property
    def _reach(self) -> int:
        """Steps from the middle level to the ends."""
        return (len(self.case.quality.levels) - 1) // 2
