"""Who visits: a random name in a cookie, which the shell's script sets."""

from __future__ import annotations

from tornado.httputil import HTTPServerRequest

COOKIE = "biaslab-visitor"


def visitor_of(request: HTTPServerRequest) -> str:
    """Return the name of a request's visitor; empty on the first visit."""
    cookie = request.cookies.get(COOKIE)
    return cookie.value if cookie else ""
