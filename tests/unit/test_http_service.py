"""Any HTTP API by a description, and every way in which a server can fail."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from biaslab.asking.endpoint import Endpoint
from biaslab.asking.http import retry_after
from biaslab.asking.providers.apertium import PACKAGES
from biaslab.asking.providers.http_api import HttpService, HttpTranslator
from biaslab.errors import (
    BiaslabError,
    ServiceAnswerError,
    ServiceBusyError,
    ServiceError,
    ServiceFailedError,
    ServicePairError,
    ServiceRefusedError,
    ServiceSetupError,
    ServiceTimeoutError,
    ServiceUnreachableError,
)
from biaslab.jobs.job import JobContext
from biaslab.network import checked_requests
from biaslab.probes.rating.experiment_executor import execute
from biaslab.services import RoundTrip, Service, Translation, Translator, http_service
from harness.service_server import Asked, Says, ServiceServer

ROOT = Path(__file__).resolve().parents[2]
CODED = "application/json; charset=punycode"
ECHO = """
name = "Echo"
version = "1"
[request]
url = "URL/say"
json = { text = "{text}" }
[answer]
path = "data.said"
"""
SEVERAL = """
name = "Batch"
pairs = [["en", "spa"], ["es", "en"]]
languages = { es = "ES-419" }
[request]
url = "URL/v2/{target}"
headers = { Authorization = "Key {env:BIASLAB_TEST_KEY}" }
query = { from = "{source}" }
json = { texts = "{texts}", options = ["formal", "{target}"] }
[answer]
path = "translations[].text"
[limits]
texts_per_call = 3
timeout = 5
[cost]
per_million_characters = 20
currency = "EUR"
"""


def said(text: str) -> Says:
    return Says.of({"data": {"said": text}})


def service(server: ServiceServer, description: str = ECHO) -> HttpService:
    found = http_service(description.replace("URL", server.url))
    assert isinstance(found, HttpService)
    return found


def test_a_description_makes_a_service() -> None:
    with ServiceServer(lambda asked: said(asked.json["text"].upper())) as server:
        echo = service(server)
        assert isinstance(echo, Service)
        assert echo.answer(["She is a nurse & “more” <b>."]) == ["SHE IS A NURSE & “MORE” <B>."]
        assert echo.identity.startswith("http Echo 1 ")
        assert server.asked[0].headers["content-type"] == "application/json"


def test_languages_make_a_translator_that_sends_several_texts_and_a_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BIASLAB_TEST_KEY", "s3cret")

    def answer(asked: Asked) -> Says:
        texts = [{"text": f"{asked.path}:{text}"} for text in asked.json["texts"]]
        return Says.of({"translations": texts})

    with ServiceServer(answer) as server:
        translator = http_service(SEVERAL.replace("URL", server.url))
        assert isinstance(translator, HttpTranslator)
        assert isinstance(translator, Translator)
        service = Translation(translator, "eng", "es")
        texts = ["One.", "Two.", "Three.", "Four."]
        found = execute(service, texts, keep=False)
        assert found.outputs == tuple(f"/v2/ES-419:{text}" for text in texts)
        assert found.calls == 2
        assert found.cost == pytest.approx(sum(map(len, texts)) * 20e-6)
        assert found.currency == "EUR"
        first = server.asked[0]
        assert first.headers["authorization"] == "Key s3cret"
        assert first.query == {"from": ["en"]}
        assert first.json["options"] == ["formal", "ES-419"]
        with pytest.raises(ServicePairError, match="French"):
            RoundTrip(translator, "fr")
    assert "s3cret" not in repr(translator) + service.identity


def test_a_form_a_query_and_plain_text_are_sent_too() -> None:
    form = ECHO.replace('json = { text = "{text}" }', 'form = { q = "{text}" }')
    query = ECHO.replace('json = { text = "{text}" }', 'query = { q = "{text}" }')
    plain = ECHO.replace('json = { text = "{text}" }', 'text = "{text}"').replace(
        'path = "data.said"', ""
    )

    def answer(asked: Asked) -> Says:
        if asked.headers.get("content-type", "").startswith("text/plain"):
            return Says(asked.body, kind="text/plain")
        return said(asked.query["q"][0] if asked.query else asked.form["q"])

    with ServiceServer(answer) as server:
        for description in (form, query, plain):
            assert service(server, description).answer(["a & b = ñ"]) == ["a & b = ñ"]
        assert [asked.method for asked in server.asked] == ["POST", "GET", "POST"]


@pytest.mark.parametrize(
    ("says", "kind", "message"),
    [
        (Says("", 429, headers={"retry-after": "7"}), ServiceBusyError, "too many requests"),
        (Says("oh", 500), ServiceFailedError, r"failed \(500\).*'oh'"),
        (Says("", 503), ServiceBusyError, "not ready"),
        (Says("", 504), ServiceTimeoutError, "in time"),
        (Says("", 401), ServiceRefusedError, "check the key"),
        (Says("", 404), ServiceRefusedError, "nothing at this address"),
        (Says("", 302, headers={"location": "http://a.b/"}), ServiceRefusedError, "redirects"),
        (Says('{"message": "too long"}', 413), ServiceAnswerError, "too long"),
        (Says("<!DOCTYPE html><p>Log in", kind="text/html"), ServiceAnswerError, "web page"),
        (Says("<html>Log in"), ServiceAnswerError, "web page"),
        (Says(""), ServiceAnswerError, "sent an empty answer"),
        (Says("hello"), ServiceAnswerError, "other than JSON: 'hello'"),
        (Says(b"\xff\xfe\xfa"), ServiceAnswerError, "other than text"),
        (Says("a" * 4_000_000, kind=CODED), ServiceAnswerError, "character set 'punycode'.*UTF-8"),
        (Says("a", kind="text/plain; charset=none"), ServiceAnswerError, "character set 'none'"),
        (Says("[" * 200_000), ServiceAnswerError, "JSON.*nested too deeply"),
        (Says.of({"data": {"other": 1}}), ServiceAnswerError, "without 'said': there is 'other'"),
        (Says.of({"data": {"said": 3}}), ServiceAnswerError, "int instead of a text"),
        (Says('{"data"', cut=True), ServiceFailedError, "closed the connection"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_named(says: Says, kind: type[ServiceError], message: str) -> None:
    with ServiceServer(lambda _: says) as server:
        with pytest.raises(kind, match=message) as caught:
            service(server).answer(["She is a nurse."])
        assert len(server.asked) == 1
    if says.status == 429:
        assert caught.value.retry_after == 7.0


@pytest.mark.parametrize("charset", ["utf-8", "UTF-16", "latin-1", "windows-1252", "ISO-8859-1"])
def test_an_answer_in_an_old_character_set(charset: str) -> None:
    body = json.dumps({"data": {"said": "Zoë"}}, ensure_ascii=False).encode(charset)
    kind = f'application/json; x=1; charset="{charset}"'
    with ServiceServer(lambda _: Says(body, kind=kind)) as server:
        assert service(server).answer(["a"]) == ["Zoë"]


def test_libraries_read_no_other_character_set() -> None:
    with ServiceServer(lambda _: Says("a" * 1_000_000, 500, kind=CODED)) as server:
        begun = time.monotonic()
        with pytest.raises(ServiceAnswerError, match="character set 'punycode'"):
            checked_requests.request("GET", server.url)
        endpoint = Endpoint("m", base_url=f"{server.url}/v1", attempts=1)
        with pytest.raises(BiaslabError, match="500"):
            endpoint.ask(
                lambda client: client.chat.completions.create(model="m", messages=[]), JobContext()
            )
        assert time.monotonic() - begun < 10


def test_a_server_that_does_not_answer_in_time_or_is_not_there() -> None:
    with ServiceServer(lambda _: Says(late=True)) as server:
        url = server.url
        quick = ECHO + "[limits]\ntimeout = 0.2\n"
        with pytest.raises(ServiceTimeoutError, match=r"within 0\.2 s"):
            service(server, quick).answer(["She is a nurse."])
    gone = http_service(ECHO.replace("URL", url))
    assert isinstance(gone, HttpService)
    with pytest.raises(ServiceUnreachableError, match=r"cannot be reached.*Check"):
        gone.answer(["She is a nurse."])


def test_a_redirect_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASLAB_TEST_KEY", "s3cret")
    keyed = ECHO.replace("json =", 'headers = { Authorization = "{env:BIASLAB_TEST_KEY}" }\njson =')
    with ServiceServer(lambda asked: said("Yes.")) as other:
        for status in (301, 302, 303, 307, 308):
            sent_on = Says("", status, headers={"location": f"{other.url}/say"})
            with ServiceServer(lambda _, says=sent_on: says) as server:
                with pytest.raises(ServiceRefusedError, match="give that address"):
                    service(server, keyed).answer(["She is a nurse."])
                assert len(server.asked) == 1
        assert other.asked == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace('name = "Echo"', ""), "name is missing"),
        (lambda text: text.replace("url =", "method ="), "request.url is missing"),
        (lambda text: text.replace("{text}", "hello"), "needs {text}"),
        (lambda text: text.replace("{text}", "{texts}"), "goes with request.json and"),
        (lambda text: text.replace("path =", "place ="), r"\[answer\] has no 'place'"),
        (lambda text: text.replace("data.said", "data..said"), "cannot be read"),
        (lambda text: text + "[limits]\ntexts_per_call = 4", "requires {texts}"),
        (lambda text: text + "[limits]\ntimeout = -1", "from 0.001"),
        (lambda text: text + "[limits]\ntimeout = '1'", "limits.timeout is '1'"),
        (lambda text: text + "[cost]\nprice = 1", r"\[cost\] has no 'price'"),
        (lambda text: 'pairs = ["en"]\n' + text, "pairs is a list of"),
        (lambda text: text.replace("{text}", "{text} {source}"), "not {target}"),
        (lambda text: text.replace("=", "", 1), "is not valid TOML"),
        (lambda text: text.replace("json", 'text = "a"\njson'), "one body"),
        (lambda text: text.replace("{text}", "{text} {env:BIASLAB_NO}"), "BIASLAB_NO: set"),
        (lambda text: text.replace('"{text}"', '"{text}", day = 2026-11-22'), "has 2026-11-22,"),
        (lambda text: text.replace("data.said", "a[99]" * 4000 + "[9999999]"), r"to \[9999"),
        (lambda text: text + "a." * 20_000 + "a = 1", "has 20,001 parts, and at most 16 are read"),
        (lambda text: text + "#" * 65_536, "has more than 65,536 characters"),
        (lambda text: text + "x = " + "[" * 5000, "too deeply nested"),
        (lambda text: text + "x = " + "9" * 5000, "cannot be read: Exceeds the limit"),
    ],
)  # fmt: skip
def test_a_wrong_description_says_what_is_wrong(change: Callable[[str], str], message: str) -> None:
    with pytest.raises(ServiceSetupError, match=message):
        http_service(change(ECHO.replace("URL", "http://127.0.0.1:1")))


def test_a_description_is_read_from_a_file_that_is_named_in_errors(tmp_path: Path) -> None:
    path = tmp_path / "echo.toml"
    path.write_text(ECHO.replace("URL", "http://127.0.0.1:1"))
    assert http_service(path).name == "Echo"
    path.write_text("#" * 1_000_000)
    with pytest.raises(ServiceSetupError, match=r"echo\.toml cannot be read: it has more than"):
        http_service(path)
    with pytest.raises(ServiceSetupError, match=r"missing\.toml cannot be read"):
        http_service(str(tmp_path / "missing.toml"))


def test_an_address_that_is_not_of_the_web_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        ServiceSetupError, match=r"request\.url is 'file:///etc.*begin with https://"
    ):
        http_service(ECHO.replace("URL", "file:///etc"))
    monkeypatch.setenv("BIASLAB_WHERE", "file:///etc")
    elsewhere = http_service(ECHO.replace("URL", "{env:BIASLAB_WHERE}"))
    assert isinstance(elsewhere, HttpService)
    with pytest.raises(ServiceSetupError, match="not an http or https address"):
        elsewhere.answer(["She is a nurse."])


def test_the_identity_follows_what_decides_the_answers() -> None:
    texts = [
        ECHO,
        ECHO.replace("data.said", "data.other"),
        ECHO.replace("/say", "/tell"),
        ECHO.replace('"1"', '"2"'),
    ]
    identities = [service_of(text).identity for text in texts]
    assert len(set(identities)) == len(texts)
    assert service_of(ECHO + "[limits]\ntimeout = 3").identity == identities[0]


def service_of(text: str) -> HttpService:
    found = http_service(text.replace("URL", "http://127.0.0.1:1"))
    assert isinstance(found, HttpService)
    return found


def test_retry_after_is_seconds_or_a_date() -> None:
    assert retry_after("3") == 3.0
    assert retry_after("-3") == 0.0
    assert retry_after("Thu, 01 Jan 1970 00:01:00 GMT", now=20.0) == 40.0
    assert [retry_after(text) for text in (None, "", "soon")] == [None, None, None]


def test_a_busy_server_is_asked_again_after_the_time_it_names() -> None:
    answers = itertools.chain(
        [Says("", 429, headers={"retry-after": "0.05"}), Says("", 500)],
        itertools.repeat(said("Done.")),
    )
    with ServiceServer(lambda _: next(answers)) as server:
        found = execute(service(server), ["She is a nurse."], keep=False)
        assert found.outputs == ("Done.",)
        assert found.calls == len(server.asked) == 3


def test_the_description_in_the_docs_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "k3y")
    docs = (ROOT / "docs" / "subjects" / "services.md").read_text(encoding="utf-8")
    example = docs.partition("```toml\n")[2].partition("```")[0]
    translator = http_service(example)
    assert isinstance(translator, HttpTranslator)
    assert translator.pairs() == {("en", "es"), ("es", "en")}
    assert translator.limits.texts_per_call == 50
    assert translator.cost.currency == "EUR"


def test_ci_installs_the_packages_that_the_message_names() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert set(PACKAGES) <= set(script.split())
    docs = (ROOT / "docs" / "subjects" / "services.md").read_text(encoding="utf-8")
    assert set(PACKAGES) <= set(docs.split())
