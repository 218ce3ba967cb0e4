"""Reviews from files: the folders of the Large Movie Review data, or tables of texts."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from biaslab.errors import CorpusError

_LABELS: Final = {"pos": "positive", "neg": "negative", "unsup": ""}
_NAMED: Final = re.compile(r"(\d+)_(\d+)\.txt")
_TABLES: Final = (".tsv", ".tsv.gz")


@dataclass(frozen=True)
class Review:
    """A text with what its author thought.

    Attributes
    ----------
    id : str
        Where it stands, such as ``test/pos/12_9.txt`` or ``train.tsv.gz:pos_12``.
    label : str
        ``positive``, ``negative``, or what the table says; empty where nobody said.
    stars : int or None
        As the author gave them.
    text : str
        As it is in the file.
    """

    id: str
    label: str
    stars: int | None
    text: str


def read_reviews(source: str | Path) -> Iterator[Review]:
    """Yield reviews in the order of their files' names.

    Parameters
    ----------
    source : path
        The folder of the Large Movie Review data (or any with subfolders ``pos`` and ``neg`` of
        texts named like ``12_9.txt``); or a table, ``.tsv`` or ``.tsv.gz``, or a folder of them,
        with the columns ``text`` and, where there are, ``id``, ``label`` and ``stars``.

    Raises
    ------
    CorpusError
        When there is nothing to read, or a file is damaged or of another form.
    """
    path = Path(source)
    if path.is_file():
        yield from _table(path)
        return
    if not path.is_dir():
        raise CorpusError(_expected(path))
    tables = sorted(p for p in path.iterdir() if p.name.endswith(_TABLES))
    texts = sorted(p for p in path.rglob("*.txt") if p.parent.name in _LABELS)
    if not tables and not texts:
        raise CorpusError(_expected(path))
    for table in tables:
        yield from _table(table)
    for file in texts:
        named = _NAMED.fullmatch(file.name)
        # The data gives 0 stars to texts whose stars it does not tell.
        stars = int(named[2]) if named and int(named[2]) else None
        yield Review(
            file.relative_to(path).as_posix(), _LABELS[file.parent.name], stars, _text(file)
        )


def _table(path: Path) -> Iterator[Review]:
    lines = iter(_text(path).split("\n"))
    heads = next(lines).rstrip("\r").split("\t")
    if "text" not in heads:
        raise CorpusError(
            f"{path.name} has no column 'text' in its first line, which reads "
            f"{', '.join(heads)[:80]!r}. Name the columns: id, label, stars, text, with tabs "
            "between them."
        )
    for number, line in enumerate(lines, start=2):
        if not line.strip():
            continue
        cells = line.rstrip("\r").split("\t")
        if len(cells) != len(heads):
            raise CorpusError(
                f"{path.name}, line {number} has {len(cells)} cells and the first line "
                f"{len(heads)}: put a tab between columns, and none into a text."
            )
        row = dict(zip(heads, cells, strict=True))
        label, stars = row.get("label", ""), row.get("stars", "")
        yield Review(
            f"{path.name}:{row.get('id') or number}",
            _LABELS.get(label, label),
            int(stars) if stars.isdecimal() and int(stars) else None,
            row["text"],
        )


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
        if path.suffix == ".gz":
            data = gzip.decompress(data)
        return data.decode("utf-8-sig")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path} cannot be read as UTF-8 text: {error}.") from error


def _expected(path: Path) -> str:
    return (
        f"No reviews at {path}. Give the folder of the Large Movie Review data, with pos and neg "
        "in it, or a table .tsv or .tsv.gz with the columns id, label, stars and text."
    )
