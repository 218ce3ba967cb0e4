"""Every engine draws from the posterior that is known, by its own way."""

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import MissingExtraError, PosteriorError
from biaslab.probes.posterior import agreement
from harness.heavy import pyro, torch
from harness.needs import needs
from harness.torch_modules import module_of

pytestmark = needs("pyro")

LIMIT = 4.0  # Monte Carlo standard errors
# A step costs the same for many chains: as many draws in fewer steps.
WIDE = {"chains": 128, "draws": 100}
# What is known is compared here, and needs no exact draws beside.
RUNS = {
    "vectorised": {**WIDE, "warmup": 120, "check": False},
    "exact": WIDE,
    "choices": {"chains": 128, "draws": 300, "warmup": 200, "check": False},
    "nuts": {"chains": 2, "draws": 120, "warmup": 60, "check": False},
}


@pytest.fixture(scope="module")
def observer():
    rng = np.random.default_rng(0)
    root = rng.standard_normal((6, 6))
    return bl.observers.classifier(
        dim=6,
        steepness=2.5,
        bias=-0.5,
        mean=0.3 * rng.standard_normal(6),
        covariance=root @ root.T / 6 + 0.05 * np.eye(6),
        seed=1,
    )


@pytest.fixture(scope="module", params=list(RUNS))
def drawn(request, observer):
    return bl.sample_posterior(observer, engine=request.param, rng=3, **RUNS[request.param])


def in_errors(result, observer, label="positive"):
    """Deviations of all means from the known ones, in Monte Carlo standard errors."""
    known = [
        observer.posterior_logit(label)[0],
        observer.posterior_square(label),
        *observer.posterior_mean(label),
    ]
    return (result.diagnostics.mean - known) / result.diagnostics.mcse_mean


def test_means_are_the_known_ones(drawn, observer):
    assert np.abs(in_errors(drawn, observer)).max() < LIMIT


def test_the_covariance_is_the_known_one(drawn, observer):
    known = observer.posterior_covariance()
    effective = drawn.diagnostics.smallest_bulk
    found = np.cov(drawn.points.T.astype(np.float64))
    # Standard error of an entry of a sample covariance, of nearly normal draws.
    error = np.sqrt((known**2 + np.outer(np.diag(known), np.diag(known))) / effective)
    assert np.abs((found - known) / error).max() < 4.5
    assert np.var(drawn.logit) == pytest.approx(observer.posterior_logit()[1], rel=0.2)


def test_the_evidence_is_the_known_one(drawn, observer):
    assert abs(drawn.log_evidence - observer.log_evidence()) < LIMIT * drawn.log_evidence_error


def test_what_is_recorded_is_what_was_drawn(drawn, observer):
    np.testing.assert_allclose(drawn.square, (drawn.draws**2).sum(axis=2), rtol=1e-4)
    t = drawn.draws @ observer.weight.astype(np.float32) + np.float32(observer.bias)
    np.testing.assert_allclose(drawn.logit, t, atol=1e-4)
    assert drawn.draws.dtype == np.float32
    assert drawn.draws.shape == (drawn.chains, drawn.n_draws, 6)
    assert not drawn.partial
    assert drawn.divergences == 0
    assert 0.05 < drawn.acceptance < 1


def test_the_same_seed_gives_the_same_draws(drawn, observer):
    if drawn.engine == "nuts":
        few = {**RUNS["nuts"], "draws": 10}
        again = bl.sample_posterior(observer, engine="nuts", rng=3, **few)
        np.testing.assert_array_equal(again.draws, drawn.draws[:, :10])
        return
    again = bl.sample_posterior(observer, engine=drawn.engine, rng=3, **RUNS[drawn.engine])
    np.testing.assert_array_equal(again.draws, drawn.draws)


@pytest.mark.parametrize("engine", RUNS)
def test_looking_on_changes_no_digit(engine, monkeypatch):
    """Single precision rounds otherwise in a product of fewer rows."""
    warmup = {} if engine == "exact" else {"warmup": 4}

    def drawn_with_looks_every(seconds):
        monkeypatch.setattr("biaslab.probes.posterior.recorder._EVERY", seconds)
        return bl.sample_posterior(
            "imdb-sentiment", engine=engine, chains=3, draws=8, check=False, **warmup
        )

    assert drawn_with_looks_every(0) == drawn_with_looks_every(np.inf)


def test_no_engine_touches_the_global_generator(observer):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    for engine in RUNS:
        warmup = {} if engine == "exact" else {"warmup": 2}
        bl.sample_posterior(observer, engine=engine, chains=2, draws=4, check=False, **warmup)
    torch.testing.assert_close(torch.rand(3), expected)


def test_threads_are_as_they_were(observer):
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        bl.sample_posterior(observer, engine="exact", chains=2, draws=4)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_engines_agree_and_a_wrong_prior_is_told(observer):
    oracle = bl.sample_posterior(observer, engine="exact", **WIDE)
    same = agreement(bl.sample_posterior(observer, **RUNS["vectorised"]), oracle)
    assert same.agrees
    assert "agree within" in same.sentence()
    other = bl.sample_posterior(observer, prior_width=1.3, **RUNS["vectorised"])
    with pytest.raises(PosteriorError, match="different posteriors"):
        agreement(other, oracle)


def test_agreement_finds_a_shift():
    one, other = (bl.observers.classifier(dim=3, bias=b, seed=2) for b in (0.0, 0.6))
    oracle = bl.sample_posterior(one, engine="exact", prior="standard")
    shifted = bl.sample_posterior(other, engine="exact", prior="standard")
    found = agreement(shifted, oracle)
    assert not found.agrees
    assert "disagree" in found.sentence()


def test_a_symmetric_observer_has_mirrored_posteriors():
    observer = bl.observers.classifier(dim=4, seed=4)
    plus, minus = (
        bl.sample_posterior(observer, label, **RUNS["vectorised"])
        for label in ("positive", "negative")
    )
    mean = plus.diagnostics.mean + minus.diagnostics.mean
    error = np.hypot(plus.diagnostics.mcse_mean, minus.diagnostics.mcse_mean)
    assert np.abs(mean[2:] / error[2:]).max() < LIMIT
    # The logit of each label is what is recorded for it.
    same = plus.diagnostics.mean[0] - minus.diagnostics.mean[0]
    assert abs(same / error[0]) < LIMIT


def test_a_wider_prior_is_a_steeper_observer():
    gentle = bl.observers.classifier([0.5, 1.0, -0.3], 0.0, dtype="float64")
    steep = bl.observers.classifier(3 * gentle.weight, 0.0, dtype="float64")
    wide = bl.sample_posterior(gentle, prior_width=3.0, chains=8, draws=50, check=False)
    narrow = bl.sample_posterior(steep, chains=8, draws=50, check=False)
    np.testing.assert_allclose(wide.draws, 3 * narrow.draws, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("engine", ["vectorised", "choices"])
def test_a_warm_start_needs_a_short_warm_up(observer, engine):
    few = {"engine": engine, "check": False}
    runs = {"chains": 64, "draws": 600} if engine == "choices" else WIDE
    first = bl.sample_posterior(observer, chains=4, draws=4, **few)
    again = bl.sample_posterior(observer, prior_width=1.5, start=first, **runs, **few)
    assert again.warmup_logit.shape[1] < first.warmup_logit.shape[1]
    wide = bl.observers.classifier(
        observer.weight,
        observer.bias,
        mean=observer.prior_mean,
        covariance=1.5**2 * observer.prior_covariance,
    )
    assert np.abs(in_errors(again, wide)).max() < LIMIT
    assert again.diagnostics.largest_rhat < 1.02


def test_chains_do_not_begin_where_one_chain_was(observer):
    """They would all begin in the one mode that it has found."""
    alone = bl.sample_posterior(observer, engine="nuts", chains=1, draws=20, warmup=20)
    warm = bl.sample_posterior(observer, chains=8, draws=4, warmup=0, start=alone)
    cold = bl.sample_posterior(observer, chains=8, draws=4, warmup=0)
    np.testing.assert_array_equal(warm.draws, cold.draws)


def test_draws_are_compared_with_exact_ones_that_are_given(observer):
    oracle = bl.sample_posterior(observer, engine="exact", rng=9)
    found = bl.sample_posterior(observer, check=oracle, **WIDE, warmup=120)
    assert found.exact == agreement(found, oracle)
    assert bl.sample_posterior(observer, **RUNS["vectorised"]).exact is None
    assert found.exact.sentence() in found.summary()


@pytest.mark.parametrize("chains", [2, 48, 5000])
def test_a_warm_start_may_have_other_numbers_of_chains(observer, chains):
    first = bl.sample_posterior(observer, chains=16, draws=40, check=False)
    again = bl.sample_posterior(observer, chains=chains, draws=4, start=first, check=False)
    assert again.chains == chains


def test_a_warm_start_from_a_stored_result(observer):
    first = bl.Result.from_json(bl.sample_posterior(observer, chains=8, draws=20).to_json())
    assert bl.sample_posterior(observer, chains=8, draws=20, start=first).n_draws == 20


def test_a_steep_posterior_is_drawn_right():
    """Half of a normal distribution: what a sure classifier leaves of the prior."""
    observer = bl.observers.classifier(dim=50, steepness=40, seed=5)
    found = bl.sample_posterior(observer, chains=128, draws=125, warmup=150)
    assert found.trust
    assert found.exact.agrees
    assert np.abs(in_errors(found, observer)).max() < LIMIT


def test_an_unlikely_label_is_reached():
    observer = bl.observers.classifier(dim=20, steepness=6, bias=-40, seed=6)
    found = bl.sample_posterior(observer, chains=128, draws=250, warmup=200)
    assert found.trust
    assert found.exact is None
    assert "it takes too long" in found.exact_reason
    assert np.abs(in_errors(found, observer)).max() < LIMIT


def test_paper_mode_is_one_chain_of_nuts_under_the_standard_prior(observer):
    found = bl.sample_posterior(observer, paper_mode=True, draws=20, warmup=20)
    assert (found.engine, found.chains, found.prior.name) == ("nuts", 1, "standard")
    assert found.provenance.parameters["paper_mode"]
    assert not found.trust


def two_hills(s):
    """Far from the middle on either side of the first dimension."""
    r = 8 * (s[:, 0].abs() - 2.5)
    return torch.stack([r, torch.zeros_like(r)], dim=1)


def test_one_chain_that_missed_half_of_the_posterior_is_not_trusted():
    """Its draws look perfect: only other chains can tell."""
    hills = bl.TorchClassifier(module_of(two_hills), labels=("far", "near"), dim=3)
    alone = bl.sample_posterior(hills, "far", paper_mode=True, draws=60, warmup=40, rng=1)
    assert abs(alone.diagnostics.of("s_0")["mean"]) > 2  # the truth is 0
    assert not alone.trust
    assert "one chain cannot show that it missed a mode, so it has no R-hat" in alone.reasons[0]
    assert "exact draws disagree about s_0" in alone.reasons[1]
    assert np.isnan(alone.diagnostics.largest_rhat)
    assert "Trust these draws" not in alone.summary()
    several = bl.sample_posterior(hills, "far", chains=16, draws=100, warmup=60, check=False)
    assert not several.trust
    assert "chains still disagree about s_0" in several.reasons[0]


def pyro_priors():
    dist = pyro.distributions
    gamma = dist.Gamma(torch.tensor([2.0, 3.0]), torch.tensor([1.0, 2.0])).to_event(1)
    mixture = dist.MixtureSameFamily(
        dist.Categorical(torch.tensor([0.5, 0.5])),
        dist.Normal(torch.tensor([[-1.5, 0.0], [1.5, 1.0]]), 1.0).to_event(1),
    )
    return {
        "gamma": gamma,
        "two hills": mixture,
        "heavy tails": dist.StudentT(4.0).expand([2]).to_event(1),
    }


@pytest.mark.parametrize("name", ["gamma", "two hills", "heavy tails"])
@pytest.mark.parametrize(
    ("engine", "width"),
    [
        pytest.param("vectorised", 1.0, marks=pytest.mark.validate),
        ("vectorised", 1.5),
        ("choices", 1.5),
        pytest.param("nuts", 1.5, marks=pytest.mark.validate),
    ],
)
def test_any_pyro_prior(name, engine, width):
    if engine == "nuts" and name != "gamma":
        pytest.skip("seconds each, and its coordinates are those of the others")
    prior = pyro_priors()[name]
    observer = bl.observers.classifier([1.0, -1.5], 0.5)
    runs = RUNS["nuts" if engine == "nuts" else "vectorised"]
    oracle = bl.sample_posterior(observer, prior=prior, prior_width=width, engine="exact", rng=1)
    found = bl.sample_posterior(
        observer, prior=prior, prior_width=width, engine=engine, rng=2, **runs
    )
    assert agreement(found, oracle).largest < 4.5


def test_a_normal_pyro_prior_is_taken_as_such(observer):
    mean = torch.tensor(observer.prior_mean)
    prior = pyro.distributions.MultivariateNormal(mean, torch.tensor(observer.prior_covariance))
    found = bl.sample_posterior(observer, prior=prior, **RUNS["vectorised"])
    assert found.prior.is_normal
    assert np.abs(in_errors(found, observer)).max() < LIMIT


def test_a_black_box_that_only_chooses():
    """No gradient and no probability: the answers alone, from plain numpy."""
    observer = bl.observers.classifier([1.5, -1.0, 0.5], -0.3)
    rng = np.random.default_rng(7)
    asked = []

    def choose(points, proposals):
        asked.append(points.shape)
        p, q = (
            1 / (1 + np.exp(-(s @ observer.weight + observer.bias))) for s in (points, proposals)
        )
        return rng.random(len(p)) < q / (p + q)

    box = bl.posterior.Chooser(choose, dim=3, label="pleasant", name="a person")
    found = bl.sample_posterior(box, "pleasant", chains=64, draws=600)
    known = [observer.posterior_square(), *observer.posterior_mean()]
    errors = (found.diagnostics.mean[1:] - known) / found.diagnostics.mcse_mean[1:]
    assert np.abs(errors).max() < LIMIT
    assert set(asked) == {(64, 3)}
    assert np.isnan(found.logit).all()
    assert found.trust
    assert np.isnan(found.log_evidence)


def test_choices_of_one_and_two_are_accepted_as_zero_and_one_only():
    for answer, message in [
        (lambda p, q: np.ones(3, bool), "one True"),
        (lambda p, q: np.full(len(p), 2), "one True"),
        (lambda p, q: np.full(len(p), 0.5), "one True"),
    ]:
        with pytest.raises(PosteriorError, match=message):
            bl.sample_posterior(bl.posterior.Chooser(answer, dim=2), chains=4, draws=4)
    found = bl.sample_posterior(
        bl.posterior.Chooser(lambda p, q: (p[:, 0] < 9).astype(int).tolist(), dim=2),
        chains=4,
        draws=4,
    )
    assert found.acceptance == 1


def test_preparing_needs_no_classifier_and_leaves_nothing(observer):
    from biaslab.probes.posterior import prepare

    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    prepare()
    prepare(observer)
    torch.testing.assert_close(torch.rand(3), expected)


def test_the_missing_extra_is_named(observer, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"biaslab\[bayes\]"):
        bl.sample_posterior(observer)
