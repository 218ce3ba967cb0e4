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
