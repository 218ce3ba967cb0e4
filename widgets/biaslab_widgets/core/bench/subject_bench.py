"""What benches over a subject share: they open subjects, ask a probe, and tell what is wrong."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from biaslab.errors import BiaslabError, QueryError
from biaslab.jobs.job import Job
from biaslab.records.result import Result
from biaslab_widgets.core.answers.background import Background
from biaslab_widgets.core.answers.cache import ANSWERS
from biaslab_widgets.core.answers.live import LIVE
from biaslab_widgets.core.bench.controller import Controller, Emit
from biaslab_widgets.core.how import how
from biaslab_widgets.core.state.bench_state import SubjectState
from biaslab_widgets.core.state.commands import Act, Arguments, Content, code_of, file
from biaslab_widgets.core.state.records import (
    How,
    Message,
    dropped_term,
    error_message,
    in_sentences,
    message,
)
from biaslab_widgets.core.subjects.opening import Opening, State
from biaslab_widgets.core.subjects.sources import S, Source

logger = logging.getLogger("biaslab")
R = TypeVar("R", bound=Result)
P = TypeVar("P")
B = TypeVar("B", bound=SubjectState)


class Part(Protocol):
    """What a bench is composed of: outputs beside the answer, and commands."""

    @property
    def commands(self) -> Mapping[str, Act]:
        """The commands that it obeys, by name."""

    def outputs(self, snapshot: Any) -> dict[str, Any]:
        """Those of its outputs that have changed."""


Q = TypeVar("Q", bound=Part)
LONGEST_ANSWER_S = 2.0
"""What takes longer is a job: it waits for its turn, shows progress and can be stopped."""


class SubjectController(Controller[B], Generic[B, R, P, S]):
    """Runs a probe for what is on the screen.

    A subclass says what is asked (`key`, `ask`), what is missing (`missing`), and what is drawn
    (`paint`); its component has the fields of `bench_state` and an ``answer`` with a ``picture``.

    - `sources`: subjects that can be chosen, by name; one that is not open yet is opened in the
      background.
    - `emit`: receives changed outputs.
    """

    asks_aside: ClassVar[bool] = False
    """Whether `ask` calls `JobGroup.answer`, so that other answers go on meanwhile."""
    keeps_picture: ClassVar[bool] = False
    """Whether the last picture stays until there is one of the subject that was chosen."""
    computing_words: ClassVar[tuple[str, str]] = (
        "Computing",
        "Long lists take their time. Other benches stay open meanwhile.",
    )
    """Title and text while a job answers."""

    def __init__(self, sources: Mapping[str, Source[S]], emit: Emit) -> None:
        super().__init__(emit)
        self.opening: Opening[S] = Opening(sources, self.jobs, self.answer_again)
        self._result: R | None = None
        self._key: object = None
        self._asking: Background[R] = Background(self.answer_again, self.opening.show_progress)
        self._picture: P | None = None
        self._pictured = ""  # the subject of the picture
        self._shown_result: R | None = None
        self._parts: list[Part] = []
        self.state |= {"subject": self.opening.first, "subjects": self.opening.options}
        self.commands |= {
            **self.opening.commands,
            "csv": self._csv,
            "json": self._json,
            "code": lambda _args: code_of([self.to_take()[0]]),
            "save": self._save,
            "ask-again": self._ask_again,
        }

    def add(self, part: Q) -> Q:
        """Compose the bench of another part."""
        self._parts.append(part)
        self.commands |= part.commands
        return part

    def subject(self, snapshot: B) -> S | None:
        """The chosen subject; None while it is not open."""
        return self.opening.subject(snapshot.subject)

    def opened(
        self,
        subject: S,  # noqa: ARG002
        snapshot: B,  # noqa: ARG002
    ) -> dict[str, Any]:
        """Inputs to set when the chosen subject is open, such as the words that it knows."""
        return {}

    @abstractmethod
    def key(self, snapshot: B) -> object:
        """What the result depends on: while it stays the same, the probe is not asked again."""

    @abstractmethod
    def ask(self, subject: S, snapshot: B) -> R:
        """Ask the probe."""

    def seconds(self, subject: S, snapshot: B) -> float:  # noqa: ARG002
        """How long `ask` is likely to take; above `LONGEST_ANSWER_S` it is a job."""
        return 0.0

    def ask_as_job(self, subject: S, snapshot: B) -> Job[R]:
        """Ask the probe in a job."""
        return self.jobs.start_awaited(self.ask, subject, snapshot)

    @abstractmethod
    def paint(self, result: R, snapshot: B) -> dict[str, Any]:
        """The fields of ``answer`` that differ from an empty one; ``picture`` among them."""

    def is_common(self, subject: S, snapshot: B) -> bool:  # noqa: ARG002
        """Whether the result depends on the subject and `key` alone: then sessions share it.

        What a session holds besides, such as a table of somebody's own, answers nobody else.
        """
        return False

    def look(self, result: R, snapshot: B) -> Hashable | None:  # noqa: ARG002
        """What else the picture of a common result depends on; None where it is not shared."""
        return None

    @abstractmethod
    def file_stem(self, result: R) -> str:
        """Name of an exported file, without its ending."""

    @abstractmethod
    def table(self, result: R, what: str) -> str:
        """The result's numbers as CSV text; ``what`` chooses among several tables."""

    @abstractmethod
    def missing(self, subject: S, snapshot: B) -> Message | None:
        """What a person has still to choose before anything can be asked; None when nothing is."""

    @property
    def result(self) -> R:
        """The result of what is on the screen; blocks while the subject is being opened.

        Raises `QueryError` when the screen shows none; the message says why.
        """
        source = self.opening.sources.get(self.snapshot().subject)
        if source is not None:
            try:
                source.open()
            except Exception as error:
                raise QueryError(f"{source.name} could not be opened. {error}") from error
        # Both in one turn: the live worker may be answering an older state.
        with self.computing:
            answer = self._answer(self.snapshot())
            result = self._result
        if result is None or answer["state"] in ("empty", "loading", "error"):
            notice = answer["message"] or message("Nothing is shown", "")
            raise QueryError(in_sentences(notice))
        return result

    def answer(self, snapshot: B) -> dict[str, Any]:
        """The picture for a state, or what stands in its place, and what else has changed."""
        changed = self.opening.outputs([snapshot.subject], snapshot)
        if (subject := self.subject(snapshot)) is not None:
            changed |= self.unless_changed(self.opened(subject, snapshot), snapshot)
        snapshot = replace(snapshot, **changed)
        answer = self._answer(snapshot)
        for part in self._parts:
            changed |= part.outputs(snapshot)
        # Last: who sees it ready finds all else in its place.
        return {**changed, "answer": answer}

    def _answer(self, snapshot: B) -> dict[str, Any]:
        with self.computing:
            try:
                return self._try(snapshot)
            except QueryError as error:
                return self.refused(snapshot, error)
            except (BiaslabError, ValueError) as error:
                return self.without_picture(snapshot, "error", error_message(error))
            except Exception as error:
                logger.exception("%s could not answer.", self.component.name)
                notice = error_message(error, "This could not be computed")
                return self.without_picture(snapshot, "error", notice)

    def _try(self, snapshot: B) -> dict[str, Any]:
        if snapshot.subject != self._pictured and not self.keeps_picture:
            self._pictured, self._picture = snapshot.subject, None
        source = self.opening.sources.get(snapshot.subject)
        if source is None:
            back = self.opening.first
            notice = self.why_not(snapshot.subject, "subject", back) or message(
                f"{snapshot.subject} is not in the library" if snapshot.subject else "No subject",
                "Choose a subject to probe.",
            )
            return self.without_picture(snapshot, "empty", notice)
        if not source.is_open:
            return self.without_picture(snapshot, *self.opening.not_open(source))
        return self.show(source.open(), snapshot)

    @property
    def has_run(self) -> bool:
        """See the base: an answer that took a job."""
        return super().has_run or self._asking.job is not None

    def show(self, subject: S, snapshot: B) -> dict[str, Any]:
        """The answer about an open subject: what is missing, or the picture of the result."""
        if (nothing := self.missing(subject, snapshot)) is not None:
            return self.without_picture(snapshot, "empty", nothing)
        key = (snapshot.subject, self.key(snapshot))
        if self._result is None or self._key != key:
            if self.seconds(subject, snapshot) > LONGEST_ANSWER_S:
                if (answered := self._asked_in_job(key, subject, snapshot)) is None:
                    return self._while_asking(snapshot)
            else:
                self._asking.forget()
                answered = self._shared_result(subject, key, snapshot)
            self._result, self._key = answered, key
        result = self._result
        painted = self._shared_picture(result, snapshot)
        if "picture" in painted:
            self._picture, self._shown_result = painted["picture"], result
        return {
            **self.without_picture(snapshot, "ready", None),
            "dropped": [dropped_term(d) for d in result.dropped],
            **painted,
        }

    def _shared_result(self, subject: S, key: tuple[str, object], snapshot: B) -> R:
        if self.asks_aside and self.jobs.limits.aside:
            LIVE.let_others_go_on()
        if not self.is_common(subject, snapshot):
            return self.ask(subject, snapshot)
        return ANSWERS.of(subject, (type(self), key), lambda: self.ask(subject, snapshot))

    def _shared_picture(self, result: R, snapshot: B) -> dict[str, Any]:
        look = self.look(result, snapshot)
        if look is None:
            return self.paint(result, snapshot)
        return ANSWERS.of(result, (type(self), look), lambda: self.paint(result, snapshot))

    def _asked_in_job(self, key: object, subject: S, snapshot: B) -> R | None:
        """What came of the job for a question, which is begun if there is none."""
        asking = self._asking
        if asking.key != key or asking.job is None:
            asking.begin(key, self.ask_as_job(subject, snapshot))
        return asking.result

    def _while_asking(self, snapshot: B) -> dict[str, Any]:
        job = self._asking.job
        if job is None or not job.finished:
            stop = {"label": "Stop", "command": "stop"}
            notice = message(*self.computing_words, stop)
            return {**self.without_picture(snapshot, "loading", notice), "picture": self._picture}
        again = {"label": "Compute again", "command": "ask-again"}
        why = self._asking.problem("Nothing else has changed.")
        title = "Computing was stopped" if job.exception is None else "This cannot be computed"
        state: State = "empty" if job.exception is None else "error"
        return self.without_picture(snapshot, state, message(title, why, again))

    def _ask_again(self, _args: Arguments) -> str:
        self._asking.forget()
        self.answer_again()
        return ""

    def without_picture(self, snapshot: B, state: State, notice: Message | None) -> dict[str, Any]:
        """An answer in which the last picture stays, but for a subject that is being opened."""
        return {
            **self.component.by_name["answer"].initial(),
            "generation": snapshot.generation,
            "state": state,
            "message": notice,
            "picture": None if state == "loading" else self._picture,
        }

    def refused(self, snapshot: B, error: QueryError) -> dict[str, Any]:
        """The answer to what cannot be asked."""
        return {
            **self.without_picture(snapshot, "error", error_message(error)),
            "dropped": [dropped_term(d) for d in error.dropped],
        }

    def how(self, snapshot: B) -> How:
        """How the picture on the screen comes about, from the result that it is of."""
        with self.computing:
            result, picture = self._shown_result, self._picture
            if result is None or picture is None or self.state["answer"]["picture"] is None:
                return self.explain(None, snapshot)
            return self.explain((result, picture), snapshot)

    def explain(self, shown: tuple[R, P] | None, snapshot: B) -> How:  # noqa: ARG002
        """Steps for the result and its picture; what is done in general where there are none."""
        return how("")

    def to_take(self) -> tuple[Result, str, Callable[[str], str]]:
        """What exports are of: a result, the stem of its files' names, and its tables as CSV."""
        result = self.result
        return result, self.file_stem(result), lambda what: self.table(result, what)

    def _csv(self, args: Arguments) -> Content:
        _, stem, table_of = self.to_take()
        return file(f"{stem}.csv", "text/csv", table_of(str(args.get("what", ""))))

    def _json(self, _args: Arguments) -> Content:
        result, stem, _ = self.to_take()
        return file(f"{stem}.json", "application/json", result.to_json())

    def _save(self, args: Arguments) -> str:
        result, _, _ = self.to_take()
        return f"Saved as run {self.save_run(result, str(args.get('label', '')))}."
