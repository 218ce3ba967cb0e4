"""Figures of results: the still picture and the Bokeh figures show the result's numbers."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import biaslab as bl
from biaslab.reports import palette
from biaslab.reports.theme import follow_theme


def _result(items: list[str], noise: float = 0.0) -> bl.probes.psychometrics.TwoAFCResult:
    subject = bl.observers.embedding(
        pse={"nurse": 0.61, "<b>x</b>": 1.4, "engineer": 0.4}, jnd=0.03, replicates=32, seed=1
    )
    return bl.two_afc(subject, items, ("female", "male"), perception=noise)


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_the_still_picture_is_well_formed_and_tells_the_numbers(noise: float) -> None:
    result = _result(["nurse"], noise)
    text = result.to_svg()
    root = ET.fromstring(text)
    words = " ".join(root.itertext())
    assert f"PSE {100 * result.pse[0]:.0f} % male" in words
    assert " ".join(result.verdict("nurse")) in words
    assert len([e for e in root.iter() if e.tag.endswith("rect")]) == 1 + 2 * 32


def test_the_still_picture_shows_html_as_text_and_keeps_to_its_frame() -> None:
    text = _result(["<b>x</b>"]).to_svg()
    assert "<b>" not in text
    for element in ET.fromstring(text).iter():
        assert float(element.get("width", "0").rstrip("%")) >= 0


def test_the_still_picture_is_written_whole(tmp_path: Path) -> None:
    result = _result(["nurse", "engineer"])
    text = result.to_svg(item="engineer")
    result.to_svg(tmp_path / "picture.svg", item="engineer")
    assert (tmp_path / "picture.svg").read_text(encoding="utf-8") == text
    assert " ".join(result.verdict("engineer")) in text


def test_the_bokeh_figure_of_one_item_holds_the_curve() -> None:
    result = _result(["nurse"])
    plot = result.figure()
    line = next(r for r in plot.renderers if type(r.glyph).__name__ == "Line")
    share, _, _ = result.psi("nurse", np.linspace(0, 1, 201))
    np.testing.assert_allclose(line.data_source.data["y"], 100 * share)


def test_the_bokeh_figure_of_several_items_sorts_them_by_pse() -> None:
    plot = _result(["nurse", "engineer"]).figure()
    assert list(plot.yaxis[0].major_label_overrides.values()) == ["nurse", "engineer"]


def test_the_axis_of_several_items_holds_their_whole_intervals() -> None:
    plot = _result(["nurse", "engineer"]).figure()
    source = plot.renderers[0].data_source.data
    assert plot.x_range.start < min(source["low"])
    assert plot.x_range.end > max(source["high"])
    assert plot.x_range.start < 50 < plot.x_range.end


def test_a_card_follows_the_theme_of_its_page() -> None:
    html = _result(["nurse", "engineer"])._repr_html_()
    assert '[data-jp-theme-light="false"]' in html
    assert not re.search(r'(fill|stroke)="#', html)


def test_every_colour_of_the_palette_has_one_for_a_dark_page() -> None:
    colours = {value for value in vars(palette).values() if str(value).startswith("#")}
    colours |= {*palette.WITH, *palette.AGAINST}
    assert not [colour for colour in colours if f"{colour})" not in follow_theme(colour)]
