"""Which addresses a host's name stands for, and which of them are inside."""

from __future__ import annotations

import ipaddress
import logging
import socket
from typing import Final

from biaslab.access import current_access
from biaslab.network.refusals import unreachable
from biaslab.outbound import IPAddress, plain_host

logger = logging.getLogger("biaslab")

_PUBLIC_6: Final = ipaddress.IPv6Network("2000::/3")
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_RELAYS: Final = ipaddress.IPv4Network("192.88.99.0/24")


def checked_addresses(host: str, port: int) -> tuple[str, ...]:
    """Return the addresses of a host, all of which the person may call.

    Raises
    ------
    OutboundError
        If there are none, or one of them is inside the machine or its network; both in the same
        words, so that nobody learns which names are known inside.
    """
    name = plain_host(host)
    reach = current_access().reach
    if not name or not reach.allows(name, port):
        raise unreachable(host)
    found = tuple(dict.fromkeys(_looked_up(name, port)))
    if not found:
        raise unreachable(host)
    for each in found:
        address = _address(each)
        if address is None or not (is_public(address) or reach.allows_inside(name, address, port)):
            logger.warning(
                "%s was not called: it leads inside this machine or its network. To allow it: "
                "biaslab serve --allow-service %s",
                name, f"[{each}]:{port}" if ":" in each else f"{each}:{port}",
            )  # fmt: skip
            raise unreachable(host)
    return found


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
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    return None if getattr(found, "scope_id", None) else found


def _looked_up(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return [str(entry[4][0]) for entry in found]
