"""The psychometric bench in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from biaslab.probes.psychometrics import TwoAFCResult
from biaslab_widgets.benches.psychometric.bench import PsychometricController
from biaslab_widgets.benches.psychometric.fields import COMPONENT
from biaslab_widgets.benches.psychometric.sources import Given, psychometric_sources
from biaslab_widgets.hosts.jupyter import ProbeBench, bench_type


class PsychometricBench(bench_type(COMPONENT, ProbeBench)):  # type: ignore[misc]
    """Drag a stimulus, watch the psychometric curve refit.

    Parameters
    ----------
    subject : EmbeddingSubject, LanguageModel, str or several of them, optional
        What is probed: subjects, or names that `biaslab.load` takes; default all bundled ones.
    word : str, optional
        The word asked about first.
    words : sequence of str, optional
        Words that the up and down keys step through; default occupations.
    **options
        Any other input of the component, such as ``pairs=[("young", "old")]`` or ``noise=0.05``:
        each is a trait that can be set, observed and linked later.

    Examples
    --------
    >>> bench = PsychometricBench(bl.load("wiki-bootstraps"), word="nurse")  # doctest: +SKIP
    >>> bench.word = "electrician"; bench.result.pse  # doctest: +SKIP
    """

    controller: PsychometricController

    def __init__(
        self,
        subject: Given | Iterable[Given] | None = None,
        *,
        word: str | None = None,
        words: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        if word is not None:
            options["word"] = word
        if "pairs" in options:
            options["pairs"] = [list(pair) for pair in options["pairs"]]
        self._begin(
            PsychometricController(psychometric_sources(subject), self._show, words), options
        )

    @property
    def result(self) -> TwoAFCResult:
        """The result of what is on the screen.

        Raises
        ------
        QueryError
            When the screen shows none; the message says why.
        """
        return self.controller.result
