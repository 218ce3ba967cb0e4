"""Each bench as a visitor of the app finds it, in the state after its first answer."""

from __future__ import annotations

from biaslab_widgets.app.library.shared import Shared
from biaslab_widgets.app.library.subject_library import SubjectLibrary
from biaslab_widgets.benches import BENCHES, BenchEntry
from harness.recording import Scenarios, State
from harness.server import wait_until

LATE = "decisions"
"""Opens its model at once, for which Python imports libraries for seconds."""


def record() -> Scenarios:
    """The state in which the app of one person opens each bench, none of whose models is open."""
    library = SubjectLibrary(Shared.of())
    told = {entry.name: _opened(entry, library) for entry in BENCHES if entry.name != LATE}
    library.shared.open_bundled()
    late = next(entry for entry in BENCHES if entry.name == LATE)
    return {**told, LATE: _opened(late, library)}


def _opened(entry: BenchEntry, library: SubjectLibrary) -> State:
    bench = entry.panel_class.on_page(library.shared)
    bench.controller.know(library.infos())
    try:
        wait_until(lambda: _is_answered(bench.answer), f"the first answer of {entry.name}")
        state = {field.name: getattr(bench, field.name) for field in entry.component.fields}
        if "library" in state:  # as many rows as are in sight, with the one that is shown first
            state["library"] = state["library"][-12:]
        return state
    finally:
        bench.controller.close()


def _is_answered(answer: State) -> bool:
    """Whether it is ready, or says what is to be done first."""
    return answer["state"] == "ready" or (answer["state"] == "empty" and bool(answer["message"]))
