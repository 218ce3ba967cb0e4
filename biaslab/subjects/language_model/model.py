"""Masked and causal language models: subjects that say how probable a text is."""

from __future__ import annotations

import copy
import hashlib
import importlib.util
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import MissingExtraError, QueryError, SubjectError
from biaslab.records.calls import recorded_method
from biaslab.subjects.language_model.acceleration import last_attention, last_parts
from biaslab.subjects.language_model.reading import TOKENS_AT_ONCE, Look, logits_at, stream
from biaslab.subjects.language_model.tokens import (
    ChatTemplate,
    TokenizedText,
    beginning_token,
    chat_template_of,
    place_in_chat,
    tokenize,
)
from biaslab.subjects.pretrained.facts import (
    ModelFacts,
    bytes_per_pair,
    bytes_per_token,
    facts_of,
    hash_tokenizer,
    longest_of,
)
from biaslab.subjects.pretrained.files import PlacedModel, WeightFiles, hash_model, identified_by
from biaslab.subjects.pretrained.memory import (
    batch_memory_mb,
    is_out_of_memory,
    refuses_without_memory,
)

LanguageModelKind = Literal["mlm", "clm"]
KIND_NAMES: Final[dict[str, str]] = {"mlm": "masked language model", "clm": "causal language model"}
#: Change of a logit, relative to the largest, below which a model is taken to answer the same.
_SAME = {"float64": 1e-9, "float32": 1e-5, "float16": 1e-2, "bfloat16": 1e-2}
#: Size of the cache of tokenized texts.
_REMEMBERED = 10_000


class LanguageModel(PlacedModel):
    """A masked or a causal language model, and its tokenizer.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        With its head. It is put into evaluation mode, and may be shared.
    tokenizer : transformers.PreTrainedTokenizerBase
        The model's own.
    kind : {"mlm", "clm"}
        Masked: it guesses hidden tokens. Causal: it guesses the next one.
    device : str, optional
        Device to move the model to; by default it stays where it is, as a quantised or split
        model must.
    name : str
        Name shown to the person.
    about : str
        One-line description of the model.
    notes : iterable of str
        Remarks for the user.
    template : {"auto", "plain", "chat", "chat without system prompt"}
        How a causal model is shown a text: see `biaslab.subjects.language_model.tokens`.
    files : WeightFiles, optional
        The files that the model was opened from, by which large weights are identified.

    Raises
    ------
    MissingExtraError
        When torch is not installed.
    SubjectError
        When the model is not of this kind: without a mask token, or looking ahead; when it is an
        encoder with a decoder, or has no head.

    Attributes
    ----------
    lock : threading.RLock
        Held while the model or its tokenizer runs.
    begin : int or None
        Of a causal model: the token before a text, so that its first token has a probability.
    template : str
        How it is shown a text: "plain", "chat" or "chat without system prompt".
    chat : ChatTemplate or None
        The chat that a text answers.
    instruction : str
        Stands before each text and each question; empty unless the model was treated by a prompt.
    """

    instruction: str = ""

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        kind: LanguageModelKind,
        device: str | None = None,
        name: str = "language model",
        about: str = "",
        notes: Iterable[str] = (),
        template: str = "auto",
        files: WeightFiles | None = None,
    ) -> None:
        if importlib.util.find_spec("torch") is None:
            raise MissingExtraError("A language model needs torch: pip install 'biaslab[lm]'.")
        if kind not in get_args(LanguageModelKind):
            raise SubjectError(f"kind={kind!r}: choose 'mlm' (masked) or 'clm' (causal).")
        self.kind: LanguageModelKind = kind
        self.name = name
        self.files = files
        if getattr(model.config, "is_encoder_decoder", False):
            raise SubjectError(
                f"{name} is an encoder with a decoder, which gives no probability of a text on its"
                " own. Choose a masked or a causal model, such as BERT or GPT-2."
            )
        if _head_of(model) is None:
            raise SubjectError(
                f"{name} ({type(model).__name__}) has no head that predicts tokens. Open it with"
                f" AutoModelFor{'MaskedLM' if kind == 'mlm' else 'CausalLM'}."
            )
        if kind == "mlm" and tokenizer.mask_token_id is None:
            raise SubjectError(
                f"{name} has no mask token, so it cannot predict hidden words. If it is a"
                " causal model, open it with kind='clm'."
            )
        self.model = model.eval() if device is None else model.to(device).eval()
        self.tokenizer = tokenizer
        self.about = about or f"{KIND_NAMES[kind]} {type(model).__name__}, {self.size}"
        self.lock = threading.RLock()
        self.begin = self._begin()
        self.chat = self._chat(template)
        self.template = "plain" if self.chat is None else self.chat.name
        self._given_notes = tuple(notes)
        self.notes = (*self._given_notes, *self._own_notes())
        self._tokenized: dict[str, TokenizedText | QueryError] = {}
        if kind == "clm":
            self._refuse_what_looks_ahead()

    @classmethod
    def of(
        cls, model: Any, tokenizer: Any, *, kind: LanguageModelKind, **options: Any
    ) -> LanguageModel:
        """Return a language model from an open model and its tokenizer.

        Parameters
        ----------
        model, tokenizer, kind
            As of the class.
        **options
            ``device``, ``name``, ``about``, ``notes`` and ``template``.
        """
        options.setdefault("name", type(model).__name__)
        return cls(model, tokenizer, kind=kind, **options)

    @recorded_method
    def with_template(self, template: str) -> LanguageModel:
        """Return the same open model that is shown texts in another way.

        Parameters
        ----------
        template : {"auto", "plain", "chat", "chat without system prompt"}

        Raises
        ------
        SubjectError
            When the model is masked, or has no chat template.
        """
        other = copy.copy(self)
        other.chat = self._chat(template)
        other.template = "plain" if other.chat is None else other.chat.name
        other.name = f"{self.name} ({other.template})"
        other.notes = (*self._given_notes, *other._own_notes())
        other._tokenized = {}
        return other

    def __repr__(self) -> str:
        """One line: name, kind, size and where it runs."""
        return f"<LanguageModel {self.name!r}: {KIND_NAMES[self.kind]}, {self.size}>"

    @property
    def vocabulary(self) -> int:
        """Number of tokens of the head."""
        head = _head_of(self.model)
        # The rows of quantised weights are packed: the layer knows their number.
        size = getattr(head, "out_features", None) or head.weight.shape[0]
        return int(size)

    @property
    def padding(self) -> int:
        """Token that pads a batch; its positions are ignored."""
        pad = self.tokenizer.pad_token_id
        return 0 if pad is None else int(pad)

    @cached_property
    def longest(self) -> int | None:
        """Longest text in tokens, special ones included; None if unlimited."""
        limits = [longest_of(self.model)]
        embeddings = getattr(self.model.base_model, "embeddings", None)
        positions: Any = getattr(embeddings, "position_embeddings", None)
        # RoBERTa counts positions from the one after that of padding.
        if getattr(positions, "padding_idx", None) is not None:
            limits.append(positions.num_embeddings - positions.padding_idx - 1)
        # A tokenizer without its own limit reports a huge number.
        limits.append(self.tokenizer.model_max_length)
        finite = [int(limit) for limit in limits if limit and 0 < limit < 1e9]
        return min(finite) if finite else None

    @cached_property
    def takes_out_early(self) -> bool:
        """Whether positions can be selected within the last layer with equal results."""
        import torch

        if last_attention(self.model) is None and not last_parts(self.model):
            return False
        size = min(int(self.model.get_input_embeddings().weight.shape[0]), self.vocabulary)
        ids = (torch.arange(8, device=self.device).reshape(2, 4) + 5) % size
        rows = torch.tensor([0, 1, 1], device=self.device)
        columns = torch.tensor([1, 3, 0], device=self.device)
        with self.lock, torch.inference_mode(), self._within_memory():
            try:
                logits = logits_at(self.model, ids, None, rows, columns, early=True).float()
            except (RuntimeError, ValueError, TypeError, AttributeError, IndexError) as error:
                if is_out_of_memory(error):
                    raise
                return False
            plain = logits_at(self.model, ids, None, rows, columns).float()
        return logits.shape == plain.shape and bool(
            (logits - plain).abs().max() <= self.noise * max(1.0, float(plain.abs().max()))
        )

    @cached_property
    def takes_mixtures(self) -> bool:
        """Whether input embeddings can replace tokens with equal results."""
        import torch

        size = min(int(self.model.get_input_embeddings().weight.shape[0]), self.vocabulary)
        ids = (torch.arange(8, device=self.device).reshape(2, 4) + 5) % size
        # Of different lengths, as in a batch.
        shown = torch.ones_like(ids)
        shown[0, 3] = 0
        rows = torch.tensor([0, 1, 1], device=self.device)
        columns = torch.tensor([1, 3, 0], device=self.device)
        with self.lock, torch.inference_mode(), self._within_memory():
            plain = logits_at(self.model, ids, shown, rows, columns).float()
            try:
                embedded = self.model.get_input_embeddings()(ids)
                logits = logits_at(
                    self.model, None, shown, rows, columns, inputs_embeds=embedded
                ).float()
            except (RuntimeError, ValueError, TypeError, AttributeError, IndexError) as error:
                if is_out_of_memory(error):
                    raise
                return False
        return logits.shape == plain.shape and bool(
            (logits - plain).abs().max() <= self.noise * max(1.0, float(plain.abs().max()))
        )

    def _within_memory(self) -> AbstractContextManager[None]:
        return refuses_without_memory(self.device, self.name, "one text")

    @property
    def tokens_at_once(self) -> int:
        """Tokens that go through the model at once if memory allows."""
        return TOKENS_AT_ONCE["cpu" if self.device == "cpu" else "cuda"]

    @property
    def bytes_per_token(self) -> int:
        """Bytes of hidden states for each token at the model's largest layer, from above."""
        return bytes_per_token(self.model)

    @property
    def bytes_per_pair(self) -> int:
        """Bytes of attention for each pair of a text's tokens, from above."""
        return bytes_per_pair(self.model)

    @cached_property
    def model_facts(self) -> ModelFacts:
        """Size, memory, devices, precision and version of what is loaded."""
        return facts_of(
            self.model, identity=identified_by(self.model, self.files), template=self.template
        )

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of weights and tokenizer, hexadecimal.

        Weights above 256 MB count by the SHA-256 of their files, the type and the quantisation.
        """
        digest = hashlib.sha256(f"{type(self.model).__name__}|{self.kind}|{self.begin}".encode())
        hash_model(digest, self.model, self.files)
        hash_tokenizer(digest, self.tokenizer)
        return digest.hexdigest()

    def tokenize(self, text: str) -> TokenizedText:
        """Tokenize a text as the model reads it, special tokens included.

        Of a causal model a token for the beginning comes first, which its own tokenizer may not
        add, and nothing after the text.

        Raises
        ------
        QueryError
            When the text is empty, damaged, or longer than the model reads; names the remedy.
        """
        tokens = self._tokenized.get(text)
        if tokens is None:
            try:
                tokens = self._as_read(text)
            except QueryError as error:
                tokens = error
            if len(self._tokenized) >= _REMEMBERED:
                self._tokenized.clear()
            self._tokenized[text] = tokens
        if isinstance(tokens, QueryError):
            raise QueryError(str(tokens))
        return tokens

    def read(self, looks: Sequence[Look], **options: Any) -> list[NDArray[np.float64]]:
        """Log probabilities of chosen tokens at chosen places, one array per look.

        The options are those of `stream`.
        """
        values = [np.empty(len(look.positions)) for look in looks]
        for number, read in self.stream(looks, **options):
            values[number] = read
        return values

    def stream(
        self,
        looks: Sequence[Look],
        *,
        memory_mb: float | None = None,
        raw: bool = False,
        groups: Sequence[int] | None = None,
        between: Callable[[], None] | None = None,
        advance: Callable[[int], None] | None = None,
    ) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield the number of each look and its log probabilities, as they are read.

        See `biaslab.subjects.language_model.reading.stream`; ``memory_mb`` is by default what
        `biaslab.subjects.pretrained.memory.batch_memory_mb` measures on the model's device.

        Raises
        ------
        DeviceMemoryError
            When memory does not suffice for one text alone.
        """
        if memory_mb is None:
            memory_mb = batch_memory_mb(self.device)
        if memory_mb <= 0:
            raise SubjectError(f"memory_mb={memory_mb}: give a number of megabytes above 0.")
        return stream(
            self, looks, memory_mb=memory_mb, raw=raw, groups=groups, between=between,
            advance=advance,
        )  # fmt: skip

    def _as_read(self, text: str) -> TokenizedText:
        with self.lock:
            tokens = tokenize(self.tokenizer, text)
        if self.kind == "clm":
            last = int(tokens.own[-1]) + 1
            tokens = tokens.up_to(last)
            if self.chat is not None:
                tokens = place_in_chat(tokens, self.chat)
            elif self.begin is not None and not tokens.special[0]:
                written = self.tokenizer.convert_ids_to_tokens(self.begin)
                tokens = tokens.begun_by(self.begin, written)
        tokens = self._introduced(tokens)
        if self.longest is not None and len(tokens.ids) > self.longest:
            raise QueryError(
                f"The sentence has {len(tokens.ids):,} tokens, and {self.name} reads at most"
                f" {self.longest:,}. Shorten it."
            )
        if int(tokens.ids.max()) >= int(self.model.get_input_embeddings().weight.shape[0]):
            odd = tokens.tokens[int(tokens.ids.argmax())]
            raise QueryError(
                f"The token {odd!r} is not in the model: the tokenizer belongs to another model."
                " Open both from the same source."
            )
        return tokens

    def _introduced(self, tokens: TokenizedText) -> TokenizedText:
        """Return a text with what stands before each, as an instruction."""
        return tokens

    @property
    def noise(self) -> float:
        """Change of a logit, relative to the largest, that is rounding."""
        return _SAME.get(self.dtype, 1e-2)

    def _begin(self) -> int | None:
        if self.kind == "mlm":
            return None
        return beginning_token(self.tokenizer)

    def _chat(self, template: str) -> ChatTemplate | None:
        if self.kind == "clm":
            with self.lock:
                return chat_template_of(template, self.tokenizer, self.model)
        if template not in ("auto", "plain"):
            raise SubjectError(
                f"template={template!r}: {self.name} is a masked language model, which has no chat."
            )
        return None

    def _own_notes(self) -> tuple[str, ...]:
        notes = []
        if self.chat is not None:
            notes.append(self.chat.note)
        elif self.kind == "clm" and self.begin is None:
            notes.append(
                "The tokenizer has no token for the beginning of a text, so the first token of a"
                " sentence has no probability and does not count."
            )
        if self.dtype in ("float16", "bfloat16"):
            notes.append(
                f"It computes in {self.dtype}: log probabilities are rough to about 0.01 per token."
            )
        return tuple(notes)

    def _refuse_what_looks_ahead(self) -> None:
        """Raise an error if a causal model's answers depend on later tokens."""
        import torch

        size = min(int(self.model.get_input_embeddings().weight.shape[0]), self.vocabulary)
        ids = torch.tensor([[1 % size, 2 % size, 3 % size], [1 % size, 2 % size, 4 % size]])
        rows, columns = torch.tensor([0, 1]), torch.tensor([1, 1])
        device = self.device
        with self.lock, torch.inference_mode(), self._within_memory():
            first, second = logits_at(
                self.model, ids.to(device), None, rows.to(device), columns.to(device)
            ).float()
        same = self.noise * max(1.0, float(first.abs().max()))
        if float((first - second).abs().max()) > same:
            raise SubjectError(
                f"{self.name} looks ahead: its prediction changes with the text that follows. It"
                " is not a causal model; open it with kind='mlm'."
            )


def _head_of(model: Any) -> Any:
    """Return the layer that predicts tokens; None where there is none."""
    head = model.get_output_embeddings()
    # Models of images and text keep it with their text part.
    return getattr(model, "lm_head", None) if head is None else head
