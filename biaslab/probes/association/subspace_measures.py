"""Measures in a bias subspace (Bolukbasi et al. 2016)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from biaslab.arguments import lists_by_name, strings
from biaslab.errors import QueryError
from biaslab.probes.association.draws import check_resampling, intervals, mean_draws, within
from biaslab.probes.association.lists import Floats, n_replicates, units
from biaslab.probes.association.word_measures import MeasureResult, Rng, Row, result_of
from biaslab.probes.defining_sets import defining_sets
from biaslab.probes.unknown_words import as_dropped, list_dropped, with_suggestions
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.records.result import Dropped
from biaslab.specs import Spec, get
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.embedding.debiasing import bias_subspace
from biaslab.subjects.opening.needs import WORD_VECTORS, Named, opened

Lists = Mapping[str, Sequence[str]]


@recorded
def direct_bias(
    subject: EmbeddingSubject | Named,
    spec: Spec | str | None = None,
    *,
    words: Lists | Sequence[str] | None = None,
    defining: Sequence[Sequence[str]] | None = None,
    components: int = 1,
    c: float = 1.0,
    level: float = 0.95,
    resamples: int = 2000,
    replicates: int | None = None,
    rng: Rng = 0,
) -> MeasureResult:
    r"""Compute the direct bias of words that should be neutral (Bolukbasi et al. 2016).

    See section 5.2 there.

    .. math:: DirectBias_c = \frac{1}{|N|} \sum_{w \in N} |\cos(w, g)|^c

    with the first principal direction g of the defining sets; with several `components` the length
    of the unit vector's part in the subspace takes the place of the absolute cosine. 0 or more, and
    above 0 by chance alone: compare it with that of control words, which have a number of their
    own. The interval is for other words; the subspace stays.

    Parameters
    ----------
    subject : EmbeddingSubject
    spec : Spec or name of one, optional
        Its cue pairs, or else its groups, define the subspace; its attribute lists and controls
        are the words.
    words : mapping of str to sequence of str, or sequence of str, optional
        Words in the place of the spec's.
    defining : sequence of sequence of str, optional
        Sets of words that differ in the bias alone, such as ``[("she", "he")]``.
    components : int
        Dimensions of the subspace.
    c : float
        How strict: 0 or more; 1 is usual.
    level, resamples, replicates, rng
        As of `biaslab.weat`.

    Returns
    -------
    MeasureResult
        One number per list, and a value per word.

    Raises
    ------
    QueryError
        When no bias is defined, or there are no words.
    SubjectError
        When the sets span fewer dimensions.
    """
    if not c >= 0:
        raise ValueError(f"c is {c}: use 0 or more, such as 1.")
    return _measured(
        "direct bias",
        subject,
        spec,
        words,
        defining,
        components,
        lambda projections: np.asarray(np.linalg.norm(projections, axis=2) ** c),
        "0: the words have no component in the bias subspace; chance alone gives values above 0.",
        {"c": c},
        level,
        resamples,
        replicates,
        rng,
    )


@recorded
def projection(
    subject: EmbeddingSubject | Named,
    spec: Spec | str | None = None,
    *,
    words: Lists | Sequence[str] | None = None,
    defining: Sequence[Sequence[str]] | None = None,
    components: int = 1,
    level: float = 0.95,
    resamples: int = 2000,
    replicates: int | None = None,
    rng: Rng = 0,
) -> MeasureResult:
    r"""Project words on a bias subspace (Bolukbasi et al. 2016, section 5).

    With one component the signed cosine :math:`\cos(w, g)`, above 0 toward the first word of the
    first defining set; with several the length of the unit vector's part in the subspace. The
    number of a list is the mean over its words. The interval is for other words; the subspace
    stays.

    Parameters
    ----------
    subject, spec, words, defining, components, level, resamples, replicates, rng
        As of `direct_bias`.

    Returns
    -------
    MeasureResult
        One number per list, and a value per word.

    Raises
    ------
    QueryError
        When no bias is defined, or there are no words.
    SubjectError
        When the sets span fewer dimensions.
    """

    def read(values: Floats) -> Floats:
        return values[..., 0] if components == 1 else np.asarray(np.linalg.norm(values, axis=2))

    signed = "Above 0: toward “{first}”; 0: no component along the bias direction."
    return _measured(
        "projection",
        subject,
        spec,
        words,
        defining,
        components,
        read,
        signed if components == 1 else "0: no component in the bias subspace.",
        {},
        level,
        resamples,
        replicates,
        rng,
    )


def _measured(
    measure: str,
    subject: EmbeddingSubject | Named,
    spec: Spec | str | None,
    words: Lists | Sequence[str] | None,
    defining: Sequence[Sequence[str]] | None,
    components: int,
    read: Callable[[Floats], Floats],
    reads: str,
    more: Mapping[str, float],
    level: float,
    resamples: int,
    replicates: int | None,
    rng: Rng,
) -> MeasureResult:
    subject = opened(subject, WORD_VECTORS, f"The {measure}")
    check_resampling(level, resamples)
    source = None if spec is None else get(spec)
    lists = _lists(source, words)
    identity = hashlib.sha256(repr((lists, defining)).encode()).hexdigest()
    parameters = {
        "spec": source.name if source else "",
        "components": components,
        "level": level,
        "resamples": resamples,
        "replicates": replicates,
        **more,
    }
    with measured(
        probe=measure.replace(" ", "_"),
        subject=subject,
        spec_hash=identity,
        seed=rng,
        parameters=parameters,
    ) as run:
        b = n_replicates(subject, replicates)
        defined = defining_sets(subject, source, defining)
        space = bias_subspace([each[:b] for each in defined.vectors], components)
        rng = np.random.default_rng(rng)
        dropped: list[Dropped] = list(defined.dropped)
        rows = []
        for name, terms in lists.items():
            known, lost = _known(subject, name, terms)
            dropped += lost
            if known:
                parts = units(subject.vectors(known)[:b]) @ space.basis
                values = read(parts)
                drawn = mean_draws(values, resamples, rng)
                rows.append(Row(name, values.mean(axis=1), drawn, known, values))
        if not rows:
            raise QueryError(
                f"{subject.name!r} knows none of these words: {list_dropped(dropped)}.",
                tuple(dropped),
            )
        least = 0.0 if min(float(row.values.min()) for row in rows) >= 0 else -1.0
        spread = tuple(
            within(intervals(row.estimate, row.drawn, level), least, 1.0) for row in rows
        )
    return result_of(
        rows,
        spread,
        measure=measure,
        reads=reads.format(first=defined.sets[0][0]),
        neutral=0.0,
        level=level,
        over="words",
        dropped=tuple(dropped),
        run=run,
    )


def _lists(spec: Spec | None, words: Lists | Sequence[str] | None) -> dict[str, tuple[str, ...]]:
    if isinstance(words, Mapping):
        lists = lists_by_name(words, "words")
    elif words is not None:
        lists = {"words": strings(words, "words")}
    elif spec is not None:
        lists = {**spec.attributes, **spec.controls} or {"items": spec.items}
    else:
        lists = {}
    if not any(lists.values()):
        raise QueryError(
            "There are no words to measure. Pass words=[...], or a spec with attribute lists."
        )
    return {name: terms for name, terms in lists.items() if terms}


def _known(
    subject: EmbeddingSubject, name: str, terms: tuple[str, ...]
) -> tuple[tuple[str, ...], list[Dropped]]:
    resolution = subject.resolve(terms, suggest=False)
    lost = [as_dropped(u, name) for u in with_suggestions(subject, resolution.unknown)]
    lost += [
        Dropped(w, name, "is the same word as one already listed") for w in resolution.duplicates
    ]
    return resolution.known, lost
