"""The decision bench as Python sees it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Self

from biaslab.cases import Case, get, toml_of
from biaslab.jobs.job import Job
from biaslab.probes.decisions import DecisionsResult
from biaslab_widgets.benches.decisions.bench import DecisionController
from biaslab_widgets.benches.decisions.fields import COMPONENT, FIRST_CASE
from biaslab_widgets.benches.decisions.subjects import decider_sources
from biaslab_widgets.core.bench.widget import ProbeWidget
from biaslab_widgets.core.frame import Frame
from biaslab_widgets.core.subjects.sources import SharedSources, Source


def _question(state: Any) -> str:
    cues = [group["cues"][0]["text"] for group in state.card["groups"] if group["cues"]]
    fill = dict(zip(("group1", "group2"), cues, strict=False))
    question = state.card["question"]
    return "".join(fill.get(span["role"], span["text"]) for span in question)


FRAME = Frame(name="Decision bench", question=_question)


class DecisionBench(ProbeWidget[DecisionsResult]):
    """How much more of a quality one group must bring to be treated alike.

    Parameters
    ----------
    subject : decider, str or several of them, optional
        What decides: a causal language model, a chat model, a service, a classifier, a function, a
        simulated `biaslab.observers.decider`, or a name that `biaslab.load` takes; default the
        bundled ones and a simulated one.
    case : str, path or Case
        A case of the catalogue, one of your own, or a TOML file; see `biaslab.cases`.
    **options
        Any other input of the component, such as ``form="which of two"``: each is a trait that can
        be set, observed and linked later.

    Examples
    --------
    >>> bench = DecisionBench(case="hire-by-name")  # doctest: +SKIP
    >>> bench.run().wait()  # doctest: +SKIP
    >>> print(bench.result.summary())  # doctest: +SKIP
    """

    component = COMPONENT
    controller: DecisionController

    def __init__(
        self, subject: Any = None, case: str | os.PathLike[str] | Case = FIRST_CASE, **options: Any
    ) -> None:
        super().__init__()
        chosen = get(case)
        is_named = isinstance(case, str) and case == chosen.name
        named = {"case": chosen.name} if is_named else {"case_text": toml_of(chosen)}
        controller = DecisionController(decider_sources(subject), self._show)
        self._begin(controller, {**named, **options})

    @classmethod
    def sources_of(cls, given: Any) -> Mapping[str, Source[Any]]:
        """See the base."""
        return decider_sources(given)

    @classmethod
    def on_page(cls, shared: SharedSources) -> Self:
        """See the base."""
        bench = cls(dict(shared.deciders))
        bench.controller.recalls = True
        bench.controller.answer_again()
        return bench

    def run(self) -> Job[DecisionsResult]:
        """Begin a run with what is on the screen, or go on with one, as the button does.

        Raises
        ------
        BiaslabError
            When it cannot be run, or a run goes on already.
        """
        return self.controller.start()
