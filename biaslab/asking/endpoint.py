"""A model behind an OpenAI-compatible address, with retries and a hidden key."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import urllib.parse
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, TypeVar, cast

from biaslab.asking.calling import next_try, retried
from biaslab.asking.calling import wait as _wait
from biaslab.asking.http import LONGEST_WAIT, in_time, is_spent, reason_in, says, wait_asked
from biaslab.asking.protocols import Limits, Named
from biaslab.errors import EndpointAnswerError, EndpointError, MissingExtraError, OutboundError
from biaslab.jobs.job import JobContext
from biaslab.network import check_model
from biaslab.network.admission import check_target
from biaslab.network.transports import PLACEHOLDER, ClientTransport, http_library
from biaslab.people.access import current_access
from biaslab.people.outbound import limit_problem
from biaslab.people.secret import Secret, environment_secret
from biaslab.records.calls import recorded_class

DEFAULT_URL = "https://api.openai.com/v1"
_LARGEST = 64 * 2**20
"""Largest answer in bytes: an image is sent as base64, which adds a third."""
_PORTS = {"http": 80, "https": 443}
_BROKE_OFF = frozenset({"RemoteProtocolError", "ReadError", "WriteError"})
"""Transport errors after a connection was made: a retry may succeed."""
_NOT_SENT = (
    "OPENAI_API_KEY is sent only to the address in OPENAI_BASE_URL, or to OpenAI if that variable"
    " is not set."
)
T = TypeVar("T")


@recorded_class
class Endpoint(Named):
    """A model behind an OpenAI-compatible address: OpenAI's, or a server of one's own.

    The key exists only in this object: it is in no result, message, file or representation. It is
    sent only to the scheme, host and port of the address: redirects are not followed.

    Parameters
    ----------
    model : str
        Name of the model there.
    base_url : str, optional
        Address, such as ``"http://127.0.0.1:8000/v1"``; by default ``$OPENAI_BASE_URL``, else
        OpenAI's.
    key : str or Secret, optional
        By default ``$OPENAI_API_KEY``, which is sent only to the host of ``$OPENAI_BASE_URL``,
        or to OpenAI's if that is not set, and for others than the owner of a server only where the
        owner allows it. A local server may need none.
    attempts : int
        Attempts per question when the server is busy, slow or returns a malformed answer, 1 to 10.
    timeout : float
        Seconds until one whole answer is there, 0.001 to 3,600.
    extra : str
        Extra of biaslab that brings the client.

    Raises
    ------
    MissingExtraError
        If ``openai`` is not installed.
    EndpointError
        If no key is given for OpenAI's own address, a limit is out of range, or the owner of a
        server does not allow the host or the model.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key: str | Secret | None = None,
        attempts: int = 4,
        timeout: float = 60.0,
        extra: str = "generate",
    ) -> None:
        if importlib.util.find_spec("openai") is None:
            raise MissingExtraError(
                f'Calling a server needs the package openai: pip install "biaslab[{extra}]"'
            )
        self.model = model
        official_url = os.environ.get("OPENAI_BASE_URL") or DEFAULT_URL
        self.base_url = base_url or official_url
        self.name = f"{model} at {self.base_url}"
        self.attempts, self.timeout = attempts, timeout
        if problem := limit_problem(attempts=attempts, timeout=timeout):
            raise EndpointError(problem)
        is_own = _origin(self.base_url) == _origin(official_url)
        secret = Secret.of(key)
        if not secret and is_own:
            secret = environment_secret("OPENAI_API_KEY")
        if not secret and _origin(self.base_url) == _origin(DEFAULT_URL):
            raise EndpointError(
                "OpenAI's server needs a key: "
                + ("set OPENAI_API_KEY, or enter it." if is_own else f"enter it. {_NOT_SENT}")
            )
        self._hidden = secret
        self._has_settings = False
        self._check_access()
        # What else the environment sets for its server is the owner's, as the key is.
        reach = current_access().reach
        is_lent = is_own and (secret.is_of_owner if secret else reach.allows_own_key(model))
        self._has_settings = is_lent and bool(os.environ.get("OPENAI_CUSTOM_HEADERS"))
        self._client = _client(model, self.base_url, secret, timeout, is_lent)
        weakref.finalize(self, self._client.close)
        self._retry_after: float | None = None
        self.wait: Callable[[float, JobContext], None] = _wait

    def hide(self, text: str) -> str:
        """Return a text of the server without the key, which it may send back."""
        return self._hidden.hide(text)

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("An endpoint holds a key and cannot be stored. Create it again.")

    def ask(self, question: Callable[[Any], T], context: JobContext) -> T:
        """Send a request; retry a busy server after the delay that it names.

        The question takes the openai client and returns the answer. Errors that it raises for an
        unreadable answer are retried: `EndpointAnswerError`, ValueError, TypeError, AttributeError,
        IndexError. A cancelled context ends the waits.

        Raises `EndpointAnswerError` if there is no readable answer to this request; `EndpointError`
        if the server answers no request.
        """

        def once() -> T:
            context.checkpoint()
            return self._ask(question)

        def delay(number: int, error: EndpointAnswerError) -> float | None:
            seconds = self._delay(number, error)
            if seconds is not None and number < self.attempts:
                context.wait_for(next_try(error, seconds))
            return seconds

        answer = retried(
            once, attempts=self.attempts, again=EndpointAnswerError, delay=delay,
            wait=lambda seconds: self.wait(seconds, context),
        )  # fmt: skip
        if not isinstance(answer, EndpointAnswerError):
            return answer
        if answer.final:
            raise answer
        # A new error: the cause of the last one may quote a key that the server sent back.
        times = f" It was tried {self.attempts} times." if self.attempts > 1 else ""
        raise EndpointAnswerError(f"{answer}{times}")

    def _delay(self, number: int, error: EndpointAnswerError) -> float | None:
        """Return the seconds until another attempt; None if it would not help."""
        requested, self._retry_after = self._retry_after, None
        wait = 2.0 ** (number - 1) if requested is None else requested
        return None if error.final else min(LONGEST_WAIT, wait)

    def _ask(self, question: Callable[[Any], T]) -> T:
        import openai

        # An endpoint that one person has opened may be asked for another.
        self._check_access()
        try:
            with in_time(self.timeout):
                return question(self._client)
        except OutboundError as error:
            raise EndpointError(str(error)) from None
        except (TimeoutError, openai.APITimeoutError):
            raise EndpointAnswerError(f"{self.base_url} did not answer in time.") from None
        except openai.APIConnectionError as error:
            if isinstance(error.__cause__, EndpointAnswerError):
                raise error.__cause__ from None
            if isinstance(error.__cause__, OutboundError):
                raise EndpointError(str(error.__cause__)) from None
            if type(error.__cause__).__name__ in _BROKE_OFF:
                raise EndpointAnswerError(
                    f"{self.base_url} closed the connection in the middle of an answer."
                ) from error
            raise EndpointError(
                f"{self.base_url} cannot be reached. Check the address, the network, and that the"
                " server is running."
            ) from self._without_key(error)
        except openai.APIStatusError as error:
            self._refused(error)
        except (openai.OpenAIError, ValueError, AttributeError, IndexError, TypeError) as error:
            raise EndpointAnswerError(
                f"{self.base_url} sent an unreadable answer."
            ) from self._without_key(error)

    def _check_access(self) -> None:
        """Refuse a host, a model or a key that the person may not use."""
        try:
            check_target(self.base_url)
            is_borrowed = self._has_settings and not current_access().is_owner
            check_model(self.model, own_key=is_borrowed or self._hidden.is_borrowed)
            self._hidden.open(self.model)
        except OutboundError as error:
            raise EndpointError(str(error)) from None

    def reason(self, error: Any) -> str:
        """Return the words of a response with an error status, without the key."""
        return self.hide(reason_in(error.response.text))

    def _refused(self, error: Any) -> NoReturn:
        status, said = error.status_code, says(self.reason(error))
        if status == 429:
            self._too_many(error)
        if 300 <= status < 400:
            problem = (
                f"redirects to {self._target(error.response)} ({status}). Redirects are not"
                " followed, since the key would be sent along. Give the final address."
            )
        elif status in {401, 403} and not self._hidden:
            problem = f"asks for a key ({status}): enter the key for this server. {_NOT_SENT}"
        elif status in {401, 403}:
            problem = (
                f"rejects this key ({status}). Check the key, and that it gives access to"
                f" {self.model!r}.{said}"
            )
        elif status == 404:
            problem = (
                f"knows no model {self.model!r}, or is not an OpenAI-compatible address"
                f" ({status}). Check both.{said}"
            )
        elif status >= 500 or status in {408, 409}:
            named = error.response.headers.get("retry-after")
            self._retry_after = wait_asked(named, "") if named else None
            raise EndpointAnswerError(f"{self.base_url} failed ({status}).{said}") from None
        else:
            problem = f"{self.base_url} rejects the request ({status}).{said}"
            raise EndpointAnswerError(problem, final=True) from None
        raise EndpointError(f"{self.base_url} {problem}") from None

    def _too_many(self, error: Any) -> NoReturn:
        """Raise for a busy server, which is asked again, or for a quota that is used up."""
        reason = self.reason(error)
        self._retry_after = wait_asked(error.response.headers.get("retry-after"), reason)
        if is_spent(f"{error.code} {reason}", self._retry_after):
            problem = f"{self.base_url} takes no more requests for now (429).{says(reason)}"
            raise EndpointError(problem) from None
        problem = f"{self.base_url} reports too many requests (429).{says(reason)}"
        raise EndpointAnswerError(problem) from None

    def _target(self, response: Any) -> str:
        """Return the base URL that a redirect points to."""
        requested, to = str(response.request.url), response.headers.get("location", "")
        with contextlib.suppress(ValueError):
            to = urllib.parse.urljoin(requested, to)
        path = requested.removeprefix(self.base_url.rstrip("/"))
        return repr(self.hide(to.removesuffix(path))[:300])

    def _without_key(self, error: Exception) -> Exception | None:
        """Return the cause for a traceback, unless it quotes the key."""
        return None if self._hidden.is_in(repr(error)) else error


def opened(
    model: str | Endpoint, base_url: str | None, key: str | Secret | None, limits: Limits
) -> Endpoint:
    """Return the endpoint of a model that is given by name."""
    if isinstance(model, Endpoint):
        return model
    return Endpoint(
        model, base_url=base_url, key=key, attempts=limits.attempts, timeout=limits.timeout,
        extra="services",
    )  # fmt: skip


def _origin(url: str) -> tuple[str, str, int | None]:
    """Return scheme, host and port of an address."""
    try:
        parts = urllib.parse.urlsplit(url)
        return parts.scheme, parts.hostname or "", parts.port or _PORTS.get(parts.scheme)
    except ValueError:  # no address: matches no other
        return "", url, None


def _client(model: str, base_url: str, secret: Secret, timeout: float, is_lent: bool) -> Any:
    """Return a client that sends account settings only to their own host.

    It holds `PLACEHOLDER` in place of the key, which its transport adds.
    """
    import openai

    headers: dict[str, Any] = {}
    if not is_lent:
        lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").split("\n")
        names = [line.partition(":")[0].strip() for line in lines if ":" in line]
        headers = {**dict.fromkeys(names, openai.Omit()), "Authorization": f"Bearer {PLACEHOLDER}"}
    library = http_library(openai.DefaultHttpxClient)
    http = openai.DefaultHttpxClient(
        follow_redirects=False,
        # A compressed answer may expand a thousandfold.
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [_limit]},
        transport=cast("Any", ClientTransport(library, base_url, secret, model)),
    )
    client = openai.OpenAI(
        api_key=PLACEHOLDER, base_url=base_url, timeout=timeout, max_retries=0, http_client=http,
        default_headers=headers,
    )  # fmt: skip
    if not is_lent:
        client.organization = client.project = None
    return client


def _limit(response: Any) -> None:
    """Limit the size of an answer to what fits into memory."""
    if response.headers.get("content-encoding", "identity") != "identity":
        problem = f"{response.url.host} sent a compressed answer, which was not requested."
        raise EndpointAnswerError(problem, final=True)
    response.stream = _limited(response.stream, response.url.host)


def _limited(stream: Any, host: str) -> Any:
    # The client accepts only streams of its own HTTP library.
    class Limited(type(stream)):  # type: ignore[misc]
        def __init__(self) -> None:
            """Read the stream, not a copy of it."""

        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for block in stream:
                size += len(block)
                if size > _LARGEST:
                    problem = f"{host} sent more than {_LARGEST >> 20} MB."
                    raise EndpointAnswerError(problem, final=True)
                yield block

        def close(self) -> None:
            stream.close()

    return Limited()
