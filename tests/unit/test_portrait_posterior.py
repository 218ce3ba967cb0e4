"""Portraits that a vision-language model imagines for a word: draws, exact weighting, refusals."""

from __future__ import annotations

import biaslab as bl
from biaslab.probes.posterior import PortraitPosterior
from biaslab.probes.posterior.portraits.space import COLUMNS


def test_portrait_clip_imagines_nurses_as_women() -> None:
    result = bl.sample_posterior(
        bl.load("portrait-clip"), "nurse", space="portraits", chains=4, draws=30, warmup=10,
        check=False,
    )  # fmt: skip
    assert result.share.value > 0.6
    assert result.draws.shape == (4, 30, len(COLUMNS))
    assert PortraitPosterior.from_json(result.to_json()) == result
