"""A causal language model as a decider: the probabilities of the answers after the prompt."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from biaslab.asking.calling import Streaming
from biaslab.asking.protocols import QUESTION, Reply, digest, of_shares
from biaslab.cases import Question
from biaslab.errors import DeciderError, QueryError, SubjectError
from biaslab.jobs.job import JobContext
from biaslab.records.calls import recorded_class
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.language_model.reading import Look
from biaslab.subjects.language_model.tokens import AT_ONCE, end_thoughts
from biaslab.subjects.pretrained.apart import render_chat
from biaslab.subjects.pretrained.speed import seconds_per_token

Tokens = tuple[int, ...]
_TIMED: Final = 8
"""Questions that are read to see how long others take,"""
_LONGEST_TRIAL: Final = 1.0
"""if that is about as many seconds at most."""
_paces: weakref.WeakKeyDictionary[Any, float] = weakref.WeakKeyDictionary()
"""Seconds per token of each model."""
_PLAIN: Final = (
    "The model has no chat template: it reads the plain question and continues it. If it puts"
    " little probability on the answers, choose a model that was trained for chats."
)
_TAIL: Final = 24
"""Characters of the prompt's end that can change how the first tokens after it are cut."""


def variants(answer: str) -> tuple[str, ...]:
    """Return an answer in the forms in which it may be written, with and without a space before.

    As given, in capitals, capitalised and in small letters; a single letter never in small ones,
    as ``a`` is a word.
    """
    forms = [answer, answer.upper(), answer.capitalize()]
    if len(answer) > 1:
        forms.append(answer.lower())
    return tuple(dict.fromkeys(space + form for form in forms for space in ("", " ")))


class AnswerTokens:
    """Tokens of answers after a prompt.

    `encode` returns the tokens of a text, without special ones, and `unknown` is the token of text
    that is not in the vocabulary of the model `name`.
    """

    def __init__(self, encode: Callable[[str], list[int]], unknown: int | None, name: str) -> None:
        self._encode, self._unknown, self._name = encode, unknown, name
        self._known: dict[tuple[str, tuple[str, ...]], dict[Tokens, str]] = {}

    def after(self, prompt: str, answers: Sequence[str]) -> dict[Tokens, str]:
        """Return all ways to write the answers after a prompt, and which answer each is.

        What two answers could both mean, because they differ in nothing but their case, is only
        the one that is written so. A `DeciderError` names an answer without tokens.
        """
        key = prompt[-_TAIL:], tuple(answers)
        if key not in self._known:
            self._known[key] = self._ways(*key)
        return self._known[key]

    def _ways(self, tail: str, answers: tuple[str, ...]) -> dict[Tokens, str]:
        is_any_case = len({answer.casefold() for answer in answers}) == len(answers)
        ways: dict[Tokens, str] = {}
        for answer in answers:
            forms = variants(answer) if is_any_case else (answer, f" {answer}")
            tokens = [self._after(tail, form) for form in forms]
            known = [some for some in tokens if some and self._unknown not in some]
            if not known:
                raise DeciderError(
                    f"The vocabulary of {self._name} has no tokens for the answer {answer!r}."
                    " Choose another word for it in the case, in letters that the model knows."
                )
            for some in known:
                ways.setdefault(some, answer)
        return ways

    def _after(self, tail: str, text: str) -> Tokens:
        before, both = self._encode(tail), self._encode(tail + text)
        if both[: len(before)] == before:
            return tuple(both[len(before) :])
        return tuple(self._encode(text))


def looks_for(prompt: Sequence[int], ways: Sequence[Tokens]) -> tuple[list[Look], list[Tokens]]:
    """Return looks that read every token of the ways, and which tokens each look reads.

    Ways that begin alike share a look. For each target of the looks in turn, the second list has
    the beginning of a way up to and with that token.
    """
    needed = {way[: end + 1]: None for way in ways for end in range(len(way))}
    paths: list[Tokens] = []
    for path in sorted({way[:-1] for way in ways}, key=len, reverse=True):
        if not any(longer[: len(path)] == path for longer in paths):
            paths.append(path)
    looks, read = [], []
    for path in paths:
        mine = [way for way in needed if way[:-1] == path[: len(way) - 1]]
        for way in mine:
            del needed[way]
        looks.append(
            Look(
                np.asarray([*prompt, *path], dtype=np.int64),
                np.asarray([len(prompt) + len(way) - 2 for way in mine], dtype=np.int64),
                np.asarray([way[-1] for way in mine], dtype=np.int64),
            )
        )
        read += mine
    return looks, read


def answer_masses(
    ways: dict[Tokens, str],
    answers: Sequence[str],
    logs: dict[Tokens, float],
    *,
    per_token: bool = False,
) -> NDArray[np.float64]:
    """Return log probabilities of the answers, shape (answers,), each over all its ways.

    A way that begins another one counts without it: "A" is not also "AB". The `logs` are those of
    the last token of each beginning of a way, given the tokens before; with `per_token` the
    probability of a way is the geometric mean of its tokens'.
    """
    total = {way: sum(logs[way[: end + 1]] for end in range(len(way))) for way in ways}
    masses = dict.fromkeys(answers, -np.inf)
    for way, answer in ways.items():
        longer = [one for one in ways if _begins(way, one)]
        next_ones = [one for one in longer if not any(_begins(other, one) for other in longer)]
        log = total[way] / len(way) if per_token else total[way]
        share = sum(float(np.exp(total[one] - total[way])) for one in next_ones)
        if share < 1:
            masses[answer] = np.logaddexp(masses[answer], log + np.log1p(-share))
    return np.array([masses[answer] for answer in answers])


def _begins(way: Tokens, longer: Tokens) -> bool:
    return len(way) < len(longer) and longer[: len(way)] == way


@dataclass(frozen=True)
class _Reading:
    """A question, its answers' tokens, those that its looks read, and which looks are its own."""

    question: Question
    ways: dict[Tokens, str]
    read: list[Tokens]
    looks: range


@recorded_class
class LanguageModelDecider(Streaming):
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
        Passed to the chat template. A template that knows thoughts gets ``enable_thinking=False``,
        and a thought that it begins is ended: the answer has to follow the prompt.
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
        self.template = getattr(lm.tokenizer, "chat_template", None)
        usual = AT_ONCE if "think" in str(self.template) else {}
        self.template_options = {**usual, **(template_options or {})}
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
        self.at_once = 64 if lm.device == "cpu" else 512
        self._tokens = AnswerTokens(self._encode, lm.tokenizer.unk_token_id, lm.name)

    @cached_property
    def identity(self) -> str:
        """Hash of the model, its template and the settings."""
        form = f"{self.template}|{self.system}|{self.template_options}|{self.per_token}"
        return f"language model {self.lm.content_hash[:16]} {digest(form)}"

    def stream(
        self,
        questions: Sequence[Question],
        repetitions: Sequence[int],  # noqa: ARG002  # each has the same reply
        context: JobContext,
    ) -> Iterator[tuple[int, Reply]]:
        """See `StreamingDecider.stream`; equal questions are read once."""
        begun = time.monotonic()
        places: dict[Question, list[int]] = {}
        for number, question in enumerate(questions):
            places.setdefault(question, []).append(number)
        looks: list[Look] = []
        owners: list[_Reading] = []
        for question in places:
            ways, own, read = self._looks(question)
            first = len(looks)
            owners += [_Reading(question, ways, read, range(first, first + len(own)))] * len(own)
            looks += own
        logs: dict[int, NDArray[np.float64]] = {}
        done = 0
        stream = self.lm.stream(looks, memory_mb=self.memory_mb, between=context.checkpoint)
        for number, values in stream:
            logs[number] = values
            reading = owners[number]
            if not all(look in logs for look in reading.looks):
                continue
            same = places[reading.question]
            done += len(same)
            own_logs = np.concatenate([logs[look] for look in reading.looks])
            reply = self._reply(reading, own_logs, (time.monotonic() - begun) / done)
            yield from ((place, reply) for place in same)

    @property
    def request(self) -> Mapping[str, Any]:
        """See `biaslab.asking.protocols.request_of`: the text that the reply follows."""
        return {"text": self._in_template(QUESTION) if self.template else QUESTION}

    def problem(self, question: Question) -> str:
        """Return why an answer of a question cannot be read; empty if all can."""
        try:
            self._tokens.after(self._prompt(question)[0], question.answers)
        except DeciderError:
            return f"has answers, {' and '.join(question.options)}, that it does not know"
        return ""

    def tokens_of(self, question: Question) -> list[int]:
        """Return the tokens that a reply follows, the template's included."""
        return self._prompt(question)[1]

    def seconds_each(self, questions: Sequence[Question]) -> float:
        """Return about how many seconds one of many questions like these takes.

        The first time, a few of them are read to see, unless that takes longer than a second.
        """
        each = float(np.mean([len(self.tokens_of(question)) for question in questions]))
        if self.lm.model not in _paces:
            rough = seconds_per_token(self.lm.model)
            few = questions[: min(_TIMED, int(_LONGEST_TRIAL / (rough * each)))]
            try:
                _paces[self.lm.model] = self._pace(few) if few else rough
            except DeciderError:  # the run says why they cannot be read
                return each * rough
        return each * _paces[self.lm.model]

    def _pace(self, questions: Sequence[Question]) -> float:
        """Return the seconds per token of questions, which are read."""
        looks = [look for question in questions for look in self._looks(question)[1]]
        self.lm.read(looks[:1], memory_mb=self.memory_mb)  # it may be tried for what it can
        begun = time.perf_counter()
        self.lm.read(looks, memory_mb=self.memory_mb)
        tokens = sum(len(self.tokens_of(question)) for question in questions)
        return (time.perf_counter() - begun) / tokens

    def _looks(self, question: Question) -> tuple[dict[Tokens, str], list[Look], list[Tokens]]:
        """Return the ways to answer, looks that read them, and which tokens these read."""
        prompt, ids = self._prompt(question)
        ways = self._tokens.after(prompt, question.answers)
        looks, read = looks_for(ids, list(ways))
        longest = self.lm.longest
        size = max(len(look.ids) for look in looks)
        if longest is not None and size > longest:
            raise DeciderError(
                f"The question has {size:,} tokens with its answer, and {self.name} reads at"
                f" most {longest:,}. Shorten the wording."
            )
        return ways, looks, read

    def _reply(self, reading: _Reading, logs: NDArray[np.float64], seconds: float) -> Reply:
        values = dict(zip(reading.read, logs.tolist(), strict=True))
        answers = reading.question.answers
        masses = answer_masses(reading.ways, answers, values)
        scores = masses
        if self.per_token:
            scores = answer_masses(reading.ways, answers, values, per_token=True)
        scaled = np.exp(scores - scores.max())
        return of_shares(
            reading.question, (scaled / scaled.sum()).tolist(), mass=float(np.exp(masses).sum()),
            model=self.name, seconds=seconds,
        )  # fmt: skip

    def _prompt(self, question: Question) -> tuple[str, list[int]]:
        """Return the text that a reply follows, and its tokens."""
        if self.template:
            text = self._in_template(question.prompt)
            return text, self._encode(text)
        try:
            return question.prompt, self.lm.tokenize(question.prompt).ids.tolist()
        except QueryError as error:
            raise DeciderError(str(error)) from error

    def _in_template(self, prompt: str) -> str:
        before = [{"role": "system", "content": self.system}] if self.system else []
        if self.lm.instruction:
            prompt = f"{self.lm.instruction}\n\n{prompt}"
        try:
            return end_thoughts(
                render_chat(
                    self.lm.tokenizer, [*before, {"role": "user", "content": prompt}],
                    add_generation_prompt=True, **self.template_options,
                )
            )  # fmt: skip
        except SubjectError as error:
            remedy = " Leave out the system message." if self.system else ""
            raise DeciderError(
                f"The chat template of {self.name} cannot be filled in: {error}{remedy}"
            ) from error

    def _encode(self, text: str) -> list[int]:
        with self.lm.lock:
            encoded = self.lm.tokenizer(text, add_special_tokens=False, verbose=False)
        return list(map(int, encoded["input_ids"]))
