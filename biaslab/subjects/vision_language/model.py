"""Vision-language models: subjects that score how well a word fits a picture."""

from __future__ import annotations

import hashlib
import importlib.util
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import MissingExtraError, QueryError, SubjectError, UnknownTermError
from biaslab.subjects.embedding.terms import Resolution, Unknown
from biaslab.subjects.pretrained.facts import hash_tokenizer
from biaslab.subjects.pretrained.files import ModelFiles, PlacedModel, hash_model
from biaslab.subjects.pretrained.kinds import CHAT_TYPES
from biaslab.subjects.pretrained.memory import batch_memory_mb, is_out_of_memory, too_little_memory
from biaslab.subjects.stored_values import ValueStore
from biaslab.subjects.vision_language.blip_git_vilt import Blip, Blip2, Git, Vilt
from biaslab.subjects.vision_language.cache import (
    AnswerCache,
    StoredAnswers,
    answers_of,
    embeddings_of,
    stored_embeddings,
)
from biaslab.subjects.vision_language.chat import PictureChat, is_chat_model, letters_of
from biaslab.subjects.vision_language.clip import Clip
from biaslab.subjects.vision_language.family import Family, unknown_words
from biaslab.subjects.vision_language.pictures import (
    Picture,
    as_picture,
    pictures_at_once,
    read_batches,
)
from biaslab.subjects.vision_language.questions import (
    PLACE,
    ConceptAnswers,
    LetterAnswers,
    checked_templates,
)

VisionLanguageKind = Literal["clip", "vilt", "blip", "blip-2", "git", "picture-chat"]
MEMORY_MB = 1024
"""Default limit on the extra memory of a batch, in megabytes."""
_FAMILIES: dict[str, Callable[[Any, Any], Family]] = {
    "clip": Clip,
    "vilt": Vilt,
    "blip": Blip,
    "blip-2": Blip2,
    "git": Git,
}
_CLASSES = {
    "ViltForQuestionAnswering": "vilt",
    "BlipForQuestionAnswering": "blip",
    "Blip2ForConditionalGeneration": "blip-2",
    "GitForCausalLM": "git",
}
_REMEMBERED = 10_000
"""Size of the cache of concepts and templates that were checked for unknown words."""


class VisionLanguageModel(PlacedModel):
    """A vision-language model and its processor.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        CLIP- or SigLIP-type, `ViltForQuestionAnswering`, `BlipForQuestionAnswering`,
        `Blip2ForConditionalGeneration` with a decoder, `GitForCausalLM`, or a chat model such as
        Qwen-VL, LLaVA, Gemma 3 or SmolVLM. It is put into evaluation mode, and may be shared.
    processor : transformers.ProcessorMixin
        The model's own, with an image processor and a tokenizer.
    device : str, optional
        Device of the model; by default its present one.
    name : str
        Name shown to the person.
    about : str
        One-line description of the model.
    notes : iterable of str
        Remarks for the user.
    files : ModelFiles, optional
        The files that the model was opened from, by which large weights are identified.

    Raises
    ------
    MissingExtraError
        When torch is not installed.
    SubjectError
        When the model is of another kind, or the processor lacks a part.

    Attributes
    ----------
    kind : {"clip", "vilt", "blip", "blip-2", "git", "picture-chat"}
        Architecture of the model.
    lock : threading.RLock
        Held while the model or its tokenizer runs.
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
        files: ModelFiles | None = None,
    ) -> None:
        if importlib.util.find_spec("torch") is None:
            raise MissingExtraError(
                "A vision-language model needs torch: pip install 'biaslab[lm]'."
            )
        self.name = name
        self.files = files
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
        self.family: Family = (
            PictureChat(self.model, processor, name)
            if self.kind == "picture-chat"
            else _FAMILIES[self.kind](self.model, self.tokenizer)
        )
        self.about = about or f"{self.family.label} {type(model).__name__}, {self.size}"
        self.notes = (*notes, *self._own_notes())
        self.lock = threading.RLock()
        self._answered = AnswerCache()
        self._refusals: dict[str, tuple[str, tuple[str, ...]] | None] = {}
        self._odd_words: dict[str, bool] = {}

    @classmethod
    def of(cls, model: Any, processor: Any, **options: Any) -> VisionLanguageModel:
        """Return a vision-language model from an open model and its processor.

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
    def templates(self) -> tuple[str, ...]:
        """Default templates: captions, or questions."""
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
    def chooses_by_letter(self) -> bool:
        """Whether an answer depends on the other concepts, which are listed as options."""
        return self.kind == "picture-chat"

    @property
    def fills_up(self) -> bool:
        """Whether a batch with pictures of different sizes is padded."""
        return self.kind == "vilt"

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of weights, tokenizer and image processor, hexadecimal; seconds if large."""
        digest = hashlib.sha256(f"{type(self.model).__name__}|{self.kind}".encode())
        hash_model(digest, self.model, self.files)
        hash_tokenizer(digest, self.tokenizer)
        digest.update(str(self.image_processor.to_json_string()).encode())
        digest.update(repr(sorted((self.model.config.id2label or {}).items())).encode())
        return digest.hexdigest()

    def resolve(self, concepts: Sequence[str]) -> Resolution:
        """Sort concepts into those that the model can score and the others.

        Parameters
        ----------
        concepts : sequence of str
            Words or phrases.

        Returns
        -------
        Resolution
            With a reason for each unknown concept: ViLT scores only its own answers.

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
        """Return probabilities of concepts per picture and template; they add up to 1.

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
            When a concept cannot be scored: none counts as zero. `resolve` sorts a list.
        QueryError, SubjectError
            As of `answers`.
        """
        answers = self.answers(images, concepts, templates, **options)
        if answers.unasked:
            reasons = "; ".join(f"{u.term!r}: {u.reason}" for u in answers.unasked[:5])
            raise UnknownTermError(
                f"{self.name} cannot be asked {reasons}. Leave these out; resolve(concepts)"
                " separates usable from unusable ones.",
                answers.unasked,
            )
        return answers.probabilities

    def answers(
        self,
        images: Sequence[Any],
        concepts: Sequence[str],
        templates: Sequence[str] | None = None,
        *,
        memory_mb: float | None = None,
        store: ValueStore | None = None,
        between: Callable[[], None] | None = None,
        advance: Callable[[int], None] | None = None,
    ) -> ConceptAnswers:
        """Return the model's answers for each picture, template and concept.

        Of a CLIP-type model the embeddings of pictures are remembered by the pictures' content, so
        that the same pictures with other concepts cost little more than reading the new texts. Of
        the others the log scores are: only an added concept or template is scored.

        Parameters
        ----------
        images : sequence of Picture, PIL.Image.Image or ndarray
            See `biaslab.subjects.vision_language.pictures.as_picture`.
        concepts : sequence of str
            At least two that can be scored.
        templates : sequence of str, optional
            Captions with ``{concept}``, or questions; by default `templates`.
        memory_mb : float, optional
            Limit on the extra memory of a batch. A picture that needs more is read alone.
        store : Store, optional
            Store for embeddings, and answers of other models, beyond this process.
        between : callable, optional
            Called between batches; an exception from it ends the reading; results are stored.
        advance : callable, optional
            Called with the number of further pictures done.

        Raises
        ------
        QueryError
            When there is no picture, fewer than two concepts can be scored, one is listed twice, or
            a template is not for this kind of model.
        SubjectError
            When memory does not suffice for one picture alone.
        """
        import torch

        if memory_mb is None:
            memory_mb = batch_memory_mb(self.device)
        if memory_mb <= 0:
            raise SubjectError(f"memory_mb={memory_mb}: give a number of megabytes above 0.")
        checked = checked_templates(
            self.templates if templates is None else templates,
            captions=self.takes_captions,
            questions=self.takes_questions,
        )
        resolution = self.resolve(concepts)
        self._refuse(resolution)
        pictures = [as_picture(image) for image in images]
        if not pictures:
            raise QueryError("There is no picture to test. Give at least one.")
        notes: list[str] = []
        if odd := [template for template in checked if self._is_odd(template)]:
            notes.append(
                f"{self.name} does not know every word of {', '.join(map(repr, odd))}: it reads"
                " its unknown-word token there."
            )
        letters: LetterAnswers | None = None
        hooks: dict[str, Any] = {"between": between, "advance": advance}
        try:
            if isinstance(self.family, PictureChat):
                letters = letters_of(
                    self, self.family, pictures, checked, resolution.known, cache=self._answered,
                    stored=self._stored(store, notes), memory_mb=memory_mb, between=between,
                    advance=advance,
                )  # fmt: skip
                scores = letters.log_scores
            elif isinstance(self.family, Clip):
                with self.lock, torch.inference_mode():
                    prepared = self.family.prepare(resolution.known, checked)
                at_once = pictures_at_once(self, self.family.bytes_per_picture(prepared), memory_mb)
                width = prepared.vectors.shape[-1]
                vectors = self._vectors(self.family, pictures, width, at_once, store, notes, hooks)
                scores = self.family.scores_of(vectors, prepared)
            else:
                scores = self._scores(
                    pictures, checked, resolution.known, memory_mb, store, notes, hooks
                )
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            raise too_little_memory(self.device, self.name, "one picture") from error
        if not np.isfinite(scores).all():
            raise SubjectError(
                f"{self.name} answers with numbers that are not finite. Its weights are damaged, or"
                f" {self.dtype} is too coarse for it: try dtype='float32'."
            )
        return ConceptAnswers(
            resolution.known, checked, _shares(scores), scores, self.family.score,
            resolution.unknown, tuple(notes), letters,
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
        """Return whether a template has words that the tokenizer does not know."""
        with self.lock:
            if template not in self._odd_words:
                if len(self._odd_words) >= _REMEMBERED:
                    self._odd_words.clear()
                words = unknown_words(self.tokenizer, template.replace(PLACE, ""))
                self._odd_words[template] = bool(words)
            return self._odd_words[template]

    def _refuse(self, resolution: Resolution) -> None:
        if resolution.duplicates:
            raise QueryError(
                f"The concept {resolution.duplicates[0]!r} is listed twice, which would halve its"
                " probability. Remove one."
            )
        if len(resolution.known) < 2:
            reasons = "; ".join(f"{u.term!r}: {u.reason}" for u in resolution.unknown[:5])
            raise QueryError(
                f"{self.name} can be asked {len(resolution.known)} of these concepts, but needs two"
                f" to choose from.{' ' + reasons if reasons else ''} Give others."
            )

    def _scores(
        self,
        pictures: Sequence[Picture],
        templates: Sequence[str],
        concepts: Sequence[str],
        memory_mb: float,
        store: ValueStore | None,
        notes: list[str],
        hooks: Mapping[str, Any],
    ) -> NDArray[np.float64]:
        """Log scores of a model that looks at picture and text together."""

        def ask(
            some: Sequence[Picture], new_templates: Sequence[str], new_concepts: Sequence[str]
        ) -> Iterator[tuple[Sequence[Picture], NDArray[np.float64]]]:
            import torch

            with self.lock, torch.inference_mode():
                prepared = self.family.prepare(new_concepts, new_templates)

            def answer(inputs: dict[str, Any]) -> NDArray[np.float64]:
                scores = self.family.scores(inputs, prepared).double().cpu().numpy()
                return np.asarray(scores)

            at_once = pictures_at_once(self, self.family.bytes_per_picture(prepared), memory_mb)
            yield from read_batches(self, some, at_once, answer, **hooks)

        cache = self._stored(store, notes)
        on_cached = hooks["advance"] or _nobody
        return answers_of(pictures, templates, concepts, self._answered, cache, ask, on_cached)

    def _stored(self, store: ValueStore | None, notes: list[str]) -> StoredAnswers:
        return StoredAnswers(store, lambda: f"{self.content_hash}|{self.dtype}", notes)

    def _vectors(
        self,
        clip: Clip,
        pictures: Sequence[Picture],
        width: int,
        at_once: int,
        store: ValueStore | None,
        notes: list[str],
        hooks: Mapping[str, Any],
    ) -> NDArray[np.float32]:
        """Return vectors of pictures (pictures, width)."""

        def key(picture: str) -> str:
            text = f"{self.content_hash}|{self.dtype}|{picture}"
            return hashlib.sha256(text.encode()).hexdigest()

        return embeddings_of(
            clip,
            pictures,
            width,
            lock=self.lock,
            stored=stored_embeddings(store, notes),
            key=key,
            look=lambda some: read_batches(self, some, at_once, clip.vectors, **hooks),
            on_cached=hooks["advance"] or _nobody,
        )

    def _own_notes(self) -> tuple[str, ...]:
        if self.dtype in ("float16", "bfloat16"):
            return (f"It computes in {self.dtype}: log scores are rough to about 0.01.",)
        return ()


def _kind_of(model: Any, name: str) -> VisionLanguageKind:
    for each in type(model).__mro__:
        if each.__name__ in _CLASSES:
            kind: Any = _CLASSES[each.__name__]
            return kind  # type: ignore[no-any-return]
    if is_chat_model(model):
        return "picture-chat"
    needed = ("get_image_features", "get_text_features", "logit_scale")
    if all(hasattr(model, part) for part in needed):
        return "clip"
    raise SubjectError(
        f"{name} is a {type(model).__name__}, which is not supported. Choose a CLIP- or"
        " SigLIP-type model, or ViLT or BLIP for questions, or BLIP-2 or GIT"
        f" ({', '.join(_CLASSES)}), or a chat model ({', '.join(sorted(CHAT_TYPES))})."
    )


def _shares(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the softmax over the last axis."""
    risen = np.exp(scores - scores.max(axis=-1, keepdims=True))
    out: NDArray[np.float64] = risen / risen.sum(axis=-1, keepdims=True)
    return out


def _nobody(_count: int) -> None:
    """Ignore progress."""


KINDS: tuple[str, ...] = get_args(VisionLanguageKind)
