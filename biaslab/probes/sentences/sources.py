"""Sentences of a probe: given, stored, shipped with the package, or from templates.

Starter sentences are our own templates filled with the terms of BiasTestGPT's predefined specs,
always the same; nothing is taken from another data set. A search for saved sentences therefore
finds some from the start.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import cache
from typing import TypeAlias

from biaslab.arguments import instance, listed
from biaslab.errors import QueryError, SentenceError
from biaslab.frames import FrameSet
from biaslab.probes.sentences.agreeing import frame_pairs
from biaslab.probes.sentences.pairing import make_pairs, vocabulary
from biaslab.probes.sentences.pairs import (
    PAIRINGS,
    PairSet,
    RejectedSentence,
    SentencePair,
    TestSentence,
)
from biaslab.probes.sentences.templates import PER_ATTRIBUTE, template_sentences
from biaslab.specs.spec import Spec
from biaslab.store import KeptSentence, Store


def keep_sentences(sentences: Iterable[TestSentence], *, store: Store | None = None) -> int:
    """Store sentences; known ones are left unchanged.

    - `sentences`: each with its group term and attribute named, by which it is found again.
    - `store`: by default the person's own.
    - Returns: how many were not known before.
    - Raises `SentenceError` if a sentence names no group term or no attribute; then none is stored.
    """
    rows = []
    for sentence in sentences:
        if not (sentence.term and sentence.attribute):
            raise SentenceError(
                f"{sentence.text!r} has no group term or no attribute, by which it is found again."
                " Name both. Nothing was stored."
            )
        document = json.dumps(asdict(sentence), ensure_ascii=False)
        content = json.dumps([sentence.text, sentence.term.lower(), sentence.attribute.lower()])
        rows.append(
            KeptSentence(
                hashlib.sha256(content.encode()).hexdigest(),
                sentence.term.lower(),
                sentence.attribute.lower(),
                document,
            )
        )
    return (store or Store()).keep_sentences(rows)


def kept_sentences(
    terms: Iterable[str], attributes: Iterable[str], *, store: Store | None = None
) -> tuple[TestSentence, ...]:
    """Return stored sentences with one of these terms and attributes, in any case."""
    rows = (store or Store()).kept_sentences(
        [term.lower() for term in terms], [attribute.lower() for attribute in attributes]
    )
    return tuple(TestSentence(**json.loads(row.document)) for row in rows)


PREFIX = "biastest-"
"""How the names of the predefined specs begin."""


def has_starter(spec: Spec) -> bool:
    """Return whether the package ships starter sentences for this spec."""
    return spec.name in starter_specs()


@cache
def starter_specs() -> tuple[str, ...]:
    """Return names of the specs with starter sentences."""
    from biaslab.specs.catalogue_files import PREDEFINED, entries

    return tuple(
        entry.name
        for entry in entries()
        if entry.where == PREDEFINED and entry.name.startswith(PREFIX)
    )


def starter_sentences(name: str, *, per_attribute: int = PER_ATTRIBUTE) -> tuple[TestSentence, ...]:
    """Return the starter sentences of a predefined spec.

    - `name`: the spec's name, such as ``"biastest-math-arts"``.
    - `per_attribute`: sentences per attribute at most.
    - Raises `SpecError` if there is no such spec.
    """
    from biaslab import specs

    return template_sentences(specs.get(name), per_attribute=per_attribute, source="starter")


def find_starter(terms: Iterable[str], attributes: Iterable[str]) -> tuple[TestSentence, ...]:
    """Return starter sentences with one of these terms and one of these attributes."""
    from biaslab import specs

    requested = {term.lower() for term in terms}, {attribute.lower() for attribute in attributes}
    matches: dict[TestSentence, None] = {}
    for name in starter_specs():
        spec = specs.get(name)
        known = [
            {word.lower() for words in lists.values() for word in words}
            for lists in (spec.groups, spec.attributes)
        ]
        if not (known[0] & requested[0] and known[1] & requested[1]):
            continue
        for sentence in _of(name):
            if sentence.term.lower() in requested[0] and sentence.attribute.lower() in requested[1]:
                matches[sentence] = None
    return tuple(matches)


@cache
def _of(name: str) -> tuple[TestSentence, ...]:
    return starter_sentences(name)


def default_pairs(
    spec: Spec,
    *,
    groups: Sequence[str] | None = None,
    pairing: str = "group",
    per_attribute: int = PER_ATTRIBUTE,
) -> PairSet:
    """Return pairs from the templates, or a predefined spec's starter sentences.

    Attributes of lists that are the stereotype of neither group have no pairs; each is among the
    rejected with the reason.

    Raises `SentenceError` if the spec does not have two groups and an attribute list.
    """
    source = "starter" if has_starter(spec) else "templates"
    sentences = template_sentences(
        spec, groups=groups, per_attribute=per_attribute, pairing=pairing, source=source
    )
    pair_set = make_pairs(sentences, spec, groups=groups, pairing=pairing, source=source)
    return PairSet(
        pair_set.pairs, (*pair_set.rejected, *_without_direction(spec, groups)), source, spec.name
    )


def saved_sentences(
    spec: Spec, *, groups: Sequence[str] | None = None, store: Store | None = None
) -> tuple[TestSentence, ...]:
    """Return stored and starter sentences by group term and attribute.

    - `spec`: spec with the terms and attributes to search for; sentences of any spec match.
    - `groups`: two of its groups; by default the first two.
    - `store`: by default the person's own.
    """
    words = vocabulary(spec, groups)
    terms = [term.text for group in words.groups for term in group.terms]
    attributes = words.all_attributes
    stored = kept_sentences(terms, attributes, store=store)
    texts = {sentence.text for sentence in stored}
    starter = [s for s in find_starter(terms, attributes) if s.text not in texts]
    return (*stored, *starter)


def _without_direction(spec: Spec, groups: Sequence[str] | None) -> tuple[RejectedSentence, ...]:
    words = vocabulary(spec, groups)
    return tuple(
        RejectedSentence(
            "",
            "no-stereotype",
            f"No sentence was made for {attribute!r}: its list {name!r} is the stereotype of "
            "neither group, or of both.",
            attribute,
            source=f"attributes.{name}",
        )
        for name, attributes in words.attributes.items()
        if name not in words.stereotype_of
        for attribute in dict.fromkeys(attributes)
    )


Sentences: TypeAlias = (
    PairSet
    | FrameSet
    | Sequence[SentencePair]
    | Sequence[TestSentence | str]
    | str
    | os.PathLike[str]
)


def resolve_pairs(
    spec: Spec | None,
    sentences: Sentences | None,
    pairing: str | None = None,
    groups: Sequence[str] | None = None,
) -> PairSet:
    """Return the pairs to score.

    - `spec`: groups and attribute lists: needed to make pairs.
    - `sentences`: pairs, or frames of a language, or sentences to make pairs of, or a file; by
      default the package's templates.
    - `pairing`, {"group", "attribute"}: kind of term swapped; by default the group's term, or that
      of given pairs.
    - `groups`: two of the spec's groups; by default its first two.
    - Raises `QueryError` if neither a spec nor sentences are given, or pairs have another pairing;
      `SentenceError` if a file cannot be read; `ValueError` if there is no such pairing.
    """
    if pairing is not None and pairing not in PAIRINGS:
        raise ValueError(f"pairing is {pairing!r}: choose one of {', '.join(PAIRINGS)}.")
    if isinstance(sentences, PairSet):
        pairs = sentences
    elif isinstance(sentences, FrameSet):
        if spec is not None:
            raise QueryError(
                f"The frames {sentences.name!r} have their own cues and items. Leave out spec."
            )
        pairs = frame_pairs(sentences)
    elif isinstance(sentences, str | os.PathLike):
        from biaslab.probes.sentences.exchange import read_pairs

        pairs = read_pairs(sentences, spec=spec, groups=groups, pairing=pairing or PAIRINGS[0])
    elif sentences is not None:
        pairs = _paired(sentences, spec, pairing, groups)
    elif spec is None:
        raise QueryError(
            "There is nothing to score. Give a spec, such as 'biastest-math-arts', or sentences."
        )
    else:
        return default_pairs(spec, groups=groups, pairing=pairing or PAIRINGS[0])
    kinds = sorted({pair.pairing for pair in pairs})
    if len(kinds) > 1:
        raise QueryError("Some pairs swap the group, others the attribute. Score them in two runs.")
    if pairing is not None and kinds and kinds != [pairing]:
        raise QueryError(
            f"These pairs swap the {kinds[0]}, but pairing is {pairing!r}. Leave out pairing, or"
            " give pairs that match it."
        )
    return pairs


def _paired(
    sentences: Sequence[SentencePair] | Sequence[TestSentence | str],
    spec: Spec | None,
    pairing: str | None,
    groups: Sequence[str] | None,
) -> PairSet:
    values = listed(sentences, "sentences", "['She is good at maths.']")
    for value in values:
        instance(value, (SentencePair, TestSentence, str), "One of the sentences", "Pass text.")
    ready = [value for value in values if isinstance(value, SentencePair)]
    if len(ready) == len(values):
        return PairSet(tuple(ready), source="given")
    loose = [value for value in values if not isinstance(value, SentencePair)]
    if ready:
        raise QueryError(
            "Some of these are pairs and some are single sentences. Give only one kind."
        )
    if spec is None:
        raise QueryError(
            "Single sentences need a spec, whose groups and attributes turn them into pairs. Give"
            " spec=, such as 'biastest-math-arts'."
        )
    from biaslab.probes.sentences.pairing import make_pairs

    return make_pairs(loose, spec, groups=groups, pairing=pairing or PAIRINGS[0], source="given")
