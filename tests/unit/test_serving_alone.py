"""The app of one person: nobody else on the machine gets in, and its folder is theirs alone."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from types import SimpleNamespace

import pytest

import biaslab as bl
from biaslab.errors import BiaslabError
from biaslab.files.private import make_private, private_files
from biaslab.people.access import owner_folder
from biaslab.store import Store
from biaslab_widgets.app.people import COOKIE, People
from harness.deferred import Deferred
from harness.emitted import observers
from harness.isolation import BEARER, SECRET, TOKEN
from harness.needs import needs
from harness.served_app import ServedApp
from harness.served_people import Browser

pytestmark = needs("panel")
server_options = Deferred("biaslab_widgets.app.server_options")


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedApp]:
    with ServedApp(tmp_path_factory.mktemp("alone"), opens_models=False) as served:
        yield served


PATHS = ("/", "/api/runs", "/metrics", "/psychometric", "/psychometric/ws", "/nothing")


@pytest.mark.parametrize("path", PATHS)
def test_another_account_of_the_machine_gets_nothing(app: ServedApp, path: str) -> None:
    for browser in (Browser(app), Browser(app)):
        browser.cookies[COOKIE] = People(False, secret=SECRET).new_cookie()  # of a visitor
        for wrong in ({}, {"Authorization": "Bearer wrong"}):
            status, headers, text = browser.ask(path, Accept="*/*", **wrong)
            assert (status, "set-cookie" in headers) == (HTTPStatus.UNAUTHORIZED, False)
            assert "biaslab serve has printed" in text
    status, _, text = Browser(app).ask("/api/subjects/service/try", b"{}")
    assert (status, TOKEN in text) == (HTTPStatus.UNAUTHORIZED, False)


def test_the_printed_address_opens_the_app_and_loses_its_token(app: ServedApp) -> None:
    assert f"Serving at {app.url}/?token={TOKEN}\n" in app.output()
    browser = Browser(app)
    query = f"token={TOKEN}"
    assert browser.ask("/?token=wrong")[0] == HTTPStatus.UNAUTHORIZED
    status, headers, _ = browser.ask(f"/psychometric?word=nurse&{query}")
    assert (status, headers["location"]) == (HTTPStatus.FOUND, "psychometric?word=nurse")
    assert browser.ask(f"/?{query}")[1]["location"] == "."
    assert browser.json("/api/subjects")["local"] is True
    assert Browser(app).ask("/api/status", **BEARER)[0] == HTTPStatus.OK


def test_a_cookie_is_good_for_the_next_server_of_the_same_person() -> None:
    cookie = People(secret=SECRET, token=TOKEN).new_cookie()
    assert People(secret=SECRET, token="another token").access_by(cookie) is not None
    assert People(secret="another secret", token=TOKEN).access_by(cookie) is None
    assert People(False, secret=SECRET).access_by(cookie) is None  # where others are visitors


def test_a_token_that_could_be_guessed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASLAB_TOKEN", "short")
    with pytest.raises(BiaslabError, match="at least 16"):
        _ = server_options.SignIn().token


def test_anyone_on_this_machine_is_a_visitor_where_anyone_may_come() -> None:
    people = server_options.SignIn(anyone=True).people("127.0.0.1")
    access = people.access_by(people.new_cookie())
    assert access is not None
    assert access.role == "visitor"


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="This system has no such sockets")
def test_a_socket_file_is_its_owners(tmp_path: Path) -> None:
    import tornado.netutil

    at = tmp_path / "socket"
    options = server_options.SignIn(unix_socket=at)
    assert options.listening("127.0.0.1", 5006) == {"unix_socket": str(at), "port": 0}
    assert options.people("127.0.0.1").lets_in("")
    with tornado.netutil.bind_unix_socket(str(at)):  # as Bokeh does
        assert at.stat().st_mode & 0o077 == 0


def test_jupyterlab_reaches_the_app_by_a_socket_or_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    from biaslab_widgets.app import in_lab

    by_socket = in_lab.server()
    assert by_socket["unix_socket"] is True
    assert by_socket["command"][-2:] == ["--unix-socket", "{unix_socket}"]
    monkeypatch.setattr(in_lab, "os", SimpleNamespace(name="nt"))
    by_port = in_lab.server()
    token = by_port["environment"]["BIASLAB_TOKEN"]
    assert by_port["request_headers_override"]["Authorization"] == f"Bearer {token}"
    assert token not in " ".join(by_port["command"])


@pytest.mark.skipif(os.name != "posix", reason="Modes are those of POSIX")
def test_a_folder_is_taken_from_other_accounts(tmp_path: Path) -> None:
    home = tmp_path / "a" / "home"
    make_private(home)
    assert home.stat().st_mode & 0o777 == 0o700
    old, script = home / "users" / "runs.sqlite", home / "script"
    old.parent.mkdir(mode=0o755)
    old.touch(0o644)
    script.touch(0o755)
    outside = tmp_path / "outside"
    outside.touch(0o644)
    (home / "link").symlink_to(outside)
    make_private(home)
    modes = [path.stat().st_mode & 0o777 for path in (old.parent, old, script, outside)]
    assert modes == [0o700, 0o600, 0o700, 0o644]
    with private_files():
        (home / "new").write_text("")
    assert (home / "new").stat().st_mode & 0o777 == 0o600


def test_a_folder_of_other_programs_stays_as_it_is() -> None:
    with pytest.raises(BiaslabError, match="BIASLAB_HOME"):
        make_private(Path.home())


def test_the_folder_of_a_server_is_its_owners(app: ServedApp) -> None:
    home = Path(app.environment["BIASLAB_HOME"])
    assert home.stat().st_mode & 0o777 == 0o700


@pytest.mark.usefixtures("own_home")
@pytest.mark.skipif(os.name != "posix", reason="Modes are those of POSIX")
def test_the_folder_that_a_notebook_makes_is_its_owners() -> None:
    Store().save(bl.two_afc(observers(), ["nurse"], [("woman", "man")]))
    assert owner_folder().stat().st_mode & 0o777 == 0o700


def test_the_address_is_not_among_the_arguments_of_the_browser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path))
    monkeypatch.setattr(server_options.webbrowser, "open", opened.append)
    monkeypatch.setattr(server_options.atexit, "register", lambda *_, **__: None)
    server_options.open_in_browser(f"http://127.0.0.1:5006/?token={TOKEN}")
    assert TOKEN not in opened[0]
    page = tmp_path / "open.html"
    assert (page.as_uri(), page.stat().st_mode & 0o077) == (opened[0], 0)
    assert TOKEN in page.read_text()


@pytest.mark.parametrize(
    ("outward", "shown"),
    [
        (["192.0.2.7", "2001:db8::7"], "http://192.0.2.7:5006/"),
        (["2001:db8::7"], "http://[2001:db8::7]:5006/"),
        ([], f"http://{socket.gethostname()}:5006/"),
    ],
)
def test_a_server_for_others_prints_an_address_that_they_can_open(
    outward: list[str], shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("biaslab_widgets.app.server_options._outward", lambda: outward)
    people = server_options.SignIn(users=Path("users.json"))
    assert people.address_to_open("0.0.0.0", 5006) == shown
