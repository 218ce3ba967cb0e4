"""Commands whose arguments are no state: a key that nobody may see, a file that is large.

They are taken out of a command as it comes and given to whoever carries it out; what a host keeps,
shows or saves is the command without them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from biaslab_widgets.core.controller import B, Controller
from biaslab_widgets.core.records import Command


class Key:
    """A key that is not shown by accident: what is printed or logged of it says nothing."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return "<Key>"

    def __reduce__(self) -> Any:
        raise TypeError("A key is not stored.")

    def __bool__(self) -> bool:
        return bool(self._text)

    def open(self) -> str:
        """The key itself."""
        return self._text


class ApartController(Controller[B]):
    """A controller that keeps some arguments of commands out of its state.

    Attributes
    ----------
    apart : tuple of str
        Names of these arguments; ``key`` becomes a `Key`.
    """

    apart: ClassVar[tuple[str, ...]] = ("key",)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._apart: dict[int, dict[str, Any]] = {}
        self._blanked = False

    def change(self, values: Mapping[str, Any]) -> None:
        """Take changed inputs; what is kept apart is put where nobody sees it."""
        if (command := values.get("command")) is not None:
            held = {n: v for n, v in command["args"].items() if n in self.apart and v}
            if held:
                if "key" in held:
                    held["key"] = Key(str(held["key"]))
                bare = {n: v for n, v in command["args"].items() if n not in held}
                with self._lock:
                    self._apart[command["id"]] = held
                    self._blanked = True
                values = {**values, "command": {**command, "args": bare}}
        super().change(values)

    def work(self) -> None:
        """Blank a command of which something is kept apart, then answer."""
        if self._blanked:
            self._blanked = False
            self.emit({"command": self.snapshot().command})
        super().work()
        with self._lock:  # nobody asks any more for what came with a command that was passed over
            self._apart = {n: held for n, held in self._apart.items() if n > self._command_done}

    def whole(self, command: Command) -> Command:
        """A command with what came with it and is kept apart; there once."""
        return {**command, "args": {**command["args"], **self.apart_of(command)}}

    def key_of(self, command: Command) -> Key:
        """The key of a command: it is in one that is `whole`, and there once for another."""
        found: Key = command["args"].get("key") or self.apart_of(command).get("key") or Key("")
        return found

    def apart_of(self, command: Command) -> dict[str, Any]:
        """What came with a command and is kept apart; there once."""
        with self._lock:
            return self._apart.pop(command["id"], {})
