"""The pairs on the screen: in use or set aside, edited, put back; nothing is ever lost."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from biaslab.probes.sentences.checks import Vocabulary
from biaslab.probes.sentences.pairing import same_pair_key
from biaslab.probes.sentences.pairs import PairSet, RejectedSentence, SentencePair
from biaslab_widgets.benches.sentences.fit import Unfit, fitted
from biaslab_widgets.core.added import Added

REMOVED, REJECTED = "removed", "rejected"
"""Why a person has set a pair aside: with all others, or by itself."""
_REASONS = {
    REMOVED: "It was removed with all others.",
    REJECTED: "You rejected it.",
}
_versions = itertools.count(1)


@dataclass(frozen=True)
class Kept:
    """A pair, and whether it is used.

    Attributes
    ----------
    pair : SentencePair
    tied : bool
        Whether it was made of the lists on the screen, whose words it must hold.
    edited : bool
        Whether a person has changed it since it came.
    aside : (str, str) or None
        Code and reason where it is not used.
    """

    pair: SentencePair
    tied: bool
    edited: bool = False
    aside: tuple[str, str] | None = None


class SentenceSet:
    """Pairs in their order, with what was set aside.

    Attributes
    ----------
    version : int
        Counts up with every change; those of all sets together, so that another never has the same.
    pairs : tuple of SentencePair
        Those that are used. Another thread may look at them.
    source : str
        Where they come from.
    notes, problems : sequence of str
        What a person should know of them, and what went wrong on the way.
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

        Raises
        ------
        KeyError
            When there is none.
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

        Parameters
        ----------
        made : PairSet
            With what was rejected on the way, which is listed.
        tied : Vocabulary, optional
            The lists on the screen: pairs that are as these have it follow them from now on.
        list_duplicates : bool
            Whether to list sentences that are there twice among the rejected.
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
        found = [n for n in numbers if n in self._kept and self._kept[n].aside is None]
        for number in found:
            self._kept[number] = replace(self._kept[number], aside=(code, _REASONS[code]))
        if found:
            self._changed()
        return len(found)

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
            found = fitted(kept.pair, words) if kept.tied and words is not None else kept.pair
            if isinstance(found, Unfit):
                why = why or found.reason
                continue
            self._kept[number] = replace(kept, pair=found, aside=None)
            count += 1
        if count:
            self._changed()
        return count, why

    def fit(self, words: Vocabulary, key: object) -> None:
        """Follow the lists: pairs whose words are gone are set aside, and come back with them.

        Parameters
        ----------
        words : Vocabulary
        key : object
            Equal for equal lists: nothing is done twice.
        """
        if key == self._fitted:
            return
        self._fitted = key
        changed = False
        for number, kept in self._kept.items():
            if not kept.tied or (kept.aside is not None and kept.aside[0] in _REASONS):
                continue
            found = fitted(kept.pair, words)
            now = (
                replace(kept, aside=(found.code, found.reason))
                if isinstance(found, Unfit)
                else replace(kept, pair=found, aside=None)
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
