"""A new provider is one file, and a line in the table of prefixes that name it."""

from __future__ import annotations

from pathlib import Path

import pytest

import biaslab as bl
from biaslab import deciders
from biaslab.cases import Question
from biaslab.probes.rating.experiment_executor import execute
from biaslab.store import Store
from biaslab.subjects.opening import names

FILE = """
from biaslab.asking.chat_model import Completion, ReadingOfModel, TextOfModel, TokenChoices
from biaslab.asking.protocols import Limits
class Parrot:
    def __init__(self, name):
        self.name, self.heard = name, []
    def identity(self, system):
        return f"parrot {self.name} {system}".strip()
    def complete(self, prompt, system, context):
        self.heard.append(prompt)
        word = prompt.split()[-1].strip(".")
        return Completion(text=word, tokens=(TokenChoices(word, {word: -0.25, "NO": -1.5}),))
class ParrotService(TextOfModel):
    about = "parrot"
    def decider(self):
        return ReadingOfModel(self.provider, "", self.limits, looks_first=True)
def open_parrot(model, *, name=None):
    return ParrotService(Parrot(model), "", Limits(concurrency=2), None, name or "")
"""
QUESTION = Question("Shall it be so? Answer with NO or YES.", ("NO", "YES"))


@pytest.fixture(autouse=True)
def _registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "parrot.py").write_text(FILE, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(names._OPENERS, "parrot:", ("parrot", "open_parrot", ("service",)))


def test_its_text_is_a_service(tmp_path: Path) -> None:
    service, store = bl.load("parrot:polly"), Store(str(tmp_path / "store"))
    for _ in range(2):
        assert execute(service, ["Say Hello."], store=store).outputs == ("Hello",)
    assert service.provider.heard == ["Say Hello."]


def test_the_reading_of_its_text_is_a_decider(tmp_path: Path) -> None:
    decider, store = deciders.decider_of("parrot:polly"), Store(str(tmp_path / "store"))
    (reply,) = deciders.ask(decider, [QUESTION], store=store)
    assert reply.answer == "YES"
    assert reply.probabilities == pytest.approx((0.2227, 0.7773), abs=1e-4)
    again = deciders.decider_of("parrot:polly")
    assert deciders.ask(again, [QUESTION], store=store) == [reply]
