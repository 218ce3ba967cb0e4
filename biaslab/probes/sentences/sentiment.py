"""Sentences that differ in one person, scored by a sentiment system.

After Kiritchenko and Mohammad (2018): see `person_sentences`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biaslab.arguments import lists_by_name, strings
from biaslab.asking.providers.classifier import ClassifierService
from biaslab.errors import QueryError, SubjectError
from biaslab.files.tables import with_points
from biaslab.probes.rating.experiment_executor import execute
from biaslab.probes.sentences.person_sentences import PersonSentence, person_sentences, read_eec
from biaslab.probes.sentences.sentiment_result import Floats, Gap, Halves, SentimentGap
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.records.result import Dropped, Interval
from biaslab.services import Chain, Service
from biaslab.specs import Spec, get
from biaslab.stats.clustered_mean import clustered_mean
from biaslab.stats.significance import check_level
from biaslab.subjects.classifier.base import Classifier
from biaslab.subjects.opening.needs import CLASSIFIER, Named, opened

if TYPE_CHECKING:
    pass

PERSONS = "eec-persons"
OVER = "persons and templates"
"""Kind of an interval: over other persons and other templates."""
#: What a service that answers in words may say, as numbers.
_ANSWERS = {"positive": 1.0, "neutral": 0.5, "negative": 0.0}


@recorded
def sentiment_gap(
    subject: Classifier | Service | Chain | Callable[[Sequence[str]], ArrayLike] | Named,
    groups: str | Spec | Mapping[str, Sequence[str]] = PERSONS,
    *,
    names: Sequence[str] | None = None,
    sentences: str | os.PathLike[str] | Sequence[PersonSentence] | None = None,
    label: str = "positive",
    halves: int = 200,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> SentimentGap:
    """Compare a sentiment system's scores of sentences that differ in the person alone.

    Parameters
    ----------
    subject : Classifier, Service, callable, or name of a classifier
        A classifier of texts, whose probability of `label` is the score; a service that answers
        with a number, or with positive, neutral or negative; or a function from a list of texts
        to a number for each.
    groups : str, Spec or mapping of str to sequence of str
        Two groups of persons: names, or phrases such as "my sister".
    names : sequence of str, optional
        Two of the groups, in this order; by default the first two.
    sentences : path or sequence of PersonSentence, optional
        The authors' file of the Equity Evaluation Corpus, or sentences of your own; by default
        ours, in the same design.
    label : str
    halves : int
        Random halves of one group, as a placebo.
    level : float
        Of the intervals, in (0, 1).
    rng : int or numpy.random.Generator
        Of the halves.

    Returns
    -------
    SentimentGap

    Raises
    ------
    QueryError
        When there are not two groups, or fewer than two persons of a group have a score.
    SubjectError
        When the system reads no texts, or its answers are no scores.

    Notes
    -----
    A score is compared with the mean of both groups in the same template with the same word.
    Persons are the units; templates are crossed with them and all count alike. Persons whose name
    a classifier does not know are left out: it would read the sentence without them.
    """
    check_level(level)
    if isinstance(subject, str | os.PathLike):
        subject = opened(subject, CLASSIFIER, "bl.probes.sentences.sentiment_gap")
    lists, spec_hash = _two_groups(groups, names)
    dropped: list[Dropped] = []
    shared = set.intersection(*map(set, lists.values()))
    dropped += [Dropped(person, "person", "is in both groups") for person in sorted(shared)]
    persons = [p for some in lists.values() for p in some if p not in shared]
    if coverage := getattr(subject, "coverage", None):
        known = np.asarray(coverage(persons)) if persons else np.zeros(0)
        lost = [p for p, share in zip(persons, known, strict=True) if share < 1]
        dropped += [Dropped(p, "person", "is not in the vocabulary") for p in lost]
        persons = [p for p in persons if p not in lost]
    if sentences is None:
        rows = person_sentences(persons)
    else:
        given = read_eec(sentences) if isinstance(sentences, str | os.PathLike) else sentences
        rows = tuple(row for row in given if row.person in set(persons))
    with measured(
        probe="sentiment_gap",
        subject=subject,
        spec_hash=spec_hash,
        parameters={
            "groups": {name: tuple(some) for name, some in lists.items()},
            "sentences": len(rows),
            "label": label,
            "halves": halves,
            "level": level,
        },
        seed=rng,
    ) as run:
        scores, unit = _scores(subject, [row.text for row in rows], label)
    failed = ~np.isfinite(scores)
    dropped += [
        Dropped(row.text, "sentence", "has no score")
        for row, lacks in zip(rows, failed, strict=True)
        if lacks
    ]
    rows = tuple(row for row, lacks in zip(rows, failed, strict=True) if not lacks)
    scored = {row.person for row in rows}
    kept = {name: tuple(p for p in some if p in scored) for name, some in lists.items()}
    for name, some in kept.items():
        if len(some) < 2:
            raise QueryError(
                f"{len(some)} person of {name!r} has scored sentences; at least two are needed."
                " Add persons that the system knows.",
                tuple(dropped),
            )
    table = _Table.of(rows, scores[~failed], kept)
    emotions = list(dict.fromkeys(row.emotion for row in rows))
    return SentimentGap(
        groups=kept,
        sentences=rows,
        scores=scores[~failed],
        unit=unit,
        gaps=(table.gap("all", level), *(table.gap(e, level, e) for e in emotions)),
        halves=table.halves(halves, level, np.random.default_rng(rng)),
        level=level,
        dropped=tuple(dropped),
        provenance=run.provenance,
    )


def _two_groups(
    groups: str | Spec | Mapping[str, Sequence[str]], names: Sequence[str] | None
) -> tuple[dict[str, tuple[str, ...]], str | None]:
    spec = None if isinstance(groups, Mapping) else get(groups)
    lists = lists_by_name(groups, "groups") if spec is None else spec.groups
    chosen = list(lists)[:2] if names is None else list(strings(names, "names"))
    if len(chosen) != 2 or len(set(chosen)) != 2 or any(g not in lists for g in chosen):
        raise QueryError(
            f"Two groups are compared; got {chosen} of {list(lists)}. Choose two:"
            f" names={tuple(list(lists)[:2])}."
        )
    return {g: tuple(dict.fromkeys(lists[g])) for g in chosen}, getattr(spec, "content_hash", None)


def _scores(subject: Any, texts: list[str], label: str) -> tuple[Floats, str]:
    """Return a score per text, NaN where there is none, and their unit."""
    if isinstance(subject, ClassifierService):
        subject = subject.classifier
    if isinstance(subject, Classifier):
        place = subject.label_index(label)
        service = ClassifierService(cast(Any, subject))
        at_once = service.limits.texts_per_call
        parts = [
            service.probabilities(texts[i : i + at_once])[:, place]
            for i in range(0, len(texts), at_once)
        ]
        return np.concatenate([np.zeros(0), *parts]), f"p({label})"
    if isinstance(subject, Service | Chain):
        answers = [response.output for response in execute(subject, texts).responses]
        return np.array([_number(answer) for answer in answers]), "score"
    if not callable(subject):
        raise SubjectError(
            f"{subject!r} scores no texts. Pass a text classifier such as"
            " bl.load('imdb-sentiment'), a service, or a function from texts to numbers."
        )
    values = np.asarray(subject(texts), dtype=np.float64)
    if values.shape != (len(texts),):
        raise SubjectError(
            f"The function gave an array of shape {values.shape} for {len(texts)} texts. Return"
            " one number per text."
        )
    return values, "score"


def _number(answer: str | None) -> float:
    text = (answer or "").strip().casefold().rstrip(".")
    try:
        return _ANSWERS[text] if text in _ANSWERS else float(with_points(text))
    except ValueError:
        return math.nan


@dataclass(frozen=True)
class _Table:
    """Scores by person and frame (template and word), NaN where there is no sentence."""

    scores: Floats
    side: NDArray[np.int64]
    template: NDArray[np.int64]
    emotion: NDArray[np.str_]

    @classmethod
    def of(
        cls, rows: Sequence[PersonSentence], scores: Floats, groups: Mapping[str, Sequence[str]]
    ) -> _Table:
        persons = [p for some in groups.values() for p in some]
        frames = {(row.template, row.word): row.emotion for row in rows}
        person = {p: i for i, p in enumerate(persons)}
        place = {frame: j for j, frame in enumerate(frames)}
        table = np.full((len(persons), len(frames)), np.nan)
        for row, score in zip(rows, scores, strict=True):
            table[person[row.person], place[row.template, row.word]] = score
        _, template = np.unique([frame[0] for frame in frames], return_inverse=True)
        side = np.repeat([0, 1], [len(some) for some in groups.values()])
        return cls(table, side, template, np.array(list(frames.values())))

    def gap(self, name: str, level: float, emotion: str = "") -> Gap:
        """Return the difference of the groups, of all frames or those of an emotion."""
        frames = self.emotion == emotion if emotion else np.ones(len(self.emotion), dtype=bool)
        scores = self.scores[:, frames]
        low, high, difference = _difference(scores, self.side, self.template[frames], level)
        count = int(np.isfinite(scores).sum())
        return Gap(name, difference, Interval(low, high, level, OVER), count)

    def halves(self, splits: int, level: float, rng: np.random.Generator) -> Halves:
        """Compare random halves of either group."""
        groups = [np.flatnonzero(self.side == g) for g in (0, 1)]
        if splits < 2 or min(map(len, groups)) < 4:
            return Halves(0, math.nan, math.nan, math.nan)
        found = []
        for split in range(splits):
            members = rng.permutation(groups[split % 2])
            side = (np.arange(len(members)) >= len(members) // 2).astype(np.int64)
            found.append(_difference(self.scores[members], side, self.template, level))
        low, high, differences = np.array(found).T
        reach = np.quantile(differences, (0.025, 0.975))
        return Halves(
            splits, float(reach[0]), float(reach[1]), float(((low > 0) | (high < 0)).mean())
        )


def _difference(
    scores: Floats, side: NDArray[np.int64], template: NDArray[np.int64], level: float
) -> tuple[float, float, float]:
    """Return the ends of the interval of a difference of two sides, and the difference.

    Each score is taken from the middle of the two sides' means in its frame, and averaged over a
    template's words. Frames in which a side has no score are left out.
    """
    there = np.isfinite(scores)
    counts = np.stack([there[side == g].sum(axis=0) for g in (0, 1)])
    usable = (counts > 0).all(axis=0)
    scores, template, counts = scores[:, usable], template[usable], counts[:, usable]
    sums = np.stack([np.nansum(scores[side == g], axis=0) for g in (0, 1)])
    middle = (sums / counts).mean(axis=0)
    away = np.where(side == 0, 2.0, -2.0)[:, None] * (scores - middle)
    of_template = np.unique(template)[:, None] == template
    with np.errstate(invalid="ignore"):  # a person without a sentence in a template
        cells = (
            np.nan_to_num(away) @ of_template.T / (np.isfinite(away).astype(int) @ of_template.T)
        )
    person, column = np.nonzero(np.isfinite(cells))
    found = clustered_mean(
        cells[person, column], person, sides=side[person], strata=side[person], crossed=[column],
    )  # fmt: skip
    return (*found.limits(level), found.estimate)
