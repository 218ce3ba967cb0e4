"""The frame of a bench, which the app shows first, is as high as the bench that comes after it."""

from __future__ import annotations

import pytest

from biaslab_widgets.app.assets import frame_heights
from biaslab_widgets.benches import BENCHES
from harness.stage import Stage

TOLERANCE_PX = 9
"""Half a line of text: letters are those of the app's own typeface, so lines break alike on all
machines, and only signs that it lacks come from another that is a few pixels higher."""


@pytest.mark.parametrize("bench", [entry.name for entry in BENCHES])
def test_the_frame_is_as_high_as_the_bench(stage: Stage, bench: str) -> None:
    measured = stage.opened_heights(bench)
    expected = pytest.approx(frame_heights(bench), abs=TOLERANCE_PX)
    assert measured == expected, "If that is meant, run `make recorded`."
