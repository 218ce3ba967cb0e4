"""A classifier that fails half way through an overview: what was drawn is kept and read."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import SubjectError
from biaslab.jobs.job import JobStatus
from biaslab.probes.posterior.overview_probe import reread
from biaslab.probes.posterior.overview_result import PosteriorOverview, locate
from biaslab.records.result import Result
from biaslab.subjects.classifier.base import StimulusMoments
from harness.heavy import torch
from harness.needs import needs
from harness.torch_modules import module_of

pytestmark = needs("pyro")

DIM = 3
WORDS = ("good", "great", "bad", "awful", "she", "he")
GROUPS = {"female": ["she"], "male": ["he"]}
SHORT: dict[str, Any] = {"chains": 4, "draws": 60, "warmup": 40}
LONG: dict[str, Any] = {"chains": 4, "draws": 200_000, "warmup": 40}  # never drawn to the end


class Breaking:
    """Answers NaN, or raises, from a stage of a label's run on."""

    def __init__(self, label: str, stage: str, error: Exception | None = None) -> None:
        self.when, self.error, self.broken = (label, stage), error, False
        vectors = np.random.default_rng(1).normal(size=(len(WORDS), DIM)).astype(np.float32)
        self.subject = bl.TorchClassifier(
            module_of(self.answer),
            dim=DIM,
            labels=["negative", "positive"],
            words=bl.WordEmbedding(list(WORDS), vectors, name="words"),
            stimuli=StimulusMoments(np.zeros(DIM), np.eye(DIM), 100),
            name="breaking",
        )

    def answer(self, points: torch.Tensor) -> torch.Tensor:
        if self.broken and self.error is not None:
            raise self.error
        return points.sum(dim=1, keepdim=True) * (float("nan") if self.broken else 1.0)

    def hook(self, label: str, live: Any) -> None:
        self.broken = self.broken or (label, live.stage) == self.when

    def posterior(self, **options: Any) -> PosteriorOverview:
        return bl.posterior.overview(self.subject, groups=GROUPS, hook=self.hook, **options)


def test_half_way_through_the_first_label() -> None:
    breaking = Breaking("positive", "sampling")
    found = breaking.posterior(**LONG)
    assert list(found.posteriors) == ["positive"]
    kept = found.of("positive")
    assert 0 < kept.n_draws < LONG["draws"]
    assert kept.partial
    assert found.partial
    assert np.isfinite(kept.draws).all()
    assert found.failure.startswith("Drawing for “positive” failed. Sampling stopped: breaking")
    assert f"{kept.n_draws} draws per chain are kept." in found.failure
    assert found.summary().startswith(found.failure)
    assert found.reading.plane is not None
    assert "positive" in found.reading.groups


def test_half_way_through_the_second_label() -> None:
    """The first label's draws are all there, and both are read without asking any more."""
    breaking = Breaking("negative", "sampling", RuntimeError("the device is lost"))
    draws = 600  # more than two blocks, at whose ends the recorder looks
    found = breaking.posterior(chains=4, draws=draws, warmup=40)
    assert list(found.posteriors) == ["positive", "negative"]
    assert found.of("positive").n_draws == draws
    assert 0 < found.of("negative").n_draws < draws
    assert "the device is lost" in found.failure
    plane = found.reading.plane
    assert plane is not None
    assert {"she", "he"} <= set(plane.terms)
    # What the kept logits tell of p(a) / p(b) is told: by symmetry it is 1.
    assert plane.evidence is not None
    assert abs(plane.evidence.log_ratio) < 0.5
    assert set(found.reading.groups) == {"positive", "negative"}
    again = reread(found, breaking.subject, groups=GROUPS, distance="cosine")
    assert again.failure == found.failure
    assert again.reading.groups["positive"].distance == "cosine"
    place = locate(found, breaking.subject, "positive", "awful")
    assert place.place is not None
    assert np.isnan(place.difference)


def test_before_the_second_label_has_draws() -> None:
    found = Breaking("negative", "warm-up").posterior(**SHORT)
    assert list(found.posteriors) == ["positive"]
    assert not found.of("positive").partial
    assert found.partial
    assert found.failure.startswith("Drawing for “negative” failed. breaking answers NaN")


def test_without_any_draws_it_is_an_error() -> None:
    with pytest.raises(SubjectError, match="answers NaN"):
        Breaking("positive", "warm-up").posterior(**SHORT)
    job = bl.start(Breaking("positive", "warm-up").posterior, **SHORT)
    job.wait()
    assert job.status == JobStatus.FAILED


def test_a_job_has_the_draws_as_its_result() -> None:
    job = bl.start(Breaking("positive", "sampling").posterior, **LONG)
    found = job.result(120)
    assert job.status == JobStatus.DONE
    assert found.of("positive").n_draws > 0
    assert found.failure


def test_why_it_failed_is_stored_and_older_files_are_read() -> None:
    found = Breaking("negative", "warm-up").posterior(**SHORT)
    assert Result.from_json(found.to_json()) == found
    older = json.loads(found.to_json())
    del older["failure"]
    read = Result.from_dict(older)
    assert isinstance(read, PosteriorOverview)
    assert read.failure == ""
    assert read.of("positive") == found.of("positive")


def test_a_run_that_ends_well_has_no_failure() -> None:
    found = Breaking("never", "").posterior(**SHORT)
    assert found.failure == ""
    assert not found.partial
