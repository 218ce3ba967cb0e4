"""Bliss's beetles against the published probit, logit and complementary log-log fits.

Bliss (1935): beetles killed by five hours of carbon disulphide at eight log doses, a standard
example of textbooks on generalised linear models, which print the coefficients and deviances.
"""

from __future__ import annotations

import numpy as np
import pytest

from biaslab.stats.psychometric import fit

LOG_DOSE = [1.6907, 1.7242, 1.7552, 1.7842, 1.8113, 1.8369, 1.8610, 1.8839]
BEETLES = [59, 60, 62, 56, 63, 59, 62, 60]
KILLED = [6, 13, 18, 28, 52, 53, 61, 60]
# Intercept and slope of z, and deviance on 6 degrees of freedom, to the digits printed.
PUBLISHED = {
    "normal": (-34.935, 19.728, 10.120),
    "logistic": (-60.717, 34.270, 11.232),
    "gumbel": (-39.572, 22.041, 3.446),
}


@pytest.mark.parametrize("family", PUBLISHED)
def test_beetles(family):
    intercept, slope, deviance = PUBLISHED[family]
    found = fit(LOG_DOSE, KILLED, BEETLES, family=family)
    assert found.converged
    assert -found.location / found.scale == pytest.approx(intercept, abs=1e-3)
    assert 1 / found.scale == pytest.approx(slope, abs=1e-3)
    assert found.deviance == pytest.approx(deviance, abs=6e-4)
    assert found.df == 6


def test_doses_on_their_own_scale_make_the_gumbel_fit_a_weibull_one():
    doses = 10 ** np.array(LOG_DOSE)
    weibull = fit(doses, KILLED, BEETLES, family="weibull")
    gumbel = fit(LOG_DOSE, KILLED, BEETLES, family="gumbel")
    assert weibull.deviance == pytest.approx(float(gumbel.deviance), abs=1e-8)
    assert weibull.pse() == pytest.approx(10 ** float(gumbel.pse()))


def test_published_standard_errors_of_the_logit_fit():
    """The printed standard errors are 5.181 (intercept) and 2.912 (slope)."""
    found = fit(LOG_DOSE, KILLED, BEETLES)
    location, scale = float(found.location), float(found.scale)
    slope_by = np.array([0, -1 / scale**2])
    intercept_by = np.array([-1 / scale, location / scale**2])
    block = found.covariance[:2, :2]
    assert np.sqrt(slope_by @ block @ slope_by) == pytest.approx(2.912, abs=2e-3)
    assert np.sqrt(intercept_by @ block @ intercept_by) == pytest.approx(5.181, abs=2e-3)
