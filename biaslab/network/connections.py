"""Connections to the very addresses that were checked; a server makes no others."""

from __future__ import annotations

import ipaddress
import logging
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from biaslab.errors import OutboundError
from biaslab.people.access import current_access, has_person
from biaslab.people.outbound import IPAddress, plain_host

_LONGEST = 100


def unreachable(host: str) -> OutboundError:
    """Return the error of a host that cannot be called, whatever the reason.

    One sentence for hosts that are not allowed, unknown, inside, closed and silent: it tells
    nobody what lies in the server's network.
    """
    shown = plain_host(host)[:_LONGEST] or "This address"
    return OutboundError(
        f"{shown} cannot be reached from this server. It calls only public addresses of services"
        " that its owner has allowed (biaslab serve --allow-service HOST)."
    )


def not_allowed(what: str, option: str) -> OutboundError:
    """Return the error of something that the owner has not allowed.

    - `what`: such as "The model 'm'".
    - `option`: the option of ``biaslab serve`` that allows it.
    """
    return OutboundError(
        f"{what} is not allowed on this server. Its owner can allow it: biaslab serve {option}."
    )


_checked: ContextVar[bool] = ContextVar("biaslab-checked-connection", default=False)
_UNIX = getattr(socket, "AF_UNIX", None)
_is_on = False


@contextmanager
def connecting() -> Iterator[None]:
    """Let this block connect: its address was checked."""
    before = _checked.set(True)
    try:
        yield
    finally:
        _checked.reset(before)


def guard_connections() -> None:
    """Refuse unchecked connections in this process from now on; it cannot be undone.

    The owner's work connects freely, and so does the server itself, which works for no person in
    the main thread. What a library does in a person's name without `biaslab.network`, or in a
    thread that has lost its person, is refused.
    """
    global _is_on
    if not _is_on:
        _is_on = True
        sys.addaudithook(_look)


def is_guarded() -> bool:
    """Return whether unchecked connections are refused in this process."""
    return _is_on


def _look(event: str, args: tuple[Any, ...]) -> None:
    if event != "socket.connect":
        return
    if args[0].family == _UNIX or _checked.get() or current_access().is_owner:
        return
    if not has_person() and threading.current_thread() is threading.main_thread():
        return
    raise ConnectionRefusedError("This connection is not allowed on this server.")


logger = logging.getLogger("biaslab")

_PUBLIC_6: Final = ipaddress.IPv6Network("2000::/3")
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_RELAYS: Final = ipaddress.IPv4Network("192.88.99.0/24")


def checked_addresses(host: str, port: int) -> tuple[str, ...]:
    """Return the addresses of a host, all of which the person may call.

    Raises `OutboundError` if there are none, or one of them is inside the machine or its network;
    both in the same words, so that nobody learns which names are known inside.
    """
    name = plain_host(host)
    reach = current_access().reach
    if not name or not reach.allows(name, port):
        raise unreachable(host)
    addresses = tuple(dict.fromkeys(_looked_up(name, port)))
    if not addresses:
        raise unreachable(host)
    for each in addresses:
        address = _address(each)
        if address is None or not (is_public(address) or reach.allows_inside(name, address, port)):
            logger.warning(
                "%s was not called: it leads inside this machine or its network. To allow it: "
                "biaslab serve --allow-service %s",
                name, f"[{each}]:{port}" if ":" in each else f"{each}:{port}",
            )  # fmt: skip
            raise unreachable(host)
    return addresses


def is_public(address: IPAddress) -> bool:
    """Return whether an address is one of the public internet.

    Forms of IPv6 that carry an IPv4 address count as that address; tunnels are not public.
    """
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if address in _NAT64:
            return is_public(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        if address.sixtofour is not None or address.teredo is not None:
            return False
        if address not in _PUBLIC_6:
            return False
    elif address in _RELAYS:
        return False
    return address.is_global and not (
        address.is_multicast
        or address.is_private
        or address.is_reserved
        or address.is_loopback
        or address.is_link_local
        or address.is_unspecified
    )


def _address(text: str) -> IPAddress | None:
    """Return an address; None for one with a zone, which is always inside."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return None if getattr(address, "scope_id", None) else address


def _looked_up(host: str, port: int) -> list[str]:
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return [str(entry[4][0]) for entry in entries]


# What the standard library passes on for "no time limit was given".
_DEFAULT: Any = socket._GLOBAL_DEFAULT_TIMEOUT  # type: ignore[attr-defined]


def connect(
    address: tuple[str, int], timeout: Any = _DEFAULT, source_address: Any = None
) -> socket.socket:
    """Connect as `socket.create_connection`, if the person may.

    Parameters
    ----------
    address : tuple of (str, int)
        Host and port.
    timeout : float, optional
        Seconds, for all addresses of the host together.
    source_address : tuple, optional
        As of `socket.create_connection`.

    Raises
    ------
    OutboundError
        If the host, or one of its addresses, may not be called.
    OSError
        If there is no connection.
    """
    host, port = address
    if current_access().reach.everything:
        return socket.create_connection(address, timeout, source_address)
    addresses = checked_addresses(host, port)
    until = time.monotonic() + timeout if isinstance(timeout, int | float) else None
    problem: OSError = OSError("no address")
    for each in addresses:
        left = timeout if until is None else max(0.01, until - time.monotonic())
        try:
            with connecting():
                return socket.create_connection((each, port), left, source_address)
        except OSError as error:
            problem = error
    raise problem
