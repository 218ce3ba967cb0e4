"""Open what ``bl.load`` is given as an address."""

from __future__ import annotations

from biaslab.errors import ServiceSetupError, SubjectError
from biaslab.services.inspect_service import InspectService
from biaslab.services.language_model_server import LanguageModelServer
from biaslab.store import Store


def open_server(address: str, *, name: str | None = None) -> LanguageModelServer:
    """Open ``MODEL@ADDRESS``; its replies are kept in the person's own store.

    Raises
    ------
    SubjectError
        If no model or address is given; otherwise as `LanguageModelServer`.
    """
    model, at, url = address.rpartition("@")
    if not at and address:
        model, url = address, ""
    if not model or (at and not url.startswith(("http://", "https://"))):
        raise SubjectError(
            f"openai:{address} names no model on a server. Write openai:MODEL@ADDRESS, such as"
            " openai:my-model@http://127.0.0.1:8000/v1."
        )
    return LanguageModelServer(model, base_url=url or None, name=name, store=Store())


def open_inspect(model: str, *, name: str | None = None) -> InspectService:
    """Open ``PROVIDER/MODEL`` of Inspect as a service without an instruction.

    Raises
    ------
    ServiceSetupError
        If no model is given, or Inspect cannot open it.
    """
    if "/" not in model.strip("/"):
        raise ServiceSetupError(
            f"inspect:{model} names no model. Write inspect:PROVIDER/MODEL, such as"
            " inspect:anthropic/claude-sonnet-4-0."
        )
    return InspectService(model, name=name)
