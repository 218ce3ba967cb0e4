"""Where terms stand in a sentence: whole words, the longest term first, plurals included."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from biaslab.probes.sentences.pairs import Span


@dataclass(frozen=True)
class Found:
    """A term in a text.

    Attributes
    ----------
    span : (int, int)
        Characters, the end excluded.
    key : str
        Which of the forms searched for, as it was given.
    """

    span: Span
    key: str


def find(text: str, forms: Iterable[str], *, exact_case: Iterable[str] = ()) -> tuple[Found, ...]:
    """All whole-word places of the forms, none inside a longer form, in the text's order.

    A hyphen joins words: ``short`` does not stand in ``short-term``. Capitals do not count, but
    for the forms in `exact_case` (names: ``Bill`` is no ``bill``), which may also stand in
    capitals throughout.
    """
    strict = set(exact_case)
    taken = [False] * len(text)
    found: list[Found] = []
    for form in sorted(dict.fromkeys(forms), key=lambda f: (-len(f), f)):
        for match in _pattern(form).finditer(text):
            written = match.group()
            if form in strict and written not in {form, form.upper()}:
                continue
            start, end = match.span()
            if any(taken[start:end]):
                continue
            taken[start:end] = [True] * (end - start)
            found.append(Found((start, end), form))
    return tuple(sorted(found, key=lambda f: f.span))


def _pattern(form: str) -> re.Pattern[str]:
    words = r"\s+".join(re.escape(word) for word in form.split())
    return re.compile(rf"(?<!\w)(?<!\w[-‐‑]){words}(?!\w)(?![-‐‑]\w)", re.IGNORECASE)


def starts_a_sentence(text: str, position: int) -> bool:
    """Whether what stands there is the first word of a sentence."""
    return (
        re.search(r"(?:^|[.!?…]['\"”’)\]]*\s+|^\s+)[\s\"“'‘(\[¿¡]*$", text[:position]) is not None
    )
