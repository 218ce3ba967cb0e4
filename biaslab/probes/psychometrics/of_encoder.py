"""Two-alternative task of encoders: words in sentences, each sentence an observer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.probes.psychometrics.asking import Responses, Task
from biaslab.probes.psychometrics.of_embedding import ask_embedding
from biaslab.probes.sentences.attribute_kinds import kind_of
from biaslab.probes.sentences.terms import Kind, Term
from biaslab.probes.sentences.words import GENDERED_NOUNS, article
from biaslab.subjects.embedding.terms import Resolution
from biaslab.subjects.encoder.contextual import ContextualEncoder
from biaslab.subjects.encoder.sentence import SentenceEncoder

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
    asked = frames[: len(responses.switch)]
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
