"""What all requests of the app share."""

from __future__ import annotations

from dataclasses import dataclass, field

from biaslab.store import Store
from biaslab_widgets.app.shared import Shared


@dataclass(frozen=True)
class Site:
    """What all requests of the app share.

    Attributes
    ----------
    shared : Shared
        Subjects, each of which is opened once.
    store : Store
        Runs.
    """

    shared: Shared
    store: Store = field(default_factory=Store)
