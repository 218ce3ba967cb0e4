"""Independent draws: from the prior, each kept with probability p(label | s), which is at most 1.

No Markov chain is run, so nothing goes through `pyro.infer.MCMC`: there is no kernel, no warm-up
and nothing to adapt. Draws are dealt out to chains in the order they come, so that the same
diagnostics can be shown; they find independent draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch

from biaslab.errors import PosteriorError
from biaslab.probes.posterior.recorder import Recorder
from biaslab.probes.posterior.target import NormalCoordinates, PyroCoordinates

RAREST = 0.001
"""Share of prior draws kept below which rejection is no longer offered."""
_PILOT = 20_000
_BATCH = 16_384


class Rejection:
    """Draws from the posterior by rejection.

    Parameters
    ----------
    coordinates : NormalCoordinates or PyroCoordinates
        Of the prior.
    log_likelihood : callable
        Log p(label | s) at points (n, d), shape (n,); at most 0.
    generator : torch.Generator
    """

    divergences = 0
    step_size = math.nan

    def __init__(
        self,
        coordinates: NormalCoordinates | PyroCoordinates,
        log_likelihood: Callable[[torch.Tensor], torch.Tensor],
        generator: torch.Generator,
    ) -> None:
        self.coordinates, self._log_likelihood = coordinates, log_likelihood
        self.generator = generator
        self.tried = self.kept = 0

    @property
    def acceptance(self) -> float:
        """Share of prior draws kept: an estimate of p(label)."""
        return self.kept / self.tried if self.tried else math.nan

    def run(self, recorder: Recorder, draws: int) -> None:
        """Draw until every chain has `draws`.

        Raises
        ------
        PosteriorError
            When fewer than 0.1 % of the prior's draws are kept.
        """
        held = torch.empty(0)
        while recorder.done < draws:
            fresh = self._batch()
            held = fresh if not len(held) else torch.cat([held, fresh])
            self._check()
            rows = min(len(held) // recorder.chains, draws - recorder.done)
            for row in held[: rows * recorder.chains].reshape(rows, recorder.chains, recorder.dim):
                recorder.add(row, self)
            held = held[rows * recorder.chains :]
            recorder.stop_if_asked()

    def _batch(self) -> torch.Tensor:
        points = self.coordinates.points(self.coordinates.draw(_BATCH, self.generator))
        with torch.no_grad():
            log_p = self._log_likelihood(points)
        drawn = torch.rand(
            log_p.shape, generator=self.generator, device=log_p.device, dtype=log_p.dtype
        )
        kept = points[torch.log(drawn) < log_p]
        self.tried += len(points)
        self.kept += len(kept)
        return kept

    def _check(self) -> None:
        if self.tried >= _PILOT and self.acceptance < RAREST:
            raise PosteriorError(
                f"The exact engine keeps {self.kept} of {self.tried:,} prior draws"
                f" ({100 * self.acceptance:.2g} %); below {100 * RAREST:g} % it takes too long. Use"
                " engine='vectorised', or a prior under which this label is more probable."
            )
