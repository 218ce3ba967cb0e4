"""Every state of every bench looks right: wide and narrow, light and dark, with every card open."""

from __future__ import annotations

from pathlib import Path

import pytest

import front_end
from biaslab_widgets.benches import BENCHES
from harness.stage import NARROW, WIDE, Stage, state_of
from harness.variants import states

AXE = front_end.JS / "node_modules" / "axe-core" / "axe.min.js"
CUT = "width: 40px; overflow: hidden; white-space: nowrap"
PLANTS = {
    "the page scrolls sideways": "<div style='width: 2000px; height: 1px'></div>",
    "over the edge: p": "<p style='margin-left: -60px'>Left</p>",
    "out of its drawing: text": "<svg width='60'><text x='40' y='15'>Donau</text></svg>",
    "cut, without a title: p": f"<p style='{CUT}; text-overflow: ellipsis'>Donaudampfschiff</p>",
    "wider than its box: p": f"<p style='{CUT}'>Donaudampfschiff</p>",
    "over each other: p": "<p>Under</p><p style='margin-top: -30px'>Over</p>",
    "light, contrast": "<p style='color: light-dark(#bbb, #fff)'>Pale</p>",
    "dark, contrast": "<p style='color: light-dark(#111, #333)'>Dim</p>",
    "contrast 1.0: tspan": """<svg width='60' height='20'><rect width='60' height='20' fill='#123'/>
        <text y='15'><tspan fill='#123'>On it</tspan></text></svg>""",
    "2 headings of the first level": "<h1>Another</h1>",
    "a script in the page: img": "<img alt='x' onerror='1'>",
    "axe image-alt": "<img src='data:,'>",
    "axe aria-required-children": "<div role='listbox' aria-label='Words'><p>None</p></div>",
    "axe aria-valid-attr-value": "<div aria-live='soon'>Text</div>",
    "which lacks its text: button": "<button aria-label='Close'>Shut</button>",
    "moves: p": "<p style='transition: color 1s !important' class='moving'>Moves</p>",
    "a stop without a name: div": "<div tabindex='0' class='nameless'></div>",
    "the focus is not seen on div": "<div tabindex='0' style='outline: 0 !important'>Here</div>",
}
"""What is said of a fault, and what puts it at the end of a bench."""
PLANT = """(bench, html) => {
    bench.querySelector(".planted")?.remove();
    bench.insertAdjacentHTML("beforeend", `<div class="planted">${html}</div>`);
}"""


@pytest.fixture
def looking(stage: Stage) -> Stage:
    """The stage with axe-core, without motion, and after a key: the focus is shown from then on."""
    stage.page.evaluate(f"window.axe ?? (() => {{ {Path(AXE).read_text('utf-8')} }})()")
    stage.still()
    stage.page.keyboard.press("Tab")
    return stage


@pytest.mark.parametrize("bench", [entry.name for entry in BENCHES])
def test_every_state_looks_right(looking: Stage, bench: str) -> None:
    faults: list[str] = []
    for width in (WIDE, NARROW):
        looking.width(width)
        faults += looking.mount(bench).faults(states(bench))
        looking.clear()
    assert faults == [], "\n" + "\n".join(faults)


def test_a_fault_of_each_kind_is_found(looking: Stage) -> None:
    # The page keeps which kinds of elements it has looked at: these are planted once for a page.
    view = looking.mount("word_lists", "one list")
    missed = []
    for fault, html in PLANTS.items():
        view.root.evaluate(PLANT, html)
        found = view.faults({fault: state_of("word_lists", "one list")})
        if not any(fault in one.partition(" px: ")[2] for one in found):
            missed.append((fault, found))
    assert missed == []
