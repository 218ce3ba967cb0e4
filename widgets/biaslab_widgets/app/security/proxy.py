"""What reverse proxies in front of the server say of a request: who asks, and how."""

from __future__ import annotations

import ipaddress
import logging
from functools import cache

from tornado.httputil import HTTPServerRequest

logger = logging.getLogger("biaslab")
FORWARDED = "X-Forwarded-For"


def see_through(request: HTTPServerRequest, proxies: int) -> None:
    """Set the address and the protocol of a request to those of the browser.

    Each proxy adds the address that it was asked from to the right of ``X-Forwarded-For``; what
    stands further to the left anybody may have written.

    - `proxies`: how many stand before the server and are trusted; nothing is read without one.
    """
    named = [text.strip() for text in request.headers.get(FORWARDED, "").split(",")]
    if not proxies:
        if named != [""]:
            _say_so()
        return
    address = named[-min(proxies, len(named))]
    if _is_address(address):
        request.remote_ip = address
    protocol = request.headers.get("X-Forwarded-Proto", "").rpartition(",")[2].strip().lower()
    if protocol in ("http", "https"):
        request.protocol = protocol


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


@cache
def _say_so() -> None:
    logger.warning(
        "A reverse proxy stands before this server. Say so with --behind-proxy: until then all its"
        " people count as one address, and cookies are sent without TLS, too."
    )
