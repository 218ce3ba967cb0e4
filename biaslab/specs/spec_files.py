"""Specs in files: TOML or JSON by the file's ending, and folders of the user's own."""

from __future__ import annotations

import json
import os
import stat
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from biaslab.errors import SpecError
from biaslab.files.atomic import write_atomically
from biaslab.files.given import read_given
from biaslab.files.toml import parse_toml
from biaslab.people.access import current_access, home_folder, shown_path
from biaslab.people.disk import ask_for_disk
from biaslab.people.shared_record import sharers
from biaslab.records.calls import recorded
from biaslab.specs.spec import Spec

ENDINGS = (".toml", ".json")
LONGEST = 2_000_000
"""Bytes of a file."""


@recorded
def read(path: str | os.PathLike[str]) -> Spec:
    """Read the spec in a TOML or JSON file.

    Raises
    ------
    SpecError
        Names the file, the field (for syntax: line and column) and the fix.
    """
    file = Path(path).expanduser()
    ending = _ending(file)
    try:
        content = read_given(file, 4 * LONGEST)
    except OSError as error:
        raise SpecError(
            f"{file}: cannot be read ({error.strerror or error}). Check the name and the"
            " permissions."
        ) from error
    return parse(content, ending, str(file))


def parse(content: bytes, ending: str, where: str) -> Spec:
    """Parse the spec in a file's bytes; `where` names the file in an error.

    Raises `SpecError`, which names the file, the field (for syntax: line and column) and the fix.
    """
    _check_size(len(content), where)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SpecError(f"{where}: line {line} is not UTF-8. Save the file as UTF-8.") from error
    return Spec.from_dict(_parsed(text, ending, where), where)


def write(spec: Spec, path: str | os.PathLike[str]) -> Path:
    """Write a spec to a TOML or JSON file, completely or not at all.

    Raises
    ------
    SpecError
        If the ending is neither ``.toml`` nor ``.json``, or the spec is too large to be read back.
    WriteError
        If the file cannot be written.
    """
    file = Path(path).expanduser()
    text = spec.to_toml() if _ending(file) == ".toml" else spec.to_json()
    _check_size(len(text.encode()), str(file))
    ask_for_disk(len(text.encode()))
    write_atomically(file, text)
    return file


def _check_size(size: int, where: str) -> None:
    if size > LONGEST:
        raise SpecError(f"{where}: a spec has at most {LONGEST / 1e6:g} MB. Split it.")


def _ending(file: Path) -> str:
    ending = file.suffix.lower()
    if ending not in ENDINGS:
        raise SpecError(
            f"{file}: word lists are read from a .toml or .json file with the fields of a spec."
            " bl.specs.get('weat-6').to_toml() is one to begin with, and the word-list editor takes"
            " pasted lists and saves them as such a file."
        )
    return ending


def _parsed(text: str, ending: str, where: str) -> dict[str, Any]:
    try:
        if ending == ".toml":
            return parse_toml(text, longest=LONGEST)
        data: dict[str, Any] = json.loads(text, object_pairs_hook=_unique)
        return data
    except tomllib.TOMLDecodeError as error:
        raise SpecError(
            f"{where}: is not valid TOML: {error}. Look there for a missing quote, comma or"
            " bracket, or a repeated name."
        ) from error
    except json.JSONDecodeError as error:
        raise SpecError(
            f"{where}: is not valid JSON: {error.msg} (at line {error.lineno}, column "
            f"{error.colno}). Look there for a missing quote, comma or bracket."
        ) from error
    except _TwiceError as error:
        raise SpecError(f"{where}: field {error.args[0]!r} appears twice. Keep one.") from error
    except ValueError as error:  # a number of thousands of digits
        raise SpecError(f"{where}: cannot be read: {error}. Correct it.") from error
    except RecursionError as error:
        raise SpecError(f"{where}: is nested too deeply for a spec. Flatten it.") from error


class _TwiceError(ValueError):
    """A JSON object repeats a name: Python would silently keep the last one."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for name, value in pairs:
        if name in table:
            raise _TwiceError(name)
        table[name] = value
    return table


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
