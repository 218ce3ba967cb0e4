"""What is odd in the lists of step 1: image terms as words, concepts as the models know them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from biaslab.subjects.embedding.terms import Resolution, Unknown
from biaslab_widgets.core.word_list_records import TermMark, WordList
from biaslab_widgets.core.word_marks import marks_of

_FEW = 2_000


class ConceptWords:
    """Concepts as several models know them: unknown is what one of them cannot be asked.

    Parameters
    ----------
    models : sequence of VisionLanguageModel
    """

    def __init__(self, models: Sequence[Any]) -> None:
        self._models = list(models)
        self._near: dict[str, list[str]] = {}

    def resolve(self, terms: Iterable[str], *, suggest: bool = True) -> Resolution:  # noqa: ARG002
        """Which terms all models can be asked."""
        given = list(dict.fromkeys(terms))
        reasons: dict[str, str] = {}
        for model in self._models:
            for one in model.resolve(given).unknown:
                told = f"cannot be tested with {model.name}: {one.reason}"
                before = reasons.get(one.term)
                reasons[one.term] = f"{before}; {told}" if before else told
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

        Parameters
        ----------
        models : sequence of VisionLanguageModel
            Those that are open.
        lists : sequence of WordList
        """
        key = ([id(model) for model in models],
               [[w["name"], w.get("kind"), *w["terms"]] for w in lists])  # fmt: skip
        if key == self._of:
            return self.newest
        found: list[TermMark] = []
        for kinds, subject in (
            (("groups",), None),
            (("attributes",), ConceptWords(models) if models else None),
        ):
            numbers = [n for n, words in enumerate(lists) if words.get("kind") in kinds]
            part = [lists[n] for n in numbers]
            marks = marks_of(subject, part)  # type: ignore[arg-type]  # resolves and suggests
            found += [{**mark, "list": numbers[mark["list"]]} for mark in marks]
        found.sort(key=lambda mark: (mark["list"], mark["position"]))
        self._of, self.newest = key, found
        return found
