"""Results of step 3: what `bl.image_association` says of the answers that there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.images.image import Image, ImageSet, term_key
from biaslab.probes.images.inputs import (
    ResolvedConcepts,
    ResolvedImages,
    resolve_concepts,
    resolve_images,
)
from biaslab.probes.images.probe import Answered, associated
from biaslab.probes.images.result import (
    ImageAssociation,
    ImageScoreDifference,
    image_score_difference,
)
from biaslab.probes.images.scores import first_list
from biaslab.probes.images.statistics import PERMUTATIONS, RESAMPLES, image_statistics
from biaslab.records.calls import call_of
from biaslab.records.provenance import Provenance
from biaslab_widgets.benches.images.run import AnswerCache, ImageQuestion, asked_of, softmax, whole
from biaslab_widgets.benches.images.words import ImageWords
from biaslab_widgets.core.answers.cache import RecordedLater

QUICK = 200
"""Resamples and splits while a run goes on."""


@dataclass(frozen=True)
class ShownSet:
    """The pictures of a test.

    - `version`: of the set on the screen.
    - `given`: the pictures, with remarks on them.
    - `images`: as on the screen.
    - `asked`: as the probe takes them.
    - `places`, ndarray of int64, shape (len(asked.images),): which picture of the screen each of
      those is.
    - `group_of`: ndarray of int64, shape (len(images),).
    - `keys`: of the pictures on the screen, see `asked_of`.
    """

    version: int
    given: ImageSet
    images: tuple[Image, ...]
    asked: ResolvedImages
    places: NDArray[np.int64]
    group_of: NDArray[np.int64]
    keys: tuple[str, ...]


def shown_set(version: int, images: ImageSet, words: ImageWords) -> ShownSet:
    """The pictures on the screen as the probe takes them.

    Raises `QueryError` when a group has no picture.
    """
    if words.spec is None:
        raise QueryError(words.why)
    resolved = resolve_images(words.spec, images, groups=words.groups)
    place = {(term_key(i.term), i.hash): n for n, i in enumerate(images.images)}
    group = {term_key(term): side for term, side in words.terms}
    return ShownSet(
        version,
        images,
        images.images,
        resolved,
        np.array([place[term_key(i.term), i.hash] for i in resolved.images], dtype=np.int64),
        np.array([group[term_key(i.term)] for i in images.images], dtype=np.int64),
        tuple(map(asked_of, images.images)),
    )


@dataclass(frozen=True)
class Asking:
    """What results are asked about.

    - `quick`: whether few resamples do.
    """

    shown: ShownSet
    words: ImageWords
    aggregate: str
    level: float
    seed: int
    quick: bool = False

    @property
    def key(self) -> object:
        """Equal where the same is asked."""
        return (self.shown.version, self.words.key, self.aggregate, self.level, self.seed,
                self.quick)  # fmt: skip


@dataclass(frozen=True)
class KnownAnswers:
    """What is known of a model's answers.

    - `scores`, ndarray, shape (n,): P(list of the picture's own group), by the pictures on the
      screen; NaN where there is none.
    - `by_template`, ndarray, shape (n, K): P(first list) in each template.
    - `by_concept`, ndarray, shape (n, C): each concept's probability, the mean over templates.
    - `result`: None while there is no picture of each group.
    """

    scores: NDArray[np.float64]
    by_template: NDArray[np.float64]
    by_concept: NDArray[np.float64]
    result: ImageAssociation | None


class ImageResults:
    """Makes results of cached answers; what has not changed is not computed again."""

    def __init__(self, cache: AnswerCache) -> None:
        self._cache = cache
        self._concepts: dict[str, tuple[object, ResolvedConcepts]] = {}
        self._made: dict[str, tuple[object, KnownAnswers]] = {}
        self._provenance: dict[str, tuple[object, Provenance]] = {}
        self._calls = RecordedLater()
        # Held, so that no other result is taken for one of them.
        self._compared: dict[
            tuple[str, str], tuple[ImageAssociation, ImageAssociation, ImageScoreDifference | None]
        ] = {}

    def concepts(self, name: str, model: Any, words: ImageWords) -> ResolvedConcepts:
        """What a model is asked of the concepts on the screen.

        Raises `QueryError` when it can be asked none of a list.
        """
        key = (id(model), words.key)
        before = self._concepts.get(name)
        if before is None or before[0] != key:
            if words.spec is None:
                raise QueryError(words.why)
            made = resolve_concepts(model, words.spec, groups=words.groups, attributes=words.lists)
            before = self._concepts[name] = (key, made)
        return before[1]

    def of(
        self,
        name: str,
        model: Any,
        concepts: ResolvedConcepts,
        templates: tuple[str, ...],
        asking: Asking,
        notes: Sequence[str] = (),
    ) -> KnownAnswers:
        """What a model's answers say.

        - `name`: the model's, on the screen.
        - `templates`: that it is asked.
        - `notes`: what a person should know of the run.
        """
        seconds = self._cache.seconds(name)
        key = (self._cache.version(name), asking.key, templates, seconds, tuple(notes))
        before = self._made.get(name)
        if before is not None and before[0] == key:
            return before[1]
        shown = asking.shown
        question = ImageQuestion(templates, concepts.concepts)
        logs = self._cache.of(name, shown.keys, question)
        known = whole(logs)
        probabilities = np.full(logs.shape, np.nan)
        probabilities[known] = softmax(logs[known])
        by_template = np.full(logs.shape[:2], np.nan)
        if known.any():
            by_template[known] = first_list(
                probabilities[known], concepts.list_of, asking.aggregate
            )
        numbers = np.flatnonzero(known[shown.places])
        result = None
        if len(np.unique(shown.asked.group_of[numbers])) == 2:
            result = self._result(
                name, model, concepts, templates, asking, notes, numbers,
                probabilities[shown.places[numbers]], seconds,
            )  # fmt: skip
        first = by_template.mean(axis=1)
        if result is not None:  # the very numbers of the result
            first[shown.places[numbers]] = result.first
        answers = KnownAnswers(
            np.where(shown.group_of == 0, first, 1 - first),
            by_template,
            probabilities.mean(axis=1),
            result,
        )
        self._made[name] = (key, answers)
        return answers

    def compared(self, results: Sequence[ImageAssociation]) -> list[ImageScoreDifference]:
        """The first model against each of the others, on the pictures that both were shown."""
        differences = []
        for other in results[1:]:
            names = (results[0].provenance.subject, other.provenance.subject)
            before = self._compared.get(names)
            if before is None or before[0] is not results[0] or before[1] is not other:
                try:
                    seed = cast("int", results[0].provenance.seed)
                    made = image_score_difference(results[0], other, rng=seed)
                except QueryError:  # no pictures of both: each model's own row says so
                    made = None
                before = self._compared[names] = (results[0], other, made)
            if before[2] is not None:
                differences.append(before[2])
        return differences

    def _result(
        self,
        name: str,
        model: Any,
        concepts: ResolvedConcepts,
        templates: tuple[str, ...],
        asking: Asking,
        notes: Sequence[str],
        numbers: NDArray[np.int64],
        probabilities: NDArray[np.float64],
        seconds: float,
    ) -> ImageAssociation:
        shown = asking.shown.asked
        resamples, permutations = (QUICK, QUICK) if asking.quick else (RESAMPLES, PERMUTATIONS)
        statistics = image_statistics(
            [shown.images[i].record for i in numbers],
            shown.group_of[numbers],
            probabilities,
            list_of=concepts.list_of,
            groups=shown.groups,
            templates=templates,
            aggregate=asking.aggregate,
            level=asking.level,
            resamples=resamples,
            permutations=permutations,
            rng=asking.seed,
        )
        parameters = {
            "spec": asking.words.name,
            "images": shown.content_hash,
            "templates": templates,
            "aggregate": asking.aggregate,
            "groups": shown.groups,
            "attributes": concepts.lists,
            "level": asking.level,
            "resamples": resamples,
            "permutations": permutations,
        }
        result = associated(
            model,
            shown,
            concepts,
            Answered(numbers, probabilities, templates, tuple(notes)),
            statistics,
            aggregate=asking.aggregate,
            level=asking.level,
            provenance=self._from(name, model, asking, parameters, seconds),
        )
        self._calls.put(
            result,
            lambda: call_of(
                bl.image_association,
                model,
                asking.words.spec,
                asking.shown.given,
                templates=templates,
                aggregate=asking.aggregate,
                groups=asking.words.groups,
                attributes=asking.words.lists,
                level=asking.level,
                resamples=resamples,
                permutations=permutations,
                rng=asking.seed,
            ),
        )
        return result

    def with_call(self, result: ImageAssociation) -> ImageAssociation:
        """The same result with the call that makes it."""
        return self._calls.of(result)

    def _from(
        self, name: str, model: Any, asking: Asking, parameters: Mapping[str, Any], seconds: float
    ) -> Provenance:
        """Where a result comes from; versions of packages are looked up once."""
        before = self._provenance.get(name)
        if before is None or before[0] != (id(model), seconds):
            made = Provenance.record(probe="image_association", subject=model, seconds=seconds)
            before = self._provenance[name] = ((id(model), seconds), made)
        return replace(
            before[1],
            subject=name,
            spec_hash=getattr(asking.words.spec, "content_hash", None),
            seed=asking.seed,
            parameters=parameters,
        )
