"""Named checkpoints as tiny random copies: each opens, scores sentences, and says what fits."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import SubjectError
from biaslab.probes.psychometrics.framed_model import FramedModel
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.probes.sentences.scorers import get_scorer
from harness.named_checkpoints import CHECKPOINTS, Checkpoint
from harness.needs import needs
from harness.tiny_parts import save

pytestmark = [needs("torch", "transformers"), pytest.mark.usefixtures("one_thread")]

load: Callable[..., Any] = bl.load
TABLE = Path(__file__).parents[2] / "docs" / "subjects" / "models.md"
PAIRS = [
    SentencePair("The woman is a nurse.", "The man is a nurse."),
    SentencePair("The old man thanked her.", "He is here."),
]


@pytest.mark.parametrize("checkpoint", CHECKPOINTS, ids=lambda one: one.name.rpartition("/")[2])
def test_a_copy_of_the_architecture_is_probed(checkpoint: Checkpoint, tmp_path: Path) -> None:
    model, _ = save(checkpoint.build(), tmp_path)
    lm = load(tmp_path, kind=checkpoint.kind, device="cpu")
    scorer = get_scorer(None, checkpoint.kind)
    together = scorer.score(lm, PAIRS)
    assert [one.failure for one in together] == ["", ""]
    for pair, scores in zip(PAIRS, together, strict=True):
        (alone,) = scorer.score(lm, [pair], memory_mb=0.01)
        assert alone.log_odds is not None
        assert math.isfinite(alone.log_odds)
        assert alone.log_odds == pytest.approx(scores.log_odds, abs=1e-3)
    assert lm.model_facts.parameters == sum(p.numel() for p in model.parameters())
    assert lm.takes_mixtures == checkpoint.blends
    if not checkpoint.blends:
        with pytest.raises(SubjectError, match=r"cannot be shown a blend.*stereotype_score"):
            FramedModel(lm)
        return
    framed = FramedModel(lm, first=1)
    answers = framed.respond("nurse", "woman", "man", np.array([0.0, 0.5, 1.0]), 0)
    assert np.isfinite(answers).all()


def test_the_table_of_checkpoints_lists_what_is_tried() -> None:
    text = TABLE.read_text(encoding="utf-8")
    rows = {row.split("|")[1].strip().strip("`"): row for row in text.splitlines() if "| `" in row}
    assert len(rows) >= 30
    for checkpoint in CHECKPOINTS:
        row = rows[checkpoint.name]
        assert f"`{checkpoint.architecture}`" in row
        assert f"`{checkpoint.kind}`" in row
        blends = row.split("|")[5].strip()
        assert blends == ("yes" if checkpoint.blends else "no"), checkpoint.name
