"""The served app's own font: a page looks the same on every machine."""

from __future__ import annotations

import re

from playwright.sync_api import Page, Route, expect

from harness.served_app import ServedApp

_FONT = re.compile(r"/fonts/inter\.woff2")
# Where each text of a bench's drawing stands and how wide it is, and what font it is in.
_LABELS = """root => [...root.querySelectorAll("svg text")].map(text => {
    const { x, width } = text.getBoundingClientRect();
    return [text.textContent, Math.round(x), Math.round(width)];
})"""
_FONTS = """() => [...document.fonts].filter(font => font.status === "loaded").map(f => f.family)"""


def test_every_letter_of_a_page_is_in_the_apps_font(app: ServedApp, page: Page) -> None:
    page.goto(f"{app.url}/psychometric")
    expect(page.get_by_test_id("verdict")).to_be_visible()
    page.wait_for_function("() => document.fonts.status === 'loaded'")
    devtools = page.context.new_cdp_session(page)
    devtools.send("DOM.enable")
    devtools.send("CSS.enable")
    root = devtools.send("DOM.getDocument", {"depth": -1, "pierce": True})["root"]
    used: dict[str, set[str]] = {}
    nodes = [root]
    while nodes:
        node = nodes.pop()
        nodes += node.get("children", []) + node.get("shadowRoots", [])
        if node["nodeType"] == 3 and node["nodeValue"].strip():
            asked = {"nodeId": node["nodeId"]}
            for font in devtools.send("CSS.getPlatformFontsForNode", asked)["fonts"]:
                name = font["familyName"] if font["isCustomFont"] else f"{font['familyName']}, own"
                used.setdefault(name, set()).add(node["nodeValue"].strip()[:40])
    assert set(used) == {"Inter Variable"}, used


def test_labels_stand_alike_when_the_font_comes_late(app: ServedApp, page: Page) -> None:
    page.goto(f"{app.url}/psychometric")
    bench = page.get_by_test_id("bench")
    ready = page.locator('[data-state="ready"]:not([data-waiting])')
    expect(bench.and_(ready)).to_be_visible()
    page.wait_for_function("() => document.fonts.status === 'loaded'")
    at_once = bench.evaluate(_LABELS)

    held: list[Route] = []
    page.route(_FONT, lambda route: held.append(route))
    page.reload(wait_until="domcontentloaded")
    expect(bench.and_(ready)).to_be_visible()
    assert page.evaluate(_FONTS) == []
    assert held
    for route in held:
        route.continue_()
    page.wait_for_function("() => document.fonts.status === 'loaded'")
    page.wait_for_function(
        "([root, labels, wanted]) => JSON.stringify(eval(labels)(root)) === wanted",
        arg=[bench.element_handle(), _LABELS, page.evaluate("JSON.stringify", at_once)],
    )
