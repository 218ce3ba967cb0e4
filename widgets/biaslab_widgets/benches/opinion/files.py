"""Files of answers that a bench offers: named ones, made-up ones, uploads, and those of runs."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any, Final

from biaslab.answers import EXAMPLES, RecordedAnswers, replay
from biaslab.arguments import described
from biaslab.errors import AnswersError, QueryError, WrongSubjectError
from biaslab.files.given import LARGEST
from biaslab.people.access import current_access
from biaslab.people.disk import ask_for_disk, give_disk_back
from biaslab.probes.opinion import OpinionResult, opinion
from biaslab.records.calls import call_of
from biaslab.records.record import FrozenDict
from biaslab_widgets.core.bench.uploads import Uploads
from biaslab_widgets.core.state.commands import Arguments
from biaslab_widgets.core.state.records import SubjectOption
from biaslab_widgets.core.subjects.sources import (
    BENCH,
    Source,
    checked_sources,
    holds_sources,
    named_sources,
)

Given = str | os.PathLike[str] | RecordedAnswers
LARGEST_MB: Final = LARGEST / 1e6
_MOST: Final = 4
"""Uploaded files of a bench; the oldest goes first."""


@dataclass(frozen=True)
class AnswersFile:
    """A file of answers, or made-up ones.

    - `name`: on the screen.
    - `path`: of the file, or the name of made-up answers; empty where there is no file, as of a run
      that was reopened.
    - `answers`: those that `biaslab.replay` has read already.
    """

    name: str
    path: str = ""
    answers: RecordedAnswers | None = None
    kind: str = "answers"

    @property
    def about(self) -> str:
        """Where it is from."""
        return "made up: its truth is known" if self.is_example else "recorded answers"

    @property
    def is_example(self) -> bool:
        """Whether the answers are made up, the same for everybody."""
        return self.path in EXAMPLES


class AnswersSource(Source[Any]):
    """A file of answers by name: it is read when it is judged."""

    def __init__(self, file: AnswersFile) -> None:
        super().__init__(file.name, lambda _: file, file)

    @property
    def option(self) -> SubjectOption:
        """See the base."""
        file: AnswersFile = self.open()
        group = "Made-up answers" if file.is_example else "Recorded answers"
        return {"name": self.name, "about": file.about, "kind": file.kind, "replicates": 1,
                "group": group, "what": ""}  # fmt: skip


def answer_sources(given: Any = None) -> dict[str, Source[Any]]:
    """Return sources by name, of files and of names that `biaslab.replay` takes."""
    if holds_sources(given):
        return checked_sources(given)
    if given is None:
        given = tuple(EXAMPLES)
    is_several = isinstance(given, Iterable) and not isinstance(given, str)
    return named_sources([AnswersSource(_file(one)) for one in (given if is_several else [given])])


def _file(given: Any) -> AnswersFile:
    if isinstance(given, RecordedAnswers):
        return AnswersFile(given.name, answers=given)
    if not isinstance(given, str | os.PathLike):
        raise WrongSubjectError(
            f"{BENCH} needs recorded answers; this is {described(given)}. Pass the path of a file,"
            " or bl.replay('answers.csv')."
        )
    path = Path(given)
    return AnswersFile(path.name, str(path))


class UploadedAnswers:
    """Files that a person has dropped on the bench; they go with it."""

    def __init__(self) -> None:
        self._uploads = Uploads(LARGEST_MB, remedy="Cut it into parts, or pass its path in Python.")
        self._sizes: dict[str, int] = {}

    def take(self, args: Arguments) -> str:
        """Take a piece of a file."""
        return self._uploads.take(args, args.get("content"))

    def put(self, args: Arguments) -> AnswersFile:
        """Write a file that has come whole to the disk.

        Raises `ImageError` when it did not come whole, or is too large; `WriteError` where there is
        no room.
        """
        plain = PurePath(str(args.get("name") or "").replace("\\", "/")).name.lstrip(".")
        name = plain[-120:] or "answers.csv"
        content = self._uploads.whole({**args, "name": name})
        ask_for_disk(len(content))
        access = current_access()
        home = None if access.is_owner else access.home  # counted among what a person holds
        if home is not None:
            home.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix="answers-", dir=home))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        (folder / name).write_bytes(content)
        self._sizes[str(folder / name)] = len(content)
        for path in list(self._sizes)[:-_MOST]:
            self._drop(path)
        return AnswersFile(name, str(folder / name))

    def _drop(self, path: str) -> None:
        shutil.rmtree(Path(path).parent, ignore_errors=True)
        give_disk_back(self._sizes.pop(path))

    def close(self) -> None:
        """Delete all of them."""
        self._uploads.close()
        for path in list(self._sizes):
            self._drop(path)


def judge(
    file: AnswersFile, named: Mapping[str, Any], options: Mapping[str, Any], words: str = ""
) -> OpinionResult:
    """Read a file and judge its answers; the recorded call names the file, and not its folder.

    - `named`: arguments of `biaslab.replay`.
    - `options`: those of `biaslab.opinion`.
    - `words`: path of a file of word tests.
    - Raises `AnswersError`, which has the columns of the file where they are known.
    """
    if not file.path and (file.answers is None or named):
        raise QueryError(
            f"{file.name} itself is not here, so it cannot be read. Open the file again."
        )
    answers = file.answers if file.answers is not None else replay(file.path, **named)
    try:
        result = opinion(answers, word_tests=Path(words) if words else None, **options)
    except AnswersError as error:
        error.columns = answers.summary.columns
        error.wants_words = answers.kind == "word pairs"
        raise
    call = result.provenance.call
    if file.is_example or file.answers is not None or call is None:
        return result
    arguments = {**call.arguments, "subject": call_of(replay, Path(file.name), **named).tree}
    if words:
        arguments["word_tests"] = {"path": Path(words).name}
    call = replace(call, arguments=FrozenDict(arguments))
    return replace(result, provenance=replace(result.provenance, call=call))
