"""Every probe that draws takes ``rng``: a whole number, or a generator to draw from."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.probes.rating import RatingDesign, power_curve, simulate

PACKAGES = (
    "association", "debias", "images", "occupations", "posterior", "psychometrics", "rating",
    "sentences", "similarity",
)  # fmt: skip
#: Takes the number that a probe has made of its ``rng``.
INNER = {"image_statistics"}
LISTS: dict[str, Any] = {
    "targets": {"care": ("nurse", "clerk"), "craft": ("pilot", "smith")},
    "attributes": {"women": ("she", "woman"), "men": ("he", "man")},
}
OWNERS = {"women": ["care"], "men": ["craft"]}


def _words() -> Any:
    words = [word for held in LISTS.values() for each in held.values() for word in each]
    vectors = np.random.default_rng(1).standard_normal((2, len(words), 8))
    return bl.EmbeddingEnsemble(words, vectors.astype(np.float32), name="random")


def _sampled(rng: Any) -> Any:
    observer = bl.observers.classifier(dim=3, seed=1)
    return bl.sample_posterior(observer, engine="exact", chains=2, draws=20, rng=rng)


def _images() -> Any:
    from harness.small_image_study import asked

    return asked(resamples=100, permutations=100)


def _stereotypes(rng: Any = 0) -> Any:
    from harness.sentence_pairs import pairs

    truth = bl.observers.scorer(0.8, seed=1)
    return bl.stereotype_score(truth, sentences=pairs(), keep=False, resamples=100, rng=rng)


DRAWN: dict[str, Callable[[Any], Any]] = {
    "association": lambda rng: bl.association.overview(
        _words(), **LISTS, attribute_groups=OWNERS, draws=200, resamples=20, rng=rng
    ),
    "direct_bias": lambda rng: bl.association.direct_bias(
        _words(), words=["nurse", "pilot"], defining=[("she", "he")], resamples=20, rng=rng
    ),
    "distance_model": lambda rng: bl.distance_model(
        _words(), **LISTS, attribute_groups=OWNERS, draws=200, rng=rng
    ),
    "image_score_difference": lambda rng: _images().compared_with(
        _images(), resamples=100, rng=rng
    ),
    "mac": lambda rng: bl.mac(_words(), **LISTS, resamples=20, rng=rng),
    "power_curve": lambda rng: power_curve(
        bl.observers.service("noisy"), sizes=(20,), experiments=4, rng=rng
    ),
    "rate": lambda rng: bl.rate(
        bl.observers.service("noisy"), RatingDesign.make(texts=10), keep=False, rng=rng
    ),
    "rnd": lambda rng: bl.association.rnd(_words(), **LISTS, resamples=20, rng=rng),
    "sample_posterior": _sampled,
    "simulate": lambda rng: simulate(
        bl.observers.service("noisy"), RatingDesign.make(texts=10), 4, rng=rng
    ).counts(),
    "stereotype_score": _stereotypes,
    "stereotype difference": lambda rng: _stereotypes().compared_with(
        _stereotypes(), resamples=100, rng=rng
    ),
    "weat": lambda rng: bl.weat(_words(), **LISTS, resamples=20, rng=rng),
    "weat_simulation": lambda rng: bl.association.weat_simulation(draws=20, rng=rng),
}


def test_no_probe_takes_a_seed() -> None:
    for package in PACKAGES:
        module = import_module(f"biaslab.probes.{package}")
        for name, probe in inspect.getmembers(module, inspect.isfunction):
            if name not in INNER:
                assert "seed" not in inspect.signature(probe).parameters, name


@pytest.mark.parametrize("name", DRAWN)
def test_a_generator_in_the_same_state_gives_the_same_and_moves_on(name: str) -> None:
    one, two = (np.random.default_rng(5) for _ in range(2))
    assert DRAWN[name](one) == DRAWN[name](two)
    assert one.bit_generator.state == two.bit_generator.state
    assert one.bit_generator.state != np.random.default_rng(5).bit_generator.state


@pytest.mark.parametrize("name", DRAWN)
def test_a_number_below_zero_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"rng is -1|non-negative"):
        DRAWN[name](-1)
