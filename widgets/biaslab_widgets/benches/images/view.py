"""The results of step 3 as the front end gets them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from biaslab.images.image import term_key
from biaslab.probes.images.result import ImageAssociation, ImageScoreDifference
from biaslab.probes.images.scores import ImageScore
from biaslab.probes.images.statistics import RESAMPLES
from biaslab.reports.images.chart import STEPS, tones
from biaslab.reports.images.words import details
from biaslab_widgets.benches.images.answers import asked_of
from biaslab_widgets.benches.images.fields import (
    ImageModelRow,
    ImagePicture,
    ImageRun,
    ImageScoresOf,
    Score,
    TermRow,
)
from biaslab_widgets.benches.images.results import Found
from biaslab_widgets.benches.images.set import PictureSet
from biaslab_widgets.benches.images.verdict import caveat_of, verdict_of
from biaslab_widgets.benches.images.words import ImageWords
from biaslab_widgets.core.model_runs import State
from biaslab_widgets.core.models_verdict import preliminary

NOTHING: Score = {
    "score": None,
    "low": None,
    "high": None,
    "lean": 0,
    "images": 0,
    "stereotyped": 0,
}
EDGES = [0.5 - STEPS[1], 0.5 - STEPS[0], 0.5, 0.5 + STEPS[0], 0.5 + STEPS[1]]


@dataclass(frozen=True)
class ImageModelShown:
    """A model of step 3.

    Attributes
    ----------
    name, about, kind : str
    state : str
    message : str
    seconds : float
    templates : tuple of str
        Empty while the model is not open.
    concepts : tuple of (str, int)
        That it is asked, with the number of their list.
    unasked : tuple of (str, str)
        Concepts that it cannot be asked, and why.
    failures : mapping of str to str
        By the picture, see `asked_of`.
    found : Found or None
        None while nothing can be known.
    """

    name: str
    about: str
    kind: str
    state: State
    message: str
    seconds: float
    templates: tuple[str, ...] = ()
    concepts: tuple[tuple[str, int], ...] = ()
    unasked: tuple[tuple[str, str], ...] = ()
    failures: Mapping[str, str] = field(default_factory=dict)
    found: Found | None = None

    @property
    def result(self) -> ImageAssociation | None:
        """The model's result; None while there is none."""
        return None if self.found is None else self.found.result

    def tested(self, held: PictureSet) -> int:
        """How many pictures are answered, or were found to fail."""
        if self.found is None:
            return 0
        known = np.isfinite(self.found.scores)
        if not self.failures:
            return int(known.sum())
        failed = sum(
            asked_of(image) in self.failures
            for image, k in zip(held.images, known, strict=True)
            if not k
        )
        return int(known.sum()) + failed


def picture_of(
    models: Sequence[ImageModelShown],
    held: PictureSet,
    words: ImageWords,
    run: ImageRun,
    differences: Sequence[ImageScoreDifference],
    seed: int,
) -> ImagePicture:
    """Everything drawn but the squares, which are `scores_of`."""
    found = [model.result for model in models if model.result is not None]
    cached = any(model.kind == "clip" and model.found is not None for model in models)
    return {
        "groups": words.groups,
        "concepts": words.lists,
        "run": run,
        "models": [_model(model, held) for model in models],
        "terms": _terms(models, held, words),
        "edges": EDGES,
        "comparisons": [one.summary() for one in differences],
        "verdict": verdict_of(found),
        "caveat": caveat_of(found, running=run["running"]),
        "footer": [
            *(
                f"{one.provenance.subject} {(one.provenance.subject_hash or '')[:8]}".strip()
                for one in found
            ),
            f"seed {seed}",
            *preliminary(found, RESAMPLES),
            *([f"spec {words.name}"] if words.name else []),
            *(["embeddings cached"] if cached else []),
        ],
    }


def scores_of(models: Sequence[ImageModelShown], held: PictureSet) -> list[ImageScoresOf]:
    """The squares."""
    return [_squares(model, held) for model in models]


def _squares(model: ImageModelShown, held: PictureSet) -> ImageScoresOf:
    if model.found is None:
        count = len(held.images)
        return {"model": model.name, "scores": [None] * count, "tones": "-" * count}
    scores = model.found.scores
    known = np.isfinite(scores)
    letters = list(tones(np.where(known, scores, 0.5)))
    for i in np.flatnonzero(~known):
        letters[i] = "f" if asked_of(held.images[i]) in model.failures else "-"
    rounded = np.round(scores, 4).tolist()
    return {
        "model": model.name,
        "scores": [value if k else None for value, k in zip(rounded, known.tolist(), strict=True)],
        "tones": "".join(letters),
    }


def _model(model: ImageModelShown, held: PictureSet) -> ImageModelRow:
    result = model.result
    return {
        "name": model.name,
        "about": model.about,
        "kind": model.kind,
        "state": "testing" if model.state == "scoring" else model.state,
        "message": model.message,
        "tested": model.tested(held),
        "seconds": round(model.seconds, 2),
        "overall": NOTHING if result is None else score_record(result.overall),
        "templates": [(text, NOTHING) for text in model.templates]
        if result is None
        else [(one.name, score_record(one)) for one in result.by_template],
        "unasked": list(model.unasked),
        "details": [] if result is None else [*details(result), *result.notes],
    }


def _terms(models: Sequence[ImageModelShown], held: PictureSet, words: ImageWords) -> list[TermRow]:
    places: dict[str, list[int]] = {}
    for place, image in enumerate(held.images):
        places.setdefault(image.term, []).append(place)
    by_model = [
        {}
        if model.result is None
        else {(one.part_of, term_key(one.name)): score_record(one) for one in model.result.terms}
        for model in models
    ]
    return [
        {
            "name": term,
            "group": group,
            "scores": [of.get((words.groups[group], term_key(term)), NOTHING) for of in by_model],
            "images": places.get(term, []),
        }
        for term, group in words.terms
    ]


def score_record(one: ImageScore) -> Score:
    """A score as the front end gets it."""
    return {
        "score": rounded(one.score),
        "low": rounded(one.interval.low),
        "high": rounded(one.interval.high),
        "lean": (-1, 0, 1)[one.lean + 1],
        "images": one.n_images,
        "stereotyped": one.stereotyped,
    }


def rounded(value: float | None) -> float | None:
    """A number with five decimals; None where it is none."""
    return None if value is None or not math.isfinite(value) else round(float(value), 5)
