"""Charts: both painters show the same record, with rows, labels and marks where they belong."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

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
    axis_over,
)
from biaslab.reports.svg import paint
from harness.deferred import Deferred

bokeh = Deferred("biaslab.reports.bokeh")

ROWS = Rows(
    rows=(Row("a", "first", ("1", "0 to 2")), Row("b", "first", ("3",)), Row("<c>", "second")),
    heads=("mean", "95 %"),
)
AXIS = Axis(low=0, high=4, label="distance", ends=(("near", "#000000"), ("far", "#000000")))


def chart(*marks: Mark, y: Any = ROWS, x: Axis = AXIS) -> Chart:
    panel = Panel(x=x, y=y, marks=marks, width=400, height=200, title="Rows")
    return Chart(title="A & B differ", note="Three rows.", panels=((panel,),))


def elements(svg: str, tag: str) -> list[ET.Element]:
    return [e for e in ET.fromstring(svg).iter() if e.tag.endswith(f"}}{tag}")]


EVERY: tuple[Mark, ...] = (
    Cells(left=0, right=[1, 2], bottom=0.2, top=-0.2, name="cells"),
    Band(x=[0, 1], low=[0, 0], high=[1, 1], alpha=0.5),
    Line(x=[0, 1], y=[0, 1], dashed=True),
    Rule(at=2, label="neutral 2"),
    Rule(at=1, axis="y"),
    Intervals(low=[0, np.nan], high=[1, 2], y=[0, 1]),
    Points(x=[1, 2, np.nan], y=[0, 1, 2], shape=["circle", "square", "hollow"], name="points"),
    Points(x=[1, 2, 3], y=[0, 1, 2], shape="tick", data={"word": ["u", "v", "w"]},
           hover=(("", "@word"),)),
    Texts(x=1, y=0, words=["said"]),
)  # fmt: skip


def test_both_painters_show_all_words_of_a_chart() -> None:
    svg = paint(chart(*EVERY))
    words = set(ET.fromstring(svg).itertext())
    told = {"A & B differ", "Three rows.", "Rows", "distance", "near", "far", "first", "second",
            "a", "b", "<c>", "1", "0 to 2", "3", "mean", "95 %", "neutral 2", "said", "cells",
            "points"}  # fmt: skip
    assert told <= words
    assert "nan" not in svg
    plot = bokeh.paint(chart(*EVERY))
    assert plot.title.text == "A & B differ"
    titles = {getattr(each, "text", "") for each in plot.above}
    assert {"Rows", "Three rows."} <= titles
    assert list(plot.left[0].major_label_overrides.values()) == ["first", "a", "b", "second", "<c>"]
    assert set(plot.right[0].major_label_overrides.values()) == {
        "mean   95 %", "1   0 to 2", "3", "",
    }  # fmt: skip
    above = [getattr(each, "major_label_overrides", {}) for each in plot.above]
    assert {2.0: "neutral 2"} in above
    assert len(plot.renderers) == len([mark for mark in EVERY if not isinstance(mark, Rule)])
    assert [each.label.value for each in plot.legend[0].items] == ["cells", "points"]
    assert plot.hover[0].tooltips == [("", "@word")]


def test_a_row_stands_below_the_names_of_its_group_and_of_those_before() -> None:
    assert [at for at, _ in ROWS.headings] == [0.5, 3.5]
    assert ROWS.lines == 5
    np.testing.assert_allclose(ROWS.place([0, 1, 2]), [1.5, 2.5, 4.5])
    np.testing.assert_allclose(ROWS.place([-0.5, 0.3, 2.5]), [1.0, 1.8, 5.0])


def test_labels_that_would_meet_stand_in_two_lines() -> None:
    near = chart(Rule(at=1, label="unrelated"), Rule(at=1.1, label="mean"), Rule(at=3, label="far"))
    lines = near.panels[0][0].labels
    assert [[rule.label for rule in line] for line in lines] == [["unrelated", "far"], ["mean"]]


def test_what_lies_beyond_the_axis_is_painted_at_its_end() -> None:
    inside, beyond = (
        elements(paint(chart(Points(x=at, y=0))), "circle")[0].get("cx") for at in (4, 40)
    )
    assert inside == beyond


def test_parts_without_a_place_are_left_out() -> None:
    marks = Intervals(low=[0, np.nan, 1], high=[1, 2, np.nan], y=[0, 1, 2])
    assert len(elements(paint(chart(marks)), "path")) == 1


def test_an_svg_holds_only_some_of_very_many_points() -> None:
    many = Points(x=np.linspace(0, 4, 1000), y=np.zeros(1000), still=100)
    assert len(elements(paint(chart(many)), "circle")) == 100
    assert len(bokeh.paint(chart(many)).renderers[0].data_source.data["x"]) == 1000


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0, 1, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (-0.02, 0.03, ["−0.02", "−0.01", "0.00", "0.01", "0.02", "0.03"]),
        (0, 1200, ["0", "200", "400", "600", "800", "1000", "1200"]),
    ],
)
def test_ticks_stand_at_round_numbers(low: float, high: float, labels: list[str]) -> None:
    svg = paint(chart(y=Rows(rows=(Row("a"),)), x=Axis(low=low, high=high)))
    told = [e.text for e in elements(svg, "text")]
    first = told.index(labels[0])
    assert told[first : first + len(labels)] == labels


def test_an_axis_holds_all_that_is_finite() -> None:
    axis = axis_over([1.0, np.nan, 3.0], -1.0, margin=0.1)
    assert (axis.low, axis.high) == pytest.approx((-1.4, 3.4))
    assert axis_over([2.0]).low < 2 < axis_over([2.0]).high
    assert axis_over([np.nan]).low < axis_over([np.nan]).high


def test_panels_are_laid_out_in_rows_under_the_finding() -> None:
    (panel,) = chart(*EVERY).panels[0]
    layout = bokeh.paint(Chart(title="<b>", panels=((panel, panel), (panel,))))
    heading, (one, two), below = (getattr(e, "children", e) for e in layout.children)
    assert heading.text.startswith("<b>&lt;b&gt;</b>")
    assert one.title.text == two.title.text == below.title.text == "Rows"
    svg = paint(Chart(title="<b>", panels=((panel, panel), (panel,))))
    assert [e.text for e in elements(svg, "text")].count("Rows") == 3
    assert elements(svg, "title")[0].text == "<b>"


def test_aligned_panels_of_a_column_stand_under_each_other() -> None:
    (named,) = chart(Rule(at=2)).panels[0]
    (plain,) = chart(Rule(at=2), y=Axis(low=0, high=1)).panels[0]
    drawing = Chart(title="", panels=((named, named), (plain, plain)), aligned=True)
    middles = [e.attrib["d"].split()[0] for e in elements(paint(drawing), "path")]
    assert middles[:2] == middles[2:4]
    assert middles[0] != middles[1]
