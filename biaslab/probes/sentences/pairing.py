"""Make pairs from sentences: check, locate, and swap each into its other version."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from biaslab.arguments import names as chosen
from biaslab.errors import SentenceError
from biaslab.probes.sentences.checks import Vocabulary, check
from biaslab.probes.sentences.pairs import (
    PAIRINGS,
    Located,
    PairSet,
    RejectedSentence,
    SentencePair,
    TestSentence,
)
from biaslab.probes.sentences.swap import is_quoted, swap, swap_word
from biaslab.probes.sentences.terms import Group, counterpart, kind_of
from biaslab.specs.spec import Spec


def vocabulary(spec: Spec, groups: Sequence[str] | None = None) -> Vocabulary:
    """Return two groups of a spec and its attribute lists.

    - `groups`: names of two groups; by default the spec's first two.
    - Raises `SentenceError` if the spec has fewer than two groups, or no attribute list;
      `SpecError` if these are not two different groups of it.
    """
    if len(spec.groups) < 2 or not spec.attributes:
        raise SentenceError(
            f"Sentences need two groups and their attributes; the spec {spec.name!r} has "
            f"{len(spec.groups)} groups and {len(spec.attributes)} attribute lists. Complete the"
            " spec, or choose another."
        )
    names = chosen(groups, "groups") or tuple(spec.groups)[:2]
    cut = spec.two_groups(*names)
    first, second = (Group.of(name, cut.groups[name]) for name in names)
    stereotype_of = {
        name: next(group for group in names if group in cut.attribute_groups[name])
        for name in cut.attributes
        if len(set(cut.attribute_groups.get(name, ())) & set(names)) == 1
    }
    return Vocabulary((first, second), dict(cut.attributes), stereotype_of)


def make_pairs(
    sentences: Iterable[TestSentence | str],
    spec: Spec,
    *,
    groups: Sequence[str] | None = None,
    pairing: str = "group",
    source: str = "",
) -> PairSet:
    """Return pairs from sentences, and rejected sentences with reasons.

    - `sentences`: the sentences; group term and attribute are searched for if they are not named.
    - `spec`: groups and attribute lists.
    - `groups`: two of the spec's groups; by default its first two.
    - `pairing`, {"group", "attribute"}: kind of term swapped: the group's term (BiasTestGPT's
      tool), or the attribute for the one at its place in the other group's list (its paper, section
      2).
    - `source`: their source, for the set.
    - Raises `SentenceError` if the pairing is unknown, or the spec does not have two groups and an
      attribute list.
    """
    if pairing not in PAIRINGS:
        raise SentenceError(f"The pairing must be 'group' or 'attribute'; got {pairing!r}.")
    words = vocabulary(spec, groups)
    pairs: list[SentencePair] = []
    rejected: list[RejectedSentence] = []
    first_ids: dict[tuple[str, ...], str] = {}
    for sentence in sentences:
        located = check(sentence, words)
        pair = _paired(located, words, pairing) if isinstance(located, Located) else located
        if isinstance(pair, RejectedSentence):
            rejected.append(pair)
            continue
        key = same_pair_key(pair)
        if key in first_ids:
            reason = (
                f"It makes the same pair as {first_ids[key]!r}. Change its words, or remove it."
            )
            rejected.append(_rejected(pair, "duplicate", reason))
            continue
        first_ids[key] = located.text
        pairs.append(pair)
    return PairSet(tuple(pairs), tuple(rejected), source, spec.name)


def same_pair_key(pair: SentencePair) -> tuple[str, ...]:
    """Return a key shared by equal pairs, without case, spaces and final mark."""
    return tuple(sorted(_normal(version) for version in pair.versions))


def _paired(located: Located, words: Vocabulary, pairing: str) -> SentencePair | RejectedSentence:
    favoured = words.stereotype_of.get(located.attribute_list)
    if favoured is None:
        return RejectedSentence(
            located.text,
            "no-stereotype",
            f"The attribute list {located.attribute_list!r} is the stereotype of neither group, or"
            " of both, so neither version is the stereotyped one. Say in the spec's"
            " 'attribute_groups' which group it belongs to.",
            located.attribute,
            located.term,
            located.source,
        )
    make = _group_pair if pairing == "group" else _attribute_pair
    return make(located, words, favoured)


def _group_pair(located: Located, words: Vocabulary, favoured: str) -> SentencePair:
    group = next(g for g in words.groups if g.name == located.group)
    other = words.other(group)
    term = group.term(located.term)
    becomes = counterpart(term, group, other)
    if located.other and located.other.lower() in {t.text.lower() for t in other.terms}:
        becomes = other.term(located.other)
    swapped = swap(located.text, located.term_span, term, becomes)
    versions = ((located.text, group.name), (swapped.text, other.name))
    order = (0, 1) if group.name == favoured else (1, 0)
    return SentencePair(
        stereotyped=versions[order[0]][0],
        against=versions[order[1]][0],
        attribute=located.attribute,
        attribute_list=located.attribute_list,
        groups=(versions[order[0]][1], versions[order[1]][1]),
        terms=(swapped.terms[order[0]], swapped.terms[order[1]]),
        references=(swapped.references[order[0]], swapped.references[order[1]]),
        source=located.source,
        remark=" ".join(filter(None, (located.remark, swapped.remark))),
    )


def _attribute_pair(
    located: Located, words: Vocabulary, favoured: str
) -> SentencePair | RejectedSentence:
    new, opposite = words.opposite(located.attribute)
    if new is None:
        return RejectedSentence(
            located.text,
            "no-stereotype",
            "No attribute list is the stereotype of the other group, so there is no attribute to"
            f" swap {located.attribute!r} for. Add one to the spec, or swap the group.",
            located.attribute,
            located.term,
            located.source,
        )
    remark = located.remark
    quoted = is_quoted(located.text, located.attribute_span)
    if not quoted and kind_of(new) != kind_of(located.attribute):
        remark = (
            f"{remark} {located.attribute!r} and {new!r} are different kinds of words: check how "
            "the other version reads."
        ).strip()
    swapped = swap_word(located.text, located.attribute_span, new)
    stays = located.group == favoured
    versions = (located.text, swapped.text) if stays else (swapped.text, located.text)
    spans = swapped.terms if stays else (swapped.terms[1], swapped.terms[0])
    return SentencePair(
        stereotyped=versions[0],
        against=versions[1],
        attribute=located.attribute if stays else new,
        attribute_list=located.attribute_list if stays else opposite,
        groups=(located.group, located.group),
        terms=spans,
        source=located.source,
        pairing="attribute",
        remark=remark,
    )


def _normal(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().casefold().rstrip(".!")


def _rejected(pair: SentencePair, code: str, reason: str) -> RejectedSentence:
    term = pair.term_texts()[0] or ""
    return RejectedSentence(pair.stereotyped, code, reason, pair.attribute, term, pair.source)
