"""Part a reasoning model's thoughts from its reply."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from biaslab.record import Record

_TAG: Final = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>", re.IGNORECASE)


@dataclass(frozen=True)
class Parted(Record):
    """A text in two parts.

    Attributes
    ----------
    reasoning : str
        Thoughts, without their marks.
    reply : str
        The rest.
    is_complete : bool
        Whether the thoughts end.
    """

    reasoning: str
    reply: str
    is_complete: bool = True


def part(text: str) -> Parted:
    """Part the thoughts at the beginning of a text from the reply after them.

    Thoughts stand between ``<think>`` and ``</think>`` (or ``thinking``, ``thought``,
    ``reasoning``). The opening mark may be missing, as some servers put it into the prompt. All up
    to the last closing mark are thoughts.
    """
    marks = list(_TAG.finditer(text))
    closing = [mark for mark in marks if mark[1]]
    if closing:
        thoughts, reply = text[: closing[-1].start()], text[closing[-1].end() :]
        is_open = any(mark.start() > closing[-1].start() for mark in marks if not mark[1])
        return Parted(_bare(thoughts), reply.strip(), not is_open)
    if marks:
        return Parted(_bare(text), "", False)
    return Parted("", text.strip())


def _bare(text: str) -> str:
    return _TAG.sub("", text).strip()
