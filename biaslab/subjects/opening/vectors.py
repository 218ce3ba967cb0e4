"""Open what holds word vectors: files, ensembles, pipelines, tables of tokens, and memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from biaslab.arguments import described
from biaslab.errors import ArgumentError, SubjectError, UnknownSubjectError
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.embedding.ensemble import EmbeddingEnsemble, is_ensemble_folder, read_ensemble
from biaslab.subjects.embedding.spacy_vectors import (
    embedding_of_pipeline,
    has_pipeline,
    is_pipeline,
    read_pipeline,
)
from biaslab.subjects.embedding.terms import CasePolicy
from biaslab.subjects.embedding.word_embedding import WordEmbedding, embedding_of, is_table
from biaslab.subjects.formats import ReadOptions, read
from biaslab.subjects.opening.token_tables import (
    input_table,
    open_gguf_table,
    open_table,
    static_table,
)
from biaslab.subjects.pretrained.gguf_file import gguf_in

SUFFIXES = (
    ".gz", ".bz2", ".xz", ".txt", ".vec", ".bin", ".npz", ".safetensors", ".gguf", ".kv", ".model",
    ".pkl",
)  # fmt: skip
_HOW = (
    "Pass a name, a path, a dict of word to vector, or a DataFrame; pass a subject that is already"
    " open to the probe directly."
)


def open_in_memory(source: Any, words: Sequence[str] | None, **options: Any) -> WordEmbedding:
    """Return the embedding of a table, a matrix with its words, or a pipeline of spaCy.

    - `options`: name, letter_case, dtype and limit of `biaslab.load`.
    - Raises `ArgumentError` when it is none of them.
    """
    if words is None and has_pipeline(source):
        return embedding_of_pipeline(source, **options)
    if words is None and hasattr(source, "get_output_embeddings"):  # of transformers or peft
        raise ArgumentError(
            f"source is {described(source)}, a model in memory. Pass it with its tokenizer:"
            " bl.subjects.LanguageModel.of(model, tokenizer, kind='clm'), or kind='mlm'."
        )
    if words is None and not is_table(source):
        raise ArgumentError(f"source is {described(source)}. {_HOW}")
    return embedding_of(source, words, **options)


def open_vectors(
    path: Path,
    options: ReadOptions,
    *,
    name: str | None,
    letter_case: CasePolicy,
    about: str | None = None,
    trust_pickle: bool = False,
    input_of_model: bool = False,
) -> EmbeddingSubject:
    """Open the word vectors in a file or folder, of whichever kind they are.

    - `input_of_model`: whether a language model is opened for its input embeddings.
    """
    if path.is_dir() and is_pipeline(path):
        return read_pipeline(path, options, name=name, letter_case=letter_case)
    label = name or file_stem(path)
    if input_of_model and (file := gguf_in(path)) is not None:
        return open_gguf_table(file, options, name=label, letter_case=letter_case)
    table = static_table(path)
    if table is None and input_of_model and (path / "config.json").is_file():
        table = input_table(path)
    if table is not None:
        return open_table(table, options, name=label, letter_case=letter_case)
    if path.is_dir():
        return _folder(path, options, name, letter_case, about)
    return _file(path, options, label, letter_case, trust_pickle)


def _folder(
    path: Path, options: ReadOptions, name: str | None, letter_case: CasePolicy, about: str | None
) -> EmbeddingEnsemble:
    if options.dtype not in (None, "int8"):
        raise SubjectError(
            f"dtype={options.dtype!r}: an ensemble keeps the int8 rows of its files. Leave out"
            " dtype; vectors() returns float32."
        )
    if not is_ensemble_folder(path):
        if (path / "config.json").is_file():
            raise UnknownSubjectError(
                f"The folder {path} holds a model, but its config.json names no head of a language"
                " model. Say what it is: kind='encoder', 'classifier', 'translation', 'mlm', 'clm'"
                " 'vlm' or 'embedding'."
            )
        files = sorted(p.name for p in path.iterdir())
        raise UnknownSubjectError(
            f"The folder {path} holds no ensemble (no ensemble.json, no replicate-NN.safetensors)."
            f" It holds {', '.join(files[:8]) or 'nothing'}. Give the path of one embedding file,"
            " or a folder that `biaslab train bootstraps` wrote."
        )
    return read_ensemble(path, options, name=name, letter_case=letter_case, about=about)


def _file(
    path: Path, options: ReadOptions, name: str, letter_case: CasePolicy, trust_pickle: bool
) -> EmbeddingSubject:
    raw = read(path, options, trust_pickle=trust_pickle)
    if isinstance(raw.vectors, list):
        scales = raw.scale if isinstance(raw.scale, list) else None
        return EmbeddingEnsemble(
            raw.words, raw.vectors, scale=scales, name=name, letter_case=letter_case,
            notes=raw.notes, about=raw.about or f"file {path.name}",
        )  # fmt: skip
    scale = None if isinstance(raw.scale, list) else raw.scale
    return WordEmbedding(
        raw.words, raw.vectors, scale=scale, name=name, letter_case=letter_case,
        notes=(*raw.notes, *_shared_vectors(raw.vectors)), about=raw.about or f"file {path.name}",
    )  # fmt: skip


_SAMPLED = 5000
"""Words spread over a vocabulary: of a pruned one so many share vectors among themselves."""
_FEW_SHARE = 0.01


def _shared_vectors(vectors: NDArray[Any]) -> list[str]:
    """Return a note on a pruned vocabulary, such as those of spaCy's medium models."""
    rows = vectors[:: max(1, len(vectors) // _SAMPLED)]
    alike = len(rows) - len({hash(row.tobytes()) for row in rows})  # no copies are kept
    if alike <= _FEW_SHARE * len(rows):
        return []
    some = f"Of {len(rows):,} words that were compared, {alike:,} have the vector of another one"
    return [f"{some}: the vocabulary was pruned. Words that share a vector count once."]


def file_stem(path: Path) -> str:
    """Return a file's name without the endings of formats and compressions."""
    name = path.name
    while (suffix := Path(name).suffix) in SUFFIXES:
        name = name.removesuffix(suffix)
    return name
