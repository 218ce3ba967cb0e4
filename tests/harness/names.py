"""A resolver that knows the names of a test, and nothing else."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from typing import Any

import pytest


class Names:
    """Answers look-ups of names, in place of the system's resolver.

    Attributes
    ----------
    looked_up : list of str
        The names so far.
    """

    def __init__(self, known: Mapping[str, list[str] | Callable[[], list[str]]]) -> None:
        self._known = known
        self._system = socket.getaddrinfo
        self.looked_up: list[str] = []

    def getaddrinfo(self, host: Any, port: Any, *args: Any, **options: Any) -> Any:
        """As of `socket`; an address is itself, and an unknown name does not exist."""
        name = host.decode() if isinstance(host, bytes) else str(host)
        self.looked_up.append(name)
        known = self._known.get(name)
        if known is None:
            return self._system(name, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
        return [
            entry
            for address in (known() if callable(known) else known)
            for entry in self._system(
                address, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST
            )
        ]

    def use(self, monkeypatch: pytest.MonkeyPatch) -> Names:
        """Put it in the place of the system's resolver."""
        monkeypatch.setattr(socket, "getaddrinfo", self.getaddrinfo)
        return self
