"""A folder in the format of Hugging Face ``datasets``: a card and a table."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from biaslab.errors import MissingExtraError, SentenceError, WriteError
from biaslab.files.atomic import write_atomically
from biaslab.network.hub import push_dataset

DATA = Path("data") / "train.jsonl"
_TABLES = (".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".json")


def data_files(folder: Path) -> list[Path]:
    """Return the tables of a folder, in ``data/`` or at its top.

    Raises `SentenceError` if there is none.
    """
    for where in (folder / "data", folder):
        for ending in _TABLES:
            files = sorted(f for f in where.glob(f"*{ending}") if f.name != "dataset_info.json")
            if files and not (folder / "state.json").exists():
                return files
    raise SentenceError(
        f"{folder} contains no table ({', '.join(_TABLES)}). Give the file itself, or a folder"
        " that write_pairs or datasets wrote."
    )


def saved_rows(folder: Path) -> list[dict[str, Any]]:
    """Return rows of a folder written by ``datasets.save_to_disk``.

    Raises `MissingExtraError` if ``datasets`` is not installed: such folders contain Arrow tables.
    Raises `SentenceError` if it cannot be read.
    """
    try:
        import datasets  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"{folder} was made by datasets.save_to_disk and holds Arrow tables: pip install "
            "datasets. Or write it with to_json, which needs no extra package."
        ) from error
    try:
        loaded = datasets.load_from_disk(str(folder))
    except (OSError, ValueError) as error:
        raise SentenceError(f"{folder} cannot be read: {error}") from error
    parts = loaded.values() if isinstance(loaded, Mapping) else [loaded]
    return [dict(row) for part in parts for row in part]


def write(folder: str | os.PathLike[str], rows: list[dict[str, Any]], notes: list[str]) -> Path:
    """Write the folder: ``datasets.load_dataset(folder)`` reads it.

    Raises `WriteError` if it cannot be written.
    """
    target = Path(folder)
    try:
        (target / "data").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(f"The folder {target} cannot be made: {error.strerror or error}.") from (
            error
        )
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    write_atomically(target / DATA, lines)
    write_atomically(target / "README.md", _card(len(rows), notes))
    return target


def push(folder: str | os.PathLike[str], repository: str, *, private: bool = True) -> str:
    """Upload a folder of pairs, as `biaslab.network.hub.push_dataset`.

    Raises `SentenceError` also if it holds no table.
    """
    data_files(Path(folder))
    return push_dataset(folder, repository, private=private)


def _card(count: int, notes: list[str]) -> str:
    listed = "".join(f"- {note}\n" for note in notes)
    return (
        "---\nconfigs:\n- config_name: default\n  data_files:\n  - split: train\n"
        f"    path: {DATA.as_posix()}\n---\n\n# Sentence pairs\n\n"
        f"{count} pairs of sentences: `stereotyped` and `against` differ in a term and in what "
        f"agrees with it. Written by biaslab.\n\n{listed}"
    )
