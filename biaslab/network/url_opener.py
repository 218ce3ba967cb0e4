"""Requests of the standard library that are checked, follow no redirect and keep to their host."""

from __future__ import annotations

import http.client
import urllib.request
from collections.abc import Callable
from typing import Any

from biaslab.access import current_access
from biaslab.network.connecting import connect
from biaslab.network.open_call import belongs_to_call
from biaslab.network.timed_response import until


def opener(*, direct: bool = False) -> urllib.request.OpenerDirector:
    """Return an opener of http and https addresses.

    Use it inside `biaslab.network.admitted`. It raises `urllib.error.HTTPError` for a redirect.

    Parameters
    ----------
    direct : bool
        Whether proxies of the environment are ignored; for others than the owner they always are.
    """
    found = urllib.request.OpenerDirector()
    is_direct = direct or not current_access().reach.everything
    for handler in (
        urllib.request.ProxyHandler({} if is_direct else None),
        _Http(),
        _Https(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _StayThere(),
        urllib.request.UnknownHandler(),
    ):
        found.add_handler(handler)
    return found


class _Connection(http.client.HTTPConnection):
    _create_connection: Callable[..., Any]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._create_connection = connect
        self.response_class = until(self.timeout)  # type: ignore[assignment]

    def connect(self) -> None:
        super().connect()
        belongs_to_call(self.sock)


class _SecureConnection(http.client.HTTPSConnection):
    _create_connection: Callable[..., Any]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._create_connection = connect
        self.response_class = until(self.timeout)  # type: ignore[assignment]

    def connect(self) -> None:
        super().connect()
        belongs_to_call(self.sock)  # with TLS, which takes the plain one over


class _Http(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_Connection, req)


class _Https(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_SecureConnection, req, context=self._context)  # type: ignore[attr-defined]


class _StayThere(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: a key would go along to another server."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """See the base."""
