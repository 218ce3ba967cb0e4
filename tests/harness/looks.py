"""What every bench is looked at for: nothing runs over, all text is readable, in both themes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from playwright.sync_api import expect

from harness.bench_hosts import BenchHost, NotebookBench
from harness.bench_page import BenchPage

OVERFLOWING = """root => {
    const outer = root.getBoundingClientRect();
    return [...root.querySelectorAll("*")].filter(element => {
        if (element.closest(".visually-hidden, .whole-figure")) return false;
        const box = element.getBoundingClientRect();
        return box.width > 0 && (box.right > outer.right + 1 || box.left < outer.left - 1);
    }).map(element => `${element.tagName}.${element.getAttribute("class")}`);
}"""
FAINT = """root => {
    const numbers = colour => {
        const [, space, inside] = colour.match(/^(rgba?|color)\\((?:srgb )?([^)]+)\\)$/) ?? [];
        const found = (inside ?? "").split(/[\\s,\\/]+/).map(Number);
        return space === "color" ? found.map((v, i) => i < 3 ? 255 * v : v) : found;
    };
    const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
        .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const ground = node => {
        for (let at = node; at; at = at.parentElement) {
            const plate = at.querySelector(":scope > rect.plate");
            const { backgroundColor, fill } = getComputedStyle(plate ?? at);
            const found = numbers(plate ? fill : backgroundColor);
            if (found.length === 3 || found[3] > 0.99) return found;
        }
        return [255, 255, 255];
    };
    const faint = [];
    for (const node of root.querySelectorAll("*")) {
        if (node.closest(".visually-hidden, .whole-figure, :disabled, [aria-disabled]")) continue;
        const own = [...node.childNodes].some(c => c.nodeType === 3 && c.textContent.trim());
        if (!own || node.getBoundingClientRect().width === 0) continue;
        const style = getComputedStyle(node);
        const ink = numbers(node.namespaceURI.endsWith("svg") ? style.fill : style.color);
        if (ink.length < 3) continue;
        const [a, b] = [light(ink), light(ground(node))].sort((x, y) => y - x);
        const ratio = (a + 0.05) / (b + 0.05);
        if (ratio < 4.5) faint.push(`${ratio.toFixed(1)} ${node.textContent.trim().slice(0, 40)}`);
    }
    return faint;
}"""
Theme = Literal["dark", "light"]
THEMES: tuple[Theme, ...] = ("dark", "light")


@contextmanager
def light_again(host: BenchHost) -> Iterator[None]:
    """Leave the host in its light theme."""
    try:
        yield
    finally:
        set_theme(host, "light")


def faint_texts(host: BenchHost, view: BenchPage) -> dict[str, list[str]]:
    """Texts of too little contrast, and how much they have, by the theme in which they have it."""
    found: dict[str, list[str]] = {}
    for theme in THEMES:
        set_theme(host, theme)
        expect(view.root).to_have_attribute("data-theme", theme)
        if faint := view.root.evaluate(FAINT):
            found[theme] = faint
    return found


def set_theme(host: BenchHost, theme: Theme) -> None:
    """Switch the host to a theme."""
    if isinstance(host, NotebookBench):
        host.page.evaluate(
            "t => window.jupyterapp.commands.execute('apputils:change-theme', { theme: t })",
            f"JupyterLab {theme.capitalize()}",
        )
        # It covers the page while a theme loads, and trips over the next theme before it is gone.
        expect(host.page.locator("#jupyterlab-splash")).to_have_count(0)
    else:
        host.page.emulate_media(color_scheme=theme)
