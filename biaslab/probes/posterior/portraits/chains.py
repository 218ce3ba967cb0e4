"""Markov chains over portraits, without gradients, all in one batch of pictures per step.

A proposal keeps the prior, which is N(0, I) in the coordinates of `Space`: either a whole new
person, or a step from z to sqrt(1 - b²) z + b ξ in some coordinates, chosen anew each time. So the
prior needs no part in the decision to move, which is between two portraits only. By probabilities
it is the rule of Metropolis: p(word | proposed)^k / p(word | present)^k, at most 1. By choices it
is that of Barker (1965): the model picks the proposed one with probability p'^k / (p^k + p'^k)
(Luce 1959; Sanborn, Griffiths and Shiffrin 2010). Either way the chains draw from
p(word | portrait)^k p(portrait).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit

from biaslab.errors import QueryError
from biaslab.probes.posterior.portraits.space import DrawnPortrait, Floats, People, Space

WHOLE: Final = 0.5
"""Share of proposals that are whole new people."""
BLOCK: Final = 0.5
"""Share of the coordinates that another proposal changes, on average."""
_MOVED: Final = 0.3
"""Share of such proposals to be accepted, for which their width is sought in warm-up."""
_TRIES: Final = 20
Masks = NDArray[np.bool_]
LogP = Callable[[list[DrawnPortrait]], Floats]


class Shown(NamedTuple):
    """Portraits, as numbers and as pictures."""

    people: People
    pictures: list[DrawnPortrait]


Choose = Callable[[Shown, Shown], Masks]


class Chains:
    """C chains, side by side.

    - `space`, `size`: of the portraits, drawn at a size in pixels.
    - `log_p`: log p(word | picture), shape (C,); None for a subject that only chooses.
    - `times`: the exponent k.
    - `by_choices`: whether the model chooses between two portraits with the odds p'^k : p^k,
      instead of the rule of Metropolis.
    - `choose`: whether a subject that only chooses picks the second picture, shape (C,).
    """

    def __init__(
        self,
        space: Space,
        size: int,
        count: int,
        rng: np.random.Generator,
        *,
        log_p: LogP | None,
        times: float,
        by_choices: bool = False,
        choose: Choose | None = None,
    ) -> None:
        self.space, self.size, self.rng, self.times = space, size, rng, times
        self._log_p, self._choose, self._by_choices = log_p, choose, by_choices
        self.width = 0.5
        self._steps = 0
        self.accepted = np.zeros(2)
        self.proposed = np.zeros(2)
        self.log_p = np.full(count, -np.inf)
        self.z = space.drawn(count, rng)
        self.people = space.people(self.z)
        self.pictures = space.portraits(self.people, size)
        self.is_woman = self._groups(self.people)
        self._begin()

    @property
    def acceptance(self) -> float:
        """Share of all proposals that were accepted, since `forget`."""
        return float(self.accepted.sum() / max(self.proposed.sum(), 1))

    def forget(self) -> None:
        """End warm-up: keep the width, and count proposals anew."""
        self.accepted[:], self.proposed[:] = 0, 0

    def step(self, *, adapt: bool = False) -> None:
        """Move every chain once.

        - `adapt`: whether to seek the width of partial steps, which only warm-up may.
        """
        count = len(self.z)
        is_whole = self.rng.random(count) < WHOLE
        z = self._proposal(is_whole)
        people = self.space.people(z)
        pictures = self.space.portraits(people, self.size)
        log_p = np.full(count, np.nan)
        if self._log_p is not None:
            log_p = self._log_p(pictures)
        if self._choose is None:
            moves = self._accept(log_p)
        else:
            moves = self._choose(Shown(self.people, self.pictures), Shown(people, pictures))
        self._move(moves, z, people, pictures, log_p)
        for kind, mask in enumerate((is_whole, ~is_whole)):
            self.accepted[kind] += moves[mask].sum()
            self.proposed[kind] += mask.sum()
        if adapt and not is_whole.all():
            self._steps += 1
            gain = float(moves[~is_whole].mean()) - _MOVED
            self.width = min(1.0, max(0.02, self.width * math.exp(gain / self._steps**0.6)))

    def _proposal(self, is_whole: Masks) -> Floats:
        fresh = self.space.drawn(len(self.z), self.rng)
        changes = self.rng.random(self.z.shape) < BLOCK
        # At least one coordinate changes, or the step would be none.
        one = self.rng.choice(self.space.moving, len(self.z))
        changes[np.arange(len(self.z)), one] = True
        near = math.sqrt(1 - self.width**2) * self.z + self.width * fresh
        return np.where(is_whole[:, None], fresh, np.where(changes, near, self.z))

    def _accept(self, log_p: Floats) -> Masks:
        with np.errstate(invalid="ignore"):
            gain = self.times * (log_p - self.log_p)
        odds = log_expit(gain) if self._by_choices else gain
        return np.asarray(np.log(self.rng.random(len(log_p))) < odds)

    def _move(
        self, moves: Masks, z: Floats, people: People, pictures: list[DrawnPortrait], log_p: Floats
    ) -> None:
        before, groups = self.people, self._groups(people)
        self.z = np.where(moves[:, None], z, self.z)
        self.log_p = np.where(moves, log_p, self.log_p)
        self.is_woman = np.where(moves, groups, self.is_woman)
        self.people = replace(
            before,
            attributes=np.where(moves[:, None], people.attributes, before.attributes),
            appearance=np.where(moves, people.appearance, before.appearance),
        )
        pairs = zip(moves, pictures, self.pictures, strict=True)
        self.pictures = [new if moved else old for moved, new, old in pairs]

    def _groups(self, people: People) -> Masks:
        """Draw the group of each portrait: of all that is drawn, it depends on appearance only."""
        return np.asarray(self.rng.random(len(people.appearance)) < people.womanly)

    def _begin(self) -> None:
        """Begin at portraits of the prior that the model can say something about."""
        if self._log_p is None:
            return
        self.log_p = self._log_p(self.pictures)
        for _ in range(_TRIES):
            lost = ~np.isfinite(self.log_p)
            if not lost.any():
                return
            z = self.space.drawn(len(self.z), self.rng)
            people = self.space.people(z)
            pictures = self.space.portraits(people, self.size)
            self._move(lost, z, people, pictures, self._log_p(pictures))
        raise QueryError(
            "The model gives no readable reply about most portraits, or never says the word. Ask"
            " with other wordings (templates=...), or compare with other words (against=...)."
        )
