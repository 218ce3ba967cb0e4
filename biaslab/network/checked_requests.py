"""Requests of the package requests that are checked, follow no redirect, and end in time."""

from __future__ import annotations

import time
import urllib.parse
from typing import Any

import requests
import urllib3
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, NewConnectionError

from biaslab.errors import (
    OutboundError,
    ServiceAnswerError,
    ServiceRefusedError,
    ServiceTimeoutError,
    ServiceUnreachableError,
)
from biaslab.network.admission import admitted
from biaslab.network.charsets import charset_of
from biaslab.network.connections import connect, unreachable
from biaslab.people.access import current_access

LARGEST = 8 * 2**20
"""Bytes of an answer."""
LONGEST = 300.0
"""Seconds for an answer, where the caller names no time limit."""
_BLOCK = 65536


def request(method: str, url: str, **options: Any) -> requests.Response:
    """Send a request as ``requests.request``, in the name of the person.

    Raises `ServiceError` if it is not allowed, redirects, or answers with more than `LARGEST` bytes
    or compressed; `requests.RequestException` if the server cannot be reached.
    """
    reach = current_access().reach
    options |= {"allow_redirects": False, "stream": True}
    if options.get("timeout") is None:
        options["timeout"] = LONGEST
    host = _host(url)
    try:
        with admitted(url, method.upper()), requests.Session() as session:
            session.trust_env = reach.everything
            session.headers["Accept-Encoding"] = "identity"
            if not (reach.everything and requests.utils.get_environ_proxies(url)):
                for scheme in ("http://", "https://"):
                    session.mount(scheme, _Adapter())
            with session.request(method, url, **options) as response:
                _refuse_redirect(response)
                _read(response, time.monotonic() + LONGEST)
                return response
    except OutboundError as error:
        raise ServiceRefusedError(str(error)) from None
    except requests.ConnectionError:
        if reach.everything:
            raise
        raise ServiceUnreachableError(str(unreachable(host))) from None


def _refuse_redirect(response: requests.Response) -> None:
    if response.is_redirect or 300 <= response.status_code < 400:
        to = _host(urllib.parse.urljoin(response.url, response.headers.get("location", "")))
        here = _host(response.url)
        raise ServiceRefusedError(
            f"{here} redirects to {to} ({response.status_code}). Redirects are not followed, since"
            " the key would be sent along. Give the final address."
        )


def _read(response: requests.Response, until: float) -> None:
    """Read the answer, no further than it may be long."""
    host = _host(response.url)
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise ServiceAnswerError(f"{host} sent a compressed answer, which was not requested.")
    blocks: list[bytes] = []
    size = 0
    for block in response.raw.stream(_BLOCK, decode_content=False):
        blocks.append(block)
        size += len(block)
        if size > LARGEST:
            raise ServiceAnswerError(f"{host} sent more than {LARGEST >> 20} MB.")
        if time.monotonic() > until:
            raise ServiceTimeoutError(f"{host} did not answer within {LONGEST:g} s.")
    # Otherwise requests takes any character set, or guesses one, which takes long.
    response.encoding = charset_of(response.headers.get("content-type", ""), host)
    # The place where requests keeps an answer that was read.
    response._content = b"".join(blocks)
    response._content_consumed = True


def _host(url: str) -> str:
    """Return host and port of an address."""
    return urllib.parse.urlsplit(url).netloc.rpartition("@")[2]


def _connected(connection: Any) -> Any:
    try:
        sock = connect((connection.host, connection.port), connection.timeout)
    except TimeoutError as error:
        raise ConnectTimeoutError(connection, "no connection in time") from error
    except OSError as error:
        raise NewConnectionError(connection, "no connection") from error
    for option in connection.socket_options or ():
        sock.setsockopt(*option)
    return sock


class _Connection(HTTPConnection):
    def _new_conn(self) -> Any:
        return _connected(self)


class _SecureConnection(HTTPSConnection):
    def _new_conn(self) -> Any:
        return _connected(self)


class _Pool(urllib3.HTTPConnectionPool):
    ConnectionCls = _Connection


class _SecurePool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _SecureConnection


class _Adapter(HTTPAdapter):
    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}
