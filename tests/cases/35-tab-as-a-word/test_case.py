from __future__ import annotations

from pathlib import Path

import pytest

import biaslab as bl


def test_the_line_is_named_and_the_remedy_works(home: Path) -> None:
    (home / "crawl.vec").write_text("3 2\nshe 1 0\n\t 0.1 0.2\nhe 0 1\n")
    with pytest.raises(bl.errors.EmbeddingFileError, match=r"line 3 .*skip_bad=True"):
        bl.load("crawl.vec")
    rest = bl.load("crawl.vec", skip_bad=True)
    assert list(rest.words) == ["she", "he"]
    assert "line 3" in " ".join(rest.notes)
