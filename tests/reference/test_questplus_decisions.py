"""Placement of decisions against what questplus chose, step by step."""

from __future__ import annotations

import numpy as np
import pytest

from biaslab.stats.curves.grid import CurveGrid
from biaslab.stats.decisions.placement import DecisionPlacement
from reference.test_questplus import GUESS, LAPSE, LEVELS, OBSERVERS, PSE, SCALE


@pytest.mark.parametrize("name", OBSERVERS)
def test_one_group_in_one_order_is_asked_as_questplus_asks(name: str) -> None:
    recorded = OBSERVERS[name]
    placement = DecisionPlacement(
        1, LEVELS, family="normal", orders=False, criterion="joint",
        grid=CurveGrid.of_points(PSE, SCALE, GUESS, LAPSE),
    )  # fmt: skip
    asked = []
    for answer in recorded.answers:
        group, level, first = placement.next_questions()
        placement.update(group, level, first, [int(answer)])
        asked.append(round(100 * float(level[0])))
    assert asked == list(map(int, recorded.levels.split()))


@pytest.mark.parametrize("name", OBSERVERS)
def test_groups_share_what_they_do_not_vary_in(name: str) -> None:
    """Answers of a second group say about the scale of the first what its own answers say."""
    grid = CurveGrid.of_points(PSE, SCALE, GUESS, LAPSE)
    recorded = OBSERVERS[name]
    placement = DecisionPlacement(2, LEVELS, family="normal", orders=False, grid=grid)
    levels = np.array(list(map(int, recorded.levels.split()))) / 100
    answers = np.array([int(answer) for answer in recorded.answers])
    placement.update(np.arange(40) % 2, levels, True, answers)
    joint = np.ones((len(PSE), len(PSE), grid.scale.shape[1], grid.guess.shape[1]))
    for i in range(40):
        share = grid.share(levels[i].reshape(1, 1))[0, ..., 0]
        p = share if answers[i] else 1 - share
        joint *= p[:, None] if i % 2 == 0 else p[None]
    joint /= joint.sum()
    difference = np.subtract.outer(PSE, PSE).T
    order = np.argsort(difference.ravel(), kind="stable")
    reached = np.cumsum(joint.sum(axis=(2, 3)).ravel()[order])
    median = difference.ravel()[order][np.argmax(reached >= 0.5)]
    assert placement.gap() == pytest.approx(median, abs=PSE[1] - PSE[0])
