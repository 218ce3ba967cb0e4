"""The home page: what biaslab is, and where to begin."""

from __future__ import annotations

from biaslab_widgets.app.assets import MODULES, asset, picture
from biaslab_widgets.app.first_runs import first_run
from biaslab_widgets.app.handlers import PageHandler
from biaslab_widgets.app.shell import HOME
from biaslab_widgets.benches import BENCHES

LAST = 3


class HomeHandler(PageHandler):
    """The home page."""

    def get(self) -> None:
        """Show each bench as the question that it asks, with a picture of a run."""
        runs = self.site.store.runs()
        last_runs = [self.site.store.run(name) for name in runs["id"][:LAST]]
        asking = [entry for entry in BENCHES if entry.question]
        self.show(
            "home.html",
            title="biaslab",
            current=HOME,
            questions=[(entry, first_run(entry.name)) for entry in asking],
            example=first_run("images"),
            portraits=picture("portraits.webp"),
            style=asset(MODULES, "home.css"),
            runs=last_runs,
            runs_in_all=len(runs),
        )


class TourHandler(PageHandler):
    """The beginning of the tour, which goes over the benches' own pages."""

    def get(self) -> None:
        """Lead to its first step."""
        self.redirect("psychometric?word=nurse&tour=0")
