"""Sentences from templates: no key, no network, for any spec.

A template marks with its slots how a group's term is used:

======== ============================ ================================
slot     with *man*, *Amy*, *Black*   pronouns that fit
======== ============================ ================================
``{S}``  the man, Amy, the Black ...  he, she
``{O}``  the same                     him, her
``{P}``  the man's, Amy's             his, her (before a noun)
``{H}``  the same                     his, hers (alone)
``{T}``  the term itself              things, and terms only mentioned
======== ============================ ================================

``{A}`` is the attribute; a or an before it is put right; ``{his}`` and ``{himself}`` agree with the
person. Which templates fit an attribute depends on the kind of word that it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from biaslab.probes.sentences.checks import Vocabulary, check
from biaslab.probes.sentences.pairing import vocabulary
from biaslab.probes.sentences.pairs import Located, TestSentence
from biaslab.probes.sentences.terms import Group, Kind, Term, kind_of, shipped, term_pairs
from biaslab.probes.sentences.words import FORMS, KINSHIP, Case, cases_of
from biaslab.records.wording import article
from biaslab.specs.spec import Spec

PER_ATTRIBUTE = 12
"""Default number of sentences per attribute."""

_HEADS = ("student", "neighbour", "colleague", "visitor")
_SLOT_CASES = {"S": Case.SUBJECT, "O": Case.OBJECT, "P": Case.DETERMINER, "H": Case.POSSESSIVE}
_SLOT = re.compile(r"\{(S|O|P|H|T)\}")
_AGREES = re.compile(r"\{(his|himself)\}")
_KIND_FOR_THINGS = {
    "topic": "mass", "skill": "mass", "habit": "mass", "trait": "adjective", "work": "count",
    "role": "count", "occupation": "count",
}  # fmt: skip


def template_sentences(
    spec: Spec,
    *,
    groups: Sequence[str] | None = None,
    attributes: Sequence[str] | None = None,
    per_attribute: int = PER_ATTRIBUTE,
    pairing: str = "group",
    source: str = "templates",
) -> tuple[TestSentence, ...]:
    """Return sentences from the templates, terms of both groups in turn.

    - `spec`: groups and attribute lists.
    - `groups`: two of its groups; by default the first two.
    - `attributes`: only these; by default all of the spec that are a stereotype of one of the two
      groups.
    - `per_attribute`: largest number of sentences per attribute; fewer if templates and terms allow
      no more.
    - `pairing`, {"group", "attribute"}: kind of term to be swapped: a template must then fit both
      attributes.
    - `source`: source recorded in the sentences.
    - Raises `SentenceError` if the spec does not have two groups and an attribute list.
    """
    words = vocabulary(spec, groups)
    if attributes is None:
        attributes = tuple(
            dict.fromkeys(a for name in words.stereotype_of for a in words.attributes[name])
        )
    sentences: list[TestSentence] = []
    counts: Counter[str] = Counter()
    met: set[tuple[str, str, frozenset[str]]] = set()
    for number, attribute in enumerate(attributes):
        opposite = words.opposite(attribute)[0] if pairing == "attribute" else None
        templates = templates_for(attribute, *words.groups, opposite)
        for template, sentence in _sentences(
            words, attribute, templates, number * per_attribute, source
        ):
            both = frozenset((attribute.lower(), (opposite or "").lower()))
            if opposite is not None and (template, sentence.term, both) in met:
                continue  # it is the other version of an earlier sentence
            met.add((template, sentence.term, both))
            sentences.append(sentence)
            counts[attribute] += 1
            if counts[attribute] == per_attribute:
                break
    return tuple(sentences)


def templates_for(
    attribute: str, first: Group, second: Group, opposite: str | None = None
) -> tuple[str, ...]:
    """Return the templates that fit an attribute and the two groups' terms.

    - `opposite`: another attribute that must fit the same templates, as it replaces the first.
    """
    family = _family(first, second)
    kind = kind_of(attribute)
    if opposite is not None:
        kind = kind if kind == kind_of(opposite) else "any"
        by_kind = shipped(family)
        return tuple(by_kind.get(_KIND_FOR_THINGS.get(kind, kind) if family != "person" else kind,
                                 by_kind["any"]))  # fmt: skip
    data = shipped("attributes")
    specific = data["own"].get(family, {}).get(attribute, [])
    only = data["only_own"].get(family, {}).get("attributes", [])
    by_kind = shipped(family)
    if specific and (attribute in only or kind not in by_kind or kind == "any"):
        return tuple(specific)
    if family != "person":
        kind = _KIND_FOR_THINGS.get(kind, kind)
    return (*specific, *by_kind.get(kind, by_kind["any"]))


def _sentences(
    words: Vocabulary, attribute: str, templates: Sequence[str], offset: int, source: str
) -> Iterator[tuple[str, TestSentence]]:
    pairs = term_pairs(*words.groups)
    count = 0
    for shift in range(len(pairs)):
        for index, template in enumerate(templates):
            pair = pairs[(offset + index + shift) % len(pairs)]
            term, other = pair if count % 2 == 0 else (pair[1], pair[0])
            text = _filled(template, term, other, attribute, _HEADS[index % len(_HEADS)])
            if text is None:
                continue
            sentence = TestSentence(text, term.text, attribute, source, other.text)
            # A template that contains a word of the user's own lists does not fit the spec.
            if isinstance(check(sentence, words), Located):
                count += 1
                yield template, sentence


def _filled(template: str, term: Term, other: Term, attribute: str, head: str) -> str | None:
    """Return the sentence, or None if the term does not fit the template."""
    slot = _SLOT.search(template)
    phrase = _phrase(term, slot.group(1), head) if slot else None
    if slot is None or phrase is None or _phrase(other, slot.group(1), head) is None:
        return None
    if _AGREES.search(template):
        if term.gender is None or other.gender is None or term.is_plural or other.is_plural:
            return None
        forms = FORMS[term.gender]
        template = template.replace("{his}", forms[Case.DETERMINER])
        template = template.replace("{himself}", forms[Case.REFLEXIVE])
    if (term.is_plural or other.is_plural) and _needs_singular(template):
        return None
    slot = _SLOT.search(template)
    assert slot is not None  # noqa: S101  # inserted words contain no slot
    text = template[: slot.start()] + phrase + template[slot.end() :]
    text = re.sub(
        r"\b([Aa])n? \{A\}",
        lambda m: (
            (article(attribute).capitalize() if m.group(1) == "A" else article(attribute)) + " {A}"
        ),
        text,
    )
    text = text.replace("{A}", attribute)
    return text[:1].upper() + text[1:]


def _phrase(term: Term, slot: str, head: str) -> str | None:
    if slot == "T":
        return term.text
    if term.kind is Kind.PRONOUN:
        return term.text if _SLOT_CASES[slot] in cases_of(term.text) else None
    if term.kind is Kind.NAME:
        phrase = term.text
    elif term.kind is Kind.ADJECTIVE:
        phrase = f"the {term.text} {head}"
    else:
        phrase = f"{'my' if term.text.lower() in KINSHIP else 'the'} {term.text}"
    if slot in {"P", "H"}:
        phrase += "'" if term.is_plural and phrase.endswith("s") else "'s"
    return phrase


def _needs_singular(template: str) -> bool:
    return bool(re.search(r"\{S\} (?:was|is|has|does)\b|\b[Aa]n? \{A\}", template))


def _family(first: Group, second: Group) -> str:
    kinds = [{term.kind for term in group.terms} for group in (first, second)]
    if Kind.THING not in kinds[0] | kinds[1]:
        return "person"
    return "thing" if kinds[0] == kinds[1] == {Kind.THING} else "mention"
