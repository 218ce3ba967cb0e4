"""The real Apertium: round trips through its server, which the test starts and stops itself."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from biaslab.asking.providers.apertium import INSTALL, is_installed, shared_server
from biaslab.asking.providers.apertium_analysis import analyse
from biaslab.errors import ServicePairError, ServiceSetupError
from biaslab.probes.rating.experiment_executor import execute
from biaslab.services import (
    ApertiumCommand,
    ApertiumHTTP,
    ApertiumServer,
    Limits,
    RoundTrip,
    apertium,
    round_trip_languages,
)
from biaslab.store import Store

OCCUPATIONS = (
    "accountant", "actor", "architect", "astronomer", "author", "baker", "bricklayer", "butcher",
    "carpenter", "chef", "cleaner", "dentist", "designer", "doctor", "electrician", "farmer",
    "fireman", "fisherman", "florist", "gardener", "hairdresser", "journalist", "judge", "lawyer",
    "lecturer", "librarian", "lifeguard", "mechanic", "model", "nurse", "optician", "painter",
    "pharmacist", "photographer", "pilot", "plumber", "politician", "receptionist", "scientist",
    "secretary",
)  # fmt: skip
PRONOUN = re.compile(r"\b(he|she)\b", re.IGNORECASE)


def block(he: int) -> list[str]:
    """Twenty texts of two sentences, `he` of the forty pronouns "He", spread evenly."""
    starts = ["He" if (n + 1) * he // 40 > n * he // 40 else "She" for n in range(40)]
    said = [f"{starts[n]} is a {OCCUPATIONS[n]}." for n in range(40)]
    return [f"{a} {b}" for a, b in zip(said[::2], said[1::2], strict=True)]


def he_she_other(texts: list[str | None]) -> tuple[int, int, int]:
    """Over the sentences of texts that were all answered."""
    counts = {"he": 0, "she": 0, "other": 0}
    for text in texts:
        assert text is not None
        for sentence in re.split(r"(?<=\.)\s+", text.strip()):
            found = {word.lower() for word in PRONOUN.findall(sentence)}
            counts[found.pop() if len(found) == 1 else "other"] += 1
    return counts["he"], counts["she"], counts["other"]


@pytest.mark.parametrize("language", ["es", "ca", "gl", "eo"])
def test_a_round_trip_loses_or_keeps_the_pronoun(
    apertium_server: ApertiumServer, language: str
) -> None:
    chain = RoundTrip(apertium_server.translator, language)
    responses = execute(chain, block(he=4), keep=False)
    assert responses.failures == {}
    expected = (4, 36, 0) if language == "eo" else (0, 0, 40)
    assert he_she_other(list(responses.outputs)) == expected


def test_languages_without_a_pair_are_reached_through_catalan(
    apertium_server: ApertiumServer,
) -> None:
    languages = round_trip_languages(apertium_server.translator)
    assert languages is not None
    assert {"ca", "eo", "es", "gl", "fr", "it", "pt"} <= set(languages)
    chain = RoundTrip(apertium_server.translator, "it")
    assert chain.languages == ("en", "ca", "it", "ca", "en")
    responses = execute(chain, ["He is a plumber. She is a plumber."], keep=False)
    assert responses.middle_texts == ("È un idraulico. È un idraulico.",)


def test_the_server_gives_what_the_command_gives(apertium_server: ApertiumServer) -> None:
    texts = block(20)[:3]
    for pair in [("en", "es"), ("en", "eo")]:
        assert apertium_server.translator.translate(texts, *pair) == ApertiumCommand().translate(
            texts, *pair
        )


def test_a_pair_that_is_not_there_is_named_with_those_that_are(
    apertium_server: ApertiumServer,
) -> None:
    with pytest.raises(ServicePairError, match=r"English \(en\) to Turkish \(tr\).* ca, .*es"):
        RoundTrip(apertium_server.translator, "tr")
    with pytest.raises(ServicePairError, match="Turkish"):
        apertium_server.translator.translate(["She is a nurse."], "en", "tr")


def test_the_server_listens_on_this_machine_only(apertium_server: ApertiumServer) -> None:
    port = urlsplit(apertium_server.url).port
    assert port is not None
    addresses = {
        line.split()[1].split(":")[0]
        for name in ("tcp", "tcp6")
        for line in Path("/proc/net", name).read_text().splitlines()[1:]
        if line.split()[3] == "0A" and int(line.split()[1].split(":")[1], 16) == port
    }
    assert addresses == {"0100007F"}


def test_a_server_that_is_stopped_is_gone_and_its_answers_are_found_again(
    apertium_server: ApertiumServer, tmp_path: Path
) -> None:
    store, texts = Store(tmp_path), block(4)[:2]
    with ApertiumServer() as other:
        first = execute(RoundTrip(other.translator, "eo"), texts, store=store)
        assert other.running
    assert not other.running
    assert not _is_open(("127.0.0.1", urlsplit(other.url).port))
    again = execute(RoundTrip(apertium_server.translator, "eo"), texts, store=store)
    assert (first.calls, again.calls, again.from_store) == (4, 0, 4)
    assert again.responses == first.responses


def test_a_server_killed_in_the_middle_leaves_what_was_answered(
    tmp_path: Path, apertium_server: ApertiumServer
) -> None:
    store, texts = Store(tmp_path), block(20)
    with ApertiumServer(limits=Limits(concurrency=2, attempts=2)) as dying:
        chain = RoundTrip(dying.translator, "eo")

        def report(done: int, total: int) -> None:
            if done >= 25 and dying.running:
                dying.stop()

        broken = execute(chain, texts, store=store, on_progress=report)
    assert not broken.complete
    assert 1 <= 20 - broken.failed <= 10
    assert "Its answers are kept" in " ".join(broken.problems)
    again = execute(RoundTrip(apertium_server.translator, "eo"), texts, store=store)
    assert (again.complete, again.failed) == (True, 0)
    assert again.from_store == 20 + (20 - broken.failed)


def test_the_server_of_the_process_is_started_anew_when_it_has_ended(
    apertium_server: ApertiumServer,
) -> None:
    translator = apertium()
    assert isinstance(translator, ApertiumHTTP)
    texts = ["She is a nurse."]
    before = translator.translate(texts, "en", "es")
    identity, url = translator.identity_of("en", "es"), translator.url
    shared_server().stop()
    assert translator.translate(texts, "en", "es") == before
    assert translator.url != url
    assert shared_server().running
    assert translator.identity_of("en", "es") == identity
    assert url not in translator.about


KILLED = """
import sys
from biaslab.services import ApertiumServer
server = ApertiumServer()
server.translator.translate(["She is a nurse."], "en", "es")
print(server.url, flush=True)
sys.stdin.read()
"""


def test_the_server_ends_with_a_process_that_is_killed(apertium_server: ApertiumServer) -> None:
    command = [sys.executable, "-c", KILLED]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None
        address = ("127.0.0.1", urlsplit(owner.stdout.readline().strip()).port)
        assert _is_open(address)
        owner.kill()
    until = time.monotonic() + 60
    while _is_open(address):
        assert time.monotonic() < until


def _is_open(address: tuple[str, int | None]) -> bool:
    with socket.socket() as knock:
        return knock.connect_ex(address) == 0


def test_the_analysis_knows_the_gender_of_a_noun_and_says_what_it_does_not_know(
    apertium_server: ApertiumServer,
) -> None:
    first, second = analyse(["Es una enfermera / [x].", "Es un plumber."], "es")
    words = {word.surface: word for word in (*first, *second)}
    assert words["enfermera"].tags == ("n", "f", "sg")
    assert words["enfermera"].lemma == "enfermero"
    assert words["un"].tags == ("det", "ind", "m", "sg")
    assert words["plumber"].tags == ()
    with pytest.raises(ServicePairError, match="Italian"):
        analyse(["È un medico."], "it", "en")


def test_where_it_is_not_installed_it_is_said_how_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert not is_installed()
    with pytest.raises(ServiceSetupError, match=re.escape(INSTALL)):
        ApertiumCommand()
    with pytest.raises(ServiceSetupError, match="apertium-apy is not installed"):
        ApertiumServer()
