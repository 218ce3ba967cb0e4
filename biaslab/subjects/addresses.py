"""Subjects that are named by an address: found late, since they need the layers above."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, Final

from biaslab.errors import SubjectError

_OPENERS: Final = {
    "openai:": ("biaslab.asking.opening", "open_server", ("clm",)),
    "inspect:": ("biaslab.asking.opening", "open_inspect", ("chat", "service")),
}
"""Of each prefix: module and function that open it, and the kinds that it can be."""


def is_address(source: object) -> bool:
    """Return whether a source is an address.

    Examples
    --------
    >>> is_address("openai:my-model@http://127.0.0.1:8000/v1"), is_address("wiki-clm")
    (True, False)
    """
    return not isinstance(source, Path) and str(source).startswith(tuple(_OPENERS))


def open_address(source: str, *, kind: str | None = None, name: str | None = None) -> Any:
    """Open the subject at an address.

    Parameters
    ----------
    source : str
        ``openai:MODEL@ADDRESS`` or ``inspect:PROVIDER/MODEL``.
    kind : str, optional
        Required kind.
    name : str, optional
        Name shown to the person.

    Raises
    ------
    SubjectError
        If it is of another kind, or cannot be asked.
    """
    prefix = next(known for known in _OPENERS if source.startswith(known))
    module, function, kinds = _OPENERS[prefix]
    if kind is not None and kind not in kinds:
        raise SubjectError(
            f"kind={kind!r}: {source} is of the kind {kinds[0]!r}. Leave out kind, or give the name"
            " of a model that runs here."
        )
    opened = getattr(importlib.import_module(module), function)
    return opened(source.removeprefix(prefix), name=name)
