"""`bl.image_association` with real models: all kinds, what they cannot be asked, jobs, stores."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.images import ImageSet, default_images, drawn_images
from biaslab.subjects import VisionLanguageModel
from harness import tiny_vision_language as tiny
from harness.needs import needs
from harness.small_image_study import SPEC

pytestmark = [needs("torch"), pytest.mark.usefixtures("one_thread")]

TERMS = {"women": ("female nurse", "female pilot"), "men": ("male nurse", "male pilot")}
KNOWN = replace(
    SPEC, groups=TERMS, attributes={"helpers": ("helper", "nurse"), "experts": ("expert", "man")}
)


@pytest.fixture(scope="module")
def portraits() -> ImageSet:
    return drawn_images([t for terms in TERMS.values() for t in terms], per_term=3, size=32)


@pytest.mark.parametrize("kind", list(tiny.MODELS))
def test_all_kinds_of_models_are_asked(kind: str, portraits: ImageSet) -> None:
    vlm = VisionLanguageModel.of(*tiny.build(kind), name=kind)
    options: dict[str, Any] = {"keep": False, "resamples": 100, "permutations": 100}
    result = bl.image_association(vlm, KNOWN, portraits, **options)
    assert result.model_kind == vlm.kind
    assert result.templates == vlm.templates
    expected = vlm.probabilities(list(portraits), result.concepts)
    chosen = bl.image_association(vlm, KNOWN, portraits, aggregate="any", **options)
    for found, first in (
        (result, expected[..., :2].sum(axis=-1).mean(axis=1)),
        (chosen, (expected.argmax(axis=-1) < 2).mean(axis=1)),
    ):
        np.testing.assert_allclose(found.probabilities, expected, atol=1e-6)
        score = np.where(found.group_of == 0, first, 1 - first).mean()
        assert found.score == pytest.approx(score)
    word = "captions" if vlm.takes_captions else "questions"
    assert f"3 {word}" in result.caveat()


def test_a_word_that_is_no_answer_of_vilt_is_said_and_not_scored(portraits: ImageSet) -> None:
    vlm = VisionLanguageModel.of(*tiny.build("vilt"), name="vilt")
    spec = replace(KNOWN, attributes={"helpers": ("helper", "nurs"), "experts": ("expert",)})
    result = bl.image_association(vlm, spec, portraits, keep=False)
    assert result.concepts == ("helper", "expert")
    (lost,) = result.dropped
    assert (lost.term, lost.role) == ("nurs", "helpers")
    assert "nurse" in lost.suggestions
    assert "Not used: “nurs”" in result.summary()
    none = replace(KNOWN, attributes={"helpers": ("zebra",), "experts": ("expert",)})
    with pytest.raises(QueryError, match="any concept in the list 'helpers'"):
        bl.image_association(vlm, none, portraits, keep=False)


def test_portrait_clip_shows_what_was_planted() -> None:
    vlm = bl.load("portrait-clip", device="cpu")
    names = "images-experts-helpers", "images-neighbours-visitors"
    pictures = default_images(bl.specs.get(names[0]), per_term=8, size=64)
    planted, nothing = (bl.image_association(vlm, name, pictures, keep=False) for name in names)
    assert planted.lean == 1
    assert planted.score == pytest.approx(0.65, abs=0.03)
    assert nothing.score == pytest.approx(0.5, abs=0.005)
    # A few portraits are taken for the other group: other draws could hold more of them.
    for term in planted.terms:
        assert term.score - term.interval.low > term.interval.high - term.score, term.name
    assert planted.headline.startswith("The model pairs portraits of women with “helpers”")
