"""Subjects that a process keeps open, within a share of the memory of each device."""

from __future__ import annotations

import importlib.util
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from biaslab.network import check_hub_name
from biaslab.subjects.opening.load import bundled_names, find_source, load, own_source
from biaslab.subjects.opening.names import is_address, open_address
from biaslab.subjects.pretrained.adapter import adapter_in
from biaslab.subjects.pretrained.files import local_files
from biaslab.subjects.pretrained.gguf_file import gguf_in, read_gguf
from biaslab.subjects.pretrained.memory import allowed_memory, memory_by_device

S = TypeVar("S")


class OpenSubjects(Generic[S]):
    """Cache of open subjects; the least recently used one is closed first.

    - `allowed`: returns the bytes that all of them may take on a device such as "cpu" or "cuda:0".
    """

    def __init__(self, allowed: Callable[[str], int] = allowed_memory) -> None:
        self._allowed = allowed
        self._open: OrderedDict[Hashable, S] = OrderedDict()
        self._opening: dict[Hashable, threading.Lock] = {}
        self._guard = threading.Lock()

    def get(self, key: Hashable, opener: Callable[[], S], expected: dict[str, int]) -> S:
        """Return the open subject of a key; open it once, however many threads ask.

        - `opener`: opens the subject; what it raises is not cached.
        - `expected`: bytes that it will take, by device; they are freed before it is opened.
        """
        with self._guard:
            opening = self._opening.setdefault(key, threading.Lock())
        with opening:
            with self._guard:
                if key in self._open:
                    self._open.move_to_end(key)
                    return self._open[key]
                self._make_room(expected)
            subject = opener()
            with self._guard:
                self._open[key] = subject
                self._make_room({}, keep=key)
            return subject

    def drop(self, subject: object = None) -> None:
        """Close a subject, or all of them."""
        with self._guard:
            for key in [k for k, one in self._open.items() if subject is None or one is subject]:
                del self._open[key]

    def _make_room(self, expected: dict[str, int], keep: Hashable = None) -> None:
        """Close subjects until each device has room; the one to keep stays, however large."""
        taken = {key: memory_by_device(subject) for key, subject in self._open.items()}
        for device in {*expected, *(name for each in taken.values() for name in each)}:
            allowed = self._allowed(device)
            used = expected.get(device, 0) + sum(each.get(device, 0) for each in taken.values())
            for key in list(self._open):
                if used <= allowed:
                    break
                if key != keep and taken[key].get(device, 0):
                    used -= taken.pop(key)[device]
                    del self._open[key]
                    self._opening.pop(key, None)


_shared: OpenSubjects[Any] = OpenSubjects()


def load_shared(source: str | Path, **options: Any) -> Any:
    """Load as `load`, but reuse a subject that this process has open.

    Two threads that ask for the same subject at once wait for one loading; different subjects
    load side by side. A file that changed on disk is loaded again. A failure is not cached.
    Open subjects take at most half of the memory of each device, or the share that the environment
    variable ``BIASLAB_MEMORY_SHARE`` names; the least recently used one is closed first.

    Parameters
    ----------
    source : str or Path
        As of `load`.
    **options
        As of `load`.

    Returns
    -------
    WordEmbedding, EmbeddingEnsemble, Encoder, Classifier, LanguageModel, VisionLanguageModel or
    TranslationModel
        Shared: subjects are not changed after loading.
    """
    if is_address(source):
        return _at_address(str(source), options)
    if str(source).startswith(("hf:", "gensim:")):
        check_hub_name(str(source))  # it may be open already, for somebody who may
    if (own := own_source(source)) is not None:
        options = {"name": str(source), "kind": own[1]} | own[2] | options
        source = own[0]
        if is_address(source):
            return _at_address(source, options)
        if options["kind"] is None:
            del options["kind"]
    # Models in Hugging Face's format are found by transformers, or are folders as given.
    of_transformers = options.get("kind") in ("encoder", "mlm", "clm", "vlm")
    is_model = of_transformers or options.get("kind") == "classifier"
    named = is_model and str(source).startswith("hf:")
    unfindable = named or (of_transformers and str(source) not in bundled_names())
    path = Path(source) if unfindable else find_source(source)
    callbacks = {"on_progress", "name"}
    key = (
        str(source) if named else str(path.resolve()),
        () if named or not path.exists() else _stamp(path),
        options.get("name"),
        tuple(sorted((k, str(v)) for k, v in options.items() if k not in callbacks)),
    )
    device = str(options.get("device") or "")
    # Without torch, `load` says which extra brings it.
    has_torch = is_model and importlib.util.find_spec("torch") is not None
    expected = _expected_memory(str(source), path, device) if has_torch else {}
    return _shared.get(key, lambda: load(source, **options), expected)


def _at_address(source: str, options: Mapping[str, Any]) -> Any:
    """Open a subject at an address; options that say how files are read mean nothing to it."""
    return open_address(source, kind=options.get("kind"), name=options.get("name"))


def forget_shared(subject: object = None) -> None:
    """Clear the cache of `load_shared`, to free its memory.

    Parameters
    ----------
    subject : optional
        The open subject to drop; default all of them.
    """
    _shared.drop(subject)


def _expected_memory(source: str, path: Path, device: str) -> dict[str, int]:
    """Return the bytes of a model's files by the device that they will go to."""
    if (file := gguf_in(path)) is not None:
        return {} if device == "auto" else {_placed_on(device): read_gguf(file).bytes}
    if (adapter := adapter_in(path)) is not None:
        return _expected_memory(adapter.base, Path(adapter.base), device)
    is_hub = source.startswith("hf:")
    if is_hub and importlib.util.find_spec("huggingface_hub") is None:
        return {}
    files = local_files(source.removeprefix("hf:") if is_hub else str(path), is_hub)
    return {} if files is None or device == "auto" else {_placed_on(device): files.bytes}


def _placed_on(device: str) -> str:
    import torch

    where = device or ("cuda" if torch.cuda.is_available() else "cpu")
    return "cuda:0" if where == "cuda" else where


def _stamp(path: Path) -> tuple[tuple[str, int, int], ...]:
    """Return a stamp that changes with a file, or a file of a folder."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return tuple((p.name, p.stat().st_mtime_ns, p.stat().st_size) for p in files if p.is_file())
