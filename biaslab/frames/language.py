"""A language's frames as data: shells, forms of items, cues and names, validated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from biaslab.errors import FrameError
from biaslab.records.record import Record

SHELL_SLOTS = ("stimulus", "work", "answer")
WORK_SLOTS = ("field", "f", "m")
LONGEST = 400
"""Characters of a shell."""

_BRACES = re.compile(r"\{([^{}]*)\}")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def in_number(text: str, plural: bool) -> str:
    """Return the text with one of the two forms in each ``{singular|plural}``.

    >>> in_number("this year {works|work} {stimulus}", plural=True)
    'this year work {stimulus}'
    """
    return _BRACES.sub(
        lambda m: m.group(1).split("|")[int(plural)] if "|" in m.group(1) else m.group(0), text
    )


def slots_of(text: str) -> tuple[str, ...]:
    """Return the names of the slots in their order, without words that agree in number."""
    return tuple(inside for inside in _BRACES.findall(text) if "|" not in inside)


def check_braces(text: str, where: str, slots: Sequence[str]) -> None:
    """Refuse unknown slots, and alternatives that are not two.

    Raises `FrameError`.
    """
    if len(text) > LONGEST:
        raise FrameError(f"{where} has {len(text)} characters. Use at most {LONGEST}.")
    if set(_BRACES.sub("", text)) & {"{", "}"}:
        raise FrameError(f"{where}, {text!r}, has a brace without its partner. Close it.")
    for inside in _BRACES.findall(text):
        if "|" in inside:
            forms = inside.split("|")
            if len(forms) != 2 or not all(form.strip() for form in forms):
                raise FrameError(
                    f"{where}, {text!r}, has {{{inside}}}. Write two forms, the singular and the"
                    " plural, such as {works|work}."
                )
        elif inside not in slots:
            named = ", ".join(f"{{{name}}}" for name in slots)
            raise FrameError(
                f"{where}, {text!r}, has {{{inside}}}, which is not a slot. The slots are {named}."
            )


def check_shell(text: str, where: str, not_before: Sequence[str]) -> None:
    """Refuse a shell that a model could not be asked with.

    Raises `FrameError` when a slot is missing or repeated, the answer does not come last, a slot
    begins the sentence, touches other letters, or follows a word that would change before it.
    """
    check_braces(text, where, SHELL_SLOTS)
    slots = slots_of(text)
    for name in SHELL_SLOTS:
        if slots.count(name) != 1:
            raise FrameError(
                f"{where}, {text!r}, has {{{name}}} {slots.count(name)} times. Write it once."
            )
    if slots[-1] != "answer":
        raise FrameError(
            f"{where}, {text!r}, has {{answer}} before another slot. Put it last: a causal model"
            " reads from left to right."
        )
    for match in _BRACES.finditer(text):
        if match.group(1) not in {"stimulus", "answer"}:
            continue
        before, after = text[: match.start()], text[match.end() :]
        if not before.strip():
            raise FrameError(
                f"{where}, {text!r}, begins with {match.group(0)}, where a capital would make"
                " another token of the cue. Put a phrase before it."
            )
        if before[-1:].strip() or after[:1].isalnum() or after[:1] in "'’-":
            raise FrameError(
                f"{where}, {text!r}: {match.group(0)} touches other letters. Put a space before it,"
                " and a space or a mark after it; no ending can be added to a blend."
            )
        last = before.split()[-1].casefold()
        if any(last == word.casefold().split()[-1] for word in not_before):
            raise FrameError(
                f"{where}, {text!r}: {last!r} before {match.group(0)} changes with the next word"
                " and would give the cue away. Reword it."
            )


def check_says_no_gender(text: str, where: str, avoid: Sequence[str]) -> None:
    """Refuse words that would give the gender away beside the slots.

    Raises `FrameError`.
    """
    known = {word.casefold() for word in avoid}
    for word in _words(text):
        if word.casefold() in known:
            raise FrameError(
                f"{where}, {text!r}, has {word!r}, which shows a gender. A blend must be the only"
                " place that does: reword it."
            )


def _words(text: str) -> Iterator[str]:
    # A slot is no word of the language, though its name may be one ("answer").
    inside = _BRACES.sub(lambda m: m.group(1).replace("|", " ") if "|" in m.group(1) else " ", text)
    yield from _WORD.findall(inside)


GENDERS: Final = ("female", "male")
GENDERED_DESIGNS: Final = ("both", "feminine", "masculine")
NEEDS: Final = {"neutral": {"field"}, "both": {"f", "m"}, "feminine": {"f"}, "masculine": {"m"}}
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
