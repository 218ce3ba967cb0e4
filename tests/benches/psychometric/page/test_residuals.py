"""Where the curve misses the answers: a strip under the picture, opened by a switch."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import expect

from benches.psychometric.page.test_exports import export
from benches.psychometric.page.test_looks import OVERFLOWING, make_narrow, places, usual_page
from harness.psychometric import PsychometricPage
from harness.psychometric_hosts import Host

__all__ = ["usual_page"]
ANY_FIT = re.compile(r"^Residuals\. The curve describes these answers: .* points off on average")


def residuals(bench: PsychometricPage) -> list[float]:
    """The residuals on the screen."""
    drawn = bench.part("residual")
    expect(drawn.first).to_be_visible()
    return [float(value) for value in drawn.evaluate_all("all => all.map(e => e.dataset.value)")]


@pytest.mark.both_hosts
def test_the_strip_opens_by_keyboard_and_shows_the_residuals_of_the_result(host: Host) -> None:
    bench = host.bench()
    before = places(bench)
    switch = bench.part("residuals-switch")
    switch.focus()
    host.page.keyboard.press("Space")
    check = host.result(bench).fit_check
    assert check is not None
    assert residuals(bench) == pytest.approx(check.residual[0], abs=6e-6)
    expect(bench.part("residuals")).to_have_attribute("aria-label", ANY_FIT)
    expect(bench.part("predicted")).to_have_count(1)
    # It opens below: nothing above it moves.
    opened = places(bench)
    assert opened["rail"][:3] == before["rail"][:3]
    assert opened["drawing"][:3] == before["drawing"][:3]
    bench.type_word("electrician")
    bench.settle()
    check = host.result(bench, word="electrician").fit_check
    assert check is not None
    assert residuals(bench) == pytest.approx(check.residual[0], abs=6e-6)
    assert places(bench) == opened
    bench.type_word("electrixian")
    bench.settle("error")
    assert places(bench) == opened
    bench.type_word("nurse")
    bench.settle()
    switch.focus()
    host.page.keyboard.press("Space")
    expect(bench.part("residuals")).to_have_count(0)
    assert places(bench) == before


def test_the_strip_says_why_there_are_no_residuals(host: Host) -> None:
    bench = host.bench()
    bench.part("residuals-switch").check()
    bench.part("curve-empirical").check()
    bench.settle()
    expect(bench.part("residuals")).to_contain_text("the answers themselves")
    expect(bench.part("residual")).to_have_count(0)


def test_the_strip_fits_into_400_pixels_and_goes_along_into_a_file(host: Host) -> None:
    bench = host.bench()
    bench.part("residuals-switch").check()
    assert len(residuals(bench)) == 21
    make_narrow(host)
    expect(bench.root).to_contain_class("narrow")
    assert bench.root.evaluate(OVERFLOWING) == []
    _, content = export(bench, "svg")
    texts = [e.text for e in ET.fromstring(content).iter() if e.tag.endswith("text")]
    assert "Mean answer less the curve, points" in texts
    assert any("of mean answers of 32 new replicates" in (text or "") for text in texts)
