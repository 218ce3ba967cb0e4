"""Comparisons behind a rating: one record per comparison or block of a language."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.probes.rating.output_shares import Floats, output_shares
from biaslab.probes.rating.rating import (
    DIFFERENT,
    EQUIVALENT,
    ERASED,
    NOT_SHOWN,
    ROUNDING,
    TOO_FEW,
    CorrectedRatings,
    PaperRatings,
    Tallies,
)
from biaslab.probes.rating.two_samples import kl_divergence
from biaslab.record import Record
from biaslab.stats.reproducibility import places

FINDINGS = {
    EQUIVALENT: "equivalent",
    DIFFERENT: "different",
    NOT_SHOWN: "not shown",
    ERASED: "erased",
    TOO_FEW: "too few",
}
_HALVINGS = 25
_FARTHEST_Z = 8.0


@dataclass(frozen=True)
class Comparison(Record):
    """One two-sample test of the paper's rule.

    Attributes
    ----------
    step : int
        1 (unbiased block, biased specification) or 2 (the other way round).
    block, specification : str
        Names of the distributions.
    output, specified : tuple of float
        Counts by value.
    statistic, p, kl : float
        Of the test, and the divergence in nats; NaN if nothing was resolved.
    df : int
        Degrees of freedom; 0 if the test has none.
    similar : bool
        Whether the output counts as similar.
    """

    step: int
    block: str
    specification: str
    output: tuple[float, ...]
    specified: tuple[float, ...]
    statistic: float
    df: int
    p: float
    kl: float
    similar: bool


@dataclass(frozen=True)
class BlockFinding(Record):
    """Finding of the corrected rule on one block.

    Attributes
    ----------
    block, kind : str
        Name and kind of its distribution.
    finding : str
        ``equivalent``, ``different`` (shown to be), ``not shown`` (to be either), ``erased`` or
        ``too few``.
    input_shares : tuple of float
        Of all values.
    output : tuple of float
        Resolved counts of all values.
    unresolved, mentions : float
        Counts.
    kept : float
        Largest share of a named value that was returned as a named value.
    values : tuple of str
        That are compared.
    shares, low, high : tuple of float
        Among mentions that kept one, with limits of the rule's level on each side.
    target : tuple of float
        The nearest unbiased specification.
    p : float
        Of the equivalence test: the smallest 1 - level at which equivalence would be shown; above
        0.5 if the estimate itself is not within the margin, then 1. NaN if it was not
        requested.
    predicted : bool
        Whether the block was run with other shares.
    """

    block: str
    kind: str
    finding: str
    input_shares: tuple[float, ...]
    output: tuple[float, ...]
    unresolved: float
    mentions: float
    kept: float
    values: tuple[str, ...]
    shares: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    target: tuple[float, ...]
    p: float
    predicted: bool

    @property
    def unknown(self) -> bool:
        """Whether the block is predicted with a value that no text of the run had."""
        return self.predicted and sum(self.output) <= 0

    @property
    def farthest(self) -> int:
        """Index of the compared value whose share is farthest from its target.

        Two shares that sum to 1 are equally far from theirs.
        """
        away = np.abs(np.subtract(self.shares, self.target))
        return int(places(away, rounding=1e-9).argmax())

    @property
    def named(self) -> float:
        """Number of mentions returned as a named value."""
        return float(sum(self.output[:-1]))


def comparisons(ratings: PaperRatings, tallies: Tallies, i: int) -> tuple[Comparison, ...]:
    """Return the comparisons of language `i`, first step 1, then step 2."""
    names = [d.name for d in tallies.distributions]
    divergence = kl_divergence(ratings.output[i], ratings.specified)
    result = []
    for c, (block, specification) in enumerate(ratings.pairs):
        result.append(
            Comparison(
                int(ratings.step[c]),
                names[block],
                names[specification],
                tuple(ratings.output[i, c].tolist()),
                tuple(ratings.specified[c].tolist()),
                float(ratings.tests.statistic[i, c]),
                int(ratings.tests.df[i, c]),
                float(ratings.tests.p[i, c]),
                float(divergence[c]),
                bool(ratings.similar[i, c]),
            )
        )
    return tuple(result)


def block_findings(
    ratings: CorrectedRatings, tallies: Tallies, p: Floats, i: int, values: tuple[str, ...]
) -> tuple[BlockFinding, ...]:
    """Return the corrected rule's finding on each block of language `i`."""
    compared = tuple(v for v, use in zip(values, tallies.compared, strict=True) if use)
    result = []
    for b, distribution in enumerate(tallies.distributions):
        resolved = tallies.resolved[i, b]
        result.append(
            BlockFinding(
                distribution.name,
                distribution.kind,
                FINDINGS[int(ratings.block[i, b])],
                distribution.shares,
                tuple(tallies.output[i, b].tolist()),
                float(max(tallies.mentions[b] - resolved, 0.0)),
                float(tallies.mentions[b]),
                float(ratings.kept[i, b]),
                compared,
                tuple(ratings.shares.share[i, b].tolist()),
                tuple(ratings.shares.low[i, b].tolist()),
                tuple(ratings.shares.high[i, b].tolist()),
                tuple(ratings.targets[ratings.nearest[i, b]].tolist()),
                float(p[i, b]),
                bool(tallies.predicted is not None and tallies.predicted[b]),
            )
        )
    return tuple(result)


def equivalence_p(tallies: Tallies, targets: Floats, margin: float) -> Floats:
    """Return p-values of the blocks' equivalence tests, (..., B), or NaN.

    The widest limits that still lie within the margin of one target give it; with U targets it is
    U times as large (Bonferroni), as the rule's test is.
    """
    rows, effect = tallies.rows, tallies.design_effect[..., None]
    low_z = np.zeros(rows.shape[:-2])
    high_z = np.full(rows.shape[:-2], _FARTHEST_Z)

    def inside(z: Floats) -> NDArray[np.bool_]:
        limits = output_shares(rows, tallies.shares, z, effect)
        low, high = limits.low[..., None, :], limits.high[..., None, :]
        least, most = targets - margin - ROUNDING, targets + margin + ROUNDING
        return np.asarray(((low >= least) & (high <= most)).all(-1).any(-1))

    at_zero = inside(low_z)
    for _ in range(_HALVINGS):
        middle = (low_z + high_z) / 2
        held = inside(middle)
        low_z, high_z = np.where(held, middle, low_z), np.where(held, high_z, middle)
    p = np.where(at_zero, np.minimum(special.ndtr(-low_z) * len(targets), 1.0), 1.0)
    return np.where(rows[..., :-1].sum((-2, -1)) > 0, p, np.nan)
