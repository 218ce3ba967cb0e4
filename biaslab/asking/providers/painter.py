"""Image models behind an OpenAI-compatible address."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from biaslab.asking.endpoint import Endpoint
from biaslab.errors import EndpointAnswerError
from biaslab.jobs.job import JobContext
from biaslab.people.secret import Secret


@dataclass(frozen=True)
class Painted:
    """A generated picture.

    Attributes
    ----------
    content : bytes
        A picture file, which is untrusted.
    details : mapping of str to str or number
        Settings, such as the seed.
    """

    content: bytes
    details: Mapping[str, str | int | float] = field(default_factory=dict)


class EndpointPainter:
    """An image model behind an OpenAI-compatible address.

    The key is only held while this object lives: it is in no picture, no message, no file and no
    representation.

    Parameters
    ----------
    model : str
        Name of the model there.
    base_url, key, attempts, timeout
        As of `biaslab.asking.endpoint.Endpoint`.
    size : str
        Such as ``"1024x1024"``, in the server's notation.

    Raises
    ------
    MissingExtraError
        If ``openai`` is not installed.
    EndpointError
        If no key is given for OpenAI's own address.
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
        self.size = size
        # Some servers send an address unless the picture is requested; others reject that option.
        self._ask_for_content = True

    @property
    def name(self) -> str:
        """The model and its address."""
        return self.endpoint.name

    def __repr__(self) -> str:
        return f"<EndpointPainter {self.name}>"

    def paint(self, prompt: str, number: int, context: JobContext) -> Painted:
        """See `biaslab.images.Painter.paint`; a busy server is asked again."""
        del number

        def question(client: Any) -> bytes:
            options: dict[str, Any] = {"response_format": "b64_json"}
            reply = client.images.generate(
                model=self.endpoint.model, prompt=prompt, n=1, size=self.size,
                **(options if self._ask_for_content else {}),
            )  # fmt: skip
            return self._content(reply.data[0])

        try:
            content = self.endpoint.ask(question, context)
        except EndpointAnswerError as error:
            if not (error.final and self._ask_for_content and "response_format" in str(error)):
                raise
            self._ask_for_content = False
            content = self.endpoint.ask(question, context)
        return Painted(content, {"size": self.size})

    def _content(self, data: Any) -> bytes:
        text = getattr(data, "b64_json", None)
        if not text:
            problem = EndpointAnswerError(
                f"{self.endpoint.base_url} sent the address of a picture, which is not fetched."
                " Set the server to send the picture itself (b64_json)."
            )
            problem.final = bool(getattr(data, "url", None))
            raise problem
        try:
            return base64.b64decode(text, validate=True)
        except binascii.Error as error:
            raise EndpointAnswerError(
                f"{self.endpoint.base_url} sent an unreadable answer."
            ) from error
