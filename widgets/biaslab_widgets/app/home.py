"""The home page: what biaslab is, and where to begin."""

from __future__ import annotations

from biaslab_widgets.app.handlers import PageHandler
from biaslab_widgets.app.shell import HOME
from biaslab_widgets.benches import BENCHES


class HomeHandler(PageHandler):
    """The home page."""

    def get(self) -> None:
        """Show each bench as the question that it asks."""
        questions = [entry for entry in BENCHES if entry.question]
        self.show("home.html", title="biaslab", current=HOME, questions=questions)
