"""A causal language model as a decider: the probabilities of the answers after the prompt."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np

from biaslab.calls import recorded_class
from biaslab.cases import Question
from biaslab.deciders.answer_tokens import AnswerTokens, Tokens, answer_masses, looks_for
from biaslab.deciders.decider import Reply
from biaslab.errors import DeciderError, QueryError, SubjectError
from biaslab.jobs import JobContext
from biaslab.subjects.language_model import LanguageModel

_AT_ONCE: Final = {"cpu": 32, "cuda": 512}


@recorded_class
class LanguageModelDecider:
    """A causal language model that decides by the probabilities of the answers.

    The probability of an answer is that of its tokens after the prompt, summed over the ways to
    write it: as given, in capitals, capitalised or in small letters, with or without a space
    before. Longer answers are less probable than shorter ones, unless `per_token`.

    A model for chats reads the prompt in its own template, with the beginning of a reply after it;
    another one reads the plain prompt.

    Parameters
    ----------
    lm : LanguageModel
        A causal one.
    system : str
        A system message before the prompt, where the model's template has a place for one.
    template_options : mapping, optional
        Passed to the chat template, such as ``{"enable_thinking": False}``.
    per_token : bool
        Whether the geometric mean of its tokens' probabilities stands for that of an answer.
    memory_mb : float, optional
        Limit on the extra memory of a batch, in megabytes; by default measured on the device.

    Raises
    ------
    SubjectError
        If the model is masked, or its template cannot be used.
    """

    gives_probabilities = True

    def __init__(
        self,
        lm: LanguageModel,
        *,
        system: str = "",
        template_options: Mapping[str, Any] | None = None,
        per_token: bool = False,
        memory_mb: float | None = None,
    ) -> None:
        if lm.kind != "clm":
            raise SubjectError(
                f"{lm.name} is a masked language model, which writes no reply. Choose a causal one,"
                " opened with kind='clm'."
            )
        self.lm, self.system, self.per_token, self.memory_mb = lm, system, per_token, memory_mb
        self.template_options = dict(template_options or {})
        self.template = getattr(lm.tokenizer, "chat_template", None)
        if system and not self.template:
            raise SubjectError(
                f"{lm.name} has no chat template, so it takes no system message. Write it into the"
                " wordings of the case."
            )
        self.name = lm.name
        self.about = lm.about + ("" if self.template else ", without a chat template")
        own = () if self.template else (_PLAIN,)
        # That note tells how texts are read, and questions have the template without its example.
        of_texts = "" if lm.chat is None else lm.chat.note
        self.notes = (*(note for note in lm.notes if note != of_texts), *own)
        self.at_once = _AT_ONCE["cpu" if lm.device == "cpu" else "cuda"]
        self._tokens = AnswerTokens(self._encode, lm.tokenizer.unk_token_id, lm.name)

    def __repr__(self) -> str:
        return f"<LanguageModelDecider {self.name}>"

    @cached_property
    def identity(self) -> str:
        """Hash of the model, its template and the settings."""
        form = f"{self.template}|{self.system}|{self.template_options}|{self.per_token}"
        digest = hashlib.sha256(form.encode()).hexdigest()[:16]
        return f"language model {self.name} {self.lm.content_hash[:16]} {digest}"

    def decide(self, questions: Sequence[Question], context: JobContext) -> list[Reply]:
        """See `Decider.decide`.

        Raises
        ------
        DeciderError
            If a prompt is too long, or the vocabulary lacks an answer.
        """
        begun = time.monotonic()
        distinct = list(dict.fromkeys(questions))
        ways: list[dict[Tokens, str]] = []
        looks, places = [], []
        for question in distinct:
            prompt, ids = self._prompt(question)
            ways.append(self._tokens.after(prompt, question.answers))
            own, read = looks_for(ids, list(ways[-1]))
            longest = self.lm.longest
            size = max(len(look.ids) for look in own)
            if longest is not None and size > longest:
                raise DeciderError(
                    f"The question has {size:,} tokens with its answer, and {self.name} reads at"
                    f" most {longest:,}. Shorten the wording."
                )
            looks += own
            places.append((len(own), read))
        logs = self.lm.read(looks, memory_mb=self.memory_mb, between=context.checkpoint)
        replies, at = {}, 0
        seconds = (time.monotonic() - begun) / len(questions) if questions else 0.0
        for question, own_ways, (count, read) in zip(distinct, ways, places, strict=True):
            values = np.concatenate(logs[at : at + count]).tolist()
            at += count
            masses = answer_masses(own_ways, question.answers, dict(zip(read, values, strict=True)))
            scores = masses
            if self.per_token:
                scores = answer_masses(
                    own_ways, question.answers, dict(zip(read, values, strict=True)),
                    per_token=True,
                )  # fmt: skip
            replies[question] = self._reply(question, masses, scores, seconds)
        return [replies[question] for question in questions]

    def _reply(self, question: Question, masses: Any, scores: Any, seconds: float) -> Reply:
        scaled = np.exp(scores - scores.max())
        scaled /= scaled.sum()
        best = int(scaled[: len(question.options)].argmax())
        return Reply(
            outcome="answered", answer=question.options[best],
            probabilities=tuple(scaled.tolist()), mass=min(1.0, float(np.exp(masses).sum())),
            model=self.name, seconds=seconds,
        )  # fmt: skip

    def _prompt(self, question: Question) -> tuple[str, list[int]]:
        """Return the text that a reply follows, and its tokens."""
        if self.template:
            text = self._in_template(question.prompt)
            return text, self._encode(text)
        try:
            tokens = self.lm.tokenize(question.prompt)
        except QueryError as error:
            raise DeciderError(str(error)) from error
        return question.prompt, tokens.ids.tolist()

    def _in_template(self, prompt: str) -> str:
        messages = [{"role": "user", "content": prompt}]
        if self.system:
            messages.insert(0, {"role": "system", "content": self.system})
        from jinja2 import TemplateError

        try:
            return str(
                self.lm.tokenizer.apply_chat_template(
                    messages, tokenize=False, add_generation_prompt=True, **self.template_options
                )
            )
        except (TemplateError, TypeError, ValueError) as error:
            remedy = " Leave out the system message." if self.system else ""
            raise DeciderError(
                f"The chat template of {self.name} cannot be filled in: {error}.{remedy}"
            ) from error

    def _encode(self, text: str) -> list[int]:
        with self.lm.lock:
            encoded = self.lm.tokenizer(text, add_special_tokens=False, verbose=False)
        return list(map(int, encoded["input_ids"]))


_PLAIN: Final = (
    "The model has no chat template: it reads the plain question and continues it. If it puts"
    " little probability on the answers, choose a model that was trained for chats."
)
