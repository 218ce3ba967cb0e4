"""Figures of image associations: they show the result's numbers, and each picture once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np

from biaslab.images import ImageSet
from biaslab.reports.images import chart
from biaslab.reports.images.chart import side_by_side
from biaslab.reports.svg import paint
from harness.deferred import Deferred
from harness.small_image_study import SPEC, asked, model, picture, pictures

bokeh = Deferred("biaslab.reports.bokeh")


def squares(text: str) -> list[ET.Element]:
    return [e for e in ET.fromstring(text).iter() if e.get("rx") == "2"]


def test_a_square_stands_for_each_picture_and_is_sorted() -> None:
    result = asked()
    rows = chart.rows(result)
    assert [r.score for r in rows] == list(result.terms)
    assert sorted(i for r in rows for i in r.images) == list(range(len(result.images)))
    for row in rows:
        assert (np.diff(result.scores[list(row.images)]) <= 0).all()
        assert {result.images[i].term for i in row.images} == {row.score.name}


def test_tones_are_steps_of_the_distance_from_one_half() -> None:
    scores = np.array([0.5, 0.5 + 1e-9, 0.503, 0.52, 0.6, 0.7, 0.75, 1.0, 0.48, 0.4, 0.25, 0.0])
    assert chart.tones(scores) == "ttAABBCCabcc"
    colours = {chart.colour(tone) for tone in "ABCabct"}
    assert len(colours) == 7


def test_as_many_squares_are_with_the_stereotype_as_the_table_counts() -> None:
    result = asked()
    tones = chart.tones(result.scores)
    assert sum(tone.isupper() for tone in tones) == result.overall.stereotyped
    assert sum(tone.islower() and tone != "t" for tone in tones) == int(
        (result.scores < 0.5 - 1e-6).sum()
    )
    assert result.to_frame().loc[0, "stereotyped"] == result.overall.stereotyped


def test_the_still_picture_tells_the_numbers_and_is_written_whole(tmp_path: Path) -> None:
    result = asked()
    text = result.to_svg()
    words = " ".join(ET.fromstring(text).itertext())
    assert result.headline in words
    assert "neutral 50" in words
    assert "tied to “helpers”" in words
    for one in result.terms:
        assert one.name in words
        assert f"{100 * one.score:.0f} (" in words
    assert len(squares(text)) == len(result.images) + 7  # the legend's seven
    result.to_svg(tmp_path / "one.svg")
    assert (tmp_path / "one.svg").read_text(encoding="utf-8") == text


def test_models_stand_side_by_side() -> None:
    one, two = asked(), asked(list(pictures())[:-5], model(0.5))
    drawn = side_by_side([one, two])
    text = paint(drawn)
    assert len(squares(text)) == len(one.images) + len(two.images) + 7
    data = bokeh.paint(drawn).children[1].renderers[0].data_source.data
    assert data["score"] == [100 * one.score, 100 * two.score]


def test_the_bokeh_figure_holds_scores_and_pictures() -> None:
    result = asked()
    heading, models, _, below = result.figure().children
    assert result.headline in heading.text
    assert models.renderers[0].data_source.data["score"] == [100 * result.overall.score]
    bars, shown = (plot.renderers[0].data_source.data for plot in below.children)
    np.testing.assert_allclose(bars["score"], [100 * t.score for t in result.terms])
    np.testing.assert_allclose(bars["low"], [100 * t.interval.low for t in result.terms])
    assert sorted(shown["shows"]) == sorted(image.description for image in result.images)
    assert sorted(shown["score"]) == sorted(100 * result.scores)


def test_html_is_text_and_one_picture_is_drawn_too() -> None:
    term = "<b>nurse</b>"
    spec = replace(SPEC, groups={"women": (term,), "men": ("pilot",)})
    result = asked(ImageSet.of([picture(term, 0), picture("pilot", 0)]), spec=spec)
    text = result.to_svg()
    assert "<b>" not in text
    assert "Too few pictures to say whether" in text
    assert result.figure() is not None
