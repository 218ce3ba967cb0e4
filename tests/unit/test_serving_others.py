"""The served app where others reach it: who gets in, and whose things they see."""

from __future__ import annotations

import http.client
import json
import re
import sys
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

import biaslab as bl
from biaslab.cli import main
from biaslab.people.access import Role
from biaslab.people.users import set_user
from biaslab.store import Store
from biaslab_widgets.app.people import folder_of
from harness.emitted import observers
from harness.isolation import BEARER
from harness.needs import needs
from harness.served_people import PASSWORDS, Browser, Served

pytestmark = needs("panel")
ROLES = {"olga": Role.OWNER, "tess": Role.TEACHER}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("class")
    users = folder / "users.json"
    for name, password in PASSWORDS.items():
        set_user(users, name, password, ROLES.get(name, Role.VISITOR))
    with Served(folder, "--auth", f"basic:{users}") as server:
        yield server


def signed_in(served: Served, name: str) -> Browser:
    browser = Browser(served)
    assert browser.sign_in(name) == HTTPStatus.FOUND
    return browser


def vectors(*words: str) -> bytes:
    return "".join(f"{word} {n} 1 {n * n}\n" for n, word in enumerate(words)).encode()


def upload(browser: Browser, number: str, content: bytes) -> tuple[int, Any]:
    path = f"/api/subjects/upload?upload={number}&name=mine.txt"
    status, _, text = browser.ask(path, content)
    return status, json.loads(text)


def names(browser: Browser) -> set[str]:
    return {row["name"] for row in browser.json("/api/subjects")["subjects"]}


PAGES = ("/", "/psychometric", "/runs", "/subjects", "/help", "/tour")
ANSWERS = ("/api/runs", "/api/subjects", "/api/status", "/psychometric/ws", "/autoload.js")


@pytest.mark.parametrize("path", PAGES)
def test_a_page_leads_to_the_sign_in_first(served: Served, path: str) -> None:
    status, headers, _ = Browser(served).ask(path)
    assert status == HTTPStatus.FOUND
    assert headers["location"].startswith("login?next=")


@pytest.mark.parametrize("path", ANSWERS)
def test_nothing_else_answers_a_stranger(served: Served, path: str) -> None:
    status, _, text = Browser(served).ask(path, Accept="*/*")
    assert status == HTTPStatus.UNAUTHORIZED
    assert "not signed in" in text


def test_a_wrong_password_a_forged_cookie_and_another_site_do_not_get_in(served: Served) -> None:
    browser = Browser(served)
    assert browser.sign_in("anna", "not the password") == HTTPStatus.UNAUTHORIZED
    assert browser.sign_in("nobody", "not the password") == HTTPStatus.UNAUTHORIZED
    assert browser.sign_in("anna", Origin="http://elsewhere.example") == HTTPStatus.FORBIDDEN
    assert browser.cookies == {}
    anna = signed_in(served, "anna")
    name, value = next(iter(anna.cookies.items()))
    forged = Browser(served)
    forged.cookies[name] = value[:-1] + ("0" if value[-1] != "0" else "1")
    assert forged.ask("/runs")[0] == HTTPStatus.FOUND


def test_the_cookie_is_out_of_reach_of_scripts_and_pages(served: Served) -> None:
    browser = Browser(served)
    fields = urlencode({"name": "anna", "password": PASSWORDS["anna"]})
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    _, headers, _ = browser.ask("/login", fields.encode(), **kind)
    assert "HttpOnly" in headers["set-cookie"]
    assert "SameSite=Lax" in headers["set-cookie"]
    value = next(iter(browser.cookies.values()))
    status, _, page = browser.ask("/psychometric")
    assert status == HTTPStatus.OK
    assert value not in page


def test_signing_in_leads_nowhere_else(served: Served) -> None:
    for place in ("//elsewhere.example", "https://elsewhere.example", "/\\elsewhere.example"):
        fields = urlencode({"name": "anna", "password": PASSWORDS["anna"], "next": place})
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        _, headers, _ = Browser(served).ask("/login", fields.encode(), **kind)
        assert headers["location"] == "."


def test_one_persons_upload_is_no_other_persons(served: Served) -> None:
    anna, ben = signed_in(served, "anna"), signed_in(served, "ben")
    assert upload(anna, "a" * 12, vectors("she", "he", "nurse"))[0] == HTTPStatus.OK
    status, added = anna.post("/api/subjects/add", upload="a" * 12, name="annas")
    assert (status, added) == (HTTPStatus.OK, {"name": "annas"})
    assert "annas" in names(anna)
    assert "annas" not in names(ben)
    assert "annas" not in ben.ask("/psychometric?subject=annas")[2].split("<title>")[0]
    # The same number and name lead to a file of his own, which is not there.
    status, answer = ben.post("/api/subjects/add", upload="a" * 12, name="annas")
    assert (status, "did not arrive" in answer["error"]) == (HTTPStatus.BAD_REQUEST, True)
    assert ben.post("/api/subjects/remove", name="annas")[0] == HTTPStatus.BAD_REQUEST
    assert "annas" in names(anna)
    assert "wiki-bootstraps" in names(ben) & names(anna)


def test_a_visitor_names_no_file_and_no_service_of_the_server(served: Served) -> None:
    ben = signed_in(served, "ben")
    for path in (str(served.home), "/etc/passwd", "~"):
        status, answer = ben.post("/api/subjects/inspect", path=path)
        assert (status, "Upload the file" in answer["error"]) == (HTTPStatus.BAD_REQUEST, True)
    assert ben.post("/api/subjects/service/try", kind="chat")[0] == HTTPStatus.FORBIDDEN
    about = ben.json("/api/subjects")
    assert (about["local"], about["hub"]) == (False, False)


def test_no_answer_names_a_folder_of_the_server(served: Served) -> None:
    anna = signed_in(served, "anna")
    upload(anna, "b" * 12, vectors("she", "he"))
    anna.post("/api/subjects/add", upload="b" * 12, name="hers")
    texts = [anna.ask(path)[2] for path in (*PAGES[:-1], *ANSWERS[:3])]
    texts += [anna.ask(f"/api/subjects/card?name={name}")[2] for name in ("hers", "nothing")]
    texts.append(json.dumps(anna.post("/api/subjects/add", upload="c" * 12, name="x")[1]))
    for text in texts:
        assert str(served.home.parent) not in text
        assert str(Path.cwd()) not in text


def saved_run(served: Served, name: str, word: str) -> str:
    """Save a run in a person's folder; its id."""
    result = bl.two_afc(observers(), [word], [("woman", "man")])
    home = served.home / "biaslab"
    return Store(home if name == "olga" else home / "users" / folder_of(name)).save(result)


def runs(browser: Browser) -> dict[str, str]:
    return {run["id"]: run["sharedBy"] for run in browser.json("/api/runs")["runs"]}


def test_one_persons_run_is_no_other_persons(served: Served) -> None:
    run = saved_run(served, "anna", "nurse")
    anna, ben, olga = (signed_in(served, name) for name in ("anna", "ben", "olga"))
    assert run in runs(anna)
    for other in (ben, olga):
        assert run not in runs(other)
        for path in (
            f"/run?id={run}",
            f"/report?runs={run}",
            f"/api/runs/export?runs={run}&format=csv",
            f"/api/runs/pictures?runs={run}",
            f"/compare?a={run}&b={run}",
            f"/api/compare?a={run}&b={run}",
        ):
            assert other.ask(path)[0] == HTTPStatus.NOT_FOUND, path
        assert "nurse" not in other.ask(f"/psychometric?run={run}")[2].split('class="frame')[0]
        for change in ("delete", "rename", "tag", "share"):
            status, _ = other.post(f"/api/runs/{change}", ids=[run], tags=["x"], label="x")
            assert status in (HTTPStatus.NOT_FOUND, HTTPStatus.FORBIDDEN)
    assert anna.ask(f"/run?id={run}")[0] == HTTPStatus.OK


def test_a_teacher_shares_a_run_that_others_read_only(served: Served) -> None:
    tess, anna, ben = (signed_in(served, name) for name in ("tess", "anna", "ben"))
    run = saved_run(served, "tess", "teacher")
    assert tess.json("/api/runs")["mayShare"] is True
    assert ben.json("/api/runs")["mayShare"] is False
    assert tess.post("/api/runs/share", ids=[run])[0] == HTTPStatus.OK
    (shared,) = (one for one, by in runs(ben).items() if by == "tess")
    page = ben.ask(f"/run?id={shared}")[2]
    assert "shared by tess" in page
    assert 'id="actions"' not in page
    for browser in (ben, anna):
        assert browser.post("/api/runs/delete", ids=[shared])[0] == HTTPStatus.NOT_FOUND
        assert browser.post("/api/runs/withdraw", ids=[shared])[0] == HTTPStatus.FORBIDDEN
    own = saved_run(served, "ben", "nurse")
    status, answer = ben.post("/api/runs/share", ids=[own])
    assert (status, "report or an export" in answer["error"]) == (HTTPStatus.FORBIDDEN, True)
    assert ben.ask(f"/report?runs={own}&download=1")[0] == HTTPStatus.OK
    assert tess.post("/api/runs/withdraw", ids=[shared])[0] == HTTPStatus.OK
    assert shared not in runs(ben)


def test_a_teacher_shares_a_subject_that_others_only_ask(served: Served) -> None:
    tess, ben = signed_in(served, "tess"), signed_in(served, "ben")
    upload(tess, "d" * 12, vectors("she", "he", "nurse"))
    assert tess.post("/api/subjects/add", upload="d" * 12, name="tested")[0] == HTTPStatus.OK
    assert "tested" not in names(ben)
    assert ben.post("/api/subjects/share", name="tested")[0] in (
        HTTPStatus.FORBIDDEN,
        HTTPStatus.BAD_REQUEST,
    )
    assert tess.post("/api/subjects/share", name="tested")[0] == HTTPStatus.OK
    row = next(r for r in ben.json("/api/subjects")["subjects"] if r["name"] == "tested")
    assert (row["own"], row["shared_by"], row["origin"]) == (False, "tess", "shared by tess")
    assert ben.post("/api/subjects/remove", name="tested")[0] == HTTPStatus.BAD_REQUEST
    assert ben.post("/api/subjects/unload", name="wiki-bootstraps")[0] == HTTPStatus.BAD_REQUEST
    assert "owner/" not in ben.ask("/api/subjects/card?name=tested")[2]
    assert tess.post("/api/subjects/withdraw", name="tested")[0] == HTTPStatus.OK
    assert "tested" not in names(ben)


def test_the_owners_own_subjects_are_not_everybodys(served: Served) -> None:
    olga, ben = signed_in(served, "olga"), signed_in(served, "ben")
    file = served.home / "private.txt"
    file.write_bytes(vectors("she", "he"))
    assert olga.post("/api/subjects/add", path=str(file), name="private")[0] == HTTPStatus.OK
    assert "private" in names(olga)
    assert "private" not in names(ben) | names(signed_in(served, "tess"))
    assert ben.ask("/api/subjects/card?name=private")[0] == HTTPStatus.BAD_REQUEST


def token_of(browser: Browser) -> str:
    """The token of a page that was loaded anew."""
    found = re.search(r'"token":"([^"]+)"', browser.ask("/psychometric")[2])
    assert found is not None
    return found[1]


def joins(browser: Browser, token: str, **headers: str) -> int:
    """Status of the answer to a websocket that joins the session of a token."""
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        "Sec-WebSocket-Protocol": f"bokeh, {token}",
    }
    connection = http.client.HTTPConnection(browser.here, timeout=60)
    sent = {"Origin": f"http://{browser.here}", **upgrade, **headers}
    sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    connection.request("GET", "/psychometric/ws", headers=sent)
    status = connection.getresponse().status
    connection.close()
    return status


def test_a_websocket_joins_the_persons_own_page_only(served: Served) -> None:
    anna, ben = signed_in(served, "anna"), signed_in(served, "ben")
    token = token_of(anna)
    assert joins(ben, token) == HTTPStatus.FORBIDDEN
    assert joins(Browser(served), token) == HTTPStatus.UNAUTHORIZED
    assert joins(anna, token) == HTTPStatus.SWITCHING_PROTOCOLS


def test_a_session_that_somebody_made_up_begins_nothing(served: Served) -> None:
    from bokeh.util.token import generate_jwt_token, generate_session_id

    anna = signed_in(served, "anna")
    made_up = generate_jwt_token(generate_session_id(signed=False), signed=False)
    before = anna.ask("/metrics", **BEARER)[2]
    assert anna.ask(f"/psychometric?bokeh-token={made_up}")[0] == HTTPStatus.FORBIDDEN
    sessions = [line for line in before.splitlines() if line.startswith("biaslab_sessions ")]
    assert sessions[0] in anna.ask("/metrics", **BEARER)[2]


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example"])
def test_a_foreign_name_that_points_here_is_not_answered(served: Served, host: str) -> None:
    browser = signed_in(served, "olga")
    for path in ("/", "/api/runs", "/psychometric"):
        status, _, text = browser.ask(path, Host=host, Origin=f"http://{host}")
        assert status == HTTPStatus.MISDIRECTED_REQUEST
        assert "--allow-origin" in text
    assert browser.ask("/healthz", Host=host)[0] == HTTPStatus.OK
    token = token_of(browser)
    assert joins(browser, token, Host=host, Origin=f"http://{host}") == (
        HTTPStatus.MISDIRECTED_REQUEST
    )


def test_the_app_is_not_embedded_by_a_script_of_another_page(served: Served) -> None:
    anna = signed_in(served, "anna")
    status, headers, text = anna.ask("/psychometric/autoload.js?bokeh-autoload-element=1")
    assert (status, "token" in text) == (HTTPStatus.NOT_FOUND, False)
    assert not [name for name in headers if name.startswith("access-control-")]


def test_what_people_did_stands_in_the_audit_log(served: Served) -> None:
    tess = signed_in(served, "tess")
    run = saved_run(served, "tess", "teacher")
    assert tess.post("/api/runs/delete", ids=[run])[0] == HTTPStatus.OK
    Browser(served).sign_in("ben", "not the password")
    text = (served.home / "biaslab" / "audit.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    deleted = [line for line in lines if line["event"] == "deleted" and run in line.get("ids", "")]
    assert [(line["user"], line["role"]) for line in deleted] == [("tess", "teacher")]
    assert any(line["event"] == "signed-in" and line["name"] == "tess" for line in lines)
    refused = [line["why"] for line in lines if line["event"] == "refused"]
    assert refused.count("wrong name or password") == 1  # in a minute, whoever tries
    assert not any(password in text for password in PASSWORDS.values())


def test_the_owner_signs_in_to_the_owners_folder(served: Served) -> None:
    olga = signed_in(served, "olga")
    assert olga.json("/api/subjects")["local"] is True
    assert "biaslab_sessions" in olga.ask("/metrics")[2]


def test_signing_out_ends_it(served: Served) -> None:
    anna = signed_in(served, "anna")
    assert ">anna<" in anna.ask("/runs")[2]
    assert anna.ask("/logout", b"")[0] == HTTPStatus.FOUND
    assert anna.ask("/runs")[0] == HTTPStatus.FOUND


def test_a_page_of_another_site_opens_no_websocket(served: Served) -> None:
    anna = signed_in(served, "anna")
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        "Sec-WebSocket-Protocol": "bokeh, token",
    }
    status, _, _ = anna.ask("/psychometric/ws", **upgrade, Origin="http://elsewhere.example")
    assert status == HTTPStatus.FORBIDDEN


@pytest.mark.parametrize("path", ["/", "/psychometric", "/nothing", "/api/runs", "/login"])
def test_every_answer_keeps_foreign_things_out(served: Served, path: str) -> None:
    _, headers, _ = signed_in(served, "ben").ask(path)
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'self'" in policy
    assert "unsafe-eval" not in policy
    assert "http" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"


def test_a_page_that_did_not_change_keeps_the_policy_it_came_with(served: Served) -> None:
    ben = signed_in(served, "ben")
    _, headers, _ = ben.ask("/help")
    assert "'sha256-" in headers["content-security-policy"]
    status, again, text = ben.ask("/help", **{"If-None-Match": headers["etag"]})
    assert (status, text) == (HTTPStatus.NOT_MODIFIED, "")
    assert "content-security-policy" not in again


def test_health_needs_nobody_and_metrics_no_stranger(served: Served) -> None:
    stranger = Browser(served)
    assert stranger.json("/healthz") == {"status": "ok"}
    assert stranger.ask("/metrics", Accept="*/*")[0] == HTTPStatus.UNAUTHORIZED
    assert stranger.ask("/metrics", **BEARER)[2].endswith("# EOF\n")
    # The token is good for nothing else where people sign in.
    assert stranger.ask("/api/runs", Accept="*/*", **BEARER)[0] == HTTPStatus.UNAUTHORIZED
    assert signed_in(served, "ben").ask("/metrics")[0] == HTTPStatus.FORBIDDEN


@pytest.mark.skipif(sys.platform == "darwin", reason="It has one local address only")
def test_many_wrong_passwords_have_to_wait(served: Served) -> None:
    browser, own = Browser(served, "127.0.0.9"), signed_in(served, "walt")
    tried = [browser.sign_in("walt", "not the password") for _ in range(12)]
    assert tried[:8] == [HTTPStatus.UNAUTHORIZED] * 8
    assert tried[-1] == HTTPStatus.TOO_MANY_REQUESTS
    status, headers, text = browser.sign_in_answer("walt")
    assert (status, int(headers["retry-after"]) >= 1) == (HTTPStatus.TOO_MANY_REQUESTS, True)
    assert "Try again in" in text
    # In his own browser nobody holds him up, also once he has signed out.
    own.ask("/logout", b"")
    assert own.sign_in("walt") == HTTPStatus.FOUND


@pytest.mark.usefixtures("own_home")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--port {port}", "Port {port} is in use"),
        ("--port=99999", "99999 is no port"),
        ("--port=-1", "-1 is no port"),
        ("--address 0.0.0.0", "--allow-anyone"),
        ("--address 192.0.2.7 --allow-anyone --port 0", "no address of this machine"),
        ("--auth basic:{home}/none.json", "cannot be read"),
        ("--auth oauth:github", "BIASLAB_OAUTH_KEY"),
        ("--tls-cert {cert}", "both --tls-cert and --tls-key"),
        ("--tls-cert {cert} --tls-key {cert}", "no certificate and its key in PEM form"),
        ("--disk-per-person 0", "--disk-per-person takes GB above 0"),
        ("--disk-total nan", "--disk-total takes GB above 0"),
        ("--keep-visitors inf", "--keep-visitors takes days from 0"),
    ],
)
def test_what_cannot_be_served_is_said_in_a_sentence(
    arguments: str,
    said: str,
    served: Served,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # What a server changes in its process.
    for name in (
        "set_access_otherwise", "guard_connections", "set_job_limits", "AuditLog", "limit_others",
    ):  # fmt: skip
        monkeypatch.setattr(f"biaslab_widgets.app.serve.{name}", lambda *_: None)
    here = {"port": served.port, "home": served.home, "cert": Path(__file__)}
    assert main(["serve", "wiki-bootstraps", *arguments.format(**here).split()]) == 1
    assert said.format(**here) in capsys.readouterr().err
