"""Portrait: a person, a dress, a background; and morphs between two portraits."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches

from biaslab.errors import PortraitError
from biaslab.portraits.occupations import OCCUPATIONS, PLAIN
from biaslab.portraits.person import Person, between
from biaslab.records.record import Record


def _share(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise PortraitError(f"{name} is {value!r}. Use a number from 0 to 1.")


@dataclass(frozen=True)
class Dress(Record):
    """Clothes and tool of an occupation.

    Attributes
    ----------
    occupation : str
        One of `OCCUPATIONS`; ``"person"`` for everyday clothes and no tool.
    shade : float
        Position of the main garment's colour between its colours, in [0, 1].
    """

    occupation: str = PLAIN
    shade: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        _share("shade", self.shade)
        if self.occupation not in OCCUPATIONS:
            near = get_close_matches(str(self.occupation), OCCUPATIONS, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise PortraitError(
                f"No clothes are known for {self.occupation!r}.{hint} Known occupations are: "
                f"{', '.join(OCCUPATIONS)}."
            )


@dataclass(frozen=True)
class Background(Record):
    """A plain background.

    Attributes
    ----------
    tint, depth : float
        Which pale colour, and how deep it is, both in [0, 1].
    """

    tint: float = 0.0
    depth: float = 0.3

    def __post_init__(self) -> None:
        super().__post_init__()
        _share("tint", self.tint)
        _share("depth", self.depth)


@dataclass(frozen=True)
class Portrait(Record):
    """Input of `draw`.

    Attributes
    ----------
    person : Person
    dress : Dress
    background : Background
    seed : int or None
        Origin of a sampled portrait; None for a composed or morphed one. It changes
        nothing in the picture.
    other_dress : Dress or None
        In a morph between two dresses of different occupations: the second one.
    fade : float
        How far the picture has faded from ``dress`` to ``other_dress``, in [0, 1].
    """

    person: Person = field(default_factory=Person)
    dress: Dress = field(default_factory=Dress)
    background: Background = field(default_factory=Background)
    seed: int | None = None
    other_dress: Dress | None = None
    fade: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        _share("fade", self.fade)

    @property
    def dresses(self) -> tuple[tuple[Dress, float], ...]:
        """Dresses with their shares, which add up to 1."""
        if self.other_dress is None or self.fade == 0:
            return ((self.dress, 1.0),)
        return ((self.dress, 1 - self.fade), (self.other_dress, self.fade))


def morph(a: Portrait, b: Portrait, alpha: float) -> Portrait:
    """Return a portrait between two: a stimulus.

    Parameters
    ----------
    a, b : Portrait
        The ends. Clothes of the same occupation stay; between different ones the picture fades.
    alpha : float
        In [0, 1]; ``a`` itself at 0 and ``b`` itself at 1.

    Returns
    -------
    Portrait
        Every attribute of person, garment and background is interpolated from a to b,
        and every pixel of the picture changes continuously with ``alpha``.

    Raises
    ------
    PortraitError
        If ``alpha`` is out of its range, or if a or b is itself half way between two dresses.
    """
    _share("alpha", alpha)
    if alpha == 0:
        return a
    if alpha == 1:
        return b
    if len(a.dresses) > 1 or len(b.dresses) > 1:
        raise PortraitError(
            "A portrait between two occupations cannot be morphed again. Morph its two ends."
        )
    (first, _), (second, _) = a.dresses[0], b.dresses[0]
    alike = first.occupation == second.occupation
    return Portrait(
        between(a.person, b.person, alpha),
        Dress(first.occupation, _at(first.shade, second.shade, alpha)) if alike else first,
        Background(
            _at(a.background.tint, b.background.tint, alpha),
            _at(a.background.depth, b.background.depth, alpha),
        ),
        None,
        None if alike else second,
        0.0 if alike else alpha,
    )


def _at(x: float, y: float, share: float) -> float:
    return min(1.0, max(0.0, x + (y - x) * share))
