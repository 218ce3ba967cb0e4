"""Transports that check each request: of the standard library and of OpenAI's client.

A socket's own limit begins anew with every byte, so that a server can hold a caller for as long as
it sends one in time: `until` sets one time limit for a whole answer, headers too.
"""

from __future__ import annotations

import contextlib
import http.client
import importlib
import io
import re
import socket
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType
from typing import Any

from biaslab.errors import OutboundError, ServiceAnswerError
from biaslab.network.admission import Target, admitted, target_of
from biaslab.network.charsets import charset_of
from biaslab.network.connections import checked_addresses, connect, connecting, unreachable
from biaslab.network.open_call import belongs_to_call
from biaslab.network.usage import spend
from biaslab.people.access import current_access
from biaslab.people.secret import Secret

_LEAST = 1e-3
"""A socket takes a limit of 0 as "do not wait at all"."""


def until(seconds: float | None) -> Callable[..., http.client.HTTPResponse]:
    """Return what makes responses that have to be there within so many seconds from now."""
    end = float("inf") if seconds is None else time.monotonic() + seconds
    return partial(_Response, end)


class _Response(http.client.HTTPResponse):
    def __init__(self, end: float, sock: socket.socket, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        buffered: Any = self.fp
        if end < float("inf"):
            self.fp = io.BufferedReader(_Until(end, sock, buffered.detach()))


class _Until(io.RawIOBase):
    """The bytes of a socket until a moment; then `TimeoutError`."""

    def __init__(self, end: float, sock: socket.socket, raw: io.RawIOBase) -> None:
        super().__init__()
        self._end, self._sock, self._raw = end, sock, raw

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._sock.settimeout(max(left, _LEAST))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()


def opener(*, direct: bool = False) -> urllib.request.OpenerDirector:
    """Return an opener of http and https addresses.

    Use it inside `biaslab.network.admitted`. It raises `urllib.error.HTTPError` for a redirect.

    - `direct`: whether proxies of the environment are ignored; for others than the owner they
      always are.
    """
    director = urllib.request.OpenerDirector()
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
        director.add_handler(handler)
    return director


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


PLACEHOLDER = "none"
"""Stands in the client in place of the key, which is only in what leaves."""
_END = 4096
"""Bytes at the end of an answer in which servers say how many tokens it took."""
_READ = re.compile(rb'"(?:prompt|input)_tokens"\s{0,9}:\s{0,9}(\d{1,12})')
_WRITTEN = re.compile(rb'"(?:completion|output)_tokens"\s{0,9}:\s{0,9}(\d{1,12})')
_HERE = frozenset({"127.0.0.1", "localhost", "::1"})


def http_library(client: type) -> ModuleType:
    """Return the HTTP library of a client's class: httpx, or one with its interface."""
    named = [each.__module__.partition(".")[0] for each in client.__mro__]
    return importlib.import_module(next(name for name in named if name.startswith("httpx")))


class ClientTransport:
    """Sends requests of one client to one host.

    Parameters
    ----------
    library : module
        As of `http_library`.
    base_url : str
        Address of the server; a request that goes elsewhere is sent without the key.
    secret : Secret
        The key, put in place of `PLACEHOLDER`.
    model : str
        For which the key is used, and whose price counts.
    """

    def __init__(self, library: ModuleType, base_url: str, secret: Secret, model: str) -> None:
        self._library, self._secret, self._model = library, secret, model
        self._origin = _origin(base_url)
        self._context = library.create_ssl_context()
        self._transports: dict[str | None, Any] = {}

    def __enter__(self) -> ClientTransport:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        for transport in self._transports.values():
            transport.close()

    def handle_request(self, request: Any) -> Any:
        """Send a request, if the person may; see ``httpx.BaseTransport``.

        Raises `OutboundError` if the host may not be called, or the quota is used up.
        """
        with contextlib.ExitStack() as stack:
            stack.enter_context(admitted(str(request.url), request.method))
            response = self._send(request)
            kind = response.headers.get("content-type", "")
            try:
                charset_of(kind, str(request.url.host))
            except ServiceAnswerError:  # the client would read its words of an error in it
                response.headers["content-type"] = kind.partition(";")[0]
            response.stream = _held_stream(response.stream, stack.pop_all(), self._charge)
            return response

    def _charge(self, end: bytes) -> None:
        """Count what an answer cost, by the end of its text, where the price is known."""
        entry = current_access().reach.listed(self._model)
        if entry is None or entry.read is None:
            return
        read, written = (sum(map(int, pattern.findall(end)[-1:])) for pattern in (_READ, _WRITTEN))
        spend(entry.cost(read, written), entry.currency)

    def _send(self, request: Any) -> Any:
        headers = self._headers(request)
        if current_access().reach.everything:
            return self._transport(_proxy(request.url)).handle_request(
                self._request(request, request.url, headers, request.extensions)
            )
        target = target_of(str(request.url))
        problem: Exception = unreachable(target.host)
        for address in checked_addresses(target.host, target.port):
            url = request.url.copy_with(host=address)
            extensions = {**request.extensions, "sni_hostname": target.host}
            try:
                with connecting():
                    return self._transport(None).handle_request(
                        self._request(request, url, headers, extensions)
                    )
            except (self._library.ConnectError, self._library.ConnectTimeout):
                # Its cause would tell a closed port from a silent one.
                problem = unreachable(target.host)
        raise problem

    def _headers(self, request: Any) -> list[tuple[str, str]]:
        key = None
        if self._secret and _target(str(request.url)) == self._origin:
            key = f"Bearer {self._secret.open(self._model)}"
        held = f"Bearer {PLACEHOLDER}"
        return [
            (name, key if key and name.lower() == "authorization" and value == held else value)
            for name, value in request.headers.multi_items()
        ]

    def _request(self, request: Any, url: Any, headers: list[tuple[str, str]], more: Any) -> Any:
        # A new one: what the client holds and shows in errors stays without the key.
        return self._library.Request(
            request.method, url, headers=headers, stream=request.stream,
            extensions={**more, "trace": _note_connection},
        )  # fmt: skip

    def _transport(self, proxy: str | None) -> Any:
        if proxy not in self._transports:
            self._transports[proxy] = self._library.HTTPTransport(
                verify=self._context, proxy=proxy,
                # Each call has a connection of its own, which can be closed without harm to others.
                limits=self._library.Limits(max_connections=1000, max_keepalive_connections=0),
            )  # fmt: skip
        return self._transports[proxy]


def _note_connection(event: str, info: dict[str, Any]) -> None:
    """Let a new connection belong to the call that made it; see httpcore's "trace"."""
    if event.endswith(("connect_tcp.complete", "start_tls.complete")):
        belongs_to_call(info["return_value"].get_extra_info("socket"))


def _origin(url: str) -> Target | None:
    """Return the origin of an address, whatever login stands before the host."""
    try:
        parts = urllib.parse.urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        return target_of(f"{parts.scheme}://{host}{port}")
    except (ValueError, OutboundError):
        return None


_target = _origin


def _proxy(url: Any) -> str | None:
    """Return the proxy that the environment names for an address, if any."""
    host = str(url.host)
    if host in _HERE or urllib.request.proxy_bypass(host):
        return None
    proxies = urllib.request.getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    return proxy if not proxy or "://" in proxy else f"http://{proxy}"


def _held_stream(stream: Any, stack: contextlib.ExitStack, on_end: Callable[[bytes], None]) -> Any:
    """Return a stream that tells its end, and gives its place back when it is closed."""

    # The client accepts only streams of its own HTTP library.
    class Held(type(stream)):  # type: ignore[misc]
        def __init__(self) -> None:
            """Read the stream, not a copy of it."""

        def __iter__(self) -> Iterator[bytes]:
            end = b""
            for block in stream:
                end = (end + block[-_END:])[-_END:]
                yield block
            on_end(end)

        def close(self) -> None:
            with stack:
                stream.close()

    return Held()
