"""Chat models over an API that are shown pictures, against a simulated server on 127.0.0.1."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import special

import biaslab as bl
from biaslab.asking.providers.pictures import picture_question
from biaslab.deciders import (
    ChatDecider,
    Faults,
    PictureChat,
    PictureChatDecider,
    PictureQuestion,
    SimulatedPictureChat,
    ask,
)
from biaslab.errors import DeciderError, ObserverError, QueryError
from biaslab.jobs.job import JobStopped
from biaslab.services import Limits
from biaslab.specs import Spec
from biaslab.store import Store
from biaslab.subjects.vision_language.pictures import as_picture
from harness.needs import needs
from harness.service_server import Says, ServiceServer

pytestmark = [needs("openai"), pytest.mark.usefixtures("bare_environment")]

CONCEPTS = ("woman", "man")
QUESTIONS = ("What is this person?", "Who is this?")
SIZE = 24


class Bright:
    """A subject that answers the last option the more, the brighter a picture is."""

    name = "bright"

    def probabilities(self, images: Any, concepts: Any, templates: Any) -> Any:
        """Odds by brightness, shifted by the question's length; other concepts lie between."""
        rank = {"woman": -1.0, "man": 1.0, "helper": -0.5, "expert": 0.5}
        out = []
        for image in images:
            light = float(np.asarray(image.picture(), dtype=float).mean()) / 255 - 0.5
            pulls = np.array([rank[c] for c in concepts])
            out.append([special.softmax(6 * (light + 0.01 * len(t)) * pulls) for t in templates])
        return np.array(out)


def pictures(*lights: float) -> list[Any]:
    return [np.full((SIZE, SIZE, 3), round(255 * light), dtype=np.uint8) for light in lights]


def subject(url: str, store: Store | None = None, **options: Any) -> PictureChat:
    """A subject that does not wait between its attempts."""
    options = {"limits": Limits(concurrency=2, attempts=3, timeout=20.0)} | options
    chat = PictureChat("simulated", base_url=url, key="k", store=store, keep=bool(store), **options)
    assert isinstance(chat.decider, PictureChatDecider)
    chat.decider.endpoint.wait = lambda seconds, context: None
    return chat


def test_log_probabilities_bring_back_the_subject_whatever_the_order_does() -> None:
    images = pictures(0.2, 0.5, 0.8)
    observer = SimulatedPictureChat(Bright(), position=0.7, refusal=0.05)
    with observer.serve() as server:
        chat = subject(server.url)
        found = chat.answers(images, CONCEPTS, QUESTIONS)
        [request, *_] = server.requests
    wanted = Bright().probabilities(map(as_picture, images), CONCEPTS, QUESTIONS)
    np.testing.assert_allclose(found.probabilities, wanted, atol=1e-9)
    assert found.letters is not None
    np.testing.assert_allclose(found.letters.position, 0.7, atol=1e-9)
    np.testing.assert_allclose(found.letters.mass, 0.95, atol=1e-9)
    picture, text = request["messages"][0]["content"]
    assert picture["image_url"]["url"].startswith("data:image/png;base64,")
    assert text["text"].splitlines()[1:3] in (["A) woman", "B) man"], ["A) man", "B) woman"])


def test_without_log_probabilities_replies_are_counted() -> None:
    images = pictures(0.3, 0.55)
    observer = SimulatedPictureChat(Bright(), position=0.5, refusal=0.2, seed=2)
    with observer.serve(faults=Faults(sends_logprobs=False)) as server:
        chat = subject(server.url, draws=60)
        found = chat.answers(images, CONCEPTS, QUESTIONS[:1])
    assert (chat.asked, len(server.requests)) == (2 * 2 * 60, 2 * 2 * 60)
    places = np.array([0.25, -0.25])
    odds = np.log(Bright().probabilities(map(as_picture, images), CONCEPTS, QUESTIONS[:1])[:, 0])
    wanted = (
        special.softmax(odds + places, axis=-1) + special.softmax(odds - places, axis=-1)
    ) / 2  # fmt: skip
    np.testing.assert_allclose(found.probabilities[:, 0], wanted, atol=0.12)
    assert found.letters is not None
    assert found.letters.draws == 60
    np.testing.assert_allclose(found.letters.mass, 0.8, atol=0.12)
    assert "share of replies" in found.score


def test_a_second_look_costs_no_call_and_another_picture_does(tmp_path: Path) -> None:
    store, images = Store(tmp_path), pictures(0.2, 0.8)
    with SimulatedPictureChat(Bright()).serve() as server:
        first = subject(server.url, store).answers(images, CONCEPTS)
        calls = len(server.requests)
        assert calls == 2 * 3 * 2
        chat = subject(server.url, store)
        again = chat.answers(images, CONCEPTS)
        assert (len(server.requests), chat.found) == (calls, calls)
        np.testing.assert_array_equal(first.log_scores, again.log_scores)
        chat.answers(pictures(0.2, 0.81), CONCEPTS)
        assert len(server.requests) == calls + 3 * 2


def test_text_questions_keep_their_stored_replies() -> None:
    plain = PictureQuestion("Which?", ("A", "B"), picture="ab", data="data:,x")
    assert plain.key[:4] == ("Which?", ("A", "B"), "", "")
    assert "data" not in repr(plain)


def test_both_probes_run_over_the_api() -> None:
    with SimulatedPictureChat(Bright(), position=0.4).serve() as server:
        chat = subject(server.url)
        found = bl.image_association(
            chat, _spec(), per_term=2, keep=False, resamples=100, permutations=100
        )
        asked = bl.two_afc(chat, ["nurse"], CONCEPTS, levels=3, observers=2)
    for result in (found, asked):
        assert result.letters is not None
        assert result.letters.position == pytest.approx(0.4, abs=1e-6)
        assert any("first of two equally apt options" in note for note in result.notes)
    assert found.provenance.subject_hash == chat.content_hash


def _spec() -> Spec:
    return Spec(
        name="faces",
        title="Faces",
        source="made up",
        groups={"women": ["female nurse"], "men": ["male nurse"]},
        attributes={"helpers": ["helper"], "experts": ["expert"]},
    )


def test_pictures_without_a_readable_reply_are_left_out_and_counted() -> None:
    class Coy(SimulatedPictureChat):
        def text(self, prompt: str, repetition: int = 0) -> str:
            dark = prompt.partition("\n")[0] in hidden
            return "I cannot tell what they are." if dark else super().text(prompt, repetition)

    images = bl.images.drawn_images(["female nurse", "male nurse"], per_term=3)
    hidden = {next(iter(images)).hash}
    with Coy(Bright()).serve(faults=Faults(sends_logprobs=False)) as server:
        chat = subject(server.url, draws=2)
        found = bl.image_association(
            chat, _spec(), images=images, keep=False, resamples=100, permutations=100
        )
        assert (len(found.images), found.unscored) == (5, 0)
        assert "1 picture is left out" in " ".join(found.notes)
        assert found.letters is not None
        assert found.letters.unanswered == 3 * 2
    with Coy(Bright(), refusal=0.999999).serve() as server:
        chat = subject(server.url, draws=1)
        with pytest.raises(QueryError, match="no readable reply about any of the 6 pictures"):
            bl.image_association(chat, _spec(), images=images, keep=False)
        with pytest.raises(QueryError, match="to some picture of every portrait of 'nurse'"):
            bl.two_afc(chat, ["nurse"], CONCEPTS, levels=3, observers=2)


def test_a_server_that_refuses_pictures_says_so() -> None:
    with SimulatedPictureChat(Bright()).serve(faults=Faults(refuses=("image_url",))) as server:
        with pytest.raises(DeciderError, match=r"refuses pictures, or this one: .*Choose a model"):
            subject(server.url).answers(pictures(0.5), CONCEPTS)
        with pytest.raises(DeciderError, match="Choose a model that sees"):
            subject(server.url, draws=1).answers(pictures(0.5), CONCEPTS)


def test_a_picture_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 256, (700, 700, 3), dtype=np.uint8)
    with SimulatedPictureChat(Bright()).serve() as server:
        chat = subject(server.url)
        with pytest.raises(DeciderError, match=r"413.* smaller ones\. Replies so far are kept"):
            chat.answers([noise], CONCEPTS)
        monkeypatch.setattr("biaslab.asking.providers.pictures.LARGEST", 100_000)
        with pytest.raises(QueryError, match="700 x 700 pixels takes 2 MB in a request"):
            chat.answers([noise], CONCEPTS)


@pytest.mark.parametrize(
    ("text", "outcome", "answer"),
    [
        ("B", "answered", "B"),
        ("B) man", "answered", "B"),
        ("The man.", "answered", "B"),
        ("Either woman or man.", "unreadable", ""),
        ("I'm sorry, but I can't help with that.", "refused", ""),
    ],
)
def test_a_reply_in_words_counts_where_it_names_one_option(
    text: str, outcome: str, answer: str
) -> None:
    choice = {
        "index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop",
    }  # fmt: skip
    body = {
        "id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice],
    }  # fmt: skip
    picture = as_picture(pictures(0.5)[0])
    question = picture_question(picture, "data:image/png;base64,AA", "Who?", CONCEPTS, "given")
    with ServiceServer(lambda asked: Says.of(body)) as server:
        decider = PictureChatDecider("m", base_url=f"{server.url}/v1", key="k")
        [reply] = ask(decider, [question])
    assert (reply.outcome, reply.answer) == (outcome, answer)


def test_a_stopped_run_keeps_its_replies(tmp_path: Path) -> None:
    store, calls = Store(tmp_path), []

    def between() -> None:
        calls.append(1)
        if len(server.requests) >= 4:
            raise JobStopped

    with SimulatedPictureChat(Bright()).serve() as server:
        with pytest.raises(JobStopped):
            subject(server.url, store).answers(pictures(*np.linspace(0, 1, 6)), CONCEPTS,
                                               between=between)  # fmt: skip
        chat = subject(server.url, store)
        chat.answers(pictures(*np.linspace(0, 1, 6)), CONCEPTS)
    assert chat.found >= 3
    assert chat.found + chat.asked == 6 * 3 * 2


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(DeciderError, match="draws=0: ask for at least 1"):
        PictureChat("m", base_url="http://127.0.0.1:1/v1", draws=0)
    decider = ChatDecider("m", base_url="http://127.0.0.1:1/v1")
    with pytest.raises(DeciderError, match="open already: leave out temperature"):
        PictureChat(decider, temperature=0.0)
    with pytest.raises(ObserverError, match="refusal is 1: give a probability"):
        SimulatedPictureChat(Bright(), refusal=1)
    chat = PictureChat(decider, keep=False)
    with pytest.raises(QueryError, match="at least two concepts"):
        chat.answers(pictures(0.5), ["woman", " "])
