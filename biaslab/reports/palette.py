"""Colours that mean the same everywhere: group 1 blue and round, group 2 orange and square.

Okabe-Ito, checked for contrast on white. They mean the two cues or social groups and nothing else.
"""

from __future__ import annotations

from typing import Final, Literal

INK: Final = "#16191D"
INK_2: Final = "#4A525C"
INK_3: Final = "#636C77"
LINE: Final = "#E4E7EB"
NEUTRAL: Final = "#868E98"
SURFACE: Final = "#FFFFFF"
GROUP_1: Final = "#0072B2"
GROUP_1_TEXT: Final = "#00639B"
GROUP_1_TINT: Final = "#DCECF6"
GROUP_2: Final = "#D55E00"
GROUP_2_TEXT: Final = "#AD4A00"
GROUP_2_TINT: Final = "#FBE6D6"
OBSERVED: Final = "#852A6D"
"""What was observed, among what chance alone would give."""
CHANCE: Final = "#CBD2D9"
WITH: Final = ("#E3C6DE", "#B77FAF", "#8A3B7B")
"""With a stereotype, light to dark; no group's colours, as both groups have stereotypes."""
AGAINST: Final = ("#C9D2DB", "#8595A5", "#4D6276")
"""Against it, light to dark."""
CONNECTIONS: Final = {
    "associated": INK,
    "different": "#4A6076",
    "human": "#7F93A6",
    "none": "#8C97A3",
}
"""How protected words and attributes belong together: greys, as they are no groups."""
CONNECTION_MARKS: Final[dict[str, Literal["circle", "square", "diamond", "ring"]]] = {
    "associated": "circle",
    "different": "square",
    "human": "diamond",
    "none": "ring",
}
CONNECTION_NAMES: Final = {
    "associated": "associated",
    "different": "different group",
    "human": "human control",
    "none": "neutral control",
}


SHADES: Final = 12
"""Steps from the tint of group 1 to that of group 2."""


def shade(step: int) -> str:
    """Return a colour between the tints of group 1 (step 0) and group 2 (step `SHADES`)."""
    channels = (
        round(one + step / SHADES * (two - one))
        for one, two in zip(_channels(GROUP_1_TINT), _channels(GROUP_2_TINT), strict=True)
    )
    return "#" + "".join(f"{channel:02X}" for channel in channels)


def _channels(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[k : k + 2], 16) for k in (1, 3, 5))


def _variable(name: str, colour: str) -> str:
    return f"var(--{name}, {colour})"


def _mixed(step: int) -> str:
    two, one = _variable("g2-tint", GROUP_2_TINT), _variable("g1-tint", GROUP_1_TINT)
    return f"color-mix(in srgb, {two} {100 * step / SHADES:.0f}%, {one})"


VARIABLES: Final = {
    **{shade(step): _mixed(step) for step in range(1, SHADES)},
    **{
        colour: _variable(name, colour)
        for name, colour in (
            ("ink", INK),
            ("ink-2", INK_2),
            ("ink-3", INK_3),
            ("line", LINE),
            ("neutral", NEUTRAL),
            ("surface", SURFACE),
            ("g1", GROUP_1),
            ("g1-text", GROUP_1_TEXT),
            ("g1-tint", GROUP_1_TINT),
            ("g2", GROUP_2),
            ("g2-text", GROUP_2_TEXT),
            ("g2-tint", GROUP_2_TINT),
            ("with", OBSERVED),
            ("faded", CHANCE),
            ("with-1", WITH[0]),
            ("with-2", WITH[1]),
            ("with", WITH[2]),
            ("against-1", AGAINST[0]),
            ("against-2", AGAINST[1]),
            ("against", AGAINST[2]),
            ("ink-2", CONNECTIONS["different"]),
        )
    },
}
"""CSS value of each colour: a variable of the page, which follows its theme, or the colour."""
