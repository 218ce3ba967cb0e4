"""Subjects that a person has added: a file of names and where each of them lies."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from biaslab.access import current_access
from biaslab.atomic import write_atomically
from biaslab.errors import SubjectError
from biaslab.home import home_folder, shown_path

FILE = "subjects.json"
_lock = threading.RLock()
_MOST_CACHED = 256
_cached: dict[Path, tuple[tuple[int, int], dict[str, OwnSubject]]] = {}
_functions: dict[str, OwnSubject] = {}


@dataclass(frozen=True)
class OwnSubject:
    """A subject that a person has added.

    Attributes
    ----------
    name : str
        What it is called; `biaslab.load` opens it by this name.
    kind : str
        As of `biaslab.subjects.inspect`.
    source : str
        Path or name on the hub; empty for a service or a function.
    service : mapping of str to str
        A service's address, model and name of its key's environment variable. Never the key.
    added : str
        When it was added, ISO 8601.
    function : callable or None
        A Python function; it lives as long as the process.
    uploaded : bool
        Whether the file lies in biaslab's own folder, and goes with the subject.
    options : mapping of str to str
        How a model is opened: options of `biaslab.load` such as ``quantize`` and ``device``.
    shared_by : str
        Who shared it with everybody on this server; empty for a subject of one's own.
    """

    name: str
    kind: str
    source: str = ""
    service: Mapping[str, str] = field(default_factory=dict)
    added: str = ""
    function: Callable[[str], str] | None = None
    uploaded: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    shared_by: str = ""

    @property
    def load_options(self) -> dict[str, str]:
        """Options of `biaslab.load` with which it is opened."""
        asked = ("encoder", "classifier", "mlm", "clm", "vlm", "translation")
        kind = {"kind": self.kind} if self.kind in asked else {}
        return {**kind, **self.options}


def own_subjects() -> dict[str, OwnSubject]:
    """Return all own subjects by name, in the order in which they were added.

    On a server that others reach, those that somebody shared with everybody come first.
    """
    access = current_access()
    functions = _functions if access.is_owner else {}
    with _lock:
        shared = {} if access.shared is None else subjects_in(access.shared)
        return {**shared, **subjects_in(home_folder()), **functions}


def own_subject(name: object) -> OwnSubject | None:
    """Return an own subject by its name; None where there is none of that name."""
    return own_subjects().get(name) if isinstance(name, str) else None


def put(subject: OwnSubject) -> None:
    """Remember a subject under its name.

    Raises
    ------
    WriteError
        When it cannot be written.
    """
    with _lock:
        if subject.function is not None:
            _functions[subject.name] = subject
        else:
            write_subjects(home_folder(), {**subjects_in(home_folder()), subject.name: subject})


def drop(name: str) -> None:
    """Forget a subject, if there is one of that name; its file stays where it is."""
    with _lock:
        _functions.pop(name, None)
        stored = subjects_in(home_folder())
        if stored.pop(name, None) is not None:
            write_subjects(home_folder(), stored)


def own_folder() -> Path:
    """Return the folder of uploaded files."""
    return home_folder() / "subjects"


def subjects_in(folder: Path) -> dict[str, OwnSubject]:
    """Return the subjects that a folder's list names.

    Raises
    ------
    SubjectError
        When the list is damaged.
    """
    # Every `biaslab.load` looks here: the file is read again only when it has changed.
    path = folder / FILE
    try:
        stat = path.stat()
    except OSError:
        return {}
    stamp = (stat.st_mtime_ns, stat.st_size)
    with _lock:
        known = _cached.get(path)
        if known is None or known[0] != stamp:
            _cached.pop(path, None)
            known = _cached[path] = (stamp, _read(path))
            while len(_cached) > _MOST_CACHED:
                del _cached[next(iter(_cached))]
    return dict(known[1])


def _read(path: Path) -> dict[str, OwnSubject]:
    try:
        entries: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["subjects"]
        subjects = [OwnSubject(**entry) for entry in entries]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise SubjectError(
            f"The list of your own subjects, {shown_path(path)}, is damaged: {error}. Correct it,"
            " or move it away and add them again."
        ) from error
    return {subject.name: subject for subject in subjects}


def write_subjects(folder: Path, subjects: Mapping[str, OwnSubject]) -> None:
    """Write a folder's list of subjects."""
    path = folder / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    entries = []
    for subject in subjects.values():
        entry = asdict(subject)
        del entry["function"]
        if not entry["options"]:
            del entry["options"]  # older versions of biaslab don't know them
        if not entry["shared_by"]:
            del entry["shared_by"]
        entries.append(entry)
    write_atomically(path, json.dumps({"version": 1, "subjects": entries}, indent=1) + "\n")
