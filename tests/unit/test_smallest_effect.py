"""The smallest effect that would show is found in four of five samples."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import biaslab as bl
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.stats.significance import smallest_effect, smallest_effect_of


def test_it_is_the_quantiles_of_level_and_power_in_standard_errors() -> None:
    assert smallest_effect(-1.96, 1.96, 0.95) == pytest.approx(1.96 + 0.8416, abs=1e-3)
    assert smallest_effect(-2.571, 2.571, 0.95, df=5) == pytest.approx(2.571 + 0.9195, abs=1e-3)
    # Ten tests at once, as of Bonferroni.
    assert smallest_effect(-1.96, 1.96, 0.95, tests=10) == pytest.approx(2.807 + 0.8416, abs=1e-3)
    assert np.isnan(smallest_effect([0.1, np.nan], [np.inf, np.nan], 0.95)).all()


@pytest.mark.parametrize("n", [6, 30])
def test_a_mean_of_that_size_is_found_in_four_of_five_samples(n: int) -> None:
    rng = np.random.default_rng(n)
    t = special.stdtrit(n - 1, 0.975)
    effect = smallest_effect(-t / np.sqrt(n), t / np.sqrt(n), 0.95, df=n - 1)
    samples = effect + rng.standard_normal((20_000, n))
    found = samples.mean(axis=1) > t * samples.std(axis=1, ddof=1) / np.sqrt(n)
    assert found.mean() == pytest.approx(0.8, abs=0.02)


@pytest.mark.validate
def test_a_scorer_with_that_bias_is_found_in_four_of_five_samples() -> None:
    """Attributes and frames differ; n = 200, standard error 2.8 points."""
    pairs = [
        SentencePair(
            f"a{i} x{j} s", f"a{i} x{j} t", attribute=f"a{i}", attribute_list="AB"[i % 2],
            groups=("g", "h") if i % 2 else ("h", "g"),
        )
        for i in range(20) for j in range(6)
    ]  # fmt: skip

    def scored(rate: float, seed: int) -> bl.probes.sentences.StereotypeScore:
        scorer = bl.observers.scorer(rate, attribute_sd=0.5, seed=seed)
        return bl.stereotype_score(scorer, sentences=pairs, keep=False, resamples=500, rng=seed)

    smallest = np.median([smallest_effect_of(scored(0.5, seed).interval) for seed in range(100)])
    # The mean rate of attributes whose logits have an SD of 0.5 is nearer to one half.
    rates = np.linspace(0.5, 0.95, 200)
    spread = 0.5 * special.ndtri(np.linspace(0.001, 0.999, 999))
    means = special.expit(special.logit(rates)[:, None] + spread).mean(axis=1)
    rate = float(np.interp(0.5 + smallest, means, rates))
    found = [scored(rate, 10_000 + seed).lean for seed in range(200)]
    assert np.mean(np.equal(found, 1)) == pytest.approx(0.8, abs=0.085)
