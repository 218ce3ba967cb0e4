"""Encoders: language models that embed a word in its context, or a sentence."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from biaslab.calls import recorded_method
from biaslab.errors import QueryError, SubjectError, UnknownTermError
from biaslab.subjects.base import EmbeddingSubject, Resolution, Unknown
from biaslab.subjects.neighbours import Neighbour

Pooling = Literal["term", "mean", "cls", "last"]
Spans = Sequence[tuple[int, int]]
_REMEMBERED = 65_536
"""Size of the cache of vectors, 200 MB at 768 dimensions; least recently used ones go first."""
_BATCH = 64


class Encoder(EmbeddingSubject):
    """An encoder under C contexts: each context is an observer, like a replicate.

    Wherever a probe needs vectors of terms it can be given an encoder: ``vectors(terms)`` has one
    vector per context and term.

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
        As of `biaslab.subjects.embedding.WordEmbedding`.

    Raises
    ------
    SubjectError
        When a context does not have exactly one ``{}``, or the tokenizer gives no positions
        of its tokens.
    """

    kind = "encoder"

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
    ) -> None:
        # No vocabulary and no matrix: parts of the base that need them do not apply.
        if pooling not in get_args(Pooling):
            raise SubjectError(f"pooling={pooling!r}: choose one of {get_args(Pooling)}.")
        if isinstance(contexts, str) or not contexts:
            raise SubjectError("contexts must be a list of texts with {} in place of the term.")
        for context in contexts:
            if context.count("{}") != 1:
                raise SubjectError(f"The context {context!r} needs one {{}} in place of the term.")
        if not getattr(tokenizer, "is_fast", False):
            raise SubjectError(
                "The tokenizer does not give the positions of its tokens in a text. Use a fast"
                " tokenizer (AutoTokenizer returns one if it exists)."
            )
        if getattr(model.config, "is_encoder_decoder", False):
            model = model.get_encoder()  # the other half answers, and has no vectors of the text
        self.model = model.eval() if device is None else model.to(device).eval()
        self.tokenizer = tokenizer
        self.contexts = tuple(contexts)
        self.pooling = pooling
        self.layer = layer
        self.name = name
        self.about = about
        self.notes = ()
        self.case = "exact"
        self.words = ()
        layers = int(model.config.num_hidden_layers)
        if not -layers - 1 <= layer <= layers:
            raise SubjectError(f"layer={layer}: {name} has layers 0 to {layers}.")
        self._memory: OrderedDict[tuple[str, int, int], NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def device(self) -> str:
        """Device of the model, such as ``cpu`` or ``cuda:0``."""
        return str(self.model.device)

    @property
    def n_replicates(self) -> int:
        """Number C of contexts."""
        return len(self.contexts)

    @property
    def dim(self) -> int:
        """Number d of dimensions."""
        return int(self.model.config.hidden_size)

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """Type in which vectors are returned."""
        return np.dtype(np.float32)

    def __len__(self) -> int:
        """Number of the tokenizer's tokens; they can spell any word."""
        return len(self.tokenizer)

    def __repr__(self) -> str:
        """One line: name, sizes and where it runs."""
        contexts = f"{len(self.contexts)} context{'s' if len(self.contexts) > 1 else ''}"
        return f"<Encoder {self.name!r}: {self.dim} dimensions, {contexts}, on {self.device}>"

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
        )

    @recorded_method
    def replicate(self, b: int) -> Encoder:
        """Return the encoder under context ``b`` (from 0) alone."""
        if not 0 <= b < len(self.contexts):
            raise SubjectError(f"{self.name} has contexts 0 to {len(self.contexts) - 1}, not {b}.")
        return self.under([self.contexts[b]])

    def resolve(
        self,
        terms: Sequence[str],
        *,
        suggest: bool = True,  # noqa: ARG002  # there is no vocabulary to suggest from
    ) -> Resolution:
        """Sort terms: empty and unreadable ones are unknown."""
        if isinstance(terms, str):
            raise TypeError(f"Pass a list of terms: [{terms!r}], not {terms!r}.")
        known: dict[str, tuple[str, ...]] = {}
        unknown: dict[str, Unknown] = {}
        duplicates: list[str] = []
        for term in terms:
            if term in known or term in unknown:
                duplicates.append(term)
                continue
            ids = self.tokenizer(term, add_special_tokens=False)["input_ids"]
            if not term.strip() or not ids:
                unknown[term] = Unknown(term, "empty")
            elif set(ids) <= {self.tokenizer.unk_token_id}:
                unknown[term] = Unknown(term, "made of characters that the tokenizer does not know")
            else:
                known[term] = tuple(self.tokenizer.convert_ids_to_tokens(ids))
        return Resolution(tuple(known), tuple(unknown.values()), tuple(duplicates), known)

    def suggest(self, term: str, limit: int = 5) -> list[str]:  # noqa: ARG002
        """Return nothing: any word can be encoded."""
        return []

    def nearest(self, term: str, n: int = 10) -> list[Neighbour]:  # noqa: ARG002
        """Raise an error: an encoder computes vectors and has no vocabulary to search.

        Raises
        ------
        SubjectError
            Always.
        """
        raise SubjectError(
            f"{self.name!r} is an encoder: it has no vocabulary to search for the words nearest to"
            f" {term!r}. Compare the term with words of your choice: vectors([...])."
        )

    def vectors(self, terms: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors of terms in every context, float32 of shape (C, n, d).

        Raises
        ------
        UnknownTermError
            Names the terms that cannot be encoded.
        """
        if unknown := self.resolve(terms).unknown:
            listed = "; ".join(f"{u.term!r}: {u.reason}" for u in unknown[:5])
            raise UnknownTermError(
                f"{self.name} cannot encode {listed}. Correct these terms or leave them out.",
                unknown,
            )
        texts: list[str] = []
        spans: list[tuple[int, int]] = []
        for context in self.contexts:
            start = context.index("{}")
            texts += [context.replace("{}", term) for term in terms]
            spans += [(start, start + len(term)) for term in terms]
        vectors = self.encode(texts, spans)
        return vectors.reshape(len(self.contexts), len(terms), self.dim)

    def project(self, terms: Sequence[str], onto: NDArray[np.floating]) -> NDArray[np.float32]:
        """Return dot products of the terms' unit vectors with given vectors, (C', n, K)."""
        vectors = self.vectors(terms)[: len(onto)]
        units = vectors / np.linalg.norm(vectors, axis=2, keepdims=True)
        return np.asarray(units @ onto, dtype=np.float32)

    def sentences(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors of whole texts, (n, d); pooled over all tokens."""
        return self.encode(texts, [(0, len(text)) for text in texts])

    def encode(self, texts: Sequence[str], spans: Spans) -> NDArray[np.float32]:
        """Return vectors of n texts, or of a part of each, float32 of shape (n, d).

        Parameters
        ----------
        texts : sequence of str
        spans : sequence of (int, int)
            Position of the term in each text: its first character and the one after its last.
            Only the pooling "term" uses it.

        Raises
        ------
        QueryError
            When a text is longer than the model reads, or a span contains no token.
        """
        keys = [(text, *self._span(span)) for text, span in zip(texts, spans, strict=True)]
        with self._lock:
            cached = {key: self._memory[key] for key in keys if key in self._memory}
        missing = [key for key in dict.fromkeys(keys) if key not in cached]
        # Texts of like length share a batch, so that little of it is padding.
        missing.sort(key=lambda key: len(key[0]))
        for begin in range(0, len(missing), _BATCH):
            part = missing[begin : begin + _BATCH]
            cached.update(zip(part, self._run(part), strict=True))
        with self._lock:
            for key in cached:
                self._memory[key] = cached[key]
                self._memory.move_to_end(key)
            while len(self._memory) > _REMEMBERED:
                self._memory.popitem(last=False)
        out = np.empty((len(keys), self.dim), dtype=np.float32)
        for i, key in enumerate(keys):
            out[i] = cached[key]
        return out

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
        positions = int(getattr(self.model.config, "max_position_embeddings", longest) or longest)
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
        device = self.model.device
        with self._lock, torch.inference_mode():
            states = self.model(
                input_ids=torch.from_numpy(numbers).to(device),
                attention_mask=torch.from_numpy(mask).to(device),
                output_hidden_states=True,
            ).hidden_states[self.layer]
            pooled = torch.einsum(
                "ntd,nt->nd", states.float(), torch.from_numpy(weights).to(device)
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
        for name, tensor in sorted(self.model.state_dict().items()):
            values = tensor.detach().cpu().contiguous()
            digest.update(f"|{name} {values.dtype} {tuple(values.shape)}|".encode())
            digest.update(values.flatten().view(_bytes()).numpy().tobytes())
        digest.update(self.tokenizer.backend_tokenizer.to_str().encode("utf-8", "surrogatepass"))
        digest.update(repr((self.contexts, self.pooling, self.layer)).encode())
        return digest.hexdigest()


def _bytes() -> Any:
    import torch

    return torch.uint8
