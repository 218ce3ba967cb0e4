"""Guessing passwords is slow, and holds up nobody but who guesses, behind a proxy too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus

import pytest

from biaslab.people.users import set_user
from biaslab_widgets.app.security.tries import ADDRESS, NAME, PAIR, Tries, keys_of
from harness.needs import needs
from harness.served_people import PASSWORDS, Browser, Served

pytestmark = needs("panel")


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def wrong(tries: Tries, name: str, address: str, *, is_known: bool = False) -> float:
    return tries.begin(keys_of(name, address, is_known=is_known))


def test_after_the_free_tries_each_waits_longer() -> None:
    clock = Clock()
    tries = Tries(clock)
    assert [wrong(tries, "anna", "192.0.2.1") for _ in range(PAIR.free)] == [0] * PAIR.free
    waits = []
    for _ in range(11):
        waits.append(wrong(tries, "anna", "192.0.2.1"))
        clock.now += waits[-1]
        assert wrong(tries, "anna", "192.0.2.1") == 0
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]
    clock.now += 1000
    assert wrong(tries, "anna", "192.0.2.1") == 0  # it is forgotten
    assert wrong(tries, "anna", "192.0.2.1") == 0


def test_strangers_hold_up_strangers_only() -> None:
    tries = Tries(Clock())
    for n in range(200):
        wrong(tries, "anna", f"192.0.2.{n}")  # many machines, one name
        wrong(tries, f"name{n}", "198.51.100.1")  # one machine, many names
    assert 0 < wrong(tries, "anna", "203.0.113.1") <= NAME.longest_s
    assert 0 < wrong(tries, "ben", "198.51.100.1") <= ADDRESS.longest_s
    assert wrong(tries, "ben", "203.0.113.1") == 0
    assert wrong(tries, "anna", "198.51.100.1", is_known=True) == 0


def test_a_right_password_counts_for_nothing() -> None:
    tries = Tries(Clock())
    keys = keys_of("anna", "192.0.2.1", is_known=False)
    for _ in range(10 * ADDRESS.free):
        assert tries.begin(keys) == 0
        tries.give_back(keys)
    assert tries.begin(keys) == 0


def test_one_machine_is_one_place_however_many_addresses_it_has() -> None:
    one, same, other = (
        keys_of("anna", address, is_known=False)
        for address in ("2001:db8::1", "2001:db8::ffff:1", "2001:db8:0:1::1")
    )
    assert one == same
    assert one.keys() & other.keys() == {"name anna"}


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("class")
    for name, password in PASSWORDS.items():
        set_user(folder / "users.json", name, password)
    frame = ("--allow-frame", "https://moodle.example.org")
    arguments = ("--auth", f"basic:{folder / 'users.json'}", "--behind-proxy", *frame)
    with Served(folder, *arguments) as server:
        yield server


def from_address(address: str) -> dict[str, str]:
    """What a proxy adds to whatever a browser claims."""
    return {"X-Forwarded-For": f"203.0.113.9, {address}", "X-Forwarded-Proto": "https"}


def test_of_many_guesses_at_once_only_the_limit_is_tried(proxied: Served) -> None:
    def guess(n: int) -> int:
        password = PASSWORDS["anna"] if n == 199 else "not the password"
        return Browser(proxied).sign_in("anna", password, **from_address("192.0.2.1"))

    with ThreadPoolExecutor(50) as pool:
        found = Counter(pool.map(guess, range(200)))
    assert found[HTTPStatus.FOUND] == 0
    # A second or two pass, after which one more is let through.
    assert PAIR.free <= found[HTTPStatus.UNAUTHORIZED] <= PAIR.free + 3
    assert Browser(proxied).sign_in("anna", **from_address("192.0.2.2")) == HTTPStatus.FOUND


def test_the_addresses_behind_a_proxy_are_told_apart(proxied: Served) -> None:
    for _ in range(PAIR.free + 2):
        last = Browser(proxied).sign_in("ben", "not the password", **from_address("192.0.2.3"))
    assert last == HTTPStatus.TOO_MANY_REQUESTS
    assert Browser(proxied).sign_in("ben", **from_address("192.0.2.4")) == HTTPStatus.FOUND


def test_behind_the_tls_of_a_proxy_cookies_go_over_tls_only(proxied: Served) -> None:
    status, headers, _ = Browser(proxied).sign_in_answer("tess", **from_address("192.0.2.5"))
    assert (status, "Secure" in headers["set-cookie"]) == (HTTPStatus.FOUND, True)
    assert headers["strict-transport-security"] == "max-age=15552000"
    _, headers, _ = Browser(proxied).sign_in_answer("tess")
    assert "Secure" not in headers["set-cookie"]
    assert "strict-transport-security" not in headers


def test_a_frame_of_a_page_that_is_allowed_has_cookies_over_tls(proxied: Served) -> None:
    _, headers, _ = Browser(proxied).sign_in_answer("tess", **from_address("192.0.2.6"))
    assert "frame-ancestors 'self' https://moodle.example.org;" in (
        f"{headers['content-security-policy']};"
    )
    assert "SameSite=None; Partitioned; Secure" in headers["set-cookie"]
    assert "SameSite=Lax" not in headers["set-cookie"]
    _, headers, _ = Browser(proxied).sign_in_answer("tess")
    assert "SameSite=Lax" in headers["set-cookie"]


@pytest.mark.parametrize(
    ("named", "proxies", "address"),
    [
        ("192.0.2.1", 0, "127.0.0.1"),
        ("192.0.2.1", 1, "192.0.2.1"),
        ("forged, 192.0.2.1", 1, "192.0.2.1"),
        ("forged, 192.0.2.1, 10.0.0.1", 2, "192.0.2.1"),
        ("192.0.2.1", 2, "192.0.2.1"),
        ("forged", 1, "127.0.0.1"),
        ("", 1, "127.0.0.1"),
    ],
)
def test_only_what_trusted_proxies_add_is_believed(named: str, proxies: int, address: str) -> None:
    from tornado.httputil import HTTPHeaders, HTTPServerRequest, RequestStartLine

    from biaslab_widgets.app.security.proxy import see_through

    request = HTTPServerRequest(
        start_line=RequestStartLine("GET", "/", "HTTP/1.1"),
        headers=HTTPHeaders({"Host": "127.0.0.1", "X-Forwarded-For": named}),
    )
    request.remote_ip = "127.0.0.1"
    see_through(request, proxies)
    assert request.remote_ip == address
