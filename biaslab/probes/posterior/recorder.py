"""Recorder of draws: shown ten times a second, and available after a stop."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from biaslab.jobs.job import JobContext
from biaslab.probes.posterior.result import Hook, LiveDraws, Stage
from biaslab.threads.leaving import leave_if_cancelled

_EVERY = 0.1  # seconds between two looks
_STEPS = 256
"""Steps whose logits are computed together. The last digits of a product of matrices depend on how
many rows it has, which must not depend on how long steps take."""
_MOST_KEPT = 8_000_000  # numbers of such steps


class Stopped(BaseException):
    """Raised to leave a sampler with the draws so far."""


class Recorder:
    """Recorder of the draws of C chains.

    Parameters
    ----------
    chains, draws, warmup, dim : int
    logit : callable
        Logit of p(label | s) at points (n, d), shape (n,); of a black box None.
    hook : callable, optional
        Called with `LiveDraws`.
    context : JobContext
    """

    def __init__(
        self,
        chains: int,
        draws: int,
        warmup: int,
        dim: int,
        logit: Callable[[torch.Tensor], torch.Tensor] | None,
        hook: Hook | None,
        context: JobContext,
    ) -> None:
        self.chains, self.total, self.dim = chains, warmup + draws, dim
        self._warmup = warmup
        self._logit, self._hook, self._context = logit, hook, context
        self._points = np.empty((chains, draws, dim), dtype=np.float32)
        self._both = np.empty((2, chains, warmup + draws), dtype=np.float32)
        self._together = max(1, min(_STEPS, _MOST_KEPT // (chains * dim)))
        self._open: list[torch.Tensor] = []  # steps of the block that is not complete
        self._begin = self._shown = 0
        self._failed = False
        self._start = self._last = time.perf_counter()
        self._stage: Stage = "warm-up" if warmup else "sampling"
        self.acceptance, self.divergences, self.step_size = math.nan, 0, math.nan

    @property
    def seconds(self) -> float:
        """Since the sampler began."""
        return time.perf_counter() - self._start

    @property
    def done(self) -> int:
        """Steps per chain so far, warm-up included."""
        return self._begin + len(self._open)

    @property
    def n_draws(self) -> int:
        """Draws per chain, after warm-up, that were looked at."""
        return max(self._shown - self._warmup, 0)

    def add(self, points: torch.Tensor, kernel: Any) -> None:
        """Keep the step of every chain, stimuli of shape (C, d).

        Raises `Stopped` when the job is to stop and there are draws; `JobStopped` when it is to
        stop and there are none.
        """
        self._open.append(points)
        if not math.isnan(kernel.acceptance):  # NaN at the end of a stage
            self.acceptance = kernel.acceptance
        self.divergences, self.step_size = kernel.divergences, kernel.step_size
        if self._is_block_complete or time.perf_counter() - self._last > _EVERY:
            self.look()
        self.stop_if_requested()

    def stop_if_requested(self) -> None:
        """Leave the sampler if its job is to stop; raises as `add`."""
        if not self._context.should_stop:
            return
        self.look()
        if not self.n_draws:
            self._context.checkpoint()
        raise Stopped

    @property
    def _is_block_complete(self) -> bool:
        return len(self._open) == self._together or self.done in (self._warmup, self.total)

    def look(self) -> None:
        """Compute logit and |s|² of new draws, store and show them.

        Those of a block that is not complete are computed once more, together with its other steps.
        """
        leave_if_cancelled()
        at, done, is_complete = self._shown, self.done, self._is_block_complete
        if at == done:
            return
        first = self._begin if is_complete and not self._failed else at
        block = torch.stack(self._open[first - self._begin :], dim=1)  # (C, k, d)
        k = block.shape[1]
        flat = block.reshape(-1, self.dim)
        square = (flat * flat).sum(dim=-1)
        logit = torch.full_like(square, math.nan) if self._logit is None else self._logit(flat)
        if is_complete:
            self._begin, self._open = done, []
        self._last = time.perf_counter()
        both = torch.stack([logit, square]).reshape(2, self.chains, k).cpu().numpy()
        points = block[:, at - first :].to(torch.float32).cpu().numpy()
        self._stage = "warm-up" if at < self._warmup else "sampling"
        self._both[:, :, first:done] = both
        if at >= self._warmup:
            self._points[:, at - self._warmup : done - self._warmup] = points
        self._shown = done
        self._context.report(done, self.total, self._stage)
        if self._hook is not None:
            self._hook(
                LiveDraws(
                    stage=self._stage,
                    done=done,
                    total=self.total,
                    seconds=self.seconds,
                    chains=self.chains,
                    logit=self._both[0, :, at:done],
                    square=self._both[1, :, at:done],
                    points=points,
                    acceptance=self.acceptance,
                    divergences=self.divergences,
                    step_size=self.step_size,
                )
            )

    def save(self) -> None:
        """Store pending draws without logit: classifier or hook have just failed."""
        self._failed = True
        self._logit = self._hook = None
        self.look()

    def arrays(self) -> dict[str, Any]:
        """Return draws (C, n, d), logit and square (C, n), and warm-up's (C, w)."""
        n_draws, n_warmup = self.n_draws, min(self._shown, self._warmup)
        arrays: dict[str, NDArray[np.float32]] = {
            "draws": self._points[:, :n_draws],
            "logit": self._both[0, :, self._warmup : self._warmup + n_draws],
            "square": self._both[1, :, self._warmup : self._warmup + n_draws],
            "warmup_logit": self._both[0, :, :n_warmup],
            "warmup_square": self._both[1, :, :n_warmup],
        }
        for array in (self._points, self._both):
            array.flags.writeable = False  # so that the result shares them instead of copying
        return {name: _read_only(array) for name, array in arrays.items()}


def _read_only(array: NDArray[np.float32]) -> NDArray[np.float32]:
    array.flags.writeable = False
    return array
