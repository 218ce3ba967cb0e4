"""Recorded answers: what is left out of them, and what counts as a difference."""

from __future__ import annotations

from typing import Any

import numpy as np

from biaslab_widgets.benches.posterior.parts import packed
from harness import recording

READS = ("widgets/biaslab_widgets/benches/posterior/parts.py",)


def test_times_and_hashes_are_left_out_and_floats_are_rounded() -> None:
    state = {
        "seconds": 3.2,
        "text": "32 of 32 in 4.81 s",
        "footer": ["observers 3f9a11c2", "seed 1"],
        "values": (0.123456789, -0.0, True, None),
    }
    assert recording.portable(state) == {
        "seconds": 0,
        "text": "32 of 32 in 1 s",
        "footer": ["observers", "seed 1"],
        "values": [0.123457, 0.0, True, None],
    }


def test_what_differs_is_named_by_its_place() -> None:
    kept = {"a": [1.0, {"b": "x"}], "gone": 1}
    told = {"a": [1.00001, {"b": "y"}], "new": 1}
    assert list(recording.differences(kept, told, "bench")) == [
        'bench > a > 1 > b: "x" is now "y"',
        "bench > gone is no longer there",
        "bench > new is not yet there",
    ]
    assert list(recording.differences([1.0], [1.01])) == [" > 0: 1.0 is now 1.01"]
    assert list(recording.differences([1], [1, 2])) == [": [1] is now [1,2]"]


def test_what_is_drawn_may_differ_by_a_little_in_texts_too() -> None:
    kept = {"verdict": ["0.09 to 0.49"], "caveat": "0.09"}
    told = {"verdict": ["0.10 to 0.49"], "caveat": "0.10"}
    found = recording.differences(kept, told, drawn={"verdict": 0.03})
    assert list(found) == [' > caveat: "0.09" is now "0.10"']
    assert list(recording.differences("1 of 2", "1 to 2")) == [': "1 of 2" is now "1 to 2"']


def test_packed_arrays_may_differ_by_a_step_and_no_more() -> None:
    def pack(*values: float) -> dict[str, Any]:
        return {**packed(np.array(values), 0.0, 1000.0)}

    kept = pack(500.0, 1000.0, np.nan)
    assert recording.portable(kept) == kept
    assert not list(recording.differences(kept, pack(500.01, 1000.0, np.nan)))
    (found,) = recording.differences(kept, pack(501.0, 1000.0, np.nan), "lines")
    assert found.startswith("lines > data > 0: 0.5")
    (found,) = recording.differences(kept, pack(500.0, np.nan, np.nan), "lines")
    assert found == "lines > data > 1: 1.0 is now null"
    assert list(recording.differences(kept, pack(500.0, 1000.0)))
