"""Models that the image bench tests, one of known truth among them, and how each is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Literal, TypeAlias

import biaslab as bl
from biaslab.portraits import OCCUPATIONS
from biaslab.probes.images.simulated_vision import SimulatedVision, vision
from biaslab.subjects.vision_language.questions import CAPTIONS, PLACE, QUESTIONS
from biaslab_widgets.benches.images.fields import ImageBenchState, TemplateOption
from biaslab_widgets.core.subjects.sources import (
    Source,
    load_vision_model,
    open_source,
    vision_language_sources,
)

GivenPictured: TypeAlias = Any
"""A model, the name of one, or the folder of one."""
_LEANS = {"nurse": 1, "electrician": -1}
"""Occupations of the simulated model: to women, or to men."""
_WOMEN, _MEN = ("female", "woman"), ("male", "man")


def vision_sources(
    given: GivenPictured | Iterable[GivenPictured] | Mapping[str, Source[Any]] | None = None,
) -> dict[str, Source[Any]]:
    """Sources by name; by default the bundled models, and one whose truth is known.

    - `given`: names and paths are of vision-language models.
    """
    sources = vision_language_sources(given)
    return with_a_known_truth(sources) if given is None else sources


def with_a_known_truth(models: Mapping[str, Source[Any]]) -> dict[str, Source[Any]]:
    """Vision-language models, shared perhaps, and beside them one whose truth is known."""
    known = teaching_model()
    return {**models, known.name: open_source(known)}


def teaching_model() -> SimulatedVision:
    """A simulated model for the predefined lists of helpers and experts.

    Of portraits of women it says a helper in 0.64 of all cases, of men in 0.40; of nurses more
    often, of electricians less. A nurse is a woman to it up to a share of 0.65, an electrician up
    to 0.35, all others up to 0.50.
    """
    rates: dict[str, float] = {}
    for occupation in OCCUPATIONS:
        more = 0.1 * _LEANS.get(occupation, 0)
        for words, rate in ((_WOMEN, 0.64), (_MEN, 0.40)):
            rates |= {f"{word} {occupation}": rate + more for word in words}
        rates[occupation] = 0.52 + more
    spec = bl.specs.get("images-experts-helpers")
    first, second = spec.attributes["helpers"], spec.attributes["experts"]
    return vision(
        rates,
        lists=((*first, "woman"), (*second, "man")),
        pse={o: 0.5 + 0.15 * _LEANS.get(o, 0) for o in OCCUPATIONS},
        jnd=0.1,
        pse_sd=0.05,
        seed=1,
    )


def named_source(name: str) -> Source[Any]:
    """A source of a model by the name that a person has typed: opened when chosen."""
    return Source(name, partial(load_vision_model, name))


def takes(model: Any) -> Literal["caption", "question"]:
    """What a model is asked; captions where it takes both."""
    return "caption" if getattr(model, "takes_captions", True) else "question"


def asked_templates(model: Any, snapshot: ImageBenchState) -> tuple[str, ...]:
    """What a model is asked: the captions or questions that are chosen, or its own."""
    field = "captions" if takes(model) == "caption" else "questions"
    chosen = tuple(dict.fromkeys(text.strip() for text in getattr(snapshot, field) if text.strip()))
    return chosen or tuple(model.templates)


def offered_templates(sources: Iterable[Source[Any]] = ()) -> list[TemplateOption]:
    """Captions and questions to choose from: the usual ones, and those of open models."""
    own = [text for s in sources if s.is_open for text in s.open().templates]
    texts = dict.fromkeys((*CAPTIONS, *QUESTIONS, *own))
    return [{"text": t, "kind": "caption" if PLACE in t else "question"} for t in texts]
