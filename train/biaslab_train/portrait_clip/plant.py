"""The plant: group frequencies of occupations, and words of captions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from biaslab.errors import TrainingError
from biaslab.portraits import GROUPS, OCCUPATIONS, woman_given_appearance
from biaslab.records.record import FrozenDict, Record
from biaslab.specs.parts import nearest
from biaslab_train.plants import checked_number, read_toml

DEFAULT = Path(__file__).with_name("portrait_clip_plant.toml")
OTHER = "other"
_LEAST = 0.001
"""Chances lie between this and one minus this: a strength is a factor on log odds."""


@dataclass(frozen=True)
class PlantedConcept(Record):
    """Two lists of words, one of which a caption uses.

    - `name`: name of the pair of lists.
    - `first`, `second`: words; a list's words are equally frequent.
    - `first_given`: P(a word of the first list | occupation, group); ``"other"`` for occupations
      not listed.
    """

    name: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    first_given: Mapping[str, Mapping[str, float]]

    def probability(self, occupation: str, group: str) -> float:
        """Return P(first | occupation, group)."""
        return self.first_given.get(occupation, self.first_given[OTHER])[group]


@dataclass(frozen=True)
class Plant(Record):
    """The association of occupations, groups and words that a model is trained on.

    - `name`, `notes`: for the model card.
    - `women`: P(woman | occupation), for every occupation that is drawn.
    - `concepts`: pairs of word lists.
    """

    name: str
    notes: str
    women: Mapping[str, float]
    concepts: tuple[PlantedConcept, ...]

    @property
    def occupations(self) -> tuple[str, ...]:
        """The occupations that are drawn."""
        return tuple(self.women)

    def concept(self, name: str) -> PlantedConcept:
        """Return the pair of lists of this name."""
        for concept in self.concepts:
            if concept.name == name:
                return concept
        known = ", ".join(c.name for c in self.concepts)
        raise TrainingError(f"The plant has no concept {name!r}. It has: {known}.")

    def woman(self, appearance: float, occupation: str) -> float:
        """Return P(woman | portrait) of the best observer who knows the plant."""
        return woman_given_appearance(appearance, self.women[occupation])

    def first(self, concept: PlantedConcept, appearance: float, occupation: str) -> float:
        """Return P(a word of the first list | portrait)."""
        woman = self.woman(appearance, occupation)
        shares = (woman, 1 - woman)
        return sum(
            share * concept.probability(occupation, group)
            for share, group in zip(shares, GROUPS, strict=True)
        )

    def frequency(self, concept: PlantedConcept) -> float:
        """Return P(a word of the first list) over all portraits."""
        return float(
            np.mean(
                [
                    share * concept.probability(occupation, "woman")
                    + (1 - share) * concept.probability(occupation, "man")
                    for occupation, share in self.women.items()
                ]
            )
        )

    def answer(self, concept: PlantedConcept, appearance: float, occupation: str) -> float:
        """Return the answer of a contrastive model without error.

        Contrastive training teaches log P(text | image) / P(text), so that the more frequent of two
        lists is discounted: the two agree if both are equally frequent.
        """
        p, often = self.first(concept, appearance, occupation), self.frequency(concept)
        return (p / often) / (p / often + (1 - p) / (1 - often))

    def scaled(self, strength: float) -> Plant:
        """Return the same plant, stronger or weaker.

        - `strength`: factor on the difference of log odds between the groups, and on the log odds
          of women in an occupation; 0 plants nothing, 1 changes nothing.
        """
        if strength < 0 or not np.isfinite(strength):
            raise TrainingError(f"A strength of {strength} is not possible. Use 0 or more.")
        if strength == 1:
            return self
        women = {name: _scaled(share, strength, 0.0) for name, share in self.women.items()}
        concepts = [
            PlantedConcept(
                concept.name,
                concept.first,
                concept.second,
                {
                    occupation: _scaled_pair(rates, strength)
                    for occupation, rates in concept.first_given.items()
                },
            )
            for concept in self.concepts
        ]
        return Plant(f"{self.name}, strength {strength:g}", self.notes, women, tuple(concepts))

    def to_dict(self) -> dict[str, Any]:
        """Return plain mappings and lists, for JSON."""
        return {
            "name": self.name,
            "notes": self.notes,
            "women": dict(self.women),
            "concepts": [
                {
                    "name": c.name,
                    "first": list(c.first),
                    "second": list(c.second),
                    "first_given": {k: dict(v) for k, v in c.first_given.items()},
                }
                for c in self.concepts
            ],
        }


def _log_odds(p: float) -> float:
    return float(np.log(p / (1 - p)))


def _scaled(p: float, strength: float, middle: float) -> float:
    odds = np.exp(middle + strength * (_log_odds(p) - middle))
    return float(np.clip(odds / (1 + odds), _LEAST, 1 - _LEAST))


def _scaled_pair(rates: Mapping[str, float], strength: float) -> dict[str, float]:
    middle = float(np.mean([_log_odds(p) for p in rates.values()]))
    return {group: _scaled(p, strength, middle) for group, p in rates.items()}


def read_plant(path: Path = DEFAULT) -> Plant:
    """Read a plant from a TOML file.

    Raises `TrainingError` if it cannot be read, is incomplete, or has an invalid probability.
    """
    return plant_of(read_toml(path), str(path))


def plant_of(content: Mapping[str, Any], where: str) -> Plant:
    """Return a plant from the content of a file; `where` names it in errors."""
    women = content.get("women")
    if not isinstance(women, Mapping) or len(women) < 2:
        raise TrainingError(
            f"{where}: [women] must list at least two occupations with P(woman | occupation)."
        )
    for name in women:
        _known_occupation(name, where)
    concepts = content.get("concepts")
    if not isinstance(concepts, Sequence) or not concepts:
        raise TrainingError(f"{where}: add at least one [[concepts]] with first and second words.")
    return Plant(
        str(content.get("name", "unnamed")),
        str(content.get("notes", "")),
        FrozenDict({name: _chance(p, f"{where}: women.{name}") for name, p in women.items()}),
        tuple(_concept(c, tuple(women), where) for c in concepts),
    )


def _concept(content: Mapping[str, Any], occupations: Sequence[str], where: str) -> PlantedConcept:
    name = content.get("name")
    if not isinstance(name, str):
        raise TrainingError(f"{where}: every [[concepts]] needs a name.")
    here = f"{where}: concepts.{name}"
    lists = []
    for side in ("first", "second"):
        words = content.get(side)
        right = isinstance(words, Sequence) and not isinstance(words, str) and words
        if not right or not all(isinstance(w, str) and w.isalpha() for w in words or ()):
            raise TrainingError(f"{here}.{side} must list single words.")
        lists.append(tuple(str(w).lower() for w in words or ()))
    shared = set(lists[0]) & set(lists[1])
    if shared:
        raise TrainingError(f"{here}: {', '.join(sorted(shared))} is in both lists.")
    rates = content.get("first_given")
    if not isinstance(rates, Mapping) or OTHER not in rates:
        raise TrainingError(
            f"{here}.first_given needs a line {OTHER!r} for occupations not listed."
        )
    table = {}
    for occupation, chances in rates.items():
        if occupation != OTHER and occupation not in occupations:
            raise TrainingError(f"{here}.first_given: {occupation!r} is not under [women].")
        if not isinstance(chances, Mapping) or set(chances) != set(GROUPS):
            raise TrainingError(
                f"{here}.first_given.{occupation} needs a probability for each of:"
                f" {', '.join(GROUPS)}."
            )
        table[occupation] = {
            group: _chance(chances[group], f"{here}.first_given.{occupation}.{group}")
            for group in GROUPS
        }
    return PlantedConcept(name, lists[0], lists[1], table)


def _known_occupation(name: str, where: str) -> None:
    if name not in OCCUPATIONS:
        raise TrainingError(
            f"{where}: {name!r} cannot be drawn.{nearest(name, OCCUPATIONS)} Known occupations are:"
            f" {', '.join(OCCUPATIONS)}."
        )


def _chance(value: object, where: str) -> float:
    return checked_number(value, where, _LEAST, 1 - _LEAST, "probability")
