"""Soft debiasing: the exact minimum of the objective of Bolukbasi et al. (2016), step 2b."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.subjects import EmbeddingSubject
from harness.heavy import optimize

Floats = NDArray[np.float64]
PAIRS = [("w0", "w1"), ("w2", "w3")]


def _words(count: int) -> list[str]:
    return [f"w{i}" for i in range(count)]


def _units(vectors: NDArray[np.floating]) -> Floats:
    as_float = vectors.astype(np.float64)
    return np.asarray(as_float / np.linalg.norm(as_float, axis=-1, keepdims=True))


def _embedding(seed: int, v: int, d: int) -> bl.WordEmbedding:
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((v, d)) * rng.gamma(2, 1, d) * rng.uniform(0.5, 3, (v, 1))
    return bl.WordEmbedding(_words(v), vectors.astype(np.float32), name="toy")


def _basis(w: Floats, r: int) -> Floats:
    differences = np.stack([w[0] - w[1], w[2] - w[3]])
    return np.asarray(np.linalg.svd(differences)[2][:r].T)


def _objective(x: Floats, w: Floats, neutral: Floats, basis: Floats, lam: float) -> float:
    """As the paper writes it: words as columns of W, all V by V inner products."""
    inner = w @ (x - np.eye(len(x))) @ w.T
    return float((inner**2).sum() + lam * ((neutral @ x @ basis) ** 2).sum())


def _by_descent(w: Floats, neutral: Floats, basis: Floats, lam: float) -> Floats:
    """X = T'T by quasi-Newton descent in T, which keeps it in the cone; no reduced form."""
    d = w.shape[1]

    def loss(flat: Floats) -> tuple[float, Floats]:
        t = flat.reshape(d, d)
        x = t.T @ t
        inner, bias = w @ (x - np.eye(d)) @ w.T, neutral @ x @ basis
        slope = 2 * w.T @ inner @ w + 2 * lam * neutral.T @ bias @ basis.T
        return float((inner**2).sum() + lam * (bias**2).sum()), (t @ (slope + slope.T)).ravel()

    found = optimize.minimize(
        loss, np.eye(d).ravel(), jac=True, method="BFGS", options={"gtol": 1e-9, "maxiter": 20_000}
    )
    t = found.x.reshape(d, d)
    return np.asarray(t.T @ t)


def _map_of(done: EmbeddingSubject, subject: EmbeddingSubject) -> Floats:
    """The map T, checked against the vectors before and after."""
    change = done._changes[0]  # type: ignore[attr-defined]
    t = np.asarray(change.matrix)
    words = subject.words
    before, after = (s.vectors(words)[0].astype(float) for s in (subject, done))
    np.testing.assert_allclose(_units(before @ t.T), _units(after), atol=1e-5)
    return t


@pytest.mark.parametrize("lam", [0.01, 0.2, 3.0, 100.0])
@pytest.mark.parametrize(("seed", "r"), [(1, 1), (2, 2), (3, 2)])
def test_it_is_the_minimum_that_descent_finds(seed: int, r: int, lam: float) -> None:
    subject = _embedding(seed, 24, 5)
    done = bl.debias(
        subject, defining=PAIRS, method="soft", objective="sum", penalty=lam, components=r
    )
    w = _units(subject.vectors(_words(24))[0])
    basis, neutral = _basis(w, r), w[4:]
    t = _map_of(done, subject)
    ours = _objective(t.T @ t, w, neutral, basis, lam)
    theirs = _objective(_by_descent(w, neutral, basis, lam), w, neutral, basis, lam)
    # As good as descent, to the rounding of the float32 map; never worse by more.
    assert ours <= theirs * (1 + 2e-5) + 1e-9
    assert ours >= theirs * (1 - 2e-5) - 1e-9
    assert np.linalg.eigvalsh(t.T @ t).min() > -1e-6


def test_the_means_are_the_sums_with_lambda_scaled() -> None:
    subject = _embedding(5, 30, 6)
    one = bl.debias(subject, defining=PAIRS, method="soft", penalty=0.3)
    scaled = 0.3 * 30**2 / 26
    two = bl.debias(subject, defining=PAIRS, method="soft", objective="sum", penalty=scaled)
    np.testing.assert_allclose(one.vectors(_words(30)), two.vectors(_words(30)), atol=1e-5)


def test_lambda_zero_leaves_all_words_to_the_bit() -> None:
    subject = _embedding(1, 40, 6)
    done = bl.debias(subject, defining=PAIRS, method="soft", penalty=0)
    assert done.vectors(_words(40)).tobytes() == subject.vectors(_words(40)).tobytes()
    np.testing.assert_allclose(done.derivation.remaining, 1)


def test_more_lambda_leaves_less_of_the_bias() -> None:
    subject = _embedding(1, 60, 8)
    left = [
        float(
            bl.debias(subject, defining=PAIRS, method="soft", penalty=lam).derivation.remaining[0]
        )
        for lam in (0, 0.01, 0.1, 1, 10, 1e4)
    ]
    assert left == sorted(left, reverse=True)
    assert left[-1] < 1e-6


@pytest.mark.parametrize("r", [1, 2])
def test_with_a_large_lambda_it_tends_to_the_closed_form(r: int) -> None:
    subject = _embedding(4, 60, 7)
    done = bl.debias(subject, defining=PAIRS, method="soft", penalty=1e9, components=r)
    w = _units(subject.vectors(_words(60))[0])
    basis = _basis(w, r)
    # With X B = 0, X = Q Y Q' on the rest Q, the least of |W'(X - I) W| is at Y = I + U U'.
    rest = np.linalg.svd(basis.T)[2][r:].T
    m = w.T @ w
    u = np.asarray(np.linalg.solve(rest.T @ m @ rest, rest.T @ m @ basis))
    values, axes = np.linalg.eigh(np.eye(7 - r) + u @ u.T)
    expected = rest @ (axes * np.sqrt(values)) @ axes.T @ rest.T
    # The roots of eigenvalues near zero are known to half of the digits.
    np.testing.assert_allclose(_map_of(done, subject), expected, atol=2e-3)


def test_with_a_large_lambda_and_mirrored_words_it_tends_to_hard_debiasing() -> None:
    """Where the rest does not go with the bias, keeping inner products is plain projection."""
    rng = np.random.default_rng(6)
    half = rng.standard_normal((20, 6))
    mirrored = half * np.array([-1, 1, 1, 1, 1, 1])
    vectors = np.stack([half, mirrored], axis=1).reshape(40, 6).astype(np.float32)
    subject = bl.WordEmbedding(_words(40), vectors)
    soft = bl.debias(subject, defining=PAIRS, method="soft", penalty=1e9)
    hard = bl.debias(subject, defining=PAIRS)
    neutral = _words(40)[4:]
    one, two = (_units(done.vectors(neutral)) for done in (soft, hard))
    np.testing.assert_allclose(one, two, atol=1e-4)


def test_it_keeps_lengths_unless_units_are_asked_for() -> None:
    subject = _embedding(2, 40, 6)
    kept = bl.debias(subject, defining=PAIRS, method="soft")
    unit = bl.debias(subject, defining=PAIRS, method="soft", unit=True)
    before, after = subject.vectors(_words(40)), kept.vectors(_words(40))
    np.testing.assert_allclose(
        np.linalg.norm(after, axis=2), np.linalg.norm(before, axis=2), rtol=1e-5
    )
    np.testing.assert_allclose(np.linalg.norm(unit.vectors(_words(40)), axis=2), 1, rtol=1e-5)
    np.testing.assert_allclose(_units(after), unit.vectors(_words(40)), atol=1e-5)


def test_fewer_words_than_dimensions_are_no_hindrance() -> None:
    subject = _embedding(3, 9, 20)
    done = bl.debias(subject, defining=PAIRS, method="soft", penalty=1e6)
    assert done.derivation.remaining[0] < 1e-6
    w = _units(subject.vectors(_words(9))[0])
    t = _map_of(done, subject)
    assert np.abs((w[4:] @ t.T) @ (t @ _basis(w, 1))).max() < 1e-3


def test_each_replicate_has_a_map_of_its_own() -> None:
    both = [_embedding(seed, 30, 6) for seed in (1, 2)]
    ensemble = bl.EmbeddingEnsemble(
        _words(30), np.stack([e.vectors(_words(30))[0] for e in both]), name="two"
    )
    done = bl.debias(ensemble, defining=PAIRS, method="soft")
    for b, one in enumerate(both):
        alone = bl.debias(one, defining=PAIRS, method="soft")
        np.testing.assert_allclose(
            done.vectors(_words(30))[b], alone.vectors(_words(30))[0], atol=1e-5
        )
    assert done.name == "two, soft-debiased (w0 / w1)"
    assert "One map with lambda 0.2 leaves" in done.about


def test_what_cannot_be_done_is_said() -> None:
    subject = _embedding(1, 30, 6)
    with pytest.raises(QueryError, match="does not equalise"):
        bl.debias(subject, defining=PAIRS, method="soft", equalize=PAIRS)
    with pytest.raises(ValueError, match="of at least 0"):
        bl.debias(subject, defining=PAIRS, method="soft", penalty=-1)
    with pytest.raises(ValueError, match="'mean' or 'sum'"):
        bl.debias(subject, defining=PAIRS, method="soft", objective="median")  # type: ignore[arg-type]
