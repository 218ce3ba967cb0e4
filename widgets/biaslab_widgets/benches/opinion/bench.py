"""Controller of the opinion bench: reads a file of answers, and judges them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, ClassVar

from biaslab.errors import AnswersError, QueryError
from biaslab.files.csv_text import frame_text
from biaslab.jobs.job import Job
from biaslab.jobs.processes import heavy
from biaslab.probes.opinion import BenchmarkResult, OpinionResult
from biaslab.records.result import Result
from biaslab_widgets.benches.opinion.fields import COMPONENT, OpinionBenchState, Picture
from biaslab_widgets.benches.opinion.files import AnswersFile, AnswersSource, UploadedAnswers, judge
from biaslab_widgets.benches.opinion.how import how_of
from biaslab_widgets.benches.opinion.view import cards_of, group_called, on_screen, picture_of
from biaslab_widgets.core.bench.controller import Emit
from biaslab_widgets.core.bench.recorded import not_of_this_bench
from biaslab_widgets.core.bench.subject_bench import LONGEST_ANSWER_S, SubjectController
from biaslab_widgets.core.bench.uploads import PIECE_CAP
from biaslab_widgets.core.state.commands import Arguments
from biaslab_widgets.core.state.fields import Cap
from biaslab_widgets.core.state.records import How, Message
from biaslab_widgets.core.subjects.sources import Source

_READ = ("roles", "reading", "yes", "reference", "labels", "alike")
"""Inputs that are about one file."""


class OpinionController(SubjectController[OpinionBenchState, OpinionResult, Picture, Any]):
    """Runs `biaslab.opinion` on a file of answers.

    - `sources`: files that can be chosen, by name.
    - `emit`: receives changed outputs.
    - `word_tests`: file of groups and words, for word pairs.
    """

    component = COMPONENT
    asks_aside: ClassVar[bool] = True
    keeps_picture: ClassVar[bool] = True
    computing_words: ClassVar[tuple[str, str]] = (
        "Reading the answers",
        "A large file takes 10 to 20 seconds. The last result stays meanwhile.",
    )
    private: ClassVar[tuple[str, ...]] = ("content",)
    caps: ClassVar[Mapping[str, Cap]] = {
        **SubjectController.caps,
        **dict.fromkeys(("upload-part", "upload"), PIECE_CAP),
    }

    def __init__(
        self,
        sources: Mapping[str, Source[Any]],
        emit: Emit,
        word_tests: str | os.PathLike[str] | None = None,
    ) -> None:
        super().__init__(sources, emit)
        self._words = "" if word_tests is None else os.fspath(word_tests)
        self._uploads = UploadedAnswers()
        self.at_close(self._uploads.close)
        self._failure: AnswersError | None = None
        self.commands |= {"upload-part": self._uploads.take, "upload": self._upload}

    # The question.

    def missing(self, subject: AnswersFile, snapshot: OpinionBenchState) -> Message | None:  # noqa: ARG002
        """Nothing: a file is judged at once."""
        return None

    def key(self, snapshot: OpinionBenchState) -> object:
        """How the file is read and judged."""
        roles = tuple((one["column"], one["role"]) for one in snapshot.roles)
        labels = tuple((one["group"], one["name"]) for one in snapshot.labels)
        rest = (snapshot.reading, snapshot.yes, snapshot.reference, snapshot.alike)
        return (roles, labels, *rest, snapshot.level, self._words, self._path(snapshot))

    def _path(self, snapshot: OpinionBenchState) -> str:
        file = self.subject(snapshot)
        return "" if file is None else str(file.path)

    def ask(self, subject: AnswersFile, snapshot: OpinionBenchState) -> OpinionResult:
        """Read the file and judge its answers."""
        self._failure = None
        try:
            return self.jobs.answer(heavy(judge), subject, *self._arguments(snapshot))
        except AnswersError as error:
            self._failure = error
            raise

    def _arguments(self, snapshot: OpinionBenchState) -> tuple[dict[str, Any], dict[str, Any], str]:
        named: dict[str, Any] = {}
        for one in snapshot.roles:
            column, role = one["column"], one["role"]
            if role == "group" and "group" in named:  # several are crossed
                named["group"] = [*named["group"], column]
            else:
                named[role] = [column] if role == "group" else column
        kept = [one["column"] for one in snapshot.roles if not one["role"]]
        named.pop("", None)
        named |= {"keep": kept} if kept else {}
        named |= {"yes": snapshot.yes} if snapshot.yes else {}
        if snapshot.reading != "first place":
            named["reading"] = snapshot.reading
        options = {
            "labels": {one["group"]: one["name"] for one in snapshot.labels} or None,
            "reference": snapshot.reference or None,
            "margin": snapshot.alike or None,
            "level": snapshot.level,
        }
        return named, options, self._words

    def seconds(self, subject: AnswersFile, snapshot: OpinionBenchState) -> float:  # noqa: ARG002
        """Any file may be large: only made-up answers are judged at once."""
        is_quick = subject.is_example or not subject.path
        return 0.0 if is_quick else 2 * LONGEST_ANSWER_S

    def ask_as_job(self, subject: AnswersFile, snapshot: OpinionBenchState) -> Job[OpinionResult]:
        """Ask in a process of its own, where a page is served."""
        self._failure = None
        return self.jobs.start_awaited(heavy(judge), subject, *self._arguments(snapshot))

    def wait(self) -> None:
        """Wait while a file is read."""
        if self._asking.job is not None:
            self._asking.job.wait()

    def is_common(self, subject: AnswersFile, snapshot: OpinionBenchState) -> bool:  # noqa: ARG002
        """Of made-up answers."""
        return bool(subject.is_example) and not self._words

    # The answer.

    def answer(self, snapshot: OpinionBenchState) -> dict[str, Any]:
        """The picture, and the columns of the file, also of one that cannot be judged."""
        outputs = super().answer(snapshot)
        answer = outputs["answer"]
        job = self._asking.job
        error = self._failure or (job.exception if job is not None and job.finished else None)
        if answer["state"] == "ready" and self._result is not None:
            summary = self._result.file
            answer["columns"] = cards_of(() if summary is None else summary.columns, snapshot)
            answer["about"] = "" if summary is None else summary.about
        elif answer["state"] == "error" and isinstance(error, AnswersError):
            answer["columns"] = cards_of(error.columns, snapshot)
            answer["wants_words"] = error.wants_words
            answer["message"] = {**answer["message"], "title": "This file cannot be judged"}
        else:
            answer["columns"] = self.state["answer"]["columns"]
        if (notice := answer["message"]) is not None:
            answer["message"] = {**notice, "text": on_screen(notice["text"])}
        return outputs

    def paint(self, result: OpinionResult, snapshot: OpinionBenchState) -> dict[str, Any]:
        """The verdict, forests and sentences, in one form for every kind of answers."""
        return {"picture": picture_of(result, snapshot.subject)}

    def explain(
        self,
        shown: tuple[OpinionResult, Picture] | None,
        snapshot: OpinionBenchState,  # noqa: ARG002
    ) -> How:
        """From the rows of the file to the verdict."""
        return how_of(None if shown is None else shown[0])

    # Files.

    def _upload(self, args: Arguments) -> str:
        """Take a file of answers, or with ``what="words"`` one of word tests."""
        file = self._uploads.put(args)
        if args.get("what") == "words":
            self._words = file.path
            self.answer_again()
            return f"{file.name} says which words belong to each group."
        self.opening.add(AnswersSource(file))
        inputs: dict[str, Any] = {"subject": file.name}
        if file.name != self.snapshot().subject:  # else it is read as the last one was
            inputs |= {name: self.component.by_name[name].initial() for name in _READ}
        self.emit({**inputs, "subjects": self.opening.options})
        self.answer_again()
        return f"{file.name} has arrived."

    # Runs.

    def offer(self, name: str) -> None:
        """Offer a file of that name: a run is shown without it, and a link asks for it."""
        if name not in self.opening.sources:
            self.opening.add(AnswersSource(AnswersFile(name)))
            self.emit({"subjects": self.opening.options})

    def inputs_for(self, result: Result) -> dict[str, Any]:
        """See the base: roles are those of the columns."""
        if not isinstance(result, OpinionResult):
            raise not_of_this_bench(self.component, result)
        columns = () if result.file is None else result.file.columns
        given = result.provenance.parameters
        labels: Mapping[str, str] = given.get("labels") or {}
        reference = given.get("reference") or ""
        return {
            "subject": result.source,
            "roles": [{"column": c.name, "role": c.role} for c in columns if c.role],
            "level": result.level,
            "labels": [{"group": group, "name": name} for group, name in labels.items()],
            "reference": group_called(reference, labels),
            "alike": given.get("margin") or 0.0,
        }

    def take_stored(self, result: Result) -> bool:
        """Show the result of a run as it is stored."""
        if not isinstance(result, OpinionResult):
            return False
        with self.computing:
            snapshot = self.snapshot()
            self._asking.forget()
            self._result, self._key = result, (snapshot.subject, self.key(snapshot))
        self.answer_again()
        return True

    def file_stem(self, result: OpinionResult) -> str:
        """The file."""
        stem = PurePath(result.source).stem
        return f"opinion-{''.join(c if c.isalnum() else '-' for c in stem)}"

    def table(self, result: OpinionResult, what: str) -> str:
        """Estimates, or with ``answers`` one row per used answer."""
        if what != "answers":
            return frame_text(result.to_frame())
        if isinstance(result, BenchmarkResult):
            raise QueryError("Of a benchmark the scores are kept. Choose the estimates.")
        return frame_text(result.raw_frame())
