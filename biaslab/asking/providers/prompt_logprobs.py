"""The log-probabilities of a prompt's tokens, and where these stand in the text."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from biaslab.errors import EndpointAnswerError, QueryError
from biaslab.records.record import Record
from biaslab.subjects.language_model.tokens import TokenizedText, number_words


@dataclass(frozen=True)
class PromptLogprobs(Record):
    """The tokens of a prompt as a server reads them, one that it adds at the beginning included.

    The log-probability of a token, in nats, is that after those before it; None where the server
    sends none, as of the first. The model is that which the server states, with its version.
    """

    tokens: tuple[str, ...]
    log_probabilities: tuple[float | None, ...]
    model: str = ""


Form = Mapping[str, Any]
FORMS: Final[tuple[Form, ...]] = (
    {"echo": True, "logprobs": 1, "max_tokens": 0},
    # Many servers write at least one token.
    {"echo": True, "logprobs": 1, "max_tokens": 1},
    # vLLM: without alternatives, only the prompt's own tokens are listed.
    {"max_tokens": 1, "extra_body": {"prompt_logprobs": 0}},
)
"""Fields of a request that some servers take, in the order in which they are tried."""


def request_logprobs(client: Any, model: str, prompt: str, form: Form) -> PromptLogprobs | None:
    """Return the log-probabilities of a prompt; None if the reply has none."""
    reply = client.completions.create(model=model, prompt=prompt, temperature=0, **form)
    choice = reply.choices[0]
    version = str(getattr(reply, "system_fingerprint", None) or "")
    label = f"{reply.model or ''} {version}".strip()
    if "extra_body" in form:
        return _listed(getattr(choice, "prompt_logprobs", None), prompt, label)
    return _echoed(choice, reply.usage, int(form["max_tokens"]), label)


def _echoed(choice: Any, usage: Any, most: int, label: str) -> PromptLogprobs | None:
    sent = choice.logprobs
    tokens = tuple(map(str, getattr(sent, "tokens", None) or ()))
    values = tuple(getattr(sent, "token_logprobs", None) or ())
    if len(tokens) != len(values):
        raise EndpointAnswerError("The server sent log-probabilities of other tokens than its own.")
    written = int(getattr(usage, "completion_tokens", most) or 0)
    count = max(0, len(tokens) - min(most, written))
    if count < 2:
        return None
    return PromptLogprobs(tokens[:count], tuple(map(_number, values[:count])), label)


def _listed(sent: Any, prompt: str, label: str) -> PromptLogprobs | None:
    if not isinstance(sent, list) or len(sent) < 2:
        return None
    # Alternatives may be listed too; the prompt's own token comes first.
    own = [next(iter(place.values())) if place else {} for place in sent]
    tokens = [str(one.get("decoded_token") or "") for one in own]
    values = [_number(one.get("logprob")) for one in own]
    if not tokens[0]:  # the first token is not listed; it is what the others leave over
        rest = "".join(tokens)
        if prompt.endswith(rest):
            tokens[0] = prompt.removesuffix(rest)
    return PromptLogprobs(tuple(tokens), tuple(values), label)


def _number(value: Any) -> float | None:
    number = None if value is None else float(value)
    return None if number is None or math.isnan(number) else number


_SPACES: Final = "\u0120\u2581"
"""Marks for a space in the tokens of byte-level and SentencePiece tokenizers."""
_PLAIN: Final = str.maketrans("“”„«»‘’‚–—", '"""""\'\'\'--')
_PRINTED: Final = (*range(33, 127), *range(161, 173), *range(174, 256))
_BYTES: Final = {chr(byte): byte for byte in _PRINTED} | {
    chr(256 + i): byte for i, byte in enumerate(b for b in range(256) if b not in _PRINTED)
}
"""Bytes by their letter in the vocabulary of byte-level tokenizers (GPT-2)."""
_NOTHING: Final = (0, 0)
"""Of a token that is a space alone."""
_AHEAD: Final = 12
"""Characters after pieces of one to look ahead for the next token."""


def leading_marks(text: str, tokens: Sequence[str]) -> int:
    """Return how many tokens at the beginning are special ones, and not the text's own.

    Examples
    --------
    >>> leading_marks("She is", ["<s>", " She", " is"])
    1
    """
    count = 0
    for token in tokens:
        is_mark = len(token) > 2 and token[0] in "<[" and token[-1] in ">]"
        if token and (not is_mark or text.startswith(token) or token.startswith("<0x")):
            break
        count += 1
    return count


def locate_tokens(text: str, tokens: Sequence[str], ids: Sequence[int]) -> TokenizedText:
    """Return a text with a server's tokens and their places; `QueryError` if they are others.

    Letters are compared without case and accents, and spaces not at all. Tokens that are pieces of
    a character, or write one otherwise, all get the characters up to the next token that is found.
    The text has nothing of what was put before it.
    """
    marks = leading_marks(text, tokens)
    written_tokens, tokens = tokens, [*tokens[:marks], *_decoded(tokens[marks:])]
    places = [i for i, character in enumerate(text) if not character.isspace()]
    letters = "".join(_folded(text[i]) for i in places)
    found: list[tuple[int, int] | None] = []
    at, is_open = 0, False
    for token in tokens[marks:]:
        written = "".join(_folded(c) for c in token if not c.isspace() and c not in _SPACES)
        if token and not written:
            found.append(_NOTHING)
            continue
        start = letters.find(written, at, at + len(written) + (_AHEAD if is_open else 0))
        if start >= 0 and not _is_piece(token):
            found.append((start, start + len(written)))
            at, is_open = start + len(written), False
        elif token.isascii() and not _is_piece(token):
            raise _foreign(text)
        else:
            found.append(None)
            is_open = True
    if at < len(letters) and not is_open:
        raise _foreign(text)
    spans = np.zeros((len(tokens), 2), dtype=np.int64)
    for i, span in enumerate(found):
        begin, end = span or _between(found, i, len(letters))
        if end > begin:
            spans[marks + i] = places[begin], places[end - 1] + 1
        elif i:
            spans[marks + i] = spans[marks + i - 1, 1]
    special = np.arange(len(tokens)) < marks
    words = np.where(special, -1, number_words(text, spans))
    return TokenizedText(
        text, np.asarray(ids, dtype=np.int64), tuple(written_tokens), spans, special, words,
        np.zeros(len(tokens), dtype=bool),
    )  # fmt: skip


def _between(found: Sequence[tuple[int, int] | None], number: int, length: int) -> tuple[int, int]:
    """Return the characters between the tokens around one that was not found."""
    before = next((s[1] for s in reversed(found[:number]) if s and s != _NOTHING), 0)
    return before, next((s[0] for s in found[number + 1 :] if s and s != _NOTHING), length)


def _decoded(tokens: Sequence[str]) -> list[str]:
    """Return tokens in the alphabet of byte-level tokenizers as text; others as they are."""
    is_byte_level = any(token.startswith(_SPACES[0]) for token in tokens)
    if not is_byte_level or any(character not in _BYTES for character in "".join(tokens)):
        return list(tokens)
    return [bytes(_BYTES[c] for c in token).decode("utf-8", "replace") for token in tokens]


def _is_piece(token: str) -> bool:
    return "\ufffd" in token or token.startswith(("bytes:", "<0x"))


def _folded(character: str) -> str:
    """Return a character in lower case, without its accent, as some tokenizers read it."""
    plain = unicodedata.normalize("NFKD", character.translate(_PLAIN).lower())
    plain = "".join(part for part in plain if not unicodedata.combining(part))
    return plain if len(plain) == 1 else character


def _foreign(text: str) -> QueryError:
    return QueryError(
        f"The server's tokens are not those of {text[:60]!r}: it cut the text or changed it."
        " Shorten the text, or check the server's settings."
    )
