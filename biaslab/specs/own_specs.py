"""The user's own specs: files in folders that are read again each time."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from biaslab.access import current_access
from biaslab.errors import SpecError
from biaslab.home import home_folder, shown_path
from biaslab.shared_record import sharers
from biaslab.specs.spec import Spec
from biaslab.specs.spec_files import ENDINGS, read


@dataclass(frozen=True)
class Entry:
    """One entry of the catalogue.

    Attributes
    ----------
    name : str
        The spec's name; of an unreadable file, the file's.
    where : str
        ``predefined``, or the file as the person may see it.
    spec : Spec or None
        None if the file cannot be read.
    problem : str
        Why ``get`` does not give it, and the fix; empty if it does.
    file : Path or None
        The file; None for a predefined spec.
    is_shared : bool
        Whether somebody shared it with everybody on this server.
    """

    name: str
    where: str
    spec: Spec | None
    problem: str = ""
    file: Path | None = None
    is_shared: bool = False


def own_folder() -> Path:
    """Return the folder of the user's specs: ``$BIASLAB_HOME/specs``, or another."""
    return home_folder() / "specs"


def own_entries() -> list[Entry]:
    """Return every spec file in the folders of ``$BIASLAB_SPECS`` and in `own_folder`.

    The folders of ``$BIASLAB_SPECS`` are those of whoever runs the process, and only theirs.
    """
    # Resolved: with one folder spelled in two ways each of its files would be its own duplicate.
    named = [Path(p).expanduser().resolve() for p in _named_folders()]
    entries: list[Entry] = []
    for folder in dict.fromkeys([*named, own_folder().resolve()]):
        try:
            files = sorted(folder.iterdir())
        except OSError as error:
            if folder in named or not isinstance(error, FileNotFoundError):
                fix = "Correct BIASLAB_SPECS." if folder in named else "Check its permissions."
                where = shown_path(folder)
                why = f"{where}: cannot be read ({error.strerror or error}). {fix}"
                entries.append(Entry(folder.name, where, None, why, folder))
            continue
        entries += [_entry(file) for file in files if _is_spec_file(file)]
    return entries


def shared_entries() -> list[Entry]:
    """Return the specs that somebody shared with everybody on this server."""
    folder = current_access().shared
    if folder is None:
        return []
    try:
        files = sorted((folder / "specs").iterdir())
    except OSError:
        return []
    by = sharers("word list")
    return [
        replace(entry, where=f"{file.name}, shared by {by.get(file.stem, '')}", is_shared=True)
        for file in files
        if _is_spec_file(file) and (entry := _entry(file)).spec is not None
    ]


def _named_folders() -> Iterator[str]:
    if not current_access().is_owner:
        return iter(())
    return filter(None, os.environ.get("BIASLAB_SPECS", "").split(os.pathsep))


def _is_spec_file(file: Path) -> bool:
    return file.suffix.lower() in ENDINGS and not file.name.startswith(".")


def _entry(file: Path) -> Entry:
    where = shown_path(file)
    try:
        state = file.stat()
        if not stat.S_ISREG(state.st_mode):  # reading a pipe would block
            why = f"{where}: is not a file. Remove or rename it."
            return Entry(file.stem, where, None, why, file)
        spec = _read(file, state.st_mtime_ns, state.st_size)
    except SpecError as error:
        return Entry(file.stem, where, None, str(error).replace(str(file), where), file)
    except OSError as error:  # a dead link, or deleted meanwhile
        why = f"{where}: cannot be read ({error.strerror or error}). Remove or replace it."
        return Entry(file.stem, where, None, why, file)
    return Entry(spec.name, where, spec, file=file)


@lru_cache(maxsize=256)
def _read(file: Path, _modified: int, _size: int) -> Spec:
    return read(file)
