r"""Where in a network a lean arises: from layer to layer, the change of an even blend's answer.

The end runs are the same whichever layer the stimulus is patched in at, so that only the answers
between them change. Let :math:`m_l` be the mean P(cue 2) of an even blend that is made at layer l.
What the blocks between two layers a and b make of a blend is :math:`m_a - m_b`: the shift of an
even blend that goes through them less that of one which is made after them. All shifts together
with :math:`m_L - 1/2`, the lean that is there even when the last layer's states are mixed, are the
lean at the input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.probes.psychometrics.curves import PairsAs, half_width, mean_parts
from biaslab.probes.psychometrics.graded import at_half
from biaslab.record import Record
from biaslab.stats.crossed.effects import Crossing, Part, satterthwaite

Floats = NDArray[np.float64]
Source = Literal["layers", "ends", "unclear", "none", "unknown"]
_NONE = 1e-12
"""Shares closer than this are equal."""


@dataclass(frozen=True, eq=False)
class LayerSteps(Record):
    """What the blocks between two layers make of an even blend, for n items and S steps.

    Attributes
    ----------
    before, after : tuple of int
        The layers of each step: its blocks are those after `before`, up to `after`.
    shift : ndarray, shape (n, S)
        Change of the mean P(cue 2); above 0 toward cue 2.
    interval : ndarray, shape (n, S, 2)
        Over observers (and cue pairs): the S intervals of an item hold together with probability
        `level` (Bonferroni). NaN where nothing varies.
    p_value : ndarray, shape (n, S)
        Two-sided, of no shift; times S, at most 1.
    level : float
    """

    before: tuple[int, ...]
    after: tuple[int, ...]
    shift: Floats
    interval: Floats
    p_value: Floats
    level: float

    @property
    def excludes_null(self) -> NDArray[np.bool_]:
        """Whether a step's interval excludes 0, shape (n, S)."""
        return np.asarray((self.interval[..., 0] > 0) | (self.interval[..., 1] < 0))


@dataclass(frozen=True)
class Origin:
    """Where the lean of an item arises.

    Attributes
    ----------
    source : {"layers", "ends", "unclear", "none", "unknown"}
        ``layers``: between two layers, `before` and `after`. ``ends``: mostly in the answers to the
        pure cues, which are the same at every layer. ``unclear``: there is a lean, but neither is
        clear. ``none``: no clear lean at the first layer. ``unknown``: nothing varies.
    before, after : int
        The step with the largest shift in the direction of the lean, if its interval excludes 0;
        else -1.
    step : int
        Its number; -1 where there is none.
    """

    source: Source
    before: int = -1
    after: int = -1
    step: int = -1


def layer_steps(
    answers: Floats,
    alphas: Floats,
    layers: Sequence[int],
    weights: Floats,
    pairs_as: PairsAs,
    crossing: Crossing | None,
    level: float,
) -> LayerSteps:
    """Estimate what happens to an even blend between neighbouring layers.

    Parameters
    ----------
    answers : ndarray, shape (layers, B, n, K, L)
        P(cue 2).
    alphas : ndarray, shape (L,)
    layers : sequence of int
        Ascending.
    weights, pairs_as, crossing
        As of `biaslab.probes.psychometrics.curves.pooled`.
    level : float
        At which the intervals of an item hold together.
    """
    even = at_half(answers, alphas)
    shifts = even[:-1] - even[1:]
    count, n = len(shifts), answers.shape[2]
    shift, half, p = (np.full((n, count), np.nan) for _ in range(3))
    together = 1 - (1 - level) / max(count, 1)
    for s, of_step in enumerate(shifts):
        shift[:, s] = np.einsum("bnk,k->bn", of_step, weights).mean(axis=0)
        if parts := _parts(of_step, weights, pairs_as, crossing):
            half[:, s] = half_width(parts, together)
            p[:, s] = np.minimum(count * _p_values(shift[:, s], parts), 1)
    ends = np.stack([shift - half, shift + half], axis=-1)
    return LayerSteps(tuple(layers[:-1]), tuple(layers[1:]), shift, ends, p, level)


def origin_of(steps: LayerSteps, i: int, lean: int, first: float, last_lean: int) -> Origin:
    """Return where the lean of item i arises.

    Parameters
    ----------
    steps : LayerSteps
    i : int
    lean : int
        Of an even blend at the first layer: 1 toward cue 1, -1 toward cue 2, 0 if not clear.
    first : float
        Mean P(cue 2) of an even blend at the first layer.
    last_lean : int
        As `lean`, at the last layer.

    Notes
    -----
    The lean arises between two layers if no other shift is larger in its direction, the interval
    of this one excludes 0 after correction for the number of steps, and it is larger than the lean
    that is clear at the last layer already.
    """
    if np.isnan(steps.interval[i]).all():
        return Origin("unknown")
    if lean == 0:
        return Origin("none")
    toward = -lean * steps.shift[i]  # above 0 in the direction of the lean
    rest = -lean * (first - 0.5) - float(toward.sum())
    step = int(np.argmax(toward))
    is_clear = bool(steps.excludes_null[i, step] and toward[step] > 0)
    if last_lean == lean and (not is_clear or rest > toward[step]):
        where = (steps.before[step], steps.after[step], step) if is_clear else (-1, -1, -1)
        return Origin("ends", *where)
    if not is_clear:
        return Origin("unclear")
    return Origin("layers", steps.before[step], steps.after[step], step)


def _parts(
    values: Floats, weights: Floats, pairs_as: PairsAs, crossing: Crossing | None
) -> list[Part]:
    """Return variances of the mean of values (B, n, K), shape (n,), with df."""
    b = len(values)
    if values.shape[2] == 1:
        return [(values[..., 0].var(axis=0, ddof=1) / b, float(b - 1))] if b > 1 else []
    return mean_parts(values, weights, pairs_as, crossing)


def _p_values(shift: Floats, parts: list[Part]) -> Floats:
    away = np.abs(shift)
    error = np.sqrt(np.sum([variance for variance, _ in parts], axis=0))
    df = np.asarray(satterthwaite(parts))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(error > 0, away / error, np.where(away > _NONE, np.inf, 0.0))
        return np.asarray(2 * special.stdtr(np.where(df > 0, df, 1.0), -t))


__all__ = ["LayerSteps", "Origin", "Source", "layer_steps", "origin_of"]
