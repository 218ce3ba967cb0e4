"""Replies in the store, so that a question is not paid for twice.

A reply is found by the decider's identity, the prompt, its answers, a picture's content, and which
repetition of the question it is. So a run that was killed goes on with the same replies, and
another run uses what it shares with earlier ones.
"""

from __future__ import annotations

import hashlib
import json
import math
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict
from itertools import takewhile
from typing import Any, Final

from biaslab.asking.protocols import OUTCOMES, Decider, Reply, StreamingDecider
from biaslab.cases import Question
from biaslab.errors import DeciderError, JobCancelledError
from biaslab.jobs.context import JobContext, JobStopped, current_context
from biaslab.store import Store
from biaslab.subjects.stored_values import StoredValues, ValueStore
from biaslab.threads.background import start_timer

KIND: Final = "reply/1"
"""Kind of value in the store: raise the number when the format changes."""
_EVERY: Final = 0.25
"""Seconds after which a reply is in the store: one write takes tens of milliseconds."""
_AT_ONCE: Final = 1000


class TimedValues(StoredValues):
    """`StoredValues` that are in the store a quarter of a second after they came."""

    def __init__(self, store: ValueStore | None, kind: str, notes: list[str], lost: str) -> None:
        super().__init__(store, kind, _AT_ONCE, notes, lost)
        self._lock = threading.RLock()
        self._is_timed = False

    def find(self, keys: Iterable[str]) -> dict[str, str]:
        """Return the stored texts of these keys."""
        with self._lock:
            return super().find(keys)

    def put(self, values: Mapping[str, str]) -> None:
        """Add texts under their keys."""
        with self._lock:
            super().put(values)
            if self.is_used and values and not self._is_timed:
                self._is_timed = True
                start_timer(_EVERY, self.flush)

    def flush(self) -> None:
        """Write pending texts."""
        with self._lock:
            super().flush()
            self._is_timed = False


def stored_key(*parts: object) -> str:
    """Return the key of what was answered to these plain values."""
    content = json.dumps(parts, ensure_ascii=False)
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


_is_stored_only: ContextVar[bool] = ContextVar("stored-only", default=False)


@contextmanager
def stored_only() -> Iterator[None]:
    """Ask no decider in this block: what has no stored reply is left out, as after a stop."""
    token = _is_stored_only.set(True)
    try:
        yield
    finally:
        _is_stored_only.reset(token)


class StoredReplies:
    """A decider, and its replies in the store; without a store nothing is stored.

    Attributes
    ----------
    found : int
        Replies that came from the store.
    asked : int
        Replies that the decider gave.
    notes : list of str
        A note, if the store cannot be used.
    """

    def __init__(self, decider: Decider, store: Store | None) -> None:
        self.decider = decider
        self.found = self.asked = 0
        self.notes: list[str] = []
        own = store if decider.identity else None
        self._stored = TimedValues(own, KIND, self.notes, "Replies are not stored")

    def known(self, questions: Sequence[Question], repetitions: Sequence[int]) -> int:
        """Return how many of these replies are in the store already."""
        return len(self._stored.find(set(self._keys(questions, repetitions))))

    def ask(
        self, questions: Sequence[Question], repetitions: Sequence[int], context: JobContext
    ) -> list[Reply]:
        """Return the replies to questions; ask only those that are not in the store.

        Of a stopped run there are only the replies up to the first question without one; replies
        after it are in the store.

        Parameters
        ----------
        questions : sequence of Question
        repetitions : sequence of int
            Which repetition of its question each is, from 0.
        context : JobContext
            A stop ends it early.

        Raises
        ------
        DeciderError
            If no further reply can be had; its ``replies`` are those to the first questions, and
            the others are in the store.
        """
        if len(questions) != len(repetitions):
            raise DeciderError(
                f"{len(questions)} questions and {len(repetitions)} repetitions: give as many of"
                " both."
            )
        keys = self._keys(questions, repetitions)
        texts = self._stored.find(set(keys))
        replies = {
            key: reply for key, text in texts.items() if (reply := self._read(text)) is not None
        }
        first: dict[str, int] = {}
        for i, key in enumerate(keys):
            if key not in replies:
                first.setdefault(key, i)
        new, places = list(first), list(first.values())
        done = sum(key in replies for key in keys)
        self.found += done
        context.skip(done)
        context.report(done, len(keys), f"asking {self.decider.name}")
        try:
            for number, (place, reply) in enumerate(
                self._answers(
                    [questions[i] for i in places], [repetitions[i] for i in places], context
                ),
                start=done + 1,
            ):
                replies[new[place]] = reply
                self.asked += 1
                self._stored.put({new[place]: self._written(reply)})
                context.report(number, len(keys), f"asking {self.decider.name}")
        except (JobStopped, JobCancelledError):
            pass  # the replies so far count
        except DeciderError as error:
            raise DeciderError(str(error), tuple(_first(keys, replies))) from error
        finally:
            self.write()
        return _first(keys, replies)

    def write(self) -> None:
        """Write pending replies now."""
        self._stored.flush()

    def _answers(
        self, questions: Sequence[Question], repetitions: Sequence[int], context: JobContext
    ) -> Iterator[tuple[int, Reply]]:
        decider = self.decider
        if not questions or _is_stored_only.get():
            return
        if isinstance(decider, StreamingDecider):
            yield from decider.stream(questions, repetitions, context)
            return
        size = max(1, decider.at_once)
        for begin in range(0, len(questions), size):
            if context.should_stop:
                return
            part = questions[begin : begin + size]
            replies = decider.decide(part, context)
            if len(replies) != len(part):
                raise DeciderError(
                    f"{decider.name} gave {len(replies)} replies to {len(part)} questions. Its"
                    " decide() has to return one for each."
                )
            yield from enumerate(replies, begin)

    def _keys(self, questions: Sequence[Question], repetitions: Sequence[int]) -> list[str]:
        if not self._stored.is_used:
            return [str(i) for i in range(len(questions))]
        identity, pairs = self.decider.identity, zip(questions, repetitions, strict=True)
        return [stored_key(identity, *question.key, int(time)) for question, time in pairs]

    def _written(self, reply: Reply) -> str:
        fields = {name: value for name, value in asdict(reply).items() if value not in ("", (), 0)}
        if reply.model == self.decider.name:
            fields["model"] = None  # whatever name it is opened under next
        return json.dumps(fields | {"mass": None if math.isnan(reply.mass) else reply.mass})

    def _read(self, text: str) -> Reply | None:
        """Return a stored reply; None for one that another version or a fault wrote otherwise."""
        try:
            fields: dict[str, Any] = json.loads(text)
            mass = fields.pop("mass", None)
            if fields.get("model", "") is None:
                fields["model"] = self.decider.name
            reply = Reply(**fields, mass=math.nan if mass is None else float(mass))
        except (ValueError, TypeError, AttributeError):
            return None
        return reply if reply.outcome in OUTCOMES else None


def ask(
    decider: Decider,
    questions: Sequence[Question],
    repetitions: Sequence[int] | None = None,
    *,
    store: Store | None = None,
) -> list[Reply]:
    """Ask a decider questions, as `StoredReplies.ask`.

    Parameters
    ----------
    decider, questions
        As there.
    repetitions : sequence of int, optional
        By default 0 for each.
    store : Store, optional
        By default nothing is stored.

    Raises
    ------
    DeciderError
        If no further reply can be had; has the replies so far.
    """
    times = [0] * len(questions) if repetitions is None else repetitions
    return StoredReplies(decider, store).ask(questions, times, current_context())


def _first(keys: Sequence[str], replies: Mapping[str, Reply]) -> list[Reply]:
    """Return the replies up to the first that is missing."""
    return [replies[key] for key in takewhile(replies.__contains__, keys)]
