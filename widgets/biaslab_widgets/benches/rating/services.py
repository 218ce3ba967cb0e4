"""Services that the rating bench offers: simulated ones, those of this machine, and a person's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from biaslab.asking.providers.http_api import read_description
from biaslab.errors import ArgumentError, BiaslabError, QueryError, ServiceSetupError
from biaslab.probes.rating import KNOWN_SERVICES, PAPER_LANGUAGES, Attribute, KnownService
from biaslab.probes.rating.named_services import SimulatedService, open_service, true_rating
from biaslab.records.wording import prose
from biaslab.services import (
    Chain,
    ChatTranslator,
    Composite,
    RoundTrip,
    Service,
    Translator,
    apertium,
    apertium_is_installed,
    as_chain,
    http_service,
    language_name,
    open_own,
    round_trip_languages,
)
from biaslab_widgets.benches.rating.fields import LanguageOption, RatingBenchState, ServiceOption
from biaslab_widgets.core.answers.cache import Latest
from biaslab_widgets.core.bench.controller import Controller
from biaslab_widgets.core.state.commands import Act, Arguments, key_of
from biaslab_widgets.core.state.records import SubjectOption
from biaslab_widgets.core.subjects.opening import Opening
from biaslab_widgets.core.subjects.sources import OnProgress, Source, checked_sources

MOST = 8
"""Of a service with many languages so many are chosen at first."""
SIMULATED = "simulated"
GivenService = Any
"""A service, a chain, a translator, a function, an observer; or its source."""


@dataclass(frozen=True)
class InARow:
    """Two services one after the other; the second gets what the first answers."""

    name: str
    first: ServiceSource
    second: ServiceSource

    @property
    def about(self) -> str:
        """What it is."""
        return f"{self.first.name}, then {self.second.name} on its answers"

    @property
    def languages(self) -> tuple[str, ...]:
        """Middle languages of both; of one of them where the other has none."""
        one, other = self.first.languages, self.second.languages
        if one and other:
            return tuple(language for language in one if language in other)
        return one or other

    def of(self, attribute: Attribute) -> Any:
        """What is asked about this attribute."""
        if self.languages:
            return _Trips(self, attribute)
        parts = [_directly(one.asked(attribute)) for one in (self.first, self.second)]
        return Composite(*parts, name=self.name)


class _Trips:
    """Two services in a row through one middle language at a time."""

    def __init__(self, whole: InARow, attribute: Attribute) -> None:
        self.name, self.about = whole.name, whole.about
        self._parts = [
            (one.asked(attribute), bool(one.languages)) for one in (whole.first, whole.second)
        ]

    def round_trip(self, middle: str, source: str = "en") -> Chain:
        """The round trip of the first, then that of the second."""
        made = [
            _through(one, middle, source) if through else _directly(one)
            for one, through in self._parts
        ]
        return Composite(*made, name=f"{self.name} through {language_name(middle)}")


def _through(service: Any, middle: str, source: str) -> Chain:
    trip = getattr(service, "round_trip", None)
    made: Chain = trip(middle, source) if trip else RoundTrip(service, middle, source)
    return made


def _directly(service: Any) -> Chain:
    return as_chain(service)


class ServiceSource(Source[Any]):
    """A service by name, opened when it is chosen.

    - `name`, `opener`, `subject`, `given`: as of `Source`.
    - `about`: what it is, before it is open.
    - `kind`: as the selector shows it.
    - `composite`: names of the two services that it is made of.
    - `own`: whether it was described here, and can be removed.
    """

    def __init__(
        self,
        name: str,
        opener: Callable[[OnProgress], Any],
        subject: Any = None,
        *,
        about: str = "",
        kind: str = "service",
        composite: Sequence[str] = (),
        own: bool = False,
        given: str = "",
    ) -> None:
        super().__init__(name, opener, subject, given=given)
        self._about, self.kind = about, kind
        self.composite, self.own = tuple(composite), own
        self._languages: tuple[str, ...] | None = None

    @property
    def about(self) -> str:
        """What it is."""
        return str(getattr(self._subject, "about", "") or self._about)

    @property
    def option(self) -> SubjectOption:
        """As of `Source`."""
        return {
            "name": self.name,
            "about": self.about,
            "kind": self.kind,
            "replicates": 1,
            "group": "Services",
            "what": self.kind,
        }

    def open(self, on_progress: OnProgress = lambda _done, _total: None) -> Any:
        """The service, and which languages it has; may take long."""
        subject = super().open(on_progress)
        if self._languages is None:
            self._languages = _languages(subject)
        return subject

    @property
    def is_open(self) -> bool:
        """Whether `open` returns at once."""
        return self._subject is not None and self._languages is not None

    @property
    def languages(self) -> tuple[str, ...]:
        """Its middle languages; empty for one that is asked directly, or that is not open."""
        return self._languages or ()

    def asked(self, attribute: Attribute) -> Any:
        """What `biaslab.rate` is given.

        Raises `BiaslabError` when it cannot be asked about this attribute.
        """
        subject = self.open()
        if isinstance(subject, KnownService | InARow):
            return subject.of(attribute)
        if isinstance(subject, SimulatedService) and subject.attribute.name != attribute.name:
            raise QueryError(
                f"{self.name} looks at {subject.attribute.name}: choose that attribute."
            )
        return subject

    def truth(self, attribute: Attribute) -> str:
        """The known rating of a simulated one, in words; else empty."""
        if not self.is_open:
            return ""
        try:
            service = self.asked(attribute)
        except BiaslabError:
            return ""
        if not isinstance(service, SimulatedService):
            return ""
        if not service.languages:
            return str(true_rating(service.behaviour))
        by_rating: dict[str, list[str]] = {}
        for language, rating in service.ratings.items():
            by_rating.setdefault(str(rating), []).append(language_name(language))
        return ", ".join(f"{r} through {' and '.join(names)}" for r, names in by_rating.items())

    def service_option(self, attribute: Attribute | None) -> ServiceOption:
        """What the bench's selector shows."""
        problem, truth = "", ""
        if attribute is not None and self.is_open:
            truth = self.truth(attribute)
            try:
                self.asked(attribute)
            except BiaslabError as error:
                problem = prose(error)
        languages: list[LanguageOption] = [
            {"code": code, "title": language_name(code)} for code in self.languages
        ]
        return {
            "name": self.name,
            "about": self.about,
            "kind": self.kind,
            "languages": languages,
            "truth": truth,
            "composite": list(self.composite),
            "own": self.own,
            "problem": problem,
        }


def _languages(subject: Any) -> tuple[str, ...]:
    if isinstance(subject, KnownService | SimulatedService):
        return tuple(subject.languages)
    if isinstance(subject, InARow):
        return subject.languages
    if isinstance(subject, Translator) and not isinstance(subject, Service):
        known = round_trip_languages(subject)
        # Who does not say which languages it has is offered those of the paper.
        return PAPER_LANGUAGES if known is None else tuple(known)
    return ()


def opened(
    subject: Any,
    name: str = "",
    *,
    about: str = "",
    kind: str = "",
    composite: Sequence[str] = (),
    own: bool = False,
) -> ServiceSource:
    """The source of a service that is there.

    Raises `ServiceSetupError` when it is no service.
    """
    if isinstance(subject, Translator) and not isinstance(subject, Service):
        kind = kind or "translator"
    elif isinstance(subject, str):
        subject = open_service(subject)
        kind = kind or SIMULATED
    elif not isinstance(subject, KnownService | SimulatedService | InARow):
        subject = as_chain(subject)
    elif not kind:
        kind = SIMULATED
    source = ServiceSource(
        name or str(subject.name),
        lambda _progress: subject,
        subject,
        about=about,
        kind=kind or "service",
        composite=composite,
        own=own,
    )
    source.open()
    return source


def simulated_services() -> list[ServiceSource]:
    """Services whose rating is known: a translator by language, and one of each kind."""
    return [opened(known, name, about=known.about) for name, known in KNOWN_SERVICES.items()]


def services_here() -> list[ServiceSource]:
    """Services that are installed on this machine; none is started before it is chosen."""
    if not apertium_is_installed():
        return []
    about = "rule-based translator on this machine"
    return [ServiceSource("Apertium", lambda _progress: apertium(), about=about, kind="translator")]


def own_service_source(name: str, kind: str) -> ServiceSource:
    """The source of a service that a person has added to the library."""
    return ServiceSource(
        name, lambda _progress: open_own(name), about="your own", kind=kind, given=name
    )


def service_sources(
    given: GivenService | Iterable[GivenService] | Mapping[str, ServiceSource] | None = None,
) -> dict[str, ServiceSource]:
    """Sources by name; by default the simulated services, and those of this machine.

    Raises `ServiceSetupError` when one is no service.
    """
    if isinstance(given, Mapping):
        return checked_sources(dict(given))
    if given is None:
        made = [*simulated_services(), *services_here()]
    else:
        several = isinstance(given, Iterable) and not isinstance(given, str)
        entries = list(given) if several else [given]
        if not entries:
            raise ServiceSetupError("Give at least one service, or none to use the simulated ones.")
        made = [one if isinstance(one, ServiceSource) else opened(one) for one in entries]
    named: dict[str, ServiceSource] = {}
    for source in made:
        source.name = free_name(source.name, named)
        named[source.name] = source
    return named


def check_service(name: object, services: Mapping[str, ServiceSource]) -> None:
    """Refuse the name of a service that is not offered.

    Raises `ArgumentError`, which lists the names that there are.
    """
    if name not in services:
        raise ArgumentError(
            f"There is no service “{name}”. Choose one of: {', '.join(services)}. Pass your own"
            " service first: RatingBench(service)."
        )


def free_name(name: str, taken: Iterable[str]) -> str:
    """The name, numbered where there is one of that name."""
    used = set(taken)
    unique, count = name, 2
    while unique in used:
        unique, count = f"{name} ({count})", count + 1
    return unique


def in_a_row(first: ServiceSource, second: ServiceSource, name: str) -> ServiceSource:
    """Two services as one.

    Raises `QueryError` when they have no middle language in common.
    """
    row = InARow(name, first, second)

    def both(_progress: OnProgress) -> InARow:
        for one in (first, second):
            one.open()
        if first.languages and second.languages and not row.languages:
            raise QueryError(f"{first.name} and {second.name} have no middle language in common.")
        return row

    source = ServiceSource(
        name,
        both,
        about=row.about,
        kind="two in a row",
        composite=(first.name, second.name),
        own=True,
    )
    if first.is_open and second.is_open:
        source.open()
    return source


class OfferedServices:
    """Offers services, and obeys the commands that add and remove them.

    - `bench`: whose they are.
    - `opening`: the services.
    - `environment`: whether a description of a service may name environment variables of this
      machine: not where others than the machine's owner describe services.
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
        return "" if error is None else prose(error)

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
                raise QueryError(f"There is no service “{name}”: choose another.")
            parts.append(source)
        return self._add(in_a_row(parts[0], parts[1], " → ".join(names)))

    def _remove(self, args: Arguments) -> str:
        name = str(args.get("name", ""))
        source = self._opening.sources.get(name)
        if not isinstance(source, ServiceSource) or not source.own:
            raise QueryError(
                f"“{name}” was not added here. Only services that you added can be removed."
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
