"""The quality that a trained ensemble carries in its manifest."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from biaslab.probes.similarity import Judgements, word_similarity
from biaslab.subjects.embedding.ensemble import read_ensemble


def measured_quality(folder: Path, judgements: Sequence[Judgements]) -> list[dict[str, Any]]:
    """Return agreement of an ensemble with sets of judged pairs, one entry per set."""
    rows = word_similarity(read_ensemble(folder), judgements).to_frame().to_json(orient="records")
    entries: list[dict[str, Any]] = json.loads(rows)
    return entries
