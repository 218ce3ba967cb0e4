"""The opinion bench as Python sees it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Self

from biaslab.errors import QueryError
from biaslab.probes.opinion import OpinionResult
from biaslab.records.result import Result
from biaslab.store import StoredRun
from biaslab_widgets.benches.opinion.bench import OpinionController
from biaslab_widgets.benches.opinion.fields import COMPONENT
from biaslab_widgets.benches.opinion.files import Given, answer_sources
from biaslab_widgets.core.bench.widget import ProbeWidget
from biaslab_widgets.core.frame import Frame, same
from biaslab_widgets.core.subjects.sources import SharedSources, Source

FRAME = Frame(name="Second opinion", question=same("Which sentences do these answers bear out?"))


class OpinionBench(ProbeWidget[OpinionResult]):
    """Which sentences recorded answers bear out: a second opinion, without asking any model.

    Parameters
    ----------
    subject : str, path or several of them, optional
        Files of answers, or names of made-up ones, as `biaslab.replay` takes them; default the
        made-up ones. Others can be dropped on the bench.
    word_tests : str or path, optional
        CSV file of groups and words, for answers of word pairs.
    **options
        Any other input of the component, such as ``margin=0.1``: each is a trait that can be set,
        observed and linked later.

    Examples
    --------
    >>> bench = OpinionBench("answers.csv")  # doctest: +SKIP
    >>> print(bench.result.summary())  # doctest: +SKIP
    """

    component = COMPONENT
    controller: OpinionController

    def __init__(
        self,
        subject: Given | Iterable[Given] | dict[str, Source[Any]] | None = None,
        word_tests: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self._begin(OpinionController(answer_sources(subject), self._show, word_tests), options)

    @classmethod
    def sources_of(cls, given: Any) -> Mapping[str, Source[Any]]:
        """See the base."""
        return answer_sources(given)

    @classmethod
    def on_page(cls, shared: SharedSources) -> Self:  # noqa: ARG003  # it asks no model
        """See the base."""
        return cls()

    @property
    def result(self) -> OpinionResult:
        """The result of the file on the screen; waits while it is read.

        Raises
        ------
        QueryError
            When the file cannot be judged; the message says what to do.
        """
        with suppress(QueryError):
            return super().result
        self.controller.wait()
        return super().result

    @classmethod
    def _of_stored(cls, run: StoredRun, result: Result, subject: Any) -> Self:  # noqa: ARG003
        return cls(subject)  # the run is shown without its file
