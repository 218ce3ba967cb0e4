"""The figure of a trial and its two answers, by button or by key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import anywidget
import traitlets

_HERE: Final = Path(__file__).parent


class TrialPad(anywidget.AnyWidget):
    """Show a figure, and take *upper* or *lower* from buttons or from the keys F and J, ↑ and ↓.

    Parameters
    ----------
    acts : mapping of str to callable
        What ``start``, ``simulate``, ``upper`` and ``lower`` do.
    """

    _esm = _HERE / "trial_pad.js"
    _css = _HERE / "trial_pad.css"
    figure = traitlets.Unicode("", help="the figure as SVG or HTML").tag(sync=True)
    trial = traitlets.Int(-1, help="number of the trial from 0; -1 while none runs").tag(sync=True)
    start_label = traitlets.Unicode("Start").tag(sync=True)

    def __init__(self, acts: Mapping[str, Callable[[], None]]) -> None:
        self._acts = dict(acts)
        super().__init__()
        self.on_msg(self._take)

    def _take(self, _widget: Any, message: dict[str, Any], _buffers: Any) -> None:
        # An answer to a trial that is over was meant for what was on the screen then.
        if message.get("trial", self.trial) == self.trial and message.get("do") in self._acts:
            self._acts[message["do"]]()
