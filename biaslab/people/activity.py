"""What people do, told to whoever keeps a record of it.

The code that saves, deletes or shares calls `note`. Nothing is kept by default; a server that
others reach adds a listener that writes its audit log. A note holds names and counts, never the
content of a text, a list or a key.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Fact: TypeAlias = "str | int | list[str]"
Listener = Callable[[str, "dict[str, Fact]"], object]
_listeners: list[Listener] = []


def note(event: str, **facts: Fact) -> None:
    """Tell the listeners that the person of now did something.

    - `event`: one word: "saved", "deleted", "shared", "ran", "added", "signed-in" or "refused".
    - `**facts`: what it was done to, such as the id of a run.
    """
    for listener in tuple(_listeners):
        listener(event, facts)


def listen(listener: Listener) -> Callable[[], None]:
    """Have a function called with each note; returns one that ends it."""
    _listeners.append(listener)
    return lambda: _listeners.remove(listener)
