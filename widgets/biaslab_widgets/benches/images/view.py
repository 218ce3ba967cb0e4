"""The three steps and the results of the third, as the front end gets them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from biaslab.images.image import term_key
from biaslab.probes.images.result import ImageAssociation, ImageScoreDifference
from biaslab.probes.images.scores import ImageScore
from biaslab.probes.images.statistics import RESAMPLES
from biaslab.records.wording import counted, percent, range_text
from biaslab.reports.images.chart import STEPS, tones
from biaslab.reports.images.words import details
from biaslab_widgets.benches.images.fields import (
    ImageModelRow,
    ImagePicture,
    ImageScoresOf,
    Score,
    TermRow,
)
from biaslab_widgets.benches.images.results import KnownAnswers
from biaslab_widgets.benches.images.run import asked_of
from biaslab_widgets.benches.images.set import PictureSet, pictures
from biaslab_widgets.benches.images.words import ImageWords
from biaslab_widgets.core.bench.model_tests import State
from biaslab_widgets.core.bench.three_steps_view import (
    first_step,
    footer_of,
    in_short,
    later_step,
    tested_step,
    verdict_of_models,
)
from biaslab_widgets.core.state.bench_state import StepState, TestProgress
from biaslab_widgets.core.state.records import Span, finite


def steps_of(
    words: ImageWords,
    held: PictureSet,
    models: Sequence[str],
    run: TestProgress | None,
    templates: int,
    *,
    making: str,
) -> list[StepState]:
    """The steps as the headers show them.

    - `models`: names of the chosen models.
    - `run`: of the test; None before the first one.
    - `templates`: how many captions or questions are asked; 0 where that is not known yet.
    - `making`: how pictures are being made, in a sentence; empty where none are.
    """
    why = _why_no_test(words, held, models, making=making)
    return [
        first_step(words.note, words.why),
        later_step("Images", _images_note(held), words.why, done=bool(held.images)),
        tested_step(_subject(models, templates), run, why, "tested"),
    ]


def _why_no_test(words: ImageWords, held: PictureSet, models: Sequence[str], *, making: str) -> str:
    if words.why:
        return words.why
    if not held.images:
        return making or "There are no pictures yet: draw or upload some in step 2."
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


def _subject(models: Sequence[str], templates: int) -> str:
    question = counted(templates, "template") if templates else ""
    if len(models) == 1 and question:
        return question
    return ", ".join(filter(None, [counted(len(models), "model"), question]))


DRAWN = (
    "The portraits are drawn stereotypes, made to check the test. They say nothing about people."
)


def verdict_of(results: Sequence[ImageAssociation]) -> list[Span]:
    """The verdict in plain words: of the first model in full, of others in short."""
    return verdict_of_models(results, _short)


def caveat_of(results: Sequence[ImageAssociation], *, running: bool) -> str:
    """What the intervals are over, what was asked, and what drawn portraits are."""
    if not results:
        return ""
    # What is not reached yet while a test goes on is no loss.
    first = replace(results[0], unscored=0) if running else results[0]
    drawn = all(image.source == "drawn" for image in first.images)
    return " ".join([first.caveat(), *([DRAWN] if drawn else [])])


def _short(one: ImageAssociation) -> list[Span]:
    def between(low: float, high: float) -> str:
        return f"{range_text(low, high).replace(' and ', ' to ')} %"

    return in_short(one, f"{percent(one.score)} %", between, joint=", a bias ")


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

    - `templates`: empty while the model is not open.
    - `concepts`: that it is asked, with the number of their list.
    - `unasked`: concepts that it cannot be asked, and why.
    - `failures`: by the picture, see `asked_of`.
    - `answers`: None while nothing can be known.
    - `tested`: how many pictures are answered, or were refused.
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
    answers: KnownAnswers | None = None
    tested: int = 0

    @property
    def result(self) -> ImageAssociation | None:
        """The model's result; None while there is none."""
        return None if self.answers is None else self.answers.result


def tested_of(answers: KnownAnswers, held: PictureSet, failures: Mapping[str, str]) -> int:
    """How many pictures are answered, or were refused."""
    known = np.isfinite(answers.scores)
    left = (image for image, k in zip(held.images, known, strict=True) if failures and not k)
    return int(known.sum()) + sum(asked_of(image) in failures for image in left)


def picture_of(
    models: Sequence[ImageModelShown],
    held: PictureSet,
    words: ImageWords,
    run: TestProgress,
    differences: Sequence[ImageScoreDifference],
    seed: int,
) -> ImagePicture:
    """Everything drawn but the squares, which are `scores_of`."""
    results = [model.result for model in models if model.result is not None]
    cached = any(model.kind == "clip" and model.answers is not None for model in models)
    return {
        "groups": words.groups,
        "concepts": words.lists,
        "run": run,
        "models": [_model(model) for model in models],
        "terms": _terms(models, held, words),
        "edges": EDGES,
        "comparisons": [one.summary() for one in differences],
        "verdict": verdict_of(results),
        "caveat": caveat_of(results, running=run["running"]),
        "footer": [
            *footer_of(results, seed, RESAMPLES, words.name),
            *(["embeddings cached"] if cached else []),
        ],
    }


def scores_of(models: Sequence[ImageModelShown], held: PictureSet) -> list[ImageScoresOf]:
    """The squares."""
    return [_squares(model, held) for model in models]


def _squares(model: ImageModelShown, held: PictureSet) -> ImageScoresOf:
    if model.answers is None:
        count = len(held.images)
        return {"model": model.name, "scores": [None] * count, "tones": "-" * count}
    scores = model.answers.scores
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


def _model(model: ImageModelShown) -> ImageModelRow:
    result = model.result
    return {
        "name": model.name,
        "about": model.about,
        "kind": model.kind,
        "state": "testing" if model.state == "scoring" else model.state,
        "message": model.message,
        "tested": model.tested,
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
        "score": finite(one.score, 5),
        "low": finite(one.interval.low, 5),
        "high": finite(one.interval.high, 5),
        "lean": (-1, 0, 1)[one.lean + 1],
        "images": one.n_images,
        "stereotyped": one.stereotyped,
    }
