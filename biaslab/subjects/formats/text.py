"""Read vectors as text, one word a line: word2vec, fastText and GloVe."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import EmbeddingFileError
from biaslab.subjects.formats.reading import RawEmbedding, ReadOptions, RowSink, Stream, compression

#: A line longer than this is no row of numbers.
_LONGEST_LINE = 1 << 26
_SPARSE = re.compile(rb"\S+(?:\s+\d+:[-+.\deE]+){2,}\s*$")
_SPARSE = re.compile(rb"\S+(?:\s+\d+:[-+.\deE]+){2,}\s*$")
_HEADER = re.compile(rb"^\s*(\d{1,18})[ \t]+(\d{1,18})\s*$")
_PLAIN_NUMBERS = b"0123456789+-.eE "
_BOM = b"\xef\xbb\xbf"
#: Faulty lines listed one by one in the notes.
_LISTED = 5


@dataclass(frozen=True)
class Layout:
    """Header (number of words and dimensions) or None, and the dimensions of the rows."""

    header: tuple[int, int] | None
    dim: int


@dataclass(frozen=True)
class _Part:
    """Rows parsed from a block of lines.

    ``faults`` holds the index in the block and the problem of each invalid line, in order;
    ``looked_at`` says how many lines were read.
    """

    words: list[str]
    values: NDArray[np.floating]
    faults: list[tuple[int, str]]
    looked_at: int


def read_text(path: Path, options: ReadOptions) -> RawEmbedding:
    """Read a text file block by block into one preallocated matrix.

    Besides the matrix it holds one block (4 MB of text, some times that while it is parsed) and
    the words.

    Raises `EmbeddingFileError`: at the first line that is no row, unless ``options.skip_bad``.
    """
    layout = layout_of(path, options)
    expected = _expected_rows(path, layout, options)
    sink = RowSink(expected, layout.dim, options.dtype)
    words: list[str] = []
    bad: list[tuple[int, str]] = []
    with Stream(path) as stream:
        for first, lines in _numbered(stream, layout):
            start = 0
            while start < len(lines) and sink.n < expected:
                part = _parse(lines[start:], layout.dim, expected - sink.n)
                faults = [(first + start + place, problem) for place, problem in part.faults]
                if faults and not options.skip_bad:
                    line, problem = faults[0]
                    before = lines[start : line - first]
                    usable = sink.n + sum(bool(x.strip()) for x in before)
                    raise _fault_error(path, line, problem, usable)
                bad += faults
                words += part.words
                sink.add(part.values)
                start += part.looked_at
            options.report(sink.n, expected)
            if sink.n == expected:
                if options.limit is None and layout.header:
                    _check_nothing_left(path, layout.header[0], first + start, lines[start:])
                if options.limit is not None or any(map(bytes.strip, lines[start:])):
                    break
        broken, open_end = stream.broken, stream.unfinished
    notes = _bad_lines(bad) if options.skip_bad else []
    reached = options.limit is not None and len(words) >= options.limit
    if open_end and words:
        notes.append(
            "The last line has no line break. If the file was cut off there, the last number of"
            f" {_text(words[-1].encode())} is wrong."
        )
    if not reached:
        notes += _ended(path, layout, len(words), len(bad), broken, options)
    vectors, scale = sink.finish()
    return RawEmbedding(words, vectors, scale, notes)


def layout_of(path: Path, options: ReadOptions) -> Layout:
    """Detect header and dimensions from the first lines."""
    with Stream(path) as stream:
        lines = list(islice(_lines(stream), 11))
        broken = stream.broken
    if not any(map(bytes.strip, lines)):
        why = f"is damaged near the beginning: {broken}" if broken else "has only empty lines"
        raise EmbeddingFileError(f"{path.name} {why}. Download it again.", path=str(path))
    if _SPARSE.match(lines[1 if _HEADER.match(lines[0]) and len(lines) > 1 else 0]):
        raise EmbeddingFileError(
            f"{path.name} holds sparse vectors, written as index:value, which are not read. Write"
            " all numbers of each word: word 0.5 0 0.25.",
            path=str(path),
        )
    if match := _HEADER.match(lines[0]):
        header = int(match[1]), int(match[2])
        rows = [line for line in lines[1:] if line.strip()]
        if not rows:
            raise EmbeddingFileError(
                f"{path.name} promises {header[0]:,} words in its first line and ends there."
                " Download it again.",
                path=str(path),
                line=1,
                usable=0,
            )
        dim = _usual_dim(rows)
        if header[1] != dim and not options.skip_bad:
            raise EmbeddingFileError(
                f"{path.name}: line 1 promises {header[1]:,} numbers per word, the lines after it"
                f" have {dim:,}. If the lines are right, skip_bad=True reads them all the same.",
                path=str(path),
                line=1,
            )
        return Layout(header, _some(dim, path))
    return Layout(None, _some(_usual_dim([line for line in lines if line.strip()]), path))


def _some(dim: int, path: Path) -> int:
    if not dim:
        raise EmbeddingFileError(
            f"{path.name} has no word vectors in its first lines. Give a file with one word and"
            " its numbers per line.",
            path=str(path),
        )
    return dim


def _usual_dim(rows: list[bytes]) -> int:
    """Return the usual count of numbers per row; single rows may be damaged."""
    dims = Counter(_trailing_numbers(row) for row in rows)
    return dims.most_common(1)[0][0] or max(dims)


def _trailing_numbers(row: bytes) -> int:
    parts = row.split()
    count = 0
    while count < len(parts) - 1 and _is_number(parts[-1 - count]):
        count += 1
    return count


def _expected_rows(path: Path, layout: Layout, options: ReadOptions) -> int:
    """Return the number of rows to allocate: from the header, else counted."""
    if layout.header is not None and not options.skip_bad:
        # A row takes two bytes a number at least, and no file is compressed a thousandfold:
        # a header that promises more must not take all memory.
        size = path.stat().st_size * (1 if compression(path) is None else 1100)
        possible = size // (2 * layout.dim) + 1
        promised = min(layout.header[0], possible)
        return promised if options.limit is None else min(promised, options.limit)
    count = 0
    last = b"\n"
    with Stream(path) as stream:
        for block in stream.blocks():
            count += block.count(b"\n")
            last = block
            if options.limit is not None and count > options.limit:
                return options.limit
    count += not last.endswith(b"\n")
    return count if options.limit is None else min(count, options.limit)


def _lines(stream: Stream) -> Iterator[bytes]:
    for _, lines in _blocks_of_lines(stream):
        yield from lines


def _blocks_of_lines(stream: Stream) -> Iterator[tuple[int, list[bytes]]]:
    """Number of the first line, and whole lines without their ends, block by block."""
    rest = b""
    number = 1
    start = True
    for block in stream.blocks():
        if start:
            block, start = block.removeprefix(_BOM), False
        lines = (rest + block).split(b"\n")
        rest = lines.pop()
        if len(rest) > _LONGEST_LINE:
            raise EmbeddingFileError(
                f"{stream.path.name}: line {number + len(lines):,} is longer than 64 MB, so this"
                " is not text with one word per line. Choose another file.",
                path=str(stream.path),
                line=number + len(lines),
            )
        if lines:
            yield number, lines
            number += len(lines)
    if rest and not stream.broken:  # else the last number may lack digits
        stream.unfinished = rest
        yield number, [rest]


def _numbered(stream: Stream, layout: Layout) -> Iterator[tuple[int, list[bytes]]]:
    """Yield blocks of rows, without the header."""
    for number, lines in _blocks_of_lines(stream):
        if number == 1 and layout.header is not None:
            if len(lines) > 1:
                yield 2, lines[1:]
        else:
            yield number, lines


def _parse(lines: list[bytes], dim: int, most: int) -> _Part:
    """Parse words and numbers of a block; at most ``most`` rows."""
    words: list[bytes] = []
    rests: list[bytes] = []
    places: list[int] = []
    faults: list[tuple[int, str]] = []
    looked_at = 0
    for place, raw in enumerate(lines):
        if len(words) == most:
            break
        looked_at = place + 1
        line = raw.rstrip()
        # The usual row: one word, single spaces.
        if line.count(b" ") == dim and line[:1] != b" " and b"\t" not in line:
            word, _, rest = line.partition(b" ")
        elif not line:
            continue
        else:
            split = _split(line, dim)
            if isinstance(split, str):
                faults.append((place, split))
                continue
            word, rest = split
        words.append(word)
        rests.append(rest)
        places.append(place)
    values = _numbers(rests, dim)
    if values is None:
        values, valid, invalid = _numbers_one_by_one(rests, dim)
        faults += [(places[i], problem) for i, problem in invalid]
        words, places = [words[i] for i in valid], [places[i] for i in valid]
    decoded, valid, invalid = _decode(words)
    if invalid:
        faults += [(places[i], problem) for i, problem in invalid]
        values = values[valid]
    return _Part(decoded, values, sorted(faults), looked_at)


def _split(line: bytes, dim: int) -> tuple[bytes, bytes] | str:
    """Split an unusual row (a word with spaces, tabs), or return its problem."""
    parts = line.rsplit(None, dim)
    if len(parts) > 1 and not _is_number(parts[-1]):
        return f"ends in {_text(parts[-1])} instead of a number"
    if len(parts) == dim + 1 and not line[:1].isspace():
        word = parts[0]
        if len(pieces := word.split()) == 1 or not _is_number(pieces[-1]):
            return word, b" ".join(parts[1:])
        return f"has {_trailing_numbers(line):,} numbers instead of {dim:,}"
    count = _trailing_numbers(line)
    if len(parts) == dim and line[:1].isspace() and count == dim - 1:
        return "has no word before its numbers"
    return f"ends after {count:,} of {dim:,} numbers"


def _numbers(rests: list[bytes], dim: int) -> NDArray[np.floating] | None:
    """Parse all numbers of a block at once; None if some part is not a plain number."""
    text = b" ".join(rests)
    if text.translate(None, _PLAIN_NUMBERS):
        return None
    try:
        # The parser stops at text it cannot read; the number at the end shows whether it did.
        values = np.fromstring(text + b" 1", dtype=np.float32, sep=" ")
    except (ValueError, DeprecationWarning):
        return None
    if len(values) != len(rests) * dim + 1:
        return None
    return values[:-1].reshape(-1, dim)


def _numbers_one_by_one(
    rests: list[bytes], dim: int
) -> tuple[NDArray[np.floating], list[int], list[tuple[int, str]]]:
    """Parse row by row: values, valid rows, and invalid rows with reasons."""
    values = np.empty((len(rests), dim), dtype=np.float32)
    valid: list[int] = []
    faults: list[tuple[int, str]] = []
    for i, rest in enumerate(rests):
        parts = rest.split()
        wrong = next((p for p in parts if not _is_number(p)), None)
        if wrong is not None:
            faults.append((i, f"has {_text(wrong)} where a number is expected"))
        elif len(parts) != dim:
            faults.append((i, f"ends after {len(parts):,} of {dim:,} numbers"))
        else:
            with np.errstate(over="ignore"):
                values[len(valid)] = np.array([float(p) for p in parts])
            valid.append(i)
    return values[: len(valid)], valid, faults


def _decode(words: list[bytes]) -> tuple[list[str], list[int], list[tuple[int, str]]]:
    try:
        joined = b"\n".join(words).decode("utf-8")
        return joined.split("\n") if words else [], list(range(len(words))), []
    except UnicodeDecodeError:
        pass
    decoded: list[str] = []
    valid: list[int] = []
    faults: list[tuple[int, str]] = []
    for i, word in enumerate(words):
        try:
            decoded.append(word.decode("utf-8"))
            valid.append(i)
        except UnicodeDecodeError as error:
            faults.append((i, f"is not UTF-8 (byte 0x{word[error.start]:02x} in {_text(word)})"))
    return decoded, valid, faults


def _is_number(token: bytes) -> bool:
    if b"_" in token:
        return False
    try:
        float(token)
    except ValueError:
        return False
    return True


def _text(token: bytes) -> str:
    text = token.decode("utf-8", "backslashreplace")
    return repr(text if len(text) <= 40 else text[:37] + "...")


def _fault_error(path: Path, line: int, problem: str, usable: int) -> EmbeddingFileError:
    # No thousands separators in limit=...: it is there to be copied.
    first = f"limit={usable} (the words before it) or " if usable else ""
    return EmbeddingFileError(
        f"{path.name}: line {line:,} {problem}. Use {first}skip_bad=True (all but such lines),"
        " or download the file again.",
        path=str(path),
        line=line,
        usable=usable,
    )


def _check_nothing_left(path: Path, promised: int, line: int, lines: list[bytes]) -> None:
    place = next((i for i, text in enumerate(lines) if text.strip()), None)
    if place is None:
        return
    raise EmbeddingFileError(
        f"{path.name}: line 1 promises {promised:,} words, but line {line + place:,} still holds"
        f" one. Use limit={promised} (the words promised) or skip_bad=True (all of them).",
        path=str(path),
        line=line + place,
        usable=promised,
    )


def _bad_lines(bad: list[tuple[int, str]]) -> list[str]:
    if not bad:
        return []
    shown = "; ".join(f"line {line:,} {problem}" for line, problem in bad[:_LISTED])
    more = f"; and {len(bad) - _LISTED:,} more" if len(bad) > _LISTED else ""
    return [f"{len(bad):,} bad {'line' if len(bad) == 1 else 'lines'} left out: {shown}{more}."]


def _ended(
    path: Path, layout: Layout, n: int, bad: int, broken: str | None, options: ReadOptions
) -> list[str]:
    """Check how a file ended that was read to its end; notes, or an error."""
    promised = layout.header[0] if layout.header else None
    if not broken and (promised is None or n + bad == promised) and n:
        if layout.header and layout.header[1] != layout.dim:
            promise = f"The header promises {layout.header[1]:,} numbers per word"
            return [f"{promise}; the rows have {layout.dim:,}."]
        return []
    last = n + bad + (layout.header is not None)
    what = f"the file ends after line {last:,}"
    if broken:
        what += f": {broken}"
    if promised is not None:
        what += f"{';' if broken else ','} {n:,} of the {promised:,} words promised are there"
    if options.skip_bad and n:
        return [what[0].upper() + what[1:] + "."]
    use = (
        f"Use limit={n} or skip_bad=True (the rows that are there), or"
        if n
        else "There is no usable row:"
    )
    raise EmbeddingFileError(
        f"{path.name}: {what}. {use} download the file again.", path=str(path), line=last, usable=n
    )
