"""Charts as PDF and PNG: their SVG, set by typst, which needs no other program."""

from __future__ import annotations

import re
from typing import Any, Final

from biaslab.errors import ArgumentError, MissingExtraError
from biaslab.reports.svg import FONTS

PRINTED_FONTS: Final = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
"""Typst knows no system-ui, and takes the first that is installed."""
_DPI: Final = (36, 1200)


def pdf(svg: str) -> bytes:
    """Return a chart as PDF; raises `MissingExtraError` without typst."""
    return _set(svg, format="pdf")


def png(svg: str, dpi: float) -> bytes:
    """Return a chart as PNG; raises `MissingExtraError` without typst."""
    if not _DPI[0] <= dpi <= _DPI[1]:
        raise ArgumentError(f"dpi={dpi}: give from {_DPI[0]} to {_DPI[1]:,} pixels per inch.")
    return _set(svg, format="png", ppi=float(dpi))


def _set(svg: str, **options: Any) -> bytes:
    try:
        import typst
    except ImportError as error:
        raise MissingExtraError(
            "PDF and PNG need typst: pip install 'biaslab[print]'. to_svg() needs nothing."
        ) from error
    number, unit = re.findall(r'width="([\d.]+)(mm)?"', svg)[0]
    width = f"{number}mm" if unit else f"{float(number) * 0.75:g}pt"
    page = f'#set page(width: {width}, height: auto, margin: 0pt)\n#image("chart.svg", width: 100%)'
    chart = svg.replace(FONTS, PRINTED_FONTS, 1)
    made: bytes = typst.compile({"main": page.encode(), "chart.svg": chart.encode()}, **options)
    return made
