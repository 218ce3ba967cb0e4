"""Provenance of a result: probe, subject, parameters, versions, processor and time."""

from __future__ import annotations

import functools
import platform
import sys
import time
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Final

import numpy as np

from biaslab.records.calls import Call, current_call
from biaslab.records.record import FrozenDict, Record, frozen
from biaslab.records.wording import counted

_MACHINES: Final = {"amd64": "x86-64", "x86_64": "x86-64", "aarch64": "arm64"}
_INSTRUCTIONS: Final = (
    ("AVX-512", ("AVX512", "X86_V4")),
    ("AVX2", ("AVX2", "X86_V3")),
    ("AVX", ("AVX",)),
    ("SVE", ("SVE",)),
    ("NEON", ("NEON", "ASIMD")),
)
"""Widest first: label, and the prefix of numpy's name for the instruction set."""


def processor() -> str:
    """Return the processor and its kernels, such as ``x86-64, AVX-512; MKL``.

    Identifies no individual machine. The kernels of torch are named if torch is loaded;
    nothing is imported.
    """
    return _described("torch" in sys.modules)


@functools.cache
def _described(torch: bool) -> str:
    machine = platform.machine().lower()
    parts = [", ".join([_MACHINES.get(machine, machine or "unknown"), *_instructions()])]
    parts += _blas()
    if torch and (capability := _of_torch()):
        parts.append(f"torch {capability}")
    return "; ".join(parts)


def _instructions() -> list[str]:
    shown: Any = np.show_config(mode="dicts")
    instructions = shown.get("SIMD Extensions", {}).get("found", [])
    return [
        name for name, begins in _INSTRUCTIONS if any(f.startswith(begins) for f in instructions)
    ][:1]


def _blas() -> list[str]:
    """Return the loaded matrix kernels, each once."""
    from threadpoolctl import threadpool_info

    names = {"openblas": "OpenBLAS", "mkl": "MKL", "blis": "BLIS"}
    libraries = [
        f"{names.get(name := library['internal_api'], name)} {library.get('architecture', '')}"
        for library in threadpool_info()
        if library["user_api"] == "blas"
    ]
    return [name.strip() for name in dict.fromkeys(libraries)]


def _of_torch() -> str:
    backends = getattr(sys.modules["torch"], "backends", None)
    capability = getattr(getattr(backends, "cpu", None), "get_cpu_capability", None)
    return str(capability()) if callable(capability) else ""


_FORMER: Final[Mapping[str, Mapping[str, str]]] = {
    "debias": {"lam": "penalty"},
    "trace": {"check": "leave_out"},
    "two_afc": {"curve": "family", "rates": "lapses"},
    "occupations": {"curve": "family"},
    "mac": {"as_": "scale"},
    "weat": {"splits": "permutations"},
    "seat": {"splits": "permutations"},
    "posterior_groups": {"splits": "permutations"},
}
"""Names of parameters in stored results, by probe, to those of today."""
_BASE_PACKAGES = ("biaslab", "numpy", "scipy")
_HEAVY_PACKAGES = ("torch", "transformers", "gensim", "pyro")


@dataclass(frozen=True, kw_only=True)
class Provenance(Record):
    """Everything needed to reproduce a result.

    Two are equal if probe, subject, parameters and device are equal. Time, duration,
    processor, loaded packages and the call do not count: a result is its numbers.

    Attributes
    ----------
    probe : str
        Name of the probe, such as ``"two_afc"``.
    subject : str
        Name of the subject.
    subject_hash, spec_hash : str or None
        SHA-256 of what was probed and of the spec; None where there is none (a bare callable).
    seed : int, mapping or None
        The seed; of a ``numpy.random.Generator`` its state before the probe drew from it.
    parameters : mapping
        The probe's arguments, as plain values.
    versions : mapping of str to str
        Versions of Python, biaslab, numpy and scipy, and of those of torch, transformers, gensim
        and pyro that were loaded.
    device : str
        ``"cpu"`` or a torch device such as ``"cuda:0"``.
    cpu : str
        Kind of processor, and its kernels: see `biaslab.records.provenance`. Empty in results of
        older versions, which did not record it.
    time : str
        When the probe began: ISO 8601, UTC.
    seconds : float
        Duration; NaN if not measured.
    loaded : mapping
        Of an open model: parameters, memory in bytes, devices, type, quantisation, attention,
        revision, template, and how its weights count in the hash ("values" or "files"); see
        `biaslab.subjects.ModelFacts`. Of vectors ``notes``: what is to be known of them, such as
        terms of several tokens. Empty for other subjects, and in results of older versions.
    call : Call or None
        The call of the public function, with how its subject was loaded. None in results of older
        versions, and in results inside another one, which has it.
    """

    probe: str
    subject: str
    subject_hash: str | None = None
    spec_hash: str | None = None
    seed: int | Mapping[str, Any] | None = None
    parameters: Mapping[str, Any] = field(default_factory=FrozenDict)
    versions: Mapping[str, str] = field(default_factory=FrozenDict, compare=False)
    device: str = "cpu"
    cpu: str = field(default="", compare=False)
    time: str = field(default="", compare=False)
    seconds: float = field(default=float("nan"), compare=False)
    loaded: Mapping[str, Any] = field(default_factory=FrozenDict, compare=False)
    call: Call | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if former := _FORMER.get(self.probe):
            current = {former.get(name, name): value for name, value in self.parameters.items()}
            object.__setattr__(self, "parameters", current)
        super().__post_init__()

    @classmethod
    def record(
        cls,
        *,
        probe: str,
        subject: object,
        parameters: Mapping[str, Any] | None = None,
        seed: int | np.random.Generator | None = None,
        spec_hash: str | None = None,
        device: object = None,
        seconds: float = float("nan"),
    ) -> Provenance:
        """Return the provenance of a probe that begins now.

        Parameters
        ----------
        probe : str
            Name of the probe.
        subject : object
            A subject (its ``name`` and ``content_hash`` are recorded), any callable, or a name.
        parameters : mapping, optional
            The probe's arguments. Values without a plain form are recorded by name.
        seed : int or numpy.random.Generator, optional
            Source of the probe's draws. Call this before drawing.
        spec_hash : str, optional
            SHA-256 of the spec.
        device : object, optional
            A torch device or its name; by default the subject's ``device``, else ``"cpu"``.
        seconds : float, optional
            Duration; `measured` fills it in.
        """
        on = device if device is not None else getattr(subject, "device", None)
        return cls(
            probe=probe,
            subject=_name(subject),
            subject_hash=getattr(subject, "content_hash", None),
            spec_hash=spec_hash,
            seed=_plain_seed(seed),
            parameters={key: _plain(value) for key, value in (parameters or {}).items()},
            versions=versions(),
            device="cpu" if on is None else str(on),
            cpu=processor(),
            time=datetime.now(UTC).isoformat(timespec="milliseconds"),
            seconds=seconds,
            loaded=_loaded(subject),
            call=current_call(),
        )


_readings: ContextVar[dict[str, Sequence[str]] | None] = ContextVar("readings", default=None)
_NAMED = 20


def note_reading(term: str, parts: Sequence[str]) -> None:
    """Note for the probe that runs now that a term is read as several parts, such as tokens."""
    if (readings := _readings.get()) is not None:
        readings[term] = parts


def _said(readings: Mapping[str, Sequence[str]]) -> str:
    named = [f"{term} ({' + '.join(parts)})" for term, parts in readings.items()]
    shown = ", ".join(named[:_NAMED]) + f" and {len(named) - _NAMED} more" * (len(named) > _NAMED)
    return f"{counted(len(named), 'term')} of several tokens: {shown}."


class measured:  # lower case: it is used like a function, as in `with measured(...) as run`
    """Measure how long a probe takes, for its provenance.

    Takes the arguments of `Provenance.record`, which is called on entry.

    Examples
    --------
    >>> with measured(probe="two_afc", subject="an embedding", seed=1) as run:
    ...     total = sum(range(1000))
    >>> run.provenance.seconds > 0
    True
    """

    def __init__(self, **arguments: Any) -> None:
        self._arguments = arguments
        self._seconds: float | None = None

    def __enter__(self) -> measured:
        self._readings: dict[str, Sequence[str]] = {}
        self._token = _readings.set(self._readings)
        self._started = Provenance.record(**self._arguments)
        self._start = time.perf_counter()
        return self

    def __exit__(self, *exception: object) -> None:
        _readings.reset(self._token)
        self._seconds = time.perf_counter() - self._start

    @property
    def provenance(self) -> Provenance:
        """The provenance, with the seconds until the block's end (inside it: until now)."""
        seconds = self._seconds
        if seconds is None:
            seconds = time.perf_counter() - self._start
        values = {f.name: getattr(self._started, f.name) for f in fields(self._started)}
        if self._readings:
            notes = (*values["loaded"].get("notes", ()), _said(self._readings))
            values["loaded"] = FrozenDict({**values["loaded"], "notes": notes})
        return Provenance(**{**values, "seconds": seconds})


def versions() -> FrozenDict[str, str]:
    """Return versions of Python, of the base packages, and of loaded optional ones."""
    installed = {"python": ".".join(map(str, sys.version_info[:3]))}
    installed |= {name: _installed_version(name) for name in _BASE_PACKAGES}
    for name in _HEAVY_PACKAGES:
        version = getattr(sys.modules.get(name), "__version__", None)
        if version is not None:
            installed[name] = str(version)
    return FrozenDict(installed)


@functools.cache
def _installed_version(package: str) -> str:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:  # used from a source tree that was not installed
        return "unknown"


def _name(thing: object) -> str:
    if isinstance(thing, str):
        return thing
    for attribute in ("name", "__qualname__"):
        name = getattr(thing, attribute, None)
        if isinstance(name, str):
            return name
    return type(thing).__qualname__


def _loaded(subject: object) -> Mapping[str, Any]:
    """Return the facts of an open model, also of one that a probe has wrapped; or its remarks."""
    if remarks := getattr(subject, "remarks", ()):
        return FrozenDict({"notes": tuple(remarks)})
    for one in (subject, *(getattr(subject, name, None) for name in ("lm", "vlm", "parent"))):
        facts = getattr(one, "model_facts", None)
        if is_dataclass(facts) and not isinstance(facts, type):
            loaded: Mapping[str, Any] = FrozenDict(_plain(facts))
            return loaded
    return FrozenDict()


def _plain_seed(seed: int | np.random.Generator | None) -> int | Mapping[str, Any] | None:
    if isinstance(seed, np.random.Generator):
        state: Mapping[str, Any] = _plain(seed.bit_generator.state)
        return state
    return None if seed is None else int(seed)


def _plain(value: Any) -> Any:
    """Return `value` in a storable form; a parameter must never fail a probe."""
    if isinstance(value, Enum):
        return _plain(value.value)
    if isinstance(value, Mapping):
        return {_plain(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return tuple(_plain(item) for item in value)
    if isinstance(value, set | frozenset):
        return tuple(sorted((_plain(item) for item in value), key=repr))
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    try:
        return frozen(value)
    except TypeError:
        return _name(value)
