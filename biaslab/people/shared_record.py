"""Who shared what with everybody on a server: a record beside the shared copies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, TypedDict

from biaslab.files.atomic import write_atomically
from biaslab.people.access import current_access

FILE: Final = "shared.json"


class SharedEntry(TypedDict):
    """Who shared something.

    ``by`` is the name on the screen, ``user`` identifies the person, ``origin`` is what it was
    called where it came from.
    """

    by: str
    user: str
    origin: str
    time: str


Record = dict[str, dict[str, SharedEntry]]


def shared_record() -> Record:
    """Return what is shared, by kind and by id or name; nothing where one person works alone."""
    folder = current_access().shared
    if folder is None:
        return {}
    try:
        record: Record = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record


def sharers(kind: str) -> dict[str, str]:
    """Return who shared what of a kind, by id or name, as the screen shows it."""
    return {name: entry["by"] for name, entry in shared_record().get(kind, {}).items()}


def write_record(folder: Path, record: Record) -> None:
    """Write what is shared."""
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / FILE, json.dumps(record, indent=1) + "\n")
