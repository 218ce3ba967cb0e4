"""Plain words for the gender of nouns in a middle text."""

from __future__ import annotations

from biaslab.probes.rating.middle import MiddleGender


def summary(result: MiddleGender) -> str:
    """How many mentions changed their gender on the way, and how many kept it."""
    told = [m for m in result.mentions if m.noun in ("masculine", "feminine")]
    parts = []
    for value, other in (("She", "masculine"), ("He", "feminine")):
        asked = [m for m in told if m.value == value]
        became = sum(m.noun == other for m in asked)
        parts.append(f"of {len(asked)} times {value.casefold()}, {became} became {other} nouns")
    silent = len(result.mentions) - len(told)
    return (
        f"In the middle text, {' and '.join(parts)}; of {silent} mention{'s' * (silent != 1)} "
        f"the noun shows no gender, and {result.missing} could not be found."
    )
