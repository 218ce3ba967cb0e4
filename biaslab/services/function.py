"""A Python function as a service."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from types import CodeType

from biaslab.errors import ServiceAnswerError, ServiceError
from biaslab.services.service import Cost, Limits


class FunctionService:
    """A function of one text as a service.

    Parameters
    ----------
    function : callable
        Takes a text, returns a text. A `ServiceError` that it raises says whether asking again may
        help; anything else that it raises is the reason why that text has no answer.
    name : str, optional
        By default the function's.
    version : str, optional
        Stored answers are kept under name and version: change it when the function changes. By
        default a hash of the function's code, where it has some; what it calls, and what it closes
        over, is not in the hash.
    about : str
        What it is.
    limits, cost
        As of `Service`.
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
        self.function = function
        self.name = name or str(getattr(function, "__name__", type(function).__name__))
        self.about = about
        self.limits = limits or Limits()
        self.cost = cost or Cost()
        self.identity = f"function {self.name} {version or _code_hash(function)}"

    def answer(self, texts: Sequence[str]) -> list[str]:
        """See `Service.answer`."""
        return [self._answer(text) for text in texts]

    def _answer(self, text: str) -> str:
        try:
            answer: object = self.function(text)
        except ServiceError:
            raise
        except Exception as error:
            raise ServiceAnswerError(
                f"{self.name} failed with {type(error).__name__}: {error}"
            ) from error
        if not isinstance(answer, str):
            raise ServiceAnswerError(
                f"{self.name} returned {type(answer).__name__}: it has to return a text."
            )
        return answer

    def __repr__(self) -> str:
        return f"<FunctionService {self.name}>"


def _code_hash(function: Callable[[str], str]) -> str:
    code = getattr(function, "__code__", None)
    if code is None:  # an object that can be called
        code = getattr(type(function).__dict__.get("__call__"), "__code__", None)
    if code is None:  # written in C
        return ""
    return hashlib.sha256(repr(_content(code)).encode()).hexdigest()[:16]


def _content(code: CodeType) -> tuple[object, ...]:
    # The code of inner functions shows its address in memory, so it is taken apart too.
    constants = [_content(c) if isinstance(c, CodeType) else c for c in code.co_consts]
    return (code.co_code, constants, code.co_names)
