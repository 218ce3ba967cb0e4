"""Read and write files of pairs in any of the formats."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from biaslab.errors import SentenceError
from biaslab.files.atomic import write_atomically
from biaslab.files.csv_text import rows_text
from biaslab.files.tables import lines_of, read_rows, read_text
from biaslab.probes.sentences.formats import by_term, dataset_folder, own
from biaslab.probes.sentences.formats.published import (
    BIASTESTGPT_COLUMNS,
    CROWS_PAIRS_COLUMNS,
    biastestgpt_rows,
    crows_pairs_rows,
    read_biastestgpt,
    read_crows_pairs,
    read_stereoset,
    read_stereoset_document,
    stereoset_document,
)
from biaslab.probes.sentences.pairing import make_pairs
from biaslab.probes.sentences.pairs import PairSet, TestSentence
from biaslab.specs.spec import Spec

FORMATS: Mapping[str, str] = {
    "json": "biaslab’s own JSON, with all data",
    "csv": "a plain table, one pair per row",
    "biastestgpt": "BiasTestGPT’s CSV",
    "crows-pairs": "CrowS-Pairs' CSV",
    "stereoset": "StereoSet’s JSON",
    "dataset": "a folder for Hugging Face datasets",
}
"""Formats of `write_pairs`; `read_pairs` recognises them by content."""

_READERS: tuple[tuple[tuple[str, ...], Callable[..., PairSet]], ...] = (
    (own.COLUMNS, own.read),
    (BIASTESTGPT_COLUMNS, read_biastestgpt),
    (CROWS_PAIRS_COLUMNS, read_crows_pairs),
    (("context", "sentences"), read_stereoset),
)
_ROWS_OF: Mapping[str, Callable[..., list[dict[str, Any]]]] = {
    "csv": own.rows_of,
    "biastestgpt": biastestgpt_rows,
    "crows-pairs": crows_pairs_rows,
}
_SENTENCE_COLUMNS = ("sentence", "text")


def read_pairs(
    path: str | os.PathLike[str],
    *,
    spec: Spec | None = None,
    groups: Sequence[str] | None = None,
    pairing: str = "group",
) -> PairSet:
    """Read pairs from a file or folder; the format is recognised by content.

    - `path`: BiasTestGPT's CSV, CrowS-Pairs' CSV, StereoSet's JSON, a folder of Hugging Face
      ``datasets`` (with JSON lines, CSV or Parquet; or from ``save_to_disk``), biaslab's own JSON
      or table; BiasTestGPT's data set of the hub, or one of its tables; or single sentences: a text
      file with one a line, or a table with a column ``sentence``.
    - `spec`: needed for single sentences, from which pairs are made, and for that data set, of
      which the rows about the spec's terms are used.
    - `groups`: two of the spec's groups, for single sentences.
    - `pairing`, {"group", "attribute"}: kind of term swapped in single sentences.
    - Returns: with every row that was not used among the rejected, and the reason.
    - Raises `SentenceError` if the file cannot be read, or is of no known format.
    """
    place = Path(path).expanduser()
    source = place.name
    rows = _rows(place)
    if isinstance(rows, Mapping):
        if "data" in rows and "schema" not in rows:
            return read_stereoset_document(rows, source)
        return own.read_document(rows, source)
    if (pairs := pairs_of_rows(rows, source)) is not None:
        return pairs
    names = set(rows[0])
    column = _sentence_column(rows)
    _refuse_benchmark(place, names, rows)
    if column is None:
        known = "; ".join(", ".join(columns) for columns, _ in _READERS)
        raise SentenceError(
            f"{place} has the columns {', '.join(map(str, rows[0]))}, which do not match any known"
            f" format. Known formats are: {known}; or {' or '.join(_SENTENCE_COLUMNS)} for single"
            " sentences."
        )
    if spec is None:
        raise SentenceError(
            f"{place} contains single sentences; give their spec, so that the other version of"
            " each can be made."
        )
    if set(by_term.COLUMNS) <= names and pairing == "group":
        return by_term.read(rows, source, spec, groups)
    sentences = _sentences(rows, column, source)
    return make_pairs(sentences, spec, groups=groups, pairing=pairing, source=source)


def read_sentences(path: str | os.PathLike[str]) -> tuple[TestSentence, ...]:
    """Read single sentences with their terms, such as BiasTestGPT's data set of the hub.

    `biaslab.probes.sentences.sources.keep_sentences` puts them where any spec with these terms
    finds them, on the screen too.

    - `path`: a table, or a folder of tables, with a column ``sentence`` or ``text`` and its terms
      in ``term`` and ``attribute``, or in ``org_grp_term`` and ``att_term``.
    - Raises `SentenceError` if it cannot be read, or has no such column.
    """
    place = Path(path).expanduser()
    rows = _rows(place)
    column = None if isinstance(rows, Mapping) else _sentence_column(rows)
    if column is None or isinstance(rows, Mapping):
        raise SentenceError(
            f"{place} has no column {' or '.join(_SENTENCE_COLUMNS)}. Give a table with one"
            " sentence per row, or use read_pairs for pairs."
        )
    return tuple(_sentences(rows, column, place.name))


def _sentence_column(rows: Sequence[Mapping[str, Any]]) -> str | None:
    return next((name for name in _SENTENCE_COLUMNS if name in rows[0]), None)


def _sentences(rows: Sequence[Mapping[str, Any]], column: str, source: str) -> list[TestSentence]:
    made = []
    for number, row in enumerate(rows, start=1):
        text, term, attribute, by_term_attribute = (
            str(row.get(name) or "") for name in (column, "term", "attribute", "att_term")
        )
        made.append(
            TestSentence(
                text,
                term or str(row.get("org_grp_term") or ""),
                attribute or by_term.as_spelt(by_term_attribute, text),
                f"{source}, row {number}",
            )
        )
    return made


def _rows(place: Path) -> Mapping[str, Any] | list[dict[str, Any]]:
    """Return the rows of a file or folder, or a document; at least one."""
    rows = _folder_rows(place) if place.is_dir() else _content(place)
    if not rows:
        raise SentenceError(f"{place} has no rows, so there is nothing to read.")
    return rows


def pairs_of_rows(rows: Sequence[Mapping[str, Any]], source: str) -> PairSet | None:
    """Return the pairs of a table in one of the formats; None if its columns are of none."""
    for columns, reader in _READERS:
        if set(columns) <= set(rows[0]):
            return reader(rows, source)
    return None


_BENCHMARKS: Mapping[str, tuple[str, ...]] = {
    "BBQ": ("context_condition", "question_polarity", "ans0"),
    "Winogender": ("sentid", "sentence"),
}
"""Published benchmarks that hold no pairs of sentences, by columns of theirs."""
_WINOBIAS = re.compile(r"\d{1,6} [^\[\]]*\[[^\[\]]+\][^\[\]]*\[[^\[\]]+\][^\[\]]*")


def _refuse_benchmark(path: Path, names: set[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Raise for a benchmark that asks something else than which sentence is more probable."""
    known = [name for name, columns in _BENCHMARKS.items() if set(columns) <= names]
    if all(_WINOBIAS.fullmatch(str(row.get("sentence"))) for row in rows[:3]):
        known = ["WinoBias"]
    if known:
        raise SentenceError(
            f"{path} is a file of {known[0]}, which asks whom a sentence means, not which of two"
            " sentences is more probable. To compare both versions of its sentences, write a table"
            " with the columns sent_more and sent_less, one pair a row. Its labels are not used."
        )


def write_pairs(pairs: PairSet, path: str | os.PathLike[str], kind: str | None = None) -> Path:
    """Write pairs to a file or folder.

    - `path`: a file; for ``"dataset"`` a folder.
    - `kind`: one of `FORMATS`; by default by the name's ending: ``.json``, ``.csv``, or a folder
      without one. Only ``"json"`` stores everything.
    - Raises `SentenceError` if there is no such format. Raises `WriteError` if it cannot be
      written; the existing file is unchanged.
    """
    place = Path(path).expanduser()
    kind = kind or {".json": "json", ".csv": "csv", "": "dataset"}.get(place.suffix.lower())
    if kind not in FORMATS:
        raise SentenceError(f"The format is {kind!r}: choose one of {', '.join(FORMATS)}.")
    if kind == "dataset":
        return dataset_folder.write(place, own.rows_of(pairs), list(pairs.notes))
    if kind in {"json", "stereoset"}:
        document = own.document_of(pairs) if kind == "json" else stereoset_document(pairs)
        text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    else:
        text = _csv(_ROWS_OF[str(kind)](pairs))
    write_atomically(place, text)
    return place


def _csv(rows: list[dict[str, Any]]) -> str:
    return rows_text(list(rows[0]), (row.values() for row in rows)) if rows else ""


def _folder_rows(folder: Path) -> list[dict[str, Any]]:
    if (folder / "state.json").exists() or (folder / "dataset_dict.json").exists():
        return dataset_folder.saved_rows(folder)
    rows: list[dict[str, Any]] = []
    for file in dataset_folder.data_files(folder):
        content = _content(file)
        if isinstance(content, Mapping):
            raise SentenceError(f"{file} is not a table. Read it as a file.")
        rows += content
    return rows


def _content(path: Path) -> Mapping[str, Any] | list[dict[str, Any]]:
    if path.suffix.lower() != ".txt":
        return read_rows(path, SentenceError)
    lines = lines_of(read_text(path, SentenceError))
    return [{"sentence": line.strip()} for line in lines if line.strip()]
