"""What a person gives or names: a chain of services of any form, a decider of any subject."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from biaslab.arguments import described
from biaslab.asking.calling import Caller, Streaming
from biaslab.asking.endpoint import Endpoint
from biaslab.asking.protocols import (
    Chain,
    Decider,
    HasDecider,
    Limits,
    Reply,
    Service,
    Translator,
    request_of,
)
from biaslab.asking.providers.chat import ChatDecider, ChatService, ChatTranslator
from biaslab.asking.providers.classifier import ClassifierDecider
from biaslab.asking.providers.function import FunctionDecider, FunctionService
from biaslab.asking.providers.http_api import http_service
from biaslab.asking.providers.language_model import LanguageModelDecider
from biaslab.asking.providers.models import ModelTranslator
from biaslab.asking.reading.reading import read_reply
from biaslab.cases import Question
from biaslab.errors import DeciderError, ServiceAnswerError, ServiceSetupError, WrongSubjectError
from biaslab.jobs.job import JobContext
from biaslab.people.access import current_access
from biaslab.people.secret import Secret, environment_secret
from biaslab.records.calls import recorded, recorded_class
from biaslab.subjects.classifier.base import Classifier
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.opening.names import own_subject
from biaslab.subjects.opening.shared import load_shared

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

    @property
    def request(self) -> Mapping[str, Any]:
        """That of the first service of the chain, which is sent the question."""
        return request_of(self.chain.steps[0])

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
                    self._failures = 0
                    raise DeciderError(problem)
                return Reply(outcome="unreadable", reason=problem)
            text = called.answers[text]
        self._failures = 0
        return read_reply(text, question)


ANSWER: Final = "Rewrite the text that follows in your own words. Answer with the new text only."
"""Default instruction of a chat model that is rated."""


def open_own(name: str) -> Any:
    """Open a service of your own: a chat model, an HTTP service, a translation model or a function.

    Parameters
    ----------
    name : str
        As `biaslab.subjects.library.own_subjects` lists it.

    Returns
    -------
    Service or Translator

    Raises
    ------
    ServiceSetupError
        When there is no service of that name, or the variable of its key is not set.
    """
    subject = own_subject(name)
    if subject is None:
        raise ServiceSetupError(
            f"There is no service {name!r} of your own. bl.subjects.library.own_subjects() lists"
            " yours."
        )
    if subject.function is not None:
        return FunctionService(subject.function, name=subject.name)
    if subject.kind == "translation":
        options: dict[str, Any] = dict(subject.options)
        return ModelTranslator(subject.source, **options)
    if subject.kind in ("chat", "http"):
        return service_from(subject.kind, subject.service)
    raise ServiceSetupError(f"{subject.name} is no service: bl.load({subject.name!r}) opens it.")


def service_from(kind: str, described: Mapping[str, str], limits: Limits | None = None) -> Any:
    """Open a service of a kind, ``"chat"`` or ``"http"``, by its description.

    That of a chat model has ``address``, ``model``, ``key_variable`` and ``use`` ("answer" or
    "translate"), and takes limits; that of an HTTP service has ``description`` (TOML).

    Raises `ServiceSetupError` when a part is missing, or the variable of the key is not set.
    """
    if kind == "http":
        return http_service(f"{described.get('description', '')}\n")
    for part, what in (("address", "the address"), ("model", "the name of the model")):
        if not described.get(part, "").strip():
            raise ServiceSetupError(f"Give {what} of the chat service.")
    if not described["address"].startswith(("http://", "https://")):
        raise ServiceSetupError(
            "The address begins with http:// or https://, such as http://127.0.0.1:8080/v1."
        )
    model = described["model"].strip()
    chosen: dict[str, Any] = {
        "base_url": described["address"].strip(), "limits": limits,
        "key": _key(described.get("key_variable", "")),
    }  # fmt: skip
    if described.get("use") == "translate":
        return ChatTranslator(model, **chosen)
    return ChatService(model, described.get("instruction") or ANSWER, **chosen)


def _key(variable: str) -> Secret | None:
    if not variable:
        return None
    if not current_access().is_owner:
        raise ServiceSetupError(
            "Environment variables of this server hold its owner's keys and cannot be used here."
        )
    if key := environment_secret(variable):
        return key
    raise ServiceSetupError(
        f"The environment variable {variable} is not set where biaslab runs. Set it and start"
        " biaslab again."
    )


_HOW: Final = (
    "Ask a causal language model (its name, or bl.load(..., kind='clm')), a chat model"
    " (bl.deciders.ChatDecider), a service or a chain of them, a text classifier, or a Python"
    " function of the question's text."
)
_SERVICES: Final = ("chat", "http", "function", "translation")


def decider_of(
    subject: Any,
    *,
    kind: str | None = None,
    answers: Mapping[str, str] | None = None,
    yes: str = "",
) -> Decider:
    """Return what asks a subject for decisions.

    Parameters
    ----------
    subject : Decider, LanguageModel, LanguageModelServer, Endpoint, Service, Chain, Classifier, \
            callable or str
        A decider is returned as it is. A name, a path or ``hf:NAME`` is opened: as a chat model, a
        service or a function where it is one of your own in the library, else by `biaslab.load`.
        A language model on a server is asked as a chat model at the same address.
    kind : str, optional
        Of a subject given by name: ``"clm"`` or ``"classifier"``.
    answers : mapping of str to str, optional
        Of a classifier: label to answer.
    yes : str
        Of a function that returns whether, or how probably: the answer that it means.

    Raises
    ------
    SubjectError
        If it cannot be asked for decisions, or cannot be opened; says what can.
    """
    if isinstance(subject, str | Path):
        return _named(subject, kind, answers, yes)
    if isinstance(subject, Decider):
        return subject
    if isinstance(subject, LanguageModel):
        return LanguageModelDecider(subject)
    if isinstance(subject, Endpoint):
        return ChatDecider(subject)
    if isinstance(subject, HasDecider):
        return subject.decider()
    if isinstance(subject, Classifier):
        return ClassifierDecider(subject, answers=answers)
    if isinstance(subject, Service | Chain):
        return ServiceDecider(subject)
    if isinstance(subject, Translator):
        raise WrongSubjectError(f"{subject.name} translates, and does not answer questions. {_HOW}")
    is_subject = hasattr(subject, "kind") or isinstance(subject, type)
    if callable(subject) and not is_subject:
        return FunctionDecider(subject, yes=yes)
    raise WrongSubjectError(f"A decision needs words; this is {described(subject)}. {_HOW}")


def _named(
    source: str | Path, kind: str | None, answers: Mapping[str, str] | None, yes: str
) -> Decider:
    own = own_subject(str(source))
    if own is not None and own.kind in _SERVICES:
        if own.function is not None:
            return FunctionDecider(own.function, yes=yes, name=own.name)
        service = open_own(own.name)
        # Its own instruction, to write a text anew or to translate it, is not that of a case.
        return decider_of(getattr(service, "endpoint", service))
    options = {} if kind is None else {"kind": kind}
    opened: Any = load_shared(source, **options)
    return decider_of(opened, answers=answers, yes=yes)
