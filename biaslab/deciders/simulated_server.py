"""A simulated decider as a chat model on 127.0.0.1, with OpenAI's interface."""

from __future__ import annotations

import json
import math
import threading
from collections import Counter
from http.server import ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Protocol, Self

from biaslab.deciders.simulated_faults import FAULTY_REPLIES, Faults, messages_of
from biaslab.deciders.simulated_http import MODEL, PATIENCE, Answer, error_body, listening
from biaslab.errors import DeciderError, ObserverError
from biaslab.services.reasoning import part

_MOST_AT_ONCE: Final = 32


class Answering(Protocol):
    """A `SimulatedDecider`."""

    @property
    def reasoning(self) -> bool:
        """Whether it thinks before it replies."""

    def text(self, prompt: str, repetition: int = 0) -> str:
        """Return the reply to a prompt."""

    def shares(self, prompt: str) -> dict[str, float]:
        """Return the probability of each answer, and of a refusal under ``""``."""


class SimulatedServer:
    """A chat model on 127.0.0.1, while it is used as a context manager.

    Parameters
    ----------
    decider : SimulatedDecider
        Each repetition of a prompt gets the next of its replies.
    port : int
        0: any free one.
    faults : Faults

    Attributes
    ----------
    requests : list of dict
        Bodies of the requests so far, in the order of their arrival.
    """

    def __init__(self, decider: Answering, port: int, faults: Faults) -> None:
        self.decider, self.faults = decider, faults
        self.requests: list[dict[str, Any]] = []
        self._times: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(_MOST_AT_ONCE)
        self._closing = threading.Event()
        self._port = port
        self._server: ThreadingHTTPServer | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """Its base address, for ``ChatDecider("simulated", base_url=...)``.

        Raises
        ------
        ObserverError
            If it does not run.
        """
        if self._server is None:
            raise ObserverError("The server runs in a with block: with observer.serve() as server.")
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        try:
            self._server = listening(self._port, self.answer)
        except OSError as error:
            raise ObserverError(
                f"Port {self._port} cannot be used ({error.strerror}). Leave it out for a free one."
            ) from error
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True, name="biaslab-simulated"
        )
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing.set()
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()
        self._server = None

    def answer(self, body: dict[str, Any]) -> Answer:
        """Return status, text and headers for the body of a request."""
        if self._closing.is_set():  # a connection that was open before
            return 503, error_body("The server has ended."), {"Connection": "close"}
        with self._lock:
            number = len(self.requests)
            self.requests.append(body)
        if not self._places.acquire(timeout=PATIENCE):
            return 503, error_body("Too many requests at once."), {}
        try:
            self._closing.wait(self.faults.delay)
            return self._answer(body, number)
        finally:
            self._places.release()

    def _answer(self, body: dict[str, Any], number: int) -> Answer:
        if (field := self.faults.refused(body)) is not None:
            message = f"Unsupported value: '{field}' is not supported with this model."
            return 400, error_body(message, field), {}
        first = self.faults.first
        fault = first[number] if number < len(first) else self.faults.always
        if fault == "busy":
            wait = {"Retry-After": f"{self.faults.retry_after:g}"}
            return 429, error_body("Rate limit reached."), wait
        if fault == "failing":
            return 500, error_body("The server had an error."), {}
        if fault == "html":
            page = "<!DOCTYPE html><html><body>Bad gateway</body></html>"
            return 200, page, {"Content-Type": "text/html"}
        prompt = self.prompt_of(body)
        if prompt is None:
            return 400, error_body("'messages' has no message of the user.", "messages"), {}
        return 200, json.dumps(self._completion(body, prompt, fault)), {}

    def prompt_of(self, body: dict[str, Any]) -> str | None:
        """Return what the decider is asked by a request; None if it has no question."""
        return _prompt(body)

    def _completion(self, body: dict[str, Any], prompt: str, fault: str) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant"}
        logprobs = None
        if fault == "refusing":
            text, finish = "", "stop"
            message["refusal"] = "I can't help with that."
        elif fault:
            text, finish = FAULTY_REPLIES[fault]
        else:
            text, finish, logprobs = self._reply(body, prompt)
        parted = part(text)
        if self.faults.reasoning_field and parted.is_complete and parted.reasoning:
            message |= {"content": parted.reply, "reasoning_content": parted.reasoning}
        else:
            message["content"] = text
        choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": logprobs}
        counts = {"prompt_tokens": len(prompt.split()), "completion_tokens": len(text.split())}
        return {
            "id": "simulated", "object": "chat.completion", "created": 0, "model": f"{MODEL}-1",
            "system_fingerprint": "fp_0", "choices": [choice],
            "usage": counts | {"total_tokens": sum(counts.values())},
        }  # fmt: skip

    def _reply(self, body: dict[str, Any], prompt: str) -> tuple[str, str, Any]:
        """Return the text, why it ends, and the log-probabilities."""
        with self._lock:
            repetition = self._times[prompt]
            self._times[prompt] += 1
        try:
            text = self.decider.text(prompt, repetition)
        except DeciderError:
            before, _, question = prompt.rpartition("\n\n")
            if before:  # an instruction, where the model takes no system message
                return self._reply(body, question)
            return "I do not know this case.", "stop", None
        limit = body.get("max_tokens", body.get("max_completion_tokens"))
        if isinstance(limit, int) and len(text.split()) > limit:
            return " ".join(text.split()[:limit]), "length", None
        is_sent = body.get("logprobs") and self.faults.sends_logprobs
        if not is_sent or self.decider.reasoning:
            return text, "stop", None
        shares = self.decider.shares(prompt)
        # A refusal begins with another token than any answer.
        named = {answer or "I": share for answer, share in shares.items() if share > 0}
        top = [{"token": token, "logprob": math.log(share)} for token, share in named.items()]
        token = text if text in named else "I"
        own = {"token": token, "logprob": math.log(named[token]), "top_logprobs": top}
        return text, "stop", {"content": [own]}


def _prompt(body: dict[str, Any]) -> str | None:
    """Return the last message of the user; None if there is none."""
    for message in reversed(messages_of(body)):
        content = message.get("content")
        if message.get("role") == "user" and isinstance(content, str):
            return content
    return None
