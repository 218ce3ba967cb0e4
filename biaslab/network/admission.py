"""Let a request through, or say why not: host, method, model, quota."""

from __future__ import annotations

import re
import threading
import time
import urllib.parse
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from biaslab.errors import OutboundError
from biaslab.network.connections import connecting, not_allowed, unreachable
from biaslab.network.usage import count_call
from biaslab.people.access import acting_as, current_access
from biaslab.people.outbound import Destination, plain_host
from biaslab.threads.leaving import leave_if_cancelled

METHODS: Final = frozenset({"GET", "POST"})
"""Methods of requests that others than the owner may send."""
_PORTS: Final = {"http": 80, "https": 443}
_HUB_NAME: Final = re.compile(
    r"(hf:[A-Za-z0-9][\w.-]{0,95}(/[A-Za-z0-9][\w.-]{0,95})?|gensim:[\w.-]{1,96})"
)
_LONGEST_WAIT: Final = 120.0
"""Seconds to wait for one of the places that a person has."""
_LOOK_AGAIN: Final = 0.1


@dataclass(frozen=True)
class Target:
    """Where a request goes."""

    scheme: str
    host: str
    port: int


def target_of(url: str) -> Target:
    """Return where a request goes.

    Raises `OutboundError` if it is no plain http or https address.
    """
    try:
        parts = urllib.parse.urlsplit(url)
        host, port = plain_host(parts.hostname or ""), parts.port
    except ValueError:
        raise unreachable("") from None
    if parts.scheme not in _PORTS or not host or "@" in parts.netloc or "\\" in url:
        raise unreachable("")
    return Target(parts.scheme, host, port or _PORTS[parts.scheme])


@contextmanager
def admitted(url: str, method: str = "GET") -> Iterator[None]:
    """Check a request in the name of the person, count it, and hold one of their places.

    The owner's requests are neither checked nor counted. The block lasts until the answer is read.

    Raises
    ------
    OutboundError
        If the host or the method is not allowed, or the quota is used up.
    """
    access = current_access()
    reach = access.reach
    if reach.everything:
        yield
        return
    check_target(url)
    if method not in METHODS:
        raise OutboundError(f"Requests by {method} are not sent from here. Use GET or POST.")
    with _turns.taken(access.user, reach.quota.at_once, reach.total.at_once):
        # Work of the server's own programs goes uncounted: it reaches no other machine.
        if not _own_servers.get():
            count_call(access.user, reach.quota, reach.total)
        yield


@contextmanager
def admitted_provider() -> Iterator[None]:
    """Count a request that a provider's library sends, and let it connect in this block.

    The person has named a model, which `check_model` has found allowed, and no host.

    Raises
    ------
    OutboundError
        If the quota is used up.
    """
    access = current_access()
    reach = access.reach
    if reach.everything:
        yield
        return
    with _turns.taken(access.user, reach.quota.at_once, reach.total.at_once):
        count_call(access.user, reach.quota, reach.total)
        with connecting():
            yield


def check_target(url: str) -> None:
    """Refuse an address that the person may not call; nothing is looked up.

    Raises `OutboundError` if it may not be called.
    """
    reach = current_access().reach
    if reach.everything:
        return
    target = target_of(url)
    path = urllib.parse.urlsplit(url).path
    if not reach.allows(target.host, target.port, path):
        raise unreachable(target.host)


def check_model(name: str, *, own_key: bool = False) -> None:
    """Refuse a model that the person may not ask.

    Parameters
    ----------
    name : str
    own_key : bool
        Whether it would be asked with a key of the server's owner.

    Raises
    ------
    OutboundError
        If it may not be asked.
    """
    reach = current_access().reach
    if not reach.allows_model(name):
        raise not_allowed(f"The model {name[:100]!r}", "--allow-model NAME")
    if own_key and not reach.allows_own_key(name):
        raise OutboundError(
            f"Enter a key of your own for {name[:100]!r}. This server's key is used only where its"
            " owner allows it: biaslab serve --use-own-keys --allow-model NAME."
        )


def check_hub_name(name: str) -> None:
    """Refuse a name of a hub that the person may not open, downloaded before or not.

    Parameters
    ----------
    name : str
        With its prefix, such as ``"hf:google/gemma-3-1b"``.

    Raises
    ------
    OutboundError
        If it may not be opened, or is the path of a file on this machine.
    """
    reach = current_access().reach
    if reach.everything:
        return
    is_name = _HUB_NAME.fullmatch(name) is not None and ".." not in name
    # A folder of that name beside the server would be opened in place of the hub's model.
    if not is_name or Path(name.partition(":")[2]).exists() or not reach.allows_hub(name):
        raise not_allowed(f"{name[:200]!r}", "--allow-hub NAME")


@contextmanager
def reaching(url: str) -> Iterator[None]:
    """Let this block call a server that this process has started itself on this machine."""
    access = current_access()
    target = target_of(url)
    service = Destination(target.host, target.port)
    reach = replace(access.reach, services=(*access.reach.services, service))
    before = _own_servers.set(True)
    try:
        with acting_as(replace(access, outbound=reach)):
            yield
    finally:
        _own_servers.reset(before)


_own_servers: ContextVar[bool] = ContextVar("biaslab-own-servers", default=False)


class _Turns:
    """Requests under way, by person."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._taken: Counter[str] = Counter()

    @contextmanager
    def taken(self, person: str, most: int, most_in_all: int) -> Iterator[None]:
        """Wait for a place, and hold it in this block."""
        until = time.monotonic() + _LONGEST_WAIT
        with self._changed:
            while self._taken[person] >= most or self._taken.total() >= most_in_all:
                leave_if_cancelled()
                if time.monotonic() > until:
                    raise OutboundError(
                        "Too many requests are under way on this server. Try again in a few"
                        " minutes."
                    )
                self._changed.wait(_LOOK_AGAIN)
            self._taken[person] += 1
        try:
            yield
        finally:
            with self._changed:
                self._taken[person] -= 1
                if not self._taken[person]:
                    del self._taken[person]
                self._changed.notify_all()


_turns = _Turns()
