"""Both engines of the distance models agree, and their intervals cover what they say."""

from __future__ import annotations

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import JobCancelledError
from biaslab.jobs.context import reporting_to
from biaslab.probes.association import nuts_engine
from biaslab.stats.chains import hpdi
from harness.distance_truth import GENDER, RACE, RACE_REDDIT, WEAT, Design, coverage, small_table
from harness.needs import needs
from harness.watched_context import Watched

needs_pyro = needs("pyro", "arviz")


@needs_pyro
@pytest.mark.parametrize(
    ("model", "warmup"),
    [
        ("pooled", 60),
        pytest.param("per-word", 250, marks=pytest.mark.validate),
        pytest.param("crossed", 250, marks=pytest.mark.validate),
        pytest.param("crossed-equal", 250, marks=pytest.mark.validate),
    ],
)
def test_both_engines_agree(model: str, warmup: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nuts_engine, "CHAINS", 2)
    monkeypatch.setattr(nuts_engine, "WARMUP", warmup)
    table = small_table()
    slow = bl.distance_model(table, model=model, engine="nuts", draws=200, rng=3)  # type: ignore[arg-type]
    fast = bl.distance_model(table, model=model, draws=20_000)  # type: ignore[arg-type]
    assert slow.diagnostics["R-hat"] < 1.1
    assert slow.diagnostics["divergences"] <= 2
    effective = slow.diagnostics["ESS bulk"]
    assert effective > 40
    for a, b in zip(slow.contrasts, fast.contrasts, strict=True):
        assert a.name == b.name
        # Four standard errors of the mean. The ends of the narrowest interval move more: a normal
        # density is nearly as narrow a little to the left or right.
        error = b.sd / np.sqrt(effective)
        assert abs(a.mean - b.mean) < 4 * error
        assert abs(a.interval.low - b.interval.low) < 16 * error
        assert abs(a.interval.high - b.interval.high) < 16 * error
    held = np.isfinite(fast.means)
    spread = fast.draws["cells"][:, held].std(axis=0)
    gap = np.abs(slow.means - fast.means)[held]
    assert (gap < 4.5 * spread / np.sqrt(effective)).all()
    word = np.abs(slow.draws["word"].mean(axis=0) - fast.draws["word"].mean(axis=0))
    assert (word < 4.5 * fast.draws["word"].std(axis=0) / np.sqrt(effective)).all()
    for name, (mean, low, high) in fast.spreads.items():
        assert abs(slow.spreads[name][0] - mean) < 4 * (high - low) / np.sqrt(effective)


@needs_pyro
def test_nuts_tells_its_progress_can_be_stopped_and_leaves_the_random_state(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import torch

    monkeypatch.setattr(nuts_engine, "CHAINS", 2)
    monkeypatch.setattr(nuts_engine, "WARMUP", 250)
    threads = torch.get_num_threads()
    before = torch.random.get_rng_state(), np.random.get_state()[1].tolist()  # noqa: NPY002
    enough = JobCancelledError("enough")
    context = Watched(lambda so_far: so_far.done[-1:] == [5], enough)
    with pytest.raises(JobCancelledError), reporting_to(context):
        bl.distance_model(small_table(), model="pooled", engine="nuts", draws=200)
    assert context.done[-1] == 5
    assert {total for _, total, _ in context.reports} == {2 * (250 + 100)}
    assert all(message.startswith("NUTS, ") for *_, message in context.reports)
    assert torch.get_num_threads() == threads
    assert torch.equal(before[0], torch.random.get_rng_state())
    assert before[1] == np.random.get_state()[1].tolist()  # noqa: NPY002


def test_a_table_with_a_missing_pair_is_fitted_as_it_is() -> None:
    found = bl.distance_model(small_table())
    assert found.table.n == 47
    assert found.contrast("none", "associated").mean == pytest.approx(0.3, abs=0.15)


@pytest.mark.validate
@pytest.mark.parametrize("design", [GENDER, RACE, RACE_REDDIT], ids=lambda design: design.name)
def test_intervals_cover_where_kinds_of_words_spread_differently(design: Design) -> None:
    """The authors' spreads; one SD for all kinds gives 77 to 84 %."""
    share = coverage(design, "crossed", "crossed", 400, seed=7)
    assert (share > 0.85).all()
    assert (share < 0.94).all()
    equal = coverage(design, "crossed", "crossed-equal", 400, seed=7)
    assert equal[-1] <= min(0.86, share[-1] - 0.02)


@pytest.mark.parametrize("model", ["pooled", "per-word", "crossed"])
def test_intervals_cover_their_models_own_truth(model: str) -> None:
    """150 simulations: 89 % give 0.89 with a standard error of 0.026."""
    share = coverage(WEAT, model, model, 150, seed=7)  # type: ignore[arg-type]
    assert (share > 0.81).all()
    assert (share < 0.97).all()


def test_the_papers_model_covers_too_little_where_attribute_words_differ() -> None:
    share = coverage(WEAT, "crossed", "pooled", 150, seed=7)
    assert (share < 0.81).all()


def test_drawn_intervals_of_the_exact_engine_do_not_depend_on_the_grid() -> None:
    table = small_table(4)
    one = bl.distance_model(table, draws=20_000, rng=1)
    two = bl.distance_model(table, draws=20_000, rng=2)
    for name, (mean, low, high) in one.spreads.items():
        other = two.spreads[name]
        assert abs(other[0] - mean) < 0.05 * (high - low)
    ends = [hpdi(r.draws["connection"], 0.89) for r in (one, two)]
    assert np.abs(ends[0] - ends[1]).max() < 0.1 * np.ptp(ends[0], axis=1).max()
