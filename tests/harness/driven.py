"""A controller driven as a front end does, without a host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness.emitted import Emitted


class Driven:
    """A controller of a bench, and what it has emitted.

    Parameters
    ----------
    make : callable
        Makes the controller, given what it emits to.

    Attributes
    ----------
    controller : Controller
    emitted : Emitted
    """

    def __init__(self, make: Callable[[Emitted], Any]) -> None:
        self.emitted = Emitted()
        self.controller = make(self.emitted)
        self._last = 0

    @property
    def state(self) -> dict[str, Any]:
        """The newest state."""
        state: dict[str, Any] = vars(self.controller.snapshot())
        return state

    def answer(self, **values: Any) -> dict[str, Any]:
        """The answer to changed inputs."""
        generation = self.state["generation"] + 1
        self.controller.change({**values, "generation": generation})
        return self.emitted.answer(generation)

    def send(self, name: str, /, **args: Any) -> int:
        """Send a command; its number."""
        self._last += 1
        self.controller.change({"command": {"id": self._last, "name": name, "args": args}})
        return self._last

    def reply(self, name: str, /, **args: Any) -> dict[str, Any]:
        """Send a command, and wait for the reply, with which its effect is on the screen."""
        number = self.send(name, **args)
        state = self.emitted.until(lambda s: s.get("reply", {}).get("id") == number)
        found: dict[str, Any] = state["reply"]
        return found

    def refused(self, name: str, /, **args: Any) -> str:
        """Send a command that is refused; what is said of that."""
        reply = self.reply(name, **args)
        assert not reply["ok"], reply
        return str(reply["message"])

    def until(self, holds: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        """Wait for a picture of which this holds: see `Emitted.until`."""

        def arrived(state: dict[str, Any]) -> object:
            picture = state.get("answer", {}).get("picture")
            return False if picture is None else holds(picture)

        found: dict[str, Any] = self.emitted.until(arrived)["answer"]["picture"]
        return found
