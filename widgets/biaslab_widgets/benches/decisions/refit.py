"""Fit the trials on the screen again: without cues and wordings, or of another pair of groups."""

from __future__ import annotations

from dataclasses import replace

from biaslab.errors import QueryError
from biaslab.probes.decisions import DecisionsResult
from biaslab_widgets.benches.decisions.choice import Asked
from biaslab_widgets.benches.decisions.fields import DecisionBenchState
from biaslab_widgets.benches.decisions.run import Run
from biaslab_widgets.core.latest import Latest


class Refit:
    """The last fit, from which margin and level are read anew without another."""

    def __init__(self) -> None:
        self._fitted: Latest[DecisionsResult] = Latest()

    def of(
        self, run: Run | None, asked: Asked | None, state: DecisionBenchState
    ) -> DecisionsResult:
        """Return the result on the screen: nobody is asked again.

        Raises
        ------
        QueryError
            When nothing is answered yet, or no trial of a group is left.
        """
        whole = None if run is None else run.result
        if run is None or whole is None or asked is None:
            raise QueryError("Nothing has been answered yet.")
        out = tuple(state.without_cues), tuple(state.without_wordings)
        key = (run.number, len(whole.trials), out, state.lapses, state.slopes, asked.pair)
        base = self._fitted.of(key, lambda: _fitted(whole, asked.pair, state))
        return _read_with(base, margin=float(state.alike), level=float(state.level))


def paired(result: DecisionsResult, pair: tuple[str, str]) -> DecisionsResult:
    """Return a result whose gap is that of a pair; the same one where it is already."""
    order = (*pair, *(name for name in result.groups if name not in pair))
    if order == result.groups or not set(pair) <= set(result.groups):
        return result
    return replace(result, groups=order)


def _fitted(
    whole: DecisionsResult, pair: tuple[str, str], state: DecisionBenchState
) -> DecisionsResult:
    chosen = replace(paired(whole, pair), lapses=state.lapses, slopes=state.slopes)
    if not state.without_cues and not state.without_wordings:
        return chosen
    places = [
        (at, place)
        for at, group in enumerate(whole.case.groups)
        for place, cue in enumerate(group.cues)
        if cue.text in state.without_cues
    ]
    return chosen.without(cues=places, wordings=[number - 1 for number in state.without_wordings])


def _read_with(result: DecisionsResult, *, margin: float, level: float) -> DecisionsResult:
    """Return a result under another margin and level: neither changes the fit."""
    read = replace(result, margin=margin, level=level)
    vars(read)["fit"] = result.fit
    return read
