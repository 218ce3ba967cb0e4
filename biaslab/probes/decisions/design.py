"""Constant stimuli: balanced questions about a case at fixed levels, in random order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final

import numpy as np

from biaslab.cases import Case, Form, Question
from biaslab.errors import QueryError
from biaslab.probes.decisions.trials import Flags, Floats, Indices, Questions

LEVELS: Final = 9
"""Levels of constant stimuli by default."""


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

    def questions(self, levels: Floats, trials: int | None, rng: np.random.Generator) -> Questions:
        """Return balanced questions in random order.

        Every block asks about each candidate at each level once; wordings and orders rotate from
        block to block, so that each combination comes once in `variants` blocks.

        Parameters
        ----------
        levels : ndarray, shape (L,)
        trials : int, optional
            How many; default every combination once.
        rng : numpy.random.Generator
        """
        people = self.candidates
        block = len(people) * len(levels)
        wanted = block * self.variants if trials is None else trials
        who, at = np.divmod(np.arange(block), len(levels))
        parts = []
        for number in range(math.ceil(wanted / block)):
            order, wording = np.divmod((number + who + at) % self.variants, len(self.wordings))
            asked = self.rows(
                people[who], levels[at], np.array(self.wordings)[wording],
                np.array(self.orders)[order], rng,
            )  # fmt: skip
            parts.append(asked.take(rng.permutation(block)))
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
