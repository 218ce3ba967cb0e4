"""Models that the sentence bench tests: language models, and scorers whose truth is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

import biaslab as bl
from biaslab.probes.sentences.probe import scorer_of
from biaslab.probes.sentences.score_cache import PairScorer
from biaslab.probes.sentences.scorers import SCORERS
from biaslab.probes.sentences.simulated_scorer import SimulatedScorer
from biaslab.services import LanguageModelServer
from biaslab.subjects import load_shared
from biaslab.subjects.language_model.model import LanguageModel, LanguageModelKind
from biaslab.subjects.opening.load import ONLY_DECIDES, bundled_names
from biaslab.subjects.opening.names import is_address, own_subject
from biaslab.subjects.opening.needs import LANGUAGE_MODEL, Need
from biaslab_widgets.benches.sentences.fields import ScorerOption
from biaslab_widgets.core.subjects.sources import (
    OnProgress,
    Source,
    checked_sources,
    entries_of,
    holds_sources,
    language_model_sources,
    named_sources,
    open_source,
)

Tested = LanguageModel | LanguageModelServer | SimulatedScorer
"""What can be tested."""
GivenTested = Tested | str | Path
_NEED = Need("a language model", LANGUAGE_MODEL.remedy, lambda subject: isinstance(subject, Tested))
TEACHING_RATE = 0.7
"""Of the simulated scorer that is offered beside the bundled models."""


def model_sources(
    given: GivenTested | Iterable[GivenTested] | dict[str, Source[Tested]] | None = None,
) -> dict[str, Source[Tested]]:
    """Sources by name; by default the bundled language models and a scorer whose truth is known.

    - `given`: names and paths are of language models.
    """
    if holds_sources(given):
        return checked_sources(given)
    if given is None:
        bundled = language_model_sources()
        return with_a_known_truth(bundled)
    made: list[Source[Tested]] = []
    for entry in entries_of(given, _NEED):
        if isinstance(entry, SimulatedScorer):
            made.append(open_source(entry))
        else:
            made += language_model_sources(entry).values()  # type: ignore[arg-type]  # read only
    return named_sources(made)


def with_a_known_truth(models: dict[str, Source[LanguageModel]]) -> dict[str, Source[Tested]]:
    """Language models, shared perhaps, and beside them a scorer whose truth is known."""
    return {**models, "simulated": _Beside()}  # type: ignore[dict-item]  # sources are only read


class _Beside(Source[Tested]):
    """A simulated scorer that nobody has asked for: offered, and not chosen at first."""

    def __init__(self) -> None:
        known = bl.observers.scorer(TEACHING_RATE)
        super().__init__(known.name, lambda _: known, known)


def first_choice(sources: Mapping[str, Source[Tested]]) -> list[str]:
    """What is tested at first: all that was given, except models that only decide cases.

    A person's own models, which may be large, are ticked by that person.
    """
    given = [
        name
        for name, source in sources.items()
        if not isinstance(source, _Beside)
        and name not in ONLY_DECIDES
        and own_subject(name) is None
    ]
    return given or list(sources)


def named_source(name: str, kind: LanguageModelKind) -> Source[Tested]:
    """A source of a language model by the name that a person has typed: opened when chosen."""
    return Source(name, partial(_load, name, kind), given=name if is_address(name) else "")


def _load(name: str, kind: LanguageModelKind, _on_progress: OnProgress) -> LanguageModel:
    model: LanguageModel = load_shared(name, kind=kind)
    return model


def kind_of(source: Source[Tested]) -> str:
    """``mlm``, ``clm`` or ``observer``; empty where it is not known before it is opened."""
    if source.is_open:
        return source.open().kind
    return next((kind for kind in ("mlm", "clm") if source.name in bundled_names(kind)), "")


def chosen_scorer(model: Tested, scorer_mlm: str, scorer_clm: str) -> PairScorer:
    """The scorer that is chosen for a model's kind.

    Raises `QueryError` when there is no such scorer for it: lists those there are.
    """
    names = {"mlm": scorer_mlm, "clm": scorer_clm}
    return scorer_of(model, names.get(model.kind))


def scorer_options() -> list[ScorerOption]:
    """Scorers that can be chosen, once for each kind of model that they can ask."""
    return [
        {
            "key": scorer.name,
            "label": scorer.label,
            "formula": scorer.formula,
            "about": scorer.about,
            "source": scorer.source,
            "kind": kind,  # type: ignore[typeddict-item]  # one of the two
        }
        for scorer in SCORERS.values()
        for kind in scorer.kinds
    ]
