"""Share a run, a word list or a subject with everybody on a server.

What is shared is copied into a folder that all read, and only an owner or a teacher writes: nobody
changes somebody else's copy, and the original stays where it is. A record beside the copies says
who shared what, and when.
"""

from __future__ import annotations

import shutil
import threading
import uuid
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from biaslab.errors import NotAllowedError, RunNotFoundError, SpecError, SubjectError
from biaslab.people.access import Access, current_access
from biaslab.people.activity import note
from biaslab.people.shared_record import shared_record, sharers, write_record
from biaslab.records.result import Result
from biaslab.specs import Spec
from biaslab.specs import get as get_spec
from biaslab.specs.spec_files import own_entries, write
from biaslab.store import Store
from biaslab.store.run_fields import StoredRun
from biaslab.subjects.opening.names import own_subject, subjects_in, write_subjects

Kind = Literal["run", "word list", "subject"]
_lock = threading.RLock()

__all__ = [
    "Kind",
    "ReadableStore",
    "may_share",
    "share_run",
    "share_spec",
    "share_subject",
    "shared_runs",
    "sharers",
    "withdraw",
]


class ReadableStore(Store):
    """The store of the person who asks; what somebody shares can be read in it, too.

    All that reads the runs of others does so here. A run that is shared no longer is no other
    person's to read, whatever the shared folder still holds of it.
    """

    def __init__(self) -> None:
        super().__init__()
        shared = current_access().shared
        self._shared = None if shared is None else Store(shared)

    def open(self, run_id: str) -> Result:
        """Return a run of the person's own, or one that is shared."""
        try:
            return super().open(run_id)
        except RunNotFoundError:
            return self._of_others(run_id).open(run_id)

    def run(self, run_id: str) -> StoredRun:
        """Return what is stored of a run of the person's own, or of one that is shared."""
        try:
            return super().run(run_id)
        except RunNotFoundError:
            return self._of_others(run_id).run(run_id)

    def _of_others(self, run_id: str) -> Store:
        """Return the store of shared runs, if this one is shared and not in the trash.

        Raises `RunNotFoundError`.
        """
        shared = self._shared
        if shared is None or run_id not in sharers("run") or shared.run(run_id).is_deleted:
            raise self._no_run(run_id)
        return shared


def may_share() -> bool:
    """Return whether the person who asks may share."""
    return current_access().may_share


def shared_runs(search: str = "") -> list[dict[str, Any]]:
    """Return the rows of `Store.runs` of what is shared, each with who shares it as ``sharedBy``.

    - `search`: as of `Store.runs`.
    """
    folder, by = current_access().shared, sharers("run")
    if folder is None or not by:
        return []
    rows: Any = Store(folder).runs(search).to_dict("records")
    return [{**row, "sharedBy": by[row["id"]]} for row in rows if row["id"] in by]


def share_run(run_id: str) -> str:
    """Share a run of one's own; return the id of the copy.

    Raises
    ------
    NotAllowedError
        When the person may not share.
    RunNotFoundError
        When there is no such run.
    """
    folder = _folder()
    own = Store()
    run, result = own.run(run_id), own.open(run_id)
    with _lock:
        record = shared_record().get("run", {})
        user = current_access().user
        for name, entry in record.items():
            if (entry["origin"], entry["user"]) == (run_id, user):
                return name  # it is shared already
        copy = Store(folder).save(
            result, run.label, bench=run.bench, inputs=run.inputs, tags=run.tags
        )
        _remember("run", copy, run_id)
    return copy


def share_spec(name: str) -> Spec:
    """Share a word list of one's own.

    Raises
    ------
    NotAllowedError
        When the person may not share.
    SpecError
        When there is no such list, it is no list of one's own, or somebody else shared one of that
        name.
    """
    folder = _folder()
    spec = get_spec(name)
    if all(entry.spec != spec for entry in own_entries()):
        raise SpecError(f"{name!r} is no list of your own. Save it under a name of your own first.")
    with _lock:
        _check_free("word list", spec.name, SpecError)
        (folder / "specs").mkdir(parents=True, exist_ok=True)
        write(spec, folder / "specs" / f"{spec.name}.toml")
        _remember("word list", spec.name, spec.name)
    return spec


def share_subject(name: str) -> None:
    """Share a subject of one's own; an uploaded file is copied.

    Raises
    ------
    NotAllowedError
        When the person may not share.
    SubjectError
        When there is no such subject, it is a Python function, or somebody else shared one of that
        name.
    """
    folder = _folder()
    subject = own_subject(name)
    if subject is None or subject.shared_by:
        raise SubjectError(f"{name} is no subject of your own.")
    if subject.function is not None:
        raise SubjectError(f"{name} is a Python function, which cannot be shared.")
    with _lock:
        _check_free("subject", name, SubjectError)
        source = subject.source
        if subject.uploaded:
            target = folder / "subjects" / uuid.uuid4().hex
            target.mkdir(parents=True)
            source = str(shutil.copy2(source, target))
        known = subjects_in(folder)
        _delete_copy(folder, known.pop(name, None))
        known[name] = replace(subject, source=source, shared_by=_name(current_access()))
        write_subjects(folder, known)
        _remember("subject", name, name)


def withdraw(kind: Kind, name: str) -> None:
    """Share something no longer.

    Raises
    ------
    NotAllowedError
        When the person may not share, or somebody else shared it.
    """
    folder, access = _folder(), current_access()
    with _lock:
        record = shared_record()
        entry = record.get(kind, {}).get(name)
        if entry is None:
            raise NotAllowedError(f"The {kind} {name} is not shared.")
        if entry["user"] != access.user and not access.is_owner:
            raise NotAllowedError(f"The {kind} {name} was shared by {entry['by']}.")
        if kind == "run":
            copies = Store(folder)
            copies.delete(name)
            copies.empty_trash()  # nobody restores a copy, and the original stays where it is
        elif kind == "word list":
            (folder / "specs" / f"{name}.toml").unlink(missing_ok=True)
        else:
            known = subjects_in(folder)
            _delete_copy(folder, known.pop(name, None))
            write_subjects(folder, known)
        del record[kind][name]
        write_record(folder, record)
    note("withdrew", what=kind, name=name)


def _delete_copy(folder: Path, subject: Any) -> None:
    if subject is not None and subject.uploaded:
        path = Path(subject.source)
        if path.is_relative_to(folder):
            path.unlink(missing_ok=True)


def _folder() -> Path:
    access = current_access()
    if access.shared is None or not access.may_share:
        raise NotAllowedError(
            "Only a teacher or the owner of the server can share with everybody. You can hand out"
            " a report or an export."
        )
    return access.shared


def _check_free(kind: Kind, name: str, error: type[Exception]) -> None:
    entry = shared_record().get(kind, {}).get(name)
    if entry is not None and entry["user"] != current_access().user:
        raise error(f"{entry['by']} has shared a {kind} {name} already. Rename yours first.")


def _remember(kind: Kind, name: str, origin: str) -> None:
    folder, access = _folder(), current_access()
    record = shared_record()
    record.setdefault(kind, {})[name] = {
        "by": _name(access),
        "user": access.user,
        "origin": origin,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    write_record(folder, record)
    note("shared", what=kind, name=name)


def _name(access: Access) -> str:
    return access.user or "the owner"
