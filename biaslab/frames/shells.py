"""Shells of frames: sentences with slots, and words that agree in number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from biaslab.errors import FrameError

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

    Raises
    ------
    FrameError
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

    Raises
    ------
    FrameError
        When a slot is missing or repeated, the answer does not come last, a slot begins the
        sentence, touches other letters, or follows a word that would change before it.
    """
    check_braces(text, where, SHELL_SLOTS)
    found = slots_of(text)
    for name in SHELL_SLOTS:
        if found.count(name) != 1:
            raise FrameError(
                f"{where}, {text!r}, has {{{name}}} {found.count(name)} times. Write it once."
            )
    if found[-1] != "answer":
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

    Raises
    ------
    FrameError
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
