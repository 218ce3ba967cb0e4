"""The word lists of step 1: image terms of two groups, concepts tied to them, what is odd."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import biaslab as bl
from biaslab.errors import BiaslabError
from biaslab.images.image import term_key
from biaslab.records.wording import prose
from biaslab.subjects.embedding.terms import Resolution, Unknown
from biaslab_widgets.core.state.records import TermMark, WordList
from biaslab_widgets.core.word_lists import filled, lists_key, spec_on_screen
from biaslab_widgets.core.word_marks import marks_of


@dataclass(frozen=True)
class ImageWords:
    """The lists on the screen, as the probe takes them.

    - `key`: equal for equal lists.
    - `spec`: None while they make none that can be tested.
    - `groups`: names of the two groups of image terms; empty while there are none.
    - `terms`: image terms with their group, 0 or 1, each once; also while nothing can be tested.
    - `lists`: names of the concept lists that are tied to the groups, in their order.
    - `concepts`: concepts with the number of their list, each once.
    - `why`: what is missing before pictures can be tested; empty where nothing is.
    - `note`: what the lists hold, in a line.
    """

    key: object
    spec: bl.specs.Spec | None
    groups: tuple[str, str]
    terms: tuple[tuple[str, int], ...]
    lists: tuple[str, str]
    concepts: tuple[tuple[str, int], ...]
    why: str
    note: str

    @property
    def name(self) -> str:
        """Name of the spec; empty while there is none."""
        return self.spec.name if self.spec is not None else ""


def image_words(
    lists: Sequence[WordList], spec: str, given: bl.specs.Spec | None = None
) -> ImageWords:
    """What these lists say.

    - `lists`: checked.
    - `spec`: name of the spec that they came from; it stays theirs while they are as it has them.
    - `given`: one that need not be in the catalogue.
    """
    groups = [w for w in lists if w.get("kind") == "groups"]
    full = [w for w in groups if filled(w)][:2]
    names = [w["name"] for w in full]
    concepts = [w for w in lists if w.get("kind") == "attributes"]
    tied = [_tied(concepts, name) for name in names]
    key = lists_key(lists, spec)
    why = _missing(groups, full, concepts, tied) or _overlap(full, tied)
    made: bl.specs.Spec | None = None
    if not why:
        try:
            made = spec_on_screen(lists, spec, given, "image bench")
        except BiaslabError as error:
            why = prose(error)
    tied_lists = [one for one in tied if one is not None]
    return ImageWords(
        key,
        made,
        (names[0], names[1]) if len(names) == 2 else ("", ""),
        _once(full),
        (tied_lists[0]["name"], tied_lists[1]["name"]) if len(tied_lists) == 2 else ("", ""),
        _once(tied_lists),
        why,
        _note(groups, full, tied_lists, concepts),
    )


def _tied(concepts: Sequence[WordList], group: str) -> WordList | None:
    """The first list with words that is tied to a group and not to others as well."""
    return next((w for w in concepts if list(w.get("of", ())) == [group] and filled(w)), None)


def _once(lists: Sequence[WordList]) -> tuple[tuple[str, int], ...]:
    """Words with the number of their list; in any capitals each stands once."""
    first: dict[str, tuple[str, int]] = {}
    for number, words in enumerate(lists):
        for term in filled(words):
            first.setdefault(term_key(term), (" ".join(term.split()), number))
    return tuple(first.values())


def _missing(
    groups: Sequence[WordList],
    full: Sequence[WordList],
    concepts: Sequence[WordList],
    tied: Sequence[WordList | None],
) -> str:
    if len(groups) < 2:
        return "The test compares two lists of image terms: add one for each group."
    if len(full) < 2:
        empty = next(w["name"] for w in groups if not filled(w))
        return f"The list “{empty}” has no image term: add one."
    if len(concepts) < 2:
        return (
            "The test compares two lists of concepts: add one for each group, and tie it to the"
            " group’s image terms."
        )
    for group, one in zip(full, tied, strict=True):
        if one is not None:
            continue
        own = next((w for w in concepts if group["name"] in w.get("of", ())), None)
        if own is not None and not filled(own):
            return f"The concept list “{own['name']}” is empty: add a concept."
        return (
            f"No concept list is tied to “{group['name']}” alone: say which image terms one of"
            " them is the stereotype of."
        )
    return ""


def _overlap(full: Sequence[WordList], tied: Sequence[WordList | None]) -> str:
    """A word on both sides, which would be compared with itself."""
    for what, sides in (("image term", full), ("concept", [w for w in tied if w is not None])):
        first, second = ({term_key(t): t for t in filled(w)} for w in sides)
        if shared := [first[key] for key in first if key in second]:
            return (
                f"The {what} “{shared[0]}” is on both sides and would be compared with itself."
                " Remove it from one."
            )
    return ""


def _note(
    groups: Sequence[WordList],
    full: Sequence[WordList],
    tied: Sequence[WordList],
    concepts: Sequence[WordList],
) -> str:
    count = len(_once(full))
    parts = [f"{count:,} image term{'' if count == 1 else 's'}"]
    words = len(_once(tied))
    parts.append(f"{words:,} concept{'' if words == 1 else 's'}")
    if tied:
        parts.append(" and ".join(w["name"] for w in tied))
    if len(groups) > 2 and len(full) == 2:
        parts.append(f"the first two of {len(groups)} lists of image terms are compared")
    used = [w["name"] for w in tied]
    if left := [w["name"] for w in concepts if filled(w) and w["name"] not in used]:
        parts.append(f"{', '.join(left)} left out")
    if empty := [w["name"] for w in concepts if not filled(w)]:
        parts.append(f"{', '.join(empty)} empty and left out")
    return ", ".join(parts)


_FEW = 2_000


class ConceptWords:
    """Concepts as several models know them: unknown is what one of them cannot be asked."""

    def __init__(self, models: Sequence[Any]) -> None:
        self._models = list(models)
        self._near: dict[str, list[str]] = {}

    def resolve(self, terms: Iterable[str], *, suggest: bool = True) -> Resolution:  # noqa: ARG002
        """Which terms all models can be asked."""
        given = list(dict.fromkeys(terms))
        reasons: dict[str, str] = {}
        for model in self._models:
            for one in model.resolve(given).unknown:
                text = f"cannot be tested with {model.name}: {one.reason}"
                before = reasons.get(one.term)
                reasons[one.term] = f"{before}; {text}" if before else text
                self._near.setdefault(one.term, list(one.suggestions))
        known = [term for term in given if term not in reasons]
        return Resolution(
            tuple(known),
            tuple(Unknown(term, reason) for term, reason in reasons.items()),
            (),
            {term: ("", " ".join(term.split()).casefold()) for term in known},
        )

    def suggest(self, term: str) -> list[str]:
        """Concepts that the model offers instead: the nearest of its answers, or of its words."""
        offered = self._near.get(term, [])
        if offered:
            return offered
        words = [word for model in self._models for word in _few_words(model)]
        return get_close_matches(term.casefold(), words, 4, 0.6)


def _few_words(model: Any) -> list[str]:
    """The words of a tokenizer that knows a few only; of others every word can be read."""
    read = getattr(getattr(model, "tokenizer", None), "get_vocab", None)
    words = [word for word in read() if word.isalpha()] if callable(read) else []
    return words if len(words) <= _FEW else []


class ImageMarks:
    """The marks of the lists as they are now: looked for anew only when something has changed."""

    def __init__(self) -> None:
        self._of: object = None
        self.newest: list[TermMark] = []

    def of(self, models: Sequence[Any], lists: Sequence[WordList]) -> list[TermMark]:
        """Marks of all lists.

        - `models`: those that are open.
        """
        key = ([id(model) for model in models],
               [[w["name"], w.get("kind"), *w["terms"]] for w in lists])  # fmt: skip
        if key == self._of:
            return self.newest
        marked: list[TermMark] = []
        for kinds, subject in (
            (("groups",), None),
            (("attributes",), ConceptWords(models) if models else None),
        ):
            numbers = [n for n, words in enumerate(lists) if words.get("kind") in kinds]
            part = [lists[n] for n in numbers]
            marks = marks_of(subject, part)  # type: ignore[arg-type]  # resolves and suggests
            marked += [{**mark, "list": numbers[mark["list"]]} for mark in marks]
        marked.sort(key=lambda mark: (mark["list"], mark["position"]))
        self._of, self.newest = key, marked
        return marked
