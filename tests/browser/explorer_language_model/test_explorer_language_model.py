"""A language model in the explorer: its numbers, its frames, and what it has of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

import biaslab as bl
from harness.explorer import Explorer, Shown, says
from harness.heavy import pd
from harness.model_explorer_hosts import Host
from harness.needs import needs

pytestmark = needs("torch", "transformers")


def wrong(shown: Shown, result: bl.TwoAFCResult) -> list[str]:
    """What the screen says otherwise than the result."""
    word = result.items[0]
    found = []
    if (shown.verdict, shown.caveat) != (result.verdict(word), result.caveat(word)):
        found.append(f"words: {shown.verdict!r} {shown.caveat!r}")
    pse, jnd = float(result.pse[0]), float(result.jnd[0])
    ends = result.pooled.corpus[0].tolist()
    if shown.pse != pytest.approx(pse, abs=1e-6) or not says(shown.pse_text, 100 * pse):
        found.append(f"PSE {shown.pse_text}, {pse}")
    if shown.jnd != pytest.approx(jnd, abs=1e-6) or not says(shown.jnd_text, 100 * jnd):
        found.append(f"JND {shown.jnd_text}, {jnd}")
    if list(shown.corpus) != pytest.approx(ends, abs=1e-6):
        found.append(f"interval {shown.corpus}, {ends}")
    second = float(result.responses([shown.alpha], item=word).sum())
    rows = result.answers.shape[0] * result.answers.shape[2]
    if shown.counts != pytest.approx((rows - second, second), abs=0.051):
        found.append(f"counts {shown.counts}, {second}")
    for index, (value, _) in shown.chips.items():
        switch = float(result.switch[:, 0].ravel()[index])
        switch = switch if np.isfinite(switch) else np.nan
        if value != pytest.approx(switch, abs=0.0051, nan_ok=True):
            found.append(f"chip {index}: {value}, {switch}")
    if shown.rows != rows:
        found.append(f"{shown.rows} rows")
    return found


@pytest.mark.both_hosts
def test_the_screen_says_what_the_result_says(host: Host) -> None:
    explorer = host.show()
    result = host.result(explorer)
    assert result.pse[0] == pytest.approx(0.62, abs=0.03)
    assert wrong(explorer.shown(), result) == []

    explorer.part("curve-logistic").check()
    explorer.part("jnd-select").select_option("sd")
    explorer.settle()
    assert wrong(explorer.shown(), host.result(explorer, curve="logistic", jnd="sd")) == []

    explorer.type_word("engineer")
    explorer.settle()
    again = host.result(explorer, "engineer", curve="logistic", jnd="sd")
    assert again.pse[0] == pytest.approx(0.4, abs=0.03)
    assert wrong(explorer.shown(), again) == []

    explorer.slide("replicates", 6)
    explorer.settle()
    fewer = host.result(explorer, "engineer", curve="logistic", jnd="sd", observers=6)
    assert wrong(explorer.shown(), fewer) == []


def test_a_drag_of_the_stimulus_counts_graded_answers(host: Host) -> None:
    explorer = host.show()
    x, y = explorer.handle_centre()
    mouse = host.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 120, y, steps=6)
    mouse.up()
    explorer.settle()
    shown = explorer.shown()
    assert shown.alpha > 0.55
    assert wrong(shown, host.result(explorer)) == []


def test_a_row_is_a_frame_and_is_read_in_words(host: Host) -> None:
    explorer = host.show()
    result = host.result(explorer)
    explorer.part("raw-chip").nth(3).hover()
    readout = explorer.part("readout")
    expect(readout).to_contain_text("Frame 4")
    expect(explorer.part("frame")).to_have_text(result.observer_names[3])
    share = float(result.responses([0.5], item="nurse")[3, 0, 0])
    expect(readout).to_contain_text(f"P(man) {share:.3f}")
    expect(explorer.part("own-noise")).to_contain_text("probabilities of its own")
    expect(explorer.part("own-scoring")).to_be_visible()
    expect(explorer.part("noise")).to_have_count(0)


def test_an_unknown_word_is_told_and_marked(host: Host) -> None:
    explorer = host.show()
    before = explorer.shown()
    explorer.type_word("zoologist")
    expect(explorer.part("unknown")).to_contain_text("has no token for")
    explorer.type_word("nurse")
    explorer.settle()
    assert explorer.shown().verdict == before.verdict


def test_the_raw_responses_are_exported_with_their_frames(host: Host) -> None:
    explorer: Explorer = host.show()
    with host.page.expect_download() as arriving:
        explorer.part("export-json").click()
    text = Path(arriving.value.path()).read_text(encoding="utf-8")
    result = bl.TwoAFCResult.from_json(text)
    frame = result.responses_frame()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == 20 * 21
    assert frame["frame"].nunique() == 20
    assert result.answers == pytest.approx(host.result(explorer).answers, abs=1e-5)
