"""Check what somebody stored as a model before a library opens it: files, values, tokenizer.

Libraries trust these files. A pipe is waited for, ten million layers are built, and a tokenizer
may need all memory; see `apart` for the process in which it is tried.
"""

from __future__ import annotations

import re
import stat
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from biaslab.errors import SubjectError
from biaslab.files.given import parse_json, read_given
from biaslab.subjects.pretrained.apart import LONGEST_TEMPLATE, NotReadError, try_tokenizer

LARGEST_JSON: Final = 16 << 20
"""Bytes of a configuration; one with the 21,000 labels of ImageNet has 2 MB."""
_LARGEST_TOKENIZER: Final = 128 << 20
"""Bytes of a file of a tokenizer; that of 262,000 tokens has 33 MB."""
_LARGEST: Final = (
    (("config.json", "special_tokens_map.json", "modules.json", ".index.json"), LARGEST_JSON),
    ((".jinja",), 4 * LONGEST_TEMPLATE),
    (("tokenizer.json", "vocab.json", "added_tokens.json", "tekken.json"), _LARGEST_TOKENIZER),
    (("vocab.txt", "merges.txt", ".model", ".spm", ".codes", ".bpe"), _LARGEST_TOKENIZER),
)
"""Bytes of the files that libraries read as a whole, by the end of their names."""
_COUNTS: Final = re.compile(r"(?:.*_)?(?:layers?|heads?|blocks|experts|stages)")
_SIZES: Final = frozenset({
    "d_ff", "d_model", "dim", "embedding_size", "ffn_dim", "head_dim", "hidden_dim", "hidden_size",
    "intermediate_size", "max_position_embeddings", "n_embd", "n_head", "n_heads", "n_inner",
    "n_layer", "n_layers", "n_positions", "num_attention_heads", "num_heads", "num_hidden_layers",
    "num_key_value_heads", "num_layers", "type_vocab_size", "vocab_size",
})  # fmt: skip
_LAYERS: Final = frozenset({
    "decoder_layers", "encoder_layers", "n_layer", "n_layers", "num_hidden_layers", "num_layers",
})  # fmt: skip
_MOST_COUNTED, _LARGEST_SIZE = 1 << 16, 1 << 27
_LARGEST_ID = 1 << 24
_EDGES: Final = frozenset({
    "crop_size", "height", "image_size", "longest_edge", "shortest_edge", "size", "width",
})  # fmt: skip
_LONGEST_EDGE = 10_000
_REMEDY = "Download the model again, or choose another one."


def check_configuration(folder: Path, name: str) -> dict[str, Any]:
    """Return the content of a model's config.json; check it, and the kinds and sizes of all files.

    - `name`: for the message.
    - Raises `SubjectError`, which names the file and what is wrong with it.
    """
    _check_files(folder, name)
    config = read_object(folder / "config.json", name)
    for key, value in _entries(config):
        _check_entry(key, value, name)
    # Qwen's limits are numbers of pixels, others' are lengths of edges.
    most = _LARGEST_ID if "qwen" in str(config.get("model_type")) else _LONGEST_EDGE
    for path in (folder / "preprocessor_config.json", folder / "processor_config.json"):
        for key, value in _entries(read_object(path, name)) if path.is_file() else ():
            if key in _EDGES and isinstance(value, int | float) and not 0 <= value <= most:
                raise _wrong(path.name, key, value, name)
    return config


def check_tokenizer(folder: Path, name: str) -> None:
    """Check a model's tokenizer: its settings here, its rules in a process that can be killed.

    - `name`: for the message.
    - Raises `SubjectError`, which names the file and what is wrong with it.
    """
    settings = folder / "tokenizer_config.json"
    if settings.is_file():
        _check_settings(read_object(settings, name), name)
    rules = folder / "tokenizer.json"
    if not rules.is_file():
        return
    try:
        largest = try_tokenizer(rules, read_given(rules, _LARGEST_TOKENIZER))
    except (OSError, NotReadError) as error:
        raise SubjectError(
            f"{name} cannot be opened: its tokenizer.json cannot be used, because"
            f" {getattr(error, 'strerror', None) or error}. {_REMEDY}"
        ) from error
    config = folder / "config.json"
    entries = _entries(read_object(config, name)) if config.is_file() else ()
    sizes = [value for key, value in entries if key == "vocab_size" and isinstance(value, int)]
    # Some tokenizers have a few tokens that were added after the model was trained.
    if largest >= min(2 * max(sizes, default=_LARGEST_ID) + 1_000, _LARGEST_ID):
        raise SubjectError(
            f"{name} cannot be opened: a token of its tokenizer.json has number {largest:,}, and"
            f" its config.json names {max(sizes, default=0):,} tokens. {_REMEDY}"
        )


def check_sizes(folder: Path, tensors: int, name: str) -> None:
    """Refuse a configuration with more layers than the weights have tensors.

    - `name`: for the message.
    - Raises `SubjectError`.
    """
    for key, value in _entries(read_object(folder / "config.json", name)):
        if key in _LAYERS and isinstance(value, int) and value > tensors:
            raise SubjectError(
                f"{name} cannot be opened: its config.json says {key} = {value:,}, and its weights"
                f" have {tensors:,} tensors. {_REMEDY}"
            )


def _check_files(folder: Path, name: str) -> None:
    for path in sorted(folder.iterdir()):
        try:
            about = path.stat()
        except OSError:  # a link to nothing
            continue
        if stat.S_ISDIR(about.st_mode):
            continue
        if not stat.S_ISREG(about.st_mode):
            raise SubjectError(
                f"{name} cannot be opened: {path.name} is a pipe or a device, not a file. {_REMEDY}"
            )
        most = next((size for ends, size in _LARGEST if path.name.endswith(ends)), sys.maxsize)
        if about.st_size > most:
            raise SubjectError(
                f"{name} cannot be opened: {path.name} has {about.st_size / 1e6:,.0f} MB, and at"
                f" most {most / 1e6:,.0f} MB are read. {_REMEDY}"
            )


def read_object(path: Path, name: str) -> dict[str, Any]:
    """Return the object in a model's file in JSON.

    - `name`: for the message.
    - Raises `SubjectError` if it is too large, damaged or no object.
    """
    try:
        values = parse_json(read_given(path, LARGEST_JSON))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SubjectError(
            f"{name} cannot be opened: its {path.name} is damaged ({reason}). {_REMEDY}"
        ) from error
    if not isinstance(values, dict):
        raise SubjectError(
            f"{name} cannot be opened: its {path.name} is not a JSON object. {_REMEDY}"
        )
    return values


def _entries(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield all keys and values, those of objects inside too."""
    waiting: list[Mapping[str, Any]] = [values]
    while waiting:
        for key, value in waiting.pop().items():
            yield str(key), value
            if isinstance(value, dict):
                waiting.append(value)


def _check_entry(key: str, value: Any, name: str) -> None:
    if key.endswith(("attn_implementation", "experts_implementation")) and "/" in str(value):
        raise SubjectError(
            f"{name} cannot be opened: its config.json needs code of somebody else ({key} ="
            f" {str(value)[:60]!r}), and biaslab runs no code of a model. Remove that line."
        )
    numbers = value if isinstance(value, list) else [value]
    if key in _SIZES:
        is_good = value is None or all(
            isinstance(each, int | float) and -1 <= each <= _LARGEST_SIZE for each in numbers
        )
    elif key.endswith("_token_id"):
        is_good = value is None or all(
            isinstance(each, int) and -1 <= each < _LARGEST_ID for each in numbers
        )
    else:
        is_good = True
    if _COUNTS.fullmatch(key):
        is_good = is_good and not any(
            isinstance(each, int | float) and each > _MOST_COUNTED for each in numbers
        )
    if not is_good:
        raise _wrong("config.json", key, value, name)


def _check_settings(settings: Mapping[str, Any], name: str) -> None:
    where = "tokenizer_config.json"
    length = settings.get("model_max_length")
    if length is not None and (not isinstance(length, int | float) or length < 0):
        raise _wrong(where, "model_max_length", length, name)
    added = settings.get("added_tokens_decoder") or {}
    for number in added if isinstance(added, dict) else ("no table",):
        if not re.fullmatch(r"[0-9]{1,8}", number) or int(number) >= _LARGEST_ID:
            raise _wrong(where, "added_tokens_decoder", number, name)
    template = settings.get("chat_template") or ""
    if (size := len(str(template))) > 4 * LONGEST_TEMPLATE:
        raise _wrong(where, "chat_template", f"{size:,} characters", name)


def _wrong(where: str, key: str, value: Any, name: str) -> SubjectError:
    shown = repr(value)
    shown = shown if len(shown) <= 60 else f"{shown[:60]}…"
    return SubjectError(
        f"{name} cannot be opened: its {where} says {key} = {shown}, which no model has. {_REMEDY}"
    )
