"""A saved run of portraits in the posterior bench, beside a bench of vectors, in both hosts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.sync_api import expect

import biaslab as bl
from biaslab.probes.posterior import PortraitPosterior
from harness.posterior import AppHost, Host, NotebookHost, Posterior
from harness.story import colours, drawing, eventually, hosts, table

host = hosts(NotebookHost, AppHost, lab_at_night=True)


def test_portraits(host: Host) -> None:
    result = nurses()
    view = host.show()
    with host.beside(view, bl.Store(host.home()).save(result)) as other:
        eventually(lambda: faces_are_those_of(other, result))
        by_keys_from_draw_to_draw(other)
        files_are_those_of(other, result)
    expect(view.part("label-positive")).to_have_count(1)


def nurses() -> PortraitPosterior:
    """A run of a second, under the name of a model that both hosts offer."""
    womanly = bl.observers.vision(
        lists=(("nurse",), ("executive",)), traits={"appearance": -4.0}, image_sd=0
    )
    result = bl.sample_posterior(
        womanly, "nurse", space="portraits", chains=4, draws=60, check=False
    )
    return replace(result, provenance=replace(result.provenance, subject="portrait-clip"))


def faces_are_those_of(view: Posterior, result: PortraitPosterior) -> None:
    typical = view.root.locator("[data-testid=typical][data-word=nurse]")
    assert typical.count() == 1
    assert float(typical.get_attribute("data-share") or "nan") == pytest.approx(result.share.value)
    assert view.part("film").count() == result.chains
    assert view.part("share-line").count() == 0, "nothing was weighted"
    sheet = view.part("face").first.evaluate("face => getComputedStyle(face).backgroundImage")
    assert sheet.startswith('url("blob:')
    shifts = view.part("shift").evaluate_all("marks => marks.map(m => Number(m.dataset.value))")
    assert shifts[0] == pytest.approx(next(s.shift for s in result.shifts if s.is_tied))


def by_keys_from_draw_to_draw(view: Posterior) -> None:
    view.part("run").focus()
    view.tab_to("face")
    before = view.part("picked-face").inner_text()
    view.page.keyboard.press("ArrowRight")
    expect(view.part("picked-face")).not_to_have_text(before, use_inner_text=True)
    expect(view.root.locator("button.face:focus")).to_have_attribute("aria-pressed", "true")
    view.page.keyboard.press("ArrowLeft")
    expect(view.part("picked-face")).to_have_text(before, use_inner_text=True)


def files_are_those_of(view: Posterior, result: PortraitPosterior) -> None:
    assert view.exported_result(PortraitPosterior) == result
    assert len(table(view, "draws")) == result.total
    assert table(view, "attributes")["attribute"].tolist() == [s.name for s in result.shifts]
    assert "What face does the model imagine" in drawing(view)
    assert colours(view) > 1000, "the faces are in it"
