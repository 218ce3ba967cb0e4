"""Records of the posterior bench's space of portraits, shared with the front end."""

from __future__ import annotations

from typing import Annotated, TypedDict

from biaslab_widgets.core.state.fields import Default


class Face(TypedDict):
    """A portrait on the sheet."""

    place: int
    """On the sheet, from 0."""
    title: str
    """Chain and step, or that it is one of all portraits."""
    text: str
    """What is drawn, in words."""
    woman: bool
    """Drawn as a woman rather than as a man."""
    p: float | None
    """How surely the model says the word; None of a portrait without a word."""


class Gallery(TypedDict):
    """Some of the draws of a word, the least imagined first."""

    word: str
    """Empty of the portraits as they are drawn before a word."""
    title: str
    note: str
    faces: list[Face]


class Typical(TypedDict):
    """The most typical portrait of a word, and the share that is drawn as women."""

    word: str
    name: str
    share: float
    low: float | None
    high: float | None
    place: int
    """On the sheet of large portraits: the one nearest to the average."""
    average: int
    """On the same sheet: the average of all attributes."""
    text: str
    note: str


class FilmStrip(TypedDict):
    """Portraits that one chain passed through."""

    warmup: list[Face]
    kept: list[Face]


class ShareLine(TypedDict):
    """The share drawn as women when a word is to be said so many times in a row."""

    word: str
    shares: list[float]
    """In the order of `Portraits.exponents`."""


class ShiftMark(TypedDict):
    """A word's shift of an attribute, in standard deviations of all portraits, with interval."""

    value: float
    low: float
    high: float


class ShiftRow(TypedDict):
    """An attribute, and its shift for each word."""

    name: str
    marks: list[ShiftMark]


class ShiftGroup(TypedDict):
    """Attributes that belong together, those that shift most first."""

    title: str
    note: str
    rows: list[ShiftRow]


class Portraits(TypedDict):
    """What is drawn in the space of portraits, besides what both spaces show."""

    words: list[str]
    typical: list[Typical]
    galleries: list[Gallery]
    exponents: list[float]
    exponent: float
    """How often in a row the word was to be said in this run."""
    lines: list[ShareLine]
    neutral: Annotated[float, Default(0.5)]
    """Share of all portraits that is drawn as women."""
    chains: list[FilmStrip]
    warmup: int
    """Steps of each chain that are not kept."""
    steps: int
    """Steps of each chain, warm-up included."""
    running: list[list[float]]
    """Share drawn as women so far, for each chain."""
    running_steps: list[int]
    """The step of each of these shares."""
    chains_note: str
    shifts: list[ShiftGroup]


class Sheets(TypedDict):
    """All portraits of a picture, side by side in one image, and the typical ones, larger."""

    run: int
    version: int
    """Counts up with every change."""
    columns: Annotated[int, Default(1)]
    rows: Annotated[int, Default(1)]
    small: str
    """Address that holds the image; empty while it is being drawn."""
    large: str
    large_columns: Annotated[int, Default(1)]
