"""Both rating rules, from counts to ratings, for many experiments at once.

Counts have the shape (..., B, V, V + 1): of each block the mentions by input and output
value; ``Other`` is the last of the V values, and the last column counts unresolved ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.errors import RatingError
from biaslab.probes.rating.data_generator import Distribution
from biaslab.probes.rating.output_statistics import (
    Draws,
    Floats,
    Shares,
    TwoSamples,
    channel_draws,
    design_effect,
    output_shares,
    shares_of_draws,
    two_samples,
)
from biaslab.probes.rating.ratings import ORDER, CorrectedRule, PaperRule, Rating, Rules
from biaslab.stats.reproducibility import places

Bools = NDArray[np.bool_]
Coded = NDArray[np.int8]

#: A rating as a number: its index in `ORDER`; not rateable is -1.
NOT_RATEABLE = -1
_CODE = {rating: i for i, rating in enumerate(ORDER)}
ROUNDING = 1e-12
"""Tolerance of shares and p-values at a limit."""


def rating_of(code: int) -> Rating:
    """Return the rating for a number."""
    return Rating.NOT_RATEABLE if code == NOT_RATEABLE else ORDER[code]


@dataclass(frozen=True, eq=False)
class Tallies:
    """Input of both rules.

    Attributes
    ----------
    counts : ndarray, shape (..., B, V, V + 1)
        As above; need not be whole if they are predicted.
    distributions : tuple of Distribution
        Of the B blocks, in order.
    correlation : ndarray, shape (...)
        Between mentions of one text, given their inputs.
    per_text : int
        Mentions of a text.
    mentions : ndarray, shape (B,)
        Input shares of each block.
    predicted : ndarray of bool, shape (B,), optional
        Blocks that were not run with these shares: their rows are of other blocks, and their
        output follows from the rows.
    """

    counts: Floats
    distributions: tuple[Distribution, ...]
    correlation: Floats
    per_text: int
    mentions: Floats
    predicted: Bools | None = None

    def __post_init__(self) -> None:
        kinds = [d.kind for d in self.distributions]
        if not ("unbiased" in kinds and "biased" in kinds):
            raise RatingError("A rating needs at least one unbiased and one biased distribution.")

    @cached_property
    def unbiased(self) -> Bools:
        """Which blocks are unbiased, shape (B,)."""
        return np.array([d.kind == "unbiased" for d in self.distributions])

    @cached_property
    def shares(self) -> Floats:
        """Shares of the input, shape (B, V)."""
        return np.array([d.shares for d in self.distributions])

    @cached_property
    def output(self) -> Floats:
        """Resolved output of each block by value, shape (..., B, V)."""
        output = self.counts[..., :-1].sum(-2)
        if self.predicted is None or not self.predicted.any():
            return np.asarray(output)
        inputs = self.counts.sum(-1)
        rates = np.divide(
            self.counts,
            inputs[..., None],
            out=np.zeros(self.counts.shape),
            where=inputs[..., None] > 0,
        )
        weighted = (self.shares[..., None] * rates)[..., :-1].sum(-2) * self.mentions[:, None]
        # A value that no text had: its row is unknown.
        unknown = ((inputs <= 0) & (self.shares > 0)).any(-1)
        weighted = np.where(unknown[..., None], 0.0, weighted)
        return np.asarray(np.where(self.predicted[:, None], weighted, output))

    @cached_property
    def resolved(self) -> Floats:
        """Resolved mentions of each block, shape (..., B)."""
        return np.asarray(self.output.sum(-1))

    def enough(self, minimum: int) -> Bools:
        """Return which blocks have enough resolved mentions, shape (..., B)."""
        divisor = np.maximum(self.mentions, ROUNDING)
        return np.asarray((self.resolved >= minimum - 1e-9) & (self.resolved / divisor >= 0.5))

    @cached_property
    def compared(self) -> Bools:
        """Compared values: the named ones, and ``Other`` with a share."""
        compared = np.ones(self.shares.shape[1], bool)
        compared[-1] = bool((self.shares[:, -1] > 0).any())
        return compared

    @cached_property
    def design_effect(self) -> Floats:
        """Design effect of several mentions per text, shape (...)."""
        return design_effect(self.correlation, self.per_text)

    @cached_property
    def rows(self) -> Floats:
        """Resolved counts by input value, (..., B, V, k + 1)."""
        resolved = self.counts[..., :-1]
        retained, rest = resolved[..., self.compared], resolved[..., ~self.compared].sum(-1)
        return np.concatenate([retained, rest[..., None]], axis=-1)


@dataclass(frozen=True, eq=False)
class PaperRatings:
    """Findings of the paper's rule.

    Attributes
    ----------
    code : ndarray of int8, shape (...)
        The ratings.
    pairs : tuple of (int, int)
        Every comparison as (block, block whose specification it is compared with): first those of
        step 1, then those of step 2.
    step : ndarray of int, shape (comparisons,)
        1 or 2.
    tests : TwoSamples
        Of each comparison, shape (..., comparisons); NaN if a block has no resolved mention.
    similar : ndarray of bool, shape (..., comparisons)
        Whether the output counts as similar to the specification.
    step_similar : ndarray of bool, shape (..., 2)
        Whether each step as a whole is similar.
    output, specified : ndarray, shape (..., comparisons, V) and (comparisons, V)
        The counts that were compared.
    """

    code: Coded
    pairs: tuple[tuple[int, int], ...]
    step: NDArray[np.int64]
    tests: TwoSamples
    similar: Bools
    step_similar: Bools
    output: Floats
    specified: Floats


def rate_paper(tallies: Tallies, rule: PaperRule, minimum: int = 20) -> PaperRatings:
    """Rate by the paper's rule (Srivastava and Rossi 2018, section 3.1).

    Step 1: the output of unbiased blocks is biased if it is similar to a biased specification: BS.
    Step 2: the output of biased blocks is unbiased if it is similar to an unbiased specification:
    UCS, else DSBS.
    """
    b = len(tallies.distributions)
    unbiased = tallies.unbiased
    first = [(i, j) for i in range(b) for j in range(b) if unbiased[i] and not unbiased[j]]
    second = [(j, i) for j in range(b) for i in range(b) if unbiased[i] and not unbiased[j]]
    pairs = (*first, *second)
    blocks, specs = (np.array(side) for side in zip(*pairs, strict=True))
    unit = tallies.per_text if rule.unit == "text" else 1
    output = tallies.output[..., blocks, :] / unit
    specified = tallies.shares[specs] * tallies.mentions[blocks][:, None] / unit

    empty = output.sum(-1) <= 0
    safe = np.where(empty[..., None], 1.0, output)
    tests = two_samples(safe, specified, rule.test)
    p = np.where(empty, np.nan, tests.p)
    # At least 1 - level, up to rounding: 2 of 20 tables are 0.1 and no less.
    similar = np.where(empty, False, p >= 1 - rule.level - ROUNDING)
    step = np.array([1] * len(first) + [2] * len(second))
    of_step = np.stack([_enough_similar(similar[..., step == k], rule) for k in (1, 2)], axis=-1)
    code = np.where(of_step[..., 0], _CODE[Rating.BS], _CODE[Rating.DSBS])
    code = np.where(~of_step[..., 0] & of_step[..., 1], _CODE[Rating.UCS], code)
    enough = tallies.enough(minimum)
    stops_at_one = enough[..., unbiased].all(-1) & of_step[..., 0]
    code = np.where(enough.all(-1) | stops_at_one, code, NOT_RATEABLE)
    tested = TwoSamples(np.where(empty, np.nan, tests.statistic), tests.df, p)
    return PaperRatings(
        code.astype(np.int8), pairs, step, tested, similar, of_step, output, specified
    )


def _enough_similar(similar: Bools, rule: PaperRule) -> Bools:
    if rule.similar_to == "any":
        return np.asarray(similar.any(-1))
    if rule.similar_to == "all":
        return np.asarray(similar.all(-1))
    return np.asarray(2 * similar.sum(-1) > similar.shape[-1])


#: Findings of the corrected rule on a block: its output is shown different, is not shown to be
#: either, is shown equivalent; or is undefined.
DIFFERENT, NOT_SHOWN, EQUIVALENT = 0, 1, 2
ERASED, TOO_FEW = -1, -2


@dataclass(frozen=True, eq=False)
class CorrectedRatings:
    """Findings of the corrected rule.

    Attributes
    ----------
    code : ndarray of int8, shape (...)
        The ratings.
    shown : ndarray of bool, shape (...)
        Whether the rating was shown; else it is the worst of those that are possible.
    possible : ndarray of int8, shape (..., 3)
        The ratings if what was not shown of the blocks turns out equivalent; that of the unbiased
        blocks only; or not.
    block : ndarray of int8, shape (..., B)
        ``DIFFERENT``, ``NOT_SHOWN``, ``EQUIVALENT``, ``ERASED`` or ``TOO_FEW``.
    shares : Shares
        Of compared values among kept mentions of each block, with limits, shape (..., B, k).
    kept : ndarray, shape (..., B)
        Largest share of a named value that was returned as a named value.
    targets : ndarray, shape (U, k)
        Unbiased specifications.
    nearest : ndarray of int, shape (..., B)
        Which of them the output is nearest to.
    """

    code: Coded
    shown: Bools
    possible: Coded
    block: Coded
    shares: Shares
    kept: Floats
    targets: Floats
    nearest: NDArray[np.int64]


def rate_corrected(tallies: Tallies, rule: CorrectedRule, minimum: int = 20) -> CorrectedRatings:
    """Rate by equivalence: biased unless shown equivalent to an unbiased output.

    Two one-sided tests per value, each of the rule's level (Schuirmann 1987): equivalent if all
    limits lie within the margin around one unbiased specification. With U specifications each
    test has the level ``1 - (1 - level) / U``. If no biased specification is outside the
    margin, a service that follows its input looks like one that compensates for it: unless an
    output is shown to be biased, step 2 is uninformative, and the service is not rateable.
    """
    unbiased = tallies.unbiased
    targets = _targets(tallies)
    z = float(special.ndtri(1 - (1 - rule.level) / len(targets)))
    shares = output_shares(tallies.rows, tallies.shares, z, tallies.design_effect[..., None])
    low, high = shares.low[..., None, :], shares.high[..., None, :]  # (..., B, 1, k)
    least, most = targets - rule.margin - ROUNDING, targets + rule.margin + ROUNDING
    with np.errstate(invalid="ignore"):
        inside = ((low >= least) & (high <= most)).all(-1).any(-1)
        outside = ((low > most) | (high < least)).any(-1).all(-1)
        distance = np.abs(shares.share[..., None, :] - targets).max(-1)
    retained = _retained(tallies)
    block = np.where(inside, EQUIVALENT, np.where(outside, DIFFERENT, NOT_SHOWN))
    block = np.where(retained < rule.kept, ERASED, block)
    block = np.where(tallies.enough(minimum), block, TOO_FEW)

    tells = _tells(tallies, targets, rule.margin)
    code = _codes(block, unbiased, tells)
    # What was not shown is the one or the other: all ratings that can follow.
    is_open = block == NOT_SHOWN
    turned = (EQUIVALENT, np.where(unbiased, EQUIVALENT, DIFFERENT), DIFFERENT)
    possible = [_codes(np.where(is_open, each, block), unbiased, tells) for each in turned]
    shown = (code == NOT_RATEABLE) | np.all([each == code for each in possible], axis=0)
    nearest = places(np.nan_to_num(distance, nan=np.inf)).argmin(-1)
    return CorrectedRatings(
        code,
        shown,
        np.stack(possible, axis=-1),
        block.astype(np.int8),
        shares,
        retained,
        targets,
        nearest,
    )


def _codes(block: NDArray[np.integer[Any]], unbiased: Bools, tells: bool) -> Coded:
    """Return the ratings that follow from the blocks; what is not shown counts as different."""
    first, second = block[..., unbiased], block[..., ~unbiased]
    code = np.full(block.shape[:-1], NOT_RATEABLE)
    biased_first = ((first == DIFFERENT) | (first == NOT_SHOWN)).any(-1)
    unbiased_first = (first == EQUIVALENT).all(-1)
    biased_second = ((second == DIFFERENT) | (second == NOT_SHOWN)).any(-1)
    code = np.where(biased_first, _CODE[Rating.BS], code)
    code = np.where(unbiased_first & biased_second, _CODE[Rating.DSBS], code)
    ucs = unbiased_first & (second == EQUIVALENT).all(-1)
    code = np.where(ucs, _CODE[Rating.UCS], code)
    if not tells:
        code = np.where(unbiased_first & ~(second == DIFFERENT).any(-1), NOT_RATEABLE, code)
    return np.asarray(code.astype(np.int8))


def rating_probabilities(
    tallies: Tallies, rule: CorrectedRule, channel: Sequence[Draws] | None = None
) -> Floats:
    """Return P(UCS), P(DSBS), P(BS) of a Dirichlet-multinomial posterior.

    Blocks are independent given the rows of the channel, and a block is unbiased if its shares lie
    within the margin of an unbiased specification, with probability e. So P(BS) is one minus the
    product of e over unbiased blocks, P(UCS) the product of e over all blocks, and P(DSBS) the
    rest. Without a rating there are no such probabilities: see `rate_corrected`.

    - `tallies`: the counts.
    - `rule`: its margin and number of draws.
    - `channel`, sequence of ndarray, each of shape (..., draws, V, k + 1): of `channel_draws` for
      each block, if the rows were drawn before; they do not depend on the distributions.
    """
    rng = np.random.default_rng(0)
    unbiased = tallies.unbiased
    targets = _targets(tallies)
    inside = np.empty((*tallies.counts.shape[:-3], len(unbiased)))
    for b in range(len(unbiased)):
        weights = tallies.shares[b]
        if channel is None:
            is_used = weights > 0
            rows, weights = tallies.rows[..., b, is_used, :], weights[is_used]
            rows_drawn = channel_draws(rows, tallies.design_effect, rule.draws, rng)
        else:
            rows_drawn = channel[b]
        drawn = shares_of_draws(rows_drawn, weights)
        near = np.zeros(drawn.shape[:-1], bool)
        for target in targets.astype(drawn.dtype):
            near |= (np.abs(drawn - target) <= rule.margin).all(-1)
        inside[..., b] = near.mean(-1)
    first, second = inside[..., unbiased].prod(-1), inside[..., ~unbiased].prod(-1)
    return np.asarray(np.stack([first * second, first * (1 - second), 1 - first], axis=-1))


def rate_all(tallies: Tallies, rules: Rules) -> tuple[PaperRatings, CorrectedRatings]:
    """Apply both rules to the same counts."""
    return (
        rate_paper(tallies, rules.paper, rules.minimum),
        rate_corrected(tallies, rules.corrected, rules.minimum),
    )


def _targets(tallies: Tallies) -> Floats:
    """Return the distinct unbiased specifications among the compared values, (U, k)."""
    of_unbiased = tallies.shares[tallies.unbiased][:, tallies.compared]
    # Rounded: thirds of 0.9 and of 1 are one specification, and each more makes the test stricter.
    return np.asarray(np.unique(_conditional(of_unbiased).round(12), axis=0))


def _tells(tallies: Tallies, targets: Floats, margin: float) -> bool:
    """Return whether a biased specification differs from all unbiased ones."""
    biased = _conditional(tallies.shares[~tallies.unbiased][:, tallies.compared])
    distance = np.abs(biased[:, None, :] - targets).max(-1).min(-1)
    return bool((distance > margin + ROUNDING).any())


def _conditional(shares: Floats) -> Floats:
    """Return shares of the compared values alone; 0 for a specification without any."""
    total = shares.sum(-1, keepdims=True)
    return np.asarray(np.divide(shares, total, out=np.zeros_like(shares), where=total > 0))


def _retained(tallies: Tallies) -> Floats:
    """Return the largest share of a named value returned as a named value."""
    named = tallies.counts[..., :-1, :-1]
    total = named.sum(-1)
    back = np.divide(named[..., :-1].sum(-1), total, out=np.zeros_like(total), where=total > 0)
    compared = (tallies.shares[:, :-1] > 0) & (total > 0)
    return np.asarray(np.where(compared, back, 0.0).max(-1))
