"""The services of the rating bench: which are offered, and how a person adds others."""

from __future__ import annotations

from typing import Any

from biaslab.asking.providers.http_description import read_description
from biaslab.errors import QueryError
from biaslab.probes.rating import Attribute
from biaslab.services import ChatTranslator, http_service
from biaslab_widgets.benches.rating.fields import RatingBenchState, ServiceOption
from biaslab_widgets.benches.rating.services import ServiceSource, free_name, in_a_row, opened
from biaslab_widgets.core.commands import Act, Arguments
from biaslab_widgets.core.controller import Controller
from biaslab_widgets.core.latest import Latest
from biaslab_widgets.core.opening import Opening
from biaslab_widgets.core.private_arguments import key_of


class OfferedServices:
    """Offers services, and obeys the commands that add and remove them.

    Parameters
    ----------
    bench : Controller
        Whose they are.
    opening : Opening
        The services.
    environment : bool
        Whether a description of a service may name environment variables of this machine: not
        where others than the machine's owner describe services.
    """

    def __init__(
        self, bench: Controller[RatingBenchState], opening: Opening[Any], *, environment: bool
    ) -> None:
        self._bench, self._opening, self.environment = bench, opening, environment
        self._options: Latest[list[ServiceOption]] = Latest()
        self.commands: dict[str, Act] = {
            "describe": self._describe,
            "chat": self._chat,
            "compose": self._compose,
            "remove-service": self._remove,
        }

    def chosen(self, snapshot: RatingBenchState) -> ServiceSource | None:
        """The chosen service; None where there is none of that name."""
        source = self._opening.sources.get(snapshot.service)
        return source if isinstance(source, ServiceSource) else None

    def failure(self, source: ServiceSource) -> str:
        """Why a service could not be opened; empty where it was not tried, or is being opened."""
        error = self._opening.failure(source.name)
        return "" if error is None else str(error)

    def options(self, attribute: Attribute | None) -> list[ServiceOption]:
        """What the selector shows, of services asked about an attribute."""
        key = (
            None if attribute is None else attribute.name,
            tuple(
                (name, one.is_open, self._opening.failure(name) is not None)
                for name, one in self._opening.sources.items()
            ),
        )
        return self._options.of(key, lambda: self._made_options(attribute))

    def _made_options(self, attribute: Attribute | None) -> list[ServiceOption]:
        options = []
        for source in self._opening.sources.values():
            assert isinstance(source, ServiceSource)  # noqa: S101  # no other ones are put there
            option = source.service_option(attribute)
            option["problem"] = self.failure(source) or option["problem"]
            options.append(option)
        return options

    def _add(self, source: ServiceSource) -> str:
        with self._bench.computing:
            source.name = free_name(source.name, self._opening.sources)
            self._opening.add(source)
        self._choose(source.name)
        return f"{source.name} was added."

    def _choose(self, name: str) -> None:
        chosen = {"service": name, "language": ""}
        self._bench.change(chosen)
        self._bench.emit(chosen)

    def _describe(self, args: Arguments) -> str:
        toml = str(args.get("toml") or "")
        if not toml.strip():
            raise QueryError("Describe the service in TOML: its name, [request] and [answer].")
        # Of one line it would be the name of a file: here a description is its own text.
        text = f"{toml}\n"
        places = read_description(text).places
        if not self.environment and any(place.startswith("env:") for place in places):
            raise QueryError(
                "Environment variables of this machine cannot be used here. Describe the service"
                " in a notebook."
            )
        return self._add(opened(http_service(text), kind="HTTP API", own=True))

    def _chat(self, args: Arguments) -> str:
        model = str(args.get("model") or "").strip()
        if not model:
            raise QueryError("Name the model to call.")
        url = str(args.get("base_url") or "").strip() or None
        translator = ChatTranslator(model, base_url=url, key=key_of(args))
        name = str(args.get("name") or "").strip() or model
        return self._add(opened(translator, name, kind="chat model", own=True))

    def _compose(self, args: Arguments) -> str:
        names = [str(args.get(which) or "") for which in ("first", "second")]
        parts = []
        for name in names:
            source = self._opening.sources.get(name)
            if not isinstance(source, ServiceSource):
                raise QueryError(f"There is no service {name!r}: choose another.")
            parts.append(source)
        return self._add(in_a_row(parts[0], parts[1], " → ".join(names)))

    def _remove(self, args: Arguments) -> str:
        name = str(args.get("name", ""))
        source = self._opening.sources.get(name)
        if not isinstance(source, ServiceSource) or not source.own:
            raise QueryError(
                f"{name!r} was not added here. Only services that you added can be removed."
            )
        used = [
            one.name
            for one in self._opening.sources.values()
            if isinstance(one, ServiceSource) and name in one.composite
        ]
        if used:
            raise QueryError(f"{used[0]} uses {name}. Remove {used[0]} first.")
        with self._bench.computing:
            self._opening.remove(name)
        if self._bench.snapshot().service == name:
            self._choose(self._opening.first)
        return f"{name} was removed."
