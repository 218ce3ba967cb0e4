"""Whether a pair still fits the word lists after these have changed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from biaslab.probes.sentences.checks import Vocabulary
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.probes.sentences.words import GENDER_OF


@dataclass(frozen=True)
class Unfit:
    """Why a pair does not fit the lists."""

    code: str
    reason: str


def fitted(pair: SentencePair, words: Vocabulary) -> SentencePair | Unfit:
    """The pair as the lists have it now, or why it does not fit them.

    Where its list has become the stereotype of the other group, its versions change places; where
    a group or a list has another name, it takes that.
    """
    lists = words.lists_of(pair.attribute)
    if not lists:
        return Unfit(
            "unknown-attribute",
            f"{pair.attribute!r} is no longer in any attribute list. Put it back into one.",
        )
    held = pair.attribute_list if pair.attribute_list in lists else lists[0]
    favoured = words.stereotype_of.get(held)
    if favoured is None:
        return Unfit(
            "no-stereotype",
            f"The attribute list {held!r} is the stereotype of neither group, or of both. Say"
            " which group it is the stereotype of.",
        )
    if pair.pairing == "attribute":
        return _by_attribute(pair, words, held, favoured)
    sides = _sides(pair, words)
    for side, text in zip(sides, pair.term_texts(), strict=True):
        if side is None:
            return Unfit(
                "unknown-term",
                f"The group term {text!r} is no longer in either group. Put it back into one.",
            )
    if sides[0] == sides[1]:
        return Unfit("unknown-term", "Both of its terms now belong to the same group.")
    groups = (str(sides[0]), str(sides[1]))
    now = replace(pair, attribute_list=held, groups=groups)
    return now if groups[0] == favoured else _turned(now)


def _by_attribute(
    pair: SentencePair, words: Vocabulary, held: str, favoured: str
) -> SentencePair | Unfit:
    other = pair.term_texts()[1] or ""
    others = words.lists_of(other)
    if not others or words.stereotype_of.get(others[0]) in (None, favoured):
        return Unfit(
            "unknown-attribute",
            f"{other!r}, the attribute of the other version, is no longer in a list of the other"
            " group. Put it back into one.",
        )
    if favoured != pair.groups[0]:
        return Unfit(
            "no-stereotype",
            f"The attribute list {held!r} is no longer the stereotype of {pair.groups[0]!r}, which"
            " the sentence is about.",
        )
    return replace(pair, attribute_list=held)


def _sides(pair: SentencePair, words: Vocabulary) -> list[str | None]:
    """The group of either version; a pronoun that grammar has put there need not be listed."""
    texts = pair.term_texts()
    found = [_group_of(text, words) for text in texts]
    for side, other in ((0, 1), (1, 0)):
        listed = next((g for g in words.groups if g.name == found[other]), None)
        if found[side] is None and listed is not None and (texts[side] or "").lower() in GENDER_OF:
            found[side] = words.other(listed).name
    return found


def _group_of(text: str | None, words: Vocabulary) -> str | None:
    """The group that has a term which can be written like this."""
    small = " ".join((text or "").lower().split()).removesuffix("'s").removesuffix("’s")
    for group in words.groups:
        for term in group.terms:
            if small in {form.lower() for form in term.forms}:
                return group.name
    return None


def _turned(pair: SentencePair) -> SentencePair:
    """The same pair with the versions' places changed: the stereotype is the other one."""
    return replace(
        pair,
        stereotyped=pair.against,
        against=pair.stereotyped,
        groups=(pair.groups[1], pair.groups[0]),
        terms=(pair.terms[1], pair.terms[0]),
        references=(pair.references[1], pair.references[0]),
    )
