"""A language's frames as data: shells, forms of items, cues and names, validated."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from biaslab.errors import FrameError
from biaslab.frames.shells import (
    WORK_SLOTS,
    check_braces,
    check_says_no_gender,
    check_shell,
    slots_of,
)
from biaslab.record import Record

GENDERS: Final = ("female", "male")
GENDERED_DESIGNS: Final = ("both", "feminine", "masculine")
NEEDS: Final = {
    "neutral": {"field"},
    "both": {"f", "m"},
    "feminine": {"f"},
    "masculine": {"m"},
}
"""Slots that the phrases of each design have."""
_CODE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})?")


@dataclass(frozen=True)
class ItemForms(Record):
    """An item's words in a language.

    Attributes
    ----------
    field : str
        The phrase that names no gender, such as ``"in der Krankenpflege"``.
    feminine, masculine : (str, str), or empty
        The noun in singular and plural; empty where the language has one form for both genders.
    stereotype : str
        ``"female"``, ``"male"``, or empty.
    """

    field: str
    feminine: tuple[str, ...] = ()
    masculine: tuple[str, ...] = ()
    stereotype: str = ""

    @property
    def agrees(self) -> bool:
        """Whether it has a form for each gender."""
        return bool(self.feminine and self.masculine)


@dataclass(frozen=True)
class Language(Record):
    """Frames of one language.

    Attributes
    ----------
    code, title : str
        Such as ``"de"`` and ``"German"``.
    source : str
        Reference works of the rules.
    rules : tuple of str
        Rules of agreement that the frames rest on.
    avoid : tuple of str
        Words that show a gender, which no shell may contain.
    not_before : tuple of str
        Words that change with the next word, which may not precede a cue.
    shells : tuple of str
        Sentences with ``{stimulus}``, ``{work}``, ``{answer}`` and ``{singular|plural}``.
    work : mapping of str to tuple of str
        For each design, the phrases that take ``{work}``'s place, in turn over the shells.
    cues : mapping of str to tuple of (str, str)
        Pairs of cues (female, male), ``"singular"`` and ``"plural"``.
    items : mapping of str to ItemForms
        By a key that all languages share.
    names : mapping of str to mapping of str to tuple of str
        For each origin, given names of ``"female"`` and ``"male"`` persons.

    Raises
    ------
    FrameError
        Names the field and the remedy.
    """

    code: str
    title: str
    source: str
    rules: tuple[str, ...]
    avoid: tuple[str, ...]
    not_before: tuple[str, ...]
    shells: tuple[str, ...]
    work: Mapping[str, tuple[str, ...]]
    cues: Mapping[str, tuple[tuple[str, str], ...]]
    items: Mapping[str, ItemForms]
    names: Mapping[str, Mapping[str, tuple[str, ...]]]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not _CODE.fullmatch(self.code):
            raise FrameError(f"code is {self.code!r}. Use a language's code, such as 'de'.")
        if not self.source.strip():
            raise FrameError("source is empty. Name the grammar that the rules come from.")
        self._check_shells()
        self._check_work()
        for key, forms in self.items.items():
            check_says_no_gender(forms.field, f"items.{key}.field", self.avoid)
            if bool(forms.feminine) != bool(forms.masculine):
                raise FrameError(
                    f"items.{key} has one of feminine and masculine. Give both, or neither where"
                    " one word serves for both."
                )

    @property
    def has_gender(self) -> bool:
        """Whether its frames have agreeing forms."""
        return all(design in self.work for design in GENDERED_DESIGNS)

    def _check_shells(self) -> None:
        if not self.shells:
            raise FrameError("shells is empty. Write at least one sentence.")
        own = {word for pairs in self.cues.values() for pair in pairs for word in pair}
        for i, shell in enumerate(self.shells):
            where = f"shells[{i}]"
            check_shell(shell, where, self.not_before)
            check_says_no_gender(shell, where, (*self.avoid, *own))
            if shell in self.shells[:i]:
                raise FrameError(
                    f"{where}, {shell!r}, appears twice and would count as two observers."
                    " Remove one."
                )

    def _check_work(self) -> None:
        if "neutral" not in self.work:
            raise FrameError("work has no 'neutral' phrase. Add neutral = [\"{field}\"].")
        gendered = [design for design in GENDERED_DESIGNS if design in self.work]
        if gendered and not self.has_gender:
            left = [design for design in GENDERED_DESIGNS if design not in self.work]
            raise FrameError(
                f"work has {', '.join(gendered)} but not {', '.join(left)}. Give all of them, or"
                " none for a language without gender."
            )
        for design, phrases in self.work.items():
            for i, phrase in enumerate(phrases):
                where = f"work.{design}[{i}]"
                check_braces(phrase, where, WORK_SLOTS)
                if set(slots_of(phrase)) != NEEDS[design]:
                    needs = " and ".join(f"{{{slot}}}" for slot in sorted(NEEDS[design]))
                    raise FrameError(f"{where}, {phrase!r}: a {design} phrase has {needs}.")
        if self.has_gender:
            if len(self.work["feminine"]) != len(self.work["masculine"]):
                raise FrameError(
                    "work.feminine and work.masculine have different numbers of phrases. Give each"
                    " phrase in both genders, in the same order."
                )
            first = [slots_of(phrase)[0] for phrase in self.work["both"]]
            if first.count("f") != first.count("m"):
                raise FrameError(
                    "work.both names one gender first more often than the other. Give as many"
                    " phrases that begin with {f} as with {m}."
                )
