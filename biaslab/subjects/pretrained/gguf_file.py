"""Headers of GGUF files, the format of llama.cpp: read within bounds, before a library reads them.

Source: the specification of the format in the project ggml.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import os
import re
import struct
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from biaslab.errors import MissingExtraError, SubjectError, UnknownSubjectError
from biaslab.subjects.pretrained.facts import size_text
from biaslab.subjects.pretrained.options import SERVER_HINT

ENDING: Final = ".gguf"
_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q",
            12: "d"}  # fmt: skip
_TEXT, _LIST = 8, 9
_TOKENS = "tokenizer.ggml.tokens"
_KEPT = frozenset({"general.architecture"})
"""Texts that count here; all others are skipped."""
#: Of known models, a header has at most 20 MB, 1,000 keys, 2,000 tensors and 1.4 million items.
_LARGEST_HEADER = 1 << 27
_MOST_KEYS, _MOST_TENSORS, _MOST_ITEMS, _LONGEST_NAME = 1 << 12, 1 << 16, 1 << 21, 1 << 12
_LARGEST_SIZE = 1 << 27
_MOST_PIECES = 1 << 30
"""Characters of all ways to cut each token in two, which transformers tries for some tokenizers."""
_PART = re.compile(r"-(\d{5})-of-(\d{5})$")
_REMEDY = "Download it again, or choose another one."


@dataclass(frozen=True)
class GgufFile:
    """A GGUF file by its header.

    - `architecture`: llama.cpp's name, such as "llama" or "qwen2".
    - `quantization`: such as "Q4_1"; "F16" of one that is not quantised.
    - `tensors`, `numbers`: how many of them the weights have.
    - `names`: of the tensors.
    """

    path: Path
    architecture: str
    quantization: str
    tensors: int
    numbers: int
    names: frozenset[str]

    @property
    def weights(self) -> tuple[Path, ...]:
        """The file itself."""
        return (self.path,)

    @property
    def bytes(self) -> int:
        """Size of the weights once they are unpacked to float32."""
        return 4 * self.numbers


def gguf_in(source: str | Path) -> Path | None:
    """Return the GGUF file that a path names: the file, or the only one of a folder without model.

    Raises `SubjectError` when a folder has several; says which.
    """
    path = Path(source).expanduser()
    if path.is_dir() and os.access(path, os.R_OK):
        if any(path.glob("*.safetensors")):
            return None
        files = sorted(p for p in path.iterdir() if p.suffix.casefold() == ENDING and p.is_file())
        whole = [file for file in files if (part := _PART.search(file.stem)) is None
                 or int(part[1]) == 1]  # fmt: skip
        if len(whole) > 1:
            listed = ", ".join(file.name for file in whole[:6])
            raise UnknownSubjectError(
                f"The folder {path} holds {len(whole)} GGUF files: {listed}. Choose one, such as"
                f" {path / whole[0].name}."
            )
        return next(iter(whole or files), None)
    if path.suffix.casefold() == ENDING:
        return path if path.is_file() else None
    with suppress(OSError):  # whoever opens it says what is wrong
        if path.is_file():
            with path.open("rb") as file:  # those of Ollama have no ending
                return path if file.read(4) == _MAGIC else None
    return None


def read_gguf(path: Path) -> GgufFile:
    """Read the header of a GGUF file, and check that the file is complete.

    Lengths are checked before anything is read or counted, so that a false header costs no more
    than a true one.

    - Raises `MissingExtraError` when the package gguf is not installed; `SubjectError` when the
      file is damaged, cut off, one of several parts, or says what no model has.
    """
    try:
        library = importlib.import_module("gguf")
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"{path.name} is a GGUF file, which needs the package gguf: pip install 'biaslab[lm]'."
        ) from error
    if part := _PART.search(path.stem):
        raise SubjectError(
            f"{path.name} is part {int(part[1])} of {int(part[2])} of a model. Join the parts with"
            " llama.cpp: llama-gguf-split --merge FIRST-PART WHOLE.gguf, and open the whole file."
        )
    try:
        with path.open("rb", buffering=1 << 20) as file:
            return _Header(file, path, library).read()
    except OSError as error:
        raise SubjectError(f"{path} cannot be read: {error.strerror or error}.") from error


class _Header:
    def __init__(self, file: BinaryIO, path: Path, library: Any) -> None:
        self._file, self._path, self._library = file, path, library
        self._size = path.stat().st_size
        self._place = self._items = 0

    def read(self) -> GgufFile:
        """Return what the header says, once all of it is checked."""
        if self._size < 4 or self._take(4) != _MAGIC:
            raise self._wrong("it does not begin as a GGUF file does", "is no GGUF file")
        version, tensor_count, key_count = self._unpack("<IQQ")
        if version not in _VERSIONS:
            raise self._wrong(f"it has version {version}, and 2 and 3 are read")
        if key_count > _MOST_KEYS or tensor_count > _MOST_TENSORS:
            raise self._wrong(f"its header says {key_count:,} keys and {tensor_count:,} tensors")
        values = dict(self._keys(key_count))
        if len(values) != key_count:
            raise self._wrong("its header has a key twice")
        architecture = str(values.get("general.architecture", ""))
        for key, value in values.items():
            is_count = key.endswith("block_count")
            if key.startswith(f"{architecture}.") and isinstance(value, int) and not (
                0 <= value <= (tensor_count if is_count else _LARGEST_SIZE)
            ):  # fmt: skip
                raise self._wrong(f"its header says {key} = {value:,}")
        if not values.get(_TOKENS):
            raise self._wrong("it has no tokenizer")
        tensors = list(self._tensors(tensor_count))
        self._check_data(tensors, values.get("general.alignment", 32))
        kinds: Counter[str] = Counter()
        for _, numbers, kind, _, _ in tensors:
            kinds[kind] += numbers
        return GgufFile(
            self._path, architecture, self._quantization(values.get("general.file_type"), kinds),
            len(tensors), kinds.total(), frozenset(name for name, *_ in tensors),
        )  # fmt: skip

    def _keys(self, count: int) -> Iterator[tuple[str, Any]]:
        for _ in range(count):
            key = self._text(_LONGEST_NAME)
            (kind,) = self._unpack("<I")
            value: Any = None
            if kind == _LIST:
                value = self._skip_list(is_tokens=key == _TOKENS)
            elif kind != _TEXT:
                value = self._number(kind)
            elif key in _KEPT:
                value = self._text(_LONGEST_NAME)
            else:
                self._skip(self._unpack("<Q")[0])
            yield key, value

    def _skip_list(self, *, is_tokens: bool) -> int:
        kind: int
        count: int
        kind, count = self._unpack("<IQ")
        self._items += count
        if self._items > _MOST_ITEMS:
            raise self._wrong(f"its header has a list of {count:,} items")
        if kind == _TEXT:
            pieces = 0
            for _ in range(count):
                (length,) = self._unpack("<Q")
                self._skip(length)
                pieces += length * length
            if is_tokens and pieces > _MOST_PIECES:
                raise self._wrong("its tokenizer has tokens that are too long")
        elif kind in _NUMBERS:
            self._skip(count * struct.calcsize(_NUMBERS[kind]))
        else:
            raise self._wrong(f"its header has a list of the unknown type {kind}")
        return count

    def _tensors(self, count: int) -> Iterator[tuple[str, int, str, int, int]]:
        """Yield name, count of numbers, type, offset and bytes of each tensor."""
        sizes = self._library.GGML_QUANT_SIZES
        names = {int(kind): kind for kind in sizes}
        for _ in range(count):
            name = self._text(_LONGEST_NAME)
            (dimensions,) = self._unpack("<I")
            if not 1 <= dimensions <= 4:
                raise self._wrong(f"its tensor {name[:60]} has {dimensions:,} dimensions")
            shape = self._unpack(f"<{dimensions}Q")
            kind, offset = self._unpack("<IQ")
            if kind not in names:
                raise self._wrong(
                    f"its tensor {name[:60]} has the type {kind}, which this version of the package"
                    " gguf does not know"
                )
            numbers = math.prod(shape)
            block, size = sizes[names[kind]]
            if not numbers or max(shape) > _LARGEST_SIZE or shape[0] % block:
                raise self._wrong(f"its tensor {name[:60]} has the shape {shape}")
            yield name, numbers, names[kind].name, offset, numbers // block * size

    def _check_data(self, tensors: list[tuple[str, int, str, int, int]], alignment: Any) -> None:
        if not isinstance(alignment, int) or alignment <= 0 or alignment & (alignment - 1):
            raise self._wrong(f"its header says general.alignment = {alignment!r}")
        if not tensors or len({name for name, *_ in tensors}) != len(tensors):
            raise self._wrong("it has no tensors, or one twice")
        start = -(-self._place // alignment) * alignment
        end = start + max(offset + size for *_, offset, size in tensors)
        total = start + sum(size for *_, size in tensors)
        if max(end, total) > self._size:
            raise self._cut_off(max(end, total))

    def _quantization(self, file_type: Any, kinds: Counter[str]) -> str:
        most = kinds.most_common(1)[0][0]
        known = {int(one): one.name for one in self._library.LlamaFileType}
        name = known.get(file_type, most) if isinstance(file_type, int) else most
        name = name.removeprefix("MOSTLY_").removeprefix("ALL_")
        # Rows that do not fit the blocks of a type are stored in another one.
        return name if name.startswith(most) else f"{name}, mostly {most}"

    def _number(self, kind: int) -> Any:
        if kind not in _NUMBERS:
            raise self._wrong(f"its header has a value of the unknown type {kind}")
        return self._unpack(f"<{_NUMBERS[kind]}")[0]

    def _text(self, longest: int) -> str:
        (length,) = self._unpack("<Q")
        if length > longest:
            raise self._wrong(f"its header has a name of {length:,} characters")
        try:
            return self._take(length).decode()
        except UnicodeDecodeError as error:
            raise self._wrong("its header has a name that is no text") from error

    def _unpack(self, form: str) -> tuple[Any, ...]:
        return struct.unpack(form, self._take(struct.calcsize(form)))

    def _take(self, length: int) -> bytes:
        self._pass(length)
        return self._file.read(length)

    def _skip(self, length: int) -> None:
        self._pass(length)
        self._file.seek(self._place)

    def _pass(self, length: int) -> None:
        self._place += length
        if self._place > self._size:
            raise self._wrong("it ends within its header", "is cut off")
        if self._place > _LARGEST_HEADER:
            raise self._wrong(f"its header has more than {_LARGEST_HEADER / 1e6:,.0f} MB")

    def _cut_off(self, needed: int) -> SubjectError:
        if needed > self._size + (1 << 50):
            return self._wrong(f"its header says lengths of {needed:,} bytes")
        return self._wrong(
            f"it has {size_text(self._size)}, and its header describes {size_text(needed)}",
            "is cut off",
        )

    def _wrong(self, why: str, what: str = "cannot be opened") -> SubjectError:
        return SubjectError(f"{self._path.name} {what}: {why}. {_REMEDY}")


def refuse_architecture(file: GgufFile, source: str) -> None:
    """Refuse an architecture that transformers does not read from a GGUF file.

    - `source`: for the message.
    - Raises `SubjectError`, which names the architecture, and says what to do.
    """
    known = _architectures()
    if _plain(file.architecture) not in map(_plain, known):
        raise SubjectError(
            f"{source} cannot be opened here: transformers does not read the architecture"
            f" {file.architecture[:60]!r} from a GGUF file (it reads {', '.join(known)}). Choose"
            f" the original model in safetensors; or {SERVER_HINT}."
        )


def _architectures() -> list[str]:
    integrations = "transformers.integrations"
    names = set(importlib.import_module(f"{integrations}.ggml").GGUF_CONFIG_MAPPING)
    if importlib.util.find_spec(f"{integrations}.gguf") is not None:  # newer versions
        names |= set(importlib.import_module(f"{integrations}.gguf").GGUF_CONFIG_ARCHS)
    return sorted(names - {"general", "tokenizer"})


def _plain(architecture: str) -> str:
    """Return a name as both spell it: "qwen2moe" of llama.cpp is "qwen2_moe" of transformers."""
    return re.sub(r"[-_]", "", architecture)
