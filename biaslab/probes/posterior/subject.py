"""Subject of a posterior: one known only by its choices, and the threads that one takes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import PosteriorError
from biaslab.stats.threads import one_blas_thread
from biaslab.subjects.classifier.base import Classifier

Answers = Sequence[bool] | NDArray[np.bool_]


@dataclass(frozen=True)
class Chooser:
    """A black box for ``sample_posterior(..., engine="choices")``.

    Attributes
    ----------
    choose : callable
        ``choose(points, proposals)``, both float64 of shape (n, d): for each row whether the
        second is rather called by the label than the first. Chance belongs in it: a subject that
        always takes the likelier one is not drawn from by Barker's rule.
    dim : int
        Number d of dimensions.
    label : str
        Name of the label.
    name : str
        Shown to the person.

    Examples
    --------
    >>> import numpy as np
    >>> def likes_large(points, proposals):
    ...     gain = proposals[:, 0] - points[:, 0]
    ...     return np.random.default_rng(0).random(len(gain)) < 1 / (1 + np.exp(-gain))
    >>> Chooser(likes_large, dim=2, label="large").labels
    ('large',)
    """

    choose: Callable[[NDArray[np.float64], NDArray[np.float64]], Answers]
    dim: int
    label: str = "positive"
    name: str = "black box"

    kind = "chooser"
    device = "cpu"
    words: Any = None
    stimuli: Any = None

    def __post_init__(self) -> None:
        if not callable(self.choose) or self.dim < 1:
            raise PosteriorError("A Chooser needs a function and at least one dimension.")

    @property
    def labels(self) -> tuple[str, ...]:
        """The only label."""
        return (self.label,)


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
