"""What axe-core finds on each page of the app, light, dark and narrow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from biaslab_widgets.benches import BENCHES
from harness.bench_page import BenchPage
from harness.served_app import ServedApp
from harness.watched_page import WatchedPage

AXE = Path(__file__).resolve().parents[2] / "js/node_modules/axe-core/axe.min.js"
LOOKS: dict[str, tuple[Any, int]] = {
    "light": ("light", 1440),
    "dark": ("dark", 1440),
    "narrow": ("light", 420),
}
"""Colour scheme and width of the window, by name."""
_FINDINGS = """async () => {
    const { violations } = await axe.run(document, { resultTypes: ["violations"] });
    return violations.map(({ id, impact, nodes }) =>
        ({ id, impact, where: nodes.map(node => node.target.flat().join(" ")) }));
}"""
_HEADINGS = """() => {
    const found = root => [...root.querySelectorAll("*")].flatMap(e => [
        ...(e.tagName === "H1" ? [e.textContent] : []),
        ...(e.shadowRoot ? found(e.shadowRoot) : []),
    ]);
    return found(document);
}"""
_NEVER = {"heading-order", "landmark-unique", "page-has-heading-one"}
"""Findings of less weight that no page may have either."""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of the default width, watched for errors."""
    watched = WatchedPage(browser, viewport={"width": 1440, "height": 900})
    yield watched.page
    watched.close()


_TWO_FRAMES = "() => new Promise(end => requestAnimationFrame(() => requestAnimationFrame(end)))"
"""After these a page is laid out for its new width."""


@pytest.mark.parametrize("slug", [entry.slug for entry in BENCHES])
def test_a_bench_has_no_serious_finding(app: ServedApp, page: Page, slug: str) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: npm ci in js/")
    page.goto(f"{app.url}/{slug}")
    bench = BenchPage.on(page)
    bench.root.wait_for()
    page.wait_for_function("e => !('waiting' in e.dataset)", arg=bench.root.element_handle())
    page.evaluate(AXE.read_text("utf-8"))
    bench.part("how-open").click()
    bench.part("how-about").wait_for()
    if (term := bench.part("term")).count():
        term.last.focus()
        bench.part("tip").wait_for()
    for look, (scheme, width) in LOOKS.items():
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(
            "([e, theme, width]) => e.dataset.theme === theme && innerWidth === width",
            arg=[bench.root.element_handle(), scheme, width],
        )
        page.evaluate(_TWO_FRAMES)
        found = page.evaluate(_FINDINGS)
        bad = [f for f in found if f["impact"] in ("serious", "critical") or f["id"] in _NEVER]
        assert bad == [], f"{slug}, {look}"
    assert len(page.evaluate(_HEADINGS)) == 1
