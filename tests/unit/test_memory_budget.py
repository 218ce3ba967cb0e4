"""What requests hold is counted in one budget, and what is over is refused before it is there."""

from __future__ import annotations

import gc
import tracemalloc

import pytest

import biaslab as bl
from biaslab.errors import MemoryBudgetError, PosteriorError, QueryError
from biaslab.jobs.memory import MEMORY, MemoryBudget
from biaslab.probes.posterior import plan
from biaslab.probes.posterior.size import bytes_of_draws, largest_run
from biaslab_widgets.benches.posterior.bench import PosteriorController
from biaslab_widgets.core.subjects.sources import classifier_sources
from harness.emitted import Emitted


def test_a_person_has_a_share_and_all_have_a_total() -> None:
    budget = MemoryBudget(100, 60)
    first = budget.hold(60, "anna")
    with pytest.raises(MemoryBudgetError, match="left for you on this server") as refusal:
        first.grow(1)
    assert refusal.value.free == 0
    assert first.size == budget.of("anna") == 60
    with pytest.raises(MemoryBudgetError, match="left for everybody together"):
        budget.hold(41, "ben")
    with budget.hold(40, "ben"):
        assert budget.size == 100
    first.resize(10)
    assert budget.free("anna") == 50
    assert budget.free("ben") == 60


def test_what_nobody_refers_to_is_given_back() -> None:
    budget = MemoryBudget(100)
    held = budget.hold(100, "anna")
    held_by_itself = [held]
    held_by_itself.append(held_by_itself)  # type: ignore[arg-type]  # a circle, as sessions are
    del held, held_by_itself
    gc.collect()
    assert budget.size == 0
    assert budget.hold(100, "ben").size == 100


@pytest.mark.parametrize("chains", [2, 64, 1024])
def test_the_largest_run_that_is_named_fits(chains: int) -> None:
    for size in (5_000, 1_000_000, 123_456_789):
        most_chains, draws = largest_run(size, chains, 100)
        assert most_chains <= chains
        assert bytes_of_draws(most_chains, draws, 100) <= size or most_chains == 1


def test_python_refuses_draws_that_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "free_memory", lambda _: 10_000_000)
    with pytest.raises(PosteriorError, match="At most 1,024 chains with"):
        bl.sample_posterior("imdb-sentiment", chains=1024, draws=20_000)


def test_a_run_that_does_not_fit_is_refused_before_it_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench = PosteriorController(classifier_sources("imdb-sentiment"), Emitted())
    before = MEMORY.size
    monkeypatch.setattr(MEMORY, "_most", 20_000_000)
    bench.change({"chains": 1024, "draws": 20_000})
    tracemalloc.start()
    try:
        with pytest.raises(QueryError, match=r"20 MB are left .* At most .* fit"):
            bench.start()
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()
        bench.close()
    assert MEMORY.size == before
