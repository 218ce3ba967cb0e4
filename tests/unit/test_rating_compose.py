"""The rating of two services in a row, by Table 2 of the paper and by its definitions.

The paper is Srivastava and Rossi (2018).
"""

from __future__ import annotations

import pytest

import biaslab as bl
from biaslab.errors import RatingError
from biaslab.probes.rating import (
    Rating,
    RatingDesign,
    composition_table,
    predicted_against_measured,
)
from biaslab.services import Composite

# Rows of the printed table are the first service; a composite to be tested anew is None.
TABLE_2 = {
    ("BS", "BS"): None, ("BS", "UCS"): "UCS", ("BS", "DSBS"): "BS",
    ("UCS", "BS"): "BS", ("UCS", "UCS"): "UCS", ("UCS", "DSBS"): "DSBS",
    ("DSBS", "BS"): "BS", ("DSBS", "UCS"): "UCS", ("DSBS", "DSBS"): "DSBS",
}  # fmt: skip


@pytest.mark.parametrize(("first", "second"), TABLE_2)
def test_every_cell_of_table_2(first: str, second: str) -> None:
    found = bl.compose(first, second)
    assert found.rating == TABLE_2[first, second]
    assert found.must_be_tested == (TABLE_2[first, second] is None)
    assert found.reason


def test_the_definitions_differ_in_one_cell_and_both_rules_mark_it() -> None:
    differing = [(c.first, c.second) for c in composition_table("paper") if c.differs]
    assert differing == [("UCS", "DSBS")]
    assert bl.compose("UCS", "DSBS", rule="definition").rating == "UCS"
    assert bl.compose("UCS", "DSBS", rule="definition").differs
    by_definition = {(c.first, c.second): c.rating for c in composition_table("definition")}
    rest = {cell: rating for cell, rating in TABLE_2.items() if cell != ("UCS", "DSBS")}
    assert {cell: by_definition[Rating(cell[0]), Rating(cell[1])] for cell in rest} == rest


def test_what_is_not_rateable_predicts_nothing() -> None:
    for pair in (("not rateable", "DSBS"), ("DSBS", "not rateable")):
        found = bl.compose(*pair)
        assert found.must_be_tested
        assert "no clear rating" in found.reason
    assert str(bl.compose("BS", "BS")) == "must be tested anew"


def test_what_is_no_rating_is_refused() -> None:
    with pytest.raises(RatingError, match="'good' is not a rating"):
        bl.compose("good", "BS")
    with pytest.raises(RatingError, match="No rule 'mine'"):
        bl.compose("BS", "BS", rule="mine")  # type: ignore[arg-type]


BEHAVIOUR = {"UCS": "compensating", "DSBS": "faithful", "BS": "always-she"}


@pytest.mark.parametrize(("first", "second"), TABLE_2)
def test_composites_that_are_run_get_the_rating_of_the_definitions(first: str, second: str) -> None:
    """Of the paper's table all but one cell come out; of the definitions' all."""
    pair = (first, second)
    parts = [bl.observers.service(BEHAVIOUR[name], seed=i) for i, name in enumerate(pair)]
    design = RatingDesign.make(texts=40)
    measured = bl.rate(Composite(*parts), design, keep=False)
    by_definition = predicted_against_measured(first, second, measured, "definition")
    assert by_definition.agrees is not False
    by_paper = predicted_against_measured(first, second, measured)
    expected = None if pair == ("BS", "BS") else pair != ("UCS", "DSBS")
    assert by_paper.agrees == expected


def test_results_compose_by_their_overall_corrected_rating() -> None:
    results = [
        bl.rate(bl.observers.service(name), RatingDesign.make(), keep=False)
        for name in ("always-he", "faithful")
    ]
    assert bl.compose(*results).rating == "BS"
    assert bl.compose(results[1], "UCS").rating == "UCS"


def test_a_composition_is_shown_as_a_sentence() -> None:
    shown = repr(bl.compose("UCS", "DSBS"))
    assert shown.startswith("<Composition: UCS then DSBS, DSBS. Table 2")
    assert "first=" not in shown
