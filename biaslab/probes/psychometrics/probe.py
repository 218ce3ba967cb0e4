"""``bl.two_afc``: the two-alternative forced choice task on any subject."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biaslab.arguments import check_choice, described, listed, strings
from biaslab.errors import ArgumentError, QueryError
from biaslab.frames import FrameSet
from biaslab.jobs.context import JobContext, current_context
from biaslab.probes.psychometrics.asking import Pair, Task
from biaslab.probes.psychometrics.black_box_trials import Orders
from biaslab.probes.psychometrics.curves import PairsAs
from biaslab.probes.psychometrics.framed_model import FramedModel
from biaslab.probes.psychometrics.kinds import CHOOSES, way_of
from biaslab.probes.psychometrics.layers import Layers, LayersResult, ask_layers, check_layered
from biaslab.probes.psychometrics.options import (
    ADAPTIVE_LEVELS,
    FIXED_LEVELS,
    RATES,
    SHAPES,
    Fit,
    Method,
    Rates,
    Scoring,
    Shape,
    Width,
    placing_of,
)
from biaslab.probes.psychometrics.perception import Perception
from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.probes.psychometrics.trial_estimates import check_weights
from biaslab.probes.psychometrics.trials import Trials
from biaslab.records.calls import recorded
from biaslab.records.provenance import Provenance, measured
from biaslab.records.result import Dropped
from biaslab.specs import Spec, get
from biaslab.stats.curves.jnd import Convention
from biaslab.stats.significance import check_level
from biaslab.store import Store
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.encoder.contextual import ContextualEncoder
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.language_model.patching import Patch
from biaslab.subjects.opening.needs import Named, opened

if TYPE_CHECKING:
    from biaslab.images.morphs import Morphs
    from biaslab.probes.psychometrics.morphed_model import MorphedModel, SeesPictures

Respond = Callable[[Any, Any, Any, Any, Any], ArrayLike]
Subject: TypeAlias = (
    "EmbeddingSubject | LanguageModel | FramedModel | SeesPictures | MorphedModel | Trials"
    " | Respond | Named"
)
Items: TypeAlias = Sequence[str] | str | Spec | None
Cues: TypeAlias = Sequence[Pair] | Pair | Spec | str | None


@overload
def two_afc(
    subject: Subject, items: Items = ..., cues: Cues = ..., *, scoring: Scoring = ...,
    perception: Perception | float = ..., curve: Shape = ..., rates: Rates = ...,
    jnd: Convention = ..., pairs_as: PairsAs = ..., cue_prior: ArrayLike | None = ...,
    level: float = ..., levels: int | None = ..., replicates: int | None = ...,
    observers: Sequence[Any] | Morphs | os.PathLike[str] | int | None = ...,
    trials: int | None = ..., layers: None = ..., patch: Patch = ..., orders: Orders = ...,
    method: Method = ..., width: Width | None = ..., batch: int = ...,
    rng: int | np.random.Generator = ..., store: Store | None = ..., keep: bool | str = ...,
    vectorised: bool = ..., memory_mb: float | None = ..., context: JobContext | None = ...,
) -> TwoAFCResult: ...  # fmt: skip
@overload
def two_afc(
    subject: Subject, items: Items = ..., cues: Cues = ..., *, scoring: Scoring = ...,
    perception: Perception | float = ..., curve: Shape = ..., rates: Rates = ...,
    jnd: Convention = ..., pairs_as: PairsAs = ..., cue_prior: ArrayLike | None = ...,
    level: float = ..., levels: int | None = ..., replicates: int | None = ...,
    observers: Sequence[Any] | Morphs | os.PathLike[str] | int | None = ...,
    trials: int | None = ..., layers: Layers, patch: Patch = ..., orders: Orders = ...,
    method: Method = ..., width: Width | None = ..., batch: int = ...,
    rng: int | np.random.Generator = ..., store: Store | None = ..., keep: bool | str = ...,
    vectorised: bool = ..., memory_mb: float | None = ..., context: JobContext | None = ...,
) -> LayersResult: ...  # fmt: skip
@recorded
def two_afc(
    subject: Subject,
    items: Items = None,
    cues: Cues = None,
    *,
    scoring: Scoring = "eq8",
    perception: Perception | float = 0.0,
    curve: Shape = "normal",
    rates: Rates = "free",
    jnd: Convention = "quartile",
    pairs_as: PairsAs = "resampled",
    cue_prior: ArrayLike | None = None,
    level: float = 0.95,
    levels: int | None = None,
    replicates: int | None = None,
    observers: Sequence[Any] | FrameSet | Morphs | os.PathLike[str] | int | None = None,
    trials: int | None = None,
    layers: Layers | None = None,
    patch: Patch = "text",
    orders: Orders = "both",
    method: Method = "fixed",
    width: Width | None = None,
    batch: int = 1,
    rng: int | np.random.Generator = 0,
    store: Store | None = None,
    keep: bool | str = True,
    vectorised: bool = True,
    memory_mb: float | None = None,
    context: JobContext | None = None,
) -> TwoAFCResult | LayersResult:
    r"""Ask which of two cues a stimulus shows, and find where the answer switches.

    For each item (a word), cue pair and observer, the stimulus is a blend
    :math:`(1-\alpha) c_1 + \alpha c_2` and the answer is cue 1 or cue 2 (section 3.1 of Liang and
    Acuna 2020, *the paper* below). An unbiased observer switches at :math:`\alpha = 1/2`; PSE above
    1/2 is a bias for cue 1.

    Parameters
    ----------
    subject : EmbeddingSubject, LanguageModel, VisionLanguageModel, name of one, Trials or callable
        An embedding, an ensemble of bootstrapped embeddings (each replicate is an observer), a
        masked or causal language model (each frame is an observer), a vision-language model (each
        portrait is an observer), or any callable
        ``respond(item, cue_1, cue_2, alpha, observer) -> P(cue 2)``, vectorised over broadcasting
        arrays. With `trials` it chooses: 0 is cue 1, 1 is cue 2, NaN is "cannot say". Or the
        collected `biaslab.probes.psychometrics.Trials` of any subject.
    items : sequence of str, or Spec
        Words to ask about, or a spec with items. Unknown words and duplicates are listed in
        ``.dropped``. Collected trials and the frames of a language have a default: all of their
        items.
    cues : sequence of (str, str), Spec or name of one
        Cue pairs (cue 1, cue 2); default ``gender-pairs``, and of collected trials and of the
        frames of a language all of their own. A cue of several words is the mean of their vectors.
    scoring : str
        ``eq8`` (default): similarities of the cues are mixed (the paper's eq. 8). ``mixture``:
        cosine to the blended vector itself (eqs. 1 and 3). Embeddings only.
    perception : Perception or float
        Observer model of eqs. 2-4; a number is its perceptual noise.
    curve : str
        Shape of the psychometric curve: a family, ``normal``, ``logistic``, ``weibull`` or
        ``gumbel``, or ``empirical``, the distribution of the switch points itself (PSE: their
        median; intervals from order statistics, for 8 replicates or more). For probabilities of a
        model, and for trials, also Student's t: ``t3``, ``t4``, ``t5``, ``t7`` or ``t10``.
    rates : str
        Guess and lapse rates, the curve's asymptotes, where answers are probabilities or shares:
        ``free`` (default; each in [0, 0.45] with a flat prior), ``equal`` (fitted as one), or
        ``none`` (0, as in the paper, and with fewer than six stimuli). An embedding answers with a
        step, which has neither.
    jnd : str
        ``quartile`` (default, 0.6745 sigma), ``eq6`` (the paper's, 1.349 sigma) or ``sd``.
    pairs_as : str
        When pooling, whether cue pairs are ``resampled`` (a sample of such pairs: wider, default)
        or ``fixed`` (the complete set).
    cue_prior : array_like, shape (K,), optional
        Prior probability of each cue pair in the pooled curve (eq. 4); default equal.
    level : float
        Level of all intervals, in (0, 1).
    levels : int, optional
        Number of stimuli from 0 to 1 for ``.responses()``; for a callable or a model, the stimuli
        asked (default 21), or those that adaptive placement can choose from (default 101).
    replicates : int, optional
        Use only this many replicates of an ensemble, frames of a language model, or
        portraits.
    observers : int, sequence, Morphs or path, optional
        For a callable: how many observers (passed as 0, 1, ...; default 1) or the observers
        themselves. For a language model: its frames, sentences such as ``"The {stimulus} works as
        a {item}. Everyone knows the {answer} well."``, the frames of another language
        (`biaslab.frames.get`), or the number of shipped frames (default all). For an encoder: its
        frames, sentences with ``{}`` for the word, or how many of the shipped ones. For a
        vision-language model: how many drawn portraits (default 30), a folder of one's own pictures
        (see `biaslab.images.read_morphs`), or the morphs themselves.
    trials : int, optional
        For a callable that answers trial by trial: how often each question is put, or with
        ``method="adaptive"`` how many trials each item, cue pair and observer has at most. PSE and
        JND are then those of a hierarchical model, see
        `biaslab.probes.psychometrics.trial_estimates`.
    layers : "all" or sequence of int, optional
        For a language model: layers at which the stimulus is patched in, from 0, the input
        embeddings, to the number of its blocks. The result is then a curve per layer.
    patch : str
        With `layers`, the places whose states are mixed: the whole ``text`` (default), or only
        those of the ``cue``, with all others held at the even mixture.
    orders : str
        With `trials`, ``both`` (default): every other time the cues are swapped, as in
        ``respond(item, cue_2, cue_1, 1 - alpha, observer)``, and the answer is turned round.
        ``given``: never.
    method : str
        ``fixed`` (default): every stimulus is asked equally often. ``adaptive``: a callable that
        answers trial by trial is asked where the answer is expected to say most about PSE and JND
        (psi-marginal), with its own stimuli for each item, cue pair and observer; of its trials,
        one of each two has each order, in random order.
    width : float or (float, float), optional
        With ``adaptive``, the wanted width of the interval of each curve's PSE, in units of alpha,
        or of its PSE and its JND. A curve is asked until it is reached, and at most `trials` times
        (default 400 where there is a width); "cannot say" counts as a trial.
    batch : int
        With ``adaptive``, how many trials of a curve are chosen at a time, for a subject that
        answers many questions at once. They are chosen as a set: more take more trials in all.
    rng : int or numpy.random.Generator
        With ``adaptive``, of the orders.
    store : Store, optional
        With ``adaptive``, store of the trials; by default the user's own. After a break, answers
        that are there are not asked again.
    keep : bool or str
        Whether trials are stored, under the ``identity`` or ``content_hash`` of the callable; one
        that has neither is not stored unless it is named here: ``keep="some-chat 2026-11"``.
        Change the name when the subject changes, or to repeat a run.
    vectorised : bool
        For a callable: whether it takes arrays; False calls it once per question.
    memory_mb : float, optional
        For a model: limit on the extra memory of a batch, in megabytes.
    context : JobContext, optional
        Progress and stops, for a model, and trial by trial. When it is aborted, the items or
        trials done by then are the result.

    Returns
    -------
    TwoAFCResult
        Switch points, PSE and JND with intervals, per pair and pooled; nothing is clipped. With
        `layers`, a `biaslab.probes.psychometrics.LayersResult`: PSE and JND per layer, and where
        the lean arises.

    Raises
    ------
    QueryError
        When nothing is left to ask: an empty list, all words unknown, all cue pairs unusable.
    SubjectError
        When the subject fails.
    ValueError
        When an option is out of range, or does not apply to such a subject.

    Notes
    -----
    A language model is shown :math:`(1-\alpha) e(c_1) + \alpha e(c_2)`, with e its input
    embeddings, at one place of a frame, and answers :math:`P(c_2) / (P(c_1) + P(c_2))` at another.
    Its answers are graded: PSE and JND are those of their mean, see
    `biaslab.probes.psychometrics.graded`. So are those of a vision-language model, which is shown
    pictures between two appearances: an occupation's portraits drawn from a woman (0) to a man (1),
    or one's own. Its cues are the possible answers, such as ``("woman", "man")``.

    With `layers`, the states at layer l are :math:`(1-\alpha) h_1 + \alpha h_2`, those of the two
    runs with cue 1 and with cue 2, and the blocks above go on from there. At layer 0 that is the
    stimulus above. The answers to the pure cues are the same at every layer, so that curves differ
    by what the blocks between two layers make of a blend; see
    `biaslab.probes.psychometrics.layers`.

    References
    ----------
    Liang and Acuna (2020), "Artificial mental phenomena: Psychophysics as a framework to detect
    perception biases in AI models", FAT* '20, doi:10.1145/3351095.3375623.
    """
    chooses: Any = opened(subject, CHOOSES, "bl.two_afc")
    if isinstance(chooses, Trials):
        items = chooses.items if items is None else items
        cues = chooses.pairs if cues is None else cues
    if isinstance(observers, FrameSet):
        _check_takes_frames(chooses, observers)
        items = observers.items if items is None else items
        cues = observers.cues if cues is None else cues
    if items is None:
        raise QueryError("There are no items. Give the words to ask about.")
    words = items.items if isinstance(items, Spec) else items
    requested = _texts([words] if isinstance(words, str) else words, "items")
    requested, duplicates = _unique(requested)
    pairs, spec_name = _pairs("gender-pairs" if cues is None else cues)
    perception = perception if isinstance(perception, Perception) else Perception(perception)
    check_level(level)
    check_choice(rates, RATES, "rates")
    check_choice(curve, SHAPES, "curve")
    weights = _weights(cue_prior, len(pairs))
    placing = placing_of(method, trials, width, batch, rng, jnd, level, store, keep)
    if levels is None:
        levels = FIXED_LEVELS if placing is None else ADAPTIVE_LEVELS
    parameters: dict[str, Any] = {
        "scoring": scoring,
        "curve": curve,
        "rates": rates,
        "jnd": jnd,
        "pairs_as": pairs_as,
        "level": level,
        "levels": levels,
        "replicates": replicates,
        "spec": spec_name,
    }
    if trials is not None:
        parameters |= {"trials": trials, "orders": orders}
    if placing is not None:
        parameters |= {"method": method, "width": width, "batch": batch, "orders": orders}
    if layers is None and patch != "text":
        raise ValueError(
            f"patch={patch!r} says how layers are patched. Give layers, such as 'all'."
        )
    where = None if layers is None else check_layered(chooses, layers, patch)
    if where is not None:
        parameters |= {"layers": where, "patch": patch}
    task = Task(
        tuple(requested), tuple(pairs), levels, scoring, curve, rates, perception, replicates,
        observers, vectorised, memory_mb, context or current_context(), trials, orders, placing,
    )  # fmt: skip
    identity = hashlib.sha256(repr((requested, pairs)).encode()).hexdigest()
    with measured(
        probe="two_afc",
        subject=chooses,
        spec_hash=identity,
        parameters=parameters,
        seed=None if placing is None else placing.seed,
    ) as run:
        if where is not None:
            layered = ask_layers(chooses, task, where, patch)
        else:
            responses = way_of(chooses)(chooses, task)
    if where is not None:
        found = layered.answers
        weights = weights[found.usable]
        return LayersResult(
            items=found.items,
            pairs=found.pairs,
            layers=where,
            n_blocks=layered.n_blocks,
            patch=patch,
            answers=found.answers,
            fit=Fit(curve, rates, jnd, pairs_as),
            weights=weights / weights.sum(),
            level=level,
            observer_names=found.frames,
            notes=found.notes,
            dropped=(*duplicates, *found.dropped),
            provenance=run.provenance,
        )
    weights = weights[responses.usable]
    if trials is not None or isinstance(chooses, Trials):
        check_weights(pairs_as, weights / weights.sum())
    return TwoAFCResult(
        items=responses.items,
        pairs=responses.pairs,
        raw=responses.raw,
        fit=Fit(curve, rates, jnd, pairs_as),
        weights=weights / weights.sum(),
        level=level,
        scoring=responses.scoring,
        observer=responses.observer,
        observer_names=responses.observer_names,
        ends=responses.ends,
        letters=responses.letters,
        notes=responses.notes,
        dropped=(*duplicates, *responses.dropped),
        provenance=_with_details(run.provenance, responses.details),
    )


def _with_details(provenance: Provenance, details: Mapping[str, Any]) -> Provenance:
    """Add details of the subject's own method to the provenance."""
    return replace(provenance, parameters={**provenance.parameters, **details})


def _check_takes_frames(chooses: Any, frames: FrameSet) -> None:
    """Refuse the frames of a language to a subject that cannot be asked with them."""
    if isinstance(chooses, LanguageModel | FramedModel):
        return
    remedy = "Leave them out, or pass a language model."
    if isinstance(chooses, ContextualEncoder):
        remedy = (
            "An encoder reads sentences with {} in place of the word. Write some in"
            f" {frames.language.title} and pass them with words and cues of that language:"
            " observers=['...{}...']."
        )
    raise QueryError(
        f"The frames {frames.name!r} are sentences for a language model; this is"
        f" {described(chooses)}. {remedy}"
    )


def _texts(values: Sequence[str], what: str) -> list[str]:
    texts = [v.strip() for v in strings(values, what)]
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
    if isinstance(cues, Mapping):
        raise ArgumentError("cues is a mapping. Pass cue pairs, such as [('female', 'male')].")
    listed_cues = listed(cues, "cues", "[('female', 'male')]")
    if len(listed_cues) == 2 and isinstance(listed_cues[0], str):
        listed_cues = (listed_cues,)
    pairs: list[Pair] = []
    for pair in listed_cues:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise QueryError(
                f"A cue pair needs two cues, such as ('female', 'male'); got {described(pair)}."
            )
        first, second = (c.strip() for c in strings(pair, "A cue pair", "('female', 'male')"))
        if not first or not second:
            raise QueryError(f"A cue is empty in {pair!r}. Give a word for each end.")
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
