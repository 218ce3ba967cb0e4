"""Prior p(s): the distribution of stimuli before the label is known.

Liang and Acuna (2020) state none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import PosteriorError
from biaslab.records.calls import recorded_classmethod
from biaslab.records.record import Record

if TYPE_CHECKING:
    from biaslab.subjects.classifier.base import Classifier

Floats = NDArray[np.float64]
_KNOWN: WeakKeyDictionary[Any, tuple[Floats, Floats, int]] = WeakKeyDictionary()
_FLATTEST = 1e-9
"""Smallest eigenvalue allowed in a covariance, as a share of the largest."""


@dataclass(frozen=True)
class Prior(Record):
    """A distribution of stimuli, made by one of its class methods.

    Attributes
    ----------
    name : str
        ``standard``, ``stimuli``, ``words``, ``normal`` or the name given to `pyro`.
    text : str
        Description in plain words, for the screen.
    dim : int
        Number d of dimensions.
    width : float
        Factor of its standard deviations.
    mean : ndarray or None
        Shape (d,), float64; of a Pyro distribution None.
    covariance : ndarray or None
        Shape (d, d), or (d,) if it is diagonal; includes the width. Of a Pyro distribution None.
    """

    name: str
    text: str
    dim: int
    width: float = 1.0
    mean: Floats | None = None
    covariance: Floats | None = None

    @classmethod
    @recorded_classmethod
    def standard(cls, dim: int) -> Prior:
        """Return N(0, I): probably the paper's prior, and that of ``paper_mode``."""
        if dim < 1:
            raise PosteriorError(f"dim={dim}: a prior needs at least one dimension.")
        text = "standard normal, N(0, I)"
        return cls("standard", text, int(dim), 1.0, np.zeros(dim), np.ones(dim))

    @classmethod
    @recorded_classmethod
    def of_stimuli(cls, classifier: Classifier, *, shrinkage: float = 0.0) -> Prior:
        """Fit a normal distribution to the stimuli of the classifier's training.

        Parameters
        ----------
        classifier : Classifier
        shrinkage : float
            As of `normal`.

        Raises
        ------
        PosteriorError
            When the classifier does not know its stimuli, or their covariance is singular.
        """
        moments = classifier.stimuli
        if moments is None:
            raise PosteriorError(
                f"{classifier.name} does not know its training stimuli. Use prior='standard',"
                " Prior.normal(mean, covariance), or create the classifier with"
                " stimuli=StimulusMoments.of(points)."
            )
        text = "normal, as the stimuli are known to be distributed"
        if moments.n:
            text = f"normal, fitted to {moments.n:,} stimuli"
        return cls.normal(
            moments.mean, moments.covariance, shrinkage=shrinkage, name="stimuli", text=text
        )

    @classmethod
    @recorded_classmethod
    def of_words(cls, classifier: Classifier, *, shrinkage: float = 0.0) -> Prior:
        """Fit a normal distribution to the vectors of all words of the classifier.

        Parameters
        ----------
        classifier : Classifier
        shrinkage : float
            As of `normal`.

        Raises
        ------
        PosteriorError
            When the classifier has no words, or too few for their covariance.
        """
        embedding = classifier.words
        if embedding is None:
            raise PosteriorError(
                f"{classifier.name} has no words in its stimulus space. Use prior='standard'"
                " or Prior.normal(mean, covariance)."
            )
        mean, covariance, count = _moments(embedding)
        text = f"normal, fitted to {count:,} word vectors"
        return cls.normal(mean, covariance, shrinkage=shrinkage, name="words", text=text)

    @classmethod
    def normal(
        cls,
        mean: NDArray[np.floating],
        covariance: NDArray[np.floating],
        *,
        shrinkage: float = 0.0,
        name: str = "normal",
        text: str = "",
    ) -> Prior:
        """Return N(mean, covariance).

        Parameters
        ----------
        mean : ndarray
            Shape (d,).
        covariance : ndarray
            Shape (d, d), or (d,): variances of independent dimensions.
        shrinkage : float
            Share, from 0 to 1, of ``average variance * I`` that is mixed into the covariance.
        name, text : str
            Shown to the person.

        Raises
        ------
        PosteriorError
            When shapes do not fit, numbers are not finite, or the covariance is not symmetric or
            is singular; the last names a sufficient shrinkage.
        """
        centre = np.atleast_1d(np.asarray(mean, dtype=np.float64))
        spread = np.atleast_1d(np.asarray(covariance, dtype=np.float64))
        dim = len(centre)
        if centre.ndim != 1 or spread.shape not in ((dim,), (dim, dim)):
            raise PosteriorError(
                f"A mean of shape {centre.shape} and a covariance of shape {spread.shape} do not"
                " match: pass (d,) with (d, d) or (d,)."
            )
        if not (np.isfinite(centre).all() and np.isfinite(spread).all()):
            raise PosteriorError("The mean or the covariance contains NaN or infinity.")
        if not 0 <= shrinkage <= 1:
            raise PosteriorError(f"shrinkage={shrinkage}: choose a share from 0 to 1.")
        if spread.ndim == 2 and not np.allclose(spread, spread.T, rtol=1e-6, atol=0):
            largest = np.abs(spread).max()
            if np.abs(spread - spread.T).max() > 1e-6 * largest:
                raise PosteriorError("The covariance is not symmetric: pass (c + c.T) / 2.")
        average = float((spread if spread.ndim == 1 else np.diag(spread)).mean())
        if shrinkage:
            target = average if spread.ndim == 1 else average * np.eye(dim)
            spread = (1 - shrinkage) * spread + shrinkage * target
        _check_spread(spread, shrinkage)
        described = text or "normal, with the given mean and covariance"
        if shrinkage:
            described += f", covariance shrunk by {100 * shrinkage:g} %"
        return cls(name, described, dim, 1.0, centre, spread)

    @classmethod
    def pyro(cls, distribution: Any, name: str = "") -> Prior:
        """Wrap a Pyro distribution over stimuli; its event is a vector.

        Parameters
        ----------
        distribution : pyro.distributions.Distribution
            With ``event_shape`` (d,) and no batch. A normal one is taken as such. It is not stored
            with a result, only its name is.
        name : str
            Shown to the person; by default that of its class.

        Raises
        ------
        PosteriorError
            When its event is not a vector.
        """
        from torch.distributions import Independent, MultivariateNormal, Normal

        shape, batch = tuple(distribution.event_shape), tuple(distribution.batch_shape)
        if len(shape) != 1 or batch:
            raise PosteriorError(
                f"The prior has batch shape {batch} and event shape {shape}: pass a distribution"
                " over one vector, as in dist.Normal(torch.zeros(100), 1.0).to_event(1)."
            )
        called = name or type(distribution).__name__
        base = getattr(distribution, "base_dist", None)
        if isinstance(distribution, MultivariateNormal):
            centre, spread = distribution.mean, distribution.covariance_matrix
        elif isinstance(distribution, Independent) and isinstance(base, Normal):
            centre, spread = distribution.mean, distribution.variance
        else:
            prior = cls(called, f"the Pyro distribution {called}", shape[0])
            object.__setattr__(prior, "_distribution", distribution)
            return prior
        numbers = [t.detach().cpu().double().numpy() for t in (centre, spread)]
        return cls.normal(*numbers, name=called, text=f"the Pyro distribution {called}")

    def widened(self, width: float) -> Prior:
        """Return the prior with standard deviations multiplied by `width`.

        Raises
        ------
        PosteriorError
            When the width is not a positive number.
        """
        if not (math.isfinite(width) and width > 0):
            raise PosteriorError(
                f"prior_width={width}: give a number above 0; 1 leaves the prior unchanged."
            )
        if width == 1:
            return self
        spread = None if self.covariance is None else self.covariance * width**2
        prior = Prior(self.name, self.text, self.dim, self.width * width, self.mean, spread)
        if self.distribution is not None:
            object.__setattr__(prior, "_distribution", self.distribution)
        return prior

    @property
    def is_normal(self) -> bool:
        """Whether its mean and covariance say all."""
        return self.mean is not None

    @property
    def distribution(self) -> Any:
        """The Pyro distribution, unwidened; None for a normal or reopened one."""
        return self.__dict__.get("_distribution")

    @property
    def described(self) -> str:
        """`text`, with the width unless it is 1."""
        return self.text if self.width == 1 else f"{self.text}, {self.width:g} times as wide"

    @cached_property
    def root(self) -> Floats:
        """L with L Lᵀ = covariance, shape (d, d), or (d,) if it is diagonal.

        Raises
        ------
        PosteriorError
            For a Pyro distribution.
        """
        if self.covariance is None:
            raise PosteriorError(
                f"The prior {self.name} is not normal, so it has no covariance here."
            )
        if self.covariance.ndim == 1:
            return np.asarray(np.sqrt(self.covariance))
        return np.asarray(np.linalg.cholesky(self.covariance))

    def unwhiten(self, z: Floats) -> Floats:
        """Map standard normal z to stimuli m + L z, shape (..., d)."""
        root, mean = self.root, np.asarray(self.mean)
        return np.asarray(mean + (z * root if root.ndim == 1 else z @ root.T))

    def whiten(self, points: Floats) -> Floats:
        """Map stimuli `points` to z, shape (..., d)."""
        root = self.root
        away = points - np.asarray(self.mean)
        if root.ndim == 1:
            return np.asarray(away / root)
        from scipy.linalg import solve_triangular

        flat = solve_triangular(root, away.reshape(-1, self.dim).T, lower=True).T
        return np.asarray(flat.reshape(away.shape))


def _check_spread(spread: Floats, shrinkage: float) -> None:
    values = spread if spread.ndim == 1 else np.linalg.eigvalsh(spread)
    largest, smallest = float(values.max()), float(values.min())
    if largest > 0 and smallest > _FLATTEST * largest:
        return
    rank = int((values > _FLATTEST * max(largest, 0)).sum()) if largest > 0 else 0
    more = max(0.01, 10 * shrinkage)
    fix = (
        f"Pass shrinkage={more:g}, which mixes in {100 * more:g} % of the average variance, as in"
        f" Prior.of_stimuli(classifier, shrinkage={more:g})"
        if largest > 0 and more <= 1
        else "Pass one with positive variances"
    )
    raise PosteriorError(
        f"The covariance is singular: it has rank {rank} of {len(values)}, so stimuli cannot leave"
        f" a subspace. {fix}, or use prior='standard'."
    )


def _moments(embedding: Any) -> tuple[Floats, Floats, int]:
    """Return mean and covariance of the vectors of all words, cached."""
    cached = _KNOWN.get(embedding)
    if cached is None:
        cached = _KNOWN[embedding] = _summed_up(embedding)
    return cached


def _summed_up(embedding: Any) -> tuple[Floats, Floats, int]:
    """Compute them in slices."""
    words = list(embedding.resolve(list(embedding.words), suggest=False).known)
    if len(words) <= embedding.dim:
        raise PosteriorError(
            f"{len(words)} words do not determine a covariance in {embedding.dim} dimensions. Use"
            " prior='standard'."
        )
    total, squares = np.zeros(embedding.dim), np.zeros((embedding.dim, embedding.dim))
    for start in range(0, len(words), 16_384):
        block = np.asarray(embedding.vectors(words[start : start + 16_384])[0], dtype=np.float64)
        total += block.sum(axis=0)
        squares += block.T @ block
    mean = total / len(words)
    covariance = (squares - len(words) * np.outer(mean, mean)) / (len(words) - 1)
    return mean, (covariance + covariance.T) / 2, len(words)
