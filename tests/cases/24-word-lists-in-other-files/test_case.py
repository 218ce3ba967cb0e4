from __future__ import annotations

from pathlib import Path

import pytest

import biaslab as bl
from biaslab.errors import SpecError


@pytest.mark.parametrize("ending", ["csv", "xlsx", "yaml", "jsonl"])
def test_a_file_that_is_there_is_not_missing(home: Path, ending: str) -> None:
    (home / f"names.{ending}").write_text("women,men\nshe,he\n")
    with pytest.raises(SpecError, match=r"read from a \.toml or \.json file .* word-list editor"):
        bl.specs.get(f"names.{ending}")
