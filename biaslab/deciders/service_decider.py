"""A service as a decider: the question goes in, and its text is read as the reply."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from biaslab.calls import recorded_class
from biaslab.cases import Question
from biaslab.deciders.decider import Reply, replies_of
from biaslab.deciders.reading import read_reply
from biaslab.deciders.side_by_side import each_of
from biaslab.errors import DeciderError, ServiceAnswerError
from biaslab.jobs import JobContext
from biaslab.services import AnyService, as_chain
from biaslab.services.calling import Caller, Gate

PATIENCE: Final = 5
"""Questions without an answer in a row before a service is taken to be out of order."""


@recorded_class
class ServiceDecider:
    """A service, or a chain of them, that is sent each question as a text.

    Parameters
    ----------
    service : Service, Chain or callable
        As of `biaslab.services`. A chain answers with its last text.

    Raises
    ------
    ServiceSetupError
        If it is no service.
    """

    gives_probabilities = False

    def __init__(self, service: AnyService) -> None:
        self.chain = as_chain(service)
        self.name, self.about = self.chain.name, self.chain.about
        self.at_once = min(step.limits.concurrency for step in self.chain.steps)
        self._failures = 0

    def __repr__(self) -> str:
        return f"<ServiceDecider {self.name}>"

    @property
    def identity(self) -> str:
        """That of the service."""
        return self.chain.identity

    def decide(self, questions: Sequence[Question], context: JobContext) -> list[Reply]:
        """See `Decider.decide`."""
        return replies_of(self, questions, context)

    def stream(
        self,
        questions: Sequence[Question],
        repetitions: Sequence[int],  # noqa: ARG002  # each call is a draw
        context: JobContext,
    ) -> Iterator[tuple[int, Reply]]:
        """See `StreamingDecider.stream`."""
        self._failures = 0
        # The service's own rate is kept by its caller.
        return each_of(
            self._ask, questions, concurrency=self.at_once, gate=Gate(), calls_per_second=None,
            context=context,
        )  # fmt: skip

    def _ask(self, question: Question, context: JobContext) -> Reply:
        begun = time.monotonic()
        text, stopping = question.prompt, threading.Event()
        for step in self.chain.steps:
            context.checkpoint()
            called = Caller(step, stopping).call([text])
            if text not in called.answers:
                return self._without_answer(called.error, begun)
            text = called.answers[text]
        self._failures = 0
        reply = read_reply(text, question).reply()
        return replace(reply, model=self.name, seconds=time.monotonic() - begun)

    def _without_answer(self, error: Exception | None, begun: float) -> Reply:
        self._failures += 1
        problem = str(error or f"{self.name} gave no answer.")
        if not isinstance(error, ServiceAnswerError) or self._failures >= PATIENCE:
            raise DeciderError(problem)
        return Reply(
            outcome="unreadable", reason=problem, model=self.name, seconds=time.monotonic() - begun
        )
