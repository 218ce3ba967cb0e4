"""Debiasing of an embedding: its bias subspace, hard and soft changes of its vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import SubjectError
from biaslab.records.record import Record
from biaslab.subjects.embedding.rows import Change

Floats = NDArray[np.float64]
_SPANNED = 1e-5
"""Share of the largest standard deviation from which a direction counts as spanned by the sets."""


@dataclass(frozen=True)
class BiasSubspace(Record):
    """An orthonormal basis of the bias subspace, in each replicate.

    - `basis`, ndarray, shape (B, d, r): principal directions as columns, float64, by explained
      variance. The first word of the first set is on the positive side of each.
    - `shares`, ndarray, shape (B, m): share of the variance within the sets that each of the m
      principal directions explains.
    """

    basis: Floats
    shares: Floats

    @property
    def components(self) -> int:
        """Number r of dimensions."""
        return int(self.basis.shape[2])

    @property
    def explained(self) -> Floats:
        """Share of the variance within the sets that the subspace explains, shape (B,)."""
        return np.asarray(self.shares[:, : self.components].sum(axis=1))


def bias_subspace(
    sets: Sequence[NDArray[np.floating]], components: int | None = None
) -> BiasSubspace:
    """Return the r directions along which words of the same set differ most.

    Bolukbasi et al. (2016), step 1, for pairs; Manzini et al. (2019), section 3, for sets of k
    words: principal components of the unit vectors less the mean of their set, each set weighted
    by one over its number of words.

    - `sets`, sequence of ndarray, shape (B, k, d): unit vectors of the words of each defining set,
      k >= 2.
    - `components`: number r of directions; by default the largest k less 1: one for pairs, two for
      three classes.
    - Raises `SubjectError` when the sets span fewer directions than requested in some replicate.
    """
    count = max(each.shape[1] for each in sets) - 1 if components is None else components
    if count < 1:
        raise SubjectError(f"components={count}: a bias subspace needs at least one dimension.")
    rows = []
    for each in sets:
        units = np.asarray(each, dtype=np.float64)
        rows.append((units - units.mean(axis=1, keepdims=True)) / np.sqrt(each.shape[1]))
    stacked = np.concatenate(rows, axis=1)
    _, deviations, directions = np.linalg.svd(stacked, full_matrices=False)
    spanned = (deviations > _SPANNED * np.maximum(deviations[:, :1], _SPANNED)).sum(axis=1)
    if (fewest := int(spanned.min())) < count:
        raise SubjectError(
            f"components={count}, but the words of the defining sets differ in {fewest}"
            f" direction{'' if fewest == 1 else 's'} only. Ask for fewer components, or give more"
            " sets or words that differ."
        )
    basis = directions[:, :count].transpose(0, 2, 1)
    # A principal direction has no sign of its own: this one makes results repeatable.
    first = np.einsum("bd,bdr->br", stacked[:, 0], basis)
    basis = basis * np.where(first < 0, -1.0, 1.0)[:, None, :]
    variances = deviations**2
    return BiasSubspace(basis, variances / variances.sum(axis=1, keepdims=True))


NOTHING_LEFT = 1e-6
"""Share of a vector's length below which float32 leaves only rounding errors of it."""


class HardChange:
    """Change of rows: neutralise some, replace equalised ones, keep others.

    - `basis`, ndarray, shape (d, r): orthonormal columns.
    - `neutral`, ndarray of bool, shape (V,): rows to neutralise: w less its part in the subspace,
      at the length that w had.
    - `equalised`: row numbers and their new vectors, shape (m,) and (m, d).
    - `unit`: whether all rows get length 1, as in the papers.
    """

    def __init__(
        self,
        basis: Floats,
        neutral: NDArray[np.bool_],
        rows: NDArray[np.int64],
        equalised: Floats,
        unit: bool,
    ) -> None:
        self._basis = basis.astype(np.float32)
        self._neutral = neutral
        self._place = np.full(len(neutral), -1, dtype=np.int32)
        self._place[rows] = np.arange(len(rows))
        self._equalised = equalised.astype(np.float32)
        self._unit = unit

    def __call__(
        self, rows: NDArray[np.int64], vectors: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """New vectors of these rows, (n, d)."""
        chosen = self._neutral[rows]
        if chosen.all():
            vectors = neutralised(vectors, self._basis)
        elif chosen.any():
            vectors[chosen] = neutralised(vectors[chosen], self._basis)
        place = self._place[rows]
        if (equalised := place >= 0).any():
            vectors[equalised] = self._equalised[place[equalised]]
        return as_units(vectors) if self._unit else vectors


def neutralised(vectors: NDArray[np.float32], basis: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return vectors (n, d) without their part in the subspace, at old length.

    A vector within the subspace becomes zero.
    """
    before = _lengths(vectors)
    rest = np.asarray(vectors - (vectors @ basis) @ basis.T, dtype=np.float32)
    # Twice, since the rounding error of the first pass may be large relative to a short rest.
    rest -= (rest @ basis) @ basis.T
    after = _lengths(rest)
    with np.errstate(all="ignore"):
        ratio = before / after
        factor = np.where(after > NOTHING_LEFT * before, ratio, np.float32(0))
    # Not a number stays so: such a row had no direction before either.
    factor[~np.isfinite(before)] = np.nan
    rest *= factor[:, None]
    return rest


def equalised(vectors: Floats, basis: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    r"""Return an equality set, equally far from every vector outside the subspace.

    - `vectors`, ndarray, shape (k, d): of the words of the set.
    - `basis`: ndarray, shape (d, r).
    - Returns ndarray, shape (k, d): :math:`\nu + \sqrt{1 - |\nu|^2}\,(w_B - \mu_B) / |w_B - \mu_B|`
      of the unit vectors w with mean :math:`\mu` and :math:`\nu = \mu - \mu_B` (Bolukbasi et al.
      2016, step 2a), times the mean length of the set, so that lengths tell them apart as little as
      directions.
    - Returns ndarray of bool, shape (k,): words can be equalised if they differ from the set's mean
      within the subspace.
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = vectors / lengths
    mean = units.mean(axis=0)
    outside = mean - basis @ (basis.T @ mean)
    inside = (units - mean) @ basis @ basis.T
    reach = np.linalg.norm(inside, axis=1, keepdims=True)
    with np.errstate(all="ignore"):
        new = outside + np.sqrt(max(0.0, 1 - outside @ outside)) * inside / reach
    return new * lengths.mean(), reach[:, 0] > NOTHING_LEFT


def as_units(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return vectors (n, d) at length 1; zeros stay zeros."""
    lengths = _lengths(vectors)[:, None]
    return np.divide(vectors, lengths, out=vectors, where=lengths != 0)


def hard_changes(
    bases: Floats, neutral: NDArray[np.bool_], sets: Sequence[tuple[NDArray[np.int64], Floats]],
    unit: bool,
) -> list[Change]:  # fmt: skip
    """Return one change per replicate.

    - `bases`: ndarray, shape (B, d, r).
    - `neutral`: ndarray of bool, shape (V,).
    - `sets`, sequence of (rows (k,), vectors (B, k, d)): equality sets, no row in two of them.
    - `unit`: as of `HardChange`.
    """
    rows = np.concatenate([np.empty(0, dtype=np.int64), *(rows for rows, _ in sets)])
    changes: list[Change] = []
    for b, basis in enumerate(bases):
        new = [equalised(vectors[b], basis)[0] for _, vectors in sets]
        replaced = np.concatenate([np.empty((0, basis.shape[0])), *new])
        changes.append(HardChange(basis, neutral, rows, replaced, unit))
    return changes


def _lengths(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(np.sqrt(np.einsum("nd,nd->n", vectors, vectors)))


_RANK = 1e-12
"""Share of M's largest eigenvalue below which a direction counts as empty."""
_ROUNDS = 1_000
_CLOSE = 1e-7
_GAP, _LARGEST_GAP = 1e-5, 1e-3
"""Share of the objective that may be lost by taking a solution into the cone at once, and by ending
the search for a better one: no solution in the cone can be better by more."""
_SAME = 1e-8
_OVER = 1.6
"""Over-relaxation of the alternating directions."""
_SLICE = 8192


@dataclass(frozen=True)
class Moments:
    """Moments of an embedding that enter soft debiasing.

    - `all_words`, `neutral_words`, ndarray, shape (d, d): sums of outer products of the unit
      vectors: M and K.
    - `n_all`, `n_neutral`: numbers of words.
    """

    all_words: Floats
    neutral_words: Floats
    n_all: int
    n_neutral: int

    def per_word(self) -> Moments:
        """Divide both sums so that the two terms of the objective become means."""
        return Moments(
            self.all_words / max(self.n_all, 1),
            self.neutral_words / max(self.n_neutral, 1),
            self.n_all,
            self.n_neutral,
        )


def moments(stored: NDArray[np.generic], neutral: NDArray[np.bool_]) -> Moments:
    """Return moments of the unit vectors of a matrix (V, d).

    Rows without a direction are skipped.

    Lengths cancel, and with them the scale of quantised rows.
    """
    dim = stored.shape[1]
    both = np.zeros((2, dim, dim))
    counts = [0, 0]
    for start in range(0, len(stored), _SLICE):
        with np.errstate(all="ignore"):
            units = as_units(np.array(stored[start : start + _SLICE], dtype=np.float32))
        sound = np.isfinite(units).all(axis=1) & units.any(axis=1)
        block = neutral[start : start + _SLICE]
        for k, which in enumerate((sound & ~block, sound & block)):
            if count := int(which.sum()):
                part = units[which].astype(np.float64)
                both[k] += part.T @ part
                counts[k] += count
    return Moments(both.sum(axis=0), both[1], sum(counts), counts[1])


def soft_map(of: Moments, basis: Floats, lam: float) -> Floats:
    r"""Return the symmetric map T (d, d) that minimises the objective.

    Bolukbasi et al. (2016), step 2b, solved exactly. With :math:`X = T^\top T`, the unit vectors W
    of all words, N of the neutral ones, and a basis B of the bias subspace it is

    .. math:: \min_{X \succeq 0} \|W^\top (X - I) W\|_F^2 + \lambda \|N^\top X B\|_F^2 .

    Only :math:`M = W W^\top` and :math:`K = N N^\top`, both d by d, enter it (the paper's reduced
    form). Setting the gradient to zero gives :math:`M (X - I) M = -\frac{\lambda}{2} (Z B^\top + B
    Z^\top)` with :math:`Z = K X B`, so that d r unknowns remain, and a linear system of that size.

    - `of`: of the embedding.
    - `basis`, ndarray, shape (d, r): orthonormal columns.
    - `lam`: weight of the bias, from 0 on.
    - Raises `SubjectError` when the search for a solution within the cone does not converge.
    """
    dim = len(basis)
    if lam == 0:
        return np.eye(dim)
    values, vectors = np.linalg.eigh(of.all_words)
    retained = values > _RANK * values[-1]
    values, vectors = values[retained], vectors[:, retained]
    roots = np.sqrt(values)
    whiten, colour = vectors / roots, vectors * roots
    problem = _Problem(values, whiten.T @ of.neutral_words @ whiten, whiten.T @ basis, lam)
    x = problem.solve_within_cone()
    eigen, axes = np.linalg.eigh(whiten @ x @ whiten.T)
    root = (axes * np.sqrt(eigen.clip(0))) @ axes.T
    # Directions without words are left unchanged.
    return np.asarray(root + np.eye(dim) - whiten @ colour.T)


class _Problem:
    """The objective for Y = M^1/2 X M^1/2, in the eigenvectors of M: |Y - M|^2 + lam |N' Y B|^2.

    Whitened in this way, the first term is round, and Y is positive semidefinite where X is.

    - `values`, ndarray, shape (d,): eigenvalues of M.
    - `neutral`, ndarray, shape (d, d): K, whitened.
    - `basis`, ndarray, shape (d, r): B, whitened.
    - `lam`: weight of the second term.
    """

    def __init__(self, values: Floats, neutral: Floats, basis: Floats, lam: float) -> None:
        self._m, self._k, self._b, self._lam = np.diag(values), neutral, basis, lam

    def _solver(self, rho: float) -> Callable[[Floats], Floats]:
        """Return the solver of symmetric Y in (1 + rho) Y + lam/2 (K Y B B' + B B' Y K) = R.

        With Z = K Y B this gives Y by R and Z, and put into Z a linear system for Z.
        """
        k, b, half = self._k, self._b, self._lam / 2
        dim, r = b.shape
        # Z -> K (Z B'B + B Z'B), row by row as one matrix (d r, d r).
        system = np.einsum("ij,ts->itjs", k, b.T @ b)
        system += np.einsum("it,js->isjt", k @ b, b)
        matrix = (half / (1 + rho)) * system.reshape(dim * r, dim * r)
        matrix[np.diag_indices(dim * r)] += 1
        inverse = np.linalg.inv(matrix)

        def solved(right: Floats) -> Floats:
            z = (inverse @ (k @ right @ b).reshape(-1)).reshape(dim, r) / (1 + rho)
            y = (right - half * (z @ b.T + b @ z.T)) / (1 + rho)
            return np.asarray((y + y.T) / 2)

        return solved

    def value(self, y: Floats) -> float:
        """Return the objective."""
        distance = float(np.linalg.norm(y - self._m)) ** 2
        inside = y @ self._b
        return distance + self._lam * float(np.einsum("ir,ij,jr->", inside, self._k, inside))

    def solve_within_cone(self) -> Floats:
        """Return the minimiser among the positive semidefinite Y.

        This is the solution of the linear system if it is in the cone, or almost
        so; else alternating directions (ADMM), over-relaxed, find it.
        """
        free = self._solver(0.0)(self._m)
        y = _into_cone(free)
        if self.value(y) - self.value(free) <= _GAP * self.value(free):
            return y
        rho, size = 1.0, float(np.linalg.norm(self._m))
        solved = self._solver(rho)
        dual = np.zeros_like(y)
        for number in range(1, _ROUNDS + 1):
            x = solved(self._m + rho * (y - dual))
            relaxed = _OVER * x + (1 - _OVER) * y
            before, y = y, _into_cone(relaxed + dual)
            dual += relaxed - y
            distance = float(np.linalg.norm(x - y)) / size
            moved = rho * float(np.linalg.norm(y - before)) / size
            if max(distance, moved) < _CLOSE:
                return y
            # Balance: whichever of the two lags is given more weight.
            if number % 10 == 0 and not 0.1 < distance / max(moved, 1e-300) < 10:
                factor = 3.0 if distance > moved else 1 / 3
                rho, dual = rho * factor, dual / factor
                solved = self._solver(rho)
        if self.value(y) - self.value(free) <= _LARGEST_GAP * self.value(free):
            return y
        raise SubjectError(
            f"Soft debiasing with penalty={self._lam:g} did not converge in {_ROUNDS} iterations."
            " Use another penalty, or method='hard'."
        )


def _into_cone(y: Floats) -> Floats:
    """Return the nearest positive semidefinite matrix."""
    values, axes = np.linalg.eigh(y)
    return np.asarray((axes * values.clip(0)) @ axes.T)


class LinearChange:
    """Applies a linear map to rows.

    - `by`, ndarray, shape (d, d): the symmetric map: a vector w becomes ``by @ w``, at the length
      that w had.
    - `unit`: whether rows get length 1 instead, as in the papers.
    """

    def __init__(self, by: Floats, unit: bool) -> None:
        # The map differs from the identity in few directions only, two for each of the subspace:
        # adding that difference is many times quicker than the whole map.
        values, axes = np.linalg.eigh(by - np.eye(len(by)))
        differs = np.abs(values) > _SAME
        self._axes = axes[:, differs].astype(np.float32)
        self._weighted = (axes[:, differs] * values[differs]).T.astype(np.float32)
        self._unit = unit

    def __call__(
        self,
        rows: NDArray[np.int64],  # noqa: ARG002  # all rows are changed alike
        vectors: NDArray[np.float32],
    ) -> NDArray[np.float32]:
        """New vectors of these rows, (n, d)."""
        if not self._axes.size:
            return as_units(vectors) if self._unit else vectors
        changed = as_units(vectors + (vectors @ self._axes) @ self._weighted)
        if not self._unit:
            changed *= np.linalg.norm(vectors, axis=1, keepdims=True)
        return changed

    @property
    def matrix(self) -> Floats:
        """The map, shape (d, d)."""
        difference = self._axes.astype(np.float64) @ self._weighted
        return np.asarray(np.eye(len(self._axes)) + difference)
