"""A sign-in ends with its person's rights: for the next request, and for pages that are open."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from biaslab.people.access import Access, Role
from biaslab.people.users import remove_user, set_user
from biaslab.store import Store
from biaslab_widgets.app.people import SIGN_INS_FILE, People, folder_of
from harness.deferred import Deferred
from harness.needs import needs
from harness.served_people import PASSWORDS, Browser, Served

pytestmark = needs("panel")
pages = Deferred("benchmarks.pages")
NAMES = ("anna", "ben", "olga")


def add(users: Path, name: str, role: Role = Role.VISITOR) -> None:
    set_user(users, name, PASSWORDS[name], role)


def add_again(users: Path, name: str) -> None:
    remove_user(users, name)
    add(users, name)


ENDS: dict[str, Callable[[Path, str], None]] = {
    "removed": remove_user,
    "removed and added again": add_again,
    "another role": lambda users, name: add(users, name, Role.OWNER),
    "a new password": lambda users, name: set_user(users, name, "another password"),
    "the same password again": add,
}


@pytest.fixture
def users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path))
    path = tmp_path / "users.json"
    for name in NAMES:
        add(path, name)
    return path


@pytest.mark.parametrize("act", ENDS)
def test_a_sign_in_ends_in_every_process(users: Path, act: str) -> None:
    here, there = People(False, users), People(False, users)
    cookie, other = here.new_cookie("anna"), here.new_cookie("ben")
    access = there.access_by(cookie)
    assert access is not None
    assert (access.user, access.role) == ("anna", Role.VISITOR)
    assert there.holds(access)
    ENDS[act](users, "anna")
    for people in (there, here):
        assert not people.holds(access)
        assert people.access_by(cookie) is None
        assert people.access_by(other) is not None


def test_signing_out_ends_one_sign_in(users: Path) -> None:
    here, there = People(False, users), People(False, users)
    cookie, at_home = here.new_cookie("anna"), here.new_cookie("anna")
    here.leaves(cookie)
    assert there.access_by(cookie) is None
    assert there.access_by(at_home) is not None


def test_a_sign_in_has_an_end(users: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    people = People(False, users)
    cookie = people.new_cookie("anna")
    path = "biaslab_widgets.app.security.sign_ins.time.time"
    now = time.time()
    monkeypatch.setattr(path, lambda: now + 29 * 24 * 3600)
    assert people.access_by(cookie) is not None
    monkeypatch.setattr(path, lambda: now + 31 * 24 * 3600)
    assert people.access_by(cookie) is None


def test_nobody_gets_in_while_the_users_cannot_be_read(users: Path) -> None:
    people = People(False, users)
    cookie = people.new_cookie("anna")
    text = users.read_bytes()
    users.unlink()
    assert people.access_by(cookie) is None
    users.touch(0o600)
    users.write_bytes(text)
    assert people.access_by(cookie) is not None


def test_the_file_of_sign_ins_holds_no_cookie(users: Path) -> None:
    cookie = People(False, users).new_cookie("anna")
    file = users.with_name(SIGN_INS_FILE)
    assert cookie.encode() not in file.read_bytes()
    assert file.stat().st_mode & 0o077 == 0


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("class")
    for name in NAMES:
        add(folder / "users.json", name, Role.OWNER if name == "olga" else Role.VISITOR)
    with Served(folder, "--auth", f"basic:{folder / 'users.json'}") as server:
        yield server


@pytest.mark.parametrize(
    ("name", "act"),
    [
        ("anna", remove_user),
        ("ben", lambda users, name: set_user(users, name, "another password")),
        ("olga", add),
    ],
    ids=["removed", "a new password", "owner no longer"],
)
def test_an_open_page_loses_the_rights_of_its_person(
    served: Served, name: str, act: Callable[[Path, str], None]
) -> None:
    browser = Browser(served)
    assert browser.sign_in(name) == HTTPStatus.FOUND
    home = served.home / "biaslab"
    folder = home if name == "olga" else home / "users" / folder_of(name)

    async def visit() -> tuple[Any, Any]:
        page, idle = (pages.Page(f"{served.url}/psychometric") for _ in range(2))
        for one in (page, idle):
            one.cookie = "; ".join(f"{n}={value}" for n, value in browser.cookies.items())
            await one.open()
        await page.until(lambda shown: shown["answer"]["state"] == "ready")
        saved = await page.command("save")
        assert saved["ok"], saved
        act(served.home.parent / "users.json", name)
        page.set({"command": {"id": page.generation + 1, "name": "save", "args": {}}})
        await asyncio.wait_for(asyncio.gather(page.lost.wait(), idle.lost.wait()), 20)
        return page, idle

    page, idle = asyncio.run(visit())
    assert {page.socket.close_code, idle.socket.close_code} == {1008}
    assert Store(folder).count() == 1
    assert browser.ask("/api/runs", Accept="*/*")[0] == HTTPStatus.UNAUTHORIZED


def test_a_page_that_an_owner_opened_is_not_joined_as_a_visitor() -> None:
    from tornado.web import Application

    from biaslab_widgets.app.security.gate import Gate

    opened, now = Access("olga", Role.OWNER), Access("olga", Role.VISITOR)
    gate = Gate(Application(), People(False), sessions={"session": opened})
    assert gate.may_join("session", opened)
    assert not gate.may_join("session", now)
