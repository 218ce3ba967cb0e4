"""Pyro's own No-U-Turn sampler, with chains that take turns.

Liang and Acuna (2020, section 4.3) used it. Pyro's parallel chains are processes, which hang when
started from a notebook and lose the hook. So C stock kernels take turns within one run, one kernel
per chain, and all chains grow together.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import Any

import torch
from pyro.infer import NUTS
from pyro.infer.mcmc.mcmc_kernel import MCMCKernel

from biaslab.probes.posterior.target import Target


class NutsSideBySide(MCMCKernel):
    """C stock NUTS kernels that take turns.

    Parameters
    ----------
    target : Target
    chains : int
        Number C.
    generator : torch.Generator
        Gives the starting points. Stock kernels draw from torch's global generator.
    start : torch.Tensor, optional
        Where chains begin, z of shape (C, d); by default draws from the prior.
    step_size : float, optional
        Where the search begins.
    """

    transforms: dict[str, Any] = {}  # noqa: RUF012  # Pyro looks for it here
    save_params = ("energy",)

    def __init__(
        self,
        target: Target,
        chains: int,
        generator: torch.Generator,
        *,
        start: torch.Tensor | None = None,
        step_size: float | None = None,
    ) -> None:
        self.target, self.chains = target, chains
        self._z = target.coordinates.draw(chains, generator) if start is None else start
        self._size = step_size

    def setup(self, warmup_steps: int, *args: Any, **kwargs: Any) -> None:
        """Make the kernels and put them where they begin."""
        del args, kwargs
        options = {} if self._size is None else {"step_size": self._size}
        self._kernels = [NUTS(potential_fn=self._energy, **options) for _ in range(self.chains)]
        for kernel, z in zip(self._kernels, self._z, strict=True):
            kernel.initial_params = {"z": z}
            kernel.setup(warmup_steps)
        self._points = self.target.coordinates.points(self._z)

    @property
    def initial_params(self) -> dict[str, torch.Tensor]:
        """Where the chains are now."""
        return {"energy": torch.zeros(self.chains), "points": self._points}

    @initial_params.setter
    def initial_params(self, params: dict[str, torch.Tensor]) -> None:
        del params  # they come through `start`

    def sample(self, params: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """Every chain takes a NUTS step."""
        del params
        rows = zip(self._kernels, self._z, strict=True)
        self._z = torch.stack([kernel.sample({"z": z})["z"].detach() for kernel, z in rows])
        self._points = self.target.coordinates.points(self._z)
        return {"energy": torch.zeros(self.chains), "points": self._points}

    def cleanup(self) -> None:
        """Let the kernels go."""
        for kernel in self._kernels:
            kernel.cleanup()

    def logging(self) -> OrderedDict[str, str]:
        """For Pyro's progress bar."""
        found: OrderedDict[str, str] = self._kernels[0].logging()
        return found

    def diagnostics(self) -> dict[str, Any]:
        """Divergences and acceptance after warm-up."""
        return {"divergences": self.divergences, "acceptance rate": self.acceptance}

    @property
    def acceptance(self) -> float:
        """Mean over chains of NUTS' acceptance statistic."""
        found = [float(kernel._mean_accept_prob) for kernel in self._kernels]
        return sum(found) / len(found)

    @property
    def divergences(self) -> int:
        """Divergent steps after warm-up, in all chains."""
        return sum(len(kernel._divergences) for kernel in self._kernels)

    @property
    def step_size(self) -> float:
        """Geometric mean over chains."""
        logs = [math.log(float(kernel.step_size)) for kernel in self._kernels]
        return math.exp(sum(logs) / len(logs))

    def z(self) -> torch.Tensor:
        """Where the chains are, in the target's coordinates, shape (C, d)."""
        return self._z

    def _energy(self, params: dict[str, torch.Tensor]) -> torch.Tensor:
        return self.target.energy(params["z"][None])[0]
