"""Engines of deep-translator whose requests and key stay with their host."""

from __future__ import annotations

import functools
import importlib.util
from types import ModuleType
from typing import Any


@functools.cache
def without_redirects(engine: type) -> Any:
    """Copy an engine so that its requests are checked and follow no redirect.

    deep-translator calls ``requests.get`` and ``requests.post``, which connect anywhere, follow any
    redirect, take along keys that are not in an Authorization header, and read answers of any size.
    The package itself is not changed.

    Parameters
    ----------
    engine : type
        A translator of deep-translator.

    Returns
    -------
    type
        The same translator, whose requests are those of `biaslab.network.checked_requests`.
    """
    spec = importlib.util.find_spec(engine.__module__)
    if spec is None or spec.loader is None:
        return engine
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if hasattr(module, "requests"):
        vars(module)["requests"] = _requests()
    return getattr(module, engine.__name__)


@functools.cache
def _requests() -> ModuleType:
    """Return a copy of the module ``requests`` whose requests are checked and stay."""
    import requests

    from biaslab.network.checked_requests import request

    copy = ModuleType(requests.__name__)
    vars(copy).update(vars(requests))
    for method in ("get", "post"):
        setattr(copy, method, functools.partial(request, method))
    return copy
