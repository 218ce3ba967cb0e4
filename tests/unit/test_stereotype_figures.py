"""Figures of stereotype scores: they show the result's numbers, and each pair once."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import biaslab as bl
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.reports.sentences import chart
from biaslab.reports.sentences.chart import side_by_side
from biaslab.reports.svg import paint
from harness.deferred import Deferred
from harness.sentence_pairs import FakeModel, TextScorer, pairs

bokeh = Deferred("biaslab.reports.bokeh")

PAIRS = pairs()


def scored(
    given: object = PAIRS, seed: int = 1, rate: float = 0.8
) -> bl.probes.sentences.StereotypeScore:
    truth = bl.observers.scorer(rate, ties=0.1, failures=0.1, seed=seed)
    return bl.stereotype_score(truth, sentences=given, keep=False, resamples=200)  # type: ignore[arg-type]


def test_a_square_stands_for_each_pair_and_is_sorted() -> None:
    result = scored()
    rows = chart.rows(result)
    assert [r.share.name for r in rows] == [a.name for a in result.attributes]
    assert sorted(i for r in rows for i in r.pairs) == list(range(len(PAIRS)))
    for row in rows:
        odds = result.log_odds[list(row.pairs)]
        scored_ones = odds[np.isfinite(odds)]
        assert (np.diff(scored_ones) <= 0).all()
        assert np.isnan(odds[len(scored_ones) :]).all()


@pytest.mark.parametrize(
    ("odds", "shade"),
    [
        (0.1, chart.WITH[0]),
        (0.7, chart.WITH[1]),
        (2.0, chart.WITH[2]),
        (-0.1, chart.AGAINST[0]),
        (-2.0, chart.AGAINST[2]),
    ],
)
def test_the_colour_is_the_signed_log_odds(odds: float, shade: str) -> None:
    outcome = "stereotyped" if odds > 0 else "against"
    assert chart.colour(odds, outcome) == shade
    assert chart.colour(odds, "tie") == chart.TIE


def test_the_still_picture_tells_the_numbers_and_is_written_whole(tmp_path: Path) -> None:
    result = scored()
    text = result.to_svg()
    root = ET.fromstring(text)
    words = " ".join(root.itertext())
    assert result.headline in words
    assert f"{100 * result.share:.0f} %" in words
    assert "tied to female" in words
    squares = [e for e in root.iter() if e.get("rx") == "2"]
    assert len(squares) == len(PAIRS) + 7  # the legend's seven
    assert len([e for e in squares if e.get("fill") == "none"]) == result.failures
    result.to_svg(tmp_path / "one.svg")
    assert (tmp_path / "one.svg").read_text(encoding="utf-8") == text


def test_models_stand_side_by_side() -> None:
    one, two = scored(), scored(PAIRS[:25], seed=5, rate=0.3)
    root = ET.fromstring(paint(side_by_side([one, two])))
    assert len([e for e in root.iter() if e.get("rx") == "2"]) == len(PAIRS) + 25 + 7
    models = bokeh.paint(side_by_side([one, two])).children[1]
    data = models.renderers[0].data_source.data
    assert data["score"] == [100 * one.share, 100 * two.share]


def test_the_bokeh_figure_holds_shares_and_pairs() -> None:
    result = scored()
    heading, models, _, below = result.figure().children
    assert result.headline in heading.text
    assert models.renderers[0].data_source.data["score"] == [100 * result.share]
    bars, shown = (plot.renderers[0].data_source.data for plot in below.children)
    assert bars["name"] == [a.name for a in result.attributes]
    np.testing.assert_allclose(bars["score"], [100 * a.share for a in result.attributes])
    np.testing.assert_allclose(bars["low"], [100 * a.interval.low for a in result.attributes])
    assert sorted(shown["stereotyped"]) == sorted(p.stereotyped for p in PAIRS)
    assert shown["outcome"].count("tie") == result.ties


def test_pairs_without_attributes_are_drawn_too() -> None:
    plain = [SentencePair(p.stereotyped, p.against) for p in PAIRS]
    typed = [SentencePair(p.stereotyped, p.against, bias_type="age") for p in PAIRS]
    for given, name in ((plain, "all pairs"), (typed, "age")):
        result = scored(given)
        assert [r.share.name for r in chart.rows(result)] == [name]
        assert name in result.to_svg()
        assert result.figure() is not None


def test_html_is_text_and_no_score_is_said() -> None:
    pair = SentencePair("<b>He</b> sings.", "<b>She</b> sings.", attribute="<i>x</i>")
    result = bl.stereotype_score(
        FakeModel(name="<u>m</u>"),  # type: ignore[arg-type]
        sentences=[pair],
        scorer=TextScorer(lambda text: None),
        keep=False,
    )
    text = result.to_svg()
    assert "no score" in text
    for tag in ("<b>", "<i>", "<u>"):
        assert tag not in text
    assert result.figure() is not None
