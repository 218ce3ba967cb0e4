"""PSE of occupations on GoogleNews vectors against US labour statistics."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import biaslab as bl
from harness.heavy import pd


def test_pse_correlates_with_percent_male(shared_data: Path) -> None:
    """r = -0.747 over 30 occupations: signed, with cue 1 = female (DESIGN, section 7)."""
    table = pd.read_csv(shared_data / "occupations" / "occupations-stats.tsv", sep="\t")
    subject = bl.load(shared_data / "embeddings" / "googlenews_8000x300.npz")
    result = bl.two_afc(subject, list(table["occupation"]), "gender-pairs")
    male = 100 - table.set_index("occupation").loc[list(result.items), "bls_pct_female"]
    assert len(result.items) == 30
    assert len([d for d in result.dropped if d.role == "item"]) == 30
    assert np.corrcoef(result.pse, male)[0, 1] == pytest.approx(-0.747, abs=5e-4)
