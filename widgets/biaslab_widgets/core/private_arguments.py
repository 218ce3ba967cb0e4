"""Arguments of commands that are no state: a key that nobody may see, a file that is large.

They are taken out of a command as it comes and given to whoever carries it out; what a host keeps,
shows or saves is the command without them.
"""

from __future__ import annotations

import threading
from typing import Any

from biaslab.secret import Secret
from biaslab_widgets.core.commands import Arguments
from biaslab_widgets.core.records import Command


def key_of(args: Arguments) -> Secret:
    """The key among a command's arguments; an empty one where there is none."""
    return Secret.of(args.get("key"))


class PrivateArguments:
    """Private arguments of the commands that wait for their turn.

    Parameters
    ----------
    names : tuple of str
        Names of these arguments; ``key`` becomes a `Secret`.

    Attributes
    ----------
    held : dict of int to dict
        Arguments by the number of their command.
    removed : bool
        Whether a host still shows a command from which some were taken.
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
