"""Kinds of subject of a two-alternative task, and how each is asked: register new kinds here."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biaslab.errors import QueryError, SubjectError
from biaslab.probes.psychometrics.adaptive_trials import ask_adaptively
from biaslab.probes.psychometrics.answers import Graded, OwnCurves, SwitchPoints
from biaslab.probes.psychometrics.asking import (
    ANSWERS,
    Responses,
    Task,
    Way,
    check_options,
    nothing_left,
)
from biaslab.probes.psychometrics.black_box_trials import ask_table, ask_trials, observers_of
from biaslab.probes.psychometrics.framed_model import FramedModel, framed
from biaslab.probes.psychometrics.options import Adaptive, Repeated, family_of, fit_options
from biaslab.probes.psychometrics.switch_points import SAME_CUES, repeated_pairs, switch_points
from biaslab.probes.psychometrics.trials import Trials
from biaslab.probes.sentences.terms import Kind, Term
from biaslab.probes.sentences.terms import kind_of as kind_of_term
from biaslab.probes.sentences.words import GENDERED_NOUNS
from biaslab.records.result import Dropped
from biaslab.records.wording import article
from biaslab.stats import psychometric
from biaslab.stats.curves.curve_fit import Status
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.embedding.terms import Resolution
from biaslab.subjects.encoder.contextual import ContextualEncoder
from biaslab.subjects.encoder.sentence import SentenceEncoder
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.opening.needs import Need
from biaslab.threads.cores import spread

if TYPE_CHECKING:
    from biaslab.probes.psychometrics.morphed_model import MorphedModel


KEEP_SIMILARITIES = 100_000
"""Largest number of (item, pair, replicate) triples whose similarities the result stores."""
BLOCK = 1024
"""Items scored at once, to bound memory."""
Floats = NDArray[np.float64]
_PASSES = 4
"""Times that a switch point goes through all scores."""


def ask_embedding(subject: EmbeddingSubject | FramedEncoder, task: Task) -> Responses:
    """Return switch points of every replicate, known items and usable pairs.

    Raises `QueryError` when no item or no cue pair is left; `ValueError` when there is no such
    replicate.
    """
    resolution = subject.resolve(task.items)
    dropped = [Dropped(u.term, "item", u.reason, u.suggestions) for u in resolution.unknown]
    dropped += [
        Dropped(d, "item", "is the same word as one already listed") for d in resolution.duplicates
    ]
    known, pairs = list(resolution.known), task.pairs
    cues = subject.resolve(list(dict.fromkeys(c for pair in pairs for c in pair)))
    unknown = {u.term: u for u in cues.unknown if not u.has_vector}
    usable = np.array([not (set(pair) & unknown.keys()) for pair in pairs], dtype=bool)
    dropped += [Dropped(u.term, "cue", u.reason, u.suggestions) for u in unknown.values()]
    requested, available = task.replicates, subject.n_replicates
    b = available if requested is None else min(requested, available)
    if b < 1:
        raise ValueError(f"replicates is {requested}; use 1 to {available}.")
    left = [pair for pair, ok in zip(pairs, usable, strict=True) if ok]
    if left:
        ends = [subject.vectors([p[e] for p in left])[:b] for e in (0, 1)]
        norms = [np.linalg.norm(v, axis=2) for v in ends]
        units = [v / n[..., None] for v, n in zip(ends, norms, strict=True)]
        sim_cues = np.einsum("bkd,bkd->bk", *units)
        same = (1 - sim_cues < SAME_CUES).any(axis=0)
        keys = [(ends[0][:, i].tobytes(), ends[1][:, i].tobytes()) for i in range(len(left))]
        repeated = repeated_pairs(left, keys)
        dropped += repeated.values()
        dropped += [
            Dropped(
                f"{a} / {z}", "cue pair", "both cues have the same vector, so all blends are equal"
            )
            for (a, z), s in zip(left, same, strict=True)
            if s
        ]
        same |= np.array([pair in repeated for pair in left])
        usable[np.flatnonzero(usable)[same]] = False
        left = [pair for pair, s in zip(left, same, strict=True) if not s]
    if not known or not left:
        raise nothing_left("item" if not known else "cue pair", subject.name, dropped)
    keep = ~same
    units_1, units_2 = (u[:, keep] for u in units)
    sims = sim_cues[:, None, keep]
    lengths = [n[:, None, keep] for n in norms]
    units_1, units_2 = (u.transpose(0, 2, 1) for u in (units_1, units_2))
    switch = subject.project(known, units_2 - units_1)

    def settle(block: int) -> None:
        part = switch[:, block * BLOCK : (block + 1) * BLOCK]
        part[...] = switch_points(part, sims, lengths, task.scoring)

    spread(settle, -(-len(known) // BLOCK), _PASSES * switch.size)
    similarities = None
    if switch.size <= KEEP_SIMILARITIES:
        each = subject.project(known, units_1), subject.project(known, units_2)
        similarities = np.stack([*each, np.broadcast_to(sims, switch.shape)])
    switch.flags.writeable = False  # or the record would copy it
    raw = SwitchPoints(
        switch=switch, similarities=similarities, perception=task.perception, levels=task.count
    )
    return Responses(
        tuple(known), tuple(left), usable, raw, "replicates", str(task.scoring),
        dropped=tuple(dropped),
    )  # fmt: skip


FRAMES = (
    "This is {}.",
    "That is {}.",
    "Here is {}.",
    "There is {}.",
    "This will be {}.",
    "That was {}.",
    "It is {} again.",
    "Now comes {}.",
)
"""Sentences with little information about their word, in the manner of May et al. (2019)."""


@dataclass(frozen=True)
class FramedEncoder:
    """Vectors of words in frames, as `ask_embedding` reads them.

    Attributes
    ----------
    encoder : ContextualEncoder
    frames : tuple of str
        B sentences with ``{}`` for the word, with an article where it takes one.
    """

    encoder: ContextualEncoder
    frames: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name of the encoder."""
        return self.encoder.name

    @property
    def n_replicates(self) -> int:
        """Number B of frames."""
        return len(self.frames)

    def resolve(self, terms: Sequence[str]) -> Resolution:
        """Sort terms as the encoder does."""
        return self.encoder.resolve(terms)

    def vectors(self, terms: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors of terms in every frame, (B, n, d)."""
        texts: list[str] = []
        spans: list[tuple[int, int]] = []
        for frame in self.frames:
            start = frame.index("{}")
            for term in terms:
                before = _article(term)
                texts.append(frame.replace("{}", before + term))
                spans.append((start + len(before), start + len(before) + len(term)))
        return self.encoder.encode(texts, spans).reshape(len(self.frames), len(terms), -1)

    def project(self, terms: Sequence[str], onto: NDArray[np.floating]) -> NDArray[np.float32]:
        """Return dot products of the terms' unit vectors with given vectors, (B', n, K)."""
        vectors = self.vectors(terms)[: len(onto)]
        units = vectors / np.linalg.norm(vectors, axis=2, keepdims=True)
        return np.asarray(units @ onto, dtype=np.float32)


def ask_encoder(subject: ContextualEncoder, task: Task) -> Responses:
    """Return switch points of every frame, known items and usable pairs.

    A sentence encoder reads frames; another encoder reads its own contexts where no frames were
    given, such as the word alone.

    Raises `QueryError` when a frame has not one ``{}``, or no item or cue pair is left.
    """
    frames = _frames(subject, task)
    if not frames:
        return replace(ask_embedding(subject, task), observer="contexts")
    responses = ask_embedding(FramedEncoder(subject, frames), task)
    used = frames[: len(responses.raw.switch)]
    return replace(
        responses, observer="frames", observer_names=used, details={"frames": list(used)}
    )


def _frames(subject: ContextualEncoder, task: Task) -> tuple[str, ...]:
    """Return the frames to ask with; none where the encoder's own contexts are."""
    wanted = task.observers
    if wanted is None:
        has_own = subject.contexts != ("{}",)
        return () if has_own or not isinstance(subject, SentenceEncoder) else FRAMES
    if isinstance(wanted, int):
        if not 1 <= wanted <= len(FRAMES):
            raise QueryError(f"observers={wanted}: there are 1 to {len(FRAMES)} shipped frames.")
        return FRAMES[:wanted]
    frames = (wanted,) if isinstance(wanted, str) else tuple(wanted)
    for i, frame in enumerate(frames):
        if not isinstance(frame, str) or frame.count("{}") != 1:
            raise QueryError(
                f"The frame {frame!r} needs one {{}} in place of the word, as in {FRAMES[0]!r}."
            )
        if frame in frames[:i]:
            raise QueryError(
                f"The frame {frame!r} appears twice and would count as two observers. Remove one."
            )
    if not frames:
        raise QueryError(f"There is no frame. Give at least one, such as {FRAMES[0]!r}.")
    return frames


def _article(term: str) -> str:
    """Return "a " or "an " for a word that names one person; nothing for others."""
    is_person = term.lower() in GENDERED_NOUNS and not Term.of(term).is_plural
    is_noun = is_person and Term.of(term).kind is Kind.PERSON
    return f"{article(term)} " if is_noun or kind_of_term(term) == "occupation" else ""


def ask_language_model(subject: LanguageModel | FramedModel, task: Task) -> Responses:
    """Ask a language model; a stop after at least one item keeps the answers so far.

    Raises `QueryError` when nothing is left to ask; `ValueError` when frames are set already.
    """
    model = framed(subject, task.observers, task.replicates)
    responses = model.ask(task.items, task.pairs, task.stimuli)
    return Responses(
        responses.items, responses.pairs, responses.usable,
        Graded.of(responses.answers), "frames", ANSWERS,
        observer_names=responses.frames, dropped=responses.dropped, notes=responses.notes,
    )  # fmt: skip


def ask_vision_language(subject: Any, task: Task) -> Responses:
    """Ask a vision-language model; a stop after an item keeps the answers so far.

    Raises `QueryError` when nothing is left to ask; `ValueError` when portraits are set already.
    """
    model = morphed(subject, task.observers, task.replicates)
    stimuli, context = task.stimuli, task.context
    steps = model.morphs.alphas
    if steps is not None:  # photographed morphs have no levels in between
        stimuli = np.asarray(steps)
    responses = model.ask(
        task.items,
        task.pairs,
        stimuli,
        between=context.checkpoint,
        on_progress=lambda done, total: context.report(done, total, "pictures shown"),
        stop=lambda: context.should_stop,
    )
    letters = responses.letters
    notes = responses.notes if letters is None else (*letters.sentences(), *responses.notes)
    return Responses(
        responses.items, responses.pairs, responses.usable,
        Graded.of(responses.answers), "portraits", ANSWERS,
        observer_names=responses.observers, ends=model.morphs.ends,
        dropped=responses.dropped, notes=notes,
        details={"templates": model.templates, **model.shown(responses.items)}, letters=letters,
    )  # fmt: skip


def morphed(
    subject: Any, observers: Any, replicates: int | None, memory_mb: float | None = None
) -> MorphedModel:
    """Return the model with portraits; options are those of `biaslab.two_afc`.

    Raises `TypeError` when the observers are no portraits; `ValueError` when they are set already.
    """
    from biaslab.images.morph_folder import read_morphs
    from biaslab.images.morphs import OBSERVERS, DrawnMorphs
    from biaslab.probes.psychometrics.morphed_model import MorphedModel

    if isinstance(subject, MorphedModel):
        if observers is not None or memory_mb is not None:
            raise ValueError(
                "A MorphedModel already has its portraits and its memory limit: leave them out."
            )
        return subject if replicates is None else subject.using(replicates)
    if observers is None or isinstance(observers, int):
        counts = [x for x in (observers, replicates) if isinstance(x, int)]
        morphs: Any = DrawnMorphs(observers=min(counts, default=OBSERVERS))
        return MorphedModel(subject, morphs, memory_mb=memory_mb)
    if isinstance(observers, str | os.PathLike):
        observers = read_morphs(observers)
    if not hasattr(observers, "identity"):
        raise TypeError(
            "The observers of a vision-language model are portraits: give the number to draw, a"
            " folder, or morphs, such as biaslab.images.read_morphs(folder)."
        )
    model = MorphedModel(subject, observers, memory_mb=memory_mb)
    return model if replicates is None else model.using(replicates)


def ask_black_box(subject: Callable[..., ArrayLike], task: Task) -> Responses:
    """Ask a function at every stimulus, and find the curve of each observer, item and cue pair.

    Answers that are all 0 or 1 and step once have their switch point in the middle between the two
    stimuli around the step; to others a curve is fitted, whose PSE it is. Where an observer never
    switches, PSE and JND are those of the mean answers, as of a language model.

    Raises `SubjectError` when it fails, or its answers are no probabilities.
    """
    raw, notes = _read(_answers(subject, task), task)
    return Responses(
        task.items, task.pairs, task.all_usable, raw, "observers", "the subject's own", notes=notes
    )


def _answers(respond: Callable[..., ArrayLike], task: Task) -> Floats:
    """Return P(cue 2) of every observer, item, pair and stimulus: shape (B, n, K, L)."""
    items, pairs, alphas, observers = task.items, task.pairs, task.stimuli, observers_of(task)
    shape = (len(observers), len(items), len(pairs), len(alphas))
    observer = _column(observers, 3)
    item = np.asarray(items)[:, None, None]
    cue_1 = np.asarray([p[0] for p in pairs])[:, None]
    cue_2 = np.asarray([p[1] for p in pairs])[:, None]
    answers = np.asarray(respond(item, cue_1, cue_2, alphas, observer), dtype=float)
    try:
        answers = np.broadcast_to(answers, shape)
    except ValueError:
        raise SubjectError(
            f"The subject answered with shape {answers.shape} instead of {shape} (observer, "
            "item, cue pair, stimulus). Make it broadcast its arguments, or pass OneByOne(subject)."
        ) from None
    wrong = ~((answers >= 0) & (answers <= 1))
    if wrong.any():
        b, i, k, a = (int(w[0]) for w in np.nonzero(wrong))
        raise SubjectError(
            f"The subject answered {answers[b, i, k, a]} for {items[i]!r}, {pairs[k]}, alpha "
            f"{alphas[a]:.3g}, observer {observers[b]!r}. Return P(cue 2), from 0 to 1."
        )
    return answers


def _read(answers: Floats, task: Task) -> tuple[OwnCurves | Graded, tuple[str, ...]]:
    """Return observers' curves, or the answers where one has no switch point; with notes."""
    alphas, levels, fit = task.stimuli, task.count, task.fit
    flat = answers.reshape(-1, levels)
    rising = np.diff(flat, axis=1) >= 0
    binary = ((flat == 0) | (flat == 1)).all(axis=1)
    constant = flat.min(axis=1) == flat.max(axis=1)
    step = binary & rising.all(axis=1) & ~constant
    switch = np.full(len(flat), np.nan)
    own = np.zeros((3, len(flat)))  # noise, guess and lapse rate
    first = flat[step].argmax(axis=1)
    switch[step] = (alphas[first] + alphas[first - 1]) / 2
    graded = ~step & ~constant
    if graded.any():
        family = "normal" if fit.family == "weibull" else family_of(fit.family)
        trials = np.ones((int(graded.sum()), levels))
        options = fit_options(fit.lapses, levels)
        curves = psychometric.fit(alphas, flat[graded], trials, family=family, **options)
        good = np.asarray(curves.converged) | (curves.status == Status.STEP)
        switch[graded] = np.where(good, curves.pse("psi"), np.nan)
        own[:, graded] = np.where(good, [curves.jnd("sd"), curves.guess, curves.lapse], np.nan)
    shape = answers.shape[:3]
    notes: list[str] = []
    if step.any():
        half = 0.5 / (levels - 1)
        notes.append(
            f"Steps are located to within {half:.3g} of alpha; use more levels to refine this."
        )
    if lost := int(np.isnan(switch).sum()):
        notes.append(
            f"{lost} of {len(flat)} observer curves have no switch point; PSE and JND are"
            " estimated from the mean answers, which include all of them."
        )
        return Graded.of(answers), tuple(notes)
    noise, *of_rates = own.reshape(3, *shape)
    means = np.mean(of_rates, axis=1)
    raw = OwnCurves(
        switch=switch.reshape(shape),
        perception=task.perception,
        levels=levels,
        own_noise=np.sqrt(np.mean(noise**2, axis=0)),
        rates=means if means.any() else None,
        own_answers=answers if graded.any() else None,
    )
    return raw, tuple(notes)


def _column(values: Sequence[Any], trailing: int) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = list(values)
    if all(isinstance(v, int | np.integer) for v in values):
        array = array.astype(int)
    return array.reshape(-1, *([1] * trailing))


@dataclass(frozen=True)
class SubjectKind:
    """A kind of subject: its name in the table of options, what belongs to it, and how to ask."""

    name: str
    suits: Callable[[Any], bool]
    ask: Way


_CHOOSERS: dict[type, Way] = {Repeated: ask_trials, Adaptive: ask_adaptively}
_CHOOSER = SubjectKind(
    "chooser", callable, lambda subject, task: _CHOOSERS[type(task.trials)](subject, task)
)
_FUNCTION = SubjectKind("function", callable, ask_black_box)
_KINDS = (
    SubjectKind("encoder", lambda s: isinstance(s, ContextualEncoder), ask_encoder),
    SubjectKind("embedding", lambda s: isinstance(s, EmbeddingSubject), ask_embedding),
    SubjectKind(
        "language model", lambda s: isinstance(s, LanguageModel | FramedModel), ask_language_model
    ),
    SubjectKind("vision-language model", lambda s: _sees(s), ask_vision_language),
    SubjectKind("trials", lambda s: isinstance(s, Trials), ask_table),
    _FUNCTION,
)
"""The first that suits a subject is its kind."""
CHOOSES = Need(
    "a subject that chooses between two cues",
    "Pass an embedding, an ensemble, a language or vision-language model, a table of trials, or a"
    " function respond(item, cue_1, cue_2, alpha, observer) that returns P(cue 2).",
    lambda subject: bool(kind_of(subject)),
)


def kind_of(subject: Any) -> str:
    """Return the kind of a subject, as the table of options names it; empty if it has none."""
    return next((kind.name for kind in _KINDS if kind.suits(subject)), "")


def ask(subject: Any, task: Task) -> Responses:
    """Ask a subject of any kind.

    Raises `PsychometricError` when an option does not apply to it; `QueryError` when nothing is
    left to ask; `SubjectError` when it fails.
    """
    kind = next(kind for kind in _KINDS if kind.suits(subject))
    if kind is _FUNCTION and task.trials is not None:
        kind = _CHOOSER
    check_options(kind.name, task)
    return kind.ask(subject, task)


def _sees(subject: Any) -> bool:
    """Return whether it is a vision-language model, or duck-typed as one."""
    vlm = getattr(subject, "vlm", subject)
    return all(hasattr(vlm, part) for part in ("answers", "resolve", "templates"))
