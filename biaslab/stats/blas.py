"""One thread for matrix products: more of them spin where other work keeps the cores busy.

Work that is spread over threads of its own, or too small to be, computes in such a block.
"""

from __future__ import annotations

import sys
import threading
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

_found: tuple[int, ThreadpoolController] | None = None
_lock = threading.Lock()


def one_blas_thread() -> AbstractContextManager[object]:
    """A context in which numpy and scipy multiply with one thread.

    Looking for the libraries takes some milliseconds: it is done again only where modules were
    imported since.
    """
    global _found
    from threadpoolctl import ThreadpoolController

    with _lock:
        if _found is None or _found[0] != len(sys.modules):
            _found = len(sys.modules), ThreadpoolController()
        limited: AbstractContextManager[object] = _found[1].limit(limits=1, user_api="blas")
    return limited
