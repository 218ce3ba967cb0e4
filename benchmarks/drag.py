"""Drags a handle of a bench with the mouse, one step at a time, and times what follows."""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import Locator

from benchmarks.clock import Clock, Step, settled

TURN = 24
"""Steps from one end of the way to the other."""
PIXELS = 6


@dataclass(frozen=True)
class Dragged:
    """A drag: the move that brings the handle to where it begins, and the steps that count."""

    first: Step
    steps: list[Step]


def drag(
    clock: Clock,
    handle: Locator,
    steps: int,
    warm_up: int = 10,
    *,
    rise: float = 0.0,
    state: str = "",
    pixels: float = PIXELS,
) -> Dragged:
    """Drag a handle to and fro in steps of a few pixels, each waiting for the last one's answer.

    Parameters
    ----------
    clock : Clock
    handle : Locator
        What is dragged, or a slider.
    steps, warm_up : int
        Steps that count, and steps before them.
    rise : float
        Pixels above its place at which it is dragged.
    state : str
        What ends a step where none is answered; see `Clock.arm`.
    pixels : float
        Of a step; a handle that snaps to levels moves only by whole ones.
    """
    mouse = clock.page.mouse
    x, y = centre(handle)
    mouse.move(x, y)
    mouse.down()
    settled(clock.page)
    left = x - pixels * TURN / 2
    taken = []
    for done in range(1 + warm_up + steps):
        place = TURN - abs(done % (2 * TURN) - TURN)
        clock.arm("pointermove", state)
        mouse.move(left + pixels * place, y - rise)
        taken.append(clock.stopped())
    mouse.up()
    return Dragged(taken[0], taken[1 + warm_up :])


def centre(part: Locator) -> tuple[float, float]:
    """Middle of a part that is brought onto the screen, pixels."""
    part.scroll_into_view_if_needed()
    box = part.bounding_box()
    assert box is not None, "what is to be dragged is not on the screen"
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
