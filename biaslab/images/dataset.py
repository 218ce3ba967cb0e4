"""A folder as Hugging Face ``datasets`` loads it: pictures, and a table about them."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from biaslab.atomic import write_atomically
from biaslab.errors import ImageError, WriteError
from biaslab.images.folder import inside
from biaslab.images.image import Image, open_image
from biaslab.images.image_set import ImageSet, RejectedImage
from biaslab.images.opening import LARGEST_SIDE

PART = "train"
_TERM_COLUMNS = ("term", "label", "text", "caption")
_TABLES = ("metadata.jsonl", "metadata.csv")
csv.field_size_limit(10_000_000)


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
        If there is no picture, or one cannot be had any more.
    WriteError
        If it cannot be written.
    """
    if not len(images):
        raise ImageError("There is no picture to write. Draw, generate or upload some first.")
    target = Path(folder).expanduser()
    slugs = _slugs(images)
    rows = []
    for image in images:
        name = f"{slugs[image.term]}/{image.hash[:16]}.png"
        place = target / PART / name
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WriteError(
                f"The folder {place.parent} cannot be made: {error.strerror or error}."
            ) from error
        write_atomically(place, image.png())
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


def read_dataset(
    folder: str | os.PathLike[str], *, largest_side: int | None = LARGEST_SIDE
) -> ImageSet:
    """Pictures from a folder with a table ``metadata.jsonl`` or ``metadata.csv``.

    Parameters
    ----------
    folder : path
        As `write_dataset` or ``datasets`` made it: the table beside the pictures, or in ``train``.
        Its column ``file_name`` names them; ``term``, ``label``, ``text`` or ``caption`` says what
        they show.
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
    """
    root = Path(folder).expanduser()
    table = next(
        (p / name for p in (root, root / PART) for name in _TABLES if (p / name).is_file()), None
    )
    if table is None:
        raise ImageError(
            f"{root} holds no {_TABLES[0]}. Give a folder that write_dataset wrote; a folder with"
            " one folder of pictures for each term is read by read_folder."
        )
    images: list[Image] = []
    rejected: list[RejectedImage] = []
    for number, row in enumerate(_rows(table), start=1):
        name = str(row.get("file_name") or "")
        term = next((str(row[c]) for c in _TERM_COLUMNS if row.get(c)), "")
        try:
            if not name or not term.strip():
                raise ImageError(f"Row {number} names no picture, or not what it shows.")
            images.append(_opened(table.parent, name, term, row, largest_side))
        except ImageError as error:
            rejected.append(RejectedImage(name or f"row {number}", term, str(error)))
    if not images and not rejected:
        raise ImageError(f"{table} holds no row: there is nothing to read.")
    return ImageSet.of(images, rejected=rejected)


def _opened(
    folder: Path, name: str, term: str, row: Mapping[str, Any], largest_side: int | None
) -> Image:
    image = open_image(
        inside(folder, name), term, name=name, description=str(row.get("description") or ""),
        largest_side=largest_side,
    )  # fmt: skip
    noted = str(row.get("hash") or "")
    if noted and noted != image.hash and largest_side == LARGEST_SIDE:
        raise ImageError(
            f"{name} is not the picture that its row was written for: its pixels changed. Remove"
            " its hash from the table to use it."
        )
    given = row.get("provenance")
    origin = dict(image.record.provenance) if given is None else _origin(given)
    source = str(row.get("source") or "dataset")
    return replace(image, record=replace(image.record, source=source, provenance=origin))


def _origin(text: Any) -> dict[str, str | int | float]:
    try:
        found = json.loads(text) if isinstance(text, str) else text
    except ValueError:
        return {}
    if not isinstance(found, Mapping):
        return {}
    return {str(k): v for k, v in found.items() if isinstance(v, str | int | float)}


def _rows(table: Path) -> Iterator[Mapping[str, Any]]:
    try:
        text = table.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ImageError(f"{table} is no UTF-8 text (byte {error.start:,}).") from error
    except OSError as error:
        raise ImageError(f"{table} cannot be read: {error.strerror or error}.") from error
    if table.suffix == ".csv":
        yield from csv.DictReader(io.StringIO(text, newline=""))
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise ImageError(f"{table} is damaged in line {number}. Is the file whole?") from error
        if not isinstance(row, dict):
            raise ImageError(f"{table} holds no row of a table in line {number}.")
        yield row


def _slugs(images: ImageSet) -> dict[str, str]:
    """Names of folders that no two terms share."""
    found: dict[str, str] = {}
    for image in images:
        if image.term in found:
            continue
        plain = re.sub(r"[^a-z0-9]+", "-", image.term.lower()).strip("-")[:60] or "term"
        slug, number = plain, 1
        while slug in found.values():
            number += 1
            slug = f"{plain}-{number}"
        found[image.term] = slug
    return found


def _card(images: ImageSet) -> str:
    listed = "".join(f"- {t}: {len(images.of_term(t)):,}\n" for t in images.terms)
    notes = "".join(f"\n{note}\n" for note in images.notes)
    return (
        "---\nconfigs:\n- config_name: default\n  data_files:\n  - split: train\n"
        f"    path: {PART}/**\n---\n\n# Pictures\n\n{len(images):,} pictures under"
        f" {len(images.terms):,} terms, written by biaslab. `term` says what each was made or taken"
        f" for, `provenance` where it comes from.\n\n{listed}{notes}"
    )
