"""Answers in the store of an earlier version are found: their keys stay the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab import cases, deciders, services
from biaslab.asking.providers.pictures import picture_question
from biaslab.probes.rating.experiment_executor import execute
from biaslab.services import Limits
from biaslab.subjects.vision_language.pictures import as_picture
from harness.inspect_module import Model, stand_in_for_inspect
from harness.needs import needs

pytestmark = needs("openai")

URL = "http://127.0.0.1:9/v1"
"""Nobody answers there, so every answer is a stored one."""
HIRE = cases.get("hire-by-name")
QUESTION = HIRE.ask(HIRE.groups[0].cues[0], 8)
TEXT = "Sie sagt: “Ja, 5 %.”"
QUICK = Limits(attempts=1, timeout=1.0)
API = """
name = "Rewriter"
version = "2"
[request]
url = "http://127.0.0.1:9/rewrite/{source}"
json = {q = "{text}", to = "{target}"}
headers = {X-Key = "k-123456789"}
[answer]
path = "data[0].text"
"""


@pytest.fixture(autouse=True)
def _inspect(bare_environment: None, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in_for_inspect(monkeypatch).opened["anyone/m"] = Model([])


class Kept:
    """A store that has one value under one key of one kind, as an earlier version wrote it."""

    def __init__(self, kind: str, key: str, value: str) -> None:
        self._kind, self._values = kind, {key: value}
        self.asked: list[str] = []

    def kept_values(self, kind: str, keys: Iterable[str]) -> dict[str, str]:
        self.asked += [f"{kind} {key}" for key in keys]
        return {k: self._values[k] for k in keys if kind == self._kind and k in self._values}

    def keep_values(self, kind: str, values: Mapping[str, str]) -> None:
        raise AssertionError(f"{kind}: an answer was had anew")


def chat(**options: Any) -> Any:
    return deciders.ChatDecider("m", base_url=URL, limits=QUICK, **options)


def answering_function(text: str) -> str:
    return text


def described() -> Any:
    return services.http_service(API)


def classified() -> Any:
    return bl.load("imdb-sentiment")


DECIDERS: dict[str, tuple[Callable[[], Any], str]] = {
    "chat": (chat, "17e7aae9af4d6a4fd1302274fe7efe0dcdf77fc3645d416e885bfff54720ee1f"),
    "chat with settings": (
        lambda: chat(
            system="Be brief.",
            temperature=None,
            logprobs=True,
            max_tokens=None,
            extra={"reasoning_effort": "low"},
        ),
        "b353e4b6cdb0aaa20dd91aeed89fb87cd3caa4e65df0b21ece6102f1f3dba86c",
    ),
    "pictures": (
        lambda: deciders.PictureChatDecider("m", base_url=URL, limits=QUICK),
        "17e7aae9af4d6a4fd1302274fe7efe0dcdf77fc3645d416e885bfff54720ee1f",
    ),
    "inspect": (
        lambda: deciders.InspectDecider("anyone/m", system="Be brief."),
        "2747e58952db82f8993ad4a13320cedce21f3c527121c14b5cd33781d3852898",
    ),
    "inspect with settings": (
        lambda: deciders.InspectDecider(
            "anyone/m", temperature=None, logprobs=True, options={"reasoning_effort": "low"}
        ),
        "b9222208f3fbfe16c3445b9c8c3d7a176a2a7e2f2da4a9659f3c879c88d464b8",
    ),
    "function": (
        lambda: deciders.FunctionDecider(answering_function, version="3", yes="INVITE"),
        "94da6fce128733968c221d3baeaffbb2c0835fcb973b3e9658d75f2c400b4f28",
    ),
    "service": (
        lambda: deciders.ServiceDecider(services.FunctionService(answering_function, version="3")),
        "2702bbc32af108bfa6b3ef7231784e63f3699e329ea5ca6418bb2010ede53627",
    ),
    "classifier": (
        lambda: deciders.ClassifierDecider(
            classified(), answers={"positive": "INVITE", "negative": "DECLINE"}
        ),
        "83bd7f2ff1abf04134e0fb7ab4b4ca591ba3e79479c230ade60c59996f9d0c2e",
    ),
    "language model": (
        lambda: deciders.LanguageModelDecider(bl.load("clerk-lm")),
        "0241719d9f435f3b038d230cbe1dfc39e6c89f025b847eecc31e604f302eb0b2",
    ),
    "observer": (
        lambda: bl.observers.decider(HIRE, pse=6, gap=2, jnd=1.5, seed=3),
        "a35a91e48465d421380d87df1fb580c2ab32934aea680da26f47180d00265f9e",
    ),
}

SERVICES: dict[str, tuple[Callable[[], Any], str]] = {
    "chat": (
        lambda: services.ChatService("m", "Write anew.", base_url=URL, limits=QUICK),
        "5200ad65129c2d108468321f9dad63cc028bda40b1a3d6455dd939e30f507993",
    ),
    "chat without a temperature": (
        lambda: services.ChatService(
            "m", "Write anew.", base_url=URL, limits=QUICK, temperature=None
        ),
        "7f561f2883acd3682b8c336c980623d33b42b4f74394bc8b2554ee67c71aee33",
    ),
    "chat translator": (
        lambda: services.Translation(
            services.ChatTranslator("m", base_url=URL, limits=QUICK), "de", "es"
        ),
        "9cc1749cae3a3155d672024c3b5d5344f4a40e70f7894d5187780ab938266be0",
    ),
    "inspect": (
        lambda: services.InspectService("anyone/m", "Write anew."),
        "325da412f8e9f4e9c438ba0a537ddddc509c044053e38d700f5f2882f1f153b2",
    ),
    "http": (
        lambda: services.Translation(described(), "de", "es"),
        "14e6976af126c0ef5a679dcc622947ab6b210da343698b1bc948dc7b206fd4c4",
    ),
    "function": (
        lambda: services.FunctionService(answering_function, version="3"),
        "b65621b57f0d38aa33581187d0fe182d6805f7f659f0687794bbb081e4f20134",
    ),
    "classifier": (
        lambda: services.ClassifierService(classified()),
        "2fec89686c554d82a84aea10f67a4a2d680d01ec162f97387e0641c42cbb163c",
    ),
    "apertium": (
        lambda: services.Translation(Listed("http://127.0.0.1:9", version="7"), "de", "es"),
        "5206f09a3fc54fa2e2b5350dba646c2980afae6c991337dd9c049940411a3f0f",
    ),
}


PICTURE = "4f3cc2021ea3972ae5ce95f30478ae81d1c1ce2e355d7af331ae273fb1e48351"
CONTENT = "68b5572550c450d2e47ea10b98fdfbe1aeacd712997bd9613cc399446ca4c5be"


class Listed(services.ApertiumHTTP):
    """A server whose pairs are known."""

    def pairs(self) -> frozenset[tuple[str, str]]:
        return frozenset({("de", "es")})


@pytest.mark.parametrize("kind", DECIDERS)
def test_a_reply_to_a_question_is_found(kind: str) -> None:
    make, key = DECIDERS[kind]
    fields = {"outcome": "answered", "answer": "INVITE", "text": "INVITE.", "mass": None}
    store: Any = Kept("reply/1", key, json.dumps(fields))
    (reply,) = deciders.ask(make(), [QUESTION], [2], store=store)
    assert (reply.answer, reply.text) == ("INVITE", "INVITE.")


@pytest.mark.parametrize("kind", SERVICES)
def test_a_services_answer_to_a_text_is_found(kind: str) -> None:
    make, key = SERVICES[kind]
    store: Any = Kept("service-answer/1", key, "Ella dice: “Sí, 5 %.”")
    (response,) = execute(make(), [TEXT], store=store, repetition=2).responses
    assert response.answers == ("Ella dice: “Sí, 5 %.”",)


def test_a_reply_about_a_picture_is_found() -> None:
    picture = as_picture(np.full((16, 16, 3), 200, dtype=np.uint8))
    text = json.dumps(
        {"outcome": "answered", "answer": "A", "mass": 0.9, "probabilities": [0.5] * 2}
    )
    store: Any = Kept("reply/1", PICTURE, text)
    subject = deciders.PictureChat("m", base_url=URL, limits=QUICK, store=store, draws=3)
    question = picture_question(picture, "", "Who is this?", ("woman", "man"), "given")
    assert deciders.ask(subject.decider, [question], store=store)[0].answer == "A"
    assert subject.content_hash == CONTENT
