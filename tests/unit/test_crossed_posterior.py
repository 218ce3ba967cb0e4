"""The exact posterior of a table against the same model written out, distance by distance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biaslab.stats.chains import hpdi
from biaslab.stats.crossed.classes import CrossedClasses, OneSpreadClasses, families
from biaslab.stats.crossed.layout import Layout, Means, Moments, Spreads
from biaslab.stats.crossed.posterior import Posterior, explore

TYPES = 4
KINDS = (0, 0, 1, 2)


def _table(
    seed: int, words: int, attributes: int, missing: float, *, mixed: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Connection types and groups of a small table: two groups, stereotypes of each, controls.

    Where `mixed`, every pair has a type of its own, as a file may say.
    """
    rng = np.random.default_rng(seed)
    groups = np.sort(rng.integers(0, 2, words))
    groups = np.unique(groups, return_inverse=True)[1]
    kinds = rng.integers(0, 4, attributes)
    connection = np.empty((words, attributes), dtype=np.int8)
    for j, kind in enumerate(kinds):
        connection[:, j] = np.where(groups == kind, 0, 1) if kind < 2 else kind
    if mixed:
        connection = rng.integers(0, 4, connection.shape).astype(np.int8)
    connection[rng.random(connection.shape) < missing] = -1
    connection[0, 0] = max(connection[0, 0], 0)
    return connection, groups.astype(np.intp)


def _dense(
    connection: np.ndarray, groups: np.ndarray, spreads: Spreads, means: Means, h: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Covariance of distances, of cells, and between them, term by term."""
    seen = np.argwhere(connection >= 0)
    met = [{int(c) for c in column if c >= 0} for column in connection.T]
    varies = [len(types) > 1 for types in met]
    kind = [min((KINDS[c] for c in types), default=0) for types in met]

    def systematic(a: tuple[int, int], b: tuple[int, int]) -> float:
        """Covariance of two cells (protected word, connection type)."""
        v = means.intercept_sd**2 + means.connection_sd**2 * (a[1] == b[1])
        v += spreads.word[h] ** 2 * (a[0] == b[0])
        return float(v + spreads.slope[h] ** 2 * (a == b))

    of = [(int(i), int(connection[i, j])) for i, j in seen]
    cells = sorted(set(of))
    k = np.array([[systematic(a, b) for b in of] for a in of])
    for p, (i, j) in enumerate(seen):
        for q, (i2, j2) in enumerate(seen):
            if j == j2:
                k[p, q] += spreads.attribute[h, kind[j]] ** 2
                k[p, q] += spreads.pairing[h] ** 2 * (groups[i] == groups[i2]) * varies[j]
                k[p, q] += spreads.sigma[h, KINDS[connection[i, j]]] ** 2 * (i == i2)
    cross = np.array([[systematic(a, b) for b in of] for a in cells])
    inner = np.array([[systematic(a, b) for b in cells] for a in cells])
    by_type = np.array([[means.connection_sd**2 * (c == b[1]) for b in of] for c in range(TYPES)])
    return k, cross, inner, by_type, np.array(cells)


def _posterior(
    layout: Layout, distance: np.ndarray, means: Means, alone: Spreads | None = None
) -> Posterior:
    """Of the crossed model, or of one in which all spreads but sigma are known."""
    moments = Moments.of(layout, distance)
    if alone is None:
        return Posterior(layout, moments, CrossedClasses(layout, moments, means))
    known = float(alone.word[0]), float(alone.slope[0])
    return Posterior(layout, moments, OneSpreadClasses(layout, moments, means, *known))


def _one_spread(rng: np.random.Generator, h: int, slope: float) -> Spreads:
    """Points that differ in sigma alone, the same for all kinds of words."""
    sigma = np.repeat(rng.uniform(0.05, 0.8, (h, 1)), 3, axis=1)
    none = np.zeros(h)
    return Spreads(sigma, none + 0.35, none + slope, np.zeros((h, 3)), none)


def _spreads(rng: np.random.Generator, h: int) -> Spreads:
    by_kind = rng.uniform(0.05, 0.8, (2, h, 3))
    word, slope, pairing = rng.uniform(0.05, 0.8, (3, h))
    return Spreads(by_kind[0], word, slope, by_kind[1], pairing)


@settings(max_examples=30)
@given(
    seed=st.integers(0, 10_000),
    words=st.integers(1, 6),
    attributes=st.integers(2, 7),
    missing=st.sampled_from([0.0, 0.0, 0.25]),
    mixed=st.booleans(),
    slope=st.sampled_from([None, 0.0, 0.4]),
)
def test_likelihood_is_that_of_the_model_written_out(
    seed: int, words: int, attributes: int, missing: float, *, mixed: bool, slope: float | None
) -> None:
    connection, groups = _table(seed, words, attributes, missing, mixed=mixed)
    rng = np.random.default_rng(seed)
    distance = rng.standard_normal(connection.shape)
    layout = Layout.of(connection, groups, KINDS)
    means = Means(0.3, 0.7, 0.4)
    spreads = _spreads(rng, 3) if slope is None else _one_spread(rng, 3, slope)
    posterior = _posterior(layout, distance, means, None if slope is None else spreads)
    found = posterior.log_likelihood(spreads)
    expected = []
    for h in range(3):
        k = _dense(connection, groups, spreads, means, h)[0]
        y = distance[connection >= 0] - means.connection
        expected.append(-0.5 * (np.linalg.slogdet(k)[1] + y @ np.linalg.solve(k, y)))
    # One constant, the same at all points, is left out.
    np.testing.assert_allclose(np.diff(found), np.diff(expected), atol=1e-8)


@pytest.mark.parametrize("slope", [None, 0.0, 0.4])
@pytest.mark.parametrize(("missing", "mixed"), [(0.0, False), (0.2, False), (0.1, True)])
def test_draws_have_the_mean_and_the_covariance_of_the_model_written_out(
    missing: float, *, mixed: bool, slope: float | None
) -> None:
    connection, groups = _table(3, 5, 8, missing, mixed=mixed)
    rng = np.random.default_rng(5)
    distance = rng.standard_normal(connection.shape)
    layout = Layout.of(connection, groups, KINDS)
    means = Means(0.3, 0.7, 0.4)
    sizes = np.random.default_rng(1)
    spreads = _spreads(sizes, 1) if slope is None else _one_spread(sizes, 1, slope)
    posterior = _posterior(layout, distance, means, None if slope is None else spreads)
    n = 60_000
    drawn = posterior.draw(spreads, np.zeros(n, dtype=np.intp), rng.standard_normal)
    k, cross, inner, by_type, cells = _dense(connection, groups, spreads, means, 0)
    gain = np.linalg.solve(k, cross.T).T
    y = distance[connection >= 0] - means.connection
    values = drawn.cells[:, cells[:, 0], cells[:, 1]]
    assert np.isnan(drawn.cells).sum() == n * (5 * TYPES - len(cells))
    mean, covariance = means.connection + gain @ y, inner - gain @ cross.T
    error = np.sqrt(np.diag(covariance) / n)
    assert (np.abs(values.mean(axis=0) - mean) < 5 * error).all()
    np.testing.assert_allclose(np.cov(values.T), covariance, atol=0.02 * covariance.max())
    gain = np.linalg.solve(k, by_type.T).T
    prior = means.connection_sd**2 * np.eye(TYPES)
    covariance = prior - gain @ by_type.T
    error = np.sqrt(np.diag(covariance) / n)
    mean = means.connection + gain @ y
    assert (np.abs(drawn.connection.mean(axis=0) - mean) < 5 * error).all()
    np.testing.assert_allclose(np.cov(drawn.connection.T), covariance, atol=0.02 * covariance.max())


@pytest.mark.parametrize("slope", [None, 0.0])
def test_connections_alone_are_drawn_as_with_everything_else(slope: float | None) -> None:
    connection, groups = _table(3, 5, 8, 0.1)
    distance = np.random.default_rng(5).standard_normal(connection.shape)
    layout = Layout.of(connection, groups, KINDS)
    sizes, which = np.random.default_rng(1), np.arange(40) % 4
    spreads = _spreads(sizes, 4) if slope is None else _one_spread(sizes, 4, slope)
    alone = None if slope is None else spreads
    posterior = _posterior(layout, distance, Means(0.3, 0.7, 0.4), alone)
    everything = posterior.draw(spreads, which, np.random.default_rng(9).standard_normal)
    alone = posterior.draw_connections(spreads, which, np.random.default_rng(9).standard_normal)
    np.testing.assert_array_equal(alone, everything.connection)


def test_draws_do_not_depend_on_the_axes_that_a_machine_chooses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connection, groups = _table(3, 6, 8, 0.0)
    distance = np.random.default_rng(5).standard_normal(connection.shape)
    layout = Layout.of(connection, groups, KINDS)
    spreads, which = _one_spread(np.random.default_rng(1), 4, 0.0), np.arange(40) % 4
    eigh = np.linalg.eigh

    def other_eigh(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Turn the axes of equal values, and the signs of all."""
        values, vectors = eigh(matrix)
        equal = np.flatnonzero(values < 1e-9)
        turn = np.linalg.qr(np.random.default_rng(2).standard_normal((len(equal),) * 2))[0]
        vectors[:, equal] = vectors[:, equal] @ turn
        return values, -vectors

    def drawn() -> np.ndarray:
        posterior = _posterior(layout, distance, Means(0.3, 0.7, 0.4), spreads)
        return posterior.draw(spreads, which, np.random.default_rng(9).standard_normal).cells

    here = drawn()
    monkeypatch.setattr(np.linalg, "eigh", other_eigh)
    np.testing.assert_allclose(drawn(), here, atol=1e-12)


def test_a_search_begins_near_the_variances_that_distances_were_made_with() -> None:
    rng = np.random.default_rng(2)
    words, each = 20, 400
    connection = np.repeat([0, 2, 3], each)[None].repeat(words, axis=0).astype(np.int8)
    single, attribute = np.array([0.2, 0.1, 0.4]), np.array([0.5, 0.05, 0.2])
    kind = np.repeat([0, 1, 2], each)
    distance = attribute[kind] * rng.standard_normal(3 * each)
    distance = distance + single[kind] * rng.standard_normal((words, 3 * each))
    layout = Layout.of(connection, np.zeros(words, dtype=np.intp), KINDS)
    found = Moments.of(layout, distance).variances(layout)
    np.testing.assert_allclose(np.sqrt(found), [single, attribute], rtol=0.15)


def test_a_search_begins_somewhere_where_no_two_words_share_their_types() -> None:
    connection = np.array([[0, 1, 2, 3, 2, 3], [1, 0, 2, 3, 2, 3]], dtype=np.int8)
    distance = np.random.default_rng(4).standard_normal(connection.shape)
    layout = Layout.of(connection, np.array([0, 1], dtype=np.intp), KINDS)
    single, attribute = Moments.of(layout, distance).variances(layout)
    assert np.isfinite(single).all()
    assert (single >= 0).all()
    assert (attribute >= 0).all()


def test_distances_in_any_order_have_the_same_moments() -> None:
    connection, groups = _table(11, 6, 9, 0.0)
    rng = np.random.default_rng(2)
    distance = rng.standard_normal(connection.shape)
    spreads = _spreads(rng, 2)

    def likelihood(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        layout = Layout.of(connection[rows][:, columns], groups[rows], KINDS)
        posterior = _posterior(layout, distance[rows][:, columns], Means(0, 1, 0.5))
        return posterior.log_likelihood(spreads)

    plain = likelihood(np.arange(6), np.arange(9))
    np.testing.assert_allclose(likelihood(rng.permutation(6), rng.permutation(9)), plain)


def test_exploring_finds_mode_moments_and_correlation() -> None:
    """A known density: a correlated normal in three dimensions."""
    mean = np.array([-1.0, 0.5, -2.0])
    root = np.array([[0.3, 0, 0], [0.2, 0.4, 0], [-0.1, 0.3, 0.8]])
    inverse = np.linalg.inv(root @ root.T)

    def log_density(points: np.ndarray) -> np.ndarray:
        gap = points - mean
        return np.asarray(-0.5 * np.einsum("hi,ij,hj->h", gap, inverse, gap))

    found = explore(log_density, np.zeros(3), 1024)
    np.testing.assert_allclose(found.mode, mean, atol=0.05)
    assert found.effective > 500
    which, points = found.resample(20_000, np.random.default_rng(1))
    np.testing.assert_allclose(points[which].mean(axis=0), mean, atol=0.05)
    np.testing.assert_allclose(np.cov(points[which].T), root @ root.T, atol=0.06)


def test_exploring_finds_spreads_that_are_sure_beside_others_that_are_not() -> None:
    """As where hundreds of neutral words stand beside a dozen stereotypes."""
    mean, sd = np.array([-1.0, 0.5, -2.0]), np.array([0.004, 0.02, 0.8])
    root = np.array([[0.8, 0.6, 0], [-0.6, 0.8, 0], [0, 0, 1]]) * sd

    def log_density(points: np.ndarray) -> np.ndarray:
        scaled = np.linalg.solve(root, (points - mean).T)
        return np.asarray(-0.5 * (scaled**2).sum(axis=0))

    found = explore(log_density, np.array([-0.9, 0.4, -1.5]), 1024)
    assert found.effective > 500
    gaps = np.linalg.solve(root, (found.points - mean).T)
    np.testing.assert_allclose(gaps @ found.weights, 0, atol=0.05)
    np.testing.assert_allclose((gaps * found.weights) @ gaps.T, np.eye(3), atol=0.1)


@pytest.mark.parametrize("sd", [0.1, 0.001])
def test_exploring_one_spread_is_a_grid(sd: float) -> None:
    def log_density(points: np.ndarray) -> np.ndarray:
        return np.asarray(-0.5 * ((points[:, 0] - 2) / sd) ** 2)

    found = explore(log_density, np.zeros(1), 1024)
    assert float(found.weights @ found.points[:, 0]) == pytest.approx(2, abs=1e-5 * sd)
    variance = float(found.weights @ (found.points[:, 0] - 2) ** 2)
    assert variance == pytest.approx(sd**2, rel=1e-3)


def test_hpdi_is_the_narrowest_interval() -> None:
    """Of an exponential distribution it begins at 0; of a normal one it is the central one."""
    rng = np.random.default_rng(0)
    drawn = np.column_stack([rng.exponential(size=200_000), rng.standard_normal(200_000)])
    ends = hpdi(drawn, 0.89)
    np.testing.assert_allclose(ends[0], [0, -np.log(0.11)], atol=0.02)
    np.testing.assert_allclose(ends[1], [-1.598, 1.598], atol=0.08)
    assert np.isnan(hpdi(np.array([[np.nan, 1.0], [np.nan, 2.0]]), 0.5)[0]).all()
    with pytest.raises(ValueError, match="level"):
        hpdi(drawn, 1.5)
    with pytest.raises(ValueError, match="Use more draws"):
        hpdi(drawn[:1])


def test_a_table_with_gaps_anywhere_takes_no_more_room_than_its_covariances() -> None:
    """Nearly each attribute word meets other protected words: covariances are many and large."""
    rng = np.random.default_rng(0)
    connection = np.where(rng.random((15, 120)) < 0.2, -1, rng.integers(0, 4, (15, 120)))
    layout = Layout.of(connection.astype(np.int8), np.repeat(np.arange(3), 5), (0, 0, 1, 2))
    found = families(layout, Moments.of(layout, rng.standard_normal(connection.shape)))
    sizes = [sum(len(shape.products) for shape in family.shapes) for family in found]
    assert sum(len(family.shapes) for family in found) == len(layout.shapes) > 90
    assert max(sizes) <= 1000
