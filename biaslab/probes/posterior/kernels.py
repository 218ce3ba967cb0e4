"""Kernels of Pyro that move the chains: Hamiltonian, No-U-Turn, and by choices.

`VectorisedHMC` moves many chains at once. The energy is split into that of a normal reference
distribution, along which a trajectory is a rotation and is followed exactly, and the rest, which
kicks (Shahbaba et al. 2014, Split Hamiltonian Monte Carlo; Beskos et al. 2011). Where the posterior
is nearly normal in the prior's coordinates, a quarter turn then takes one or two gradients and
forgets where it began. Its angle is new for each chain and trajectory, so that none can resonate.
Energy errors of the steps are accepted or rejected as in all Hamiltonian Monte Carlo: the target is
exact, for any reference.

`NutsSideBySide` is Pyro's own No-U-Turn sampler, with chains that take turns. Liang and Acuna
(2020, section 4.3) used it. Pyro's parallel chains are processes, which hang when started from a
notebook and lose the hook. So C stock kernels take turns within one run, one kernel per chain, and
all chains grow together.

`ChoiceKernel` needs a subject that only says which of two stimuli fits the label better. Liang and
Acuna (2020), section 2.3, after Sanborn, Griffiths and Shiffrin (2010): when the subject chooses
the proposal s' with probability p(label | s') / (p(label | s) + p(label | s')), its choices are the
acceptance rule of Barker (1965). The prior is left to the proposal, which is reversible with
respect to it: a step from z to sqrt(1 - b²) z + b ξ if the prior is N(0, I) in z, else a fresh draw
from it. So neither gradients nor probabilities are needed, and the target is exact.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from pyro.infer import NUTS
from pyro.infer.mcmc.mcmc_kernel import MCMCKernel
from pyro.ops.dual_averaging import DualAveraging

from biaslab.errors import PosteriorError
from biaslab.probes.posterior.result import Reference
from biaslab.probes.posterior.target import NormalCoordinates, PyroCoordinates, Target

QUARTER = math.pi / 2
JITTER = 0.25
"""Angles of trajectories range evenly over this share below and above a quarter turn."""
ACCEPTANCE = 0.8
DIVERGED = 1000.0
"""Energy error of a divergent trajectory, as in Stan and Pyro."""
_WINDOWS = (0.15, 0.4, 0.85)
"""Shares of warm-up: step size only, two windows that learn the reference, step size again."""


class VectorisedHMC(MCMCKernel):
    """C chains of Hamiltonian Monte Carlo, moved together.

    Parameters
    ----------
    target : Target
        The target.
    chains : int
        Number C.
    generator : torch.Generator
        On the target's device.
    start : torch.Tensor, optional
        Start of the chains, z of shape (C, d); by default draws from the prior.
    reference : Reference, optional
        Reference from earlier draws of a similar posterior; by default from the prior.
    step_size : float, optional
        Start of its search: radians of a quarter turn.
    """

    transforms: dict[str, Any] = {}  # noqa: RUF012  # Pyro looks for it here
    save_params = ("energy",)  # the recorder stores draws

    def __init__(
        self,
        target: Target,
        chains: int,
        generator: torch.Generator,
        *,
        start: torch.Tensor | None = None,
        reference: Reference | None = None,
        step_size: float | None = None,
    ) -> None:
        self.target, self.chains, self.generator = target, chains, generator
        self.reference = reference or target.coordinates.reference(generator)
        self.step_size = step_size or QUARTER / 2
        self.divergences = 0
        self._start = start
        self._accepted, self._count = 0.0, 0

    def setup(self, warmup_steps: int, *args: Any, **kwargs: Any) -> None:
        """Set the chains to their start."""
        del args, kwargs
        self._warmup, self._step = warmup_steps, 0
        self._ends = [round(share * warmup_steps) for share in _WINDOWS]
        self._window: list[torch.Tensor] = []
        start = self._start
        if start is None:
            start = self.target.coordinates.draw(self.chains, self.generator)
        self._measure(start)
        self._seek(self.step_size)
        if not warmup_steps:
            self.end_warmup()

    @property
    def initial_params(self) -> dict[str, torch.Tensor]:
        """Current points of the chains."""
        return {"energy": self._energy, "points": self._points}

    @initial_params.setter
    def initial_params(self, params: dict[str, torch.Tensor]) -> None:
        del params  # they are set by `start`

    @property
    def acceptance(self) -> float:
        """Mean probability of acceptance in this stage; NaN before its first step."""
        return self._accepted / self._count if self._count else math.nan

    def sample(self, params: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """Move every chain along one trajectory."""
        del params
        accepted = self._trajectory()
        self._step += 1
        if self._step <= self._warmup:
            self._adapt(accepted)
        return {"energy": self._energy, "points": self._points}

    def end_warmup(self) -> None:
        """Fix step size and reference, and restart the counts."""
        self.step_size = min(self.step_size, QUARTER)
        self._steps = max(1, math.ceil(QUARTER / self.step_size - 1e-9))
        self.step_size = QUARTER / self._steps
        self._accepted, self._count, self.divergences = 0.0, 0, 0

    def logging(self) -> OrderedDict[str, str]:
        """Return entries of Pyro's progress bar."""
        return OrderedDict(
            [("step size", f"{self.step_size:.2e}"), ("acc. prob", f"{self.acceptance:.3f}")]
        )

    def diagnostics(self) -> dict[str, Any]:
        """Return divergences and acceptance after warm-up."""
        return {"divergences": self.divergences, "acceptance rate": self.acceptance}

    def z(self) -> torch.Tensor:
        """Return the current points in the target's coordinates, shape (C, d)."""
        return self._measured.z_of(self._x)

    def _measure(self, z: torch.Tensor) -> None:
        self._measured = self.target.measured_by(self.reference)
        self._x = self._measured.x_of(z)
        self._energy, self._gradient, self._points = self._measured.evaluate(self._x)

    def _trajectory(self) -> float:
        x, gradient = self._x, self._gradient
        like: dict[str, Any] = {"device": x.device, "dtype": x.dtype}
        v = torch.randn(x.shape, generator=self.generator, **like)
        before = self._energy + 0.5 * (v * v).sum(dim=-1)
        drawn = torch.rand((2, self.chains), generator=self.generator, **like)
        step = self.step_size * (1 + JITTER * (2 * drawn[0, :, None] - 1))
        cos, sin, half = torch.cos(step), torch.sin(step), step / 2
        v = v - half * gradient
        for i in range(self._steps):
            x, v = x * cos + v * sin, v * cos - x * sin
            energy, gradient, points = self._measured.evaluate(x)
            v = v - (half if i == self._steps - 1 else step) * gradient
        error = energy + 0.5 * (v * v).sum(dim=-1) - before
        # A diverged path ends in NaN, which is never accepted.
        error = torch.where(torch.isnan(error), torch.full_like(error, math.inf), error)
        chance = torch.exp(-error.clamp(min=0))
        moved = drawn[1] < chance
        rows = moved[:, None]
        self._x = torch.where(rows, x, self._x)
        self._gradient = torch.where(rows, gradient, self._gradient)
        self._points = torch.where(rows, points, self._points)
        self._energy = torch.where(moved, energy, self._energy)
        statistics = torch.stack(
            [chance.mean(), (error > DIVERGED).sum().to(chance.dtype)]
        ).tolist()
        self._accepted += statistics[0]
        self._count += 1
        self.divergences += int(statistics[1])
        return float(statistics[0])

    def _adapt(self, accepted: float) -> None:
        self._search.step(ACCEPTANCE - accepted)
        log_step, log_mean = self._search.get_state()
        self._use(math.exp(log_step))
        first, middle, last = self._ends
        if first < self._step <= last:
            self._window.append(self.z())
        if self._step in (middle, last) and self._window:
            self._learn()
            self._seek(math.exp(log_mean))
        if self._step == self._warmup:
            self.step_size = math.exp(log_mean)
            self.end_warmup()

    def _learn(self) -> None:
        """Learn a new reference from the draws of this window."""
        drawn = torch.cat(self._window).double()
        self._window = []
        mean = drawn.mean(dim=0)
        covariance = (drawn - mean).T @ (drawn - mean) / len(drawn)
        # Warm-up draws are correlated, most of all at first: they count half.
        worth = len(drawn) / 2
        z = self.z()
        self.reference = Reference.learnt(
            mean.cpu().numpy(),
            covariance.cpu().numpy(),
            worth,
            whitened=self.target.coordinates.whitened,
        )
        self._measure(z)

    def _seek(self, step_size: float) -> None:
        step_size = min(step_size, QUARTER)
        self._search = DualAveraging(prox_center=math.log(2 * step_size))
        self._use(step_size)

    def _use(self, step_size: float) -> None:
        self.step_size = min(step_size, QUARTER)
        self._steps = max(1, round(QUARTER / self.step_size))


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
        Start of the chains, z of shape (C, d); by default draws from the prior.
    step_size : float, optional
        Start of the search.
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
        """Create the kernels and set them to their start."""
        del args, kwargs
        options = {} if self._size is None else {"step_size": self._size}
        self._kernels = [NUTS(potential_fn=self._energy, **options) for _ in range(self.chains)]
        for kernel, z in zip(self._kernels, self._z, strict=True):
            kernel.initial_params = {"z": z}
            kernel.setup(warmup_steps)
        self._points = self.target.coordinates.points(self._z)

    @property
    def initial_params(self) -> dict[str, torch.Tensor]:
        """Current points of the chains."""
        return {"energy": torch.zeros(self.chains), "points": self._points}

    @initial_params.setter
    def initial_params(self, params: dict[str, torch.Tensor]) -> None:
        del params  # they are set by `start`

    def sample(self, params: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """Take a NUTS step in every chain."""
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
        """Return entries of Pyro's progress bar."""
        entries: OrderedDict[str, str] = self._kernels[0].logging()
        return entries

    def diagnostics(self) -> dict[str, Any]:
        """Return divergences and acceptance after warm-up."""
        return {"divergences": self.divergences, "acceptance rate": self.acceptance}

    @property
    def acceptance(self) -> float:
        """Mean over chains of NUTS' acceptance statistic."""
        rates = [float(kernel._mean_accept_prob) for kernel in self._kernels]
        return sum(rates) / len(rates)

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
        """Return the current points in the target's coordinates, shape (C, d)."""
        return self._z

    def _energy(self, params: dict[str, torch.Tensor]) -> torch.Tensor:
        return self.target.energy(params["z"][None])[0]


CHOSEN = 0.25
"""Share of proposals chosen that the step width is adapted to: Barker's is at most 1/2."""


class ChoiceKernel(MCMCKernel):
    """C chains that move when the subject chooses the proposal.

    Parameters
    ----------
    coordinates : NormalCoordinates or PyroCoordinates
        Of the prior.
    choose : callable
        ``choose(points, proposals)``, both of shape (C, d): for each row whether the proposal is
        chosen, a boolean tensor of shape (C,).
    chains : int
        Number C.
    generator : torch.Generator
    start : torch.Tensor, optional
        Start of the chains, z of shape (C, d); by default draws from the prior.
    width : float, optional
        Start of the search for the width b, in (0, 1].
    """

    transforms: dict[str, Any] = {}  # noqa: RUF012  # Pyro looks for it here
    save_params = ("energy",)

    def __init__(
        self,
        coordinates: NormalCoordinates | PyroCoordinates,
        choose: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
        chains: int,
        generator: torch.Generator,
        *,
        start: torch.Tensor | None = None,
        width: float | None = None,
    ) -> None:
        self.coordinates, self.choose = coordinates, choose
        self.chains, self.generator = chains, generator
        self.step_size = min(width or 0.5, 1.0)
        self.divergences = 0
        self._z = coordinates.draw(chains, generator) if start is None else start
        self._accepted, self._count = 0.0, 0

    def setup(self, warmup_steps: int, *args: Any, **kwargs: Any) -> None:
        """Set the chains to their start."""
        del args, kwargs
        self._warmup, self._step = warmup_steps, 0
        self._points = self.coordinates.points(self._z)
        if isinstance(self.coordinates, PyroCoordinates):
            self.step_size = 1.0
        self._search = DualAveraging(prox_center=math.log(self.step_size))

    @property
    def initial_params(self) -> dict[str, torch.Tensor]:
        """Current points of the chains."""
        return {"energy": torch.zeros(self.chains), "points": self._points}

    @initial_params.setter
    def initial_params(self, params: dict[str, torch.Tensor]) -> None:
        del params  # they are set by `start`

    @property
    def acceptance(self) -> float:
        """Share of proposals that were chosen in this stage."""
        return self._accepted / self._count if self._count else math.nan

    def sample(self, params: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """Put one question to the subject for every chain."""
        del params
        z = self.coordinates.draw(self.chains, self.generator)
        if self.step_size < 1:
            z = math.sqrt(1 - self.step_size**2) * self._z + self.step_size * z
        points = self.coordinates.points(z)
        chosen = self.choose(self._points, points)
        self._z = torch.where(chosen[:, None], z, self._z)
        self._points = torch.where(chosen[:, None], points, self._points)
        share = float(chosen.to(torch.float64).mean())
        self._accepted += share
        self._count += 1
        self._step += 1
        if self._step <= self._warmup and isinstance(self.coordinates, NormalCoordinates):
            self._search.step(CHOSEN - share)
            log_width, log_mean = self._search.get_state()
            at_end = self._step == self._warmup
            self.step_size = min(math.exp(log_mean if at_end else log_width), 1.0)
        if self._step == self._warmup:
            self._accepted, self._count = 0.0, 0
        return {"energy": torch.zeros(self.chains), "points": self._points}

    def logging(self) -> OrderedDict[str, str]:
        """Return entries of Pyro's progress bar."""
        return OrderedDict(
            [("width", f"{self.step_size:.2e}"), ("chosen", f"{self.acceptance:.3f}")]
        )

    def diagnostics(self) -> dict[str, Any]:
        """Return the share of proposals accepted after warm-up."""
        return {"divergences": 0, "acceptance rate": self.acceptance}

    def z(self) -> torch.Tensor:
        """Return the current points in the prior's coordinates, shape (C, d)."""
        return self._z


def by_probability(
    log_probability: Callable[[torch.Tensor], torch.Tensor], generator: torch.Generator
) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    """Return a subject that chooses by its probabilities (Luce 1959)."""

    def choose(points: torch.Tensor, proposals: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            for_proposal = log_probability(proposals) - log_probability(points)
        drawn = torch.rand(
            for_proposal.shape,
            generator=generator,
            device=for_proposal.device,
            dtype=for_proposal.dtype,
        )
        # If both are impossible, NaN compares false: the chain stays.
        return drawn < torch.sigmoid(for_proposal)

    return choose


def by_asking(
    choose: Callable[
        [NDArray[np.float64], NDArray[np.float64]], Sequence[bool] | NDArray[np.bool_]
    ],
) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    """Return a black box ``choose(points, proposals)``, with checked answers."""

    def check_choices(points: torch.Tensor, proposals: torch.Tensor) -> torch.Tensor:
        choices = choose(points.cpu().double().numpy(), proposals.cpu().double().numpy())
        answer = np.asarray(choices)
        yes_or_no = answer.dtype == bool or (
            answer.dtype.kind in "iu" and bool(np.isin(answer, (0, 1)).all())
        )
        if answer.shape != (len(points),) or not yes_or_no:
            raise PosteriorError(
                f"choose(points, proposals) answered {len(points)} questions with an array of shape"
                f" {answer.shape} and type {answer.dtype}. Return one True (the proposal) or False"
                " for each row."
            )
        return torch.as_tensor(answer.astype(bool), device=points.device)

    return check_choices
