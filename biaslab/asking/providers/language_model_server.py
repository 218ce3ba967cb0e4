"""A causal language model behind an OpenAI-compatible address, as a subject."""

from __future__ import annotations

import hashlib
import json
import math
import threading
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from biaslab.asking.calling import each_of
from biaslab.asking.endpoint import Endpoint, opened
from biaslab.asking.protocols import Limits, Named
from biaslab.asking.providers.chat import ChatDecider
from biaslab.errors import EndpointAnswerError, QueryError, SubjectError
from biaslab.jobs.job import JobContext
from biaslab.people.secret import Secret
from biaslab.records.calls import recorded_class
from biaslab.records.record import Record
from biaslab.store import Store
from biaslab.subjects.language_model.reading import Look
from biaslab.subjects.language_model.tokens import TokenizedText, number_words
from biaslab.subjects.stored_values import StoredValues

KIND: Final = "prompt-log-probabilities/1"
"""Of the store's values."""
BEGINNINGS: Final = ("<|begin_of_text|>", "<bos>", "<s>", "<|endoftext|>")
"""Tokens for the beginning of a text, as models name them; the first that is a token is used."""
_NO_BEGINNING: Final = (
    "The server adds no token for the beginning of a text, and none is known for this model, so the"
    " first token of a sentence has no probability and does not count. Give begin= if it has one."
)
_CHECK: Final = "The nurse is here."
_AT_ONCE: Final = 64
_REMEMBERED: Final = 10_000


@recorded_class
class LanguageModelServer(Named):
    """A causal language model on a server that sends the log-probabilities of a prompt's tokens.

    vLLM, SGLang and the server of llama-cpp-python (with ``logits_all``) send them on their
    ``/completions``; llama.cpp's own server, Ollama and most paid providers do not. Scores of whole
    sentences work as with a local model. Blends of words need hidden states, which no server sends.

    Opening it sends one short text, or a few.

    Parameters
    ----------
    model, base_url, key
        As of `biaslab.deciders.ChatDecider`.
    begin : str, optional
        Put before each text, so that its first token has a probability. By default nothing where
        the server adds a token itself, and else the first of `BEGINNINGS` that is one token.
    name : str, optional
        Name shown to the person; by default model and address.
    limits : Limits, optional
        By default eight requests at once, each waited for one minute.
    store : Store, optional
        Store of replies; by default they are kept in memory only.

    Raises
    ------
    MissingExtraError, EndpointError
        As of `biaslab.asking.endpoint.Endpoint`, or if the server cannot be reached.
    SubjectError
        If it sends no log-probabilities of a prompt.

    Attributes
    ----------
    model : str
        Name and version that the server states.
    begin : str
        Text before each sentence; empty where the server adds a token itself, or none is known.
    """

    kind: Literal["clm"] = "clm"
    takes_mixtures = False
    dtype = ""
    tokens_at_once = 1_024
    is_remote = True
    refusal = (
        " It runs on a server, which sends probabilities of whole texts only: bl.stereotype_score"
        " takes it, and bl.decisions asks it as a chat model. Blends of words and layers need the"
        " model itself, by bl.load(..., kind='clm')."
    )
    """Why other probes refuse it, and what to use instead."""

    def __init__(
        self,
        model: str | Endpoint,
        *,
        base_url: str | None = None,
        key: str | Secret | None = None,
        begin: str | None = None,
        name: str | None = None,
        limits: Limits | None = None,
        store: Store | None = None,
    ) -> None:
        self.limits = limits or Limits(concurrency=8, timeout=60.0)
        self.endpoint = opened(model, base_url, key, self.limits)
        self.name = name or self.endpoint.name
        self.device = f"server {self.endpoint.base_url}"
        self.about = "causal language model on a server"
        self._lock = threading.Lock()
        self._numbers: dict[str, int] = {}
        self._texts: dict[str, PromptLogprobs | QueryError] = {}
        self._read: dict[bytes, NDArray[np.float64]] = {}
        self._form, checked = self._find_form()
        self.model = self.endpoint.hide(checked.model) or self.endpoint.model
        self.begin, is_begun = self._find_beginning(checked, begin)
        self._notes = [] if is_begun else [_NO_BEGINNING]
        self._stored = StoredValues(store, KIND, _AT_ONCE, self._notes, "Replies are not stored")

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks for the user."""
        return tuple(self._notes)

    @property
    def content_hash(self) -> str:
        """SHA-256 of address, model, the version that the server states, and the beginning.

        The weights are out of reach: a server that exchanges them under one name has one hash.
        """
        form = [self.endpoint.base_url, self.endpoint.model, self.model, self.begin]
        return hashlib.sha256(json.dumps(["completions", *form]).encode()).hexdigest()

    def decider(self) -> ChatDecider:
        """Return the chat model at the same address, which is asked for decisions."""
        return ChatDecider(self.endpoint)

    def tokenize(self, text: str) -> TokenizedText:
        """Return a text's tokens as the server reads them, special ones included.

        Raises
        ------
        QueryError
            If the text is empty, or the server refuses it or cuts it.
        EndpointError
            If the server answers no request.
        """
        self.prefetch([text], JobContext())
        with self._lock:
            reply = self._texts[text]
        if isinstance(reply, QueryError):
            raise QueryError(str(reply))
        tokens = locate_tokens(text, reply.tokens, self._ids(reply.tokens))
        values = [np.nan if value is None else value for value in reply.log_probabilities]
        with self._lock:
            self._read[tokens.ids.tobytes()] = np.asarray(values, dtype=np.float64)
        return tokens

    def read(
        self,
        looks: Sequence[Look],
        *,
        memory_mb: float = 0.0,  # noqa: ARG002  # the server's own affair
        raw: bool = False,
        between: Callable[[], None] | None = None,
        advance: Callable[[int], None] | None = None,
    ) -> list[NDArray[np.float64]]:
        """Return log-probabilities of a text's own tokens, one array per look.

        A look that needs more (a blend, logits, other tokens than the text's) is a `SubjectError`.
        """
        values = []
        for look in looks:
            if between is not None:
                between()
            with self._lock:
                known = self._read.get(look.ids.tobytes())
            is_own = np.array_equal(look.ids[look.positions + 1], look.targets)
            if known is None or not is_own or raw or look.blend is not None:
                raise SubjectError(f"{self.name} cannot be read there.{self.refusal}")
            values.append(known[look.positions + 1])
            if advance is not None:
                advance(1)
        return values

    def prefetch(self, texts: Sequence[str], context: JobContext) -> None:
        """Request several texts at once, so that `tokenize` finds their replies.

        Those that came before an `EndpointError` are kept.
        """
        with self._lock:
            _shorten(self._texts)
            _shorten(self._read)
            missing = [text for text in dict.fromkeys(texts) if text not in self._texts]
            self._texts.update(self._from_store(missing))
            missing = [text for text in missing if text not in self._texts]
        try:
            for _, (text, reply) in each_of(
                self._reply, missing, concurrency=self.limits.concurrency, context=context
            ):
                self._keep(text, reply)
            context.checkpoint()
        finally:
            with self._lock:
                self._stored.flush()

    def _reply(self, text: str, context: JobContext) -> tuple[str, PromptLogprobs | QueryError]:
        if not text.strip():
            return text, QueryError("The sentence is empty. Enter some text.")
        try:
            reply = self._request(self.begin + text, self._form, context)
            if reply is None:
                raise QueryError(f"{self.name} sent no log-probabilities of this text.")
            locate_tokens(text, reply.tokens, range(len(reply.tokens)))
        except (EndpointAnswerError, QueryError) as error:
            return text, QueryError(str(error))
        return text, reply

    def _request(self, prompt: str, form: Form, context: JobContext) -> PromptLogprobs | None:
        return self.endpoint.ask(
            lambda client: request_logprobs(client, self.endpoint.model, prompt, form), context
        )

    def _keep(self, text: str, reply: PromptLogprobs | QueryError) -> None:
        with self._lock:
            self._texts[text] = reply
            if isinstance(reply, PromptLogprobs):
                written = [list(reply.tokens), list(reply.log_probabilities)]
                self._stored.put({self._key(text): json.dumps(written)})

    def _from_store(self, texts: Sequence[str]) -> Iterator[tuple[str, PromptLogprobs]]:
        if not self._stored.is_used or not texts:
            return
        keys = {self._key(text): text for text in texts}
        for key, value in self._stored.find(keys).items():
            try:
                tokens, numbers = json.loads(value)
                reply = PromptLogprobs(
                    tuple(map(str, tokens)), tuple(n if n is None else float(n) for n in numbers)
                )
                locate_tokens(keys[key], reply.tokens, range(len(reply.tokens)))
            except (ValueError, TypeError, QueryError):
                continue  # damaged: it is requested again
            yield keys[key], reply

    def _key(self, text: str) -> str:
        content = f"{self.content_hash}|{text}"
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()

    def _ids(self, tokens: Sequence[str]) -> list[int]:
        with self._lock:
            return [self._numbers.setdefault(token, len(self._numbers)) for token in tokens]

    def _find_form(self) -> tuple[Form, PromptLogprobs]:
        said = ""
        for form in FORMS:
            try:
                reply = self._request(_CHECK, form, JobContext())
                if reply is not None:
                    locate_tokens(_CHECK, reply.tokens, range(len(reply.tokens)))
                    return form, reply
            except (EndpointAnswerError, QueryError) as error:
                said = said or f" It answered: {error}"
        raise SubjectError(
            f"{self.endpoint.name} sends no log-probabilities of a prompt's tokens, which scores of"
            " sentences need. vLLM, SGLang and llama-cpp-python's server (with logits_all) send"
            " them; llama.cpp's own server and most providers do not. Use one of those, or open"
            f" the model itself: bl.load('hf:NAME', kind='clm').{said}"
        )

    def _find_beginning(self, checked: PromptLogprobs, given: str | None) -> tuple[str, bool]:
        """Return the text to put before sentences, and whether a first token is predicted."""
        is_begun = leading_marks(_CHECK, checked.tokens) > 0
        if given == "" or (given is None and is_begun):
            return "", is_begun
        for beginning in BEGINNINGS if given is None else (given,):
            try:
                reply = self._request(beginning + _CHECK, self._form, JobContext())
            except EndpointAnswerError:
                continue
            if reply is not None and len(reply.tokens) == len(checked.tokens) + 1:
                return beginning, True
        if given is not None:
            raise SubjectError(
                f"begin={given!r}: {self.endpoint.name} does not read it as one special token. Give"
                " the token that begins a text of this model, such as '<|endoftext|>', or leave"
                " begin out."
            )
        return "", False


def _shorten(cache: dict[Any, Any]) -> None:
    """Drop the oldest entries of a cache that is full."""
    while len(cache) > _REMEMBERED:
        cache.pop(next(iter(cache)))


def open_server(address: str, *, name: str | None = None) -> LanguageModelServer:
    """Open ``MODEL@ADDRESS``; its replies are kept in the person's own store."""
    model, at, url = address.rpartition("@")
    if not at and address:
        model, url = address, ""
    if not model or (at and not url.startswith(("http://", "https://"))):
        raise SubjectError(
            f"openai:{address} names no model on a server. Write openai:MODEL@ADDRESS, such as"
            " openai:my-model@http://127.0.0.1:8000/v1."
        )
    return LanguageModelServer(model, base_url=url or None, name=name, store=Store())


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
    spans_of_letters: list[tuple[int, int] | None] = []
    at, is_open = 0, False
    for token in tokens[marks:]:
        written = "".join(_folded(c) for c in token if not c.isspace() and c not in _SPACES)
        if token and not written:
            spans_of_letters.append(_NOTHING)
            continue
        start = letters.find(written, at, at + len(written) + (_AHEAD if is_open else 0))
        if start >= 0 and not _is_piece(token):
            spans_of_letters.append((start, start + len(written)))
            at, is_open = start + len(written), False
        elif token.isascii() and not _is_piece(token):
            raise _foreign(text)
        else:
            spans_of_letters.append(None)
            is_open = True
    if at < len(letters) and not is_open:
        raise _foreign(text)
    spans = np.zeros((len(tokens), 2), dtype=np.int64)
    for i, span in enumerate(spans_of_letters):
        begin, end = span or _between(spans_of_letters, i, len(letters))
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


def _between(spans: Sequence[tuple[int, int] | None], number: int, length: int) -> tuple[int, int]:
    """Return the characters between the tokens around one that was not found."""
    before = next((s[1] for s in reversed(spans[:number]) if s and s != _NOTHING), 0)
    return before, next((s[0] for s in spans[number + 1 :] if s and s != _NOTHING), length)


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
