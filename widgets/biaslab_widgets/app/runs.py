"""The page of stored runs."""

from __future__ import annotations

from biaslab_widgets.app.handlers import ApiHandler, PageHandler


class RunsPage(PageHandler):
    """The list of runs."""

    def get(self) -> None:
        """Show the page, which asks for the list itself."""
        self.show("runs.html", title="Runs · biaslab", current="runs")


class RunsApi(ApiHandler):
    """The runs as JSON."""

    def get(self) -> None:
        """Answer with all runs, newest first."""
        frame = self.site.store.runs()
        frame["time"] = frame["time"].map(lambda time: time.isoformat())
        self.answer({"runs": frame.to_dict("records")})
