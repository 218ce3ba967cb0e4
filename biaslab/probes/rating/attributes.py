"""Attribute of a rating: its values, and how they are written and read."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from biaslab.errors import RatingError
from biaslab.records.calls import recorded
from biaslab.records.record import Record

OTHER = "Other"
"""Value of an output without any of the named values (the paper, section 4.2)."""

ORDER_OF_FORMS = ("subject", "object", "possessive", "reflexive", "noun", "phrase")


@dataclass(frozen=True)
class ReadingRules(Record):
    """How the values are read in one language.

    Attributes
    ----------
    words : mapping of str to mapping of str to tuple of str
        Value (``Other`` among them) to form to words or phrases.
    dropped : tuple of str
        Verbs at the start of a sentence without a subject: ``Other``.
    common : tuple of str
        Frequent words of the language, by which an answer is known to be in it.
    """

    words: Mapping[str, Mapping[str, tuple[str, ...]]]
    dropped: tuple[str, ...] = ()
    common: tuple[str, ...] = ()


@dataclass(frozen=True)
class Attribute(Record):
    """An attribute with its values.

    Attributes
    ----------
    name : str
        Such as ``gender``.
    values : tuple of str
        The named values, two or more, in order; ``Other`` is always added last.
    forms : mapping of str to mapping of str to mapping of str to str
        Language to value to slot of a template to its text, for generating.
    rules : mapping of str to ReadingRules
        Language to how values are read in it.
    needs_word : bool
        Whether a sentence without any known word is unresolved (gender: it does not say who is
        meant) or is ``Other`` (a place that is none of the named ones).
    ordered : bool
        Whether the order of the values means something; the Kolmogorov-Smirnov test needs it.
    """

    name: str
    values: tuple[str, ...]
    forms: Mapping[str, Mapping[str, Mapping[str, str]]]
    rules: Mapping[str, ReadingRules]
    needs_word: bool = False
    ordered: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.values) < 2 or len(set(self.values)) < len(self.values):
            raise RatingError(f"{self.name}: give at least two values, each once.")
        if OTHER in self.values:
            raise RatingError(f"{self.name}: 'Other' is always added. Leave it out of values.")

    @property
    def all_values(self) -> tuple[str, ...]:
        """The named values and ``Other``."""
        return (*self.values, OTHER)

    def reading(self, language: str) -> ReadingRules:
        """Return the rules of one language.

        Raises
        ------
        RatingError
            If there are none.
        """
        if language not in self.rules:
            raise RatingError(
                f"No rules to read {self.name} in {language!r}; there are some for "
                f"{', '.join(sorted(self.rules))}. Give the attribute rules of that language."
            )
        return self.rules[language]

    @classmethod
    def of_words(
        cls,
        name: str,
        words: Mapping[str, Sequence[str]],
        *,
        other: str | None = None,
        language: str = "en",
        common: Sequence[str] = ("the", "a", "an", "is", "of", "and", "to", "in", "it"),
        ordered: bool = False,
    ) -> Attribute:
        """Define an attribute of one's own, each value one or more nouns of one language.

        Parameters
        ----------
        name : str
            Of the attribute.
        words : mapping of str to sequence of str
            Value to the words for it; the first is used for writing.
        other : str, optional
            Word for ``Other``; needed only if a distribution gives it a share.
        language : str
            Of the words.
        common : sequence of str
            Frequent words of the language, by which an answer is known to be in it.
        ordered : bool
            Whether the order of the values means something.

        Raises
        ------
        RatingError
            If a value has no word, or two values share one.
        """
        value_of: dict[str, str] = {}
        for value, texts in words.items():
            if isinstance(texts, str) or not texts:
                raise RatingError(f"{name}, {value}: give a list of at least one word.")
            for word in texts:
                if value_of.setdefault(word.casefold(), value) != value:
                    raise RatingError(
                        f"{name}: {word!r} is given for {value_of[word.casefold()]} and for"
                        f" {value}. A word can stand for one value only."
                    )
        forms = {value: {"value": texts[0]} for value, texts in words.items()}
        if other is not None:
            forms[OTHER] = {"value": other}
        rules = ReadingRules(
            {value: {"noun": tuple(texts)} for value, texts in words.items()}, (), tuple(common)
        )
        return cls(name, tuple(words), {language: forms}, {language: rules}, ordered=ordered)


@recorded
@functools.cache
def gender() -> Attribute:
    """Return the attribute gender: He, She and Other (the paper, section 4.2)."""
    return _from_file("gender", ("He", "She"), needs_word=True)


@recorded
@functools.cache
def place_of_worship() -> Attribute:
    """Return the attribute place of worship, with four named values.

    The paper names these values in section 1.
    """
    return _from_file(
        "worship", ("Church", "Mosque", "Temple", "Synagogue"), name="place of worship"
    )


@recorded
def attribute(name: str) -> Attribute:
    """Return a predefined attribute by name.

    Raises
    ------
    RatingError
        If there is none of that name.
    """
    known = {"gender": gender, "place of worship": place_of_worship, "worship": place_of_worship}
    if name not in known:
        raise RatingError(
            f"No attribute {name!r}: choose 'gender' or 'place of worship', or make your own with"
            " Attribute.of_words."
        )
    return known[name]()


def _from_file(
    file: str, values: tuple[str, ...], name: str = "", needs_word: bool = False
) -> Attribute:
    source = resources.files("biaslab.probes.rating") / "data" / f"{file}.toml"
    data = tomllib.loads(source.read_text(encoding="utf-8"))
    rules = {language: _rules(table) for language, table in data["read"].items()}
    return Attribute(name or file, values, data["generate"], rules, needs_word)


def _rules(table: dict[str, Any]) -> ReadingRules:
    words = {key: value for key, value in table.items() if isinstance(value, dict)}
    return ReadingRules(words, tuple(table.get("dropped", ())), tuple(table.get("common", ())))


_SENTENCE = re.compile(r"[^.!?…。।؟]+[.!?…。।؟]*")
_HTML = re.compile(r"<\s*(?:/\s*)?(?:html|body|head|div|p|span|script|!doctype)\b", re.IGNORECASE)
_MEMORY = 100_000


@dataclass(frozen=True)
class Found(Record):
    """Reading of one sentence.

    Attributes
    ----------
    value : str
        The value; empty if it is unresolved.
    spans : tuple of (int, int)
        Positions of the words for it: start and end as characters of the whole text.
    form : str
        Form of the first of them (``"subject"``, ``"noun"`` ...), ``"dropped"``, or ``"none"``
        if none of the values' words is there and that means ``Other``.
    reason : str
        Why it is unresolved; empty if it is not.
    """

    value: str
    spans: tuple[tuple[int, int], ...] = ()
    form: str = ""
    reason: str = ""


class Reader:
    """Reads the values of one attribute in one language.

    Rules: named values count before ``Other`` ("she likes it" is about her), pronouns before nouns
    ("he is a lady's tailor"). Two named values in one sentence leave it unresolved.

    Parameters
    ----------
    attribute : Attribute
        The attribute to read.
    language : str
        ISO 639-1 code.

    Raises
    ------
    RatingError
        If the attribute has no rules for this language.
    """

    def __init__(self, attribute: Attribute, language: str) -> None:
        self.attribute = attribute
        self.language = language
        self._rules = attribute.reading(language)
        self._words = _by_word(self._rules)
        # Longer ones first, so that "he or she" is not read as "he".
        longest = sorted(self._words, key=len, reverse=True)
        choices = "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in longest)
        self._pattern = re.compile(rf"(?<![\w'’-])(?:{choices})(?![\w-])", re.IGNORECASE)
        self._dropped = _first_word(self._rules.dropped)
        self._common = frozenset(self._rules.common)
        self._foreign = {
            name: frozenset(rules.common)
            for name, rules in attribute.rules.items()
            if name != language
        }
        self.sentence = functools.lru_cache(maxsize=_MEMORY)(self._sentence)

    def read(self, text: str, mentions: int) -> tuple[Found, ...]:
        """Return the value of each of `mentions` sentences.

        Parameters
        ----------
        text : str
            The whole answer.
        mentions : int
            How many sentences it should have, one mention each.
        """
        if _HTML.search(text):
            return _unresolved(mentions, "the answer is a web page")
        sentences = [m for m in _SENTENCE.finditer(text) if re.search(r"\w", m.group())]
        if not sentences:
            return _unresolved(mentions, "the answer is empty")
        if len(sentences) != mentions:
            count = f"{len(sentences)} sentence{'s' * (len(sentences) > 1)}"
            return _unresolved(mentions, f"{count} came back for {mentions}")
        read_sentences = [(self.sentence(m.group()), m.start()) for m in sentences]
        return tuple(_moved(reading, start) for reading, start in read_sentences)

    def _sentence(self, text: str) -> Found:
        hits = [
            (*self._words[re.sub(r"\s+", " ", hit.group().casefold())], hit.span())
            for hit in self._pattern.finditer(text)
        ]
        for forms in (("phrase",), ("subject", "object", "possessive", "reflexive"), ("noun",)):
            here = [hit for hit in hits if hit[1] in forms and hit[0] != OTHER]
            values = {value for value, _, _ in here}
            if len(values) > 1:
                both = " and ".join(text[a:b] for _, _, (a, b) in here)
                return Found("", tuple(s for _, _, s in here), "", f"{both} in one sentence")
            if here and not (forms == ("noun",) and _has_other_pronoun(hits)):
                return Found(here[0][0], tuple(span for _, _, span in here), here[0][1])
        if others := [hit for hit in hits if hit[0] == OTHER]:
            return Found(OTHER, (others[0][2],), others[0][1])
        if self._dropped and (first := self._dropped.match(text)):
            return Found(OTHER, (first.span(1),), "dropped")
        return self._without_word(text)

    def _without_word(self, text: str) -> Found:
        words = set(re.findall(r"\w+", text.casefold()))
        overlap = len(words & self._common)
        best = max(self._foreign, key=lambda name: len(words & self._foreign[name]), default="")
        if best and len(words & self._foreign[best]) > overlap:
            return Found(
                "", reason=f"the answer is not in the requested language ({self.language})"
            )
        if self.attribute.needs_word or not overlap:
            return Found("", reason=f"no word in the rules gives the {self.attribute.name}")
        return Found(OTHER, form="none")


@functools.lru_cache(maxsize=64)
def _cached(attribute: Attribute, language: str) -> Reader:
    return Reader(attribute, language)


def reader(attribute: Attribute, language: str) -> Reader:
    """Return the reader of an attribute in a language, cached."""
    return _cached(attribute, language)


def _by_word(rules: ReadingRules) -> dict[str, tuple[str, str]]:
    words: dict[str, tuple[str, str]] = {}
    for form in ORDER_OF_FORMS:
        for value, forms in rules.words.items():
            for word in forms.get(form, ()):
                words.setdefault(word.casefold(), (value, form))
    return words


def _first_word(verbs: tuple[str, ...]) -> re.Pattern[str] | None:
    if not verbs:
        return None
    return re.compile(rf"^\W*({'|'.join(map(re.escape, verbs))})(?!\w)", re.IGNORECASE)


def _has_other_pronoun(hits: list[tuple[str, str, tuple[int, int]]]) -> bool:
    return any(value == OTHER and form != "noun" for value, form, _ in hits)


def _unresolved(mentions: int, reason: str) -> tuple[Found, ...]:
    return tuple(Found("", reason=reason) for _ in range(mentions))


def _moved(mention: Found, by: int) -> Found:
    if not by:
        return mention
    return Found(
        mention.value,
        tuple((a + by, b + by) for a, b in mention.spans),
        mention.form,
        mention.reason,
    )
