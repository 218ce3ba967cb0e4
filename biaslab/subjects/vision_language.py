"""Vision-language models: subjects that say how well a word goes with a picture."""

from __future__ import annotations

import hashlib
import importlib.util
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import (
    MissingExtraError,
    QueryError,
    SubjectError,
    UnknownTermError,
)
from biaslab.record import Record
from biaslab.subjects.base import Resolution, Unknown
from biaslab.subjects.kept_values import ValueStore
from biaslab.subjects.pictures import Picture, as_picture
from biaslab.subjects.torch_model import hash_tokenizer, hash_weights, size_of
from biaslab.subjects.vision_language_answers import KeptAnswers, RememberedAnswers, answers_of
from biaslab.subjects.vision_language_blip import Blip
from biaslab.subjects.vision_language_clip import Clip
from biaslab.subjects.vision_language_embeddings import embeddings_of, kept_embeddings
from biaslab.subjects.vision_language_family import Family, unknown_words
from biaslab.subjects.vision_language_git import Git
from biaslab.subjects.vision_language_reading import pictures_at_once, read_batches
from biaslab.subjects.vision_language_texts import PLACE, checked_templates
from biaslab.subjects.vision_language_vilt import Vilt

VisionLanguageKind = Literal["clip", "vilt", "blip", "git"]
MEMORY_MB = 1024
"""What a batch may add to the memory in use, in megabytes, unless told otherwise."""
_FAMILIES: dict[str, Callable[[Any, Any], Family]] = {
    "clip": Clip,
    "vilt": Vilt,
    "blip": Blip,
    "git": Git,
}
_CLASSES = {
    "ViltForQuestionAnswering": "vilt",
    "BlipForQuestionAnswering": "blip",
    "GitForCausalLM": "git",
}
_REMEMBERED = 10_000
"""Concepts, and templates, of which it is remembered whether the tokenizer reads them."""


@dataclass(frozen=True)
class ConceptAnswers(Record):
    """What a vision-language model says of concepts, for each picture and template.

    Attributes
    ----------
    concepts, templates : tuple of str
        What was asked.
    probabilities : ndarray of float64 (pictures, templates, concepts)
        Over the concepts asked they add up to 1.
    log_scores : ndarray of float64 (pictures, templates, concepts)
        As the model gives them, before that: see ``score``. The probabilities are their softmax.
    score : str
        What a log score is.
    unasked : tuple of Unknown
        Concepts that the model cannot be asked, and why; they are not among ``concepts``.
    notes : tuple of str
        What a person should know.
    """

    concepts: tuple[str, ...]
    templates: tuple[str, ...]
    probabilities: NDArray[np.float64]
    log_scores: NDArray[np.float64]
    score: str
    unasked: tuple[Unknown, ...] = ()
    notes: tuple[str, ...] = ()


class VisionLanguageModel:
    """A vision-language model and its processor.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        CLIP- or SigLIP-type, `ViltForQuestionAnswering`, `BlipForQuestionAnswering` or
        `GitForCausalLM`. It is put into evaluation mode, and may be shared.
    processor : transformers.ProcessorMixin
        The model's own, with an image processor and a tokenizer.
    device : str, optional
        Where it runs; by default where it is.
    name : str
        Name shown to the person.
    about : str
        One line on what this model is.
    notes : iterable of str
        What a person should know about it.

    Raises
    ------
    MissingExtraError
        When torch is not installed.
    SubjectError
        When the model is of another kind, or the processor lacks a part.

    Attributes
    ----------
    kind : {"clip", "vilt", "blip", "git"}
        How it is asked.
    lock : threading.RLock
        Held while the model or its tokenizer is asked.
    """

    def __init__(
        self,
        model: Any,
        processor: Any,
        *,
        device: str | None = None,
        name: str = "vision-language model",
        about: str = "",
        notes: Iterable[str] = (),
    ) -> None:
        if importlib.util.find_spec("torch") is None:
            raise MissingExtraError(
                "A vision-language model needs torch: pip install 'biaslab[lm]'."
            )
        self.name = name
        self.kind = _kind_of(model, name)
        self.image_processor: Any = getattr(processor, "image_processor", None)
        self.tokenizer: Any = getattr(processor, "tokenizer", None)
        if self.image_processor is None or self.tokenizer is None:
            raise SubjectError(
                f"The processor of {name} has no"
                f" {'tokenizer' if self.tokenizer is None else 'image processor'}. Open it with"
                " AutoProcessor from where the model is."
            )
        self.model = model.eval() if device is None else model.to(device).eval()
        self.processor = processor
        self.family: Family = _FAMILIES[self.kind](self.model, self.tokenizer)
        self.about = about or f"{self.family.label} {type(model).__name__}, {self.size}"
        self.notes = (*notes, *self._own_notes())
        self.lock = threading.RLock()
        self._answered = RememberedAnswers()
        self._refusals: dict[str, tuple[str, tuple[str, ...]] | None] = {}
        self._odd_words: dict[str, bool] = {}

    @classmethod
    def of(cls, model: Any, processor: Any, **options: Any) -> VisionLanguageModel:
        """A vision-language model from a model and its processor that are open already.

        Parameters
        ----------
        model, processor
            As of the class.
        **options
            ``device``, ``name``, ``about`` and ``notes``.
        """
        options.setdefault("name", type(model).__name__)
        return cls(model, processor, **options)

    def __repr__(self) -> str:
        """One line: name, kind, size and where it runs."""
        return f"<VisionLanguageModel {self.name!r}: {self.family.label}, {self.size}>"

    @property
    def device(self) -> str:
        """Where the model runs, such as ``cpu`` or ``cuda:0``."""
        return str(self.model.device)

    @property
    def dtype(self) -> str:
        """In what it computes, such as ``float32``."""
        return str(self.model.dtype).removeprefix("torch.")

    @property
    def size(self) -> str:
        """Its size, in what it computes, and where."""
        return size_of(self.model)

    @property
    def templates(self) -> tuple[str, ...]:
        """What is asked unless a person says otherwise: captions, or questions."""
        return self.family.templates

    @property
    def takes_captions(self) -> bool:
        """Whether a template may name the concept, as ``{concept}``."""
        return self.family.captions

    @property
    def takes_questions(self) -> bool:
        """Whether a template may be a question whose answer is the concept."""
        return self.family.questions

    @property
    def fills_up(self) -> bool:
        """Whether pictures of unlike size are filled up within a batch."""
        return self.kind == "vilt"

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of weights, tokenizer and image processor, hexadecimal; seconds if large."""
        digest = hashlib.sha256(f"{type(self.model).__name__}|{self.kind}".encode())
        hash_weights(digest, self.model)
        hash_tokenizer(digest, self.tokenizer)
        digest.update(str(self.image_processor.to_json_string()).encode())
        digest.update(repr(sorted((self.model.config.id2label or {}).items())).encode())
        return digest.hexdigest()

    def resolve(self, concepts: Sequence[str]) -> Resolution:
        """Sort concepts into those that the model can be asked and those that it cannot.

        Parameters
        ----------
        concepts : sequence of str
            Words or phrases.

        Returns
        -------
        Resolution
            With a reason for each unknown one: of ViLT, what is not among its answers.

        Raises
        ------
        TypeError
            If it is one text instead of a list.
        """
        if isinstance(concepts, str):
            raise TypeError(f"Pass a list of concepts: [{concepts!r}], not {concepts!r}.")
        known: list[str] = []
        unknown: list[Unknown] = []
        duplicates: list[str] = []
        with self.lock:
            for concept in concepts:
                refused = self._refusal(concept)
                if refused is not None:
                    unknown.append(Unknown(concept, *refused))
                elif concept in known:
                    duplicates.append(concept)
                else:
                    known.append(concept)
        return Resolution(tuple(known), tuple(unknown), tuple(duplicates), {c: (c,) for c in known})

    def probabilities(
        self,
        images: Sequence[Any],
        concepts: Sequence[str],
        templates: Sequence[str] | None = None,
        **options: Any,
    ) -> NDArray[np.float64]:
        """Probabilities of concepts per picture and template, which add up to 1 over concepts.

        Parameters
        ----------
        images, concepts, templates, **options
            As of `answers`.

        Returns
        -------
        ndarray, shape (pictures, templates, concepts)

        Raises
        ------
        UnknownTermError
            When a concept cannot be asked: none is ever scored as zero. `resolve` sorts a list.
        QueryError, SubjectError
            As of `answers`.
        """
        found = self.answers(images, concepts, templates, **options)
        if found.unasked:
            told = "; ".join(f"{u.term!r}: {u.reason}" for u in found.unasked[:5])
            raise UnknownTermError(
                f"{self.name} cannot be asked {told}. Leave these out; resolve(concepts) separates"
                " usable from unusable ones.",
                found.unasked,
            )
        return found.probabilities

    def answers(
        self,
        images: Sequence[Any],
        concepts: Sequence[str],
        templates: Sequence[str] | None = None,
        *,
        memory_mb: float = MEMORY_MB,
        store: ValueStore | None = None,
        between: Callable[[], None] | None = None,
        told: Callable[[int], None] | None = None,
    ) -> ConceptAnswers:
        """What the model says of concepts, for each picture and template.

        Of a CLIP-type model the embeddings of pictures are remembered by the pictures' content, so
        that the same pictures with other concepts cost little more than reading the new texts. Of
        the others the log scores are: a concept or template that is added is asked by itself.

        Parameters
        ----------
        images : sequence of Picture, PIL.Image.Image or ndarray
            See `biaslab.subjects.pictures.as_picture`.
        concepts : sequence of str
            At least two that can be asked.
        templates : sequence of str, optional
            Captions with ``{concept}``, or questions; by default `templates`.
        memory_mb : float
            What a batch may add to the memory in use. A picture that needs more goes alone.
        store : Store, optional
            Where embeddings, and answers of the others, outlive the process.
        between : callable, optional
            Called between batches; what it raises ends the reading, and what was read is kept.
        told : callable, optional
            Called with how many more pictures are done.

        Raises
        ------
        QueryError
            When there is no picture, fewer than two concepts can be asked, one is asked twice, or
            a template is not for this kind of model.
        SubjectError
            When memory does not suffice for one picture alone.
        """
        import torch

        if memory_mb <= 0:
            raise SubjectError(f"memory_mb={memory_mb}: give a number of megabytes above 0.")
        asked = checked_templates(
            self.templates if templates is None else templates,
            captions=self.takes_captions,
            questions=self.takes_questions,
        )
        sorted_out = self.resolve(concepts)
        self._refuse(sorted_out)
        pictures = [as_picture(image) for image in images]
        if not pictures:
            raise QueryError("There is no picture to test. Give at least one.")
        notes: list[str] = []
        if odd := [template for template in asked if self._is_odd(template)]:
            notes.append(
                f"{self.name} does not know every word of {', '.join(map(repr, odd))}: it reads"
                " its unknown-word token there."
            )
        try:
            with self.lock, torch.inference_mode():
                prepared = self.family.prepare(sorted_out.known, asked)
            hear = {"between": between, "told": told}
            if isinstance(self.family, Clip):
                at_once = pictures_at_once(self, self.family.bytes_per_picture(prepared), memory_mb)
                width = prepared.vectors.shape[-1]
                vectors = self._vectors(self.family, pictures, width, at_once, store, notes, hear)
                scores = self.family.scores_of(vectors, prepared)
            else:
                scores = self._scores(
                    pictures, asked, sorted_out.known, memory_mb, store, notes, hear
                )
        except torch.OutOfMemoryError as error:
            raise SubjectError(
                f"{self.device} does not have enough memory for {self.name}, even with one picture"
                " at a time. Use device='cpu', a smaller model, or free memory on that device."
            ) from error
        if not np.isfinite(scores).all():
            raise SubjectError(
                f"{self.name} answers with numbers that are not finite. Its weights are damaged, or"
                f" {self.dtype} is too coarse for it: try dtype='float32'."
            )
        return ConceptAnswers(
            sorted_out.known, asked, _shares(scores), scores, self.family.score,
            sorted_out.unknown, tuple(notes),
        )  # fmt: skip

    def forget_pictures(self) -> None:
        """Let go of the embeddings and answers that are remembered, to free their memory."""
        with self.lock:
            self._answered.clear()
            if isinstance(self.family, Clip):
                self.family.pictures.clear()

    def _refusal(self, concept: str) -> tuple[str, tuple[str, ...]] | None:
        if concept not in self._refusals:
            if len(self._refusals) >= _REMEMBERED:
                self._refusals.clear()
            self._refusals[concept] = self.family.refusal(concept)
        return self._refusals[concept]

    def _is_odd(self, template: str) -> bool:
        """Whether a template has words that the tokenizer does not know."""
        with self.lock:
            if template not in self._odd_words:
                if len(self._odd_words) >= _REMEMBERED:
                    self._odd_words.clear()
                words = unknown_words(self.tokenizer, template.replace(PLACE, ""))
                self._odd_words[template] = bool(words)
            return self._odd_words[template]

    def _refuse(self, found: Resolution) -> None:
        if found.duplicates:
            raise QueryError(
                f"The concept {found.duplicates[0]!r} is listed twice, which would halve its"
                " probability. Remove one."
            )
        if len(found.known) < 2:
            told = "; ".join(f"{u.term!r}: {u.reason}" for u in found.unknown[:5])
            raise QueryError(
                f"{self.name} can be asked {len(found.known)} of these concepts, but needs two to"
                f" choose from.{' ' + told if told else ''} Give others."
            )

    def _scores(
        self,
        pictures: Sequence[Picture],
        templates: Sequence[str],
        concepts: Sequence[str],
        memory_mb: float,
        store: ValueStore | None,
        notes: list[str],
        hear: Mapping[str, Any],
    ) -> NDArray[np.float64]:
        """Log scores of a model that looks at picture and text together."""

        def ask(
            some: Sequence[Picture], new_templates: Sequence[str], new_concepts: Sequence[str]
        ) -> Iterator[tuple[Sequence[Picture], NDArray[np.float64]]]:
            import torch

            with self.lock, torch.inference_mode():
                prepared = self.family.prepare(new_concepts, new_templates)

            def answer(inputs: dict[str, Any]) -> NDArray[np.float64]:
                found = self.family.scores(inputs, prepared).double().cpu().numpy()
                return np.asarray(found)

            at_once = pictures_at_once(self, self.family.bytes_per_picture(prepared), memory_mb)
            yield from read_batches(self, some, at_once, answer, **hear)

        kept = KeptAnswers(store, lambda: f"{self.content_hash}|{self.dtype}", notes)
        known = hear["told"] or _nobody
        return answers_of(pictures, templates, concepts, self._answered, kept, ask, known)

    def _vectors(
        self,
        clip: Clip,
        pictures: Sequence[Picture],
        width: int,
        at_once: int,
        store: ValueStore | None,
        notes: list[str],
        hear: Mapping[str, Any],
    ) -> NDArray[np.float32]:
        """Vectors of pictures (pictures, width)."""

        def key(picture: str) -> str:
            text = f"{self.content_hash}|{self.dtype}|{picture}"
            return hashlib.sha256(text.encode()).hexdigest()

        return embeddings_of(
            clip,
            pictures,
            width,
            lock=self.lock,
            kept=kept_embeddings(store, notes),
            key=key,
            look=lambda some: read_batches(self, some, at_once, clip.vectors, **hear),
            known=hear["told"] or _nobody,
        )

    def _own_notes(self) -> tuple[str, ...]:
        if self.dtype in ("float16", "bfloat16"):
            return (f"It computes in {self.dtype}: log scores are rough to about 0.01.",)
        return ()


def _kind_of(model: Any, name: str) -> VisionLanguageKind:
    for each in type(model).__mro__:
        if each.__name__ in _CLASSES:
            found: Any = _CLASSES[each.__name__]
            return found  # type: ignore[no-any-return]
    needed = ("get_image_features", "get_text_features", "logit_scale")
    if all(hasattr(model, part) for part in needed):
        return "clip"
    raise SubjectError(
        f"{name} is a {type(model).__name__}, which is not supported. Choose a CLIP- or"
        " SigLIP-type model, or ViLT or BLIP for questions, or GIT"
        f" ({', '.join(_CLASSES)})."
    )


def _shares(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Softmax over the last axis."""
    risen = np.exp(scores - scores.max(axis=-1, keepdims=True))
    out: NDArray[np.float64] = risen / risen.sum(axis=-1, keepdims=True)
    return out


def _nobody(_count: int) -> None:
    """Nobody listens."""


KINDS: tuple[str, ...] = get_args(VisionLanguageKind)
