"""To which side of its neutral value an interval lies."""

from __future__ import annotations

import pytest

from biaslab.probes.leaning import lean
from biaslab.records.result import Interval

pytestmark = pytest.mark.numeric


@pytest.mark.parametrize("neutral", [0.5, 0.0])
def test_an_interval_without_width_leans_nowhere_by_rounding(neutral: float) -> None:
    for away in (0, 1e-16, -1e-16, 3e-10, -3e-10):
        assert lean(Interval(neutral + away, neutral + away, 0.95, "made"), neutral) == 0


def test_other_intervals_lean_to_their_side() -> None:
    assert lean(Interval(0.5001, 0.6, 0.95, "made")) == 1
    assert lean(Interval(0.4, 0.4999, 0.95, "made")) == -1
    assert lean(Interval(0.4, 0.6, 0.95, "made")) == 0
