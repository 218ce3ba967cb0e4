"""Without lapses, position and several cues, gaps are those of a logistic regression."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from biaslab.stats.decisions.answers import DecisionAnswers
from biaslab.stats.decisions.fit import fit_decisions
from biaslab.stats.decisions.model import Slopes
from harness.deferred import Deferred

sm = Deferred("statsmodels.api")

SIZE = 20000


@pytest.mark.parametrize("slopes", ["shared", "free"])
def test_the_gap_and_its_error_are_those_of_statsmodels(slopes: Slopes) -> None:
    rng = np.random.default_rng(0)
    group = np.arange(SIZE) % 2
    # No level comes twice, so that no question shows an effect of its own.
    level = rng.uniform(0, 16, SIZE)
    z = 0.9 * np.where(group == 1, 1.3, 1.0) * (level - 6 - 2 * group)
    yes = (rng.random(SIZE) < expit(z)).astype(float)
    one, zero = np.ones(SIZE), np.zeros(SIZE, dtype=int)
    data = DecisionAnswers(level, yes, one, 0 * one, group, group, zero, 0.5 * one)
    fit = fit_decisions(data, lapses="none", slopes=slopes, position="none")
    columns = [group == 0, group == 1]
    columns += [level] if slopes == "shared" else [level * (group == 0), level * (group == 1)]
    glm = sm.GLM(yes, np.column_stack(columns).astype(float), family=sm.families.Binomial()).fit()
    steep = glm.params[[2, 2]] if slopes == "shared" else glm.params[2:]
    pse = -glm.params[:2] / steep
    np.testing.assert_allclose(fit.pse, pse, atol=0.01)
    by = np.zeros((2, len(glm.params)))
    by[[0, 1], [0, 1]] = -1 / steep
    by[[0, 1], [2, 2] if slopes == "shared" else [2, 3]] = -pse / steep
    error = float(np.sqrt((by[1] - by[0]) @ glm.cov_params() @ (by[1] - by[0])))
    assert np.ptp(fit.gap_interval()) == pytest.approx(2 * 1.96 * error, rel=0.03)
    if slopes == "free":
        assert fit.slope_ratio()[0] == pytest.approx(steep[1] / steep[0], rel=0.01)
