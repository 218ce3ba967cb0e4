"""The page of one stored run."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from biaslab.results import Result
from biaslab.sharing import sharers
from biaslab.store import Store, StoredRun
from biaslab.subjects.pretrained.facts import summary_of
from biaslab_widgets.app.assets import MODULES, asset
from biaslab_widgets.app.charts import chart_in_page
from biaslab_widgets.app.exports import MEDIA_TYPES
from biaslab_widgets.app.handlers import PageHandler
from biaslab_widgets.app.reopening import bench_of
from biaslab_widgets.app.stored_results import from_stored
from biaslab_widgets.benches import BenchEntry

_MOST_ROWS = 200


@dataclass(frozen=True)
class ShownRun:
    """What the page shows of a run.

    Attributes
    ----------
    run : StoredRun
    bench : BenchEntry or None
        In which it can be opened.
    result : Result
    chart : str
        SVG; empty where its kind has none.
    columns : tuple of str
    rows : list of tuple of str
        The first rows of the table.
    rows_in_all : int
    origin : list of (str, str)
        The provenance.
    code : str
        Python that makes the result again; empty where that was not recorded.
    formats : tuple of str
        In which it can be exported.
    shared_by : str
        Who shared it; empty for a run of the person's own.
    """

    run: StoredRun
    bench: BenchEntry | None
    result: Result
    chart: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    rows_in_all: int
    origin: list[tuple[str, str]]
    code: str
    formats: tuple[str, ...]
    shared_by: str


class RunPage(PageHandler):
    """A stored run."""

    async def get(self) -> None:
        """Show the run of ``id``."""
        run_id = self.get_query_argument("id", "")
        shown = await from_stored(partial(shown_run, self.site.store, run_id))
        self.show(
            "run.html",
            title=f"{shown.run.headline} · biaslab",
            current="runs",
            style=asset(MODULES, "run.css"),
            module=asset(MODULES, "run.js"),
            shown=shown,
        )


def shown_run(store: Store, run_id: str) -> ShownRun:
    """Return what the page shows of a run.

    Raises
    ------
    RunNotFoundError
        If there is no such run, or it is in the trash.
    ResultFormatError
        If this biaslab cannot read it.
    """
    result, run = store.open(run_id), store.run(run_id)
    frame = result.to_frame()
    chart = chart_in_page(result)
    write: Callable[[], str] | None = getattr(result, "code", None)
    return ShownRun(
        run=run,
        bench=bench_of(run),
        result=result,
        chart=chart,
        columns=tuple(str(name).replace("_", " ") for name in frame.columns),
        rows=[
            tuple(_text(v) for v in row) for row in frame.head(_MOST_ROWS).itertuples(index=False)
        ],
        rows_in_all=len(frame),
        origin=_origin(result),
        code=write() if write is not None else "",
        formats=tuple(form for form in MEDIA_TYPES if chart or form != "svg"),
        shared_by=sharers("run").get(run_id, ""),
    )


def _origin(result: Result) -> list[tuple[str, str]]:
    origin = result.provenance
    rows = {
        "Probe": origin.probe,
        "Subject": origin.subject,
        "Content of the subject (SHA-256)": origin.subject_hash,
        "Word lists (SHA-256)": origin.spec_hash,
        "Seed": origin.seed,
        **{name.replace("_", " "): _text(value) for name, value in origin.parameters.items()},
        "Model": summary_of(origin.loaded),
        "Device": origin.device,
        "Processor": origin.cpu,
        "Versions": ", ".join(f"{name} {version}" for name, version in origin.versions.items()),
        "Began": origin.time,
    }
    return [(name, str(value)) for name, value in rows.items() if value not in (None, "")]


def _text(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, tuple | list):
        return ", ".join(_text(one) for one in value)
    return str(value)
