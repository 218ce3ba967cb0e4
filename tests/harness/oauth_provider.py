"""A service on 127.0.0.1 that signs people in by OAuth, with pages to authorize and to ask."""

from __future__ import annotations

import secrets
from urllib.parse import urlencode

from harness.service_server import Asked, Says, ServiceServer

KEY, SECRET = "the app", "the secret of the app"


class OAuthProvider(ServiceServer):
    """Runs while a test uses it as a context manager.

    Attributes
    ----------
    person : str
        Who is signed in there.
    token : str
        That it gave last.
    """

    def __init__(self, person: str) -> None:
        super().__init__(self._answers)
        self.person = person
        self.token = ""
        self._codes: dict[str, str] = {}

    @property
    def environment(self) -> dict[str, str]:
        """Variables that lead Panel's generic provider here."""
        return {
            "BIASLAB_OAUTH_KEY": KEY,
            "BIASLAB_OAUTH_SECRET": SECRET,
            "PANEL_OAUTH_AUTHORIZE_URL": f"{self.url}/authorize",
            "PANEL_OAUTH_TOKEN_URL": f"{self.url}/token",
            "PANEL_OAUTH_USER_URL": f"{self.url}/user",
        }

    def _answers(self, asked: Asked) -> Says:
        if asked.path == "/authorize":
            return self._authorized(asked)
        if asked.path == "/token":
            return self._exchanged(asked)
        if asked.headers.get("authorization") == f"Bearer {self.token}":
            return Says.of({"email": self.person})
        return Says.of({"error": "invalid_token"}, 401)

    def _authorized(self, asked: Asked) -> Says:
        place = asked.query["redirect_uri"][0]
        code = secrets.token_hex(8)
        self._codes[code] = place
        query = urlencode({"code": code, "state": asked.query["state"][0]})
        return Says(status=302, headers={"Location": f"{place}?{query}"})

    def _exchanged(self, asked: Asked) -> Says:
        form = asked.form
        known = self._codes.pop(form.get("code", ""), None)
        right = (form.get("client_id"), form.get("client_secret")) == (KEY, SECRET)
        if known is None or known != form.get("redirect_uri") or not right:
            return Says.of({"error": "invalid_grant"}, 400)
        self.token = secrets.token_hex(16)
        return Says.of({"access_token": self.token, "token_type": "bearer", "expires_in": 3600})
