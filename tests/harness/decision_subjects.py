"""Simulated subjects that decide: answers whose gap, position, lapses and refusals are known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from biaslab.stats.decisions.answers import DecisionAnswers
from biaslab.stats.decisions.placement import DecisionPlacement

Floats = NDArray[np.float64]
LEVELS = np.linspace(0, 16, 33)
DIFFERENCES = np.linspace(-8, 8, 33)


@dataclass(frozen=True)
class DecisionSubject:
    """A subject with cues and wordings of its own, drawn from a population.

    Attributes
    ----------
    gap : float
        Of the population, in levels.
    slope : float
        Of z; a JND is log(3) / slope.
    cue_sd, wording_sd, cell_sd : float
        SDs on the scale of z of cues, wordings, and wordings within groups.
    steeper : float
        How many times as steep the curve of group 2 is; all that shifts it counts as well.
    yes, no : float or (float, float)
        Lapses to yes and to no; of each group, where two.
    position : float
        Share of the answers by position, above 0 for the first option.
    refused : float or (float, float)
        Share of questions without an answer; of each group, where two.
    indecision : float
        Half the range of indecision on the scale of z.
    which_of_two : bool
    cues, wordings : int
        Cues of each group, and wordings.
    first : float
        Share of the questions with yes listed first, if levels are constant.
    """

    gap: float = 2.0
    slope: float = 0.9
    cue_sd: float = 0.5
    wording_sd: float = 0.4
    cell_sd: float = 0.25
    steeper: float = 1.0
    yes: float | tuple[float, float] = 0.0
    no: float | tuple[float, float] = 0.0
    position: float = 0.0
    refused: float | tuple[float, float] = 0.0
    indecision: float = 0.0
    which_of_two: bool = False
    cues: int = 4
    wordings: int = 4
    first: float | tuple[float, float] = 0.5
    seed: int | list[int] = field(default=0)

    def drawn(self) -> tuple[Floats, Floats, Floats]:
        """Return the effects of cues, wordings, and wordings within groups."""
        rng = np.random.default_rng([*np.atleast_1d(self.seed), 1])
        return (
            self.cue_sd * rng.standard_normal(2 * self.cues),
            self.wording_sd * rng.standard_normal(self.wordings),
            self.cell_sd * rng.standard_normal((self.wordings, 2)),
        )

    @property
    def these(self) -> float:
        """The gap of just these cues and wordings."""
        u, v, w = self.drawn()
        away = float(u[self.cues :].mean() - u[: self.cues].mean())
        away += float(v.mean()) if self.which_of_two else float(w[:, 1].mean() - w[:, 0].mean())
        return self.gap - away / self.slope

    @property
    def levels(self) -> Floats:
        """Levels of the quality, or of its difference."""
        return DIFFERENCES if self.which_of_two else LEVELS

    def constant(self, trials: int) -> DecisionAnswers:
        """Answer questions at levels drawn at random, groups and orders balanced."""
        rng = np.random.default_rng([*np.atleast_1d(self.seed), 2])
        group = rng.permutation(np.arange(trials) % 2)
        chance = np.broadcast_to(np.asarray(self.first, dtype=float), 2)[group]
        first = rng.random(trials) < chance
        return self.answer(rng, group, rng.choice(self.levels, trials), first)

    def adaptive(self, trials: int, batch: int = 16) -> DecisionAnswers:
        """Answer questions that are placed by the answers so far."""
        rng = np.random.default_rng([*np.atleast_1d(self.seed), 2])
        groups = 1 if self.which_of_two else 2
        placement = DecisionPlacement(groups, self.levels, indecision=self.indecision > 0)
        parts = []
        while placement.asked < trials:
            group, level, first = placement.next_questions(batch)
            found = self.answer(rng, group, level, first, keep_refused=True)
            placement.update(
                group, level, first, found.yes, found.n, found.undecided,
                1 - found.n - found.undecided,
            )  # fmt: skip
            parts.append(found)
        return joined(parts)

    def answer(
        self,
        rng: np.random.Generator,
        group: NDArray[np.intp],
        level: Floats,
        first: NDArray[np.bool_],
        *,
        keep_refused: bool = False,
    ) -> DecisionAnswers:
        """Answer questions, each about a cue and in a wording drawn at random."""
        u, v, w = self.drawn()
        size = len(level)
        cue = rng.integers(0, self.cues, size)
        other = rng.integers(0, self.cues, size)
        wording = rng.integers(0, self.wordings, size)
        sign = np.where(first, 0.5, -0.5)
        refused = np.broadcast_to(np.asarray(self.refused, dtype=float), 2)[group]
        if self.which_of_two:
            group, cue = np.zeros(size, dtype=np.intp), cue + self.cues
            z = self.slope * (level - self.gap) + u[cue] - u[other] + v[wording]
        else:
            cue = cue + self.cues * group
            z = self.slope * (level - 7 - self.gap * (group - 0.5))
            z = (z + u[cue] + v[wording] + w[wording, group]) * self.steeper**group
        to_yes, to_no = (np.broadcast_to(share, 2)[group] for share in (self.yes, self.no))
        room = 1 - to_yes - to_no - abs(self.position)
        favoured = first == (self.position >= 0)
        p_yes = to_yes + abs(self.position) * favoured + room * expit(z - self.indecision)
        p_none = room * (expit(z + self.indecision) - expit(z - self.indecision))
        drawn = rng.random(size)
        yes = drawn < p_yes
        undecided = ~yes & (drawn < p_yes + p_none)
        answered = rng.random(size) >= refused
        found = DecisionAnswers(
            level, (yes & answered).astype(float), (~undecided & answered).astype(float),
            (undecided & answered).astype(float), group, cue, wording, sign,
            other_cue=other if self.which_of_two else None,
        )  # fmt: skip
        return found if keep_refused else found.take(answered)


def joined(parts: list[DecisionAnswers]) -> DecisionAnswers:
    """Return the answers of all parts."""
    names = ["levels", "yes", "n", "undecided", "group", "cue", "wording", "order"]
    whole: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in names
    }
    if parts[0].other_cue is not None:
        whole["other_cue"] = np.concatenate([part.other_cue for part in parts])
    return DecisionAnswers(**whole)
