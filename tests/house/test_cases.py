"""Every case says where it comes from and what is right, and has a test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CASES = sorted((Path(__file__).resolve().parents[1] / "cases").glob("[0-9]*"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_has_a_note_and_a_test(case: Path) -> None:
    note = (case / "NOTE.md").read_text(encoding="utf-8")
    for line in (r"# \w", r"Source: \w", r"Right: \w"):
        assert re.search(f"^{line}", note, re.MULTILINE), line
    assert "\ndef test_" in (case / "test_case.py").read_text(encoding="utf-8")
