"""The page on which people sign in, and the way out."""

from __future__ import annotations

import asyncio
import math
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http import HTTPStatus
from typing import ClassVar, Final
from urllib.parse import urlsplit

from tornado.web import HTTPError, RequestHandler

from biaslab.people.access import Role, current_access
from biaslab.people.activity import note
from biaslab_widgets.app.people import COOKIE, KNOWN_COOKIE, KNOWN_DAYS, People
from biaslab_widgets.app.security.gate import cookie_of, set_cookie
from biaslab_widgets.app.security.tries import Tries, keys_of
from biaslab_widgets.app.shell import shell, template

_PLACE = re.compile(r"[\w-]{1,80}(?:[/?][\w%=&.,/-]{0,2000})?")
_HASHING: Final = ThreadPoolExecutor(2, "biaslab-passwords")
"""Apart from the threads that answer: comparing a password takes 50 ms of a core."""
_MOST_AT_ONCE: Final = 200
"""Passwords that wait to be compared: a class may sign in at once, a crowd has to come later."""


class SignInHandler(RequestHandler):
    """Lets a person in who knows a password."""

    _at_once: ClassVar[int] = 0

    def initialize(self, people: People, tries: Tries) -> None:
        """Take what all requests share."""
        self._people, self._tries = people, tries

    def get(self) -> None:
        """Show the form."""
        self._show("")

    async def post(self) -> None:
        """Sign in, or say why not."""
        if urlsplit(self.request.headers.get("Origin", "")).netloc != self.request.host:
            raise HTTPError(HTTPStatus.FORBIDDEN, reason="This request is from another site")
        name = self.get_body_argument("name", "")[:200]
        password = self.get_body_argument("password", "", strip=False)
        is_known = self._people.knew(cookie_of(self.request, KNOWN_COOKIE)) == name
        keys = keys_of(name, self.request.remote_ip or "", is_known=is_known)
        wait = 1.0 if self._at_once >= _MOST_AT_ONCE else self._tries.begin(keys)
        if wait > 0:
            self._ask_to_wait(wait)
            return
        if not (stamp := await self._compared(name, password)):
            note("refused", name=name, why="wrong name or password")
            self.set_status(HTTPStatus.UNAUTHORIZED)
            self._show("The name or the password is wrong.")
            return
        self._tries.give_back(keys)
        note("signed-in", name=name)
        self._people.leaves(cookie_of(self.request))
        set_cookie(self, self._people.new_cookie(name, stamp))
        set_cookie(self, self._people.known_cookie(name), KNOWN_COOKIE, KNOWN_DAYS)
        self.redirect(next_place(self))

    async def _compared(self, name: str, password: str) -> str:
        SignInHandler._at_once += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(_HASHING, self._people.admits, name, password)
        finally:
            SignInHandler._at_once -= 1

    def _ask_to_wait(self, wait_s: float) -> None:
        seconds = math.ceil(wait_s)
        self.set_status(HTTPStatus.TOO_MANY_REQUESTS)
        self.set_header("Retry-After", str(seconds))
        until = f"{seconds} s" if seconds < 120 else f"{round(seconds / 60)} min"
        self._show(f"There were many wrong passwords. Try again in {until}.")

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
        if current_access().role is not Role.NOBODY:
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
