"""Vectors of spaCy's pipelines, read from their vocabulary; no code of a pipeline runs.

spaCy keeps a table of vectors and, for the hash of each word, the row that the word has in it. A
pruned pipeline keeps the vectors of its most frequent words, and gives every other word the row of
a similar one. Reading three files does without spaCy, which takes seconds and torch to import.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import EmbeddingFileError, MissingExtraError, SubjectError, UnknownSubjectError
from biaslab.files.given import parse_json, read_given
from biaslab.records.wording import count
from biaslab.subjects.embedding.rows import DerivedRows
from biaslab.subjects.embedding.terms import CasePolicy
from biaslab.subjects.embedding.word_embedding import WordEmbedding
from biaslab.subjects.formats.reading import ReadOptions, convert

PREFIX: Final = "spacy:"
_LARGEST = 1 << 30
"""Bytes of a list of words; that of 700,000 words has 10 MB."""
_LABELS: Final = {
    401: "agent", 423: "mark", 424: "meta", 432: "number", 441: "possessive", 449: "root",
}  # fmt: skip
"""Words of everyday language that spaCy numbers as labels of grammar, and not by their hash."""


def is_pipeline(folder: Path) -> bool:
    """Return whether a folder holds a pipeline of spaCy."""
    return (folder / "vocab" / "strings.json").is_file()


def installed_pipeline(name: str) -> Path:
    """Return the folder of an installed pipeline package, without importing the package.

    Raises `UnknownSubjectError` when there is none of that name.
    """
    # Of a name with dots, find_spec imports the parents.
    spec = importlib.util.find_spec(name) if name.isidentifier() else None
    for place in map(Path, (spec and spec.submodule_search_locations) or ()):
        for folder in (place, *sorted(place.iterdir())):
            if is_pipeline(folder):
                return folder
    raise UnknownSubjectError(
        f"There is no pipeline of spaCy named {name!r} in this environment. Install it, as by"
        f" python -m spacy download {name}; or give the path of the pipeline's folder."
    )


def read_pipeline(
    folder: Path, options: ReadOptions, *, name: str | None, letter_case: CasePolicy
) -> WordEmbedding:
    """Read the vectors of the pipeline in a folder.

    - `name`: by default that in its meta.json, such as "en_core_web_md".
    - Raises `EmbeddingFileError` when a file is damaged; `SubjectError` when it has no table of
      words; `MissingExtraError` without msgpack.
    """
    table, title = read_table(folder)
    rows = _rows(folder, len(table))
    named = {**_named(_strings(folder)), **_LABELS}
    known = [(named[key], row) for key, row in rows.items() if key in named]
    options.report(len(known), len(known))
    return _embedding(
        known, len(rows) - len(known), table, f"spaCy pipeline {title}",
        name=name or title.partition(" ")[0], letter_case=letter_case,
        dtype=options.dtype, limit=options.limit,
    )  # fmt: skip


def has_pipeline(source: object) -> bool:
    """Return whether it is a pipeline or a vocabulary of spaCy in memory; does not import spaCy."""
    return hasattr(getattr(getattr(source, "vocab", source), "vectors", None), "key2row")


def embedding_of_pipeline(
    nlp: Any,
    *,
    name: str = "",
    letter_case: CasePolicy = "smart",
    dtype: str | None = None,
    limit: int | None = None,
) -> WordEmbedding:
    """Return the vectors of a pipeline, or a vocabulary, in memory.

    - `name`, `letter_case`, `dtype`, `limit`: as of `biaslab.load`.
    - Raises `SubjectError` when it has no table of words.
    """
    vocab = getattr(nlp, "vocab", nlp)
    meta = getattr(nlp, "meta", {})
    title = f"{meta.get('lang', '')}_{meta.get('name') or 'pipeline'}".strip("_")
    mode = getattr(vocab.vectors, "mode", "default")
    data = vocab.vectors.data
    table = np.asarray(data.get() if hasattr(data, "get") else data)  # of a GPU, too
    _refuse_unlisted(title, str(mode), table.shape)
    known = [(vocab.strings[key], int(row)) for key, row in vocab.vectors.key2row.items()]
    return _embedding(
        known, 0, table, f"spaCy pipeline {title} in memory", name=name or title,
        letter_case=letter_case, dtype=dtype, limit=limit,
    )  # fmt: skip


def read_table(folder: Path) -> tuple[NDArray[np.generic], str]:
    """Map the table of vectors; return it with the pipeline's name and version.

    Raises `EmbeddingFileError` and `SubjectError` as `read_pipeline`.
    """
    meta = _json(folder / "meta.json", {})
    title = f"{meta.get('lang', '')}_{meta.get('name') or folder.name}".strip("_")
    mode = str(_json(folder / "vocab" / "vectors.cfg", {}).get("mode", "default"))
    path = folder / "vocab" / "vectors"
    try:
        table = np.load(path, mmap_mode="r", allow_pickle=False) if path.is_file() else np.empty(0)
        if not isinstance(table, np.ndarray) or table.dtype.kind != "f":
            raise ValueError("no array of numbers")
    except (OSError, ValueError, EOFError, SyntaxError) as error:
        raise _damaged(path, error) from error
    _refuse_unlisted(title, mode, table.shape)
    return table, f"{title} {meta.get('version', '')}".strip()


def count_words(folder: Path) -> int:
    """Return the number of words that have a row, from the beginning of their table."""
    path, library = folder / "vocab" / "key2row", _msgpack()
    try:
        with path.open("rb") as file:
            return int(library.Unpacker(file).read_map_header())
    except (OSError, ValueError, library.UnpackException) as error:
        raise _damaged(path, error) from error


def _refuse_unlisted(title: str, mode: str, shape: tuple[int, ...]) -> None:
    if mode == "floret":
        raise SubjectError(
            f"{title} has floret vectors, which are sums over parts of words and belong to no list"
            " of words. Pass the vectors of your words: bl.load({word: nlp.vocab[word].vector for"
            " word in words})."
        )
    if len(shape) != 2 or not all(shape):
        raise SubjectError(
            f"{title} has no word vectors, as the small pipelines of spaCy (those named _sm) and"
            " those of transformers. Take a medium or large one, such as en_core_web_md."
        )


def _embedding(
    known: Iterable[tuple[str, int]],
    nameless: int,
    table: NDArray[np.generic],
    about: str,
    *,
    name: str,
    letter_case: CasePolicy,
    dtype: str | None,
    limit: int | None,
) -> WordEmbedding:
    if not (known := list(known)):
        raise SubjectError(
            f"No word of {name} has a vector: its list of words is another one’s. Install it again."
        )
    # spaCy lists the words that kept their own vectors first, in the order of the rows.
    words, rows = zip(*known[:limit], strict=True)
    places = np.array(rows, dtype=np.int64)
    scale: NDArray[np.floating] | None = None
    if dtype is not None and table.dtype.name != dtype:
        table, scale = convert(table, None, dtype)
    distinct = len(np.unique(places))
    notes = []
    if distinct < len(places):
        shared = f"{count(len(words))} words share {count(distinct)} vectors"
        notes.append(
            f"{shared}: the vocabulary of this pipeline was pruned. Words with one vector are one"
            " word here: in a list the first of them counts, and the others are named."
        )
        about += f"; {shared}"
    if nameless:
        about += f"; without {count(nameless)} labels of grammar"
    return WordEmbedding(
        words, DerivedRows(table, None if scale is None else scale[places], places=places),
        name=name, letter_case=letter_case, about=about, notes=notes,
    )  # fmt: skip


def _rows(folder: Path, available: int) -> dict[int, int]:
    path = folder / "vocab" / "key2row"
    try:
        rows = _msgpack().unpackb(read_given(path), strict_map_key=False)
        values = np.array(list(rows.values()), dtype=np.int64)
        if not isinstance(rows, dict) or not len(values):
            raise ValueError("no table of words")
        if values.min() < 0 or values.max() >= available:
            raise ValueError(f"rows beyond the {available} of the vectors")
    except (OSError, ValueError, TypeError, AttributeError, OverflowError) as error:
        raise _damaged(path, error) from error
    return rows


def _strings(folder: Path) -> list[str]:
    path = folder / "vocab" / "strings.json"
    strings = _json(path, [])
    if not strings or not all(isinstance(one, str) for one in strings):
        raise _damaged(path, "it is no list of words")
    return list(strings)


def _json(path: Path, kind: Any) -> Any:
    """Return a file's content, or an empty value where there is no file."""
    if not path.is_file():
        return kind
    try:
        value = parse_json(read_given(path, _LARGEST))
        if not isinstance(value, type(kind)):
            raise ValueError(f"it holds no {'list' if kind == [] else 'object'}")
    except (OSError, ValueError) as error:
        raise _damaged(path, error) from error
    return value


def _damaged(path: Path, why: object) -> EmbeddingFileError:
    text = getattr(why, "strerror", None) or str(why)
    return EmbeddingFileError(
        f"{path.name} of the pipeline is absent or damaged ({text}). Install the pipeline again.",
        path=str(path),
    )


def _msgpack() -> Any:
    try:
        import msgpack
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            "Vectors of spaCy's pipelines need msgpack: pip install 'biaslab[spacy]'."
        ) from error
    return msgpack


_FACTOR: Final = np.uint64(0xC6A4A7935BD1E995)
_SHIFT: Final = np.uint64(47)


def _named(strings: list[str]) -> Mapping[int, str]:
    """Return strings by the hash that spaCy knows them by: MurmurHash64A with seed 1."""
    encoded = [one.encode("utf-8", "surrogatepass") for one in strings]
    lengths = np.array([len(one) for one in encoded], dtype=np.uint64)
    hashes = np.uint64(1) ^ (lengths * _FACTOR)
    whole = lengths // np.uint64(8)
    for blocks in np.unique(whole).tolist():  # strings of one length in blocks of 8 bytes at a time
        which = np.flatnonzero(whole == blocks)
        padded = b"".join(encoded[i].ljust(8 * blocks + 8, b"\0") for i in which.tolist())
        numbers = np.frombuffer(padded, dtype="<u8").reshape(-1, blocks + 1)
        state = hashes[which]
        for column in numbers[:, :blocks].T:
            mixed = column * _FACTOR
            state = (state ^ ((mixed ^ (mixed >> _SHIFT)) * _FACTOR)) * _FACTOR
        has_rest = lengths[which] % np.uint64(8) > 0
        state = np.where(has_rest, (state ^ numbers[:, blocks]) * _FACTOR, state)
        state = (state ^ (state >> _SHIFT)) * _FACTOR
        hashes[which] = state ^ (state >> _SHIFT)
    return dict(zip(hashes.tolist(), strings, strict=True))
