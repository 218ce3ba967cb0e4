"""ViLT, BLIP and GIT are asked only what they have not answered yet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from biaslab.errors import StoreError
from biaslab.store import Store
from biaslab.subjects import VisionLanguageModel
from biaslab.subjects.vision_language.cache import ANSWERS_NOT_CACHED, AnswerCache
from harness import tiny_vision_language as tiny
from harness.needs import needs

pytestmark = [needs("torch", "transformers"), pytest.mark.usefixtures("one_thread")]

KINDS = ("vilt", "blip", "git")
ONE, TWO = "What is this person?", "What role is this?"


def pictures(count: int, seed: int = 0) -> list[NDArray[np.uint8]]:
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 256, (32, 32, 3), dtype=np.uint8) for _ in range(count)]


class Watched:
    """A model of a kind, and what is asked of how many pictures."""

    def __init__(self, kind: str, seed: int = 0) -> None:
        self.vlm = VisionLanguageModel.of(*tiny.build(kind, seed))
        self.asked: list[tuple[int, int, int]] = []
        scores = self.vlm.family.scores

        def heard(inputs: dict[str, Any], prepared: Any) -> Any:
            found = scores(inputs, prepared)
            self.asked.append(tuple(found.shape))
            return found

        self.vlm.family.scores = heard  # type: ignore[method-assign]

    def __call__(
        self, images: Sequence[Any], concepts: Sequence[str], templates: Sequence[str] = (ONE, TWO),
        **options: Any,
    ) -> NDArray[np.float64]:  # fmt: skip
        self.asked.clear()
        return self.vlm.answers(images, concepts, templates, **options).log_scores


def fresh(kind: str, *question: Any) -> NDArray[np.float64]:
    return Watched(kind)(*question)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_added_is_asked_by_itself(kind: str) -> None:
    model, images = Watched(kind), pictures(5)
    model(images, ["helper", "expert"])
    assert model.asked == [(5, 2, 2)]
    again = model(images[::-1], ["expert", "helper"])
    assert model.asked == []
    np.testing.assert_allclose(again, fresh(kind, images[::-1], ["expert", "helper"]), atol=1e-5)
    more = model(images, ["helper", "nurse", "expert"])
    assert model.asked == [(5, 2, 1)]
    np.testing.assert_allclose(more, fresh(kind, images, ["helper", "nurse", "expert"]), atol=1e-5)
    other = ["Who is this?", ONE]
    found = model(images, ["helper", "expert"], other)
    assert model.asked == [(5, 1, 2)]
    np.testing.assert_allclose(found, fresh(kind, images, ["helper", "expert"], other), atol=1e-5)
    new = [*images, *pictures(2, seed=1)]
    found = model(new, ["helper", "nurse"])
    assert model.asked == [(2, 2, 2)]
    np.testing.assert_allclose(found, fresh(kind, new, ["helper", "nurse"]), atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_answers_outlive_the_process_in_the_store(kind: str, tmp_path: Path) -> None:
    store, images, words = Store(tmp_path), pictures(4), ["helper", "expert"]
    first = Watched(kind)(images, words, store=store)
    model = Watched(kind)
    told: list[int] = []
    np.testing.assert_array_equal(model(images, words, store=store, advance=told.append), first)
    assert (model.asked, told) == ([], [4])
    np.testing.assert_allclose(
        model(images, ["helper", "nurse"], store=store),
        fresh(kind, images, ["helper", "nurse"]), atol=1e-5,
    )  # fmt: skip
    assert model.asked == [(4, 2, 1)]
    # Another model does not take them for its own.
    other = Watched(kind, seed=1)
    other(images, words, store=store)
    assert other.asked == [(4, 2, 2)]
    # Without a store nothing is looked up.
    model.vlm.forget_pictures()
    model(images, words)
    assert model.asked == [(4, 2, 2)]


def test_what_is_remembered_and_what_is_kept_come_together(tmp_path: Path) -> None:
    store, images, model = Store(tmp_path), pictures(3), Watched("blip")
    Watched("blip")(images, ["nurse", "expert"], store=store)
    model(images, ["helper", "expert"])
    found = model(images, ["helper", "nurse"], store=store)
    assert model.asked == []
    np.testing.assert_allclose(found, fresh("blip", images, ["helper", "nurse"]), atol=1e-5)


def test_a_reading_that_is_stopped_keeps_what_it_has(tmp_path: Path) -> None:
    class Stopped(Exception):
        pass

    calls = 0

    def stop() -> None:
        nonlocal calls
        calls += 1
        if calls > 2:
            raise Stopped

    store, images, model = Store(tmp_path), pictures(40), Watched("git")
    with pytest.raises(Stopped):
        model(images, ["helper", "expert"], store=store, between=stop)
    done = sum(count for count, *_ in model.asked)
    assert 0 < done < 40
    later = Watched("git")
    later(images, ["helper", "expert"], store=store)
    assert sum(count for count, *_ in later.asked) == 40 - done


def test_the_same_picture_is_asked_about_once() -> None:
    model, images = Watched("vilt"), pictures(2)
    told: list[int] = []
    found = model([*images, images[0]], ["helper", "expert"], advance=told.append)
    assert model.asked == [(2, 2, 2)]
    np.testing.assert_array_equal(found[0], found[2])
    model([*images, images[0]], ["helper", "expert"], advance=told.append)
    assert told == [2, 3]


def test_a_store_that_fails_is_said_and_stops_nothing() -> None:
    class Broken:
        def __init__(self, name: str) -> None:
            self.name = name

        def kept_values(self, _kind: str, keys: Any) -> dict[str, str]:
            if self.name == "reading":
                raise StoreError("It is locked.")
            return dict.fromkeys(list(keys)[:3], "damaged")

        def keep_values(self, _kind: str, _values: Any) -> None:
            if self.name == "writing":
                raise StoreError("The disk is full.")

    wanted = fresh("blip", pictures(3), ["helper", "expert"])
    for name, told in (("reading", "locked"), ("writing", "disk is full"), ("values", None)):
        model = Watched("blip")
        store: Any = Broken(name)
        found = model.vlm.answers(pictures(3), ["helper", "expert"], [ONE, TWO], store=store)
        np.testing.assert_allclose(found.log_scores, wanted, atol=1e-5)
        assert [
            note for note in found.notes if ANSWERS_NOT_CACHED in note and str(told) in note
        ] == list(found.notes)
        assert bool(found.notes) == (told is not None)


def test_what_was_used_longest_ago_goes_first() -> None:
    held = AnswerCache(rows=2)
    for picture in "ab":
        held.put(picture, ["t"], ["x", "y"], np.array([[1.0, math.nan]]))
    assert held.of("a", ["t"], ["x"]) == 1.0
    held.put("c", ["t"], ["x"], np.array([[3.0]]))
    assert np.isnan(held.of("b", ["t"], ["x"])).all()
    np.testing.assert_array_equal(held.of("a", ["t", "u"], ["x", "y"])[0], [1.0, math.nan])
    assert np.isnan(held.of("a", ["u"], ["x"])).all()
