"""Questions of the probe: words, groups of cues, and what a word's lean is measured against.

A PSE above 50 % may be the word's own, or the cue pair's: *she* may stand nearer to all nouns than
*he* does. Against an even blend both count. Against the other words, or against control words that
name no kind of person, what a pair does to all of them is taken off, replicate by replicate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from biaslab.arguments import strings
from biaslab.errors import QueryError, SpecError
from biaslab.specs import Spec, get

Pairing = Literal["matched", "all", "sets"]
Words = Sequence[str] | Spec | str
Groups = Mapping[str, Sequence[str]] | Spec | str


@dataclass(frozen=True)
class WordList:
    """Words to ask about, without duplicates.

    Attributes
    ----------
    words : tuple of str
    repeated : tuple of str
        Words that were listed more than once.
    spec : Spec or None
        Their source.
    """

    words: tuple[str, ...]
    repeated: tuple[str, ...]
    spec: Spec | None


def resolve_words(words: Words) -> WordList:
    """Return words from a list, a spec with items, or the name of one.

    Raises `QueryError` when there are none; `SpecError` when a name is no spec's.
    """
    try:
        spec = get(words) if isinstance(words, str) else words if isinstance(words, Spec) else None
    except SpecError as error:
        raise SpecError(f"{error} Of one word pass a list, words=[{words!r}].") from error
    if spec is not None and not spec.items:
        raise QueryError(f"The spec {spec.name!r} has no items. Give a list of words.")
    source = spec.items if spec is not None else words
    texts = _texts(source, "words")  # type: ignore[arg-type]  # a spec was handled above
    unique = tuple(dict.fromkeys(texts))
    repeated = () if len(unique) == len(texts) else _repeated(texts)
    return WordList(unique, repeated, spec)


def resolve_groups(groups: Groups) -> tuple[dict[str, tuple[str, ...]], str]:
    """Return named lists of cues in their order, and the name of their spec.

    Cue pairs of a spec make two groups, named as the spec's own groups that hold them, else by the
    first pair.

    Raises `QueryError` when there are fewer than two groups, or one is empty.
    """
    name = ""
    if isinstance(groups, str):
        groups = get(groups)
    if isinstance(groups, Spec):
        name = groups.name
        groups = _of_spec(groups)
    if not isinstance(groups, Mapping):
        raise QueryError(
            "Groups must be named lists of cues, such as {'female': ['she'], 'male': ['he']}, a"
            " spec, or the name of one."
        )
    lists = {str(k).strip(): _texts(v, f"cues of {k!r}") for k, v in groups.items()}
    if len(lists) < 2 or len(lists) < len(groups) or "" in lists:
        raise QueryError(
            "A comparison needs at least two groups with different names; got"
            f" {', '.join(map(repr, groups)) or 'none'}."
        )
    return lists, name


def _of_spec(spec: Spec) -> Mapping[str, Sequence[str]]:
    if not spec.cue_pairs:
        if len(spec.groups) < 2:
            raise QueryError(
                f"The spec {spec.name!r} has neither cue pairs nor two groups. Choose another."
            )
        return spec.groups
    sides = tuple(zip(*spec.cue_pairs, strict=True))
    names = [
        next((n for n, terms in spec.groups.items() if set(side) <= set(terms)), side[0])
        for side in sides
    ]
    if names[0] == names[1]:
        names = [side[0] for side in sides]
    return dict(zip(names, sides, strict=True))


def check_pairing(pairing: str, groups: Mapping[str, Sequence[str]]) -> None:
    """Raise unless the pairing is known and the groups fit it.

    Raises `QueryError` when matched lists are of unequal length; `ValueError` when there is no such
    pairing.
    """
    if pairing not in get_args(Pairing):
        raise ValueError(f"pairing is {pairing!r}; choose 'matched', 'all' or 'sets'.")
    lengths = {name: len(cues) for name, cues in groups.items()}
    if pairing == "matched" and len(set(lengths.values())) > 1:
        counts = ", ".join(f"{name} has {n}" for name, n in lengths.items())
        raise QueryError(
            f"Matched cues need lists of equal length, but {counts}. Make them equal, or choose "
            "pairing='all' (every combination) or pairing='sets' (the mean of each list)."
        )


def _texts(values: Sequence[str], what: str) -> tuple[str, ...]:
    entries = strings([values] if isinstance(values, str) else values, what)
    texts = tuple(t for v in entries if (t := v.strip()))
    if not texts:
        raise QueryError(f"The list of {what} is empty. Give at least one word.")
    return texts


def _repeated(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(text for text, times in Counter(texts).items() if times > 1)


Floats = NDArray[np.floating[Any]]
Reference = Literal["even", "words", "controls"]
AgainstWhat = Sequence[str] | Spec | str
"""``"even"``, ``"words"``, or control words: a list, a spec, or the name of one."""


def reference_of(given: AgainstWhat) -> tuple[Reference, tuple[str, ...]]:
    """Which reference that is, and its control words, if any.

    Raises `QueryError` when there is no control word; `SpecError` when a name is no spec's.
    """
    if isinstance(given, str) and given in ("even", "words"):
        return ("even" if given == "even" else "words"), ()
    spec = get(given) if isinstance(given, str) else given
    if isinstance(spec, Spec) and (neutral := spec.controls.get("neutral")):
        return "controls", tuple(neutral)
    return "controls", resolve_words(spec).words


def relative(switch: Floats, controls: Floats | None = None) -> Floats:
    """Switch points as differences from those of the reference, around 1/2.

    - `switch`, ndarray, shape (B, n, K): switch points of the words.
    - `controls`, ndarray, shape (B, m, K): those of the control words; by default each word is held
      against the mean of the others.
    - Returns ndarray, shape (B, n, K).
    - Raises `QueryError` when there is no other word.
    """
    switch = switch.astype(np.float64)  # what is taken off must be the same to every word
    if controls is not None:
        mean = controls.astype(np.float64).mean(axis=1, keepdims=True)
        return np.asarray(0.5 + switch - mean)
    n = switch.shape[1]
    if n < 2:
        raise QueryError(
            "There is no other word to compare this one with. Add words, or choose reference='even'"
            " or control words."
        )
    away = switch - switch.mean(axis=1, keepdims=True)
    return np.asarray(0.5 + away * (n / (n - 1)))
