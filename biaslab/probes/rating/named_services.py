"""Services by name: simulated ones with a known rating, those of this machine, and others.

A simulated service reads a text, decides the output of every mention, and writes it back. The
decision depends only on the seed and the text, so that the same text always gets the same answer.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from biaslab import services
from biaslab.asking.languages import language_code
from biaslab.errors import ObserverError, ServiceSetupError
from biaslab.probes.rating.attributes import OTHER, Attribute
from biaslab.probes.rating.attributes import attribute as predefined
from biaslab.probes.rating.ratings import Rating
from biaslab.probes.rating.reading import Found, reader
from biaslab.records.calls import Reopened, recorded
from biaslab.services import Chain, Cost, Limits
from biaslab.subjects.pretrained.options import LoadingOptions

BEHAVIOURS: Final = ("faithful", "always-he", "always-she", "compensating", "noisy", "erasing")

_LIMITS = Limits(texts_per_call=10_000)
_SENTENCES = re.compile(r"[^.!?]+[.!?]*\s*")
_ERASED = {
    "subject": "it",
    "object": "it",
    "possessive": "its",
    "reflexive": "itself",
    "noun": "person",
}
_AFTER_AN_OBJECT = re.compile(r"\W*(?:as|to|for|and|a|an|the)\b|\W*$", re.IGNORECASE)


class SimulatedService(Reopened):
    """A service of known rating; made by `service`.

    Attributes
    ----------
    behaviour : str
        Behaviour with respect to the attribute.
    noise : float
        Share of mentions that are returned as a named value drawn at random.
    languages : mapping of str to str
        Behaviour by middle language, if it differs.
    """

    limits = _LIMITS
    cost = Cost()

    def __init__(
        self,
        behaviour: str,
        attribute: Attribute,
        *,
        noise: float,
        seed: int,
        languages: Mapping[str, str],
        language: str = "",
    ) -> None:
        self.behaviour, self.attribute = behaviour, attribute
        self.noise, self.seed = noise, seed
        self.languages, self.language = dict(languages), language
        self._reader = reader(attribute, "en")
        self._words = _digest(attribute)
        # The same text always has the same answer, and simulations repeat texts.
        self._answered = functools.lru_cache(maxsize=200_000)(self._answer)
        self._rewritten = functools.lru_cache(maxsize=200_000)(self._rewrite)

    @property
    def name(self) -> str:
        """The behaviour, with its noise and language."""
        noisy = f", {100 * self.noise:g} % noise" if self.noise else ""
        through = f" through {self.language}" if self.language else ""
        return f"{self.behaviour} observer{noisy}{through}"

    @property
    def about(self) -> str:
        """That it is simulated."""
        return "a simulated service with a known rating"

    @property
    def identity(self) -> str:
        """Everything that its answers follow from; of the attribute's words a hash."""
        return f"{self._draws_of} {self._words}"

    @property
    def _draws_of(self) -> str:
        """Seed of its random numbers, independent of the words."""
        return (
            f"observer/1 {self.attribute.name} {self.behaviour} noise={self.noise!r} "
            f"seed={self.seed} language={self.language}"
        )

    @property
    def rating(self) -> Rating:
        """Its true rating, by the definitions; of its middle language."""
        return true_rating(self.behaviour)

    @property
    def ratings(self) -> dict[str, Rating]:
        """The true rating through each language that has a behaviour of its own."""
        return {name: true_rating(what) for name, what in self.languages.items()}

    def round_trip(self, middle: str, source: str = "en") -> Chain:  # noqa: ARG002 - one language
        """Return its behaviour through a middle language, as a chain."""
        single = SimulatedService(
            self.languages.get(middle, self.behaviour),
            self.attribute,
            noise=self.noise,
            seed=self.seed,
            languages={},
            language=middle,
        )
        return Chain(single.name, (single,))

    def answer(self, texts: Sequence[str]) -> list[str]:
        """Return the texts with every mention as this service returns it."""
        return list(map(self._answered, texts))

    def rewritten(self, text: str, rewrite: Callable[[str], str]) -> str:
        """Return the text with mentions changed by `rewrite`; "" changes nothing."""
        sentences = _SENTENCES.findall(text)
        values = [rewrite(self._reader.sentence(sentence).value) for sentence in sentences]
        return "".join(map(self._rewritten, sentences, values))

    def _answer(self, text: str) -> str:
        sentences = _SENTENCES.findall(text)
        mentions = [self._reader.sentence(sentence) for sentence in sentences]
        values = self._values(text, [each.value for each in mentions])
        return "".join(map(self._rewritten, sentences, values))

    def _values(self, text: str, values: list[str]) -> list[str]:
        """Return the output of every mention; an empty value changes nothing."""
        named, m = self.attribute.values, len(values)
        drawn = _uniform(f"{self._draws_of}|{text}", 2 * m + 1)
        if self.behaviour == "compensating":
            # As many of each as the text allows, in its own order.
            start = int(drawn[0] * len(named))
            output = [named[(start + i) % len(named)] for i in range(m)]
        elif self.behaviour == "erasing":
            output = [OTHER] * m
        elif self.behaviour.startswith("always-"):
            output = [_value_of(self.behaviour, self.attribute)] * m
        else:
            output = list(values)
        for i in range(m):
            if drawn[2 * i + 1] < self.noise:
                output[i] = named[int(drawn[2 * i + 2] * len(named))]
        return [value if source else "" for value, source in zip(output, values, strict=True)]

    def _rewrite(self, sentence: str, value: str) -> str:
        mention = self._reader.sentence(sentence)
        if not value or value == mention.value or not mention.spans:
            return sentence
        at = 0
        parts = []
        for start, end in mention.spans:
            old = sentence[start:end]
            new = self._word(value, mention, old, sentence[end:])
            parts += [sentence[at:start], new.capitalize() if old[:1].isupper() else new]
            at = end
        return "".join(parts) + sentence[at:]

    def _word(self, value: str, mention: Found, old: str, rest: str) -> str:
        forms = self.attribute.forms["en"]
        if self.attribute.name != "gender":
            return forms[value]["value"] if value in forms else "place"
        slot = _slot(old, rest, forms.get(mention.value, {}))
        if value == OTHER:
            return _ERASED[slot]
        return forms[value].get(slot, old)

    def __repr__(self) -> str:
        return f"<{self.name}: {self.rating}>"


@recorded
def service(
    behaviour: str = "faithful",
    *,
    attribute: str | Attribute = "gender",
    noise: float | None = None,
    languages: Mapping[str, str] | None = None,
    seed: int = 1,
) -> SimulatedService:
    """Simulate a service with a known rating.

    Parameters
    ----------
    behaviour : str
        ``"faithful"`` keeps every mention (DSBS); ``"always-he"``, ``"always-she"``, or
        ``"always-"`` and any value in small letters, makes all of them one value (BS);
        ``"compensating"`` gives each text the named values in turn, for any input (UCS);
        ``"noisy"`` is faithful with a tenth of noise (DSBS, as its noiseless parent);
        ``"erasing"`` makes all of them ``Other`` (not rateable).
    attribute : str or Attribute
        Attribute of the service.
    noise : float, optional
        Share of mentions returned as a named value drawn at random, from 0 to 0.5, with any
        behaviour; the rating stays that of the noiseless parent.
    languages : mapping of str to str, optional
        Behaviour by middle language (a code or an English name), if it differs. Nothing is
        translated: the answer is made from the English text, and there is no middle text.
    seed : int
        Of the noise, and of the order in which a compensating service assigns values.

    Raises
    ------
    ObserverError
        For an unknown behaviour, or noise outside its range.
    """
    of = predefined(attribute) if isinstance(attribute, str) else attribute
    for each in (behaviour, *(languages or {}).values()):
        _check(each, of)
    if noise is None:
        noise = 0.1 if behaviour == "noisy" else 0.0
    if not 0 <= noise <= 0.5:
        raise ObserverError(f"noise={noise}: choose a share from 0 to 0.5.")
    by_language = {language_code(name): what for name, what in (languages or {}).items()}
    return SimulatedService(behaviour, of, noise=noise, seed=seed, languages=by_language)


def true_rating(behaviour: str) -> Rating:
    """Return the rating of a behaviour by the paper's definitions (section 3.1)."""
    if behaviour.startswith("always-"):
        return Rating.BS
    return {
        "faithful": Rating.DSBS,
        "noisy": Rating.DSBS,
        "compensating": Rating.UCS,
        "erasing": Rating.NOT_RATEABLE,
    }[behaviour]


def _check(behaviour: str, attribute: Attribute) -> None:
    if behaviour.startswith("always-"):
        _value_of(behaviour, attribute)
    elif behaviour not in BEHAVIOURS:
        raise ObserverError(
            f"No behaviour {behaviour!r}: there are {', '.join(BEHAVIOURS)}, and 'always-' with "
            "any value."
        )


def _value_of(behaviour: str, attribute: Attribute) -> str:
    requested = behaviour.removeprefix("always-")
    for value in attribute.values:
        if value.casefold() == requested.casefold():
            return value
    raise ObserverError(
        f"{behaviour!r}: {attribute.name} has no value {requested!r}; it has "
        f"{', '.join(attribute.values)}."
    )


@functools.lru_cache(maxsize=64)
def _digest(attribute: Attribute) -> str:
    content = repr((attribute.values, attribute.forms, attribute.rules))
    return hashlib.blake2b(content.encode(), digest_size=8).hexdigest()


def _uniform(key: str, n: int) -> list[float]:
    """Return uniform numbers in [0, 1) that depend on a key."""
    drawn: list[float] = []
    while len(drawn) < n:
        digest = hashlib.blake2b(f"{len(drawn)}|{key}".encode(), digest_size=64).digest()
        drawn += [int.from_bytes(digest[i : i + 4], "big") / 2**32 for i in range(0, 64, 4)]
    return drawn


def _slot(old: str, rest: str, forms: Mapping[str, str]) -> str:
    """Return the slot of a pronoun; "her" is an object unless a noun follows it."""
    word = old.casefold()
    slots = [s for s in ("subject", "object", "possessive", "reflexive") if forms.get(s) == word]
    if not slots:
        return "noun"
    if len(slots) == 1:
        return slots[0]
    return "object" if _AFTER_AN_OBJECT.match(rest) else "possessive"


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
        return service(self.behaviour, attribute=attribute, languages=behaviours)


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
    text = os.fspath(name)
    kind, _, rest = text.partition(":")
    options = LoadingOptions(
        device=device, dtype=dtype, quantize=quantize, attention=attention, revision=revision
    )
    if kind == "models" and rest:
        return services.ModelTranslator(
            *filter(None, map(str.strip, rest.split(","))), **options.given
        )
    options.refuse(tuple(options.given), text)
    if text in KNOWN_SERVICES:
        of = predefined(attribute) if isinstance(attribute, str) else attribute
        return KNOWN_SERVICES[text].of(of)
    if text.casefold() == "apertium":
        return services.apertium()
    if kind == "observer" and rest:
        return service(rest, attribute=attribute)
    if kind == "deep" and rest:
        return services.DeepTranslator(rest)
    if kind == "chat" and rest:
        return services.ChatTranslator(rest, base_url=base_url)
    if Path(text).suffix == ".toml":
        return services.http_service(Path(text))
    raise ServiceSetupError(
        f"There is no service {text!r}. Choose one of: {', '.join(KNOWN_SERVICES)}, apertium;"
        " or give deep:ENGINE, models:NAME, chat:MODEL, observer:BEHAVIOUR, or a TOML file that"
        " describes an HTTP API."
    )
