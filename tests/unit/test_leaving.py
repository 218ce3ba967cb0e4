"""A job that is cancelled in the middle of a long step leaves it there."""

from __future__ import annotations

from typing import Any

import pytest

import biaslab as bl
from biaslab.threads import cores as threads
from harness.cancelled import Cancelled
from harness.heavy import torch
from harness.needs import needs

pytestmark = needs("torch", "pyro")


def counted(cancelled: Cancelled) -> bl.subjects.Classifier:
    """A classifier that counts how often it is asked."""

    class Counted(bl.subjects.Classifier):
        content_hash = "counted"

        def _logits(self, points: Any) -> Any:
            cancelled.step()
            return torch.stack([torch.zeros(len(points)), points.sum(dim=1)], dim=-1)

    return Counted(labels=("negative", "positive"), dim=3, name="counted")


@pytest.mark.parametrize("engine", ["vectorised", "nuts", "exact", "choices"])
@pytest.mark.parametrize("probe", [bl.sample_posterior, bl.posterior.overview])
@pytest.mark.parametrize("at", [30, 200])
def test_a_sampler_asks_nothing_more(engine: str, probe: Any, at: int) -> None:
    cancelled = Cancelled(at)
    stages = {"chains": 64, "draws": 100_000}
    cancelled.run(probe, counted(cancelled), engine=engine, **stages)
    assert cancelled.steps == at


def test_nobody_reads_the_draws_of_one_label_when_the_other_is_cancelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from biaslab.probes.posterior import overview_probe as overview

    cancelled = Cancelled(1)

    def hook(label: str, _live: Any) -> None:
        if label == "negative":
            cancelled.step()

    monkeypatch.setattr(overview, "posterior_plane", lambda *_: pytest.fail("it was read"))
    observer = bl.observers.classifier(dim=2)
    cancelled.run(bl.posterior.overview, observer, chains=2, draws=50, hook=hook)


@pytest.mark.parametrize("numbers", [0, 10**9])
def test_work_that_is_spread_goes_no_further(numbers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_cores", lambda: 2)
    cancelled = Cancelled(3)
    cancelled.run(threads.spread, lambda _: cancelled.step(), 1000, numbers)
    assert cancelled.steps <= 4  # the other thread may have been at its own


@pytest.fixture(scope="module")
def exact() -> Any:
    """The distance model of one embedding."""
    return bl.distance_model(bl.load("wiki-bootstraps").replicate(0), "manzini-religion")


def test_a_draw_of_a_distance_model_is_left(exact: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("arviz")
    from biaslab.probes.association.nuts_engine import Units

    cancelled, potential = Cancelled(50), Units.potential

    def stepping(self: Units, params: Any) -> Any:
        cancelled.step()
        return potential(self, params)

    monkeypatch.setattr(Units, "potential", stepping)
    cancelled.run(bl.distance_model, exact.table, engine="nuts")
    assert cancelled.steps == 50


def test_leaving_distances_out_is_left(exact: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    az = pytest.importorskip("arviz")
    cancelled, loo = Cancelled(2), az.loo

    def stepping(*args: Any, **options: Any) -> Any:
        cancelled.step()
        return loo(*args, **options)

    monkeypatch.setattr(az, "loo", stepping)
    cancelled.run(bl.association.model_scores, {exact.model: exact})
    assert cancelled.steps == 2
