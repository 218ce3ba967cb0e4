"""``bl.subjects.inspect``: find out what a subject is without loading it."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biaslab.arguments import described
from biaslab.errors import ArgumentError, SubjectError, UnknownSubjectError
from biaslab.files.given import parse_json, read_given
from biaslab.network import check_hub_name, fetch_apart
from biaslab.records.wording import count
from biaslab.subjects.classifier.sentiment import MANIFEST, WORDS, is_classifier_folder
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.embedding.ensemble import is_ensemble_folder
from biaslab.subjects.embedding.spacy_vectors import PREFIX, count_words, is_pipeline, read_table
from biaslab.subjects.formats.detect import read_embedding_header
from biaslab.subjects.formats.safetensors_file import find_vectors, read_header
from biaslab.subjects.language_model.treated import treatment_in
from biaslab.subjects.opening.load import BUNDLED, bundled_names, find_source
from biaslab.subjects.opening.names import OwnSubject, is_address, own_subject
from biaslab.subjects.opening.needs import KIND_TITLES, Fit, questions_for
from biaslab.subjects.opening.token_tables import TokenTable, input_table, static_table
from biaslab.subjects.opening.vectors import file_stem
from biaslab.subjects.pretrained.adapter import adapter_in, kind_of_adapter
from biaslab.subjects.pretrained.facts import ModelFacts, in_words, size_text
from biaslab.subjects.pretrained.gguf_file import gguf_in, read_gguf, refuse_architecture
from biaslab.subjects.pretrained.kinds import ModelFolder, kind_of_model, read_model_folder
from biaslab.subjects.pretrained.refusals import refuse_other_formats


@dataclass(frozen=True)
class SubjectInfo:
    """A subject before it is loaded.

    Attributes
    ----------
    name : str
    source : str
        As `biaslab.load` takes it; a function or a service has none.
    kind : str
        A kind of `biaslab.load`, or "chat", "http", "function".
    format : str
        Format of its file or weights, such as "GloVe text" or "safetensors".
    bytes : int
        Size on disk; 0 where nothing lies on this machine.
    words, dimensions, parameters : int or None
        None where it has none, or where only loading would tell.
    counts_exactly : bool
        Whether ``words`` was counted; otherwise it is estimated from the size of the file.
    replicates : int
        Number of embeddings in an ensemble; else 1.
    labels : tuple of str
        Of a classifier.
    dtype : str
        Type of the stored numbers.
    loaded : ModelFacts or None
        Of an open model: memory, devices, precision and version.
    """

    name: str
    source: str
    kind: str
    format: str = ""
    bytes: int = 0
    words: int | None = None
    dimensions: int | None = None
    parameters: int | None = None
    counts_exactly: bool = True
    replicates: int = 1
    labels: tuple[str, ...] = ()
    dtype: str = ""
    loaded: ModelFacts | None = None

    @property
    def questions(self) -> tuple[Fit, ...]:
        """Which questions it can be asked, and why not the others."""
        return questions_for(self.kind)

    @property
    def kind_title(self) -> str:
        """The kind in words."""
        return KIND_TITLES.get(self.kind, self.kind)

    @property
    def facts(self) -> str:
        """Its sizes in words, such as "8,000 words, 300 dimensions"."""
        about = "" if self.counts_exactly else "about "
        facts = [
            f"{count(self.replicates)} embeddings" if self.replicates > 1 else "",
            f"{about}{count(self.words)} words" if self.words is not None else "",
            f"{count(self.dimensions)} dimensions" if self.dimensions else "",
            f"{in_words(self.parameters)} parameters" if self.parameters else "",
            f"labels {' and '.join(self.labels)}" if 0 < len(self.labels) <= 3 else "",
            f"{len(self.labels)} labels" if len(self.labels) > 3 else "",
        ]
        return ", ".join(fact for fact in facts if fact)

    @property
    def short(self) -> str:
        """What it is in a few words: "32 embeddings", "masked language model"."""
        return f"{count(self.replicates)} embeddings" if self.replicates > 1 else self.kind_title

    def summary(self) -> str:
        """One sentence: kind, sizes, format and size on disk."""
        parts = [self.facts, self.format, size_text(self.bytes) if self.bytes else ""]
        shown = ", ".join(part for part in parts if part)
        title = self.kind_title[:1].upper() + self.kind_title[1:]
        if self.loaded is not None:
            return f"{title}, {self.loaded.summary()}"
        return f"{title}{', ' if shown else ''}{shown}."


HUB = "hf:"
SERVER = "openai:"
_VISION_KINDS = frozenset({"clip", "vilt", "blip", "blip-2", "git", "picture-chat"})


def inspect(source: Any, *, hub: bool = False) -> SubjectInfo:
    """Find out what a subject is, how large it is, and what it can be asked.

    Weights and vectors are not read: of a file its header or its first lines, of a folder its
    configuration and the headers of its weights.

    Parameters
    ----------
    source : str, Path, callable or open subject
        As `biaslab.load` takes it: an own or bundled name, an embedding file, the folder of an
        ensemble or a model, ``hf:NAME``; or a function of a text, or a subject that is open.
    hub : bool
        Whether the hub may be asked for the configuration of ``hf:NAME``. One that is in the
        local cache is read without asking.

    Returns
    -------
    SubjectInfo

    Raises
    ------
    UnknownSubjectError
        When there is no such file or folder.
    EmbeddingFileError
        When a file is no embedding, or is damaged where it was read.
    SubjectError
        When a folder lacks something; says what.

    Examples
    --------
    >>> import biaslab as bl
    >>> info = bl.subjects.inspect("wiki-bootstraps")
    >>> info.kind, info.words, info.dimensions, info.replicates
    ('ensemble', 4870, 100, 32)
    >>> [fit.name for fit in info.questions if fit.fits]
    ['psychometric', 'occupations', 'association']
    """
    if not isinstance(source, str | Path):
        return _inspect_object(source)
    text = str(source)
    if text in bundled_names():
        return _inspect_path(BUNDLED / text, text, text)
    if (own := own_subject(source)) is not None:
        return _inspect_own(own, hub)
    if text.startswith(HUB):
        return _inspect_hub(text, hub)
    if is_address(text):
        return _inspect_address(text, "")
    if text.startswith(PREFIX):
        return _inspect_path(find_source(text), text.removeprefix(PREFIX), text)
    if text.startswith("gensim:"):
        raise SubjectError(f"{text} is fetched when it is opened: bl.load({text!r}).")
    if not text.strip():
        raise UnknownSubjectError("Give the path of a file or a folder.")
    path = Path(source).expanduser()
    return _inspect_path(path, _name_of(path), str(path.absolute()))


def _name_of(path: Path) -> str:
    return file_stem(path) if path.is_file() else path.resolve().name


def _inspect_own(own: OwnSubject, hub: bool) -> SubjectInfo:
    if not own.source:
        return SubjectInfo(own.name, "", own.kind)
    if is_address(own.source):
        return _inspect_address(own.source, own.name)
    if own.source.startswith(HUB):
        return (
            SubjectInfo(own.name, own.source, own.kind, "hub")
            if not hub
            else _inspect_hub(own.source, hub)
        )
    is_package = own.source.startswith(PREFIX)
    path = find_source(own.source) if is_package else Path(own.source)
    if own.kind == "embedding" and (path / "config.json").is_file():
        table = static_table(path) or input_table(path)  # and not the model that it belongs to
        return _table(table, own.name, own.source)
    if own.kind == "embedding" and (file := gguf_in(path)) is not None:
        what = f"input embeddings in GGUF ({read_gguf(file).quantization})"
        return SubjectInfo(own.name, own.source, "embedding", what, file.stat().st_size)
    return _inspect_path(path, own.name, own.source)


def _inspect_address(text: str, name: str) -> SubjectInfo:
    """Say what an address names, without asking the server."""
    if not text.startswith(SERVER):
        raise SubjectError(f"{text} is opened as a service in Python: bl.load({text!r}).")
    model, at, url = text.removeprefix(SERVER).rpartition("@")
    if not model.strip() or not at or not url.startswith(("http://", "https://")):
        raise SubjectError(
            f"{text} names no model on a server. Give its name there and an address that starts"
            " with http:// or https://, such as openai:my-model@http://127.0.0.1:8000/v1."
        )
    return SubjectInfo(name or model.strip().rpartition("/")[2], text, "server")


def _inspect_path(path: Path, name: str, source: str) -> SubjectInfo:
    try:
        refuse_other_formats(source)
        if (gguf := gguf_in(path)) is not None:
            return _inspect_gguf(gguf, name, source)
        if path.exists() and (table := static_table(path)) is not None:
            return _table(table, name, source)
        if path.is_dir():
            return _inspect_folder(path, name, source)
        if path.is_file():
            return _inspect_file(path, name, source)
        if path.exists():
            raise SubjectError(f"{path} is a pipe or a device. Give the path of a file or folder.")
    except PermissionError as error:
        raise SubjectError(f"{path} may not be read by this account.") from error
    raise UnknownSubjectError(f"There is no file or folder {path}. Check the path.")


def _inspect_file(path: Path, name: str, source: str) -> SubjectInfo:
    header = read_embedding_header(path)
    kind = "ensemble" if header.replicates > 1 else "embedding"
    return SubjectInfo(
        name, source, kind, header.format, path.stat().st_size, header.words, header.dimensions,
        counts_exactly=header.counts_exactly, replicates=header.replicates, dtype=header.dtype,
    )  # fmt: skip


def _inspect_gguf(path: Path, name: str, source: str) -> SubjectInfo:
    file = read_gguf(path)
    if importlib.util.find_spec("transformers") is not None:
        refuse_architecture(file, path.name)
    return SubjectInfo(
        name, source, "clm", f"GGUF ({file.quantization})", path.stat().st_size,
        parameters=file.numbers, dtype=file.quantization,
    )  # fmt: skip


def _inspect_folder(folder: Path, name: str, source: str) -> SubjectInfo:
    size = sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
    if is_classifier_folder(folder):
        return _sentiment(folder, name, source, size)
    if is_ensemble_folder(folder):
        return _ensemble(folder, name, source, size)
    if is_pipeline(folder):
        return _pipeline(folder, name, source)
    if (card := treatment_in(folder)) is not None:
        return SubjectInfo(name, source, card["kind"], card["about"], size)
    if (adapter := adapter_in(folder)) is not None:
        return SubjectInfo(name, source, kind_of_adapter(adapter) or "clm", adapter.about, size)
    if not (folder / "config.json").is_file():
        shown = sorted(path.name for path in folder.iterdir())
        listed = ", ".join(shown[:6]) + (" and more" if len(shown) > 6 else "")
        raise SubjectError(
            f"This folder has no config.json, so it holds no model: {folder} holds"
            f" {listed or 'nothing'}. Give a folder that save_pretrained wrote, or the path of an"
            " embedding file."
        )
    model = read_model_folder(folder)
    return _model(model, name, source, size)


def _model(model: ModelFolder, name: str, source: str, size: int) -> SubjectInfo:
    return SubjectInfo(
        name, source, model.kind, "safetensors", size, parameters=model.parameters,
        labels=model.labels, dtype=model.dtype,
    )  # fmt: skip


def _table(table: TokenTable, name: str, source: str) -> SubjectInfo:
    tokens, dimensions = table.shape
    return SubjectInfo(
        name, source, "embedding", f"vectors of {count(tokens)} tokens",
        table.weights.stat().st_size, dimensions=dimensions,
    )  # fmt: skip


def _pipeline(folder: Path, name: str, source: str) -> SubjectInfo:
    table, title = read_table(folder)
    size = sum(path.stat().st_size for path in (folder / "vocab").iterdir() if path.is_file())
    return SubjectInfo(
        title.partition(" ")[0] if name == folder.name else name, source, "embedding",
        f"spaCy pipeline with {count(len(table))} vectors", size, count_words(folder),
        table.shape[1], dtype=table.dtype.name,
    )  # fmt: skip


def _ensemble(folder: Path, name: str, source: str, size: int) -> SubjectInfo:
    replicates = sorted(folder.glob("replicate-*.safetensors"))
    if not replicates:
        raise SubjectError(f"{folder.name} has no replicate-NN.safetensors, so no embedding.")
    shape = find_vectors(replicates[0], read_header(replicates[0])[0]).shape
    return SubjectInfo(
        name, source, "ensemble", "biaslab ensemble", size, shape[0], shape[1],
        replicates=len(replicates), dtype="int8",
    )  # fmt: skip


def _sentiment(folder: Path, name: str, source: str, size: int) -> SubjectInfo:
    try:
        manifest = parse_json(read_given(folder / MANIFEST))
        shape = read_header(folder / WORDS)[0]["vectors"].shape
        labels = tuple(map(str, manifest["labels"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SubjectError(
            f"{folder.name} is an incomplete classifier ({error}). Copy it again."
        ) from error
    return SubjectInfo(
        name, source, "classifier", "biaslab classifier", size, shape[0], shape[1], labels=labels,
        dtype="int8",
    )  # fmt: skip


def _inspect_hub(text: str, hub: bool) -> SubjectInfo:
    check_hub_name(text)
    where = text.removeprefix(HUB)
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
    except ModuleNotFoundError as error:
        raise SubjectError(
            "Names of the hub need transformers: pip install 'biaslab[lm]'."
        ) from error
    wanted = ["config.json", "tokenizer*", "vocab*", "*.spm", "*.model"]
    try:
        local = not hub or fetch_apart(text, None, wanted)
        folder = Path(snapshot_download(where, allow_patterns=wanted, local_files_only=local))
    except (LocalEntryNotFoundError, HfHubHTTPError, OSError, ValueError) as error:
        why = (
            "The hub has none of that name, or cannot be reached."
            if hub
            else ("It is not in this machine's cache, and the hub is off here.")
        )
        raise UnknownSubjectError(f"{text} cannot be read. {why}") from error
    if any(folder.glob("*.safetensors")):
        return _inspect_path(folder, where.rpartition("/")[2], text)
    return SubjectInfo(where.rpartition("/")[2], text, kind_of_model(folder), "hub")


def _inspect_object(subject: Any) -> SubjectInfo:
    name, kind = getattr(subject, "name", None), getattr(subject, "kind", None)
    if isinstance(name, str) and isinstance(kind, str):
        if isinstance(subject, EmbeddingSubject):
            return SubjectInfo(
                name, "", kind, words=len(subject), dimensions=subject.dim,
                replicates=subject.n_replicates, dtype=subject.dtype.name,
                loaded=getattr(subject, "model_facts", None),
            )  # fmt: skip
        labels = tuple(getattr(subject, "labels", ()))
        facts = getattr(subject, "model_facts", None)
        return SubjectInfo(
            name, "", "vlm" if kind in _VISION_KINDS else kind, labels=labels, loaded=facts,
            parameters=None if facts is None else facts.parameters,
            dtype="" if facts is None else facts.dtype,
        )  # fmt: skip
    if callable(subject):
        return SubjectInfo(
            str(getattr(subject, "__name__", type(subject).__name__)), "", "function"
        )
    raise ArgumentError(
        f"source is {described(subject)}. Pass a name, a path, a function of a text, or an open"
        " subject."
    )
