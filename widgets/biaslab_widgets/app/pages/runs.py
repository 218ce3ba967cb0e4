"""Pages of stored runs: the list, one run, and reports."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import biaslab as bl
from biaslab.errors import ArgumentError
from biaslab.records.result import Result
from biaslab.reports.tables import Table, estimates_of, intervals_of
from biaslab.store import Store, StoredRun
from biaslab.store.sharing import may_share, share_run, shared_runs, sharers, withdraw
from biaslab.subjects.opening.inspection import SubjectInfo
from biaslab.subjects.pretrained.facts import summary_of
from biaslab_widgets.app.pages.handlers import ApiHandler, PageHandler
from biaslab_widgets.app.pages.reopening import bench_of
from biaslab_widgets.app.pages.results import (
    MEDIA_TYPES,
    Download,
    chart_in_page,
    exported,
    from_stored,
)
from biaslab_widgets.benches import BENCHES, BenchEntry

MOST_RUNS = 1000


def run_ids(text: str) -> list[str]:
    """Return the ids in a list with commas, each once.

    Raises `ArgumentError` if there is none, or more than `MOST_RUNS`.
    """
    ids = list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not ids:
        raise ArgumentError("The address names no run. Choose runs on the page Runs.")
    if len(ids) > MOST_RUNS:
        raise ArgumentError(f"{len(ids):,} runs are more than {MOST_RUNS:,}: choose fewer.")
    return ids


def opened(store: Store, ids: Sequence[str]) -> dict[str, Result]:
    """Return the results of runs by id."""
    return {run_id: store.open(run_id) for run_id in ids}


class RunsPage(PageHandler):
    """The list of runs."""

    def get(self) -> None:
        """Show the page, which asks for the list itself."""
        self.show("runs.html", title="Runs · biaslab", current="runs")


class RunsApi(ApiHandler):
    """The runs as JSON."""

    async def get(self) -> None:
        """Answer with all runs, newest first, and with the benches by which they are filtered."""
        values = await asyncio.to_thread(_listed, self.site.store)
        self.answer(values)


class FoundRunsApi(ApiHandler):
    """Runs that are about some words."""

    async def get(self) -> None:
        """Answer with the ids of the runs in which each word of ``search`` occurs."""
        words = self.get_query_argument("search", "")
        ids = await asyncio.to_thread(_matching_ids, self.site.store, words)
        self.answer({"ids": ids})


class PicturesApi(ApiHandler):
    """Thumbnails of the charts of runs."""

    async def get(self) -> None:
        """Answer with the pictures of ``runs``, by id."""
        ids, store = run_ids(self.get_query_argument("runs", "")), self.site.store
        pictures = await asyncio.to_thread(lambda: {one: store.run(one).picture for one in ids})
        self.answer({"pictures": pictures})


class ChangeRunsApi(ApiHandler):
    """Deletes, restores, tags, renames and shares runs."""

    async def post(self, change: str) -> None:
        """Make a change to the runs named in the request; all or none."""
        await asyncio.to_thread(_change, self.site.store, change, self.body())
        self.answer({})


class DownloadHandler(ApiHandler):
    """Base of answers that a browser saves as a file."""

    def download(self, file: Download) -> None:
        """Answer with a file."""
        self.set_header("Content-Type", file.media_type)
        self.set_header("Content-Disposition", file.disposition)
        self.finish(file.content)


class ExportApi(DownloadHandler):
    """Results as files."""

    async def get(self) -> None:
        """Answer with the results of ``runs`` in a ``format``."""
        ids = run_ids(self.get_query_argument("runs", ""))
        form, store = self.get_query_argument("format", "csv"), self.site.store
        self.download(await from_stored(lambda: exported(opened(store, ids), form)))


def _listed(store: Store) -> dict[str, Any]:
    own: Any = store.runs().to_dict("records")
    runs: list[dict[str, Any]] = [*({**run, "sharedBy": ""} for run in own), *shared_runs()]
    runs.sort(key=lambda run: run["id"], reverse=True)
    for run in runs:
        time, seconds = run["time"], run["seconds"]
        run["time"] = time.isoformat() if time == time else ""  # NaT differs from itself
        run["seconds"] = seconds if seconds == seconds else None
    benches = [{"name": one.slug, "title": one.title} for one in BENCHES]
    return {
        "runs": runs,
        "benches": benches,
        "mayShare": may_share(),
        "bytes": store.size() if own else 0,
    }


def _matching_ids(store: Store, words: str) -> list[str]:
    return [*store.runs(words)["id"], *(run["id"] for run in shared_runs(words))]


def _change(store: Store, change: str, values: dict[str, Any]) -> None:
    ids = values.get("ids")
    if not isinstance(ids, list) or not ids or not all(isinstance(run_id, str) for run_id in ids):
        raise ArgumentError("The request names no runs.")
    if change == "delete":
        store.delete(ids)
    elif change == "restore":
        store.restore(ids)
    elif change == "share":
        for run_id in ids:
            share_run(run_id)
    elif change == "withdraw":
        for run_id in ids:
            withdraw("run", run_id)
    elif change == "tag":
        store.tag(ids, *_texts(values, "tags"))
    elif change == "untag":
        store.untag(ids, *_texts(values, "tags"))
    else:
        store.rename(ids[0], str(values.get("label", "")))


def _texts(values: dict[str, Any], name: str) -> list[str]:
    texts = values.get(name)
    if not isinstance(texts, list) or not all(isinstance(one, str) for one in texts):
        raise ArgumentError(f"The request has no {name}.")
    return texts


_MOST_ROWS = 200


@dataclass(frozen=True)
class ShownRun:
    """What the page shows of a run.

    - `bench`: in which it can be opened.
    - `chart`: SVG; empty where its kind has none.
    - `table`: the estimates, as far as the page holds them.
    - `intervals`: what they have, with the level.
    - `origin`: the provenance.
    - `code`: Python that makes the result again; empty where that was not recorded.
    - `formats`: in which it can be exported.
    - `shared_by`: who shared it; empty for a run of the person's own.
    """

    run: StoredRun
    bench: BenchEntry | None
    result: Result
    chart: str
    table: Table
    intervals: str
    origin: list[tuple[str, str]]
    code: str
    formats: tuple[str, ...]
    shared_by: str


class RunPage(PageHandler):
    """A stored run."""

    async def get(self) -> None:
        """Show the run of ``id``."""
        run_id = self.get_query_argument("id", "")
        infos = self.site.subjects.infos()
        shown = await from_stored(partial(shown_run, self.site.store, run_id, infos))
        self.show("run.html", title=f"{shown.run.headline} · biaslab", current="runs", shown=shown)


def shown_run(store: Store, run_id: str, subjects: Iterable[SubjectInfo] = ()) -> ShownRun:
    """Return what the page shows of a run.

    - `subjects`: those of the library.

    Raises `RunNotFoundError` if there is no such run, or it is in the trash; `ResultFormatError` if
    this biaslab cannot read it.
    """
    result, run = store.open(run_id), store.run(run_id)
    chart = chart_in_page(result)
    write: Callable[[], str] | None = getattr(result, "code", None)
    return ShownRun(
        run=run,
        bench=bench_of(run, result, subjects),
        result=result,
        chart=chart,
        table=estimates_of(result, _MOST_ROWS),
        intervals=intervals_of(result),
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


class ReportPage(PageHandler):
    """The report of runs: within a page, as a page of its own to be printed, or as a file."""

    async def get(self) -> None:
        """Show the report of ``runs``; ``print=1`` gives it alone, ``download=1`` as a file."""
        ids, store = run_ids(self.get_query_argument("runs", "")), self.site.store
        text = await from_stored(lambda: bl.report(ids, store=store))
        if self.get_query_argument("print", ""):
            self.set_header("Content-Type", "text/html; charset=utf-8")
            self.finish(text)
            return
        if not self.get_query_argument("download", ""):
            self.show(
                "report.html",
                title="Report · biaslab",
                current="runs",
                runs=",".join(ids),
                count=len(ids),
                text=text,
            )
            return
        file = Download(f"report-{ids[0]}.html", "text/html; charset=utf-8", text.encode())
        self.set_header("Content-Disposition", file.disposition)
        self.set_header("Content-Type", file.media_type)
        self.finish(file.content)
