"""Bad input is told, and whatever stops a run, the draws that there are stay."""

import math
import re

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import JobCancelledError, PosteriorError, SubjectError, WrongSubjectError
from biaslab.jobs.job import JobStatus
from biaslab.subjects.classifier.base import Classifier
from harness.heavy import pyro, torch
from harness.needs import needs

pytestmark = needs("pyro")

ENGINES = ["vectorised", "nuts", "exact", "choices"]
LONG = {"chains": 4, "draws": 200_000}  # never drawn to the end


class Formula(Classifier):
    """A classifier whose logit is a function of the points."""

    def __init__(self, logit, dim=3):
        super().__init__(labels=("negative", "positive"), dim=dim, name="formula")
        self.formula = logit

    @property
    def content_hash(self):
        return "formula"

    def _logits(self, points):
        t = self.formula(points)
        return torch.stack([torch.zeros_like(t), t], dim=-1)


@pytest.fixture(scope="module")
def observer():
    return bl.observers.classifier(dim=3, seed=1)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"engine": "gibbs"}, "vectorised, nuts, exact, choices"),
        ({"prior": "flat"}, "'stimuli', 'standard' or 'words'"),
        ({"prior": 3}, "a Prior or a Pyro"),
        ({"prior": "words"}, "no words"),
        ({"prior": bl.posterior.Prior.standard(4)}, "4 dimensions"),
        ({"prior_width": 0}, "above 0"),
        ({"prior_width": math.nan}, "above 0"),
        ({"chains": 1}, "at least 2 chains"),
        ({"engine": "nuts", "chains": 0}, "at least 1 chains"),
        ({"draws": 3}, "4 draws each"),
        ({"warmup": -1}, "no negative warm-up"),
        ({"engine": "exact", "warmup": 10}, "no warm-up"),
        ({"device": "cuda:9"}, "CUDA|cuda"),
    ],
)
def test_what_cannot_be_asked_for_is_told(observer, wrong, message):
    with pytest.raises((PosteriorError, RuntimeError, AssertionError), match=message):
        bl.sample_posterior(observer, **wrong)


@pytest.mark.parametrize("mean", [0.0, [0.0, 0.0, 0.0]])
def test_a_pyro_prior_that_is_not_one_event_is_told(observer, mean):
    prior = pyro.distributions.Normal(torch.tensor(mean), 1.0)
    with pytest.raises(PosteriorError, match="to_event"):
        bl.sample_posterior(observer, prior=prior)


def test_a_label_that_it_does_not_have(observer):
    with pytest.raises(SubjectError, match="negative, positive"):
        bl.sample_posterior(observer, "neutral")
    assert bl.sample_posterior(observer, "Positive", chains=2, draws=4).label == "positive"
    box = bl.posterior.Chooser(lambda p, q: np.ones(len(p), bool), dim=2, label="pleasant")
    with pytest.raises(SubjectError, match="pleasant"):
        bl.sample_posterior(box)


def test_what_is_no_classifier():
    with pytest.raises(WrongSubjectError, match="TorchClassifier"):
        bl.sample_posterior(lambda s: s)
    box = bl.posterior.Chooser(lambda p, q: np.ones(len(p), bool), dim=2)
    with pytest.raises(PosteriorError, match="only be sampled with engine='choices'"):
        bl.sample_posterior(box, engine="vectorised")
    with pytest.raises(PosteriorError, match="at least one dimension"):
        bl.posterior.Chooser(lambda p, q: p, dim=0)


def test_a_start_from_another_space(observer):
    other = bl.sample_posterior(bl.observers.classifier(dim=5), chains=2, draws=4)
    with pytest.raises(PosteriorError, match="5 dimensions"):
        bl.sample_posterior(observer, start=other)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_classifier_that_answers_nan(engine):
    broken = Formula(lambda s: s[:, 0] * math.nan)
    with pytest.raises(SubjectError, match="answers NaN or infinity at"):
        bl.sample_posterior(broken, engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_classifier_that_answers_nan_later_on(engine):
    """What was drawn before is kept, and the error holds it."""
    calls = []

    def fails(s):
        calls.append(1)
        after = {"exact": 12, "nuts": 1500}.get(engine, 250)
        return s.sum(dim=1) * (math.nan if len(calls) > after else 1.0)

    warmup = {} if engine == "exact" else {"warmup": 20}
    job = bl.start(bl.sample_posterior, Formula(fails), engine=engine, **LONG, **warmup)
    job.wait()
    assert job.status == JobStatus.FAILED
    assert isinstance(job.exception, PosteriorError)
    assert re.match("Sampling stopped: formula answers NaN.* kept", str(job.exception))
    partial = job.partial
    assert partial is job.exception.partial
    assert partial.partial
    assert partial.n_draws > 0
    assert np.isfinite(partial.draws).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_constant_leaves_the_prior(engine):
    flat = Formula(lambda s: 0 * s[:, 0] - 1)
    runs = {"chains": 64, "draws": 400} | ({} if engine == "exact" else {"warmup": 200})
    if engine == "nuts":
        runs = {"chains": 2, "draws": 100, "warmup": 40}
    found = bl.sample_posterior(flat, engine=engine, **runs)
    assert any("posterior is the prior" in note for note in found.notes)
    assert found.trust or engine == "nuts"  # of which there are too few draws
    errors = found.diagnostics.mean[2:] / found.diagnostics.mcse_mean[2:]
    assert np.abs(errors).max() < 4
    np.testing.assert_allclose(np.cov(found.points.T), np.eye(3), atol=0.35)
    assert np.isnan(found.diagnostics.rhat[0])  # the logit does not vary
    assert found.log_evidence == pytest.approx(-math.log(1 + math.e), abs=1e-5)


def test_a_constant_without_any_gradient():
    found = bl.sample_posterior(Formula(lambda s: torch.zeros(len(s))), chains=4, draws=50)
    assert any("posterior is the prior" in note for note in found.notes)


@pytest.mark.parametrize("engine", ["vectorised", "nuts"])
def test_a_classifier_without_gradient(engine):
    stepped = Formula(lambda s: torch.sign(s[:, 0]).detach() * 2)
    with pytest.raises(PosteriorError, match=r"no gradient.*'exact' or engine='choices'"):
        bl.sample_posterior(stepped, engine=engine)
    found = bl.sample_posterior(stepped, engine="choices", chains=128, draws=200, warmup=100)
    p = 1 / (1 + math.exp(-2))
    share = found.draws[..., 0] > 0
    assert share.mean() == pytest.approx(p, abs=0.05)


def test_exact_says_when_it_is_hopeless():
    rare = bl.observers.classifier([1.0, 0.0], -20.0)
    with pytest.raises(PosteriorError, match=r"keeps 0 of .* prior draws.*'vectorised'"):
        bl.sample_posterior(rare, engine="exact")
    borderline = bl.observers.classifier([0.1], -5.0)  # 0.7 %
    assert bl.sample_posterior(borderline, engine="exact", chains=2, draws=4).acceptance < 0.01


def test_a_singular_covariance_is_told_with_the_shrinkage_that_helps():
    line = np.outer([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    with pytest.raises(PosteriorError, match=r"rank 1 of 3.*shrinkage=0\.01"):
        bl.posterior.Prior.normal(np.zeros(3), line)
    assert bl.posterior.Prior.normal(np.zeros(3), line, shrinkage=0.01).root.shape == (3, 3)


def test_a_hook_that_fails_loses_no_draws(observer):
    def hook(live):
        if live.stage == "sampling":
            raise ValueError("no screen")

    with pytest.raises(PosteriorError, match="no screen") as caught:
        bl.sample_posterior(observer, hook=hook, warmup=10, **LONG)
    assert caught.value.partial.n_draws > 0


def interrupting(after):
    """A hook that presses Ctrl-C once so many steps are done."""

    def hook(live):
        if live.done > after:
            raise KeyboardInterrupt

    return hook


@pytest.mark.parametrize("engine", ENGINES)
def test_the_keyboard_keeps_the_draws(observer, engine):
    warmup = {} if engine == "exact" else {"warmup": 10}
    found = bl.sample_posterior(observer, engine=engine, hook=interrupting(30), **LONG, **warmup)
    assert found.partial
    assert 20 <= found.n_draws < 200_000
    assert found.draws.shape == (4, found.n_draws, 3)
    assert np.isfinite(found.draws).all()
    assert np.isfinite(found.logit).all()
    assert "Stopped after" in found.caveat()
    assert bl.Result.from_json(found.to_json()).partial


def test_the_keyboard_in_warm_up_has_nothing_to_keep(observer):
    with pytest.raises(KeyboardInterrupt):
        bl.sample_posterior(observer, warmup=100_000, hook=interrupting(0), chains=2, draws=10)


@pytest.mark.parametrize("stop", [60, 61, 67, 80])
def test_the_keyboard_within_the_classifier(stop):
    """Wherever it strikes, the result is whole."""
    calls = []

    def logit(s):
        calls.append(1)
        if len(calls) == stop:
            raise KeyboardInterrupt
        return s.sum(dim=1)

    found = bl.sample_posterior(Formula(logit), chains=2, draws=100_000, warmup=0)
    assert found.partial
    assert np.isfinite(found.draws).all()
    np.testing.assert_allclose(found.logit, found.draws.sum(axis=2), atol=1e-4)


def stopping(how, when):
    """A hook that stops its own job, at a stage."""
    box = []

    def hook(live):
        if live.stage == when and live.done > 20:
            getattr(box[0], how)()

    return box, hook


@pytest.mark.parametrize("engine", ENGINES)
def test_an_aborted_job_keeps_its_draws(observer, engine):
    box, hook = stopping("abort", "sampling")
    warmup = {} if engine == "exact" else {"warmup": 10}
    gate = bl.start(_wait_for, box)  # so that the job is known before it begins
    job = bl.start(bl.sample_posterior, observer, engine=engine, hook=hook, **LONG, **warmup)
    box.append(job)
    gate.wait()
    found = job.result(120)
    assert job.status == JobStatus.ABORTED
    assert found.partial
    assert 0 < found.n_draws < 200_000
    assert job.progress.total == found.asked + warmup.get("warmup", 0)


@pytest.mark.parametrize(("how", "when"), [("cancel", "sampling"), ("cancel", "warm-up")])
def test_a_cancelled_job_leaves_nothing(observer, how, when):
    box, hook = stopping(how, when)
    gate = bl.start(_wait_for, box)
    job = bl.start(
        bl.sample_posterior,
        observer,
        hook=hook,
        warmup=100_000 if when == "warm-up" else 10,
        **LONG,
    )
    box.append(job)
    gate.wait()
    with pytest.raises(JobCancelledError):
        job.result(120)
    assert job.status == JobStatus.CANCELLED
    assert job.partial is None


def test_a_job_aborted_in_warm_up_has_no_result(observer):
    box, hook = stopping("abort", "warm-up")
    gate = bl.start(_wait_for, box)
    job = bl.start(bl.sample_posterior, observer, hook=hook, warmup=100_000, **LONG)
    box.append(job)
    gate.wait()
    with pytest.raises(JobCancelledError):
        job.result(120)


def _wait_for(box):
    import threading

    never = threading.Event()
    while not box:
        never.wait(0.001)
