"""A language model in the psychometric bench: its numbers, its frames, its own controls."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

import biaslab as bl
from harness.heavy import pd
from harness.needs import needs
from harness.psychometric import PsychometricPage, Shown, says
from harness.psychometric_model_hosts import Host

pytestmark = needs("torch", "transformers")


def wrong(shown: Shown, result: bl.probes.psychometrics.TwoAFCResult) -> list[str]:
    """What the screen says otherwise than the result."""
    word = result.items[0]
    found = []
    if (shown.verdict, shown.caveat) != (" ".join(result.verdict(word)), result.caveat(word)):
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


def test_the_screen_says_what_the_result_says(host: Host) -> None:
    bench = host.show()
    result = host.result(bench)
    assert result.pse[0] == pytest.approx(0.62, abs=0.03)
    assert wrong(bench.shown(), result) == []

    bench.part("curve-logistic").check()
    bench.part("jnd-select").select_option("sd")
    bench.settle()
    assert wrong(bench.shown(), host.result(bench, curve="logistic", jnd="sd")) == []

    bench.type_word("engineer")
    bench.settle()
    again = host.result(bench, "engineer", curve="logistic", jnd="sd")
    assert again.pse[0] == pytest.approx(0.4, abs=0.03)
    assert wrong(bench.shown(), again) == []

    bench.slide("replicates", 6)
    bench.settle()
    fewer = host.result(bench, "engineer", curve="logistic", jnd="sd", observers=6)
    assert wrong(bench.shown(), fewer) == []


def test_a_drag_of_the_stimulus_counts_graded_answers(host: Host) -> None:
    bench = host.show()
    x, y = bench.handle_centre()
    mouse = host.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 120, y, steps=6)
    mouse.up()
    bench.settle()
    shown = bench.shown()
    assert shown.alpha > 0.55
    assert wrong(shown, host.result(bench)) == []


def test_a_row_is_a_frame_and_is_read_in_words(host: Host) -> None:
    bench = host.show()
    result = host.result(bench)
    bench.part("raw-chip").nth(3).hover()
    readout = bench.part("readout")
    expect(readout).to_contain_text("Frame 4")
    expect(bench.part("frame")).to_have_text(result.observer_names[3])
    share = float(result.responses([0.5], item="nurse")[3, 0, 0])
    expect(readout).to_contain_text(f"P(man) {share:.3f}")
    expect(bench.part("own-noise")).to_contain_text("probabilities of its own")
    expect(bench.part("own-scoring")).to_be_visible()
    expect(bench.part("noise")).to_have_count(0)


def test_an_unknown_word_is_told_and_marked(host: Host) -> None:
    bench = host.show()
    before = bench.shown()
    bench.type_word("zoologist")
    expect(bench.part("unknown")).to_contain_text("has no token for")
    bench.type_word("nurse")
    bench.settle()
    assert bench.shown().verdict == before.verdict


def test_the_raw_responses_are_exported_with_their_frames(host: Host) -> None:
    bench: PsychometricPage = host.show()
    with host.page.expect_download() as arriving:
        bench.part("export-json").click()
    text = Path(arriving.value.path()).read_text(encoding="utf-8")
    result = bl.probes.psychometrics.TwoAFCResult.from_json(text)
    frame = result.raw_frame()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == 20 * 21
    assert frame["frame"].nunique() == 20
    assert result.answers == pytest.approx(host.result(bench).answers, abs=1e-5)


def test_every_layer_says_what_the_result_says_and_one_is_the_picture(host: Host) -> None:
    bench = host.show()
    result = host.layers(bench)
    bench.part("layers-open").click()
    rows = bench.part("layer-row")
    expect(rows).to_have_count(len(result.layers))
    for at, layer in enumerate(result.layers):
        pse, jnd = 100 * float(result.pse[at, 0]), 100 * float(result.jnd[at, 0])
        values = rows.nth(at).locator(".layer-value")
        assert says(values.nth(0).inner_text(), pse), f"PSE at layer {layer}"
        assert says(values.nth(1).inner_text(), jnd), f"JND at layer {layer}"
    expect(bench.part("layers-verdict")).to_have_text(" ".join(result.verdict()))

    rows.nth(1).click()
    expect(bench.part("layers-here")).to_contain_text("The picture shows layer 1")
    bench.settle()
    assert wrong(bench.shown(), result.at(1)) == []
    bench.part("layers-here").get_by_role("button").click()
    bench.settle()
    assert wrong(bench.shown(), result.at(0)) == []
    bench.part("layers-open").click()
    expect(bench.part("layers")).to_be_hidden()
