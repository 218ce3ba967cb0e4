"""Another service signs people in: who they are here, and what of its answers is kept."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from harness.needs import needs
from harness.oauth_provider import KEY, SECRET, OAuthProvider
from harness.served_people import Browser, Served

pytestmark = needs("panel")


@pytest.fixture(scope="module")
def provider() -> Iterator[OAuthProvider]:
    with OAuthProvider("anna@example.org") as running:
        yield running


@pytest.fixture(scope="module")
def served(provider: OAuthProvider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    arguments = ("--auth", "oauth:generic", "--owner", "olga@example.org")
    folder = tmp_path_factory.mktemp("oauth")
    with Served(folder, *arguments, **provider.environment) as server:
        yield server


def sent_on(status_and_headers: tuple[int, dict[str, str], str]) -> str:
    """Where an answer leads."""
    status, headers, text = status_and_headers
    assert status == HTTPStatus.FOUND, text
    return headers["location"]


def at_provider(browser: Browser, provider: OAuthProvider, address: str) -> str:
    """Path of the app to which the provider sends a browser back."""
    elsewhere = Browser.__new__(Browser)
    elsewhere.here, elsewhere.cookies = urlsplit(provider.url).netloc, {}
    place = urlsplit(sent_on(elsewhere.ask(address.removeprefix(provider.url))))
    assert place.netloc == browser.here
    return f"{place.path}?{place.query}"


def sign_in(browser: Browser, provider: OAuthProvider, page: str = "login") -> str:
    """Sign in; where the app leads then."""
    address = sent_on(browser.ask(f"/{page}"))
    return sent_on(browser.ask(at_provider(browser, provider, address)))


@pytest.fixture(autouse=True)
def annas_turn(provider: OAuthProvider) -> None:
    provider.person = "anna@example.org"


@pytest.fixture
def anna(served: Served, provider: OAuthProvider) -> Browser:
    browser = Browser(served)
    sign_in(browser, provider)
    return browser


def test_a_page_leads_to_the_provider_and_back_to_the_page(
    served: Served, provider: OAuthProvider
) -> None:
    browser = Browser(served)
    login = sent_on(browser.ask("/run?id=abc"))
    assert login == "login?next=run%3Fid%3Dabc"
    assert sign_in(browser, provider, login) == "run?id=abc"
    status, _, text = browser.ask("/runs")
    assert status == HTTPStatus.OK
    assert "anna@example.org" in text


def test_the_role_is_the_one_that_the_owner_gave(
    served: Served, provider: OAuthProvider, anna: Browser
) -> None:
    assert anna.json("/api/subjects")["local"] is False
    provider.person = "olga@example.org"
    olga = Browser(served)
    sign_in(olga, provider)
    assert olga.json("/api/subjects")["local"] is True


@pytest.mark.parametrize("who", ["anna@example.org", "olga@example.org"])
def test_who_is_signed_in_can_sign_in_again(
    served: Served, provider: OAuthProvider, who: str
) -> None:
    browser = Browser(served)
    provider.person = who
    for _ in range(2):
        assert sign_in(browser, provider) == "."
    assert who in browser.ask("/runs")[2]
    provider.person = "ben@example.org"
    sign_in(browser, provider)
    assert "ben@example.org" in browser.ask("/runs")[2]


def test_a_wrong_state_signs_nobody_in(served: Served, provider: OAuthProvider) -> None:
    browser = Browser(served)
    address = sent_on(browser.ask("/login"))
    back = at_provider(browser, provider, address)
    query = parse_qs(urlsplit(back).query)
    for state in ("", "made up", query["state"][0][:-4] + "AAAA"):
        cookies = dict(browser.cookies)
        path = "/login?" + urlencode({"code": query["code"][0], "state": state})
        status, headers, text = browser.ask(path)
        assert (status, "Signing in did not work" in text) == (HTTPStatus.UNAUTHORIZED, True)
        assert "http" not in headers["content-security-policy"]
        browser.cookies = cookies
        assert browser.ask("/runs")[0] == HTTPStatus.FOUND
    # Somebody else's browser does not join with the whole address either.
    assert Browser(served).ask(back)[0] == HTTPStatus.UNAUTHORIZED


def test_a_code_is_good_once_and_a_refusal_is_said(served: Served, provider: OAuthProvider) -> None:
    browser = Browser(served)
    back = at_provider(browser, provider, sent_on(browser.ask("/login")))
    cookies = dict(browser.cookies)
    assert browser.ask(back)[0] == HTTPStatus.FOUND
    browser.cookies = cookies
    status, _, text = browser.ask(back)
    assert (status, "Signing in did not work" in text) == (HTTPStatus.UNAUTHORIZED, True)
    status, _, text = Browser(served).ask("/login?error=access_denied&error_description=<b>no</b>")
    assert (status, "<b>no" in text) == (HTTPStatus.UNAUTHORIZED, False)


@pytest.mark.parametrize("nobody", ["", " ", None, 7])
def test_a_provider_that_names_nobody_signs_nobody_in(
    served: Served, provider: OAuthProvider, nobody: object
) -> None:
    browser = Browser(served)
    provider.person = nobody  # type: ignore[assignment]
    back = at_provider(browser, provider, sent_on(browser.ask("/login")))
    assert browser.ask(back)[0] >= HTTPStatus.BAD_REQUEST
    assert browser.ask("/runs")[0] == HTTPStatus.FOUND


def test_signing_in_leads_nowhere_else(served: Served, provider: OAuthProvider) -> None:
    for place in ("//elsewhere.example", "https://elsewhere.example", "/\\elsewhere.example"):
        query = urlencode({"next": place})
        assert sign_in(Browser(served), provider, f"login?{query}") == "."


def test_signing_out_ends_it(served: Served, anna: Browser) -> None:
    status, _, text = anna.ask("/logout", b"", Origin="http://elsewhere.example")
    assert status == HTTPStatus.FORBIDDEN
    status, headers, text = anna.ask("/logout", b"")
    assert (status, "You are signed out" in text) == (HTTPStatus.OK, True)
    assert "max-age" in headers["set-cookie"].lower() or "expires" in headers["set-cookie"].lower()
    assert anna.ask("/runs")[0] == HTTPStatus.FOUND


def test_no_token_of_the_provider_is_kept_and_no_page_holds_the_cookie(
    served: Served, provider: OAuthProvider, anna: Browser
) -> None:
    assert set(anna.cookies) <= {"biaslab-person", "user", "panel-oauth-state", "is_guest"}
    status, _, page = anna.ask("/psychometric")
    assert status == HTTPStatus.OK
    for kept in (anna.cookies["user"], provider.token, SECRET):
        assert kept not in page
    log = served.log.read_text(encoding="utf-8", errors="replace")
    audit = (served.home / "biaslab" / "audit.jsonl").read_text(encoding="utf-8")
    assert provider.token not in log + audit
    assert SECRET not in log + audit
    assert '"signed-in"' in audit
    assert KEY not in audit


def test_the_cookie_is_for_this_server_only(served: Served, provider: OAuthProvider) -> None:
    browser = Browser(served)
    back = at_provider(browser, provider, sent_on(browser.ask("/login")))
    _, headers, _ = browser.ask(back)
    assert "HttpOnly" in headers["set-cookie"]
    assert "SameSite=Lax" in headers["set-cookie"]
