"""Open models and tokenizers of transformers: located, checked, then read and placed.

Models are built one at a time in a process: while it builds a model, transformers replaces methods
of its own, torch's initialisers and torch's default precision for all threads, and then puts back
what it found. Of two threads at once, one puts back what the other had replaced: from then on
models have random weights, or untied ones.
"""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from biaslab.errors import (
    BiaslabError,
    DeviceMemoryError,
    MissingExtraError,
    SubjectError,
    UnknownSubjectError,
)
from biaslab.network import check_hub_name, fetch_apart
from biaslab.network.hub import WANTED
from biaslab.subjects.pretrained.apart import is_bundled
from biaslab.subjects.pretrained.files import ModelFiles, WeightFiles, local_files
from biaslab.subjects.pretrained.gguf_file import GgufFile, gguf_in, read_gguf
from biaslab.subjects.pretrained.memory import is_out_of_memory
from biaslab.subjects.pretrained.options import (
    DEFAULTS,
    LoadingOptions,
    placement,
    stored_quantization,
)
from biaslab.subjects.pretrained.refusals import (
    reason_of,
    refuse_configuration,
    refuse_other_formats,
    refuse_remote_code,
    refuse_revision_of_folder,
    refuse_tokenizer,
    without_tokenizer,
)
from biaslab.subjects.pretrained.trial import check_configuration, check_sizes, check_tokenizer

_lock = threading.RLock()


@contextmanager
def building(stored: tuple[int, int] | None = None, name: str = "") -> Iterator[None]:
    """Let no other thread build a model within a block, here or in a library that reads models.

    - `stored`: tensors and numbers of its weights. A model that outgrows them, as its
      configuration is false, is not built to its end.
    - `name`: for the message.
    - Raises `SubjectError` where it does.
    """
    with _lock, nullcontext() if stored is None else _not_outgrowing(stored, name):
        yield


@contextmanager
def _not_outgrowing(stored: tuple[int, int], name: str) -> Iterator[None]:
    from torch.nn.modules import module

    # Four copies of an embedding may be built before they are one.
    most = 4 * stored[0] + _MORE_TENSORS, 4 * stored[1] + _MORE_NUMBERS
    counted = [0, 0]
    thread = threading.get_ident()

    def count(_module: Any, _name: str, value: Any) -> None:
        if value is None or not value.is_meta or threading.get_ident() != thread:
            return
        counted[0] += 1
        counted[1] += value.numel()
        if counted[0] > most[0] or counted[1] > most[1]:
            raise SubjectError(
                f"{name} cannot be opened: its config.json describes a model that is larger than"
                f" its weights ({stored[1]:,} numbers in {stored[0]:,} tensors). Download the model"
                " again, or choose another one."
            )

    hooks: Any = module
    handles = [
        hooks.register_module_parameter_registration_hook(count),
        hooks.register_module_buffer_registration_hook(count),
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


_MORE_TENSORS, _MORE_NUMBERS = 1_000, 1 << 24
"""Of a model, besides those that its weights have."""
_PACKED = 16
"""Weights of 2 bits in a number of 32."""
PREFIX = "hf:"
#: Architectures whose tokenizer reads bytes, and so has no file.
_BYTES = frozenset({"byt5", "canine", "perceiver"})
T = TypeVar("T")


@dataclass(frozen=True)
class ModelSource:
    """Where a model is, what it is expected to be, and how it is opened.

    - `text`: ``hf:NAME`` or a folder, as the user wrote it.
    - `where`: the same as transformers takes it.
    - `what`: expected kind, such as "encoder".
    - `options`: device, precision and version.
    - `gguf`: the header of a GGUF file.
    """

    text: str
    where: str
    what: str
    options: LoadingOptions = DEFAULTS
    gguf: GgufFile | None = None

    @property
    def is_hub(self) -> bool:
        """Whether it is a name on the hub."""
        return self.text.startswith(PREFIX)

    @property
    def about(self) -> str:
        """A line about it."""
        if self.is_hub:
            return f"{self.what} {self.where} of the Hugging Face hub"
        if self.gguf is not None:
            return f"{self.what} in the file {self.gguf.path.name}"
        return f"{self.what} in the folder {Path(self.where).name}"

    @property
    def files(self) -> ModelFiles | None:
        """Its files on this machine; None where the hub's cache has none of it."""
        return local_files(self.where, self.is_hub, self.options.revision)

    def arguments(self, local: bool) -> dict[str, Any]:
        """Return arguments of ``from_pretrained``; `local` is whether only local files are read."""
        revision = self.options.revision
        return {"local_files_only": local, "revision": revision, "trust_remote_code": False}

    def folder(self, local: bool) -> Path | None:
        """Return the folder of files that somebody else wrote; None of a bundled model.

        Of a name on the hub, all files but the weights are downloaded first, so that they are
        checked before a library opens them.

        - `local`: whether only local files are read; None is returned if there are none.
        """
        if self.is_hub and not local:
            from huggingface_hub import snapshot_download

            wanted = [mask for mask in WANTED if mask != "*.safetensors"]
            snapshot_download(
                self.where, revision=self.options.revision, allow_patterns=wanted,
                ignore_patterns=["*/*"],
            )  # fmt: skip
        files = self.files
        return None if files is None or is_bundled(files.folder) else files.folder

    def refuse_without_tokenizer(self) -> None:
        """Refuse a folder without a tokenizer, for which transformers would make up an empty one.

        Raises `SubjectError`, which says what to store beside the model.
        """
        if not self.is_hub and not ModelFiles(Path(self.where)).has_tokenizer:
            raise SubjectError(without_tokenizer(self.text))


@dataclass(frozen=True)
class OpenedModel:
    """A model that transformers has opened.

    - `reader`: its tokenizer, or its processor of pictures and texts.
    - `untrained`: parameters that the files lack, so that they are random.
    - `device`: device to move it to; None where it lies in place, as quantised and split models do.
    - `files`: its files on this machine.
    - `notes`: remarks for the user.
    """

    model: Any
    reader: Any
    untrained: tuple[str, ...]
    device: str | None
    files: WeightFiles | None
    notes: tuple[str, ...] = ()


def locate(source: str | Path, what: str, options: LoadingOptions = DEFAULTS) -> ModelSource:
    """Return where a model is.

    - `source`: ``hf:NAME`` or a folder.
    - `what`, `options`: as of `ModelSource`.
    - Raises `MissingExtraError` when torch or transformers is not installed; `UnknownSubjectError`
      when the folder does not exist or holds no model; `SubjectError` when it is in another
      program's format; `OutboundError` when the owner of a server does not allow the name.
    """
    if any(importlib.util.find_spec(each) is None for each in ("torch", "transformers")):
        article = "An" if what[0] in "aeiou" else "A"
        raise MissingExtraError(
            f"{article} {what} needs torch and transformers: pip install 'biaslab[lm]'."
        )
    text = str(source)
    if text.startswith(PREFIX):
        check_hub_name(text)
    refuse_other_formats(text)
    if text.startswith(PREFIX):
        if text == PREFIX:
            raise UnknownSubjectError(
                "'hf:' has no name. Write hf:NAME, such as hf:bert-base-uncased."
            )
        return ModelSource(text, text.removeprefix(PREFIX), what, options)
    if (file := gguf_in(source)) is not None:
        return ModelSource(text, str(file), what, options, read_gguf(file))
    folder = Path(source).expanduser()
    if not (folder / "config.json").is_file():
        if (folder / "adapter_config.json").is_file():
            raise SubjectError(
                f"{folder} holds an adapter, which is opened with kind='clm' or 'mlm'. For another"
                " kind, merge it: model.merge_and_unload().save_pretrained(folder)."
            )
        raise UnknownSubjectError(
            f"There is no model in {folder} (no config.json). Give a folder that "
            "save_pretrained wrote, or the name of a model on the Hugging Face hub as hf:NAME."
        )
    return ModelSource(text, str(folder), what, options)


def open_model(source: ModelSource, auto_class: str) -> OpenedModel:
    """Open model and tokenizer with a class of transformers; list missing weights.

    Configuration, tokenizer and headers of the weights are checked before any weights are read.

    - `auto_class`: such as "AutoModel".
    - Raises `MissingExtraError` when a library that its files need is not installed. Raises
      `SubjectError` when it cannot be fetched, opened or used; says why, and what to use instead.
    """
    config = read_configuration(source)
    refuse_configuration(config, source.text, auto_class)
    tokenizer = open_tokenizer(source, config.model_type)
    refuse_tokenizer(tokenizer, source.text, auto_class)
    return read_weights(source, auto_class, config, tokenizer)


def read_configuration(source: ModelSource) -> Any:
    """Return a model's configuration as transformers reads it.

    Raises `SubjectError` when there is none, or it needs code of its own.
    """
    import transformers

    if not source.is_hub:
        refuse_revision_of_folder(source.options.revision, source.text)

    def read(local: bool) -> Any:
        folder = source.folder(local)
        if folder is not None:
            refuse_remote_code(check_configuration(folder, source.text), source.text)
        return transformers.AutoConfig.from_pretrained(source.where, **source.arguments(local))

    return local_first(source, read)


def open_tokenizer(source: ModelSource, model_type: str) -> Any:
    """Return a model's tokenizer.

    Raises `SubjectError` when it has none.
    """
    import transformers

    if model_type not in _BYTES:
        source.refuse_without_tokenizer()
    auto: Any = transformers.AutoTokenizer

    def read(local: bool) -> Any:
        folder = source.folder(local)
        if folder is not None:
            check_tokenizer(folder, source.text)
        return auto.from_pretrained(source.where, **source.arguments(local))

    return local_first(source, read)


def read_weights(source: ModelSource, auto_class: str, config: Any, reader: Any) -> OpenedModel:
    """Check the files of the weights, read them, and put the model where it belongs.

    - `auto_class`: name of a class of transformers with ``from_pretrained``.
    - `reader`: as of `OpenedModel`.
    - Raises `SubjectError` when files are missing or cut off, or memory does not suffice.
    """
    import transformers

    auto = getattr(transformers, auto_class)
    text, options, files = source.text, source.options, source.files
    if files is not None:
        files.check()
    device, arguments = placement(options, config)

    def read(local: bool) -> tuple[Any, tuple[str, ...]]:
        # A local model opens in a moment; a download deserves a progress bar.
        try:
            if not local:
                _download_weights(source.where, options.revision)
            stored = _stored(source, config)
            with building(stored, text), no_progress_bar() if local else nullcontext():
                model, loading_info = auto.from_pretrained(
                    source.where, use_safetensors=True, output_loading_info=True,
                    **source.arguments(local), **arguments,
                )  # fmt: skip
        except OSError as error:
            if not local and files is not None and reason_of(error, text, options.revision) is None:
                files.refuse_partly_downloaded(text)
            raise
        return model, tuple(sorted(loading_info["missing_keys"]))

    try:
        model, untrained = local_first(source, read)
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        raise does_not_fit(text, options.device or device or "the device") from error
    # A download has brought files that were not there before.
    return OpenedModel(model, reader, untrained, device, source.files)


def _stored(source: ModelSource, config: Any) -> tuple[int, int] | None:
    """Return tensors and numbers of the weights, as many as they have once unpacked."""
    files = source.files
    if files is None or is_bundled(files.folder):
        return None
    if not files.weights or not all(path.is_file() for path in files.weights):
        return None  # opening says which are missing
    tensors, numbers = files.stored()
    check_sizes(files.folder, tensors, source.text)
    return tensors, numbers * (_PACKED if stored_quantization(config) else 1)


def _download_weights(where: str, revision: str | None) -> None:
    """Download the weights of a model of the hub, so that they are there when it is built."""
    from transformers import utils

    hub: Any = utils.hub  # it declares few types
    wanted = {"revision": revision, "_raise_exceptions_for_missing_entries": False}
    if hub.cached_file(where, utils.SAFE_WEIGHTS_NAME, **wanted) is None:
        index = hub.cached_file(where, utils.SAFE_WEIGHTS_INDEX_NAME, **wanted)
        if index is not None:
            hub.get_checkpoint_shard_files(where, index, revision=revision)


def local_first(source: ModelSource, read: Callable[[bool], T]) -> T:
    """Read from this machine, else from the hub; explain a failure.

    - `read`: takes whether only local files may be read.
    - Raises `MissingExtraError` when a library is not installed; `SubjectError` when it fails.
    """
    with explained(source):
        try:
            return read(True)
        except (OSError, ValueError):
            if not source.is_hub:
                raise
            return read(fetch_apart(source.text, source.options.revision))


@contextmanager
def explained(source: ModelSource) -> Iterator[None]:
    """Turn what libraries raise about a model's files within a block into a sentence.

    Raises `MissingExtraError` when a library is not installed; `SubjectError` for all else.
    """
    text, revision = source.text, source.options.revision
    try:
        yield
    except BiaslabError:
        raise
    except ImportError as error:
        raise MissingExtraError(
            f"{text} needs a library that is not installed: {_first_line(error)}"
        ) from error
    except BaseException as error:
        # A panic of a library in Rust is no Exception.
        is_theirs = isinstance(error, Exception) or type(error).__name__ == "PanicException"
        if not is_theirs or is_out_of_memory(error):
            raise
        raise reason_of(error, text, revision) or _failed(source, error) from error


def does_not_fit(text: str, device: str) -> DeviceMemoryError:
    """Return the error for a model that is larger than the memory of a device."""
    remedy = (
        "Take half of it with dtype='bfloat16', or choose a smaller model."
        if device.startswith("cpu")
        else "Take less with dtype='bfloat16' or quantize='4bit', spread it with device='auto', or"
        " use device='cpu'."
    )
    return DeviceMemoryError(f"{text} does not fit into the memory of {device}. {remedy}")


@contextmanager
def no_progress_bar() -> Iterator[None]:
    """Hide the progress bar of transformers within a block."""
    import transformers

    logging: Any = transformers.utils.logging
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def _failed(source: ModelSource, error: BaseException) -> SubjectError:
    advice = (
        "Check the name and the connection, or give the folder of a local model."
        if source.is_hub
        else "It needs config.json, the weights as safetensors, and the tokenizer's files."
    )
    article = "an" if source.what[0] in "aeiou" else "a"
    return SubjectError(
        f"{source.text} cannot be opened as {article} {source.what}: {_first_line(error)} {advice}"
    )


def _first_line(error: BaseException) -> str:
    if "backend tokenizer" in str(error):
        return (
            "Its tokenizer cannot be built from its files. Store tokenizer.json beside the model,"
            " or pip install sentencepiece tiktoken."
        )
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:300] if lines else type(error).__name__
