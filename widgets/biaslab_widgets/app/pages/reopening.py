"""Sets a bench to what its page's address says: a stored run (``BENCH?run=ID``), or settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from biaslab.errors import BiaslabError, ResultFormatError
from biaslab.records.kinds import kind_of
from biaslab.records.result import Result
from biaslab.records.wording import prose
from biaslab.store import Store, StoredRun
from biaslab.store.sharing import sharers
from biaslab.subjects.opening.inspection import SubjectInfo
from biaslab_widgets.app.pages.results import of_stored_results
from biaslab_widgets.benches import BENCHES, BenchEntry
from biaslab_widgets.core.state.inputs import (
    CHOOSERS,
    inputs_of_address,
    inputs_to_store,
    stored_inputs,
    subjects_of_inputs,
)
from biaslab_widgets.core.subjects.opening import misfits_of


@dataclass(frozen=True)
class Reopened:
    """What the page of a bench says about the run in its address.

    - `id`: empty for the run that comes with the bench.
    - `headline`: its finding; empty if there is no such run.
    - `notices`: what is not as it was.
    """

    id: str
    headline: str
    notices: tuple[str, ...]


def reopen(
    bench: Any, entry: BenchEntry, store: Store, address: Mapping[str, Sequence[bytes]]
) -> Reopened | None:
    """Set a bench to the stored run or the settings of its address; None where it has neither."""
    if not address.get("run"):
        return _set(bench, entry, address)
    run_id = address["run"][-1].decode("utf-8", "replace")
    try:
        run = store.run(run_id)
        if run.is_deleted:
            store.open(run_id)  # which says that it is in the trash, and how to bring it back
    except BiaslabError as error:
        return Reopened(run_id, "", (prose(error),))
    result, problem = _stored_result(store, run_id)
    if bench_of(run, result) is not entry:
        return Reopened(run_id, run.headline, (_why_not_here(run, result),))
    notices: tuple[str, ...] = ()
    try:
        with of_stored_results():
            if result is not None:
                bench.controller.offer(result.provenance.subject)
            settings = run.inputs or bench.controller.inputs_for(result)
            inputs, notices = stored_inputs(entry.component, settings, bench.controller.known)
            if gone := {n: settings[n] for n in CHOOSERS if n in settings.keys() - inputs}:
                # Another subject would stand below the name of the run.
                bench.reopen({**inputs, **gone}, None)
                return Reopened(run_id, run.headline, notices)
            shown = bench.reopen(inputs, result)
    except BiaslabError as error:
        return Reopened(run_id, run.headline, (*notices, prose(error)))
    if shown or not bench.controller.runs_long:
        return Reopened(run_id, run.headline, (*notices, *problem))
    again = "The settings are those of the run. Run it again: answers that are kept are not asked"
    return Reopened(run_id, run.headline, (*notices, *problem, f"{again} a second time."))


def show_first_run(bench: Any) -> Reopened | None:
    """Show the run that comes with a bench; None where there is none, or not of these subjects."""
    finding = bench.show_first_run()
    return Reopened("", finding, ()) if finding else None


def _set(bench: Any, entry: BenchEntry, address: Mapping[str, Sequence[bytes]]) -> Reopened | None:
    """Set a bench to the settings of its address; None where nothing has to be said of them."""
    named = inputs_of_address(entry.component, address)
    for name in subjects_of_inputs(named):
        bench.controller.offer(name)
    inputs, notices = stored_inputs(entry.component, named, bench.controller.known)
    bench.reopen(inputs, None)
    return Reopened("", "", notices) if notices else None


def settings_of(bench: Any) -> dict[str, Any]:
    """Return what a bench is set to, for the page's address."""
    controller = bench.controller
    return inputs_to_store(controller.component, vars(controller.snapshot()))


def bench_of(
    run: StoredRun, result: Result | None = None, subjects: Iterable[SubjectInfo] = ()
) -> BenchEntry | None:
    """Return the bench that a run can be opened in; None if there is none.

    - `result`: of a run that was perhaps saved outside a bench.
    - `subjects`: known ones: a bench that cannot ask the run's subject cannot open it.
    """
    named = (entry for entry in BENCHES if run.bench and entry.slug == run.bench)
    entry = next(named, None)
    if entry is None or run.inputs:
        return entry
    # Its settings come from its recorded call, which is carried out: nobody else's is.
    is_shown = kind_of(type(result)) in entry.kinds[: entry.shown] and run.id not in sharers("run")
    asked = (info for info in subjects if info.name == run.subject)
    return entry if is_shown and not misfits_of(entry.component.module, asked) else None


def _why_not_here(run: StoredRun, result: Result | None) -> str:
    if (entry := bench_of(run, result)) is not None:
        return f"This run is of another bench: {entry.title}."
    return "No bench shows this run. Its page shows the result."


def _stored_result(store: Store, run_id: str) -> tuple[Result | None, tuple[str, ...]]:
    try:
        return store.open(run_id), ()
    except ResultFormatError as error:
        return None, (prose(error),)
