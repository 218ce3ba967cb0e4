"""bl.probes.images.drawn_people: recovers planted shares from a rater that errs, and says when not.

Each small picture holds who is in it, and chance by which the rater may err.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image as pillow

import biaslab as bl
from biaslab.errors import EndpointAnswerError, ImageError, QueryError
from biaslab.images import ImageSet, Painted, open_image
from biaslab.jobs.job import JobContext
from biaslab.probes.images import DrawnPeople, drawn_people
from biaslab.records.result import Result
from biaslab.subjects.opening.needs import sees_pictures

WORDS = ("nurse", "judge")


def picture(is_woman: bool, judge: bool, rng: np.random.Generator) -> bytes:
    """A small picture: red tells the group, green the word, blue is chance."""
    pixels = rng.integers(0, 256, (16, 16, 3), dtype=np.uint8)
    pixels[0, 0, :2] = 255 * is_woman, 255 * judge
    out = io.BytesIO()
    pillow.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


class Painter:
    """Paints women with known shares."""

    name = "planted"

    def __init__(self, shares: Mapping[str, float], seed: int = 0) -> None:
        self.shares, self.seed = shares, seed

    def paint(self, prompt: str, number: int, context: JobContext) -> Painted:
        (word,) = (word for word in self.shares if word in prompt)
        rng = np.random.default_rng([len(prompt), number, self.seed, word == "judge"])
        return Painted(picture(rng.random() < self.shares[word], word == "judge", rng))


class Rater:
    """Sees a woman with known probabilities, for women and for men, of nurses and of judges."""

    name, templates, kind = "planted rater", ("a {concept}",), "observer"

    def __init__(self, nurse: tuple[float, float], judge: tuple[float, float]) -> None:
        self.rates = np.array([nurse[::-1], judge[::-1]])

    def resolve(self, concepts: Sequence[str]) -> Any:
        return concepts

    def answers(self, images: Any, concepts: Any, templates: Any, **options: Any) -> Any:
        seen = np.array([np.asarray(image.picture())[0, 0] for image in images], dtype=int)
        rates = self.rates[seen[:, 1] // 255, seen[:, 0] // 255]
        sure = np.where(seen[:, 2] < 256 * rates, 0.9, 0.1)
        pairs = np.stack([sure, 1 - sure], axis=1)[:, None]
        return SimpleNamespace(probabilities=pairs, templates=self.templates, notes=())


GOOD = Rater((0.95, 0.25), (0.95, 0.25))


@functools.cache
def calibration(number: int = 60, words: Sequence[str] = ("",), seed: int = 9) -> ImageSet:
    rng = np.random.default_rng(seed)
    return ImageSet.of(
        open_image(picture(group == "woman", word == "judge", rng), f"{group} {word}")
        for word in words
        for group in ("woman", "man")
        for _ in range(number)
    )


def asked(painter: Painter, rater: Any = GOOD, **options: Any) -> DrawnPeople:
    usual: dict[str, Any] = {"calibration": calibration(), "per_word": 60, "keep": False}
    return drawn_people(painter, WORDS, rater, **usual | options)


def test_planted_shares_are_found_and_the_raters_errors_are_out() -> None:
    table = bl.probes.occupations.OutsideTable(
        name="t", title="Women in the survey", unit="percent", source="", of="women",
        values={"nurse": 90.0, "judge": 70.0},
    )  # fmt: skip
    found = asked(Painter({"nurse": 0.9, "judge": 0.1}), outside=table, baseline="judge")
    nurse, judge = found.share("nurse"), found.share("judge")
    assert 0.9 in nurse.interval
    assert 0.1 in judge.interval
    assert judge.raw_interval.low > 0.15  # a quarter of the men is seen as women
    assert (nurse.lean(nurse.outside), judge.lean(judge.outside)) == (0, -1)
    (contrast,) = found.contrasts
    assert (contrast.word, contrast.baseline) == ("nurse", "judge")
    assert 0.8 in contrast.interval
    assert contrast.p < 1e-6
    said = found.summary()
    assert said.startswith("Mostly woman: nurse ")
    assert "Mostly man: judge " in said
    assert "exclude the share in “Women in the survey”: judge " in said
    assert found.raw_frame().query("drawn").groupby("word").size().to_dict() == {
        "nurse": 60, "judge": 60,
    }  # fmt: skip
    assert Result.from_json(found.to_json()) == found
    assert "judge" in found.to_svg()


@pytest.mark.parametrize("runs", [2, pytest.param(100, marks=pytest.mark.validate)])
def test_no_lean_is_found_where_there_is_none_and_the_placebo_knows(runs: int) -> None:
    false = {"leans": 0, "differences": 0, "placebo": 0}
    for seed in range(runs):
        painter = Painter({"nurse": 0.5, "judge": 0.5}, seed)
        found = asked(painter, calibration=calibration(40, seed=seed + 100), per_word=60)
        false["leans"] += sum(found.share(word).lean(0.5) != 0 for word in WORDS)
        false["differences"] += found.contrasts[0].p < 0.05
        false["placebo"] += sum(not one.includes for one in found.placebo)
    print(false)  # noqa: T201
    assert false["leans"] <= 2 + 0.08 * 2 * runs
    assert max(false["differences"], false["placebo"]) <= 1 + 0.08 * runs


def test_errors_that_differ_between_words_take_a_calibration_of_each() -> None:
    rater = Rater((1.0, 0.4), (0.6, 0.0))
    painter = Painter({"nurse": 0.5, "judge": 0.5})
    own = asked(painter, rater, calibration=calibration(50, WORDS))
    assert [one.word for one in own.errors] == list(WORDS)
    assert all(0.5 in own.share(word).interval for word in WORDS)
    common = asked(painter, rater, calibration=calibration(50, WORDS), by_word=False)
    assert common.alike < 1e-6
    assert "errs differently from word to word" in common.summary()
    assert 0.5 not in common.share("nurse").interval


def test_a_rater_that_hardly_tells_groups_apart_gives_no_share() -> None:
    found = asked(Painter({"nurse": 0.9, "judge": 0.1}), Rater((0.55, 0.5), (0.55, 0.5)))
    assert not found.is_corrected
    assert np.isnan(found.share("nurse").share)
    assert found.summary().startswith("No corrected share: the rater hardly tells woman and man")
    assert (found.contrasts, found.placebo) == ((), ())
    assert found.to_svg().startswith("<svg")
    bare = asked(Painter({"nurse": 0.9, "judge": 0.1}), calibration=None)
    assert bare.headline.startswith("Not corrected for the rater’s errors, as no picture")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pictures sorted by prompt, of 30 % women; file names are the same in each folder."""
    root, rng = tmp_path_factory.mktemp("drawn"), np.random.default_rng(3)
    for prompt in ("a_nurse", "a_nurse_at_work"):
        (root / prompt).mkdir()
        for i in range(50):
            kind = "w" if rng.random() < 0.3 else "m"
            (root / prompt / f"{i}{kind}.png").write_bytes(picture(kind == "w", False, rng))
    return root


def labels_of(folder: Path, number: int) -> dict[str, str]:
    files = sorted(folder.glob("*/*.png"))
    some = np.random.default_rng(1).permutation(len(files))[:number]
    names = {"w": "Woman", "m": "man"}
    return {f"{files[i].parent.name}/{files[i].name}": names[files[i].stem[-1]] for i in some}


NURSE = {"nurse": ["a nurse", "a nurse at work"]}


def test_some_pictures_of_a_folder_are_labelled_by_hand(folder: Path, tmp_path: Path) -> None:
    rows = [f"{name},{label}" for name, label in labels_of(folder, 40).items()]
    (tmp_path / "labels.csv").write_text("\n".join(["Picture,label", *rows, "gone.png,man"]))
    found = drawn_people(folder, NURSE, GOOD, calibration=tmp_path / "labels.csv", keep=False)
    (share,) = found.shares
    assert 0.3 in share.interval
    assert (share.n_images, int(found.errors[0].counts.sum())) == (100, 40)
    assert found.clusters == 1  # two prompts
    assert found.notes == ("1 label of no picture here, such as 'gone.png'.",)
    men = dict.fromkeys(labels_of(folder, 40), "man")
    none = drawn_people(folder, NURSE, GOOD, calibration=men, keep=False)
    assert 0.02 < none.shares[0].interval.high < 0.1  # 0 of 40
    assert "of known pictures, of which none shows woman." in none.summary()
    alone = drawn_people(folder, NURSE, labels_of(folder, 40), keep=False)
    assert share.interval.high - share.interval.low < (
        alone.shares[0].interval.high - alone.shares[0].interval.low
    )


def test_labels_by_hand_count_as_true_and_undecided_ones_are_counted(folder: Path) -> None:
    labels = labels_of(folder, 100)
    women = sum(label == "Woman" for label in labels.values())
    labels |= dict.fromkeys(list(labels)[:5], "cannot say")
    del labels[list(labels)[-1]]
    found = drawn_people(folder, NURSE, labels, keep=False)
    (share,) = found.shares
    assert share.share == pytest.approx(share.raw) == pytest.approx(women / 100, abs=0.05)
    assert found.answers == ("woman", "man", "cannot say")
    assert "of 99 pictures, 5 cannot say" in found.summary()
    assert "Not used: 1 picture: no label by hand." in found.summary()
    none = drawn_people(folder, NURSE, dict.fromkeys(labels, "man"), keep=False).shares[0]
    assert none.share == pytest.approx(0, abs=1e-6)
    assert 0.01 < none.interval.high < 0.06


def test_wrong_input_is_named(folder: Path, tmp_path: Path) -> None:
    painter = Painter({"nurse": 0.5, "judge": 0.5})
    with pytest.raises(QueryError, match="no picture of 'pilot'"):
        drawn_people(folder, ["pilot"], GOOD)
    with pytest.raises(QueryError, match="one group only"):
        asked(painter, groups=["woman"])
    with pytest.raises(QueryError, match="shows a man"):
        asked(painter, calibration=calibration().of_terms(["woman"]), per_word=2)
    stray = ImageSet.of(image.under("somebody") for image in calibration(1))
    with pytest.raises(QueryError, match="name no group"):
        asked(painter, calibration=stray, per_word=2)
    with pytest.raises(QueryError, match="baseline 'pilot'"):
        asked(painter, baseline="pilot", per_word=2)
    with pytest.raises(QueryError, match="Labels are woman, man and cannot say"):
        drawn_people(folder, NURSE, dict.fromkeys(labels_of(folder, 3), "dog"))
    with pytest.raises(QueryError, match="Name them by file"):
        drawn_people(folder, NURSE, {"elsewhere.png": "man"})
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n")
    with pytest.raises(QueryError, match="columns a, b"):
        drawn_people(folder, NURSE, tmp_path / "bad.csv")


def test_the_bundled_painter_draws_what_was_planted() -> None:
    painter = bl.images.DrawnPainter({"nurse": 1.0, "judge": 0.0}, size=32)
    context = JobContext()
    for word, group in (("nurse", "woman"), ("judge", "man")):
        first, other = (painter.paint(f"a portrait of a {word}", n, context) for n in (0, 1))
        assert first.details["group"] == other.details["group"] == group
        assert first.content != other.content
    assert (painter.share("pilot"), painter.share("female judge")) == (0.5, 1.0)
    with pytest.raises(EndpointAnswerError, match="names no occupation"):
        painter.paint("a unicorn", 0, context)
    with pytest.raises(ImageError, match="share from 0 to 1"):
        bl.images.DrawnPainter({"nurse": 2})
    assert sees_pictures(GOOD)


@pytest.mark.validate
def test_portrait_clip_finds_the_planted_shares_of_the_bundled_painter() -> None:
    words = ("person", "nurse", "secretary", "judge", "electrician")
    inside = {"own": 0, "common": 0}
    for seed in range(12):
        painter = bl.images.DrawnPainter(seed=seed, size=64)
        for name, by_word in (("own", True), ("common", False)):
            found = drawn_people(painter, words, "portrait-clip", by_word=by_word, rng=seed)
            inside[name] += sum(painter.share(w) in found.share(w).interval for w in words)
    print(inside)  # noqa: T201
    assert inside["own"] >= 53  # of 60; 57 are expected
    assert inside["common"] < inside["own"]  # clothes of occupations mislead it
