from __future__ import annotations

import json

import biaslab as bl
from harness.needs import needs

pytestmark = needs("ipywidgets")


def test_the_state_of_a_bench_with_a_zero_vector_is_strict_json() -> None:
    from ipywidgets.widgets.widget import _remove_buffers

    from biaslab_widgets import PsychometricBench

    vectors = {"she": [0.1, 0.9], "he": [0.9, 0.1], "nurse": [0.2, 0.8], "nothing": [0, 0]}
    bench = PsychometricBench(bl.load(vectors), word="nothing", pairs=[("she", "he")])
    state, *_ = _remove_buffers(bench.get_state())
    assert "nothing" in json.dumps(state, allow_nan=False)
