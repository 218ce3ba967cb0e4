"""Any HTTP API that takes text and gives text, by a description in TOML."""

from __future__ import annotations

import json
import re
import tomllib
import urllib.parse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NoReturn

from biaslab.asking.http import fetch, fetch_json
from biaslab.asking.languages import language_code
from biaslab.asking.protocols import Cost, Limits, digest
from biaslab.asking.translation import no_pair
from biaslab.errors import OutboundError, ServiceAnswerError, ServiceRefusedError, ServiceSetupError
from biaslab.files.given import read_given
from biaslab.files.toml import parse_toml
from biaslab.network.admission import METHODS, check_target
from biaslab.people.access import current_access
from biaslab.people.secret import Secret, environment_secret, keys_in
from biaslab.records.calls import Reopened, recorded
from biaslab.records.calls.recording import call_of, remember

_PLACE = re.compile(r"\{(text|texts|source|target|env:[A-Za-z_][A-Za-z0-9_]*|typed-key:[0-9]+)\}")
_PART = re.compile(r"([^.\[\]]+)|\[([0-9]{0,6})\]")
LONGEST = 65_536
"""Characters of a description."""
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_RESERVED = frozenset(
    {
        "accept-encoding", "connection", "content-length", "cookie", "cookie2", "expect",
        "forwarded", "host", "keep-alive", "origin", "referer", "set-cookie", "te", "trailer",
        "transfer-encoding", "upgrade", "via", "x-http-method", "x-http-method-override",
        "x-method-override", "x-real-ip",
    }
)  # fmt: skip
"""Headers that the connection sets itself, or that say where a request comes from or goes."""
_RESERVED_BEGINNINGS = ("proxy-", "sec-", "x-forwarded-", ":")
_SECTIONS = {
    "": {"name", "about", "version", "request", "answer", "languages", "pairs", "limits", "cost"},
    "request": {"url", "method", "headers", "query", "json", "form", "text"},
    "answer": {"path"},
}


@recorded
def http_service(source: str | Path) -> HttpService | HttpTranslator:
    """Open a service over HTTP, by its description.

    Parameters
    ----------
    source : str or Path
        A TOML file, or TOML itself; docs/subjects/services.md has every field.

    Returns
    -------
    HttpTranslator
        If the request names languages, by ``{target}``.
    HttpService
        Otherwise.

    Raises
    ------
    ServiceSetupError
        If the description is wrong, or an environment variable that it names is not set.
    ServiceRefusedError
        If the owner of a server does not allow its host.
    """
    description = read_description(source)
    description.check_access()
    kind = HttpTranslator if "target" in description.places else HttpService
    service = kind(**vars(description) | {"keys": description.read_keys()})
    if description.typed_keys and not isinstance(source, Path) and "\n" in source:
        remember(service, call_of(http_service, description.without_keys(str(source))).tree)
    return service


@dataclass(eq=False, repr=False, kw_only=True)
class Description(Reopened):
    """A TOML description of an API, checked; its texts may hold places such as ``{source}``.

    Attributes
    ----------
    body_kind : str
        ``"json"``, ``"form"`` or ``"text"``; empty without a body.
    path : tuple of (str, int or None)
        Path to the answer in the JSON response: names, numbers of an item, and None for every item.
        Empty: the answer is the whole response as text.
    languages : mapping of str to str
        Code of `language_code` to the API's own.
    known : frozenset or None
        Pairs of languages that the API translates; None: it is not said.
    identity : str
        Name, version and a hash of the settings behind the answers; it contains no key.
    places : frozenset of str
        Places that occur, such as ``"text"`` and ``"env:MY_KEY"``.
    typed_keys : tuple of Secret
        Keys that are written out; ``{typed-key:0}`` stands in their places.
    keys : mapping of str to Secret
        All keys by their places, once the service is open.
    """

    name: str
    about: str
    url: str
    method: str
    headers: Mapping[str, str]
    query: Mapping[str, str]
    body_kind: str
    body: Any
    path: tuple[str | int | None, ...]
    languages: Mapping[str, str]
    known: frozenset[tuple[str, str]] | None
    limits: Limits
    cost: Cost
    identity: str
    places: frozenset[str]
    typed_keys: tuple[Secret, ...] = ()
    keys: Mapping[str, Secret] = field(default_factory=dict)

    def read_keys(self) -> dict[str, Secret]:
        """Return the keys by their places, such as ``"env:MY_KEY"``; all have to be set."""
        names = sorted(p.removeprefix("env:") for p in self.places if p.startswith("env:"))
        keys = {f"env:{name}": environment_secret(name) for name in names}
        missing = [name for name in names if not keys[f"env:{name}"]]
        if missing:
            raise ServiceSetupError(
                f"{self.name} needs the environment variable {', '.join(missing)}: set it before"
                " you start biaslab."
            )
        return keys | {f"typed-key:{number}": key for number, key in enumerate(self.typed_keys)}

    def without_keys(self, text: str) -> str:
        """Return a text with a place for an environment variable where it writes out a key."""
        for key in self.typed_keys:
            text = text.replace(key.open(), "{env:YOUR_KEY}")
        return text

    def check_access(self) -> None:
        """Refuse what the owner of a server does not let the person describe."""
        if current_access().reach.everything:
            return
        if any(place.startswith("env:") for place in self.places):
            raise ServiceSetupError(
                "Environment variables of this server cannot be used in a description here."
            )
        if self.method not in METHODS:
            raise ServiceSetupError(f"request.method is {self.method}: choose GET or POST here.")
        try:
            check_target(_PLACE.sub("x", self.url))
        except OutboundError as error:
            raise ServiceRefusedError(f"{self.name}: {error}") from None

    def _ask(self, texts: Sequence[str], **languages: str) -> list[str]:
        if "texts" in self.places:
            return self._ask_once({"texts": list(texts), **languages})
        return [self._ask_one(text, languages) for text in texts]

    def _ask_one(self, text: str, languages: dict[str, str]) -> str:
        answer = self._ask_once({"text": text, **languages})
        if len(answer) != 1:
            raise ServiceAnswerError(f"{self.name} gave {len(answer)} answers to 1 text.")
        return answer[0]

    def _ask_once(self, values: dict[str, Any]) -> list[str]:
        try:
            values |= {place: secret.open() for place, secret in self.keys.items()}
        except OutboundError as error:
            raise ServiceRefusedError(f"{self.name}: {error}") from None
        quoted = {
            key: urllib.parse.quote(value, safe="")
            for key, value in values.items()
            if isinstance(value, str)
        }
        url: str = filled(self.url, quoted)
        if self.query:
            joined = "&" if "?" in url else "?"
            url += joined + urllib.parse.urlencode(filled(self.query, values))
        body, kind = self._body(filled(self.body, values))
        headers = {"Accept": "application/json, text/plain;q=0.5"}
        headers |= {"Content-Type": kind} if kind else {}
        headers |= filled(self.headers, values)
        options: dict[str, Any] = {
            "name": self.name, "method": self.method, "headers": headers, "body": body,
            "timeout": self.limits.timeout, "secrets": tuple(self.keys.values()),
        }  # fmt: skip
        if not self.path:
            return [fetch(url, **options)]
        answer = _at(fetch_json(url, **options), self.path, self.name)
        texts = answer if isinstance(answer, list) else [answer]
        for text in texts:
            if not isinstance(text, str):
                raise ServiceAnswerError(
                    f"{self.name} has {type(text).__name__} instead of a text: check answer.path."
                )
        return texts

    def _body(self, content: Any) -> tuple[bytes | None, str]:
        match self.body_kind:
            case "json":
                text = json.dumps(content, ensure_ascii=False)
                return text.encode("utf-8", "replace"), "application/json"
            case "form":
                form = urllib.parse.urlencode(content)
                return form.encode(), "application/x-www-form-urlencoded"
            case "text":
                return str(content).encode(), "text/plain; charset=utf-8"
        return None, ""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"


class HttpService(Description):
    """A service over HTTP; made by `http_service`."""

    def answer(self, texts: Sequence[str]) -> list[str]:
        """See `Service.answer`."""
        return self._ask(texts)


class HttpTranslator(Description):
    """A translator over HTTP; made by `http_service`."""

    def pairs(self) -> frozenset[tuple[str, str]] | None:
        """See `Translator.pairs`."""
        return self.known

    def identity_of(self, source: str, target: str) -> str:
        """Return name, version, a hash of the description, and the pair."""
        return f"{self.identity} {source}-{target}"

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """See `Translator.translate`."""
        if self.known is not None and (source, target) not in self.known:
            raise no_pair(self.name, source, target, self.known)
        codes = self.languages
        return self._ask(texts, source=codes.get(source, source), target=codes.get(target, target))


def _at(value: Any, path: tuple[str | int | None, ...], name: str) -> Any:
    """Return the value at a path; a list if the path has an "every item"."""
    for place, part in enumerate(path):
        if part is None:
            if not isinstance(value, list):
                raise ServiceAnswerError(
                    f"{name} has no list where answer.path says []: {_has(value)}."
                )
            return [_at(item, path[place + 1 :], name) for item in value]
        fits = isinstance(value, list) if isinstance(part, int) else isinstance(value, dict)
        if not fits or (part not in value if isinstance(part, str) else part >= len(value)):
            raise ServiceAnswerError(f"{name} sent JSON without {part!r}: {_has(value)}.")
        value = value[part]
    return value


def _has(value: Any) -> str:
    if isinstance(value, dict):
        return f"there is {', '.join(repr(str(key)) for key in list(value)[:8]) or 'nothing'}"
    if isinstance(value, list):
        return f"there is a list of {len(value)}"
    return f"there is {str(value)[:80]!r}"


def read_description(source: str | Path) -> Description:
    """Read a description from a TOML file, or from TOML itself, which has several lines.

    A `ServiceSetupError` names the field and its problem.
    """
    where, text = "the description", str(source)
    if isinstance(source, Path) or "\n" not in source:
        path = Path(source).expanduser()
        where = str(path)
        try:
            text = read_given(path, 4 * LONGEST).decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or error
            raise ServiceSetupError(f"{where} cannot be read: {why}.") from error
    try:
        return _described(parse_toml(text, longest=LONGEST))
    except tomllib.TOMLDecodeError as error:
        raise ServiceSetupError(f"{where} is not valid TOML: {error}") from error
    except RecursionError as error:
        raise ServiceSetupError(f"{where} is too deeply nested for a description.") from error
    except ValueError as error:
        raise ServiceSetupError(f"{where} cannot be read: {error}.") from error
    except _Wrong as error:
        raise ServiceSetupError(f"{where}: {error}") from error


def filled(value: Any, values: Mapping[str, Any]) -> Any:
    """Fill placeholders in a text, list or mapping; a single one takes its value."""
    if isinstance(value, Mapping):
        return {key: filled(item, values) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, values) for item in value]
    if not isinstance(value, str):
        return value
    whole = _PLACE.fullmatch(value)
    if whole:
        return values[whole[1]]
    return _PLACE.sub(lambda match: str(values[match[1]]), value)


class _Wrong(Exception):
    """Problem of a field."""


def _described(data: dict[str, Any]) -> Description:
    if "{typed-key:" in json.dumps(data, default=str):
        raise _Wrong("{typed-key:...} stands for nothing: write the key, or {env:NAME}.")
    request, answer = _table(data, "request"), _table(data, "answer")
    keys = sorted(keys_in(request), key=len, reverse=True)
    request = _without(request, keys)
    for section, table in (("", data), ("request", request), ("answer", answer)):
        unknown = sorted(set(table) - _SECTIONS[section])
        if unknown:
            place = f"[{section}]" if section else "a description"
            known = ", ".join(sorted(_SECTIONS[section]))
            raise _Wrong(f"{place} has no {unknown[0]!r}: it has {known}.")
    name, url = _text(data, "name", ""), _text(request, "url")
    if not url.startswith(("http://", "https://", "{env:")):
        raise _Wrong(f"request.url is {url!r}: it must begin with https:// or http://.")
    host = re.split(r"[/?#\\]", url.partition("://")[2], maxsplit=1)[0]
    if any(f"{{{place}}}" in host for place in ("text", "texts", "source", "target")):
        raise _Wrong(f"request.url is {url!r}: its host is fixed, and cannot have a placeholder.")
    bodies = [kind for kind in ("json", "form", "text") if kind in request]
    if len(bodies) > 1:
        raise _Wrong(f"request has {' and '.join(bodies)}, but can have only one body.")
    places = frozenset(_PLACE.findall(json.dumps(request, ensure_ascii=False, default=_no_json)))
    if len(places & {"text", "texts"}) != 1:
        raise _Wrong(
            "request needs {text} in place of the text, or {texts} in place of a list of texts."
        )
    if "source" in places and "target" not in places:
        raise _Wrong("request has {source} but not {target}.")
    limits = _record(Limits, data, "limits")
    path = _path(answer.get("path", ""))
    if "texts" in places and (None not in path or "json" not in request):
        raise _Wrong(
            "{texts} goes with request.json and an answer.path with [], such as "
            "'translations[].text'."
        )
    if "text" in places and limits.texts_per_call != 1:
        raise _Wrong("limits.texts_per_call above 1 requires {texts}.")
    method = str(request.get("method", "POST" if bodies else "GET")).upper()
    if method not in ("GET", "POST", "PUT"):
        raise _Wrong(f"request.method is {method}: choose GET, POST or PUT.")
    version = str(data.get("version", ""))
    decides = json.dumps([request, answer, data.get("languages")], sort_keys=True, default=str)
    kind = bodies[0] if bodies else ""
    readers: dict[str, Callable[..., Any]] = {"json": dict.get, "form": _texts, "text": _text}
    return Description(
        name=name, about=str(data.get("about", "service over HTTP")), url=url, method=method,
        headers=_headers(request), query=_texts(request, "query"), body_kind=kind,
        body=readers[kind](request, kind) if kind else None, path=path,
        languages={language_code(k): v for k, v in _texts(data, "languages", "").items()},
        known=_pairs(data.get("pairs")), limits=limits, cost=_record(Cost, data, "cost"),
        identity=" ".join(filter(None, ("http", name, version, digest(decides)))), places=places,
        typed_keys=tuple(map(Secret, keys)),
    )  # fmt: skip


def _without(tree: Any, keys: Sequence[str]) -> Any:
    """Return data with places where keys are written out."""
    if isinstance(tree, dict):
        return {name: _without(item, keys) for name, item in tree.items()}
    if isinstance(tree, list):
        return [_without(item, keys) for item in tree]
    if isinstance(tree, str):
        for number, key in enumerate(keys):
            tree = tree.replace(key, f"{{typed-key:{number}}}")
    return tree


def _no_json(value: object) -> NoReturn:
    raise _Wrong(f"request has {value}, which JSON cannot hold: write it as text, in quotes.")


def _table(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = data.get(name, {})
    if not isinstance(value, dict):
        raise _Wrong(f"{name} is a table: write [{name}].")
    return value


def _text(data: Mapping[str, Any], name: str, prefix: str = "request.") -> str:
    value = data.get(name)
    if not isinstance(value, str) or not value.strip():
        raise _Wrong(f"{prefix}{name} is missing: give it as text.")
    return value


def _texts(data: Mapping[str, Any], name: str, prefix: str = "request.") -> dict[str, str]:
    table = _table(data, name)
    for key, value in table.items():
        if not isinstance(value, str):
            raise _Wrong(f"{prefix}{name}.{key} is {value!r}: write it as text, in quotes.")
    return dict(table)


def _headers(request: Mapping[str, Any]) -> dict[str, str]:
    headers = _texts(request, "headers")
    for name, value in headers.items():
        if name.lower() in _RESERVED or name.lower().startswith(_RESERVED_BEGINNINGS):
            raise _Wrong(f"request.headers.{name} is set by the connection: leave it out.")
        if not _HEADER.fullmatch(name) or not value.isprintable():
            raise _Wrong(
                f"request.headers.{name[:100]!r} is no header: its name has letters, digits and"
                " hyphens, and its value is one line."
            )
    return headers


def _record(kind: Any, data: Mapping[str, Any], name: str) -> Any:
    table = _table(data, name)
    known = {one.name: one.default for one in fields(kind)}
    for key, value in table.items():
        if key not in known:
            raise _Wrong(f"[{name}] has no {key!r}: it has {', '.join(known)}.")
        expected = str if isinstance(known[key], str) else (int, float)
        if isinstance(value, bool) or not isinstance(value, expected):
            raise _Wrong(
                f"{name}.{key} is {value!r}: write {'a text' if expected is str else 'a number'}."
            )
        if isinstance(value, float) and isinstance(known[key], int):
            raise _Wrong(f"{name}.{key} is {value!r}: write a whole number.")
    try:
        return kind(**table)
    except ServiceSetupError as error:
        raise _Wrong(f"[{name}]: {error}") from error


def _path(path: object) -> tuple[str | int | None, ...]:
    if not isinstance(path, str):
        raise _Wrong(f"answer.path is {path!r}: write it as text, such as 'data.translation'.")
    parts: list[str | int | None] = []
    position = 0
    while position < len(path):
        match = _PART.match(path, position)
        if not match:
            raise _Wrong(
                f"answer.path {path!r} cannot be read: separate names with dots; [0] to [999999] is"
                " one item, [] is every item."
            )
        parts.append(match[1] if match[1] else int(match[2]) if match[2] else None)
        position = match.end() + path.startswith(".", match.end())
    if parts.count(None) > 1:
        raise _Wrong(f"answer.path {path!r} has [] twice: only one list can be returned in order.")
    return tuple(parts)


def _pairs(pairs: object) -> frozenset[tuple[str, str]] | None:
    if pairs is None:
        return None
    if not isinstance(pairs, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(c, str) for c in pair)
        for pair in pairs
    ):
        raise _Wrong("pairs is a list of [source, target], such as [['en', 'es'], ['es', 'en']].")
    return frozenset((language_code(a), language_code(b)) for a, b in pairs)
