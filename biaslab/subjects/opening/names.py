"""Names that stand for subjects: a person's own, addresses, and gensim's downloader."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from biaslab.errors import MissingExtraError, SubjectError, UnknownSubjectError
from biaslab.files.atomic import write_atomically
from biaslab.network import check_hub_name
from biaslab.network.usage import count_call
from biaslab.people.access import current_access, home_folder, shown_path

MODEL_KINDS = ("encoder", "classifier", "mlm", "clm", "vlm", "translation")
"""Kinds that models of transformers are opened as."""
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
        # Of a model, "embedding" are its input embeddings.
        kind = {"kind": self.kind} if self.kind in (*MODEL_KINDS, "embedding") else {}
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

    Raises `WriteError` when it cannot be written.
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

    Raises `SubjectError` when the list is damaged.
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


_OPENERS: Final = {
    "openai:": ("biaslab.asking.providers.language_model_server", "open_server", ("clm",)),
    "inspect:": ("biaslab.asking.providers.inspect", "open_inspect", ("chat", "service")),
}
"""Of each prefix: module and function that open it, and the kinds that it can be."""


def is_address(source: object) -> bool:
    """Return whether a source is an address.

    Examples
    --------
    >>> is_address("openai:my-model@http://127.0.0.1:8000/v1"), is_address("wiki-clm")
    (True, False)
    """
    return not isinstance(source, Path) and str(source).startswith(tuple(_OPENERS))


def open_address(source: str, *, kind: str | None = None, name: str | None = None) -> Any:
    """Open the subject at an address.

    - `source`: ``openai:MODEL@ADDRESS`` or ``inspect:PROVIDER/MODEL``.
    - `kind`: required kind.
    - `name`: name shown to the person.
    - Raises `SubjectError` if it is of another kind, or cannot be asked.
    """
    prefix = next(known for known in _OPENERS if source.startswith(known))
    module, function, kinds = _OPENERS[prefix]
    if kind is not None and kind not in kinds:
        raise SubjectError(
            f"kind={kind!r}: {source} is of the kind {kinds[0]!r}. Leave out kind, or give the name"
            " of a model that runs here."
        )
    opened = getattr(importlib.import_module(module), function)
    return opened(source.removeprefix(prefix), name=name)


#: Seconds without an answer after which the network counts as unreachable.
PATIENCE = 20

# A process of its own: gensim sets no time limit on its connections, and a limit set here would
# bind every other connection of this process. Its progress goes to stdout too, hence the mark.
_CHILD = """
import json, socket, sys, urllib.request
socket.setdefaulttimeout(float(sys.argv[2]))
import gensim.downloader as downloader
def answer(**values):
    print("\\n@@" + json.dumps(values))
    sys.exit()
try:
    catalogue = json.load(urllib.request.urlopen(downloader.DATA_LIST_URL))
except (OSError, ValueError) as error:
    answer(offline=str(error))
known = sorted(name for name in catalogue["models"] if not name.startswith("__"))
if sys.argv[1] not in catalogue["models"]:
    answer(known=known)
try:
    answer(path=downloader.load(sys.argv[1], return_path=True))
except Exception as error:
    answer(failed=f"{type(error).__name__}: {error}")
"""


def fetch(name: str) -> Path:
    """Return the path of a gensim embedding, downloaded on first use.

    Raises `MissingExtraError` when gensim is not installed. Raises `UnknownSubjectError` when
    gensim has no embedding of this name; lists the available ones. Raises `SubjectError` when the
    network is unreachable, after at most `PATIENCE` seconds.
    """
    if importlib.util.find_spec("gensim") is None:
        raise MissingExtraError(
            f"'gensim:{name}' needs gensim's downloader: pip install 'biaslab[train]'."
        )
    if not name or Path(name).name != name:
        raise UnknownSubjectError(f"'gensim:{name}' is not a valid name. Write gensim:NAME.")
    check_hub_name(f"gensim:{name}")
    if (path := _downloaded(name)) is not None:
        return path
    access = current_access()
    if not access.reach.everything:
        count_call(access.user, access.reach.quota, access.reach.total)
    answer = _ask(name)
    if "path" in answer:
        return Path(str(answer["path"]))
    if "known" in answer:
        known = tuple(str(each) for each in answer["known"])  # type: ignore[attr-defined]
        raise UnknownSubjectError(
            f"gensim has no embedding named {name!r}. It has: {', '.join(known)}.", known
        )
    local = sorted(folder.name for folder in _folder().glob("*") if _downloaded(folder.name))
    downloaded = f" Downloaded already: {', '.join(local)}." if local else ""
    if "offline" in answer:
        raise SubjectError(
            f"'gensim:{name}' is not on this computer, and gensim's catalogue cannot be reached"
            f" ({answer['offline']}). Connect to the network once to download it, or load a file"
            f" or a bundled subject, which need no network.{downloaded}"
        )
    raise SubjectError(
        f"The download of 'gensim:{name}' failed ({answer['failed']}). Try again.{downloaded}"
    )


def _folder() -> Path:
    """Return gensim's download folder without importing gensim, which takes a second."""
    configured = os.environ.get("GENSIM_DATA_DIR")
    return Path(configured) if configured else Path.home() / "gensim-data"


def _downloaded(name: str) -> Path | None:
    """Return the file of an embedding downloaded before, so that it opens offline."""
    folder = _folder() / name
    if not folder.is_dir():
        return None
    files = [p for p in sorted(folder.iterdir()) if p.is_file() and p.suffix not in (".py", ".pyc")]
    named = [p for p in files if p.name.startswith(name)]
    return next(iter(named or files), None)


def _ask(name: str) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, name, str(PATIENCE)],
        capture_output=True,
        text=True,
        check=False,
    )
    _, mark, answer = done.stdout.rpartition("\n@@")
    if not mark:
        last = (done.stderr.strip().splitlines() or ["no answer"])[-1]
        return {"failed": last}
    values: dict[str, object] = json.loads(answer)
    return values
