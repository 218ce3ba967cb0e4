"""Kinds of subject of a two-alternative task, and how each is asked: register new kinds here."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.probes.psychometrics.answers import Graded, SwitchPoints
from biaslab.probes.psychometrics.asking import ANSWERS, Responses, Task, Way, nothing_left
from biaslab.probes.psychometrics.black_box import ask_black_box
from biaslab.probes.psychometrics.black_box_trials import ask_table
from biaslab.probes.psychometrics.framed_model import FramedModel
from biaslab.probes.psychometrics.switch_points import SAME_CUES, switch_points
from biaslab.probes.psychometrics.trials import Trials
from biaslab.probes.sentences.terms import Kind, Term, kind_of
from biaslab.probes.sentences.words import GENDERED_NOUNS, article
from biaslab.records.result import Dropped
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
_PASSES = 4
"""Times that a switch point goes through all scores."""


class HasVectors(Protocol):
    """Part of an `EmbeddingSubject` that the task uses."""

    @property
    def name(self) -> str:
        """Name shown to the person."""

    @property
    def n_replicates(self) -> int:
        """Number B of observers."""

    def resolve(self, terms: Sequence[str]) -> Resolution:
        """Sort terms into known and unknown ones."""

    def vectors(self, terms: Sequence[str]) -> NDArray[np.floating]:
        """Return vectors of terms, (B, n, d)."""

    def project(self, terms: Sequence[str], onto: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return dot products of unit vectors with given vectors, (B', n, K)."""


def ask_embedding(subject: HasVectors, task: Task) -> Responses:
    """Return switch points of every replicate, known items and usable pairs.

    Raises
    ------
    QueryError
        When no item or no cue pair is left.
    ValueError
        When trials, or a curve of Student's t, were asked for.
    """
    task.refuse_trials("An embedding")
    task.refuse_student("An embedding")
    resolution = subject.resolve(task.items)
    dropped = [Dropped(u.term, "item", u.reason, u.suggestions) for u in resolution.unknown]
    dropped += [
        Dropped(d, "item", "is the same word as one already listed") for d in resolution.duplicates
    ]
    known, pairs = list(resolution.known), task.pairs
    cues = subject.resolve(list(dict.fromkeys(c for pair in pairs for c in pair)))
    unknown = {u.term: u for u in cues.unknown}
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
        dropped += [
            Dropped(
                f"{a} / {z}", "cue pair", "both cues have the same vector, so all blends are equal"
            )
            for (a, z), s in zip(left, same, strict=True)
            if s
        ]
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
        switch=switch, similarities=similarities, perception=task.perception, levels=task.levels
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

    Raises
    ------
    QueryError
        When a frame has not one ``{}``, or no item or cue pair is left.
    ValueError
        When trials, or a curve of Student's t, were asked for.
    """
    frames = _frames(subject, task)
    if not frames:
        return replace(ask_embedding(subject, task), observer="contexts")
    responses = ask_embedding(FramedEncoder(subject, frames), task)
    asked = frames[: len(responses.raw.switch)]
    return replace(
        responses, observer="frames", observer_names=asked, details={"frames": list(asked)}
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
    return f"{article(term)} " if is_noun or kind_of(term) == "occupation" else ""


def ask_language_model(subject: LanguageModel | FramedModel, task: Task) -> Responses:
    """Ask a language model; a stop after at least one item keeps the answers so far.

    Raises
    ------
    QueryError
        When nothing is left to ask.
    ValueError
        When an option does not apply to a language model, or is set already.
    """
    refuse_options(task)
    model, stimuli, context = framed(subject, task), task.stimuli, task.context
    responses = model.ask(
        task.items,
        task.pairs,
        stimuli,
        between=context.checkpoint,
        on_progress=lambda done, total: context.report(done, total, "questions asked"),
        stop=lambda: context.should_stop,
    )
    return Responses(
        responses.items, responses.pairs, responses.usable,
        Graded.of(responses.answers), "frames", ANSWERS,
        observer_names=responses.frames, dropped=responses.dropped, notes=responses.notes,
    )  # fmt: skip


def refuse_options(task: Task) -> None:
    """Refuse options that do not apply to a language model.

    Raises
    ------
    ValueError
        If one was given.
    """
    task.refuse_of_steps("A language model")
    task.refuse_trials("A language model")


def framed(subject: LanguageModel | FramedModel, task: Task) -> FramedModel:
    """Return the model with the frames of a task.

    Raises
    ------
    ValueError
        When they are set already.
    """
    observers, replicates, memory_mb = task.observers, task.replicates, task.memory_mb
    if isinstance(subject, FramedModel):
        if observers is not None or memory_mb is not None:
            raise ValueError(
                "A FramedModel already has its frames and its memory limit: leave them out."
            )
        return subject if replicates is None else subject.using(replicates)
    counts = [x for x in (observers, replicates) if isinstance(x, int)]
    frames = None if observers is None or isinstance(observers, int) else observers
    return FramedModel(subject, frames, first=min(counts, default=None), memory_mb=memory_mb)


def ask_vision_language(subject: Any, task: Task) -> Responses:
    """Ask a vision-language model; a stop after an item keeps the answers so far.

    Raises
    ------
    QueryError
        When nothing is left to ask.
    ValueError
        When an option does not apply to a vision-language model, or is set already.
    """
    task.refuse_of_steps("A vision-language model")
    task.refuse_trials("A vision-language model")
    model, stimuli, context = _morphed(subject, task), task.stimuli, task.context
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


def _morphed(subject: Any, task: Task) -> MorphedModel:
    from biaslab.images.morph_folder import read_morphs
    from biaslab.images.morphs import OBSERVERS, DrawnMorphs
    from biaslab.probes.psychometrics.morphed_model import MorphedModel

    observers, replicates, memory_mb = task.observers, task.replicates, task.memory_mb
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


CHOOSES = Need(
    "a subject that chooses between two cues",
    "Pass an embedding, an ensemble, a language or vision-language model, a table of trials, or a"
    " function respond(item, cue_1, cue_2, alpha, observer) that returns P(cue 2).",
    lambda subject: way_of(subject) is not ask_black_box or callable(subject),
)


def way_of(subject: Any) -> Way:
    """Return the function for a kind of subject; unknown kinds are black boxes."""
    if isinstance(subject, ContextualEncoder):
        return ask_encoder
    if isinstance(subject, EmbeddingSubject):
        return ask_embedding
    if isinstance(subject, LanguageModel | FramedModel):
        return ask_language_model
    if _sees(subject):
        return ask_vision_language
    if isinstance(subject, Trials):
        return ask_table
    return ask_black_box


def _sees(subject: Any) -> bool:
    """Return whether it is a vision-language model, or duck-typed as one."""
    vlm = getattr(subject, "vlm", subject)
    return all(hasattr(vlm, part) for part in ("answers", "resolve", "templates"))
