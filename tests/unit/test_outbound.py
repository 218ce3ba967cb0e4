"""What may be called in a person's name: hosts, addresses, models, names of the hub."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from biaslab.asking.http import fetch
from biaslab.asking.providers.apertium import ApertiumHTTP
from biaslab.errors import (
    BiaslabError,
    EndpointError,
    OutboundError,
    ServiceError,
    ServiceRefusedError,
    ServiceSetupError,
)
from biaslab.jobs.job import start_waiting
from biaslab.network import admitted, check_hub_name, check_model, connect, reaching
from biaslab.network.admission import check_target
from biaslab.network.connections import checked_addresses, is_public
from biaslab.people.access import (
    NOBODY,
    OWNER,
    Access,
    Role,
    acting_as,
    current_access,
    set_outbound_for_others,
)
from biaslab.people.outbound import (
    ANYWHERE,
    NOWHERE,
    Destination,
    Outbound,
    as_outbound,
    literal,
    plain_host,
)
from biaslab.services import ChatService, DeepTranslator, http_service
from harness.names import Names
from harness.rating_controller import Bench
from harness.scripted_model_server import Scripted, scripted_server
from harness.service_server import Says, ServiceServer

pytestmark = pytest.mark.usefixtures("own_home")

INSIDE = [
    "127.0.0.1", "127.8.8.8", "10.0.0.5", "172.16.1.1", "192.168.1.1", "169.254.169.254",
    "100.64.0.1", "0.0.0.0", "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.2.7",
    "198.18.0.1", "192.88.99.1", "::1", "::", "fe80::1", "fc00::1", "fd12:3456::1", "fec0::1",
    "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.5", "::127.0.0.1", "64:ff9b::127.0.0.1",
    "64:ff9b::a00:5", "64:ff9b:1::1", "2002:7f00:1::", "2001:0:7f00:1::", "2001:db8::1",
    "100::1",
]  # fmt: skip
PUBLIC = ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
LOOPBACK = [
    "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001",
    "127.0.0.1.", "localhost", "LOCALHOST", "localhost.", "[::1]", "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]", "１２７.0.0.1", "127。0。0。1", "0",
]  # fmt: skip
REFUSAL = "cannot be reached from this server. It calls only public addresses"


def visitor(outbound: Outbound | None = None, folder: Path | None = None) -> Access:
    return Access("anna", Role.VISITOR, folder, outbound=outbound)


def allowing(*services: str, **more: Any) -> Outbound:
    return as_outbound({"services": services, **more})


@pytest.fixture
def _for_others() -> Iterator[None]:
    set_outbound_for_others(NOWHERE)
    yield
    set_outbound_for_others(NOWHERE)


@pytest.mark.usefixtures("_for_others")
def test_the_owner_reaches_anything_and_others_what_the_owner_says() -> None:
    allowed = allowing("api.example.org")
    assert OWNER.reach is ANYWHERE
    for role in (Role.TEACHER, Role.VISITOR):
        assert Access("anna", role).reach is NOWHERE
    set_outbound_for_others(allowed)
    for role in (Role.TEACHER, Role.VISITOR):
        assert Access("anna", role).reach is allowed
    assert NOBODY.reach is NOWHERE
    assert OWNER.reach is ANYWHERE
    assert visitor(NOWHERE).reach is NOWHERE


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("API.Example.org", "api.example.org", None),
        ("api.example.org:8443", "api.example.org", 8443),
        ("127.0.0.1:8000", "127.0.0.1", 8000),
        ("0x7f.1:80", "127.0.0.1", 80),
        ("::1", "::1", None),
        ("[::1]:8000", "::1", 8000),
        ("*", "*", None),
        ("*.example.org", "*.example.org", None),
        ("münchen.example", "xn--mnchen-3ya.example", None),
    ],
)
def test_a_service_is_a_host_with_or_without_a_port(text: str, host: str, port: int | None) -> None:
    assert Destination.of(text) == Destination(host, port)


@pytest.mark.parametrize(
    "text",
    ["", "https://api.example.org", "api.example.org/v1/../x", "x/a?b", "a b", "x:99999", "x:0",
     "x:y", "*x", "*.", "user@host", "fe80::1%eth0", "[::1"],
)  # fmt: skip
def test_what_is_no_service_is_refused(text: str) -> None:
    with pytest.raises(OutboundError, match="names no service"):
        Destination.of(text)


@pytest.mark.parametrize(
    ("path", "is_allowed"),
    [
        ("/v1", True),
        ("/v1/chat/completions", True),
        ("/v1/my%20model", True),
        ("/v10/models", False),
        ("/api/delete", False),
        ("/", False),
        ("/v1/../api/delete", False),
        ("/v1/%2e%2e/api/delete", False),
        ("/v1/%252e%252e/api/delete", False),
        ("/v1/..%2fapi/delete", False),
        ("/v1/..\\api", False),
        ("/v1/..;/api/delete", False),
        ("//v1/models", False),
    ],
)
def test_a_service_with_a_path_is_what_lies_below_it(path: str, is_allowed: bool) -> None:
    ollama = Destination.of("127.0.0.1:11434/v1/")
    assert ollama == Destination("127.0.0.1", 11434, "/v1")
    with acting_as(visitor(Outbound(services=(ollama,)))):
        if is_allowed:
            check_target(f"http://127.0.0.1:11434{path}")
        else:
            with pytest.raises(OutboundError, match="cannot be reached"):
                check_target(f"http://127.0.0.1:11434{path}")


def test_without_a_port_only_those_of_the_web_are_meant() -> None:
    reach = allowing("api.example.org", "lab.example.org:8000", "*.example.net")
    assert reach.allows("api.example.org", 443)
    assert reach.allows("api.example.org", 80)
    assert not reach.allows("api.example.org", 22)
    assert reach.allows("lab.example.org", 8000)
    assert not reach.allows("lab.example.org", 443)
    assert reach.allows("a.b.example.net", 443)
    assert not reach.allows("example.net", 443)
    assert not reach.allows("evilexample.net", 443)
    assert not reach.allows("api.example.org.evil.net", 443)


@pytest.mark.parametrize("address", INSIDE)
def test_addresses_of_the_machine_and_its_network_are_inside(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", PUBLIC)
def test_other_addresses_are_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("form", [f for f in LOOPBACK if "local" not in f.lower()])
def test_every_form_of_an_address_is_the_address(form: str) -> None:
    address = literal(plain_host(form))
    assert address is not None
    assert not is_public(address)


@pytest.mark.parametrize("host", LOOPBACK)
@pytest.mark.parametrize("way", ["described", "chat", "apertium"])
def test_no_form_of_this_machine_is_called(
    host: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai", reason="needs the extra services")
    Names({"localhost": ["127.0.0.1", "::1"]}).use(monkeypatch)
    with ServiceServer(lambda _: Says("secret")) as server:
        port = server.url.rpartition(":")[2]
        with acting_as(visitor(allowing("*", f"public.example:{port}"))):
            ways: dict[str, Callable[[str], Any]] = {
                "described": lambda url: described(url).answer(["She."]),
                "chat": lambda url: ChatService("m", "Say", base_url=url, key="k").answer(["x"]),
                "apertium": lambda url: ApertiumHTTP(url).pairs(),
            }
            ask = ways[way]
            with pytest.raises(BiaslabError, match=REFUSAL) as caught:
                ask(f"http://{host}:{port}")
        assert "secret" not in str(caught.value)
        assert server.asked == []


def described(url: str, more: str = "") -> Any:
    return http_service(f"""
name = "Mine"
[request]
url = "{url}/say"
json = {{ text = "{{text}}" }}
{more}
""")


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.5", "::1", "169.254.169.254"])
def test_a_name_that_leads_inside_is_not_called(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Names({"api.example.org": ["8.8.8.8", address]}).use(monkeypatch)
    with acting_as(visitor(allowing("api.example.org"))), pytest.raises(OutboundError):
        checked_addresses("api.example.org", 443)


def test_a_name_is_looked_up_once_and_the_checked_address_is_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers = iter([["8.8.8.8"], ["127.0.0.1"]])
    names = Names({"rebinds.example.org": lambda: next(answers)}).use(monkeypatch)
    called: list[Any] = []

    def create_connection(address: Any, *_: Any) -> Any:
        called.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "create_connection", create_connection)
    access = visitor(allowing("rebinds.example.org"))
    with acting_as(access), pytest.raises(ConnectionRefusedError):
        connect(("rebinds.example.org", 443), 1.0)
    assert called == [("8.8.8.8", 443)]
    assert names.looked_up == ["rebinds.example.org"]


def test_a_chat_model_is_called_at_the_checked_address_under_its_own_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("openai", reason="needs the extra services")
    with scripted_server(lambda body, number: Scripted("Yes.")) as server:
        port = server.url.split(":")[2].partition("/")[0]
        answers = iter([["127.0.0.1"], ["127.0.0.1"], ["8.8.8.8"]])
        names = Names({"lab.example.org": lambda: next(answers)}).use(monkeypatch)
        reach = allowing(f"lab.example.org:{port}", f"127.0.0.1:{port}")
        with acting_as(visitor(reach)):
            chat = ChatService("m", "Say", base_url=f"http://lab.example.org:{port}/v1", key="mine")
            assert chat.answer(["x"]) == ["Yes."]
            assert chat.answer(["y"]) == ["Yes."]
    assert names.looked_up.count("lab.example.org") == 2
    assert {request["authorization"] for request in server.requests} == {"Bearer mine"}


def test_an_inner_service_is_called_where_the_list_names_its_address_or_an_inner_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = {"localhost": ["127.0.0.1"], "gpu.internal": ["127.0.0.1"]}
    Names({**names, "lab.example.org": ["127.0.0.1"]}).use(monkeypatch)
    with ServiceServer(lambda _: Says("fine", kind="text/plain")) as server:
        port = server.url.rpartition(":")[2]

        def asked(host: str, *services: str) -> str:
            with acting_as(visitor(allowing(*services))):
                return fetch(f"http://{host}:{port}/", name="Lab")

        assert asked("127.0.0.1", f"127.0.0.1:{port}") == "fine"
        assert asked("localhost", f"localhost:{port}") == "fine"
        assert asked("gpu.internal", f"gpu.internal:{port}") == "fine"
        assert asked("lab.example.org", f"lab.example.org:{port}", f"127.0.0.1:{port}") == "fine"
        for host, services in (
            ("lab.example.org", [f"lab.example.org:{port}"]),
            ("lab.example.org", [f"*.example.org:{port}"]),
            ("localhost", ["localhost"]),
            ("127.0.0.1", ["127.0.0.1", "*"]),
            ("127.0.0.1", [f"127.0.0.1:{int(port) + 1}"]),
        ):
            with pytest.raises(ServiceRefusedError, match=REFUSAL):
                asked(host, *services)
        assert len(server.asked) == 4


def test_the_same_words_for_hosts_that_are_refused_closed_unknown_and_inside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("openai", reason="needs the extra services")
    with ServiceServer(lambda _: Says("")) as gone:
        port = gone.url.rpartition(":")[2]
    names = {"closed.internal": ["127.0.0.1"], "inside.example.org": ["10.1.2.3"]}
    Names(names).use(monkeypatch)
    hosts = ("closed.internal", "unknown.example.org", "inside.example.org", "elsewhere.net")
    reach = allowing(*(f"{host}:{port}" for host in hosts[:3]))
    said: dict[str, set[str]] = {"described": set(), "chat": set()}
    for host in hosts:
        url = f"http://{host}:{port}"
        with acting_as(visitor(reach)):
            for way, ask in (
                ("described", lambda url=url: described(url).answer(["She."])),
                ("chat", lambda url=url: ChatService("m", "Say", base_url=url).answer(["x"])),
            ):
                with pytest.raises((ServiceError, EndpointError)) as caught:
                    ask()
                said[way].add(str(caught.value).replace(host, "HOST"))
    assert len(said["described"]) == len(said["chat"]) == 1
    assert REFUSAL in said["chat"].pop()


@pytest.mark.parametrize(
    "url",
    ["http://public.example@127.0.0.1/", "http://127.0.0.1\\@public.example/", "http://[::1%25lo]/",
     "http://public.example%2f@x/", "http://%3127.0.0.1/", "ftp://public.example/", "http:///x",
     "file:///etc/passwd", "http://public.example:99999/", "http://public.example:0x50/"],
)  # fmt: skip
def test_odd_addresses_are_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Names({}).use(monkeypatch)
    with acting_as(visitor(allowing("*", "public.example"))):
        with pytest.raises(OutboundError, match=REFUSAL), admitted(url):
            raise AssertionError
        with pytest.raises(ServiceError):
            fetch(url, name="Odd")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_leaves_an_allowed_host(status: int) -> None:
    pytest.importorskip("openai", reason="needs the extra services")
    pytest.importorskip("deep_translator", reason="needs the extra services")
    with ServiceServer(lambda _: Says("secret")) as inside:
        sent_on = Says("", status, headers={"Location": f"{inside.url}/secret"})
        with ServiceServer(lambda _: sent_on) as server:
            reach = allowing(server.url.removeprefix("http://"))
            with acting_as(visitor(reach)):
                for ask in (
                    lambda: described(server.url).answer(["She."]),
                    lambda: ChatService("m", "Say", base_url=server.url).answer(["x"]),
                    lambda: DeepTranslator(
                        "libre", api_key="k", custom_url=f"{server.url}/"
                    ).translate(["x"], "en", "es"),
                ):
                    with pytest.raises(ServiceError, match="redirect"):
                        ask()
            assert len(server.asked) == 3
        assert inside.asked == []


def test_proxies_of_the_environment_are_the_owners(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai", reason="needs the extra services")
    pytest.importorskip("deep_translator", reason="needs the extra services")
    with ServiceServer(lambda _: Says("", 502)) as proxy:
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        Names({"public.example": ["127.0.0.1"]}).use(monkeypatch)
        asking: list[Callable[[], Any]] = [
            lambda: described("http://public.example").answer(["She."]),
            lambda: ChatService("m", "Say", base_url="http://public.example").answer(["x"]),
            lambda: DeepTranslator(
                "libre", api_key="k", custom_url="http://public.example/"
            ).translate(["x"], "en", "es"),
        ]
        for ask in asking:
            with acting_as(visitor(allowing("public.example"))), pytest.raises(BiaslabError):
                ask()
        assert proxy.asked == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('headers = { Host = "inner" }', "set by the connection"),
        ('headers = { "content-length" = "5" }', "set by the connection"),
        ('headers = { Transfer-Encoding = "chunked" }', "set by the connection"),
        ('headers = { Connection = "Upgrade" }', "set by the connection"),
        ('headers = { Proxy-Authorization = "x" }', "set by the connection"),
        ('headers = { cookie = "session=1" }', "set by the connection"),
        ('headers = { X-Forwarded-For = "127.0.0.1" }', "set by the connection"),
        ('headers = { "X-HTTP-Method-Override" = "DELETE" }', "set by the connection"),
        ('headers = { "A b" = "x" }', "is no header"),
        ('headers = { A = "x\\r\\nHost: inner" }', "is no header"),
    ],
)  # fmt: skip
def test_a_description_sets_no_header_of_the_connection(text: str, problem: str) -> None:
    with pytest.raises(ServiceSetupError, match=problem):
        described("http://public.example/", text)


@pytest.mark.parametrize("url", ["http://{text}", "http://a.{text}.example", "http://x:{text}"])
def test_the_host_of_a_description_is_fixed(url: str) -> None:
    with pytest.raises(ServiceSetupError, match="its host is fixed"):
        described(url)


def test_others_than_the_owner_describe_no_method_but_get_and_post(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CANARY_KEY", "s3cret")
    put, keyed = 'method = "PUT"', 'headers = { A = "{env:CANARY_KEY}" }'
    assert described("http://public.example", put).method == "PUT"
    described("http://public.example", keyed)
    with acting_as(visitor(allowing("public.example", own_keys=True))):
        described("http://public.example")
        with pytest.raises(ServiceSetupError, match="choose GET or POST"):
            described("http://public.example", put)
        with pytest.raises(ServiceSetupError, match="cannot be used in a description"):
            described("http://public.example", keyed)
        with (
            pytest.raises(OutboundError, match="Use GET or POST"),
            admitted("http://public.example", "PUT"),
        ):
            raise AssertionError


def test_a_text_in_a_header_cannot_add_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY_KEY", "s3cret")
    more = 'headers = { A = "{text}", B = "{env:CANARY_KEY}" }'
    with ServiceServer(lambda _: Says("{}")) as server:
        with pytest.raises(ServiceError, match="cannot be sent") as caught:
            described(server.url, more).answer(["x\r\nHost: inner"])
        assert server.asked == []
    assert "s3cret" not in str(caught.value)


def test_models_are_asked_by_the_list_and_the_owners_key_only_where_it_is_lent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("openai", reason="needs the extra services")
    monkeypatch.setenv("OPENAI_API_KEY", "owners-key")
    with scripted_server(lambda body, number: Scripted("Yes.")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Own: owners-header")
        host = server.url.split("/")[2]

        def asked(model: str, key: str | None, **more: Any) -> str:
            with acting_as(visitor(allowing(host, **more))):
                (said,) = ChatService(model, "Say", key=key).answer(["x"])
                return said

        assert asked("small", "mine") == "Yes."
        assert asked("small", "mine", models=["sm*"]) == "Yes."
        with pytest.raises(EndpointError, match="'large' is not allowed on this server"):
            asked("large", "mine", models=["sm*"])
        sent = {request["authorization"] for request in server.requests}
        assert sent == {"Bearer mine"}
        for more in ({}, {"models": ["sm*"]}, {"own_keys": True},
                     {"own_keys": True, "models": ["other"]}):  # fmt: skip
            with pytest.raises(EndpointError, match=r"key of your own|not allowed"):
                asked("small", None, **more)
        assert len(server.requests) == 2
        assert asked("small", None, models=["sm*"], own_keys=True) == "Yes."
        assert server.requests[-1]["authorization"] == "Bearer owners-key"


def test_an_endpoint_of_the_owner_is_asked_for_others_only_where_the_owner_says() -> None:
    pytest.importorskip("openai", reason="needs the extra services")
    with scripted_server(lambda body, number: Scripted("Yes.")) as server:
        host = server.url.split("/")[2]
        chat = ChatService("small", "Say", base_url=server.url, key="owners-key")
        assert chat.answer(["x"]) == ["Yes."]
        lent = {"own_keys": True, "models": ["small"]}
        for outbound in (NOWHERE, allowing(host), allowing("other.example", **lent)):
            with acting_as(visitor(outbound)), pytest.raises(ServiceRefusedError):
                chat.answer(["x"])
        assert len(server.requests) == 1
        with acting_as(visitor(allowing(host, **lent))):
            assert start_waiting(chat.answer, ["x"]).result() == ["Yes."]


def test_hub_names_are_opened_by_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import biaslab as bl

    monkeypatch.chdir(tmp_path)
    (tmp_path / "local").mkdir()
    check_hub_name("hf:any/thing at all")
    with acting_as(visitor(as_outbound({"hub": ["google/*", "gensim:glove-*"]}))):
        check_hub_name("hf:google/gemma")
        check_hub_name("gensim:glove-50")
        for name in ("hf:other/model", "hf:google/../x", "hf:local", "gensim:word2vec", "hf:"):
            with pytest.raises(OutboundError, match="--allow-hub"):
                check_hub_name(name)
        for kind in ("mlm", "clm", "vlm", "encoder", "classifier", "translation"):
            with pytest.raises(OutboundError, match="not allowed on this server"):
                bl.load("hf:other/model", kind=kind)
        with pytest.raises(OutboundError, match="not allowed on this server"):
            bl.load("gensim:word2vec")
    with acting_as(visitor()), pytest.raises(OutboundError, match="--allow-model"):
        check_model("m", own_key=True)


def test_a_server_that_this_process_started_is_called_for_everybody() -> None:
    says = Says("fine", kind="text/plain")
    with ServiceServer(lambda _: says) as server, acting_as(visitor(NOWHERE)):
        with reaching(server.url):
            assert fetch(server.url, name="Own") == "fine"
        with pytest.raises(ServiceRefusedError, match=REFUSAL):
            fetch(server.url, name="Own")
        assert current_access().reach is NOWHERE


def test_a_bench_says_who_can_allow_a_service_and_shows_nothing_of_it() -> None:
    pytest.importorskip("openai", reason="needs the extra services")
    toml = 'name = "Mine"\n[request]\nurl = "URL/?q={text}"\n'
    with ServiceServer(lambda _: Says("inner page", kind="text/plain")) as server:
        with acting_as(visitor(NOWHERE)):
            bench = Bench()
        for said in (
            bench.reply("describe", toml=toml.replace("URL", server.url)),
            bench.reply("chat", model="m", base_url=server.url, key="mine"),
        ):
            assert not said["ok"]
            assert REFUSAL in said["message"]
            assert "biaslab serve --allow-service HOST" in said["message"]
        assert "inner page" not in str(bench.state) + str(bench.emitted.log)
        assert server.asked == []
        with acting_as(visitor(allowing(server.url.removeprefix("http://")))):
            bench = Bench()
        assert bench.reply("describe", toml=toml.replace("URL", server.url))["ok"]
        bench.reply("run")
        for job in list(bench.controller.jobs._jobs):
            job.wait(60)
        assert server.asked
        bench.controller.close()


def test_the_owner_calls_this_machine_as_before() -> None:
    with ServiceServer(lambda _: Says("fine", kind="text/plain")) as server:
        assert fetch(server.url, name="Own", method="POST") == "fine"
        connect(("127.0.0.1", int(server.url.rpartition(":")[2])), 5.0).close()
