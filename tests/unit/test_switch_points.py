"""Closed forms of the switch point against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaslab.probes.psychometrics.switch_points import mixed_cosines, true_mixture


def _cos(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def _score_eq8(w: np.ndarray, c1: np.ndarray, c2: np.ndarray, alpha: float) -> float:
    """score(cue 2) - score(cue 1), written out from eq. 8."""
    one = (1 - alpha) * _cos(c1, c1) + alpha * _cos(c2, c1) + _cos(w, c1)
    two = (1 - alpha) * _cos(c1, c2) + alpha * _cos(c2, c2) + _cos(w, c2)
    return two - one


def _score_mixture(w: np.ndarray, c1: np.ndarray, c2: np.ndarray, alpha: float) -> float:
    s = (1 - alpha) * c1 + alpha * c2
    return _cos(s, c2) + _cos(w, c2) - _cos(s, c1) - _cos(w, c1)


vectors = st.integers(0, 10_000).map(
    lambda seed: np.random.default_rng(seed).standard_normal((3, 12))
)


@given(vectors)
def test_eq8_answers_flip_exactly_at_the_closed_form(triple: np.ndarray) -> None:
    w, c1, c2 = triple
    switch = float(mixed_cosines(np.array(_cos(w, c2) - _cos(w, c1)), np.array(_cos(c1, c2))))
    assert _score_eq8(w, c1, c2, switch - 1e-6) < 0 < _score_eq8(w, c1, c2, switch + 1e-6)


@given(vectors)
def test_mixture_answers_flip_exactly_at_the_closed_form(triple: np.ndarray) -> None:
    w, c1, c2 = triple
    norms = [np.array(np.linalg.norm(c)) for c in (c1, c2)]
    difference, rho = np.array(_cos(w, c2) - _cos(w, c1)), np.array(_cos(c1, c2))
    switch = float(true_mixture(difference, rho, *norms))
    grid = np.linspace(0, 1, 201)
    answers = np.array([_score_mixture(w, c1, c2, a) > 0 for a in grid])
    if 0 < switch < 1:
        assert grid[answers.argmax()] == pytest.approx(switch, abs=1.1 / 200)
    else:
        assert answers.all() if switch <= 0 else not answers.any()


def test_without_association_both_scorings_are_neutral_for_cues_of_one_length() -> None:
    zero, rho, one = np.array(0.0), np.array(0.3), np.array(1.0)
    assert mixed_cosines(zero, rho) == 0.5
    assert true_mixture(zero, rho, one, one) == pytest.approx(0.5)
