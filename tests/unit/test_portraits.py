"""Drawn portraits: fixed by their attributes, continuous in each of them, described in words."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from biaslab import portraits
from biaslab.errors import PortraitError
from biaslab.portraits import (
    ATTRIBUTES,
    GROUPS,
    OCCUPATIONS,
    Background,
    Dress,
    Person,
    Portrait,
    describe,
    draw,
    morph,
    pixels,
    sample_pair,
    sample_person,
    sample_portrait,
    woman_given_appearance,
)
from biaslab.portraits.drawing import covers
from biaslab.portraits.person import limits
from biaslab.portraits.shapes import ellipse, polygon, rectangle

share = st.floats(0, 1)
people = st.builds(Person, **{name: st.floats(*limits(name)) for name in ATTRIBUTES})  # type: ignore[arg-type]
any_portrait = st.builds(
    Portrait,
    people,
    st.builds(Dress, st.sampled_from(sorted(OCCUPATIONS)), share),
    st.builds(Background, share, share),
)


def _drawn(portrait: Portrait) -> np.ndarray:
    return pixels(portrait, 48).astype(int)


def _change(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """Largest and mean change of a pixel's channel."""
    difference = np.abs(a - b)
    return float(difference.max()), float(difference.mean())


def test_a_portrait_is_drawn_the_same_in_another_process() -> None:
    code = (
        "from biaslab.portraits import *\nimport hashlib\n"
        "print(hashlib.sha256(pixels(sample_portrait('chef', 'man', 5), 64).tobytes()).hexdigest())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    here = pixels(sample_portrait("chef", "man", 5), 64)
    assert done.stdout.strip() == hashlib.sha256(here.tobytes()).hexdigest()


def test_a_seed_fixes_the_portrait_and_another_seed_gives_another() -> None:
    assert sample_portrait("nurse", seed=3) == sample_portrait("nurse", seed=3)
    assert sample_portrait("nurse", seed=3) != sample_portrait("nurse", seed=4)


@settings(max_examples=30, deadline=None)
@given(any_portrait, st.sampled_from([16, 33, 64]))
def test_anything_within_the_ranges_is_drawn(portrait: Portrait, size: int) -> None:
    image = draw(portrait, size)
    assert image.size == (size, size)
    assert image.mode == "RGB"
    assert len(np.unique(np.asarray(image).reshape(-1, 3), axis=0)) > 20
    assert describe(portrait).startswith("Drawn portrait")


@settings(max_examples=10, deadline=None)
@given(any_portrait, any_portrait, st.floats(0.1, 0.9))
def test_morphing_is_continuous_in_every_pixel(a: Portrait, b: Portrait, alpha: float) -> None:
    """Halving the step about halves what changes; a jump would stay as it is."""
    here, *there = (_drawn(morph(a, b, alpha + step)) for step in (0, 0.08, 0.01, 0.00125))
    changes = [_change(here, one) for one in there]
    largest, mean = zip(*changes, strict=True)
    assert largest[2] <= 8
    assert mean[2] <= 0.5
    assert mean[1] <= 0.5 * mean[0] + 0.5


def test_a_morph_of_a_pair_runs_smoothly_from_end_to_end() -> None:
    woman, man = sample_pair("nurse", 2)
    path = [_drawn(morph(woman, man, k / 160)) for k in range(161)]
    largest, mean = [], []
    for step in (16, 4, 1):
        changes = [_change(a, b) for a, b in pairwise(path[::step])]
        assert min(mean for _, mean in changes) > 0
        largest.append(max(change for change, _ in changes))
        mean.append(max(mean for _, mean in changes))
    assert mean[0] < 6
    assert mean[1] < 0.4 * mean[0]
    assert mean[2] < 0.4 * mean[1]
    assert largest[2] < 0.6 * largest[1] < 0.6 * largest[0]
    assert largest[2] < 50


def test_the_ends_of_a_morph_are_the_portraits_themselves() -> None:
    a, b = sample_portrait("nurse", "woman", 1), sample_portrait("farmer", "man", 2)
    assert morph(a, b, 0) is a
    assert morph(a, b, 1) is b
    assert _change(_drawn(morph(a, b, 1 - 1e-9)), _drawn(b))[0] <= 1
    assert _change(_drawn(morph(a, b, 1e-9)), _drawn(a))[0] <= 1


def test_a_morph_keeps_what_both_ends_share() -> None:
    woman, man = sample_pair("electrician", 7)
    middle = morph(woman, man, 0.4)
    assert middle.dress == woman.dress == man.dress
    assert middle.background == woman.background
    assert middle.person.skin == woman.person.skin == man.person.skin
    assert middle.person.age == woman.person.age
    assert woman.person.jaw < middle.person.jaw < man.person.jaw


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.floats(0.05, 0.95))
def test_within_a_morph_lie_people_who_could_have_been_sampled(seed: int, alpha: float) -> None:
    """Up to where an attribute reaches its limit at an end."""
    ends = sample_pair("nurse", seed)
    middle = morph(*ends, alpha).person
    between, _ = sample_pair("nurse", seed, appearance=(0.2 + 0.6 * alpha, 0.8))
    for name in ATTRIBUTES:
        low, high = limits(name)
        at_a_limit = any(getattr(e.person, name) in (low, high) for e in (*ends, between))
        if not at_a_limit:
            found, wanted = getattr(middle, name), getattr(between.person, name)
            assert found == pytest.approx(wanted, abs=2e-4), name


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(GROUPS))
def test_sampled_people_lie_within_the_ranges_asked_for(seed: int, group: str) -> None:
    person = sample_person(group, seed, age=(30, 40), skin=0.25)
    assert 30 <= person.age <= 40
    assert person.skin == 0.25


def test_age_and_skin_do_not_depend_on_the_group_and_the_jaw_does() -> None:
    drawn = {g: [sample_portrait("person", g, s).person for s in range(400)] for g in GROUPS}
    for name, depends in (("age", False), ("skin", False), ("jaw", True), ("hair_length", True)):
        woman, man = (np.array([getattr(p, name) for p in drawn[g]]) for g in ("woman", "man"))
        error = np.sqrt(woman.var() / len(woman) + man.var() / len(man))
        assert (abs(woman.mean() - man.mean()) > 5 * error) == depends


def test_how_much_appearance_tells_is_what_the_samples_show() -> None:
    rng = np.random.default_rng(5)
    women, men = (
        np.array([portraits.sample_appearance(g, rng) for _ in range(20_000)]) for g in GROUPS
    )
    for low in (0.40, 0.45, 0.50, 0.55):
        inside = [np.mean((x >= low) & (x < low + 0.05)) for x in (women, men)]
        expected = woman_given_appearance(low + 0.025)
        assert inside[0] / sum(inside) == pytest.approx(expected, abs=0.05)
    assert woman_given_appearance(0.5) == pytest.approx(0.5)
    assert woman_given_appearance(0.5, share=0.9) == pytest.approx(0.9)


def test_every_occupation_has_its_own_look() -> None:
    base = sample_portrait("person", "woman", 4)
    seen = {pixels(replace(base, dress=Dress(name, 0.5)), 32).tobytes() for name in OCCUPATIONS}
    assert len(seen) == len(OCCUPATIONS) >= 21


def test_a_description_names_what_is_seen_and_no_group() -> None:
    person = Person(hair_length=0.8, hair_darkness=0.9, skin=0.7, age=36, glasses=1.0, grey=0.0)
    text = describe(Portrait(person, Dress("nurse", 0.0)))
    assert text == (
        "Drawn portrait, nurse: long dark hair, brown skin, about 35 years old, glasses, "
        "green scrubs, stethoscope."
    )
    texts = [describe(sample_portrait(o, g, 3)) for o in OCCUPATIONS for g in GROUPS]
    assert not any(word in f" {text} " for text in texts for word in (" man", " woman", "male"))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Person(jaw=1.2), "jaw is 1.2. Use 0 to 1."),
        (lambda: Person(age=10), "age is 10. Use 18 to 80 years."),
        (lambda: Person(skin=float("nan")), "skin is nan"),
        (lambda: Dress("nurze"), "Did you mean 'nurse'?"),
        (lambda: Dress("nurse", 2), "shade is 2"),
        (lambda: morph(Portrait(), Portrait(), 1.5), "alpha is 1.5"),
        (lambda: draw(Portrait(), 4), "16 to 2,048"),
        (lambda: draw(Portrait(), 10**6), "16 to 2,048"),
        (lambda: sample_portrait("nurse", "cat"), "no group 'cat'"),
        (lambda: sample_pair("nurse", appearance=(0, 2)), "from 0 to 1"),
        (lambda: sample_person("man", 1, age=(70, 20)), "(70, 20)"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_the_way_out(make, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(PortraitError) as error:
        make()
    assert message in str(error.value)


def test_between_two_occupations_the_picture_fades_and_is_not_morphed_again() -> None:
    a, b = sample_portrait("nurse", "woman", 1), sample_portrait("judge", "woman", 1)
    half = morph(a, b, 0.5)
    assert "nurse fading to judge" in describe(half)
    mean = (pixels(a, 48).astype(float) + pixels(b, 48)) / 2
    middle = Portrait(a.person, a.dress, a.background, None, b.dress, 0.5)
    same = replace(b, person=a.person, background=a.background)
    mean = (pixels(a, 48).astype(float) + pixels(same, 48)) / 2
    assert np.abs(pixels(middle, 48) - mean).max() <= 1
    with pytest.raises(PortraitError, match="Morph its two ends"):
        morph(half, b, 0.5)


def test_a_portrait_is_a_frozen_value() -> None:
    portrait = sample_portrait("chef", seed=2)
    assert hash(portrait) == hash(sample_portrait("chef", seed=2))
    values = {name: getattr(portrait.person, name) for name in ATTRIBUTES}
    assert Person(**json.loads(json.dumps(values))) == portrait.person


def _covered(outline: np.ndarray, size: int = 20) -> np.ndarray:
    (cover,) = covers([outline])
    out = np.zeros((size, size))
    rows, columns = cover.share.shape
    out[cover.top : cover.top + rows, cover.left : cover.left + columns] = cover.share
    return out


def test_coverage_is_the_exact_area() -> None:
    square = _covered(rectangle(2.25, 3.5, 5.0, 6.75))
    assert square.sum() == pytest.approx(2.75 * 3.25)
    assert square[4, 2] == pytest.approx(0.75)
    assert square[3, 3] == pytest.approx(0.5)
    assert square[6, 2] == pytest.approx(0.75 * 0.75)
    triangle = _covered(polygon([(1, 1), (9, 1), (1, 5)]))
    assert triangle.sum() == pytest.approx(16)
    assert triangle[1, 1] == pytest.approx(1)


@settings(deadline=None)
@given(st.floats(6, 14), st.floats(6, 14), st.floats(0.01, 5))
def test_coverage_of_a_disc_adds_up_wherever_it_lies(x: float, y: float, r: float) -> None:
    outline = ellipse(x, y, r)
    a, b = outline, np.roll(outline, -1, 0)
    area = abs(np.sum(a[:, 0] * b[:, 1] - b[:, 0] * a[:, 1])) / 2
    shares = _covered(outline)
    assert shares.sum() == pytest.approx(area)
    assert shares.min() >= 0
    assert shares.max() <= 1


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(1, 18), st.floats(1, 18)), min_size=3, max_size=3))
def test_coverage_of_a_triangle_agrees_with_counting(points: list[tuple[float, float]]) -> None:
    outline = polygon(points)
    (ax, ay), (bx, by), (cx, cy) = points
    assume(abs((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)) > 1)
    grid = (np.arange(20 * 16) + 0.5) / 16
    x, y = np.meshgrid(grid, grid)
    sides = []
    for (ax, ay), (bx, by) in zip(points, [*points[1:], points[0]], strict=True):
        sides.append((bx - ax) * (y - ay) - (by - ay) * (x - ax))
    inside = np.all(np.array(sides) >= 0, axis=0) | np.all(np.array(sides) <= 0, axis=0)
    counted = inside.reshape(20, 16, 20, 16).mean(axis=(1, 3))
    assert np.abs(_covered(outline) - counted).max() < 0.2
    assert _covered(outline).sum() == pytest.approx(counted.sum(), abs=1.0)
