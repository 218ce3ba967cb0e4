"""Make a decider of a subject of any kind."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from biaslab.arguments import described
from biaslab.deciders.chat_decider import ChatDecider
from biaslab.deciders.classifier_decider import ClassifierDecider
from biaslab.deciders.decider import Decider
from biaslab.deciders.function_decider import FunctionDecider
from biaslab.deciders.inspect_decider import InspectDecider
from biaslab.deciders.language_model_decider import LanguageModelDecider
from biaslab.deciders.service_decider import ServiceDecider
from biaslab.endpoint import Endpoint
from biaslab.errors import WrongSubjectError
from biaslab.services import (
    Chain,
    ChatService,
    InspectService,
    LanguageModelServer,
    Service,
    Translator,
    open_own,
)
from biaslab.subjects.classifier import Classifier
from biaslab.subjects.language_model import LanguageModel
from biaslab.subjects.load import load_shared
from biaslab.subjects.own import own_subject

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
    if isinstance(subject, LanguageModelServer):
        return ChatDecider(subject.endpoint)
    if isinstance(subject, InspectService):
        return InspectDecider(subject.model.model, system=subject.instruction)
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
        # Its own instruction, to write a text anew, is not that of a case.
        return decider_of(service.endpoint if isinstance(service, ChatService) else service)
    options = {} if kind is None else {"kind": kind}
    opened: Any = load_shared(source, **options)
    return decider_of(opened, answers=answers, yes=yes)
