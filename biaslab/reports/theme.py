"""Charts in a notebook: colours that follow its light or dark theme."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from biaslab.reports import palette

DARK: Final = {
    **{
        palette.shade(
            step
        ): f"color-mix(in srgb, #3D2E10 {100 * step / palette.SHADES:.0f}%, #1A3342)"
        for step in range(1, palette.SHADES)
    },
    palette.INK: "#ECEEF1",
    palette.INK_2: "#B0B8C2",
    palette.INK_3: "#8C95A0",
    palette.LINE: "#2A2F36",
    palette.NEUTRAL: "#858E99",
    palette.SURFACE: "var(--jp-layout-color0, #15181C)",
    palette.GROUP_1: "#56B4E9",
    palette.GROUP_1_TEXT: "#7CC6F0",
    palette.GROUP_1_TINT: "#1A3342",
    palette.GROUP_2: "#E69F00",
    palette.GROUP_2_TEXT: "#F0B02E",
    palette.GROUP_2_TINT: "#3D2E10",
    palette.OBSERVED: "#D79BC8",
    palette.CHANCE: "#3D454E",
    **dict(zip(palette.WITH, ("#5E4158", "#A06D93", "#D79BC8"), strict=True)),
    **dict(zip(palette.AGAINST, ("#3D4853", "#6D7F8F", "#9FB2C3"), strict=True)),
    palette.CONNECTIONS["different"]: "#B0B8C2",
}
"""What a colour of the palette becomes on a dark page."""
# JupyterLab and Notebook, VS Code.
_DARK_PAGES: Final = ('[data-jp-theme-light="false"]', '[data-vscode-theme-kind$="dark"]')
_CLASS: Final = "biaslab-chart"


def follow_theme(html: str) -> str:
    """Let the palette's colours in HTML or SVG follow a light or dark page.

    Where nothing is known of the page they stay light, on a light ground.
    """
    coloured = _colours().sub(lambda match: _variable(match[0]), html)
    return f'<div class="{_CLASS}">{_rules()}{coloured}</div>'


@cache
def _colours() -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, DARK)), re.IGNORECASE)


def _variable(colour: str) -> str:
    light = colour.upper()
    return f"var({_name(light)}, {light})"


def _name(light: str) -> str:
    return f"--biaslab-{light.lstrip('#').lower()}"


@cache
def _rules() -> str:
    where = ", ".join(f"{page} .{_CLASS}" for page in _DARK_PAGES)
    colours = ";".join(f"{_name(light)}:{dark}" for light, dark in DARK.items())
    return f"<style>{where}{{{colours}}}</style>"
