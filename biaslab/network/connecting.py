"""Connect to a host at the very address that was checked."""

from __future__ import annotations

import socket
import time
from typing import Any

from biaslab.access import current_access
from biaslab.network.addresses import checked_addresses
from biaslab.network.guard import connecting

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
    found = checked_addresses(host, port)
    until = time.monotonic() + timeout if isinstance(timeout, int | float) else None
    problem: OSError = OSError("no address")
    for each in found:
        left = timeout if until is None else max(0.01, until - time.monotonic())
        try:
            with connecting():
                return socket.create_connection((each, port), left, source_address)
        except OSError as error:
            problem = error
    raise problem
