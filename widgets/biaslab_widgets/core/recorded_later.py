"""Calls of results that a bench makes of cached answers: described when one is taken along."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from biaslab.calls import Call
from biaslab.results import Result

R = TypeVar("R", bound=Result)
_KEPT = 64


class RecordedLater:
    """Remembers how results can be made again.

    A bench makes a result at each edit, of pairs or pictures by the hundred. Describing all of
    them takes longer than the edit may, so it waits until the result is saved, exported or read.
    """

    def __init__(self) -> None:
        # Results are held: another one must not be taken for one of them.
        self._calls: OrderedDict[int, tuple[Result, Callable[[], Call]]] = OrderedDict()
        self._made: OrderedDict[int, tuple[Result, Result]] = OrderedDict()

    def put(self, result: Result, call: Callable[[], Call]) -> None:
        """Remember the call that makes a result."""
        self._calls[id(result)] = (result, call)
        while len(self._calls) > _KEPT:
            self._calls.popitem(last=False)

    def of(self, result: R) -> R:
        """The same result with its call; the same object each time."""
        if id(result) in self._made:
            made: R = self._made[id(result)][1]  # type: ignore[assignment]
            return made
        if id(result) not in self._calls:
            return result
        call = self._calls[id(result)][1]()
        made = replace(result, provenance=replace(result.provenance, call=call))
        self._made[id(result)] = (result, made)
        while len(self._made) > _KEPT:
            self._made.popitem(last=False)
        return made
