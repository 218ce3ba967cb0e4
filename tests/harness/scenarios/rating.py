"""Scenarios of the rating bench: a phrase book that keeps gender in Esperanto alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from unittest import mock

from biaslab.asking.providers.apertium_analysis import AnalysedWord
from biaslab.probes.rating import PowerCurve, RatingDesign, power_curve
from biaslab.services import Cost, Limits
from biaslab_widgets.benches.rating.services import opened, simulated_services
from harness.emitted import PATIENCE_S, Gate
from harness.rating_controller import Bench
from harness.recording import Scenarios

PHRASES = {
    "en": ["a plumber", "an engineer", "a teacher", "a nurse"],
    "eo": ["tubisto", "inĝeniero", "instruisto", "flegisto"],
    "es": ["un fontanero", "una ingeniera", "un profesor", "una enfermera"],
    "ca": ["un lampista", "una enginyera", "un professor", "una infermera"],
    "gl": ["un fontaneiro", "unha enxeñeira", "un profesor", "unha enfermeira"],
    "it": ["un idraulico", "una ingegnera", "un professore", "una infermiera"],
    "fr": ["un plombier", "une ingénieure", "un professeur", "une infirmière"],
}
TERMS = [phrase.split()[-1] for phrase in PHRASES["en"]]
BACK = {"a teacher": "a professor", "an engineer": "a engineer"}
"""What comes back of a phrase that does not come back as it was sent."""
BEGINNINGS = {"es": "Es", "ca": "És", "gl": "É", "it": "È", "fr": "Est"}
ESPERANTO = {"He": "Li", "She": "Ŝi"}
LANGUAGES = ["eo", *BEGINNINGS]
ROW = ["faithful", "always he"]
SEED = 23
"""Of texts that begin with her, and some of which lose a pronoun."""
EXPERIMENTS = 100
MARGIN = 0.15
"""With which few texts are enough."""
LOST = {"It is a nurse. It is a plumber.": "A nurse. It is a plumber."}
"""An answer that has a pronoun less."""
MINE = 'name = "mine"\nversion = "1"\n[request]\nurl = "http://127.0.0.1:1"\ntext = "{text}"\n'
WORSHIP = [
    {"name": "even", "kind": "unbiased", "shares": [0.25, 0.25, 0.25, 0.25, 0.0]},
    {"name": "mostly Church", "kind": "biased", "shares": [0.7, 0.1, 0.1, 0.1, 0.0]},
]


class PhraseBook:
    """Translates four occupations; Romance languages leave the pronoun out, and "it" comes back.

    Parameters
    ----------
    gate_at : int
        The call in Italian, from 1, that waits at `gate`.
    """

    name = "phrase book"
    about = "translates four occupations"
    limits = Limits(texts_per_call=1)
    cost = Cost()

    def __init__(self, gate_at: int) -> None:
        self.gate, self.gate_at = Gate(), gate_at
        self._italian = 0

    def pairs(self) -> frozenset[tuple[str, str]]:
        """English and every other language, both ways."""
        return frozenset(
            pair for language in LANGUAGES for pair in (("en", language), (language, "en"))
        )

    def identity_of(self, source: str, target: str) -> str:
        """Names the direction."""
        return f"phrase book {source} {target}"

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Each sentence by its phrase."""
        if "it" in (source, target):
            self._italian += 1
            if self._italian == self.gate_at:
                self.gate.pass_through()
        if source == "en":
            return [_there(text, target) for text in texts]
        return [_back(text, source) for text in texts]


def _there(text: str, target: str) -> str:
    said = []
    for who, phrase in re.findall(r"(\w+) is ([^.]+)\.", text):
        words = PHRASES[target][PHRASES["en"].index(phrase)]
        begins = f"{ESPERANTO[who]} estas" if target == "eo" else BEGINNINGS[target]
        said.append(f"{begins} {words}.")
    return " ".join(said)


def _back(text: str, source: str) -> str:
    said = []
    for sentence in re.findall(r"[^.]+\.", text):
        place = next(i for i, words in enumerate(PHRASES[source]) if f" {words}." in sentence)
        phrase = PHRASES["en"][place]
        if source == "eo":
            who = next(one for one, word in ESPERANTO.items() if word in sentence)
            said.append(f"{who} is {phrase}.")
        else:
            said.append(f"It is {BACK.get(phrase, phrase)}.")
    answer = " ".join(said)
    return LOST.get(answer, answer)


def analyse(texts: Sequence[str], language: str, into: str = "en") -> list[Any]:
    """Stands in for Apertium's dictionaries, which are not on every machine."""
    return [[_analysed(word) for word in re.findall(r"\w+|\.", text)] for text in texts]


def _analysed(word: str) -> AnalysedWord:
    if word == ".":
        return AnalysedWord(word, word, ("sent",))
    for phrases in (PHRASES["eo"], *(PHRASES[language] for language in BEGINNINGS)):
        for place, phrase in enumerate(phrases):
            if word in phrase.split():
                kind = "n" if phrase.endswith(word) else "det"
                feminine = " " in phrase and place % 2
                return AnalysedWord(word, word, (kind, "f" if feminine else "m", "sg"))
    return AnalysedWord(word, word, ("vbser",))


def of_few(*args: Any, **options: Any) -> PowerCurve:
    """A power curve of fewer experiments, which are soon made."""
    return power_curve(*args, **{**options, "experiments": EXPERIMENTS})


def record() -> Scenarios:
    """A translator before, while and after it is run, what is predicted, and another attribute."""
    book = PhraseBook(gate_at=28)
    simulated = [one for one in simulated_services() if one.name in ROW]
    design = RatingDesign.paper(terms=TERMS, middles=LANGUAGES, texts=15, seed=SEED)
    bench = Bench([opened(book), *simulated], design=design)
    try:
        with mock.patch("biaslab.probes.rating.middle.analyse", analyse):
            return _record(bench, book)
    finally:
        book.gate.open()
        bench.controller.close()


def _record(bench: Bench, book: PhraseBook) -> Scenarios:
    told: Scenarios = {}

    def keep(scenario: str, **inputs: Any) -> None:
        bench.planned(**inputs)
        told[scenario] = bench.state

    def read(scenario: str, **inputs: Any) -> None:
        bench.answer(**inputs)
        bench.emitted.until(lambda state: state["detail"]["middle"] != [])
        keep(scenario)

    bench.reply("describe", toml=MINE)
    bench.reply("compose", first=ROW[0], second=ROW[1])
    bench.rated(service=book.name, middles=["eo"])
    bench.reply("start-again")
    keep("untested", middles=LANGUAGES, equivalence_margin=MARGIN)
    job = bench.controller.run()
    assert book.gate.entered.wait(PATIENCE_S)
    keep("running", language="it", block=2)
    book.gate.open()
    job.wait()
    for service in (*ROW, " → ".join(ROW)):
        bench.rated(service=service)
    read("Spanish", service=book.name, language="es", block=0)
    read("Esperanto", language="eo")
    own = bench.state["distributions"]
    keep("80/20", distributions=bench.shares(2, 0.8, 0.2, 0.0))
    bench.answer(distributions=own)
    with mock.patch("biaslab_widgets.benches.rating.design.power_curve", of_few):
        bench.reply("power")
        bench.emitted.until(lambda state: state["power"]["state"] == "ready")
    keep("power")
    chosen = {"service": ROW[0], "attribute": "place of worship", "distributions": WORSHIP}
    bench.rated(**chosen, texts=2, language="")
    keep("place of worship")
    return {"Esperanto": told.pop("Esperanto"), **told}
