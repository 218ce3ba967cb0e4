"""Attribute of a rating: its values, and how they are written and read."""

from __future__ import annotations

import functools
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


@dataclass(frozen=True)
class ReadingRules(Record):
    """How the values are read in one language.

    In a word or phrase ``*`` stands for one letter or more: ``*лась`` is any word that ends so. One
    that begins with ``^`` counts at the start of a sentence only.

    Attributes
    ----------
    words : mapping of str to mapping of str to tuple of str
        Value (``Other`` among them) to form to words or phrases.
    never : tuple of str
        Words that say nothing, though a ``*`` fits them.
    not_agreeing : tuple of str
        Words by which the verb is known to agree with something else than the person.
    attached : tuple of str
        Words that are written as the beginning of the next, such as Arabic "and".
    dropped : tuple of str
        Verbs at the start of a sentence without a subject: ``Other``.
    common : tuple of str
        Frequent words of the language, by which an answer is known to be in it.
    """

    words: Mapping[str, Mapping[str, tuple[str, ...]]]
    dropped: tuple[str, ...] = ()
    common: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    not_agreeing: tuple[str, ...] = ()
    attached: tuple[str, ...] = ()


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
    lists = ("dropped", "common", "never", "not_agreeing", "attached")
    return ReadingRules(words, **{name: tuple(table.get(name, ())) for name in lists})
