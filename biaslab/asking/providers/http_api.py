"""Any HTTP API that takes text and gives text, by a description in TOML."""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from biaslab.asking.http import fetch, fetch_json
from biaslab.asking.providers.http_description import Description, filled, read_description
from biaslab.asking.service import Cost, Limits
from biaslab.asking.translation import no_pair
from biaslab.errors import OutboundError, ServiceAnswerError, ServiceRefusedError
from biaslab.records.calls import recorded
from biaslab.records.calls.recording import call_of, remember


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
    kind = HttpTranslator if description.translates else HttpService
    service = kind(description)
    if description.typed_keys and not isinstance(source, Path) and "\n" in source:
        remember(service, call_of(http_service, description.without_keys(str(source))).tree)
    return service


class _Described:
    """Shared part of both kinds; the key is in no message and no representation."""

    def __init__(self, description: Description) -> None:
        self.description = description
        self.name = description.name
        self.about = description.about
        self.limits: Limits = description.limits
        self.cost: Cost = description.cost
        self._secrets = description.secrets()

    def _ask(self, texts: Sequence[str], **languages: str) -> list[str]:
        if self.description.takes_several:
            return self._ask_once({"texts": list(texts), **languages})
        return [self._ask_one(text, languages) for text in texts]

    def _ask_one(self, text: str, languages: dict[str, str]) -> str:
        answer = self._ask_once({"text": text, **languages})
        if len(answer) != 1:
            raise ServiceAnswerError(f"{self.name} gave {len(answer)} answers to 1 text.")
        return answer[0]

    def _ask_once(self, values: dict[str, Any]) -> list[str]:
        about = self.description
        try:
            values |= {place: secret.open() for place, secret in self._secrets.items()}
        except OutboundError as error:
            raise ServiceRefusedError(f"{self.name}: {error}") from None
        quoted = {
            key: urllib.parse.quote(value, safe="")
            for key, value in values.items()
            if isinstance(value, str)
        }
        url: str = filled(about.url, quoted)
        if about.query:
            joined = "&" if "?" in url else "?"
            url += joined + urllib.parse.urlencode(filled(about.query, values))
        body, kind = self._body(values)
        headers = {"Accept": "application/json, text/plain;q=0.5"}
        headers |= {"Content-Type": kind} if kind else {}
        headers |= filled(about.headers, values)
        options: dict[str, Any] = {
            "name": self.name, "method": about.method, "headers": headers, "body": body,
            "timeout": self.limits.timeout, "secrets": tuple(self._secrets.values()),
        }  # fmt: skip
        if not about.path:
            return [fetch(url, **options)]
        return self._texts(fetch_json(url, **options))

    def _body(self, values: Mapping[str, Any]) -> tuple[bytes | None, str]:
        about = self.description
        if about.json is not None:
            content = json.dumps(filled(about.json, values), ensure_ascii=False)
            return content.encode("utf-8", "replace"), "application/json"
        if about.form is not None:
            form = urllib.parse.urlencode(filled(about.form, values))
            return form.encode(), "application/x-www-form-urlencoded"
        if about.text is not None:
            return str(filled(about.text, values)).encode(), "text/plain; charset=utf-8"
        return None, ""

    def _texts(self, answer: Any) -> list[str]:
        value = _at(answer, self.description.path, self.name)
        texts = value if isinstance(value, list) else [value]
        for text in texts:
            if not isinstance(text, str):
                raise ServiceAnswerError(
                    f"{self.name} has {type(text).__name__} instead of a text: check answer.path."
                )
        return texts

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"


class HttpService(_Described):
    """A service over HTTP; made by `http_service`."""

    @property
    def identity(self) -> str:
        """Name, version and a hash of the description."""
        return self.description.identity

    def answer(self, texts: Sequence[str]) -> list[str]:
        """See `Service.answer`."""
        return self._ask(texts)


class HttpTranslator(_Described):
    """A translator over HTTP; made by `http_service`."""

    def pairs(self) -> frozenset[tuple[str, str]] | None:
        """See `Translator.pairs`."""
        return self.description.pairs

    def identity_of(self, source: str, target: str) -> str:
        """Return name, version, a hash of the description, and the pair."""
        return f"{self.description.identity} {source}-{target}"

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """See `Translator.translate`."""
        known = self.description.pairs
        if known is not None and (source, target) not in known:
            raise no_pair(self.name, source, target, known)
        codes = self.description.languages
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
