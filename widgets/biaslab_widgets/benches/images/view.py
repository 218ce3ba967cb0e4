"""The three steps and the results of the third, as the front end gets them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from biaslab.images.image import term_key
from biaslab.probes.images.result import ImageAssociation, ImageScoreDifference
from biaslab.probes.images.scores import ImageScore
from biaslab.probes.images.statistics import RESAMPLES
from biaslab.records.wording import percent, range_text
from biaslab.reports.images.chart import STEPS, tones
from biaslab.reports.images.words import details
from biaslab_widgets.benches.images.fields import (
    ImageModelRow,
    ImagePicture,
    ImageRun,
    ImageScoresOf,
    Score,
    TermRow,
)
from biaslab_widgets.benches.images.results import Found
from biaslab_widgets.benches.images.run import asked_of
from biaslab_widgets.benches.images.set import PictureSet, pictures
from biaslab_widgets.benches.images.words import ImageWords
from biaslab_widgets.core.bench.model_tests import State
from biaslab_widgets.core.bench.three_steps import in_short, preliminary, verdict_of_models
from biaslab_widgets.core.state.bench_state import StepState
from biaslab_widgets.core.state.records import Span


def steps_of(
    words: ImageWords,
    held: PictureSet,
    models: Sequence[str],
    run: ImageRun | None,
    templates: int,
    *,
    making: bool,
) -> list[StepState]:
    """The steps as the headers show them.

    Parameters
    ----------
    words : ImageWords
    held : PictureSet
    models : sequence of str
        Names of the chosen models.
    run : ImageRun, optional
        Of the test; None before the first one.
    templates : int
        How many captions or questions are asked; 0 where that is not known yet.
    making : bool
        Whether pictures are being made.
    """
    count = len(held.images)
    third = _why_no_test(words, held, models, making=making)
    return [
        {
            "title": "Specify",
            "note": words.note,
            "state": "open" if words.why else "done",
            "why": words.why,
        },
        {
            "title": "Images",
            "note": _images_note(held),
            "state": "closed" if words.why else "done" if count else "open",
            "why": words.why,
        },
        {
            "title": "Test",
            "note": _test_note(models, run, templates),
            "state": "closed" if third else "done" if _is_done(run) else "open",
            "why": third,
        },
    ]


def _why_no_test(
    words: ImageWords, held: PictureSet, models: Sequence[str], *, making: bool
) -> str:
    if words.why:
        return words.why
    if not held.images:
        if making:
            return "Making the first pictures."
        return "There are no pictures yet: draw or upload some in step 2."
    return "" if models else "No model is chosen: choose one in step 1."


def _images_note(held: PictureSet) -> str:
    images = held.images
    removed = len(held.aside)
    lost = f"{removed:,} removed"
    if held.n_unusable:
        lost += f", {held.n_unusable:,} rejected with reasons"
    if not images:
        return lost if removed or held.n_unusable else "none yet"
    drawn = sum(image.record.source == "drawn" for image in images)
    if drawn == len(images):
        return f"{drawn:,} portrait{'' if drawn == 1 else 's'} drawn, {lost}"
    return f"{pictures(len(images))}, {lost}"


def _test_note(models: Sequence[str], run: ImageRun | None, templates: int) -> str:
    asked = f"{templates} template{'' if templates == 1 else 's'}" if templates else ""
    if len(models) != 1 or not asked:
        count = f"{len(models)} model{'' if len(models) == 1 else 's'}"
        asked = f"{count}, {asked}" if asked else count
    if run is None:
        return asked
    if run["running"]:
        return f"{asked}, {run['done']:,} of {run['total']:,} tested"
    if run["untested"]:
        return f"{asked}, {run['untested']:,} not tested"
    return f"{asked}, {duration(run['seconds'])}"


def duration(seconds: float) -> str:
    """A time in words."""
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 10:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _is_done(run: ImageRun | None) -> bool:
    return run is not None and not run["running"] and not run["untested"]


DRAWN = (
    "The portraits are drawn stereotypes, made to check the test. They say nothing about people."
)


def verdict_of(found: Sequence[ImageAssociation]) -> list[Span]:
    """What is found, in plain words: of the first model in full, of others in short."""
    return verdict_of_models(found, _short)


def caveat_of(found: Sequence[ImageAssociation], *, running: bool) -> str:
    """What the intervals are over, what was asked, and what drawn portraits are."""
    if not found:
        return ""
    # What is not reached yet while a test goes on is no loss.
    first = replace(found[0], unscored=0) if running else found[0]
    drawn = all(image.source == "drawn" for image in first.images)
    return " ".join([first.caveat(), *([DRAWN] if drawn else [])])


def _short(one: ImageAssociation) -> list[Span]:
    def between(low: float, high: float) -> str:
        return range_text(low, high).replace(" and ", " to ")

    return in_short(one, percent(one.score), between, joint=", ")


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
