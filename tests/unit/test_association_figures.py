"""Figures of WEAT, MAC and the simulation show the result's numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import biaslab as bl

GROUPS = {"<X>": ["x1", "x2"], "Y": ["y1", "y2"]}
LISTS = {"A": ["a1", "a2"], "B": ["b1", "b2", "b3"]}
WORDS = [w for lists in (GROUPS, LISTS) for words in lists.values() for w in words]


def subject(replicates: int, alike: bool = False) -> Any:
    vectors = np.random.default_rng(2).normal(size=(replicates, len(WORDS), 5))
    if alike:
        vectors = np.ones_like(vectors)
    return bl.EmbeddingEnsemble(WORDS, vectors.astype(np.float32), name="made")


def texts(svg: str) -> str:
    return " ".join(ET.fromstring(svg).itertext())


def panels(layout: Any) -> list[Any]:
    """The heading, then each row of a layout: a figure, or its figures from the left."""
    return [getattr(each, "children", each) for each in layout.children]


def renderers(plot: Any, kind: str) -> list[Any]:
    return [r for r in plot.renderers if type(r.glyph).__name__ == kind]


@pytest.mark.parametrize("replicates", [1, 4])
def test_the_still_picture_of_weat_tells_its_numbers(replicates: int, tmp_path: Path) -> None:
    found = bl.weat(subject(replicates), targets=GROUPS, attributes=LISTS)
    told = texts(found.to_svg())
    found.to_svg(tmp_path / "weat.svg")
    assert (tmp_path / "weat.svg").read_text(encoding="utf-8") == found.to_svg()
    assert f"{found.exceed:,} of {found.partitions:,} splits" in told
    assert f"observed {found.statistic:.3f}".replace("-", "−") in told
    assert f"{found.ceiling:.2f}" in told
    assert "<X>" in told
    for word in found.words:
        assert word in told


def test_pictures_of_results_without_numbers_say_so() -> None:
    found = bl.weat(subject(1, alike=True), targets=GROUPS, attributes=LISTS)
    assert "no effect size" in texts(found.to_svg())
    assert found.figure()


def test_the_bokeh_figure_of_weat_holds_associations_and_splits() -> None:
    found = bl.weat(subject(4), targets=GROUPS, attributes=LISTS)
    _, (words, splits), _ = panels(found.figure())
    drawn = renderers(words, "Scatter")[0].data_source.data
    shown = dict(zip(drawn["word"], drawn["association"], strict=True))
    names = [f"{w} ({g})" for g, own in GROUPS.items() for w in own]
    expected = found.association.mean(axis=0)
    assert [shown[name] for name in names] == pytest.approx(expected.tolist())
    bars = renderers(splits, "Quad")[0].data_source.data
    assert bars["counts"].sum() == found.partitions
    assert bars["reached"].sum() == found.exceed
    assert any(getattr(c, "location", None) == found.test.observed for c in splits.center)


def test_a_word_of_both_groups_is_drawn_twice() -> None:
    both = {"X": ["x1", "y1"], "Y": ["y1", "y2"]}
    _, (words, _), _ = panels(bl.weat(subject(1), targets=both, attributes=LISTS).figure())
    names = list(words.yaxis[0].major_label_overrides.values())
    assert [names[0], names[3]] == ["X", "Y"]
    assert sorted(names[1:3]) == both["X"]
    assert sorted(names[4:]) == both["Y"]


@pytest.mark.parametrize("scale", ["distance", "similarity"])
@pytest.mark.parametrize("belongs", [{"A": ["<X>"], "B": ["Y"]}, {}])
def test_pictures_of_mac(scale: Any, belongs: dict[str, list[str]]) -> None:
    found = bl.mac(
        subject(3), scale=scale, targets=GROUPS, attributes=LISTS, attribute_groups=belongs
    )
    told = texts(found.to_svg())
    assert f"MAC is {found.mac:.2f}".replace("-", "−") in told
    for value in found.by_connection.values():
        assert f"{value:.2f}".replace("-", "−") in told
    plot = found.figure()
    assert any(getattr(c, "location", None) == found.mac for c in plot.center)
    points = sum(len(r.data_source.data.get("word", ())) for r in renderers(plot, "Scatter"))
    assert points == 4 * 2


def test_the_bokeh_figure_of_the_simulation_ends_at_the_ceiling() -> None:
    found = bl.association.weat_simulation(draws=500)
    _, plot, drawn = found.figure().children
    assert len(renderers(drawn, "Scatter")) == 2
    ends = {c.location for c in plot.center if hasattr(c, "location")}
    assert {-found.ceiling, 0, found.ceiling} <= ends
    assert sum(renderers(plot, "Quad")[0].data_source.data["top"]) == 500
