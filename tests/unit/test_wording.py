"""Sentences of verdicts."""

from __future__ import annotations

import pytest

from biaslab.records.wording import Role, sentences


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([], ()),
        ([("One. Two.", "plain")], ("One.", "Two.")),
        ([("St. Louis leans", "strong"), (" one way.", "plain")], ("St. Louis leans one way.",)),
        ([("Is it? “Yes.” Good!", "quiet")], ("Is it?", "“Yes.”", "Good!")),
        ([("p = 0.03; d = 1.2.", "plain"), (" So.", "strong")], ("p = 0.03; d = 1.2.", "So.")),
        ([("After Liang et al. (2020), eq. 8: x.", "plain")], None),
        ([("The item ", "plain"), ("No. 5 x", "group1"), (".", "plain")], ("The item No. 5 x.",)),
        ([("no full stop", "plain")], ("no full stop",)),
    ],
)
def test_sentences(spans: list[tuple[str, Role]], expected: tuple[str, ...] | None) -> None:
    assert sentences(spans) == (tuple(text for text, _ in spans) if expected is None else expected)
