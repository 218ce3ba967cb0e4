"""A Python function as a service."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from biaslab.calls import recorded_class
from biaslab.errors import ServiceAnswerError, ServiceError, ServiceHangsError
from biaslab.services.service import Cost, Limits
from biaslab.services.within import StillRunsError, within


@recorded_class
class FunctionService:
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
        self.function = function
        self.name = name or str(getattr(function, "__name__", type(function).__name__))
        self.about = about
        self.limits = limits or Limits()
        self.cost = cost or Cost()
        self.identity = f"function {self.name} {version}" if version else ""

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

    def __repr__(self) -> str:
        return f"<FunctionService {self.name}>"
