"""Which kind of processor, and which kernels on it, made a number: its last digits depend on it."""

from __future__ import annotations

import functools
import platform
import sys
from typing import Any, Final

import numpy as np

_MACHINES: Final = {"amd64": "x86-64", "x86_64": "x86-64", "aarch64": "arm64"}
_INSTRUCTIONS: Final = (
    ("AVX-512", ("AVX512", "X86_V4")),
    ("AVX2", ("AVX2", "X86_V3")),
    ("AVX", ("AVX",)),
    ("SVE", ("SVE",)),
    ("NEON", ("NEON", "ASIMD")),
)
"""From the widest: what it is called, and how what numpy has found of it begins."""


def processor() -> str:
    """The processor and its kernels, such as ``x86-64, AVX-512; OpenBLAS SkylakeX; torch AVX512``.

    Says nothing that tells one machine from another of its kind. What torch uses is named where
    torch is loaded; nothing is imported for it.
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
    found = shown.get("SIMD Extensions", {}).get("found", [])
    return [name for name, begins in _INSTRUCTIONS if any(f.startswith(begins) for f in found)][:1]


def _blas() -> list[str]:
    """Matrix kernels that are loaded, each once."""
    from threadpoolctl import threadpool_info

    names = {"openblas": "OpenBLAS", "mkl": "MKL", "blis": "BLIS"}
    found = [
        f"{names.get(one['internal_api'], one['internal_api'])} {one.get('architecture', '')}"
        for one in threadpool_info()
        if one["user_api"] == "blas"
    ]
    return [name.strip() for name in dict.fromkeys(found)]


def _of_torch() -> str:
    backends = getattr(sys.modules["torch"], "backends", None)
    capability = getattr(getattr(backends, "cpu", None), "get_cpu_capability", None)
    return str(capability()) if callable(capability) else ""
