"""The frames of one language in one design: what `bl.two_afc` and the sentence score take."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final

from biaslab.errors import FrameError
from biaslab.frames.language import GENDERED_DESIGNS, GENDERS, ItemForms, Language, in_number
from biaslab.records.record import Record

DESIGNS: Final = {
    "neutral": "the item names no gender, and nothing agrees with the cue",
    "both": "the item stands in both genders, each first in half of the frames",
    "feminine": "the item stands in the feminine",
    "masculine": "the item stands in the masculine",
    "agreeing": "the item agrees with the person",
}
"""What each design shows."""
NUMBERS: Final = ("singular", "plural")
CUES: Final = ("words", "names")
Pair = tuple[str, str]
_SLOT = re.compile(r"\{(field|f|m)\}")


@dataclass(frozen=True)
class Filled(Record):
    """A frame's sentence with both cues in it.

    Attributes
    ----------
    text : str
    stimulus, answer : (int, int)
        Positions of the cues: first character, and the one after the last.
    """

    text: str
    stimulus: tuple[int, int]
    answer: tuple[int, int]


@dataclass(frozen=True)
class Sentence(Record):
    """A frame's sentence about one item.

    Attributes
    ----------
    text : str
        With ``{stimulus}``, ``{answer}``, and ``{item}`` once or twice.
    forms : tuple of str
        The word or phrase at each ``{item}``.
    """

    text: str
    forms: tuple[str, ...]

    def fill(self, stimulus: str, answer: str) -> Filled:
        """Return the sentence with these cues."""
        text = self.text
        for form in self.forms:
            text = text.replace("{item}", form, 1)
        before, rest = text.split("{stimulus}")
        between, after = rest.split("{answer}")
        start = len(before) + len(stimulus) + len(between)
        return Filled(
            f"{before}{stimulus}{between}{answer}{after}",
            (len(before), len(before) + len(stimulus)),
            (start, start + len(answer)),
        )


@dataclass(frozen=True)
class FrameSet(Record):
    """Frames of a language in one design: `biaslab.frames.get` makes them.

    Attributes
    ----------
    language : Language
    design : str
        One of `DESIGNS`.
    number : str
        ``"singular"`` or ``"plural"``.
    cues_are : str
        ``"words"``: pronouns and nouns. ``"names"``: given names of two or more origins.

    Raises
    ------
    FrameError
        When the language does not have these frames.
    """

    language: Language
    design: str = "neutral"
    number: str = "singular"
    cues_are: str = "words"

    def __post_init__(self) -> None:
        super().__post_init__()
        for value, choices, what in (
            (self.design, DESIGNS, "design"),
            (self.number, NUMBERS, "number"),
            (self.cues_are, CUES, "cues"),
        ):
            if value not in choices:
                raise FrameError(f"{what} is {value!r}: choose one of {', '.join(choices)}.")
        title = self.language.title
        if self.design != "neutral" and not self.language.has_gender:
            raise FrameError(
                f"{title} has no forms for gender, so there is nothing to agree. Use"
                " design='neutral'."
            )
        if self.cues_are == "names":
            if self.number == "plural":
                raise FrameError("A name is of one person. Use number='singular'.")
            if len(self.language.names) < 2:
                raise FrameError(
                    f"The frames in {title} have no names of two origins. Add a table"
                    " [names] to the file, or use cues='words'."
                )

    @property
    def name(self) -> str:
        """Such as ``"de, neutral"``."""
        parts = [self.language.code, self.design]
        parts += [self.number] * (self.number != "singular")
        return ", ".join([*parts, *([self.cues_are] * (self.cues_are != "words"))])

    @property
    def about(self) -> str:
        """The language and the design in a sentence."""
        return f"Frames in {self.language.title}: {DESIGNS[self.design]}."

    @cached_property
    def items(self) -> tuple[str, ...]:
        """Keys of the items that have the forms of this design."""
        return tuple(key for key, forms in self.language.items.items() if self._has(forms))

    @property
    def cues(self) -> tuple[Pair, ...]:
        """Pairs of cues, the female one first."""
        return tuple(pair for group in self.cue_sets for pair in group)

    @cached_property
    def cue_sets(self) -> tuple[tuple[Pair, ...], ...]:
        """Pairs of cues that belong together: one pair of words, or names of every origin."""
        if self.cues_are == "words":
            return tuple((pair,) for pair in self.language.cues[self.number])
        names = self.language.names
        least = min(len(lists["female"]) for lists in names.values())
        return tuple(
            tuple(
                (names[first]["female"][i], names[second]["male"][i])
                for first, second in product(names, names)
            )
            for i in range(least)
        )

    @property
    def factors(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """Gender and origin of the names, as `crossed_groups` of a result takes them."""
        names = self.language.names
        genders = {g: tuple(n for lists in names.values() for n in lists[g]) for g in GENDERS}
        origins = {o: tuple(n for g in GENDERS for n in lists[g]) for o, lists in names.items()}
        return {"gender": genders, "origin": origins}

    @property
    def signs(self) -> dict[str, int]:
        """1 for items with a female stereotype, -1 for those with a male one."""
        of = {"female": 1, "male": -1}
        forms = self.language.items
        return {k: of[forms[k].stereotype] for k in self.items if forms[k].stereotype}

    @property
    def texts(self) -> tuple[str, ...]:
        """The frames, with ``{item}``, ``{item:f}`` and ``{item:m}`` for the item's forms."""
        shown = {"field": "{item}", "f": "{item:f}", "m": "{item:m}"}
        return tuple(
            self._shell(i).replace("{work}", _SLOT.sub(lambda m: shown[m[1]], self._work(i)))
            for i in range(len(self.language.shells))
        )

    def key_of(self, item: str) -> str | None:
        """Return the key of an item named by its key or one of its forms; None if unknown."""
        return self._by_form.get(item.casefold())

    def why_not(self, item: str) -> str:
        """Return why there are no sentences about an item; empty if there are some."""
        key = self.key_of(item)
        title = self.language.title
        if key is None:
            return f"is not among the items of the frames in {title}: {', '.join(self.items)}"
        if key not in self.items:
            return f"has one form for both genders in {title}: use design='neutral'"
        return ""

    def sentences(self, item: str, gender: str = "") -> tuple[Sentence, ...]:
        """Return the frames with an item's forms, one for each shell.

        Parameters
        ----------
        item : str
            A key, or one of the item's forms.
        gender : {"female", "male"}
            Of the person, for the design ``"agreeing"``.

        Raises
        ------
        FrameError
            When there are none; says why.
        """
        if reason := self.why_not(item):
            raise FrameError(f"{item!r} {reason}.")
        if self.design == "agreeing" and gender not in GENDERS:
            raise FrameError(
                "In agreeing frames the item shows the gender, which would answer the question."
                " Use another design, or say the person's gender."
            )
        forms = self.language.items[str(self.key_of(item))]
        plural = self.number == "plural"
        words = {"field": forms.field}
        if forms.agrees:
            words |= {"f": forms.feminine[plural], "m": forms.masculine[plural]}
        made = []
        for i in range(len(self.language.shells)):
            work = self._work(i, gender)
            used = tuple(words[slot] for slot in _SLOT.findall(work))
            made.append(Sentence(self._shell(i).replace("{work}", _SLOT.sub("{item}", work)), used))
        return tuple(made)

    def _shell(self, i: int) -> str:
        return in_number(self.language.shells[i], self.number == "plural")

    def _work(self, i: int, gender: str = "female") -> str:
        design = self.design
        if design == "agreeing":
            design = "masculine" if gender == "male" else "feminine"
        phrases = self.language.work[design]
        return in_number(phrases[i % len(phrases)], self.number == "plural")

    def _has(self, forms: ItemForms) -> bool:
        return forms.agrees or self.design not in (*GENDERED_DESIGNS, "agreeing")

    @cached_property
    def _by_form(self) -> dict[str, str]:
        key_of: dict[str, str] = {}
        for key, forms in self.language.items.items():
            for text in (key, forms.field, *forms.feminine, *forms.masculine):
                key_of.setdefault(text.casefold(), key)
        return key_of
