"""`bl.observers.vision`: its answers are those that were planted, in any order and batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from PIL import Image as pillow
from scipy import special

import biaslab as bl
from biaslab.errors import ObserverError, QueryError
from biaslab.images import Image, ImageRecord

LISTS = (("helper", "carer"), ("expert",))


def pictures(term: str, count: int) -> list[Image]:
    return [
        Image(ImageRecord(f"{term}{i}", term, 8, 8), lambda: pillow.new("RGB", (8, 8)))
        for i in range(count)
    ]


@dataclass(frozen=True)
class Stimulus:
    item: str
    observer: int
    alpha: float

    @property
    def hash(self) -> str:
        return f"{self.item}|{self.observer}|{self.alpha}"

    def picture(self) -> Any:
        raise AssertionError("a simulated model looks at no picture")


def test_lists_asked_whole_have_the_planted_probability() -> None:
    vlm = bl.observers.vision({"nurse": 0.8}, lists=LISTS, image_sd=0.7, template_sd=0.3, seed=2)
    found = vlm.answers(pictures("nurse", 4000), ("helper", "carer", "expert"))
    first = found.probabilities[..., :2].sum(axis=-1)
    assert found.probabilities.sum(axis=-1) == pytest.approx(1)
    assert first.mean() == pytest.approx(vlm.rate_of("nurse"), abs=0.01)
    np.testing.assert_allclose(found.probabilities[..., 0], found.probabilities[..., 1])
    logits = special.logit(first)
    assert logits.std(axis=0) == pytest.approx(0.7, abs=0.03)
    # A template pulls all pictures alike.
    apart = logits - logits[:, :1]
    assert np.ptp(apart, axis=0) == pytest.approx(0, abs=1e-9)
    assert np.ptp(apart[0]) > 0.01
    np.testing.assert_allclose(
        found.probabilities, special.softmax(found.log_scores, axis=-1), rtol=1e-12
    )


def test_without_template_effects_the_rate_is_the_one_given() -> None:
    vlm = bl.observers.vision({"nurse": 0.8}, lists=LISTS)
    assert vlm.rate_of("nurse") == pytest.approx(0.8, abs=1e-6)
    assert vlm.rate_of("pilot") == pytest.approx(0.5, abs=1e-6)
    assert vlm.score((["nurse"], ["pilot"])) == pytest.approx(0.65, abs=1e-6)


def test_answers_do_not_depend_on_order_or_company() -> None:
    vlm = bl.observers.vision(0.6, lists=LISTS, template_sd=0.2, seed=5)
    some = pictures("nurse", 9)
    asked = ("helper", "carer", "expert")
    whole = vlm.probabilities(some, asked)
    np.testing.assert_array_equal(vlm.probabilities(some[::-1], asked), whole[::-1])
    np.testing.assert_array_equal(vlm.probabilities(some[3:4], asked), whole[3:4])
    other = bl.observers.vision(0.6, lists=LISTS, template_sd=0.2, seed=6)
    assert not np.allclose(other.probabilities(some, asked), whole)
    assert other.content_hash != vlm.content_hash


def test_stimuli_are_answered_by_a_curve_around_the_planted_point() -> None:
    vlm = bl.observers.vision(pse={"nurse": 0.66}, jnd=0.1, pse_sd=0.05, seed=1)
    points = np.array([vlm.pse_of("nurse", o) for o in range(400)])
    assert points.mean() == pytest.approx(0.66, abs=0.01)
    assert points.std() == pytest.approx(0.05, abs=0.01)
    at = [points[3], points[3] + 0.1, points[3] - 0.1]
    found = vlm.probabilities([Stimulus("nurse", 3, a) for a in at], ("woman", "man"))
    np.testing.assert_allclose(found[:, 0, 1], [0.5, 0.75, 0.25], atol=1e-9)
    far = vlm.probabilities([Stimulus("nurse", 3, a) for a in (-9, 9)], ("woman", "man"))
    assert np.isfinite(far).all()
    with pytest.raises(ObserverError, match="'pilot'"):
        vlm.probabilities([Stimulus("pilot", 0, 0.5)], ("woman", "man"))


def test_the_planted_point_comes_out_of_the_probe() -> None:
    truth = bl.observers.vision(pse={"nurse": 0.62, "pilot": 0.4}, jnd=0.08, pse_sd=0.05, seed=3)
    found = bl.two_afc(truth, ["nurse", "pilot"], ("woman", "man"), observers=40)
    table = found.to_frame().set_index("item")
    for item, pse in truth.pse.items():
        assert table.loc[item, "pse"] == pytest.approx(pse, abs=0.03)
        assert table.loc[item, "pse_low"] <= pse <= table.loc[item, "pse_high"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rate": 1.0}, "rate"),
        ({"rate": {"nurse": -0.1}}, "nurse"),
        ({"image_sd": -1}, "image_sd"),
        ({"jnd": 0}, "jnd"),
        ({"jnd_convention": "odd"}, "quartile"),
        ({"traits": {"height": 1.0}}, "'height'"),
        ({"lists": (["a"], ["a"])}, "both lists"),
    ],
)
def test_what_cannot_be_planted_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ObserverError, match=message):
        bl.observers.vision(**options)


def test_questions_without_an_answer_are_refused() -> None:
    vlm = bl.observers.vision(lists=LISTS)
    with pytest.raises(QueryError, match="two concepts"):
        vlm.answers(pictures("nurse", 1), ["helper"])
    with pytest.raises(QueryError, match="no picture"):
        vlm.answers([], ["helper", "expert"])
    with pytest.raises(QueryError, match="by its term"):
        vlm.answers([np.zeros((8, 8, 3), np.uint8)], ["helper", "expert"])
