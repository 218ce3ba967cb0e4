"""Published effect sizes of people, for the WEATs that repeat an implicit association test."""

from __future__ import annotations

from typing import Final, NamedTuple

from biaslab.probes.association.lists import AssociationLists
from biaslab.specs import get


class HumanEffect(NamedTuple):
    """Published effect sizes of one test.

    `people` is that of the implicit association test (IAT), between persons' reaction times;
    `glove` is WEAT's on GloVe vectors, between words.
    """

    people: float
    glove: float


HUMAN_EFFECTS: Final = {
    "weat-1": HumanEffect(1.35, 1.50),
    "weat-2": HumanEffect(1.66, 1.53),
    "weat-3": HumanEffect(1.17, 1.41),
    "weat-6": HumanEffect(0.72, 1.81),
    "weat-7": HumanEffect(0.82, 1.06),
    "weat-8": HumanEffect(1.47, 1.24),
    "weat-9": HumanEffect(1.01, 1.38),
    "weat-10": HumanEffect(1.42, 1.21),
}
"""By spec: Caliskan, Bryson and Narayanan (2017), Science 356:183-186, Table 1. WEAT 4 and 5 have
no human effect size there."""


def human_effect(lists: AssociationLists) -> HumanEffect | None:
    """Return the published effect sizes of the test with these lists; None if there are none.

    Words that the subject does not know still count as words of the test. Where the groups or the
    attribute lists are swapped, both signs change.
    """
    asked = {place: _set(words) for place, words in lists.named.items()}
    for dropped in lists.dropped:
        asked.setdefault(dropped.role, set()).add(dropped.term.casefold())
    for name, effect in HUMAN_EFFECTS.items():
        spec, sign = get(name), 1
        for kind in ("groups", "attributes"):
            own = [asked[f"{kind}.{one}"] for one in getattr(lists, kind)]
            published = [_set(words) for words in getattr(spec, kind).values()]
            sign *= 1 if own == published else -1 if own == published[::-1] else 0
        if sign:
            return HumanEffect(sign * effect.people, sign * effect.glove)
    return None


def _set(words: tuple[str, ...]) -> set[str]:
    return {word.casefold() for word in words}
