"""The page that compares two runs."""

from __future__ import annotations

from typing import cast

import biaslab as bl
from biaslab.probes.comparison import MEASURES, Comparison, Measure
from biaslab_widgets.app.assets import MODULES, asset
from biaslab_widgets.app.comparing import comparison_to_json, why_not_comparable
from biaslab_widgets.app.exports import exported
from biaslab_widgets.app.handlers import ApiHandler, PageHandler
from biaslab_widgets.app.reopening import bench_of
from biaslab_widgets.app.runs import DownloadHandler
from biaslab_widgets.app.stored_results import from_stored

_WITH_JND = {"two_afc", "occupations"}


class ComparePage(PageHandler):
    """Two runs side by side."""

    def get(self) -> None:
        """Show the runs ``a`` and ``b``; the page asks for the comparison itself."""
        ids = [self.get_query_argument(name, "") for name in ("a", "b")]
        runs = [self.site.store.run(one) for one in ids]
        self.show(
            "compare.html",
            title="Compare two runs · biaslab",
            current="runs",
            style=asset(MODULES, "compare.css"),
            module=asset(MODULES, "compare.js"),
            runs=[(name, run, bench_of(run)) for name, run in zip("AB", runs, strict=True)],
            measure=self.get_query_argument("measure", MEASURES[0]),
            measures=MEASURES if {run.probe for run in runs} <= _WITH_JND else (),
        )


class CompareApi(ApiHandler):
    """The comparison as JSON."""

    async def get(self) -> None:
        """Answer with the rows, totals and words of a comparison."""
        found = await from_stored(lambda: comparison_to_json(_compared(self)))
        self.answer(found)


class ComparableApi(ApiHandler):
    """Whether two runs can be compared."""

    async def get(self) -> None:
        """Answer with the reason why they cannot; empty if they can."""
        a, b = self.get_query_argument("a", ""), self.get_query_argument("b", "")
        why = await from_stored(lambda: why_not_comparable(self.site.store, a, b))
        self.answer({"why": why})


class CompareExportApi(DownloadHandler):
    """The comparison as a file."""

    async def get(self) -> None:
        """Answer with the comparison in a ``format``."""
        form = self.get_query_argument("format", "csv")
        stem = "-".join(["compare", *(self.get_query_argument(name, "") for name in ("a", "b"))])
        self.download(await from_stored(lambda: exported({stem: _compared(self)}, form)))


def _compared(handler: ApiHandler | DownloadHandler) -> Comparison:
    """Compare the runs ``a`` and ``b`` of an address by its ``measure``."""
    store = handler.site.store
    a, b = (store.open(handler.get_query_argument(name, "")) for name in ("a", "b"))
    measure = cast("Measure", handler.get_query_argument("measure", MEASURES[0]))
    return bl.compare(a, b, measure=measure)  # refuses another
