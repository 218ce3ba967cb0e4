"""Whether the layout of a bench holds: in every typeface, wide and narrow, state after state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from playwright.sync_api import expect

from harness import typefaces
from harness.bench_page import BenchPage
from harness.typefaces import TYPEFACES, WEAR

WIDE, NARROW = 1280, 400

_SETTLE = """async root => {
    const frame = () => new Promise(requestAnimationFrame);
    const shape = () => [root, ...root.querySelectorAll("*")].map(element => {
        const { x, y, width, height } = element.getBoundingClientRect();
        return [x, y, width, height].join();
    }).join(";");
    let last = "";
    for (let same = 0; same < 2;) {
        await frame();
        const now = shape();
        same = now === last ? same + 1 : 0;
        last = now;
    }
}"""
FAULTS = """root => {
    const unseen = ".visually-hidden, .whole-figure, .mini .control-head, .ghost";
    const seen = element =>
        !element.closest(unseen) && getComputedStyle(element).visibility !== "hidden";
    const name = element => {
        const text = (element.textContent || element.value || "").trim().slice(0, 40);
        return `${element.tagName.toLowerCase()}.${element.getAttribute("class") ?? ""} “${text}”`;
    };
    const faults = [];
    if (document.documentElement.scrollWidth > innerWidth) faults.push("the page scrolls sideways");
    const outer = root.getBoundingClientRect();
    const all = [...root.querySelectorAll("*")].filter(seen);
    for (const element of all) {
        // Inside a drawing only texts are looked at: what else is too wide for it is clipped.
        if (element.closest("svg *:not(text)")) continue;
        const box = element.getBoundingClientRect();
        if (box.width > 0 && (box.right > outer.right + 1 || box.left < outer.left - 1))
            faults.push(`over the edge: ${name(element)}`);
    }
    for (const element of all) {
        if (!(element instanceof HTMLElement) || element.scrollWidth <= element.clientWidth + 1)
            continue;
        const { display, overflowX, textOverflow } = getComputedStyle(element);
        const own = [...element.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
        if (display === "inline" || ["auto", "scroll"].includes(overflowX)) continue;
        if (textOverflow === "ellipsis") {
            if (!element.closest("[title]")) faults.push(`cut, without a title: ${name(element)}`);
        } else if (own && element.clientWidth > 0)
            faults.push(`wider than its box: ${name(element)}`);
    }
    for (const svg of root.querySelectorAll("svg")) {
        if (!seen(svg)) continue;
        const room = svg.getBoundingClientRect();
        const texts = [...svg.querySelectorAll("text")].filter(
            text => text.textContent.trim() && seen(text));
        // A font says how high its tallest signs are; letters are as high as its size.
        const boxes = texts.map(text => {
            const { left, right, top, bottom, height } = text.getBoundingClientRect();
            const spare = Math.max(0, height - parseFloat(getComputedStyle(text).fontSize)) / 2;
            return { left, right, top: top + spare, bottom: bottom - spare };
        });
        boxes.forEach((box, i) => {
            if (box.right > room.right + 1 || box.left < room.left - 1)
                faults.push(`out of its drawing: ${name(texts[i])}`);
            for (let j = i + 1; j < boxes.length; j++) {
                const { left, right, top, bottom } = boxes[j];
                const across = Math.min(box.right, right) - Math.max(box.left, left);
                const down = Math.min(box.bottom, bottom) - Math.max(box.top, top);
                if (across > 1 && down > 1)
                    faults.push(`over each other: ${name(texts[i])} ${name(texts[j])}`);
            }
        });
    }
    return faults;
}"""
_PLACES = """(root, selectors) => {
    const outer = root.getBoundingClientRect();
    return selectors.map(selector => {
        const box = root.querySelector(selector).getBoundingClientRect();
        return [box.x - outer.x, box.y - outer.y, box.width].map(Math.round);
    });
}"""
# All in one call: a call costs more than what it does.
_LOOK = f"""async (root, [names, selectors]) => {{
    const [wear, settle, faults, places] = [{WEAR}, {_SETTLE}, {FAULTS}, {_PLACES}];
    const found = [];
    for (const name of names) {{
        wear(name);
        await settle(root);
        found.push([faults(root), places(root, selectors)]);
    }}
    wear(names[0]);
    await settle(root);
    return found;
}}"""


class LayoutTrial:
    """Looks at a bench in every typeface, and notes what is wrong.

    Parameters
    ----------
    view : BenchPage
        In its first state.
    still : sequence of str
        Selectors of parts that keep their places from state to state, in the widths `still_in`.
    still_in : sequence of int
        Default the wide one.
    """

    def __init__(
        self, view: BenchPage, still: Sequence[str] = (), still_in: Sequence[int] = (WIDE,)
    ) -> None:
        self.view = view
        self._faults: list[str] = []
        self._still = still
        self._still_in = still_in
        self._places: dict[tuple[int, str], Any] = {}
        typefaces.load(view.page)

    def look(self, state: str) -> None:
        """Look at a state in both widths and in every typeface."""
        for width in self._in_both_widths():
            still = self._still if width in self._still_in else ()
            for name, places in self._look(f"{state}, {width} px", still):
                first = self._places.setdefault((width, name), places)
                self._faults += [
                    f"{state}, {width} px, {name}: {part} moved from {before} to {after}"
                    for part, before, after in zip(still, first, places, strict=True)
                    if before != after
                ]

    def look_at_cards(self, *openers: str) -> None:
        """Open one card after the other by the test ids of their buttons, and look at each."""
        for width in self._in_both_widths():
            for opener in openers:
                self.view.part(opener).click()
                card = self.view.part(f"{opener}-card")
                expect(card).to_be_visible()
                self._look(f"{opener}, {width} px")
                self.view.page.keyboard.press("Escape")
                expect(card).to_have_count(0)

    def report(self) -> str:
        """What was wrong, a line each; empty when all is well."""
        return "\n".join(self._faults)

    def _in_both_widths(self) -> Iterator[int]:
        page = self.view.page
        size = page.viewport_size
        assert size is not None
        for width in (WIDE, NARROW):
            page.set_viewport_size({"width": width, "height": size["height"]})
            yield width
        page.set_viewport_size(size)

    def _look(self, where: str, still: Sequence[str] = ()) -> list[tuple[str, Any]]:
        """Note the faults; return where the still parts are in each typeface."""
        names = [typeface.name for typeface in TYPEFACES]
        found = self.view.root.evaluate(_LOOK, [names, list(still)])
        for name, (faults, _) in zip(names, found, strict=True):
            self._faults += [f"{where}, {name}: {fault}" for fault in faults]
        return [(name, places) for name, (_, places) in zip(names, found, strict=True)]
