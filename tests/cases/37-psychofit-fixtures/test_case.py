from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from biaslab.stats.psychometric import fit

CONTRASTS = 10 ** np.linspace(-4, -1, 8)
LEVELS = np.arange(-50.0, 50.0, 10.0)


@pytest.mark.numeric
@pytest.mark.parametrize(
    ("shares", "rates", "threshold", "slope", "lapse", "log_likelihood"),
    [
        (
            [0.5125, 0.35, 0.5625, 0.5375, 0.8875, 0.8875, 0.9125, 0.8625],
            {"guess": 0.5, "lapse": "free"},
            *(0.0034045, 3.9029162, 0.1119576, -334.1149693),
        ),
        (
            [0.125, 0.1125, 0.1375, 0.4, 0.8125, 0.9, 0.925, 0.875],
            {"guess": "free", "lapse": "equal"},
            *(0.00316341, 1.72552866, 0.1032307, -261.2351786),
        ),
    ],
    ids=["two alternatives", "one rate"],
)
def test_weibull_estimates_are_psychofits(
    shares: list[float],
    rates: dict[str, Any],
    threshold: float,
    slope: float,
    lapse: float,
    log_likelihood: float,
) -> None:
    hits = np.round(80 * np.array(shares))
    fitted = fit(CONTRASTS, hits, np.full(8, 80), family="weibull", rate_prior=1, **rates)
    assert math.exp(fitted.location) == pytest.approx(threshold, abs=1e-5)
    assert 1 / fitted.scale == pytest.approx(slope, abs=1e-4)
    assert fitted.lapse == pytest.approx(lapse, abs=1e-5)
    assert fitted.loglik == pytest.approx(log_likelihood, abs=1e-4)


@pytest.mark.numeric
@pytest.mark.parametrize(
    ("shares", "lapse", "log_likelihood"),
    [
        ([0.175, 0.225, 0.35, 0.275, 0.725, 0.9, 0.925, 0.975, 1.0, 1.0], "free", -147.0238),
        ([0.1, 0.125, 0.25, 0.15, 0.6, 0.65, 0.75, 0.9, 0.9, 0.85], "equal", -193.0509),
    ],
)
def test_an_unbounded_slope_is_at_least_as_likely(
    shares: list[float], lapse: str, log_likelihood: float
) -> None:
    hits, options = np.round(40 * np.array(shares)), {"guess": "free", "rate_prior": 1}
    fitted = fit(LEVELS, hits, np.full(10, 40), family="normal", lapse=lapse, **options)
    assert fitted.loglik >= log_likelihood
