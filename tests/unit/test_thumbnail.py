"""Small pictures of results: marks only, small, the same each time, in the page's colours."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

import biaslab as bl
from biaslab.records.result import Result
from biaslab.reports.chart import (
    Axis,
    Band,
    Cells,
    Chart,
    Intervals,
    Line,
    Mark,
    Panel,
    Points,
    Row,
    Rows,
    Rule,
    Texts,
)
from biaslab.reports.palette import GROUP_1, GROUP_1_TINT, GROUP_2_TINT, SHADES, shade
from biaslab.reports.previews import HEIGHT, MOST_BYTES, WIDTH, small, thumbnail
from harness.heavy import pd

AXIS = Axis(low=0, high=100)


def rows(count: int) -> Rows:
    return Rows(rows=tuple(Row(f"word {i}") for i in range(count)))


def chart(*marks: Mark, y: Any = AXIS) -> Chart:
    panel = Panel(x=AXIS, y=y, marks=marks, width=300, height=200, title="Title")
    return Chart(title="Finding", panels=((panel,),))


def elements(text: str) -> list[ET.Element]:
    return [one for one in ET.fromstring(text).iter() if not one.tag.endswith("svg")]


def test_only_marks_are_painted() -> None:
    words = Texts(x=[1], y=[1], words=["nurse"])
    found = elements(small(chart(words, Rule(at=50, label="neutral"), y=rows(3))))
    assert [one.get("d") for one in found] == [f"M60 0V{HEIGHT}"]


def test_every_mark_is_painted_within_the_picture() -> None:
    x = np.array([-500.0, 20, 60, 500])
    marks = [
        Points(x=x, y=x, shape=["circle", "square", "diamond", "ring"]),
        Intervals(low=x, high=x + 10, y=x),
        Line(x=x, y=x),
        Band(x=x, low=x - 5, high=x + 5),
        Cells(left=x, right=x + 10, bottom=0, top=x),
        Rule(at=50, axis="y"),
    ]
    found = elements(small(chart(*marks)))
    assert len(found) == 9
    for one in found:
        starts = [part.split("h")[0].split("V")[0].split() for part in one.get("d", "").split("M")]
        for place in starts[1:]:
            assert 0 <= float(place[0]) <= WIDTH


def test_what_has_no_place_is_left_out() -> None:
    nan = np.array([np.nan, 50.0])
    found = small(chart(Points(x=nan, y=nan), Intervals(low=nan, high=nan, y=[0, 1]), y=rows(2)))
    assert "nan" not in found


def test_long_rows_are_thinned_evenly_from_the_first_to_the_last() -> None:
    count = 2000
    colours = ["#000001"] + ["#000002"] * (count - 2) + ["#000003"]
    every = np.arange(count)
    text = small(chart(Points(x=every / 20, y=every, colour=colours), y=rows(count)))
    assert len(text.encode()) <= MOST_BYTES
    assert "#000001" in text
    assert "#000003" in text
    assert 20 <= text.count("M") <= 40


def test_a_row_keeps_its_point_on_its_interval_after_thinning() -> None:
    count = 90
    every = np.arange(count)
    marks = (
        Intervals(low=every / 2, high=every / 2 + 5, y=every),
        Points(x=every / 2 + 2.5, y=every, shape="tick"),
    )
    bars, ticks = (
        one.get("d", "")[1:].split("M") for one in elements(small(chart(*marks, y=rows(count))))
    )
    assert len(bars) == len(ticks) < count
    for bar, tick in zip(bars, ticks, strict=True):
        left, right = float(bar.split()[0]), float(bar.split("H")[1])
        assert left < float(tick.split()[0]) < right


def test_however_many_marks_there_are_it_stays_small() -> None:
    rng = np.random.default_rng(0)
    marks = [
        Points(x=100 * rng.random(5000), y=100 * rng.random(5000), colour=f"#0000{i:02x}")
        for i in range(40)
    ]
    assert len(small(chart(*marks)).encode()) <= MOST_BYTES


def test_colours_follow_the_page_and_fall_back_on_the_light_theme() -> None:
    text = small(
        chart(Points(x=[50], y=[50], colour=GROUP_1), Line(x=[0, 1], y=[0, 1], colour="#123456"))
    )
    assert f"var(--g1, {GROUP_1})" in text
    assert 'stroke="#123456"' in text
    assert shade(0) == GROUP_1_TINT
    assert shade(SHADES) == GROUP_2_TINT
    mixed = small(chart(Cells(left=0, right=9, bottom=0, top=9, colour=shade(3))))
    assert "color-mix(in srgb, var(--g2-tint, #FBE6D6) 25%, var(--g1-tint, #DCECF6))" in mixed


def test_the_panel_that_a_chart_names_is_shown_and_else_the_largest() -> None:
    def panel(width: float, at: float) -> Panel:
        return Panel(x=AXIS, y=AXIS, marks=(Rule(at=at),), width=width, height=100)

    one, two = panel(100, 25), panel(200, 75)
    assert 'd="M88 ' in small(Chart(title="", panels=((one, two),)))
    assert 'd="M32 ' in small(Chart(title="", panels=((one, two),), small=one))


def test_occupations_are_shown_without_their_single_cue_pairs() -> None:
    words = ("nurse", "clerk", "pilot", "she", "woman", "he", "man")
    vectors = np.random.default_rng(1).standard_normal((3, len(words), 8)).astype(np.float32)
    emb = bl.EmbeddingEnsemble(words, vectors, name="random")
    result = bl.occupations(emb, words[:3], {"women": words[3:5], "men": words[5:]})
    points = [
        one.get("d", "").count("M")
        for one in elements(thumbnail(result))
        if "z" in one.get("d", "")
    ]
    assert sum(points) == 3


def test_a_kind_without_a_chart_has_none() -> None:
    class Other(Result):
        def to_frame(self) -> pd.DataFrame:
            return pd.DataFrame()

    made = Other(provenance=bl.association.weat_simulation(draws=20).provenance)
    assert thumbnail(made) == ""


def test_the_picture_shows_the_answers() -> None:
    def drawn(share: float) -> str:
        who = bl.observers.binomial({"nurse": share}, observers=4, spread=0.01, seed=1)
        return thumbnail(bl.two_afc(who, ["nurse"], ("female", "male")))

    assert drawn(0.2) == drawn(0.2) != drawn(0.8)
