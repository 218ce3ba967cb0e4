"""Faults of a simulated chat model: requests that it refuses, and replies that fail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from biaslab.errors import ObserverError
from biaslab.record import Record

Fault = Literal[
    "busy", "failing", "html", "empty", "unfinished", "cut", "foreign", "refusing", "filtered"
]
"""``busy`` is status 429, ``failing`` 500, ``html`` a web page in place of JSON; the others are
replies: an empty one, thoughts without an end, one that was cut off, one in another language, a
refusal in a field of its own, and one that a filter held back."""
FAULTY_REPLIES: Final[dict[str, tuple[str, str]]] = {
    "empty": ("", "stop"),
    "unfinished": ("<think>On the one hand, on the other hand,", "length"),
    "cut": ("I have read the case with care and would", "length"),
    "foreign": ("Ich kann beide Seiten verstehen und würde zusagen.", "stop"),
    "filtered": ("", "content_filter"),
}
"""Text of each fault that is a reply, and why it ends."""


@dataclass(frozen=True, kw_only=True)
class Faults(Record):
    """What a simulated server refuses, and how its answers fail.

    Attributes
    ----------
    refuses : tuple of str
        Fields of a request that it answers with 400: ``temperature``, ``logprobs``,
        ``max_tokens``, ``system``, ``image_url`` (pictures).
    first : tuple of Fault
        Faults of the first requests in turn; an empty one is none.
    always : Fault or ""
        Fault of every later request.
    sends_logprobs : bool
        Whether it sends log-probabilities that are requested, or leaves them out silently.
    reasoning_field : bool
        Whether thoughts come in the field ``reasoning_content``.
    retry_after : float
        Seconds that a busy server names.
    delay : float
        Seconds before each answer.
    """

    refuses: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    always: str = ""
    sends_logprobs: bool = True
    reasoning_field: bool = False
    retry_after: float = 0.01
    delay: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        known = ("", *get_args(Fault))
        if wrong := [fault for fault in (*self.first, self.always) if fault not in known]:
            raise ObserverError(f"No fault {wrong[0]!r}: there are {', '.join(known[1:])}.")

    def refused(self, body: dict[str, Any]) -> str | None:
        """Return the field for which a request is answered with 400; None if it has none."""
        for field in self.refuses:
            in_messages = (
                field == "system"
                and any(message.get("role") == "system" for message in messages_of(body))
            ) or (
                field == "image_url"
                and any(isinstance(message.get("content"), list) for message in messages_of(body))
            )
            if in_messages or field in body:
                return field
        return None


def messages_of(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the messages of a request."""
    given = body.get("messages")
    return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []
