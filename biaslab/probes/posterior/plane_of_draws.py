"""``bl.posterior.plane``: draws of one or two posteriors in a plane (Fig. 6)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import NoRawFrameError, QueryError
from biaslab.probes.posterior.axes import STABLE, AxesKind, EvidenceRatio, evidence_ratio, fit_axes
from biaslab.probes.posterior.reading import (
    Floats,
    Posterior,
    checked_draws,
    described,
    same_space,
    words_of,
)
from biaslab.probes.unknown_words import as_dropped, with_suggestions
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.records.record import Record
from biaslab.records.result import Dropped, Result
from biaslab.stats.significance import check_level

if TYPE_CHECKING:
    import pandas as pd

SHOWN_UP_TO = 2000
"""Number of draws of each posterior in the chart."""


@dataclass(frozen=True)
class Cloud(Record):
    """The draws of one posterior in the plane.

    Attributes
    ----------
    label : str
        Of p(s | label).
    points : ndarray, shape (k, 2)
        Some draws, spread evenly over all; float32.
    draws : int
        Number of draws.
    mean : ndarray, shape (2,)
        Of all draws.
    covariance : ndarray, shape (2, 2)
        Of all draws.
    """

    label: str
    points: NDArray[np.float32]
    draws: int
    mean: Floats
    covariance: Floats

    def outline(self, sigmas: float = 1.0, steps: int = 96) -> Floats:
        """Return the ellipse at this many standard deviations, (steps + 1, 2); closed."""
        values, vectors = np.linalg.eigh(self.covariance)
        turn = np.linspace(0, 2 * np.pi, steps + 1)
        circle = np.stack([np.cos(turn), np.sin(turn)])
        radii = sigmas * np.sqrt(np.maximum(values, 0))
        return np.asarray(self.mean + ((vectors * radii) @ circle).T)


@dataclass(frozen=True, kw_only=True)
class PosteriorPlane(Result):
    """A plane through the space of stimuli, the posteriors in it, and words.

    Attributes
    ----------
    axes : str
        ``pca`` or ``difference``.
    origin : ndarray, shape (d,)
        The point at (0, 0): the mean of the posteriors' means.
    basis : ndarray, shape (d, 2)
        The axes, orthonormal.
    explained : ndarray, shape (2,)
        Share of the pooled draws' variance along each axis.
    even_share : float
        The share that every axis has of perfectly round draws, 1/d.
    stability : ndarray, shape (2,)
        How well two halves of the draws agree, 0 to 1: on the first axis, and on the plane.
    clouds : tuple of Cloud
        One per posterior, in the order given.
    terms : tuple of str
        V words.
    word_points : ndarray, shape (V, 2)
        Their coordinates.
    log_density_difference : ndarray, shape (V,) or (0,)
        log p(w | a) - log p(w | b) of the two posteriors a, b at each word; empty without
        two posteriors and a classifier.
    evidence : EvidenceRatio or None
        log p(a) - log p(b), by bridge sampling; None unless there are two.
    """

    schema: ClassVar[str] = "posterior-plane/1"

    axes: str
    origin: Floats
    basis: Floats
    explained: Floats
    even_share: float
    stability: Floats
    clouds: tuple[Cloud, ...]
    terms: tuple[str, ...]
    word_points: Floats
    log_density_difference: Floats
    evidence: EvidenceRatio | None

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the posteriors."""
        return tuple(cloud.label for cloud in self.clouds)

    @property
    def axis_names(self) -> tuple[str, str]:
        """Labels of the two axes."""
        x_share, y_share = (f"{100 * share:.1f} % of variance" for share in self.explained)
        if self.axes == "pca":
            return f"PC 1, {x_share}", f"PC 2, {y_share}"
        a, b = self.labels
        return f"mean {a} minus mean {b}, {x_share}", f"most variance at a right angle, {y_share}"

    @property
    def arbitrary(self) -> tuple[bool, bool]:
        """Whether two halves of the draws disagree on each axis."""
        first, both = (bool(v < STABLE) for v in self.stability)
        return first, both

    @property
    def warning(self) -> str:
        """Warning about unstable axes; empty if they are stable."""
        first, second = self.arbitrary
        if not first and not second:
            return ""
        if self.axes == "difference":
            if first:
                return (
                    "Two halves of the draws disagree about the direction of the mean difference:"
                    " the posteriors differ too little, or there are too few draws."
                )
            return (
                "At a right angle to the mean difference the draws have almost the same variance"
                " in all directions, so the second axis is nearly arbitrary; the first axis is"
                " reliable."
            )
        if not first:
            return (
                "The first axis is reliable; in the remaining directions the draws have almost the"
                " same variance, so the second axis is nearly arbitrary: other draws would rotate"
                " it."
            )
        more = " The axis of the mean difference is more reliable."
        return (
            "The draws have almost the same variance in all directions, so the principal axes are"
            " nearly arbitrary: other draws would rotate"
            f" them.{more if len(self.clouds) == 2 else ''}"
        )

    def project(self, points: NDArray[np.floating]) -> Floats:
        """Project points (..., d) onto the plane: (..., 2)."""
        return np.asarray((np.asarray(points, dtype=np.float64) - self.origin) @ self.basis)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {term: i for i, term in enumerate(self.terms)}

    def word(self, term: str) -> tuple[Floats, float]:
        """Return a word's position, (2,), and log density difference (NaN if unknown).

        Raises
        ------
        KeyError
            When the word is not in the result.
        """
        if term not in self._places:
            raise KeyError(f"{term!r} is not in this plane: add it to terms=[...].")
        i = self._places[term]
        known = len(self.log_density_difference) > 0
        return self.word_points[i], float(self.log_density_difference[i]) if known else math.nan

    def raw_frame(self) -> pd.DataFrame:
        """None: the draws stay with the results that the plane was made from.

        Raises
        ------
        NoRawFrameError
            Always.
        """
        raise NoRawFrameError(
            "A plane keeps no draws. Use raw_frame() of the posterior results it was made from."
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per word: term, x, y, log_density_difference; else one per cloud."""
        import pandas as pd

        if not self.terms:
            return pd.DataFrame(
                {
                    "label": self.labels,
                    "draws": [cloud.draws for cloud in self.clouds],
                    "x": [float(cloud.mean[0]) for cloud in self.clouds],
                    "y": [float(cloud.mean[1]) for cloud in self.clouds],
                    "x_sd": [math.sqrt(cloud.covariance[0, 0]) for cloud in self.clouds],
                    "y_sd": [math.sqrt(cloud.covariance[1, 1]) for cloud in self.clouds],
                }
            )
        columns: dict[str, Any] = {
            "term": self.terms,
            "x": self.word_points[:, 0],
            "y": self.word_points[:, 1],
        }
        if len(self.log_density_difference):
            columns["log_density_difference"] = self.log_density_difference
        return pd.DataFrame(columns)


@recorded
def plane(
    posteriors: Mapping[str, Posterior] | Sequence[Posterior] | Posterior,
    words: object = None,
    terms: Sequence[str] | None = None,
    *,
    axes: AxesKind = "pca",
    shown: int = SHOWN_UP_TO,
    level: float = 0.95,
) -> PosteriorPlane:
    r"""Project posteriors, and words, into a plane (Liang and Acuna 2020, Fig. 6).

    Parameters
    ----------
    posteriors : mapping of str to PosteriorResult
        One posterior or two by label, such as ``{"positive": ..., "negative": ...}``; or the
        results themselves.
    words : Classifier or EmbeddingSubject, optional
        Words to project. With the classifier that was sampled, each word also gets its log
        density difference under two posteriors.
    terms : sequence of str, optional
        Which words; by default all.
    axes : str
        ``pca``: the first two principal components of the pooled draws, each posterior counting
        alike. ``difference``: the difference of the means, and the first principal component at
        right angles to it. Nearly round draws have no meaningful principal
        components: `PosteriorPlane.warning` says so.
    shown : int
        Number of draws of each posterior in the chart.
    level : float
        Of the interval of the evidence.

    Returns
    -------
    PosteriorPlane

    Raises
    ------
    QueryError
        When the posteriors are none, of other spaces or other priors, or cannot be read.
    ValueError
        When the level is out of range.

    Notes
    -----
    The log density difference of a word w is

    .. math:: \log p(w|a) - \log p(w|b)
              = \log \frac{p(a|w)}{p(b|w)} - \log \frac{p(a)}{p(b)},

    where the prior of w cancels, and the evidence p(a), p(b) is the classifier's mean answer over
    the prior. Its ratio follows from the draws by bridge sampling (`biaslab.probes.posterior
    .evidence`); no density is estimated from draws in 100 dimensions.
    """
    check_level(level)
    by_label = _by_label(posteriors)
    draws = [checked_draws(posterior) for posterior in by_label.values()]
    dim = draws[0].shape[2]
    if any(posterior.shape[2] != dim for posterior in draws):
        raise QueryError("The posteriors lie in spaces of different dimensions: draw them again.")
    _same_prior(list(by_label.values()))
    embedding = None if words is None else words_of(words)
    if embedding is not None:
        same_space(embedding, dim)
    classifier = words if hasattr(words, "log_probability") else None
    parameters = {
        "posteriors": {name: described(posterior) for name, posterior in by_label.items()},
        "axes": axes,
        "terms": None if terms is None else len(terms),
        "shown": shown,
        "level": level,
    }
    subject = next(iter(by_label.values())).provenance.subject if words is None else words
    with measured(probe="posterior_plane", subject=subject, parameters=parameters) as run:
        fitted = fit_axes(draws, axes)
        clouds = tuple(
            _cloud(name, posterior, fitted.origin, fitted.basis, shown)
            for name, posterior in zip(by_label, draws, strict=True)
        )
        known: tuple[str, ...] = ()
        dropped: tuple[Dropped, ...] = ()
        vectors = np.empty((0, dim))
        if embedding is not None:
            requested = list(embedding.words) if terms is None else list(terms)
            resolution = embedding.resolve(requested, suggest=False)
            known = tuple(resolution.known)
            dropped = tuple(
                as_dropped(posterior, "word")
                for posterior in with_suggestions(embedding, resolution.unknown)
            )
            if known:
                vectors = embedding.vectors(known)[0].astype(np.float64)
        evidence = _evidence(by_label, classifier, level)
        differences = np.empty(0)
        if evidence is not None and classifier is not None and known:
            odds = _log_odds(classifier, vectors, list(by_label))
            differences = odds - evidence.log_ratio
    return PosteriorPlane(
        axes=axes,
        origin=fitted.origin,
        basis=fitted.basis,
        explained=fitted.explained,
        even_share=fitted.even_share,
        stability=fitted.stability,
        clouds=clouds,
        terms=known,
        word_points=(vectors - fitted.origin) @ fitted.basis,
        log_density_difference=differences,
        evidence=evidence,
        dropped=dropped,
        provenance=run.provenance,
    )


def _by_label(
    posteriors: Mapping[str, Posterior] | Sequence[Posterior] | Posterior,
) -> dict[str, Posterior]:
    if isinstance(posteriors, Mapping):
        by_label = dict(posteriors)
        for name, result in by_label.items():
            if result.label != name:
                raise QueryError(
                    f"The posterior given as {name!r} is the posterior of {result.label!r}: use"
                    " that name."
                )
    else:
        every = list(posteriors) if isinstance(posteriors, Sequence) else [posteriors]
        by_label = {result.label: result for result in every}
        if len(by_label) < len(every):
            raise QueryError("Two posteriors have the same label: give one per label.")
    if not 1 <= len(by_label) <= 2:
        raise QueryError(f"A plane shows one or two posteriors; got {len(by_label)}.")
    return by_label


def _same_prior(posteriors: Sequence[Posterior]) -> None:
    """Raise QueryError if two posteriors have different priors or classifiers."""
    if len(posteriors) < 2:
        return
    first, second = posteriors
    hashes = {p.provenance.subject_hash for p in posteriors}
    if len(hashes) > 1:
        raise QueryError(
            "The posteriors belong to different classifiers: sample both from the same one."
        )
    mine, other = (getattr(p, "prior", None) for p in (first, second))
    if mine is not None and other is not None and mine != other:
        raise QueryError(
            f"The posteriors have different priors ({getattr(mine, 'name', mine)} and "
            f"{getattr(other, 'name', other)}, or another width): sample both with the same prior."
        )


def _cloud(
    label: str, draws: NDArray[np.floating], origin: Floats, basis: Floats, shown: int
) -> Cloud:
    flat = draws.reshape(-1, draws.shape[2])
    points = flat @ basis.astype(flat.dtype) - (origin @ basis).astype(flat.dtype)
    # Alternating over all chains, so that kept and dropped draws are equally old.
    mixed = points.reshape(*draws.shape[:2], 2).swapaxes(0, 1).reshape(-1, 2)
    keep = np.unique(np.linspace(0, len(mixed) - 1, min(shown, len(mixed))).round().astype(int))
    covariance = np.cov(points.astype(np.float64), rowvar=False)
    return Cloud(
        label,
        mixed[keep].astype(np.float32),
        len(points),
        points.mean(axis=0, dtype=np.float64),
        np.atleast_2d(covariance),
    )


def _evidence(
    by_label: Mapping[str, Posterior], classifier: object, level: float
) -> EvidenceRatio | None:
    """Return evidence from the logits of two labels, else from the classifier.

    Draws made just before the classifier failed have no logits (NaN), and are left out. A black
    box that only chooses has none at all: then there is no ratio without a classifier.
    """
    if len(by_label) != 2:
        return None
    (a, of_a), (b, of_b) = by_label.items()
    labels: Sequence[str] = (
        getattr(of_a, "labels", ()) or getattr(classifier, "labels", ()) or (a, b)
    )
    at_a, at_b = _known(of_a.logit), _known(of_b.logit)
    if len(labels) == 2 and at_a.size and at_b.size:
        # p(b|s) = 1 - p(a|s): the log odds of a against b are the logit of a.
        return evidence_ratio(at_a, -at_b, level)
    if classifier is None:
        return None
    odds = [
        _log_odds(
            classifier, np.asarray(posterior.draws).reshape(-1, posterior.draws.shape[2]), [a, b]
        )
        for posterior in (of_a, of_b)
    ]
    shapes = [np.shape(posterior.draws)[:2] for posterior in (of_a, of_b)]
    return evidence_ratio(odds[0].reshape(shapes[0]), odds[1].reshape(shapes[1]), level)


def _known(logit: object) -> Floats:
    """Return the draws (chains, n) at which every chain has a logit."""
    values = np.asarray(logit, dtype=np.float64)
    return values[:, np.isfinite(values).all(axis=0)]


def _log_odds(classifier: Any, points: NDArray[np.floating], labels: Sequence[str]) -> Floats:
    """Log odds, log p(a | s) - log p(b | s), at points (n, d)."""
    import torch

    with torch.no_grad():
        stimuli = torch.as_tensor(np.array(points, dtype=np.float32))
        log_p_1, log_p_2 = (
            classifier.log_probability(stimuli, label).cpu().numpy().astype(np.float64)
            for label in labels
        )
    return np.asarray(log_p_1 - log_p_2)
