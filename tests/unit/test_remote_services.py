"""Chat models and the engines of deep-translator, against servers on this machine."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from biaslab.errors import (
    EndpointError,
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
from biaslab.probes.rating.experiment_executor import execute
from biaslab.services import (
    ChatService,
    ChatTranslator,
    DeepTranslator,
    Limits,
    RoundTrip,
    Service,
    Translator,
)
from harness.scripted_model_server import Scripted, scripted_server
from harness.service_server import Asked, Says, ServiceServer

TEXTS = ["She is a nurse.", "He is a cook."]


def test_a_chat_model_is_told_what_to_do_and_answers_each_text() -> None:
    pytest.importorskip("openai", reason="needs the extra services")

    def script(body: dict[str, Any], number: int) -> Scripted:
        told, text = (message["content"] for message in body["messages"])
        return Scripted(text=f" {told}: {text}\n")

    with scripted_server(script) as server:
        chat = ChatService("tiny", "Shout", base_url=server.url, key="s3cret")
        assert isinstance(chat, Service)
        found = execute(chat, TEXTS, keep=False)
        assert found.outputs == tuple(f"Shout: {text}" for text in TEXTS)
        assert {request["temperature"] for request in server.requests} == {0.0}
        assert "s3cret" not in repr(chat) + chat.identity + found.identity
        other = ChatService("tiny", "Whisper", base_url=server.url)
        warm = ChatService("tiny", "Shout", base_url=server.url, temperature=1.0)
        assert len({chat.identity, other.identity, warm.identity}) == 3


def test_a_chat_model_translates_both_ways() -> None:
    pytest.importorskip("openai", reason="needs the extra services")
    words = {("English", "Spanish"): "Es una enfermera.", ("Spanish", "English"): "It is a nurse."}

    def script(body: dict[str, Any], number: int) -> Scripted:
        told = body["messages"][0]["content"]
        pair = next(p for p in words if f"from {p[0]} to {p[1]}" in told)
        return Scripted(text=words[pair])

    with scripted_server(script) as server:
        translator = ChatTranslator("tiny", base_url=server.url)
        assert isinstance(translator, Translator)
        found = execute(RoundTrip(translator, "es"), TEXTS[:1], keep=False)
    assert found.responses[0].answers == ("Es una enfermera.", "It is a nurse.")


def test_what_goes_wrong_with_a_chat_model_is_an_error_of_a_service() -> None:
    pytest.importorskip("openai", reason="needs the extra services")
    limits = Limits(attempts=1)
    for says, kind, message in [
        (Scripted(text="no", status=401), ServiceRefusedError, "rejects this key"),
        (Scripted(text="cut", finish="length"), ServiceAnswerError, "stopped before the end"),
        (Scripted(raw="<html>Log in"), ServiceAnswerError, "unreadable answer"),
    ]:
        with scripted_server(lambda body, number, says=says: says) as server:
            chat = ChatService("tiny", "Shout", base_url=server.url, key="k3y", limits=limits)
            with pytest.raises(kind, match=message):
                chat.answer(TEXTS)
    gone = ChatService("tiny", "Shout", base_url=server.url, limits=limits)
    with pytest.raises(ServiceRefusedError, match="cannot be reached"):
        gone.answer(TEXTS)
    with pytest.raises(EndpointError, match="needs a key"):
        ChatService("tiny", "Shout", base_url="https://api.openai.com/v1", key="")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<think>He? No, she.</think>\nShe is a cook.", "She is a cook."),
        ("Is it he?</think>She is a cook.", "She is a cook."),
        ("She is a cook.", "She is a cook."),
    ],
)
def test_thoughts_are_no_part_of_an_answer(text: str, answer: str) -> None:
    pytest.importorskip("openai", reason="needs the extra services")
    with scripted_server(lambda body, number: Scripted(text=text)) as server:
        assert ChatService("tiny", "Write", base_url=server.url).answer(["x"]) == [answer]


def test_thoughts_without_an_end_are_no_answer() -> None:
    pytest.importorskip("openai", reason="needs the extra services")
    with (
        scripted_server(lambda body, number: Scripted(text="<think>He or")) as server,
        pytest.raises(ServiceAnswerError, match="before the end of its reasoning"),
    ):
        ChatService("tiny", "Write", base_url=server.url).answer(["x"])


def test_the_version_that_a_server_states_is_part_of_a_chat_models_identity() -> None:
    pytest.importorskip("openai", reason="needs the extra services")

    def answering(model: str) -> Any:
        message = {"role": "assistant", "content": "Hi"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        body = {"id": "1", "object": "chat.completion", "created": 0, "model": model}
        return lambda _, number: Scripted(raw=json.dumps(body | {"choices": [choice]}))

    identities = {}
    for model in ("tiny", "tiny-2026-05", "tiny-2026-08"):
        with scripted_server(answering(model)) as server:
            chat = ChatService("tiny", "Shout", base_url=server.url)
            identities[model] = chat.identity.replace(server.url, "URL")
            assert len(server.requests) == 1
    assert "tiny-2026-05" in identities["tiny-2026-05"]
    assert "(" not in identities["tiny"]
    assert len(set(identities.values())) == 3
    gone = ChatService("tiny", "Shout", base_url=server.url, limits=Limits(attempts=1))
    assert gone.identity.startswith(f"chat tiny at {server.url} ")


def libre(server: ServiceServer, **options: Any) -> DeepTranslator:
    pytest.importorskip("deep_translator", reason="needs the extra services")
    return DeepTranslator("libre", api_key="s3cret", custom_url=f"{server.url}/", **options)


def test_an_engine_of_deep_translator_makes_a_round_trip() -> None:
    def answer(asked: Asked) -> Says:
        (text,), (target,) = asked.query["q"], asked.query["target"]
        return Says.of({"translatedText": "Es una enfermera." if target == "es" else text + "!"})

    with ServiceServer(answer) as server:
        translator = libre(server, version="2026-11")
        assert isinstance(translator, Translator)
        chain = RoundTrip(translator, "spa")
        assert chain.steps[0].identity == "deep-translator Libre 2026-11 en-es"
        assert chain.steps[0].answer(TEXTS[:1]) == ["Es una enfermera."]
        assert server.asked[0].query["source"] == ["en"]
        with pytest.raises(ServicePairError, match="Turkmen"):
            translator.translate(TEXTS, "en", "tk")
        assert "s3cret" not in repr(translator) + chain.identity


@pytest.mark.parametrize(
    ("says", "kind"),
    [
        (Says("", 403), ServiceRefusedError),
        (Says("", 500), ServiceFailedError),
        (Says("<html>Log in", kind="text/html"), ServiceAnswerError),
        (Says("{}"), ServiceAnswerError),
        (Says.of({"translatedText": None}), ServiceAnswerError),
    ],
)
def test_what_goes_wrong_with_an_engine_is_an_error_without_the_key(
    says: Says, kind: type[ServiceError]
) -> None:
    with ServiceServer(lambda _: says) as server, pytest.raises(kind) as caught:
        libre(server).translate(TEXTS, "en", "es")
    assert "s3cret" not in str(caught.value)


def test_an_engine_that_is_silent_or_gone_is_not_waited_for() -> None:
    with ServiceServer(lambda _: Says(late=True)) as server:
        translator = libre(server, limits=Limits(timeout=0.2))
        with pytest.raises(ServiceTimeoutError, match=r"within 0\.2 s"):
            translator.translate(TEXTS, "en", "es")
    patient = libre(server)
    with pytest.raises(ServiceUnreachableError, match="cannot be reached"):
        patient.translate(TEXTS, "en", "es")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_an_engine_does_not_leave_its_host(status: int) -> None:
    with (
        ServiceServer(lambda _: Says.of({"translatedText": "Es una."})) as other,
        ServiceServer(lambda _: Says("", status, headers={"Location": other.url})) as server,
    ):
        with pytest.raises(ServiceRefusedError, match="Redirects are not followed") as caught:
            libre(server).translate(TEXTS[:1], "en", "es")
        assert other.asked == []
    assert "s3cret" not in str(caught.value)


def test_an_engine_is_not_sent_on_by_its_own_host_either() -> None:
    def answer(asked: Asked) -> Says:
        if asked.path == "/translate":
            return Says("", 307, headers={"Location": "/v2/translate"})
        return Says.of({"translatedText": "Es una."})

    with ServiceServer(answer) as server:
        with pytest.raises(ServiceRefusedError, match="Redirects are not followed"):
            libre(server).translate(TEXTS[:1], "en", "es")
        assert len(server.asked) == 1


def test_an_engine_reads_no_answer_without_end_and_none_compressed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("deep_translator", reason="needs the extra services")
    monkeypatch.setattr("biaslab.network.checked_requests.LARGEST", 2**20)
    packed = Says(gzip.compress(2**20 * b" "), headers={"Content-Encoding": "gzip"})
    for says, problem in ((Says("[" + 2**21 * " "), "more than 1 MB"), (packed, "compressed")):
        with ServiceServer(lambda _, says=says: says) as server:
            with pytest.raises(ServiceAnswerError, match=problem):
                libre(server).translate(TEXTS[:1], "en", "es")
            assert server.asked[0].headers["accept-encoding"] == "identity"


def test_the_package_deep_translator_stays_as_it_is() -> None:
    deep_translator = pytest.importorskip("deep_translator", reason="needs the extra services")
    import requests

    DeepTranslator("google")
    assert deep_translator.google.requests is requests


def test_google_through_deep_translator(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("deep_translator", reason="needs the extra services")
    from deep_translator import google

    page = '<html><div class="result-container">Es una enfermera.</div></html>'
    answers = iter([Says(page, kind="text/html"), Says("", 429), Says("<html></html>")])
    with ServiceServer(lambda _: next(answers)) as server:
        monkeypatch.setitem(google.BASE_URLS, "GOOGLE_TRANSLATE", server.url)
        translator = DeepTranslator("google")
        assert {("en", "es"), ("en", "he"), ("hi", "tr")} <= translator.pairs()
        assert translator.translate(TEXTS[:1], "en", "es") == ["Es una enfermera."]
        assert server.asked[0].query == {"tl": ["es"], "sl": ["en"], "q": [TEXTS[0]]}
        with pytest.raises(ServiceBusyError, match="too many requests"):
            translator.translate(TEXTS, "en", "es")
        with pytest.raises(ServiceAnswerError, match="no translation"):
            translator.translate(TEXTS, "en", "es")


def test_yandex_sends_a_list_and_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("deep_translator", reason="needs the extra services")
    from deep_translator import yandex

    with ServiceServer(lambda _: Says.of({"code": 200, "text": ["Es una."]})) as server:
        monkeypatch.setitem(yandex.BASE_URLS, "YANDEX", server.url + "/{version}/{endpoint}")
        translator = DeepTranslator("yandex", api_key="s3cret")
        assert translator.translate(TEXTS[:1], "en", "es") == ["Es una."]
        assert server.asked[0].form["lang"] == "en-es"
    with pytest.raises(ServiceRefusedError, match="needs a key"):
        DeepTranslator("yandex", api_key=None)


def test_an_engine_that_is_not_there_is_named_with_those_that_are() -> None:
    pytest.importorskip("deep_translator", reason="needs the extra services")
    with pytest.raises(ServiceSetupError, match=r"no 'bing': it has .*google"):
        DeepTranslator("bing")
    with pytest.raises(ServiceSetupError, match="rejects these options"):
        DeepTranslator("google", nonsense=[], source="en")
