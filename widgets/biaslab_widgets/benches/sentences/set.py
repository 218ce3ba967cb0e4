"""The pairs on the screen: in use or set aside, edited, put back; nothing is ever lost."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from biaslab.probes.sentences.checks import Vocabulary
from biaslab.probes.sentences.pairing import same_pair_key
from biaslab.probes.sentences.pairs import PairSet, RejectedSentence, SentencePair
from biaslab.probes.sentences.swap import differences
from biaslab.probes.sentences.words import GENDER_OF
from biaslab_widgets.benches.sentences.fields import (
    AttributeCount,
    Ends,
    PairRow,
    RejectedRow,
    Sentences,
)
from biaslab_widgets.benches.sentences.words import Words
from biaslab_widgets.core.bench.three_steps_view import Added


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
            f"“{pair.attribute}” is no longer in any attribute list. Put it back into one.",
        )
    held = pair.attribute_list if pair.attribute_list in lists else lists[0]
    favoured = words.stereotype_of.get(held)
    if favoured is None:
        return Unfit(
            "no-stereotype",
            f"The attribute list “{held}” is the stereotype of neither group, or of both. Say"
            " which group it is the stereotype of.",
        )
    if pair.pairing == "attribute":
        return _by_attribute(pair, words, held, favoured)
    sides = _sides(pair, words)
    for side, text in zip(sides, pair.term_texts(), strict=True):
        if side is None:
            return Unfit(
                "unknown-term",
                f"The group term “{text}” is no longer in either group. Put it back into one.",
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
            f"“{other}”, the attribute of the other version, is no longer in a list of the other"
            " group. Put it back into one.",
        )
    if favoured != pair.groups[0]:
        return Unfit(
            "no-stereotype",
            f"The attribute list “{held}” is no longer the stereotype of “{pair.groups[0]}”, which"
            " the sentence is about.",
        )
    return replace(pair, attribute_list=held)


def _sides(pair: SentencePair, words: Vocabulary) -> list[str | None]:
    """The group of either version; a pronoun that grammar has put there need not be listed."""
    texts = pair.term_texts()
    groups = [_group_of(text, words) for text in texts]
    for side, other in ((0, 1), (1, 0)):
        listed = next((g for g in words.groups if g.name == groups[other]), None)
        if groups[side] is None and listed is not None and (texts[side] or "").lower() in GENDER_OF:
            groups[side] = words.other(listed).name
    return groups


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


REMOVED, REJECTED = "removed", "rejected"
"""Why a person has set a pair aside: with all others, or by itself."""
_REASONS = {REMOVED: "It was removed with all others.", REJECTED: "You rejected it."}
_versions = itertools.count(1)


@dataclass(frozen=True)
class Kept:
    """A pair, and whether it is used.

    - `tied`: whether it was made of the lists on the screen, whose words it must hold.
    - `edited`: whether a person has changed it since it came.
    - `aside`: code and reason where it is not used.
    """

    pair: SentencePair
    tied: bool
    edited: bool = False
    aside: tuple[str, str] | None = None


class SentenceSet:
    """Pairs in their order, with what was set aside.

    - `version`: counts up with every change; those of all sets together, so that another never has
      the same.
    - `pairs`: those that are used. Another thread may look at them.
    - `source`: where they come from.
    - `notes`, `problems`: what a person should know of them, and what went wrong on the way.
    """

    def __init__(self) -> None:
        self.version = next(_versions)
        self.source = ""
        self.notes: tuple[str, ...] = ()
        self.problems: list[str] = []
        self.pairs: tuple[SentencePair, ...] = ()
        self._kept: dict[str, Kept] = {}
        self._unusable: list[RejectedSentence] = []
        self._fitted: object = None

    @property
    def aside(self) -> list[Kept]:
        """Those that are not used and can be put back."""
        return [kept for kept in self._kept.values() if kept.aside is not None]

    @property
    def unusable(self) -> tuple[RejectedSentence, ...]:
        """What came and could not be used."""
        return tuple(self._unusable)

    @property
    def touched(self) -> bool:
        """Whether there is anything, used or not."""
        return bool(self._kept or self._unusable)

    def texts(self) -> set[str]:
        """Every version of every pair, used or not."""
        return {text for kept in self._kept.values() for text in kept.pair.versions}

    def kept(self, number: str) -> Kept:
        """The pair of this id.

        Raises `KeyError` when there is none.
        """
        return self._kept[number]

    def as_pair_set(self, spec: str = "") -> PairSet:
        """What is used, with what is not and why."""
        rejected = [
            RejectedSentence(k.pair.stereotyped, *k.aside, k.pair.attribute,
                             k.pair.term_texts()[0] or "", k.pair.source)
            for k in self.aside
            if k.aside is not None
        ]  # fmt: skip
        return PairSet(self.pairs, (*rejected, *self._unusable), self.source, spec, self.notes)

    def add(
        self, made: PairSet, *, tied: Vocabulary | None, list_duplicates: bool = False
    ) -> Added:
        """Take pairs in; those that are already there stay as they are.

        A pair that comes twice in one set is taken twice: a published set is scored as it is.

        - `made`: with what was rejected on the way, which is listed.
        - `tied`: the lists on the screen: pairs that are as these have it follow them from now on.
        - `list_duplicates`: whether to list sentences that are there twice among the rejected.
        """
        known = {same_pair_key(kept.pair): number for number, kept in self._kept.items()}
        new = back = there = 0
        for pair in made.pairs:
            number = known.get(same_pair_key(pair))
            if number is None:
                self._put(pair, tied is not None and fitted(pair, tied) == pair)
                new += 1
            elif (self._kept[number].aside or ("",))[0] == REMOVED:
                self._kept[number] = replace(self._kept[number], aside=None)
                back += 1
            else:
                there += 1
        refused = [r for r in made.rejected if r.code != "duplicate" or list_duplicates]
        there += len(made.rejected) - len(refused)
        before = set(self._unusable)
        self._unusable += [r for r in refused if r not in before]
        if new and self.source != made.source:
            self.source = ", ".join(dict.fromkeys(filter(None, (self.source, made.source))))
        self.notes = tuple(dict.fromkeys((*self.notes, *made.notes)))
        self._changed()
        return Added("pair", new, back, there, len(refused), refused[0].reason if refused else "")

    def replace(self, number: str, pair: SentencePair) -> None:
        """Put another pair in the place of one; it keeps the id, and counts as edited."""
        self._kept[number] = replace(self._kept[number], pair=pair, edited=True)
        self._changed()

    def reject(self, numbers: Iterable[str], code: str = REJECTED) -> int:
        """Set pairs aside; how many were used until now."""
        used = [n for n in numbers if n in self._kept and self._kept[n].aside is None]
        for number in used:
            self._kept[number] = replace(self._kept[number], aside=(code, _REASONS[code]))
        if used:
            self._changed()
        return len(used)

    def clear(self) -> int:
        """Set all aside; they can be put back."""
        return self.reject(list(self._kept), REMOVED)

    def restore(self, numbers: Iterable[str], words: Vocabulary | None) -> tuple[int, str]:
        """Use pairs again: how many, and why one cannot be."""
        count, why = 0, ""
        for number in numbers:
            kept = self._kept.get(number)
            if kept is None or kept.aside is None:
                continue
            fitting = fitted(kept.pair, words) if kept.tied and words is not None else kept.pair
            if isinstance(fitting, Unfit):
                why = why or fitting.reason
                continue
            self._kept[number] = replace(kept, pair=fitting, aside=None)
            count += 1
        if count:
            self._changed()
        return count, why

    def fit(self, words: Vocabulary, key: object) -> None:
        """Follow the lists: pairs whose words are gone are set aside, and come back with them.

        - `key`: equal for equal lists: nothing is done twice.
        """
        if key == self._fitted:
            return
        self._fitted = key
        changed = False
        for number, kept in self._kept.items():
            if not kept.tied or (kept.aside is not None and kept.aside[0] in _REASONS):
                continue
            fitting = fitted(kept.pair, words)
            now = (
                replace(kept, aside=(fitting.code, fitting.reason))
                if isinstance(fitting, Unfit)
                else replace(kept, pair=fitting, aside=None)
            )
            if now != kept:
                self._kept[number] = now
                changed = True
        if changed:
            self._changed()

    def trouble(self, problems: Sequence[str]) -> None:
        """What went wrong on the way, in place of what did before."""
        if list(problems) != self.problems:
            self.problems = list(problems)
            self._changed()

    def _put(self, pair: SentencePair, tied: bool) -> None:
        number = pair.id
        if number in self._kept:  # of a pair that was edited since
            number = next(
                n for i in itertools.count(2) if (n := f"{pair.id}-{i}") not in self._kept
            )
            pair = replace(pair, id=number)
        self._kept[number] = Kept(pair, tied)

    def _changed(self) -> None:
        self.pairs = tuple(kept.pair for kept in self._kept.values() if kept.aside is None)
        self.version = next(_versions)


class SentenceRows:
    """Makes the record of a set; rows of pairs that have not changed are made once."""

    def __init__(self) -> None:
        self._rows: dict[tuple[object, ...], PairRow] = {}

    def of(self, held: SentenceSet, words: Words, saved: int) -> Sentences:
        """The record.

        - `words`: for the order of attributes and groups.
        - `saved`: kept sentences that are not in the set yet.
        """
        pairs = held.pairs
        rows = [self._row(held.kept(pair.id), words) for pair in pairs]
        aside = [_aside(kept) for kept in held.aside]
        return {
            "version": held.version,
            "source": held.source,
            "pairs": rows,
            "rejected": [*aside, *(_unusable(r) for r in held.unusable)],
            "attributes": _counts(pairs, words),
            "notes": list(held.notes),
            "problems": list(held.problems),
            "saved": saved,
        }

    def _row(self, kept: Kept, words: Words) -> PairRow:
        pair = kept.pair
        key = (pair.id, *pair.versions, pair.attribute_list, pair.groups, pair.terms, pair.remark,
               kept.edited, words.groups)  # fmt: skip
        if (row := self._rows.get(key)) is None:
            row = self._rows[key] = {
                "id": pair.id,
                "attribute": pair.attribute,
                "list": pair.attribute_list,
                "groups": _groups(pair, words),
                "stereotyped": pair.stereotyped,
                "against": pair.against,
                "terms": (_ends(pair.terms[0]), _ends(pair.terms[1])),
                "changes": [(d.first, d.second) for d in differences(*pair.versions)],
                "source": pair.source,
                "remark": pair.remark,
                "edited": kept.edited,
            }
        return row


def _ends(span: tuple[int, int] | None) -> Ends | None:
    return None if span is None else (span[0], span[1])


def _groups(pair: SentencePair, words: Words) -> tuple[int, int]:
    """Numbers of both versions' groups; of pairs from elsewhere the first comes first."""
    names = list(words.groups)
    first, second = pair.groups
    if first in names and second in names:
        return names.index(first), names.index(second)
    return (0, 0) if first == second and first else (0, 1)


def _counts(pairs: tuple[SentencePair, ...], words: Words) -> list[AttributeCount]:
    """How many pairs each attribute has: those of the lists, also without any, then others."""
    counts = dict.fromkeys(words.attributes, 0)
    for pair in pairs:
        if pair.attribute:
            key = (pair.attribute, pair.attribute_list)
            counts[key] = counts.get(key, 0) + 1
    return [{"name": name, "list": held, "pairs": n} for (name, held), n in counts.items()]


def _aside(kept: Kept) -> RejectedRow:
    code, reason = kept.aside or ("", "")
    pair = kept.pair
    return {
        "id": pair.id,
        "text": pair.stereotyped,
        "attribute": pair.attribute,
        "code": code,
        "reason": reason,
        "source": pair.source,
    }


def _unusable(one: RejectedSentence) -> RejectedRow:
    return {
        "id": "",
        "text": one.text,
        "attribute": one.attribute,
        "code": one.code,
        "reason": one.reason,
        "source": one.source,
    }
