"""Catalogue of cases, and cases in files of one's own."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biaslab.arguments import instance
from biaslab.cases.case import Case
from biaslab.errors import CaseError
from biaslab.files.atomic import write_atomically
from biaslab.files.toml import ENDING, parse_table, read_text, texts_in
from biaslab.people.access import home_folder
from biaslab.people.activity import note
from biaslab.people.disk import ask_for_disk
from biaslab.records.calls import recorded
from biaslab.specs.parts import nearest

if TYPE_CHECKING:
    import pandas as pd

LONGEST = 200_000
"""Characters of a file."""
MOST_OWN = 100
"""Cases of one's own that are offered in a list."""
_HOW = "Pass a Case, the path of a .toml file, or a name: bl.cases.catalog() lists them."


@recorded
def get(name: str | os.PathLike[str] | Case) -> Case:
    """Return a case by name, predefined or one's own, or from a TOML file.

    Parameters
    ----------
    name : str, path or Case
        A path ends in ``.toml``. A case is returned unchanged.

    Raises
    ------
    ArgumentError
        When it is neither.
    CaseError
        When there is none of that name (lists existing ones), or its file is malformed.
    """
    if isinstance(name, Case):
        return name
    given = instance(name, (str, os.PathLike), "case", _HOW)
    text = os.fspath(given)
    if text.lower().endswith(ENDING):
        return read(text)
    cases: dict[str, Case | Path] = {**_own(), **_predefined()}
    if text not in cases:
        raise CaseError(
            f"There is no case {text!r}.{nearest(text, cases)} There are {', '.join(cases)}."
        )
    case = cases[text]
    if isinstance(case, Case):
        return case
    state = case.stat()
    return _read(case, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=256)
def _read(file: Path, _modified: int, _size: int) -> Case:
    return read(file)


def read(path: str | os.PathLike[str]) -> Case:
    """Read the case in a TOML file.

    Raises
    ------
    CaseError
        Names the file, the field (for syntax: line and column) and the remedy.
    """
    file = Path(path).expanduser()
    return parse(read_text(file, longest=LONGEST, error=CaseError), str(file))


def parse(text: str, where: str) -> Case:
    """Parse the case in a TOML text; `where` names it in an error.

    Raises
    ------
    CaseError
        Names the field (for syntax: line and column) and the remedy.
    """
    table = parse_table(text, where, longest=LONGEST, error=CaseError)
    return Case.from_dict(table, where)


def toml_of(case: Case) -> str:
    """Return a case as TOML; fields that say nothing are left out."""
    import tomli_w

    return tomli_w.dumps(_table(asdict(case)))


def save(case: Case, *, overwrite: bool = False) -> Path:
    """Save one's own case in the folder of the user's data, so that `get` finds it by its name.

    Parameters
    ----------
    case : Case
    overwrite : bool
        Whether to replace an own case of this name.

    Raises
    ------
    CaseError
        If the name is taken, the case is too long to be read again, or there are too many.
    WriteError
        If the file cannot be written, or the person has no disk left.
    """
    file = _folder() / f"{case.name}{ENDING}"
    if case.name in _predefined() or (file.exists() and not overwrite):
        whose = "the catalogue" if case.name in _predefined() else "your own"
        raise CaseError(f"{case.name} is already a case of {whose}. Choose another name or title.")
    if len(_own()) >= MOST_OWN and not file.exists():
        raise CaseError(f"You have {MOST_OWN} cases of your own, the most. Replace one of them.")
    text = toml_of(case)
    if len(text) > LONGEST:
        raise CaseError(f"A case has at most {LONGEST:,} characters. Shorten its wordings.")
    ask_for_disk(len(text.encode()))
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CaseError(f"Its folder cannot be made ({error.strerror or error}).") from error
    write_atomically(file, text)
    note("saved", what="case", name=case.name)
    return file


def delete(name: str) -> None:
    """Delete one's own case.

    Raises
    ------
    CaseError
        If one has no case of this name, or its file cannot be deleted.
    """
    own = _own()
    if name not in own:
        raise CaseError(f"{name} is no case of your own. You have {', '.join(own) or 'none'}.")
    try:
        own[name].unlink()
    except OSError as error:
        raise CaseError(f"{name} cannot be deleted: {error.strerror or error}.") from error
    note("deleted", what="case", name=name)


def names(*, own: bool = False) -> tuple[str, ...]:
    """Return the names of all cases: predefined ones, then one's own; or of one's own alone."""
    return tuple(_own() if own else {**_predefined(), **_own()})


def catalog() -> pd.DataFrame:
    """Return the catalogue as a table, one row per predefined case.

    Columns: ``name``, ``title``, ``quality``, ``groups``, ``cues``, ``forms``, ``wordings``,
    ``source``.
    """
    import pandas as pd

    return pd.DataFrame(
        {
            "name": case.name,
            "title": case.title,
            "quality": case.quality.name,
            "groups": ", ".join(group.name for group in case.groups),
            "cues": sum(len(group.cues) for group in case.groups),
            "forms": ", ".join(case.forms),
            "wordings": len(case.wordings(case.forms[0])),
            "source": case.source,
        }
        for case in _predefined().values()
    )


@cache
def _predefined() -> dict[str, Case]:
    cases = [parse(text, name) for name, text in texts_in(files("biaslab.cases") / "catalogue")]
    return {case.name: case for case in sorted(cases, key=lambda case: case.name)}


def _table(value: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _plain(one) for name, one in value.items() if one not in (None, "", (), {})}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _table(value)
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value


def _folder() -> Path:
    return home_folder() / "cases"


def _own() -> dict[str, Path]:
    """Return the files in the folder ``cases`` of the user's data, by their names."""
    folder = _folder()
    if not folder.is_dir():
        return {}
    return {file.stem: file for file in sorted(folder.glob(f"*{ENDING}")) if file.is_file()}
