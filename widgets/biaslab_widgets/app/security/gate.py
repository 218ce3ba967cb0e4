"""The one way into the server: each request gets its person's access before a handler sees it.

Pages, files, JSON and websockets all pass here, those of Bokeh and Panel too, so that no handler
can forget to ask who is there.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Mapping
from http import HTTPStatus
from http.cookies import Morsel, SimpleCookie
from typing import Any, Final
from urllib.parse import quote, urlencode

from bokeh.util.token import get_session_id
from tornado.httputil import (
    HTTPHeaders,
    HTTPMessageDelegate,
    HTTPServerRequest,
    RequestStartLine,
    ResponseStartLine,
)
from tornado.web import Application, OutputTransform, RequestHandler

from biaslab.people.access import Access, acting_as
from biaslab.people.activity import note
from biaslab_widgets.app.people import COOKIE, DAYS, People
from biaslab_widgets.app.security.foreign_pages import Origins
from biaslab_widgets.app.security.proxy import see_through
from biaslab_widgets.app.shell import shell, template


class Counts:
    """Numbers since the start of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.answers = 0
        self.refusals = 0

    def sent(self) -> None:
        """Count a message to a page."""
        with self._lock:
            self.answers += 1

    def refused(self) -> None:
        """Count a request that was refused."""
        with self._lock:
            self.refusals += 1


COUNTS = Counts()


SAFE: Final = ("GET", "HEAD", "OPTIONS")
"""Methods that change nothing."""
OPEN: Final = ("/login", "/logout", "/healthz")
"""Answered without signing in."""
OPEN_FILES: Final = ("/modules/", "/fonts/")
"""Files of the page on which people sign in."""
SIGN_IN_FIRST: Final = "You are not signed in. Load the page again to sign in."
ADDRESS_FIRST: Final = (
    "This server answers to whoever has its token. Open the address that biaslab serve has printed."
)
TOKEN: Final = "token"  # noqa: S105  # its name in an address
NEW = "biaslab_new_cookie"
"""Attribute of the request of a browser that had no cookie."""


class Gate:
    """Finds the person of each request of a server, and lets the handler work in their name.

    - `application`: whose requests come here from now on.
    - `proxies`: how many reverse proxies stand before the server and are trusted.
    - `origins`: hosts that the server answers to.
    - `sessions`: whose page each open session of Bokeh is.
    """

    def __init__(
        self,
        application: Application,
        people: People,
        *,
        proxies: int = 0,
        origins: Origins | None = None,
        sessions: Mapping[str, Access] | None = None,
    ) -> None:
        self._application, self._people, self._proxies = application, people, proxies
        self._origins = origins or Origins()
        self._sessions = sessions if sessions is not None else {}  # an empty one is filled later
        self._find = application.find_handler
        application.find_handler = self.find_handler  # type: ignore[method-assign]
        application.transforms.insert(0, NewCookie)

    def find_handler(self, request: HTTPServerRequest, **options: Any) -> Any:
        """Return what answers a request, under its person's access."""
        see_through(request, self._proxies)
        if (foreign := self._foreign(request)) is not None:
            return self._turned_away(request, *foreign)
        access = self._people.access_by(cookie_of(request))
        if access is None and self._people.lets_in(token_of(request)):
            # A browser that is new: it is known by this cookie from its next request on.
            cookie = self._people.new_cookie()
            setattr(request, NEW, cookie)
            access = self._people.access_by(cookie)
        if access is None and not self._is_open(request):
            return self._refused(request)
        if access is not None and self._shows_token(request):
            # It stays out of the history of the browser, and of links that are handed on.
            return self._application.get_handler_delegate(
                request, LedOn, {"url": _without_token(request)}
            )
        if request.path.endswith("/autoload.js"):  # which hands a session to pages of others
            why = "The app is not embedded by a script."
            return self._turned_away(request, HTTPStatus.NOT_FOUND, why)
        if access is not None and self._is_of_another(request, access):
            why = "This page belongs to somebody else. Load it again."
            with acting_as(access):
                return self._turned_away(request, HTTPStatus.FORBIDDEN, why)
        handler = self._find(request, **options)
        # Signing in is the server's own work, whoever was signed in before.
        if access is None or request.path == "/login":
            return handler
        return InTheNameOf(access, handler)

    def _foreign(self, request: HTTPServerRequest) -> tuple[HTTPStatus, str] | None:
        """Why a request is not for this server, or not from a page of it; None where it is."""
        if request.path == "/healthz":  # what watches a server may know it by another name
            return None
        if not self._origins.answers_to(request.host):
            why = f"This server does not answer to {request.host_name[:100]}."
            fix = "Whoever runs it allows the name with --allow-origin."
            return HTTPStatus.MISDIRECTED_REQUEST, f"{why} {fix}"
        origin = request.headers.get("Origin")
        changes = request.method not in SAFE or _is_websocket(request)
        if origin is not None and changes and not self._origins.allows(origin, request.host):
            return HTTPStatus.FORBIDDEN, "This request is from another site."
        return None

    def _is_of_another(self, request: HTTPServerRequest, access: Access) -> bool:
        """Whether a websocket would join the session of somebody else's page."""
        if not _is_websocket(request) or self._people.is_owners_alone:
            return False
        token = request.headers.get("Sec-WebSocket-Protocol", "").rpartition(",")[2].strip()
        try:
            session = get_session_id(token)
        except Exception:  # noqa: BLE001  # Bokeh says what is wrong with a token
            return False
        return not self.may_join(session, access)

    def may_join(self, session: str, access: Access) -> bool:
        """Return whether a session's page was made under this access, which is still good.

        Its bench goes on with what the person was then.
        """
        made_under = self._sessions.get(session, access)
        return made_under == access and self._people.holds(made_under)

    def _turned_away(self, request: HTTPServerRequest, status: HTTPStatus, why: str) -> Any:
        note("refused", address=request.path, why=status.phrase)
        values = {"status": status, "why": why}
        return self._application.get_handler_delegate(request, TurnedAway, values)

    def _shows_token(self, request: HTTPServerRequest) -> bool:
        is_page = request.method == "GET" and not _is_websocket(request)
        return is_page and self._people.local and TOKEN in request.query_arguments

    def _is_open(self, request: HTTPServerRequest) -> bool:
        """Whether a request is answered without a person."""
        if request.path == "/metrics":
            return self._people.knows_token(token_of(request))
        return request.path in OPEN or request.path.startswith(OPEN_FILES)

    def _refused(self, request: HTTPServerRequest) -> Any:
        as_page = wants_page(request)
        if as_page and self._people.sign_in and not _is_websocket(request):
            up = "../" * max(request.path.count("/") - 1, 0)
            path = quote((request.uri or "").lstrip("/"))
            target = {"url": f"{up}login?next={path}"}
            return self._application.get_handler_delegate(request, LedOn, target)
        why = SIGN_IN_FIRST if self._people.sign_in else ADDRESS_FIRST
        values = {"why": why, "as_page": as_page}
        return self._application.get_handler_delegate(request, SignInFirst, values)


class TurnedAway(RequestHandler):
    """The answer to a request that is not for this server, or not from a page of it."""

    def initialize(self, status: HTTPStatus, why: str) -> None:
        """Take the reason."""
        self._status, self._why = status, why

    def prepare(self) -> None:
        """Refuse every method in the same way."""
        COUNTS.refused()
        self.set_status(self._status)
        if not wants_page(self.request):
            self.finish({"error": self._why})
            return
        path = (self.request.uri or "").lstrip("/")
        text = template("signed-out.html").render(
            title="biaslab",
            shell=shell(""),
            root=_root(self.request),
            heading="This page cannot be shown",
            text=self._why,
            place=f"./{path}",
            again="Try again",
        )
        self.finish(text)


class InTheNameOf(HTTPMessageDelegate):
    """Takes the parts of a request under a person's access, and answers under it."""

    def __init__(self, access: Access, delegate: HTTPMessageDelegate) -> None:
        self._access, self._delegate = access, delegate

    @property
    def access(self) -> Access:
        """Under which it is answered."""
        return self._access

    @property
    def handler_class(self) -> type[RequestHandler] | None:
        """What answers it."""
        return getattr(self._delegate, "handler_class", None)

    def headers_received(
        self, start_line: RequestStartLine | ResponseStartLine, headers: HTTPHeaders
    ) -> Awaitable[None] | None:
        """Hand on the head of the request."""
        with acting_as(self._access):
            return self._delegate.headers_received(start_line, headers)

    def data_received(self, chunk: bytes) -> Awaitable[None] | None:
        """Hand on a part of the body."""
        with acting_as(self._access):
            return self._delegate.data_received(chunk)

    def finish(self) -> None:
        """Let the handler answer; a task that it begins keeps the access."""
        with acting_as(self._access):
            self._delegate.finish()

    def on_connection_close(self) -> None:
        """Tell the handler that the person has left."""
        with acting_as(self._access):
            self._delegate.on_connection_close()


class NewCookie(OutputTransform):
    """Gives a browser that is new its cookie."""

    def __init__(self, request: HTTPServerRequest) -> None:
        cookie: str | None = getattr(request, NEW, None)
        self._header = _cookie_header(request, cookie) if cookie else None

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        """Add the cookie to the head of the answer."""
        del finishing
        if self._header is not None:
            headers.add("Set-Cookie", self._header)
        return status_code, headers, chunk


class LedOn(RequestHandler):
    """The answer to a request that another address answers, such as that to sign in."""

    def initialize(self, url: str) -> None:
        """Take the other address."""
        self._url = url

    def prepare(self) -> None:
        """Lead there."""
        self.redirect(self._url)


class SignInFirst(RequestHandler):
    """The answer to a request of a person who has not signed in, or brings no token."""

    def initialize(self, why: str, as_page: bool) -> None:
        """Take the reason, and whether a person reads it."""
        self._why, self._as_page = why, as_page

    def prepare(self) -> None:
        """Refuse every method in the same way."""
        COUNTS.refused()
        self.set_status(HTTPStatus.UNAUTHORIZED)
        if not self._as_page:
            self.finish({"error": self._why})
            return
        root = _root(self.request)
        self.finish(template("token.html").render(title="biaslab", shell=shell(""), root=root))


def wants_page(request: HTTPServerRequest) -> bool:
    """Return whether a browser asks for a page, which a person will read."""
    return request.method == "GET" and "text/html" in request.headers.get("Accept", "")


def _root(request: HTTPServerRequest) -> str:
    return "../" * max(request.path.count("/") - 1, 0) or "."


def cookie_of(request: HTTPServerRequest, name: str = COOKIE) -> str | None:
    """Return a cookie of a request, by default that by which its browser is known."""
    morsel: Morsel[str] | None = request.cookies.get(name)
    return morsel.value if morsel else None


def set_cookie(handler: RequestHandler, value: str, name: str = COOKIE, days: float = DAYS) -> None:
    """Set a cookie with an answer; by default that by which a browser is known."""
    handler.add_header("Set-Cookie", _cookie_header(handler.request, value, name, days))


def _cookie_header(
    request: HTTPServerRequest, value: str, name: str = COOKIE, days: float = DAYS
) -> str:
    """Return a cookie as a header: for this server only, and out of reach for scripts."""
    cookie: SimpleCookie = SimpleCookie()
    cookie[name] = value
    morsel = cookie[name]
    morsel["path"], morsel["max-age"] = "/", str(int(days * 24 * 3600))
    morsel["httponly"], morsel["samesite"] = True, "Lax"
    if is_encrypted(request):
        morsel["secure"] = True
    return morsel.OutputString()


def is_encrypted(request: HTTPServerRequest) -> bool:
    """Return whether the browser asks over TLS, here or at a trusted proxy."""
    return bool(request.protocol == "https")


def _is_websocket(request: HTTPServerRequest) -> bool:
    return request.headers.get("Upgrade", "").lower() == "websocket"


def token_of(request: HTTPServerRequest) -> str:
    """Return the token that a request brings, in its address or its head; empty for none."""
    kind, _, text = request.headers.get("Authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return text.strip()
    return request.query_arguments.get(TOKEN, [b""])[-1].decode("utf-8", "replace")


def _without_token(request: HTTPServerRequest) -> str:
    """Return the address of a request, relative to itself, as a proxy may have shortened it."""
    others = {name: values for name, values in request.query_arguments.items() if name != TOKEN}
    page = request.path.rpartition("/")[2] or "."
    return f"{page}?{urlencode(others, doseq=True)}" if others else page
