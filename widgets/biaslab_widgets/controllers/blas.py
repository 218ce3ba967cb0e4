"""One thread for matrix products while an answer is computed.

The products of a live answer are small. A second thread makes none of them faster, and it waits for
work by spinning, on a core that the browser and the server need for the very same redraw.
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager

from threadpoolctl import ThreadpoolController


class OneBlasThread:
    """Makes contexts in which numpy and scipy multiply with one thread."""

    def __init__(self) -> None:
        self._controller: ThreadpoolController | None = None
        self._modules = 0

    def __call__(self) -> AbstractContextManager[object]:
        """A context; libraries that were loaded since the last one are found."""
        if self._controller is None or len(sys.modules) != self._modules:
            self._modules = len(sys.modules)
            self._controller = ThreadpoolController()
        found: AbstractContextManager[object] = self._controller.limit(limits=1, user_api="blas")
        return found
