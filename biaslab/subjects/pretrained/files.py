"""Files of a model in a folder or in the hub's cache, and its identity by its weights."""

from __future__ import annotations

import hashlib
import json
import math
import re
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from biaslab.errors import EmbeddingFileError, SubjectError, WriteError
from biaslab.files.atomic import write_atomically
from biaslab.files.given import parse_json, read_given
from biaslab.people.access import owner_folder
from biaslab.records.calls import Reopened
from biaslab.subjects.formats.safetensors_file import read_header
from biaslab.subjects.pretrained.facts import ModelFacts, facts_of, hash_weights, size_of
from biaslab.subjects.pretrained.gguf_file import GgufFile
from biaslab.subjects.pretrained.options import input_device, stored_quantization

LARGEST_HEADER = 16 << 20
"""Bytes of the table of a file's tensors; that of 92,000 tensors has 10 MB."""
_INDEX = "model.safetensors.index.json"
_WEIGHTS = "model.safetensors"
_CODED = ("pytorch_model*.bin", "*.pt", "*.pth", "*.h5", "*.msgpack")
_TOKENIZERS = (
    "tokenizer.json", "vocab.txt", "vocab.json", "tokenizer.model", "spiece.model", "source.spm",
    "sentencepiece.bpe.model", "spm.model", "spm_char.model", "tekken.json", "bpe.codes",
)  # fmt: skip


@dataclass(frozen=True)
class ModelFiles:
    """The files of a model that lie on this machine.

    - `folder`: a model's folder, or a snapshot in the cache of the hub.
    - `is_hub`: whether it is a snapshot, in which files may be absent that the hub has.
    """

    folder: Path
    is_hub: bool = False

    @property
    def weights(self) -> tuple[Path, ...]:
        """Files of the weights: those that the index names, else the one file, else all."""
        if (self.folder / _INDEX).is_file():
            return tuple(self.folder / name for name in self._indexed())
        if (self.folder / _WEIGHTS).is_file():
            return (self.folder / _WEIGHTS,)
        return tuple(sorted(self.folder.glob("*.safetensors")))

    @property
    def has_tokenizer(self) -> bool:
        """Whether there is a file of a tokenizer."""
        return any((self.folder / name).is_file() for name in _TOKENIZERS)

    @property
    def pickled(self) -> str:
        """A file of weights that runs code when it is opened; "" if there is none."""
        return next((path.name for mask in _CODED for path in self.folder.glob(mask)), "")

    @property
    def bytes(self) -> int:
        """Size of the weights on disk."""
        return sum(path.stat().st_size for path in self.weights if path.is_file())

    def check(self) -> None:
        """Refuse weights that are absent, cut off, or in another program's format.

        Raises `SubjectError`, which names the files, and says what to do.
        """
        files = self.weights
        missing = [path.name for path in files if not path.is_file()]
        if missing and not self.is_hub:
            shown = ", ".join(missing[:3]) + (" and more" if len(missing) > 3 else "")
            raise SubjectError(
                f"{self.folder.name} cannot be opened: it lacks {len(missing)} of {len(files)}"
                f" files of weights: {shown}. The copy is incomplete: download the missing files."
            )
        if not files and not self.is_hub:
            raise SubjectError(self._without_weights())
        for path in files:
            if path.is_file():
                self._check_file(path)

    def stored(self) -> tuple[int, int]:
        """Return the number of tensors in the weights, and how many numbers they hold."""
        headers = [read_header(path, LARGEST_HEADER)[0] for path in self.weights if path.is_file()]
        sizes = [math.prod(tensor.shape) for header in headers for tensor in header.values()]
        return len(sizes), sum(sizes)

    def refuse_partly_downloaded(self, name: str) -> None:
        """Refuse weights of which the cache of the hub has a part, where the rest can't be fetched.

        Raises `SubjectError`, which names the missing files.
        """
        files = self.weights
        missing = [path.name for path in files if not path.is_file()]
        if files and not missing:
            return
        shown = ", ".join(missing[:3]) + (" and more" if len(missing) > 3 else "")
        part = f"lacks {len(missing)} of {len(files)} files of weights: {shown}"
        raise SubjectError(
            f"{name} is only partly downloaded: the cache of this machine"
            f" {part if files else 'has none of its weights'}, and the hub cannot be reached. Open"
            " the model again with a connection: that fetches the rest."
        )

    def _check_file(self, path: Path) -> None:
        try:
            _, metadata = read_header(path, LARGEST_HEADER)
        except EmbeddingFileError as error:
            raise SubjectError(f"{error}") from error
        if metadata.get("format") == "mlx":
            raise SubjectError(
                f"{self.folder.name} cannot be opened: it holds weights for MLX, which only Apple's"
                " library reads. Choose the original model; or serve it with mlx_lm.server, and"
                " open that server: bl.load('openai:MODEL@http://127.0.0.1:PORT/v1')."
            )

    def _indexed(self) -> list[str]:
        path = self.folder / _INDEX
        try:
            index: Any = parse_json(read_given(path, LARGEST_HEADER))
            names = sorted(set(map(str, index["weight_map"].values())))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise SubjectError(
                f"{path.name} of {self.folder.name} is damaged: {error}. Download it again."
            ) from error
        return [name for name in names if Path(name).name == name]

    def _without_weights(self) -> str:
        if self.pickled:
            return (
                f"{self.folder.name} cannot be opened: its weights are only in {self.pickled},"
                " which runs code when it is opened. Store them as safetensors:"
                " model.save_pretrained(folder)."
            )
        return (
            f"{self.folder.name} cannot be opened: it has no weights (no .safetensors file). Copy"
            " them from where the model was stored."
        )


def local_files(where: str, is_hub: bool, revision: str | None = None) -> ModelFiles | None:
    """Return the files of a model on this machine; None where the hub's cache has none of it.

    - `where`: a folder, or a name on the hub.
    - `is_hub`: which of them.
    - `revision`: branch, tag or commit on the hub.
    """
    if not is_hub:
        return ModelFiles(Path(where))
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        path = try_to_load_from_cache(where, "config.json", revision=revision)
    except HFValidationError:
        return None
    return ModelFiles(Path(path).parent, is_hub=True) if isinstance(path, str) else None


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
        """Their size, unpacked."""


def identified_by(model: Any, files: WeightFiles | None) -> str:
    """Return "values" or "files": how `hash_model` identifies weights.

    - `files`: None of a model in memory.
    """
    if files is None:
        return "values"
    waits_on_disk = any(parameter.is_meta for parameter in model.parameters())
    is_large = waits_on_disk or files.bytes > VALUES_UP_TO or isinstance(files, GgufFile)
    return "files" if is_large else "values"


def hash_model(
    digest: hashlib._Hash, model: Any, files: WeightFiles | None, *, ordered: bool = True
) -> None:
    """Add a model's weights to a digest.

    Small weights, and those of a model in memory, count by their values, in the type in which the
    model computes. Of larger ones, of those that wait on disk, and of GGUF files, the files, the
    type and the quantisation count, so that nothing is copied from a GPU.

    - `digest`: such as ``hashlib.sha256()``.
    - `model`: with ``dtype`` and ``config``, which may be None.
    - `files`: the files that it was opened from.
    - `ordered`: whether values count in the order of their names, or as the model lists them.
    """
    if files is None or identified_by(model, files) == "values":
        hash_weights(digest, model, ordered=ordered)
        return
    dtype = str(model.dtype).removeprefix("torch.")
    digest.update(f"|{_VERSION}|{dtype}|{stored_quantization(model.config)}".encode())
    for path in files.weights:
        # People name a GGUF file as they like.
        name = "" if isinstance(files, GgufFile) else path.name
        digest.update(f"|{name} {hash_file(path)}".encode())


class LoadedModel(Reopened):
    """A subject that holds a model, and knows the files that it was opened from."""

    model: Any
    files: WeightFiles | None

    def _content(self) -> Mapping[str, Any] | None:
        """Refuse to be pickled with its weights."""
        return None

    @cached_property
    def model_facts(self) -> ModelFacts:
        """Size, memory, devices, precision and version of what is loaded."""
        return facts_of(self.model, identity=identified_by(self.model, self.files))


class PlacedModel(LoadedModel):
    """One that says where its model runs and in which precision."""

    @property
    def device(self) -> str:
        """Device of the model, such as ``cpu`` or ``cuda:0``."""
        return input_device(self.model)

    @property
    def dtype(self) -> str:
        """Floating-point type of the computation, such as ``float32``."""
        return str(self.model.dtype).removeprefix("torch.")

    @property
    def size(self) -> str:
        """Its size, type and device."""
        return size_of(self.model)


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
