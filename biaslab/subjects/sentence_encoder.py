"""Sentence encoders in the format of sentence-transformers, with a pooling of their own."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from biaslab.calls import recorded_method
from biaslab.errors import QueryError, SubjectError
from biaslab.subjects.contextual_encoder import ContextualEncoder
from biaslab.subjects.model_facts import ModelFacts, facts_of
from biaslab.subjects.torch_model import hash_tokenizer
from biaslab.subjects.weight_identity import WeightFiles, hash_model, identified_by


class SentenceEncoder(ContextualEncoder):
    """A model of sentence-transformers, under C contexts.

    The vector of a text is what the model's own pooling and later modules make of it.

    Parameters
    ----------
    model : sentence_transformers.SentenceTransformer
        It is put into evaluation mode.
    contexts : sequence of str
        Texts with ``{}`` where the term goes; ``{}`` alone is the term and nothing else.
    name, about
        As of `biaslab.subjects.embedding.WordEmbedding`.
    files : WeightFiles, optional
        The files of all its modules' weights, by which large ones are identified.

    Raises
    ------
    SubjectError
        When a context does not have exactly one ``{}``, or the model reads no texts.
    """

    pooling = "own"

    def __init__(
        self,
        model: Any,
        *,
        contexts: Sequence[str] = ("{}",),
        name: str = "sentence encoder",
        about: str = "",
        files: WeightFiles | None = None,
    ) -> None:
        super().__init__(contexts, name=name, about=about)
        self.model = model.eval()
        self.files = files
        self.tokenizer = _tokenizer(model, name)

    @property
    def device(self) -> str:
        """Device of the model, such as ``cpu`` or ``cuda:0``."""
        return str(self.model.device)

    @property
    def dim(self) -> int:
        """Number d of dimensions."""
        return int(self.model.get_embedding_dimension())

    @recorded_method
    def under(self, contexts: Sequence[str] | None = None) -> Self:
        """Return the same model with other contexts."""
        chosen = self.contexts if contexts is None else contexts
        return type(self)(
            self.model, contexts=chosen, name=self.name, about=self.about, files=self.files
        )

    def _run(self, keys: Sequence[tuple[str, int, int]]) -> NDArray[np.float32]:
        texts = [key[0] for key in keys]
        self._refuse_what_would_be_cut(texts)
        with self._lock:
            vectors = self.model.encode(texts, batch_size=len(texts), show_progress_bar=False)
        return cast("NDArray[np.float32]", np.asarray(vectors, dtype=np.float32))

    def _refuse_what_would_be_cut(self, texts: Sequence[str]) -> None:
        """Raise an error for a text that the model would cut without a word."""
        longest = self.model.max_seq_length
        if longest is None:
            return
        prompt = self.model.prompts.get(self.model.default_prompt_name, "")
        lengths = [len(ids) for ids in self.tokenizer([prompt + t for t in texts])["input_ids"]]
        if (most := max(lengths)) > longest:
            text = texts[lengths.index(most)]
            raise QueryError(
                f"{text[:60]!r} has {most} tokens, and {self.name} reads up to {longest}. Shorten"
                " it."
            )

    @cached_property
    def model_facts(self) -> ModelFacts:
        """Size, memory, device, precision and version of what is loaded."""
        return facts_of(self.model, identity=identified_by(self.model, self.files))

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the weights, the modules, the tokenizer and the contexts, hexadecimal."""
        digest = hashlib.sha256(repr(self.model).encode())
        hash_model(digest, self.model, self.files)
        hash_tokenizer(digest, self.tokenizer)
        prompts = sorted(self.model.prompts.items()), self.model.default_prompt_name
        digest.update(repr((prompts, self.contexts)).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()


def _tokenizer(model: Any, name: str) -> Any:
    """Return a tokenizer that can be called, whatever kind the model holds."""
    tokenizer = getattr(model, "tokenizer", None)
    if callable(tokenizer):
        return tokenizer
    if hasattr(tokenizer, "to_str"):
        from transformers import PreTrainedTokenizerFast

        wrap: Any = PreTrainedTokenizerFast
        return wrap(tokenizer_object=tokenizer)
    raise SubjectError(f"{name} reads no texts: its first module has no tokenizer.")
