"""Panels below the picture, each a job: a bias traced to passages, and every layer asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.jobs.job import JobGroup
from biaslab.jobs.progress import JobProgress
from biaslab.probes.psychometrics import CuePairs, FramedModel, LayersResult
from biaslab.probes.trace import Passage, TraceResult
from biaslab.probes.trace.counted import counts_folder, has_counts
from biaslab.records.result import Result
from biaslab.reports.psychometrics.layers import name_of
from biaslab.reports.trace import compared
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab_widgets.benches.psychometric.asking import FrameChoice
from biaslab_widgets.benches.psychometric.fields import (
    Layered,
    LayerPoint,
    PsychometricBenchState,
    ShownPassage,
    Traced,
)
from biaslab_widgets.benches.psychometric.view import FAR
from biaslab_widgets.core.answers.background import Background
from biaslab_widgets.core.curve_fit import LEANS
from biaslab_widgets.core.state.bench_state import NO_PROGRESS, job_progress
from biaslab_widgets.core.state.commands import Act, Arguments, Content, file
from biaslab_widgets.core.state.fields import empty
from biaslab_widgets.core.state.records import Progress, Span

R = TypeVar("R", bound=Result)


class PanelJob(Background[R]):
    """The newest job of a panel, which can be stopped, and its result taken along.

    - `name`: of its commands and its table: ``stop_NAME``, ``save_NAME`` and ``NAME_csv``.
    - `changed`: called from any thread when there is something new to show.
    - `shown`: returns the result that is shown, and the word that it is about.
    - `save_run`: stores a result under a label; returns the id of the run.
    - `progress`: of the newest job.
    """

    def __init__(
        self,
        name: str,
        changed: Callable[[], object],
        shown: Callable[[], tuple[R, str]],
        save_run: Callable[[Result, str], str],
    ) -> None:
        super().__init__(changed, self._show_progress)
        self._name, self._shown, self._save_run = name, shown, save_run
        self.progress: Progress = NO_PROGRESS
        self.commands: Mapping[str, Act] = {
            f"stop_{name}": self._stop,
            f"{name}_csv": self._csv,
            f"save_{name}": self._save,
        }

    def _show_progress(self, progress: JobProgress | None) -> None:
        self.progress = job_progress(progress)
        self._changed()

    def _stop(self, _args: Arguments) -> str:
        self.cancel()
        return ""

    def _csv(self, _args: Arguments) -> Content:
        result, word = self._shown()
        stem = "".join(c if c.isalnum() else "-" for c in word)
        return file(f"{self._name}-{stem}.csv", "text/csv", str(result.to_csv()))

    def _save(self, args: Arguments) -> str:
        result, _ = self._shown()
        return f"Saved as run {self._save_run(result, str(args.get('label', '')))}."


SHOWN = 10
"""Passages each way."""
NOTHING_TO_TRACE = "Choose word vectors, a word and a cue pair first."


@dataclass(frozen=True)
class Question:
    """What is traced; with a check, the passages shown are really left out."""

    subject: str
    word: str
    pairs: tuple[tuple[str, str], ...]
    check: bool = False


class Tracer:
    """Finds the passages that make a bias, when it is asked to.

    - `question`: given a state, returns what would be traced, and the subject; None if that is
      nothing.
    - `snapshot`: returns the newest state.
    - `changed`: called from any thread when there is something new to show.
    - `jobs`: those of the bench.
    - `save_run`: stores a result under a label; returns the id of the run.
    """

    def __init__(
        self,
        question: Callable[[PsychometricBenchState], tuple[Question, EmbeddingSubject] | None],
        snapshot: Callable[[], PsychometricBenchState],
        changed: Callable[[], object],
        jobs: JobGroup,
        save_run: Callable[[Result, str], str],
    ) -> None:
        self._question, self._snapshot, self._changed, self._jobs = (
            question, snapshot, changed, jobs,
        )  # fmt: skip
        self._tracing: PanelJob[TraceResult] = PanelJob("trace", changed, self._named, save_run)
        self.commands: Mapping[str, Act] = {**self._tracing.commands, "trace": self._begin}

    def outputs(self, snapshot: PsychometricBenchState) -> dict[str, Any]:
        """The passages, or how far the search is, where that has changed."""
        shown = self._traced(snapshot)
        return {} if shown == snapshot.traced else {"traced": shown}

    def _traced(self, snapshot: PsychometricBenchState) -> Traced:
        possible = self._question(snapshot)
        here: Traced = {
            **empty(Traced),
            "offered": has_counts(counts_folder(snapshot.subject)),
            "possible": possible is not None,
        }
        question = self._tracing.key
        if not isinstance(question, Question):
            return here
        current = possible is not None and possible[0] == replace(question, check=False)
        here = {**here, "word": question.word, "current": current}
        if self._tracing.running:
            return {**here, "state": "working", "progress": self._tracing.progress}
        if (result := self._tracing.result) is not None:
            return _shown_trace(result, here)
        return {**here, "state": "error", "problem": self._tracing.problem("Stopped.")}

    @property
    def result(self) -> TraceResult:
        """What was found.

        Raises `QueryError` when nothing was traced.
        """
        if (result := self._tracing.result) is None:
            raise QueryError("No passages were found yet: find them first.")
        return result

    def _named(self) -> tuple[TraceResult, str]:
        return self.result, self.result.word

    def _begin(self, args: Arguments) -> str:
        possible = self._question(self._snapshot())
        if possible is None:
            raise QueryError(NOTHING_TO_TRACE)
        question, subject = replace(possible[0], check=bool(args.get("check"))), possible[1]
        if not self._tracing.works_on(question):
            check = SHOWN if question.check else 0
            job = self._jobs.start(
                bl.trace, subject, question.word, question.pairs, passages=SHOWN, leave_out=check
            )
            self._tracing.begin(question, job)
            self._changed()
        return ""


def _shown_trace(result: TraceResult, here: Traced) -> Traced:
    one, two = result.pairs[0]
    cues = ({a for a, _ in result.pairs}, {b for _, b in result.pairs})
    return {
        **here,
        "state": "ready",
        "cue_1": one,
        "cue_2": two,
        "verdict": [{"text": text, "role": role} for text, role in result.verdict_spans()],
        "caveat": f"{result.caveat()} {compared(result)}",
        "checked": bool(result.checks),
        "toward_1": [_passage(each, result.word, cues) for each in result.toward_1],
        "toward_2": [_passage(each, result.word, cues) for each in result.toward_2],
    }


def _passage(passage: Passage, word: str, cues: tuple[set[str], set[str]]) -> ShownPassage:
    return {
        "line": passage.line,
        "pull": passage.pull,
        "low": passage.over_corpora.low,
        "high": passage.over_corpora.high,
        "text": _marked(passage.text, word, cues),
    }


def _marked(text: str, word: str, cues: tuple[set[str], set[str]]) -> list[Span]:
    """A passage in pieces: the word is strong, cues have their colours."""
    spans: list[Span] = []
    plain: list[str] = []
    for each in text.split():
        role = _role(each, word, cues)
        if role is None:
            plain.append(each)
            continue
        spans += [{"text": f"{' '.join(plain)} ", "role": "plain"}] if plain else []
        spans += [role, {"text": " ", "role": "plain"}]
        plain = []
    return [*spans, {"text": " ".join(plain), "role": "plain"}] if plain else spans[:-1]


def _role(each: str, word: str, cues: tuple[set[str], set[str]]) -> Span | None:
    if each == word:
        return {"text": each, "role": "strong"}
    if each in cues[0]:
        return {"text": each, "role": "group1"}
    return {"text": each, "role": "group2"} if each in cues[1] else None


@dataclass(frozen=True)
class LayersQuestion:
    """A question at every layer, and how its answers are read."""

    subject: str
    word: str
    cues: CuePairs
    options: tuple[tuple[str, Any], ...]
    frames: FrameChoice


class Layering:
    """Asks at every layer while the bench shows layers.

    - `question`: given a state, returns what would be asked, and of which model; None while that is
      nothing, or the model has not answered at its input yet.
    - `changed`: called from any thread when there is something new to show.
    - `jobs`: those of the bench.
    - `save_run`: stores a result under a label; returns the id of the run.
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
        self.commands: Mapping[str, Act] = {**self._asking.commands, "retry_layers": self._retry}

    def outputs(self, snapshot: PsychometricBenchState) -> dict[str, Any]:
        """The layers, or how far the asking is, where that has changed."""
        shown = self._layered(snapshot)
        return {} if shown == snapshot.layered else {"layered": shown}

    @property
    def result(self) -> LayersResult:
        """The curves that are shown.

        Raises `QueryError` when every layer has not been asked.
        """
        if self._shown is None:
            raise QueryError("The layers were not asked yet: open them first.")
        return self._shown[1]

    def _named(self) -> tuple[LayersResult, str]:
        return self.result, self.result.items[0]

    def _layered(self, snapshot: PsychometricBenchState) -> Layered:
        if not snapshot.all_layers:
            self._asking.cancel()
            return empty(Layered)
        question = self._question(snapshot)
        if question is not None and self._asking.key != question[0]:
            self._begin(*question)
        if (result := self._asking.result) is not None:
            assert isinstance(self._asking.key, LayersQuestion)  # noqa: S101  # begun with one
            self._shown = (self._asking.key, result)
        here = empty(Layered) if self._shown is None else _shown_layers(self._shown[1])
        shown = self._shown
        is_current = question is not None and shown is not None and shown[0] == question[0]
        here = {**here, "current": is_current}
        if self._asking.running:
            return {**here, "state": "working", "progress": self._asking.progress}
        if problem := self._asking.problem("Stopped."):
            return {**here, "state": "error", "problem": problem}
        return here

    def _begin(self, question: LayersQuestion, model: FramedModel) -> None:
        self._asking.progress = NO_PROGRESS
        job = self._jobs.start(
            bl.two_afc_layers, model, [question.word], question.cues, **dict(question.options)
        )
        self._asking.begin(question, job)

    def _retry(self, _args: Arguments) -> str:
        self._asking.forget()
        self._changed()
        return ""


def _shown_layers(result: LayersResult) -> Layered:
    origin = result.origin(result.items[0])
    return {
        **empty(Layered),
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
    estimates = result.estimates(layer)
    answers = result.answers[result.layers.index(layer), :, 0]
    even = _ends(estimates.neutral_interval[0])
    return {
        "layer": layer,
        "name": name_of(result, layer),
        "pse": _number(estimates.pse[0]),
        "corpus": _ends(estimates.corpus[0]),
        "jnd": _number(estimates.jnd[0]),
        "jnd_interval": _ends(estimates.jnd_interval[0]),
        "even": float(estimates.neutral[0]),
        "even_interval": even,
        "lean": "unknown" if even is None else LEANS[int(estimates.lean[0])],
        "share": np.round(np.einsum("bkl,k->bl", answers, result.weights).mean(axis=0), 5).tolist(),
    }


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(np.clip(value, -FAR, FAR))


def _ends(interval: np.ndarray[Any, np.dtype[np.float64]]) -> tuple[float, float] | None:
    if np.isnan(interval).any():
        return None
    low, high = np.clip(interval, -FAR, FAR)
    return float(low), float(high)
