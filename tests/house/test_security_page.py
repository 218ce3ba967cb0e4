"""The page on security names tests that there are, and a test for each threat."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

READS = ("docs/security.md", "tests")

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
TESTS = {file.name: file for file in (ROOT / "tests").rglob("test_*.py")}
NAMED = sorted(set(re.findall(r"`(test_\w+(?:\.py)?(?:::\w+)?)`", PAGE)))
WITHOUT_TEST = {"known holes"}
"""Threats that no test can try."""


@pytest.mark.parametrize("name", NAMED)
def test_a_test_that_is_named_exists(name: str) -> None:
    file, _, function = name.partition("::")
    assert file in TESTS
    text = TESTS[file].read_text(encoding="utf-8")
    assert re.search(rf"^ *def {function or 'test_'}", text, re.MULTILINE)


def rows() -> list[list[str]]:
    """Rows of the tables of threats."""
    found = []
    is_table = False
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if line.startswith("| threat |"):
            is_table = True
        elif not line.startswith("|"):
            is_table = False
        elif is_table and not line.startswith("|---"):
            found.append(cells)
    return found


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0][:40])
def test_each_threat_says_what_was_built_and_which_test_tries_it(row: list[str]) -> None:
    threat, built = row[:2]
    assert built
    if threat not in WITHOUT_TEST:
        assert len(row) == 3
        assert "test" in row[2]


def test_the_page_has_its_tables() -> None:
    assert len(rows()) > 30
    assert len(NAMED) > 25
