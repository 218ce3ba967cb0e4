"""Open GGUF files with transformers: de-quantised, with their own tokenizer and chat template."""

from __future__ import annotations

import importlib
import importlib.util
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import MissingExtraError, SubjectError
from biaslab.subjects.pretrained.apart import NotReadError, try_tokenizer
from biaslab.subjects.pretrained.gguf_file import GgufFile, refuse_architecture
from biaslab.subjects.pretrained.memory import is_out_of_memory, total_memory
from biaslab.subjects.pretrained.opening import (
    ModelSource,
    OpenedModel,
    building,
    does_not_fit,
    explained,
    no_progress_bar,
)
from biaslab.subjects.pretrained.options import placement
from biaslab.subjects.pretrained.refusals import (
    refuse_configuration,
    refuse_revision_of_folder,
    refuse_tokenizer,
)

_INPUT = "token_embd.weight"
_BYTES = {"float32": 4}
"""Of a number in each type; 2 in the others."""
_UNREAD = (
    "The file has scaled rotary frequencies (rope_freqs.weight), which transformers does not read:"
    " its answers differ a little from llama.cpp's, and more in long texts."
)


def open_gguf(source: ModelSource, file: GgufFile, auto_class: str) -> OpenedModel:
    """Open the model and the tokenizer of a GGUF file.

    Nothing beside the file is read: a tokenizer that lies in its folder may be another model's.

    - `auto_class`: such as "AutoModelForCausalLM".
    - Raises `MissingExtraError` when accelerate is not installed; `SubjectError` when the file
      cannot be opened or used; says why, and what to use instead.
    """
    transformers: Any = importlib.import_module("transformers")
    text, options = source.text, source.options
    refuse_revision_of_folder(options.revision, text)
    if options.quantize is not None:
        raise SubjectError(
            f"The file is quantised already ({file.quantization}): leave out quantize."
        )
    refuse_architecture(file, text)
    if importlib.util.find_spec("accelerate") is None:
        raise MissingExtraError(f"{text} needs accelerate: pip install 'biaslab[lm]'.")
    device, arguments = placement(options, None)
    dtype = arguments["dtype"] = options.dtype or "float32"
    if file.numbers * _BYTES.get(dtype, 2) > total_memory("cpu"):
        raise does_not_fit(f"{text}, de-quantised to {dtype},", "cpu")
    if (how := getattr(transformers, "GgufConfig", None)) is not None:
        # Else an installed kernel keeps the weights packed, and rounds otherwise.
        arguments["quantization_config"] = how(dequantize=True)
    with (
        explained(source), tempfile.TemporaryDirectory() as empty,
        building((file.tensors, file.numbers), text), _read_once(), no_progress_bar(),
    ):  # fmt: skip
        of_file = {"gguf_file": str(file.path.absolute()), "local_files_only": True}
        config = transformers.AutoConfig.from_pretrained(empty, **of_file)
        refuse_configuration(config, text, auto_class)
        tokenizer = transformers.AutoTokenizer.from_pretrained(empty, **of_file)
        _check_tokenizer(tokenizer, Path(empty), text)
        refuse_tokenizer(tokenizer, text, auto_class)
        try:
            model, info = getattr(transformers, auto_class).from_pretrained(
                empty, config=config, output_loading_info=True, **of_file, **arguments
            )
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            raise does_not_fit(text, options.device or device or "the device") from error
    # What a card, a repr and a provenance say of it.
    stored = f"GGUF {file.quantization}, de-quantised to {dtype}"
    model.config.quantization_config = {"quant_method": stored}
    notes = (_UNREAD,) if "rope_freqs.weight" in file.names else ()
    return OpenedModel(model, tokenizer, tuple(sorted(info["missing_keys"])), device, file, notes)


def read_input(source: ModelSource, file: GgufFile) -> tuple[Any, NDArray[np.float32]]:
    """Return the tokenizer of a GGUF file, and its input embeddings, de-quantised.

    - Raises `SubjectError` when it has none, or is damaged.
    """
    transformers: Any = importlib.import_module("transformers")
    refuse_architecture(file, source.text)
    if _INPUT not in file.names:
        raise SubjectError(f"{source.text} has no input embeddings ({_INPUT}).")
    with explained(source), tempfile.TemporaryDirectory() as empty, _read_once():
        library: Any = importlib.import_module("gguf")
        of_file = {"gguf_file": str(file.path.absolute()), "local_files_only": True}
        tokenizer = transformers.AutoTokenizer.from_pretrained(empty, **of_file)
        _check_tokenizer(tokenizer, Path(empty), source.text)
        tensors = library.GGUFReader(str(file.path.absolute())).tensors
        table = next(tensor for tensor in tensors if tensor.name == _INPUT)
        vectors = library.dequantize(table.data, table.tensor_type)
    return tokenizer.backend_tokenizer, np.asarray(vectors, dtype=np.float32)


def _check_tokenizer(tokenizer: Any, folder: Path, text: str) -> None:
    rules = folder / "tokenizer.json"
    content = tokenizer.backend_tokenizer.to_str().encode()
    rules.write_bytes(content)
    try:
        try_tokenizer(rules, content)
    except NotReadError as error:
        raise SubjectError(
            f"{text} cannot be opened: its tokenizer cannot be used, because {error}."
        ) from error


@contextmanager
def _read_once() -> Iterator[None]:
    """Let transformers read a header and a table of names once, without a bar, within a block.

    It reads the header for the configuration, the tokenizer and the weights, each time in many
    seconds, and the table of names for every layer.
    """
    library: Any = importlib.import_module("gguf")
    plain: Any = library.GGUFReader
    table: Callable[..., Any] = library.get_tensor_name_map
    # Its bar heeds no setting; other versions of transformers have no such module.
    unpacking = "transformers.modeling_gguf_pytorch_utils"
    has_bar = importlib.util.find_spec(unpacking) is not None
    bars: Any = importlib.import_module(unpacking) if has_bar else SimpleNamespace()
    bar = getattr(bars, "tqdm", None)

    class Reader(plain):  # type: ignore[misc]
        """Slices of numpy's type for mapped files take three times as long as plain ones."""

        def __setattr__(self, name: str, value: Any) -> None:
            is_mapped = isinstance(value, np.memmap)
            super().__setattr__(name, value.view(np.ndarray) if is_mapped else value)

    library.GGUFReader, library.get_tensor_name_map = cache(cast("Any", Reader)), cache(table)
    bars.tqdm = lambda tensors, **_: tensors
    try:
        yield
    finally:
        library.GGUFReader, library.get_tensor_name_map = plain, table
        bars.tqdm = bar
