r"""Readings of a posterior: its draws, batches and centre, and mean distances to them.

Cosine and half-cosine distances are linear in the unit vectors of the draws, so that their means
need the mean unit vector of each batch only. The angle and the Euclidean distance f(x) of a vector
are not: for a batch b,

.. math::
    \bar f_b = \operatorname{mean}_{b'} [f(x) - \beta x] + \beta \, \operatorname{mean}_b x

with :math:`\beta = f'(\bar x)`, where the linear part is the mean over *all* draws of the batch and
the remainder of f, small and nearly even in x, is averaged over draws b' spread evenly over it
(regression estimator with a control variate). With few vectors b' is every draw and this is the
plain mean. With thousands it takes at most an eighth of the products; the difference is far below
the Monte Carlo error of the draws, is part of the spread of the batch means, and is tested against
the plain mean in double precision.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.records.provenance import Provenance
from biaslab.stats.threads import one_blas_thread
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.threads.cores import spread

Floats = NDArray[np.float64]

Centre: TypeAlias = Literal["prior", "origin"]
SEEN_FROM: dict[str, str] = {
    "prior": "seen from the prior's mean",
    "origin": "seen from the origin",
}

FEWEST_BATCHES = 32
"""The standard error of B batch means has B - 1 degrees of freedom."""
FEWEST_DRAWS = 20
"""Smallest number of draws for a reading."""


class Posterior(Protocol):
    """Draws of p(s | label): of `biaslab.sample_posterior`, or of its form."""

    @property
    def label(self) -> str:
        """The label."""

    @property
    def draws(self) -> NDArray[np.floating]:
        """Draws, shape (chains, n, d)."""

    @property
    def logit(self) -> NDArray[np.floating]:
        """Logit of p(label | s) at each draw, shape (chains, n)."""

    @property
    def provenance(self) -> Provenance:
        """Provenance of the draws."""


def checked_draws(posterior: Posterior) -> NDArray[np.floating]:
    """Return the draws, shape (chains, n, d), finite and enough for a reading.

    Raises `QueryError` when there are too few, or some are not finite.
    """
    draws = np.asarray(posterior.draws)
    if draws.ndim != 3:
        raise QueryError(
            f"Draws of shape {draws.shape} are not the draws of a posterior: the shape must be"
            " (chains, draws, dimensions). Pass the result of bl.sample_posterior."
        )
    if draws.shape[0] * draws.shape[1] < FEWEST_DRAWS:
        raise QueryError(
            f"There are {draws.shape[0] * draws.shape[1]} draws; at least {FEWEST_DRAWS} are"
            " needed. Run the sampler longer."
        )
    if not np.isfinite(draws).all():
        raise QueryError("Some draws are not finite. Draw the posterior again.")
    return draws


def batch_edges(chains: int, n: int) -> NDArray[np.intp]:
    """Return the starts of batches of successive draws, chain after chain.

    The means of long batches of a chain are nearly independent, so that their spread gives the
    standard error of the mean of all draws, for any autocorrelation within them ("batch
    means"). With `FEWEST_BATCHES` chains or more each chain is one batch; fewer chains are cut.

    - Returns ndarray, shape (B,): the first is 0; a batch never spans two chains.
    """
    each = min(max(1, -(-FEWEST_BATCHES // chains)), max(1, n // 2))
    within = np.round(np.arange(each) * n / each).astype(np.intp)
    return np.asarray((np.arange(chains, dtype=np.intp)[:, None] * n + within).ravel())


def centre_of(posterior: Posterior, centre: Centre) -> tuple[Centre, Floats | float]:
    """Return the centre of angles: its name and position, shape (d,).

    A prior without a known mean leaves the origin.

    Raises `QueryError` when there is no such centre.
    """
    if centre not in get_args(Centre):
        raise QueryError(f"centre is {centre!r}: choose {' or '.join(get_args(Centre))}.")
    mean = getattr(getattr(posterior, "prior", None), "mean", None)
    if centre == "origin" or mean is None or not np.any(mean):
        return "origin", 0.0
    return "prior", np.asarray(mean, dtype=np.float64)


def words_of(source: object) -> EmbeddingSubject:
    """Return the embedding of words in the space of the draws.

    Raises `QueryError` when it is neither, has several replicates, or the classifier knows no
    words.
    """
    words = source if isinstance(source, EmbeddingSubject) else getattr(source, "words", None)
    if words is None and hasattr(source, "log_probability"):
        raise QueryError(
            f"{getattr(source, 'name', 'This classifier')} has no words in its stimulus space."
            " Create it with words=<a word embedding>, or pass an embedding."
        )
    if not isinstance(words, EmbeddingSubject):
        raise QueryError(
            f"A {type(source).__name__} has no word vectors. Pass the sampled classifier or its"
            " word embedding, and the words as terms=[...]."
        )
    if words.n_replicates != 1:
        raise QueryError(
            f"{words.name} has {words.n_replicates} replicates, but the draws lie in one space."
            " Pass the replicate that the classifier was trained on: ensemble.replicate(b)."
        )
    return words


def same_space(words: EmbeddingSubject, dim: int) -> None:
    """Raise QueryError unless words and draws have the same dimension."""
    if words.dim != dim:
        raise QueryError(
            f"{words.name} has {words.dim} dimensions, but the draws have {dim}. Pass the words of"
            " the sampled classifier."
        )


def described(posterior: Posterior) -> Mapping[str, Any]:
    """Describe the posterior for a reading's provenance."""
    origin = posterior.provenance
    chains, n, dim = np.shape(posterior.draws)
    return {
        "label": posterior.label,
        "classifier": origin.subject,
        "classifier_hash": origin.subject_hash,
        "seed": origin.seed,
        "parameters": origin.parameters,
        "chains": chains,
        "draws": n,
        "dim": dim,
    }


Distance: TypeAlias = Literal["angular", "half-cosine", "cosine", "euclidean"]
Singles = NDArray[np.float32]

DISTANCES: Final[tuple[str, ...]] = get_args(Distance)
NEUTRAL: Final[dict[str, float]] = {"angular": 0.5, "half-cosine": 0.5, "cosine": 1.0}
"""The distance of a vector at right angles; the Euclidean distance has none."""
FORMULAS: Final[dict[str, str]] = {
    "angular": "arccos(cos)/π",
    "half-cosine": "(1 − cos)/2",
    "cosine": "1 − cos",
    "euclidean": "|w − s|",
}
PAIRS_AT_FULL: Final = 50_000_000
"""Pairs of vector and draw up to which every draw enters the curved part too."""
FEWEST_AT_THINNED: Final = 8192
"""Draws that enter the curved part of each vector at least."""
_ROWS: Final = 64
"""Vectors that one thread works on at a time."""
_IN_CACHE: Final = 400_000
"""Pairs of them and draws at a time: they stay near the processor."""


@dataclass(frozen=True)
class MeanDistances:
    """Mean distances of N vectors, overall and by B batches of draws.

    Attributes
    ----------
    mean : ndarray, shape (N,)
        Over all draws.
    batches : ndarray, shape (N, B)
        Over the draws of each batch.
    weights : ndarray, shape (B,)
        Share of the draws in each batch.
    used : int
        Number of draws in the nonlinear part.
    """

    mean: Floats
    batches: Floats
    weights: Floats
    used: int

    @property
    def mcse(self) -> Floats:
        """Monte Carlo standard error of each mean, by batch means: shape (N,)."""
        return batch_error(self.batches, self.weights)

    @property
    def df(self) -> int:
        """Degrees of freedom of the standard errors."""
        return len(self.weights) - 1


def batch_error(batches: Floats, weights: Floats) -> Floats:
    """Return the standard error of the weighted mean of batch means, (..., B).

    NaN with a single batch.
    """
    count = len(weights)
    if count < 2:
        return np.full(batches.shape[:-1], math.nan)
    mean = batches @ weights
    away = (batches - mean[..., None]) ** 2 @ weights
    return np.asarray(np.sqrt(away / (count - 1)))


def mean_distances(
    vectors: NDArray[np.floating],
    draws: NDArray[np.floating],
    distance: Distance = "angular",
    *,
    every_draw: bool = False,
) -> MeanDistances:
    """Return the mean distance of each vector to the draws.

    - `vectors`, ndarray, shape (N, d): finite and, but for the Euclidean distance, not zero.
    - `draws`, ndarray, shape (chains, n, d): finite.
    - `distance`: ``angular``: arccos(cos) / pi, 0 to 1; ``half-cosine``: (1 - cos) / 2, 0 to 1;
      ``cosine``: 1 - cos, 0 to 2; ``euclidean``.
    - `every_draw`: average the curved part over every draw, however many pairs that makes.
    - Raises `QueryError` when the distance is unknown, or a draw or vector has no direction.
    """
    if distance not in DISTANCES:
        raise QueryError(f"distance is {distance!r}: choose {', '.join(DISTANCES)}.")
    chains, n, dim = draws.shape
    flat = np.ascontiguousarray(draws, dtype=np.float32).reshape(-1, dim)
    points = np.ascontiguousarray(vectors, dtype=np.float32)
    edges = batch_edges(chains, n)
    sizes = np.diff([*edges, len(flat)])
    weights = sizes / len(flat)
    with one_blas_thread():
        if distance == "euclidean":
            return _euclidean(points, flat, edges, weights, every_draw)
        return _by_angle(points, flat, edges, weights, distance, every_draw)


def _by_angle(
    points: Singles,
    flat: Singles,
    edges: NDArray[np.intp],
    weights: Floats,
    distance: Distance,
    every_draw: bool,
) -> MeanDistances:
    """Compute distances that depend only on the cosine."""
    points, flat = _units(points, "A vector"), _units(flat, "A draw")
    towards = _means(flat, edges)
    cosines = points.astype(np.float64) @ towards.T
    if distance != "angular":
        scale = 2.0 if distance == "half-cosine" else 1.0
        distances = (1 - cosines) / scale
        return MeanDistances(distances @ weights, distances, weights, len(flat))

    middle = np.clip(cosines @ weights, -0.999, 0.999)
    slope = -1 / (np.pi * np.sqrt(1 - middle**2))

    def curved(pieces: Singles, _rows: slice, _draws: slice) -> Singles:
        np.clip(pieces, -1, 1, out=pieces)
        np.arccos(pieces, out=pieces)
        pieces *= np.float32(1 / np.pi)
        return pieces

    thin = _thinned(edges, len(flat), len(points), every_draw)
    f, x = _batch_means(points, flat, thin, curved)
    batches = f if x is None else f + slope[:, None] * (cosines - x)
    return MeanDistances(batches @ weights, batches, weights, sum(map(len, thin)))


def _euclidean(
    points: Singles, flat: Singles, edges: NDArray[np.intp], weights: Floats, every_draw: bool
) -> MeanDistances:
    """Compute |w - s| from w.s and the squared lengths."""
    of_points = np.einsum("nd,nd->n", points, points, dtype=np.float64)
    squares = np.einsum("nd,nd->n", flat, flat).astype(np.float64)
    products = points.astype(np.float64) @ _means(flat, edges).T
    lengths = np.add.reduceat(squares, edges) / np.diff([*edges, len(flat)])
    middle = of_points + lengths @ weights - 2 * (products @ weights)
    slope = 1 / (2 * np.sqrt(np.maximum(middle, 1e-12)))
    thin = _thinned(edges, len(flat), len(points), every_draw)
    thinned = squares[np.concatenate(thin)].astype(np.float32)

    def curved(pieces: Singles, rows: slice, which: slice) -> Singles:
        pieces *= np.float32(-2)
        pieces += of_points[rows, None].astype(np.float32)
        pieces += thinned[which]
        np.maximum(pieces, 0, out=pieces)
        return np.asarray(np.sqrt(pieces, out=pieces))

    f, x = _batch_means(points, flat, thin, curved)
    if x is not None:
        lengths_thin = np.array([squares[rows].mean() for rows in thin])
        linear = (lengths - lengths_thin)[None] - 2 * (products - x)
        f = f + slope[:, None] * linear
    return MeanDistances(f @ weights, f, weights, sum(map(len, thin)))


def _units(vectors: Singles, what: str) -> Singles:
    lengths = np.sqrt(np.einsum("nd,nd->n", vectors, vectors))
    if not (lengths > 0).all() or not np.isfinite(lengths).all():
        raise QueryError(
            f"{what} is zero or not finite, so it has no direction. Leave it out, or use"
            " distance='euclidean'."
        )
    return np.asarray(vectors / lengths[:, None], dtype=np.float32)


def _means(flat: Singles, edges: NDArray[np.intp]) -> Floats:
    """Return the mean vector of each batch in double precision, shape (B, d)."""
    ends = [*edges[1:], len(flat)]
    return np.stack(
        [
            flat[a:b].mean(axis=0, dtype=np.float64)
            for a, b in zip(edges.tolist(), ends, strict=True)
        ]
    )


def _thinned(
    edges: NDArray[np.intp], total: int, vectors: int, every_draw: bool
) -> list[NDArray[np.intp]]:
    """Return evenly spaced draws of each batch for the nonlinear part."""
    enough = max(FEWEST_AT_THINNED, PAIRS_AT_FULL // max(vectors, 1))
    step = 1 if every_draw else max(1, round(total / enough))
    ends = [*edges[1:].tolist(), total]
    indices = []
    for a, b in zip(edges.tolist(), ends, strict=True):
        first = a + min(step // 2, (b - a) // 2)
        indices.append(np.arange(first, b, step, dtype=np.intp))
    return indices


def _batch_means(
    points: Singles,
    flat: Singles,
    thin: list[NDArray[np.intp]],
    curved: Callable[[Singles, slice, slice], Singles],
) -> tuple[Floats, Floats | None]:
    """Average f and the products over the selected draws of each batch: (N, B) each.

    Those of the products are None if every draw is selected. `curved` may work in place.
    """
    all_of_them = sum(map(len, thin)) == len(flat)
    chosen = flat if all_of_them else flat[np.concatenate(thin)]
    ends = np.cumsum([len(rows) for rows in thin]).tolist()
    f = np.empty((len(points), len(thin)))
    x = None if all_of_them else np.empty_like(f)
    blocks = _blocks(ends)

    def part(i: int) -> None:
        rows = slice(i * _ROWS, min((i + 1) * _ROWS, len(points)))
        for batches, draws in blocks:
            inner = [end - draws.start for end in ends[batches]]
            products = points[rows] @ chosen[draws].T
            if x is not None:
                x[rows, batches] = _piece_means(products, inner)
            f[rows, batches] = _piece_means(curved(products, rows, draws), inner)

    spread(part, -(-len(points) // _ROWS), len(points) * len(chosen))
    return f, x


def _blocks(ends: list[int]) -> list[tuple[slice, slice]]:
    """Yield groups of batches, and their draws, whose products fit into a cache."""
    blocks, first, start = [], 0, 0
    for b, end in enumerate(ends):
        following = ends[b + 1] if b + 1 < len(ends) else None
        if following is None or _ROWS * (following - start) > _IN_CACHE:
            blocks.append((slice(first, b + 1), slice(start, end)))
            first, start = b + 1, end
    return blocks


def _piece_means(values: Singles, ends: list[int]) -> Singles:
    """Average successive pieces of each row; numpy adds pairwise along the last axis."""
    count, size = len(ends), ends[0]
    if ends[-1] == count * size and np.ptp(np.diff([0, *ends])) == 0:
        return np.asarray(values.reshape(len(values), count, size).mean(axis=2))
    starts = [0, *ends[:-1]]
    return np.stack([values[:, a:b].mean(axis=1) for a, b in zip(starts, ends, strict=True)], 1)
