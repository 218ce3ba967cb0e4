"""Keeps pages of others out: origins that may ask, and headers that let nothing foreign in.

A page of another site must not use the browser of a person who is signed in. And a name that its
owner points at this machine later (DNS rebinding) must not make a foreign page count as one of
the app's: the app answers to addresses, to the machine's own names, and to names that were
allowed. The headers keep a page from loading, sending or being framed by anything foreign. They
are set on every answer of the server, Bokeh's own pages and files included, where answers leave
it, so that no handler can forget them.
"""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import re
import secrets
import socket
from collections.abc import Iterable
from functools import cached_property
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.web import Application, OutputTransform

from biaslab.errors import BiaslabError
from biaslab_widgets.app.shell import MARK

_ALLOWED = re.compile(r"(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")
LOCAL_NAMES = ("localhost",)


class Origins:
    """Where requests may come from.

    - `allowed`: ``HOST`` or ``HOST:PORT``, as a browser shows them.
    - Raises `BiaslabError` when one is no host.
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


PLAIN: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
ONLY_TLS: Final = f"max-age={180 * 24 * 3600}"
DIRECTIVES: Final = {
    "default-src": "'none'",
    # Panel hands a bench's module to the browser as a blob.
    "script-src": "'self' blob:",
    # Bokeh and the benches put their style sheets into shadow roots.
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self' blob:",
    "frame-src": "'self' blob:",
    "form-action": "'self'",
    # The page of an address that leads nowhere states its base.
    "base-uri": "'self'",
    "object-src": "'none'",
}
_INLINE = re.compile(rb"<script(?P<attributes>[^>]{0,2000})>")
_DATA = (b"application/json", b"text/template")
_MARK = MARK.encode()
_SHIM = b'<script type="esms-options"'


def policy(scripts: list[str], framed_by: str = "'self'") -> str:
    """Return a content security policy.

    - `scripts`: sources of the inline scripts of the page, such as ``'sha256-...'``.
    - `framed_by`: origins whose pages may show this one in a frame.
    """
    directives = {**DIRECTIVES, "frame-ancestors": framed_by}
    directives["script-src"] = " ".join([directives["script-src"], *scripts])
    return "; ".join(f"{name} {value}" for name, value in directives.items())


def inline_scripts(html: bytes) -> list[str]:
    """Return the hash of each marked script of a page, in the form of a source of a policy."""
    hashes: dict[str, None] = {}
    at = 0
    while (tag := _INLINE.search(html, at)) is not None:
        at = tag.end()
        end = html.find(b"</script", at)
        if end < 0:
            break
        attributes = tag["attributes"].lower()
        is_code = b"src=" not in attributes and not any(kind in attributes for kind in _DATA)
        if is_code and _MARK in tag["attributes"]:
            # A browser hashes the text as it reads it, with line ends of one character.
            text = html[at:end].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            digest = base64.b64encode(hashlib.sha256(text).digest()).decode()
            hashes[f"'sha256-{digest}'"] = None
        at = end
    return list(hashes)


class SafeHeaders(OutputTransform):
    """Adds the headers to an answer."""

    framed_by = "'self'"
    behind_proxy = False
    _only_tls = False

    def __init__(self, request: HTTPServerRequest) -> None:
        # Without a proxy the name may serve other things at other ports, without TLS.
        self._only_tls = self.behind_proxy and request.protocol == "https"

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        """Add the headers before the first part of an answer leaves."""
        for name, value in PLAIN.items():
            headers[name] = value
        if self._only_tls:
            headers["Strict-Transport-Security"] = ONLY_TLS
        if status_code == HTTPStatus.NOT_MODIFIED:
            # The browser shows the page that it has, under the policy that came with it.
            return status_code, headers, chunk
        is_page = headers.get("Content-Type", "").startswith("text/html")
        scripts = inline_scripts(chunk) if is_page and finishing else []
        if is_page and _MARK in chunk:
            chunk = chunk.replace(b" " + _MARK, b"")
            headers["Content-Length"] = str(len(chunk))
        if scripts and _SHIM in chunk:
            # Panel's loader of modules adds scripts of its own, with the nonce that it finds here.
            nonce = secrets.token_urlsafe(16)
            scripts.append(f"'nonce-{nonce}'")
            chunk = chunk.replace(_SHIM, _SHIM + f' nonce="{nonce}"'.encode(), 1)
            headers["Content-Length"] = str(len(chunk))
        headers["Content-Security-Policy"] = policy(scripts, self.framed_by)
        return status_code, headers, chunk


def send_safe_headers(
    application: Application, framed_by: tuple[str, ...] = (), *, behind_proxy: bool = False
) -> None:
    """Add the headers to every answer of a server.

    - `framed_by`: origins whose pages may show the app in a frame, beside its own.
    - `behind_proxy`: whether a trusted proxy may say that a request came over TLS.
    """
    framed = " ".join(["'self'", *framed_by])
    members: dict[str, Any] = {"framed_by": framed, "behind_proxy": behind_proxy}
    # First, so that it sees a page before it is compressed.
    application.transforms.insert(0, type("SafeHeadersOfApp", (SafeHeaders,), members))


class CookiesInFrames(OutputTransform):
    """Lets a frame on another site's page have cookies: its own ones, apart from those elsewhere.

    Only over TLS, without which browsers refuse such cookies. A browser that keeps them apart
    (CHIPS) sends none of them to a frame or request of a third site.
    """

    def __init__(self, request: HTTPServerRequest) -> None:
        self._is_encrypted = request.protocol == "https"

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        """Change the cookies of an answer."""
        del finishing
        cookies = headers.get_list("Set-Cookie") if self._is_encrypted else []
        if cookies:
            del headers["Set-Cookie"]
        for cookie in cookies:
            for_frames = cookie.replace("SameSite=Lax", "SameSite=None; Partitioned")
            headers.add("Set-Cookie", for_frames)
        return status_code, headers, chunk
