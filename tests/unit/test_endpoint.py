"""To whom an endpoint's key goes: to the host that it was given for, and to nobody else."""

from __future__ import annotations

import gc
import gzip
from collections.abc import Callable
from typing import Any

import pytest

from biaslab.asking.endpoint import DEFAULT_URL, Endpoint
from biaslab.errors import EndpointAnswerError, EndpointError, ServiceRefusedError
from biaslab.images import EndpointPainter
from biaslab.jobs.job import JobContext
from biaslab.probes.sentences.generate.writers import EndpointWriter, WriterError
from biaslab.services import ChatService, ChatTranslator
from harness.needs import needs
from harness.service_server import Asked, Says, ServiceServer

pytestmark = [needs("openai"), pytest.mark.usefixtures("bare_environment")]

KEY = "s3cret"
REPLY = {
    "id": "1", "object": "chat.completion", "created": 0, "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": "Yes."}}],
}  # fmt: skip


def serving() -> ServiceServer:
    return ServiceServer(lambda _: Says.of(REPLY))


def redirecting(to: str, status: int) -> ServiceServer:
    return ServiceServer(lambda asked: Says("", status, headers={"Location": to + asked.path}))


def said(endpoint: Endpoint) -> str:
    def question(client: Any) -> str:
        messages: Any = [{"role": "user", "content": "Is it so?"}]
        reply = client.chat.completions.create(model=endpoint.model, messages=messages)
        return str(reply.choices[0].message.content)

    return endpoint.ask(question, JobContext())


def keys(server: ServiceServer) -> set[str]:
    return {asked.headers.get("authorization", "") for asked in server.asked}


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_and_says_what_to_do(status: int) -> None:
    with serving() as other, redirecting(other.url, status) as server:
        endpoint = Endpoint("m", base_url=f"{server.url}/v1", key=KEY)
        with pytest.raises(EndpointError, match="Give the final address") as caught:
            said(endpoint)
    assert other.asked == []
    assert len(server.asked) == 1
    assert f"redirects to '{other.url}/v1' ({status})" in str(caught.value)


def test_an_answer_is_not_unpacked() -> None:
    packed = Says(gzip.compress(2**20 * b" "), headers={"Content-Encoding": "gzip"})
    with ServiceServer(lambda _: packed) as server:
        endpoint = Endpoint("m", base_url=f"{server.url}/v1", key=KEY)
        with pytest.raises(EndpointAnswerError, match="compressed answer"):
            said(endpoint)
    assert server.asked[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("location", ["/v2/chat/completions", "", None, "http://[", f"x?k={KEY}"])
def test_any_redirect_is_named_without_the_key(location: str | None) -> None:
    headers = {} if location is None else {"Location": location}
    with (
        ServiceServer(lambda _: Says("", 307, headers=headers)) as server,
        pytest.raises(EndpointError, match="redirects to") as caught,
    ):
        said(Endpoint("m", base_url=f"{server.url}/v1", key=KEY))
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (
            lambda url: ChatService("m", "Say yes", base_url=url, key=KEY).answer(["Is it so?"]),
            ServiceRefusedError,
        ),
        (
            lambda url: ChatTranslator("m", base_url=url, key=KEY).translate(["Yes."], "en", "es"),
            ServiceRefusedError,
        ),
        (
            lambda url: EndpointWriter("m", base_url=url, key=KEY).answer(
                "Write.", start="", count=1, context=JobContext()
            ),
            WriterError,
        ),
        (
            lambda url: EndpointPainter("m", base_url=url, key=KEY).paint(
                "A nurse", 0, JobContext()
            ),
            EndpointError,
        ),
    ],
    ids=["service", "translator", "writer", "painter"],
)
def test_nobody_who_asks_an_endpoint_is_sent_elsewhere(
    ask: Callable[[str], object], error: type[Exception]
) -> None:
    with serving() as other, redirecting(other.url, 307) as server:
        with pytest.raises(error, match="Redirects are not followed"):
            ask(f"{server.url}/v1")
        assert len(server.asked) == 1
        assert other.asked == []


@pytest.mark.parametrize("same", ["{url}/v1", "{url}/v1/", "{url}/another/path", "HTTP{rest}/v1"])
def test_the_key_of_the_environment_goes_to_the_host_of_the_environment(
    same: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        rest = server.url.removeprefix("http")
        assert said(Endpoint("m", base_url=same.format(url=server.url, rest=rest))) == "Yes."
        assert said(Endpoint("m")) == "Yes."
        assert keys(server) == {f"Bearer {KEY}"}


def test_it_goes_to_no_other_host_port_or_scheme(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving() as own, serving() as other:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{own.url}/v1")
        assert said(Endpoint("m", base_url=f"{other.url}/v1")) == "Yes."
        named = own.url.replace("127.0.0.1", "localhost")
        user = f"http://{own.url.removeprefix('http://')}@{other.url.removeprefix('http://')}"
        assert said(Endpoint("m", base_url=f"{named}/v1")) == "Yes."
        assert said(Endpoint("m", base_url=f"{user}/v1")) == "Yes."
        assert not any(KEY in key for key in keys(own) | keys(other))
        monkeypatch.setenv("OPENAI_BASE_URL", other.url.replace("http:", "https:"))
        assert said(Endpoint("m", base_url=other.url)) == "Yes."
        assert not any(KEY in key for key in keys(other))


def test_the_key_of_a_private_server_does_not_go_to_openai(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert Endpoint("m", base_url="https://API.openai.com:443/v1/")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    for url in (DEFAULT_URL, f"{DEFAULT_URL}/", "https://api.openai.com:443/v1"):
        with pytest.raises(EndpointError, match="OPENAI_API_KEY is sent only to the address in"):
            Endpoint("m", base_url=url)


def test_what_else_the_environment_says_stays_with_its_host(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", "our-organization")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "our-project")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Gateway: ours\nauthorization: Bearer ours")
    with serving() as own, serving() as other:
        monkeypatch.setenv("OPENAI_BASE_URL", own.url)
        said(Endpoint("m"))
        said(Endpoint("m", base_url=other.url))
        said(Endpoint("m", base_url=other.url, key="theirs"))
        assert own.asked[0].headers["openai-organization"] == "our-organization"
        assert own.asked[0].headers["x-gateway"] == "ours"
        assert not any("our" in value for asked in other.asked for value in asked.headers.values())
        assert [asked.headers["authorization"] for asked in other.asked] == [
            "Bearer none", "Bearer theirs",
        ]  # fmt: skip


def test_a_server_that_asks_for_a_key_is_told_apart_from_one_that_refuses_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ServiceServer(lambda _: Says.of({"error": {"message": "no"}}, 401)) as server:
        with pytest.raises(EndpointError, match="asks for a key") as caught:
            said(Endpoint("m", base_url=server.url))
        assert "OPENAI_BASE_URL" in str(caught.value)
        with pytest.raises(EndpointError, match="rejects this key"):
            said(Endpoint("m", base_url=server.url, key="another"))


def test_a_server_on_this_machine_is_asked_without_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(asked: Asked) -> Says:
        return Says("", 502)

    with ServiceServer(refuse) as proxy, serving() as server:
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        assert said(Endpoint("m", base_url=server.url, key=KEY)) == "Yes."
        with pytest.raises(Exception, match="failed"):
            said(Endpoint("m", base_url="http://192.0.2.1/v1", attempts=1))
        assert len(proxy.asked) == 1


@pytest.mark.usefixtures("small_heap")
def test_connections_are_closed_with_the_endpoint() -> None:
    with serving() as server:
        endpoint = Endpoint("m", base_url=server.url, key=KEY)
        said(endpoint)
        http = endpoint._client._client
        del endpoint
        gc.collect()
        assert http.is_closed
