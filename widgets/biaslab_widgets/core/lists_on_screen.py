"""The spec that word lists on the screen make: the catalogue's while they are as it has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Generic, TypeVar

import biaslab as bl
from biaslab.errors import BiaslabError
from biaslab_widgets.core.bench_fields import ThreeStepsState
from biaslab_widgets.core.latest import Latest
from biaslab_widgets.core.word_list_records import WordList
from biaslab_widgets.core.word_lists import checked_lists, lists_of, spec_of

W = TypeVar("W")
OWN = "lists-on-the-screen"
"""Name of the spec of lists that are no longer those of the catalogue's."""


def filled(words: WordList) -> list[str]:
    """Terms of a list without the empty ones."""
    return [term for term in words["terms"] if term.strip()]


def lists_key(lists: Sequence[WordList], spec: str) -> object:
    """Equal for equal lists that came from the same spec."""
    return spec, tuple(
        (w["name"], w.get("kind"), tuple(w.get("of", ())), *w["terms"]) for w in lists
    )


class RememberedLists(Generic[W]):
    """What the lists on the screen say, which is read again only when they have changed.

    Parameters
    ----------
    read : callable
        What lists say, given the name of the spec that they came from and `given`.
    given : Spec, optional
        One that need not be in the catalogue.
    """

    def __init__(
        self,
        read: Callable[[Sequence[WordList], str, bl.specs.Spec | None], W],
        given: bl.specs.Spec | None,
    ) -> None:
        self._read, self._given = read, given
        self._newest: Latest[W] = Latest()

    def of(self, snapshot: ThreeStepsState) -> W:
        """What those of a state say.

        Raises
        ------
        SpecFieldError
            When they are no lists.
        """
        lists, spec = checked_lists(snapshot.lists), snapshot.spec
        return self._newest.of(lists_key(lists, spec), lambda: self._read(lists, spec, self._given))


def spec_on_screen(
    lists: Sequence[WordList], name: str, given: bl.specs.Spec | None, bench: str
) -> bl.specs.Spec:
    """A spec of the lists: the one that they came from while they are what it holds.

    Parameters
    ----------
    lists : sequence of WordList
        Checked.
    name : str
        Name of the spec that they came from.
    given : Spec, optional
        One that need not be in the catalogue.
    bench : str
        Where the lists are put together, for the source of a spec of one's own.

    Raises
    ------
    SpecError
        When they make no spec.
    """
    for spec in (given, _catalogued(name)):
        if spec is not None and spec.name == name and _plain(lists_of(spec)) == _plain(lists):
            return spec
    used = [w for w in lists if w.get("kind") in ("groups", "attributes") and filled(w)]
    return _made(tuple(_frozen(w) for w in used), bench)


@lru_cache(maxsize=64)
def _catalogued(name: str) -> bl.specs.Spec | None:
    try:
        return bl.specs.get(name) if name else None
    except BiaslabError:
        return None  # of a spec that is gone only the words count


def _plain(lists: Sequence[WordList]) -> list[object]:
    return [_frozen(w) for w in lists if w.get("kind") in ("groups", "attributes")]


def _frozen(words: WordList) -> tuple[str, str, tuple[str, ...], tuple[str, ...]]:
    return (words["name"], words.get("kind", "items"), tuple(words.get("of", ())),
            tuple(words["terms"]))  # fmt: skip


@lru_cache(maxsize=64)
def _made(
    lists: tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...], bench: str
) -> bl.specs.Spec:
    records: list[WordList] = [
        {"name": n, "kind": k, "of": list(of), "terms": list(terms)}  # type: ignore[typeddict-item]
        for n, k, of, terms in lists
    ]
    return spec_of(records, name=OWN, title="Lists on the screen", source=f"made in the {bench}")
