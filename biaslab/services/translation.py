"""Translators as services: one direction, and round trips."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import pairwise

from biaslab.calls import recorded, recorded_class
from biaslab.errors import ServicePairError
from biaslab.services.languages import language_code, language_name
from biaslab.services.service import Chain, Cost, Limits, Translator


@recorded_class
class Translation:
    """A translator in one direction.

    Parameters
    ----------
    translator : Translator
        The translator.
    source, target : str
        Languages as ISO 639-1 or 639-3 code, such as ``"es"`` or ``"spa"``.

    Raises
    ------
    ServicePairError
        If the translator says that it does not have this pair.
    """

    def __init__(self, translator: Translator, source: str, target: str) -> None:
        self.translator = translator
        self.source, self.target = language_code(source), language_code(target)
        known = translator.pairs()
        if known is not None and (self.source, self.target) not in known:
            raise no_pair(translator.name, self.source, self.target, known)

    @property
    def name(self) -> str:
        """The translator and the direction."""
        return f"{self.translator.name} {self.source} → {self.target}"

    @property
    def about(self) -> str:
        """Of the translator."""
        return self.translator.about

    @property
    def identity(self) -> str:
        """Of the translator in this direction."""
        return self.translator.identity_of(self.source, self.target)

    @property
    def limits(self) -> Limits:
        """Of the translator."""
        return self.translator.limits

    @property
    def cost(self) -> Cost:
        """Of the translator."""
        return self.translator.cost

    def answer(self, texts: Sequence[str]) -> list[str]:
        """See `Service.answer`."""
        return self.translator.translate(texts, self.source, self.target)

    def __repr__(self) -> str:
        return f"<Translation {self.name}>"


@recorded
def RoundTrip(
    translator: Translator,
    middle: str,
    source: str = "en",
    *,
    via: Sequence[str] | None = None,
) -> Chain:
    """Translate into a middle language and back.

    Parameters
    ----------
    translator : Translator
        The translator for both directions.
    middle, source : str
        Languages as ISO 639-1 or 639-3 code.
    via : sequence of str, optional
        Languages between `source` and `middle`, passed on the way back in reverse. By default none
        if the translator has the pair both ways or does not say; else the shortest path that it
        has.

    Raises
    ------
    ServicePairError
        If there is no such path.
    """
    source, middle = language_code(source), language_code(middle)
    if via is None:
        way = _way(translator, source, middle)
    else:
        way = (source, *(language_code(language) for language in via), middle)
    there_and_back = (*way, *reversed(way[:-1]))
    steps = tuple(Translation(translator, a, b) for a, b in pairwise(there_and_back))
    return Chain(f"{translator.name} {' → '.join(there_and_back)}", steps, middle=len(way) - 2)


def round_trip_languages(translator: Translator, source: str = "en") -> tuple[str, ...] | None:
    """Return middle languages with a path there and back, direct ones first.

    Returns
    -------
    tuple of str or None
        None if the translator does not say which pairs it has.
    """
    known = translator.pairs()
    if known is None:
        return None
    return tuple(_ways(known, language_code(source)))


def no_pair(name: str, source: str, target: str, known: Iterable[tuple[str, str]]) -> Exception:
    """Return the error for a missing pair, with the available ones."""
    targets = sorted(b for a, b in known if a == source)
    there = (
        f"From {language_name(source)} it has {', '.join(targets)}."
        if targets
        else f"It does not translate from {language_name(source)}."
    )
    return ServicePairError(
        f"{name} does not translate from {language_name(source)} ({source}) to"
        f" {language_name(target)} ({target}). {there}"
    )


def _way(translator: Translator, source: str, middle: str) -> tuple[str, ...]:
    known = translator.pairs()
    if known is None or {(source, middle), (middle, source)} <= known:
        return (source, middle)
    ways = _ways(known, source)
    if middle in ways:
        return ways[middle]
    if (source, middle) in known:
        raise no_pair(translator.name, middle, source, known)
    raise no_pair(translator.name, source, middle, known)


def _ways(known: frozenset[tuple[str, str]], source: str) -> dict[str, tuple[str, ...]]:
    """Return the shortest path to each language over pairs in both directions."""
    onward: dict[str, list[str]] = {}
    for a, b in sorted(known):
        if (b, a) in known:
            onward.setdefault(a, []).append(b)
    ways: dict[str, tuple[str, ...]] = {source: (source,)}
    queue = deque([source])
    while queue:
        here = queue.popleft()
        for there in onward.get(here, ()):
            if there not in ways:
                ways[there] = (*ways[here], there)
                queue.append(there)
    del ways[source]
    return ways
