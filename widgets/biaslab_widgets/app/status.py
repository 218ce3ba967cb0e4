"""What the status line shows: running and waiting jobs."""

from __future__ import annotations

from biaslab_widgets.app.handlers import ApiHandler


class StatusHandler(ApiHandler):
    """Jobs of this process."""

    def get(self) -> None:
        """Answer with the jobs, in the order of the queue."""
        self.answer({"jobs": []})
