"""Services of any form as chains: one after the other, functions among them."""

from __future__ import annotations

from collections.abc import Callable

from biaslab.calls import recorded
from biaslab.errors import ServiceSetupError
from biaslab.services.function import FunctionService
from biaslab.services.service import Chain, Service, Translator

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
    """Return a service of any form as a chain: a single one has one step.

    Raises
    ------
    ServiceSetupError
        If it is no service.
    """
    if isinstance(service, Chain):
        return service
    if isinstance(service, Service):
        return Chain(service.name, (service,))
    if callable(service):
        return as_chain(FunctionService(service))
    raise ServiceSetupError(_why_no_service(service))


def _why_no_service(value: object) -> str:
    if isinstance(value, Translator):
        return (
            f"{value.name} translates between many languages. Say which with RoundTrip(translator,"
            " 'es') or Translation(translator, 'en', 'es')."
        )
    return (
        f"{value!r} is not a service. Pass one of biaslab.services, or a function that takes a"
        " text and returns a text."
    )
