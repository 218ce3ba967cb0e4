"""Shared parts of the readings of a posterior."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.provenance import Provenance
from biaslab.subjects.embedding.base import EmbeddingSubject

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

    Raises
    ------
    QueryError
        When there are too few, or some are not finite.
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

    Returns
    -------
    ndarray, shape (B,)
        The first is 0; a batch never spans two chains.
    """
    each = min(max(1, -(-FEWEST_BATCHES // chains)), max(1, n // 2))
    within = np.round(np.arange(each) * n / each).astype(np.intp)
    return np.asarray((np.arange(chains, dtype=np.intp)[:, None] * n + within).ravel())


def centre_of(posterior: Posterior, centre: Centre) -> tuple[Centre, Floats | float]:
    """Return the centre of angles: its name and position, shape (d,).

    A prior without a known mean leaves the origin.

    Raises
    ------
    QueryError
        When there is no such centre.
    """
    if centre not in get_args(Centre):
        raise QueryError(f"centre is {centre!r}: choose {' or '.join(get_args(Centre))}.")
    mean = getattr(getattr(posterior, "prior", None), "mean", None)
    if centre == "origin" or mean is None or not np.any(mean):
        return "origin", 0.0
    return "prior", np.asarray(mean, dtype=np.float64)


def words_of(source: object) -> EmbeddingSubject:
    """Return the embedding of words in the space of the draws.

    Raises
    ------
    QueryError
        When it is neither, has several replicates, or the classifier knows no words.
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
