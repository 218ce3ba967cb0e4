"""Target p(s | label) ∝ p(label | s) p(s), and exact draws of it by rejection.

For exact draws no Markov chain is run, so nothing goes through `pyro.infer.MCMC`: there is no
kernel, no warm-up and nothing to adapt. Draws are dealt out to chains in their order, so that the
same diagnostics can be shown; they find independent draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from biaslab.errors import PosteriorError
from biaslab.probes.posterior.prior import Prior
from biaslab.probes.posterior.recorder import Recorder
from biaslab.probes.posterior.result import Reference
from biaslab.subjects.classifier.base import Classifier
from biaslab.threads.leaving import leave_if_cancelled

_PRIOR_DRAWS = 4_000  # of a Pyro prior, to learn its location and scale


class NormalCoordinates:
    """Stimuli s = m + L z of a normal prior; z is N(0, I)."""

    whitened = True

    def __init__(self, prior: Prior, device: str, dtype: torch.dtype) -> None:
        self.dim = prior.dim
        self.mean = torch.as_tensor(np.array(prior.mean), device=device, dtype=dtype)
        root = np.diag(prior.root) if prior.root.ndim == 1 else prior.root
        self.root = torch.as_tensor(np.array(root), device=device, dtype=dtype)
        self._prior = prior

    def points(self, z: torch.Tensor) -> torch.Tensor:
        """Return stimuli at z, shape (n, d)."""
        return self.mean + z @ self.root.T

    def log_density(self, z: torch.Tensor) -> torch.Tensor:
        """Log density of the prior at z up to a constant, shape (n,)."""
        return -0.5 * (z * z).sum(dim=-1)

    def draw(self, count: int, generator: torch.Generator) -> torch.Tensor:
        """Return independent z from the prior, shape (count, d)."""
        return torch.randn(
            (count, self.dim), generator=generator, device=self.mean.device, dtype=self.mean.dtype
        )

    def of_points(self, points: NDArray[np.floating]) -> torch.Tensor:
        """Return the z of stimuli."""
        z = self._prior.whiten(np.asarray(points, dtype=np.float64))
        return torch.as_tensor(z, device=self.mean.device, dtype=self.mean.dtype)

    def reference(self, generator: torch.Generator) -> Reference:
        """Return the prior's location and scale in z."""
        del generator
        return Reference.standard(self.dim)


class PyroCoordinates:
    """Unconstrained z of a Pyro prior, by the bijection that belongs to its support.

    A width scales z around its mean, so that positive values stay positive.
    """

    whitened = False

    def __init__(self, prior: Prior, device: str, dtype: torch.dtype) -> None:
        from torch.distributions import biject_to

        self.dim, self._device, self._dtype = prior.dim, device, dtype
        distribution = prior.distribution
        if distribution is None:
            raise PosteriorError(
                f"The prior {prior.name} is a Pyro distribution that was not stored with the"
                " result. Pass the distribution as prior=."
            )
        support = distribution.support
        if type(support).__name__ == "MixtureSameFamilyConstraint":
            support = support.base_constraint  # that of its parts, for which torch has a bijection
        try:
            self._to_points = biject_to(support)
        except NotImplementedError as error:
            raise PosteriorError(
                f"The prior {prior.name} has a support that Pyro cannot map to the real numbers"
                f" ({error}). Use one over all vectors, over vectors of positive numbers, or of"
                " shares."
            ) from error
        self.distribution, self._width = distribution, prior.width
        self._centre = torch.zeros(prior.dim)
        drawn = self._unfolded(_PRIOR_DRAWS, 0)
        # Its device and type are those that the distribution is evaluated on.
        self._centre = drawn.mean(dim=0)

    def points(self, z: torch.Tensor) -> torch.Tensor:
        """Return stimuli at z, shape (n, d)."""
        points: torch.Tensor = self._to_points(z)
        return points

    def log_density(self, z: torch.Tensor) -> torch.Tensor:
        """Log density of the prior at z up to a constant, shape (n,)."""
        there = z.to(self._centre)
        if self._width != 1:
            there = self._centre + (there - self._centre) / self._width
        points = self._to_points(there)
        jacobian = self._to_points.log_abs_det_jacobian(there, points)
        if jacobian.ndim > 1:
            jacobian = jacobian.sum(dim=-1)
        log_p: torch.Tensor = self.distribution.log_prob(points) + jacobian
        return log_p.to(z)

    def draw(self, count: int, generator: torch.Generator) -> torch.Tensor:
        """Return independent z from the prior, shape (count, d)."""
        z = self._unfolded(count, _seed_from(generator))
        if self._width != 1:
            z = self._centre + self._width * (z - self._centre)
        return z.to(device=self._device, dtype=self._dtype)

    def of_points(self, points: NDArray[np.floating]) -> torch.Tensor:
        """Return the z of stimuli."""
        tensor = torch.as_tensor(np.array(points), device=self._device, dtype=self._dtype)
        z: torch.Tensor = self._to_points.inv(tensor)
        return z

    def _unfolded(self, count: int, seed: int) -> torch.Tensor:
        """Return draws of the unwidened distribution, in z."""
        # Distributions draw from the global generators, whose states are restored.
        devices = range(torch.cuda.device_count()) if torch.cuda.is_initialized() else ()
        with torch.random.fork_rng(devices=list(devices)):
            torch.manual_seed(seed)
            z: torch.Tensor = self._to_points.inv(self.distribution.sample((count,)))
        return z

    def reference(self, generator: torch.Generator) -> Reference:
        """Return location and scale of z, from draws of the prior."""
        z = self.draw(_PRIOR_DRAWS, generator).cpu().double().numpy()
        if not np.isfinite(z).all():
            raise PosteriorError(
                "The prior draws points outside its own support. Check the distribution."
            )
        return Reference.learnt(
            z.mean(axis=0), np.cov(z.T).reshape(self.dim, -1), 1, whitened=False
        )


def coordinates(
    prior: Prior, device: str, dtype: torch.dtype
) -> NormalCoordinates | PyroCoordinates:
    """Return coordinates that suit a prior."""
    kind = NormalCoordinates if prior.is_normal else PyroCoordinates
    return kind(prior, device, dtype)


class Target:
    """Energy of the posterior of a label, and its gradient.

    Parameters
    ----------
    classifier : Classifier
    label : str
    prior : Prior

    Attributes
    ----------
    between : callable or None
        Called before each question to the classifier: a step of a sampler may put thousands.
    """

    def __init__(self, classifier: Classifier, label: str, prior: Prior) -> None:
        self.classifier, self.label = classifier, label
        self.between: Callable[[], object] | None = None
        self.coordinates = coordinates(prior, classifier.device, classifier.dtype)
        self.dim = prior.dim

    def log_likelihood(self, points: torch.Tensor) -> torch.Tensor:
        """Log p(label | s), shape (n,)."""
        if self.between is not None:
            self.between()
        return self.classifier.log_probability(points, self.label)

    def logit(self, points: torch.Tensor) -> torch.Tensor:
        """Return the logit of p(label | s), shape (n,), without gradient, in slices."""
        parts = []
        with torch.no_grad():
            for part in torch.split(points, 16_384):
                leave_if_cancelled()
                parts.append(self.classifier.logit(part, self.label))
        return torch.cat(parts)

    def energy(self, z: torch.Tensor) -> torch.Tensor:
        """Return -log p(z | label) up to a constant, shape (n,), differentiable."""
        points = self.coordinates.points(z)
        return -self.log_likelihood(points) - self.coordinates.log_density(z)

    def measured_by(self, reference: Reference) -> Measured:
        """Return the target in coordinates x in which `reference` is N(0, I)."""
        return Measured(self, reference)


class Measured:
    """Energy in x, z = mean + L x, and the gradient beyond that of the reference."""

    def __init__(self, target: Target, reference: Reference) -> None:
        self._target = target
        at = target.coordinates
        like: dict[str, Any] = {
            "device": target.classifier.device,
            "dtype": target.classifier.dtype,
        }
        self.mean = torch.as_tensor(np.array(reference.mean), **like)
        self.root = torch.as_tensor(reference.root, **like)
        self._inverse = torch.as_tensor(reference.inverse_root, **like)
        self._normal = at if isinstance(at, NormalCoordinates) else None
        if self._normal is not None:
            self._centre = self._normal.points(self.mean[None])[0]
            self._onto = self._normal.root @ self.root  # s = centre + onto x
            # Remaining gradient of the prior: (LᵀL - I) x + Lᵀ mean.
            eye = torch.eye(target.dim, **like)
            self._remains = self.root.T @ self.root - eye
            self._pull = self.mean @ self.root

    def x_of(self, z: torch.Tensor) -> torch.Tensor:
        """Map z to these coordinates."""
        return (z - self.mean) @ self._inverse.T

    def z_of(self, x: torch.Tensor) -> torch.Tensor:
        """Map these coordinates to z."""
        return self.mean + x @ self.root.T

    def evaluate(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return energy (n,), gradient of energy - |x|²/2, and stimuli, (n, d)."""
        if self._normal is None:
            return self._by_autograd(x)
        points = torch.addmm(self._centre, x, self._onto.T).requires_grad_()
        log_p = self._target.log_likelihood(points)
        slope = _slope(log_p, points)
        points, log_p = points.detach(), log_p.detach()
        z = torch.addmm(self.mean, x, self.root.T)
        energy = 0.5 * (z * z).sum(dim=-1) - log_p
        gradient = torch.addmm(self._pull, x, self._remains.T)
        return energy, torch.addmm(gradient, slope, self._onto, alpha=-1), points

    def _by_autograd(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        at = x.detach().requires_grad_()
        z = self.z_of(at)
        points = self._target.coordinates.points(z)
        energy = -self._target.log_likelihood(points) - self._target.coordinates.log_density(z)
        (gradient,) = torch.autograd.grad(energy.sum(), at)
        return energy.detach(), gradient - x, points.detach()


def _slope(log_p: torch.Tensor, points: torch.Tensor) -> torch.Tensor:
    """Return the gradient of the sum of `log_p`; zero if it has none."""
    if not log_p.requires_grad:
        return torch.zeros_like(points)
    (slope,) = torch.autograd.grad(log_p.sum(), points, allow_unused=True)
    return torch.zeros_like(points) if slope is None else slope


def _seed_from(generator: torch.Generator) -> int:
    drawn = torch.randint(2**62, (1,), generator=generator, device=generator.device)
    return int(drawn.item())


RAREST = 0.001
"""Smallest acceptance rate for which rejection is offered."""
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
        self.tried = self.accepted = 0

    @property
    def acceptance(self) -> float:
        """Share of prior draws accepted: an estimate of p(label)."""
        return self.accepted / self.tried if self.tried else math.nan

    def run(self, recorder: Recorder, draws: int) -> None:
        """Draw until every chain has `draws`.

        Raises `PosteriorError` when fewer than 0.1 % of the prior's draws are accepted.
        """
        kept = torch.empty(0)
        while recorder.done < draws:
            fresh = self._batch()
            kept = fresh if not len(kept) else torch.cat([kept, fresh])
            self._check()
            rows = min(len(kept) // recorder.chains, draws - recorder.done)
            for row in kept[: rows * recorder.chains].reshape(rows, recorder.chains, recorder.dim):
                recorder.add(row, self)
            kept = kept[rows * recorder.chains :]
            recorder.stop_if_requested()

    def _batch(self) -> torch.Tensor:
        points = self.coordinates.points(self.coordinates.draw(_BATCH, self.generator))
        with torch.no_grad():
            log_p = self._log_likelihood(points)
        drawn = torch.rand(
            log_p.shape, generator=self.generator, device=log_p.device, dtype=log_p.dtype
        )
        accepted = points[torch.log(drawn) < log_p]
        self.tried += len(points)
        self.accepted += len(accepted)
        return accepted

    def _check(self) -> None:
        if self.tried >= _PILOT and self.acceptance < RAREST:
            raise PosteriorError(
                f"The exact engine keeps {self.accepted} of {self.tried:,} prior draws"
                f" ({100 * self.acceptance:.2g} %); below {100 * RAREST:g} % it takes too long. Use"
                " engine='vectorised', or a prior under which this label is more probable."
            )
