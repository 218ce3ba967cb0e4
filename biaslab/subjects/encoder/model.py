"""Encoders: language models that embed a word in its context, or a sentence."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError, SubjectError
from biaslab.records.calls import recorded_method
from biaslab.subjects.encoder.contextual import ContextualEncoder
from biaslab.subjects.pretrained.facts import longest_of, text_config, width_of
from biaslab.subjects.pretrained.files import LoadedModel, WeightFiles, hash_model
from biaslab.subjects.pretrained.options import input_device

Pooling = Literal["term", "mean", "cls", "last"]


class Encoder(LoadedModel, ContextualEncoder):
    """A language model of transformers as an encoder, under C contexts.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        Gives hidden states of shape (n, tokens, d). It is put into evaluation mode.
    tokenizer : transformers.PreTrainedTokenizerFast
        The model's own.
    contexts : sequence of str
        Texts with ``{}`` where the term goes; ``{}`` alone is the term and nothing else.
    pooling : {"term", "mean", "cls", "last"}
        Pooling of a text into its vector: the mean over the term's own tokens; the mean over all
        tokens but special ones; the first token; the last one that is not padding.
    layer : int
        Which hidden states, counted as Python does: -1 is the last layer, 0 the input embeddings.
    device : str, optional
        Device of the model; by default its present one.
    name, about
        As of `biaslab.subjects.embedding.word_embedding.WordEmbedding`.
    files : WeightFiles, optional
        The files that the model was opened from, by which large weights are identified.

    Raises
    ------
    SubjectError
        When a context does not have exactly one ``{}``, or the tokenizer gives no positions
        of its tokens.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        contexts: Sequence[str] = ("{}",),
        pooling: Pooling = "term",
        layer: int = -1,
        device: str | None = None,
        name: str = "encoder",
        about: str = "",
        files: WeightFiles | None = None,
    ) -> None:
        if pooling not in get_args(Pooling):
            raise SubjectError(f"pooling={pooling!r}: choose one of {get_args(Pooling)}.")
        super().__init__(contexts, name=name, about=about)
        if not getattr(tokenizer, "is_fast", False):
            raise SubjectError(
                "The tokenizer does not give the positions of its tokens in a text. Use a fast"
                " tokenizer (AutoTokenizer returns one if it exists)."
            )
        if getattr(model.config, "is_encoder_decoder", False):
            model = model.get_encoder()  # the other half answers, and has no vectors of the text
        self.model = model.eval() if device is None else model.to(device).eval()
        self.tokenizer = tokenizer
        self.pooling: Pooling = pooling
        self.layer = layer
        self.files = files
        layers = int(text_config(model).num_hidden_layers)
        if not -layers - 1 <= layer <= layers:
            raise SubjectError(f"layer={layer}: {name} has layers 0 to {layers}.")

    @property
    def device(self) -> str:
        """Device of the model, such as ``cpu`` or ``cuda:0``."""
        return input_device(self.model)

    @property
    def dim(self) -> int:
        """Number d of dimensions."""
        return width_of(self.model)

    @recorded_method
    def under(
        self,
        contexts: Sequence[str] | None = None,
        *,
        pooling: Pooling | None = None,
        layer: int | None = None,
    ) -> Encoder:
        """Return the same model with other contexts, pooling or layer."""
        return Encoder(
            self.model,
            self.tokenizer,
            contexts=self.contexts if contexts is None else contexts,
            pooling=self.pooling if pooling is None else pooling,
            layer=self.layer if layer is None else layer,
            name=self.name,
            about=self.about,
            files=self.files,
        )

    def _span(self, span: tuple[int, int]) -> tuple[int, int]:
        return span if self.pooling == "term" else (0, 0)

    def _run(self, keys: Sequence[tuple[str, int, int]]) -> NDArray[np.float32]:
        import torch

        texts = [key[0] for key in keys]
        # Padded here: not every tokenizer has a padding token, and padding is masked.
        encoded = self.tokenizer(
            texts, return_offsets_mapping=True, return_special_tokens_mask=True, padding=False
        )
        ids = encoded["input_ids"]
        longest = max(map(len, ids))
        positions = longest_of(self.model) or longest
        # The tokenizer's limit counts if some positions are reserved for other purposes.
        most = min(positions, int(self.tokenizer.model_max_length or positions))
        if longest > most:
            text = texts[max(range(len(ids)), key=lambda i: len(ids[i]))]
            raise QueryError(
                f"{text[:60]!r} has {longest} tokens, and {self.name} reads up to {most}. "
                "Shorten it."
            )
        weights = np.zeros((len(keys), longest), dtype=np.float32)
        for i, (text, start, end) in enumerate(keys):
            selected = self._selected(encoded, i, start, end)
            if not selected.any():
                raise QueryError(f"No token of {text[:60]!r} contributes to its vector.")
            weights[i, : len(selected)] = selected / selected.sum()
        numbers = np.zeros((len(keys), longest), dtype=np.int64)
        mask = np.zeros((len(keys), longest), dtype=np.int64)
        for i, row in enumerate(ids):
            numbers[i, : len(row)], mask[i, : len(row)] = row, 1
        device = self.device
        with self._lock, torch.inference_mode():
            states = self.model(
                input_ids=torch.from_numpy(numbers).to(device),
                attention_mask=torch.from_numpy(mask).to(device),
                output_hidden_states=True,
            ).hidden_states[self.layer]
            pooled = torch.einsum(
                "ntd,nt->nd", states.float(), torch.from_numpy(weights).to(states.device)
            )
        return cast("NDArray[np.float32]", pooled.cpu().numpy())

    def _selected(self, encoded: Any, i: int, start: int, end: int) -> NDArray[np.bool_]:
        """Return which tokens of text ``i`` are pooled into its vector."""
        special = np.array(encoded["special_tokens_mask"][i], dtype=bool)
        selected = np.zeros(len(special), dtype=bool)
        if self.pooling == "cls":
            selected[:1] = True
        elif self.pooling == "last":
            # A causal model's end: its own end token if it adds one.
            selected[-1:] = True
        elif self.pooling == "mean":
            selected = ~special
        else:
            offsets = np.array(encoded["offset_mapping"][i]).reshape(-1, 2)
            selected = ~special & (offsets[:, 0] < end) & (offsets[:, 1] > start)
        return selected

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the weights, the tokenizer, contexts, pooling and layer, hexadecimal."""
        digest = hashlib.sha256()
        hash_model(digest, self.model, self.files)
        digest.update(self.tokenizer.backend_tokenizer.to_str().encode("utf-8", "surrogatepass"))
        digest.update(repr((self.contexts, self.pooling, self.layer)).encode())
        return digest.hexdigest()
