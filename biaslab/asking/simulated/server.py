"""A simulated decider as a chat model on 127.0.0.1, with OpenAI's interface."""

from __future__ import annotations

import hashlib
import json
import math
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Final, Literal, Self, get_args

from biaslab.asking.reading.reading import part
from biaslab.errors import DeciderError, ObserverError
from biaslab.records.record import Record

Fault = Literal[
    "busy", "failing", "html", "empty", "unfinished", "cut", "foreign", "refusing", "filtered"
]
"""``busy`` is status 429, ``failing`` 500, ``html`` a web page in place of JSON; the others are
replies: an empty one, thoughts without an end, one that was cut off, one in another language, a
refusal in a field of its own, and one that a filter held back."""
FAULTY_REPLIES: Final[dict[str, tuple[str, str]]] = {
    "empty": ("", "stop"),
    "unfinished": ("<think>On the one hand, on the other hand,", "length"),
    "cut": ("I have read the case with care and would", "length"),
    "foreign": ("Ich kann beide Seiten verstehen und würde zusagen.", "stop"),
    "filtered": ("", "content_filter"),
}
"""Text of each fault that is a reply, and why it ends."""


@dataclass(frozen=True, kw_only=True)
class Faults(Record):
    """What a simulated server refuses, and how its answers fail.

    Attributes
    ----------
    refuses : tuple of str
        Fields of a request that it answers with 400: ``temperature``, ``logprobs``,
        ``max_tokens``, ``system``, ``image_url`` (pictures).
    first : tuple of Fault
        Faults of the first requests in turn; an empty one is none.
    always : Fault or ""
        Fault of every later request.
    sends_logprobs : bool
        Whether it sends log-probabilities that are requested, or leaves them out silently.
    reasoning_field : bool
        Whether thoughts come in the field ``reasoning_content``.
    retry_after : float
        Seconds that a busy server names.
    delay : float
        Seconds before each answer.
    """

    refuses: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    always: str = ""
    sends_logprobs: bool = True
    reasoning_field: bool = False
    retry_after: float = 0.01
    delay: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        known = ("", *get_args(Fault))
        if wrong := [fault for fault in (*self.first, self.always) if fault not in known]:
            raise ObserverError(f"No fault {wrong[0]!r}: there are {', '.join(known[1:])}.")

    def refused(self, body: dict[str, Any]) -> str | None:
        """Return the field for which a request is answered with 400; None if it has none."""
        messages = messages_of(body)
        there = set(body)
        if any(message.get("role") == "system" for message in messages):
            there.add("system")
        if any(isinstance(message.get("content"), list) for message in messages):
            there.add("image_url")
        return next((field for field in self.refuses if field in there), None)


def messages_of(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the messages of a request."""
    given = body.get("messages")
    return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []


MODEL: Final = "simulated"
PATIENCE: Final = 30.0
"""Seconds for which a connection may be silent."""
_LARGEST: Final = 2**20
"""Largest request in bytes."""
Answer = tuple[int, str, dict[str, str]]
"""Status, text and headers."""


def error_body(message: str, param: str | None = None) -> str:
    """Return the body of an error in OpenAI's form."""
    error = {"message": message, "type": "error", "param": param, "code": None}
    return json.dumps({"error": error})


_WHERE: Final = error_body("There are /v1/models and /v1/chat/completions.")


class _Handler(BaseHTTPRequestHandler):
    """Requests to one server."""

    answer: Callable[[dict[str, Any]], Answer]
    protocol_version = "HTTP/1.1"
    timeout = PATIENCE

    def do_GET(self) -> None:
        if self.path.rstrip("/") != "/v1/models":
            return self._send(404, _WHERE, {})
        models = [{"id": MODEL, "object": "model", "created": 0, "owned_by": "biaslab"}]
        return self._send(200, json.dumps({"object": "list", "data": models}), {})

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > _LARGEST:
            self.close_connection = True
            return self._send(413, error_body("Send at most 1 MB, with its length."), {})
        raw = self.rfile.read(int(length))
        if self.path.rstrip("/") != "/v1/chat/completions":
            return self._send(404, _WHERE, {})
        try:
            body = json.loads(raw)
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            return self._send(400, error_body("The body is no JSON object."), {})
        return self._send(*self.answer(body))

    def log_message(self, *_: Any) -> None:
        """Write nothing: a request holds somebody's text."""

    def _send(self, status: int, text: str, headers: dict[str, str]) -> None:
        data = text.encode()
        try:
            self.send_response(status)
            for name, value in ({"Content-Type": "application/json"} | headers).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client did not wait


_MOST_AT_ONCE: Final = 32
_THOUGHTS: Final = "<think>\nI weigh what {text} would mean here.\n</think>\n\n{text}"


class Answering:
    """A simulated model whose replies in words a `SimulatedServer` sends."""

    reasoning = False
    declining: ClassVar[str]
    """Text of a refusal."""
    key: str
    """Of its draws."""

    def shares(self, prompt: str) -> dict[str, float]:
        """Return the probability of each answer, and of a refusal under ``""``.

        A prompt that it does not know is a `DeciderError`.
        """
        raise NotImplementedError

    def drawn(self, shares: Mapping[str, float], prompt: str, repetition: int) -> str:
        """Return one of the answers, or "", always the same for a repetition of a prompt."""
        key = f"{self.key}|{repetition}|{prompt}"
        digest = hashlib.blake2b(key.encode(), digest_size=8).digest()
        point = int.from_bytes(digest, "big") / 2**64
        for answer, share in shares.items():
            point -= share
            if point < 0:
                return answer
        return max(shares, key=lambda answer: shares[answer])

    def text(self, prompt: str, repetition: int = 0) -> str:
        """Return the reply to a prompt in words, with thoughts if it reasons."""
        text = self.drawn(self.shares(prompt), prompt, repetition) or self.declining
        return _THOUGHTS.format(text=text) if self.reasoning else text

    def prompt_of(self, body: dict[str, Any]) -> str | None:
        """Return the last message of the user in a request; None if there is none."""
        for message in reversed(messages_of(body)):
            content = message.get("content")
            if message.get("role") == "user" and isinstance(content, str):
                return content
        return None

    def serve(self, port: int = 0, *, faults: Faults | None = None) -> SimulatedServer:
        """Serve it as a chat model on 127.0.0.1, with OpenAI's interface.

        Parameters
        ----------
        port : int
            0: any free one.
        faults : Faults, optional
            What the server refuses, and how its first answers fail.

        Returns
        -------
        SimulatedServer
            Runs in a ``with`` block; its ``url`` is the address of the model ``simulated``.
        """
        return SimulatedServer(self, port, faults or Faults())


class SimulatedServer:
    """A chat model on 127.0.0.1, while it is used as a context manager.

    Each repetition of a prompt gets the next of the decider's replies.

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
        """Its base address, for ``ChatDecider("simulated", base_url=...)``, while it runs."""
        if self._server is None:
            raise ObserverError("The server runs in a with block: with observer.serve() as server.")
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        handler = type("Handler", (_Handler,), {"answer": staticmethod(self.answer)})
        try:
            self._server = ThreadingHTTPServer(("127.0.0.1", self._port), handler)
        except OSError as error:
            raise ObserverError(
                f"Port {self._port} cannot be used ({error.strerror}). Leave it out for a free one."
            ) from error
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True, name="biaslab-simulated"
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
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
        prompt = self.decider.prompt_of(body)
        if prompt is None:
            return 400, error_body("'messages' has no message of the user.", "messages"), {}
        return 200, json.dumps(self._completion(body, prompt, fault)), {}

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
