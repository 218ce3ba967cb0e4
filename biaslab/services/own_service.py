"""Open the services that a person has added to the library of subjects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from biaslab.access import current_access
from biaslab.errors import ServiceSetupError
from biaslab.secret import Secret, environment_secret
from biaslab.services.chat import ChatService, ChatTranslator
from biaslab.services.function import FunctionService
from biaslab.services.http_api import http_service
from biaslab.services.model_translator import ModelTranslator
from biaslab.services.service import Limits
from biaslab.subjects.loading_options import LoadingOptions
from biaslab.subjects.own import OwnSubject, own_subject


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
        When there is none of that name, or the variable of its key is not set.
    """
    subject = own_subject(name)
    if subject is None:
        raise ServiceSetupError(
            f"There is no service {name!r} of your own. bl.subjects.library.own_subjects() lists"
            " yours."
        )
    return service_of(subject)


def service_of(subject: OwnSubject) -> Any:
    """Open the service of an own subject.

    Raises
    ------
    ServiceSetupError
        When it is no service, or the variable of its key is not set.
    """
    if subject.function is not None:
        return FunctionService(subject.function, name=subject.name)
    if subject.kind == "translation":
        from biaslab.subjects.translation_model import load_translation_model

        options = LoadingOptions.of({}, subject.options)
        return ModelTranslator(load_translation_model(subject.source, options=options))
    if subject.kind in ("chat", "http"):
        return service_from(subject.kind, subject.service)
    raise ServiceSetupError(f"{subject.name} is no service: bl.load({subject.name!r}) opens it.")


def service_from(kind: str, described: Mapping[str, str], limits: Limits | None = None) -> Any:
    """Open a service by its description.

    Parameters
    ----------
    kind : {"chat", "http"}
    described : mapping of str to str
        ``address``, ``model``, ``key_variable`` and ``use`` ("answer" or "translate") of a chat
        model; ``description`` (TOML) of an HTTP service.
    limits : Limits, optional
        Of a chat model.

    Raises
    ------
    ServiceSetupError
        When a part is missing, or the variable of the key is not set.
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
    chosen: dict[str, Any] = {
        "base_url": described["address"].strip(),
        "limits": limits,
        "key": _key(described.get("key_variable", "")),
    }
    model = described["model"].strip()
    if described.get("use") == "translate":
        return ChatTranslator(model, **chosen)
    return ChatService(model, described.get("instruction") or ANSWER, **chosen)


ANSWER = "Rewrite the text that follows in your own words. Answer with the new text only."
"""Default instruction of a chat model that is rated."""


def _key(variable: str) -> Secret | None:
    if not variable:
        return None
    if not current_access().is_owner:
        raise ServiceSetupError(
            "Environment variables of this server hold its owner's keys and cannot be used here."
        )
    key = environment_secret(variable)
    if not key:
        raise ServiceSetupError(
            f"The environment variable {variable} is not set where biaslab runs. Set it and start"
            " biaslab again."
        )
    return key
