"""Trace a bias to passages in the background, for the psychometric bench."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.jobs import JobGroup
from biaslab.probes.trace import Passage, TraceResult
from biaslab.reports.trace import compared
from biaslab.results import Result
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab_widgets.benches.psychometric.fields import (
    NO_TRACED,
    PsychometricBenchState,
    ShownPassage,
    Traced,
)
from biaslab_widgets.benches.psychometric.panel_job import PanelJob
from biaslab_widgets.core.commands import Act, Arguments
from biaslab_widgets.core.records import Span

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

    Parameters
    ----------
    question : callable
        Given a state, returns what would be traced, and the subject; None if that is nothing.
    snapshot : callable
        Returns the newest state.
    changed : callable
        Called from any thread when there is something new to show.
    jobs : JobGroup
        Those of the bench.
    save_run : callable
        Stores a result under a label; returns the id of the run.
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
        found = self._traced(snapshot)
        return {} if found == snapshot.traced else {"traced": found}

    def _traced(self, snapshot: PsychometricBenchState) -> Traced:
        asked = self._question(snapshot)
        here: Traced = {**NO_TRACED, "possible": asked is not None}
        question = self._tracing.key
        if not isinstance(question, Question):
            return here
        current = asked is not None and asked[0] == replace(question, check=False)
        here = {**here, "word": question.word, "current": current}
        if self._tracing.running:
            return {**here, "state": "working", "progress": self._tracing.progress}
        if (result := self._tracing.result) is not None:
            return _shown(result, here)
        return {**here, "state": "error", "problem": self._tracing.problem("Stopped.")}

    @property
    def result(self) -> TraceResult:
        """What was found.

        Raises
        ------
        QueryError
            When nothing was traced.
        """
        if (result := self._tracing.result) is None:
            raise QueryError("No passages were found yet: find them first.")
        return result

    def _named(self) -> tuple[TraceResult, str]:
        return self.result, self.result.word

    def _begin(self, args: Arguments) -> str:
        asked = self._question(self._snapshot())
        if asked is None:
            raise QueryError(NOTHING_TO_TRACE)
        question, subject = replace(asked[0], check=bool(args.get("check"))), asked[1]
        if not self._tracing.works_on(question):
            check = SHOWN if question.check else 0
            job = self._jobs.start(
                bl.trace, subject, question.word, question.pairs, passages=SHOWN, check=check
            )
            self._tracing.begin(question, job)
            self._changed()
        return ""


def _shown(result: TraceResult, here: Traced) -> Traced:
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
