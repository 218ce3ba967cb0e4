r"""Effects of prompts, which the interval for just these cues and wordings takes in.

A question is a prompt, and a prompt may shift a decision by an amount of its own: on the scale of z
by :math:`e`, which consists of independent parts of the prompt, of its cue at its level, and of its
wording at its level within its group. The fit has no effects of prompts. Its residual slopes u of
the log-likelihood by z show them: with the information w of each prompt about z, its derivatives
g by z and by all that was fitted, and the covariance C of the latter,

.. math:: u = K e + \text{sampling}, \qquad K = \operatorname{diag}(w) - g C g^T .

The variances of the parts follow from the sums of squares of u, summed over each part's cells, set
equal to their expectations (the method of moments). A combination q of what was fitted then moves
by :math:`e^T g C q`.

Answers that are drawn have a sampling variance of w besides, and a prompt that was put once shows
no effect of its own: however it is shifted, its answer is binomial.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from scipy import sparse

from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.decisions.answers import DecisionAnswers, Indices
from biaslab.stats.decisions.model import DecisionModel
from biaslab.stats.decisions.search import (
    Covariance,
    Point,
    Spread,
    moment_variances,
    rate_derivatives,
)

_TINY: Final = 1e-300
_SHOWN: Final = 1e-6
"""Least share of a part's own sum of squares that answers must show."""


def prompt_cells(answers: DecisionAnswers) -> list[Indices]:
    """Return the cell of each row, for each part: prompts, cues at levels, wordings at levels."""
    _, level = np.unique(answers.levels, return_inverse=True)
    many = int(level.max(initial=0)) + 1
    cells = [np.arange(len(answers))]
    wording = answers.wording * answers.n_groups + answers.group
    for numbers in (answers.cue, answers.other_cue, wording):
        if numbers is None:
            continue
        _, cell = np.unique(numbers * many + level, return_inverse=True)
        if all(_differ(cell, other) for other in cells):
            cells.append(cell)
    return cells


def _differ(one: Indices, two: Indices) -> bool:
    """Whether two divisions of the rows are not the same."""
    both = len(np.unique(one * (int(two.max(initial=0)) + 1) + two))
    return len(np.unique(one)) < both or len(np.unique(two)) < both


@dataclass(frozen=True)
class PromptEffects:
    """Variances of prompts on the scale of z.

    Attributes
    ----------
    cells : list of ndarray of int, shape (R,)
        Of each part.
    by_all : ndarray, shape (R, P)
        g: derivatives of the log-likelihood by z and by all that was fitted.
    information : ndarray, shape (R,)
        w.
    calls : ndarray, shape (R,), optional
        Answers to each prompt; None for probabilities, which are free of sampling noise.
    variances, dfs : ndarray, shape (parts,)
        With their degrees of freedom.
    """

    cells: list[Indices]
    by_all: Floats
    information: Floats
    calls: Floats | None
    variances: Floats
    dfs: Floats

    def covariance(self, spread: Spread, rows: Floats) -> Covariance:
        """Return the covariance of combinations over other prompts of these cues and wordings."""
        moved = rows @ spread.covariance
        by = self.by_all @ moved.T
        # What the fit took for sampling noise; the effects of prompts take its place.
        if self.calls is None:
            noise = 1 / np.maximum(self.information, _TINY)
        else:
            noise = self.variances.sum() / self.calls
        taken = by.T @ (by * noise[:, None])
        whole, parts = moved @ rows.T, []
        left = max(1 - float(taken[0, 0] / whole[0, 0]), 0.0)
        whole = whole - taken
        np.fill_diagonal(whole, np.maximum(np.diag(whole), 0.0))
        for cell, variance, df in zip(self.cells, self.variances, self.dfs, strict=True):
            sums = np.stack([np.bincount(cell, column) for column in by.T])
            own = variance * sums @ sums.T
            whole = whole + own
            parts.append((float(own[0, 0]), float(df)))
        return Covariance(whole, left * spread.changed(rows[0]), parts)


def prompt_effects(model: DecisionModel, point: Point, spread: Spread) -> PromptEffects:
    """Estimate the variances of prompts from the residuals of a fit."""
    score, information, by_all = _derivatives(model, point, spread)
    calls = None if model.answers.probabilities else model.likelihood.counts.sum(axis=0)
    cells = prompt_cells(model.answers)
    sums = _Sums(cells, by_all, information, spread.covariance)
    squares = np.array([np.sum(np.bincount(cell, score) ** 2) for cell in cells])
    expected = sums.of_squares()
    own = np.diag(expected).copy()
    if calls is not None:
        squares -= [left.sum() for left in sums.left]
        expected -= sums.of_rows(1 / calls)[:, None]
    shown = np.diag(expected) > _SHOWN * own
    dfs = np.array([np.sum(left**2) ** 2 / np.sum(left**4) for left in sums.left])
    variances = np.zeros(len(cells))
    variances[shown] = moment_variances(expected[np.ix_(shown, shown)], squares[shown])
    return PromptEffects(cells, by_all, information, calls, variances, dfs)


@dataclass(frozen=True)
class _Sums:
    """Sums of K over cells."""

    cells: list[Indices]
    by_all: Floats
    information: Floats
    covariance: Floats

    @cached_property
    def _members(self) -> list[sparse.csr_array]:
        """Whether each row is in each cell, for each part."""
        rows = np.arange(len(self.information))
        ones = np.ones(len(rows))
        return [sparse.csr_array((ones, (cell, rows))) for cell in self.cells]

    @cached_property
    def _by_cell(self) -> list[Floats]:
        """Sums of g over the cells of each part."""
        return [np.asarray(member @ self.by_all) for member in self._members]

    @cached_property
    def _moved(self) -> list[Floats]:
        return [by @ self.covariance for by in self._by_cell]

    @cached_property
    def _inner(self) -> list[Floats]:
        return [by.T @ moved for by, moved in zip(self._by_cell, self._moved, strict=True)]

    @cached_property
    def left(self) -> list[Floats]:
        """Sums of K within each cell: its information, less what the fit takes."""
        return [
            np.maximum(np.bincount(cell, self.information) - (moved * by).sum(axis=1), 0.0)
            for cell, by, moved in zip(self.cells, self._by_cell, self._moved, strict=True)
        ]

    def of_rows(self, weights: Floats) -> Floats:
        """Return the sums of squares of K, summed over each part's cells, weighted by its columns.

        Parameters
        ----------
        weights : ndarray, shape (R,)
        """
        information, by_all = self.information, self.by_all
        whole = (by_all * weights[:, None]).T @ by_all @ self.covariance
        squares = np.empty(len(self.cells))
        for a, cell in enumerate(self.cells):
            taken = np.einsum("rp,rp->r", self._moved[a][cell], by_all)
            squares[a] = (weights * information) @ (information - 2 * taken)
            squares[a] += np.sum(self._inner[a] * whole.T)
        return squares

    def of_squares(self) -> Floats:
        """Return the sums of squares of K, summed over the cells of two parts, (parts, parts)."""
        count = len(self.cells)
        squares = np.zeros((count, count))
        weighted = [member * self.information for member in self._members]
        for a in range(count):
            for b in range(a, count):
                shared = weighted[b] @ self._members[a].T
                cross = np.sum((shared @ self._moved[a]) * self._by_cell[b])
                # As tr(C S_a C S_b), with the products S of sums of g.
                whole = np.sum(self._inner[a] * self._inner[b].T)
                squares[a, b] = squares[b, a] = np.sum(shared.data**2) - 2 * cross + whole
        return squares


def _derivatives(
    model: DecisionModel, point: Point, spread: Spread
) -> tuple[Floats, Floats, Floats]:
    """Return the residual slope by z, the information about z, and g."""
    curve, x, settings = model.curve, point.mode.x, model.settings(point.free)
    likelihood = model.likelihood
    z, _ = curve.predictor(x, settings)
    cats = likelihood.categories(z, settings)
    ratio = cats.slope / cats.p
    score = likelihood.weight * (likelihood.counts * ratio).sum(axis=0)
    information = likelihood.total * (ratio * cats.slope).sum(axis=0)
    columns = [information[:, None] * curve.columns(settings) * curve.scale(settings)]
    for m, parameter in enumerate(model.parameters):
        if spread.of_free[m, m] <= 0:
            by = np.zeros(len(z))
        elif parameter.kind == "sd":
            named = np.array([factor.sd_name == parameter.name for factor in model.factors])
            own = np.append(named, False)[curve.factor_of]
            by = information * curve.predictor(np.where(own, x, 0.0), settings)[0]
        elif parameter.kind == "sensitivity":
            by = information * model.contrasts[:, parameter.group][model.answers.group] * z
        else:
            value = float(np.exp(point.free[m]))
            of_rate = rate_derivatives(model, parameter, cats, value)
            by = likelihood.total * (ratio * of_rate).sum(axis=0)
        columns.append(by[:, None])
    return score, information, np.hstack(columns)
