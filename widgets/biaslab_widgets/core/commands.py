"""Commands of the front end: each is a function of its arguments that returns an outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NotRequired, TypeAlias, TypedDict

from biaslab.calls.code import source_of
from biaslab.results import Result
from biaslab_widgets.core.records import How

Arguments: TypeAlias = Mapping[str, Any]


class Content(TypedDict):
    """What a reply brings beside its message; a file to download when ``filename`` is set."""

    message: str
    filename: NotRequired[str]
    media_type: str
    content: str


class Explained(TypedDict):
    """What a reply brings that tells how the bench comes to what it shows."""

    message: str
    how: How


Act: TypeAlias = Callable[[Arguments], str | Content | Explained]
"""Carries out a command; returns the reply's message, or content with it. It raises, with a message
that says what to do, where the command cannot be carried out."""


def file(filename: str, media_type: str, content: str) -> Content:
    """The outcome of a command that makes a file."""
    return {
        "message": f"{filename} is ready.",
        "filename": filename,
        "media_type": media_type,
        "content": content,
    }


def code_of(results: Sequence[Result]) -> Content:
    """The outcome of a command that gives Python for results, to be copied."""
    calls = [one.provenance.call for one in results]
    known = [call for call in calls if call is not None]
    is_whole = len(known) == len(calls)
    return {
        "message": "The code is ready.",
        "media_type": "text/x-python",
        "content": source_of(*known) if is_whole else results[0].code(),
    }
