"""Morphs: drawn ones, and one's own pictures as sequences and cross-fades."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import biaslab as bl
from biaslab.errors import ImageError
from biaslab.images import DrawnMorphs, MorphPicture, read_morphs
from biaslab.images import morphs as module
from biaslab.images.morphs import stimulus
from biaslab.subjects.vision_language.pictures import as_picture, pixel_hash
from harness.seeing_models import by_brightness

PAIR = ("woman", "man")
DARK, BRIGHT = 40, 200


def _save(path: Path, alpha: float, size: tuple[int, int] = (32, 32)) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    value = round(DARK + (BRIGHT - DARK) * alpha)
    pixels = np.full((*size[::-1], 3), value, dtype=np.uint8)
    # A mark that differs by picture, so that no two are the same.
    pixels[0, 0] = (value, value, min(255, value + 1))
    Image.fromarray(pixels).save(path)


def test_drawn_morphs_run_from_a_woman_to_a_man_in_the_same_clothes() -> None:
    morphs = DrawnMorphs(["nurse", "judge"], observers=2, size=64)
    assert morphs.observers == ("portrait 1", "portrait 2")
    assert morphs.ends == PAIR
    first, last = (morphs.portrait("nurse", 0, x) for x in (0, 1))
    assert first.dress == last.dress
    assert first.person.skin == last.person.skin
    assert first.person.jaw < last.person.jaw
    # The same people in other clothes, so that occupations can be compared.
    assert morphs.portrait("judge", 0, 0.3).person == morphs.portrait("nurse", 0, 0.3).person
    assert morphs.portrait("nurse", 1, 0).person != first.person
    assert morphs.picture("nurse", 0, 0.5).size == (64, 64)
    assert "scrubs" in morphs.describe("nurse", 0, 0.5)
    assert not any(word in morphs.describe("nurse", 0, 1) for word in ("woman", "man "))
    assert DrawnMorphs("nurse").resolve(["a nurse"]).known == ("a nurse",)


def test_more_portraits_or_items_change_none_of_those_there_are() -> None:
    few, many = DrawnMorphs(["nurse"], 2), DrawnMorphs(None, 9)
    assert few.identity("nurse", 1) == many.identity("nurse", 1)
    assert few.portrait("nurse", 1, 0.4) == many.portrait("nurse", 1, 0.4)
    others = {
        few.identity("nurse", 0),
        many.identity("judge", 1),
        DrawnMorphs(["nurse"], 2, seed=2).identity("nurse", 1),
        DrawnMorphs(["nurse"], 2, size=64).identity("nurse", 1),
    }
    assert len(others) == 4
    assert few.identity("nurse", 1) not in others


def test_a_stimulus_is_found_again_without_drawing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    morphs = DrawnMorphs(["nurse"], 1, size=32)
    one = stimulus(morphs, "nurse", 0, 0.25)
    known = morphs.identity("nurse", 0)
    monkeypatch.setattr("biaslab.images.morphs.draw", lambda *_: pytest.fail("it was drawn"))
    again = MorphPicture(DrawnMorphs(["nurse"], 5, size=32), "nurse", 0, 0.25)
    assert again.hash == one.hash
    assert known
    assert as_picture(again) is again
    assert stimulus(morphs, "nurse", 0, 0.26).hash != one.hash
    assert again.alt == morphs.describe("nurse", 0, 0.25)


def test_another_way_of_drawing_is_another_stimulus(monkeypatch: pytest.MonkeyPatch) -> None:
    morphs = DrawnMorphs(["nurse"], 1, size=32)
    before = morphs.identity("nurse", 0)
    drawn = module.draw
    module._hand.cache_clear()
    assert morphs.identity("nurse", 0) == before
    monkeypatch.setattr(module, "draw", lambda *given: drawn(*given).rotate(180))
    module._hand.cache_clear()
    assert morphs.identity("nurse", 0) != before
    monkeypatch.undo()
    module._hand.cache_clear()


@pytest.mark.parametrize(
    ("items", "told"), [(["nurs"], "'nurs' cannot be drawn"), (["female nurse"], "names a group")]
)
def test_items_that_cannot_be_drawn_are_refused_with_the_reason(
    items: list[str], told: str
) -> None:
    with pytest.raises(ImageError, match=told):
        DrawnMorphs(items)


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_share_beyond_the_ends_is_refused(bad: float) -> None:
    with pytest.raises(ImageError, match="from 0 to 1"):
        stimulus(DrawnMorphs(["nurse"], 1), "nurse", 0, bad)
    with pytest.raises(ImageError, match="There is no portrait 3"):
        DrawnMorphs(["nurse"], 1).picture("nurse", 3, 0.5)


@pytest.mark.parametrize(
    ("names", "alphas"),
    [
        (["0.png", "25.png", "50.png", "100.png"], (0, 0.25, 0.5, 1)),
        (["a0.0.png", "a0.5.png", "a1.0.png"], (0, 0.5, 1)),
        (["anna_2.png", "anna_10.png", "anna_1.png"], (0, 0.5, 1)),
        (["first.png", "middle.png", "next.png"], (0, 0.5, 1)),
        (["2 of 12.png", "10 of 12.png", "12 of 12.png"], (0, 0.5, 1)),
    ],
)
def test_shares_come_from_names_or_from_their_order(
    tmp_path: Path, names: list[str], alphas: tuple[float, ...]
) -> None:
    for i, name in enumerate(names):
        _save(tmp_path / "nurse" / "anna" / name, i / 10)
    morphs = read_morphs(tmp_path)
    assert morphs.steps("nurse", 0) == alphas
    assert morphs.source == "morph folder"
    assert (morphs.alphas is not None) == np.allclose(np.diff(alphas, 2), 0)
    shown = [int(np.asarray(morphs.picture("nurse", 0, x))[5, 5, 0]) for x in alphas]
    told = {"anna_2.png": [72, 40, 56], "first.png": [40, 56, 72]}
    rising = [round(DARK + (BRIGHT - DARK) * i / 10) for i in range(len(names))]
    assert shown == told.get(names[0], rising)
    by_order = names[0][:4] in ("anna", "firs", "2 of")
    assert any("ordered by name" in note for note in morphs.notes) == by_order


def test_a_sequence_is_asked_at_its_pictures_and_the_planted_pse_comes_out(tmp_path: Path) -> None:
    for person in ("anna", "berta", "carla"):
        for alpha in np.linspace(0, 1, 11):
            _save(tmp_path / "ward_nurse" / person / f"{alpha:.1f}.png", float(alpha))
    vlm = by_brightness(DARK, BRIGHT, 0.63, 0.08)
    result = bl.two_afc(vlm, ["ward nurse"], PAIR, observers=read_morphs(tmp_path))
    assert len(vlm.shown) == 33
    assert len(result.stimuli) == 11
    assert result.observer_names == ("anna", "berta", "carla")
    assert result.pse[0] == pytest.approx(0.63, abs=0.01)
    assert " ".join(result.verdict("ward nurse")).startswith(
        "A ward nurse must be 63 % of the way before"
    )
    named = read_morphs(tmp_path, ends=("woman", "man"))
    again = bl.two_afc(vlm, ["ward nurse"], PAIR, observers=named)
    assert " ".join(again.verdict("ward nurse")).startswith(
        "A ward nurse must look 63 % male before"
    )
    assert again.to_svg()


def test_a_folder_is_taken_where_morphs_are(tmp_path: Path) -> None:
    for alpha in (0, 25, 50, 100):
        _save(tmp_path / "nurse" / "anna" / f"{alpha}.png", alpha / 100)
    vlm = by_brightness(DARK, BRIGHT, 0.5, 0.1)
    wanted = bl.two_afc(vlm, ["nurse"], PAIR, observers=read_morphs(tmp_path))
    for folder in (tmp_path, str(tmp_path)):
        found = bl.two_afc(vlm, ["nurse"], PAIR, observers=folder)
        np.testing.assert_array_equal(found.answers, wanted.answers)
    with pytest.raises(ImageError, match="There is no folder"):
        bl.two_afc(vlm, ["nurse"], PAIR, observers=tmp_path / "gone")


def test_two_pictures_cross_fade_and_it_is_said(tmp_path: Path) -> None:
    for person in ("anna", "berta"):
        _save(tmp_path / "nurse" / person / "woman.png", 0.0)
        _save(tmp_path / "nurse" / person / "zman.png", 1.0)
    morphs = read_morphs(tmp_path)
    assert morphs.source == "cross-fade"
    assert morphs.alphas is None
    assert "double exposure" in morphs.notes[0]
    middle = np.asarray(morphs.picture("nurse", 0, 0.25))
    ends = [np.asarray(morphs.picture("nurse", 0, x), dtype=float) for x in (0, 1)]
    np.testing.assert_allclose(middle, 0.75 * ends[0] + 0.25 * ends[1], atol=1)
    assert morphs.describe("nurse", 1, 0.25).startswith("Cross-fade, nurse, berta: 25 %")
    vlm = by_brightness(DARK, BRIGHT, 0.4, 0.1)
    result = bl.two_afc(vlm, ["nurse"], PAIR, observers=morphs, levels=9)
    assert result.pse[0] == pytest.approx(0.4, abs=0.01)
    assert "double exposure" in result.summary()


def test_steps_of_any_spacing_are_placed_between_by_straight_lines(tmp_path: Path) -> None:
    for percent in (0, 30, 40, 100):
        _save(tmp_path / "nurse" / "anna" / f"{percent}.png", percent / 100)
    for percent in (0, 50, 100):
        _save(tmp_path / "nurse" / "berta" / f"{percent}.png", percent / 100)
    vlm = by_brightness(DARK, BRIGHT, 0.35, 0.1)
    result = bl.two_afc(vlm, ["nurse"], PAIR, observers=read_morphs(tmp_path), levels=11)
    # The log-odds of this model are straight, so that nothing is lost between the steps.
    np.testing.assert_allclose(result.answers[0], result.answers[1], atol=0.01)
    assert result.pse[0] == pytest.approx(0.35, abs=0.01)
    assert len(vlm.shown) == 7


def test_items_may_have_portraits_of_their_own(tmp_path: Path) -> None:
    cast = {"nurse": ("anna", "berta", "carla"), "plumber": ("dora", "carla"), "judge": ("emil",)}
    cast["clerk"] = cast["nurse"]  # estimated together with the first
    for item, people in cast.items():
        for i, person in enumerate(people):
            for alpha in (0.0, 0.5, 1.0):
                end = 0.7 if item == "clerk" else 0.9
                _save(tmp_path / item / person / f"{alpha}.png", end * alpha + 0.02 * i)
    vlm = by_brightness(DARK, BRIGHT, 0.5, 0.1)
    morphs = read_morphs(tmp_path)
    result = bl.two_afc(vlm, list(cast), PAIR, observers=morphs)
    assert result.n_observers == 5
    assert result.to_frame()["n_observers"].tolist() == [3, 2, 1, 3]
    assert len(result.raw_frame()) == 9 * 3
    assert len(result.switches_of("plumber")) == 2
    # Who was not asked about an item has no point of equality there, not one beyond its end.
    assert np.isnan(result.switch[~result.raw.answered]).all()
    assert np.isfinite(result.switch[result.raw.answered]).all()
    # Each is what it would be if the others had not been asked.
    for item in cast:
        alone = bl.two_afc(vlm, [item], PAIR, observers=read_morphs(tmp_path, [item]))
        at = result.index(item)
        assert alone.n_observers == len(cast[item])
        np.testing.assert_allclose(alone.pse[0], result.pse[at])
        np.testing.assert_allclose(alone.pooled.corpus[0], result.pooled.corpus[at])
        np.testing.assert_allclose(alone.jnd[0], result.jnd[at])
        assert " ".join(alone.verdict(item)) == " ".join(result.verdict(item))
    assert "0 of" not in result.caveat("nurse")
    assert result.figure() is not None
    assert result.to_svg(item="plumber")
    again = type(result).from_json(result.to_json())
    assert again.summary() == result.summary()


def test_what_cannot_be_used_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    for alpha in (0, 1):
        _save(tmp_path / "nurse" / "good" / f"{alpha}.png", alpha)
    _save(tmp_path / "nurse" / "single" / "0.png", 0)
    _save(tmp_path / "nurse" / "same" / "0.png", 0.5)
    _save(tmp_path / "nurse" / "same" / "1.png", 0.5)
    _save(tmp_path / "nurse" / "sizes" / "0.png", 0)
    _save(tmp_path / "nurse" / "sizes" / "1.png", 1, (40, 32))
    _save(tmp_path / "nurse" / "short" / "0.1.png", 0)
    _save(tmp_path / "nurse" / "short" / "0.9.png", 1)
    _save(tmp_path / "nurse" / "broken" / "0.png", 0)
    (tmp_path / "nurse" / "broken" / "1.png").write_bytes(b"no picture")
    _save(tmp_path / "nurse" / "loose.png", 0)
    morphs = read_morphs(tmp_path, ["nurse", "plumber"])
    assert morphs.observers == ("good",)
    told = {r.name.split("/")[-1] or r.term: r.reason for r in morphs.rejected}
    assert "It holds 1 picture." in told["single"]
    assert "the same picture" in told["same"]
    assert "differ in size (32 x 32 and 40 x 32 pixels)" in told["sizes"]
    assert "from 0.1 to 0.9" in told["short"]
    assert "1.png" in told["broken"]
    assert "its own folder" in told["loose.png"]
    assert "no folder of this name" in told["plumber"]
    vlm = by_brightness(DARK, BRIGHT, 0.5, 0.1)
    result = bl.two_afc(vlm, ["nurse", "nurses"], PAIR, observers=morphs, levels=5)
    roles = {d.role for d in result.dropped}
    assert roles == {"item", "portrait"}
    assert next(d for d in result.dropped if d.term == "nurses").suggestions == ("nurse",)


def test_a_folder_without_a_morph_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="There is no folder"):
        read_morphs(tmp_path / "gone")
    with pytest.raises(ImageError, match="one folder per portrait"):
        read_morphs(tmp_path)
    _save(tmp_path / "nurse" / "anna" / "0.png", 0)
    with pytest.raises(ImageError, match=r"There is no morph to show.*at least two"):
        read_morphs(tmp_path)


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    _save(tmp_path / "elsewhere" / "1.png", 1)
    folder = tmp_path / "morphs"
    _save(folder / "nurse" / "anna" / "0.png", 0)
    (folder / "nurse" / "anna" / "1.png").symlink_to(tmp_path / "elsewhere" / "1.png")
    with pytest.raises(ImageError, match="points outside the folder"):
        read_morphs(folder)
    for alpha in (0, 1):
        _save(folder / "nurse" / "berta" / f"{alpha}.png", alpha)
    (folder / "nurse" / "carla").symlink_to(tmp_path / "elsewhere")
    (folder / "judge").symlink_to(tmp_path / "elsewhere")
    found = read_morphs(folder)
    assert (found.items, found.observers) == (("nurse",), ("berta",))
    told = {r.name: r.reason for r in found.rejected}
    assert "points outside nurse" in told["nurse/carla"]
    assert "points outside morphs" in told["judge"]


def test_the_identity_of_photographs_is_that_of_their_pixels(tmp_path: Path) -> None:
    for alpha in (0, 1):
        _save(tmp_path / "a" / "nurse" / "anna" / f"{alpha}.png", alpha)
        _save(tmp_path / "b" / "judge" / "bob" / f"{alpha}.bmp", alpha)
        _save(tmp_path / "c" / "nurse" / "anna" / f"{alpha}.png", alpha * 0.9)
    a, b, c = (read_morphs(tmp_path / name) for name in "abc")
    assert a.identity("nurse", 0) == b.identity("judge", 0) != c.identity("nurse", 0)
    assert pixel_hash(a.picture("nurse", 0, 0)) == pixel_hash(b.picture("judge", 0, 0))
