"""The picture in a notebook's output follows the result, so that the saved notebook has the last.

A bench is shown as a live view beside a picture that needs no kernel. The output is published under
an id of its own and updated when the picture has changed and the hand has rested for a while.

JupyterLab would make a new view with each update. Its extension of biaslab keeps the view, and the
view says so: see ``js/src/lab``. Where another front end shows the view, the output stays as it is.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

from biaslab_widgets.core.answers.background import Debounce

REST_S = 1.0
"""The output is updated when nothing has changed for so long, or at the end of a cell."""

Bundle = tuple[dict[str, Any], dict[str, Any]]

_shown: weakref.WeakSet[LastPicture] = weakref.WeakSet()
_watched: list[Any] = []


class LastPicture:
    """Shows a bench in the outputs of a notebook and keeps them up to date.

    - `bundle`: returns the data of the output by MIME type, and its metadata; None where the last
      ones still hold, as while a run goes on.
    - `may_update`: returns whether the front end keeps its view when the output is updated.
    """

    def __init__(
        self, bundle: Callable[[], Bundle | None], display_id: str, may_update: Callable[[], bool]
    ) -> None:
        self._bundle, self._may_update = bundle, may_update
        self._display_id = display_id
        self._lock = threading.Lock()
        self._last: dict[str, Any] | None = None
        self._pending = False
        self._rest = Debounce(REST_S, self.update)

    def show(self, made: Bundle) -> None:
        """Publish an output of the cell that runs."""
        with self._lock:
            self._publish(made, update=False)
        _shown.add(self)
        _update_after_cells()

    def changed(self) -> None:
        """Update the outputs soon, if there are any."""
        if self._last is not None:
            self._pending = True
            self._rest.later()

    def update(self) -> None:
        """Update the outputs if something has changed since they were published."""
        with self._lock:
            if self._last is None or not self._pending or not self._may_update():
                return
            made = self._bundle()
            if made is None:  # soon again
                self._rest.later()
                return
            self._pending = False
            if made[0] != self._last:
                self._publish(made, update=True)

    def forget(self) -> None:
        """Leave the outputs as they are from now on."""
        _shown.discard(self)
        self._last = None

    def _publish(self, made: Bundle, *, update: bool) -> None:
        shell = _shell()
        if shell is None:
            return
        data, metadata = made
        self._last = data
        shell.display_pub.publish(
            data=data, metadata=metadata, transient={"display_id": self._display_id}, update=update
        )


def _shell() -> Any:
    """The shell that this runs in; None outside IPython."""
    try:
        from IPython.core.getipython import get_ipython
    except ImportError:
        return None
    return get_ipython()


def _update_after_cells() -> None:
    """Update pending outputs when a cell has ended: a notebook run without a page ends there."""
    shell = _shell()
    if shell is not None and shell not in _watched:
        _watched.append(shell)
        shell.events.register("post_run_cell", _update_all)


def _update_all(_result: Any) -> None:
    for one in list(_shown):
        one.update()
