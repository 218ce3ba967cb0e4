"""How a server is reached, and who may sign in: what is checked before it starts."""

from __future__ import annotations

import atexit
import contextlib
import errno
import html
import os
import secrets
import socket
import ssl
import webbrowser
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from biaslab.errors import BiaslabError
from biaslab.people.access import owner_folder
from biaslab.people.users import read_users
from biaslab_widgets.app.people import People, cookie_secret, long_enough
from biaslab_widgets.app.security.gate import TOKEN
from biaslab_widgets.app.security.sign_in import SignInHandler, SignOutHandler
from biaslab_widgets.app.security.tries import Tries

LOCAL: Final = ("127.0.0.1", "localhost", "::1")
"""Addresses that only this machine reaches."""
TOKEN_VARIABLE: Final = "BIASLAB_TOKEN"  # noqa: S105  # its name, not a token
ALL_ADDRESSES: Final = ("0.0.0.0", "::", "")  # noqa: S104  # they are compared, not listened on
OAUTH_KEYS: Final = ("BIASLAB_OAUTH_KEY", "BIASLAB_OAUTH_SECRET")


class ServeError(BiaslabError):
    """The app cannot be served in this way; the message says what to change."""


@dataclass(frozen=True)
class SignIn:
    """Who may use a served app, and over what connection.

    - `users`: file of users, of ``biaslab users add``.
    - `oauth`: provider that signs people in, as Panel names it, such as ``github``; empty for none.
    - `owners`, `teachers`: names of people whom `oauth` signs in; all others are visitors.
    - `anyone`: whether others may use the app without signing in.
    - `allow_origin`: further hosts under which the app is reached, such as ``lab.example.org``.
    - `framed_by`: origins whose pages may show the app in a frame.
    - `proxies`: how many reverse proxies stand before the app; what they say of a request's address
      and encryption is believed.
    - `cert`, `key`: certificate and key of TLS.
    - `unix_socket`: where the app listens in place of an address; whoever may open it is the owner.
    - `secret_file`: holds the secret that signs the cookies; by default one in the owner's folder.
    """

    users: Path | None = None
    oauth: str = ""
    owners: tuple[str, ...] = ()
    teachers: tuple[str, ...] = ()
    anyone: bool = False
    allow_origin: tuple[str, ...] = ()
    framed_by: tuple[str, ...] = ()
    proxies: int = 0
    cert: Path | None = None
    key: Path | None = None
    unix_socket: Path | None = None
    secret_file: Path | None = None

    def is_owners_alone(self, address: str) -> bool:
        """Return whether nobody but the owner gets in, by the token of the address."""
        is_local = address in LOCAL or self.unix_socket is not None
        return is_local and not (self.users or self.oauth or self.anyone)

    @cached_property
    def token(self) -> str:
        """The token of the address, for this process and those that it starts."""
        token = os.environ.setdefault(TOKEN_VARIABLE, secrets.token_urlsafe(24))
        return long_enough(token, TOKEN_VARIABLE)

    @property
    def speaks_tls(self) -> bool:
        """Whether the connection is encrypted."""
        return self.cert is not None

    def check(self, address: str) -> None:
        """Refuse what would let strangers in by accident, or could not work.

        Raises `ServeError`.
        """
        if self.users is not None and self.oauth:
            raise ServeError("People sign in either by a file of users or by OAuth, not by both.")
        if not (self.is_owners_alone(address) or self.users or self.oauth or self.anyone):
            raise ServeError(
                "At this address others reach the app, and nobody would have to sign in. Add --auth"
                " basic:FILE or --auth oauth:PROVIDER, or say --allow-anyone."
            )
        if self.users is not None:
            read_users(self.users)
        for file in (self.cert, self.key):
            if file is not None and not file.is_file():
                raise ServeError(f"{file} is no file. Name a certificate and its key, as PEM.")
        if (self.cert is None) != (self.key is None):
            raise ServeError("TLS needs both --tls-cert and --tls-key.")
        if self.cert is not None and self.key is not None:
            _check_pair(self.cert, self.key)
        if self.oauth:
            missing = [name for name in OAUTH_KEYS if not os.environ.get(name)]
            if missing:
                raise ServeError(f"OAuth needs {' and '.join(missing)} in the environment.")

    def people(self, address: str) -> People:
        """Return who may use the app."""
        alone = self.is_owners_alone(address)
        try:
            secret = cookie_secret(self.secret_file)
        except BiaslabError:
            if not alone:
                raise
            secret = self.token  # the folder may be one that is only read
        token = self.token if alone else os.environ.get(TOKEN_VARIABLE, "")
        return People(
            alone,
            self.users,
            self.oauth,
            frozenset(self.owners),
            frozenset(self.teachers),
            secret,
            token if self.unix_socket is None else "",
        )

    def address_to_open(self, address: str, port: int) -> str:
        """Return the address at which a browser finds the app, with its token if it has one."""
        host = network_address() if address in ALL_ADDRESSES else address
        host = f"[{host}]" if ":" in host else host
        query = f"?{TOKEN}={quote(self.token)}" if self.is_owners_alone(address) else ""
        return f"http{'s' if self.speaks_tls else ''}://{host}:{port}/{query}"

    def origins(self, address: str, port: int) -> list[str] | None:
        """Return the hosts whose pages may open a websocket; None where the port is not known."""
        if self.unix_socket is not None:
            return ["localhost:80", *self.allow_origin]
        if not port and not self.allow_origin:
            return None
        names = own_names() if address in ALL_ADDRESSES else [address]
        # Bokeh takes no IPv6 address here: such a machine is reached by its name.
        own = [f"{name}:{port}" for name in names if ":" not in name]
        return [*own, f"localhost:{port}", *self.allow_origin]

    def routes(self, people: People) -> list[tuple[str, Any, dict[str, Any]]]:
        """Return the pages on which people sign in and out."""
        if people.oauth:
            # Panel is imported when a server is started, not when its options are read.
            from biaslab_widgets.app.security.oauth import COOKIES, handler_of

            elsewhere = handler_of(self.oauth)
            return [
                (r"/login", elsewhere, {"people": people}),
                (r"/logout", SignOutHandler, {"people": people, "cookies": COOKIES}),
            ]
        if people.users is None:
            return []
        shared = {"people": people, "tries": Tries()}
        return [
            (r"/login", SignInHandler, shared),
            (r"/logout", SignOutHandler, {"people": people}),
        ]

    def listening(self, address: str, port: int) -> dict[str, Any]:
        """Return where Panel's server listens."""
        if self.unix_socket is not None:
            return {"unix_socket": str(self.unix_socket), "port": 0}
        return {"port": port, "address": address}

    def server_options(self) -> dict[str, Any]:
        """Return what Panel's server has to know."""
        options: dict[str, Any] = {}
        if self.cert is not None and self.key is not None:
            options |= {"ssl_certfile": str(self.cert), "ssl_keyfile": str(self.key)}
        if self.oauth:
            key, secret = (os.environ.get(name) for name in OAUTH_KEYS)
            options |= {
                "oauth_provider": self.oauth,
                "oauth_key": key,
                "oauth_secret": secret,
                "cookie_secret": cookie_secret(self.secret_file),
            }
        return options


def _check_pair(cert: Path, key: Path) -> None:
    """Refuse a certificate and a key that are none, or not of each other."""
    try:
        # An encrypted key would be asked for on the terminal.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert, key, password="")
    except (OSError, ValueError) as error:  # SSLError is an OSError
        reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
        raise ServeError(
            f"{cert} and {key} are no certificate and its key in PEM form, without a password"
            f" ({reason})."
        ) from error


def own_names() -> list[str]:
    """Return the names and addresses of this machine."""
    host = socket.gethostname()
    names = {"127.0.0.1", "::1", host, socket.getfqdn(), *_outward()}
    with contextlib.suppress(OSError):
        names |= {str(info[4][0]).split("%")[0] for info in socket.getaddrinfo(host, None)}
    return sorted(names)


def network_address() -> str:
    """Return the address of this machine that others of its network can open, else its name."""
    return next(iter(_outward()), socket.gethostname())


def _outward() -> list[str]:
    """The addresses from which this machine would send to the outside, that of IPv4 first."""
    found = []
    for kind, elsewhere in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        # No packet is sent: the system only chooses the address that it would send from.
        with contextlib.suppress(OSError), socket.socket(kind, socket.SOCK_DGRAM) as probe:
            probe.connect((elsewhere, 9))
            found.append(str(probe.getsockname()[0]))
    return found


def open_in_browser(address: str) -> None:
    """Open an address in the browser of this machine's person.

    One with a token is led to by a file: the arguments of a browser's process are seen by all
    accounts of the machine.
    """
    if f"?{TOKEN}=" not in address:
        webbrowser.open(address)
        return
    page = owner_folder() / "open.html"
    page.unlink(missing_ok=True)
    with os.fdopen(os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(f'<meta http-equiv="refresh" content="0; url={html.escape(address)}">\n')
    atexit.register(page.unlink, missing_ok=True)
    webbrowser.open(page.as_uri())


@contextlib.contextmanager
def refusals(address: str, port: int) -> Iterator[None]:
    """Say in a sentence why a server cannot start.

    Raises `ServeError` if the port is taken or reserved, or the address is not one of this machine.
    """
    try:
        yield
    except (OSError, UnicodeError) as error:
        number = getattr(error, "errno", None)
        if number == errno.EADDRINUSE:
            fix = f"Port {port} is in use. Choose another with --port, or 0 for a free one."
        elif number == errno.EACCES:
            fix = f"Port {port} is reserved for the system. Choose one from 1024 to 65535."
        else:
            fix = f"{address!r} is no address of this machine. Choose another with --address."
        raise ServeError(f"The app cannot start: {fix}") from error
