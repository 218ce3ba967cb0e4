"""Python functions: as services, as deciders."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from biaslab.asking.calling import StillRunsError, within
from biaslab.asking.protocols import Cost, Limits, Named, Reply, of_shares
from biaslab.asking.reading.reading import read_reply
from biaslab.cases import Question
from biaslab.errors import DeciderError, ServiceAnswerError, ServiceError, ServiceHangsError
from biaslab.jobs.job import JobContext
from biaslab.records.calls import recorded_class
from biaslab.records.wording import either

_ROUNDING: Final = 1e-6
"""Probabilities of all answers may be this much below 1."""


class _OfFunction(Named):
    """What is stored under a function's name and version."""

    about = "Python function"

    def __init__(self, function: Callable[[str], Any], name: str | None, key: str) -> None:
        self.function = function
        self.name = name or str(getattr(function, "__name__", type(function).__name__))
        self.identity = f"function {self.name} {key}" if key else ""


@recorded_class
class FunctionService(_OfFunction):
    """A function of one text as a service.

    Parameters
    ----------
    function : callable
        Takes a text, returns a text. A `ServiceError` that it raises says whether a retry may
        help; anything else that it raises is the reason why that text has no answer.
    name : str, optional
        By default the function's.
    version : str, optional
        Answers are stored under name and version: change it when the function, or its
        dependencies, change. Without one nothing is stored.
    about : str
        Description.
    limits, cost
        As of `Service`. A text that takes longer than ``limits.timeout`` ends the run: the
        function cannot be stopped, and no second call runs beside it.
    """

    def __init__(
        self,
        function: Callable[[str], str],
        *,
        name: str | None = None,
        version: str | None = None,
        about: str = "Python function",
        limits: Limits | None = None,
        cost: Cost | None = None,
    ) -> None:
        super().__init__(function, name, version or "")
        self.about, self.limits, self.cost = about, limits or Limits(), cost or Cost()

    def answer(self, texts: Sequence[str]) -> list[str]:
        """See `Service.answer`."""
        return [self._answer(text) for text in texts]

    def _answer(self, text: str) -> str:
        try:
            answer: object = within(self.limits.timeout, lambda: self.function(text))
        except ServiceError:
            raise
        except StillRunsError as error:
            raise ServiceHangsError(
                f"{self.name} has not returned within {self.limits.timeout:g} s. If it needs"
                " longer, pass limits=Limits(timeout=...) to FunctionService."
            ) from error
        except Exception as error:
            raise ServiceAnswerError(
                f"{self.name} failed with {type(error).__name__}: {error}"
            ) from error
        if not isinstance(answer, str):
            raise ServiceAnswerError(
                f"{self.name} returned {type(answer).__name__}: it must return a text."
            )
        return answer


@recorded_class
class FunctionDecider(_OfFunction):
    """A function of the question's text.

    It returns one of these:

    - a text, which is read as a reply (`biaslab.asking.reading.reading`);
    - a mapping of each answer to its probability, which is scaled to sum to 1; an answer that is
      left out is impossible, and the others have to sum to 1;
    - with `yes`, a bool, or the probability of the answer `yes`, in [0, 1].

    Parameters
    ----------
    function : callable
        Takes the text of the question.
    yes : str
        The answer that True, or a probability, stands for.
    name, version : str, optional
        As of `biaslab.services.FunctionService`.
    gives_probabilities : bool
        Whether the function returns the same probabilities each time.
    """

    at_once = 1

    def __init__(
        self,
        function: Callable[[str], Any],
        *,
        yes: str = "",
        name: str | None = None,
        version: str | None = None,
        gives_probabilities: bool = False,
    ) -> None:
        super().__init__(function, name, f"{version} {yes}".rstrip() if version else "")
        self.yes, self.gives_probabilities = yes, gives_probabilities

    def decide(self, questions: Sequence[Question], context: JobContext) -> list[Reply]:
        """See `Decider.decide`."""
        replies = []
        for question in questions:
            context.checkpoint()
            begun = time.monotonic()
            reply = self._reply(question)
            replies.append(replace(reply, seconds=time.monotonic() - begun))
        return replies

    def _reply(self, question: Question) -> Reply:
        try:
            said: object = self.function(question.prompt)
        except DeciderError:
            raise
        except Exception as error:  # anybody's code
            raise DeciderError(
                f"{self.name} failed with {type(error).__name__}: {error}. Correct the function; it"
                f" was asked: {question.prompt[:200]!r}"
            ) from error
        if isinstance(said, str):
            return read_reply(said, question)
        if isinstance(said, Mapping):
            return self._of_shares(question, {str(key): said[key] for key in said})
        if isinstance(said, bool | np.bool_):
            return Reply(outcome="answered", answer=self._yes_and_no(question)[not said])
        if isinstance(said, int | float | np.number):
            chance = float(said)
            if not 0 <= chance <= 1:
                raise DeciderError(f"{self.name} returned {chance:g}: a probability is in [0, 1].")
            yes, no = self._yes_and_no(question)
            return self._of_shares(question, {yes: chance, no: 1 - chance})
        raise DeciderError(
            f"{self.name} returned {type(said).__name__}. Return a text, which is read as a reply;"
            " a mapping of each answer to its probability; or, with yes='...', True, False or the"
            " probability of that answer."
        )

    def _yes_and_no(self, question: Question) -> tuple[str, str]:
        options = question.options
        if self.yes not in options or len(options) != 2:
            raise DeciderError(
                f"{self.name} returns whether or how probably, and the answers are"
                f" {', '.join(options)}. Say which of them it means:"
                f" FunctionDecider(function, yes={options[0]!r})."
            )
        return self.yes, next(one for one in options if one != self.yes)

    def _of_shares(self, question: Question, shares: Mapping[str, Any]) -> Reply:
        unknown = [answer for answer in shares if answer not in question.answers]
        try:
            values = [float(shares.get(answer, 0.0)) for answer in question.answers]
        except (TypeError, ValueError):
            values = [math.nan]
        total = sum(values)
        missing = [answer for answer in question.answers if answer not in shares]
        if missing and not unknown and 0 < total < 1 - _ROUNDING:
            raise DeciderError(
                f"{self.name} returned {dict(shares)!r}, without {either(missing)}. Give each"
                " answer its probability; 0 where it is impossible."
            )
        if unknown or not all(value >= 0 for value in values) or not 0 < total < math.inf:
            raise DeciderError(
                f"{self.name} returned {dict(shares)!r}: give each of"
                f" {', '.join(question.answers)} a probability of at least 0."
            )
        return of_shares(question, [value / total for value in values], mass=total)
