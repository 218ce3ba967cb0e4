"""A report of runs: one HTML file that needs no network."""

from __future__ import annotations

import biaslab as bl
from biaslab_widgets.app.asked_runs import run_ids
from biaslab_widgets.app.assets import MODULES, asset
from biaslab_widgets.app.exports import Download
from biaslab_widgets.app.handlers import PageHandler
from biaslab_widgets.app.stored_results import from_stored


class ReportPage(PageHandler):
    """The report of runs, on a page with a button, or as a file."""

    async def get(self) -> None:
        """Show the report of ``runs``; with ``download=1`` send it as a file."""
        ids, store = run_ids(self.get_query_argument("runs", "")), self.site.store
        text = await from_stored(lambda: bl.report(ids, store=store))
        if not self.get_query_argument("download", ""):
            self.show(
                "report.html",
                title="Report · biaslab",
                current="runs",
                style=asset(MODULES, "run.css"),
                runs=",".join(ids),
                count=len(ids),
                text=text,
            )
            return
        file = Download(f"report-{ids[0]}.html", "text/html; charset=utf-8", text.encode())
        self.set_header("Content-Disposition", file.disposition)
        self.set_header("Content-Type", file.media_type)
        self.finish(file.content)
