"""Apertium over HTTP: a server of apertium-apy, here or elsewhere."""

from __future__ import annotations

import threading
import urllib.parse
from collections.abc import Callable, Sequence
from typing import Any

from biaslab.calls import recorded_class
from biaslab.errors import ServiceAnswerError
from biaslab.services.http import fetch_json
from biaslab.services.languages import language_code
from biaslab.services.service import Cost, Limits
from biaslab.services.translation import no_pair


@recorded_class
class ApertiumHTTP:
    """A server of apertium-apy.

    Unknown words stay unchanged, without a mark.

    Parameters
    ----------
    url : str
        Its address, such as ``"http://127.0.0.1:2737"``.
    version : str or callable, optional
        Version of the answers in the store: a text, or a function of the pair (source, target).
        By default the address, so give one where the server's data change under one address.
    limits : Limits, optional
        By default two calls at once.
    """

    name = "Apertium"

    def __init__(
        self,
        url: str,
        *,
        version: str | Callable[[str, str], str] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.url = url.rstrip("/")
        self.limits = limits or Limits(concurrency=2)
        self.cost = Cost()
        self.version = version
        self._pairs: dict[tuple[str, str], tuple[str, str]] | None = None
        self._lock = threading.Lock()

    @property
    def about(self) -> str:
        """Description with the address."""
        return f"rule-based translator at {urllib.parse.urlsplit(self.url).netloc}"

    def pairs(self) -> frozenset[tuple[str, str]]:
        """See `Translator.pairs`; queries the server on first use.

        Raises
        ------
        ServiceError
            If the server does not say.
        """
        return frozenset(self._known())

    def identity_of(self, source: str, target: str) -> str:
        """Pair and version."""
        version = self.version(source, target) if callable(self.version) else self.version
        return f"apertium-apy {source}-{target} {version or self.url}"

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """See `Translator.translate`."""
        known = self._known()
        if (source, target) not in known:
            raise no_pair(self.name, source, target, known)
        pair = "|".join(known[source, target])
        return [self._translate(text, pair) for text in texts]

    def _translate(self, text: str, pair: str) -> str:
        form = {"langpair": pair, "markUnknown": "no", "format": "txt", "q": text}
        answer = self._ask("translate", form)
        try:
            return str(answer["responseData"]["translatedText"]).strip()
        except (KeyError, TypeError):
            raise ServiceAnswerError(
                f"{self.name} sent JSON without a translation: is {self.url} an apertium-apy?"
            ) from None

    def _known(self) -> dict[tuple[str, str], tuple[str, str]]:
        """Map codes of `language_code` to the server's own."""
        with self._lock:
            if self._pairs is None:
                answer = self._ask("listPairs")
                try:
                    named = [
                        (str(each["sourceLanguage"]), str(each["targetLanguage"]))
                        for each in answer["responseData"]
                    ]
                except (KeyError, TypeError):
                    raise ServiceAnswerError(
                        f"{self.url} does not list its pairs: is it an apertium-apy?"
                    ) from None
                self._pairs = {(language_code(a), language_code(b)): (a, b) for a, b in named}
            return self._pairs

    def _ask(self, path: str, form: dict[str, str] | None = None) -> Any:
        return fetch_json(
            f"{self.url}/{path}", name=self.name, timeout=self.limits.timeout,
            method="GET" if form is None else "POST",
            body=None if form is None else urllib.parse.urlencode(form).encode(),
            headers={"Content-Type": "application/x-www-form-urlencoded"} if form else None,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<ApertiumHTTP {self.url}>"
