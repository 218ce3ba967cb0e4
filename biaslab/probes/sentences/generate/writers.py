"""Who writes sentences: an OpenAI-compatible endpoint, or a causal language model here."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from biaslab.errors import MissingExtraError, SentenceError
from biaslab.jobs import JobContext
from biaslab.probes.sentences.generate.prompts import SYSTEM

if TYPE_CHECKING:
    from biaslab.subjects.language_model import LanguageModel

DEFAULT_URL = "https://api.openai.com/v1"
_LONGEST_WAIT = 60.0
_BROKE_OFF = frozenset({"RemoteProtocolError", "ReadError", "WriteError"})
"""What the client's transport raises when there was a connection: another may hold."""


class WriterError(SentenceError):
    """The writer cannot go on: a wrong key, an address that nobody answers, no such model."""


class AnswerError(SentenceError):
    """One answer could not be had; others may."""


@dataclass(frozen=True)
class Answer:
    """What a writer answered.

    Attributes
    ----------
    text : str
        The answer as it came.
    cut : bool
        Whether it stopped for want of room.
    """

    text: str
    cut: bool = False


class Writer(Protocol):
    """Anybody who answers a question about sentences."""

    @property
    def name(self) -> str:
        """Who it is, for the sentences' source."""

    def answer(self, question: str, *, start: str, count: int, context: JobContext) -> Answer:
        """Answer a question.

        Parameters
        ----------
        question : str
            What to write.
        start : str
            How a sentence that fits could begin, for models that only go on with a text.
        count : int
            How many sentences.
        context : JobContext
            Where a person may cancel.

        Raises
        ------
        AnswerError
            If this answer could not be had.
        WriterError
            If none can be had.
        """


class EndpointWriter:
    """A model behind an OpenAI-compatible address: OpenAI's, or a server of one's own.

    The key is only held while this object lives: it is in no result, no message, no file and no
    representation.

    Parameters
    ----------
    model : str
        Name of the model there.
    base_url : str, optional
        Address, such as ``"http://127.0.0.1:8000/v1"``; by default ``$OPENAI_BASE_URL``, else
        OpenAI's.
    key : str, optional
        By default ``$OPENAI_API_KEY``. A server of one's own may need none.
    temperature : float
        How varied the answers are, from 0.
    attempts : int
        How often one question is asked when the server is busy, slow or garbles its answer.
    timeout : float
        Seconds to wait for one answer.

    Raises
    ------
    MissingExtraError
        If ``openai`` is not installed.
    WriterError
        If no key is given for OpenAI's own address.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key: str | None = None,
        temperature: float = 0.9,
        attempts: int = 4,
        timeout: float = 60.0,
    ) -> None:
        try:
            import openai
        except ModuleNotFoundError as error:
            raise MissingExtraError(
                'Asking a server for sentences needs openai: pip install "biaslab[generate]"'
            ) from error
        self.model = model
        self.base_url = base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT_URL
        self.temperature, self.attempts = temperature, attempts
        key = key or os.environ.get("OPENAI_API_KEY") or ""
        if not key and self.base_url == DEFAULT_URL:
            raise WriterError(
                "OpenAI's server needs a key: set OPENAI_API_KEY, or type it. Templates and a "
                "local model need none."
            )
        self._hidden = key
        self._client: Any = openai.OpenAI(
            api_key=key or "none", base_url=self.base_url, timeout=timeout, max_retries=0
        )
        self.wait: Callable[[float, JobContext], None] = _wait

    @property
    def name(self) -> str:
        """The model and where it is."""
        return f"{self.model} at {self.base_url}"

    def __repr__(self) -> str:
        return f"<EndpointWriter {self.name}>"

    def __reduce__(self) -> Any:
        raise TypeError("A writer holds a key and is not stored: make it anew.")

    def answer(self, question: str, *, start: str, count: int, context: JobContext) -> Answer:
        """See `Writer.answer`; a busy server is asked again after the time it names."""
        del start
        problem = ""
        for attempt in range(self.attempts):
            context.checkpoint()
            if attempt:
                self.wait(self._pause(attempt), context)
            try:
                return self._ask(question, count)
            except AnswerError as error:
                problem = str(error)
        raise AnswerError(f"{problem} It was asked {self.attempts} times.")

    def _pause(self, attempt: int) -> float:
        asked, self._asked_pause = self._asked_pause, None
        return min(_LONGEST_WAIT, asked if asked is not None else 2.0 ** (attempt - 1))

    _asked_pause: float | None = None

    def _ask(self, question: str, count: int) -> Answer:
        import openai

        try:
            reply = self._client.chat.completions.create(
                model=self.model,
                messages=[
                    {"role": "system", "content": SYSTEM},
                    {"role": "user", "content": question},
                ],
                temperature=self.temperature,
                max_tokens=80 * count + 80,
            )
            choice = reply.choices[0]
            text = choice.message.content or choice.message.refusal or ""
            cut = choice.finish_reason == "length"
        except openai.APITimeoutError as error:
            raise AnswerError(f"{self.base_url} did not answer in time.") from error
        except openai.APIConnectionError as error:
            if type(error.__cause__).__name__ in _BROKE_OFF:
                raise AnswerError(f"{self.base_url} broke off in the middle.") from error
            raise WriterError(
                f"{self.base_url} cannot be reached. Check the address, that the server runs, and "
                "the network."
            ) from self._without_key(error)
        except openai.RateLimitError as error:
            self._asked_pause = _seconds(error.response.headers.get("retry-after"))
            raise AnswerError(
                f"{self.base_url} says that it was asked too often, or that the quota is used up."
            ) from self._without_key(error)
        except openai.APIStatusError as error:
            self._refused(error)
        except (openai.OpenAIError, ValueError, AttributeError, IndexError, TypeError) as error:
            raise AnswerError(
                f"{self.base_url} sent an answer that cannot be read."
            ) from self._without_key(error)
        if not text.strip():
            raise AnswerError(f"{self.base_url} sent an empty answer.")
        return Answer(text, cut)

    def _refused(self, error: Any) -> None:
        status = error.status_code
        if status in {401, 403}:
            raise WriterError(
                f"{self.base_url} does not take this key ({status}). Check the key, and that it "
                f"may use {self.model!r}."
            ) from None
        if status == 404:
            raise WriterError(
                f"{self.base_url} knows no model {self.model!r}, or is no such server ({status}). "
                "Check both."
            ) from None
        if status >= 500 or status in {408, 409, 429}:
            raise AnswerError(f"{self.base_url} failed ({status}).") from None
        raise WriterError(
            f"{self.base_url} does not take the question ({status}): "
            f"{self._hide(str(getattr(error, 'message', '')))[:300]}"
        ) from None

    def _hide(self, text: str) -> str:
        return text.replace(self._hidden, "[key]") if self._hidden else text

    def _without_key(self, error: Exception) -> Exception | None:
        """The cause for a traceback, unless it quotes the key."""
        return None if self._hidden and self._hidden in repr(error) else error


class LocalWriter:
    """A causal language model on this machine.

    One that was trained to answer (its tokenizer has a chat template) is asked; another goes on
    with a text that begins like a sentence that fits.

    Parameters
    ----------
    lm : LanguageModel
        Of kind ``"clm"``.
    temperature : float
        How varied the sentences are, above 0.
    seed : int
        The same seed gives the same sentences.
    longest : int
        Tokens per sentence at most.

    Raises
    ------
    WriterError
        If the model is not causal.
    """

    def __init__(
        self, lm: LanguageModel, *, temperature: float = 0.9, seed: int = 0, longest: int = 40
    ) -> None:
        if lm.kind != "clm":
            raise WriterError(
                f"{lm.name!r} fills gaps and cannot write: load a causal model, kind='clm'."
            )
        self.lm, self.temperature, self.longest = lm, temperature, longest
        self._seed = seed
        self._asked = 0

    @property
    def name(self) -> str:
        """The model's name."""
        return str(self.lm.name)

    def answer(self, question: str, *, start: str, count: int, context: JobContext) -> Answer:
        """See `Writer.answer`."""
        context.checkpoint()
        if getattr(self.lm.tokenizer, "chat_template", None):
            messages = [
                {"role": "system", "content": SYSTEM},
                {"role": "user", "content": question},
            ]
            text = self.lm.tokenizer.apply_chat_template(
                messages, tokenize=False, add_generation_prompt=True
            )
            written = self._continue(text, 1, self.longest * count)
            return Answer(written[0], cut=not written[0].rstrip().endswith((".", "!", "?")))
        written = self._continue(start, count, self.longest)
        return Answer("\n".join(_first_sentence(start + text) for text in written))

    def _continue(self, text: str, count: int, longest: int) -> list[str]:
        import torch

        self._asked += 1
        tokenizer, model = self.lm.tokenizer, self.lm.model
        tokens = tokenizer(text, return_tensors="pt", return_token_type_ids=False)
        tokens = {name: value.to(self.lm.device) for name, value in tokens.items()}
        padding = tokenizer.pad_token_id
        room = self.lm.longest
        if room is not None:
            longest = min(longest, room - tokens["input_ids"].shape[1])
            if longest < 1:
                raise AnswerError(f"{self.name} reads {room} tokens; the question is longer.")
        with self.lm.lock, torch.random.fork_rng(devices=[]), torch.no_grad():
            torch.manual_seed(self._seed + self._asked)
            made = model.generate(
                **tokens,
                do_sample=True,
                temperature=self.temperature,
                top_p=0.95,
                max_new_tokens=longest,
                num_return_sequences=count,
                pad_token_id=tokenizer.eos_token_id if padding is None else padding,
            )
        new = made[:, tokens["input_ids"].shape[1] :]
        return [str(text) for text in tokenizer.batch_decode(new, skip_special_tokens=True)]


def _first_sentence(text: str) -> str:
    found = re.match(r"\s*(.+?[.!?])(?:\s|$)", " ".join(text.split()))
    return found.group(1) if found else " ".join(text.split())


def _seconds(header: str | None) -> float | None:
    try:
        return max(0.0, float(header)) if header else None
    except ValueError:
        return None


def _wait(seconds: float, context: JobContext) -> None:
    """Wait, and leave as soon as the job is cancelled."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        context.checkpoint()
        time.sleep(min(0.2, left))
