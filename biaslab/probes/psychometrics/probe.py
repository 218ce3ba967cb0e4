"""``bl.two_afc`` and ``bl.two_afc_layers``: two-alternative forced choice on any subject."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biaslab.answers import RecordedAnswers
from biaslab.arguments import described, instance, listed, renamed, strings
from biaslab.errors import ArgumentError, QueryError
from biaslab.frames import FrameSet
from biaslab.jobs.showing import shows_progress
from biaslab.probes.psychometrics.answers import SwitchPoints
from biaslab.probes.psychometrics.asking import Pair, Task, check_options
from biaslab.probes.psychometrics.curves import PairsAs
from biaslab.probes.psychometrics.former import accepts_former_options
from biaslab.probes.psychometrics.framed_model import FramedModel, framed
from biaslab.probes.psychometrics.framed_question import check_patch, chosen_layers
from biaslab.probes.psychometrics.kinds import CHOOSES, ask
from biaslab.probes.psychometrics.layers import LAYERED, Layers, LayersResult
from biaslab.probes.psychometrics.options import (
    Adaptive,
    CuePairs,
    Fit,
    Lapses,
    Repeated,
    Scoring,
    Shape,
)
from biaslab.probes.psychometrics.perception import Perception
from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.probes.psychometrics.trials import Trials, recorded_trials
from biaslab.records.calls import recorded
from biaslab.records.provenance import Provenance, measured
from biaslab.records.result import Dropped
from biaslab.specs import Spec, get
from biaslab.stats.curves.jnd import Convention
from biaslab.stats.reproducibility import seed_number
from biaslab.stats.significance import check_level
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.language_model.patching import Patch, blocks_of
from biaslab.subjects.opening.needs import Named, opened

if TYPE_CHECKING:
    from biaslab.images.morphs import Morphs
    from biaslab.probes.psychometrics.morphed_model import MorphedModel, SeesPictures

Floats = NDArray[np.float64]
Respond = Callable[[Any, Any, Any, Any, Any], ArrayLike]
Subject: TypeAlias = (
    "EmbeddingSubject | LanguageModel | FramedModel | SeesPictures | MorphedModel | Trials"
    " | RecordedAnswers | Respond | Named"
)
Items: TypeAlias = Sequence[str] | str | Spec | None
Cues: TypeAlias = Sequence[Pair] | Pair | Spec | str | CuePairs | None
Frames: TypeAlias = Sequence[str] | str | FrameSet


@recorded
@shows_progress
def two_afc_layers(
    subject: LanguageModel | FramedModel | Named,
    items: Items = None,
    cues: Cues = None,
    *,
    layers: Layers = "all",
    patch: Patch = "text",
    observers: Frames | int | None = None,
    replicates: int | None = None,
    levels: int | None = None,
    family: Shape = "normal",
    lapses: Lapses = "free",
    jnd: Convention = "quartile",
    level: float = 0.95,
    progress: bool | None = None,  # noqa: ARG001  # of shows_progress
) -> LayersResult:
    r"""Put the stimulus of `two_afc` in at each layer of a language model, and find where it leans.

    Parameters
    ----------
    subject : LanguageModel, name of one, or FramedModel
    items, cues, observers, replicates, levels, family, lapses, jnd, level
        As of `two_afc`.
    layers : "all" or sequence of int
        Layers at which the stimulus is patched in, from 0, the input embeddings, to the number of
        blocks.
    patch : str
        The places whose states are mixed: the whole ``text`` (default), or only those of the
        ``cue``, with all others held at the even mixture.
    progress : bool, optional
        Whether to show the progress; by default on a terminal and in a notebook cell.

    Returns
    -------
    LayersResult
        PSE and JND per layer, and where the lean arises.

    Raises
    ------
    WrongSubjectError
        When the subject is no language model.
    QueryError
        When nothing is left to ask, or the model has no such layers.
    SubjectError
        When its blocks cannot be entered.
    ValueError
        When an option is out of range.

    Notes
    -----
    The states at layer l are :math:`(1-\alpha) h_1 + \alpha h_2`, those of the two runs with cue 1
    and with cue 2, and the blocks above go on from there. At layer 0 that is the stimulus of
    `two_afc`. The answers to the pure cues are the same at every layer, so that curves differ by
    what the blocks between two layers make of a blend; see
    `biaslab.probes.psychometrics.layers`.
    """
    chooses: Any = opened(subject, LAYERED, "bl.two_afc_layers")
    check_level(level)
    default = _frames(chooses, observers)
    pairs, pairs_as, weights, spec = _cues(cues, default)
    words, duplicates = _items(items, default)
    task = Task(
        words, pairs, observers, replicates, levels,
        fit=Fit(family, lapses, jnd, pairs_as).without_points, weights=weights, level=level,
    )  # fmt: skip
    check_options("language model", task)
    check_patch(patch)
    where = chosen_layers(chooses.lm if isinstance(chooses, FramedModel) else chooses, layers)
    parameters = {"spec": spec, "layers": where, "patch": patch}
    with _measured(chooses, task, parameters) as run:
        model = framed(chooses, observers, replicates)
        answers = model.ask(words, pairs, task.stimuli, layers=where, patch=patch)
    weights = weights[answers.usable]
    return LayersResult(
        items=answers.items,
        pairs=answers.pairs,
        layers=where,
        n_blocks=len(blocks_of(model.lm)),
        patch=patch,
        answers=answers.answers,
        fit=task.fit,
        weights=weights / weights.sum(),
        level=level,
        observer_names=answers.frames,
        notes=answers.notes,
        dropped=(*duplicates, *answers.dropped),
        provenance=run.provenance,
    )


@renamed(curve="family", rates="lapses")
@accepts_former_options(two_afc_layers)
@recorded
@shows_progress
def two_afc(
    subject: Subject,
    items: Items = None,
    cues: Cues = None,
    *,
    observers: Sequence[Any] | FrameSet | Morphs | os.PathLike[str] | int | None = None,
    replicates: int | None = None,
    levels: int | None = None,
    trials: int | Repeated | Adaptive | None = None,
    scoring: Scoring = "eq8",
    perception: Perception | float = 0.0,
    family: Shape = "auto",
    lapses: Lapses = "free",
    jnd: Convention = "quartile",
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    progress: bool | None = None,  # noqa: ARG001  # of shows_progress
) -> TwoAFCResult:
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
        arrays (`OneByOne` wraps one that is not). With `trials` it chooses: 0 is cue 1, 1 is cue 2,
        NaN is "cannot say". Or the collected `biaslab.probes.psychometrics.Trials` of any subject,
        or recorded answers of `biaslab.replay`.
        `FramedModel` and `MorphedModel` set the frames, portraits and memory of a model.
    items : sequence of str, or Spec
        Words to ask about, or a spec with items. Unknown words and duplicates are listed in
        ``.dropped``. Collected trials and the frames of a language have a default: all of their
        items.
    cues : sequence of (str, str), Spec or name of one, or CuePairs
        Cue pairs (cue 1, cue 2); default ``gender-pairs``, and of collected trials and of the
        frames of a language all of their own. A cue of several words is the mean of their vectors.
        Pooled pairs are a sample of such pairs, and equally probable, unless
        `biaslab.probes.psychometrics.CuePairs` says otherwise.
    observers : int, sequence, Morphs or path, optional
        For a callable: how many observers (passed as 0, 1, ...; default 1) or the observers
        themselves. For a language model: its frames, sentences such as ``"The {stimulus} works as
        a {item}. Everyone knows the {answer} well."``, the frames of another language
        (`biaslab.frames.get`), or the number of shipped frames (default all). For an encoder: its
        frames, sentences with ``{}`` for the word, or how many of the shipped ones. For a
        vision-language model: how many drawn portraits (default 30), a folder of one's own pictures
        (see `biaslab.images.read_morphs`), or the morphs themselves.
    replicates : int, optional
        Use only this many replicates of an ensemble, frames, or portraits.
    levels : int, optional
        Number of stimuli from 0 to 1: of ``.responses()``; for a callable or a model, those asked
        (default 21), or those that adaptive placement can choose from (default 101).
    trials : int, Repeated or Adaptive, optional
        For a callable that answers trial by trial: how often each question is put, each other time
        with the cues swapped; `biaslab.probes.psychometrics.Repeated` and ``Adaptive`` say more.
        PSE and JND are then those of a hierarchical model, see
        `biaslab.probes.psychometrics.trial_estimates`.
    scoring : str
        For an embedding. ``eq8`` (default): similarities of the cues are mixed (the paper's eq. 8).
        ``mixture``: cosine to the blended vector itself (eqs. 1 and 3).
    perception : Perception or float
        Observer model of eqs. 2-4; a number is its perceptual noise.
    family : str
        Shape of the psychometric curve: ``normal``, ``logistic``, ``weibull`` or ``gumbel``, or
        ``empirical``, the distribution of the switch points itself (PSE: their median; intervals
        from order statistics, for 8 replicates or more). ``auto`` (default) is empirical where
        switch points are not normal, and else normal; `TwoAFCResult.family` says which. For
        probabilities of a model, and for trials, also Student's t: ``t3``, ``t4``, ``t5``, ``t7``
        or ``t10``.
    lapses : str
        Guess and lapse rates, the curve's asymptotes, where answers are probabilities or shares:
        ``free`` (default; each in [0, 0.45] with a flat prior), ``equal`` (fitted as one), or
        ``none`` (0, as in the paper, and with fewer than six stimuli). An embedding answers with a
        step, which has neither.
    jnd : str
        ``quartile`` (default, 0.6745 sigma), ``eq6`` (the paper's, 1.349 sigma) or ``sd``.
    level : float
        Level of all intervals, in (0, 1).
    rng : int or numpy.random.Generator
        Of the orders of adaptive placement; nothing else is drawn.
    progress : bool, optional
        Whether to show the progress; by default on a terminal and in a notebook cell.

    Returns
    -------
    TwoAFCResult
        Switch points, PSE and JND with intervals, per pair and pooled; nothing is clipped. Of a
        model, or trial by trial, an aborted job returns the answers that it has.

    Raises
    ------
    PsychometricError
        When an option does not apply to such a subject (docs/benches/psychometric.md lists them).
    QueryError
        When nothing is left to ask: an empty list, all words unknown, all cue pairs unusable.
    SubjectError
        When the subject fails.
    ValueError
        When an option is out of range.

    Notes
    -----
    A language model is shown :math:`(1-\alpha) e(c_1) + \alpha e(c_2)`, with e its input
    embeddings, at one place of a frame, and answers :math:`P(c_2) / (P(c_1) + P(c_2))` at another.
    Its answers are graded: PSE and JND are those of their mean, see
    `biaslab.probes.psychometrics.graded`. So are those of a vision-language model, which is shown
    pictures between two appearances: an occupation's portraits drawn from a woman (0) to a man (1),
    or one's own. Its cues are the possible answers, such as ``("woman", "man")``.

    References
    ----------
    Liang and Acuna (2020), "Artificial mental phenomena: Psychophysics as a framework to detect
    perception biases in AI models", FAT* '20, doi:10.1145/3351095.3375623.
    """
    own = recorded_trials(subject) if isinstance(subject, RecordedAnswers) else subject
    chooses: Any = opened(own, CHOOSES, "bl.two_afc")
    check_level(level)
    default = chooses if isinstance(chooses, Trials) else _frames(chooses, observers)
    pairs, pairs_as, weights, spec = _cues(cues, default)
    words, duplicates = _items(items, default)
    placing: Any = Repeated(trials) if isinstance(trials, int) else trials
    if placing is not None:
        remedy = "Pass a number, Repeated(20) or Adaptive(100)."
        placing = instance(placing, (Repeated, Adaptive), "trials", remedy)
    seed = seed_number(rng) if isinstance(placing, Adaptive) else None
    task = Task(
        words, pairs, observers, replicates, levels, placing, scoring,
        perception if isinstance(perception, Perception) else Perception(perception),
        Fit(family, lapses, jnd, pairs_as), weights, level, seed or 0,
    )  # fmt: skip
    placed = {} if placing is None else placing.parameters
    parameters = {"scoring": scoring, "spec": spec, **placed}
    with _measured(chooses, task, parameters, seed) as run:
        responses = ask(chooses, task)
    weights = weights[responses.usable]
    fit = task.fit if isinstance(responses.raw, SwitchPoints) else task.fit.without_points
    details = {"family": fit.family, **responses.details}
    return TwoAFCResult(
        items=responses.items,
        pairs=responses.pairs,
        raw=responses.raw,
        fit=fit,
        weights=weights / weights.sum(),
        level=level,
        scoring=responses.scoring,
        observer=responses.observer,
        observer_names=responses.observer_names,
        ends=responses.ends,
        letters=responses.letters,
        notes=responses.notes,
        dropped=(*duplicates, *responses.dropped),
        provenance=_with_details(run.provenance, details),
    )


def _measured(
    subject: Any, task: Task, parameters: Mapping[str, Any], seed: int | None = None
) -> measured:
    """Measure a run of a task, for its provenance."""
    fit = task.fit
    return measured(
        probe="two_afc",
        subject=subject,
        spec_hash=hashlib.sha256(repr((list(task.items), list(task.pairs))).encode()).hexdigest(),
        parameters={
            "family": fit.family,
            "lapses": fit.lapses,
            "jnd": fit.jnd,
            "pairs_as": fit.pairs_as,
            "level": task.level,
            "levels": task.count,
            "replicates": task.replicates,
            **parameters,
        },
        seed=seed,
    )


def _with_details(provenance: Provenance, details: Mapping[str, Any]) -> Provenance:
    """Add details of the subject's own method to the provenance."""
    return replace(provenance, parameters={**provenance.parameters, **details})


def _frames(subject: Any, observers: Any) -> Any:
    return subject.language_frames if isinstance(subject, FramedModel) else observers


def _items(items: Items, default: Any) -> tuple[tuple[str, ...], list[Dropped]]:
    """Return words, each once, and the repeated ones; by default those of trials or frames."""
    if items is None and isinstance(default, Trials | FrameSet):
        items = default.items
    if items is None:
        raise QueryError("There are no items. Give the words to ask about.")
    words = items.items if isinstance(items, Spec) else items
    texts = [
        text.strip() for text in strings([words] if isinstance(words, str) else words, "items")
    ]
    counts = Counter(text for text in texts if text)
    if not counts:
        raise QueryError("The list of items is empty. Give at least one word.")
    repeated = [item for item, count in counts.items() if count > 1]
    return tuple(counts), [Dropped(item, "item", "listed more than once") for item in repeated]


def _cues(cues: Cues, default: Any) -> tuple[tuple[Pair, ...], PairsAs, Floats, str]:
    """Return cue pairs, how they count, their weights and the name of their spec."""
    cue_pairs = cues if isinstance(cues, CuePairs) else CuePairs(cues)
    given = cue_pairs.pairs
    if given is None:
        given = "gender-pairs"
        if isinstance(default, Trials | FrameSet):
            given = default.pairs if isinstance(default, Trials) else default.cues
    pairs, spec = _pairs(given)
    return tuple(pairs), cue_pairs.pairs_as, cue_pairs.weights(len(pairs)), spec


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
