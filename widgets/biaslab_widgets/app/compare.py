"""The page that compares two runs."""

from __future__ import annotations

import asyncio

import biaslab as bl
from biaslab_widgets.app.assets import MODULES, asset
from biaslab_widgets.app.comparing import comparison_to_json, why_not_comparable
from biaslab_widgets.app.exports import exported
from biaslab_widgets.app.handlers import ApiHandler, PageHandler
from biaslab_widgets.app.reopening import bench_of
from biaslab_widgets.app.runs import DownloadHandler


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
        )


class CompareApi(ApiHandler):
    """The comparison as JSON."""

    async def get(self) -> None:
        """Answer with the rows, totals and words of a comparison."""
        a, b = self.get_query_argument("a", ""), self.get_query_argument("b", "")
        store = self.site.store
        self.answer(
            await asyncio.to_thread(
                lambda: comparison_to_json(bl.compare(store.open(a), store.open(b)))
            )
        )


class ComparableApi(ApiHandler):
    """Whether two runs can be compared."""

    async def get(self) -> None:
        """Answer with the reason why they cannot; empty if they can."""
        a, b = self.get_query_argument("a", ""), self.get_query_argument("b", "")
        why = await asyncio.to_thread(why_not_comparable, self.site.store, a, b)
        self.answer({"why": why})


class CompareExportApi(DownloadHandler):
    """The comparison as a file."""

    async def get(self) -> None:
        """Answer with the comparison in a ``format``."""
        a, b = self.get_query_argument("a", ""), self.get_query_argument("b", "")
        form, store = self.get_query_argument("format", "csv"), self.site.store
        stem = f"compare-{a}-{b}"
        self.download(
            await asyncio.to_thread(
                lambda: exported({stem: bl.compare(store.open(a), store.open(b))}, form)
            )
        )
