"""Vision-language chat models: options by letter, asked about pictures and read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError, SubjectError
from biaslab.subjects.pretrained.apart import render_chat
from biaslab.subjects.pretrained.kinds import CHAT_TYPES
from biaslab.subjects.pretrained.memory import is_out_of_memory
from biaslab.subjects.vision_language.cache import AnswerCache, StoredAnswers, answers_of
from biaslab.subjects.vision_language.family import token_ids, tower_bytes, unreadable
from biaslab.subjects.vision_language.pictures import Picture, Seeing, pictures_at_once
from biaslab.subjects.vision_language.questions import (
    LETTERS,
    ORDERS,
    QUESTIONS,
    LetterAnswers,
    in_order,
    lettered,
)

_TOKENS: Final = 2048
"""Tokens of a question with its picture, until one was seen."""


def is_chat_model(model: Any) -> bool:
    """Return whether an open model is a vision-language chat model that can be asked."""
    config = getattr(model, "config", None)
    return getattr(config, "model_type", "") in CHAT_TYPES and hasattr(model, "generate")


@dataclass(frozen=True)
class Prompt:
    """A question in one order of its options, as the model reads it.

    - `text`: in the chat template, with the model's mark in place of the picture.
    - `tokens`: the ways to write each concept's letter, in the order of the concepts.
    """

    text: str
    tokens: tuple[tuple[int, ...], ...]


class PictureChat:
    """A chat model that chooses among listed options by their letters.

    - `model`: of one of `CHAT_TYPES`.
    - `processor`: the model's own, with a chat template.
    - `name`: for messages.
    - Raises `SubjectError` if there is no chat template, or it has no place for a picture.
    """

    captions, questions = False, True
    label = "chat model"
    score = (
        "log probability of the option's letter among the letters, the mean over both orders of the"
        " options"
    )
    templates = QUESTIONS

    def __init__(self, model: Any, processor: Any, name: str) -> None:
        self.model, self.processor, self.name = model, processor, name
        self.tokenizer = processor.tokenizer
        own = getattr(processor, "chat_template", None)
        self.template = own or getattr(self.tokenizer, "chat_template", None)
        if not self.template:
            raise SubjectError(
                f"{name} has no chat template, so it cannot be asked to choose. Choose a checkpoint"
                " that was trained for chats (its name often ends in -it, -instruct or -chat), or"
                " set processor.chat_template."
            )
        text = model.config.get_text_config()
        self.longest: int | None = getattr(text, "max_position_embeddings", None)
        self.vocabulary = int(text.vocab_size)
        self._text_config = text
        self._tokens = 0
        self._ways: dict[str, tuple[int, ...]] = {}
        self._refuse_without_place(self.render("?"))

    def refusal(self, concept: str) -> tuple[str, tuple[str, ...]] | None:
        """See `Family`."""
        if "\n" in concept.strip():
            return "has a line break, and each option is a line", ()
        return unreadable(self.tokenizer, concept)

    def prepare(self, concepts: Sequence[str], templates: Sequence[str]) -> tuple[Prompt, ...]:
        """See `Family`: two prompts for each template, one in each of `ORDERS`.

        Raises `QueryError` if there are too many concepts, or a letter is no single token.
        """
        prompts = []
        for template in templates:
            for order in ORDERS:
                options = in_order(concepts, order)
                letter_of = dict(zip(options, LETTERS, strict=False))
                text = self.render(lettered(template, options))
                tokens = tuple(self._ways_of(letter_of[c], c) for c in concepts)
                prompts.append(Prompt(text, tokens))
        return tuple(prompts)

    def render(self, question: str) -> str:
        """Return a question after a picture in the chat template, up to the reply's beginning."""
        content = [{"type": "image"}, {"type": "text", "text": question}]
        try:
            return render_chat(
                self.processor, [{"role": "user", "content": content}], template=self.template,
                add_generation_prompt=True,
            )  # fmt: skip
        except SubjectError as error:
            raise SubjectError(
                f"The chat template of {self.name} cannot be filled in with a picture: {error}"
            ) from error

    def bytes_per_picture(self, prepared: Any) -> float:
        """See `Family`: from the length of the longest question so far."""
        del prepared
        size = self.model.dtype.itemsize
        # The image encoder is usually the smaller part.
        return (
            2 * tower_bytes(self._text_config, self._tokens or _TOKENS, size)
            + self.vocabulary * 12.0
        )

    def scores(self, inputs: dict[str, Any], prepared: Sequence[Prompt]) -> Any:
        """Return log probabilities of letters, (pictures, prompts, concepts).

        - `inputs`: ``images``: pictures in RGB, all of one size, so that no input is filled up.
        """
        import torch

        images = inputs["images"]
        return torch.stack([self._letters(images, prompt) for prompt in prepared], dim=1)

    def _letters(self, images: Sequence[Any], prompt: Prompt) -> Any:
        import torch

        begin = self.tokenizer.bos_token
        own = self.processor(
            images=[[image] for image in images],
            text=[prompt.text] * len(images),
            return_tensors="pt",
            # A template that writes the begin token itself would get it twice.
            add_special_tokens=not (begin and prompt.text.startswith(begin)),
        )
        length = int(own["input_ids"].shape[1])
        self._tokens = max(self._tokens, length)
        if self.longest is not None and length > self.longest:
            width, height = images[0].size
            raise QueryError(
                f"A picture of {width} x {height} pixels and its question have {length:,} tokens,"
                f" and {self.name} reads at most {self.longest:,}. Give smaller pictures, or"
                " shorten the question."
            )
        placed = {key: self._placed(value) for key, value in own.items()}
        logits = self.model(**placed, use_cache=False, logits_to_keep=1).logits[:, -1]
        fine = logits if logits.dtype == torch.float64 else logits.float()
        logs = torch.log_softmax(fine, dim=-1)
        return torch.stack([logs[:, list(ways)].logsumexp(1) for ways in prompt.tokens], dim=1)

    def _placed(self, value: Any) -> Any:
        if not hasattr(value, "to"):
            return value
        on = value.to(self.model.device)
        return on.to(self.model.dtype) if on.is_floating_point() else on

    def _ways_of(self, letter: str, option: str) -> tuple[int, ...]:
        """Return the single tokens that write a letter, with or without a space before."""
        if letter not in self._ways:
            vocabulary = self.tokenizer.get_vocab()
            tokens = {vocabulary.get(sign + letter) for sign in ("", "▁", "Ġ")}
            for text in (letter, f" {letter}"):
                ids = token_ids(self.tokenizer, text)
                tokens.add(ids[0] if len(ids) == 1 else None)
            known = sorted(x for x in tokens if x is not None and x != self.tokenizer.unk_token_id)
            decode = self.tokenizer.decode
            self._ways[letter] = tuple(x for x in known if decode([x]).strip() == letter)
        if not self._ways[letter]:
            raise QueryError(
                f"{self.name} writes the letter {letter!r}, by which {option!r} would be chosen, as"
                " no single token, so its probability cannot be read. Ask fewer concepts, or choose"
                " another model."
            )
        return self._ways[letter]

    def _refuse_without_place(self, text: str) -> None:
        mark = getattr(self.processor, "image_token", None)
        marks = [m for m in (mark, getattr(self.processor, "boi_token", None)) if m]
        if marks and not any(m in text for m in marks):
            raise SubjectError(
                f"The chat template of {self.name} has no place for a picture: {marks[0]!r} is not"
                " in what it writes. Use the template of the model's own processor."
            )


Floats = NDArray[np.float64]
Hook = Callable[..., None] | None


def letters_of(
    vlm: Seeing,
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

    - `family`: of the model.
    - `pictures`, `templates`, `concepts`: as of `VisionLanguageModel.answers`, checked.
    - `cache`, `stored`: of log probabilities, by picture, prompt and concept.
    - `memory_mb`, `between`, `advance`: as of `VisionLanguageModel.answers`.
    - Raises `QueryError` if a letter is no single token, there are too many options, or a picture
      is too large.
    """
    with vlm.lock:
        prompts = {prompt.text: prompt for prompt in family.prepare(concepts, templates)}

    def ask(
        some: Sequence[Picture], texts: Sequence[str], wanted: Sequence[str]
    ) -> Iterator[tuple[Sequence[Picture], Floats]]:
        which = [concepts.index(concept) for concept in wanted]
        some_prompts = [prompts[text] for text in texts]
        for part, scores in _read(vlm, family, some, some_prompts, memory_mb, between, advance):
            yield part, scores[..., which]

    raw = answers_of(
        pictures, list(prompts), concepts, cache, stored, ask, advance or (lambda _count: None)
    )
    shape = (len(pictures), len(templates), len(ORDERS), len(concepts))
    return LetterAnswers(raw.reshape(shape))


def _read(
    vlm: Seeing,
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
    vlm: Seeing, family: PictureChat, pictures: Sequence[Picture], prompts: Sequence[Prompt]
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
