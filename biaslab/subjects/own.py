"""Subjects that a person has added: a file of names and where each of them lies."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from biaslab.atomic import write_atomically
from biaslab.errors import SubjectError
from biaslab.home import home_folder

FILE = "subjects.json"
_lock = threading.RLock()
_cached: tuple[tuple[Path, int, int], dict[str, OwnSubject]] | None = None
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
    """

    name: str
    kind: str
    source: str = ""
    service: Mapping[str, str] = field(default_factory=dict)
    added: str = ""
    function: Callable[[str], str] | None = None
    uploaded: bool = False

    @property
    def load_options(self) -> dict[str, str]:
        """Options of `biaslab.load` with which it is opened."""
        asked = ("encoder", "classifier", "mlm", "clm", "vlm", "translation")
        return {"kind": self.kind} if self.kind in asked else {}


def own_subjects() -> dict[str, OwnSubject]:
    """Return all own subjects by name, in the order in which they were added."""
    with _lock:
        return {**_stored(), **_functions}


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
            _write({**_stored(), subject.name: subject})


def drop(name: str) -> None:
    """Forget a subject, if there is one of that name; its file stays where it is."""
    with _lock:
        _functions.pop(name, None)
        stored = _stored()
        if name in stored:
            _write({other: subject for other, subject in stored.items() if other != name})


def own_folder() -> Path:
    """Return the folder of uploaded files."""
    return home_folder() / "subjects"


def _stored() -> dict[str, OwnSubject]:
    # Every `biaslab.load` looks here: the file is read again only when it has changed.
    global _cached
    path = home_folder() / FILE
    try:
        stat = path.stat()
    except OSError:
        return {}
    stamp = (path, stat.st_mtime_ns, stat.st_size)
    if _cached is None or _cached[0] != stamp:
        _cached = (stamp, _read(path))
    return dict(_cached[1])


def _read(path: Path) -> dict[str, OwnSubject]:
    try:
        entries: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["subjects"]
        subjects = [OwnSubject(**entry) for entry in entries]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise SubjectError(
            f"The list of your own subjects, {path}, is damaged: {error}. Correct it, or move it"
            " away and add them again."
        ) from error
    return {subject.name: subject for subject in subjects}


def _write(subjects: Mapping[str, OwnSubject]) -> None:
    path = home_folder() / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    entries = []
    for subject in subjects.values():
        entry = asdict(subject)
        del entry["function"]
        entries.append(entry)
    write_atomically(path, json.dumps({"version": 1, "subjects": entries}, indent=1) + "\n")
