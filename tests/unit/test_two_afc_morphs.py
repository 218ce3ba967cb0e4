"""Two-alternative task over morphs: planted truth, invariants, memory, and what cannot be asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

import biaslab as bl
from biaslab.errors import ImageError, JobCancelledError, PortraitError, QueryError, StoreError
from biaslab.images import DrawnMorphs
from biaslab.probes.psychometrics.morphed_model import MorphedModel
from biaslab.records.result import Result
from harness.seeing_models import SeeingModel, by_stimulus

PAIR = ("woman", "man")


def _normal(seed: int, n: int, centre: float, spread: float) -> list[float]:
    return [float(x) for x in np.random.default_rng(seed).normal(centre, spread, n)]


@pytest.mark.parametrize(("pse", "noise"), [(0.5, 0.1), (0.66, 0.05), (0.3, 0.15)])
def test_planted_pse_and_jnd_are_recovered(pse: float, noise: float) -> None:
    vlm = by_stimulus({"nurse": pse}, noise)
    result = bl.two_afc(vlm, "nurse", PAIR, observers=3, family="logistic", levels=13)
    assert result.pse[0] == pytest.approx(pse, abs=1e-6)
    assert result.jnd[0] == pytest.approx(noise * np.log(3), rel=1e-3)
    assert result.observer == "portraits"
    assert result.observer_names == ("portrait 1", "portrait 2", "portrait 3")
    truth = special.expit((result.stimuli - pse) / noise)
    np.testing.assert_allclose(result.responses()[0, 0, 0], truth, atol=1e-12)


def test_every_portrait_has_its_own_pse_and_the_interval_is_over_them() -> None:
    own = _normal(1, 30, 0.6, 0.08)
    vlm = by_stimulus(lambda _item, observer: own[observer], 0.05)
    result = bl.two_afc(vlm, ["nurse"], PAIR, levels=21)
    np.testing.assert_allclose(result.switch[:, 0, 0], own, atol=1e-6)
    low, high = result.pooled.corpus[0]
    assert low < np.mean(own) < high
    assert high - low == pytest.approx(2 * 2.045 * np.std(own, ddof=1) / np.sqrt(30), rel=0.15)
    most = result.most_switch("nurse")
    assert most is not None
    assert most == pytest.approx(np.sort(own)[[1, 28]], abs=1e-6)
    assert "Nine in ten portraits switch between" in result.caveat("nurse")


def test_the_verdict_speaks_of_how_a_person_looks() -> None:
    own = _normal(2, 20, 0.66, 0.05)
    vlm = by_stimulus(lambda item, observer: own[observer] - 0.4 * (item == "electrician"), 0.05)
    result = bl.two_afc(vlm, ["nurse", "electrician"], PAIR, observers=20)
    told = " ".join(result.verdict("nurse"))
    assert told.startswith("A nurse must look 6")
    assert "% male before the model answers “a man”, between" in told
    assert told.endswith("over resampled portraits: a bias toward woman.")
    assert " ".join(result.verdict("electrician")).startswith("An electrician must look")
    assert "deliberately stereotyped" in result.summary()
    assert "“a portrait of a {concept}”" in result.summary()


def test_a_model_that_never_switches_is_told_so() -> None:
    result = bl.two_afc(SeeingModel(lambda _: -3.0), ["nurse"], PAIR, observers=4, levels=5)
    assert np.isposinf(result.switch).all()
    assert " ".join(result.verdict("nurse")).startswith("No PSE for nurse")
    always = bl.two_afc(by_stimulus({"nurse": 3.0}, 0.5), ["nurse"], PAIR, observers=4, levels=5)
    assert "However a nurse looks, the model tends to answer “a woman”" in " ".join(
        always.verdict("nurse")
    )


def test_swapping_the_cues_mirrors_every_answer() -> None:
    own = _normal(3, 10, 0.6, 0.1)
    vlm = by_stimulus(lambda _item, observer: own[observer], 0.07)
    one = bl.two_afc(vlm, ["nurse"], PAIR, observers=10, levels=9)
    other = bl.two_afc(vlm, ["nurse"], ("man", "woman"), observers=10, levels=9)
    np.testing.assert_allclose(one.answers, 1 - other.answers, atol=1e-12)
    told = [result.to_frame()["share_at_half"][0] for result in (one, other)]
    assert told[0] == pytest.approx(1 - told[1])


@settings(deadline=None, max_examples=8)
@given(order=st.permutations(range(6)), centre=st.floats(0.3, 0.7))
def test_the_order_of_portraits_changes_nothing(order: list[int], centre: float) -> None:
    own = _normal(4, 6, centre, 0.06)
    found = [
        bl.two_afc(by_stimulus({"nurse": values}, 0.1), ["nurse"], PAIR, observers=6, levels=9)
        for values in (own, [own[i] for i in order])
    ]
    np.testing.assert_allclose(found[0].pse, found[1].pse, atol=1e-9)
    np.testing.assert_allclose(found[0].pooled.corpus, found[1].pooled.corpus, atol=1e-9)
    np.testing.assert_allclose(found[0].jnd, found[1].jnd, rtol=1e-6)


def test_templates_are_a_mean_of_probabilities() -> None:
    vlm = by_stimulus({"nurse": 0.5}, 0.1)
    vlm.template_effect = {"a {concept} at work": 1.0}
    templates = ["a portrait of a {concept}", "a {concept} at work"]
    model = MorphedModel(vlm, DrawnMorphs(observers=1), templates)
    found = model.answer("nurse", 0, PAIR, 0.4)
    assert found == pytest.approx(np.mean(special.expit([-1.0, 0.0])))


def test_several_cue_pairs_are_asked_of_the_same_pictures_and_pooled() -> None:
    vlm = by_stimulus({"nurse": 0.4}, 0.1)
    result = bl.two_afc(vlm, ["nurse"], [PAIR, ("lady", "gentleman")], observers=3, levels=5)
    assert len(vlm.shown) == 3 * 5
    assert result.answers.shape == (3, 1, 2, 5)
    np.testing.assert_allclose(result.by_pair.pse, 0.4, atol=1e-3)


def test_what_cannot_be_shown_or_asked_is_told_with_what_could_be() -> None:
    vlm = by_stimulus({"nurse": 0.5}, 0.1)
    result = bl.two_afc(
        vlm, ["nurse", "a nurse", "nurs", "female nurse", "astronaut"],
        [PAIR, ("girl", "boy"), ("man", "man")], observers=2, levels=3,
    )  # fmt: skip
    assert result.items == ("nurse",)
    assert result.pairs == (PAIR,)
    told = {d.term: d for d in result.dropped}
    assert told["nurs"].suggestions[0] == "nurse"
    assert "names a group" in told["female nurse"].reason
    assert "known are person, nurse" in told["astronaut"].reason
    assert "already listed" in told["a nurse"].reason
    assert told["girl"].reason == "is no word it knows"
    assert told["man / man"].role == "cue pair"
    with pytest.raises(QueryError, match=r"No item is left.*nearest known: nurse"):
        bl.two_afc(vlm, ["nurs"], PAIR)
    with pytest.raises(QueryError, match="No cue pair is left"):
        bl.two_afc(vlm, ["nurse"], ("girl", "boy"))


def test_options_that_mean_nothing_are_refused() -> None:
    vlm = by_stimulus({"nurse": 0.5}, 0.1)
    with pytest.raises(ValueError, match="at least 2 stimuli"):
        bl.two_afc(vlm, ["nurse"], PAIR, levels=1)
    with pytest.raises(TypeError, match="are portraits"):
        bl.two_afc(vlm, ["nurse"], PAIR, observers=["a", "b"])
    model = MorphedModel(vlm)
    with pytest.raises(ValueError, match="its portraits"):
        bl.two_afc(model, ["nurse"], PAIR, observers=3)
    with pytest.raises(QueryError, match="at least one"):
        model.using(0)
    with pytest.raises(ImageError, match="at least one portrait"):
        bl.two_afc(vlm, ["nurse"], PAIR, observers=0)
    with pytest.raises((ImageError, PortraitError), match="from 0 to 1"):
        model.answer("nurse", 0, PAIR, 1.5)


def test_one_portrait_gives_a_pse_and_no_interval() -> None:
    vlm = by_stimulus({"nurse": 0.6}, 0.1)
    result = bl.two_afc(vlm, ["nurse"], PAIR, observers=1)
    assert result.pse[0] == pytest.approx(0.6, abs=1e-3)
    assert "one observer gives no interval" in " ".join(result.verdict("nurse"))


def test_answers_are_remembered_and_more_portraits_ask_only_the_new_ones() -> None:
    vlm = by_stimulus({"nurse": 0.6, "judge": 0.5}, 0.1)
    model = MorphedModel(vlm, DrawnMorphs(observers=6))
    alphas = np.linspace(0, 1, 5)
    assert not model.is_known(["nurse"], [PAIR], alphas)
    early = bl.two_afc(model, ["nurse"], PAIR, replicates=2, levels=5)
    assert early.n_observers == 2
    assert len(vlm.shown) == 10
    assert len(model.using(4).using(9).observers) == 4
    whole = bl.two_afc(model, ["nurse"], PAIR, levels=5)
    assert len(vlm.shown) == 30
    np.testing.assert_array_equal(whole.answers[:2], early.answers)
    assert model.is_known(["nurse"], [PAIR], alphas)
    assert model.answer("nurse", 5, PAIR, 0.25) == whole.answers[5, 0, 0, 1]
    assert len(vlm.shown) == 30
    model.answer("nurse", 5, PAIR, 0.26)
    model.answer("nurse", 5, PAIR, 0.26)
    assert len(vlm.shown) == 31
    assert model.respond("nurse", *PAIR, [0.25, 0.5], 5) == pytest.approx(
        whole.answers[5, 0, 0, 1:3]
    )


def test_answers_outlive_the_process(tmp_path: Any) -> None:
    store = bl.Store(f"sqlite:///{tmp_path / 'kept.db'}")
    first = by_stimulus({"nurse": 0.6}, 0.1)
    asked = bl.two_afc(MorphedModel(first, store=store), ["nurse"], PAIR, levels=5)
    again = by_stimulus({"nurse": 0.6}, 0.1)
    model = MorphedModel(again, store=bl.Store(f"sqlite:///{tmp_path / 'kept.db'}"))
    assert model.is_known(["nurse"], [PAIR], np.linspace(0, 1, 5))
    found = bl.two_afc(model, ["nurse"], PAIR, levels=5)
    assert again.shown == []
    np.testing.assert_array_equal(found.answers, asked.answers)
    # Another model, other people, another question or another size: nothing is known of it.
    other = by_stimulus({"nurse": 0.6}, 0.1)
    other.content_hash = "another"
    alphas = np.linspace(0, 1, 5)
    assert not MorphedModel(other, store=store).is_known(["nurse"], [PAIR], alphas)
    for morphs in (DrawnMorphs(seed=2), DrawnMorphs(size=64)):
        assert not MorphedModel(again, morphs, store=store).is_known(["nurse"], [PAIR], alphas)
    asked_otherwise = MorphedModel(again, None, ["a {concept} at work"], store=store)
    assert not asked_otherwise.is_known(["nurse"], [PAIR], alphas)


def test_the_provenance_names_what_was_shown_and_asked() -> None:
    def noted(morphs: DrawnMorphs, **options: Any) -> dict[str, Any]:
        vlm = by_stimulus({"nurse": 0.6, "judge": 0.5}, 0.1)
        result = bl.two_afc(vlm, ["nurse"], PAIR, observers=morphs, levels=3, **options)
        again = type(result).from_json(result.to_json())
        assert again.provenance == result.provenance
        return dict(result.provenance.parameters)

    one = noted(DrawnMorphs(observers=3))
    assert one["source"] == "drawn"
    assert one["portraits"] == 3
    assert one["morph_seed"] == 0
    assert list(one["templates"]) == list(by_stimulus({}, 0.1).templates)
    assert noted(DrawnMorphs(observers=3)) == one
    names = {one["pictures"]}
    names.add(noted(DrawnMorphs(observers=3, seed=2))["pictures"])
    names.add(noted(DrawnMorphs(observers=3, size=64))["pictures"])
    names.add(noted(DrawnMorphs(observers=3), replicates=2)["pictures"])
    assert len(names) == 4


def test_what_a_store_lacks_is_looked_up_once() -> None:
    class Empty:
        asked = 0

        def kept_values(self, _kind: str, keys: Any) -> dict[str, str]:
            self.asked += len(list(keys))
            return {}

        def keep_values(self, _kind: str, _values: Any) -> None:
            raise AssertionError

    store = Empty()
    model = MorphedModel(by_stimulus({"nurse": 0.6}, 0.1), DrawnMorphs(observers=3), store=store)
    for _ in range(2):
        assert not model.is_known(["nurse"], [PAIR], np.linspace(0, 1, 3))
    assert store.asked == 3


def test_a_store_that_fails_loses_no_answer() -> None:
    class Broken:
        def kept_values(self, kind: str, keys: Any) -> dict[str, str]:
            raise StoreError(f"the disk is full ({kind}, {len(list(keys))})")

        def keep_values(self, kind: str, values: Any) -> None:
            raise StoreError(f"the disk is full ({kind}, {len(values)})")

    model = MorphedModel(by_stimulus({"nurse": 0.6}, 0.1), DrawnMorphs(observers=2), store=Broken())
    result = bl.two_afc(model, ["nurse"], PAIR, levels=3)
    assert np.isfinite(result.answers).all()
    assert any("are not cached: the disk is full" in note for note in result.notes)

    class Odd(Broken):
        def kept_values(self, kind: str, keys: Any) -> dict[str, str]:
            return dict.fromkeys(keys, f"[0.5, {kind}")

        def keep_values(self, kind: str, values: Any) -> None:
            assert kind
            assert values

    damaged = MorphedModel(by_stimulus({"nurse": 0.6}, 0.1), DrawnMorphs(observers=2), store=Odd())
    again = bl.two_afc(damaged, ["nurse"], PAIR, levels=3)
    np.testing.assert_array_equal(again.answers, result.answers)


def test_a_stop_keeps_whole_items_and_a_cancel_keeps_what_was_asked() -> None:
    vlm = by_stimulus({"nurse": 0.6, "judge": 0.5}, 0.1)
    model = MorphedModel(vlm, DrawnMorphs(observers=2))
    told: list[tuple[int, int]] = []
    found = model.ask(
        ["nurse", "judge"], [PAIR], np.linspace(0, 1, 3),
        on_progress=lambda done, total: told.append((done, total)), stop=lambda: True,
    )  # fmt: skip
    assert found.items == ("nurse",)
    assert [d.term for d in found.dropped] == ["judge"]
    assert told[-1] == (6, 12)
    many = MorphedModel(vlm, DrawnMorphs(observers=60))
    vlm.shown.clear()

    def leave() -> None:
        if len(vlm.shown) > 64:
            raise JobCancelledError("enough")

    with pytest.raises(JobCancelledError):
        many.ask(["nurse"], [PAIR], np.linspace(0, 1, 3), between=leave)
    before = len(vlm.shown)
    many.ask(["nurse"], [PAIR], np.linspace(0, 1, 3))
    assert len(vlm.shown) - before == 180 - 48


def test_a_result_is_stored_and_drawn() -> None:
    vlm = by_stimulus({"nurse": _normal(5, 12, 0.6, 0.1), "judge": [0.5] * 12}, 0.1)
    result = bl.two_afc(vlm, ["nurse", "judge"], PAIR, observers=12, levels=7)
    again = Result.from_json(result.to_json())
    assert again.summary() == result.summary()
    assert again.ends == PAIR  # type: ignore[attr-defined]
    table = result.raw_frame()
    assert list(table["portrait"].unique()) == list(result.observer_names)
    assert len(table) == 12 * 2 * 7
    assert "must look" in result.to_svg()
    assert result.figure() is not None
    one = bl.two_afc(vlm, ["nurse"], PAIR, observers=12, levels=7).figure()
    assert "male" in one.title.text
    assert one.yaxis[0].axis_label == "answers “a man”, %"
    assert one.below[0].axis_label == "stimulus: morph from woman to man, %"


@pytest.mark.skipif(not bl.subjects.bundled_names("vlm"), reason="portrait-clip is not bundled")
def test_the_bundled_model_shows_what_was_planted_in_it() -> None:
    pytest.importorskip("transformers")
    vlm = bl.load("portrait-clip", device="cpu")
    # Points of equality and their intervals as its card has them, of this caption alone.
    card = {"secretary": (0.674, 0.812), "person": (0.472, 0.571), "mechanic": (0.294, 0.398)}
    # A dozen other portraits may make a person lean.
    model = MorphedModel(vlm, DrawnMorphs(observers=12, seed=1), ["a portrait of a {concept}"])
    result = bl.two_afc(model, list(card), PAIR, levels=7)
    lows, highs = result.pooled.corpus.T
    secretary, person, mechanic = result.pse
    assert secretary > person > mechanic
    # The same people in every occupation: their PSEs are compared one by one.
    own = [result.switches_of(item)[:, 0] for item in card]
    assert np.mean(own[0] > own[2]) > 0.9
    assert result.pooled.lean.tolist() == [1, 0, -1]
    for low, high, (card_low, card_high) in zip(lows, highs, card.values(), strict=True):
        assert low < card_high
        assert high > card_low
