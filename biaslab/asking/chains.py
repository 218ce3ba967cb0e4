"""Services of any form, one after the other; and what a chain decides."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from biaslab.asking.calling import Caller, each_of
from biaslab.asking.decider import Reply, Streaming
from biaslab.asking.providers.function import FunctionService
from biaslab.asking.reading.reading import read_reply
from biaslab.asking.service import Chain, Service, Translator
from biaslab.cases import Question
from biaslab.errors import DeciderError, ServiceAnswerError, ServiceSetupError
from biaslab.jobs.job import JobContext
from biaslab.records.calls import recorded, recorded_class

AnyService = Service | Chain | Callable[[str], str]


@recorded
def Composite(*services: AnyService, name: str | None = None) -> Chain:
    """Chain services; nested chains are flattened to their steps.

    Parameters
    ----------
    *services : Service, Chain or callable
        In the order of the calls.
    name : str, optional
        By default the names of the services.

    Raises
    ------
    ServiceSetupError
        If there is none, one is no service, or the languages of two neighbours do not fit.
    """
    chains = [as_chain(service) for service in services]
    steps = tuple(step for chain in chains for step in chain.steps)
    middle = chains[0].middle if len(chains) == 1 else None
    return Chain(name or " * ".join(chain.name for chain in chains), steps, middle)


def as_chain(service: AnyService) -> Chain:
    """Return a service of any form as a chain: a single one has one step."""
    one: Any = service
    if isinstance(one, Chain):
        return one
    if isinstance(one, Service):
        return Chain(one.name, (one,))
    if callable(one):
        return as_chain(FunctionService(one))
    if isinstance(one, Translator):
        raise ServiceSetupError(
            f"{one.name} translates between many languages. Say which with"
            " RoundTrip(translator, 'es') or Translation(translator, 'en', 'es')."
        )
    raise ServiceSetupError(
        f"{one!r} is not a service. Pass one of biaslab.services, or a function that takes a"
        " text and returns a text."
    )


PATIENCE: Final = 5
"""Questions without an answer in a row before a service is taken to be out of order."""


@recorded_class
class ServiceDecider(Streaming):
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
        self._callers = [Caller(step) for step in self.chain.steps]
        self._failures = 0

    @property
    def identity(self) -> str:
        """That of the service."""
        return self.chain.identity

    def stream(
        self, questions: Sequence[Question], repetitions: Sequence[int], context: JobContext
    ) -> Iterator[tuple[int, Reply]]:
        """See `StreamingDecider.stream`; each call is a draw."""
        del repetitions
        self._failures = 0
        return each_of(self._ask, questions, concurrency=self.at_once, context=context)

    def _ask(self, question: Question, context: JobContext) -> Reply:
        begun = time.monotonic()
        reply = self._reply(question, context)
        return replace(reply, model=self.name, seconds=time.monotonic() - begun)

    def _reply(self, question: Question, context: JobContext) -> Reply:
        text = question.prompt
        for caller in self._callers:
            context.checkpoint()
            called = caller.call([text], context)
            if text not in called.answers:
                self._failures += 1
                problem = str(called.error or f"{self.name} gave no answer.")
                is_of_text = isinstance(called.error, ServiceAnswerError)
                if not is_of_text or self._failures >= PATIENCE:
                    raise DeciderError(problem)
                return Reply(outcome="unreadable", reason=problem)
            text = called.answers[text]
        self._failures = 0
        return read_reply(text, question)
