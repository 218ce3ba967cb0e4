"""`biaslab serve` for several people, and the browsers with which they come."""

from __future__ import annotations

import http.client
import json
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from harness.isolation import isolated
from harness.served_app import ServedApp, command
from harness.server import Server, free_port

PASSWORDS = {name: f"{name}'s password" for name in ("anna", "ben", "olga", "tess", "walt")}


class Served(Server):
    """`biaslab serve` for several people, who ask the bundled models only where it opens them."""

    def __init__(
        self, folder: Path, *arguments: str, opens_models: bool = False, **environment: str
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.port, self.home = free_port(), folder / "home"
        self.url = f"http://127.0.0.1:{self.port}"
        super().__init__(
            [
                *command(opens_models=opens_models),
                *("serve", "wiki-bootstraps", "--no-open", "--port", str(self.port), *arguments),
            ],
            ready_url=f"{self.url}/healthz",
            log=folder / "serve.log",
            env={**isolated(self.home), **environment},
            cwd=folder,
        )


class Browser:
    """Keeps cookies, and follows no redirect; comes from an address of this machine."""

    address = "127.0.0.1"

    def __init__(self, served: Served | ServedApp, address: str = address) -> None:
        self.here, self.cookies = urlsplit(served.url).netloc, dict[str, str]()
        self.address = address

    def ask(
        self, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], str]:
        sent = {"Origin": f"http://{self.here}", "Accept": "text/html", **headers}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        source = (self.address, 0)
        connection = http.client.HTTPConnection(self.here, timeout=60, source_address=source)
        connection.request("GET" if body is None else "POST", path, body, sent)
        answer = connection.getresponse()
        text = answer.read().decode("utf-8", "replace")
        found = {name.lower(): value for name, value in answer.getheaders()}
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value.strip('"')
        connection.close()
        return answer.status, found, text

    def sign_in(self, name: str, password: str = "", **headers: str) -> int:
        return self.sign_in_answer(name, password, **headers)[0]

    def sign_in_answer(
        self, name: str, password: str = "", **headers: str
    ) -> tuple[int, dict[str, str], str]:
        fields = urlencode({"name": name, "password": password or PASSWORDS[name], "next": "runs"})
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.ask("/login", fields.encode(), **kind, **headers)

    def json(self, path: str) -> Any:
        status, _, text = self.ask(path)
        assert status == HTTPStatus.OK, text
        return json.loads(text)

    def post(self, path: str, /, **values: Any) -> tuple[int, Any]:
        status, _, text = self.ask(path, json.dumps(values).encode())
        return status, json.loads(text)
