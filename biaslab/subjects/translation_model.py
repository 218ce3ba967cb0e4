"""Translation models in Hugging Face's format: Marian, NLLB, M2M100, mBART."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from biaslab.errors import SubjectError
from biaslab.subjects.pretrained.facts import hash_tokenizer
from biaslab.subjects.pretrained.files import LoadedModel, ModelFiles, hash_model
from biaslab.subjects.pretrained.options import input_device

_NAMED_PAIR = re.compile(r"(?:^|[-_/])([a-z]{2,3})-([a-z]{2,3})$")
_LONGEST = 256
"""Largest number of tokens in an answer, unless the model sets a lower limit."""
# How models of many languages write a language: NLLB's eng_Latn, mBART's en_XX, M2M100's __en__.
_LANGUAGE_TOKEN = re.compile(r"([a-z]{3})_[A-Z][a-z]{3}|([a-z]{2,3})_[A-Z]{2}|__([a-z]{2,3})__")
_TARGET_PREFIX = re.compile(r">>([a-z]{2,3})(?:_[A-Za-z]+)?<<")


class TranslationModel(LoadedModel):
    """A model that translates texts, with its own search for the best translation.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        A sequence-to-sequence model. It is put into evaluation mode.
    tokenizer : transformers.PreTrainedTokenizerBase
        The model's own.
    pair : (str, str), optional
        Source and target language of a model of one pair; by default as its tokenizer, or its name,
        says.
    device : str, optional
        Device of the model; by default its present one.
    name, about : str
        Shown to the person.
    files : ModelFiles, optional
        The files that the model was opened from, by which large weights are identified.

    Attributes
    ----------
    languages : mapping of (str, str) to str
        Pairs, as ISO codes of two or three letters, to the model's own target code; for models
        of many languages the mapping holds each pair of two of them.

    Raises
    ------
    SubjectError
        If it is no such model, or its languages are unknown.
    """

    kind = "translation"

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        pair: tuple[str, str] | None = None,
        device: str | None = None,
        name: str = "translation",
        about: str = "",
        files: ModelFiles | None = None,
    ) -> None:
        if not getattr(model.config, "is_encoder_decoder", False):
            raise SubjectError(f"{name} is not a translation model: it has no encoder and decoder.")
        self.model = (model if device is None else model.to(device)).eval()
        self.tokenizer = tokenizer
        self.files = files
        self.name = name
        self.about = about or f"translation model {type(model).__name__}"
        self._lock = threading.Lock()
        self._tokens = _language_tokens(tokenizer)
        self._prefixes = _target_prefixes(tokenizer)
        self._source = ""
        if self._tokens:
            self.languages = {(a, b): b for a in self._tokens for b in self._tokens if a != b}
            return
        languages = pair or _pair_of(tokenizer, name)
        if languages is None:
            raise SubjectError(
                f"{name} does not say which languages it translates: give them as pair=('en',"
                " 'es')."
            )
        targets = list(self._prefixes) or [languages[1]]
        self.languages = {(languages[0], target): target for target in targets}

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of weights and tokenizer, hexadecimal."""
        settings = self.model.generation_config.to_json_string()
        digest = hashlib.sha256(f"{type(self.model).__name__}|{settings}".encode())
        hash_model(digest, self.model, self.files)
        with self._lock:
            if self._tokens:  # it remembers the last source language, which is no part of it
                self.tokenizer.src_lang = min(self._tokens.values())
            hash_tokenizer(digest, self.tokenizer)
        return digest.hexdigest()

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Translate texts; the same texts always give the same translations.

        Parameters
        ----------
        texts : sequence of str
            Translated together, filled up to the longest.
        source, target : str
            A pair of `languages`.

        Raises
        ------
        SubjectError
            If the model does not have this pair, or a text is longer than it reads.
        """
        import torch

        if (source, target) not in self.languages:
            raise SubjectError(f"{self.name} does not translate from {source} to {target}.")
        if not texts:
            return []
        prefix = self._prefixes.get(target, "")
        device = input_device(self.model)
        with self._lock, torch.inference_mode():
            if self._tokens:
                self.tokenizer.src_lang = self._tokens[source]
            read = self.tokenizer(
                [f"{prefix} {text}" if prefix else text for text in texts],
                return_tensors="pt", padding=True,
            )  # fmt: skip
            self._refuse_long(texts, read["attention_mask"])
            options: dict[str, Any] = {}
            if self._tokens:
                first = self.tokenizer.convert_tokens_to_ids(self._tokens[target])
                options["forced_bos_token_id"] = first
            out = self.model.generate(
                **{key: value.to(device) for key, value in read.items()},
                do_sample=False, max_new_tokens=self._longest_answer, max_length=None, **options,
            )  # fmt: skip
            translations: list[str] = self.tokenizer.batch_decode(out, skip_special_tokens=True)
        return [text.strip() for text in translations]

    @property
    def _longest(self) -> int | None:
        """Number of positions of the model; None if it is not stated."""
        positions: int | None = getattr(self.model.config, "max_position_embeddings", None)
        return positions

    @property
    def _longest_answer(self) -> int:
        # One place is that of the token with which an answer begins.
        return _LONGEST if self._longest is None else min(_LONGEST, self._longest - 1)

    def _refuse_long(self, texts: Sequence[str], shown: Any) -> None:
        longest = self._longest
        for text, length in zip(texts, shown.sum(dim=1).tolist(), strict=True):
            if longest is not None and length > longest:
                raise SubjectError(
                    f"{text[:40]!r}… has {length} tokens: {self.name} reads {longest}. Shorten it."
                )

    def __repr__(self) -> str:
        """One line: name, and how many pairs."""
        return f"<TranslationModel {self.name!r}: {len(self.languages)} pairs>"


def _language_tokens(tokenizer: Any) -> dict[str, str]:
    """Map each language of a multilingual model to its target token."""
    if not hasattr(tokenizer, "src_lang"):
        return {}
    tokens: dict[str, str] = {}
    for token in map(str, tokenizer.get_added_vocab()):
        match = _LANGUAGE_TOKEN.fullmatch(token)
        if match:
            tokens.setdefault(next(filter(None, match.groups())), token)
    return tokens


def _target_prefixes(tokenizer: Any) -> dict[str, str]:
    """Map target language to its text prefix, for Marian models of several targets."""
    prefixes: dict[str, str] = {}
    for code in getattr(tokenizer, "supported_language_codes", None) or ():
        match = _TARGET_PREFIX.fullmatch(str(code))
        if match:
            prefixes.setdefault(match[1], str(code))
    return prefixes


def _pair_of(tokenizer: Any, name: str) -> tuple[str, str] | None:
    source, target = (getattr(tokenizer, f"{side}_lang", None) for side in ("source", "target"))
    if source and target:
        return str(source), str(target)
    match = _NAMED_PAIR.search(name)
    return (match[1], match[2]) if match else None
