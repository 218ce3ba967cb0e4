"""``bl.two_afc``: the two-alternative forced choice task of paper 000 on any subject."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biaslab.errors import QueryError
from biaslab.jobs import JobContext
from biaslab.probes.psychometrics.black_box import switch_points_of
from biaslab.probes.psychometrics.curves import PairsAs
from biaslab.probes.psychometrics.framed_model import FramedAnswers, FramedModel
from biaslab.probes.psychometrics.graded import switch_points_of_answers
from biaslab.probes.psychometrics.perception import Perception
from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.probes.psychometrics.switch_points import (
    SAME_CUES,
    Scoring,
    switch_points,
)
from biaslab.provenance import measured
from biaslab.results import Dropped
from biaslab.specs import Spec, get
from biaslab.stats.jnd import Convention
from biaslab.stats.levels import check_level
from biaslab.stats.replicates import Family
from biaslab.subjects.base import EmbeddingSubject
from biaslab.subjects.language_model import LanguageModel

Pair = tuple[str, str]
Respond = Callable[[Any, Any, Any, Any, Any], ArrayLike]
Floats = NDArray[np.floating[Any]]
KEEP_SIMILARITIES = 100_000
"""Raw similarities are kept in the result up to this many (item, pair, replicate) triples."""
ANSWERS = "P(cue 2) of both cues"
"""What a language model's answer is."""
BLOCK = 1024
"""Items scored at once: what a formula needs in between stays small."""


def two_afc(
    subject: EmbeddingSubject | LanguageModel | FramedModel | Respond,
    items: Sequence[str] | str | Spec,
    cues: Sequence[Pair] | Pair | Spec | str = "gender-pairs",
    *,
    scoring: Scoring = "eq8",
    perception: Perception | float = 0.0,
    curve: Family = "normal",
    jnd: Convention = "quartile",
    pairs_as: PairsAs = "resampled",
    cue_prior: ArrayLike | None = None,
    level: float = 0.95,
    levels: int = 21,
    replicates: int | None = None,
    observers: Sequence[Any] | int | None = None,
    vectorised: bool = True,
    memory_mb: float | None = None,
    context: JobContext | None = None,
) -> TwoAFCResult:
    r"""Ask which of two cues a stimulus shows, and find where the answer switches.

    For each item (a word), cue pair and observer, the stimulus is a blend
    :math:`(1-\alpha) c_1 + \alpha c_2` and the answer is cue 1 or cue 2 (paper 000, section 3.1).
    An unbiased observer switches at :math:`\alpha = 1/2`; PSE above 1/2 is a bias for cue 1.

    Parameters
    ----------
    subject : EmbeddingSubject, LanguageModel or callable
        An embedding, an ensemble of bootstrapped embeddings (each replicate is an observer), a
        masked or causal language model (each frame is an observer), or any callable
        ``respond(item, cue_1, cue_2, alpha, observer) -> P(cue 2)``, vectorised over broadcasting
        arrays.
    items : sequence of str, or Spec
        Words to ask about, or a spec with items. Unknown words and duplicates are listed in
        ``.dropped``.
    cues : sequence of (str, str), Spec or name of one
        Cue pairs (cue 1, cue 2). A cue of several words is the mean of their vectors.
    scoring : str
        ``eq8``: similarities of the cues are mixed (paper 000, eq. 8; default, the paper's).
        ``mixture``: cosine to the blended vector itself (eqs. 1 and 3). Embeddings only.
    perception : Perception or float
        Observer model of eqs. 2-4; a number is its perceptual noise.
    curve : str
        Family of the psychometric curve: ``normal``, ``logistic``, ``weibull``, ``gumbel``.
    jnd : str
        ``quartile`` (default, 0.6745 sigma), ``eq6`` (paper 000, 1.349 sigma) or ``sd``.
    pairs_as : str
        When pooling, whether cue pairs are ``resampled`` (a sample of such pairs: wider, default)
        or ``fixed`` (all there are).
    cue_prior : array_like, shape (K,), optional
        Prior probability of each cue pair in the pooled curve (eq. 4); default equal.
    level : float
        Level of all intervals, in (0, 1).
    levels : int
        Number of stimuli from 0 to 1 for ``.responses()``; for a callable, the stimuli asked.
    replicates : int, optional
        Use only the first so many replicates of an ensemble, or frames of a language model.
    observers : int or sequence, optional
        For a callable: how many observers (passed as 0, 1, ...; default 1) or the observers
        themselves. For a language model: its frames, sentences such as ``"The {stimulus} works as
        a {item}. Everyone knows the {answer} well."``, or how many of those that are shipped
        (default all).
    vectorised : bool
        For a callable: whether it takes arrays; False calls it once per question.
    memory_mb : float, optional
        For a language model: what a batch may take, in megabytes.
    context : JobContext, optional
        Progress and stops, for a language model. When it is aborted, the items asked by then are
        the result.

    Returns
    -------
    TwoAFCResult
        Switch points, PSE and JND with intervals, per pair and pooled; nothing is clipped.

    Raises
    ------
    QueryError
        When nothing is left to ask: an empty list, all words unknown, all cue pairs unusable.
    SubjectError
        When the subject cannot be asked.
    ValueError
        When an option is out of range, or means nothing to a language model.

    Notes
    -----
    A language model is shown :math:`(1-\alpha) e(c_1) + \alpha e(c_2)`, with e its input
    embeddings, at one place of a frame, and answers :math:`P(c_2) / (P(c_1) + P(c_2))` at another.
    Its answers are graded: PSE and JND are those of their mean, see
    `biaslab.probes.psychometrics.graded`.
    """
    words = items.items if isinstance(items, Spec) else items
    asked = _texts([words] if isinstance(words, str) else words, "items")
    asked, duplicates = _unique(asked)
    pairs, spec_name = _pairs(cues)
    perception = perception if isinstance(perception, Perception) else Perception(perception)
    check_level(level)
    weights = _weights(cue_prior, len(pairs))
    own_noise = answers = np.empty(0)
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    parameters = {
        "scoring": scoring,
        "curve": curve,
        "jnd": jnd,
        "pairs_as": pairs_as,
        "level": level,
        "levels": levels,
        "replicates": replicates,
        "spec": spec_name,
    }
    identity = hashlib.sha256(repr((asked, pairs)).encode()).hexdigest()
    with measured(
        probe="two_afc", subject=subject, spec_hash=identity, parameters=parameters
    ) as run:
        if isinstance(subject, EmbeddingSubject):
            asked, pairs, usable, dropped, switch, similarities = _of_embedding(
                subject, asked, pairs, scoring, replicates
            )
            weights, observer, how = weights[usable], "replicates", str(scoring)
        elif isinstance(subject, LanguageModel | FramedModel):
            _refuse_noise(perception)
            model = _framed(subject, observers, replicates, memory_mb)
            found = _of_language_model(model, asked, pairs, levels, context or JobContext())
            asked, pairs, answers = list(found.items), list(found.pairs), found.answers
            dropped, notes, names = list(found.dropped), found.notes, found.frames
            weights, observer, how = weights[found.usable], "frames", ANSWERS
            similarities = np.empty(0)
            switch = switch_points_of_answers(answers, np.linspace(0, 1, levels))
        else:
            dropped, similarities, observer, how = [], np.empty(0), "observers", "the subject's own"
            switch, own_noise, answers, notes = switch_points_of(
                subject, asked, pairs, levels, 1 if observers is None else observers, curve,
                vectorised,
            )  # fmt: skip
    for array in (switch, similarities, own_noise, answers):
        array.flags.writeable = False
    return TwoAFCResult(
        items=tuple(asked),
        pairs=tuple(pairs),
        switch=switch,
        similarities=similarities,
        own_noise=own_noise,
        perception=perception,
        scoring=how,
        curve=curve,
        jnd_convention=jnd,
        pairs_as=pairs_as,
        weights=weights / weights.sum(),
        level=level,
        observer=observer,
        levels=levels,
        notes=notes,
        answers=answers,
        observer_names=names,
        dropped=(*duplicates, *dropped),
        provenance=run.provenance,
    )


def _framed(
    subject: LanguageModel | FramedModel,
    observers: Sequence[str] | int | None,
    replicates: int | None,
    memory_mb: float | None,
) -> FramedModel:
    if isinstance(subject, FramedModel):
        if observers is not None or memory_mb is not None:
            raise ValueError("A FramedModel has its frames and its memory already: leave them out.")
        return subject if replicates is None else subject.using(replicates)
    counts = [x for x in (observers, replicates) if isinstance(x, int)]
    frames = None if observers is None or isinstance(observers, int) else observers
    return FramedModel(subject, frames, first=min(counts, default=None), memory_mb=memory_mb)


def _refuse_noise(perception: Perception) -> None:
    if perception != Perception():
        raise ValueError(
            "A language model answers with probabilities of its own: it cannot be given a noise, a"
            " prior or a decision rule. Leave perception out."
        )


def _of_language_model(
    model: FramedModel,
    items: Sequence[str],
    pairs: Sequence[Pair],
    levels: int,
    context: JobContext,
) -> FramedAnswers:
    """Ask in the frames; between batches, a stop after at least one item keeps what there is."""
    if levels < 2:
        raise ValueError(f"levels is {levels}; ask at least 2 stimuli, such as 21.")
    return model.ask(
        items,
        pairs,
        np.linspace(0, 1, levels),
        between=context.checkpoint,
        told=lambda done, total: context.report(done, total, "questions asked"),
        stop=lambda: context.should_stop,
    )


def _of_embedding(
    subject: EmbeddingSubject,
    items: Sequence[str],
    pairs: Sequence[Pair],
    scoring: Scoring,
    replicates: int | None,
) -> tuple[
    list[str],
    list[Pair],
    NDArray[np.bool_],
    list[Dropped],
    Floats,
    Floats,
]:
    """Known items, usable pairs and their mask, what was dropped, switch points, similarities."""
    resolution = subject.resolve(items)
    dropped = [Dropped(u.term, "item", u.reason, u.suggestions) for u in resolution.unknown]
    dropped += [
        Dropped(d, "item", "stands for a word already listed") for d in resolution.duplicates
    ]
    known = list(resolution.known)
    cues = subject.resolve(list(dict.fromkeys(c for pair in pairs for c in pair)))
    unknown = {u.term: u for u in cues.unknown}
    usable = np.array([not (set(pair) & unknown.keys()) for pair in pairs], dtype=bool)
    dropped += [Dropped(u.term, "cue", u.reason, u.suggestions) for u in unknown.values()]
    b = subject.n_replicates if replicates is None else min(replicates, subject.n_replicates)
    if b < 1:
        raise ValueError(f"replicates is {replicates}; use 1 to {subject.n_replicates}.")
    left = [pair for pair, ok in zip(pairs, usable, strict=True) if ok]
    if left:
        ends = [subject.vectors([p[e] for p in left])[:b] for e in (0, 1)]
        norms = [np.linalg.norm(v, axis=2) for v in ends]
        units = [v / n[..., None] for v, n in zip(ends, norms, strict=True)]
        sim_cues = np.einsum("bkd,bkd->bk", *units)
        same = (1 - sim_cues < SAME_CUES).any(axis=0)
        dropped += [
            Dropped(f"{a} / {z}", "cue pair", "both cues have the same vector, so no blend differs")
            for (a, z), s in zip(left, same, strict=True)
            if s
        ]
        usable[np.flatnonzero(usable)[same]] = False
        left = [pair for pair, s in zip(left, same, strict=True) if not s]
    if not known or not left:
        what = "item" if not known else "cue pair"
        raise QueryError(
            f"No {what} is left to ask {subject.name!r} about: "
            + "; ".join(f"{d.term!r} {d.reason}" + _offer(d.suggestions) for d in dropped),
            dropped=tuple(dropped),
        )
    keep = ~same
    one, two = (u[:, keep] for u in units)
    sims = sim_cues[:, None, keep]
    lengths = [n[:, None, keep] for n in norms]
    one, two = (u.transpose(0, 2, 1) for u in (one, two))
    switch = subject.project(known, two - one)
    for start in range(0, len(known), BLOCK):
        part = switch[:, start : start + BLOCK]
        part[...] = switch_points(part, sims, lengths, scoring)
    similarities = np.empty(0, dtype=np.float32)
    if switch.size <= KEEP_SIMILARITIES:
        each = subject.project(known, one), subject.project(known, two)
        similarities = np.stack([*each, np.broadcast_to(sims, switch.shape)])
    return known, left, usable, dropped, switch, similarities


def _offer(suggestions: Sequence[str]) -> str:
    return f" (nearest known: {', '.join(suggestions)})" if suggestions else ""


def _texts(values: Sequence[str], what: str) -> list[str]:
    texts = [v.strip() for v in values]
    if not any(texts):
        raise QueryError(f"The list of {what} is empty. Give at least one word.")
    return [t for t in texts if t]


def _unique(items: list[str]) -> tuple[list[str], list[Dropped]]:
    counts = Counter(items)
    repeated = [item for item, count in counts.items() if count > 1]
    return list(counts), [Dropped(item, "item", "listed more than once") for item in repeated]


def _pairs(cues: Sequence[Pair] | Pair | Spec | str) -> tuple[list[Pair], str]:
    if isinstance(cues, str):
        cues = get(cues)
    if isinstance(cues, Spec):
        if not cues.cue_pairs:
            raise QueryError(f"The spec {cues.name!r} has no cue pairs. Choose one that has.")
        return list(cues.cue_pairs), cues.name
    given = [cues] if len(cues) == 2 and isinstance(cues[0], str) else list(cues)
    pairs: list[Pair] = []
    for pair in given:
        if isinstance(pair, str) or len(pair) != 2:
            raise QueryError(f"A cue pair is two cues, such as ('female', 'male'); got {pair!r}.")
        first, second = (str(c).strip() for c in pair)
        if not first or not second:
            raise QueryError(f"A cue is empty in {pair!r}. Give a word for both ends.")
        pairs.append((first, second))
    if not pairs:
        raise QueryError("The list of cue pairs is empty. Give one, such as ('female', 'male').")
    return pairs, ""


def _weights(prior: ArrayLike | None, k: int) -> NDArray[np.float64]:
    if prior is None:
        return np.full(k, 1 / k)
    weights = np.asarray(prior, dtype=float)
    if weights.shape != (k,) or not (np.isfinite(weights).all() and (weights > 0).all()):
        raise ValueError(f"cue_prior needs one positive number for each of the {k} cue pairs.")
    return np.asarray(weights / weights.sum())
