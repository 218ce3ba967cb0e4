"""Sign-in by another service: Panel's way to each provider, answered as the app answers."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from panel.auth import AUTH_PROVIDERS, STATE_COOKIE_NAME
from panel.config import config
from tornado.web import HTTPError, RequestHandler

from biaslab.errors import BiaslabError
from biaslab.people.activity import note
from biaslab_widgets.app.people import OAUTH_COOKIE, OAUTH_DAYS, People
from biaslab_widgets.app.security.gate import cookie_of, is_encrypted, set_cookie
from biaslab_widgets.app.security.sign_in import next_place
from biaslab_widgets.app.shell import shell, template

COOKIES: Final = (OAUTH_COOKIE, STATE_COOKIE_NAME)
_NOT_KEPT: Final = ("access_token", "id_token", "refresh_token", "oauth_expiry")
"""The provider's tokens: nothing here needs them once the name is known."""


def handler_of(provider: str) -> type[RequestHandler]:
    """Return what answers ``/login`` where a provider signs people in.

    Raises `BiaslabError` if Panel knows no such provider: lists those that it knows.
    """
    known = AUTH_PROVIDERS.get(provider)
    if known is None or not hasattr(known, "get_authenticated_user"):
        names = ", ".join(
            sorted(n for n, one in AUTH_PROVIDERS.items() if hasattr(one, "get_authenticated_user"))
        )
        raise BiaslabError(f"No OAuth provider is called {provider!r}. Choose one of: {names}.")
    made: type[RequestHandler] = type("SignInElsewhere", (_Elsewhere, known), {})
    return made


class _Elsewhere(RequestHandler):
    """Stands before Panel's handler of a provider."""

    def initialize(self, people: People) -> None:
        """Take who signs in."""
        self._people = people

    @property
    def _redirect_uri(self) -> str:
        """Where the provider sends people back to; it must be registered there."""
        here = f"{self.request.protocol}://{self.request.host}/login"
        return str(config.oauth_redirect_uri or here)

    async def get(self) -> None:
        """Send the person to the provider, or let in whom it sends back."""
        self.request.arguments["next"] = [next_place(self).encode()]
        await super().get()  # type: ignore[misc]

    async def get_authenticated_user(self, *args: Any, **options: Any) -> str | None:
        """Return the name of whom the provider knows; None of whom it is still to ask."""
        name: str | None = await super().get_authenticated_user(*args, **options)  # type: ignore[misc]
        if name is None:
            return None
        if not name.strip():
            self.clear_cookie(OAUTH_COOKIE)
            raise HTTPError(HTTPStatus.UNAUTHORIZED, reason="The provider names nobody")
        note("signed-in", name=name)
        self._people.leaves(cookie_of(self.request))
        set_cookie(self, self._people.new_cookie(name), days=OAUTH_DAYS)
        return name

    def set_cookie(self, name: str, value: str | bytes, *args: Any, **options: Any) -> None:
        """Set a cookie of this server only; leave out the provider's tokens."""
        if name not in _NOT_KEPT:
            options |= {"httponly": True, "samesite": "Lax", "secure": is_encrypted(self.request)}
            super().set_cookie(name, value, *args, **options)

    def write_error(self, status_code: int, **_details: Any) -> None:
        """Say that nobody was signed in, without what the provider has answered."""
        note("refused", address="/login", why=f"OAuth: status {status_code}")
        text = template("signed-out.html").render(
            title="Sign in · biaslab",
            shell=shell(""),
            heading="Signing in did not work",
            text="The sign-in service did not confirm who you are, or its answer is too old.",
            again="Try again",
        )
        self.finish(text)
