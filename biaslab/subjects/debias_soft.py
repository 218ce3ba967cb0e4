r"""Soft debiasing: a linear map that weighs removed bias against kept inner products.

Bolukbasi et al. (2016), step 2b, solved exactly. With :math:`X = T^\top T`, the unit vectors W of
all words, N of the neutral ones, and a basis B of the bias subspace it is

.. math:: \min_{X \succeq 0} \|W^\top (X - I) W\|_F^2 + \lambda \|N^\top X B\|_F^2 .

Only :math:`M = W W^\top` and :math:`K = N N^\top`, both d by d, enter it (the paper's reduced
form). Setting the gradient to zero gives :math:`M (X - I) M = -\frac{\lambda}{2} (Z B^\top +
B Z^\top)` with :math:`Z = K X B`, so that d r unknowns remain, and a linear system of that size.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import SubjectError
from biaslab.subjects.debias_hard import as_units

Floats = NDArray[np.float64]
_RANK = 1e-12
"""Share of the largest eigenvalue of M below which a direction holds no words."""
_ROUNDS = 1_000
_CLOSE = 1e-7
_SLICE = 8192


@dataclass(frozen=True)
class Moments:
    """What of an embedding enters soft debiasing.

    Attributes
    ----------
    all_words, neutral_words : ndarray, shape (d, d)
        Sums of outer products of the unit vectors: M and K.
    n_all, n_neutral : int
        Numbers of words.
    """

    all_words: Floats
    neutral_words: Floats
    n_all: int
    n_neutral: int

    def per_word(self) -> Moments:
        """Both sums divided so that the two terms of the objective become means."""
        return Moments(
            self.all_words / max(self.n_all, 1),
            self.neutral_words / max(self.n_neutral, 1),
            self.n_all,
            self.n_neutral,
        )


def moments(stored: NDArray[np.generic], neutral: NDArray[np.bool_]) -> Moments:
    """Moments of the unit vectors of a matrix (V, d); rows without a direction do not count.

    Lengths cancel, and with them the scale of quantised rows.
    """
    dim = stored.shape[1]
    both = np.zeros((2, dim, dim))
    counts = [0, 0]
    for start in range(0, len(stored), _SLICE):
        with np.errstate(all="ignore"):
            units = as_units(np.array(stored[start : start + _SLICE], dtype=np.float32))
        sound = np.isfinite(units).all(axis=1) & units.any(axis=1)
        chosen = neutral[start : start + _SLICE]
        for k, which in enumerate((sound & ~chosen, sound & chosen)):
            if count := int(which.sum()):
                part = units[which].astype(np.float64)
                both[k] += part.T @ part
                counts[k] += count
    return Moments(both.sum(axis=0), both[1], sum(counts), counts[1])


def soft_map(of: Moments, basis: Floats, lam: float) -> Floats:
    """The symmetric map T (d, d) that minimises the objective; the identity for lam = 0.

    Parameters
    ----------
    of : Moments
        Of the embedding.
    basis : ndarray, shape (d, r)
        Orthonormal columns.
    lam : float
        Weight of the bias, from 0 on.

    Raises
    ------
    SubjectError
        When the optimisation does not come to an end, which the linear system excludes but for
        badly conditioned embeddings.
    """
    dim = len(basis)
    if lam == 0:
        return np.eye(dim)
    values, vectors = np.linalg.eigh(of.all_words)
    held = values > _RANK * values[-1]
    values, vectors = values[held], vectors[:, held]
    inner = vectors.T @ of.neutral_words @ vectors
    problem = _Problem(values, (inner + inner.T) / 2, vectors.T @ basis, lam)
    x = problem.solve()
    if np.linalg.eigvalsh(x)[0] < -_CLOSE:
        x = problem.solve_within_cone()
    eigen, axes = np.linalg.eigh(x)
    root = (axes * np.sqrt(eigen.clip(0))) @ axes.T
    # What no word has is left as it is.
    outside = np.eye(dim) - vectors @ vectors.T
    return np.asarray(vectors @ root @ vectors.T + outside)


class _Problem:
    """The objective in the eigenvectors of M, where M is diagonal with the given values."""

    def __init__(self, values: Floats, inner: Floats, basis: Floats, lam: float) -> None:
        self._values, self._inner, self._basis, self._lam = values, inner, basis, lam
        self._pairs = np.outer(values, values)

    def solve(self, towards: Floats | None = None, rho: float = 0.0) -> Floats:
        """Symmetric minimiser of the objective plus rho |X - towards|^2.

        With L(X) = M X M + rho X the gradient is zero where X = L^-1(R - lam/2 (Z B' + B Z')),
        Z = K X B and R = M M + rho towards; put into Z, this is linear in Z.
        """
        weights = 1 / (self._pairs + rho)
        right = np.diag(self._values**2)
        if towards is not None:
            right = right + rho * towards
        b, k, half = self._basis, self._inner, self._lam / 2
        dim, r = b.shape
        start = weights * right
        # L^-1(Z B') B: row i of Z meets a matrix (r, r) of its own.
        own = np.einsum("ij,jt,js->its", weights, b, b)
        # L^-1(B Z') B = sum over j of weights_ij Z_jt B_it B_js.
        across = np.einsum("ij,it,js->isjt", weights, b, b)
        across[np.arange(dim), :, np.arange(dim), :] += own.transpose(0, 2, 1)
        system = half * (k @ across.reshape(dim, -1)).reshape(dim * r, dim * r)
        system[np.diag_indices(dim * r)] += 1
        z = np.linalg.solve(system, (k @ start @ b).reshape(-1)).reshape(dim, r)
        x = start - half * weights * (z @ b.T + b @ z.T)
        return np.asarray((x + x.T) / 2)

    def solve_within_cone(self) -> Floats:
        """Minimiser among the positive semidefinite X, by alternating directions (ADMM)."""
        rho = float(np.exp(np.log(self._pairs).mean()))
        dim = len(self._values)
        y, dual = np.eye(dim), np.zeros((dim, dim))
        for _ in range(_ROUNDS):
            x = self.solve(y - dual, rho)
            values, axes = np.linalg.eigh(x + dual)
            before, y = y, (axes * values.clip(0)) @ axes.T
            dual += x - y
            apart, moved = np.linalg.norm(x - y), np.linalg.norm(y - before)
            if max(apart, moved) < _CLOSE * dim:
                return np.asarray(y)
            # Balance: whichever of the two lags is given more weight.
            if apart > 10 * moved:
                rho, dual = rho * 2, dual / 2
            elif moved > 10 * apart:
                rho, dual = rho / 2, dual * 2
        raise SubjectError(
            f"Soft debiasing with lam={self._lam:g} did not settle in {_ROUNDS} rounds. Use another"
            " lam, or method='hard'."
        )


class LinearChange:
    """Applies a linear map to rows.

    Parameters
    ----------
    by : ndarray, shape (d, d)
        The map: a vector w becomes ``by @ w``, at the length that w had.
    unit : bool
        Whether rows get length 1 instead, as the papers have them.
    """

    def __init__(self, by: Floats, unit: bool) -> None:
        self._by = by.T.astype(np.float32)
        self._identity = bool((by == np.eye(len(by))).all())
        self._unit = unit

    def __call__(
        self,
        rows: NDArray[np.int64],  # noqa: ARG002  # all rows are changed alike
        vectors: NDArray[np.float32],
    ) -> NDArray[np.float32]:
        """New vectors of these rows, (n, d)."""
        if self._identity:
            return as_units(vectors) if self._unit else vectors
        changed = as_units(vectors @ self._by)
        if not self._unit:
            changed *= np.linalg.norm(vectors, axis=1, keepdims=True)
        return changed
