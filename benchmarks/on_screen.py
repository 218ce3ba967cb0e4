"""When the image bench shows what was asked of it, and how long frames are meanwhile."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

WAIT_MS = 60_000

# A state is a text once it is on the screen as a whole, and null until then. A picture counts once
# it is decoded. The clock starts where the page takes the event, before any listener of its own.
_CLOCK = """root => {
    const part = name => root.querySelector(`[data-testid="${name}"]`);
    const shows = img => img?.src.startsWith("data:") && img.complete && img.naturalWidth > 0;
    const states = {
        answer: () => root.hasAttribute("data-waiting") ? null : root.dataset.generation,
        // Another concept may change no score: the answer itself has to be another.
        edited: () => root.dataset.generation === clock.generation ? null
            : `${root.dataset.generation} ${states.squares()}`,
        squares: () => {
            const rows = [...root.querySelectorAll("[data-testid=squares-row]")];
            const tones = rows.map(row => row.dataset.tones).join("");
            const score = part("score")?.dataset.score;
            return score === undefined ? null : `${score} ${tones}`;
        },
        card: () => {
            const card = part("card");
            const { image, detailed } = card?.dataset ?? {};
            return image && image === detailed && shows(card.querySelector("img")) ? image : null;
        },
        blend: () => {
            const at = part("morph-at"), handle = part("alpha-handle");
            const same = Number(at.dataset.alpha) === Number(handle.dataset.value);
            const img = at.querySelector("img");
            return same && at.dataset.answer !== undefined && shows(img) ? img.src : null;
        },
    };
    const clock = window.clock = { armed: "", steps: [] };
    clock.arm = (state, event) => {
        clock.generation = root.dataset.generation;
        Object.assign(clock, { state: states[state], before: states[state](), armed: event });
    };
    clock.start = () => {
        clock.armed = "";
        const start = performance.now();
        const frame = () => {
            const now = clock.state();
            if (now === null || now === clock.before) requestAnimationFrame(frame);
            else clock.steps.push(performance.now() - start);
        };
        requestAnimationFrame(frame);
    };
    const begin = event => {
        if (clock.armed !== event.type || (event.type === "keydown" && event.key !== "Enter"))
            return;
        clock.start();
    };
    for (const type of ["keydown", "click", "pointermove"]) addEventListener(type, begin, true);
}"""
_BEGIN = """() => {
    const frames = window.frames = [];
    const frame = now => {
        if (frames !== window.frames) return;
        frames.push(now);
        requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
}"""
_END = """() => {
    const { frames } = window;
    window.frames = null;
    return frames.slice(1).map((now, i) => now - frames[i]);
}"""


class Screen:
    """One image bench on a page, with a clock.

    Parameters
    ----------
    page : Page
    root : Locator
        The bench's outermost element.
    """

    def __init__(self, page: Page, root: Any) -> None:
        self.page = page
        root.evaluate(_CLOCK)

    def arm(self, state: str, event: str = "") -> None:
        """Start the clock with the next event of a kind; it stops when the state is another."""
        self.page.evaluate("([state, event]) => window.clock.arm(state, event)", [state, event])

    def stopped(self) -> float:
        """Milliseconds that the clock ran until the frame that paints the state began."""
        self.page.wait_for_function("() => window.clock.steps.length > 0", timeout=WAIT_MS)
        return float(self.page.evaluate("window.clock.steps.shift()"))

    def begin(self) -> None:
        """Begin to look at frames."""
        self.page.evaluate(_BEGIN)

    def end(self) -> list[float]:
        """Milliseconds from frame to frame since then."""
        found: list[float] = self.page.evaluate(_END)
        return found
