"""Identity of a model's weights: by their values, or for large models by their files."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from biaslab.atomic import write_atomically
from biaslab.errors import WriteError
from biaslab.home import owner_folder
from biaslab.subjects.model_devices import stored_quantization
from biaslab.subjects.torch_model import hash_weights

VALUES_UP_TO = 256_000_000
"""Bytes of weights up to which their values are hashed, wherever the model comes from."""
_VERSION = "files/1"
_CACHE = "weight-hashes.json"
#: Files in the cache; the oldest entries go first.
_REMEMBERED = 2_000
_BLOCK = 1 << 22
_SHA256 = re.compile(r"[0-9a-f]{64}")
_lock = threading.Lock()


class WeightFiles(Protocol):
    """Files that hold all weights of a model, such as `ModelFiles`."""

    @property
    def weights(self) -> tuple[Path, ...]:
        """The files, in a fixed order."""

    @property
    def bytes(self) -> int:
        """Their size."""


def identified_by(model: Any, files: WeightFiles | None) -> str:
    """Return "values" or "files": how `hash_model` identifies weights.

    Parameters
    ----------
    model : torch.nn.Module
    files : WeightFiles or None
        None of a model in memory.
    """
    if files is None:
        return "values"
    waits_on_disk = any(parameter.is_meta for parameter in model.parameters())
    return "files" if waits_on_disk or files.bytes > VALUES_UP_TO else "values"


def hash_model(
    digest: hashlib._Hash, model: Any, files: WeightFiles | None, *, ordered: bool = True
) -> None:
    """Add a model's weights to a digest.

    Small weights, and those of a model in memory, count by their values, in the type in which the
    model computes. Of larger ones, and of those that wait on disk, their files, the type and the
    quantisation count, so that nothing is copied from a GPU.

    Parameters
    ----------
    digest : hash
        Such as ``hashlib.sha256()``.
    model : torch.nn.Module
        With ``dtype`` and ``config``, which may be None.
    files : WeightFiles or None
        The files that it was opened from.
    ordered : bool
        Whether values count in the order of their names, or as the model lists them.
    """
    if files is None or identified_by(model, files) == "values":
        hash_weights(digest, model, ordered=ordered)
        return
    dtype = str(model.dtype).removeprefix("torch.")
    digest.update(f"|{_VERSION}|{dtype}|{stored_quantization(model.config)}".encode())
    for path in files.weights:
        digest.update(f"|{path.name} {hash_file(path)}".encode())


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file, hexadecimal.

    It is read once: the hash is cached by path, size and time of change. The cache of the hub
    names large files by their hash, so that these are not read at all.
    """
    real = path.resolve()
    if path.is_symlink() and _SHA256.fullmatch(real.name):
        return real.name
    stat = real.stat()
    stamp = [stat.st_size, stat.st_mtime_ns]
    with _lock:
        known = _read_cache().get(str(real))
    if known is not None and known[:2] == stamp:
        return str(known[2])
    digest = hashlib.sha256()
    with real.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    _remember(str(real), [*stamp, digest.hexdigest()])
    return digest.hexdigest()


def _cache_path() -> Path:
    return owner_folder() / _CACHE  # of this machine, whoever asks


def _read_cache() -> dict[str, list[Any]]:
    try:
        entries: Any = json.loads(_cache_path().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(entries, dict):
        return {}
    return {
        path: entry
        for path, entry in entries.items()
        if isinstance(entry, list) and len(entry) == 3 and _SHA256.fullmatch(str(entry[2]))
    }


def _remember(path: str, entry: list[Any]) -> None:
    # A home that cannot be written to costs time, and no result.
    with _lock, suppress(OSError, WriteError):
        entries = _read_cache()
        entries.pop(path, None)
        entries[path] = entry
        kept = dict(list(entries.items())[-_REMEMBERED:])
        _cache_path().parent.mkdir(parents=True, exist_ok=True)
        write_atomically(_cache_path(), json.dumps(kept, indent=1) + "\n")
