"""The power curve recommends blocks at which observers get their true rating."""

from __future__ import annotations

import pytest

import biaslab as bl
from biaslab.errors import RatingError
from biaslab.probes.rating import RatingDesign, power_curve, simulate
from biaslab.probes.rating.power import PowerCurve, PowerPoint

DESIGN = RatingDesign.make()
SIZES = (10, 15, 20, 30, 40, 60, 80, 120)


@pytest.mark.parametrize(
    ("behaviour", "noise", "size"),
    [
        ("faithful", 0.0, 15),
        ("always-he", 0.0, 10),
        pytest.param("always-he", 0.1, 10, marks=pytest.mark.validate),
        ("compensating", 0.0, 20),
        ("erasing", 0.0, 10),
        pytest.param("noisy", None, 60, marks=pytest.mark.validate),
        pytest.param("compensating", 0.1, 80, marks=pytest.mark.validate),
    ],
)
def test_observers_are_right_in_95_of_100_at_the_recommended_size(
    behaviour: str, noise: float | None, size: int
) -> None:
    """The size is that of docs/benches/rating.md. Experiments have a seed of their own."""
    observer = bl.observers.service(behaviour, noise=noise)
    sizes = SIZES[: SIZES.index(size) + 2]
    # Without noise, all experiments of a size come out alike.
    simulated, tried = (100, 20) if noise == 0 else (400, 1000)
    curve = power_curve(observer, DESIGN, sizes=sizes, experiments=simulated)
    assert curve.recommended == size
    fresh = simulate(observer, DESIGN.with_texts(size), tried, rng=99)
    assert fresh.share(observer.rating, "shown") >= 0.95


def test_too_few_texts_are_said_to_be_too_few() -> None:
    curve = power_curve(bl.observers.service("noisy"), DESIGN, sizes=(10, 20), experiments=100)
    assert curve.recommended is None
    assert "95 % need more" in curve.summary()
    assert [point.calls for point in curve.points] == [30, 60]
    through = power_curve(bl.observers.service(), RatingDesign.paper(), sizes=(20,), experiments=20)
    assert through.points[0].calls == 960  # 60 texts, 8 languages, there and back


def test_an_open_rating_is_neither_right_nor_wrong() -> None:
    """With much noise and few texts it stays open whether a service is biased; BS is the worst."""
    biased = bl.observers.service("always-he", noise=0.4)
    simulated = simulate(biased, DESIGN.with_texts(10), 200)
    (point,) = power_curve(biased, DESIGN, sizes=(10,), experiments=200).points
    assert simulated.share("BS") > simulated.share("BS", "shown") == point.right
    assert 0.1 < point.open < 0.9
    assert point.right + point.open == pytest.approx(1, abs=0.1)


def test_a_size_is_recommended_only_if_all_larger_ones_do_too() -> None:
    shares = ((10, 0.99), (20, 0.7), (30, 0.97), (40, 0.99))
    points = tuple(PowerPoint(n, 3 * n, p, p - 0.01, p, p, 1 - p) for n, p in shares)
    curve = PowerCurve("s", bl.observers.service().rating, 0.95, 1000, points)
    assert curve.recommended == 30


def test_a_result_is_simulated_from_what_was_seen() -> None:
    result = bl.rate(bl.observers.service("noisy"), RatingDesign.make(texts=40), keep=False)
    curve = power_curve(result, sizes=(20, 80), experiments=100)
    assert curve.truth == "DSBS"
    assert curve.points[0].right < curve.points[1].right
    assert curve.points[1].right > 0.9
    lost = bl.rate(bl.observers.service("erasing"), DESIGN, keep=False)
    assert power_curve(lost, sizes=(20,), experiments=20).truth == "not rateable"


def test_blocks_below_the_minimum_do_not_find_that_a_service_is_not_rateable() -> None:
    """Five texts with ten mentions are not rateable whatever the service is."""
    curve = power_curve(bl.observers.service("erasing"), DESIGN, sizes=(5, 10), experiments=100)
    assert [point.right for point in curve.points] == [0, 1]
    assert [point.paper for point in curve.points] == [0, 0]
    assert curve.recommended == 10


def test_calls_of_a_result_are_those_of_its_chains() -> None:
    """Through Catalan into Italian and back are four calls a text."""
    way = bl.services.Composite(*[lambda text: text] * 4)
    result = bl.rate(way, DESIGN, keep=False)
    curve = power_curve(result, sizes=(20,), experiments=20)
    assert curve.points[0].calls == 4 * 60


def test_no_size_is_refused() -> None:
    with pytest.raises(RatingError, match="block sizes"):
        power_curve(bl.observers.service(), sizes=())


def test_simulated_ratings_are_those_of_the_probe() -> None:
    for behaviour in ("faithful", "always-she", "erasing"):
        observer = bl.observers.service(behaviour)
        (probed,) = bl.rate(observer, DESIGN, keep=False).ratings
        simulated = simulate(observer, DESIGN, 20, probabilities=True)
        assert simulated.counts() == {str(probed.corrected): 20}
        assert simulated.counts("paper") == {str(probed.paper): 20}
        if probed.probabilities:
            assert simulated.probabilities.sum(1) == pytest.approx([1] * 20)
