"""Services by name: the simulated ones, those of this machine, and others by their prefix."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from biaslab import services
from biaslab.calls import recorded
from biaslab.errors import ServiceSetupError
from biaslab.probes.rating.attributes import Attribute
from biaslab.probes.rating.attributes import attribute as predefined
from biaslab.probes.rating.simulated_service import SimulatedService
from biaslab.probes.rating.simulated_service import service as simulated
from biaslab.subjects.pretrained.options import LoadingOptions


@dataclass(frozen=True)
class KnownService:
    """A simulated service of known rating, for any attribute.

    Attributes
    ----------
    behaviour : str
        As `biaslab.observers.service` takes it.
    about : str
        What it does.
    languages : mapping of str to str
        Behaviour by middle language; empty for one that is called directly.
    """

    behaviour: str
    about: str
    languages: Mapping[str, str] = field(default_factory=dict)

    def of(self, attribute: Attribute) -> SimulatedService:
        """The service that changes this attribute.

        Raises
        ------
        ObserverError
            If the attribute has no value of that name.
        """
        first = f"always-{attribute.values[0].casefold()}"
        behaviours = {
            language: first if one.startswith("always-") else one
            for language, one in self.languages.items()
        }
        return simulated(self.behaviour, attribute=attribute, languages=behaviours)


KNOWN_SERVICES: Final[dict[str, KnownService]] = {
    "simulated translator": KnownService(
        "faithful",
        "behaves differently through each language; its ratings are known",
        {"es": "faithful", "tr": "always-he", "eo": "compensating", "ca": "erasing"},
    ),
    "faithful": KnownService("faithful", "keeps the values of its input"),
    "always he": KnownService("always-he", "turns everybody into he"),
    "always she": KnownService("always-she", "turns everybody into she"),
    "compensating": KnownService(
        "compensating", "returns equal numbers of each, whatever its input"
    ),
    "noisy": KnownService("noisy", "keeps the values of its input, except for one mention in ten"),
    "erasing": KnownService("erasing", "turns everybody into it"),
}
"""By the names that benches show."""


@recorded
def open_service(
    name: str | os.PathLike[str],
    attribute: str | Attribute = "gender",
    *,
    base_url: str | None = None,
    device: str | None = None,
    dtype: str | None = None,
    quantize: str | None = None,
    attention: str | None = None,
    revision: str | None = None,
) -> Any:
    """Open a service by its name.

    Parameters
    ----------
    name : str or path
        One of `KNOWN_SERVICES`; ``apertium``; ``observer:BEHAVIOUR`` for another simulated service;
        ``deep:ENGINE`` for an engine of deep-translator; ``models:NAME,NAME`` for translation
        models; ``chat:MODEL``; or a TOML file that describes an HTTP API.
    attribute : str or Attribute
        What a simulated service changes.
    base_url : str, optional
        Address of a chat model's server.
    device, dtype, quantize, attention, revision : str, optional
        How translation models are opened, as of `biaslab.load`.

    Raises
    ------
    ServiceSetupError
        If there is none of that name; lists the names.
    ObserverError
        If a simulated service has no such behaviour.
    SubjectError
        If a translation model cannot be opened, or something else is given options of one.
    """
    asked = os.fspath(name)
    kind, _, rest = asked.partition(":")
    options = LoadingOptions(
        device=device, dtype=dtype, quantize=quantize, attention=attention, revision=revision
    )
    if kind == "models" and rest:
        return services.ModelTranslator(
            *filter(None, map(str.strip, rest.split(","))), **options.given
        )
    options.refuse(tuple(options.given), asked)
    if asked in KNOWN_SERVICES:
        of = predefined(attribute) if isinstance(attribute, str) else attribute
        return KNOWN_SERVICES[asked].of(of)
    if asked.casefold() == "apertium":
        return services.apertium()
    if kind == "observer" and rest:
        return simulated(rest, attribute=attribute)
    if kind == "deep" and rest:
        return services.DeepTranslator(rest)
    if kind == "chat" and rest:
        return services.ChatTranslator(rest, base_url=base_url)
    if Path(asked).suffix == ".toml":
        return services.http_service(Path(asked))
    raise ServiceSetupError(
        f"There is no service {asked!r}. Choose one of: {', '.join(KNOWN_SERVICES)}, apertium;"
        " or give deep:ENGINE, models:NAME, chat:MODEL, observer:BEHAVIOUR, or a TOML file that"
        " describes an HTTP API."
    )
