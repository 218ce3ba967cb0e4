"""A simulated classifier with a known posterior: logistic, under a normal prior."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biaslab.errors import ObserverError
from biaslab.records.calls import recorded
from biaslab.subjects.classifier.base import Classifier, StimulusMoments

if TYPE_CHECKING:
    import torch

    from biaslab.subjects.embedding.word_embedding import WordEmbedding

Floats = NDArray[np.float64]
_POINTS = 400  # of the quadrature along the weight, in each of three parts
_REACH = 12.0  # standard deviations to either side
_BEND = 40.0  # logits to either side of which a logistic curve is 0 or 1, or exponential


class LogisticObserver(Classifier):
    """p(positive | s) = 1 / (1 + exp(-(w·s + b))), with the prior N(m, C).

    Along t = w·s + b the posterior is a logistic curve times a normal density, and given t stimuli
    stay normal. So its moments follow from those of t, which are had by quadrature to about 12
    digits.

    Attributes
    ----------
    weight : ndarray
        w, shape (d,).
    bias : float
        b.
    prior_mean, prior_covariance : ndarray
        m and C, shapes (d,) and (d, d).
    """

    kind = "classifier"

    def __init__(
        self,
        weight: Floats,
        bias: float,
        prior_mean: Floats,
        prior_covariance: Floats,
        *,
        labels: Sequence[str] = ("negative", "positive"),
        words: WordEmbedding | None = None,
        device: str = "cpu",
        dtype: str = "float32",
    ) -> None:
        super().__init__(
            labels=labels,
            dim=len(weight),
            name="logistic observer",
            about="a simulated classifier with a known posterior",
            words=words,
            stimuli=StimulusMoments(prior_mean, prior_covariance, 0),
            device=device,
            dtype=dtype,
        )
        self.weight, self.bias = weight, float(bias)
        self.prior_mean, self.prior_covariance = prior_mean, prior_covariance

    @property
    def content_hash(self) -> str:
        """SHA-256 of weight and bias."""
        digest = hashlib.sha256(np.asarray([*self.weight, self.bias], "<f8").tobytes())
        digest.update("\0".join(self.labels).encode())
        return digest.hexdigest()

    def to(self, device: str) -> LogisticObserver:
        """Return the same observer on another torch device."""
        return LogisticObserver(
            self.weight,
            self.bias,
            self.prior_mean,
            self.prior_covariance,
            labels=self.labels,
            words=self.words,
            device=device,
            dtype=self._dtype,
        )

    def posterior_mean(self, label: str = "positive") -> Floats:
        """Return E[s | label], shape (d,).

        Raises
        ------
        SubjectError
            When there is no such label.
        """
        centre, spread = self._along
        mean, _, _ = self._tilted(label)
        return np.asarray(self.prior_mean + self._regression * ((mean - centre) / spread))

    def posterior_covariance(self, label: str = "positive") -> Floats:
        """Return Cov[s | label], shape (d, d).

        Raises
        ------
        SubjectError
            When there is no such label.
        """
        _, spread = self._along
        _, variance, _ = self._tilted(label)
        lost = 1 - variance / spread**2
        return np.asarray(
            self.prior_covariance - lost * np.outer(self._regression, self._regression)
        )

    def log_evidence(self, label: str = "positive") -> float:
        """Log p(label): the logarithm of the average of p(label | s) over the prior.

        Raises
        ------
        SubjectError
            When there is no such label.
        """
        return self._tilted(label)[2]

    def posterior_logit(self, label: str = "positive") -> tuple[float, float]:
        """Return the mean and variance of the logit of p(label | s) over the posterior.

        Raises
        ------
        SubjectError
            When there is no such label.
        """
        mean, variance, _ = self._tilted(label)
        return (mean if self.label_index(label) else -mean), variance

    def posterior_square(self, label: str = "positive") -> float:
        """Return ``E[|s|² | label]``.

        Raises
        ------
        SubjectError
            When there is no such label.
        """
        mean = self.posterior_mean(label)
        return float(np.trace(self.posterior_covariance(label)) + mean @ mean)

    @cached_property
    def _along(self) -> tuple[float, float]:
        """Mean and standard deviation of t = w·s + b under the prior."""
        mean = float(self.weight @ self.prior_mean) + self.bias
        return mean, float(np.sqrt(self.weight @ self.prior_covariance @ self.weight))

    @cached_property
    def _regression(self) -> Floats:
        """Cov(s, t) / sd(t): how far s moves with one standard deviation of t."""
        return np.asarray(self.prior_covariance @ self.weight / self._along[1])

    def _tilted(self, label: str) -> tuple[float, float, float]:
        """Return the mean and variance of t under the posterior, and the log evidence."""
        from scipy.special import log_expit

        centre, spread = self._along
        sign = 1.0 if self.label_index(label) else -1.0
        # In z, standard normal under the prior, the logistic curve bends at `bend` within 1/spread.
        # The mass lies between the prior's, at 0, and where the curve's slope would carry it.
        bend, width = -sign * centre / spread, _BEND / spread
        low, high = -_REACH, _REACH + max(0.0, min(spread, bend))
        edges = np.clip([low, bend - width, bend + width, high], low, high)
        nodes, shares = _quadrature()
        halves = np.diff(edges)[:, None] / 2
        z = (edges[:-1, None] + halves * (1 + nodes)).ravel()
        log_weight = log_expit(sign * (centre + sign * spread * z)) - 0.5 * z**2
        top = log_weight.max()
        weight = np.exp(log_weight - top) * (halves * shares).ravel()
        total = weight.sum()
        middle = float(weight @ z / total)
        variance = float(weight @ (z - middle) ** 2 / total)
        log_evidence = float(top + np.log(total) - 0.5 * np.log(2 * np.pi))
        return centre + sign * spread * middle, variance * spread**2, log_evidence

    def _logits(self, points: torch.Tensor) -> torch.Tensor:
        import torch

        like: dict[str, Any] = {"device": points.device, "dtype": points.dtype}
        t = points @ torch.as_tensor(self.weight, **like) + self.bias
        return torch.stack([torch.zeros_like(t), t], dim=-1)


@functools.cache
def _quadrature() -> tuple[Floats, Floats]:
    """Return nodes and weights of Gauss-Legendre quadrature on [-1, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(_POINTS)
    return np.asarray(nodes), np.asarray(weights)


@recorded
def classifier(
    weight: ArrayLike | None = None,
    bias: float = 0.0,
    *,
    dim: int | None = None,
    steepness: float = 2.0,
    mean: ArrayLike | None = None,
    covariance: ArrayLike | None = None,
    labels: Sequence[str] = ("negative", "positive"),
    words: WordEmbedding | None = None,
    dtype: str = "float32",
    seed: int | np.random.Generator | None = None,
) -> LogisticObserver:
    """Simulate a logistic classifier whose posterior is known.

    Parameters
    ----------
    weight : array_like, optional
        w, shape (d,); by default a random direction, as long as `steepness`.
    bias : float
        b: the logit of p(positive) at the origin.
    dim : int, optional
        Number d of dimensions; by default that of the arguments, else 8.
    steepness : float
        Length of a random weight.
    mean, covariance : array_like, optional
        Of the normal prior of its stimuli, shapes (d,) and (d, d), by default N(0, I). They are
        its ``stimuli``, and so the default prior of `biaslab.sample_posterior`.
    labels : (str, str)
        The negative and the positive one.
    words : WordEmbedding, optional
        Words in the space of the stimuli.
    dtype : {"float32", "float64"}
    seed : int or Generator, optional
        Of a random weight.

    Returns
    -------
    LogisticObserver

    Raises
    ------
    ObserverError
        When shapes do not fit, a number is not finite, or the weight is zero.
    """
    arrays = [np.atleast_1d(np.asarray(a, np.float64)) for a in (weight, mean) if a is not None]
    if covariance is not None:
        arrays.append(np.atleast_2d(np.asarray(covariance, np.float64))[0])
    sizes = {len(a) for a in arrays} | ({dim} if dim is not None else set())
    if len(sizes) > 1:
        raise ObserverError(f"weight, mean, covariance and dim differ in dimensions: {sizes}.")
    d = sizes.pop() if sizes else 8
    if d < 1 or len(labels) != 2:
        raise ObserverError(
            f"dim={d}, labels={labels!r}: give at least one dimension and two labels."
        )
    if weight is None:
        w = np.random.default_rng(seed).standard_normal(d)
        w *= steepness / np.linalg.norm(w)
    else:
        w = np.asarray(weight, dtype=np.float64)
    m = np.zeros(d) if mean is None else np.asarray(mean, dtype=np.float64)
    c = np.eye(d) if covariance is None else np.asarray(covariance, dtype=np.float64)
    fits = w.shape == m.shape == (d,) and c.shape == (d, d)
    if not fits or not all(np.isfinite(a).all() for a in (w, m, c, bias)):
        raise ObserverError(
            f"weight {w.shape}, mean {m.shape}, covariance {c.shape}: give finite numbers of the"
            f" shapes ({d},), ({d},) and ({d}, {d})."
        )
    if not w.any():
        raise ObserverError("The weight is zero: such a classifier carries no information.")
    if not np.allclose(c, c.T) or np.linalg.eigvalsh(c).min() <= 0:
        raise ObserverError("The prior's covariance must be symmetric and positive definite.")
    return LogisticObserver(w, bias, m, c, labels=labels, words=words, dtype=dtype)
