"""The page that follows one number over three or more runs."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Final, cast
from urllib.parse import urlencode

import biaslab as bl
from biaslab.errors import BiaslabError
from biaslab.probes.comparison import MEASURES, Measure, Trajectory, compare, numbers_of, trajectory
from biaslab.records.wording import prose
from biaslab.reports.comparison.trajectory import table_rows
from biaslab.store import Store, StoredRun
from biaslab_widgets.app.pages.compare import CHOSEN_MEASURES
from biaslab_widgets.app.pages.handlers import PageHandler, SiteHandler
from biaslab_widgets.app.pages.results import Download, chart_in_page, exported, from_stored
from biaslab_widgets.app.pages.runs import DownloadHandler

_WAYS: Final = {"earlier": -1, "later": 1}


@dataclass(frozen=True)
class Asked:
    """The choices of a person, as the address holds them.

    - `run`: ids, in order; `label`: of these.
    - `of`: the number that is followed; empty for the first.
    """

    run: tuple[str, ...]
    label: tuple[str, ...]
    of: str
    per: str
    measure: str

    @property
    def query(self) -> str:
        """The address of these choices, after its question mark."""
        return urlencode(asdict(self), doseq=True)

    @property
    def code(self) -> str:
        """Python that makes the result again."""
        by = "" if self.measure == MEASURES[0] else f", measure={self.measure!r}"
        return (
            "from biaslab.probes.comparison import trajectory\n\n"
            f"runs = {list(self.run)!r}\nlabels = {list(self.label)!r}\n"
            f"result = trajectory(runs, labels, of={self.of!r}, per={self.per!r}{by})\n"
            "print(result.summary())\n"
        )

    def ordered(self, order: list[int]) -> Asked:
        """Return these with the runs and their labels in an order."""
        runs, labels = (tuple(own[i] for i in order) for own in (self.run, self.label))
        return replace(self, run=runs, label=labels)

    def moved(self, place: int, step: int) -> Asked:
        """Return these with a run, and its label, one place earlier or later."""
        order = list(range(len(self.run)))
        order.insert(max(place + step, 0), order.pop(place))
        return self.ordered(order)


def asked_of(handler: SiteHandler) -> Asked:
    """Read the choices off an address; the first labels are chosen for the person.

    Raises `RunNotFoundError` for an unknown run.
    """
    ids, labels = handler.get_query_arguments("run"), handler.get_query_arguments("label")
    asked = Asked(
        tuple(ids),
        tuple(labels),
        handler.get_query_argument("of", ""),
        handler.get_query_argument("per", "") or "step",
        handler.get_query_argument("measure", MEASURES[0]),
    )
    if labels:
        return asked
    asked = replace(asked, label=tuple(first_labels([handler.site.store.run(one) for one in ids])))
    if all(label.isdecimal() for label in asked.label):
        return asked.ordered(sorted(range(len(ids)), key=lambda i: float(asked.label[i])))
    return asked


def first_labels(runs: list[StoredRun]) -> list[str]:
    """Label runs by the first of tags, notes, subjects, days and times that tells them apart."""
    common = set.intersection(*(set(run.tags) for run in runs)) if runs else set()
    for labels in (
        [next((tag for tag in run.tags if tag not in common), "") for run in runs],
        [run.label for run in runs],
        [run.subject for run in runs],
        [run.time[:10] for run in runs],
        [run.time[:19].replace("T", " ") for run in runs],
    ):
        if all(labels) and len(set(labels)) == len(labels):
            return labels
    return [str(i + 1) for i in range(len(runs))]


def followed(store: Store, asked: Asked) -> tuple[Trajectory | None, list[str], Asked, str]:
    """Return the result, the numbers that can be followed, the choices, and why there is none."""
    numbers: list[str] = []
    try:
        opened = {run_id: store.open(run_id) for run_id in asked.run}
        measure = cast("Measure", asked.measure)  # refuses another
        if len(opened) > 1:
            numbers = numbers_of(compare(*list(opened.values())[:2], measure=measure))
        asked = replace(asked, of=asked.of or next(iter(numbers), ""))
        result = trajectory(
            [opened[run_id] for run_id in asked.run],
            asked.label,
            of=asked.of or None,
            per=asked.per,
            measure=measure,
        )
    except BiaslabError as error:
        return None, numbers, asked, prose(error)
    return result, numbers, asked, ""


class TrajectoryPage(PageHandler):
    """Runs in an order, and one number over them."""

    async def get(self) -> None:
        """Show the runs of the address, with one of them moved if it says so."""
        asked, focus = asked_of(self), (-1, "")
        places = [str(i) for i in range(len(asked.run))]
        for way, step in _WAYS.items():
            text = self.get_query_argument(way, "")
            if text in places and len(asked.label) == len(places):
                asked, focus = asked.moved(int(text), step), (int(text) + step, way)
        runs = [self.site.store.run(run_id) for run_id in asked.run]
        result, numbers, asked, problem = await from_stored(
            partial(followed, self.site.store, asked)
        )
        chart, rows = await from_stored(
            lambda: (chart_in_page(result), table_rows(result)) if result else ("", [])
        )
        self.show(
            "trajectory.html",
            title="Compare runs · biaslab",
            current="runs",
            asked=asked,
            runs=runs,
            labels=[*asked.label, *[""] * len(runs)][: len(runs)],
            focus=focus,
            numbers=numbers,
            measures=CHOSEN_MEASURES.get(runs[0].probe, ()) if runs else (),
            result=result,
            problem=problem,
            chart=chart,
            rows=rows,
        )


class TrajectoryExportApi(DownloadHandler):
    """The trajectory as a file."""

    async def get(self) -> None:
        """Answer with the trajectory in a ``format``, of which ``html`` is a report."""
        form = self.get_query_argument("format", "csv")
        self.download(await from_stored(lambda: _file(self.site.store, asked_of(self), form)))


def _file(store: Store, asked: Asked, form: str) -> Download:
    result, *_, problem = followed(store, asked)
    if result is None:
        raise bl.errors.QueryError(problem)
    if form == "html":
        return Download("trajectory.html", "text/html; charset=utf-8", bl.report(result).encode())
    return exported({"trajectory": result}, form)
