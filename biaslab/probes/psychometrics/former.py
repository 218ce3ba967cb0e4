"""Options that `biaslab.two_afc` had in version 0.1, in the spelling of today.

They are accepted with a `DeprecationWarning` until version 0.3. Stored calls keep them, and are
made again without one, by the function's attribute `as_stored`.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, ParamSpec, TypeVar

from biaslab.arguments import check_choice
from biaslab.errors import PsychometricError
from biaslab.jobs.context import current_context, reporting_to
from biaslab.probes.psychometrics.black_box_trials import OneByOne
from biaslab.probes.psychometrics.framed_model import framed
from biaslab.probes.psychometrics.kinds import CHOOSES, kind_of, morphed
from biaslab.probes.psychometrics.options import Adaptive, CuePairs, Repeated
from biaslab.subjects.opening.needs import opened

P = ParamSpec("P")
R = TypeVar("R")

_PLACING: Final = ("orders", "method", "width", "batch", "store", "keep")
_TODAY: Final = {
    "pairs_as": "cues=CuePairs(cues, pairs_as=...)",
    "cue_prior": "cues=CuePairs(cues, prior=...)",
    **{name: f"trials=Adaptive(n, {name}=...)" for name in _PLACING},
    "method": "trials=Adaptive(n)",
    "orders": "trials=Repeated(n, orders=...)",
    "vectorised": "two_afc(OneByOne(function), ...)",
    "memory_mb": "two_afc(FramedModel(model, memory_mb=...), ...), or with MorphedModel,",
    "layers": "two_afc_layers(..., layers=...)",
    "patch": "two_afc_layers(..., patch=...)",
    "context": "with biaslab.jobs.context.reporting_to(...): two_afc(...)",
}


def accepts_former_options(
    layered: Callable[..., Any],
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Accept former options of `biaslab.two_afc`; `layered` is asked where there are layers."""

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        def as_stored(*args: P.args, **kwargs: P.kwargs) -> Any:
            if not _TODAY.keys() & kwargs:
                return function(*args, **kwargs)
            by_place = dict(zip(("subject", "items", "cues"), args, strict=False))
            now = _today({**by_place, **kwargs})
            ask: Callable[..., Any] = layered if "layers" in now else function
            with reporting_to(now.pop("context", None) or current_context()):
                return ask(**now)

        @functools.wraps(function)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
            for name in _TODAY.keys() & kwargs:
                text = f"two_afc({name}=...) is written {_TODAY[name]} now."
                warnings.warn(text, DeprecationWarning, stacklevel=3)
            made: R = as_stored(*args, **kwargs)
            return made

        wrapper.__dict__.update(as_stored=as_stored, former_options=tuple(_TODAY))
        return wrapper

    return decorated


def _today(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return arguments in the spelling of today."""
    now = {name: value for name, value in arguments.items() if name not in _PLACING}
    if "pairs_as" in now or "cue_prior" in now:
        how = now.pop("pairs_as", "resampled"), now.pop("cue_prior", None)
        now["cues"] = CuePairs(now.get("cues"), *how)
    if placing := {name: arguments[name] for name in _PLACING if name in arguments}:
        now["trials"] = _placed(now.get("trials"), **placing)
    if now.pop("vectorised", True) is False:
        _refuse_unless(kind_of(now["subject"]) == "function", "vectorised", "a function")
        now["subject"] = OneByOne(now["subject"])
    if (memory_mb := now.pop("memory_mb", None)) is not None:
        subject: Any = opened(now["subject"], CHOOSES, "bl.two_afc")
        models = {"language model": framed, "vision-language model": morphed}
        prepared: Any = models.get(kind_of(subject))
        _refuse_unless(prepared is not None, "memory_mb", "a language or vision-language model")
        observers = now.pop("observers", None), now.pop("replicates", None)
        now["subject"] = prepared(subject, *observers, memory_mb)
    if now.get("layers") is None:
        _refuse_unless(now.pop("patch", "text") == "text", "patch", "layers=..., such as 'all'")
        now.pop("layers", None)
        return now
    return {name: value for name, value in now.items() if name not in ("scoring", "rng")}


def _placed(
    trials: int | Repeated | Adaptive | None, *, method: str = "fixed", orders: Any = "both",
    **adaptive: Any,
) -> int | Repeated | Adaptive | None:  # fmt: skip
    if isinstance(trials, Adaptive):  # as bl.rerun passes keep=False
        return replace(trials, **adaptive)
    if isinstance(trials, Repeated):
        return trials
    check_choice(method, ("fixed", "adaptive"), "method")
    if method == "adaptive":
        return Adaptive(trials, orders=orders, **adaptive)
    is_plain = adaptive.get("width") is None and adaptive.get("batch", 1) == 1
    _refuse_unless(is_plain, "width and batch", "trials=Adaptive(...)")
    _refuse_unless(trials is not None or orders == "both", "orders", "trials=Repeated(20)")
    return None if trials is None else Repeated(trials, orders)


def _refuse_unless(applies: bool, name: str, what: str) -> None:
    if not applies:
        raise PsychometricError(f"{name}: only with {what}. Leave it out.")
