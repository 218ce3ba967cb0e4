"""CSV files that a spreadsheet program opens without running anything."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import biaslab
from biaslab.files.csv_text import defused, frame_text, restored, rows_text
from harness.emitted import observers
from harness.heavy import pd

FORMULAS = {
    **{
        formula: f"'{formula}"
        for formula in (
            '=HYPERLINK("http://x","y")', "+1+cmd", "-2+3", "@SUM(A1)", " =1+1", "\xa0-a",
            "\uff1d1+1",
        )
    },
    "\t=1": "'\t'=1",
    "nurse;=1+1": "nurse;'=1+1",
    "nurse; \uff20SUM(A1);-3;x": "nurse;' \uff20SUM(A1);-3;x",
    "nurse\n+1+cmd": "nurse\n'+1+cmd",
}  # fmt: skip


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_formula_becomes_a_text_and_comes_back(formula: str) -> None:
    assert defused(formula) == FORMULAS[formula]
    assert restored(defused(formula)) == formula


@pytest.mark.parametrize(
    "cell", ["nurse", "", "'tis", "a=b", 3, -3.5, None, "-3.5", "+1e3", "-inf"]
)
def test_what_is_no_formula_stays(cell: object) -> None:
    assert defused(cell) == cell


@given(st.text() | st.text("=-'; \t\na1"))
def test_every_text_comes_back_and_none_begins_a_formula(text: str) -> None:
    made = defused(text)
    assert restored(made) == text
    for cell in re.split("[;\t\r\n]", made):
        try:
            float(cell)
        except ValueError:
            assert not cell.lstrip().startswith(("=", "+", "-", "@", "\uff1d"))
    assert made == text or "'" in made


def test_tables_and_rows_are_safe_in_cells_and_columns() -> None:
    frame = pd.DataFrame({"=a": ["=1+1", "b"], "n": [-1.5, 2.0], "@": pd.Categorical(["+x", "y"])})
    rows = list(csv.reader(io.StringIO(frame_text(frame))))
    assert rows == [["'=a", "n", "'@"], ["'=1+1", "-1.5", "'+x"], ["b", "2.0", "y"]]
    text = rows_text(["=a", "b"], [["@x", -1], [None, "-1"]])
    assert list(csv.reader(io.StringIO(text))) == [["'=a", "b"], ["'@x", "-1"], ["", "-1"]]


def test_a_word_that_is_a_formula_is_none_in_a_results_file() -> None:
    subject = observers()
    result = biaslab.two_afc(subject, ["nurse"], [("woman", "man")])
    frame = result.to_frame().assign(item='=HYPERLINK("http://x")')
    assert "'=HYPERLINK" in frame_text(frame)
    assert result.to_csv() == frame_text(result.to_frame())
