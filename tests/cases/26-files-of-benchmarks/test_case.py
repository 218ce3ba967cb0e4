from __future__ import annotations

from pathlib import Path

import pytest

from biaslab.errors import SentenceError
from biaslab.probes.sentences.exchange import read_pairs

BBQ = '{"question_polarity": "neg", "context_condition": "ambig", "ans0": "A", "ans1": "B"}\n'
WINOGENDER = "sentid\tsentence\ntechnician.male.txt\tThe technician said he could pay.\n"
WINOBIAS = "1 [The developer] argued with the designer because [he] did not like the design.\n"


@pytest.mark.parametrize(
    ("name", "text", "benchmark"),
    [
        ("bbq.jsonl", BBQ, "BBQ"),
        ("all_sentences.tsv", WINOGENDER, "Winogender"),
        ("pro_stereotyped.txt", WINOBIAS, "WinoBias"),
    ],
)
def test_the_benchmark_is_named(home: Path, name: str, text: str, benchmark: str) -> None:
    (home / name).write_text(text)
    with pytest.raises(SentenceError, match=f"is a file of {benchmark}, .* sent_more"):
        read_pairs(home / name)
