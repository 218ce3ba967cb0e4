"""Benches in boxes of a notebook keep the room that they need."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from harness.jupyter_lab import JupyterLab

MADE = (
    "import biaslab as bl\n"
    "from ipywidgets import FloatSlider, HBox, VBox\n"
    "from biaslab_widgets import PsychometricBench\n"
    'subject = bl.observers.embedding(pse={"nurse": 0.6}, jnd=0.05, replicates=8, seed=1)\n'
    'bench = PsychometricBench(subject, word="nurse")'
)


def test_a_bench_in_a_box_in_a_box_can_be_read(lab: JupyterLab, page: Page) -> None:
    boxes = "HBox([bench, VBox([FloatSlider(), bench])])"
    lab.open(page, lab.write_notebook("boxes.ipynb", [MADE, boxes]))
    lab.run_all(page)
    benches = page.get_by_test_id("bench")
    expect(benches).to_have_count(2)
    for bench in benches.all():
        expect(bench).to_have_attribute("data-state", "ready")
        box = bench.bounding_box()
        assert box is not None
        assert box["width"] >= 300
