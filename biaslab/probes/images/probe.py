"""``bl.image_association``: associations of concept lists with pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from biaslab.arguments import renamed
from biaslab.errors import QueryError
from biaslab.images import Image
from biaslab.images.drawn import PER_TERM
from biaslab.jobs.context import JobStopped, current_context
from biaslab.jobs.showing import shows_progress
from biaslab.probes.images.inputs import (
    Images,
    ResolvedConcepts,
    ResolvedImages,
    resolve_concepts,
    resolve_images,
)
from biaslab.probes.images.result import ImageAssociation
from biaslab.probes.images.scores import AGGREGATES, Aggregate
from biaslab.probes.images.statistics import PERMUTATIONS, RESAMPLES, image_statistics
from biaslab.probes.letter_bias import letter_bias
from biaslab.records.calls import recorded
from biaslab.records.provenance import Provenance, measured
from biaslab.specs import Spec, get
from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.reproducibility import seed_number
from biaslab.stats.significance import check_level
from biaslab.store import Store
from biaslab.subjects.opening.needs import VISION_LANGUAGE_MODEL, Named, opened
from biaslab.subjects.vision_language.questions import LetterAnswers

if TYPE_CHECKING:
    from biaslab.subjects.vision_language.model import VisionLanguageModel


@renamed(vlm="subject")
@recorded
@shows_progress
def image_association(
    subject: VisionLanguageModel | Named | Any,
    spec: str | Spec,
    images: Images | None = None,
    *,
    templates: Sequence[str] | None = None,
    aggregate: Aggregate = "sum",
    groups: tuple[str, str] | None = None,
    attributes: tuple[str, str] | None = None,
    per_term: int = PER_TERM,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    permutations: int = PERMUTATIONS,
    memory_mb: float | None = None,
    store: Store | None = None,
    keep: bool = True,
    rng: int | np.random.Generator = 0,
    progress: bool | None = None,  # noqa: ARG001  # of shows_progress
) -> ImageAssociation:
    r"""Measure how strongly pictures of two groups draw the concepts tied to each.

    The score of BiasTestVQA (Jiang et al. 2023, section 2), with the lists of concepts
    :math:`T_1, T_2` and the pictures :math:`g_1, g_2` of two groups:

    .. math:: \frac{\sum P(T_1 | g_1) + \sum P(T_2 | g_2)}{\text{number of pictures}}

    It is in [0, 1], and 0.5 is neutral. Aborted as a job, it returns the answers so far.

    Parameters
    ----------
    subject : VisionLanguageModel
        Such as ``bl.load("portrait-clip")``; or `biaslab.observers.vision`.
    spec : str or Spec
        Its groups are lists of image terms, its attribute lists the concepts tied to them.
    images : ImageSet, sequence of Image, or path of a folder, optional
        Of a path see `biaslab.images.read_images`. By default portraits drawn of the spec's terms;
        if these cannot be drawn, pictures in the store.
    templates : sequence of str, optional
        Captions with ``{concept}``, or questions; by default the model's own. The score is that
        of the mean over templates of each picture, and each template has one of its own.
    aggregate : {"sum", "mean", "any"}
        How a list's probability follows from its concepts': see
        `biaslab.probes.images.scores.first_list`. ``"sum"`` is the paper's for CLIP, ``"any"``
        its rule for ViLT, BLIP and GIT: the share of pictures that are classified so.
    groups : (str, str), optional
        Two of the spec's groups; by default the first two.
    attributes : (str, str), optional
        The lists tied to them; by default from the spec.
    per_term : int
        Portraits to draw of each term if no pictures are given.
    level : float
        Of the intervals, in (0, 1).
    resamples : int
        Of the bootstrap, at least 100.
    permutations : int
        Random splits of the permutation test, at least 100.
    memory_mb : float, optional
        Limit on the extra memory of a batch, in megabytes.
    store : Store, optional
        Store of picture embeddings, or answers; by default the user's own store.
    keep : bool
        Whether they are stored.
    rng : int or numpy.random.Generator
        Of the bootstrap, of the permutation test, and of portraits that are drawn here.
    progress : bool, optional
        Whether to show the progress; by default on a terminal and in a notebook cell.

    Returns
    -------
    ImageAssociation

    Raises
    ------
    QueryError
        If a group has no picture, a list no valid concept, or spec and model do not
        fit.
    SpecError, ImageError
        If the spec or a folder cannot be read.
    ValueError
        If an option is out of range.
    """
    vlm = opened(subject, VISION_LANGUAGE_MODEL, "bl.image_association")
    check_level(level)
    if aggregate not in AGGREGATES:
        raise ValueError(f"aggregate is {aggregate!r}: choose one of {', '.join(AGGREGATES)}.")
    for name, number in {"resamples": resamples, "permutations": permutations}.items():
        if number < 100:
            raise ValueError(f"{name} is {number}; use at least 100.")
    one_spec = get(spec)
    seed = seed_number(rng)
    shown = resolve_images(
        one_spec, images, groups=groups, per_term=per_term, seed=seed, store=store
    )
    resolved = resolve_concepts(vlm, one_spec, groups=shown.groups, attributes=attributes)
    with measured(
        probe="image_association",
        subject=vlm,
        spec_hash=one_spec.content_hash,
        parameters={
            "spec": one_spec.name,
            "images": shown.content_hash,
            "templates": templates,
            "aggregate": aggregate,
            "groups": shown.groups,
            "attributes": resolved.lists,
            "level": level,
            "resamples": resamples,
            "permutations": permutations,
        },
        seed=seed,
    ) as run:
        answers = answered(
            vlm,
            shown.images,
            resolved.concepts,
            templates,
            memory_mb=memory_mb,
            store=(store or Store()) if keep else None,
        )
        if len(np.unique(shown.group_of[answers.numbers])) < 2:
            raise JobStopped  # stopped before both groups had a picture
        options: dict[str, Any] = {
            "aggregate": aggregate,
            "level": level,
            "resamples": resamples,
            "permutations": permutations,
        }
        statistics = image_statistics(
            [shown.images[i].record for i in answers.numbers],
            shown.group_of[answers.numbers],
            answers.probabilities,
            list_of=resolved.list_of,
            groups=shown.groups,
            templates=answers.templates,
            rng=seed,
            **options,
        )
    return associated(
        vlm,
        shown,
        resolved,
        answers,
        statistics,
        aggregate=aggregate,
        level=level,
        provenance=run.provenance,
    )


def associated(
    vlm: Any,
    shown: ResolvedImages,
    resolved: ResolvedConcepts,
    answers: Answered,
    statistics: Mapping[str, Any],
    *,
    aggregate: str,
    level: float,
    provenance: Provenance,
) -> ImageAssociation:
    """Return the result of existing answers.

    - `vlm`: that gave them.
    - `statistics`: output of `image_statistics`.
    - `aggregate`, `level`: the arguments of `image_statistics`.
    """
    about = tuple(getattr(vlm, "notes", ()))
    letters = None
    if answers.letters is not None:
        count = len(answers.letters.log_probabilities)
        letters = letter_bias(answers.letters, np.arange(count), "pictures")
    said = () if letters is None else letters.sentences()
    return ImageAssociation(
        groups=shown.groups,
        concept_lists=resolved.lists,
        concepts=resolved.concepts,
        list_of=resolved.list_of,
        templates=answers.templates,
        images=tuple(shown.images[i].record for i in answers.numbers),
        group_of=shown.group_of[answers.numbers],
        probabilities=answers.probabilities,
        aggregate=aggregate,
        model_kind=str(getattr(vlm, "kind", "")),
        unscored=len(shown.images) - len(answers.numbers) - answers.unreadable,
        level=level,
        notes=tuple(dict.fromkeys((*said, *shown.notes, *resolved.notes, *answers.notes, *about))),
        letters=letters,
        dropped=(*shown.dropped, *resolved.dropped),
        provenance=provenance,
        **statistics,
    )


MESSAGE = "asking about pictures"
_AT_ONCE, _AT_ONCE_ON_GPU = 16, 256
"""Pictures in a batch, which a stopped run loses: a processor takes no longer over small ones. How
many must not depend on how long they took: the last digits of answers depend on it.
"""


@dataclass(frozen=True)
class Answered:
    """A model's answers about some pictures.

    Attributes
    ----------
    numbers : ndarray of int64, shape (m,)
        Which pictures, in their order.
    probabilities : ndarray, shape (m, K, C)
    templates : tuple of str, length K
    notes : tuple of str
    letters : LetterAnswers or None
        The replies of a model that chooses among listed options: of all pictures that it was shown.
    unreadable : int
        Pictures left out, as a question about them has no readable reply.
    """

    numbers: NDArray[np.int64]
    probabilities: Floats
    templates: tuple[str, ...]
    notes: tuple[str, ...]
    letters: LetterAnswers | None = None
    unreadable: int = 0


def answered(
    vlm: Any,
    images: Sequence[Image],
    concepts: Sequence[str],
    templates: Sequence[str] | None,
    *,
    memory_mb: float | None = None,
    store: Store | None = None,
) -> Answered:
    """Ask about pictures, terms in turn, in batches.

    - `vlm`: or a model with the same interface.
    - `concepts`: all must be answerable.
    - `memory_mb`, `store`: as of `VisionLanguageModel.answers`.
    - Raises `JobStopped` if it was stopped before anything was answered; `QueryError` if no picture
      has a readable reply to every question.
    """
    context = current_context()
    options: dict[str, Any] = {} if memory_mb is None else {"memory_mb": memory_mb}
    order = _in_turn([image.term for image in images])
    at_once = _AT_ONCE if str(getattr(vlm, "device", "cpu")) == "cpu" else _AT_ONCE_ON_GPU
    done = 0
    parts: list[Any] = []
    letters: LetterAnswers | None = None
    notes: dict[str, None] = {}
    done_so_far = 0

    def advance(more: int) -> None:
        nonlocal done_so_far
        done_so_far += more
        context.report(min(done_so_far, len(images)), len(images), MESSAGE)

    context.report(0, len(images), MESSAGE)
    try:
        while done < len(images):
            context.checkpoint()
            some = order[done : done + at_once]
            answers = vlm.answers(
                [images[i] for i in some],
                concepts,
                templates,
                store=store,
                between=context.checkpoint,
                advance=advance,
                **options,
            )
            parts.append(answers.probabilities)
            own = getattr(answers, "letters", None)
            letters = own if letters is None or own is None else letters.joined(own)
            notes |= dict.fromkeys(answers.notes)
            used_templates = answers.templates
            done += len(some)
            done_so_far = done
    except JobStopped:
        if not parts:
            raise
    context.report(done, len(images), MESSAGE)
    numbers = np.array(order[:done], dtype=np.int64)
    back = np.argsort(numbers)
    numbers, probabilities = numbers[back], np.concatenate(parts)[back]
    # A question that is refused in one order has no answer, and none is guessed.
    is_whole = ~np.isnan(probabilities).any(axis=(1, 2))
    if lost := int((~is_whole).sum()):
        if lost == len(numbers):
            raise QueryError(
                f"{vlm.name} gives no readable reply about any of the {lost:,} pictures: it"
                " refuses, or answers in other words. Ask other questions (templates=...), or for"
                " more replies to each."
            )
        notes[
            f"{lost:,} picture{'s are' if lost > 1 else ' is'} left out: some question about"
            f" {'them' if lost > 1 else 'it'} has no readable reply."
        ] = None
    return Answered(
        numbers[is_whole], probabilities[is_whole], tuple(used_templates), tuple(notes), letters,
        lost,
    )  # fmt: skip


def _in_turn(terms: Sequence[str]) -> list[int]:
    """Interleave the terms' pictures, so that every term has some when a run stops."""
    place: dict[str, int] = {}
    ranked = []
    for i, term in enumerate(terms):
        rank = place[term] = place.get(term, -1) + 1
        ranked.append((rank, i))
    return [i for _, i in sorted(ranked)]
