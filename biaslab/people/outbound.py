"""What a server's owner lets others call: services, models, names of the hub, and how much."""

from __future__ import annotations

import fnmatch
import ipaddress
import re
import socket
import urllib.parse
from dataclasses import dataclass, field
from typing import Any, Final

from biaslab.errors import OutboundError

COUNTS: Final = {
    "texts_per_call": (1, 10_000),
    "characters_per_text": (1, 10_000_000),
    "concurrency": (1, 32),
    "attempts": (1, 10),
}
"""Whole numbers."""
NUMBERS: Final = {"calls_per_second": (0.001, 1_000.0), "timeout": (0.001, 3_600.0)}
"""Any numbers; timeout in seconds."""


def limit_problem(**limits: object) -> str:
    """Return what is wrong with limits, and which values are allowed; empty if nothing is.

    >>> limit_problem(timeout=1e6)
    'timeout is 1000000.0; it must be a number from 0.001 to 3,600.'
    """
    for name, value in limits.items():
        is_count = name in COUNTS
        low, high = COUNTS[name] if is_count else NUMBERS[name]
        kinds = int if is_count else (int, float)
        fits = isinstance(value, kinds) and not isinstance(value, bool)
        if not fits or not low <= value <= high:  # type: ignore[operator]  # a number that fits
            what = "a whole number" if is_count else "a number"
            return f"{name} is {value!r}; it must be {what} from {low:,g} to {high:,g}."
    return ""


IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

WEB_PORTS: Final = (80, 443)
"""Ports that a service without one may be called at."""
ANY_HOST: Final = "*"
"""In a list of services: any host at a public address."""
_INNER_ENDINGS: Final = (".localhost", ".local", ".internal", ".lan", ".home.arpa")
_PATH: Final = re.compile(r"(/(?!\.)[\w.~-]{1,100}){0,10}")
_LETTERS: Final = re.compile(r"[a-z0-9._:-]{1,253}")
_NUMBER: Final = re.compile(r"[0-9a-fx]{1,64}(\.[0-9a-fx]{1,64}){0,3}")
_PRICE: Final = re.compile(
    r"(?P<read>\d{1,9}(\.\d{1,9})?)/(?P<written>\d{1,9}(\.\d{1,9})?)(?P<currency>[A-Z]{3})?"
)


@dataclass(frozen=True)
class Destination:
    """A service that may be called.

    Attributes
    ----------
    host : str
        Name or address as `plain_host` writes it; ``"*.example.org"`` for all names below one, and
        ``"*"`` for any host at a public address.
    port : int or None
        None: 80 and 443.
    path : str
        Beginning of the paths that may be called, such as ``"/v1"``; empty: any path.
    """

    host: str
    port: int | None = None
    path: str = ""

    @classmethod
    def of(cls, text: str) -> Destination:
        """Read ``HOST[:PORT][/PATH]``; an IPv6 address with a port stands in brackets.

        Raises `OutboundError` if it is something else.
        """
        place, slash, below = text.strip().partition("/")
        path = f"{slash}{below}".rstrip("/")
        host, port = _parted(place)
        wild = next((mark for mark in ("*.", "*") if host.startswith(mark)), "")
        rest = host.removeprefix(wild)
        name = plain_host(rest) if rest else ""
        right = (wild == ANY_HOST and not rest) or (wild != ANY_HOST and name)
        right = right and _PATH.fullmatch(path) is not None
        if not right or (port is not None and not 0 < port < 65536):
            raise OutboundError(
                f"{text!r} names no service. Give HOST or HOST:PORT, such as api.openai.com or"
                " 127.0.0.1:8000, without http://; with a path, such as 127.0.0.1:8000/v1, only"
                " addresses below it may be called."
            )
        return cls(f"{wild}{name}", port, path)

    def fits(self, host: str, port: int, path: str | None = None) -> bool:
        """Return whether a host, as `plain_host` writes it, a port and a path are meant.

        - `path`: of a request, as it is sent; None for a connection, whose request is not known.
        """
        if self.path and path is not None and not _is_below(path, self.path):
            return False
        if self.port is None and port not in WEB_PORTS:
            return False
        if self.port is not None and port != self.port:
            return False
        if self.host == ANY_HOST:
            return True
        if self.host.startswith("*."):
            return host.endswith(self.host[1:])
        return host == self.host


@dataclass(frozen=True)
class AllowedModel:
    """Models that may be asked by name.

    Attributes
    ----------
    pattern : str
        A name, in which ``*`` stands for any letters.
    read, written : float or None
        Price of a million tokens of questions, and of a million tokens of replies; None: unknown.
    currency : str
        Of the price.
    """

    pattern: str
    read: float | None = None
    written: float | None = None
    currency: str = "USD"

    @classmethod
    def of(cls, text: str) -> AllowedModel:
        """Read ``PATTERN`` or ``PATTERN=READ/WRITTEN`` with the price, such as ``0.25/2.00EUR``.

        Raises `OutboundError` if it is neither.
        """
        pattern, equals, price = text.strip().rpartition("=")
        if not equals:
            pattern, price = text.strip(), ""
        match = _PRICE.fullmatch(price)
        if not pattern or (equals and not match):
            raise OutboundError(
                f"{text!r} names no model. Give a name, in which * stands for any letters, or with"
                " the price of a million tokens read and written: 'gpt-5-mini=0.25/2.00USD'."
            )
        if match is None:
            return cls(pattern)
        read, written = float(match["read"]), float(match["written"])
        return cls(pattern, read, written, match["currency"] or "USD")

    def fits(self, model: str) -> bool:
        """Return whether a model is meant."""
        return fnmatch.fnmatchcase(model, self.pattern)

    def cost(self, tokens_read: float, tokens_written: float) -> float:
        """Return the cost of tokens; 0 without a price."""
        return (tokens_read * (self.read or 0.0) + tokens_written * (self.written or 0.0)) / 1e6


@dataclass(frozen=True)
class Quota:
    """How much may be called.

    Attributes
    ----------
    calls_per_hour, calls_per_day : int
        Requests, retries included.
    cost_per_day : float
        Of calls whose price is known, in the price's currency; each currency counts by itself.
    at_once : int
        Requests under way at once, in one process.
    """

    calls_per_hour: int = 600
    calls_per_day: int = 3_000
    cost_per_day: float = 5.0
    at_once: int = 8


@dataclass(frozen=True)
class Outbound:
    """What may be called in a person's name.

    Attributes
    ----------
    everything : bool
        Whether anything may be called, with the owner's keys, uncounted; the rest does not matter.
    services : tuple of Destination
        Hosts of service descriptions and chat models.
    models : tuple of AllowedModel
        Models that may be asked there; none: any, with a key of one's own or without one.
    hub : tuple of str
        Patterns of names of the hub, such as ``"hf:google/*"``.
    own_keys : bool
        Whether models of `models` are asked with the key of the server's owner.
    quota : Quota
        Of one person.
    total : Quota
        Of all persons together, since one may come back under another name.
    """

    everything: bool = False
    services: tuple[Destination, ...] = ()
    models: tuple[AllowedModel, ...] = ()
    hub: tuple[str, ...] = ()
    own_keys: bool = False
    quota: Quota = Quota()
    total: Quota = field(default_factory=lambda: Quota(30_000, 30_000, 50.0, 32))

    def allows(self, host: str, port: int, path: str | None = None) -> bool:
        """Return whether a host, as `plain_host` writes it, may be called at a port and a path."""
        return self.everything or any(one.fits(host, port, path) for one in self.services)

    def allows_inside(self, host: str, address: IPAddress, port: int) -> bool:
        """Return whether an address inside the machine or its network may be called.

        It may where the list names the address itself, or a name that leads nowhere else.
        """
        if self.everything:
            return True
        inner_name = host if literal(host) is None and is_inner_name(host) else None
        named = {str(address), inner_name}
        return any(one.host in named and one.fits(one.host, port) for one in self.services)

    def allows_model(self, model: str) -> bool:
        """Return whether a model may be asked with a key of one's own."""
        return self.everything or not self.models or self.listed(model) is not None

    def allows_own_key(self, model: str) -> bool:
        """Return whether a model may be asked with the owner's key."""
        return self.everything or (self.own_keys and self.listed(model) is not None)

    def listed(self, model: str) -> AllowedModel | None:
        """Return the entry of a model; None where none fits."""
        return next((one for one in self.models if one.fits(model)), None)

    def allows_hub(self, name: str) -> bool:
        """Return whether a name of a hub, with its prefix, may be opened."""
        return self.everything or any(fnmatch.fnmatchcase(name, pattern) for pattern in self.hub)


ANYWHERE: Final = Outbound(everything=True)
NOWHERE: Final = Outbound()


def plain_host(host: str) -> str:
    """Write a host in one way: lower case, ASCII, an address in its usual form.

    - Returns: empty where it is no host that may be called: with a zone, a login or odd letters.
    """
    text = host.strip("[]") if host.startswith("[") and host.endswith("]") else host
    if not text.isascii():
        try:
            text = text.encode("idna").decode("ascii")
        except UnicodeError:
            return ""
    text = text.lower().rstrip(".")
    if not _LETTERS.fullmatch(text):
        return ""
    address = literal(text)
    if address is not None:
        return str(address)
    return "" if ":" in text else text


def literal(host: str) -> IPAddress | None:
    """Return the address that a text is, also in octal, hexadecimal or with fewer parts."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    if not _NUMBER.fullmatch(host):
        return None
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except OSError:
        return None


def is_inner_name(host: str) -> bool:
    """Return whether a name can only be one of this machine or of its network."""
    return "." not in host or host.endswith(_INNER_ENDINGS)


def _is_below(path: str, beginning: str) -> bool:
    """Return whether a path is another or below it, however a server reads dots and escapes."""
    plain = urllib.parse.unquote(path)
    parts = plain.replace("\\", "/").split("/")
    if "%" in plain or any(part == "." or part.startswith("..") for part in parts):
        return False
    return path == beginning or path.startswith(f"{beginning}/")


def _parted(text: str) -> tuple[str, int | None]:
    bracketed = re.fullmatch(r"(\[[^\[\]]*\])(?::(\d{1,5}))?", text)
    if bracketed:
        return bracketed[1], int(bracketed[2]) if bracketed[2] else None
    if text.count(":") == 1:
        host, _, port = text.partition(":")
        return (host, int(port)) if re.fullmatch(r"[0-9]{1,5}", port) else ("", None)
    return text, None


def as_outbound(values: dict[str, Any]) -> Outbound:
    """Make a policy of the texts that an owner writes.

    - `values`: ``services``, ``models`` and ``hub`` as lists of text; further fields of `Outbound`
      as they are.
    - Raises `OutboundError` if one of them cannot be read.
    """
    rest = {name: value for name, value in values.items() if name not in _LISTS}
    return Outbound(
        services=tuple(Destination.of(text) for text in values.get("services", ())),
        models=tuple(AllowedModel.of(text) for text in values.get("models", ())),
        hub=tuple(_hub_pattern(text) for text in values.get("hub", ())),
        **rest,
    )


_LISTS: Final = ("services", "models", "hub")


def _hub_pattern(text: str) -> str:
    pattern = text.strip()
    if pattern == "*" or pattern.startswith(("hf:", "gensim:")):
        return pattern
    return f"hf:{pattern}"
