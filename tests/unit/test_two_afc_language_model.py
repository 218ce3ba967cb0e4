"""Two-alternative task on language models: planted truth, invariants, and honest refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special

import biaslab as bl
from biaslab.errors import JobCancelledError, QueryError, SubjectError
from biaslab.probes.psychometrics.framed_model import FramedModel
from biaslab.probes.psychometrics.framed_question import Question, question
from biaslab.probes.psychometrics.frames import Frame, shipped_frames
from biaslab.records.result import Result
from biaslab.subjects.language_model.model import LanguageModel
from harness import tiny_language_models as tiny
from harness.heavy import optimize, torch
from harness.needs import needs
from harness.planted_language_models import planted

pytestmark = [needs("torch", "transformers"), pytest.mark.usefixtures("one_thread")]

NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
FRAMES = [f"{n} {{stimulus}} works as a {{item}} and {{answer}} was here" for n in NUMBERS]
PAIR = ("she", "he")


def _tiny(name: str) -> LanguageModel:
    torch.manual_seed(0)
    build: Callable[[], tuple[Any, Any]] = {**tiny.MASKED, **tiny.CAUSAL}[name]
    model, tokenizer = build()
    # Random weights hardly tell tokens apart: larger ones do.
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim == 2:
                weight.mul_(8)
    return LanguageModel.of(model, tokenizer, kind="mlm" if name in tiny.MASKED else "clm")


ALL = [*tiny.MASKED, *tiny.CAUSAL]


@pytest.mark.parametrize("kind", ["clm", "mlm"])
@pytest.mark.parametrize(("pse", "noise"), [(0.5, 0.1), (0.62, 0.05), (0.31, 0.2)])
def test_planted_pse_and_jnd_are_recovered(kind: Any, pse: float, noise: float) -> None:
    lm = planted({"nurse": -pse}, noise, kind)
    result = bl.two_afc(lm, ["nurse"], PAIR, observers=FRAMES[:3], family="logistic")
    assert result.pse[0] == pytest.approx(pse, abs=1e-6)
    assert result.jnd[0] == pytest.approx(noise * np.log(3), rel=1e-3)
    truth = special.expit((result.stimuli - pse) / noise)
    np.testing.assert_allclose(result.responses()[0, 0, 0], truth, atol=1e-9)
    assert result.switch[:, 0, 0] == pytest.approx(pse, abs=1e-6)
    assert result.observer == "frames"


def test_frames_that_lean_spread_their_switch_points_and_the_mean_answers_decide() -> None:
    leanings = np.array([-0.9, -0.5, -0.2, -0.1, 0.0, 0.05, 0.1, 0.2, 0.3, 0.4])
    adds = {"nurse": -0.6} | dict(zip(NUMBERS, leanings, strict=True))
    result = bl.two_afc(planted(adds, 0.1), "nurse", PAIR, observers=FRAMES, levels=101)

    def mean(alpha: float) -> float:
        return float(special.expit((alpha - 0.6 + leanings) / 0.1).mean()) - 0.5

    assert result.pse[0] == pytest.approx(optimize.brentq(mean, 0, 1), abs=1e-4)
    own = 0.6 - leanings
    inside = own < 1
    assert result.switch[inside, 0, 0] == pytest.approx(own[inside], abs=1e-4)
    assert np.isposinf(result.switch[~inside, 0, 0]).all()
    assert result.pooled.without_switch[0] == (~inside).sum() == 2
    assert "2 of 10 frames have no switch point" in result.caveat("nurse")
    assert result.pooled.neutral[0] == pytest.approx(mean(0.5) + 0.5)


def test_a_model_that_does_not_look_at_the_stimulus_has_no_pse_and_says_so() -> None:
    lm = planted({"nurse": 0.8, "he": 0.0}, 1.0)
    result = bl.two_afc(lm, "nurse", PAIR, observers=FRAMES)
    assert np.isnan(result.pse[0])
    assert np.isnan(result.jnd[0])
    assert result.pooled.neutral[0] == pytest.approx(special.expit(0.8))
    assert result.pooled.lean[0] == -1
    verdict = " ".join(result.verdict("nurse"))
    assert "The model hardly listens: from she to he its answer for nurse changes by 0" in verdict
    assert "a bias toward he" in verdict
    assert result.to_frame()["reason"][0] == "the answers do not follow the blend"


def test_a_model_that_answers_one_cue_to_every_blend_has_its_pse_beyond_the_axis() -> None:
    result = bl.two_afc(planted({"nurse": 0.5}, 0.2), "nurse", PAIR, observers=FRAMES)
    assert result.pse[0] < 0
    assert result.pooled.corpus[0][1] <= 0
    assert "Whatever the blend, the model tends to answer he" in " ".join(result.verdict("nurse"))


@pytest.mark.parametrize("kind", ["clm", "mlm"])
def test_swapping_the_cues_turns_everything_round(kind: Any) -> None:
    adds = {"nurse": -0.4, "one": 0.2, "two": -0.1, "three": 0.15}
    there = bl.two_afc(planted(adds, 0.15, kind), "nurse", ("she", "he"), observers=FRAMES)
    back = bl.two_afc(planted(adds, 0.15, kind), "nurse", ("he", "she"), observers=FRAMES)
    np.testing.assert_allclose(back.answers, 1 - there.answers[..., ::-1], atol=1e-12)
    np.testing.assert_allclose(back.pse, 1 - there.pse, atol=1e-9)
    np.testing.assert_allclose(back.jnd, there.jnd, rtol=1e-6)
    np.testing.assert_allclose(back.pooled.corpus, 1 - there.pooled.corpus[:, ::-1], atol=1e-6)
    assert back.pooled.lean[0] == -there.pooled.lean[0]


@pytest.mark.parametrize("name", ALL)
def test_a_blend_of_one_cue_alone_is_that_cue(name: str) -> None:
    lm = _tiny(name)
    assert lm.takes_mixtures
    pair = ("woman", "man")
    for text in ("We heard that the {stimulus} was a {item}, and then the {answer} is here.",):
        asked = question(lm, Frame(text), "nurse", pair)
        assert isinstance(asked, Question)
        if asked.averaged:
            pair = ("man", "Her")
            asked = question(lm, Frame(text), "nurse", pair)
        if asked.averaged:
            pytest.skip("this tokenizer cuts all cues to unlike lengths")
        for look in asked.looks:
            assert look.blend is not None
            for alpha, side in ((0.0, look.blend.first), (1.0, look.blend.second)):
                plain = look.ids.copy()
                plain[look.blend.start : look.blend.start + len(side)] = side[:, 0]
                shown = type(look)(look.ids, look.positions, look.targets, look.blend, alpha)
                as_tokens = type(look)(plain, look.positions, look.targets)
                blended, alone = lm.read([shown, as_tokens])
                np.testing.assert_allclose(blended, alone, atol=1e-5)


@pytest.mark.parametrize("name", ALL)
def test_batches_change_no_answer(name: str) -> None:
    pairs = [("woman", "man"), ("person", "people")]
    items = ["nurse", "unbelievable"]
    lm = _tiny(name)
    one, all_at_once = (
        bl.two_afc(FramedModel(lm, first=2, memory_mb=memory), items, pairs, levels=3)
        for memory in (0.001, 500)
    )
    np.testing.assert_allclose(one.answers, all_at_once.answers, atol=1e-5)
    assert one.items == ("nurse", "unbelievable")
    assert ((one.answers >= 0) & (one.answers <= 1)).all()


def test_a_cue_of_several_tokens_is_scored_by_the_chain_rule() -> None:
    lm = _tiny("gpt2")
    pair = ("she", "grandmother")
    frame = Frame("Now {stimulus} was a {item}, and then {answer}")
    answer = bl.two_afc(lm, "nurse", pair, observers=[frame.text], levels=2).answers[0, 0, 0, 0]
    scores = []
    for cue in pair:
        # Cues of unlike length: at alpha 0 the mean of the first one's embeddings is shown, which
        # is not its tokens; so the same place is filled by hand.
        tokens = lm.tokenize(frame.fill("nurse", pair[0], cue).text)
        shown = lm.tokenize("Now she was a nurse, and then")
        ids = torch.from_numpy(tokens.ids)[None]
        embedded = lm.model.get_input_embeddings()(ids)
        start = len(lm.tokenize("Now").ids)
        length = len(lm.tokenize("Now she").ids) - start
        mean = embedded[:, start : start + length].mean(dim=1, keepdim=True)
        short = torch.cat([embedded[:, :start], mean, embedded[:, start + length :]], dim=1)
        with torch.inference_mode():
            logs = lm.model(inputs_embeds=short).logits[0].double().log_softmax(-1)
        first = len(shown.ids) - length + 1
        scores.append(
            sum(float(logs[i - 1, ids[0, i + length - 1]]) for i in range(first, len(logs)))
        )
    assert answer == pytest.approx(special.expit(scores[1] - scores[0]), abs=1e-6)


def test_cues_of_several_tokens_are_asked_of_a_masked_model_left_to_right() -> None:
    lm = _tiny("bert")
    before, after = "now the", "is a nurse , and the"
    lengths: dict[int, list[str]] = {}
    for word in ("thanked", "flower", "insect", "career", "family", "lesson", "unbeliev", "zebra"):
        tokens = lm.tokenize(f"{before} {word}")
        own = tokens.own[len(lm.tokenize(before).own) :]
        if not tokens.unknown.any():
            lengths.setdefault(len(own), []).append(word)
    count, words = next((n, w) for n, w in sorted(lengths.items()) if n > 1 and len(w) > 1)
    first, second = words[:2]
    frame = f"{before} {{stimulus}} {after.replace('nurse', '{item}')} {{answer}} ."
    alpha = 0.25
    found = FramedModel(lm, [frame]).respond("nurse", first, second, alpha, 0)

    ends = [lm.tokenize(f"{before} {word}").ids[:-1][-count:] for word in (first, second)]
    whole = lm.tokenize(f"{before} {first} {after} {first} .").ids
    at_stimulus = len(lm.tokenize(before).ids) - 1
    at_answer = len(lm.tokenize(f"{before} {first} {after}").ids) - 1
    table = lm.model.get_input_embeddings()
    scores = []
    for cue in ends:
        total = 0.0
        for place in range(count):
            ids = torch.from_numpy(whole.copy())
            ids[at_answer : at_answer + count] = lm.tokenizer.mask_token_id
            ids[at_answer : at_answer + place] = torch.from_numpy(cue[:place].copy())
            with torch.inference_mode():
                shown = table(ids).clone()
                one, two = (table(torch.from_numpy(end.copy())) for end in ends)
                shown[at_stimulus : at_stimulus + count] = (1 - alpha) * one + alpha * two
                logits = lm.model(inputs_embeds=shown[None]).logits[0, at_answer + place]
            total += float(logits.double().log_softmax(-1)[int(cue[place])])
        scores.append(total)
    assert float(found) == pytest.approx(special.expit(scores[1] - scores[0]), abs=1e-6)


def test_unlike_lengths_are_said_of_a_causal_and_refused_of_a_masked_model() -> None:
    result = bl.two_afc(_tiny("gpt2"), "nurse", ("she", "grandmother"), levels=3, observers=3)
    assert any("different numbers of tokens (she / grandmother)" in note for note in result.notes)
    with pytest.raises(QueryError, match="the number of masks would tell") as refused:
        bl.two_afc(_tiny("bert"), "nurse", ("she", "man"), levels=3)
    assert refused.value.dropped[0].role == "cue pair"


def test_what_cannot_be_asked_is_dropped_with_its_reason() -> None:
    lm = planted({"nurse": -0.5}, 0.1)
    pairs = [PAIR, ("she", "they"), ("she", "she")]
    result = bl.two_afc(lm, ["nurse", "astronaut"], pairs, observers=FRAMES[:2])
    assert result.items == ("nurse",)
    assert result.pairs == (PAIR,)
    reasons = {(d.role, d.term): d.reason for d in result.dropped}
    assert "no token for" in reasons["item", "astronaut"]
    assert "'they' has a part" in reasons["cue pair", "she / they"]
    assert "same tokens" in reasons["cue pair", "she / she"]
    assert result.weights.tolist() == [1.0]


@pytest.mark.parametrize(
    ("frames", "says"),
    [
        ([], "no frame"),
        (["The {stimulus} works as a {item}."], r"no \{answer\}"),
        (["The {answer} works as a {item}."], r"no \{stimulus\}"),
        (["The {stimulus} is a {answer}."], r"no \{item\}"),
        (["{stimulus} {stimulus} {item} {answer}"], "2 times"),
        (["{stimulus} {item} {answer} {other}"], "not a slot"),
        ([FRAMES[0], FRAMES[0]], "appears twice"),
        (["one {answer} works as a {item} and {stimulus}"], "left to right"),
        ([7], "A frame is a sentence"),
    ],
)
def test_a_wrong_frame_says_what_to_do(frames: Any, says: str) -> None:
    with pytest.raises(QueryError, match=says):
        bl.two_afc(planted({}, 0.1), "nurse", PAIR, observers=frames)


def test_a_masked_model_may_be_asked_before_it_sees_the_stimulus() -> None:
    frames = ["one {answer} was here and {stimulus} works as a {item}", FRAMES[0]]
    result = bl.two_afc(planted({"nurse": -0.7}, 0.1, "mlm"), "nurse", PAIR, observers=frames)
    assert result.pse[0] == pytest.approx(0.7, abs=1e-6)


@pytest.mark.parametrize(
    "pair",
    [
        ("female", "male"), ("woman", "man"), ("she", "he"), ("her", "him"), ("hers", "his"),
        ("Amy", "John"), ("old", "young"), ("love", "hate"), ("his", "her"), ("women", "men"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("item", ["nurse", "engineer", "algebra", "loyal", "rainbow", "xyz"])
def test_shipped_frames_are_as_many_for_each_kind_and_right(
    item: str, pair: tuple[str, str]
) -> None:
    frames = shipped_frames(item, *pair)
    assert len(frames) == len(set(frames)) == 20
    for frame in frames:
        assert frame.answer_is_last
        filled = frame.fill(item, *pair)
        text = filled.text
        assert text[slice(*filled.stimulus)] == pair[0]
        assert text[slice(*filled.answer)] == pair[1]
        assert all(text[slice(*span)] == item for span in filled.items)
        assert "{" not in text
        # Small letters and a space before: the same tokens in every frame.
        assert text[filled.stimulus[0] - 1] == text[filled.answer[0] - 1] == " "
        assert " a engineer" not in text


def test_the_article_follows_the_item() -> None:
    frame = Frame("A {item} is here: {stimulus} and {answer}; an {item}.")
    assert frame.fill("engineer", "x", "y").text == "An engineer is here: x and y; an engineer."
    assert frame.fill("nurse", "x", "y").text == "A nurse is here: x and y; a nurse."


def test_a_result_survives_json_and_its_tables_hold_the_answers() -> None:
    adds = {"nurse": -0.6, "engineer": -0.4, "one": 0.1}
    pairs = [PAIR, ("woman", "man")]
    result = bl.two_afc(
        planted(adds, 0.2), ["nurse", "engineer"], pairs, observers=FRAMES[:4], levels=5
    )
    again = Result.from_json(result.to_json())
    assert again == result
    assert again.summary() == result.summary()
    frame = result.raw_frame()
    assert len(frame) == 4 * 2 * 2 * 5
    row = frame[
        (frame["item"] == "engineer") & (frame["cue_2"] == "man") & (frame["alpha"] == 0.25)
    ]
    assert row["p_cue_2"].to_numpy() == pytest.approx(result.answers[:, 1, 1, 1])
    assert list(row["frame"]) == FRAMES[:4]
    table = result.to_frame()
    assert len(table) == 2 * 2 + 2
    assert {"share_at_half", "slope", "without_switch"} <= set(table.columns)
    assert result.responses([0.25], item="nurse")[..., 0] == pytest.approx(
        result.answers[:, 0, :, 1]
    )


def test_known_answers_are_not_asked_again() -> None:
    lm = planted({"nurse": -0.6}, 0.2)
    model = FramedModel(lm, FRAMES)
    alphas = np.linspace(0, 1, 21)
    assert not model.is_known(["nurse"], [PAIR], alphas)
    first = bl.two_afc(model, "nurse", PAIR)
    assert model.is_known(["nurse"], [PAIR], alphas)
    before = len(lm.model.seen)
    other = bl.two_afc(model, "nurse", PAIR, jnd="sd", family="logistic", replicates=6)
    assert len(lm.model.seen) == before
    np.testing.assert_array_equal(other.answers, first.answers[:6])
    bl.two_afc(model, "nurse", [PAIR, ("woman", "man")])
    assert sum(lm.model.seen[before:]) == len(FRAMES) * 21


def test_a_full_memory_keeps_the_answers_that_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known, fresh = (FramedModel(planted({"nurse": -0.6}, 0.2), FRAMES[:3]) for _ in range(2))
    bl.two_afc(known, "nurse", PAIR)
    monkeypatch.setattr("biaslab.probes.psychometrics.framed_model.REMEMBERED", 0)
    found, expected = (bl.two_afc(m, "nurse", [PAIR, ("woman", "man")]) for m in (known, fresh))
    np.testing.assert_array_equal(found.answers, expected.answers)


def test_the_protocol_asks_one_thing_at_a_time_too() -> None:
    model = FramedModel(planted({"nurse": -0.6}, 0.2), FRAMES)
    whole = bl.two_afc(model, "nurse", PAIR, levels=3)
    one = model.respond("nurse", "she", "he", np.array([0, 0.5, 1]), 2)
    np.testing.assert_allclose(one, whole.answers[2, 0, 0])
    as_callable = bl.two_afc(model.respond, ["nurse"], PAIR, observers=4, levels=21)
    assert as_callable.pse[0] == pytest.approx(0.6, abs=0.01)  # a normal curve is fitted


def test_a_stop_keeps_the_items_asked_by_then() -> None:
    lm = planted({"nurse": -0.6}, 0.2)
    # What is tried out at the first call comes before the count.
    bl.two_afc(lm, ["nurse"], PAIR, observers=FRAMES[:2], levels=3)
    asked: list[float] = []
    job: Any = None
    forward = type(lm.model).forward

    def slow(self: Any, *args: Any, **options: Any) -> Any:
        asked.append(1)
        if len(asked) == 2:
            job.abort()
        return forward(self, *args, **options)

    lm.model.forward = slow.__get__(lm.model)
    items = ["nurse", "engineer", "teacher"]
    begun = bl.start(
        lambda: (
            _wait_for(lambda: job is not None),
            bl.two_afc(lm, items, PAIR, observers=FRAMES[:2], levels=3),
        )[1]
    )
    job = begun
    result = begun.result(60)
    assert 1 <= len(result.items) < 3
    assert result.items == tuple(items[: len(result.items)])
    assert {d.term for d in result.dropped} == set(items[len(result.items) :])
    assert all("was not reached" in d.reason for d in result.dropped)


def _wait_for(there: Callable[[], bool]) -> None:
    import threading

    pause = threading.Event()
    for _ in range(3000):
        if there():
            return
        pause.wait(0.01)
    raise AssertionError("it never came")


def test_progress_counts_questions_and_a_cancelled_job_ends() -> None:
    told: list[tuple[float, float | None]] = []
    lm = planted({"nurse": -0.6}, 0.2)
    job = bl.start(bl.two_afc, FramedModel(lm, FRAMES, memory_mb=0.001), ["nurse"], PAIR)
    job.on_progress(lambda p: told.append((p.done, p.total)))
    job.wait(60)
    assert told[-1] == (10, 10)
    stopped = bl.start(bl.two_afc, lm, ["nurse"], PAIR, observers=FRAMES)
    stopped.cancel()
    with pytest.raises(JobCancelledError):
        stopped.result(60)


def test_too_few_stimuli_and_frames_are_refused() -> None:
    lm = planted({"nurse": -0.6}, 0.2)
    with pytest.raises(ValueError, match="at least 2"):
        bl.two_afc(lm, "nurse", PAIR, levels=1)
    with pytest.raises(QueryError, match="at least one"):
        bl.two_afc(lm, "nurse", PAIR, replicates=0)


def test_a_model_that_takes_no_embeddings_is_refused() -> None:
    lm = planted({"nurse": -0.6}, 0.2)
    forward = type(lm.model).forward

    def without(self: Any, input_ids: Any = None, attention_mask: Any = None) -> Any:
        return forward(self, input_ids, attention_mask)

    lm.model.forward = without.__get__(lm.model)
    with pytest.raises(SubjectError, match="cannot be shown a blend"):
        bl.two_afc(lm, "nurse", PAIR)


def test_shipped_frames_run_on_the_default_cue_pairs() -> None:
    result = bl.two_afc(_tiny("llama"), ["nurse"], levels=3)
    assert result.n_observers == 20
    assert len(result.pairs) == 8
    assert result.provenance.parameters["spec"] == "gender-pairs"
    assert result.summary()
