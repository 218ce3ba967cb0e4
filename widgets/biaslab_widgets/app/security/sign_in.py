"""The page on which people sign in, and the way out."""

from __future__ import annotations

import asyncio
import re
import time
from collections import deque
from dataclasses import replace
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

from tornado.web import HTTPError, RequestHandler

from biaslab.people.activity import note
from biaslab_widgets.app.people import COOKIE, People
from biaslab_widgets.app.security.gate import cookie_header, cookie_of
from biaslab_widgets.app.shell import shell, template

TRIES: Final = 8
"""Wrong passwords of one name, or from one address, within `WITHIN_S`."""
WITHIN_S: Final = 300.0
_PLACE = re.compile(r"[\w-]{1,80}(?:[/?][\w%=&.,/-]{0,2000})?")
_REMEMBERED = 10_000


class WrongTries:
    """Counts wrong passwords, so that nobody can try many.

    - `now`: seconds.
    """

    def __init__(self, now: object = time.monotonic) -> None:
        self._now = now
        self._tries: dict[str, deque[float]] = {}

    def wait_for(self, *keys: str) -> float:
        """Return the seconds until a name, or an address, may be tried again; 0 for now."""
        return max((self._wait(key) for key in keys), default=0.0)

    def add(self, *keys: str) -> None:
        """Count a wrong password of a name, from an address."""
        for key in keys:
            while len(self._tries) >= _REMEMBERED:
                self._tries.pop(next(iter(self._tries)))
            self._tries.setdefault(key, deque(maxlen=TRIES)).append(self._time())

    def forget(self, key: str) -> None:
        """Forget the wrong passwords of a name that has signed in."""
        self._tries.pop(key, None)

    def _wait(self, key: str) -> float:
        tries = self._tries.get(key)
        if tries is None or len(tries) < TRIES:
            return 0.0
        return max(0.0, tries[0] + WITHIN_S - self._time())

    def _time(self) -> float:
        return float(self._now())  # type: ignore[operator]


class SignInHandler(RequestHandler):
    """Lets a person in who knows a password."""

    def initialize(self, people: People, tries: WrongTries, secure: bool) -> None:
        """Take what all requests share."""
        self._people, self._tries, self._secure = people, tries, secure

    def get(self) -> None:
        """Show the form."""
        self._show("")

    async def post(self) -> None:
        """Sign in, or say why not."""
        if urlsplit(self.request.headers.get("Origin", "")).netloc != self.request.host:
            raise HTTPError(HTTPStatus.FORBIDDEN, reason="This request is from another site")
        name = self.get_body_argument("name", "")[:200]
        password = self.get_body_argument("password", "", strip=False)
        keys = (f"name {name}", f"address {self.request.remote_ip}")
        if (wait := self._tries.wait_for(*keys)) > 0:
            self.set_status(HTTPStatus.TOO_MANY_REQUESTS)
            minutes = max(1, round(wait / 60))
            self._show(f"Too many wrong passwords. Try again in {minutes} min.")
            return
        stamp = await asyncio.to_thread(self._people.admits, name, password)
        if not stamp:
            self._tries.add(*keys)
            note("refused", name=name, why="wrong name or password")
            self.set_status(HTTPStatus.UNAUTHORIZED)
            self._show("The name or the password is wrong.")
            return
        self._tries.forget(keys[0])
        note("signed-in", name=name)
        self._people.leaves(cookie_of(self.request))
        cookie = self._people.new_cookie(name, stamp)
        self.add_header("Set-Cookie", cookie_header(cookie, secure=self._secure))
        self.redirect(next_place(self))

    def _show(self, problem: str) -> None:
        text = template("sign-in.html").render(
            title="Sign in · biaslab", shell=shell(""), problem=problem, next=next_place(self)
        )
        self.finish(text)


def next_place(handler: RequestHandler) -> str:
    """Return where a person goes after signing in: a page of the app."""
    path = handler.get_argument("next", "")
    return path if path and _PLACE.fullmatch(path) else "."


class SignOutHandler(RequestHandler):
    """Forgets who used the browser."""

    def initialize(self, people: People, cookies: tuple[str, ...] = ()) -> None:
        """Take the further cookies of another service that signs people in."""
        self._people, self._cookies = people, cookies

    def post(self) -> None:
        """End the sign-in, with all pages that it opened."""
        if urlsplit(self.request.headers.get("Origin", "")).netloc != self.request.host:
            raise HTTPError(HTTPStatus.FORBIDDEN, reason="This request is from another site")
        note("signed-out")
        self._people.leaves(cookie_of(self.request))
        for name in (COOKIE, *self._cookies):
            self.clear_cookie(name, path="/")
        if not self._people.oauth:
            self.redirect("login")
            return
        # That page would sign in again at once whoever is still signed in at the other service.
        text = template("signed-out.html").render(
            title="Signed out · biaslab",
            shell=replace(shell(""), person=""),
            heading="You are signed out",
            text="You may still be signed in at the service that knows you. On a shared computer,"
            " sign out there too.",
            again="Sign in again",
        )
        self.finish(text)
