"""Tables with pictures in the format of Hugging Face ``datasets``: folders and files."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from biaslab.errors import ImageError, MissingExtraError, WriteError
from biaslab.files.atomic import write_atomically
from biaslab.files.given import parse_json
from biaslab.files.tables import json_lines, read_text, table_rows
from biaslab.images.folder import inside
from biaslab.images.image import Image, ImageSet, RejectedImage, open_image
from biaslab.images.opening import LARGEST_SIDE
from biaslab.network.hub import push_dataset as push
from biaslab.records.calls import recorded

CONTENT = "image"
"""Key under which a row has its picture: a mapping with ``bytes`` and ``path``."""
_SAVED = ("dataset_dict.json", "state.json")


def holds_saved_tables(folder: Path) -> bool:
    """Return whether ``datasets`` saved a folder, by ``save_to_disk`` or as Parquet."""
    return any((folder / name).is_file() for name in _SAVED) or bool(_parquet(folder))


def saved_rows(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield rows of a folder that ``datasets`` saved, with the file under ``CONTENT``.

    Numbers of a label become its names. Rows of all splits (``train``, ``test``) are included.

    Raises `MissingExtraError` if ``datasets`` is not installed; `ImageError` if it cannot be read,
    or has no column of pictures.
    """
    try:
        import datasets  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"{folder} holds Arrow or Parquet tables: pip install datasets. Or give an image"
            " folder with metadata.jsonl, which needs no extra package."
        ) from error
    try:
        if files := _parquet(folder):
            parts = [_from_parquet(datasets, files)]
        else:
            dataset = datasets.load_from_disk(str(folder))
            parts = list(dataset.values()) if isinstance(dataset, Mapping) else [dataset]
    except Exception as error:  # the library and Arrow raise many kinds of error
        reason = " ".join(str(error).split())[:300]
        raise ImageError(f"{folder} cannot be read as a dataset: {reason}") from error
    for part in parts:
        yield from _plain(part, datasets, folder)


def _from_parquet(datasets: Any, files: Sequence[Path]) -> Any:
    """Read all files as one table in memory; the library's copy is deleted."""
    with tempfile.TemporaryDirectory(prefix="biaslab-tables-") as cache:
        return datasets.Dataset.from_parquet(
            [str(file) for file in files], cache_dir=cache, keep_in_memory=True
        )


def _plain(part: Any, datasets: Any, folder: Path) -> Iterator[dict[str, Any]]:
    """Yield rows of one part: pictures as stored, labels as words."""
    features = dict(part.features)
    pictures = [name for name, kind in features.items() if isinstance(kind, datasets.Image)]
    if not pictures:
        raise ImageError(
            f"{folder} has no column of pictures. Its columns are: {', '.join(features) or 'none'}."
            " Cast one with datasets.Image, or give an image folder with metadata.jsonl."
        )
    column = CONTENT if CONTENT in pictures else pictures[0]
    for name in pictures:
        part = part.cast_column(name, datasets.Image(decode=False))
    named = {n: k for n, k in features.items() if isinstance(k, datasets.ClassLabel)}
    for row in part:
        out = dict(row)
        for name, kind in named.items():
            if isinstance(out[name], int) and 0 <= out[name] < kind.num_classes:
                out[name] = kind.int2str(out[name])
        yield {**out, CONTENT: out[column]}


def _parquet(folder: Path) -> list[Path]:
    """Return the Parquet files of a folder, at its top or in ``data``, as on the hub."""
    for place in (folder, folder / "data"):
        if files := sorted(place.glob("*.parquet")):
            return files
    return []


PART = "train"
_PARTS = (
    PART, "training", "validation", "valid", "val", "dev", "test", "testing", "eval", "evaluation",
)  # fmt: skip
"""Folders of the splits in ``datasets``."""
_TERM_COLUMNS = ("term", "label", "text", "caption")
_TABLES = ("metadata.jsonl", "metadata.csv")


def write_dataset(images: ImageSet, folder: str | os.PathLike[str]) -> Path:
    """Write pictures as an image dataset: ``datasets.load_dataset(folder)`` reads it.

    Parameters
    ----------
    images : ImageSet
        Written as PNG files without metadata, in a folder for each term.
    folder : path
        New or empty, or with an older copy of the same pictures.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    ImageError
        If there is no picture, or one is no longer available.
    WriteError
        If it cannot be written.
    """
    if not len(images):
        raise ImageError("There are no pictures to write. Draw, generate or upload some first.")
    target = Path(folder).expanduser()
    slugs = _slugs(images)
    rows = []
    for image in images:
        name = f"{slugs[image.term]}/{image.hash[:16]}.png"
        path = target / PART / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WriteError(
                f"The folder {path.parent} cannot be made: {error.strerror or error}."
            ) from error
        write_atomically(path, image.png())
        record = image.record
        rows.append(
            {
                "file_name": name,
                "term": record.term,
                "description": record.description,
                "source": record.source,
                "provenance": json.dumps(dict(record.provenance), ensure_ascii=False),
                "hash": record.hash,
            }
        )
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    write_atomically(target / PART / _TABLES[0], lines)
    write_atomically(target / "README.md", _card(images))
    return target


def push_dataset(folder: str | os.PathLike[str], repository: str, *, private: bool = True) -> str:
    """Upload an image dataset to the hub, as `biaslab.network.hub.push_dataset`.

    Parameters
    ----------
    folder : path
        As `write_dataset` made it.
    repository, private
        As there.

    Raises
    ------
    ImageError
        If the folder is no image dataset.
    """
    if not _tables(Path(folder).expanduser()):
        raise ImageError(f"{folder} is no image dataset. Write it with bl.images.write_dataset.")
    return push(Path(folder).expanduser(), repository, private=private)


@recorded
def read_dataset(
    folder: str | os.PathLike[str], *, largest_side: int | None = LARGEST_SIDE
) -> ImageSet:
    """Read pictures from a Hugging Face image dataset.

    Parameters
    ----------
    folder : path
        As `write_dataset` or ``datasets`` made it: a table ``metadata.jsonl`` or ``metadata.csv``
        beside the pictures, or one in each of ``train``, ``test`` and so on, whose column
        ``file_name`` names them; or what ``save_to_disk`` or ``push_to_hub`` wrote, which needs
        ``datasets``. The column ``term``, ``label``, ``text`` or ``caption`` names their content.
    largest_side : int or None
        Longer side in pixels to which larger pictures are shrunk.

    Returns
    -------
    ImageSet
        With every row that was not used among the rejected, and the reason.

    Raises
    ------
    ImageError
        If there is no such table, or it cannot be read.
    MissingExtraError
        If it takes ``datasets`` to read it, which is not installed.
    """
    root = Path(folder).expanduser()
    tables = _tables(root)
    if not tables and not holds_saved_tables(root):
        raise ImageError(
            f"{root} contains no {_TABLES[0]}. Give a folder that write_dataset wrote, or use"
            " read_folder for a folder with one subfolder of pictures per term."
        )
    places: Iterable[tuple[Path, Iterable[Mapping[str, Any]]]] = (
        [(table.parent, _rows(table)) for table in tables] if tables else [(root, saved_rows(root))]
    )
    images: list[Image] = []
    rejected: list[RejectedImage] = []
    for place, rows in places:
        for number, row in enumerate(rows, start=1):
            name = _name(row)
            term = next((str(row[c]) for c in _TERM_COLUMNS if row.get(c) not in (None, "")), "")
            try:
                if not (name or row.get(CONTENT)) or not term.strip():
                    raise ImageError(f"Row {number} has no picture or no term.")
                images.append(_opened(place, name or f"row {number}", term, row, largest_side))
            except ImageError as error:
                rejected.append(RejectedImage(name or f"row {number}", term, str(error)))
    if not images and not rejected:
        raise ImageError(f"{root} has a table without rows, so there is nothing to read.")
    return ImageSet.of(images, rejected=rejected)


def holds_dataset(folder: Path) -> bool:
    """Return whether `read_dataset` reads a folder, not `biaslab.images.read_folder`."""
    return bool(_tables(folder)) or holds_saved_tables(folder)


def _tables(root: Path) -> list[Path]:
    """Return the table of a folder, or those of its parts."""
    paths = [
        next((place / name for name in _TABLES if (place / name).is_file()), None)
        for place in (root, *(root / part for part in _PARTS))
    ]
    return [paths[0]] if paths[0] else [table for table in paths if table]


def _name(row: Mapping[str, Any]) -> str:
    """Return the name of a row's picture; empty if there is none."""
    content = row.get(CONTENT)
    path = content.get("path") if isinstance(content, Mapping) else None
    return str(row.get("file_name") or Path(str(path or "")).name)


def _opened(
    folder: Path, name: str, term: str, row: Mapping[str, Any], largest_side: int | None
) -> Image:
    image = open_image(
        _source(folder, name, row), term, name=name,
        description=str(row.get("description") or ""), largest_side=largest_side,
    )  # fmt: skip
    noted = str(row.get("hash") or "")
    if noted and noted != image.hash and largest_side == LARGEST_SIDE:
        raise ImageError(
            f"{name} has changed since its row was written. Remove its hash from the table to use"
            " it anyway."
        )
    document = row.get("provenance")
    origin = dict(image.record.provenance) if document is None else _origin(document)
    source = str(row.get("source") or "dataset")
    return replace(image, record=replace(image.record, source=source, provenance=origin))


def _source(folder: Path, name: str, row: Mapping[str, Any]) -> bytes | Path:
    """Return the picture itself if the table contains it, or its file."""
    content = row.get(CONTENT)
    if not isinstance(content, Mapping):
        return inside(folder, name)
    if not isinstance(content.get("bytes"), bytes):
        raise ImageError(
            "The table refers to a file on the machine where it was written and does not contain"
            " the picture. Write it again with the pictures included (push_to_hub and save_to_disk"
            " do this)."
        )
    content_bytes: bytes = content["bytes"]
    return content_bytes


def _origin(text: Any) -> dict[str, str | int | float]:
    try:
        parsed = parse_json(text) if isinstance(text, str) else text
    except ValueError:
        return {}
    if not isinstance(parsed, Mapping):
        return {}
    return {str(k): v for k, v in parsed.items() if isinstance(v, str | int | float)}


def _rows(table: Path) -> Iterator[Mapping[str, Any]]:
    text, name = read_text(table, ImageError), str(table)
    if table.suffix == ".csv":
        yield from table_rows(text, name, ImageError)
        return
    for row in json_lines(text, name, ImageError):
        if not isinstance(row, dict):
            raise ImageError(f"{table} holds a line that is no table row: {str(row)[:60]!r}.")
        yield row


def _slugs(images: ImageSet) -> dict[str, str]:
    """Return distinct names of folders for terms."""
    slugs: dict[str, str] = {}
    for image in images:
        if image.term in slugs:
            continue
        plain = re.sub(r"[^a-z0-9]+", "-", image.term.lower()).strip("-")[:60] or "term"
        slug, number = plain, 1
        while slug in slugs.values():
            number += 1
            slug = f"{plain}-{number}"
        slugs[image.term] = slug
    return slugs


def _card(images: ImageSet) -> str:
    listed = "".join(f"- {t}: {len(images.of_term(t)):,}\n" for t in images.terms)
    notes = "".join(f"\n{note}\n" for note in images.notes)
    return (
        "---\nconfigs:\n- config_name: default\n  data_files:\n  - split: train\n"
        f"    path: {PART}/**\n---\n\n# Pictures\n\n{len(images):,} pictures under"
        f" {len(images.terms):,} terms, written by biaslab. `term` says what each was made or taken"
        f" for, `provenance` where it comes from.\n\n{listed}{notes}"
    )
