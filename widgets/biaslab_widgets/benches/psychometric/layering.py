"""Ask a language model at every layer in the background, for the psychometric bench."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.jobs import JobContext, JobGroup
from biaslab.probes.psychometrics import FramedModel, LayersResult
from biaslab.reports.psychometrics.layers import name_of
from biaslab.results import Result
from biaslab_widgets.benches.psychometric.fields import (
    NO_LAYERED,
    Layered,
    LayerPoint,
    PsychometricBenchState,
)
from biaslab_widgets.benches.psychometric.languages import FrameChoice
from biaslab_widgets.benches.psychometric.panel_job import PanelJob
from biaslab_widgets.benches.psychometric.view import FAR
from biaslab_widgets.core.bench_fields import NO_PROGRESS
from biaslab_widgets.core.commands import Act, Arguments

_LEANS: dict[int, Literal["cue_1", "cue_2", "none"]] = {1: "cue_1", -1: "cue_2", 0: "none"}


@dataclass(frozen=True)
class LayersQuestion:
    """A question at every layer, and how its answers are read."""

    subject: str
    word: str
    pairs: tuple[tuple[str, str], ...]
    options: tuple[tuple[str, Any], ...]
    frames: FrameChoice


class Layering:
    """Asks at every layer while the bench shows layers.

    Parameters
    ----------
    question : callable
        Given a state, returns what would be asked, and of which model; None while that is nothing,
        or the model has not answered at its input yet.
    changed : callable
        Called from any thread when there is something new to show.
    jobs : JobGroup
        Those of the bench.
    save_run : callable
        Stores a result under a label; returns the id of the run.
    """

    def __init__(
        self,
        question: Callable[[PsychometricBenchState], tuple[LayersQuestion, FramedModel] | None],
        changed: Callable[[], object],
        jobs: JobGroup,
        save_run: Callable[[Result, str], str],
    ) -> None:
        self._question, self._changed, self._jobs = question, changed, jobs
        self._asking: PanelJob[LayersResult] = PanelJob("layers", changed, self._named, save_run)
        self._shown: tuple[LayersQuestion, LayersResult] | None = None
        self.commands: Mapping[str, Act] = {
            **self._asking.commands,
            "retry_layers": self._retry,
        }

    def outputs(self, snapshot: PsychometricBenchState) -> dict[str, Any]:
        """The layers, or how far the asking is, where that has changed."""
        found = self._layered(snapshot)
        return {} if found == snapshot.layered else {"layered": found}

    @property
    def result(self) -> LayersResult:
        """The curves that are shown.

        Raises
        ------
        QueryError
            When every layer has not been asked.
        """
        if self._shown is None:
            raise QueryError("The layers were not asked yet: open them first.")
        return self._shown[1]

    def _named(self) -> tuple[LayersResult, str]:
        return self.result, self.result.items[0]

    def _layered(self, snapshot: PsychometricBenchState) -> Layered:
        if not snapshot.all_layers:
            self._asking.cancel()
            return NO_LAYERED
        asked = self._question(snapshot)
        if asked is not None and self._asking.key != asked[0]:
            self._begin(*asked)
        if (result := self._asking.result) is not None:
            assert isinstance(self._asking.key, LayersQuestion)  # noqa: S101  # begun with one
            self._shown = (self._asking.key, result)
        here = NO_LAYERED if self._shown is None else _shown(self._shown[1])
        is_current = asked is not None and self._shown is not None and self._shown[0] == asked[0]
        here = {**here, "current": is_current}
        if self._asking.running:
            return {**here, "state": "working", "progress": self._asking.progress}
        if problem := self._asking.problem("Stopped."):
            return {**here, "state": "error", "problem": problem}
        return here

    def _begin(self, question: LayersQuestion, model: FramedModel) -> None:
        self._asking.progress = NO_PROGRESS
        job = self._jobs.start(_ask, model, question)
        self._asking.begin(question, job)

    def _retry(self, _args: Arguments) -> str:
        self._asking.forget()
        self._changed()
        return ""


def _ask(
    model: FramedModel, question: LayersQuestion, context: JobContext | None = None
) -> LayersResult:
    found: LayersResult = bl.two_afc(
        model, [question.word], question.pairs, layers="all", context=context,
        **dict(question.options),
    )  # fmt: skip
    return found


def _shown(result: LayersResult) -> Layered:
    origin = result.origin(result.items[0])
    return {
        **NO_LAYERED,
        "state": "ready",
        "word": result.items[0],
        "cue_1": result.pairs[0][0],
        "cue_2": result.pairs[0][1],
        "verdict": [{"text": text, "role": role} for text, role in result.verdict_spans()],
        "caveat": result.caveat(),
        "alpha": result.stimuli.tolist(),
        "layers": [_point(result, layer) for layer in result.layers],
        "before": origin.before,
        "after": origin.after,
        "arises": origin.source == "layers",
    }


def _point(result: LayersResult, layer: int) -> LayerPoint:
    found = result.estimates(layer)
    answers = result.answers[result.layers.index(layer), :, 0]
    even = _ends(found.neutral_interval[0])
    return {
        "layer": layer,
        "name": name_of(result, layer),
        "pse": _number(found.pse[0]),
        "corpus": _ends(found.corpus[0]),
        "jnd": _number(found.jnd[0]),
        "jnd_interval": _ends(found.jnd_interval[0]),
        "even": float(found.neutral[0]),
        "even_interval": even,
        "lean": "unknown" if even is None else _LEANS[int(found.lean[0])],
        "share": np.round(np.einsum("bkl,k->bl", answers, result.weights).mean(axis=0), 5).tolist(),
    }


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(np.clip(value, -FAR, FAR))


def _ends(interval: np.ndarray[Any, np.dtype[np.float64]]) -> tuple[float, float] | None:
    if np.isnan(interval).any():
        return None
    low, high = np.clip(interval, -FAR, FAR)
    return float(low), float(high)
