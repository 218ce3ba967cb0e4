"""Mean distances of words to the draws of a posterior."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import special

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.probes.posterior import reading as engine
from biaslab.probes.posterior.reading import DISTANCES, batch_edges, batch_error, mean_distances
from harness.posteriors import Drawn, embedding, of_draws

Floats = NDArray[np.float64]


def plain(vectors: Any, draws: Any, distance: str) -> Floats:
    """The mean distance as it is written down, in double precision."""
    w = np.asarray(vectors, dtype=np.float64)
    s = np.asarray(draws, dtype=np.float64).reshape(-1, w.shape[1])
    if distance == "euclidean":
        return np.asarray(np.linalg.norm(w[:, None] - s[None], axis=2).mean(axis=1))
    cosines = (w / np.linalg.norm(w, axis=1)[:, None]) @ (s / np.linalg.norm(s, axis=1)[:, None]).T
    cosines = np.clip(cosines, -1, 1)
    of: dict[str, Any] = {
        "cosine": 1 - cosines,
        "half-cosine": (1 - cosines) / 2,
        "angular": np.arccos(cosines) / np.pi,
    }
    return np.asarray(of[distance].mean(axis=1))


def cases(dim: int = 5) -> st.SearchStrategy[tuple[Floats, Floats]]:
    def make(numbers: tuple[int, int, int, int, float]) -> tuple[Floats, Floats]:
        seed, words, chains, n, shift = numbers
        rng = np.random.default_rng(seed)
        return (
            rng.standard_normal((words, dim)) + shift,
            rng.standard_normal((chains, n, dim)) + shift,
        )

    return st.tuples(
        st.integers(0, 10_000),
        st.integers(1, 7),
        st.integers(1, 40),
        st.integers(20, 90),
        st.floats(0, 3),
    ).map(make)


@pytest.mark.parametrize("distance", DISTANCES)
@given(case=cases())
@settings(max_examples=25, deadline=None)
def test_few_words_get_the_plain_mean_over_every_draw(
    distance: Any, case: tuple[Floats, Floats]
) -> None:
    vectors, draws = case
    found = mean_distances(vectors, draws, distance)
    assert found.used == draws.shape[0] * draws.shape[1]
    # What single precision does: 1e-7 of a cosine, more of an angle near 0.
    np.testing.assert_allclose(found.mean, plain(vectors, draws, distance), atol=2e-5)
    np.testing.assert_allclose(found.batches @ found.weights, found.mean, rtol=1e-12)


@pytest.mark.parametrize("distance", ["angular", "euclidean"])
@pytest.mark.parametrize("shift", [0.0, 1.0])
def test_thinned_draws_change_the_mean_by_far_less_than_its_monte_carlo_error(
    monkeypatch: pytest.MonkeyPatch, distance: Any, shift: float
) -> None:
    monkeypatch.setattr(engine, "PAIRS_AT_FULL", 1)
    monkeypatch.setattr(engine, "FEWEST_AT_THINNED", 2048)
    rng = np.random.default_rng(5)
    vectors = rng.standard_normal((60, 30)) + shift
    draws = rng.standard_normal((32, 512, 30)) + shift
    found = mean_distances(vectors, draws, distance)
    whole = mean_distances(vectors, draws, distance, every_draw=True)
    assert found.used == 2048
    assert whole.used == 32 * 512
    off = np.abs(found.mean - plain(vectors, draws, distance))
    if distance == "angular":
        assert off.max() < 2e-4
    assert np.sqrt((off**2).mean()) < 0.25 * np.median(found.mcse)
    # The standard error is still that of all draws.
    np.testing.assert_allclose(found.mcse, whole.mcse, rtol=0.35)


@given(case=cases(), factor=st.floats(0.01, 100))
@settings(max_examples=25, deadline=None)
def test_lengths_do_not_matter_to_angles_and_opposites_add_up_to_one(
    case: tuple[Floats, Floats], factor: float
) -> None:
    vectors, draws = case
    found = mean_distances(vectors, draws)
    np.testing.assert_allclose(mean_distances(factor * vectors, draws).mean, found.mean, atol=2e-5)
    np.testing.assert_allclose(mean_distances(vectors, factor * draws).mean, found.mean, atol=2e-5)
    np.testing.assert_allclose(mean_distances(-vectors, draws).mean, 1 - found.mean, atol=2e-5)
    np.testing.assert_allclose(mean_distances(vectors, draws[::-1]).mean, found.mean, atol=2e-5)


@given(chains=st.integers(1, 80), n=st.integers(2, 300))
def test_batches_hold_every_draw_and_never_span_two_chains(chains: int, n: int) -> None:
    edges = batch_edges(chains, n)
    sizes = np.diff([*edges, chains * n])
    assert edges[0] == 0
    assert (sizes > 0).all()
    assert set(range(0, chains * n, n)) <= set(edges.tolist())
    assert len(edges) >= min(32, chains * (n // 2))


@pytest.mark.parametrize(("chains", "n"), [(64, 150), (1, 6000)])
def test_the_standard_error_covers_where_draws_are_autocorrelated(chains: int, n: int) -> None:
    rng, rho, runs = np.random.default_rng(7), 0.9, 400
    x = np.empty((runs, chains, n))
    x[..., 0] = rng.standard_normal((runs, chains))
    noise = rng.standard_normal((runs, chains, n)) * np.sqrt(1 - rho**2)
    for t in range(1, n):
        x[..., t] = rho * x[..., t - 1] + noise[..., t]
    edges = batch_edges(chains, n)
    sizes = np.diff([*edges, chains * n])
    means = np.add.reduceat(x.reshape(runs, -1), edges, axis=1) / sizes
    weights = sizes / sizes.sum()
    half = special.stdtrit(len(edges) - 1, 0.975) * batch_error(means, weights)
    covered = (np.abs(means @ weights) < half).mean()
    # 400 runs of 95 %: 3 standard errors are 3.3 points; batches of one chain are not quite
    # independent.
    assert 0.90 < covered < 0.985


def test_the_word_that_the_draws_lie_around_is_the_closest() -> None:
    words = embedding()
    rng = np.random.default_rng(1)
    target = words.vectors(["w7"])[0, 0]
    draws = target + 0.3 * rng.standard_normal((40, 50, words.dim))
    found = bl.posterior.distances(of_draws(draws), words)
    assert found.closest(1)[0].term == "w7"
    assert found.word("w7").rank == 1
    assert found.word("w7").distance < 0.5
    frame = found.to_frame()
    assert frame["term"].iloc[0] == "w7"
    assert frame["rank"].tolist() == list(range(1, 41))
    assert (np.diff(frame["distance"]) >= 0).all()
    assert found.most_distant(3) == tuple(found.word(t) for t in frame["term"][:-4:-1])
    assert found.word("w7").interval.kind == "Monte Carlo"
    assert "w7" in found.headline


def test_a_table_comes_back_from_json_and_draws_itself() -> None:
    words = embedding()
    draws = np.random.default_rng(1).standard_normal((8, 50, words.dim))
    found = bl.posterior.distances(of_draws(draws), words, ["w1", "w2", "nobody"])
    assert [d.term for d in found.dropped] == ["nobody"]
    assert "nobody" in found.summary()
    assert bl.Result.from_json(found.to_json()) == found
    assert list(found.figure().left[0].major_label_overrides.values()) == [
        one.term for one in found.closest(2)
    ]


def test_many_words_do_not_keep_their_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    words = embedding()
    draws = np.random.default_rng(1).standard_normal((8, 50, words.dim))
    assert bl.posterior.distances(of_draws(draws), words).batches.shape == (40, 32)
    monkeypatch.setattr("biaslab.probes.posterior.word_distances.BATCHES_KEPT_UP_TO", 10)
    assert bl.posterior.distances(of_draws(draws), words).batches.shape == (40, 0)


def _draws(value: float = 1.0, shape: tuple[int, ...] = (4, 30, 6)) -> Any:
    return of_draws(np.full(shape, value))


@pytest.mark.parametrize(
    ("posterior", "change", "message"),
    [
        (_draws(np.nan), {}, "not finite"),
        (_draws(0.0), {}, "no direction"),
        (_draws(shape=(2, 3, 6)), {}, "at least 20"),
        (_draws(shape=(4, 30, 5)), {}, "6 dimensions, but the draws have 5"),
        (_draws(), {"terms": ["nobody"]}, "knows none"),
        (_draws(), {"terms": []}, "none was given"),
        (_draws(), {"distance": "manhattan"}, "choose angular"),
        (_draws(), {"words": ["w1", "w2"]}, "has no word vectors"),
    ],
)
def test_what_cannot_be_measured_says_what_to_do(
    posterior: Any, change: dict[str, Any], message: str
) -> None:
    asked = {"words": embedding(), **change}
    with pytest.raises(QueryError, match=message):
        bl.posterior.distances(posterior, asked.pop("words"), **asked)


def test_an_ensemble_needs_one_of_its_replicates() -> None:
    vectors = [np.random.default_rng(b).standard_normal((3, 6)) for b in range(2)]
    both = bl.EmbeddingEnsemble(["a", "b", "c"], vectors)
    with pytest.raises(QueryError, match=r"replicate\(b\)"):
        bl.posterior.distances(_draws(), both)
    assert len(bl.posterior.distances(_draws(), both.replicate(0)).terms) == 3


def test_a_level_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match=r"0\.95"):
        bl.posterior.distances(_draws(), embedding(), level=95)


class Prior:
    """Holds what a reading asks of a prior."""

    def __init__(self, mean: Floats | None) -> None:
        self.mean = mean


def _around(mean: Floats) -> Any:
    draws = np.random.default_rng(1).standard_normal((40, 50, 6)) + mean
    drawn = of_draws(draws)
    return Drawn(drawn.label, drawn.draws, drawn.logit, drawn.provenance, prior=Prior(mean))


def test_angles_are_seen_from_the_mean_of_the_prior_unless_asked_otherwise() -> None:
    words, mean = embedding(), np.array([5.0, 5, 0, 0, 0, 0])
    posterior = _around(mean)
    vectors = words.vectors(list(words.words))[0]
    seen = bl.posterior.distances(posterior, words)
    assert seen.centre == "prior"
    assert "seen from the prior's mean" in seen.summary()
    moved = posterior.draws - mean
    np.testing.assert_allclose(seen.mean, plain(vectors - mean, moved, "angular"), atol=2e-5)
    origin = bl.posterior.distances(posterior, words, centre="origin")
    assert origin.centre == "origin"
    np.testing.assert_allclose(origin.mean, plain(vectors, posterior.draws, "angular"), atol=2e-5)
    # A length has no centre.
    far, same = (
        bl.posterior.distances(posterior, words, distance="euclidean", centre=c)
        for c in ("prior", "origin")
    )
    assert far.mean == pytest.approx(same.mean)
    assert "seen from" not in far.summary()


def test_a_prior_at_zero_or_without_a_mean_is_seen_from_the_origin() -> None:
    words, posterior = embedding(), _around(np.zeros(6))
    assert bl.posterior.distances(posterior, words).centre == "origin"
    drawn = of_draws(posterior.draws)
    unknown = Drawn(drawn.label, drawn.draws, drawn.logit, drawn.provenance, prior=Prior(None))
    assert bl.posterior.distances(unknown, words).centre == "origin"
    with pytest.raises(QueryError, match="choose prior or origin"):
        bl.posterior.distances(posterior, words, centre="middle")  # type: ignore[arg-type]
