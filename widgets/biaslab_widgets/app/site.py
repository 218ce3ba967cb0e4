"""What all requests of the app share."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property

from biaslab.errors import StoreError
from biaslab.specs.catalogue_files import entries
from biaslab.store import Store
from biaslab_widgets.app.shared import Shared
from biaslab_widgets.app.subject_library import SubjectLibrary


@dataclass(frozen=True)
class Site:
    """What all requests of the app share.

    Attributes
    ----------
    shared : Shared
        Subjects, each of which is opened once.
    store : Store
        Runs.
    local : bool
        Whether only this machine reaches the app: then its page may name files and environment
        variables of this machine.
    hub : bool
        Whether models may be fetched from the hub.
    """

    shared: Shared
    store: Store = field(default_factory=Store)
    local: bool = True
    hub: bool = False

    @cached_property
    def subjects(self) -> SubjectLibrary:
        """The subjects of the library page."""
        return SubjectLibrary(self.shared)

    def counts(self) -> dict[str, int]:
        """Numbers beside entries of the navigation, by address; none that cannot be counted."""
        counts = {"subjects": self.subjects.count(), "word-lists": len(entries())}
        with suppress(StoreError):
            counts["runs"] = self.store.count()
        return counts
