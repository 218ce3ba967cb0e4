"""Ask a chat model about pictures, with the replies cached and stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from biaslab.subjects.letter_answers import LetterAnswers
from biaslab.subjects.out_of_memory import is_out_of_memory
from biaslab.subjects.pictures import Picture
from biaslab.subjects.vision_language_answers import AnswerCache, StoredAnswers, answers_of
from biaslab.subjects.vision_language_chat import PictureChat, Prompt
from biaslab.subjects.vision_language_options import ORDERS
from biaslab.subjects.vision_language_reading import pictures_at_once

Floats = NDArray[np.float64]
Hook = Callable[..., None] | None


class Chatting(Protocol):
    """Interface of a `VisionLanguageModel` for asking by letter."""

    @property
    def model(self) -> Any:
        """The model."""

    @property
    def image_processor(self) -> Any:
        """Processor of pictures."""

    @property
    def device(self) -> str:
        """Device of the model."""

    @property
    def lock(self) -> AbstractContextManager[Any]:
        """Held while it answers."""

    @property
    def fills_up(self) -> bool:
        """Whether a batch with pictures of different sizes is padded."""


def letters_of(
    vlm: Chatting,
    family: PictureChat,
    pictures: Sequence[Picture],
    templates: Sequence[str],
    concepts: Sequence[str],
    *,
    cache: AnswerCache,
    stored: StoredAnswers,
    memory_mb: float,
    between: Callable[[], None] | None = None,
    advance: Callable[[int], None] | None = None,
) -> LetterAnswers:
    """Return answers by letter: cached, stored, and new ones.

    A reply depends on all options and their order; so it is cached under the whole prompt.

    Parameters
    ----------
    vlm : VisionLanguageModel
    family : PictureChat
        Of the model.
    pictures, templates, concepts
        As of `VisionLanguageModel.answers`, checked.
    cache, stored
        Of log probabilities, by picture, prompt and concept.
    memory_mb, between, advance
        As of `VisionLanguageModel.answers`.

    Raises
    ------
    QueryError
        If a letter is no single token, there are too many options, or a picture is too large.
    """
    with vlm.lock:
        prompts = {prompt.text: prompt for prompt in family.prepare(concepts, templates)}

    def ask(
        some: Sequence[Picture], texts: Sequence[str], wanted: Sequence[str]
    ) -> Iterator[tuple[Sequence[Picture], Floats]]:
        which = [concepts.index(concept) for concept in wanted]
        asked = [prompts[text] for text in texts]
        for part, scores in _read(vlm, family, some, asked, memory_mb, between, advance):
            yield part, scores[..., which]

    raw = answers_of(
        pictures, list(prompts), concepts, cache, stored, ask, advance or (lambda _count: None)
    )
    shape = (len(pictures), len(templates), len(ORDERS), len(concepts))
    return LetterAnswers(raw.reshape(shape))


def _read(
    vlm: Chatting,
    family: PictureChat,
    pictures: Sequence[Picture],
    prompts: Sequence[Prompt],
    memory_mb: float,
    between: Callable[[], None] | None,
    advance: Callable[[int], None] | None,
) -> Iterator[tuple[Sequence[Picture], Floats]]:
    """Yield batches with their scores; the first picture alone shows how long inputs are."""
    at, limit = 0, 1
    while at < len(pictures):
        if between is not None:
            between()
        part = pictures[at : at + limit]
        scores = _answered(vlm, family, part, prompts)
        if scores is None:  # outside the except clause, which would keep the failed tensors
            limit = max(1, len(part) // 2)
            continue
        yield part, scores
        at += len(part)
        if advance is not None:
            advance(len(part))
        if limit == 1:
            limit = pictures_at_once(vlm, family.bytes_per_picture(prompts), memory_mb)


def _answered(
    vlm: Chatting, family: PictureChat, pictures: Sequence[Picture], prompts: Sequence[Prompt]
) -> Floats | None:
    """Return scores (pictures, prompts, concepts); None if a smaller batch may fit in memory."""
    import torch

    images = [picture.picture() for picture in pictures]
    sizes: dict[tuple[int, int], list[int]] = {}
    for number, image in enumerate(images):
        sizes.setdefault(image.size, []).append(number)
    out: Floats | None = None
    try:
        for numbers in sizes.values():
            with vlm.lock, torch.inference_mode():
                inputs = {"images": [images[number] for number in numbers]}
                scores = family.scores(inputs, prompts).double().cpu().numpy()
            if out is None:
                out = np.empty((len(images), *scores.shape[1:]))
            out[numbers] = scores
    except (RuntimeError, MemoryError) as error:
        if len(pictures) == 1 or not is_out_of_memory(error):
            raise
        return None
    return out
