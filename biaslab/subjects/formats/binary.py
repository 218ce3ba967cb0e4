"""Binary files of word2vec and of gensim; pickles are refused unless trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from biaslab.errors import EmbeddingFileError, MissingExtraError, PickleRefusedError
from biaslab.subjects.formats.reading import RawEmbedding, ReadOptions, RowSink, Stream

#: A longer "word" means that the place in the file is lost.
_LONGEST_WORD = 4096


def read_word2vec_binary(path: Path, options: ReadOptions) -> RawEmbedding:
    """Read the binary form block by block into one preallocated matrix.

    Words and vectors alternate, so that the file cannot be mapped; `WordEmbedding.save` writes
    one that can.

    Raises `EmbeddingFileError` when the file breaks off or a word is no UTF-8; ``line`` counts
    words here.
    """
    with Stream(path) as stream:
        head = b""
        while b"\n" not in head and (block := stream.read(4096)):
            head += block
        header, _, buffer = head.partition(b"\n")
        promised, dim = (int(part) for part in header.split())
        if dim < 1:
            raise _error(path, f"its header promises {dim} numbers per word", 1, 0)
        width = 4 * dim
        size = path.stat().st_size
        # A wrong header must not allocate all memory.
        possible = promised if stream.compressed else min(promised, size // width + 1)
        expected = possible if options.limit is None else min(possible, options.limit)
        sink = RowSink(expected, dim, options.dtype)
        words: list[str] = []
        bad: list[int] = []
        record = 0
        while record < expected:
            position = 0
            names: list[bytes] = []
            rows: list[bytes] = []
            while record + len(names) < expected:
                space = buffer.find(b" ", position, position + _LONGEST_WORD)
                if space < 0 or space + 1 + width > len(buffer):
                    break
                names.append(buffer[position:space].lstrip(b"\n"))
                rows.append(buffer[space + 1 : space + 1 + width])
                position = space + 1 + width
            if names:
                values = np.frombuffer(b"".join(rows), dtype="<f4").reshape(-1, dim)
                valid = []
                for i, word in enumerate(names):
                    try:
                        words.append(word.decode("utf-8"))
                        valid.append(i)
                    except UnicodeDecodeError:
                        if not options.skip_bad:
                            raise _error(path, "is not UTF-8", record + i + 1, sink.n + i) from None
                        bad.append(record + i + 1)
                sink.add(values if len(valid) == len(names) else values[valid])
                record += len(names)
                options.report(record, expected)
            buffer = buffer[position:]
            if record == expected:
                break
            if len(buffer) >= _LONGEST_WORD and b" " not in buffer[:_LONGEST_WORD]:
                return _stopped(path, sink, words, bad, record, promised, "is damaged", options)
            block = stream.read()
            if not block:
                problem = f"is cut off: {stream.broken}" if stream.broken else "is cut off"
                return _stopped(path, sink, words, bad, record, promised, problem, options)
            buffer += block
        if options.limit is None:
            rest = (buffer + stream.read(4096)).strip(b"\n")
            if rest and not options.skip_bad:
                raise EmbeddingFileError(
                    f"{path.name} continues after the {promised:,} words that its header promises."
                    f" Use limit={promised} (the words promised) or download the file again.",
                    path=str(path),
                    line=promised + 1,
                    usable=promised,
                )
            if rest:
                bad_tail = f"The file continues after the {promised:,} words promised."
                return _finish(sink, words, bad, [bad_tail])
    return _finish(sink, words, bad, [])


def _stopped(
    path: Path,
    sink: RowSink,
    words: list[str],
    bad: list[int],
    record: int,
    promised: int,
    problem: str,
    options: ReadOptions,
) -> RawEmbedding:
    if not options.skip_bad or not words:
        raise _error(path, f"of {promised:,} {problem}", record + 1, len(words))
    note = f"Word {record + 1:,} of {promised:,} {problem}; {len(words):,} words are there."
    return _finish(sink, words, bad, [note])


def _finish(sink: RowSink, words: list[str], bad: list[int], notes: list[str]) -> RawEmbedding:
    if bad:
        places = ", ".join(f"{place:,}" for place in bad[:5])
        notes.append(f"{len(bad):,} words that are not UTF-8 left out (number {places}).")
    vectors, scale = sink.finish()
    return RawEmbedding(words, vectors, scale, notes)


def _error(path: Path, problem: str, record: int, usable: int) -> EmbeddingFileError:
    use = f"Use limit={usable} (the words before it) or skip_bad=True, or" if usable else "Please"
    return EmbeddingFileError(
        f"{path.name}: word {record:,} {problem}. {use} download the file again.",
        path=str(path),
        line=record,
        usable=usable,
    )


def read_pickled(path: Path, options: ReadOptions, *, trust_pickle: bool) -> RawEmbedding:
    """Open a file saved by gensim (``KeyedVectors``, ``Word2Vec``, ``FastText``).

    Raises `PickleRefusedError` unless ``trust_pickle``: unpickling runs whatever code the file
    contains. Raises `EmbeddingFileError` when it contains no word vectors.
    """
    if not trust_pickle:
        raise PickleRefusedError(
            f"{path.name} is a Python pickle, as gensim's save() and torch.save() write, and"
            " opening one runs whatever code it contains. Where it was made, export it as word2vec:"
            " model.wv.save_word2vec_format('vectors.bin', binary=True), and open that. Pass"
            " trust_pickle=True only if you made the file yourself.",
            path=str(path),
        )
    try:
        from gensim.utils import SaveLoad
    except ImportError as error:
        raise MissingExtraError(
            f"{path.name} needs gensim: pip install 'biaslab[train]'."
        ) from error
    try:
        model: Any = SaveLoad.load(str(path), mmap="r")
    except Exception as error:  # a pickle can raise anything
        raise EmbeddingFileError(
            f"{path.name} cannot be opened by gensim ({type(error).__name__}: {error}). Export it"
            " as word2vec where it was made.",
            path=str(path),
        ) from error
    vectors = getattr(model, "wv", model)
    words = getattr(vectors, "index_to_key", None)
    matrix = getattr(vectors, "vectors", None)
    if words is None or not isinstance(matrix, np.ndarray):
        raise EmbeddingFileError(
            f"{path.name} holds a {type(model).__name__} without word vectors. Export the vectors"
            " as word2vec where it was made.",
            path=str(path),
        )
    rows = len(words) if options.limit is None else min(options.limit, len(words))
    options.report(rows, rows)
    return RawEmbedding([str(word) for word in words[:rows]], matrix[:rows])
