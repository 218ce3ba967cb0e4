"""What a posterior result says, shows and stores; and priors."""

import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import biaslab as bl
from biaslab.errors import PosteriorError
from biaslab.probes.posterior import Diagnostics, diagnose
from biaslab.probes.posterior.result import Reference
from biaslab.stats.chains import summarise
from harness.heavy import pyro
from harness.needs import needs

pytestmark = needs("pyro")


@pytest.fixture(scope="module")
def observer():
    return bl.observers.classifier(dim=40, seed=1)


@pytest.fixture(scope="module")
def seen():
    return []


@pytest.fixture(scope="module")
def result(observer, seen):
    return bl.sample_posterior(observer, hook=seen.append)


def test_live_draws_add_up_to_the_result(result, seen):
    for stage, logit, square in [
        ("warm-up", result.warmup_logit, result.warmup_square),
        ("sampling", result.logit, result.square),
    ]:
        of_stage = [live for live in seen if live.stage == stage]
        np.testing.assert_array_equal(np.concatenate([x.logit for x in of_stage], axis=1), logit)
        np.testing.assert_array_equal(np.concatenate([x.square for x in of_stage], axis=1), square)
    drawn = [live.points for live in seen if live.stage == "sampling"]
    np.testing.assert_array_equal(np.concatenate(drawn, axis=1), result.draws)


def test_live_draws_tell_where_the_run_is(result, seen):
    assert [live.done for live in seen] == sorted({live.done for live in seen})
    assert seen[-1].done == seen[-1].total == 1300
    assert {live.chains for live in seen} == {64}
    assert seen[-1].acceptance == pytest.approx(result.acceptance)
    assert seen[-1].step_size == result.step_size
    times = [live.seconds for live in seen]
    assert times == sorted(times)
    # Ten a second, and one more at the end of each block of up to 256 steps of a stage.
    blocks = math.ceil(300 / 256) + math.ceil(1000 / 256)
    assert len(seen) <= 10 * times[-1] + blocks + 1


def test_the_verdict_trusts_what_can_be_trusted(result):
    assert result.trust
    assert result.reasons == ()
    said = " ".join(result.verdict())
    assert said.startswith("Trust these draws. Chains agree (worst R-hat 1.00")
    assert f"{64_000:,} draws" in said
    assert result.headline.startswith("What logistic observer imagines for 'positive'.")
    assert "probability 0.5" in result.summary()
    assert "0 divergences" in result.summary()


def test_the_verdict_says_why_not(observer):
    few = bl.sample_posterior(observer, chains=2, draws=30, warmup=5)
    assert not few.trust
    said = " ".join(few.verdict())
    assert said.startswith("Do not trust yet, because ")
    assert "independent ones" in said
    tiny = bl.sample_posterior(observer, chains=2, draws=4, warmup=0)
    assert not tiny.trust
    assert tiny.to_frame().shape == (42, 10)
    tiny.summary()


def test_chains_that_disagree_and_divergences_are_told(result):
    shifted = np.array(result.draws[:, :200])
    shifted[:8, :, 3] += 2
    found = diagnose(shifted, result.logit[:, :200], result.square[:, :200])
    from biaslab.probes.posterior.diagnostics import doubts

    assert "chains still disagree about s_3 (R-hat 1." in doubts(found, 0)[0]
    assert any("3 trajectories diverged" in r for r in doubts(result.diagnostics, 3))


def test_exact_draws_are_said_to_be_independent(observer):
    exact = bl.sample_posterior(observer, engine="exact", chains=8, draws=200)
    assert "all independent" in exact.headline
    assert "% of the prior’s draws kept" in exact.summary()
    # Independent draws cannot miss a mode, in however few chains they are laid out.
    assert bl.sample_posterior(observer, engine="exact", chains=2, draws=2000).trust


def test_diagnostics_are_those_of_each_quantity(result):
    found = result.diagnostics
    assert found.names[:3] == ("logit", "|s|²", "s_0")
    assert len(found.names) == 42
    for name, values in [
        ("logit", result.logit),
        ("|s|²", result.square),
        ("s_17", result.draws[:, :, 17]),
    ]:
        alone = summarise(values)
        assert found.of(name)["rhat"] == pytest.approx(alone.rhat)
        assert found.of(name)["ess_tail"] == pytest.approx(alone.ess_tail)
    assert found.smallest_bulk == found.ess_bulk[found.worst]
    assert found.ess_bulk[2 + found.worst_dimension] == found.ess_bulk[2:].min()
    with pytest.raises(KeyError, match="s_0"):
        found.of("s_99")


def test_quick_diagnostics_keep_logit_and_square_in_full(result):
    quick = diagnose(result.draws, result.logit, result.square, quick=True)
    assert quick.quick
    np.testing.assert_array_equal(quick.rhat[:2], result.diagnostics.rhat[:2])
    np.testing.assert_allclose(quick.rhat, result.diagnostics.rhat, atol=0.002)
    np.testing.assert_allclose(quick.ess_bulk, result.diagnostics.ess_bulk, rtol=0.15)
    full = result.diagnostics.autocorrelation
    assert quick.autocorrelation.shape == full.shape
    for row in (0, 1, 2 + quick.worst_dimension):
        np.testing.assert_allclose(quick.autocorrelation[row], full[row])
    np.testing.assert_allclose(quick.autocorrelation[:, :2], full[:, :2])


def test_diagnostics_of_nothing_are_nothing():
    empty = diagnose(np.empty((4, 0, 3), np.float32), np.empty((4, 0)), np.empty((4, 0)))
    assert isinstance(empty, Diagnostics)
    assert not empty.is_defined.any()
    assert np.isnan(empty.largest_rhat)
    assert empty.worst == empty.worst_dimension == 0


def test_the_table_has_intervals(result):
    frame = result.to_frame()
    assert list(frame["quantity"][:2]) == ["logit", "|s|²"]
    assert (frame["monte_carlo_low"] < frame["mean"]).all()
    assert (frame["mean"] < frame["monte_carlo_high"]).all()
    assert frame.loc[0, "autocorrelation_1"] == result.diagnostics.autocorrelation[0, 1]


def test_a_large_result_is_stored_thinned_and_says_so(result, tmp_path):
    text = result.to_json()
    assert len(text) < 8e6
    again = bl.posterior.PosteriorResult.from_json(text)
    assert again.thinned == 3
    np.testing.assert_array_equal(again.draws, result.draws[:, ::3])
    np.testing.assert_array_equal(again.logit, result.logit)
    assert again.diagnostics == result.diagnostics
    assert again.n_draws == result.n_draws
    assert "1 in 3 draws" in again.caveat()
    assert again.to_json() == text
    with pytest.raises(PosteriorError, match="Sample again"):
        again.save_draws(tmp_path / "draws.npz")
    result.save_draws(tmp_path / "draws.npz")
    with np.load(tmp_path / "draws.npz") as held:
        np.testing.assert_array_equal(held["draws"], result.draws)
    json.loads(text)


@pytest.mark.parametrize("warmup", [0, 1, 2, 3, 7, 20])
def test_any_warm_up_will_do(warmup):
    observer = bl.observers.classifier(dim=2)
    found = bl.sample_posterior(observer, chains=4, draws=10, warmup=warmup)
    assert found.warmup_logit.shape == (4, warmup)
    assert 0 < found.step_size <= np.pi / 2


def test_the_figure_has_a_row_per_quantity(result):
    pytest.importorskip("bokeh")
    _, *rows = result.figure().children
    assert [len(row.children) for row in rows] == [2] * 3  # a trace and its autocorrelations
    few = bl.sample_posterior(bl.observers.classifier(dim=2), chains=2, draws=5, warmup=2)
    assert few.figure() is not None
    box = bl.posterior.Chooser(lambda p, q: np.arange(len(p)) % 2 == 0, dim=2)
    assert len(bl.sample_posterior(box, chains=4, draws=50).figure().children) == 1 + 2


def test_provenance_names_what_was_asked(result, observer):
    asked = result.provenance
    assert asked.probe == "sample_posterior"
    assert asked.subject_hash == observer.content_hash
    assert asked.seed == 0
    assert asked.parameters["engine"] == "vectorised"
    assert "known to be distributed" in asked.parameters["prior"]


# Priors


@given(st.integers(1, 6), st.integers(0, 50), st.floats(0.2, 5))
@settings(max_examples=25, deadline=None)
def test_whitening_undoes_unwhitening(dim, seed, width):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((dim, dim)) + 2 * np.eye(dim)
    prior = bl.posterior.Prior.normal(
        rng.standard_normal(dim), root @ root.T, shrinkage=0.05
    ).widened(width)
    z = rng.standard_normal((7, 3, dim))
    np.testing.assert_allclose(prior.whiten(prior.unwhiten(z)), z, atol=1e-6)
    far = rng.standard_normal((20_000, dim))
    covariance = np.atleast_2d(prior.covariance)
    np.testing.assert_allclose(
        np.cov(prior.unwhiten(far).T), covariance, atol=0.12 * np.abs(covariance).max()
    )


def test_width_multiplies_standard_deviations():
    prior = bl.posterior.Prior.normal([1.0, 2.0], [4.0, 9.0]).widened(2).widened(1.5)
    assert prior.width == 3
    np.testing.assert_allclose(prior.covariance, [36, 81])
    np.testing.assert_allclose(prior.mean, [1, 2])
    assert prior.described.endswith("3 times as wide")
    assert bl.posterior.Prior.standard(2).described == "standard normal, N(0, I)"


def test_the_prior_of_words_has_their_moments():
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((200, 3)).astype(np.float32)
    words = bl.WordEmbedding([f"w{i}" for i in range(200)], vectors)
    observer = bl.observers.classifier(dim=3, words=words)
    prior = bl.posterior.Prior.of_words(observer)
    np.testing.assert_allclose(prior.mean, vectors.mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(prior.covariance, np.cov(vectors.T), atol=1e-5)
    assert prior.text == "normal, fitted to 200 word vectors"
    assert bl.sample_posterior(observer, prior="words", chains=2, draws=4).prior == prior
    few = bl.observers.classifier(dim=3, words=bl.WordEmbedding(["a", "b"], vectors[:2]))
    with pytest.raises(PosteriorError, match="2 words"):
        bl.posterior.Prior.of_words(few)


@pytest.mark.parametrize(
    ("mean", "covariance", "message"),
    [
        (np.zeros(2), np.eye(3), "do not match"),
        (np.zeros(2), [[1, 2], [0, 1]], "symmetric"),
        ([0, np.nan], np.eye(2), "NaN"),
        (np.zeros(2), np.zeros(2), "singular"),
        (np.zeros(2), [1, -1], "singular"),
    ],
)
def test_impossible_priors_are_told(mean, covariance, message):
    with pytest.raises(PosteriorError, match=message):
        bl.posterior.Prior.normal(mean, covariance)


def test_a_pyro_prior_is_named_but_not_stored():
    prior = pyro.distributions.Gamma(2.0, 1.0).expand([2]).to_event(1)
    observer = bl.observers.classifier(dim=2)
    found = bl.sample_posterior(observer, prior=prior, chains=4, draws=20, warmup=20)
    assert found.prior.text == "the Pyro distribution Independent"
    again = bl.Result.from_json(found.to_json())
    assert again == found
    with pytest.raises(PosteriorError, match="was not stored"):
        bl.sample_posterior(observer, prior=again.prior)
    with pytest.raises(PosteriorError, match="not normal"):
        again.prior.whiten(np.zeros((1, 2)))
    assert pickle.loads(pickle.dumps(found)) == found


def test_a_classifier_without_stimuli_gets_the_standard_prior_and_a_note():
    observer = bl.observers.classifier(dim=2)
    observer._stimuli = None
    found = bl.sample_posterior(observer, chains=2, draws=10)
    assert found.prior.name == "standard"
    assert "does not know its training stimuli" in found.caveat()
    with pytest.raises(PosteriorError, match="prior='standard'"):
        bl.sample_posterior(observer, prior="stimuli")


# What warm-up learns


def test_chance_is_not_learnt():
    draws = np.random.default_rng(0).standard_normal((4000, 60))
    found = Reference.learnt(draws.mean(axis=0), np.cov(draws.T), 4000, whitened=True)
    assert len(found.scales) == 0
    np.testing.assert_allclose(found.root, np.eye(60))


def test_a_narrow_direction_is_learnt():
    rng = np.random.default_rng(0)
    direction = rng.standard_normal(60)
    direction /= np.linalg.norm(direction)
    draws = rng.standard_normal((4000, 60))
    draws -= 0.7 * np.outer(draws @ direction, direction)
    found = Reference.learnt(draws.mean(axis=0), np.cov(draws.T), 4000, whitened=True)
    assert found.scales == pytest.approx([0.3], abs=0.02)
    assert abs(found.directions[0] @ direction) > 0.98
    np.testing.assert_allclose(found.root @ found.inverse_root, np.eye(60), atol=1e-9)
