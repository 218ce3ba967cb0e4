"""Pieces of SVG that the still pictures share; words are escaped, nothing is fetched."""

from __future__ import annotations

from html import escape

from biaslab.reports.palette import SURFACE


def document(title: str, body: str, width: int, height: int) -> str:
    """A whole picture, with `title` as what it is called when it is read out."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" font-family="system-ui, sans-serif" font-size="12">'
        f"<title>{escape(title)}</title>"
        f'<rect width="100%" height="100%" fill="{SURFACE}"/>\n{body}\n</svg>'
    )


def line(
    x1: float, y1: float, x2: float, y2: float, colour: str, *, width: float = 1, dash: str = "none"
) -> str:
    """A straight line."""
    dashed = "" if dash == "none" else f' stroke-dasharray="{dash}"'
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
        f'stroke-width="{width}"{dashed}/>'
    )


def text(
    x: float,
    y: float,
    words: str,
    colour: str,
    *,
    size: int = 12,
    anchor: str = "start",
    weight: str = "normal",
) -> str:
    """A line of text."""
    heavy = "" if weight == "normal" else f' font-weight="{weight}"'
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" font-size="{size}" '
        f'text-anchor="{anchor}"{heavy}>{escape(words)}</text>'
    )


def mark(x: float, y: float, lean: int, colour: str, size: float = 4.5) -> str:
    """The mark of an estimate: round for group 1, square for group 2, a hollow diamond for none."""
    if lean > 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:g}" fill="{colour}"/>'
    if lean < 0:
        side = 2 * size - 1
        return (
            f'<rect x="{x - side / 2:.1f}" y="{y - side / 2:.1f}" width="{side:g}" '
            f'height="{side:g}" fill="{colour}"/>'
        )
    return (
        f'<path d="M{x:.1f} {y - size - 1:.1f}l{size + 1:g} {size + 1:g}l-{size + 1:g} '
        f'{size + 1:g}l-{size + 1:g} -{size + 1:g}z" fill="{SURFACE}" stroke="{colour}" '
        f'stroke-width="1.5"/>'
    )
