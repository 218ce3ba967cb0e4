from __future__ import annotations

from pathlib import Path

import biaslab as bl


def test_the_first_of_two_counts_with_a_note(home: Path) -> None:
    (home / "twice.vec").write_text("3 2\nshe 1 0\nhe 0 1\nshe 0.5 0.5\n")
    embedding = bl.load("twice.vec")
    assert embedding["she"].tolist() == [1, 0]
    assert "more than once" in " ".join(embedding.notes)
