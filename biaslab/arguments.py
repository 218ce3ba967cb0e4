"""Checks of arguments; errors name the value passed and say what to pass instead."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ParamSpec, TypeAlias, TypeVar, overload

from biaslab.errors import ArgumentError

P = ParamSpec("P")
T = TypeVar("T")
Renaming: TypeAlias = str | tuple[str, Callable[[Any], Any]]
"""A new name, and how a value changes with it."""
_KINDS = {
    "embedding": "an embedding",
    "ensemble": "an ensemble of embeddings",
    "encoder": "an encoder",
    "classifier": "a classifier",
    "mlm": "a masked language model",
    "clm": "a causal language model",
    **dict.fromkeys(
        ("clip", "vilt", "blip", "blip-2", "git", "picture-chat"), "a vision-language model"
    ),
    "translation": "a translation model",
    "observer": "a simulated observer",
}


def described(value: object) -> str:
    """Describe a value for a message.

    Examples
    --------
    >>> described(None), described(3), described(["a"])
    ('None', '3', "['a']")
    """
    kind, name = getattr(value, "kind", None), getattr(value, "name", None)
    if isinstance(kind, str) and isinstance(name, str) and kind in _KINDS:
        return f"{name!r}, {_KINDS[kind]}"
    if value is None or isinstance(value, str | int | float | list | tuple):
        shown = repr(value)
        return shown if len(shown) <= 60 else f"{shown[:57]}..."
    named = type(value).__name__
    return f"{'an' if named[:1].lower() in 'aeiou' else 'a'} {named}"


def strings(values: Any, what: str, example: str = "['nurse', 'engineer']") -> tuple[str, ...]:
    """Return a list of text as a tuple.

    Parameters
    ----------
    values : sequence of str
        What the caller passed.
    what : str
        The argument, as a message names it.
    example : str
        A value that it could have.

    Raises
    ------
    ArgumentError
        If it is a bare string, not iterable, or holds something other than text.

    Examples
    --------
    >>> strings(["nurse", 3], "items")
    Traceback (most recent call last):
    ...
    biaslab.errors.ArgumentError: items holds 3, which is not text. Pass words, ...
    """
    if isinstance(values, str):
        raise ArgumentError(
            f"{what} is a single string: pass a list, [{values!r}], not {values!r}."
        )
    texts = listed(values, what, example)
    if set(map(type, texts)) <= {str}:  # lists of ten thousand words are common
        return texts
    for value in texts:
        if not isinstance(value, str):
            raise ArgumentError(
                f"{what} holds {described(value)}, which is not text. Pass words, such as"
                f" {example}."
            )
    return texts


def listed(values: Any, what: str, example: str) -> tuple[Any, ...]:
    """Return an iterable as a tuple.

    Raises
    ------
    ArgumentError
        If it is text, a mapping, or not iterable.
    """
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise ArgumentError(f"{what} is {described(values)}. Pass a list, such as {example}.")
    return tuple(values)


def lists_by_name(
    values: Any, what: str, example: str = "{'female': ['she', 'her']}"
) -> dict[str, tuple[str, ...]]:
    """Return named lists of text as a dict of tuples.

    Raises
    ------
    ArgumentError
        If it is no mapping, or one of its lists holds something other than text.
    """
    if not isinstance(values, Mapping):
        raise ArgumentError(
            f"{what} is {described(values)}. Pass a mapping of names to lists, such as {example}."
        )
    return {str(name): strings(words, f"{what}[{name!r}]") for name, words in values.items()}


@overload
def instance(value: object, kinds: type[T], what: str, remedy: str) -> T: ...
@overload
def instance(value: object, kinds: tuple[type, ...], what: str, remedy: str) -> Any: ...
def instance(value: object, kinds: type | tuple[type, ...], what: str, remedy: str) -> object:
    """Return the value if it is of one of these kinds.

    Parameters
    ----------
    value : object
    kinds : type or tuple of types
    what : str
        The argument, as a message names it.
    remedy : str
        A sentence that says what to pass.

    Raises
    ------
    ArgumentError
        If it is of another kind.
    """
    if not isinstance(value, kinds):
        raise ArgumentError(f"{what} is {described(value)}. {remedy}")
    return value


def check_choice(value: str, choices: Iterable[str], what: str) -> None:
    """Raise unless `value` is one of the choices.

    Raises
    ------
    ValueError
        With the choices.
    """
    known = list(choices)
    if value not in known:
        raise ValueError(f"{what}={value!r}: choose one of {', '.join(known)}.")


def names(values: Sequence[str] | None, what: str) -> tuple[str, ...]:
    """Return the chosen names; an empty tuple if none was chosen.

    Raises
    ------
    ArgumentError
        As `strings`.
    """
    return () if values is None else strings(values, what, "('female', 'male')")


def check_names(options: Mapping[str, Any], function: Callable[..., Any], probe: str) -> None:
    """Raise unless a function takes all options that a probe passes on to it.

    Raises
    ------
    TypeError
        With the name of the probe that was called.
    """
    former = getattr(function, "former_options", ())
    try:
        inspect.signature(function).bind_partial(**{n: options[n] for n in options.keys() - former})
    except TypeError as error:
        raise TypeError(f"{probe}() {error}") from None


def renamed(**former: Renaming) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Accept former names of arguments until the next version, with a `DeprecationWarning`.

    Stands above other decorators. Stored calls keep working: see `with_current_names`.

    Parameters
    ----------
    **former : str or (str, callable)
        The new name of each; or the new name and what makes the new value of the old one.
    """

    def decorated(function: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(function)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
            if former.keys() & kwargs:
                kwargs = with_current_names(wrapper, kwargs, stacklevel=3)  # type: ignore[assignment]
            return function(*args, **kwargs)

        wrapper.__dict__["former_names"] = former
        return wrapper

    return decorated


def with_current_names(
    function: Callable[..., Any], arguments: Mapping[str, Any], stacklevel: int | None = None
) -> dict[str, Any]:
    """Return arguments of a function by the names that it has now; see `renamed`.

    Parameters
    ----------
    function : callable
    arguments : mapping of str to value
    stacklevel : int, optional
        Of a warning about former names; by default there is none.

    Raises
    ------
    TypeError
        If an argument stands there under both names.
    """
    former: Mapping[str, Renaming] = getattr(function, "former_names", {})
    current: dict[str, Any] = {}
    for name, value in arguments.items():
        new = former.get(name, name)
        new, changed = (new, value) if isinstance(new, str) else (new[0], new[1](value))
        if new in current or (new != name and new in arguments):
            raise TypeError(f"{name} is called {new} now, and both were passed. Leave {name} out.")
        if new != name and stacklevel is not None:
            text = f"{function.__qualname__}({name}=...) is called {new} now. Pass {new}."
            warnings.warn(text, DeprecationWarning, stacklevel=stacklevel)
        current[new] = changed
    return current
