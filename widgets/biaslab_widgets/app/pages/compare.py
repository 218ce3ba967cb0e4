"""The page that compares two runs."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any, cast

import biaslab as bl
from biaslab.errors import BiaslabError
from biaslab.probes.comparison import MEASURES, Comparison, Measure, Total
from biaslab.probes.entries import ENTRIES
from biaslab.records.wording import prose
from biaslab.store import Store
from biaslab_widgets.app.pages.handlers import ApiHandler, PageHandler
from biaslab_widgets.app.pages.reopening import bench_of
from biaslab_widgets.app.pages.results import exported, from_stored
from biaslab_widgets.app.pages.runs import DownloadHandler


def why_not_comparable(store: Store, one: str, two: str) -> str:
    """Return why two runs cannot be compared; empty if they can."""
    try:
        bl.compare(store.open(one), store.open(two))
    except BiaslabError as error:
        return prose(error)
    return ""


def comparison_to_json(comparison: Comparison) -> dict[str, Any]:
    """Return what the page draws of a comparison; numbers that do not exist are None."""
    rows = [
        {
            "label": label,
            "a": _finite(comparison.values[i, 0]),
            "b": _finite(comparison.values[i, 1]),
            "aEnds": _ends(comparison.intervals[i, 0]),
            "bEnds": _ends(comparison.intervals[i, 1]),
            "aLean": int(comparison.leans[i, 0]),
            "bLean": int(comparison.leans[i, 1]),
            "change": _finite(comparison.change[i]),
            "changeEnds": _ends(comparison.change_intervals[i]),
            "outside": _finite(comparison.outside[i]),
        }
        for i, label in enumerate(comparison.labels)
    ]
    return {
        "verdict": [{"text": text, "role": role} for text, role in comparison.verdict_spans()],
        "caveat": comparison.caveat(),
        "names": list(comparison.names),
        "measure": comparison.measure,
        "unit": comparison.unit,
        "scale": comparison.scale,
        "neutral": _finite(comparison.neutral),
        "sides": list(comparison.sides),
        "groups": bool(comparison.groups),
        "rowsAre": comparison.rows_are,
        "level": comparison.level,
        "paired": bool(comparison.paired),
        "outsideLabel": comparison.outside_label,
        "rows": rows,
        "totals": [_total(one) for one in comparison.totals],
        "only": [
            {
                "run": one.run,
                "label": one.label,
                "value": _finite(one.value),
                "ends": _ends((one.interval.low, one.interval.high)),
            }
            for one in comparison.only
        ],
        "differs": [asdict(one) for one in comparison.differs],
        "equal": [asdict(one) for one in comparison.equal],
    }


def _total(total: Total) -> dict[str, Any]:
    interval = total.interval
    return {
        "name": total.name,
        "unit": total.unit,
        "a": _finite(total.a),
        "b": _finite(total.b),
        "change": _finite(total.difference),
        "ends": None if interval is None else _ends((interval.low, interval.high)),
    }


def _finite(value: Any) -> float | None:
    number = float(value)
    return number if math.isfinite(number) else None


def _ends(interval: Any) -> list[float] | None:
    low, high = (_finite(end) for end in interval)
    return None if low is None or high is None else [low, high]


CHOSEN_MEASURES = {
    entry.probe.removeprefix("bl."): kind.measures
    for entry in ENTRIES
    for kind in entry.kinds
    if len(kind.measures) > 1
}
"""Measures between which a person chooses, by the name of the probe."""


class ComparePage(PageHandler):
    """Two runs side by side."""

    def get(self) -> None:
        """Show the runs ``a`` and ``b``; the page asks for the comparison itself."""
        ids = [self.get_query_argument(name, "") for name in ("a", "b")]
        runs = [self.site.store.run(one) for one in ids]
        measures = CHOSEN_MEASURES.get(runs[0].probe, ())
        self.show(
            "compare.html",
            title="Compare two runs · biaslab",
            current="runs",
            runs=[(name, run, bench_of(run)) for name, run in zip("AB", runs, strict=True)],
            measure=self.get_query_argument("measure", MEASURES[0]),
            measures=measures if runs[0].probe == runs[1].probe else (),
        )


class CompareApi(ApiHandler):
    """The comparison as JSON."""

    async def get(self) -> None:
        """Answer with the rows, totals and words of a comparison."""
        self.answer(await from_stored(lambda: comparison_to_json(_compared(self))))


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
