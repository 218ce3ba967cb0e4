"""Experiment design: the texts, the languages they pass through, and the cost.

A module of the paper's Fig. 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab import specs
from biaslab.asking.languages import language_code
from biaslab.errors import RatingError, SpecFieldError
from biaslab.probes.rating.attributes import Attribute
from biaslab.probes.rating.attributes import attribute as predefined
from biaslab.probes.rating.data_generator import (
    TEMPLATES,
    Block,
    Distribution,
    Template,
    Writer,
    codes,
    distributions_of,
    drawn_terms,
)
from biaslab.records.calls import recorded_classmethod
from biaslab.records.record import Record

#: Middle languages of the paper, section 4.1.
PAPER_LANGUAGES = ("ar", "fr", "hi", "it", "pt", "ru", "es", "tr")

MOST_MENTIONS = 1_000_000
"""Sentences of a design, whose draws are in memory together."""

Shares = Mapping[str, Sequence[float] | Mapping[str, float]]


@dataclass(frozen=True)
class RatingDesign(Record):
    """Texts and languages of a rating, made by `RatingDesign.make`.

    Attributes
    ----------
    attribute : Attribute
        Attribute of the rating.
    distributions : tuple of Distribution
        Unbiased and biased ones, one block each (and as many repetitions).
    texts : int
        Texts of a block.
    repetitions : int
        Blocks of each distribution, with other terms; they count as one larger block.
    sentences : int
        Mentions of a text.
    middles : tuple of str
        Middle languages for translators; empty for a service without translation.
    template : Template
        How sentences are made.
    terms : tuple of str
        Occupations, or other topics of the sentences.
    source : str
        Language of the texts and of the answers.
    seed : int
        Of terms and of the order of mentions.
    """

    attribute: Attribute
    distributions: tuple[Distribution, ...]
    texts: int
    repetitions: int
    sentences: int
    middles: tuple[str, ...]
    template: Template
    terms: tuple[str, ...]
    source: str
    seed: int

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("texts", "repetitions", "sentences"):
            number: object = getattr(self, name)
            if isinstance(number, bool) or not isinstance(number, int):
                raise RatingError(f"{name}={number!r}: give a whole number.")
            if number < 1:
                raise RatingError(f"{name}={number}: a design needs at least one.")
        mentions = len(self.distributions) * self.repetitions * self.texts * self.sentences
        if mentions > MOST_MENTIONS:
            raise RatingError(
                f"This design has {mentions:,} sentences; at most {MOST_MENTIONS:,} are sent. Ask"
                " for fewer texts, repetitions or distributions."
            )
        kinds = {d.kind for d in self.distributions}
        if kinds != {"unbiased", "biased"}:
            raise RatingError("Give at least one unbiased and one biased distribution.")
        names = [d.name for d in self.distributions]
        if len(set(names)) < len(names):
            raise RatingError("Two distributions have the same name. Rename one.")
        width = len(self.attribute.all_values)
        for distribution in self.distributions:
            if len(distribution.shares) != width:
                raise RatingError(
                    f"{distribution.name}: {len(distribution.shares)} shares for the {width} "
                    f"values {', '.join(self.attribute.all_values)}."
                )
        if not self.terms:
            raise RatingError("Give at least one term for the sentences to be about.")

    @classmethod
    @recorded_classmethod
    def make(
        cls,
        attribute: str | Attribute = "gender",
        *,
        unbiased: Shares | None = None,
        biased: Shares | None = None,
        texts: int = 20,
        repetitions: int = 1,
        sentences: int | None = None,
        middles: Sequence[str] = (),
        template: str | Template | None = None,
        terms: Sequence[str] | None = None,
        source: str = "en",
        seed: int = 0,
    ) -> RatingDesign:
        """Make a design; arguments left out follow Srivastava and Rossi (2018), section 4.

        Parameters
        ----------
        attribute : str or Attribute
            ``"gender"``, ``"place of worship"`` or one of your own.
        unbiased, biased : mapping of str to shares
            Name to shares, as a mapping of value to share or in the order of the values (``Other``
            may be left out). By default equal shares, and for each value one with nine
            tenths.
        texts, repetitions : int
            Texts of a block, and blocks of each distribution.
        sentences : int, optional
            Mentions of a text; by default the number of values with a share somewhere
            (footnote 1 of the paper).
        middles : sequence of str
            Middle languages, ISO 639-1 or 639-3.
        template : str or Template, optional
            Name of one of `TEMPLATES`, or one of your own.
        terms : sequence of str, optional
            By default the catalogue's occupations.
        source : str
            Language of the texts.
        seed : int
            Makes the texts reproducible.

        Raises
        ------
        RatingError
            If the distributions are no distributions, or a template cannot be filled.
        """
        for name, entries in (("middles", middles), ("terms", terms)):
            if isinstance(entries, str):
                raise RatingError(f"{name}={entries!r}: give a list, such as [{entries!r}].")
        of = predefined(attribute) if isinstance(attribute, str) else attribute
        plain_unbiased, plain_biased = _usual(of)
        distributions = (
            *distributions_of(of, plain_unbiased if unbiased is None else unbiased, "unbiased"),
            *distributions_of(of, plain_biased if biased is None else biased, "biased"),
        )
        shares = np.array([d.shares for d in distributions]) if distributions else np.zeros((1, 1))
        design = cls(
            attribute=of,
            distributions=distributions,
            texts=texts,
            repetitions=repetitions,
            sentences=int((shares > 0).any(0).sum()) if sentences is None else sentences,
            middles=tuple(dict.fromkeys(language_code(language) for language in middles)),
            template=_template(of, template),
            terms=specs.get("occupations").items if terms is None else tuple(terms),
            source=language_code(source),
            seed=seed,
        )
        design.writer  # noqa: B018 - raises errors of the template early
        return design

    @classmethod
    @recorded_classmethod
    def paper(cls, *, seed: int = 0, **changes: Any) -> RatingDesign:
        """Make the design of Srivastava and Rossi (2018), section 4.

        It has eight middle languages and 1 + 2 blocks of 20 texts.

        Parameters
        ----------
        seed : int
            Makes the texts reproducible.
        **changes
            Arguments of `make` that differ.
        """
        settings = {"unbiased": {"50/50": (0.5, 0.5, 0.0)}, "middles": PAPER_LANGUAGES, **changes}
        settings.setdefault("biased", {"10/90": (0.1, 0.9, 0.0), "90/10": (0.9, 0.1, 0.0)})
        return cls.make("gender", seed=seed, **settings)

    @classmethod
    @recorded_classmethod
    def from_spec(cls, spec: str | specs.Spec, **changes: Any) -> RatingDesign:
        """Return a design with a spec's distributions, such as ``he-she-other``.

        Parameters
        ----------
        spec : str or Spec
            A spec with distributions; its groups are the values and the words that say them.
        **changes
            Arguments of `make` that differ.

        Raises
        ------
        RatingError
            If the spec has no distributions.
        """
        spec = specs.get(spec) if isinstance(spec, str) else spec
        if not spec.distributions:
            raise RatingError(f"The spec {spec.name!r} has no value distributions to rate with.")
        of = _attribute_of(spec)
        for kind in ("unbiased", "biased"):
            shares = {n: d.shares for n, d in spec.distributions.items() if d.kind == kind}
            changes.setdefault(kind, shares)
        return cls.make(of, **changes)

    @cached_property
    def writer(self) -> Writer:
        """The writer of its texts."""
        writer = Writer(self.attribute, self.template, self.terms)
        for value in np.flatnonzero(np.array([d.shares for d in self.distributions]).any(0)):
            for place in range(len(self.template.sentences)):
                writer.sentence(int(value), 0, place)
        return writer

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Its blocks: repetitions of the first distribution, then those of the second ..."""
        values, terms = self._draws()
        blocks = []
        for b, distribution in enumerate(self.distributions):
            for r in range(self.repetitions):
                rows = range(r * self.texts, (r + 1) * self.texts)
                texts = tuple(
                    self.writer.text(values[b, t], terms[b, t], t * self.sentences) for t in rows
                )
                blocks.append(Block(distribution, r, texts))
        return tuple(blocks)

    def _draws(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return draws of values and of terms, as numbers, both of shape (B, T, m).

        B distributions, T texts of all repetitions of one, m mentions of a text.
        """
        shape = (len(self.distributions), self.repetitions, self.texts, self.sentences)
        values, terms = np.empty(shape, np.int64), np.empty(shape, np.int64)
        for b, distribution in enumerate(self.distributions):
            for r in range(self.repetitions):
                rng = np.random.default_rng((self.seed, b, r))
                values[b, r] = codes(distribution, self.texts, self.sentences, rng)
                drawn = drawn_terms(len(self.terms), self.texts * self.sentences, rng)
                terms[b, r] = drawn.reshape(self.texts, self.sentences)
        merged = (shape[0], self.repetitions * self.texts, self.sentences)
        return values.reshape(merged), terms.reshape(merged)

    @property
    def all_texts(self) -> tuple[str, ...]:
        """Every text of every block, in order."""
        return tuple(text.text for block in self.blocks for text in block.texts)

    @property
    def mentions(self) -> int:
        """Mentions of a block, its repetitions together."""
        return self.texts * self.repetitions * self.sentences

    def with_texts(self, texts: int) -> RatingDesign:
        """Return the design with blocks of another size."""
        return replace(self, texts=texts)


def _usual(attribute: Attribute) -> tuple[Shares, Shares]:
    """Return equal shares; and nine tenths for each value in turn."""
    n = len(attribute.values)
    if attribute.name == "gender":
        return {"50/50": (0.5, 0.5)}, {"10/90": (0.1, 0.9), "90/10": (0.9, 0.1)}
    rest = 0.1 / (n - 1)
    return {"even": (1 / n,) * n}, {
        f"mostly {value}": tuple(0.9 if other == value else rest for other in attribute.values)
        for value in attribute.values
    }


def _template(attribute: Attribute, template: str | Template | None) -> Template:
    if isinstance(template, Template):
        return template
    known = TEMPLATES.get(attribute.name, ())
    if template is None:
        return known[0] if known else Template("is near", ("The {term} is near the {value}.",))
    for each in known:
        if each.name == template:
            return each
    raise RatingError(
        f"No template {template!r} for {attribute.name}; there are "
        f"{', '.join(repr(each.name) for each in known) or 'none'}. Give a Template."
    )


def _attribute_of(spec: specs.Spec) -> Attribute:
    for name in ("gender", "place of worship"):
        if set(predefined(name).values) == set(spec.groups):
            return predefined(name)
    if not spec.groups:
        raise SpecFieldError("groups", "are missing: they say which words stand for each value.")
    return Attribute.of_words(spec.name, spec.groups)
