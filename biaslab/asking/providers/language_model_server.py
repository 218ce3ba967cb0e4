"""A causal language model behind an OpenAI-compatible address, as a subject."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from biaslab.asking.calling import each_of
from biaslab.asking.endpoint import Endpoint, opened
from biaslab.asking.providers.chat import ChatDecider
from biaslab.asking.providers.prompt_logprobs import (
    FORMS,
    Form,
    PromptLogprobs,
    leading_marks,
    locate_tokens,
    request_logprobs,
)
from biaslab.asking.service import Limits, Named
from biaslab.errors import EndpointAnswerError, QueryError, SubjectError
from biaslab.jobs.job import JobContext
from biaslab.people.secret import Secret
from biaslab.records.calls import recorded_class
from biaslab.store import Store
from biaslab.subjects.language_model.reading import Look
from biaslab.subjects.language_model.tokens import TokenizedText
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
        self._store_notes: list[str] = []
        self._form, checked = self._find_form()
        self.model = self.endpoint.hide(checked.model) or self.endpoint.model
        self.begin, is_begun = self._find_beginning(checked, begin)
        self._stored = StoredValues(
            store, KIND, _AT_ONCE, self._store_notes, "Replies are not stored"
        )
        self._own_notes = () if is_begun else (_NO_BEGINNING,)

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks for the user."""
        return (*self._own_notes, *self._store_notes)

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
