from __future__ import annotations

import json
from pathlib import Path

import pytest

from biaslab.probes.sentences.exchange import read_pairs


@pytest.mark.parametrize("name", ["pairs.json", "pairs.jsonl"])
@pytest.mark.parametrize("mark", [" ", "\u2028", "\u2029", "\u0085"])
def test_lines_are_read(home: Path, name: str, mark: str) -> None:
    rows = [
        {"sent_more": f"She can't{mark}{verb}.", "sent_less": f"He can't{mark}{verb}."}
        for verb in ("drive", "fly")
    ]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (home / name).write_text(text, encoding="utf-8", newline="\n")
    assert len(read_pairs(home / name)) == 2
