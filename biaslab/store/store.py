"""The store: runs, files and caches, in an embedded database by default or on a server."""

from __future__ import annotations

import os
from pathlib import Path

from biaslab.people.access import home_folder
from biaslab.store.content_files import ContentFiles
from biaslab.store.database import Database
from biaslab.store.parts import Images, Sentences, Values
from biaslab.store.runs import Runs


class Store(Runs, Images, Sentences, Values):
    """Store of runs and files.

    Nothing is created before the first save. Threads and processes can share a store. A store that
    an older biaslab wrote is read as it is, and upgraded by the first write.

    Parameters
    ----------
    url : str or path, optional
        A folder, or a database URL such as ``"postgresql+psycopg://host/name"`` or
        ``"sqlite:///runs.sqlite"``. By default the folder ``$BIASLAB_HOME``, else the system's
        place for a person's application data.
    files : path, optional
        Folder of the files; by default ``files`` beside the embedded database, or in the default
        folder for a server's (which then are on this machine only).

    Raises
    ------
    StoreError
        From each method, if the database cannot be used: damaged, from a newer biaslab, locked,
        full, read-only, unreachable. Its content is unchanged.

    Examples
    --------
    >>> store = Store()                                         # doctest: +SKIP
    >>> run_id = store.save(result, "pilot", tags=["thesis"])   # doctest: +SKIP
    >>> store.open(run_id) == result                            # doctest: +SKIP
    True
    >>> store.runs("nurse", tag="thesis")                       # doctest: +SKIP
    """

    def __init__(
        self,
        url: str | os.PathLike[str] | None = None,
        *,
        files: str | os.PathLike[str] | None = None,
    ) -> None:
        self._database = Database(url)
        path = self._database.path
        beside = path.parent if path else home_folder()
        self._files = ContentFiles(Path(files).expanduser() if files else beside / "files")

    def size(self) -> int:
        """Return the bytes that the database and the files take on disk."""
        return self._database.size() + self._files.size()

    def __repr__(self) -> str:
        return f"<Store {self._database.path or self._database}>"
