"""Edits of a word list in both hosts, from the hand to the frame that paints the answer."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any

from playwright.sync_api import Browser, Page

from benchmarks.findings import Figure, at_most, spread
from benchmarks.screen import ANSWERED, HOSTS, WINDOW, Clock, Shown, open_browser, opened, settled

SUBJECT = "wiki-bootstraps"
EDITS, WARM_UP = 30, 4
GOAL = at_most(50, "ms")
NOTE = f"{EDITS} edits each after {WARM_UP} that do not count; {WINDOW}."

Options = dict[str, Any]


def compared(
    shown: Shown,
    everything: Options,
    little: Options,
    reference: str,
    extra: Sequence[str],
    unfold: Callable[[Page], None] = lambda _: None,
    answered: str = ANSWERED,
) -> tuple[Figure, ...]:
    """Edit in both hosts with everything to ask and with next to nothing.

    - `shown`: a bench with a list of words.
    - `everything`, `little`: options of the bench.
    - `reference`: what the little is.
    - `extra`: words that are added and taken out, each once: a list that was asked before is
      remembered.
    - `unfold`: brings the list onto the screen.
    - `answered`: selector of the bench where it has answered.
    """

    def edited(browser: Browser, host: str, options: Options) -> tuple[list[float], list[float]]:
        """Milliseconds to the painted answer: of added words, and of taking them out again."""
        with opened(browser, host, shown.with_options(**options)) as page:
            clock = Clock(settled(page, answered))
            unfold(page)
            field, undo = page.get_by_test_id("add-word").first, page.get_by_test_id("undo")
            added: list[float] = []
            undone: list[float] = []
            for word in extra[: WARM_UP + EDITS]:
                field.fill(word)
                clock.arm("keydown")
                field.press("Enter")
                added.append(clock.stopped().painted)
                settled(page, answered)
                clock.arm("click")
                undo.click()
                undone.append(clock.stopped().painted)
                settled(page, answered)
            return added[WARM_UP:], undone[WARM_UP:]

    figures: list[Figure] = []
    with open_browser() as browser:
        for host in HOSTS:
            (steps, undone), (least, _) = (
                edited(browser, host, options) for options in (everything, little)
            )
            figures += spread(f"{host}: painted", steps, reference, least, GOAL)
            figures.append(Figure(f"{host}: undone, median", f"{statistics.median(undone):.1f} ms"))
    return tuple(figures)
