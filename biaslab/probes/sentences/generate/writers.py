"""Writers of sentences: an endpoint, or a local causal language model."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from biaslab.asking.calling import LONGEST_ANSWER
from biaslab.asking.chat_model import Completion
from biaslab.asking.endpoint import Endpoint
from biaslab.asking.providers.chat import OpenAIModel
from biaslab.errors import EndpointAnswerError, EndpointError, SentenceError
from biaslab.jobs.job import JobContext
from biaslab.probes.sentences.generate.prompts import SYSTEM
from biaslab.stats.threads import sampler_turn
from biaslab.subjects.pretrained.apart import render_chat
from biaslab.threads.leaving import leave_if_cancelled

if TYPE_CHECKING:
    from biaslab.subjects.language_model.model import LanguageModel


class WriterError(SentenceError):
    """The writer cannot continue: wrong key, address or model."""


class AnswerError(SentenceError):
    """One answer could not be had; others may."""


@dataclass(frozen=True)
class Answer:
    """A writer's reply.

    Attributes
    ----------
    text : str
        The raw reply.
    cut : bool
        Whether it stopped for want of room.
    """

    text: str
    cut: bool = False


class Writer(Protocol):
    """Interface of a writer of sentences."""

    @property
    def name(self) -> str:
        """Name, for the sentences' source."""

    def answer(self, question: str, *, start: str, count: int, context: JobContext) -> Answer:
        """Answer a question.

        - `question`: the prompt.
        - `start`: how a sentence that fits could begin, for models that only go on with a text.
        - `count`: how many sentences.
        - `context`: checked for cancellation.
        - Raises `AnswerError` if this answer could not be had; `WriterError` if none can be had.
        """


class EndpointWriter(OpenAIModel):
    """A model behind an OpenAI-compatible address that writes sentences.

    Parameters
    ----------
    model : str
        Name of the model there.
    temperature : float
        How varied the answers are, from 0.
    **options
        As of `biaslab.asking.endpoint.Endpoint`: ``base_url``, ``key``, ``attempts``, ``timeout``.

    Raises
    ------
    MissingExtraError
        If ``openai`` is not installed.
    WriterError
        If no key is given for OpenAI's own address.
    """

    def __init__(self, model: str, *, temperature: float = 0.9, **options: Any) -> None:
        try:
            endpoint = Endpoint(model, **options)
        except EndpointError as error:
            raise WriterError(f"{error} Templates and a local model need no server.") from None
        super().__init__(endpoint, temperature=temperature)

    def answer(self, question: str, *, start: str, count: int, context: JobContext) -> Answer:
        """See `Writer.answer`; a busy server is retried after the delay that it names."""
        del start
        try:
            written = self.complete(question, SYSTEM, context, max_tokens=80 * count + 80)
        except EndpointError as error:
            raise WriterError(str(error)) from error
        except EndpointAnswerError as error:
            raise (WriterError if error.final else AnswerError)(str(error)) from error
        if not (text := written.text or written.refusal):
            raise AnswerError(f"{self.name} has a filter of content, which held the answer back.")
        return Answer(text, written.finish == "length")

    def check(self, completion: Completion) -> None:
        """See `OpenAIModel.check`: an answer that is empty or too long is requested again."""
        text = completion.text or completion.refusal
        if not text.strip():
            raise EndpointAnswerError(f"{self.endpoint.base_url} sent an empty answer.")
        if len(text) > LONGEST_ANSWER:
            raise EndpointAnswerError(
                f"{self.endpoint.base_url} answered with {len(text):,} characters; at most"
                f" {LONGEST_ANSWER:,} are allowed."
            )


class LocalWriter:
    """A causal language model on this machine.

    A chat model (its tokenizer has a chat template) is asked; another one continues
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
                f"{lm.name!r} fills gaps and cannot write. Load a causal model, kind='clm'."
            )
        self.lm, self.temperature, self.longest = lm, temperature, longest
        self._seed = seed
        self._requests = 0

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
            text = render_chat(self.lm.tokenizer, messages, add_generation_prompt=True)
            written = self._continue(text, 1, self.longest * count)
            return Answer(written[0], cut=not written[0].rstrip().endswith((".", "!", "?")))
        written = self._continue(start, count, self.longest)
        return Answer("\n".join(_first_sentence(start + text) for text in written))

    def _continue(self, text: str, count: int, longest: int) -> list[str]:
        import torch

        self._requests += 1
        tokenizer, model = self.lm.tokenizer, self.lm.model
        tokens = tokenizer(text, return_tensors="pt", return_token_type_ids=False)
        tokens = {name: value.to(self.lm.device) for name, value in tokens.items()}
        padding = tokenizer.pad_token_id
        room = self.lm.longest
        if room is not None:
            longest = min(longest, room - tokens["input_ids"].shape[1])
            if longest < 1:
                raise AnswerError(f"{self.name} reads {room} tokens, but the prompt is longer.")
        # A sampler's turn comes first: what it samples may ask this model.
        with (
            sampler_turn(leave_if_cancelled),
            self.lm.lock,
            torch.random.fork_rng(devices=[]),
            torch.no_grad(),
        ):
            torch.manual_seed(self._seed + self._requests)
            output = model.generate(
                **tokens,
                do_sample=True,
                temperature=self.temperature,
                top_p=0.95,
                max_new_tokens=longest,
                num_return_sequences=count,
                stopping_criteria=[_never_but_leave],
                pad_token_id=tokenizer.eos_token_id if padding is None else padding,
            )
        new = output[:, tokens["input_ids"].shape[1] :]
        return [str(text) for text in tokenizer.batch_decode(new, skip_special_tokens=True)]


def _never_but_leave(ids: Any, _scores: Any, **_options: Any) -> Any:
    """Stop no sentence, and look after each token whether the job was cancelled."""
    import torch

    leave_if_cancelled()
    return torch.zeros(len(ids), dtype=torch.bool, device=ids.device)


def _first_sentence(text: str) -> str:
    line = " ".join(text.split())
    match = re.match(r"(.+?[.!?])(?:\s|$)", line)
    return match.group(1) if match else line
