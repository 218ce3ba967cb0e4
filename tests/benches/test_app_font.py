"""The served app's own font: a page looks the same on every machine."""

from __future__ import annotations

import re

from playwright.sync_api import Page, Route, expect

from harness.served_app import ServedApp
from harness.server import wait_until

_FONT = re.compile(r"/fonts/inter\.woff2")
# Where each text of a bench's drawing stands and how wide it is, and what font it is in.
_LABELS = """root => [...root.querySelectorAll("svg text")].map(text => {
    const { x, width } = text.getBoundingClientRect();
    return [text.textContent, Math.round(x), Math.round(width)];
})"""
_FONTS = """() => [...document.fonts].filter(font => font.status === "loaded").map(f => f.family)"""


def families(page: Page) -> set[str]:
    """The fonts of all text on a page; one of the system's ends in "own"."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("DOM.enable")
    devtools.send("CSS.enable")
    root = devtools.send("DOM.getDocument", {"depth": -1, "pierce": True})["root"]
    used: set[str] = set()
    nodes = [root]
    while nodes:
        node = nodes.pop()
        nodes += node.get("children", []) + node.get("shadowRoots", [])
        if node["nodeType"] == 3 and node["nodeValue"].strip():
            asked = {"nodeId": node["nodeId"]}
            for font in devtools.send("CSS.getPlatformFontsForNode", asked)["fonts"]:
                name = font["familyName"] if font["isCustomFont"] else f"{font['familyName']}, own"
                used.add(name)
    return used


def test_every_letter_is_in_the_apps_font_and_stands_alike_when_it_comes_late(
    app: ServedApp, page: Page
) -> None:
    page.goto(f"{app.url}/psychometric")
    bench = page.get_by_test_id("bench")
    ready = page.locator('[data-state="ready"]:not([data-waiting])')
    expect(bench.and_(ready)).to_be_visible()
    page.wait_for_function("() => document.fonts.status === 'loaded'")
    wait_until(lambda: families(page) == {"Inter Variable"}, "One font")
    at_once = bench.evaluate(_LABELS)

    held: list[Route] = []
    page.route(_FONT, lambda route: held.append(route))
    page.reload(wait_until="domcontentloaded")
    expect(bench.and_(ready)).to_be_visible()
    wait_until(lambda: bool(held), "The font was asked for")
    assert page.evaluate(_FONTS) == []  # once: the font is held back
    for route in held:
        route.continue_()
    page.wait_for_function("() => document.fonts.status === 'loaded'")
    page.wait_for_function(
        "([root, labels, wanted]) => JSON.stringify(eval(labels)(root)) === wanted",
        arg=[bench.element_handle(), _LABELS, page.evaluate("JSON.stringify", at_once)],
    )
