"""Gaps between groups in clerk-lm's answers, beside the planted ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np

from biaslab.stats.curve_fit import fit_curves
from biaslab.stats.scoring import Rates
from biaslab.stats.sigmoids import get_sigmoid
from biaslab.training.clerk_answers import ClerkAnswers, Floats
from biaslab.training.clerk_plant import PlantedCase
from biaslab.training.clerk_questions import ask, ask_which

_WIDEST: Final = 6.0
"""Differences between two candidates that are fitted, in scales of their curve."""


@dataclass(frozen=True)
class GapQuality:
    """A gap between two groups, planted and found.

    Attributes
    ----------
    form : str
        ``yes or no`` or ``which of two``.
    first, second : str
        Groups.
    planted, found : float
        In the unit of the case's quality.
    """

    form: str
    first: str
    second: str
    planted: float
    found: float


def recovered(levels: Floats, shares: Floats) -> tuple[float, float]:
    """Return PSE and JND of a logistic curve with equal guess and lapse rates.

    Parameters
    ----------
    levels, shares : ndarray, shape (L,)
        Levels in ascending order of shares, and P(yes) at each.
    """
    weight = np.full((1, len(levels)), 100.0)
    none = np.zeros(1)
    rates = Rates(none, none, np.ones(1), np.ones(1), np.full((1, 1), 0.3), 1.0)
    fit = fit_curves(
        get_sigmoid("logistic"), levels[None], shares[None] * weight, weight, rates,
        covariance=False,
    )  # fmt: skip
    return float(fit.location[0]), float(fit.scale[0] * math.log(3))


def yes_or_no_gaps(
    answers: ClerkAnswers, planted: PlantedCase
) -> tuple[list[GapQuality], float, float]:
    """Return gaps, JND and share by position over the whole grid of cues, wordings and orders."""
    case, levels = planted.case, planted.case.quality.levels
    pses, jnds, positions = [], [], []
    for group in case.groups:
        design = list(product(levels, group.cues, range(len(case.wordings("yes or no")))))
        by_order = []
        for yes_first in (True, False):
            asked = [
                ask(planted, group.name, cue, level, wording, place % max(1, len(case.details)),
                    yes_first).question
                for place, (level, cue, wording) in enumerate(design)
            ]  # fmt: skip
            found = np.array(answers.probabilities(asked))
            yes = (found / found.sum(1, keepdims=True))[:, 0 if yes_first else 1]
            by_order.append(yes.reshape(len(levels), -1).mean(1))
        signed = case.quality.sign * levels
        order = np.argsort(signed)
        pse, jnd = recovered(signed[order], np.mean(by_order, axis=0)[order])
        pses.append(pse)
        jnds.append(jnd)
        positions.append(np.mean(by_order[0] - by_order[1]))
    names = [group.name for group in case.groups]
    gaps = [
        GapQuality("yes or no", names[0], name, planted.gap(names[0], name), pse - pses[0])
        for name, pse in zip(names[1:], pses[1:], strict=True)
    ]
    return gaps, float(np.mean(jnds)), float(np.mean(positions))


def which_gaps(
    answers: ClerkAnswers, planted: PlantedCase, pairs: int, rng: np.random.Generator
) -> list[GapQuality]:
    """Return gaps from questions which of two is chosen, each pair in both orders."""
    case, quality = planted.case, planted.case.quality
    first, *others = case.groups
    gaps = []
    for second in others:
        gap = planted.gap(first.name, second.name)
        reach = _WIDEST * planted.scale * math.sqrt(2)
        apart = quality.step * np.arange(
            math.ceil((gap - reach) / quality.step), math.floor((gap + reach) / quality.step) + 1
        )
        apart = apart[np.abs(apart) <= quality.high - quality.low]
        asked, is_second_first = [], []
        for difference in apart:
            # Where less is favoured, group 2 must have less of the quality, not more.
            shift = quality.sign * difference
            lower = quality.levels[
                (quality.levels + shift >= quality.low - 1e-9)
                & (quality.levels + shift <= quality.high + 1e-9)
            ]
            for _ in range(pairs):
                level = float(rng.choice(lower))
                other = float(quality.levels[np.abs(quality.levels - level - shift).argmin()])
                one = (first.name, first.cues[rng.integers(len(first.cues))], level)
                two = (second.name, second.cues[rng.integers(len(second.cues))], other)
                wording = int(rng.integers(len(case.wordings("which of two"))))
                detail = int(rng.integers(max(1, len(case.details))))
                for a, b in ((one, two), (two, one)):
                    asked.append(ask_which(planted, a, b, wording, detail).question)
                    is_second_first.append(a is two)
        found = np.array(answers.probabilities(asked))
        share = found[:, 0] / found.sum(1)
        chosen = np.where(is_second_first, share, 1 - share).reshape(len(apart), -1).mean(1)
        pse, _ = recovered(apart, chosen)
        gaps.append(GapQuality("which of two", first.name, second.name, gap, pse))
    return gaps
