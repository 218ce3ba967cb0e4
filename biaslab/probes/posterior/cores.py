"""How many threads torch computes with while a posterior is sampled."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from biaslab.probes.posterior.chooser import Chooser
from biaslab.stats.threads import one_blas_thread
from biaslab.subjects.classifier.base import Classifier

_LARGE = 2_000_000
"""Parameters from which a second thread has something to do in one gradient of 64 points."""


@contextlib.contextmanager
def fitting_threads(classifier: Classifier | Chooser) -> Iterator[None]:
    """Use one thread for a small classifier, all for a large one, within the block.

    A small network's matrices are done before a second thread has woken up; where other work keeps
    the cores busy, the two then wait for each other, and a run of seconds takes minutes.
    """
    import torch

    before = torch.get_num_threads()
    with one_blas_thread():
        if before > 1 and _parameters(classifier) < _LARGE:
            torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(before)


def _parameters(classifier: Classifier | Chooser) -> int:
    import torch

    modules = [m for m in vars(classifier).values() if isinstance(m, torch.nn.Module)]
    return sum(p.numel() for module in modules for p in module.parameters())
