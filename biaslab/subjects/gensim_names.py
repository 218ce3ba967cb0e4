"""Open embeddings of gensim's downloader by name, as ``gensim:NAME``."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

from biaslab.access import current_access
from biaslab.errors import MissingExtraError, SubjectError, UnknownSubjectError
from biaslab.network import check_hub_name
from biaslab.network.usage import count_call

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

    Raises
    ------
    MissingExtraError
        When gensim is not installed.
    UnknownSubjectError
        When gensim has no embedding of this name; lists the available ones.
    SubjectError
        When the network is unreachable, after at most `PATIENCE` seconds.
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
