"""Translators as services: one direction, round trips, and checks of their answers."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

from biaslab.asking.languages import FUNCTION_WORDS, SCRIPTS, language_code, language_name
from biaslab.asking.protocols import Chain, Named, Translator
from biaslab.errors import ServicePairError
from biaslab.records.calls import recorded, recorded_class
from biaslab.records.wording import counted


@recorded_class
class Translation(Named):
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
        self.name = f"{translator.name} {self.source} → {self.target}"
        self.about, self.limits, self.cost = translator.about, translator.limits, translator.cost

    @property
    def identity(self) -> str:
        """Of the translator in this direction."""
        return self.translator.identity_of(self.source, self.target)

    def answer(self, texts: Sequence[str]) -> list[str]:
        """See `Service.answer`."""
        return self.translator.translate(texts, self.source, self.target)


@recorded
def RoundTrip(
    translator: Translator, middle: str, source: str = "en", *, via: Sequence[str] | None = None
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


class PairedTranslator(Named):
    """Base of translators that know what each of their pairs is translated with."""

    @cached_property
    def known(self) -> Mapping[tuple[str, str], Any]:
        """Each pair of languages, with what translates it."""
        raise NotImplementedError

    def pairs(self) -> frozenset[tuple[str, str]]:
        """See `Translator.pairs`."""
        return frozenset(self.known)

    def of_pair(self, source: str, target: str) -> Any:
        """Return what a pair is translated with, or raise a `ServicePairError`."""
        if (source, target) not in self.known:
            raise no_pair(self.name, source, target, self.known)
        return self.known[source, target]


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


_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’»)]*(?=\s|$)|[。！？।॥۔]+")
_WITHOUT_STOPS = frozenset({"th", "lo", "km", "my"})
"""Languages that put no mark at the end of a sentence, or one of their own."""
_AT_LEAST = 2
_TIMES = 3
_ENOUGH = 0.2
"""Smallest share of letters in the script: a translator may leave unknown words unchanged."""


def language_problem(answer: str, text: str, source: str, target: str) -> str:
    """Return why an answer to a text is no translation into the target; empty if it may be.

    Where the source or target is unknown (empty), nothing is checked. An answer is in the wrong
    script if fewer than 20 % of its letters are of the target's. It is in the wrong language if it
    has at least two different function words of another language and three times as many as of the
    target; that is known of languages whose function words are listed. Repetitions do not count:
    texts of a rating are repetitive.
    """
    if not source or not target or source.split("-")[0] == target.split("-")[0]:
        return ""
    words = [word.casefold() for word in _WORD.findall(answer)]
    if len(words) > 2 and words == [word.casefold() for word in _WORD.findall(text)]:
        return "came back untranslated."
    expected = target.split("-")[0]
    script = _script_problem(answer, expected)
    if script:
        return script
    if expected not in FUNCTION_WORDS:
        return ""
    counts = {code: len(known.intersection(words)) for code, known in FUNCTION_WORDS.items()}
    likely = max(counts, key=lambda code: (counts[code], code == expected))
    if counts[likely] >= max(_AT_LEAST, _TIMES * counts[expected]) and likely != expected:
        return f"looks like {language_name(likely)}, not like {language_name(target)}."
    return ""


def sentence_problem(answer: str, text: str, language: str = "") -> str:
    """Return why the sentences of an answer do not match the text's; empty if they do."""
    if language.split("-")[0] in _WITHOUT_STOPS:
        return ""
    got, sent = sentence_count(answer), sentence_count(text)
    if got == sent:
        return ""
    return f"has {counted(got, 'sentence')} where {sent} {'was' if sent == 1 else 'were'} sent."


def sentence_count(text: str) -> int:
    """Number of sentences: pieces with a letter between marks that end a sentence."""
    return sum(bool(_WORD.search(piece)) for piece in _SENTENCE_END.split(text))


def _script_problem(answer: str, expected: str) -> str:
    scripts = SCRIPTS.get(expected, ("LATIN",))
    if scripts == ("*",):
        return ""
    letters = [unicodedata.name(letter, "") for letter in answer if letter.isalpha()]
    if not letters:
        return "has no letters."
    if sum(name.startswith(scripts) for name in letters) / len(letters) >= _ENOUGH:
        return ""
    most = Counter(name.split(" ")[0] for name in letters).most_common(1)[0][0]
    return f"is written in {most.capitalize()} letters, which is not {language_name(expected)}."
