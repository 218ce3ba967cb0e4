"""Commands of the front end: what each returns, and arguments that are kept out of the state."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NotRequired, TypeAlias, TypedDict

from biaslab.people.secret import Secret
from biaslab.records.calls.code import source_of
from biaslab.records.result import Result
from biaslab_widgets.core.state.records import Command, How

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


def key_of(args: Arguments) -> Secret:
    """The key among a command's arguments; an empty one where there is none."""
    return Secret.of(args.get("key"))


class PrivateArguments:
    """Private arguments of the commands that wait for their turn.

    A key that nobody may see, or a file that is large, is taken out of a command as it comes and
    given to whoever carries it out; what a host keeps, shows or saves is the command without it.

    - `names`: names of these arguments; ``key`` becomes a `Secret`.
    - `held`: arguments by the number of their command.
    - `removed`: whether a host still shows a command from which some were taken.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        self._lock = threading.Lock()
        self.held: dict[int, dict[str, Any]] = {}
        self.removed = False

    def taken_from(self, command: Command) -> Command:
        """The command without its private arguments, which are held."""
        private = {n: v for n, v in command["args"].items() if n in self._names and v}
        if not private:
            return command
        if "key" in private:
            private["key"] = Secret(str(private["key"]))
        with self._lock:
            self.held[command["id"]] = private
            self.removed = True
        rest = {n: v for n, v in command["args"].items() if n not in private}
        return {**command, "args": rest}

    def back(self, command: Command) -> dict[str, Any]:
        """All arguments of a command; the private ones are there once."""
        with self._lock:
            return {**command["args"], **self.held.pop(command["id"], {})}

    def forget(self, number: int) -> None:
        """Drop those of commands up to `number`: one that was passed over is never carried out."""
        with self._lock:
            self.held = {n: private for n, private in self.held.items() if n > number}
