"""The psychometric bench as Python sees it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

from biaslab.arguments import listed, strings
from biaslab.probes.psychometrics import TwoAFCResult
from biaslab.specs import Spec
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab_widgets.benches.psychometric.bench import PsychometricController
from biaslab_widgets.benches.psychometric.fields import COMPONENT, GENDER_PAIRS
from biaslab_widgets.benches.psychometric.subjects import Given, psychometric_sources
from biaslab_widgets.core.bench.widget import ProbeWidget, given_spec
from biaslab_widgets.core.frame import Frame
from biaslab_widgets.core.subjects.sources import SharedSources, Source


def _question(state: Any) -> str:
    chosen = state.selected_pairs[0] if state.selected_pairs else 0
    one, two = state.pairs[chosen] if chosen < len(state.pairs) else ("cue 1", "cue 2")
    return f"At which blend of {one} and {two} does the model switch its answer{_for(state.word)}?"


def _for(word: str) -> str:
    return f" for “{word if len(word) <= 32 else word[:31] + '…'}”" if word else ""


WOMAN_MAN = ["woman", "man"]
"""The pair that is asked first: an encyclopedia says "female" and "male" of animals and sports."""


def _may_know(offered: Mapping[str, Source[Any]], words: Sequence[str]) -> bool:
    """Whether the first subject may have words: one that is not open yet, or no embedding, may."""
    first = next(iter(offered.values()), None)
    subject = None if first is None else first.subject
    return not isinstance(subject, EmbeddingSubject) or all(word in subject for word in words)


FRAME = Frame(name="Psychometric bench", question=_question)


class PsychometricBench(ProbeWidget[TwoAFCResult]):
    """Drag a stimulus, watch the psychometric curve refit.

    Parameters
    ----------
    subject : EmbeddingSubject, LanguageModel, str or several of them, optional
        What is probed: subjects, or names that `biaslab.load` takes; default all bundled ones.
    spec : Spec or name of one, optional
        Cue pairs that are offered, and words to step through, as far as it has them.
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

    component = COMPONENT
    controller: PsychometricController

    def __init__(
        self,
        subject: Given | Iterable[Given] | dict[str, Source[Any]] | None = None,
        spec: Spec | str | None = None,
        *,
        word: str | None = None,
        words: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        if spec is not None:
            chosen = given_spec(spec, "cue_pairs", "items")
            if chosen.cue_pairs:
                options.setdefault("pairs", chosen.cue_pairs)
            words = words or chosen.items or None
        if word is not None:
            options["word"] = word
        if words is not None:
            words = strings(words, "words")
        if "pairs" in options:
            given = listed(options["pairs"], "pairs", "[('woman', 'man')]")
            pairs = [strings(pair, "A pair of cues", "('woman', 'man')") for pair in given]
            options["pairs"] = [list(pair) for pair in pairs]
        offered = psychometric_sources(subject)
        if "pairs" not in options and _may_know(offered, WOMAN_MAN):
            options.setdefault("selected_pairs", [GENDER_PAIRS.index(WOMAN_MAN)])
        self._begin(PsychometricController(offered, self._show, words), options)

    @classmethod
    def sources_of(cls, given: Any) -> Mapping[str, Source[Any]]:
        """See the base."""
        return psychometric_sources(given)

    @classmethod
    def on_page(cls, shared: SharedSources) -> Self:
        """The app's page begins with nurse between woman and man."""
        offered: dict[str, Source[Any]] = {**shared.embeddings, **shared.language_models}
        return cls(offered, word="nurse")
