"""Minima within bounds, from good and bad guesses of the curvature."""

from __future__ import annotations

import numpy as np
import pytest

from biaslab.stats.mixed.bounded_search import minimize

CURVATURE = np.array([[3.0, 1.0], [1.0, 2.0]])
MINIMUM = np.array([0.4, -0.7])


def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
    slope = CURVATURE @ (x - MINIMUM)
    return float((x - MINIMUM) @ slope) / 2, slope


@pytest.mark.parametrize(
    "guess",
    [None, CURVATURE, np.zeros((2, 2)), np.ones((2, 2)), -np.eye(2)],
    ids=["none", "right", "of nothing", "of one direction", "of a maximum"],
)
def test_the_minimum_is_found_whatever_the_guess_of_the_curvature(guess: np.ndarray | None) -> None:
    low, high = np.full(2, -5.0), np.full(2, 5.0)
    found = minimize(loss, np.array([2.0, 3.0]), low, high, hessian=guess)
    assert found.converged
    np.testing.assert_allclose(found.x, MINIMUM, atol=1e-3)


def test_a_bound_stops_one_parameter_and_the_other_follows() -> None:
    low, high = np.array([1.0, -5.0]), np.full(2, 5.0)
    found = minimize(loss, np.array([2.0, 3.0]), low, high)
    assert found.converged
    np.testing.assert_allclose(found.x, [1.0, -1.0], atol=1e-3)
