"""Shared interface of the kinds of vision-language models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from biaslab.errors import QueryError

_SHOWN = 100
"""Characters of a long text that a message shows."""


class Family(Protocol):
    """A kind of vision-language model, used by `VisionLanguageModel`."""

    @property
    def label(self) -> str:
        """For people, such as "CLIP-type model"."""

    @property
    def score(self) -> str:
        """Meaning of a log score, for people."""

    @property
    def captions(self) -> bool:
        """Whether it takes captions that name the concept."""

    @property
    def questions(self) -> bool:
        """Whether it takes questions whose answer is the concept."""

    @property
    def templates(self) -> tuple[str, ...]:
        """Default templates."""

    def refusal(self, concept: str) -> tuple[str, tuple[str, ...]] | None:
        """Return why a concept cannot be scored, and alternatives; None if it can."""

    def prepare(self, concepts: Sequence[str], templates: Sequence[str]) -> Any:
        """Prepare texts for `scores`.

        Raises `QueryError` if a text is longer than the model reads.
        """

    def bytes_per_picture(self, prepared: Any) -> float:
        """Return an upper estimate of the memory for one more picture in a batch."""

    def scores(self, inputs: dict[str, Any], prepared: Any) -> Any:
        """Return log scores of a batch, a tensor (pictures, templates, concepts)."""


def tower_bytes(config: Any, tokens: int, itemsize: int) -> float:
    """Return an upper estimate of a transformer's memory for one row of tokens.

    - `config`: of the transformer.
    - `tokens`, `itemsize`: length, and bytes per number.
    """
    width = int(config.hidden_size)
    inner = int(getattr(config, "intermediate_size", None) or 4 * width)
    heads = int(config.num_attention_heads)
    return itemsize * tokens * (8.0 * width + 3.0 * inner + 4.0 * heads * tokens)


def patches(config: Any) -> int:
    """Return the number of tokens of a picture, class token included."""
    if getattr(config, "image_size", None) is None:
        return int(config.num_patches)  # of SigLIP 2, which takes pictures of any shape
    size = config.image_size
    width = int(size if isinstance(size, int) else max(size))
    patch = config.patch_size
    step = int(patch if isinstance(patch, int) else min(patch))
    return (width // step) ** 2 + 1


def token_ids(tokenizer: Any, text: str) -> list[int]:
    """Return the tokens of a text alone, without special tokens."""
    ids: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
    return ids


def unknown_words(tokenizer: Any, text: str) -> list[str]:
    """Return the words of a text that a tokenizer maps to its unknown token."""
    unknown = tokenizer.unk_token_id
    if unknown is None:
        return []
    return [word for word in text.split() if unknown in token_ids(tokenizer, word)]


def unreadable(tokenizer: Any, concept: str) -> tuple[str, tuple[str, ...]] | None:
    """Return why a tokenizer cannot read a concept; None if it can."""
    if not concept.strip():
        return "empty", ()
    if not token_ids(tokenizer, concept):
        return "the model's tokenizer reads it as empty", ()
    if odd := unknown_words(tokenizer, concept):
        return f"the model's tokenizer does not know {', '.join(map(repr, odd))}", ()
    return None


def refuse_long(text: str, length: int, longest: int | None) -> None:
    """Refuse a text that is longer than a model reads.

    - `text`: for the message.
    - `length`: its tokens, special tokens included.
    - `longest`: the model's limit; None if unknown.
    - Raises `QueryError` if it is longer.
    """
    if longest is not None and length > longest:
        shown = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
        raise QueryError(
            f"{shown!r} has {length:,} tokens, and the model reads at most {longest:,}. Shorten it."
        )


def padded(rows: Sequence[Sequence[int]], fill: int) -> tuple[Any, Any]:
    """Pad rows of tokens to a tensor; return it with the mask of tokens.

    - `fill`: the token that fills up.
    - Returns: tensors of int64 (rows, longest); ``shown`` is 1 for tokens.
    """
    import torch

    longest = max(map(len, rows))
    ids = torch.full((len(rows), longest), fill, dtype=torch.int64)
    shown = torch.zeros((len(rows), longest), dtype=torch.int64)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = torch.tensor(row, dtype=torch.int64)
        shown[i, : len(row)] = 1
    return ids, shown


def summed_log_probabilities(logits: Any, ids: Any, first: Sequence[int], shown: Any) -> Any:
    """Sum the log probabilities of each row's tokens from a position on.

    - `logits`, tensor (rows, length, vocabulary): at each place the guess of the next token.
    - `ids`, tensor of int64 (rows, length): the tokens.
    - `first`: place of the first token of each row that counts, from 1.
    - `shown`, tensor of int64 (rows, length): 1 for tokens.
    """
    import torch

    fine = logits if logits.dtype == torch.float64 else logits.float()
    chosen = fine[:, :-1].gather(2, ids[:, 1:, None])[..., 0] - fine[:, :-1].logsumexp(dim=2)
    places = torch.arange(1, ids.shape[1], device=ids.device)
    counts = places >= torch.as_tensor(list(first), device=ids.device)[:, None]
    return torch.where(counts & (shown[:, 1:] > 0), chosen, 0.0).sum(dim=1)
