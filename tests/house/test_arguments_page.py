"""The page of arguments is today's, and no two of its names mean the same."""

from __future__ import annotations

import arguments

READS = ("biaslab", "docs/guide/arguments.md", "tools/arguments.py", "tools/markdown_tables.py")


def test_no_idea_has_two_names() -> None:
    page = arguments.PAGE.read_text(encoding="utf-8")
    assert list(arguments.faults(page)) == []
    two = page.replace("| Bootstrap resamples behind the intervals |", "| Axes of the plane |")
    assert "resamples and axes mean the same. Call both by one name." in arguments.faults(two)
    assert "axes: say on the page what it is." in arguments.faults(
        page.replace("Axes of the plane", "")
    )
