from __future__ import annotations

from pathlib import Path

import pytest

import biaslab as bl
from biaslab.errors import EmbeddingFileError


def test_the_message_says_what_the_file_holds(home: Path) -> None:
    lines = "".join(f"{word} 0:0.5 3:0.25 7:0.1\n" for word in ("she", "he", "nurse"))
    (home / "ppmi.txt").write_text(f"3 8\n{lines}")
    with pytest.raises(EmbeddingFileError, match="sparse vectors") as error:
        bl.load(home / "ppmi.txt")
    assert "skip_bad" not in str(error.value)
