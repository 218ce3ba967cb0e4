"""A text as the tokens that a language model reads, alone or as the answer of a chat."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError, SubjectError
from biaslab.records.record import Record
from biaslab.subjects.pretrained.apart import render_chat

#: Markers of tokenizers before or after a piece of a word.
_BEGINS = ("\u0120", "\u2581")
_BEFORE = ("##", *_BEGINS)
_AFTER = ("</w>", "@@")
#: Characters to search ahead for a word during alignment.
_AHEAD = 12


@dataclass(frozen=True, eq=False)
class TokenizedText:
    """The n tokens of a text, special ones included.

    Attributes
    ----------
    text : str
        The original text.
    ids : ndarray of int64, shape (n,)
        Numbers of the tokens.
    tokens : tuple of str
        Tokens as the tokenizer writes them.
    spans : ndarray of int64, shape (n, 2)
        First character of each and the one after its last, without surrounding spaces.
    special : ndarray of bool, shape (n,)
        Whether the tokenizer added it.
    words : ndarray of int64, shape (n,)
        Number of the word that a token is a piece of; -1 of special tokens.
    unknown : ndarray of bool, shape (n,)
        Whether the token stands for unknown text.
    """

    text: str
    ids: NDArray[np.int64]
    tokens: tuple[str, ...]
    spans: NDArray[np.int64]
    special: NDArray[np.bool_]
    words: NDArray[np.int64]
    unknown: NDArray[np.bool_]

    @property
    def own(self) -> NDArray[np.int64]:
        """Which tokens are the text's own."""
        return np.flatnonzero(~self.special)

    def within(self, start: int, end: int) -> NDArray[np.int64]:
        """Return its own tokens that overlap ``start`` to before ``end``."""
        inside = (self.spans[:, 0] < end) & (self.spans[:, 1] > start)
        return np.flatnonzero(inside & ~self.special)

    def up_to(self, count: int) -> TokenizedText:
        """Return only its first tokens."""
        return self.part(0, count)

    def part(self, start: int, end: int) -> TokenizedText:
        """Return only its tokens from ``start`` to before ``end``."""
        return TokenizedText(
            self.text,
            self.ids[start:end],
            self.tokens[start:end],
            self.spans[start:end],
            self.special[start:end],
            self.words[start:end],
            self.unknown[start:end],
        )

    def begun_by(self, token: int, written: str) -> TokenizedText:
        """Return the same text with a special token before it."""
        return self.after([token], [written])

    def after(self, ids: Sequence[int], written: Sequence[str]) -> TokenizedText:
        """Return the same text with special tokens before it."""
        count = len(ids)
        return TokenizedText(
            self.text,
            np.concatenate([np.asarray(ids, dtype=np.int64), self.ids]),
            (*written, *self.tokens),
            np.concatenate([np.zeros((count, 2), dtype=np.int64), self.spans]),
            np.concatenate([np.ones(count, dtype=bool), self.special]),
            np.concatenate([np.full(count, -1, dtype=np.int64), self.words]),
            np.concatenate([np.zeros(count, dtype=bool), self.unknown]),
        )


def tokenize(tokenizer: Any, text: str) -> TokenizedText:
    """Tokenize a text with a tokenizer of transformers.

    Text that looks like a special token, such as ``<s>`` in HTML, is read as text.

    Parameters
    ----------
    tokenizer : transformers.PreTrainedTokenizerBase
        Fast, or in Python; of the latter, pieces are found in the text one after the other.
    text : str
        One sentence or more.

    Raises
    ------
    QueryError
        When the text is empty, cannot be encoded, or has no token.
    """
    if not text.strip():
        raise QueryError("The sentence is empty. Enter some text.")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        place = error.start
        raise QueryError(
            f"The sentence contains half a character at position {place + 1} ({text[place]!r}),"
            " such as a damaged emoji. Retype it."
        ) from error
    fast = bool(getattr(tokenizer, "is_fast", False))
    options: dict[str, Any] = {"return_offsets_mapping": True} if fast else {}
    encoded = tokenizer(
        text,
        return_special_tokens_mask=True,
        split_special_tokens=True,
        padding=False,
        truncation=False,
        verbose=False,
        **options,
    )
    ids = np.asarray(encoded["input_ids"], dtype=np.int64)
    special = np.asarray(encoded["special_tokens_mask"], dtype=bool)
    if special.all():
        raise QueryError(f"The tokenizer finds no token in {text[:60]!r}. Write it in letters.")
    tokens = tuple(tokenizer.convert_ids_to_tokens(ids.tolist()))
    if fast:
        spans = np.asarray(encoded["offset_mapping"], dtype=np.int64).reshape(-1, 2)
        numbers = [-1 if word is None else word for word in encoded.word_ids()]
        words = np.asarray(numbers, dtype=np.int64)
    else:
        spans = np.zeros((len(ids), 2), dtype=np.int64)
        spans[~special] = align(text, [t for t, s in zip(tokens, special, strict=True) if not s])
        words = number_words(text, spans)
    words[special] = -1
    unknown = (ids == tokenizer.unk_token_id) & ~special
    return TokenizedText(text, ids, tokens, _without_spaces(text, spans), special, words, unknown)


def align(text: str, tokens: Sequence[str]) -> NDArray[np.int64]:
    """Return the spans of pieces in their text, int64 of shape (n, 2).

    Words are looked for in turn, in any case. All pieces of a word that the tokenizer writes
    otherwise (``&apos;s``) get the whole word; a piece that is not found gets the text between
    its neighbours that are.
    """
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters have a longer lower case
        lowered = text
    located: list[tuple[int, int] | None] = [None] * len(tokens)
    at = 0
    for word in _grouped(tokens):
        pieces = [_bare(tokens[i]) for i in word]
        if lowered is not text:
            pieces = [piece.lower() for piece in pieces]
        written = "".join(pieces)
        # As Moses' tokenizer writes signs and dashes.
        plain = html.unescape(written).replace("@-@", "-")
        start = lowered.find(plain, at, at + len(plain) + _AHEAD) if plain else -1
        if start < 0:
            continue
        at = start + len(plain)
        for i, piece in zip(word, pieces, strict=True):
            end = start + len(piece) if plain == written else at
            located[i] = (start, end)
            start = end if plain == written else start
    spans = np.zeros((len(tokens), 2), dtype=np.int64)
    for i, span in enumerate(located):
        if span is None:
            before = max((s[1] for s in located[:i] if s), default=0)
            after = min((s[0] for s in located[i + 1 :] if s), default=len(text))
            span = (before, max(before, after))
        spans[i] = span
    return spans


def _grouped(tokens: Sequence[str]) -> list[list[int]]:
    """Group pieces into words by the tokenizer's markers."""
    by_ends = any(token.endswith("</w>") for token in tokens)
    by_joins = any(token.endswith("@@") for token in tokens)
    by_begins = any(token.startswith(_BEGINS) for token in tokens)
    groups: list[list[int]] = []
    open_ = False
    for i, token in enumerate(tokens):
        if by_ends or by_joins:
            goes_on = open_
            open_ = not token.endswith("</w>") if by_ends else token.endswith("@@")
        else:
            goes_on = token.startswith("##") or (by_begins and not token.startswith(_BEGINS))
        if goes_on and groups:
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups


def _bare(token: str) -> str:
    for mark in _BEFORE:
        token = token.removeprefix(mark)
    for mark in _AFTER:
        token = token.removesuffix(mark)
    return token


def number_words(text: str, spans: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of each token's word, from 0; words stand between spaces."""
    begins = [
        i for i, c in enumerate(text) if not c.isspace() and (i == 0 or text[i - 1].isspace())
    ]
    return np.searchsorted(begins, spans[:, 0], side="right").astype(np.int64) - 1


def _without_spaces(text: str, spans: NDArray[np.int64]) -> NDArray[np.int64]:
    trimmed = spans.copy()
    for i, (start, end) in enumerate(spans.tolist()):
        part = text[start:end]
        if part != part.strip() and part.strip():
            left = len(part) - len(part.lstrip())
            trimmed[i] = start + left, start + left + len(part.strip())
    return trimmed


_SEPARATORS = ("<|endoftext|>", "<|end_of_text|>")
"""Tokens that separate documents in training, by the names that their models give them."""
_TURN_ENDS = frozenset(
    {
        "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<|return|>", "<end_of_turn>",
        "<turn|>", "<|endofturn|>", "<|end_of_turn|>", "<|user|>", "[/INST]",
    }
)  # fmt: skip
"""Tokens that end a turn of a conversation, and never begin a text."""


def beginning_token(tokenizer: Any) -> int | None:
    """Return the token to put before a text; None where the model knows none.

    It is the tokenizer's own token for the beginning (BOS). Without one it is the token for the
    end (EOS), which separated documents in training. Where that one ends a turn of a conversation,
    it is ``<|endoftext|>`` or ``<|end_of_text|>`` if the vocabulary has it.

    Parameters
    ----------
    tokenizer : transformers.PreTrainedTokenizerBase
        Of a causal model.
    """
    if tokenizer.bos_token_id is not None:
        return int(tokenizer.bos_token_id)
    end = tokenizer.eos_token_id
    if end is None:
        return None
    return _separator(tokenizer) if _ends_turn(tokenizer) else int(end)


def _ends_turn(tokenizer: Any) -> bool:
    end = str(tokenizer.eos_token)
    if end in _SEPARATORS:
        return False
    template = getattr(tokenizer, "chat_template", None)
    # Some tokenizers have several templates by name.
    texts = template.values() if isinstance(template, dict) else [template or ""]
    return end in _TURN_ENDS or any(end in str(text) for text in texts)


def _separator(tokenizer: Any) -> int | None:
    vocabulary = tokenizer.get_vocab()
    return next((int(vocabulary[name]) for name in _SEPARATORS if name in vocabulary), None)


TEMPLATES: Final = ("auto", "plain", "chat", "chat without system prompt")
"""Ways to show a causal model a text."""
SYSTEM_PROMPT: Final = "You are a helpful assistant."
"""System prompt where a model's template has none of its own."""
USER_PROMPT: Final = "Write a sentence."
"""Message that the text answers."""
AT_ONCE: Final = {"enable_thinking": False}
"""Option of chat templates whose models can think aloud: they are to answer at once."""
_MARK: Final = "\u00a7text\u00a7"
_THOUGHT: Final = re.compile(r"<(think|thinking|thought|reasoning)>\s*\Z")


@dataclass(frozen=True)
class ChatTemplate(Record):
    """A chat that a text answers.

    Attributes
    ----------
    name : {"chat", "chat without system prompt"}
    prefix : str
        All that stands before the text, as the model's template writes it.
    ids : tuple of int
        Tokens of the prefix.
    tokens : tuple of str
        The same as the tokenizer writes them.
    """

    name: str
    prefix: str
    ids: tuple[int, ...]
    tokens: tuple[str, ...]

    @property
    def note(self) -> str:
        """A remark for the user."""
        return f"Each text is the model's answer in its chat template, after {self.prefix!r}."


def chat_template_of(name: str, tokenizer: Any, model: Any) -> ChatTemplate | None:
    """Return the chat in which a model is shown texts; None for plain texts.

    Parameters
    ----------
    name : {"auto", "plain", "chat", "chat without system prompt"}
        "auto" is "chat" for an instruction model, see `is_instruction_model`, and "plain" for
        others. The system prompt of "chat" is the template's own, or else `SYSTEM_PROMPT` where the
        template takes one.
    tokenizer : transformers.PreTrainedTokenizerBase
    model : transformers.PreTrainedModel

    Raises
    ------
    SubjectError
        If there is no such way, or the model has no chat template or one that fails.
    """
    if name not in TEMPLATES:
        raise SubjectError(f"template={name!r}: choose one of {', '.join(map(repr, TEMPLATES))}.")
    has_template = bool(getattr(tokenizer, "chat_template", None))
    if name == "auto":
        name = "chat" if has_template and is_instruction_model(tokenizer, model) else "plain"
    if name == "plain":
        return None
    if not has_template:
        raise SubjectError(
            f"template={name!r}: the tokenizer has no chat template. Choose 'plain', or open the"
            " model's instruction version."
        )
    prefix = _prefix(tokenizer, with_system=name == "chat")
    ids = tokenizer(prefix, add_special_tokens=False, verbose=False)["input_ids"]
    if not ids:
        raise SubjectError(
            f"template={name!r}: the model's chat template writes nothing before an answer. Choose"
            " 'plain'."
        )
    return ChatTemplate(name, prefix, tuple(ids), tuple(tokenizer.convert_ids_to_tokens(ids)))


def is_instruction_model(tokenizer: Any, model: Any) -> bool:
    """Return whether a model was trained to answer in its chat template.

    It was if it stops generating at the token that ends an answer there. Base models may come with
    a template too, but stop at the end of a document (Qwen 2.5, Qwen 3).
    """
    try:
        ending = _render(tokenizer, [_user(), _said("assistant", _MARK)], False).split(_MARK)[-1]
    except SubjectError:
        return False
    ids = set(tokenizer(ending, add_special_tokens=False, verbose=False)["input_ids"])
    stops = getattr(getattr(model, "generation_config", None), "eos_token_id", None)
    if stops is None:
        stops = tokenizer.eos_token_id
    return bool(ids & set(stops if isinstance(stops, list | tuple) else [stops]))


def place_in_chat(text: TokenizedText, chat: ChatTemplate) -> TokenizedText:
    """Return a text's own tokens after those of a chat, which count as special."""
    own = text.own
    return text.part(int(own[0]), int(own[-1]) + 1).after(chat.ids, chat.tokens)


def _prefix(tokenizer: Any, *, with_system: bool) -> str:
    plain = _render(tokenizer, [_user()], True)
    try:
        framed = _render(tokenizer, [_said("system", _MARK), _user()], True)
    except SubjectError:
        return plain  # it takes no system prompt, as Gemma's
    before, mark, after = framed.partition(_MARK)
    if not mark:
        return plain
    has_own = (
        plain.startswith(before) and plain.endswith(after) and len(plain) > len(before + after)
    )
    if with_system:
        return plain if has_own else before + SYSTEM_PROMPT + after
    return before + after if has_own else plain


def _render(tokenizer: Any, messages: list[dict[str, str]], is_open: bool) -> str:
    try:
        return end_thoughts(
            render_chat(tokenizer, messages, add_generation_prompt=is_open, **AT_ONCE)
        )
    except Exception as error:  # of a template, which is anybody's code
        raise SubjectError(
            f"The model's chat template fails: {error} Choose template='plain'."
        ) from error


def end_thoughts(prompt: str) -> str:
    """Return a prompt without an open thought at its end, which some templates begin there.

    What follows it would be thoughts, and no answer.
    """
    opening = _THOUGHT.search(prompt)
    return f"{prompt}\n</{opening[1]}>\n\n" if opening else prompt


def _user() -> dict[str, str]:
    return _said("user", USER_PROMPT)


def _said(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}
