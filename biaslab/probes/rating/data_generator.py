"""Texts for a service: blocks whose mentions follow a distribution.

Srivastava and Rossi (2018), section 4.2.

Each text has as many sentences as the attribute has values that some distribution gives a share
(footnote 1 of the paper), and each sentence mentions the attribute once. Shares are met exactly, up
to rounding, and mentions are in random order. A block's terms and that order follow from the seed
and the block's place alone: another distribution changes only the mentions that it must change, so
that cached answers are found again.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import RatingError
from biaslab.probes.rating.attributes import OTHER, Attribute
from biaslab.probes.rating.reading import reader
from biaslab.records.record import Record
from biaslab.records.wording import article
from biaslab.stats.reproducibility import order

_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Mention(Record):
    """One sentence of a text.

    Attributes
    ----------
    value : str
        Of the attribute.
    term : str
        The occupation, or another topic of the sentence.
    spans : tuple of (int, int)
        Positions of the words for the value, as characters of the text.
    """

    value: str
    term: str
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Text(Record):
    """One text that a service is given, with its mentions in order."""

    text: str
    mentions: tuple[Mention, ...]


@dataclass(frozen=True)
class Distribution(Record):
    """Shares of the attribute's values, under a name.

    Attributes
    ----------
    name : str
        Such as ``50/50``.
    kind : str
        ``unbiased`` or ``biased``.
    shares : tuple of float
        Of each value, ``Other`` last; each from 0 to 1, together 1.

    Raises
    ------
    RatingError
        If they are not shares, or do not sum to 1.
    """

    name: str
    kind: str
    shares: tuple[float, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind not in ("unbiased", "biased"):
            raise RatingError(f"{self.name}: a distribution must be 'unbiased' or 'biased'.")
        if not all(math.isfinite(share) and 0 <= share <= 1 for share in self.shares):
            raise RatingError(
                f"{self.name}: {_listed(self.shares)}. Each share must be from 0 to 1."
            )
        if abs(math.fsum(self.shares) - 1) > _TOLERANCE:
            raise RatingError(
                f"{self.name}: the shares {_listed(self.shares)} sum to "
                f"{math.fsum(self.shares):.6g}. They must sum to 1."
            )

    def counts(self, mentions: int) -> NDArray[np.int64]:
        """Return the numbers of mentions nearest to the shares, by largest remainders."""
        exact = np.asarray(self.shares) * mentions
        counts = np.floor(exact + 1e-9).astype(np.int64)
        # Ties go to the earlier value.
        for i in order(exact - counts, descending=True, rounding=1e-9)[: mentions - counts.sum()]:
            counts[i] += 1
        return counts


@dataclass(frozen=True)
class Template(Record):
    """How a sentence is made.

    Attributes
    ----------
    name : str
        Of the template.
    sentences : tuple of str
        Patterns, taken in turn, with ``{term}`` or ``{a_term}`` (with its article) and slots of the
        attribute: ``{Subject}``, ``{subject}``, ``{object}``, ``{possessive}``, ``{reflexive}``,
        ``{is}`` and ``{s}`` (the verb's ending) of gender, ``{value}`` of words. One mention each.
    language : str
        Language of the texts.
    """

    name: str
    sentences: tuple[str, ...]
    language: str = "en"


#: Templates by attribute; the first is the default, for gender the paper's.
TEMPLATES: dict[str, tuple[Template, ...]] = {
    "gender": (
        Template("is a", ("{Subject} {is} {a_term}.",)),
        Template("works as", ("{Subject} work{s} as {a_term} and like{s} {possessive} job.",)),
        Template("known as", ("The neighbours know {object} as {a_term}.",)),
        Template(
            "mixed",
            (
                "{Subject} {is} {a_term}.",
                "The neighbours know {object} as {a_term}.",
                "{Subject} taught {reflexive} to be {a_term}.",
            ),
        ),
    ),
    "place of worship": (
        Template("goes to", ("The {term} goes to the {value}.",)),
        Template("near", ("The {term} lives near the {value} and works in the town.",)),
    ),
}


@dataclass(frozen=True)
class Block(Record):
    """Texts whose mentions follow one distribution.

    Attributes
    ----------
    distribution : Distribution
        That it follows.
    repetition : int
        From 0; repetitions of a block have other terms.
    texts : tuple of Text
        In order.
    """

    distribution: Distribution
    repetition: int
    texts: tuple[Text, ...]

    @property
    def mentions(self) -> int:
        """Mentions in all its texts."""
        return sum(len(text.mentions) for text in self.texts)


def codes(
    distribution: Distribution, texts: int, per_text: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return values of a block's mentions as numbers, (texts, per_text), shuffled."""
    counts = distribution.counts(texts * per_text)
    # Only the last mentions in this order change with the distribution.
    order = rng.permutation(texts * per_text)
    values = np.empty(texts * per_text, np.int64)
    values[order] = np.repeat(np.arange(len(counts)), counts)
    return values.reshape(texts, per_text)


def drawn_terms(terms: int, mentions: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return numbers of terms, equally often up to one, in random order."""
    rounds = -(-mentions // terms)
    return np.concatenate([rng.permutation(terms) for _ in range(rounds)])[:mentions]


class Writer:
    """Writes texts: a template with the values and terms of a block.

    Raises
    ------
    RatingError
        If the template names a slot that the attribute does not have, or if the rules that read
        answers do not recover the values from its own sentences.
    """

    def __init__(self, attribute: Attribute, template: Template, terms: Sequence[str]) -> None:
        self.attribute, self.template, self.terms = attribute, template, tuple(terms)
        if template.language not in attribute.forms:
            raise RatingError(
                f"{attribute.name} has no forms in {template.language!r}; it has some in "
                f"{', '.join(attribute.forms)}."
            )
        self._forms = attribute.forms[template.language]
        self._reader = reader(attribute, template.language)
        self._memory: dict[tuple[int, int, int], tuple[str, tuple[tuple[int, int], ...]]] = {}

    def sentence(
        self, value: int, term: int, place: int
    ) -> tuple[str, tuple[tuple[int, int], ...]]:
        """Return a sentence, and the position of its value."""
        pattern = place % len(self.template.sentences)
        key = (value, term, pattern)
        if key not in self._memory:
            self._memory[key] = self._written(
                self.attribute.all_values[value], self.terms[term], self.template.sentences[pattern]
            )
        return self._memory[key]

    def _written(
        self, value: str, term: str, pattern: str
    ) -> tuple[str, tuple[tuple[int, int], ...]]:
        if value not in self._forms:
            raise RatingError(
                f"A distribution gives {value} a share, but {self.attribute.name} has no word for"
                f" it. Add a word, or set the share of {value} to 0."
            )
        slots = {**self._forms[value], "term": term, "a_term": f"{article(term)} {term}"}
        try:
            text = pattern.format(**slots)
        except (KeyError, IndexError, ValueError) as error:
            raise RatingError(
                f"The template {pattern!r} cannot be filled ({error}). Slots here are "
                f"{', '.join(f'{{{name}}}' for name in slots)}."
            ) from None
        mention = self._reader.read(text, 1)[0]
        if mention.value != value:
            raise RatingError(
                f"{text!r} should mean {value}, but the rules read "
                f"{mention.value or mention.reason}. Change the template or the term."
            )
        return text, mention.spans

    def text(self, values: Sequence[int], terms: Sequence[int], first: int = 0) -> Text:
        """Return one text, its sentences separated by a space."""
        parts: list[str] = []
        mentions: list[Mention] = []
        at = 0
        for place, (value, term) in enumerate(zip(values, terms, strict=True)):
            sentence, spans = self.sentence(int(value), int(term), first + place)
            moved = tuple((a + at, b + at) for a, b in spans)
            mentions.append(
                Mention(self.attribute.all_values[int(value)], self.terms[int(term)], moved)
            )
            parts.append(sentence)
            at += len(sentence) + 1
        return Text(" ".join(parts), tuple(mentions))

    def plain(self, values: NDArray[np.int64], terms: NDArray[np.int64]) -> list[str]:
        """Return texts without their mentions; arguments (texts, per_text)."""
        per_text = values.shape[1]
        written = [
            self.sentence(value, term, place)[0]
            for place, (value, term) in enumerate(
                zip(values.ravel().tolist(), terms.ravel().tolist(), strict=True)
            )
        ]
        return [" ".join(written[i : i + per_text]) for i in range(0, len(written), per_text)]


def distributions_of(
    attribute: Attribute, requested: Mapping[str, Sequence[float] | Mapping[str, float]], kind: str
) -> tuple[Distribution, ...]:
    """Return distributions from mappings or sequences of shares.

    Raises `RatingError` if one names an unknown value, has another number of shares, or does not
    sum to 1.
    """
    distributions = []
    for name, shares in requested.items():
        if isinstance(shares, Mapping):
            if unknown := [value for value in shares if value not in attribute.all_values]:
                raise RatingError(
                    f"{name}: {attribute.name} has no value {unknown[0]!r}; it has "
                    f"{', '.join(attribute.all_values)}."
                )
            values = _numbers(name, [shares.get(value, 0.0) for value in attribute.all_values])
        else:
            values = _numbers(name, shares)
            if len(values) == len(attribute.values):
                values = (*values, 0.0)
        if len(values) != len(attribute.all_values):
            raise RatingError(
                f"{name}: {len(values)} shares for {', '.join(attribute.all_values)}. Give one "
                f"for each ({OTHER} may be left out)."
            )
        distributions.append(Distribution(name, kind, values))
    return tuple(distributions)


def _numbers(name: str, shares: Sequence[object]) -> tuple[float, ...]:
    if isinstance(shares, str) or not isinstance(shares, Iterable):
        raise RatingError(
            f"{name}: {shares!r} is not a list of shares. Give numbers, such as (0.5, 0.5)."
        )
    values = list(shares)
    for share in values:
        if isinstance(share, bool) or not isinstance(share, numbers.Real):
            raise RatingError(
                f"{name}: {share!r} is not a share. Give numbers, such as (0.5, 0.5)."
            )
    return tuple(float(share) for share in values)  # type: ignore[arg-type]


def _listed(shares: Sequence[float]) -> str:
    return "/".join(f"{share:.6g}" for share in shares)
