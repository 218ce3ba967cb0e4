"""What requests of the app share, and what belongs to the person who asks."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from biaslab.errors import StoreError
from biaslab.people.access import Access, acting_as, current_access, home_folder
from biaslab.store import Store
from biaslab.store.sharing import ReadableStore
from biaslab_widgets.app.library.shared import Shared
from biaslab_widgets.app.library.subject_library import SubjectLibrary
from biaslab_widgets.app.people import People
from biaslab_widgets.app.visits import Visits

MOST_PEOPLE = 300
"""Whose store and subjects are held; who asked least recently is looked up again."""


@dataclass(frozen=True)
class Site:
    """What requests of the app share, and what belongs to the person who asks.

    `store`, `shared` and `subjects` are those of the person under whose access the caller works.

    - `common`: subjects that everybody may ask; each is opened once, and nothing is added to them.
    - `owner_store`: the owner's runs; None for those of the owner's folder.
    - `hub`: whether models may be fetched from the hub.
    """

    common: Shared
    owner_store: Store | None = None
    people: People = field(default_factory=People)
    hub: bool = False
    _lock: threading.RLock = field(default_factory=threading.RLock, init=False, repr=False)
    _stores: dict[Path, Store] = field(default_factory=dict, init=False, repr=False)
    _libraries: dict[Path | None, SubjectLibrary] = field(
        default_factory=dict, init=False, repr=False
    )
    visits: Visits = field(init=False, repr=False)
    sessions: dict[str, Access] = field(default_factory=dict, init=False, repr=False)
    """Under which access the page of each open session was made, by its id."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "visits", Visits(holds=self.people.holds))

    @property
    def local(self) -> bool:
        """Whether the page may name files, services and environment variables of this machine."""
        return current_access().is_owner

    @property
    def store(self) -> Store:
        """The person's runs."""
        if self.owner_store is not None and current_access().home is None:
            return self.owner_store
        home = home_folder()
        with self._lock:
            store = self._stores.pop(home, None) or ReadableStore()
            self._stores[home] = store  # the last that was asked for
            while len(self._stores) > MOST_PEOPLE:
                del self._stores[next(iter(self._stores))]
            return store

    @property
    def shared(self) -> Shared:
        """Subjects that the person may ask: those of everybody, and their own."""
        return self.subjects.shared

    @property
    def subjects(self) -> SubjectLibrary:
        """The subjects of the person's library page."""
        access = current_access()
        with self._lock:
            library = self._libraries.pop(access.home, None)
            if library is None:
                # A person's own subjects are theirs alone, those of the owner too.
                library = SubjectLibrary(self.common.copy())
                with acting_as(access):
                    library.begin()
            self._libraries[access.home] = library
            while len(self._libraries) > MOST_PEOPLE:
                self._libraries.pop(next(iter(self._libraries))).close()
            return library

    def counts(self) -> dict[str, int]:
        """Numbers beside entries of the navigation, by address; none that cannot be counted."""
        counts = {"subjects": self.subjects.count()}
        with suppress(StoreError):
            counts["runs"] = self.store.count()
        return counts
