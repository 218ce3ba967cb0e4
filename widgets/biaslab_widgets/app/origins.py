"""Names under which the app may be reached, and pages that may ask it.

A page of another site must not use the browser of a person who is signed in. And a name that its
owner points at this machine later (DNS rebinding) must not make a foreign page count as one of the
app's: the app answers to addresses, to the machine's own names, and to names that were allowed.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable
from functools import cached_property
from urllib.parse import urlsplit

from biaslab.errors import BiaslabError

_ALLOWED = re.compile(r"(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")
LOCAL_NAMES = ("localhost",)


class Origins:
    """Where requests may come from.

    Parameters
    ----------
    allowed : iterable of str
        ``HOST`` or ``HOST:PORT``, as a browser shows them.

    Raises
    ------
    BiaslabError
        When one is no host.
    """

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        self.allowed = tuple(dict.fromkeys(_checked(one) for one in allowed))

    @cached_property
    def own_names(self) -> frozenset[str]:
        """Names of this machine."""
        name = socket.gethostname().lower()
        short = name.partition(".")[0]
        return frozenset({*LOCAL_NAMES, name, short, f"{short}.local"} - {""})

    def answers_to(self, host: str) -> bool:
        """Return whether a request may name this host; its port may be another, as in a tunnel."""
        name = _host(host.lower())
        if is_address(name) or name in self.own_names:
            return True
        return any(name == _host(one) for one in self.allowed)

    def allows(self, origin: str, host: str) -> bool:
        """Return whether a page of an origin may ask, in a request to a host."""
        netloc = urlsplit(origin).netloc.lower()
        if not netloc:
            return False
        return netloc == host.lower() or any(
            netloc == one or (":" not in one.rpartition("]")[2] and _host(netloc) == one)
            for one in self.allowed
        )


def is_address(name: str) -> bool:
    """Return whether a host is an IP address, to which nobody can point a name of theirs."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_local(name: str) -> bool:
    """Return whether only this machine reaches a host."""
    if name.lower() in LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _host(netloc: str) -> str:
    if netloc.startswith("["):
        return netloc[1:].partition("]")[0]
    return netloc.partition(":")[0] if netloc.count(":") < 2 else netloc


def _checked(allowed: str) -> str:
    text = allowed.strip().lower()
    if not _ALLOWED.fullmatch(text):
        raise BiaslabError(
            f"--allow-origin {allowed}: give a host as the browser shows it, such as"
            " lab.example.org or 192.0.2.7:5006, without https:// and without a path."
        )
    return text
