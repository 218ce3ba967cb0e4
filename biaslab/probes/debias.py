"""``bl.debias``: remove the subspace that separates the classes of a bias."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from biaslab.arguments import renamed, strings
from biaslab.errors import QueryError
from biaslab.probes.defining_sets import (
    DefiningSets,
    WordSets,
    checked_sets,
    defining_sets,
    known_sets,
    merged,
)
from biaslab.probes.unknown_words import as_dropped
from biaslab.records.calls import recorded
from biaslab.records.provenance import Provenance, measured
from biaslab.records.record import Record
from biaslab.records.result import Dropped, Worded
from biaslab.specs import Spec, get
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.embedding.debiasing import (
    BiasSubspace,
    LinearChange,
    bias_subspace,
    equalised,
    hard_changes,
    moments,
    soft_map,
)
from biaslab.subjects.embedding.derived import DerivedEmbedding, DerivedEnsemble, derive
from biaslab.subjects.encoder.model import Encoder
from biaslab.subjects.opening.needs import WORD_VECTORS, Named, opened

Method = Literal["hard", "soft"]
Objective = Literal["mean", "sum"]


@dataclass(frozen=True, kw_only=True)
class Debiasing(Record, Worded):
    """Record of a debiasing, the ``derivation`` of a debiased subject.

    Attributes
    ----------
    method : str
        ``hard`` or ``soft``.
    defining : tuple of tuple of str
        The words of each defining set; with `by_group` one set of groups.
    by_group : bool
        Whether the classes are defined by the mean unit vectors of whole groups.
    components : int
        Dimensions r of the bias subspace.
    explained : ndarray, shape (B,)
        Share of the variance within the defining sets that the subspace explains, per replicate.
    shares : ndarray, shape (B, m)
        The share of each principal direction.
    neutral : tuple of str or None
        Words that were neutralised (hard) or are in the penalty (soft); None for all that are
        not specific.
    n_neutral : int
        How many they are.
    specific : tuple of str
        Words that may separate the classes and were not neutralised.
    equalized : tuple of tuple of str
        Sets whose words are now equally far from every neutral word; sets that shared a word
        were joined. Empty for soft.
    lam : float or None
        The weight of soft debiasing.
    objective : str
        ``mean`` or ``sum``: how its two terms were taken. Empty for hard.
    remaining : ndarray, shape (B,)
        Soft: mean square of the inner products of neutral words and bias directions, both
        mapped, over that before. Zeros for hard.
    unit : bool
        Whether all vectors were given length 1.
    parent, parent_hash : str
        Name and content hash of the subject before.
    dropped : tuple of Dropped
        Dropped words, with reasons.
    provenance : Provenance
        With the parameters, the spec's hash, versions and time.
    """

    method: str
    defining: WordSets
    by_group: bool
    components: int
    explained: NDArray[np.float64]
    shares: NDArray[np.float64]
    neutral: tuple[str, ...] | None
    n_neutral: int
    specific: tuple[str, ...]
    equalized: WordSets
    lam: float | None
    objective: str
    remaining: NDArray[np.float64]
    unit: bool
    parent: str
    parent_hash: str
    dropped: tuple[Dropped, ...]
    provenance: Provenance


@renamed(lam="penalty")
@recorded
def debias(
    subject: EmbeddingSubject | Named,
    spec: Spec | str | None = None,
    *,
    method: Method = "hard",
    defining: Sequence[Sequence[str]] | None = None,
    equalize: Sequence[Sequence[str]] | None = None,
    neutral: Sequence[str] | Literal["spec"] | None = None,
    specific: Sequence[str] = (),
    groups: tuple[str, str] | None = None,
    components: int | None = None,
    penalty: float = 0.2,
    objective: Objective = "mean",
    unit: bool = False,
    name: str | None = None,
) -> DerivedEmbedding | DerivedEnsemble:
    r"""Return a copy of a subject whose words separate the classes of a bias less.

    The bias subspace holds the first principal components of the defining sets, whose words
    differ in the class only (Bolukbasi et al. 2016 for pairs; Manzini et al. 2019 for k classes).
    *Hard* debiasing takes it out of the neutral words and puts the words of each equality set
    equally far from all of them. *Soft* debiasing applies one linear map to all words, which
    trades the remaining bias against changed inner products; see
    `biaslab.subjects.embedding.debiasing`. Each replicate of an ensemble has a subspace of its own.

    Parameters
    ----------
    subject : EmbeddingSubject
        An embedding or ensemble; it is unchanged, and is the ``parent`` of the result.
    spec : Spec or str, optional
        Source of the defining sets if they are not given: its cue pairs; else the k-th
        words of all groups together; for groups of different sizes the groups' means.
    method : {"hard", "soft"}
    defining : sequence of sequence of str, optional
        Defining sets, each of one word per class.
    equalize : sequence of sequence of str, optional
        Equality sets of hard debiasing; by default the defining sets, none for groups' means.
        Sets that share a word are joined.
    neutral : sequence of str or "spec", optional
        Words to neutralise (soft: words in the penalty). By default all words but those in
        defining and equality sets and `specific`; "spec": the spec's attributes, controls and
        items.
    specific : sequence of str
        Words that rightly separate the classes, such as *king* and *beard*, and are kept.
    groups : (str, str), optional
        Two of the spec's groups.
    components : int, optional
        Dimensions of the bias subspace; by default the words of the largest set less one.
    penalty : float
        Soft: weight of the remaining bias, from 0 (no change) to infinity.
    objective : {"mean", "sum"}
        Soft: whether the two terms of the objective are means over pairs of words and over
        neutral words, so that `penalty` does not depend on the size of the vocabulary, or sums, as
        in the papers. Their 0.2 is for sums, which over a whole vocabulary changes almost nothing.
    unit : bool
        Give all vectors length 1 before and after, as the papers do. By default each word keeps
        its length: cosines are the same, phrases keep their weights, and words that are neither
        neutral nor equalised stay bit-identical.
    name : str, optional
        Default such as "wiki-bootstraps, hard-debiased (gender-pairs)".

    Returns
    -------
    DerivedEmbedding or DerivedEnsemble
        With ``parent`` and ``derivation`` (a `Debiasing`). Rows are computed on demand.

    Raises
    ------
    QueryError
        When no defining set or no neutral word is left, or options contradict each other.
    SubjectError
        When the defining sets span fewer directions than `components`.

    Notes
    -----
    Memory: hard debiasing needs one byte and one int32 per word, and the equalised vectors;
    soft one d by d matrix per replicate. Rows are changed as they are read.
    """
    subject = opened(subject, WORD_VECTORS, "bl.debias")
    _check_options(method, objective, penalty, equalize)
    if isinstance(subject, Encoder):
        raise QueryError(
            f"{subject.name!r} is an encoder: it computes its vectors, so there are none to"
            " change. Debias an embedding or an ensemble."
        )
    source = None if spec is None else get(spec)
    if groups is not None:
        if source is None:
            raise QueryError("groups= chooses two groups of a spec, but no spec was given.")
        source = source.two_groups(*groups)
    request = {
        "method": method, "defining": defining, "equalize": equalize, "neutral": neutral,
        "specific": strings(specific, "specific", "['king', 'beard']"), "groups": groups,
        "components": components,
        "penalty": penalty if method == "soft" else None,
        "objective": objective if method == "soft" else None, "unit": unit,
        "spec": None if source is None else source.name,
    }  # fmt: skip
    with measured(
        probe="debias",
        subject=subject,
        parameters=request,
        spec_hash=None if source is None else source.content_hash,
    ) as run:
        sets = defining_sets(subject, source, defining)
        subspace = bias_subspace(sets.vectors, components)
        plan = _Plan.of(subject, source, sets, subspace, method, equalize, neutral, specific)
        remaining = np.zeros(subject.n_replicates)
        if method == "hard":
            changes = hard_changes(subspace.basis, plan.mask, plan.equality, unit)
        else:
            changes = []
            for b, basis in enumerate(subspace.basis):
                of = moments(subject._replicates[b], plan.mask)
                of = of.per_word() if objective == "mean" else of
                by = soft_map(of, basis, penalty)
                remaining[b] = _share_left(of.neutral_words, by, basis)
                changes.append(LinearChange(by, unit))
    done = Debiasing(
        method=method,
        defining=sets.sets,
        by_group=sets.by_group,
        components=subspace.components,
        explained=subspace.explained,
        shares=subspace.shares,
        neutral=plan.neutral,
        n_neutral=int(plan.mask.sum()),
        specific=plan.specific,
        equalized=plan.equalized,
        lam=penalty if method == "soft" else None,
        objective=objective if method == "soft" else "",
        remaining=remaining,
        unit=unit,
        parent=subject.name,
        parent_hash=subject.content_hash,
        dropped=(*sets.dropped, *plan.dropped),
        provenance=run.provenance,
    )
    what = source.name if source is not None and defining is None else " / ".join(sets.sets[0])
    return derive(
        subject,
        changes,
        recipe=_recipe(done),
        derivation=done,
        name=name or f"{subject.name}, {method}-debiased ({what})",
        about=done.summary(),
        notes=subject.notes,
    )


@dataclass(frozen=True)
class _Plan:
    """Which rows are neutral, which are equalised."""

    mask: NDArray[np.bool_]
    neutral: tuple[str, ...] | None
    specific: tuple[str, ...]
    equalized: WordSets
    equality: list[tuple[NDArray[np.int64], NDArray[np.float64]]]
    dropped: tuple[Dropped, ...]

    @classmethod
    def of(
        cls,
        subject: EmbeddingSubject,
        spec: Spec | None,
        sets: DefiningSets,
        subspace: BiasSubspace,
        method: Method,
        equalize: Sequence[Sequence[str]] | None,
        neutral: Sequence[str] | Literal["spec"] | None,
        specific: Sequence[str],
    ) -> _Plan:
        dropped: list[Dropped] = []
        requested: WordSets = () if sets.by_group or method == "soft" else sets.sets
        if equalize is not None:
            checked = checked_sets(equalize, "equalize")
            requested, unknown_words = known_sets(subject, checked, "equality set")
            dropped += unknown_words
        words, equality, lost = _equality_sets(subject, requested, subspace)
        dropped += lost
        left = subject.resolve(list(dict.fromkeys(specific)))
        dropped += [as_dropped(unknown, "specific") for unknown in left.unknown]
        defined = _defining_words(spec, sets)
        unchanged = dict.fromkeys([*defined, *left.known])
        rows = _rows(subject, unchanged)
        rows |= {int(row) for each, _ in equality for row in each}
        if neutral is None:
            mask = np.ones(len(subject._words_by_row), dtype=bool)
            mask[list(rows)] = False
            chosen = None
        else:
            chosen, mask, lost = _neutral_words(subject, spec, neutral, rows)
            dropped += lost
        if not mask.any():
            raise QueryError(
                "No neutral word is left. Give some that are not in any set.", tuple(dropped)
            )
        return cls(mask, chosen, left.known, words, equality, tuple(dropped))


def _check_options(
    method: str, objective: str, penalty: float, equalize: Sequence[Sequence[str]] | None
) -> None:
    if method not in get_args(Method):
        raise ValueError(f"method={method!r}: choose 'hard' or 'soft'.")
    if objective not in get_args(Objective):
        raise ValueError(f"objective={objective!r}: choose 'mean' or 'sum'.")
    if not penalty >= 0 or not np.isfinite(penalty):
        raise ValueError(f"penalty={penalty}: give a weight of at least 0.")
    if method == "soft" and equalize is not None:
        raise QueryError(
            "Soft debiasing does not equalise. Leave out equalize, or use method='hard'."
        )


def _defining_words(spec: Spec | None, sets: DefiningSets) -> list[str]:
    if sets.by_group and spec is not None:
        return [word for name in sets.sets[0] for word in spec.groups[name]]
    return [word for each in sets.sets for word in each]


def _rows(subject: EmbeddingSubject, terms: Mapping[str, None]) -> set[int]:
    """Return rows of single-word terms; words of a phrase are independent."""
    matches = (subject._finder.find(term) for term in terms)
    return {rows[0] for rows in matches if not isinstance(rows, str) and len(rows) == 1}


def _equality_sets(
    subject: EmbeddingSubject, sets: WordSets, subspace: BiasSubspace
) -> tuple[WordSets, list[tuple[NDArray[np.int64], NDArray[np.float64]]], list[Dropped]]:
    """Return joined sets of single words, rows, vectors (B, k, d), and dropped words."""
    dropped: list[Dropped] = []
    by_row: dict[int, str] = {}
    of_rows: list[tuple[str, ...]] = []
    for words in sets:
        names: list[str] = []
        for word in words:
            rows = subject._finder.find(word)
            if isinstance(rows, str) or len(rows) > 1:
                dropped.append(
                    Dropped(word, "equality set", "several words, which cannot be moved as one")
                )
            else:
                names.append(by_row.setdefault(rows[0], word))
        if len(names) > 1:
            of_rows.append(tuple(names))
    rows_of = {word: row for row, word in by_row.items()}
    known: list[tuple[str, ...]] = []
    equality: list[tuple[NDArray[np.int64], NDArray[np.float64]]] = []
    for joined in merged(tuple(of_rows)):
        vectors = subject.vectors(joined).astype(np.float64)
        movable = np.all(
            [equalised(v, b)[1] for v, b in zip(vectors, subspace.basis, strict=True)], axis=0
        )
        if not movable.all():
            dropped += [
                Dropped(word, "equality set", "does not differ from its set in the subspace")
                for word, moves in zip(joined, movable, strict=True)
                if not moves
            ]
            continue
        known.append(joined)
        equality.append((np.array([rows_of[word] for word in joined]), vectors))
    return tuple(known), equality, dropped


def _neutral_words(
    subject: EmbeddingSubject,
    spec: Spec | None,
    neutral: Sequence[str] | Literal["spec"],
    reserved: set[int],
) -> tuple[tuple[str, ...], NDArray[np.bool_], list[Dropped]]:
    """Return neutral words, their mask over the rows, and dropped words."""
    if isinstance(neutral, str):
        if neutral != "spec" or spec is None:
            raise QueryError(
                f"neutral={neutral!r}: give a list of words, or 'spec' together with a spec."
            )
        lists = (*spec.attributes.values(), *spec.controls.values(), spec.items)
        words = list(dict.fromkeys(word for each in lists for word in each))
    else:
        words = list(dict.fromkeys(word.strip() for word in neutral))
    resolution = subject.resolve(words)
    dropped = [as_dropped(unknown, "neutral") for unknown in resolution.unknown]
    mask = np.zeros(len(subject._words_by_row), dtype=bool)
    known: list[str] = []
    for word in resolution.known:
        rows = subject._finder.find(word)
        if reserved & set(cast("tuple[int, ...]", rows)):
            dropped.append(Dropped(word, "neutral", "is in a set or among the specific words"))
            continue
        mask[list(cast("tuple[int, ...]", rows))] = True  # of a phrase, each of its words
        known.append(word)
    return tuple(known), mask, dropped


def _share_left(
    neutral: NDArray[np.float64], by: NDArray[np.float64], basis: NDArray[np.float64]
) -> float:
    """Return the neutral words' variance along the basis, after over before."""
    before = float(np.einsum("ir,ij,jr->", basis, neutral, basis))
    mapped = by.T @ (by @ basis)  # both the words and the basis are mapped
    after = float(np.einsum("ir,ij,jr->", mapped, neutral, mapped))
    return after / before if before > 0 else 0.0


def _recipe(done: Debiasing) -> str:
    """Return a text that identifies the debiasing, the same on every machine."""
    content: dict[str, Any] = {
        "debias": 1, "method": done.method, "defining": done.defining, "by_group": done.by_group,
        "components": done.components, "neutral": done.neutral, "specific": done.specific,
        "equalized": done.equalized, "lam": done.lam, "objective": done.objective,
        "unit": done.unit,
    }  # fmt: skip
    if done.by_group:  # names of groups do not determine their words
        content["spec"] = done.provenance.spec_hash
    return json.dumps(content, sort_keys=True)
