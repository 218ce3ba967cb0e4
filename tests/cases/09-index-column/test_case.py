from __future__ import annotations

import pytest

from biaslab.errors import QueryError
from biaslab.probes.occupations import OutsideTable

ROWS = [("nurse", 88.0), ("engineer", 15.0), ("clerk", 80.0)]


def table(header: str, *cells: str) -> OutsideTable:
    return OutsideTable.read_csv("\n".join([header, *cells]), of="female")


def test_row_numbers_are_no_percent() -> None:
    lines = [f"{i},{word},{share}" for i, (word, share) in enumerate(ROWS)]
    assert table(",occupation,percent female", *lines).values == dict(ROWS)


def test_a_choice_among_columns_is_told() -> None:
    lines = [f"{word},{share},{i + 2000}" for i, (word, share) in enumerate(ROWS)]
    read = table("occupation,percent female,year", *lines)
    assert read.values == dict(ROWS)
    assert read.notes == ("The numbers are those of 'percent female'; year have numbers too.",)


def test_fractions_under_percent_are_asked_about() -> None:
    lines = [f"{word},{share / 100}" for word, share in ROWS]
    with pytest.raises(QueryError, match="unit='share' or unit='percent'"):
        table("occupation,percent female", *lines)
