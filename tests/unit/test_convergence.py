"""When chains count as converged: many quantities at once, and never from one chain."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biaslab.probes.posterior import Agreement, Diagnostics, diagnose
from biaslab.probes.posterior.diagnostics import doubts
from biaslab.stats.chains import RHAT, rhat_limit

DIM = 100


def walks(
    chains: int, draws: int, memory: float, rng: np.random.Generator, dim: int = DIM
) -> np.ndarray:
    """Stationary autoregressive chains of independent quantities, shape (chains, draws, dim)."""
    x = rng.standard_normal((chains, draws, dim))
    x[:, 1:] *= np.sqrt(1 - memory**2)
    for t in range(1, draws):
        x[:, t] += memory * x[:, t - 1]
    return x


def diagnosed(x: np.ndarray) -> Diagnostics:
    return diagnose(x, x[:, :, 0], (x**2).mean(axis=2))


def test_of_one_quantity_the_limit_is_that_of_vehtari_and_others() -> None:
    for chains in (1, 2, 4, 64, 1024):
        assert rhat_limit(1, chains) == RHAT


def test_it_grows_with_the_number_of_quantities_and_stays_close() -> None:
    for chains in (4, 64):
        limits = [rhat_limit(q, chains) for q in (1, 3, 10, 102, 1000)]
        assert limits == sorted(limits)
        assert limits[-1] < 1.025
    assert rhat_limit(102, 64) == pytest.approx(1.012)
    assert rhat_limit(102, 4) == pytest.approx(1.018)


@pytest.mark.parametrize(
    ("chains", "draws", "memory", "runs"), [(4, 800, 0.6, 8), (64, 150, 0.3, 3)]
)
def test_converged_chains_of_a_hundred_quantities_are_trusted(
    chains: int, draws: int, memory: float, runs: int
) -> None:
    rng = np.random.default_rng(1)
    found = [diagnosed(walks(chains, draws, memory, rng)) for _ in range(runs)]
    trusted = [not doubts(one, 0) for one in found]
    assert sum(trusted) >= runs - 1
    # The limit of one quantity would refuse most of the runs of four chains.
    if chains == 4:
        assert sum(one.largest_rhat < RHAT for one in found) < runs / 2


@pytest.mark.parametrize("chains", [4, 64])
def test_quantities_of_a_hundred_that_have_not_converged_are_found(chains: int) -> None:
    """Each for itself: the limit is that of a hundred, whatever the others are."""
    x = walks(chains, 3200 // chains + 100, 0.3, np.random.default_rng(0))
    x[0, :, 7] += 3 if chains > 4 else 0.6  # one chain elsewhere
    x[:, :, 17] += np.linspace(-0.5, 0.5, x.shape[1])  # still moving
    x[: chains // 2, :, 27] += 5  # two modes
    x[: chains // 4, :, 37] *= 3  # some chains wider
    found = diagnosed(x)
    apart = [name for name in found.names if found.of(name)["rhat"] >= found.rhat_limit]
    assert set(apart) - {"logit", "|s|²"} == {"s_7", "s_17", "s_27", "s_37"}
    assert doubts(found, 0)[0].startswith("chains still disagree about ")


@pytest.mark.parametrize(
    ("chains", "begins"),
    [
        (1, "one chain cannot show that it missed a mode, so it has no R-hat: run 4 or more"),
        (3, "3 chains may all have missed a mode: run 4 or more"),
    ],
)
def test_few_chains_are_never_trusted(chains: int, begins: str) -> None:
    found = diagnosed(walks(chains, 4000, 0.0, np.random.default_rng(0), dim=3))
    assert doubts(found, 0) == [begins]
    assert doubts(found, 0, independent=True) == []


def test_one_chain_has_no_rhat_and_the_rest_of_its_diagnostics() -> None:
    found = diagnosed(walks(1, 4000, 0.0, np.random.default_rng(0), dim=3))
    assert np.isnan(found.rhat).all()
    assert np.isnan(found.largest_rhat)
    assert found.smallest_bulk > 3000


def test_draws_that_differ_from_exact_ones_are_doubted() -> None:
    found = diagnosed(walks(4, 2000, 0.0, np.random.default_rng(0), dim=3))
    same = Agreement(found.names, np.array([0.3, -1.2, 0.1, np.nan, 3.9]))
    assert doubts(found, 0, exact=same) == []
    apart = Agreement(found.names, np.array([0.3, -1.2, 55.2, np.nan, 3.9]))
    assert doubts(found, 0, exact=apart) == [
        "exact draws disagree about s_0, by 55.2 Monte Carlo standard errors (at most 4 are chance)"
    ]


def test_what_is_too_large_looks_so() -> None:
    found = diagnosed(walks(4, 900, 0.3, np.random.default_rng(0), dim=3))
    limit = found.rhat_limit
    found = replace(found, rhat=np.where(np.arange(5) == 3, limit + 1e-6, found.rhat))
    assert f"(R-hat {limit + 0.001:.3f}; should be below {limit:.3f})" in doubts(found, 0)[0]
