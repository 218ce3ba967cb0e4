"""Image models behind an OpenAI-compatible address."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from biaslab.asking.endpoint import Endpoint
from biaslab.asking.service import Named
from biaslab.errors import EndpointAnswerError
from biaslab.jobs.job import JobContext
from biaslab.people.secret import Secret


@dataclass(frozen=True)
class Painted:
    """A generated picture: an untrusted file, and settings such as the seed."""

    content: bytes
    details: Mapping[str, str | int | float] = field(default_factory=dict)


class EndpointPainter(Named):
    """An image model behind an OpenAI-compatible address.

    The key is only held while this object lives: it is in no picture, no message, no file and no
    representation.

    Parameters
    ----------
    model, base_url, key, attempts, timeout
        As of `biaslab.asking.endpoint.Endpoint`.
    size : str
        Such as ``"1024x1024"``, in the server's notation.

    Raises
    ------
    MissingExtraError, EndpointError
        As of `biaslab.asking.endpoint.Endpoint`.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key: str | Secret | None = None,
        size: str = "1024x1024",
        attempts: int = 4,
        timeout: float = 180.0,
    ) -> None:
        self.endpoint = Endpoint(
            model, base_url=base_url, key=key, attempts=attempts, timeout=timeout, extra="images"
        )
        self.name, self.size = self.endpoint.name, size
        # Some servers send an address unless the picture is requested; others reject that option.
        self._form = {"response_format": "b64_json"}

    def paint(self, prompt: str, number: int, context: JobContext) -> Painted:
        """See `biaslab.images.Painter.paint`; a busy server is asked again."""
        try:
            content = self.endpoint.ask(lambda client: self._ask(client, prompt), context)
        except EndpointAnswerError as error:
            if not (error.final and self._form and "response_format" in str(error)):
                raise
            self._form = {}
            return self.paint(prompt, number, context)
        return Painted(content, {"size": self.size})

    def _ask(self, client: Any, prompt: str) -> bytes:
        (data, *_) = client.images.generate(
            model=self.endpoint.model, prompt=prompt, n=1, size=self.size, **self._form
        ).data
        if not (text := getattr(data, "b64_json", None)):
            raise EndpointAnswerError(
                f"{self.endpoint.base_url} sent the address of a picture, which is not fetched."
                " Set the server to send the picture itself (b64_json).",
                final=bool(getattr(data, "url", None)),
            )
        return base64.b64decode(text, validate=True)
