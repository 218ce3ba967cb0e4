"""Outputs of a cell that stay out of the notebook until a prediction is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from uuid import uuid4

import ipywidgets

from biaslab_widgets.classroom.outputs import Output, html_output


class HeldOutputs:
    """Places in a cell that are filled later.

    A place is an output of the notebook, so what fills it is in the saved file and in an exported
    page. After a reload of the page nothing can be put there any more: then the widget, which
    stands in the first place until it is filled, shows all of it.

    Parameters
    ----------
    outputs : callable
        Returns the outputs, as many each time.
    waiting : str
        HTML that stands there until then.
    """

    def __init__(self, outputs: Callable[[], Sequence[Output]], waiting: str = "") -> None:
        self._outputs = outputs
        self._places = [one.display_id or uuid4().hex for one in outputs()]
        self._waiting = html_output(waiting)
        self._fallback = ipywidgets.Output()
        if waiting:
            self._fallback.outputs = (self._waiting.as_record(),)

    def show(self) -> None:
        """Show the places, still empty."""
        view = {**self._fallback._repr_mimebundle_(), "text/plain": ""}
        for number, place in enumerate(self._places):
            empty = Output({**view, **self._waiting.data}) if number == 0 else html_output("")
            replace(empty, display_id=place).show()

    def fill(self) -> None:
        """Fill the places."""
        found = self._outputs()
        self._fallback.outputs = tuple(one.as_record() for one in found)
        for one, place in zip(found, self._places, strict=True):
            replace(one, display_id=place).show(update=True)
