"""Catalogue: predefined specs in ``catalogue/``, and the user's own."""

from __future__ import annotations

import os
import re
import warnings
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from biaslab.arguments import instance
from biaslab.errors import SpecError
from biaslab.people.access import shown_path
from biaslab.people.activity import note
from biaslab.records.calls import recorded
from biaslab.records.wording import listed
from biaslab.specs.parts import nearest
from biaslab.specs.spec import Spec
from biaslab.specs.spec_files import (
    ENDINGS,
    Entry,
    own_entries,
    own_folder,
    parse,
    read,
    shared_entries,
    write,
)

if TYPE_CHECKING:
    import pandas as pd

PREDEFINED = "predefined"
_HOW = "Pass a Spec, the path of a .toml or .json file, or a name: bl.specs.catalog() lists them."


@recorded
def get(name: str | os.PathLike[str] | Spec, groups: tuple[str, str] | None = None) -> Spec:
    """Return a spec by name or alias, predefined or one's own, or from a file.

    Parameters
    ----------
    name : str, path or Spec
        Name or alias; a path that ends in ``.toml`` or ``.json`` is read as a file. A spec is
        returned unchanged.
    groups : (str, str), optional
        Cut it to these two groups: see `Spec.two_groups`.

    Raises
    ------
    ArgumentError
        When it is neither.
    SpecError
        When there is none of that name (lists existing ones), its file is malformed, or it does
        not have these groups.

    Warns
    -----
    UserWarning
        If one of the person's own files claims the name of the predefined spec that is given.
    """
    spec = (
        name if isinstance(name, Spec) else _get(instance(name, (str, os.PathLike), "spec", _HOW))
    )
    return spec.two_groups(*groups) if groups is not None else spec


def entries() -> list[Entry]:
    """Return every entry of the catalogue: predefined specs by name, then own files.

    A file of one's own that cannot be read, or claims a name that is taken, is listed with its
    problem; the others are not touched by it.
    """
    predefined = [Entry(spec.name, PREDEFINED, spec) for spec in _predefined().values()]
    return predefined + _checked_own_entries()


def catalog() -> pd.DataFrame:
    """Return the catalogue as a table, one row per spec.

    Columns: ``name``, ``title``; the numbers of ``groups``, ``attributes`` (lists), ``cue_pairs``,
    ``items`` and ``controls`` (lists); ``source``; ``licence``; ``where`` (``predefined``, or the
    file); ``problem`` (empty if ``get`` gives the spec).
    """
    import pandas as pd

    counted = ("groups", "attributes", "cue_pairs", "items", "controls")
    rows = []
    for entry in entries():
        spec = entry.spec
        rows.append(
            {
                "name": entry.name,
                "title": spec.title if spec else "",
                **{what: len(getattr(spec, what)) if spec else 0 for what in counted},
                "source": spec.source if spec else "",
                "licence": spec.licence if spec else "",
                "where": entry.where,
                "problem": entry.problem,
            }
        )
    return pd.DataFrame(rows)


def save(
    spec: Spec, folder: str | os.PathLike[str] | None = None, *, overwrite: bool = False
) -> Path:
    """Save the user's own spec so that ``get`` and ``catalog`` find it.

    Parameters
    ----------
    spec : Spec
        Written as ``<name>.toml``.
    folder : path, optional
        By default ``specs`` in ``$BIASLAB_HOME`` or the system's place for such data. Another one
        is found if ``BIASLAB_SPECS`` names it.
    overwrite : bool
        Whether to replace an existing file.

    Raises
    ------
    SpecError
        If the name or an alias is taken.
    WriteError
        If the file cannot be written.
    """
    target = (Path(folder).expanduser() if folder is not None else own_folder()).resolve()
    file = target / f"{spec.name}.toml"
    if problem := _name_problem(spec):
        raise SpecError(f"{shown_path(file)}: {problem}")
    if file.exists() and not overwrite:
        raise SpecError(
            f"{shown_path(file)} already exists. Choose another name, or overwrite=True."
        )
    for entry in own_entries():
        shared = entry.spec and _names(entry.spec) & _names(spec)
        if shared and entry.file != file:
            raise SpecError(
                f"{min(shared)!r} is already the name of the spec in {entry.where}. Choose another"
                " name."
            )
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SpecError(
            f"The folder {shown_path(target)} cannot be made ({error.strerror or error}). Choose"
            " another, or set BIASLAB_HOME."
        ) from error
    written = write(spec, file)
    note("saved", what="word list", name=spec.name)
    return written


def delete(name: str, *, where: str = "") -> None:
    """Delete a spec in `own_folder`, also one that cannot be read.

    Parameters
    ----------
    name : str
    where : str
        Its file as `catalog` shows it, if two have this name.

    Raises
    ------
    SpecError
        If there is no such file, there are two, or it cannot be deleted.
    """
    own = [entry for entry in own_entries() if is_own(entry) and entry.name == name]
    files = [entry.file for entry in own if where in ("", entry.where)]
    if len(files) != 1 or files[0] is None:
        raise SpecError(
            f"{name} is in {listed([one.where for one in own])}. Say which with where=."
            if own
            else f"You have no word lists of your own that are called {name}."
        )
    try:
        files[0].unlink()
    except OSError as error:
        raise SpecError(f"{name} cannot be deleted: {error.strerror or error}.") from error
    note("deleted", what="word list", name=name)


def is_own(entry: Entry) -> bool:
    """Return whether `delete` can delete an entry: its file is in `own_folder`."""
    return entry.file is not None and entry.file.parent == own_folder().resolve()


@cache
def _predefined() -> dict[str, Spec]:
    specs: dict[str, Spec] = {}
    folder = files("biaslab.specs").joinpath("catalogue")
    toml_files = [file for file in folder.iterdir() if file.name.endswith(".toml")]
    for file in sorted(toml_files, key=lambda f: _counted(f.name)):
        spec = parse(file.read_bytes(), ".toml", file.name)
        specs[spec.name] = spec
    return specs


def _counted(name: str) -> list[tuple[int, str]]:
    """Return a key that sorts weat-2 before weat-10."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


@cache
def _predefined_names() -> dict[str, Spec]:
    return {name: spec for spec in _predefined().values() for name in (spec.name, *spec.aliases)}


def _names(spec: Spec) -> set[str]:
    return {spec.name, *spec.aliases}


def _name_problem(spec: Spec) -> str:
    """Return the problem of an own spec with a predefined spec's name; else nothing."""
    for name in sorted(_names(spec) & _predefined_names().keys()):
        field = "name" if name == spec.name else "aliases"
        predefined = _predefined_names()[name].name
        return (
            f"field {field!r} is {name!r}, which is also in the predefined spec {predefined!r}."
            " Rename it."
        )
    return ""


def _checked_own_entries() -> list[Entry]:
    entries = own_entries()
    owners: dict[str, list[str]] = {}
    for entry in entries:
        for name in _names(entry.spec) if entry.spec else ():
            owners.setdefault(name, []).append(entry.where)
    own = [_with_conflict(entry, owners) for entry in entries]
    specs = [entry.spec for entry in entries]  # what a person shared is among their own
    shared = [entry for entry in shared_entries() if entry.spec not in specs]
    return [*own, *(_unless_own(entry, owners) for entry in shared)]


def _unless_own(entry: Entry, owners: dict[str, list[str]]) -> Entry:
    """Return a shared entry; with a problem where the person has a spec of that name."""
    taken = sorted(_names(entry.spec) & owners.keys()) if entry.spec else []
    if not taken:
        return entry
    why = f"{entry.where}: you have a list {taken[0]!r} of your own, which is used. Rename yours."
    return replace(entry, problem=why)


def _with_conflict(entry: Entry, owners: dict[str, list[str]]) -> Entry:
    if entry.spec is None:
        return entry
    if problem := _name_problem(entry.spec):
        return replace(entry, problem=f"{entry.where}: {problem}")
    for name in sorted(_names(entry.spec)):
        if others := [where for where in owners[name] if where != entry.where]:
            why = f"the name {name!r} is also that of {others[0]}. Rename one of them."
            return replace(entry, problem=f"{entry.where}: {why}")
    return entry


def _get(name: str | os.PathLike[str]) -> Spec:
    if not isinstance(name, str) or name.lower().endswith(ENDINGS):
        return read(name)
    entries = _checked_own_entries()
    claiming = [
        e for e in entries if e.problem and name in (_names(e.spec) if e.spec else {e.name})
    ]
    if name in _predefined_names():
        for entry in claiming:
            if entry.spec:  # else only the file's name is similar
                # The caller of `get`, which is recorded.
                warnings.warn(f"The predefined {name!r} is used. {entry.problem}", stacklevel=4)
        return _predefined_names()[name]
    for entry in entries:
        if entry.spec and not entry.problem and name in _names(entry.spec):
            return entry.spec
    if claiming:
        raise SpecError(claiming[0].problem)
    if Path(name).is_file():
        return read(name)  # says which files are read
    names = [*_predefined(), *(entry.name for entry in entries if not entry.problem)]
    raise SpecError(
        f"No spec is called {name!r}.{nearest(name, [*_predefined_names(), *names])} "
        f"The catalogue holds: {', '.join(names)}."
    )
