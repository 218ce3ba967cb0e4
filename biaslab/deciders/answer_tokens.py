"""The ways in which a language model may begin its reply with an answer, as tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import DeciderError
from biaslab.subjects.language_model_reading import Look

Tokens = tuple[int, ...]
_TAIL: Final = 24
"""Characters of the prompt's end that can change how the first tokens after it are cut."""


def variants(answer: str) -> tuple[str, ...]:
    """Return an answer in the forms in which it may be written, with and without a space before.

    As given, in capitals, capitalised and in small letters; a single letter never in small ones,
    as ``a`` is a word.
    """
    forms = [answer, answer.upper(), answer.capitalize()]
    if len(answer) > 1:
        forms.append(answer.lower())
    return tuple(dict.fromkeys(space + form for form in forms for space in ("", " ")))


class AnswerTokens:
    """Tokens of answers after a prompt.

    Parameters
    ----------
    encode : callable
        Returns the tokens of a text, without special ones.
    unknown : int or None
        The token of text that is not in the vocabulary.
    name : str
        Of the model.
    """

    def __init__(self, encode: Callable[[str], list[int]], unknown: int | None, name: str) -> None:
        self._encode, self._unknown, self._name = encode, unknown, name
        self._found: dict[tuple[str, tuple[str, ...]], dict[Tokens, str]] = {}

    def after(self, prompt: str, answers: Sequence[str]) -> dict[Tokens, str]:
        """Return all ways to write the answers after a prompt, and which answer each is.

        What two answers could both mean, because they differ in nothing but their case, is only
        the one that is written so.

        Raises
        ------
        DeciderError
            If the vocabulary has no tokens for an answer.
        """
        key = prompt[-_TAIL:], tuple(answers)
        if key not in self._found:
            self._found[key] = self._ways(*key)
        return self._found[key]

    def _ways(self, tail: str, answers: tuple[str, ...]) -> dict[Tokens, str]:
        as_given = {answer.casefold() for answer in answers}
        forms = {
            answer: variants(answer) if len(as_given) == len(answers) else (answer, f" {answer}")
            for answer in answers
        }
        ways: dict[Tokens, str] = {}
        for answer in answers:
            tokens = [self._after(tail, form) for form in forms[answer]]
            known = [some for some in tokens if some and self._unknown not in some]
            if not known:
                raise DeciderError(
                    f"The vocabulary of {self._name} has no tokens for the answer {answer!r}."
                    " Choose another word for it in the case, in letters that the model knows."
                )
            for some in known:
                ways.setdefault(some, answer)
        return ways

    def _after(self, tail: str, text: str) -> Tokens:
        before, both = self._encode(tail), self._encode(tail + text)
        if both[: len(before)] == before:
            return tuple(both[len(before) :])
        return tuple(self._encode(text))


def looks_for(prompt: Sequence[int], ways: Sequence[Tokens]) -> tuple[list[Look], list[Tokens]]:
    """Return looks that read every token of the ways, and which tokens each look reads.

    Ways that begin alike share a look.

    Returns
    -------
    looks : list of Look
    read : list of tuple of int
        For each target of the looks in turn: the beginning of a way up to and with that token.
    """
    needed = {way[: end + 1]: None for way in ways for end in range(len(way))}
    paths: list[Tokens] = []
    for path in sorted({way[:-1] for way in ways}, key=len, reverse=True):
        if not any(longer[: len(path)] == path for longer in paths):
            paths.append(path)
    looks, read = [], []
    for path in paths:
        mine = [way for way in needed if way[:-1] == path[: len(way) - 1]]
        for way in mine:
            del needed[way]
        looks.append(
            Look(
                np.asarray([*prompt, *path], dtype=np.int64),
                np.asarray([len(prompt) + len(way) - 2 for way in mine], dtype=np.int64),
                np.asarray([way[-1] for way in mine], dtype=np.int64),
            )
        )
        read += mine
    return looks, read


def answer_masses(
    ways: dict[Tokens, str],
    answers: Sequence[str],
    logs: dict[Tokens, float],
    *,
    per_token: bool = False,
) -> NDArray[np.float64]:
    """Return log probabilities of the answers, shape (answers,), each over all its ways.

    A way that begins another one counts without it: "A" is not also "AB".

    Parameters
    ----------
    ways : dict of tuple of int to str
        As of `AnswerTokens.after`.
    answers : sequence of str
    logs : dict of tuple of int to float
        Log probability of the last token of each beginning, given those before.
    per_token : bool
        Whether the probability of a way is the geometric mean of its tokens'.
    """
    total = {way: sum(logs[way[: end + 1]] for end in range(len(way))) for way in ways}
    masses = dict.fromkeys(answers, -np.inf)
    for way, answer in ways.items():
        longer = [one for one in ways if len(one) > len(way) and one[: len(way)] == way]
        next_ones = [
            one
            for one in longer
            if not any(len(o) < len(one) and one[: len(o)] == o for o in longer)
        ]
        log = total[way] / len(way) if per_token else total[way]
        share = sum(float(np.exp(total[one] - total[way])) for one in next_ones)
        if share < 1:
            masses[answer] = np.logaddexp(masses[answer], log + np.log1p(-share))
    return np.array([masses[answer] for answer in answers])
