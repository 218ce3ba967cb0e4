"""Texts in files: lines, plain or compressed, and folders or tables of reviews.

Whoever wants reviews in an order of their own, or some of them only, takes `find_reviews` and reads
what it finds; `read_reviews` reads all of it.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, Literal

from biaslab.errors import CorpusError

_OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
COMPRESSED = tuple(_OPENERS)
LONGEST_LINE = 1 << 24
"""Characters; a file without line breaks would otherwise be read into memory whole."""


def read_lines(file: Path, encoding: str = "utf-8") -> Iterator[str]:
    """Yield the lines of a text file, plain or compressed with gzip, bzip2 or xz.

    Raises `CorpusError` when it is damaged, binary, not UTF-8, or has a line of 16 million
    characters.
    """
    with opened(file) as raw, damage_told(file):
        stream = io.TextIOWrapper(raw, encoding=encoding)
        while line := stream.readline(LONGEST_LINE):
            if "\0" in line:
                raise CorpusError(
                    f"{file} is a binary file. Give UTF-8 text with one paragraph per line."
                )
            if len(line) == LONGEST_LINE:
                raise CorpusError(
                    f"{file} has a line of more than {LONGEST_LINE:,} characters. Write one"
                    " paragraph per line: the bootstrap resamples lines."
                )
            yield line


def opened(file: Path) -> IO[bytes]:
    """Open a file as decompressed bytes.

    Raises `CorpusError` when it cannot be opened.
    """
    try:
        stream: IO[bytes] = _OPENERS.get(file.suffix, open)(file, "rb")
    except OSError as error:
        raise CorpusError(f"{file} cannot be opened: {error.strerror or error}.") from error
    return stream


@contextmanager
def damage_told(file: Path) -> Iterator[None]:
    """Turn errors of reading a file into readable messages.

    Raises `CorpusError` when it is damaged, cut short or not UTF-8.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        raise CorpusError(
            f"{file} is not UTF-8 text ({error.reason} at byte {error.start} of a block). "
            "Convert it first, for example: iconv -f latin1 -t utf-8."
        ) from error
    except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
        raise CorpusError(f"{file} is damaged or truncated: {error}. Download it again.") from error


Part = Literal["train", "test", "unlabelled", ""]

_LABELS: Final = {
    "pos": "positive", "positive": "positive", "neg": "negative", "negative": "negative",
    "unsup": "", "": "",
}  # fmt: skip
_FOLDERS: Final = ("neg", "pos", "unsup")
_PARTS: Final[dict[str, Part]] = {"train": "train", "test": "test", "unsup": "unlabelled"}
_TABLE: Final = re.compile(r"([^.].*)\.tsv(?:\.gz|\.bz2|\.xz)?")
_TEXT: Final = re.compile(r"\d+_(\d+)\.txt")
_UTF8: Final = "utf-8-sig"  # a mark at the beginning, as Windows' editors write it, is no text


@dataclass(frozen=True)
class Review:
    """A review with its author's rating.

    - `id`: its source, such as ``test/pos/12_9.txt`` or ``train.tsv.gz:pos_12``.
    - `part`, {"train", "test", "unlabelled", ""}: its split; empty if the source names none.
    - `label`: ``positive``, ``negative``, or the table's label; empty if there is none.
    - `stars`: as given by the author.
    - `text`: as in the file.
    - `line`: of the file, to name it in an error.
    """

    id: str
    part: Part
    label: str
    stars: int | None
    text: str
    line: int = field(default=1, compare=False)


@dataclass(frozen=True)
class ReviewTable:
    """A file with a review per line, and tabs between its columns.

    - `path`: ``.tsv``, plain or compressed (``.gz``, ``.bz2``, ``.xz``).
    - `part`: as of `Review`, of all its reviews.
    """

    path: Path
    part: Part

    def read(self, *needed: str) -> Iterator[Review]:
        """Yield its reviews.

        - `*needed`: required columns besides ``text``.
        - Raises `CorpusError` when it is damaged or malformed: names the file and the line.
        """
        lines = enumerate(read_lines(self.path, _UTF8), 1)
        heads = next(lines, (1, ""))[1].rstrip("\r\n").split("\t")
        if missing := [name for name in (*needed, "text") if name not in heads]:
            raise CorpusError(
                f"{self.path}, line 1: no column {' and no column '.join(missing)}, but "
                f"{', '.join(heads)[:80]!r}. The first line names the columns, separated by tabs: "
                "text and, where there are, id, label and stars."
            )
        for number, line in lines:
            if not line.strip():
                continue
            cells = line.rstrip("\r\n").split("\t")
            if len(cells) != len(heads):
                raise CorpusError(
                    f"{self.path}, line {number}: {len(cells)} fields, where the first line names "
                    f"{len(heads)}. Write each review on one line, without tabs."
                )
            row = dict(zip(heads, cells, strict=True))
            label, stars = row.get("label", "").strip(), row.get("stars", "").strip()
            if stars and not stars.isdecimal():
                raise CorpusError(
                    f"{self.path}, line {number}: {stars!r} is not a number of stars. Correct it,"
                    " or leave out the column stars."
                )
            yield Review(
                f"{self.path.name}:{row.get('id') or number}",
                self.part,
                _LABELS.get(label.lower(), label),
                _stars(stars),
                row["text"],
                number,
            )


@dataclass(frozen=True)
class ReviewFolder:
    """A folder of texts with one label, each in its own file named like ``12_9.txt``.

    - `path`: ``pos``, ``neg`` or ``unsup``.
    - `within`: its path within the source, such as ``train/pos``.
    - `part`: as of `Review`, of all its reviews.
    """

    path: Path
    within: str
    part: Part

    def read(self) -> Iterator[Review]:
        """Yield its reviews in the order of their numbers.

        Raises `CorpusError` when one is damaged: names the file.
        """
        label = _LABELS[self.path.name]
        # By number: names sort otherwise on some systems.
        texts = (p for p in self.path.glob("*.txt") if not p.name.startswith("."))
        for path in sorted(texts, key=lambda p: (len(p.name.partition("_")[0]), p.name)):
            named = _TEXT.fullmatch(path.name)
            stars = _stars(named[1] if named else "")
            text = "".join(read_lines(path, _UTF8))
            yield Review(f"{self.within}/{path.name}", self.part, label, stars, text)


def find_reviews(source: str | Path) -> tuple[tuple[ReviewTable, ...], tuple[ReviewFolder, ...]]:
    """Find tables, and folders of texts, by their names, without reading them.

    A table alone, and folders ``pos`` and ``neg`` at the source itself, have no split.

    - `source`: as of `read_reviews`.
    - Raises `CorpusError` when the source does not exist, or has one table plain and compressed.
    """
    path = Path(source)
    if path.is_file():
        return (ReviewTable(path, ""),), ()
    if not path.is_dir():
        raise CorpusError(_expected(path))
    named = {p: m[1] for p in sorted(path.iterdir()) if (m := _TABLE.fullmatch(p.name))}
    names = list(named.values())
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise CorpusError(f"{path} has {twice[0]}.tsv plain and compressed. Remove one of them.")
    tables = tuple(ReviewTable(p, _PARTS.get(name, "")) for p, name in named.items())
    folders = []
    for folder in sorted(_folders(path)):
        within = folder.relative_to(path)
        of = folder if folder.name == "unsup" else folder.parent
        part = _PARTS.get(of.name, "") if of != path else ""
        folders.append(ReviewFolder(folder, within.as_posix(), part))
    return tables, tuple(folders)


def read_reviews(source: str | Path) -> Iterator[Review]:
    """Yield reviews in the order of their files' names and numbers.

    - `source`: the folder of the Large Movie Review data (or any with subfolders ``pos`` and
      ``neg`` of texts named like ``12_9.txt``); or a table, ``.tsv`` plain or compressed (``.gz``,
      ``.bz2``, ``.xz``), or a folder of them, with the columns ``text`` and, where there are,
      ``id``, ``label`` and ``stars``.
    - Raises `CorpusError` when there is nothing to read, or a file is damaged or malformed: names
      the file and the line.
    """
    tables, folders = find_reviews(source)
    nothing = not tables
    for table in tables:
        yield from table.read()
    for folder in folders:
        for review in folder.read():
            nothing = False
            yield review
    if nothing:
        raise CorpusError(_expected(Path(source)))


def _folders(path: Path) -> set[Path]:
    # The first two levels one by one: "**" does not follow links.
    patterns = [f"{above}{name}" for above in ("", "*/", "**/") for name in _FOLDERS]
    return {folder for pattern in patterns for folder in path.glob(pattern) if folder.is_dir()}


def _stars(written: str) -> int | None:
    # The data has 0 stars for texts with unknown ratings.
    return int(written or 0) or None


def _expected(path: Path) -> str:
    return (
        f"There are no reviews at {path}. Give the folder of the Large Movie Review data, with pos "
        "and neg in it, or a table .tsv (also .gz, .bz2, .xz) with the columns id, label, stars "
        "and text."
    )
