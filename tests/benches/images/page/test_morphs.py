"""The morph explorer: a curve that is `bl.two_afc`'s, a blend under the hand."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from harness.images import CLIP, RUN_MS, TRUTH, Host, NotebookHost


def test_the_portrait_is_there_before_the_curve_and_follows_the_keys(host: Host) -> None:
    view = host.show(models=[CLIP]).made().go(3)
    before = view.blended(0.5).morph
    assert before["picture"].startswith("data:image/")
    handle = view.part("alpha-handle")
    handle.focus()
    for _ in range(5):
        handle.press("ArrowRight")
    after = view.blended(0.55).morph
    assert after["alpha"] == 0.55
    assert after["picture"] != before["picture"]
    handle.press("Home")
    woman = view.blended(0).morph
    handle.press("End")
    man = view.blended(1).morph
    assert woman["answer"] < 0.5 < man["answer"]
    handle.press("Escape")
    view.blended(0.5)
    host.holds("alpha", 0.5)
    expect(view.part("alpha-value")).to_have_text("α = 0.50")
    said = handle.get_attribute("aria-valuetext") or ""
    assert said.startswith("50 % man")
    alt = view.part("morph-at").locator("img").get_attribute("alt") or ""
    assert alt


def test_a_drag_moves_the_blend_at_once_and_the_portrait_after_it(host: Host) -> None:
    view = host.show(models=[TRUTH]).made().go(3)
    view.morphed()
    handle = view.part("alpha-handle")
    handle.scroll_into_view_if_needed()
    box = handle.locator(".knob").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    view.page.mouse.move(x, y)
    view.page.mouse.down()
    for step in range(1, 21):
        view.page.mouse.move(x + 4 * step, y)
    moved = view.root.evaluate(
        """root => [...root.querySelectorAll('[data-testid="alpha-handle"]')]
            .map(n => Number(n.dataset.value))[0]"""
    )
    assert 0.55 < moved < 0.75
    knob = handle.locator(".knob").bounding_box()
    assert knob is not None
    assert knob["x"] + knob["width"] / 2 == pytest.approx(x + 80, abs=1.5)
    view.page.mouse.up()
    shown = view.blended(moved).morph
    assert shown["at"] == shown["alpha"] == moved
    host.holds("alpha", pytest.approx(moved))


def test_the_curve_is_that_of_two_afc(host: Host) -> None:
    view = host.show(models=[TRUTH], morph_item="nurse").made().go(3)
    shown = view.morphed().morph
    assert shown["item"] == "nurse"
    # Planted: a nurse is a woman to it up to a share of 0.65.
    assert shown["low"] < 0.65 < shown["high"]
    assert shown["portraits"] == 30
    expect(view.part("pse")).to_contain_text(f"{100 * shown['pse']:.0f} %")
    expect(view.part("morph-verdict")).to_contain_text("nurse")
    expect(view.part("fit-verdict")).to_contain_text("points off on average")
    expect(view.part("fit-verdict")).to_contain_text("of mean answers of 30 new portraits")
    expect(view.part("mean-answer")).to_have_count(13)
    if isinstance(host, NotebookHost):
        found = host.value(
            "bench.morph_result.to_frame().iloc[0][['pse', 'corpus_low', 'corpus_high', 'jnd']]"
            ".tolist()"
        )
        same = [shown["pse"], shown["low"], shown["high"], shown["jnd"]]
        assert found == pytest.approx(same, abs=1e-4)
    view.part("alpha-handle").press("p")
    alpha = view.shown().morph["alpha"]
    assert alpha == pytest.approx(shown["pse"], abs=1e-4)


def test_another_occupation_has_a_curve_of_its_own(host: Host) -> None:
    view = host.show(models=[TRUTH], morph_item="nurse").made().go(3)
    first = view.morphed().morph
    view.part("morph-item").select_option("electrician")
    expect(view.part("morph")).to_have_attribute("data-item", "electrician", timeout=RUN_MS)
    second = view.morphed().morph
    assert second["pse"] < first["pse"] - 0.1, "planted: 0.65 and 0.35"
    view.part("strip").nth(1).click()
    at = view.blended(0.2).morph
    assert at["picture"] != first["picture"]
    view.part("morph-observer").select_option("1")
    view.page.wait_for_function(
        """([root, before]) =>
            root.querySelector('[data-testid="morph-at"] img').src !== before""",
        arg=[view.root.element_handle(), at["picture"]],
        timeout=RUN_MS,
    )
