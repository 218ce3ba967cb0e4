"""Corpora as streams of passages: text files, MediaWiki dumps, folders of them.

How a file is read follows from its name: ``.xml`` (also ``.xml.bz2``, ``.xml.gz``, ``.xml.xz``) is
a MediaWiki dump, as Wikipedia publishes them; everything else is text, one paragraph a line, plain
or compressed (``.gz``, ``.bz2``, ``.xz``).
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal
from xml.etree import ElementTree as ET

from biaslab.errors import CorpusError

_OPENERS: dict[str, Callable[..., Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}
PASSAGE_CHARACTERS = 1 << 22
"""Text handed on at once: enough work to be worth sending to another process."""
LONGEST_LINE = 1 << 24
"""Characters; a file without line breaks would otherwise be read into memory whole."""


@dataclass(frozen=True)
class Passage:
    """Some of a corpus: lines of text, or pages in MediaWiki's markup."""

    markup: Literal["text", "wiki"]
    texts: tuple[str, ...]


def corpus_files(source: Path) -> list[Path]:
    """The files of a corpus: the one given, or all in a folder and its subfolders by name.

    Files whose name (or folder) begins with a dot are left out: file managers leave such behind.

    Raises
    ------
    CorpusError
        When there is nothing to read.
    """
    if not source.is_dir():
        files = [source] if source.exists() else []
    else:
        found = (path for path in source.rglob("*") if path.is_file())
        files = sorted(p for p in found if not _is_hidden(p.relative_to(source)))
    if not files:
        raise CorpusError(
            f"No corpus at {source}. Give a text file, a Wikipedia dump (.xml.bz2) or a folder "
            "of them."
        )
    return files


def read_passages(source: Path) -> Iterator[Passage]:
    """Yield a corpus piece by piece, of about 4 million characters each.

    Raises
    ------
    CorpusError
        When there is nothing to read, or a file is damaged, binary, not UTF-8 or no dump.
    """
    for file in corpus_files(source):
        if is_dump(file):
            yield from _gathered("wiki", read_pages(file))
        else:
            yield from _gathered("text", read_lines(file))


def is_dump(file: Path) -> bool:
    """Whether a file is read as a MediaWiki dump; its name says so."""
    name = file.with_suffix("") if file.suffix in _OPENERS else file
    return name.suffix == ".xml"


def read_lines(file: Path) -> Iterator[str]:
    """Yield the lines of a text file, plain or compressed with gzip, bzip2 or xz.

    Raises
    ------
    CorpusError
        When it is damaged, binary, not UTF-8, or has a line of 16 million characters.
    """
    with _opened(file) as raw, _told(file):
        stream = io.TextIOWrapper(raw, encoding="utf-8")
        while line := stream.readline(LONGEST_LINE):
            if "\0" in line:
                raise CorpusError(
                    f"{file} is a binary file. Give text: UTF-8, one paragraph a line."
                )
            if len(line) == LONGEST_LINE:
                raise CorpusError(
                    f"{file} has a line of more than {LONGEST_LINE:,} characters. Write one "
                    "paragraph a line: lines are what a bootstrap resamples."
                )
            yield line


def read_pages(file: Path) -> Iterator[str]:
    """Yield the markup of each article of a MediaWiki dump.

    Pages outside the article namespace (talk, templates, ...) and redirects are left out.

    Raises
    ------
    CorpusError
        When it is damaged or no such dump.
    """
    # gensim's extract_pages keeps an emptied element per page: gigabytes by the end of the whole
    # Wikipedia. Here the root drops what was read.
    # Entities that expand without end are stopped by expat itself.
    with _opened(file) as raw, _told(file):
        events = ET.iterparse(raw, events=("start", "end"))  # noqa: S314
        _, root = next(events)
        space, _, name = root.tag.rpartition("}")
        if name != "mediawiki":
            raise CorpusError(
                f"{file} holds <{name}> and is no MediaWiki dump (<mediawiki>). If it is text, "
                "give it a name that ends in .txt."
            )
        tag = f"{space}}}" if space else ""
        for event, element in events:
            if event == "end" and element.tag == f"{tag}page":
                is_article = element.findtext(f"{tag}ns", "0").strip() == "0"
                if is_article and element.find(f"{tag}redirect") is None:
                    yield element.findtext(f"{tag}revision/{tag}text") or ""
                root.clear()


def _gathered(markup: Literal["text", "wiki"], texts: Iterable[str]) -> Iterator[Passage]:
    gathered: list[str] = []
    size = 0
    for text in texts:
        gathered.append(text)
        size += len(text)
        if size >= PASSAGE_CHARACTERS:
            yield Passage(markup, tuple(gathered))
            gathered, size = [], 0
    if gathered:
        yield Passage(markup, tuple(gathered))


def _opened(file: Path) -> IO[bytes]:
    try:
        stream: IO[bytes] = _OPENERS.get(file.suffix, open)(file, "rb")
    except OSError as error:
        raise CorpusError(f"{file} cannot be opened: {error.strerror or error}.") from error
    return stream


@contextmanager
def _told(file: Path) -> Iterator[None]:
    """What can go wrong in a file, in words."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise CorpusError(
            f"{file} is not UTF-8 text ({error.reason} at byte {error.start} of a block). "
            "Convert it first, for example: iconv -f latin1 -t utf-8."
        ) from error
    except ET.ParseError as error:
        raise CorpusError(
            f"{file} is damaged, cut short or no MediaWiki dump: {error}. Fetch it again, or, if "
            "it is text, give it a name that ends in .txt."
        ) from error
    except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
        raise CorpusError(f"{file} is damaged or cut short: {error}. Fetch it again.") from error


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
