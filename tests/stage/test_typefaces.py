"""The layout of every state holds in the typefaces of usual machines, and in JupyterLab."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from biaslab_widgets.benches import BENCHES
from harness import typefaces
from harness.stage import NARROW, WIDE, Stage
from harness.typefaces import TYPEFACES, WEAR, Typeface
from harness.variants import states

pytestmark = pytest.mark.validate
BENCH = pytest.mark.parametrize("bench", [entry.name for entry in BENCHES])


def faults_of(stage: Stage, bench: str) -> list[str]:
    """What is wrong with the layout of each state, in both widths."""
    faults = []
    for width in (WIDE, NARROW):
        stage.width(width)
        view = stage.mount(bench)
        for name, state in states(bench).items():
            view.take(state)
            found = stage.page.evaluate("n => stage.layout(n)", view.number)
            faults += [f"{name}, {width} px: {fault}" for fault in found]
        stage.clear()
    return faults


@BENCH
@pytest.mark.parametrize("typeface", TYPEFACES[1:], ids=lambda one: one.name)
def test_the_layout_holds_in_every_typeface(stage: Stage, bench: str, typeface: Typeface) -> None:
    stage.still()
    typefaces.load(stage.page, [typeface])
    stage.page.evaluate(WEAR, typeface.name)
    try:
        faults = faults_of(stage, bench)
    finally:
        stage.reload()
    assert faults == [], "\n" + "\n".join(faults)


@BENCH
def test_the_layout_holds_in_the_styles_of_jupyterlab(stage: Stage, bench: str) -> None:
    found = find_spec("jupyterlab")
    assert found is not None
    assert found.origin is not None
    themes = Path(found.origin).parent / "themes" / "@jupyterlab" / "theme-light-extension"
    stage.still()
    stage.page.add_style_tag(content=(themes / "index.css").read_text("utf-8"))
    stage.page.evaluate("document.body.style.removeProperty('--biaslab-font-family')")
    try:
        faults = faults_of(stage, bench)
    finally:
        stage.reload()
    assert faults == [], "\n" + "\n".join(faults)
