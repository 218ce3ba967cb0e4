"""Record calls: of probes in their provenance, of other functions on what they return."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, ParamSpec, TypeVar

import numpy as np

from biaslab.records.calls.call import Call, Tree, public_name
from biaslab.records.calls.describing import MARK, described, described_arguments, is_result, origin
from biaslab.records.record import FrozenDict

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")
F = TypeVar("F", bound=Callable[..., Any])


class _Pending:
    """A call that is described when its provenance is recorded."""

    def __init__(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> None:
        self._parts = (function, args, kwargs)
        self._call: Call | None = None

    def call(self) -> Call:
        if self._call is None:
            function, args, kwargs = self._parts
            self._call = call_of(function, *args, **kwargs)
        return self._call


_current: ContextVar[_Pending | None] = ContextVar("call", default=None)
_is_inside: ContextVar[bool] = ContextVar("is_inside", default=False)


def current_call() -> Call | None:
    """Return the call of the recorded function that runs; None in one that it called."""
    pending = _current.get()
    return None if pending is None else pending.call()


def call_of(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Call:
    """Describe a call without making it.

    Parameters
    ----------
    function : callable
        A recorded function or class.
    *args, **kwargs
        Its arguments.

    Raises
    ------
    TypeError
        If the arguments do not fit.
    """
    return Call(public_name(function), described_arguments(function, args, kwargs))


def recorded(function: Callable[P, R]) -> Callable[P, R]:
    """Record each call of a function, for the provenance and the code of results.

    A probe's `Provenance` has the call; of other functions, such as `biaslab.load`, the object that
    they return remembers it. Functions that run inside a recorded one are not recorded, for the
    outer call makes them again.
    """

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        pending = _Pending(wrapper, args, kwargs)
        if any(isinstance(one, np.random.Generator) for one in (*args, *kwargs.values())):
            pending.call()  # its state is that before the first draw
        with _running(pending):
            made = function(*args, **kwargs)
        if any(made is one for one in (*args, *kwargs.values())):
            return made
        if is_result(made):
            # Another call is that of a function inside, or of a result that this one was made of.
            result: Any = made
            is_other = not _is_inside.get() and result.provenance.call is not pending.call()
            same: R = _with_call(result, pending.call()) if is_other else result
            return same
        if _can_remember(made):
            remember(made, pending.call().tree)
        return made

    wrapper.__dict__["is_recorded"] = True
    return wrapper


def recorded_class(cls: type[C]) -> type[C]:
    """Record how objects of a class are made; what their methods return is another matter."""
    begin: Callable[..., None] = getattr(cls, "__init__")  # noqa: B009  # of the class, not one object

    @functools.wraps(begin)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        begin(self, *args, **kwargs)
        if type(self) is cls:
            remember(self, call_of(cls, *args, **kwargs).tree)

    type.__setattr__(cls, "__init__", __init__)
    type.__setattr__(cls, "is_recorded", True)
    return cls


def recorded_method(method: F) -> F:
    """Record a method that returns another subject or result, as a call on the first."""

    @functools.wraps(method)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = origin(self)
        with _running(None):
            made = method(self, *args, **kwargs)
        if made is self:
            return made
        if is_result(made) and before is None:
            return made
        of = described(self) if before is None else before
        call = Call(f".{method.__name__}", _without_first(method, self, args, kwargs), of)
        if is_result(made):
            return _with_call(made, call)
        made.__dict__.pop(MARK, None)  # that of a copy
        return remember(made, call.tree)

    wrapper.__dict__["is_recorded"] = True
    return wrapper  # type: ignore[return-value]


def recorded_classmethod(method: F) -> F:
    """Record a class method that makes an object of its class; stands below ``@classmethod``."""

    @functools.wraps(method)
    def wrapper(cls: type, *args: Any, **kwargs: Any) -> Any:
        with _running(None):
            made = method(cls, *args, **kwargs)
        if _can_remember(made) and (name := public_name(cls)):
            arguments = _without_first(method, cls, args, kwargs)
            made.__dict__.pop(MARK, None)  # that of another class method, which it called
            remember(made, Call(f"{name}.{method.__name__}", arguments).tree)
        return made

    wrapper.__dict__["is_recorded"] = True
    return wrapper  # type: ignore[return-value]


def remember(made: R, made_by: Tree) -> R:
    """Let an object remember the call that made it; the first one counts."""
    made.__dict__.setdefault(MARK, made_by)
    words = getattr(made, "words", None)
    if hasattr(type(words), "content_hash"):  # the word vectors of a classifier
        words.__dict__.setdefault(MARK, FrozenDict({"attribute": "words", "of": made_by}))
    return made


def _without_first(
    method: Callable[..., Any], first: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Tree]:
    """Return the arguments of a method but for the object or class that it belongs to."""
    arguments = described_arguments(method, (first, *args), kwargs)
    return dict(list(arguments.items())[1:])


@contextmanager
def _running(pending: _Pending | None) -> Iterator[None]:
    inner = None if _is_inside.get() else pending
    tokens = _current.set(inner), _is_inside.set(True)
    try:
        yield
    finally:
        _current.reset(tokens[0])
        _is_inside.reset(tokens[1])


def _can_remember(made: object) -> bool:
    return (
        hasattr(made, "__dict__") and not isinstance(made, type) and not hasattr(made, "provenance")
    )


def _with_call(result: Any, call: Call) -> Any:
    """Return a result with another call; what it has computed already stays."""
    copy = object.__new__(type(result))
    copy.__dict__.update(result.__dict__)
    copy.__dict__["provenance"] = replace(result.provenance, call=call)
    return copy
